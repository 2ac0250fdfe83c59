"""Compiled programs over arrays of an emulated GPU."""

import pytest

from hybridize.runtime import devices
from tests.programs.on_devices.reusing import Reusing


@pytest.fixture(autouse=True)
def _on_devices(two_gpus):
    """Each test here has two devices."""


@pytest.fixture
def device(monkeypatch) -> Reusing:
    """`gpu(0)`, whose memory is used again, and which notes what is asked of it."""
    monkeypatch.setitem(devices._PLACES, "emulated", "tests.programs.on_devices.reusing")
    return devices.opened(0)

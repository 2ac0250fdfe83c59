"""Compiled programs over arrays of an emulated GPU."""

import pytest


@pytest.fixture(autouse=True)
def _on_devices(two_gpus):
    """Each test here has two devices."""

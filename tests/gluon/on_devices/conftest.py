"""Nets, trainers and loaders over two emulated GPUs."""

import pytest


@pytest.fixture(autouse=True)
def _on_devices(two_gpus):
    """Each test here has two devices."""

"""A plugin of pytest: in each test arrays are on an emulated GPU unless they say otherwise.

    python -m pytest -p tests.device.everywhere tests/programs
"""

import pytest

from hybridize import gpu


@pytest.fixture(autouse=True)
def _on_gpu(two_gpus):
    """Arrays are made on `gpu(0)`."""
    with gpu(0):
        yield

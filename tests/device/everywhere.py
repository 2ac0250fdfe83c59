"""A plugin of pytest: in each test arrays are on an emulated GPU unless they say otherwise.

    python -m pytest -p tests.device.everywhere tests/programs

Many tests look at what only a program of the host has (entries, packed copies, memory that NumPy sees), or do what a
device refuses. Where `HYBRIDIZE_FAILURES` names a file, it gets a line for each failure: its kind, the test, the words.
"""

import os

import pytest

from hybridize import gpu


@pytest.fixture(autouse=True)
def _on_gpu(two_gpus):
    """Arrays are made on `gpu(0)`."""
    with gpu(0):
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Note what has failed."""
    report = (yield).get_result()
    path = os.environ.get("HYBRIDIZE_FAILURES")
    if path and report.failed and call.excinfo is not None:
        words = " ".join(str(call.excinfo.value).split())[:300]
        with open(path, "a") as file:
            file.write(f"{call.excinfo.typename}\t{item.nodeid}\t{words}\n")

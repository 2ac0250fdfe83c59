"""A plugin of pytest: arrays are on `gpu(0)`, an emulated one, unless tests say otherwise.

    python -m pytest -p tests.device.default_device tests/array/test_shapes.py

What has no code on devices is skipped, and so is what mixes arrays of devices and of the host, which is refused by
design. Where `HYBRIDIZE_FAILURES` names a file, it gets a line for each failure: its kind, the test, the words.
"""

import os
import re

import pytest

from hybridize import gpu
from hybridize.base.config import CONFIG
from hybridize.runtime import devices

CONFIG.device = "emulated"
devices.register("emulated", "tests.device.emulated")
REFUSED = re.compile(r"E70[345]: [^\n]*")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Files of tests make arrays, too."""
    with gpu(0):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """So do fixtures."""
    with gpu(0):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Skip what is refused."""
    try:
        return (yield)
    except Exception as error:
        cause = error
        while cause is not None:
            match = REFUSED.search(str(cause))
            if match:
                pytest.skip(match[0])
            cause = cause.__cause__ or cause.__context__
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Note what has failed."""
    report = yield
    path = os.environ.get("HYBRIDIZE_FAILURES")
    if path and report.failed and call.excinfo is not None:
        words = " ".join(str(call.excinfo.value).split())[:300]
        with open(path, "a") as file:
            file.write(f"{call.excinfo.typename}\t{item.nodeid}\t{words}\n")
    return report

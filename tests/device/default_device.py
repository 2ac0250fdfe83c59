"""A plugin of pytest: every test runs with `gpu(0)` as its device, an emulated one. `pytest -p tests.device.default_device`

What has no code on devices is skipped, and so is what mixes arrays of devices and of the host, which is refused by design.
"""

import re

import pytest

from hybridize import gpu
from hybridize.base.config import CONFIG
from hybridize.runtime import devices

CONFIG.device = "emulated"
devices.register("emulated", "tests.device.emulated")
REFUSED = re.compile(r"E70[345]: [^\n]*")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    try:
        with gpu(0):
            return (yield)
    except Exception as error:
        cause = error
        while cause is not None:
            match = REFUSED.search(str(cause))
            if match:
                pytest.skip(match[0])
            cause = cause.__cause__ or cause.__context__
        raise

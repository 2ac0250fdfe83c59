"""A process in which NVIDIA's driver is a stand-in: its library is compiled once a session."""

import ctypes
import subprocess
from pathlib import Path

import numpy
import pytest

from hybridize import system as operating_system
from hybridize.base.config import CONFIG
from hybridize.runtime import devices
from hybridize.runtime.cuda import library

SOURCE = Path(__file__).with_name("standin.c")


class Standin:
    """The library, and what tests ask of it."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self._written = []
        self.library.standin_log.restype = ctypes.c_char_p
        self.library.standin_get.restype = self.library.standin_pending.restype = ctypes.c_int64

    def set(self, what, value):
        self.library.standin_set(what.encode(), ctypes.c_int64(value))

    def get(self, what):
        return self.library.standin_get(what.encode())

    def fail(self, name, result, after=0):
        """Have a function return a result, once it was called `after` times; results of 700 and more stay."""
        self.library.standin_fail(name.encode(), result, after)

    def heal(self):
        self.library.standin_heal()

    def pending(self, stream):
        """How much of what a stream was asked for is not done."""
        return self.library.standin_pending(ctypes.c_uint64(stream))

    # What another library does that works on a stream of its own.

    def stream(self, device):
        """The address of a new stream."""
        handle = ctypes.c_void_p()
        with device.current() as call:
            call("cuStreamCreate", ctypes.byref(handle), 1)
        return handle.value

    def follows(self, device, stream, other):
        """Let a stream wait for what was asked of another one."""
        event = ctypes.c_void_p()
        with device.current() as call:
            call("cuEventCreate", ctypes.byref(event), 2)
            call("cuEventRecord", event, other)
            call("cuStreamWaitEvent", stream, event, 0)

    def asked_write(self, device, stream, to, values):
        """Ask a stream to write values, which it does later."""
        self._written.append(values)
        with device.current() as call:
            call("cuMemcpyHtoDAsync_v2", to, values.ctypes.data, values.nbytes, stream)

    def asked_copy(self, device, stream, source, nbytes):
        """Ask a stream to copy bytes to the host, which it does later."""
        out = numpy.zeros(nbytes, "uint8")
        with device.current() as call:
            call("cuMemcpyDtoHAsync_v2", out.ctypes.data, source, nbytes, stream)
        return out

    def finish(self, device, stream):
        with device.current() as call:
            call("cuStreamSynchronize", stream)

    def copied_on(self, device, stream, source, nbytes):
        """Bytes as a stream reads them, now."""
        out = self.asked_copy(device, stream, source, nbytes)
        self.finish(device, stream)
        return out

    def calls(self):
        """Names of the functions that were called since this was asked last."""
        names = self.library.standin_log().decode().split()
        return [name for name in names if not name.startswith(("cuCtxPush", "cuCtxPop", "cuDevicePrimary"))]


@pytest.fixture(scope="session")
def standin_library(tmp_path_factory, system):
    system("cc")
    path = tmp_path_factory.mktemp("cuda") / "libcuda.so.1"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", str(path), str(SOURCE)], check=True
    )
    return Standin(path)


@pytest.fixture
def standin(standin_library, monkeypatch):
    """The driver is the stand-in, which nobody has called yet."""
    monkeypatch.setattr(CONFIG, "device", "cuda")
    monkeypatch.setattr(operating_system, "gpu_driver", lambda: standin_library.library)
    monkeypatch.setattr(operating_system, "gpu_counter", lambda: standin_library.library)
    monkeypatch.setattr(library, "_started", library._started.__wrapped__)
    monkeypatch.setattr(devices, "_OPENED", {})
    standin_library.heal()
    usual = {"version": 12040, "gpus": 2, "arch": 90, "total": 64 << 20, "peers": 0, "slow": 0, "owner": 0}
    for what, value in usual.items():
        standin_library.set(what, value)
    standin_library.calls()
    yield standin_library
    standin_library.heal()


@pytest.fixture
def kernels(standin):
    """The stand-in runs kernels of PTX."""
    from tests.runtime.cuda.kernels import Kernels

    running = Kernels(standin.library)
    yield running
    running.close()
    assert not running.faults

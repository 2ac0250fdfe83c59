# SPDX-License-Identifier: Apache-2.0
"""Calls of the driver, and what their results mean: the driver's names of errors become errors of ours."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_char_p, c_int, c_void_p, cast
from typing import Any, Final

from hybridize import system
from hybridize.base.errors import DeviceError, DeviceMemoryError, InternalError
from hybridize.base.once import once
from hybridize.runtime.cuda.signatures import SIGNATURES, declared
from hybridize.runtime.device_entry import Starter
from hybridize.system.interruptions import let_through

OUT_OF_MEMORY: Final = 2
NO_IMAGE: Final = 200
_UNUSABLE: Final = {
    221: "install the driver's compiler of PTX, too: libnvidia-ptxjitcompiler, with the driver's own release",
    222: "install a newer driver: the program needs what this one does not know",
    223: "unset CUDA_DISABLE_PTX_JIT",
}
"""Remedies where the driver compiles nothing, by the result."""
_RECORDING: Final = range(900, 909)
"""Results for what a stream that is recorded does not take."""
LEAST: Final = 12000
"""The oldest driver that is taken: of CUDA 12.0, the first with `cuGraphExecUpdate_v2`."""
_LASTING: Final = frozenset({214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911})
"""Results after which the context gives the same for ever: the process has to be started again."""


class Driver:
    """The functions of the driver, for one GPU: once that has failed, each call says so."""

    def __init__(self, functions: dict[str, Any]) -> None:
        self._functions = functions
        self.push: Callable[..., int] = functions["cuCtxPushCurrent_v2"]
        self.launch: Callable[..., int] = functions["cuGraphLaunch"]
        self.pop: Callable[..., int] = functions["cuCtxPopCurrent_v2"]
        """Three that are called for each graph, without a look at what they return."""
        self.starter: Starter = Starter()
        """The words of machine code that calls these, and the last kernels and graphs that were started."""
        for name, call in (
            ("push", self.push), ("launch", self.launch), ("pop", self.pop), ("call", functions["cuLaunchKernel"]),
        ):  # fmt: skip
            self.starter.set(**{name: cast(call, c_void_p).value or 0})
        self._failure = ""
        """The words for how the GPU failed; it does nothing from then on."""

    def __call__(self, name: str, *args: Any) -> None:
        """Call a function.

        Raises:
            DeviceMemoryError E706: there is no memory.
            DeviceError E707: the GPU has failed, now or earlier.
            DeviceError E709: the driver has no compiler, or is too old for a program.
            InternalError E908: the driver refuses the call.
        """
        result = self.result(name, *args)
        if result:
            raise self.error(name, result)

    def result(self, name: str, *args: Any) -> int:
        """Call a function, and return its result: 0 for success.

        Raises:
            DeviceError E707: the GPU had failed before.
        """
        if self._failure:
            raise self._failed()
        result: int = self._functions[name](*args)
        return result

    def begin(self, name: str, *args: Any) -> None:
        """Call a function with which the use of the driver, or of a GPU, begins.

        Raises:
            DeviceError E709: it does not.
        """
        result = self.result(name, *args)
        if result:
            what = f"NVIDIA's driver does not start: {name}: {self.described(result)}"
            raise DeviceError("E709", what, help="look whether nvidia-smi finds the GPU")

    @property
    def has_failed(self) -> bool:
        """True once the GPU does nothing any more."""
        return bool(self._failure)

    def _failed(self) -> DeviceError:
        help = "start the process again; HYBRIDIZE_DEVICE_CHECK=1 names the kernel that fails"
        return DeviceError("E707", self._failure, help=help)

    def error(self, name: str, result: int) -> DeviceError | InternalError:
        """Return the error for a result that is not 0; one that lasts is remembered."""
        what = f"{name}: {self.described(result)}"
        if result == OUT_OF_MEMORY:
            return DeviceMemoryError("E706", what, help="drop arrays, or use smaller batches")
        if result in _LASTING:
            recent = self.starter.recent
            latest = f"; the last programs were {', '.join(recent)}" if recent else ""
            self._failure = f"the GPU has failed ({what}), and with it all arrays on it{latest}"
            self.starter.set(failed=1)
            return self._failed()
        if result in _UNUSABLE:
            return DeviceError("E709", f"NVIDIA's driver compiles nothing: {what}", help=_UNUSABLE[result])
        elsewhere = "call programs outside of another library's graph, as of torch.cuda.graph"
        help = elsewhere if result in _RECORDING else "please report it"
        return InternalError("E908", f"the driver refuses a call: {what}", help=help)

    def described(self, result: int) -> str:
        """Return the driver's name of a result, and what it says of it."""
        words = []
        for name in ("cuGetErrorName", "cuGetErrorString"):
            text = c_char_p()
            if self._functions[name](result, byref(text)) == 0 and text.value:
                words.append(text.value.decode(errors="replace"))
        return f"{words[0]} ({result}), {', '.join(words[1:])}" if words else f"result {result}"


@once
def _started() -> dict[str, Any]:
    try:
        functions = declared(system.gpu_driver(), SIGNATURES)
    except OSError as error:
        let_through(error)
        help = "install NVIDIA's driver, or leave HYBRIDIZE_DEVICE out"
        raise DeviceError("E709", f"NVIDIA's driver cannot be loaded: {error}", help=help) from None
    except AttributeError as error:
        raise _too_old(str(error)) from None
    number = c_int()
    driver = Driver(functions)
    driver.begin("cuDriverGetVersion", byref(number))
    if number.value < LEAST:
        raise _too_old(f"it is of CUDA {_spelled(number.value)}")
    driver.begin("cuInit", 0)
    return functions


def version(driver: Driver) -> str:
    """Return the version of CUDA that a driver is of."""
    number = c_int()
    driver("cuDriverGetVersion", byref(number))
    return _spelled(number.value)


def _spelled(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _too_old(what: str) -> DeviceError:
    help = f"install one of CUDA {_spelled(LEAST)} or later"
    return DeviceError("E709", f"NVIDIA's driver is too old: {what}", help=help)


def driver() -> Driver:
    """Return the functions of the driver, which is started if it was not yet.

    Raises:
        DeviceError E709: there is none, it is too old, or it does not start.
    """
    return Driver(_started())

# SPDX-License-Identifier: Apache-2.0
"""MXNet's `util`: its switches of NumPy's meaning, which is always on, and small helpers that programs import.

A switch that would turn NumPy's meaning off is refused where it says so, since what follows would mean another thing.
Decorators are for functions and for classes, as they were: both stay as they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy

from hybridize.array import np
from hybridize.array.device import gpu_memory_info, num_gpus
from hybridize.array.functions.control import is_np_array, is_np_shape, reset_np, set_np, use_np
from hybridize.base.dtypes import DType
from hybridize.base.errors import ArgumentError, DTypeError
from hybridize.base.loading import LOADING
from hybridize.base.names import refuses

F = TypeVar("F")

use_np_array = use_np
use_np_shape = use_np
get_gpu_count = num_gpus


def _on(name: str, active: bool) -> None:
    if not active:
        raise ArgumentError(
            "E3008",
            f"{name}(False) would switch arrays to the semantics of MXNet 1, but only NumPy's semantics are supported",
            help="nd and F have the functions of MXNet 1; their arrays may have no axes, or axes of size 0",
        )


def set_np_shape(active: bool = True) -> bool:
    """Accept that shapes may have no axes and sizes of 0, as they always may.

    Returns:
        The state before: True.

    Raises:
        ArgumentError E3008: `active` is false.

    >>> import hybridize
    >>> hybridize.set_np_shape(True)
    True
    """
    _on("set_np_shape", active)
    return True


@contextmanager
def np_shape(active: bool = True) -> Iterator[None]:
    """Mark a block, or a decorated function, in which shapes may have no axes and sizes of 0, as they always may.

    Raises:
        ArgumentError E3008: `active` is false.

    >>> import hybridize
    >>> with hybridize.np_shape(True):
    ...     print(hybridize.np.ones(()).shape)
    ()
    """
    _on("np_shape", active)
    yield


@contextmanager
def np_array(active: bool = True) -> Iterator[None]:
    """Mark a block, or a decorated function, in which arrays have NumPy's meaning, as they always have.

    Raises:
        ArgumentError E3008: `active` is false.

    >>> import hybridize
    >>> with hybridize.np_array(True):
    ...     print(hybridize.is_np_array())
    True
    """
    _on("np_array", active)
    yield


def is_np_default_dtype() -> bool:
    """Return False: arrays are float32 where no dtype is given.

    >>> import hybridize
    >>> hybridize.is_np_default_dtype()
    False
    """
    return False


def set_np_default_dtype(is_np_default_dtype: bool = False) -> bool:
    """Accept that arrays are float32 where no dtype is given, as they always are.

    Returns:
        The state before: False.

    Raises:
        ArgumentError E3008: they were to be float64.

    >>> from hybridize import util
    >>> util.set_np_default_dtype(False)
    False
    """
    if is_np_default_dtype:
        raise ArgumentError(
            "E3008",
            "the default dtype is float32 and cannot be changed to float64",
            help="pass dtype='float64' where arrays are created",
        )
    return False


@contextmanager
def np_default_dtype(active: bool = False) -> Iterator[None]:
    """Mark a block, or a decorated function, in which arrays are float32 where no dtype is given, as they always are.

    Raises:
        ArgumentError E3008: `active` is true.

    >>> import hybridize
    >>> with hybridize.np_default_dtype(False):
    ...     print(hybridize.np.ones(1).dtype)
    float32
    """
    set_np_default_dtype(active)
    yield


def use_np_default_dtype(function: Any) -> Any:
    """Raise an error: float64 cannot be the default dtype.

    Raises:
        ArgumentError E3008: always.

    >>> from hybridize import util
    >>> util.use_np_default_dtype(lambda: np.ones(1))
    Traceback (most recent call last):
        ...
    hybridize.errors.ArgumentError: ArgumentError E3008: ...
    """
    set_np_default_dtype(True)
    return function


def set_module(module: str) -> Callable[[F], F]:
    """Return a decorator that sets the module of a function or class.

    Args:
        module: the module's name.

    >>> from hybridize import util
    >>> @util.set_module("my.module")
    ... def function(): ...
    >>> function.__module__
    'my.module'
    """

    def decorate(function: F) -> F:
        if module is not None:
            function.__module__ = module
        return function

    return decorate


def getenv(name: str) -> str | None:
    """Return an environment variable, or None if it is not set.

    Args:
        name: the variable's name.

    >>> from hybridize import util
    >>> util.getenv("NO_SUCH_VARIABLE") is None
    True
    """
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Set an environment variable, or remove it if the value is None.

    Settings that hybridize reads at import stay.

    Args:
        name: the variable's name.
        value: its value, or None.

    >>> from hybridize import util
    >>> util.setenv("MY_VARIABLE", "1")
    >>> util.getenv("MY_VARIABLE")
    '1'
    >>> util.setenv("MY_VARIABLE", None)
    """
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def default_array(source_array: Any, device: Any = None, dtype: Any = None) -> Any:
    """Return an array of numbers, lists or a NumPy array: `np.array`.

    Args:
        source_array: numbers, lists of numbers, or an array.
        device: where the array is; None: the present device.
        dtype: element type; None: as of `np.array`.

    >>> from hybridize import util
    >>> util.default_array([1.0, 2.0])
    array([1., 2.])
    """
    return np.array(source_array, dtype=dtype, device=device)


def dtype_from_number(number: Any) -> DType:
    """Return the dtype that an array of one number has: int64, uint64 where it needs that, float32; a scalar's own.

    Args:
        number: a number of Python or NumPy.

    Raises:
        DTypeError E250: it is no number.

    >>> from hybridize import util
    >>> util.dtype_from_number(3), util.dtype_from_number(0.5)
    (dtype('int64'), dtype('float32'))
    """
    if isinstance(number, numpy.generic):
        return number.dtype
    if isinstance(number, int):
        if not -(2**63) <= number < 2**64:
            raise OverflowError(f"{number} has more than 64 bits")
        return numpy.dtype(numpy.uint64 if number >= 2**63 else numpy.int64)
    if isinstance(number, float):
        return numpy.dtype(numpy.float64 if abs(number) > numpy.finfo(numpy.float32).max else numpy.float32)
    raise DTypeError("E250", f"{type(number).__name__} is not a number", help="give an int, a float or a NumPy scalar")


def get_gpu_memory(gpu_dev_id: int) -> tuple[int, int]:
    """Return the free bytes and all bytes of the memory of a GPU.

    Raises:
        DeviceError E701: there is no such GPU.

    >>> from hybridize import util
    >>> util.get_gpu_memory(0)
    Traceback (most recent call last):
        ...
    hybridize.errors.DeviceError: DeviceError E701: ...
    """
    return gpu_memory_info(gpu_dev_id)


@contextmanager
def TemporaryDirectory(*args: Any, **kwargs: Any) -> Iterator[str]:  # noqa: N802 - MXNet's name
    """Create a folder for the body of a `with` statement, as `tempfile.TemporaryDirectory` does.

    The value is its path.

    >>> from hybridize import util
    >>> import os
    >>> with util.TemporaryDirectory() as folder:
    ...     os.path.isdir(folder)
    True
    """
    with LOADING:
        import tempfile  # late: it costs milliseconds

    with tempfile.TemporaryDirectory(*args, **kwargs) as path:
        yield path


__getattr__: Callable[[str], Any] = refuses(__name__, globals(), instead={
    "get_cuda_compute_capability": "there is no GPU", "set_flush_denorms": "programs keep denormal numbers",
})  # fmt: skip

__all__ = [
    "TemporaryDirectory", "default_array", "dtype_from_number", "get_gpu_count", "get_gpu_memory", "getenv",
    "is_np_array", "is_np_default_dtype", "is_np_shape", "np_array", "np_default_dtype", "np_shape", "reset_np",
    "set_module", "set_np", "set_np_default_dtype", "set_np_shape", "setenv", "use_np", "use_np_array",
    "use_np_default_dtype", "use_np_shape",
]  # fmt: skip

# SPDX-License-Identifier: Apache-2.0
"""What MXNet's tests import besides public names: MXNet's inside, and names that NumPy has taken out since."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy

from hybridize import errors


def restore_numpy() -> None:
    """Put back the names of NumPy 1 that the tests use."""
    old = {
        "bool": numpy.bool_, "int": int, "float": float, "object": object, "product": numpy.prod,
        "cumproduct": numpy.cumprod, "sometrue": numpy.any, "alltrue": numpy.all, "trapz": numpy.trapezoid,
        "round_": numpy.round, "row_stack": numpy.vstack, "in1d": _in1d, "NaN": numpy.nan, "NAN": numpy.nan,
        "Inf": numpy.inf, "Infinity": numpy.inf, "PINF": numpy.inf, "NINF": -numpy.inf, "PZERO": 0.0, "NZERO": -0.0,
        "float_": numpy.float64, "msort": lambda a: numpy.sort(a, axis=0), "asscalar": lambda a: a.item(),
        "unicode_": numpy.str_, "string_": numpy.bytes_,
    }  # fmt: skip
    for name, value in old.items():
        if name not in vars(numpy):
            setattr(numpy, name, value)
    for name in ("quantile", "percentile"):
        setattr(numpy, name, _interpolated(getattr(numpy, name)))


def _interpolated(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes `interpolation=`, NumPy 1's word for `method=`."""

    def call(*args: Any, interpolation: str | None = None, **kwargs: Any) -> Any:
        return function(*args, **kwargs, **({} if interpolation is None else {"method": interpolation}))

    return call


def _in1d(one: Any, two: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    return numpy.isin(one, two, assume_unique, invert).ravel()


def assert_raises(expected: type[BaseException], function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """`assertRaises` of the tests. What MXNet says is not implemented may be done here, or be refused by a TypeError.

    So may NumPy's keywords of universal functions, which MXNet's do not have.
    """
    refusals = (expected, TypeError, errors.HybridizeError) if expected is NotImplementedError else (expected,)
    try:
        function(*args, **kwargs)
    except refusals:
        return
    assert expected is NotImplementedError or kwargs.keys() & {"where", "casting", "order", "dtype", "subok"}, (
        f"{function.__name__} did not raise {expected.__name__}"
    )


class _Completed(ModuleType):
    """A module of ours, and beside it names of MXNet's inside."""

    def __init__(self, name: str, ours: ModuleType | None, names: dict[str, Any]) -> None:
        super().__init__(name)
        self.__path__ = []
        self._ours = ours
        vars(self).update(names)
        public = [name for name in dir(ours) if not name.startswith("_")] if ours is not None else []
        self.__all__ = [*getattr(ours, "__all__", public), *names]

    def __getattr__(self, name: str) -> Any:
        if name in ("__path__", "__wrapped__") or self._ours is None:
            raise AttributeError(f"the tests' stand-in {self.__name__} has no {name!r}")
        return getattr(self._ours, name)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *(dir(self._ours) if self._ours is not None else ())})


_MADE: dict[str, ModuleType] = {}


def completed(name: str, ours: ModuleType | None) -> ModuleType | None:
    """Return a module of ours with the names that tests need of `mxnet.NAME`; None where there is neither."""
    if name in _MADE:
        return _MADE[name]
    if name not in INSIDE:
        return ours
    names = {key: value for key, value in INSIDE[name]().items() if ours is None or not hasattr(ours, key)}
    if ours is not None and not names:
        return ours
    _MADE[name] = _Completed(f"mxnet.{name}", ours, names)
    return _MADE[name]


@contextlib.contextmanager
def _always(active: bool = True) -> Iterator[None]:
    yield


def _as_is(thing: Any) -> Any:
    return thing


def _base() -> dict[str, Any]:
    return {
        "MXNetError": errors.HybridizeError, "NotImplementedForSymbol": errors.UntypedError,
        "integer_types": (int, numpy.int32, numpy.int64), "numeric_types": (float, int, numpy.generic),
        "string_types": (str,), "py_str": lambda text: text.decode(),
        "_as_list": lambda thing: list(thing) if isinstance(thing, (list, tuple)) else [thing],
    }  # fmt: skip


def _util() -> dict[str, Any]:
    def decorator(**names: Any) -> Callable[..., Any]:
        return _as_is

    return {
        "use_np": _as_is, "use_np_array": _as_is, "use_np_shape": _as_is, "use_np_default_dtype": _as_is,
        "is_np_array": lambda: True, "is_np_shape": lambda: True, "is_np_default_dtype": lambda: False,
        "np_shape": _always, "np_array": _always, "np_default_dtype": _always, "set_np": lambda *a, **k: None,
        "reset_np": lambda: None, "getenv": os.environ.get, "setenv": _setenv, "get_gpu_count": lambda: 0,
        "get_max_supported_compute_capability": lambda: 0, "get_rtc_compile_opts": lambda device: [],
    }  # fmt: skip


def _setenv(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _device() -> dict[str, Any]:
    import contextvars

    from hybridize.array import device

    names = ("Device", "Context", "cpu", "gpu", "cpu_pinned", "num_gpus", "current_device")
    return {name: getattr(device, name) for name in names} | {
        "current_context": device.current_device,
        "_current": contextvars.ContextVar("device"),
    }


def _features() -> dict[str, Any]:
    class Features(dict):  # type: ignore[type-arg]
        """No feature of MXNet's builds is there."""

        def is_enabled(self, name: str) -> bool:
            return False

    return {"Features": Features}


def _ndarray() -> dict[str, Any]:
    from hybridize.array.ndarray import ndarray

    return {"_internal": type("_internal", (), {"NDArrayBase": ndarray})}


def _symbols() -> dict[str, Any]:
    symbol = importlib.import_module("hybridize.symbol")
    return {"_Symbol": symbol.Expression}


INSIDE: dict[str, Callable[[], dict[str, Any]]] = {
    "base": _base,
    "util": _util,
    "device": _device,
    "context": _device,
    "runtime": _features,
    "io": lambda: {name: type(name, (), {}) for name in ("DataIter", "DataBatch", "DataDesc")},
    "autograd": lambda: {"NDArray": importlib.import_module("hybridize.nd").NDArray},
    "attribute": lambda: {"AttrScope": type("AttrScope", (), {})},
    "ndarray.ndarray": lambda: {
        "_STORAGE_TYPE_STR_TO_ID": {"default": 0, "row_sparse": 1, "csr": 2},
        "py_slice": slice,
    },
    "ndarray": _ndarray,
    "nd": _ndarray,
    "ndarray.numpy": dict,
    "ndarray.numpy._internal": dict,
    "symbol": lambda: {"Symbol": importlib.import_module("hybridize.symbol").Expression},
    "symbol.numpy": _symbols,
    "numpy_extension": lambda: {"get_cuda_compute_capability": lambda device: 0},
    "numpy_op_signature": lambda: {"_get_builtin_op": lambda name: None},
    "operator": lambda: {"get_all_registered_operators": lambda: []},
}

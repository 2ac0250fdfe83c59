# SPDX-License-Identifier: Apache-2.0
"""NumPy's protocols: `numpy.exp(x)` and `numpy_array - x` run our functions, in both modes.

A function of NumPy that we have no counterpart of is computed by NumPy imperatively; while capturing it is an error
that names it. Where NumPy is told to write into an array of its own (`out=`), it computes on the values itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from hybridize.array import linalg, np
from hybridize.array.functions.searching import data_dependent
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import CaptureError, DeviceError
from hybridize.ops.op import ACTIVE, capturing

_NAMES = {"absolute": "abs", "bitwise_invert": "invert", "conjugate": "conj"}


def array_ufunc(ufunc: numpy.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`__array_ufunc__`: the function of ours that has the ufunc's name."""
    out = kwargs.pop("out", None)
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if target is not None and not isinstance(target, ndarray) and isinstance(target, numpy.ndarray):
        return _into_numpy(ufunc, method, inputs, kwargs, target)
    if target is not None:
        kwargs["out"] = target
    name = _NAMES.get(ufunc.__name__, ufunc.__name__)
    if method == "__call__" and hasattr(np, name):
        return getattr(np, name)(*inputs, **kwargs)
    if hasattr(getattr(np, name, None), method):
        return getattr(getattr(np, name), method)(*inputs, **kwargs)
    return data_dependent(f"{name}.{method}", getattr(ufunc, method))(*inputs, **kwargs)


def _into_numpy(ufunc: numpy.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> Any:
    if ACTIVE and capturing():
        raise CaptureError(
            "E404",
            f"numpy.{ufunc.__name__} would write into a NumPy array while capturing",
            help="convert it to a hybridize array: np.array(x)",
        )
    for x in inputs:
        if isinstance(x, ndarray) and x._away() is not None:
            what = f"numpy.{ufunc.__name__} would write what it computes of {x.type} on {x.device} into a NumPy array"
            raise DeviceError("E703", what, help="x.asnumpy() gives a copy at the host to compute with")
    values = [x._data if isinstance(x, ndarray) else x for x in inputs]
    return getattr(ufunc, method)(*values, out=(out,), **kwargs)


def array_function(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """`__array_function__`: our counterpart of a function of NumPy."""
    ours = counterpart(function)
    if ours is None:
        return data_dependent(function.__name__, function._implementation)(*args, **kwargs)  # type: ignore[attr-defined]
    return ours(*args, **kwargs)


def counterpart(function: Any) -> Any:
    """Our function that a call of NumPy's on our arrays runs; None where there is none."""
    if isinstance(function, numpy.ufunc):
        return getattr(np, _NAMES.get(function.__name__, function.__name__), None)
    name = getattr(function, "__name__", "")
    for theirs, ours in ((numpy, np), (numpy.linalg, linalg)):
        if name in ours.__all__ and vars(theirs).get(name) is function:
            return getattr(ours, name)
    return None

# SPDX-License-Identifier: Apache-2.0
"""Arguments of functions of arrays that are Python numbers: which are data, and which a size, an axis or a setting."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array.operators import Operators
from hybridize.array.symbol import Symbol
from hybridize.capture.control.truth import plain

_OF_NUMBERS = frozenset({
    "add", "subtract", "multiply", "divide", "true_divide", "maximum", "minimum", "fmax", "fmin", "where", "power",
    "clip", "full", "fill", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
    "arctan2", "hypot", "fmod", "mod", "remainder", "floor_divide", "copysign", "logaddexp", "copyto", "float_power",
    "broadcast_add", "broadcast_sub", "broadcast_mul", "broadcast_div", "broadcast_power", "broadcast_maximum",
    "broadcast_minimum",
})  # fmt: skip
"""Functions of arrays to which a Python number is data; to all others it is a size, an axis or a setting."""


def numbers_given(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a function of arrays, with the numbers that it needs as numbers."""
    every = (*args, *kwargs.values())
    if not any(_has_number(x) for x in every) or not _is_of_arrays(function):
        return args, kwargs
    data = getattr(function, "__name__", "") in _OF_NUMBERS and any(
        isinstance(x, (Operators, numpy.ndarray)) and getattr(x, "weak", None) is None
        for x in (*every, getattr(function, "__self__", None))
    )

    def given(x: Any) -> Any:
        if type(x) in (list, tuple):
            return type(x)(map(plain, x))
        return x if data else plain(x)

    return tuple(map(given, args)), {name: given(x) for name, x in kwargs.items()}


def _has_number(x: Any) -> bool:
    if type(x) is Symbol:
        return x.weak is not None
    return type(x) in (list, tuple) and any(_has_number(part) for part in x)


def _is_of_arrays(function: Any) -> bool:
    if isinstance(function, numpy.ufunc) or isinstance(getattr(function, "__self__", None), Operators):
        return True
    module = getattr(function, "__module__", None) or ""
    return module.startswith(("hybridize.array", "hybridize.nd", "numpy"))

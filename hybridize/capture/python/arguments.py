# SPDX-License-Identifier: Apache-2.0
"""Arguments of functions of arrays that are Python numbers: which are data, and which a size, an axis or a setting."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array.annotations import data_parameters
from hybridize.array.operators import Operators
from hybridize.array.protocols import counterpart
from hybridize.array.symbol import Symbol
from hybridize.capture.control.truth import plain


def numbers_given(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a function of arrays, with the numbers that it needs as numbers."""
    every = (*args, *kwargs.values())
    if not any(_has_number(x) for x in every) or not _is_of_arrays(function):
        return args, kwargs
    ours = counterpart(function) or function
    data = data_parameters(ours, args, kwargs) if any(map(_is_array, (*every, _owner(function)))) else frozenset()

    def given(number: int, x: Any) -> Any:
        if type(x) in (list, tuple):
            return type(x)(map(plain, x))
        return x if number in data else plain(x)

    found = [given(number, x) for number, x in enumerate(every)]
    return tuple(found[: len(args)]), dict(zip(kwargs, found[len(args) :], strict=True))


def _owner(function: Any) -> Any:
    return getattr(function, "__self__", None)


def _is_array(x: Any) -> bool:
    """Whether `x` is an array, not a Python number."""
    return isinstance(x, (Operators, numpy.ndarray)) and getattr(x, "weak", None) is None


def _has_number(x: Any) -> bool:
    if type(x) is Symbol:
        return x.weak is not None
    return type(x) in (list, tuple) and any(_has_number(part) for part in x)


def _is_of_arrays(function: Any) -> bool:
    if isinstance(function, numpy.ufunc) or isinstance(_owner(function), Operators):
        return True
    module = getattr(function, "__module__", None) or ""
    return module.startswith(("hybridize.array", "hybridize.nd", "numpy"))

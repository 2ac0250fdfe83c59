# SPDX-License-Identifier: Apache-2.0
"""Arguments of functions of arrays that are Python numbers: which are data, and which a size, an axis or a setting."""

from __future__ import annotations

import sys
import types
from functools import cache
from typing import Any

import numpy

from hybridize.array.annotations import data_parameters
from hybridize.array.operators import Operators
from hybridize.array.protocols import counterpart
from hybridize.array.symbol import Symbol
from hybridize.base.members import module_of
from hybridize.capture.control.truth import plain
from hybridize.capture.python.mathematics import refused


def numbers_given(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a function of arrays, with the numbers that it needs as numbers."""
    every = (*args, *kwargs.values())
    if _is_of_numbers(function):
        return tuple(_plain_argument(function, x) for x in args), {
            name: _plain_argument(function, x) for name, x in kwargs.items()
        }
    if not any(map(_has_number, every)) or not _is_of_arrays(function):
        return args, kwargs
    ours = counterpart(function) or function
    data = data_parameters(ours, args, kwargs) if any(map(_is_array, (*every, _owner(function)))) else frozenset()

    def value_of(number: int, x: Any) -> Any:
        if type(x) in (list, tuple):
            return type(x)(map(plain, x))
        return x if number in data else plain(x)

    values = [value_of(number, x) for number, x in enumerate(every)]
    return tuple(values[: len(args)]), dict(zip(kwargs, values[len(args) :], strict=True))


_PASSING = frozenset(
    {
        "operator",
        "_operator",
        "functools",
        "_functools",
        "itertools",
        "collections",
        "_collections",
        "copy",
        "dataclasses",
        "contextlib",
        "types",
        "typing",
        "weakref",
        "enum",
        "abc",
        "inspect",
        "logging",
        "warnings",
        "copyreg",
        "queue",
        "contextvars",
        "_contextvars",
        "heapq",
        "_heapq",
        "bisect",
        "_bisect",
    }
)
"""Modules of Python's whose functions pass on what they are given, or apply its operators."""
_NUMERIC = frozenset(
    {
        "chr",
        "bin",
        "hex",
        "oct",
        "ascii",
        "complex",
        "bytes",
        "bytearray",
        "memoryview",
    }
)
"""Builtins that look at a number itself."""


_OF_NUMBERS = frozenset({
    "statistics", "fractions", "decimal", "_decimal", "cmath", "struct", "_struct",
    "json", "_json", "pickle", "_pickle", "marshal",
})  # fmt: skip


@cache
def _is_numeric_module(name: str) -> bool:
    root = name.split(".")[0]
    return root in sys.stdlib_module_names and root not in _PASSING and root != "builtins"


def _is_of_numbers(function: Any) -> bool:
    """Tell whether a function is Python's own and computes with numbers themselves: `statistics.mean`, `str.format`."""
    owner = _owner(function)
    if type(owner) in (str, bytes, bytearray, int, float, complex, range):
        return True
    module = getattr(function, "__module__", None)
    if module is None:  # a method that is called by its class: float.hex(x)
        return getattr(function, "__objclass__", None) in (str, bytes, int, float, complex)
    if module == "builtins":
        return isinstance(owner, types.ModuleType | None) and getattr(function, "__name__", "") in _NUMERIC
    if isinstance(owner, type) and owner in (int, float, str, bytes):
        return True
    return isinstance(module, str) and _is_numeric_module(module)


def _plain_argument(function: Any, x: Any) -> Any:
    """An argument with the numbers in it; refuses one that only data knows."""
    if type(x) in (list, tuple):
        return type(x)([_plain_argument(function, part) for part in x])
    if type(x) is dict:
        return {key: _plain_argument(function, part) for key, part in x.items()}
    if type(x) is not Symbol or (x.weak is None and not _is_numeric(function)):
        return x
    value = plain(x)
    if type(value) is not Symbol:
        return value
    module, name = module_of(function), getattr(function, "__qualname__", "a function")
    raise refused(name if module in ("", "builtins") else f"{module}.{name}", x)


def _is_numeric(function: Any) -> bool:
    """Tell whether a function takes numbers, never arrays, or writes down whatever it is given."""
    module = module_of(function)
    return module.split(".")[0] in _OF_NUMBERS


def _owner(function: Any) -> Any:
    return getattr(function, "__self__", None)


def _is_array(x: Any) -> bool:
    """Tell whether `x` is an array, not a Python number."""
    return isinstance(x, (Operators, numpy.ndarray)) and getattr(x, "weak", None) is None


def _has_number(x: Any) -> bool:
    if type(x) is Symbol:
        return x.weak is not None
    if type(x) not in (dict, list, tuple):
        return False
    return any(map(_has_number, x.values() if type(x) is dict else x))


def _is_of_arrays(function: Any) -> bool:
    if isinstance(function, numpy.ufunc) or isinstance(_owner(function), Operators):
        return True
    module = module_of(function)
    return module.startswith(("hybridize.array", "numpy"))

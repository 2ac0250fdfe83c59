# SPDX-License-Identifier: Apache-2.0
"""Promotion policies: in which dtype the arrays of a call compute together, declared beside a function.

    @promoted("a", "v")
    def searchsorted(a, v, side="left"): ...

The body receives arrays of one dtype. Every number and every list of numbers is rounded once, to that dtype: 0.1 beside
float64 is the float64 that Python has. Policies differ in what the dtype is:

    numbers     strong: they count as arrays of the dtype that they have alone (float32, int64), as where NumPy makes an
                array of each argument; weak: they take the dtype of the arrays beside them, as in universal functions
    dtype       `common`, of the promotion table; `floating`, of a function that needs floats; `exact`, of one that
                answers yes or no, where integers are compared as float64; another function of the common dtype
    `like`      all parameters have the dtype of the first one, whose elements they become
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar
from typing import cast as as_type

from hybridize.array.methods import functions
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import Weak, cast, common_dtype, dtype_of, operand, public, result, typed
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import DType, castable, code, complex128, float64, is_complex, is_inexact
from hybridize.base.errors import DTypeError
from hybridize.base.promotion import NUMBERS, result_dtype

_Function = TypeVar("_Function", bound=Callable[..., Any])


def common(dtype: DType) -> DType:
    """The common dtype itself."""
    return dtype


def exact(dtype: DType) -> DType:
    """The dtype to compare in: float64 of integers and bools."""
    return dtype if is_inexact(dtype) else float64


def double(dtype: DType) -> DType:
    """The widest floats, or complex numbers."""
    return complex128 if is_complex(dtype) else float64


def together(values: Sequence[Any], to: Callable[[DType], DType] = common, *, weak: bool = False) -> list[Any]:
    """Arguments as arrays of one dtype; an array that has it stays the same object.

    Args:
        values: arrays, numbers and lists.
        to: the dtype to compute in, of the common one.
        weak: numbers take the dtype of the arrays beside them.
    """
    if type(values[0]) is ndarray:
        dtype = values[0]._memory.dtype
        if to(dtype) is dtype and all(type(value) is ndarray and value._memory.dtype is dtype for value in values):
            return list(values)
    xs = [operand(value) for value in values]
    dtype = to(common_dtype(xs) if weak else result_dtype(map(dtype_of, xs)))
    return [_converted(value, x, dtype) for value, x in zip(values, xs, strict=True)]


def like(values: Sequence[Any], casting: str = "unsafe") -> list[Any]:
    """An array, and the others as arrays of its dtype.

    Raises:
        DTypeError E207: `casting` does not allow that.
    """
    first, *rest = values
    dtype = dtype_of(operand(first))
    xs = [operand(value) for value in rest]
    for x in xs:
        if casting != "unsafe" and not castable(dtype_of(x), dtype, casting):
            what = f"{typed(x)} to {code(dtype)} is not a {casting!r} cast"
            raise DTypeError("E207", what, help="cast first: x.astype(...)")
    return [first, *(_converted(value, x, dtype) for value, x in zip(rest, xs, strict=True))]


def like_safely(values: Sequence[Any]) -> list[Any]:
    """`like` by casts that stay within a kind of numbers."""
    return like(values, "same_kind")


def _converted(value: Any, x: Any, dtype: DType) -> Any:
    """An argument, whose operand is `x`, as an array of a dtype."""
    if type(value) is ndarray and value._memory.dtype == dtype:
        return value
    if isinstance(value, (list, tuple)):
        return result(cast(operand(value, dtype), dtype))
    if isinstance(x, (Weak, *NUMBERS)):
        return result(cast(x, dtype))
    return functions.astype(value if type(value) in (ndarray, Symbol) else result(x), dtype, copy=False)


def promoted(*parameters: str, to: Callable[..., Any] = common, weak: bool = False) -> Callable[[_Function], _Function]:
    """Make a function a public one whose parameters compute together; those that are None or left out do not.

    Args:
        parameters: names; `*choices`: a sequence of arrays.
        to: the dtype, as of `together`; `like` or `like_safely`.
        weak: as of `together`.
    """

    def decorate(function: _Function) -> _Function:
        written = function.__code__.co_varnames
        places = [(written.index(name.lstrip("*")), name.lstrip("*"), name[0] == "*") for name in parameters]

        def convert(values: list[Any]) -> list[Any]:
            return to(values) if to in (like, like_safely) else together(values, to, weak=weak)

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            arguments = list(args)
            at: list[tuple[Any, Any]] = []  # where the arrays are: a list or a dictionary, and the key
            for place, name, several in places:
                here: tuple[Any, Any] = (arguments, place) if place < len(args) else (kwargs, name)
                value = arguments[place] if place < len(args) else kwargs.get(name)
                if value is not None and several:
                    parts = here[0][here[1]] = list(value)
                    at += [(parts, k) for k in range(len(parts))]
                elif value is not None:
                    at.append(here)
            if at:
                for (holder, key), x in zip(at, convert([holder[key] for holder, key in at]), strict=True):
                    holder[key] = x
            return function(*arguments, **kwargs)

        return public(as_type(_Function, call))

    return decorate

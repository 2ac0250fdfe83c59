# SPDX-License-Identifier: Apache-2.0
"""The keywords of NumPy's universal functions, the same for each of them: here they are understood, once.

out       where to write; a tuple for several results. A result goes there by the casts that `casting` allows
where     bools: elements that are computed. The others keep what `out` held, or are 0
dtype     what is computed in; of functions that answer yes or no, bool alone
casting   the casts that are allowed, of arguments to `dtype` and of results to `out`
order     of the elements of a result in memory: row by row
subok     says nothing: arrays of ours have no subclasses
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hybridize.array.annotations import ArrayLike
from hybridize.array.methods import functions
from hybridize.array.operands import Weak, finished, made_in_order, one_of, operand, public, result, strong, typed
from hybridize.array.operands import cast as cast_operand
from hybridize.array.operands import dtype_of as dtype_of_operand
from hybridize.array.operands import shape_of as shape_of_operand
from hybridize.base import dims
from hybridize.base.dtypes import CASTINGS, DType, as_dtype, bool_, castable, code, is_complex, is_inexact
from hybridize.base.errors import ArgumentError, DTypeError
from hybridize.base.promotion import NUMBERS, weak_kind

_Function = TypeVar("_Function", bound=Callable[..., Any])


def of_one(
    x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = "same_kind", order: str = "K",
    subok: bool = True,
) -> Any:  # fmt: skip
    """The arguments of a universal function of one array."""


def of_two(
    x1: ArrayLike, x2: ArrayLike, /, out: Any = None, *, where: Any = True, dtype: Any = None,
    casting: str = "same_kind", order: str = "K", subok: bool = True,
) -> Any:  # fmt: skip
    """The arguments of a universal function of two arrays."""


TAKES: dict[int, Callable[..., Any]] = {1: of_one, 2: of_two}


def named(function: _Function, name: str, text: str | None, count: int) -> _Function:
    """Give a function its name, its text and, to those who ask, the arguments of one with `count` arrays."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    function.__wrapped__ = TAKES[count]  # type: ignore[attr-defined]
    return function


def universal(count: int, *, typed: int | None = None, name: str = "") -> Callable[[_Function], _Function]:
    """Make a function of arrays one that takes NumPy's keywords.

    Args:
        count: of the arrays.
        typed: how many of them, from the first, are of the `dtype` of a call; 0 where that is the result's, which is
            the same for all arguments; None: all of them.
        name: the function's, where it is not that of the Python function.
    """

    def decorate(function: _Function) -> _Function:
        known = name or function.__name__
        wrapper: _Function = public(named(by_keywords(known, function, count, typed), known, function.__doc__, count))
        return wrapper

    return decorate


def by_keywords(name: str, compute: Callable[..., Any], count: int, typed: int | None = None) -> Any:
    """Return a function of `count` arrays that takes NumPy's keywords; see `universal`.

    Raises:
        ArgumentError E344: arrays are missing or too many, or `out` holds what is none.
        ValueArgumentError E345: there is no such casting or order.
        DTypeError E205, E206, E207: it does not compute in `dtype`; its result does not go into `out`, or its arguments
            not to `dtype`, by casts that are allowed.
        DTypeError E208: `where` is no array of bools.
    """

    def applied(
        *arguments: Any, out: Any = None, where: Any = True, dtype: Any = None, casting: str = "same_kind",
        order: str = "K", subok: bool = True,
    ) -> Any:  # fmt: skip
        xs, outs = arguments[:count], arguments[count:]
        if len(xs) < count or (outs and out is not None):
            raise ArgumentError("E344", f"{name} takes {count} array{'s' * (count > 1)} and out, got {len(arguments)}")
        if casting != "same_kind":
            one_of(casting, CASTINGS, name, "casting")
        if order != "K":
            made_in_order(order, name)
        if subok is not True and subok is not False:
            raise ArgumentError("E344", f"{name}: subok must be True or False, got {subok!r}")
        wanted = None if dtype is None else as_dtype(dtype)
        if wanted is not None:
            first = count if typed is None else typed
            xs = (*(_argument(x, wanted, name, casting) for x in xs[:first]), *xs[first:])
        output = compute(*xs)
        own = (output[0] if isinstance(output, tuple) else output).dtype
        if wanted is not None and wanted != own:
            raise DTypeError("E205", f"{name} cannot compute in {code(wanted)}", help=f"the result is {code(own)}")
        places = outs or out
        if isinstance(output, tuple):
            return _placed_all(output, places, where, casting, name)
        if isinstance(places, tuple):
            if len(places) != 1:
                raise ArgumentError("E344", f"{name} has one result, got {len(places)} output arrays")
            (places,) = places
        return placed(output, places, where, casting, name)

    return applied


def _argument(x: Any, wanted: DType, name: str, casting: str) -> Any:
    """An argument in the dtype to compute in, where `casting` allows it; Python's numbers go by what they are."""
    x = operand(x, wanted if is_inexact(wanted) else None)
    if isinstance(x, (Weak, *NUMBERS)):
        kind = x.kind if isinstance(x, Weak) else weak_kind(x)
        holds = {float: is_inexact, complex: is_complex}.get(kind)
        fine = holds is None or holds(wanted) or casting == "unsafe"
    else:
        fine = castable(dtype_of_operand(x), wanted, casting)
    if not fine:
        what = f"{name} of {typed(x)} in {code(wanted)} is not a {casting!r} cast"
        raise DTypeError("E207", what, help="cast first: x.astype(...)")
    return result(cast_operand(x, wanted))


def _placed_all(outputs: tuple[Any, ...], places: Any, where: Any, casting: str, name: str) -> tuple[Any, ...]:
    """Several results, each written to its place."""
    if places is None:
        places = (None,) * len(outputs)
    if not isinstance(places, tuple) or len(places) > len(outputs):
        what = f"{name} has {len(outputs)} results: out= is a tuple of as many arrays or None"
        raise ArgumentError("E344", what)
    places = (*places, *(None,) * (len(outputs) - len(places)))
    return tuple(placed(x, place, where, casting, name) for x, place in zip(outputs, places, strict=True))


def placed(x: Any, out: Any, where: Any, casting: str = "same_kind", name: str = "out") -> Any:
    """`x`, written to `out` where one is given; where `where` is false, what `out` held, or else 0, stays."""
    if out is not None:
        check_out(x, out, casting, name)
    if where is True:
        return finished(x, out)
    mask = strong(where)
    if dtype_of_operand(mask) != bool_:
        raise DTypeError("E208", f"{name}: where= takes bools, got {typed(mask)}", help="compare with 0: x != 0")
    chosen, before = result(mask), out
    if out is None:
        shape = dims.broadcast(shape_of_operand(operand(x)), shape_of_operand(mask))
        before = functions.zeros(shape if shape is not None else x.shape, dtype=x.dtype)
    return finished(functions.where(chosen, x, before), out)


def check_out(x: Any, out: Any, casting: str, name: str) -> None:
    """Refuse an array that a result may not be written to."""
    if not hasattr(out, "dtype") or not hasattr(out, "shape"):
        raise ArgumentError("E344", f"{name}: out must be an array, got {type(out).__name__}")
    if not castable(x.dtype, out.dtype, casting):
        what = f"{name}: a result of {code(x.dtype)} cannot be stored in {code(out.dtype)}, by {casting!r} casts"
        raise DTypeError("E206", what, help="casting='unsafe' allows all casts")

# SPDX-License-Identifier: Apache-2.0
"""The methods of NumPy's universal functions: `np.add.reduce`, `accumulate`, `reduceat`, `outer`, `at`.

A universal function of ours is a Python function, and these are its attributes, so that a call costs what it would
without them. `np.sum` and its like are the reductions where there is one. The others fold along an axis, the first
element first: NumPy does so imperatively, a scan in programs and where gradients are recorded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import operands as operand_rules
from hybridize.array.functions.control import foreach
from hybridize.array.functions.creation import arange
from hybridize.array.functions.elementwise import copy, negative, where
from hybridize.array.functions.keywords import check_out
from hybridize.array.functions.placing import target
from hybridize.array.functions.reductions import all, any, cumprod, cumsum, max, min, prod, sum
from hybridize.array.functions.shapes import broadcast_to, concatenate, moveaxis, ravel, reshape, stack
from hybridize.array.ndarray import ndarray, wrap, written
from hybridize.array.operands import array as array_of
from hybridize.base.access import exclusively
from hybridize.base.dtypes import DType, as_dtype, bool_, castable, code, int64, is_float, is_inexact
from hybridize.base.errors import ArgumentError, DTypeError, OutOfBoundsError, ShapeError, ValueArgumentError
from hybridize.base.frozen import frozen
from hybridize.base.promotion import NUMBERS, accumulator, promote
from hybridize.ops.op import ACTIVE

_Function = Callable[..., Any]
_OWN: Any = object()
"""In the place of `initial`: what the function itself begins with."""


@frozen
class Universal:
    """A universal function of two arrays, and how it folds."""

    function: _Function
    theirs: numpy.ufunc
    reduction: _Function | None = None
    """Reduces as `np.sum` does."""
    running: _Function | None = None
    """Accumulates as `np.cumsum` does."""

    @property
    def name(self) -> str:
        """The function's."""
        return str(self.function.__name__)

    def folded_dtype(self, x: Any, dtype: Any) -> DType:
        """Return the dtype that elements are folded in.

        Raises:
            DTypeError E205: results of the function are no arguments of it.
        """
        nothing = ravel(x)[:0]
        wanted: DType = self.function(nothing, nothing).dtype if dtype is None else as_dtype(dtype)
        nothing = nothing.astype(wanted)
        output_dtype = self.function(nothing, nothing).dtype
        if wanted == bool_ != x.dtype and not self.name.startswith("logical"):
            wanted, output_dtype = x.dtype, wanted
        if output_dtype != wanted:
            what = f"{self.name} of {code(wanted)} gives {code(output_dtype)}, of which it cannot go on"
            raise DTypeError("E205", what, help="cast first: x.astype(...)")
        return wanted


def give_methods(functions: Mapping[str, Any]) -> None:
    """Give universal functions, by their names in NumPy, the methods and numbers that NumPy's have."""
    for name, function in functions.items():
        theirs = vars(numpy).get(name)
        if type(theirs) is numpy.ufunc and theirs.signature is None and not hasattr(function, "nin"):
            _give(function, theirs, *_REDUCTIONS.get(name, ()))


def _give(function: _Function, theirs: numpy.ufunc, reduction: Any = None, running: Any = None) -> None:
    one: Any = function
    one.nin, one.nout, one.nargs, one.identity = theirs.nin, theirs.nout, theirs.nargs, theirs.identity
    one.at = _at(function, theirs)
    if theirs.nin == 2 and theirs.nout == 1:
        known = Universal(function, theirs, reduction, running)
        one.outer = _outer(function)
        if theirs is not numpy.ldexp:  # of floats and integers: it does not go on with what it makes
            one.reduce, one.accumulate, one.reduceat = _reduce(known), _accumulate(known), _reduceat(known)
    for method in ("reduce", "accumulate", "reduceat", "outer"):
        if not hasattr(one, method):
            setattr(one, method, _refused(function.__name__, method))


def _refused(name: str, method: str) -> _Function:
    def refused(*args: Any, **kwargs: Any) -> Any:
        what = f"{name}.{method}: it is of functions that make one array of two of its kind"
        raise ValueArgumentError("E345", what)

    return refused


# ---------------------------------------------------------------------------------------------------------- reductions


def _reduce(of: Universal) -> _Function:
    def reduce(
        array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = _OWN,
        where: Any = True,
    ) -> Any:  # fmt: skip
        x = array_of(array)
        axes = operand_rules.reduced_axes(axis, x.ndim, of.name)
        if initial is None and not _count(x, axes):
            raise _of_nothing(of.name, x)
        begin = None if initial is _OWN else initial
        output = _reduced(of, x, axes, dtype, bool(keepdims), begin, where)
        return _written(output, out, f"{of.name}.reduce")

    return operand_rules.described(
        reduce,
        f"{of.name}.reduce",
        f"`{of.name}` between the elements along `axis` (all when None), from the first on.",
    )


def _count(x: Any, axes: Sequence[int]) -> Any:
    return math.prod(x.shape[k] for k in axes)


def _of_nothing(name: str, x: Any) -> ShapeError:
    return ShapeError("E109", f"{name}.reduce of {x.type} over no elements", help="pass initial=")


def _written(output: Any, out: Any, name: str) -> Any:
    """`output`, written to `out` where one is given."""
    if isinstance(out, tuple):
        (out,) = out
    if out is not None:
        check_out(output, out, "same_kind", name)
    return operand_rules.finished(output, out)


def _reduced(
    of: Universal, x: Any, axes: tuple[int, ...], dtype: Any, keepdims: bool, begin: Any, mask: Any
) -> Any:  # fmt: skip
    """Reduce over axes counted from the front."""
    if of.reduction in (sum, prod):
        return of.reduction(x, axes, dtype, None, keepdims, begin, mask)
    if of.reduction in (max, min):
        x = x if dtype is None else x.astype(dtype)
        return of.reduction(x, axes, None, keepdims, begin, mask)  # type: ignore[misc]
    if of.reduction is not None:
        output = of.reduction(x, axes, None, keepdims, where=mask)
        output = output if begin is None else of.function(output, begin)
        return output if dtype is None else output.astype(dtype)
    wanted = of.folded_dtype(x, dtype)
    if not axes:
        return copy(x.astype(wanted, copy=False))
    if len(axes) > 1 and not _is_reorderable(of.theirs):
        what = f"{of.name}.reduce over {len(axes)} axes: its result depends on their order"
        raise ValueArgumentError("E345", what, help="reduce over one axis after the other")
    begin = begin if begin is not None or of.theirs.identity is None else of.theirs.identity
    if mask is not True and begin is None:
        what = f"{of.name}.reduce: where= may select no elements"
        raise ValueArgumentError("E345", what, help="pass initial=")
    begin = None if begin is None else operand_rules.result(operand_rules.cast(operand_rules.operand(begin), wanted))
    if begin is None and not _count(x, axes):
        raise _of_nothing(of.name, x)
    x = x.astype(wanted, copy=False)
    if _is_numpys(of, x):
        more = {} if begin is None else {"initial": begin._data[()]}
        more |= {} if mask is True else {"where": array_of(mask)._data}
        reduced: Any = of.theirs.reduce
        return wrap(numpy.asarray(reduced(x._data, axes, wanted, None, keepdims, **more)))
    rows = _rows(x, axes)
    masks = None if mask is True else _rows(broadcast_to(array_of(mask), x.shape), axes)
    output = _folded(of.function, rows, masks, begin)
    return reshape(output, tuple(1 if k in axes else n for k, n in enumerate(x.shape))) if keepdims else output


def _is_numpys(of: Universal, x: Any) -> bool:
    """Tell whether NumPy reduces an array: two folds along a last axis it computes by vectors, and wrong."""
    return type(x) is ndarray and not ACTIVE and x.dtype.kind != "V" and of.name not in ("power", "arctan2")


@cache
def _is_reorderable(theirs: numpy.ufunc) -> bool:
    """Tell whether the order of elements is of no matter, so that NumPy reduces over several axes at once."""
    try:
        theirs.reduce(numpy.zeros((1, 1), theirs.types[0][0]), axis=(0, 1))
    except ValueError:
        return False
    return True


def _rows(x: Any, axes: Sequence[int]) -> Any:
    """An array with some axes as one, the first."""
    moved = moveaxis(x, tuple(axes), tuple(range(len(axes))))
    return reshape(moved, (_count(x, axes), *moved.shape[len(axes) :]))


def _folded(function: _Function, rows: Any, masks: Any, begin: Any) -> Any:
    """Fold along the first axis, of elements that the masks choose; from `begin` on, or else from the first."""
    state = rows[0] if begin is None else broadcast_to(begin, rows.shape[1:])
    rows = rows[1:] if begin is None else rows
    if not rows.shape[0]:
        return copy(state)
    if masks is None:
        return foreach(lambda row, so_far: (None, function(so_far, row)), rows, state)[1]

    def step(parts: Any, so_far: Any) -> Any:
        row, chosen = parts
        return None, where(chosen, function(so_far, row), so_far)

    return foreach(step, [rows, masks], state)[1]


def _accumulate(of: Universal) -> _Function:
    def accumulate(array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        x = array_of(array)
        if not x.ndim:
            raise ArgumentError("E308", f"{of.name}.accumulate takes an axis, got {x.type}")
        along = operand_rules.axis_of(axis, x.ndim, of.name)
        return _written(_accumulated(of, x, along, dtype), out, f"{of.name}.accumulate")

    return operand_rules.described(
        accumulate, f"{of.name}.accumulate", f"`{of.name}` of all elements up to each, along `axis`."
    )


def _accumulated(of: Universal, x: Any, along: int, dtype: Any) -> Any:
    if of.running is not None:
        return of.running(x, along, dtype)
    wanted = of.folded_dtype(x, dtype)
    x = x.astype(wanted, copy=False)
    if type(x) is ndarray and not ACTIVE and wanted.kind != "V":
        return wrap(of.theirs.accumulate(x._data, along, wanted))
    rows = moveaxis(x, along, 0)
    if rows.shape[0] < 2:
        return copy(x)

    def step(row: Any, so_far: Any) -> Any:
        total = of.function(so_far, row)
        return total, total

    later, _ = foreach(step, rows[1:], rows[0])
    return moveaxis(concatenate([rows[:1], later]), 0, along)


def _reduceat(of: Universal) -> _Function:
    def reduceat(array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        x = array_of(array)
        along = operand_rules.axis_of(axis, x.ndim, of.name)
        length, places = x.shape[along], numpy.asarray(indices)
        if places.ndim != 1 or (places.size and places.dtype.kind not in "iu"):
            raise DTypeError("E208", f"{of.name}.reduceat takes a vector of integers, got {indices!r:.60}")
        for place in places.tolist():
            if not 0 <= place < length:
                what = f"{of.name}.reduceat: index {place} is out of bounds"
                raise OutOfBoundsError("E110", what, help=f"indices run from 0 to {length - 1}")
        return _written(_reduced_between(of, x, places.tolist(), along, dtype), out, f"{of.name}.reduceat")

    return operand_rules.described(
        reduceat, f"{of.name}.reduceat",
        f"`{of.name}` between the elements from each index to below the next along `axis`; the element at an index "
        "that the next is not above.",
    )  # fmt: skip


def _reduced_between(of: Universal, x: Any, places: list[int], along: int, dtype: Any) -> Any:
    before: tuple[Any, ...] = (slice(None),) * along
    ends = [*places[1:], None]
    if not places:
        kind = _reduced(of, x[(*before, slice(0, 1))], (along,), dtype, True, None, True)
        return kind[(*before, slice(0, 0))]
    if _is_numpys(of, x):
        wanted = accumulator(x.dtype) if of.running is not None and dtype is None else dtype
        if of.reduction is None:
            wanted = of.folded_dtype(x, dtype)
            x = x.astype(wanted, copy=False)
        return wrap(of.theirs.reduceat(x._data, places, along, wanted))
    parts = []
    for place, end in zip(places, ends, strict=True):
        until = end if end is None or end > place else place + 1
        part = x[(*before, slice(place, until))]
        if of.reduction is not None:
            parts.append(_reduced(of, part, (along,), dtype, False, None, True))
        else:  # from the first element on, not from what a reduction begins with
            part = part.astype(of.folded_dtype(x, dtype), copy=False)
            parts.append(_folded(of.function, moveaxis(part, along, 0), None, None))
    return stack(parts, along)


# ------------------------------------------------------------------------------------------------------ outer, at


def _outer(function: _Function) -> _Function:
    def outer(A: Any, B: Any, /, **keywords: Any) -> Any:
        pair = operand_rules.operands(A, B)
        x, y = (operand_rules.result(_strong(one, other)) for one, other in (pair, pair[::-1]))
        return function(reshape(x, (*x.shape, *(1 for _ in y.shape))), y, **keywords)

    name = function.__name__
    return operand_rules.described(outer, f"{name}.outer", f"`{name}` of all pairs of elements: [*A.shape, *B.shape].")


def _strong(x: Any, other: Any) -> Any:
    """An operand with a dtype; a number beside floats or complex numbers has those that hold both."""
    if not isinstance(x, (operand_rules.Weak, *NUMBERS)):
        return x
    own, beside = operand_rules.dtype_of(x), operand_rules.dtype_of(other)
    return operand_rules.cast(x, promote(own, beside) if is_inexact(own) and is_inexact(beside) else own)


def _at(function: _Function, theirs: numpy.ufunc) -> _Function:
    name = function.__name__

    def at(a: Any, indices: Any, b: Any = None, /) -> None:
        x = target(a, f"{name}.at")
        if theirs.nout != 1 or (theirs.nin == 2) != (b is not None):
            raise ValueArgumentError("E345", f"{name}.at takes an array, indices and {theirs.nin - 1} arrays more")
        arguments = () if b is None else (b if isinstance(b, (int, float)) else array_of(b),)
        nothing = ravel(x)[:0]
        dtype = function(
            nothing, *(one if isinstance(one, (int, float)) else ravel(one)[:0] for one in arguments)
        ).dtype
        if not castable(dtype, x.dtype, "same_kind"):
            what = f"{name}.at: a result of {code(dtype)} cannot be stored in {x.type}"
            raise DTypeError("E206", what, help="cast the array first: x.astype(...)")
        if type(x) is ndarray and not ACTIVE:
            key = tuple(map(_numpys, indices)) if isinstance(indices, tuple) else _numpys(indices)
            exclusively(theirs.at, x._data, key, *map(_numpys, arguments))
            written(x)
            return
        places = array_of(reshape(arange(x.size, dtype=int64), x.shape)[indices])
        values = [broadcast_to(array_of(one, x.dtype), places.shape) for one in arguments]
        x[...] = reshape(_each_at(function, ravel(x), places, values), x.shape)

    of = "the elements at `indices` and b" if theirs.nin == 2 else "the elements at `indices`"
    return operand_rules.described(at, f"{name}.at", f"`{name}` of {of}, in place; an index may come again.")


def _numpys(x: Any) -> Any:
    return x._data if isinstance(x, ndarray) else x


def _each_at(function: _Function, x: Any, places: Any, values: list[Any]) -> Any:
    """A vector in which the elements at places are functions of themselves and values, one after the other."""
    signed = is_float(x.dtype) or x.dtype.kind == "i"
    if function.__name__ in ("add", "subtract") and signed and values[0].dtype == x.dtype:
        by = values[0] if function.__name__ == "add" else negative(values[0])
        points = reshape(places, (*places.shape, 1))
        return operand_rules.result(
            ops.scatter_nd(operand_rules.operand(x), operand_rules.operand(points), operand_rules.operand(by), "add")
        )
    if not places.size:
        return copy(x)

    def step(parts: Any, so_far: Any) -> Any:
        place, *more = parts
        changed = copy(so_far)
        changed[place] = function(so_far[place], *more).astype(x.dtype)
        return None, changed

    return foreach(step, [ravel(part) for part in (places, *values)], x)[1]


_REDUCTIONS: dict[str, tuple[_Function, ...]] = {
    "add": (sum, cumsum), "multiply": (prod, cumprod), "maximum": (max,), "minimum": (min,), "logical_and": (all,),
    "logical_or": (any,),
}  # fmt: skip
"""Functions of ours that reduce by universal functions, and that accumulate."""

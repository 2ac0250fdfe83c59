# SPDX-License-Identifier: Apache-2.0
"""Functions that write some elements of an array in place, and those that choose elements among several arrays."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy

from hybridize.array import functions as np
from hybridize.array import operands
from hybridize.array.functions.bounds import check, from_front
from hybridize.array.functions.elementwise import copy
from hybridize.array.functions.searching import data_dependent, within
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import indices as index_operand
from hybridize.array.policies import like, promoted
from hybridize.array.symbol import Symbol
from hybridize.base import dims
from hybridize.base.dtypes import CASTINGS, bool_, int64
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError


def target(a: Any, name: str) -> Any:
    """An array that is written: one of ours."""
    if not isinstance(a, (ndarray, Symbol)):
        help = "make it one of ours: np.array(x)"
        raise ArgumentError("E307", f"{name} writes to a hybridize array, got {type(a).__name__}", help=help)
    return a


@promoted("a", "v", to=like)
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Write `v`, repeated as often as needed, to elements of the flat array, in place.

    Args:
        a: an array.
        ind: int64 indices of its elements, row by row.
        v: values; they begin again where there are fewer than indices.
        mode: `raise` refuses indices out of bounds, `wrap` begins again after the last element, `clip` takes the
            nearest.

    Raises:
        OutOfBoundsError E110: an index is out of bounds.

    >>> x = np.array([1, 2, 3])
    >>> np.put(x, [0, 2], [8, 9])
    >>> x
    array([8., 2., 9.])
    """
    x = target(a, "put")
    numbers = np.ravel(within(ind, x.size, mode, f"put to {x.type}"))
    values = np.ravel(v)
    if not numbers.shape[0] or not values.shape[0]:
        return
    flat = np.ravel(copy(x))
    flat[numbers] = np.resize(values, numbers.shape)
    x[...] = np.reshape(flat, x.shape)


@operands.public
def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """Write one element along an axis for each index, in place.

    Raises:
        OutOfBoundsError E110: an index is out of bounds.
        ShapeError E134: the indices do not go with the array.

    >>> x = np.array([[3, 1], [2, 7]])
    >>> np.put_along_axis(x, np.array([[0], [1]], dtype="int64"), 0, axis=1)
    >>> x
    array([[0., 1.],
           [2., 0.]])
    """
    x = target(arr, "put_along_axis")
    if axis is None:
        put(x, np.ravel(operands.result(index_operand(indices))), values)
        return
    along = operands.axis_of(axis, x.ndim, "put_along_axis")
    numbers = operands.result(index_operand(indices))
    if numbers.ndim != x.ndim:
        raise ShapeError("E134", f"put_along_axis: indices of {numbers.ndim} axes for {x.type}")
    wanted = dims.broadcast(numbers.shape, (*x.shape[:along], numbers.shape[along], *x.shape[along + 1 :]))
    if wanted is None:
        raise ShapeError("E134", f"put_along_axis: indices {list(numbers.shape)} do not fit {x.type}")
    what = f"put_along_axis to axis {along} of {x.type}"
    numbers = np.broadcast_to(operands.result(from_front(operands.operand(numbers), x.shape[along], what)), wanted)
    key = [np.reshape(operands.positions(n), (-1,) + (1,) * (x.ndim - k - 1)) for k, n in enumerate(x.shape)]
    x[tuple(numbers if k == along else key[k] for k in range(x.ndim))] = values


@promoted("a", "values", to=like)
def putmask(a: Any, mask: Any, values: Any) -> None:
    """Write to the elements where `mask` is true those of `values` at the same place, in place.

    `values` are repeated to the size of the array where they have another one.

    >>> x = np.array([1, 2, 3])
    >>> np.putmask(x, x > 1, np.array([7, 8, 9]))
    >>> x
    array([1., 8., 9.])
    """
    x = target(a, "putmask")
    chosen = operands.array(mask)
    if chosen.size != x.size:
        raise ShapeError("E135", f"putmask: a mask {chosen.type} for {x.type}", help="give one bool for each element")
    if values.size:
        x[...] = np.where(np.reshape(chosen, x.shape), np.resize(values, x.shape), x)


@promoted("arr", "vals", to=like)
def place(arr: Any, mask: Any, vals: Any) -> None:
    """Write `vals`, one after the other, to the elements where `mask` is true, in place.

    >>> x = np.array([1, 2, 3])
    >>> np.place(x, x > 1, [8, 9])
    >>> x
    array([1., 8., 9.])
    """
    x = target(arr, "place")
    chosen = np.ravel(operands.array(mask).astype(bool_))
    if chosen.size != x.size:
        raise ShapeError("E135", f"place: a mask {chosen.type} for {x.type}", help="give one bool for each element")
    values = np.ravel(vals)
    if not x.size:
        return
    number = np.maximum(chosen.astype(int64).cumsum() - 1, 0)
    if not values.shape[0]:
        raise ShapeError("E135", "place: the array of values is empty")
    flat = np.where(chosen, np.take(values, np.mod(number, values.shape[0])), np.ravel(x))
    x[...] = np.reshape(flat, x.shape)


@operands.public
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write `src`, broadcast, to `dst`, in place, only where `where` is true.

    Raises:
        DTypeError E207: `casting` does not allow it.
        ShapeError E132: it does not broadcast.

    >>> x = np.zeros(2)
    >>> np.copyto(x, 5, where=np.array([True, False], dtype=bool))
    >>> x
    array([5., 0.])
    """
    x = target(dst, "copyto")
    operands.one_of(casting, CASTINGS, "copyto", "casting")
    if not isinstance(src, (builtins.bool, int, float)) and not np.can_cast(
        operands.array(src).dtype, x.dtype, casting
    ):
        what = f"copyto of {operands.array(src).type} to {x.type} is not a {casting!r} cast"
        raise DTypeError("E207", what, help="casting='unsafe' allows all casts")
    _, values = like((x, src))
    x[...] = values if where is True else _where(operands.array(where), values, x)


_where = np.where


@promoted("*choices", weak=True)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Return the element of `choices[a]` at each place.

    Args:
        a: integers: the number of the array that is chosen.
        choices: arrays, which are broadcast with `a`.
        out: where to write the result.
        mode: as in `put`.

    Raises:
        OutOfBoundsError E110: there is no such array.

    >>> np.choose(np.array([1, 0], dtype="int64"), [np.array([1, 2]), np.array([10, 20])])
    array([10.,  2.])
    """
    arrays = choices
    if not arrays:
        raise ShapeError("E107", "choose needs at least one array to choose from")
    what = f"choose of {len(arrays)} arrays"
    if mode == "raise":
        check(index_operand(a), 0, len(arrays), what)  # none is counted from the end
    numbers = within(a, len(arrays), mode, what)
    index, *arrays = np.broadcast_arrays(numbers, *arrays)
    together = np.stack(arrays)
    at = tuple(np.indices(index.shape)) if index.ndim else ()
    return operands.finished(together[(index, *at)], out)


@promoted("*choicelist", "default", weak=True)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Return at each place the element of the first array whose condition is true, otherwise `default`.

    Raises:
        ShapeError E134: another number of conditions than of arrays, or none.
        DTypeError E208: a condition is no array of bools.

    >>> x = np.array([1, 5, 9])
    >>> np.select([x < 3, x > 7], [x, x * 10], -1)
    array([ 1., -1., 90.])
    """
    conditions = [operands.array(one) for one in condlist]
    choices = list(choicelist)
    if len(conditions) != len(choices) or not choices:
        raise ShapeError("E134", f"select: {len(conditions)} conditions for {len(choices)} arrays", help="one for each")
    for one in conditions:
        if one.dtype != bool_:
            raise DTypeError("E208", f"select: a condition must be bool, got {one.type}", help="compare with 0: x != 0")
    selection = default
    for condition, choice in zip(conditions[::-1], choices[::-1], strict=True):
        selection = np.where(condition, choice, selection)
    return selection


@operands.public
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Return at each place the value of the last function whose condition is true.

    Functions are given the whole array, not only the elements where their condition is true: they are to compute each
    element by itself.

    Args:
        x: an array.
        condlist: conditions, arrays of bools.
        funclist: functions of arrays, or numbers; one for each condition, and maybe one for the rest (0 unless given).
        args: given to the functions.
        kw: the same.

    Raises:
        ShapeError E134: another number of functions than of conditions.

    >>> x = np.array([-1, 2])
    >>> np.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v * 10])
    array([ 1., 20.])
    """
    a = operands.array(x)
    if isinstance(condlist, (ndarray, Symbol)) and condlist.ndim == a.ndim:
        condlist = [condlist]
    conditions = [operands.array(one).astype(bool_, copy=False) for one in condlist]
    functions = list(funclist)
    if len(functions) not in (len(conditions), len(conditions) + 1):
        raise ShapeError(
            "E134",
            f"piecewise: {len(functions)} functions for {len(conditions)} conditions",
            help="give one function for each condition, and optionally one for the remaining elements",
        )

    def value(function: Any) -> Any:
        return like((a, function(a, *args, **kw) if callable(function) else function))[1]

    values = value(functions.pop()) if len(functions) > len(conditions) else value(0)
    values = np.broadcast_to(values, a.shape)
    for condition, function in zip(conditions, functions, strict=True):
        values = np.where(condition, value(function), values)
    return values


def _compressed(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """The slices along `axis` where a vector of bools is true."""
    x, along = operands.array_and_axis(a, axis, "compress")
    numbers = numpy.flatnonzero(operands.array(condition).asnumpy())
    return operands.finished(np.take(x, numbers, along), out)


compress: Callable[..., Any] = data_dependent("compress", numpy.compress, _compressed)
extract: Callable[..., Any] = data_dependent(
    "extract", numpy.extract, lambda condition, arr: _compressed(np.ravel(condition), arr)
)

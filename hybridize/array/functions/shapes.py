# SPDX-License-Identifier: Apache-2.0
"""Functions that move elements without changing them: views (reshape, transpose, ...), and flip, roll, tile, pad.

A view shares the buffer of its base in both modes: eagerly it is NumPy's view, while capturing one more step of the
symbol. Where NumPy would have to copy (a reshape of a transposed array), so do we, in both modes.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import layouts, operands
from hybridize.array.functions.elementwise import apart_from, copy
from hybridize.array.methods import functions
from hybridize.array.ndarray import ndarray, taping, view, wrap
from hybridize.array.policies import promoted, together
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base import dims
from hybridize.base.access import consistently
from hybridize.base.dtypes import CASTINGS, DType, as_dtype, is_inexact
from hybridize.base.errors import ArgumentError, CaptureError, DTypeError, ShapeError, ValueArgumentError
from hybridize.base.types import same_shape, surely_same
from hybridize.ops.op import ACTIVE, Op, bind1, capturing


def viewed(x: Any, op: Op) -> Any:
    """The view of an array that a view op (Slice, Reshape without copy, Transpose, Broadcast) makes."""
    if isinstance(x, Symbol):
        return x.view_by(op)
    if ACTIVE and capturing():
        return array_of_trace(x).view_by(op)
    tape = taping() if ACTIVE else None
    if tape is not None:
        return tape.view(x, (op,))
    data = x._content
    match op:
        case ops.Transpose():
            return view(x, data.transpose(op.axes))
        case ops.Reshape():
            return view(x, data.reshape(op.shape))
        case ops.Broadcast():
            return view(x, numpy.broadcast_to(data, op.shape))
    return operands.result(bind1(op, data))


def reshaped(x: Any, shape: tuple[int, ...]) -> Any:
    """The view under a shape that differs by axes of size 1 only."""
    if type(x) is ndarray and not ACTIVE:
        return view(x, settled(x).reshape(shape))
    return viewed(x, ops.Reshape(shape))


def settled(x: ndarray) -> Any:
    """The buffer of `x`, laid out in C order if it is a new one that nobody has a view of yet.

    NumPy keeps the order of a transposed operand in a result, and a reshape of that is a copy; in a program results are
    in C order, and a reshape is a view. Writes through it must do the same in both.
    """
    data = x._content
    if x._storage is None and data.base is None and not data.flags.c_contiguous:
        x._data = data = numpy.ascontiguousarray(data)
    return data


def permuted(x: Any, axes: tuple[int, ...]) -> Any:
    """The view with axes in another order, counted from 0."""
    if type(x) is ndarray and not ACTIVE:
        return view(x, x._data.transpose(axes))
    return viewed(x, ops.Transpose(axes))


def array_of_trace(x: Any) -> Any:
    """A concrete array while capturing, as the symbol that stands for it."""
    return staging().lift(x)


@operands.public
def reshape(a: Any, newshape: Any = None, order: str = "C", *, shape: Any = None, copy: bool | None = None) -> Any:
    """Return the same elements under another shape; one size may be -1. A view where NumPy gives one.

    Args:
        a: any array.
        newshape: sizes; one may be -1, which is what the others leave.
        order: `C` (last axis fastest) or `F` (first axis fastest).
        shape: the same as `newshape`.
        copy: True: always a copy; None: a view where NumPy gives one.

    Raises:
        ShapeError E104: the number of elements differs.

    >>> np.reshape(np.arange(6), (2, -1))
    array([[0., 1., 2.],
           [3., 4., 5.]])
    """
    if type(a) is ndarray and not ACTIVE and order == "C" and not copy and type(newshape) in (int, tuple):
        try:
            return view(a, settled(a).reshape(newshape))
        except (ValueError, TypeError):
            pass  # the rest says what is wrong, with the types
    operands.one_of(order, ("C", "F"), "reshape", "order")
    if not isinstance(a, (ndarray, Symbol)):
        a = operands.array(a)
    wanted = _completed(a, shape if newshape is None else newshape)
    if order == "F":
        reordered = transpose(reshape(transpose(a), wanted[::-1]))
        return _copied(reordered) if copy else reordered
    if copy:
        a = _copied(a)
    symbol = a if isinstance(a, Symbol) else array_of_trace(a) if capturing() else a
    if isinstance(symbol, ndarray):
        tape = taping() if ACTIVE else None
        if tape is not None:
            return tape.view(symbol, (ops.Reshape(wanted),))
        return view(symbol, settled(symbol).reshape(wanted))
    copied = copied_to(symbol, wanted)
    if copied is not None:
        return copied
    return symbol if surely_same(symbol.shape, wanted) and symbol is not a else symbol.view_by(ops.Reshape(wanted))


_copied = copy


def copied_to(x: Symbol, shape: tuple[int, ...]) -> Symbol | None:
    """Return a new array of the elements in other sizes, where NumPy has to copy; None where it has a view."""
    if x.is_whole and dims.known((*x.shape, *shape)) and not x.exists:
        return None  # the program makes it row by row
    strides = x.steps_between()
    is_view = layouts.may_be_view(x.shape, strides, shape)
    if is_view:
        return None
    symbol: Symbol = operands.result(bind1(ops.Reshape(shape), x.operand()))
    if is_view is None:
        staging().copied(x._cell, symbol._cell, partial(layouts.reshaped, x.shape, strides, shape))
    return symbol


_INT = frozenset({int})


def _completed(a: Any, wanted: Any) -> tuple[int, ...]:
    """A shape with its -1 replaced; NumPy takes any negative number for that."""
    sizes = wanted if type(wanted) is tuple and _INT.issuperset(map(type, wanted)) else operands.shape_from(wanted)
    sizes = tuple([-1 if type(length) is int and length < 0 else length for length in sizes])
    total = a.size
    if -1 in sizes:
        known = -math.prod(sizes)
        if [length == -1 for length in sizes].count(True) == 1 and known > 0 and total % known == 0:
            return tuple(total // known if length == -1 else length for length in sizes)
    elif math.prod(sizes) == total and all(length >= 0 for length in sizes):
        return sizes
    raise ShapeError(
        "E104",
        f"reshape of {a.type} to [{', '.join(map(dims.text, sizes))}]: {dims.text(total)} elements do not fit",
        help="one size may be -1; it is then computed from the others",
    )


@operands.public
def transpose(a: Any, axes: Any = None) -> Any:
    """Permute the axes; reverse them, where you pass none; a view.

    >>> np.transpose(np.array([[1, 2], [3, 4]]))
    array([[1., 3.],
           [2., 4.]])
    """
    x = operands.array(a)
    if axes is None:
        order = tuple(range(x.ndim))[::-1]
    else:
        axes = operands.several(axes)
        order = tuple(operands.axis_of(axis, x.ndim, "transpose") for axis in axes)
        if sorted(order) != list(range(x.ndim)):
            raise ShapeError(
                "E105",
                f"transpose of {x.type}: {tuple(axes)} must name each axis exactly once",
                help=f"give the new order of the axes, such as {tuple(range(x.ndim))[::-1]}",
            )
    return permuted(x, order)


@operands.public
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """Exchange two axes; a view.

    >>> np.swapaxes(np.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    x = operands.array(a)
    i, j = operands.axis_of(axis1, x.ndim, "swapaxes"), operands.axis_of(axis2, x.ndim, "swapaxes")
    order = list(range(x.ndim))
    order[i], order[j] = j, i
    return permuted(x, tuple(order))


@operands.public
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Move axes to other positions; the rest stay in their order; a view.

    >>> np.moveaxis(np.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    x = operands.array(a)
    from_, to = (
        [operands.axis_of(one, x.ndim, "moveaxis") for one in operands.several(axes)] for axes in (source, destination)
    )
    if len(from_) != len(to) or len(set(from_)) != len(from_) or len(set(to)) != len(to):
        raise ArgumentError("E308", f"moveaxis from {source} to {destination}: pass equally many axes, each once")
    order = [axis for axis in range(x.ndim) if axis not in from_]
    for position, axis in sorted(zip(to, from_, strict=True)):
        order.insert(position, axis)
    return permuted(x, tuple(order))


@operands.public
def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """Move one axis before the position `start`; a view.

    >>> np.rollaxis(np.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    x = operands.array(a)
    axis = operands.axis_of(axis, x.ndim, "rollaxis")
    start = start + x.ndim if start < 0 else start
    return moveaxis(x, axis, start - 1 if start > axis else start)


@operands.public
def expand_dims(a: Any, axis: Any) -> Any:
    """Insert axes of size 1 at positions of the result; a view.

    >>> np.expand_dims(np.array([1, 2]), 0).shape
    (1, 2)
    """
    x = operands.array(a)
    axes = operands.several(axis)
    new = operands.axes_of(tuple(axes), x.ndim + len(axes), "expand_dims")
    old = iter(x.shape)
    return reshaped(x, tuple(1 if i in new else next(old) for i in range(x.ndim + len(new))))


@operands.public
def squeeze(a: Any, axis: Any = None) -> Any:
    """Remove axes of size 1, those that you name or all; a view.

    >>> np.squeeze(np.ones((1, 3, 1))).shape
    (3,)
    """
    x = operands.array(a)
    if axis is None:
        gone: Sequence[int] = [i for i, length in enumerate(x.shape) if length == 1]
    else:
        gone = operands.reduced_axes(axis, x.ndim, "squeeze")
        if any(x.shape[i] != 1 for i in gone):
            raise ShapeError(
                "E106",
                f"squeeze of {x.type}: axis {axis} is not of size 1",
                help="squeeze removes axes of size 1; index or reduce the others: x[0], x.sum(axis=0)",
            )
    return reshaped(x, tuple(length for i, length in enumerate(x.shape) if i not in gone))


@operands.public
def ravel(a: Any, order: str = "C") -> Any:
    """Return all elements along one axis; a view where NumPy gives one.

    >>> np.ravel(np.array([[1, 2], [3, 4]]))
    array([1., 2., 3., 4.])
    """
    return reshape(a, -1, order=order)


@operands.public
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """Return an array stretched to a shape, as a read-only view. A size of -2 is that of the array, as in MXNet.

    >>> np.broadcast_to(np.array([1, 2]), (2, 2))
    array([[1., 2.],
           [1., 2.]])
    """
    x = _array(array)
    wanted = operands.shape_from(shape)
    if -2 in wanted:
        wanted = tuple(_as_it_is(x, k - len(wanted)) if size == -2 else size for k, size in enumerate(wanted))
    common = dims.broadcast(x.shape, wanted)
    if common is None or not same_shape(common, wanted):
        raise ShapeError("E101", f"broadcast_to: {x.type} does not broadcast to {list(wanted)}")
    return viewed(x, ops.Broadcast(wanted))


_array = operands.array


def _as_it_is(x: Any, axis: int) -> int:
    """The size of an axis, counted from the last; -2 where there is none."""
    return x.shape[axis] if x.ndim >= -axis else -2


@operands.public
def broadcast_arrays(*args: Any) -> list[Any]:
    """Return all arrays stretched to their common shape, as read-only views.

    >>> np.broadcast_arrays(np.array([1, 2]), np.array([[3], [4]]))
    [array([[1., 2.],
           [1., 2.]]), array([[3., 3.],
           [4., 4.]])]
    """
    xs = [operands.array(x) for x in args]
    shape = dims.broadcast(*(x.shape for x in xs))
    if shape is None:
        raise ShapeError("E101", f"broadcast_arrays: {', '.join(str(x.type) for x in xs)} do not broadcast")
    return [viewed(x, ops.Broadcast(shape)) for x in xs]


@operands.public
def flip(m: Any, axis: Any = None) -> Any:
    """Return the elements in reverse order along an axis, or along all; a view.

    >>> np.flip(np.array([[1, 2], [3, 4]]), axis=1)
    array([[2., 1.],
           [4., 3.]])
    """
    x = operands.array(m)
    axes = operands.axes_of(axis, x.ndim, "flip")
    return x[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(x.ndim))]


@operands.public
def fliplr(m: Any) -> Any:
    """Return the columns in reverse order; a view.

    >>> np.fliplr(np.array([[1, 2], [3, 4]]))
    array([[2., 1.],
           [4., 3.]])
    """
    return flip(m, 1)


@operands.public
def flipud(m: Any) -> Any:
    """Return the rows in reverse order; a view.

    >>> np.flipud(np.array([[1, 2], [3, 4]]))
    array([[3., 4.],
           [1., 2.]])
    """
    return flip(m, 0)


@operands.public
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Move elements on by `shift` along an axis; what falls off one end comes back at the other.

    >>> np.roll(np.array([1, 2, 3]), 1)
    array([3., 1., 2.])
    """
    x = operands.array(a)
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape)
    shifts = operands.several(shift)
    axes = operands.several(axis)
    if len(shifts) == 1:
        shifts = tuple(shifts) * len(axes)
    for by, along in zip(shifts, axes, strict=True):
        axis_index = operands.axis_of(along, x.ndim, "roll")
        length = x.shape[axis_index]
        by = int(by) % length if length else 0
        if by:
            parts = operands.cut(x, axis_index, length - by, None), operands.cut(x, axis_index, length - by)
            x = operands.result(bind1(ops.Concat(axis_index), *map(operands.operand, parts)))
    return x if x is not a else copy(x)


@operands.public
def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """Turn an array by 90 degrees, `k` times, in the plane of two axes; a view.

    >>> np.rot90(np.array([[1, 2], [3, 4]]))
    array([[2., 4.],
           [1., 3.]])
    """
    k %= 4
    if k == 0:
        return operands.array(m)[...]
    if k == 2:
        return flip(flip(m, axes[0]), axes[1])
    if k == 1:
        return swapaxes(flip(m, axes[1]), *axes)
    return flip(swapaxes(m, *axes), axes[1])


@operands.public
def tile(A: Any, reps: Any) -> Any:
    """Repeat the whole array, `reps` times along each axis.

    >>> np.tile(np.array([1, 2]), (2, 2))
    array([[1., 2., 1., 2.],
           [1., 2., 1., 2.]])
    """
    x = operands.array(A)
    times = operands.shape_from(reps)
    if any(n < 0 for n in times):
        raise ValueArgumentError("E345", f"tile: repetitions must not be negative, got {reps!r}")
    ndim = max(x.ndim, len(times))
    times = (1,) * (ndim - len(times)) + times
    shape = (1,) * (ndim - x.ndim) + x.shape
    apart = operands.broadcast(
        operands.operand(reshape(x, tuple(part for length in shape for part in (1, length)))),
        tuple(part for n, length in zip(times, shape, strict=True) for part in (n, length)),
    )
    every = tuple(n * length for n, length in zip(times, shape, strict=True))
    return apart_from(x, operands.result(bind1(ops.Reshape(every), apart)))


@operands.public
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Repeat each element along an axis; of the flat array, where `axis` is None.

    Args:
        a: any array.
        repeats: how often; one integer, or one for each element along the axis.
        axis: an axis of `a`.

    Raises:
        CaptureError E403: while capturing, an array: how many elements that gives depends on the data.
        ShapeError E134, ValueArgumentError E345, DTypeError E208: another number of counts than elements; a negative
            one; one that is no integer.

    >>> np.repeat(np.array([1, 2]), 2)
    array([1., 1., 2., 2.])
    """
    x = operands.array(a)
    if axis is None:
        x, axis = ravel(x), 0
    axis = operands.axis_of(axis, x.ndim, "repeat")
    shape = x.shape
    times = _counts(repeats, shape[axis])
    if isinstance(times, numpy.ndarray):
        source = numpy.repeat(numpy.arange(shape[axis]), times)
        return x[(slice(None),) * axis + (source,)]
    apart = operands.operand(reshape(x, (*shape[: axis + 1], 1, *shape[axis + 1 :])))
    apart = operands.broadcast(apart, (*shape[: axis + 1], times, *shape[axis + 1 :]))
    every = (*shape[:axis], shape[axis] * times, *shape[axis + 1 :])
    return apart_from(x, operands.result(bind1(ops.Reshape(every), apart)))


def _counts(repeats: Any, length: int) -> Any:
    """Return the counts of a repetition: one integer for all elements, or NumPy's array of one for each."""
    if isinstance(repeats, (ndarray, Symbol)) and not (isinstance(repeats, Symbol) and repeats.weak is not None):
        if capturing():
            raise CaptureError(
                "E403",
                f"repeat by the counts {repeats!r}: the number of elements of the result depends on the data",
                help="pass a Python integer or a list of integers, or call it outside the compiled function",
            )
        counts = repeats.asnumpy()
        if counts.dtype.kind in "fV" and (counts == counts.astype(numpy.int64)).all():
            counts = counts.astype(numpy.int64)  # MXNet keeps integers in float arrays
    elif isinstance(repeats, (list, tuple)):
        counts = numpy.asarray([operator.index(count) for count in repeats], numpy.int64)
    elif isinstance(repeats, numpy.ndarray):
        counts = repeats
    else:
        counts = numpy.asarray(operator.index(repeats)) if not dims.is_symbolic(repeats) else repeats
    if not isinstance(counts, numpy.ndarray):
        return counts
    if counts.dtype.kind not in "iu":
        raise DTypeError("E208", f"repeat: counts must be integers, got {repeats!r}")
    if counts.ndim > 1 or counts.size not in (1, length):
        raise ShapeError("E134", f"repeat: {list(counts.shape)} counts for {length} elements", help="give one for each")
    if (counts < 0).any():
        raise ValueArgumentError("E345", f"repeat: a count must not be negative, got {counts.min()}")
    return int(counts.reshape(-1)[0]) if counts.size == 1 else counts


@operands.public
def concatenate(
    seq: Any, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """Join arrays along an axis that exists; flat, where `axis` is None.

    Args:
        seq: the arrays.
        axis: an axis.
        out: where to write the result.
        dtype: of the result; the one that all of them compute in unless said.
        casting: the casts that are allowed on the way to `dtype`.

    Raises:
        ShapeError E107: sizes of the other axes differ, or there is nothing to join.
        DTypeError E207: `casting` does not allow it.

    >>> np.concatenate([np.array([[1, 2]]), np.array([[3, 4]])], axis=0)
    array([[1., 2.],
           [3., 4.]])
    """
    seq = list(seq)
    if casting != "same_kind":
        operands.one_of(casting, CASTINGS, "concatenate", "casting")
    if not ACTIVE and out is None and dtype is None and type(axis) is int and all(type(x) is ndarray for x in seq):
        parts = [x._data for x in seq]
        if parts and all(part.dtype is parts[0].dtype for part in parts):
            try:
                return wrap(consistently(numpy.concatenate, parts, axis))
            except ValueError:
                pass  # the rest says what is wrong, with the types
    if not seq:
        raise ShapeError("E107", "concatenate needs at least one array")
    xs = together(seq, weak=True) if dtype is None else _cast_all(seq, as_dtype(dtype), casting)
    if axis is None:
        xs, axis = [ravel(x) for x in xs], 0
    axis_index = operands.axis_of(axis, xs[0].ndim, "concatenate")
    if any(
        x.ndim != xs[0].ndim
        or x.shape[:axis_index] + x.shape[axis_index + 1 :] != xs[0].shape[:axis_index] + xs[0].shape[axis_index + 1 :]
        for x in xs
    ):
        types = ", ".join(str(x.type) for x in xs)
        raise ShapeError("E107", f"concatenate along axis {axis_index}: {types}", help="all other sizes must be equal")
    return operands.finished(operands.result(bind1(ops.Concat(axis_index), *map(operands.operand, xs))), out)


def _cast_all(arrays: Any, dtype: DType, casting: str) -> list[Any]:
    """Arrays in a dtype, where `casting` allows it; numbers and lists are rounded once."""
    lists = dtype if is_inexact(dtype) else None
    return [functions.astype(operands.array(x, lists), dtype, copy=False, casting=casting) for x in arrays]


def _joined(arrays: Any, dtype: Any, casting: str) -> list[Any]:
    """The arrays that a call joins, in the dtype of the result."""
    arrays = list(arrays)
    operands.one_of(casting, CASTINGS, "concatenate", "casting")
    if dtype is not None:
        return _cast_all(arrays, as_dtype(dtype), casting)
    return together(arrays) if arrays else []


@operands.public
def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Join arrays of one shape along a new axis.

    Args:
        arrays: the arrays.
        axis: the position of the new axis.
        out: an array that the result is written to.
        dtype: of the result.
        casting: the casts that may lead to it.

    >>> np.stack([np.array([1, 2]), np.array([3, 4])], axis=1)
    array([[1., 3.],
           [2., 4.]])
    """
    xs = _joined(arrays, dtype, casting)
    if not xs or any(x.shape != xs[0].shape for x in xs):
        raise ShapeError(
            "E107",
            f"stack needs arrays of one shape, got {', '.join(str(x.type) for x in xs) or 'none'}",
            help="make the shapes equal; np.concatenate joins along an axis whose sizes differ",
        )
    return concatenate([expand_dims(x, axis) for x in xs], axis, out)


@operands.public
def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """Return the parts along an axis as a tuple of views without this axis.

    >>> np.unstack(np.array([[1, 2], [3, 4]]))
    (array([1., 2.]), array([3., 4.]))
    """
    a = operands.array(x)
    if not a.ndim:
        raise ShapeError("E118", f"unstack takes an array with axes, got {a.type}")
    return tuple(moveaxis(a, axis, 0))


@operands.public
def vstack(arrays: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Join arrays one below another; a vector is a row.

    Args:
        arrays: the arrays.
        dtype: of the result.
        casting: the casts that may lead to it.

    >>> np.vstack((np.array([1, 2]), np.array([3, 4])))
    array([[1., 2.],
           [3., 4.]])
    """
    return concatenate([atleast_2d(x) for x in _joined(arrays, dtype, casting)], 0)


@operands.public
def hstack(arrays: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Join arrays side by side: along axis 1, or along the only axis.

    Args:
        arrays: the arrays.
        dtype: of the result.
        casting: the casts that may lead to it.

    >>> np.hstack((np.array([1, 2]), np.array([3])))
    array([1., 2., 3.])
    """
    xs = [atleast_1d(x) for x in _joined(arrays, dtype, casting)]
    return concatenate(xs, 0 if xs and xs[0].ndim == 1 else 1)


@operands.public
def block(arrays: Any) -> Any:
    """Join nested lists of arrays: the innermost lists along the last axis, the next ones along the axis before.

    Raises:
        ShapeError E107: sizes do not fit, a list is empty, or lists are not nested equally deep.

    >>> np.block([[np.ones((1, 2)), np.zeros((1, 1))], [np.full((1, 3), 7.0)]])
    array([[1., 1., 0.],
           [7., 7., 7.]])
    """
    depth = _depth(arrays)
    leaves: list[Any] = []
    _collect(arrays, depth, leaves)
    ndim = max(depth, *(operands.array(x).ndim for x in leaves))
    return _blocks(iter(together(leaves)), arrays, depth, ndim)


def _depth(part: Any) -> int:
    if not isinstance(part, list):
        return 0
    if not part:
        raise ShapeError("E107", "block: a list is empty")
    return 1 + _depth(part[0])


def _collect(part: Any, depth: int, leaves: list[Any]) -> None:
    if isinstance(part, list) != (depth > 0) or isinstance(part, tuple):
        raise ShapeError(
            "E107",
            "block: all lists must be nested to the same depth",
            help="pass lists of arrays, or lists of lists of arrays",
        )
    if depth:
        if not part:
            raise ShapeError("E107", "block: a list is empty")
        for inner in part:
            _collect(inner, depth - 1, leaves)
    else:
        leaves.append(part)


def _blocks(leaves: Iterator[Any], part: Any, depth: int, ndim: int) -> Any:
    if not depth:
        x = next(leaves)
        return copy(reshape(x, (1,) * (ndim - x.ndim) + x.shape))
    return concatenate([_blocks(leaves, inner, depth - 1, ndim) for inner in part], ndim - depth)


@operands.public
def dstack(arrays: Any) -> Any:
    """Join arrays along axis 2.

    >>> np.dstack((np.array([1, 2]), np.array([3, 4])))
    array([[[1., 3.],
            [2., 4.]]])
    """
    return concatenate([atleast_3d(x) for x in _joined(arrays, None, "same_kind")], 2)


@operands.public
def column_stack(tup: Any) -> Any:
    """Join vectors as the columns of a matrix.

    >>> np.column_stack((np.array([1, 2]), np.array([3, 4])))
    array([[1., 3.],
           [2., 4.]])
    """
    xs = _joined(tup, None, "same_kind")
    return concatenate([reshape(x, (-1, 1)) if x.ndim < 2 else x for x in xs], 1)


@promoted("arr", "values")
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Return `values` after `arr`, along an axis; of flat arrays, where `axis` is None.

    >>> np.append(np.array([1, 2]), np.array([3]))
    array([1., 2., 3.])
    """
    return concatenate([arr, values], axis)


def _atleast(x: Any, ndim: int, grow: Any) -> Any:
    x = operands.array(x)
    return x if x.ndim >= ndim else reshape(x, grow(x.shape))


@operands.public
def atleast_1d(*arys: Any) -> Any:
    """Return arrays with at least one axis.

    >>> np.atleast_1d(3.5)
    array([3.5])
    """
    grown = [_atleast(x, 1, lambda shape: (1,)) for x in arys]
    return grown[0] if len(grown) == 1 else grown


@operands.public
def atleast_2d(*arys: Any) -> Any:
    """Return arrays with at least two axes; a vector becomes a row.

    >>> np.atleast_2d(np.array([1, 2]))
    array([[1., 2.]])
    """
    grown = [_atleast(x, 2, lambda shape: (1,) * (2 - len(shape)) + shape) for x in arys]
    return grown[0] if len(grown) == 1 else grown


@operands.public
def atleast_3d(*arys: Any) -> Any:
    """Return arrays with at least three axes: a vector becomes [1, n, 1], a matrix [m, n, 1].

    >>> np.atleast_3d(np.array([1, 2])).shape
    (1, 2, 1)
    """
    shapes = {0: lambda shape: (1, 1, 1), 1: lambda shape: (1, *shape, 1), 2: lambda shape: (*shape, 1)}
    grown = [_atleast(x, 3, shapes.get(operands.array(x).ndim)) for x in arys]
    return grown[0] if len(grown) == 1 else grown


def _cuts(length: int, indices_or_sections: Any, even: bool, of: Any) -> list[int]:
    if isinstance(indices_or_sections, (list, tuple, numpy.ndarray)):
        return [0, *(layouts.span(slice(None, i), length)[1] for i in indices_or_sections), length]
    sections = operands.whole(indices_or_sections, "split: a number of parts")
    if sections <= 0 or (even and length % sections):
        raise ShapeError(
            "E108",
            f"split of {of.type}: {length} is not a multiple of {sections}",
            help="array_split allows parts of unequal size",
        )
    base, more = divmod(length, sections)
    sizes = [base + 1] * more + [base] * (sections - more)
    return [0, *accumulate(sizes)]


def _split(ary: Any, indices_or_sections: Any, axis: int, even: bool) -> list[Any]:
    x = operands.array(ary)
    axis_index = operands.axis_of(axis, x.ndim, "split")
    cuts = _cuts(x.shape[axis_index], indices_or_sections, even, x)
    return [operands.cut(x, axis_index, i, max(i, j)) for i, j in pairwise(cuts)]


@operands.public
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Cut an array along an axis into equal parts, or at indices; a list of views.

    Raises:
        ShapeError E108: the size is no multiple of the number of parts.

    >>> np.split(np.array([1, 2, 3, 4]), 2)
    [array([1., 2.]), array([3., 4.])]
    >>> np.split(np.array([1, 2, 3, 4]), [1])
    [array([1.]), array([2., 3., 4.])]
    """
    return _split(ary, indices_or_sections, axis, even=True)


@operands.public
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Cut an array along an axis into parts whose sizes differ by 1 at most; a list of views.

    >>> np.array_split(np.array([1, 2, 3]), 2)
    [array([1., 2.]), array([3.])]
    """
    return _split(ary, indices_or_sections, axis, even=False)


@operands.public
def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Cut an array along axis 1, or along the only axis, as `split` does; a list of views.

    >>> np.hsplit(np.array([[1, 2], [3, 4]]), 2)
    [array([[1.],
           [3.]]), array([[2.],
           [4.]])]
    """
    _at_least(ary, 1, "hsplit")
    return split(ary, indices_or_sections, 0 if operands.array(ary).ndim == 1 else 1)


def _at_least(x: Any, ndim: int, name: str) -> None:
    """Refuse an array of fewer axes."""
    if operands.array(x).ndim < ndim:
        raise ShapeError("E118", f"{name} takes an array of {ndim} axes or more, got {operands.array(x).type}")


@operands.public
def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Cut an array along axis 0, as `split` does; a list of views.

    >>> np.vsplit(np.array([[1, 2], [3, 4]]), 2)
    [array([[1., 2.]]), array([[3., 4.]])]
    """
    _at_least(ary, 2, "vsplit")
    return split(ary, indices_or_sections, 0)


@operands.public
def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Cut an array along axis 2, as `split` does; a list of views.

    >>> [part.shape for part in np.dsplit(np.ones((1, 2, 4)), 2)]
    [(1, 2, 2), (1, 2, 2)]
    """
    _at_least(ary, 3, "dsplit")
    return split(ary, indices_or_sections, 2)


@operands.public
def resize(a: Any, new_shape: Any) -> Any:
    """Return the elements under another shape, repeated as often as needed.

    >>> np.resize(np.array([1, 2, 3]), (2, 2))
    array([[1., 2.],
           [3., 1.]])
    """
    x = ravel(a)
    shape = operands.sizes_from(new_shape)
    total = math.prod(shape)
    if not x.size or not total:
        return operands.result(bind1(ops.Broadcast(shape), operands.strong(0, x.dtype)))
    return copy(reshape(tile(x, -(-total // x.size))[:total], shape))


@operands.public
def shape(a: Any) -> tuple[int, ...]:
    """Return the sizes of the axes.

    >>> np.shape(np.ones((2, 3)))
    (2, 3)
    """
    sizes: tuple[int, ...] = operands.array(a).shape
    return sizes


@operands.public
def ndim(a: Any) -> int:
    """Return the number of axes.

    >>> np.ndim(np.ones((2, 3)))
    2
    """
    return len(operands.array(a).shape)


@operands.public
def size(a: Any, axis: int | None = None) -> int:
    """Return the number of elements, or the size of one axis.

    >>> np.size(np.ones((2, 3))), np.size(np.ones((2, 3)), 1)
    (6, 3)
    """
    sizes = operands.array(a).shape
    return math.prod(sizes) if axis is None else sizes[axis]

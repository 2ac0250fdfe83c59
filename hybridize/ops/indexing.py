# SPDX-License-Identifier: Apache-2.0
"""Elements by computed index: gather, scatter, and their like along one axis.

Indices are int64 and count from 0; whoever applies these ops has made negative ones positive and checked or clipped
them. Machine code clamps them once more, for safety alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy
from numpy.typing import NDArray

from hybridize.base.dims import same
from hybridize.base.dtypes import int64
from hybridize.base.errors import ArgumentError, DTypeError, OutOfBoundsError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape, TensorType
from hybridize.loops.expr import Element, Expr, Routine, index
from hybridize.ops.arithmetic import add, eq, mul, where
from hybridize.ops.elementwise import SIGNED_NUMBER, check_dtype
from hybridize.ops.op import OfComplex, Op, Operand, bind, bind1, type_of
from hybridize.ops.slicing import clamped, concat, iota
from hybridize.ops.views import Gradient, broadcast, check_axes, full, like, remaining, reshape, transpose


def _check_indices(op: Op, indices: TensorType) -> None:
    if indices.dtype != int64:
        raise DTypeError("E230", f"{op.name} takes indices of i64, got {indices}", help="cast the indices first")


def _check_bounds(op: Op, indices: TensorType, sizes: Shape, x: TensorType) -> None:
    if indices.size and 0 in sizes:
        raise OutOfBoundsError("E110", f"{op.name} of {x} by {indices}: the axis is empty", help="test x.size first")


@frozen
class Gather(Op):
    """`x` at `indices` along `axis`: the axes of `indices` stand where `axis` was."""

    of_complex = OfComplex.HOLOMORPHIC
    moves = True

    axis: int

    shares = True

    def infer(self, x: TensorType, indices: TensorType) -> tuple[TensorType, ...]:
        check_axes(self, (self.axis,), x)
        _check_indices(self, indices)
        _check_bounds(self, indices, (x.shape[self.axis],), x)
        return (TensorType((*x.shape[: self.axis], *indices.shape, *x.shape[self.axis + 1 :]), x.dtype),)

    def reference(self, x: NDArray[Any], indices: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (numpy.asarray(numpy.take(x, indices, self.axis)),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, indices: Operand) -> tuple[Gradient, ...]:
        """Added up at the rows they came from, with the axis moved to the front."""
        kind, at = type_of(x), type_of(indices)
        front = (self.axis, *(k for k in range(kind.ndim) if k != self.axis))
        inner = range(self.axis, self.axis + at.ndim)
        outer = (k for k in range(kind.ndim - 1 + at.ndim) if k not in inner)
        updates = transpose(g[0], (*inner, *outer))
        base = like(0, transpose(x, front))
        total = scatter_nd(base, reshape(indices, (*at.shape, 1)), updates, "add")
        return transpose(total, inverse(front)), None

    def mapped(self, length: int, along: Sequence[bool], x: Operand, indices: Operand) -> tuple[Operand, ...]:
        """Rows of all positions in one array where there are several, else indices of all positions in one."""
        kind, at = type_of(x), type_of(indices)
        if not along[1]:
            return bind(Gather(self.axis + 1), x, indices)
        if not along[0]:
            inner = at.ndim - 1
            order = (self.axis, *range(self.axis), *range(self.axis + 1, kind.ndim + inner))
            return (transpose(gather(x, indices, self.axis), order),)
        front = (0, self.axis + 1, *(k for k in range(1, kind.ndim) if k != self.axis + 1))
        rows = transpose(x, front)
        sizes = type_of(rows).shape
        start = mul(iota(at.shape, 0, int64), like(sizes[1], indices))
        result = gather(reshape(rows, (length * sizes[1], *sizes[2:])), add(indices, start), 0)
        order = (
            0,
            *range(at.ndim, at.ndim + self.axis),
            *range(1, at.ndim),
            *range(at.ndim + self.axis, kind.ndim + at.ndim - 2),
        )
        return (transpose(result, order),)

    def lower(self, x: Element, indices: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        size, ndim = types[0].shape[self.axis], types[1].ndim

        def element(index_of: tuple[Expr, ...]) -> Expr:
            at = clamped(indices(index_of[self.axis : self.axis + ndim]), size)
            return x((*index_of[: self.axis], at, *index_of[self.axis + ndim :]))

        return (element,)


def inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes `order`."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


@frozen
class GatherND(Op):
    """`x` at points: the last axis of `indices` [..., k] holds an index for each of the first k axes of `x`."""

    of_complex = OfComplex.HOLOMORPHIC
    moves = True

    shares = True

    def infer(self, x: TensorType, indices: TensorType) -> tuple[TensorType, ...]:
        count = _points(self, x, indices)
        _check_bounds(self, indices, x.shape[:count], x)
        return (TensorType((*indices.shape[:-1], *x.shape[count:]), x.dtype),)

    def reference(self, x: NDArray[Any], indices: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (numpy.asarray(x[tuple(numpy.moveaxis(indices, -1, 0))]),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, indices: Operand) -> tuple[Gradient, ...]:
        return scatter_nd(like(0, x), indices, g[0], "add"), None

    def mapped(self, length: int, along: Sequence[bool], x: Operand, indices: Operand) -> tuple[Operand, ...]:
        """Points of all positions; where each has an array of its own, they begin with the position."""
        if along[0] and not along[1]:
            indices = broadcast(indices, (length, *type_of(indices).shape))
        return bind(self, x, _with_position(indices) if along[0] else indices)

    def lower(self, x: Element, indices: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        sizes, ndim, count = types[0].shape, types[1].ndim - 1, types[1].shape[-1]

        def element(index_of: tuple[Expr, ...]) -> Expr:
            at = (clamped(indices((*index_of[:ndim], index(k))), sizes[k]) for k in range(count))
            return x((*at, *index_of[ndim:]))

        return (element,)


def _points(op: Op, x: TensorType, indices: TensorType) -> int:
    """Return the number of axes of `x` that a point names."""
    _check_indices(op, indices)
    if indices.ndim == 0 or not 1 <= indices.shape[-1] <= x.ndim:
        raise ShapeError("E158", f"{op.name} of {x} by {indices}", help="along the last axis, give one index per axis")
    return indices.shape[-1]


@frozen
class ScatterND(Op):
    """`base` with `updates` set at or added to the points that `indices` [..., k] name.

    Points that come again: with "add" all count, with "set" the last one in row-major order.
    """

    of_complex = OfComplex.HOLOMORPHIC
    mode: str

    sums = True

    def infer(self, base: TensorType, indices: TensorType, updates: TensorType) -> tuple[TensorType, ...]:
        count = _points(self, base, indices)
        if self.mode not in ("set", "add"):
            raise ArgumentError("E340", f"scatter_nd mode must be set or add, got {self.mode!r}")
        wanted = TensorType((*indices.shape[:-1], *base.shape[count:]), base.dtype)
        if updates.shape != wanted.shape:
            raise ShapeError("E159", f"scatter_nd into {base} by {indices}: updates must be {wanted}, got {updates}")
        if updates.dtype != wanted.dtype:
            raise DTypeError("E231", f"scatter_nd of {updates} into {base}", help="cast the updates first")
        if self.mode == "add":
            check_dtype(self.name, SIGNED_NUMBER, base)
        _check_bounds(self, indices, base.shape[:count], base)
        return (base,)

    def reference(self, base: NDArray[Any], indices: NDArray[Any], updates: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        y = base.copy()
        count = indices.shape[-1]
        points = tuple(indices.reshape(-1, count).T)
        values = updates.reshape(len(points[0]), *base.shape[count:])
        if self.mode == "add":
            numpy.add.at(y, points, values)
        else:
            y[points] = values
        return (y,)

    def eager(self, base: NDArray[Any], indices: NDArray[Any], updates: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """By one flat index for each number: NumPy adds at those ten times as fast as at rows, in the same order."""
        if base.dtype.kind == "V":  # bfloat16, which NumPy adds no faster
            return self.reference(base, indices, updates)
        y = base.copy()
        count = indices.shape[-1]
        flat = indices[..., 0]
        for k in range(1, count):
            flat = flat * base.shape[k] + indices[..., k]
        width = math.prod(base.shape[count:])
        if width != 1:
            flat = flat.reshape(-1, 1) * width + numpy.arange(width)
        if self.mode == "add":
            numpy.add.at(y.reshape(-1), flat.reshape(-1), updates.reshape(-1))
        else:
            y.reshape(-1)[flat.reshape(-1)] = updates.reshape(-1)
        return (y,)

    def vjp(
        self, g: tuple[Operand], y: tuple[Operand], base: Operand, indices: Operand, updates: Operand
    ) -> tuple[Gradient, ...]:
        if self.mode == "add":
            return g[0], None, gather_nd(g[0], indices)
        # Of points that come again only the last one shows: mark each update with its number, and see which stayed.
        kind, at = type_of(updates), type_of(indices)
        rows = at.shape[:-1]
        count = 1
        for size in rows:
            count *= size
        numbers_ = _numbered(rows, kind, count)
        marks = scatter_nd(_minus_one(type_of(base)), indices, numbers_, "set")
        stayed = eq(gather_nd(marks, indices), numbers_)
        return (
            scatter_nd(g[0], indices, like(0, updates), "set"),
            None,
            where(stayed, gather_nd(g[0], indices), like(0, updates)),
        )

    def mapped(self, length: int, along: Sequence[bool], *xs: Operand) -> tuple[Operand, ...]:
        """Points begin with the position."""
        base, indices, updates = xs
        return bind(self, base, _with_position(indices), updates)

    def lower(self, base: Element, indices: Element, updates: Element, *, types: tuple[TensorType, ...]) -> Routine:
        return Routine(self.name, (self.mode,))


def _numbered(rows: Shape, kind: TensorType, count: int) -> Operand:
    """The number of its row at each element of `kind`, whose first axes are `rows`."""
    flat = reshape(iota((count,), 0, int64), (*rows, *(1,) * (kind.ndim - len(rows))))
    return broadcast(flat, kind.shape)


def _minus_one(kind: TensorType) -> Operand:
    return full(-1, kind.with_dtype(int64))


@frozen
class TakeAlongAxis(Op):
    """`x` at `indices` along `axis`, one index for each element: other axes have equal sizes."""

    axes_named: ClassVar[tuple[str, ...]] = ("axis",)
    of_complex = OfComplex.HOLOMORPHIC
    moves = True

    axis: int

    def infer(self, x: TensorType, indices: TensorType) -> tuple[TensorType, ...]:
        check_axes(self, (self.axis,), x)
        _check_indices(self, indices)
        if indices.ndim != x.ndim or remaining(indices.shape, (self.axis,)) != remaining(x.shape, (self.axis,)):
            raise ShapeError("E160", f"take_along_axis of {x} by {indices} on axis {self.axis}: other sizes must agree")
        _check_bounds(self, indices, (x.shape[self.axis],), x)
        return (TensorType(indices.shape, x.dtype),)

    def reference(self, x: NDArray[Any], indices: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (numpy.take_along_axis(x, indices, self.axis),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, indices: Operand) -> tuple[Gradient, ...]:
        """Added up where they came from; where one comes of each row, a comparison says where, and nothing is added."""
        shape = type_of(x).shape
        if same(type_of(indices).shape[self.axis], 1):
            own = eq(broadcast(indices, shape), iota(shape, self.axis, int64))
            return where(own, broadcast(g[0], shape), like(0, x)), None
        return add_along_axis(like(0, x), indices, g[0], self.axis), None

    def lower(self, x: Element, indices: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        size = types[0].shape[self.axis]

        def element(index_of: tuple[Expr, ...]) -> Expr:
            return x((*index_of[: self.axis], clamped(indices(index_of), size), *index_of[self.axis + 1 :]))

        return (element,)


def _with_position(indices: Operand) -> Operand:
    """Points that begin with their position along the first axis."""
    shape = type_of(indices).shape
    return concat(iota((*shape[:-1], 1), 0, int64), indices, axis=len(shape) - 1)


def add_along_axis(base: Operand, indices: Operand, updates: Operand, axis: int) -> Operand:
    """`base` with `updates` added at `indices` along `axis`, one index for each: `take_along_axis` backwards."""
    shape = type_of(indices).shape
    grid = [indices if k == axis else iota(shape, k, int64) for k in range(len(shape))]
    points = concat(*(reshape(part, (*shape, 1)) for part in grid), axis=len(shape))
    return scatter_nd(base, points, updates, "add")


def gather(x: Operand, indices: Operand, axis: int) -> Operand:
    """`x` at `indices` (i64, within bounds) along `axis`."""
    return bind1(Gather(axis), x, indices)


def gather_nd(x: Operand, indices: Operand) -> Operand:
    """`x` at the points that the last axis of `indices` names."""
    return bind1(GatherND(), x, indices)


def scatter_nd(base: Operand, indices: Operand, updates: Operand, mode: str) -> Operand:
    """`base` with `updates` "set" at or "add"ed to the points that the last axis of `indices` names."""
    return bind1(ScatterND(mode), base, indices, updates)


def take_along_axis(x: Operand, indices: Operand, axis: int) -> Operand:
    """`x` at `indices` along `axis`, one index for each element."""
    return bind1(TakeAlongAxis(axis), x, indices)

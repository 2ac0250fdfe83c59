# SPDX-License-Identifier: Apache-2.0
"""Slices that begin where data says: a part of known length along one axis, taken or written (*dynamic slices*).

The start is an int64 without axes that counts from 0; whoever applies these ops has checked that the part is within
the axis. Reference and machine code move it there once more, for safety alone.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from hybridize.base.dtypes import int64
from hybridize.base.errors import DTypeError, OutOfBoundsError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element, Expr, Routine
from hybridize.ops.op import OfComplex, Op, Operand, bind1, type_of
from hybridize.ops.slicing import clamped
from hybridize.ops.views import Gradient, check_axes, like


def _check(op: Op, x: TensorType, start: TensorType, axis: int, length: int) -> None:
    check_axes(op, (axis,), x)
    if start.dtype != int64 or start.shape != ():
        raise DTypeError("E230", f"{op.name} begins at {start}", help="give one int64 without axes")
    if not 0 <= length <= x.shape[axis]:
        raise OutOfBoundsError(
            "E110",
            f"{op.name} of {length} elements along axis {axis} of {x}",
            help="take at most as many elements as the axis has",
        )


def _part(start: NDArray[Any], length: int, size: int, axis: int) -> tuple[slice, ...]:
    first = min(max(int(start), 0), size - length)
    return (*(slice(None),) * axis, slice(first, first + length))


@frozen
class SliceAt(Op):
    """The `length` elements of `x` along `axis` from index `start` on."""

    of_complex = OfComplex.HOLOMORPHIC
    axis: int
    length: int

    moves = True

    def infer(self, x: TensorType, start: TensorType) -> tuple[TensorType, ...]:
        _check(self, x, start, self.axis, self.length)
        return (x.with_shape((*x.shape[: self.axis], self.length, *x.shape[self.axis + 1 :])),)

    def reference(self, x: NDArray[Any], start: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (x[_part(start, self.length, x.shape[self.axis], self.axis)].copy(),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, start: Operand) -> tuple[Gradient, ...]:
        return update_at(like(0, x), start, g[0], self.axis), None

    def lower(self, x: Element, start: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        room = types[0].shape[self.axis] - self.length + 1

        def element(index: tuple[Expr, ...]) -> Expr:
            at = loops.add(clamped(start(()), room), index[self.axis])
            return x((*index[: self.axis], at, *index[self.axis + 1 :]))

        return (element,)


@frozen
class UpdateAt(Op):
    """`base` with its elements along `axis` from index `start` on replaced by those of `update`."""

    of_complex = OfComplex.HOLOMORPHIC
    axis: int

    def infer(self, base: TensorType, start: TensorType, update: TensorType) -> tuple[TensorType, ...]:
        if update.ndim != base.ndim or not 0 <= self.axis < base.ndim:
            raise ShapeError("E159", f"update_at of {base} along axis {self.axis} by {update}: other axes, or others")
        _check(self, base, start, self.axis, update.shape[self.axis])
        wanted = base.with_shape((*base.shape[: self.axis], update.shape[self.axis], *base.shape[self.axis + 1 :]))
        if update.shape != wanted.shape:
            raise ShapeError("E159", f"update_at of {base} along axis {self.axis}: {update} should be like {wanted}")
        if update.dtype != base.dtype:
            raise DTypeError("E231", f"update_at of {base} by {update}", help="cast the update first")
        return (base,)

    def reference(self, base: NDArray[Any], start: NDArray[Any], update: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        y = base.copy()
        y[_part(start, update.shape[self.axis], base.shape[self.axis], self.axis)] = update
        return (y,)

    def vjp(
        self, g: tuple[Operand], y: tuple[Operand], base: Operand, start: Operand, update: Operand
    ) -> tuple[Gradient, ...]:
        length = type_of(update).shape[self.axis]
        return update_at(g[0], start, like(0, update), self.axis), None, slice_at(g[0], start, self.axis, length)

    def lower(self, base: Element, start: Element, update: Element, *, types: tuple[TensorType, ...]) -> Routine:
        return Routine(self.name, (self.axis,))


def slice_at(x: Operand, start: Operand, axis: int, length: int) -> Operand:
    """The `length` elements of `x` along `axis` from index `start` (int64, without axes) on."""
    return bind1(SliceAt(axis, length), x, start)


def update_at(base: Operand, start: Operand, update: Operand, axis: int) -> Operand:
    """`base` with `update` written along `axis` from index `start` (int64, without axes) on."""
    return bind1(UpdateAt(axis), base, start, update)

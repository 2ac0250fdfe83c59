# SPDX-License-Identifier: Apache-2.0
"""Products with the first rows of a matrix, as many as data says: what attention reads of a cache that fills up.

The count is an int64 without axes. Reference and machine code bring it between 0 and the number of rows; whoever
applies these ops has checked it. Rows from there on are neither read nor multiplied.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import float32, int64, is_float
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType, same_shape
from hybridize.loops.expr import Element, Routine
from hybridize.ops.arithmetic import lt, where
from hybridize.ops.matmul import matmul
from hybridize.ops.op import Op, Operand, bind1, type_of
from hybridize.ops.slicing import iota
from hybridize.ops.views import Gradient, broadcast, like, reshape, transpose


def _check(op: Op, x: TensorType, rows: TensorType, count: TensorType) -> None:
    if x.ndim < 2 or x.ndim != rows.ndim or not same_shape(x.shape[:-2], rows.shape[:-2]):
        raise ShapeError("E159", f"{op.name} of {x} and {rows}", help="matrices in the last two axes, of equal batches")
    if count.dtype != int64 or count.shape != ():
        raise DTypeError("E230", f"{op.name} of {count} rows", help="give one int64 without axes")
    if x.dtype != rows.dtype or not is_float(x.dtype):
        raise DTypeError("E231", f"{op.name} of {x} and {rows}", help="cast both to one kind of floats first")


def _within(count: NDArray[Any], rows: NDArray[Any]) -> int:
    most: int = rows.shape[-2]
    return min(max(int(count), 0), most)


def _wide(x: NDArray[Any]) -> NDArray[Any]:
    """Sixteen bits are multiplied as float32, as everywhere."""
    return x.astype(float32) if x.dtype.itemsize < 4 else x


class _Until(Op, abstract=True):
    """Base of both: a routine of the same name."""

    sums = True

    def lower(self, x: Element, rows: Element, count: Element, *, types: tuple[TensorType, ...]) -> Routine:
        return Routine(self.name)


@frozen
class DotsUntil(_Until):
    """Products of the rows of `x` [..., m, d] and the first `count` ones of `rows` [..., n, d], 0 for the others."""

    def infer(self, x: TensorType, rows: TensorType, count: TensorType) -> tuple[TensorType, ...]:
        _check(self, x, rows, count)
        if not same_shape(x.shape[-1:], rows.shape[-1:]):
            raise ShapeError("E159", f"{self.name} of {x} and {rows}", help="rows of equal sizes")
        return (x.with_shape((*x.shape[:-1], rows.shape[-2])),)

    def reference(self, x: NDArray[Any], rows: NDArray[Any], count: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        n = _within(count, rows)
        y = numpy.zeros((*x.shape[:-1], rows.shape[-2]), x.dtype)
        y[..., :n] = _wide(x) @ _wide(rows[..., :n, :]).swapaxes(-1, -2)
        return (y,)

    def vjp(
        self, g: tuple[Operand], y: tuple[Operand], x: Operand, rows: Operand, count: Operand
    ) -> tuple[Gradient, ...]:
        return sum_until(g[0], rows, count), _outer(g[0], x, count), None


@frozen
class SumUntil(_Until):
    """Sums of the first `count` of `rows` [..., n, d], weighted by the first of each row of `x` [..., m, n]."""

    def infer(self, x: TensorType, rows: TensorType, count: TensorType) -> tuple[TensorType, ...]:
        _check(self, x, rows, count)
        if not same_shape(x.shape[-1:], rows.shape[-2:-1]):
            raise ShapeError("E159", f"{self.name} of {x} and {rows}", help="a weight for each row")
        return (x.with_shape((*x.shape[:-1], rows.shape[-1])),)

    def reference(self, x: NDArray[Any], rows: NDArray[Any], count: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        n = _within(count, rows)
        return ((_wide(x[..., :n]) @ _wide(rows[..., :n, :])).astype(x.dtype),)

    def vjp(
        self, g: tuple[Operand], y: tuple[Operand], x: Operand, rows: Operand, count: Operand
    ) -> tuple[Gradient, ...]:
        return dots_until(g[0], rows, count), _outer(x, g[0], count), None


def _outer(weights: Operand, x: Operand, count: Operand) -> Operand:
    """For each row of a matrix the sum of `x` [..., m, d], weighted by its column of `weights`; 0 from `count` on."""
    kind = type_of(weights)
    number = iota(kind.shape, kind.ndim - 1, int64)
    seen = lt(number, broadcast(reshape(count, (1,) * kind.ndim), kind.shape))
    order = (*range(kind.ndim - 2), kind.ndim - 1, kind.ndim - 2)
    return matmul(transpose(where(seen, weights, like(0, weights)), order), x)


def dots_until(x: Operand, rows: Operand, count: Operand) -> Operand:
    """Products of the rows of `x` and the first `count` of `rows`, 0 for the others."""
    return bind1(DotsUntil(), x, rows, count)


def sum_until(x: Operand, rows: Operand, count: Operand) -> Operand:
    """Sums of the first `count` of `rows`, weighted by the rows of `x`."""
    return bind1(SumUntil(), x, rows, count)

# SPDX-License-Identifier: Apache-2.0
"""Reductions other than the sum, and running ones."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable
from typing import ClassVar

import numpy
from numpy.typing import NDArray

from hybridize.base.dims import bounds
from hybridize.base.dtypes import bool_, float32, int32, int64
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element, Expr, Fold, FoldResult, Routine
from hybridize.ops import views
from hybridize.ops.arithmetic import div, eq, ge, gt, mul, where
from hybridize.ops.elementwise import SIGNED_NUMBER, check_dtype
from hybridize.ops.indexing import add_along_axis
from hybridize.ops.op import OfComplex, Op, Operand, bind1, type_of
from hybridize.ops.slicing import concat, flip, iota, slice

Array = NDArray[typing.Any]

MOST = (1 << 31) - 1
"""Elements of an axis whose positions are counted in 32 bits."""


class Prod(views.Reduction):
    """The product over `axes`, which go away; 1 over nothing. Short floats are multiplied in float32."""

    of_complex = OfComplex.HOLOMORPHIC
    fold = "prod"

    def reference(self, x: Array) -> tuple[Array, ...]:
        total = numpy.prod(x, axis=self.axes, dtype=views.wide(x.dtype))
        return (numpy.asarray(total).astype(x.dtype, copy=False),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[views.Gradient, ...]:
        """The product of all others, from both sides: right also where there are zeros."""
        shape = type_of(x).shape
        if not self.axes:
            return (g[0],)
        order = (*(k for k in range(len(shape)) if k not in self.axes), *self.axes)
        moved = views.transpose(x, order)
        count = math.prod(shape[k] for k in self.axes)
        rows = views.reshape(moved, (math.prod(views.remaining(shape, self.axes)), count))
        others = mul(_product_before(rows), flip(_product_before(flip(rows, 1)), 1))
        back = views.Transpose(order).inverse
        others = views.transpose(views.reshape(others, type_of(moved).shape), back)
        return (mul(views.spread(g[0], shape, self.axes), others),)


def _product_before(rows: Operand) -> Operand:
    """The product of all elements before each one, along axis 1."""
    n, m = type_of(rows).shape
    if m == 0:
        return rows
    one = views.full(1, TensorType((n, 1), type_of(rows).dtype))
    return cum_prod(concat(one, slice(rows, (0, 0), (n, m - 1), (1, 1)), axis=1), 1)


class _Extreme(views.Reduction, abstract=True):
    """Base of the largest and the smallest."""

    of_complex = OfComplex.VALUED

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        views.check_axes(self, self.axes, x)
        if 0 in [x.shape[axis] for axis in self.axes]:
            raise ShapeError("E156", f"{self.name} over axes {self.axes} of {x}: an empty axis has no {self.fold}")
        return (TensorType(views.remaining(x.shape, self.axes), x.dtype),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[views.Gradient, ...]:
        """Each of several elements that are equally extreme has the whole gradient."""
        return (mul(self._chosen(y[0], x), views.spread(g[0], type_of(x).shape, self.axes)),)

    def _chosen(self, y: Operand, x: Operand) -> Operand:
        """1 where an element is the extreme, else 0."""
        return views.cast(eq(x, views.spread(y, type_of(x).shape, self.axes)), type_of(x).dtype)

    def _shared(self, g: Operand, y: Operand, x: Operand) -> tuple[views.Gradient, ...]:
        chosen = self._chosen(y, x)
        return (mul(chosen, views.spread(div(g, views.sum(chosen, self.axes)), type_of(x).shape, self.axes)),)


class ReduceMax(_Extreme):
    """The largest over `axes`, which go away; NaN where there is one. At a tie each has the gradient, as in MXNet."""

    moves = True
    smooth = False
    fold = "max"
    meaning: ClassVar[Callable[..., typing.Any]] = staticmethod(numpy.max)


class ReduceMin(_Extreme):
    """The smallest over `axes`, which go away; NaN where there is one. At a tie each has the gradient, as in MXNet."""

    moves = True
    smooth = False
    fold = "min"
    meaning: ClassVar[Callable[..., typing.Any]] = staticmethod(numpy.min)


class SharedReduceMax(ReduceMax):
    """The largest over `axes`. At a tie all share the gradient, as in PyTorch."""

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[views.Gradient, ...]:
        """Elements that are equally extreme share the gradient."""
        return self._shared(g[0], y[0], x)


class SharedReduceMin(ReduceMin):
    """The smallest over `axes`. At a tie all share the gradient, as in PyTorch."""

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[views.Gradient, ...]:
        """Elements that are equally extreme share the gradient."""
        return self._shared(g[0], y[0], x)


class _Logical(views.Reduction, abstract=True):
    """Base of any and all."""

    differentiable = False

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        views.check_axes(self, self.axes, x)
        if x.dtype != bool_:
            raise DTypeError("E229", f"{self.name} takes bools, got {x}", help="compare with 0: x != 0")
        return (TensorType(views.remaining(x.shape, self.axes), bool_),)


class Any(_Logical):
    """True if any element over `axes`, which go away, is true."""

    fold = "any"
    meaning: ClassVar[Callable[..., typing.Any]] = staticmethod(numpy.any)


class All(_Logical):
    """True if all elements over `axes`, which go away, are true."""

    fold = "all"
    meaning: ClassVar[Callable[..., typing.Any]] = staticmethod(numpy.all)


@frozen
class _Arg(Op, abstract=True):
    """Base of the positions of the largest and the smallest."""

    differentiable = False
    axes_named: ClassVar[tuple[str, ...]] = ("axis",)
    of_complex = OfComplex.RULED
    fold: ClassVar[str]
    meaning: ClassVar[Callable[..., typing.Any]]
    """Its NumPy function."""
    positions = True
    axis: int

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        views.check_axes(self, (self.axis,), x)
        if x.shape[self.axis] == 0:
            raise ShapeError("E156", f"{self.name} over axis {self.axis} of {x}: an empty axis has no {self.fold}")
        return (TensorType(views.remaining(x.shape, (self.axis,)), int64),)

    def reference(self, x: Array) -> tuple[Array, ...]:
        # bfloat16 as float32: NumPy itself does not know where its NaNs go.
        comparable = x.astype(float32) if x.dtype.kind == "V" else x
        return (numpy.asarray(type(self).meaning(comparable, axis=self.axis), int64),)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        """A fold of elements and their positions, which take 32 bits where all fit."""
        shape, dtype = types[0].shape, types[0].dtype
        position = int32 if bounds(shape[self.axis])[1] <= MOST else int64

        def element(index: tuple[Expr, ...]) -> Expr:
            along = loops.axis(-1 - self.axis)
            element_value = x((*index[: self.axis], along, *index[self.axis :]))
            parts = (element_value, loops.cast(along, position))
            fold = Fold(dtype, f"arg_{self.fold}", shape[self.axis], -1 - self.axis, parts)
            return loops.cast(FoldResult(position, fold, 1), int64)

        return (element,)


class ArgMax(_Arg):
    """The index of the first largest element along `axis`, which goes away; of the first NaN where there is one."""

    fold = "max"
    meaning: ClassVar[Callable[..., typing.Any]] = staticmethod(numpy.argmax)


class ArgMin(_Arg):
    """The index of the first smallest element along `axis`, which goes away; of the first NaN where there is one."""

    fold = "min"
    meaning: ClassVar[Callable[..., typing.Any]] = staticmethod(numpy.argmin)


@frozen
class _Running(Op, abstract=True):
    """Base of running reductions: a routine of the same name over `axis`."""

    axes_named: ClassVar[tuple[str, ...]] = ("axis",)
    axis: int

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        views.check_axes(self, (self.axis,), x)
        check_dtype(self.name, SIGNED_NUMBER, x)
        return (x,)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> Routine:
        return Routine(self.name, (self.axis,))


class CumSum(_Running):
    """The sum of all elements up to each one, along `axis`. Short floats are summed in float32."""

    of_complex = OfComplex.HOLOMORPHIC
    sums = True

    def reference(self, x: Array) -> tuple[Array, ...]:
        return (numpy.cumsum(x, axis=self.axis, dtype=views.wide(x.dtype)).astype(x.dtype, copy=False),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[views.Gradient, ...]:
        return (flip(cum_sum(flip(g[0], self.axis), self.axis), self.axis),)


class CumProd(_Running):
    """The product of all elements up to each one, along `axis`. Short floats are multiplied in float32."""

    of_complex = OfComplex.HOLOMORPHIC

    def reference(self, x: Array) -> tuple[Array, ...]:
        return (numpy.cumprod(x, axis=self.axis, dtype=views.wide(x.dtype)).astype(x.dtype, copy=False),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[views.Gradient, ...]:
        """Each product without each factor: n x n values, right also where there are zeros."""
        kind = type_of(x)
        order = (*(k for k in range(kind.ndim) if k != self.axis), self.axis)
        size = kind.shape[self.axis]
        rows = tuple(kind.shape[k] for k in order[:-1])
        square = (*rows, size, size)
        apart = TensorType(square, kind.dtype)

        def spread_last(z: Operand) -> Operand:
            return views.spread(views.transpose(z, order), square, (len(rows),))

        factor, term = iota(square, len(rows), int64), iota(square, len(rows) + 1, int64)
        without = where(eq(factor, term), views.full(1, apart), spread_last(x))
        terms = mul(cum_prod(without, len(rows) + 1), spread_last(g[0]))
        total = views.sum(where(ge(term, factor), terms, views.full(0, apart)), (len(rows) + 1,))
        return (views.transpose(total, views.Transpose(order).inverse),)


class CumMax(_Running):
    """The largest of all elements up to each one, along `axis`; NaN from the first NaN on."""

    def reference(self, x: Array) -> tuple[Array, ...]:
        return (numpy.maximum.accumulate(x, axis=self.axis),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[views.Gradient, ...]:
        """All to the first element that reached the value."""
        kind = type_of(x)
        if kind.size == 0:
            return (g[0],)
        size = kind.shape[self.axis]
        starts = (0,) * kind.ndim
        stops = tuple(size - 1 if k == self.axis else length for k, length in enumerate(kind.shape))
        first = tuple(1 if k == self.axis else length for k, length in enumerate(kind.shape))
        position = iota(kind.shape, self.axis, int64)
        before = concat(
            slice(y[0], starts, first, (1,) * kind.ndim), slice(y[0], starts, stops, (1,) * kind.ndim), axis=self.axis
        )
        reached = where(gt(x, before), position, views.like(0, position))
        return (add_along_axis(views.like(0, x), cum_max(reached, self.axis), g[0], self.axis),)


def prod(x: Operand, axes: tuple[int, ...]) -> Operand:
    """The product over `axes`."""
    return bind1(Prod(axes), x)


def reduce_max(x: Operand, axes: tuple[int, ...]) -> Operand:
    """The largest over `axes`."""
    return bind1(ReduceMax(axes), x)


def reduce_min(x: Operand, axes: tuple[int, ...]) -> Operand:
    """The smallest over `axes`."""
    return bind1(ReduceMin(axes), x)


def shared_reduce_max(x: Operand, axes: tuple[int, ...]) -> Operand:
    """The largest over `axes`; at a tie all share the gradient."""
    return bind1(SharedReduceMax(axes), x)


def shared_reduce_min(x: Operand, axes: tuple[int, ...]) -> Operand:
    """The smallest over `axes`; at a tie all share the gradient."""
    return bind1(SharedReduceMin(axes), x)


def any(x: Operand, axes: tuple[int, ...]) -> Operand:
    """True if any element over `axes` is true."""
    return bind1(Any(axes), x)


def all(x: Operand, axes: tuple[int, ...]) -> Operand:
    """True if all elements over `axes` are true."""
    return bind1(All(axes), x)


def arg_max(x: Operand, axis: int) -> Operand:
    """The index of the first largest element along `axis`."""
    return bind1(ArgMax(axis), x)


def arg_min(x: Operand, axis: int) -> Operand:
    """The index of the first smallest element along `axis`."""
    return bind1(ArgMin(axis), x)


def cum_sum(x: Operand, axis: int) -> Operand:
    """The sum of all elements up to each one, along `axis`."""
    return bind1(CumSum(axis), x)


def cum_prod(x: Operand, axis: int) -> Operand:
    """The product of all elements up to each one, along `axis`."""
    return bind1(CumProd(axis), x)


def cum_max(x: Operand, axis: int) -> Operand:
    """The largest of all elements up to each one, along `axis`."""
    return bind1(CumMax(axis), x)

# SPDX-License-Identifier: Apache-2.0
"""The ops that only rename elements (reshape, transpose, broadcast), casts, and the sum, broadcast's transpose."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy
from numpy.typing import NDArray

from hybridize.base.dims import fits, grouped, is_symbolic, same, stretches
from hybridize.base.dtypes import (
    CODES,
    DType,
    bool_,
    converted,
    is_inexact,
)
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.precision import wide as wide
from hybridize.base.types import Shape, TensorType, surely_same
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element, Expr, Fold
from hybridize.ops.elementwise import SIGNED_NUMBER, check_dtype
from hybridize.ops.op import OfComplex, Op, Operand, bind1, constant, type_of
from hybridize.ops.sizes import size_of

Gradient = Operand | None


def remaining(shape: Shape, axes: Sequence[int]) -> Shape:
    """`shape` without `axes`."""
    return tuple(size for k, size in enumerate(shape) if k not in axes)


def ones_at(shape: Shape, axes: Sequence[int]) -> Shape:
    """`shape` with size 1 along `axes`: what a reduced array broadcasts from."""
    return tuple(1 if k in axes else size for k, size in enumerate(shape))


def check_axes(op: Op, axes: Sequence[int], kind: TensorType) -> None:
    """Raise unless `axes` are increasing axes of `kind`."""
    if any(not 0 <= axis < kind.ndim for axis in axes) or any(a >= b for a, b in pairwise(axes)):
        raise ShapeError(
            "E142",
            f"{op.name} over axes {tuple(axes)} of {kind}",
            help="give the axes in increasing order, each once, counted from 0",
        )


@frozen
class Cast(Op):
    """`x` as another dtype: floats truncate to integers, beyond their range to its ends; bools are true unless zero.

    Of complex numbers that become real the imaginary part is dropped.
    """

    of_complex = OfComplex.RULED
    by_element = True

    dtype: DType

    linear = rematerialised = True

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        if self.dtype not in CODES:
            raise DTypeError("E235", f"{self.dtype} is not a dtype to cast to")
        return (TensorType(x.shape, self.dtype),)

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (converted(x, self.dtype),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        kind = type_of(x).dtype
        # Rounding has no slope. What casts integers that are differentiated, as in MXNet, passes the gradient back.
        # Of a complex number, the real part is taken, or was: either way the other one has no part in it.
        return (None if is_inexact(kind) and not is_inexact(self.dtype) else cast(g[0], kind),)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        return (lambda index: loops.cast(x(index), self.dtype),)


@frozen
class StopGradient(Op):
    """`x`, of which a backward pass remembers nothing."""

    differentiable = False
    axes_named: ClassVar[tuple[str, ...]] = ()
    of_complex = OfComplex.RULED
    moves = True

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        return (x,)

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (x,)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        return (x,)


@frozen
class Broadcast(Op):
    """`x` stretched to `shape` by NumPy's rules: axes of size 1 repeat, new axes come in front."""

    of_complex = OfComplex.HOLOMORPHIC
    expands = True

    shape: Shape

    linear = rematerialised = moves = True
    view = True

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        shape, extra = x.shape, len(self.shape) - len(x.shape)
        if extra < 0 or not all(map(fits, shape, self.shape[extra:])):
            raise ShapeError("E143", f"broadcast of {x} to {self.shape}", help="the last sizes must be equal or 1")
        return (TensorType(self.shape, x.dtype),)

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (numpy.broadcast_to(x, self.shape),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        kind = type_of(x)
        if kind.dtype == bool_:
            return (None,)
        extra = len(self.shape) - kind.ndim
        new = range(extra)
        sizes = enumerate(zip(kind.shape, self.shape[extra:], strict=True), extra)
        stretched = [axis for axis, (size, wide) in sizes if not same(size, wide) and stretches(size, wide)]
        total = sum(g[0], (*new, *stretched))
        return (reshape(total, kind.shape),)

    def mapped(self, length: int, along: Sequence[bool], x: Operand) -> tuple[Operand, ...]:
        """The axes that come in front come behind the new one."""
        inner = type_of(x).shape[1:]
        extra = (1,) * (len(self.shape) - len(inner))
        return (broadcast(reshape(x, (length, *extra, *inner)), (length, *self.shape)),)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        shape = types[0].shape
        extra = len(self.shape) - len(shape)

        def element(index: tuple[Expr, ...]) -> Expr:
            sizes = zip(shape, self.shape[extra:], index[extra:], strict=True)
            return x(tuple(loops.index(0) if stretches(size, wide) else at for size, wide, at in sizes))

        return (element,)


@frozen
class Reshape(Op):
    """The elements of `x` in row-major order, under another shape."""

    of_complex = OfComplex.HOLOMORPHIC
    shape: Shape

    linear = rematerialised = moves = True
    view = True

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        if math.prod(self.shape) != x.size or any(size < 0 for size in self.shape):
            raise ShapeError("E144", f"reshape of {x} to {self.shape}: {x.size} elements, not {math.prod(self.shape)}")
        return (TensorType(self.shape, x.dtype),)

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (x.reshape(self.shape),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        return (reshape(g[0], type_of(x).shape),)

    def mapped(self, length: int, along: Sequence[bool], x: Operand) -> tuple[Operand, ...]:
        return (reshape(x, (length, *self.shape)),)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        source = types[0].shape
        groups = grouped(source, self.shape)

        def element(index: tuple[Expr, ...]) -> Expr:
            indices: list[Expr] = [loops.index(0)] * len(source)
            for old, new in groups:
                flat = raveled([index[k] for k in new], [self.shape[k] for k in new])
                for k, part in zip(old, unraveled(flat, [source[k] for k in old]), strict=True):
                    indices[k] = part
            return x(tuple(indices))

        return (element,)


def raveled(index: Sequence[Expr], sizes: Sequence[int]) -> Expr:
    """The row-major position of `index` in an array of `sizes`."""
    flat: Expr = loops.index(0)
    for part, size in zip(index, sizes, strict=True):
        flat = loops.add(loops.mul(flat, loops.index(size)), part)
    return flat


def unraveled(flat: Expr, sizes: Sequence[int]) -> list[Expr]:
    """The index at a row-major position."""
    indices: list[Expr] = []
    for k, size in enumerate(sizes):
        below = math.prod(sizes[k + 1 :])
        part = flat if same(below, 1) else loops.call("floordiv", flat, loops.index(max(below, 1)))
        indices.append(part if k == 0 else loops.call("mod", part, loops.index(max(size, 1))))
    return indices


@frozen
class Transpose(Op):
    """The axes of `x` in another order: axis k of the result is axis `axes[k]` of `x`."""

    of_complex = OfComplex.HOLOMORPHIC
    axes: tuple[int, ...]

    linear = rematerialised = moves = True
    view = True

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        if sorted(self.axes) != list(range(x.ndim)):
            raise ShapeError("E145", f"transpose of {x} by axes {self.axes}", help="name each axis once, from 0")
        return (TensorType(tuple(x.shape[axis] for axis in self.axes), x.dtype),)

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (x.transpose(self.axes),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        return (transpose(g[0], self.inverse),)

    def mapped(self, length: int, along: Sequence[bool], x: Operand) -> tuple[Operand, ...]:
        return (transpose(x, (0, *(axis + 1 for axis in self.axes))),)

    @property
    def inverse(self) -> tuple[int, ...]:
        """The axes that undo it."""
        back = [0] * len(self.axes)
        for k, axis in enumerate(self.axes):
            back[axis] = k
        return tuple(back)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        inverse = self.inverse
        return (lambda index: x(tuple(index[k] for k in inverse)),)


@frozen
class Reduction(Op, abstract=True):
    """Base of the ops that fold axes, which go away."""

    axes_named: ClassVar[tuple[str, ...]] = ("axes",)
    fold: ClassVar[str]
    """The kind of the folds."""
    meaning: ClassVar[Callable[..., Any]]
    """Its NumPy function, where that says all of it."""
    axes: tuple[int, ...]

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        check_axes(self, self.axes, x)
        check_dtype(self.name, SIGNED_NUMBER, x)
        return (TensorType(remaining(x.shape, self.axes), x.dtype),)

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (numpy.asarray(type(self).meaning(x, axis=self.axes)),)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        return (folded(self.fold, x, types[0], self.axes),)


class Sum(Reduction):
    """The sum over `axes`, which go away; 0 over nothing. Short floats are summed in float32; integers wrap."""

    of_complex = OfComplex.HOLOMORPHIC
    fold = "sum"
    sums = True

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        if not self.axes:
            return (x,)
        total = numpy.sum(x, axis=self.axes, dtype=wide(x.dtype))
        return (numpy.asarray(total).astype(x.dtype, copy=False),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        return (spread(g[0], type_of(x).shape, self.axes),)


def folded(kind: str, x: Element, of: TensorType, axes: tuple[int, ...]) -> Element:
    """The element of a reduction: one fold per axis, the last axis innermost. The variable of axis k is -(1 + k)."""
    accumulator = wide(of.dtype) if kind in ("sum", "prod") else of.dtype

    def element(index: tuple[Expr, ...]) -> Expr:
        outer = iter(index)
        indices = tuple(loops.axis(-1 - k) if k in axes else next(outer) for k in range(of.ndim))
        body = loops.cast(x(indices), accumulator)
        for axis in reversed(axes):
            body = Fold(accumulator, kind, of.shape[axis], -1 - axis, (body,))
        return loops.cast(body, of.dtype)

    return element


def cast(x: Operand, dtype: DType) -> Operand:
    """`x` as `dtype`; `x` itself when it is so already."""
    return x if type_of(x).dtype == dtype else bind1(Cast(dtype), x)


def stop_gradient(x: Operand) -> Operand:
    """`x`, of which a backward pass remembers nothing."""
    return bind1(StopGradient(), x)


def broadcast(x: Operand, shape: Shape) -> Operand:
    """`x` stretched to `shape`; `x` itself when it is so already."""
    return x if surely_same(type_of(x).shape, shape) else bind1(Broadcast(shape), x)


def reshape(x: Operand, shape: Shape) -> Operand:
    """`x` under another shape; `x` itself when it has it already."""
    return x if surely_same(type_of(x).shape, shape) else bind1(Reshape(shape), x)


def transpose(x: Operand, axes: tuple[int, ...]) -> Operand:
    """`x` with its axes in another order; `x` itself when it is the same."""
    return x if axes == tuple(range(len(axes))) else bind1(Transpose(axes), x)


def sum(x: Operand, axes: tuple[int, ...]) -> Operand:
    """The sum over `axes`; `x` itself over none."""
    return bind1(Sum(axes), x) if axes else x


def spread(x: Operand, shape: Shape, axes: tuple[int, ...]) -> Operand:
    """A reduced array back over the `axes` that it was reduced along."""
    return broadcast(reshape(x, ones_at(shape, axes)), shape)


def full(value: Any, kind: TensorType) -> Operand:
    """An operand of the given type that is `value`, which may be a size, everywhere."""
    number = cast(size_of(value), kind.dtype) if is_symbolic(value) else constant(numpy.asarray(value, kind.dtype))
    return broadcast(number, kind.shape)


def like(value: Any, x: Operand) -> Operand:
    """An operand of the type of `x` that is `value` everywhere."""
    return full(value, type_of(x))

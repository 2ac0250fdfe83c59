# SPDX-License-Identifier: Apache-2.0
"""Parts of arrays: slices, writing them, joining, padding, and counting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy
from numpy.typing import NDArray

from hybridize.base.dims import same
from hybridize.base.dtypes import REALS, DType, bool_
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape, TensorType
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element, Expr
from hybridize.ops.op import OfComplex, Op, Operand, bind, bind1, type_of
from hybridize.ops.views import Gradient, broadcast, like, reshape, sum

Steps = tuple[int, ...]
Ranges = tuple[Steps, Steps, Steps]
"""Starts, stops and steps, along every axis."""


def _behind(length: int, starts: Steps, stops: Steps, steps: Steps) -> Ranges:
    """Ranges behind all of a new first axis."""
    return (0, *starts), (length, *stops), (1, *steps)


def clamped(x: Expr, size: int) -> Expr:
    """An index moved into 0 .. size - 1."""
    return loops.call("max", loops.call("min", x, loops.index(size - 1)), loops.index(0))


def both(x: Expr | None, y: Expr | None) -> Expr | None:
    """The conjunction of two conditions, either of which may be absent (true)."""
    return y if x is None else x if y is None else loops.call("and", x, y)


def _lengths(op: Op, kind: TensorType, starts: Steps, stops: Steps, steps: Steps) -> Shape:
    """Sizes of a slice; raises unless it is normal: every index it takes is within bounds."""
    lengths = []
    if not len(starts) == len(stops) == len(steps) == kind.ndim:
        raise ShapeError("E147", f"{op.name} of {kind} from {starts} to {stops} by {steps}: give one number per axis")
    for size, start, stop, step in zip(kind.shape, starts, stops, steps, strict=True):
        length = 0 if step == 0 else max(0, -((start - stop) // step))
        last = start + (length - 1) * step
        if step == 0 or (length and not (0 <= start < size and 0 <= last < size)):
            raise ShapeError(
                "E148",
                f"{op.name} of {kind}: {start}:{stop}:{step} is not a range within an axis of size {size}",
                help="starts and stops are counted from 0; a stop of -1 means before the first element",
            )
        lengths.append(length)
    return tuple(lengths)


def _python_slices(starts: Steps, stops: Steps, steps: Steps) -> tuple[Any, ...]:
    """The same in Python, where a stop of -1 means another thing."""
    return tuple(_slice(a, b if b >= 0 else None, c) for a, b, c in zip(starts, stops, steps, strict=True))


_slice = slice


@frozen
class Slice(Op):
    """Elements start, start + step, ... before stop, along every axis. Steps may be negative, stops then -1."""

    of_complex = OfComplex.HOLOMORPHIC
    starts: Steps
    stops: Steps
    steps: Steps

    linear = rematerialised = moves = True
    view = True

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        return (TensorType(_lengths(self, x, self.starts, self.stops, self.steps), x.dtype),)

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (numpy.asarray(x[_python_slices(self.starts, self.stops, self.steps)]),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        if type_of(y[0]).size == 0:
            return (like(0, x),)
        return (update_slice(like(0, x), g[0], self.starts, self.stops, self.steps),)

    def mapped(self, length: int, along: Sequence[bool], *xs: Operand) -> tuple[Operand, ...]:
        return bind(type(self)(*_behind(length, self.starts, self.stops, self.steps)), *xs)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        def element(index: tuple[Expr, ...]) -> Expr:
            parts = zip(index, self.starts, self.steps, strict=True)
            return x(tuple(loops.add(loops.mul(i, loops.index(step)), loops.index(start)) for i, start, step in parts))

        return (element,)


@frozen
class UpdateSlice(Op):
    """`base` with the elements that `Slice` would take replaced by `update`."""

    of_complex = OfComplex.HOLOMORPHIC
    starts: Steps
    stops: Steps
    steps: Steps

    linear = True

    def infer(self, base: TensorType, update: TensorType) -> tuple[TensorType, ...]:
        wanted = TensorType(_lengths(self, base, self.starts, self.stops, self.steps), base.dtype)
        if update.shape != wanted.shape:
            raise ShapeError("E149", f"update_slice of {base}: the slice is {wanted}, but the update is {update}")
        if update.dtype != wanted.dtype:
            raise DTypeError("E225", f"update_slice of {base} with {update}", help="cast the update first")
        return (base,)

    def reference(self, base: NDArray[Any], update: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        y = base.copy()
        y[_python_slices(self.starts, self.stops, self.steps)] = update
        return (y,)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], base: Operand, update: Operand) -> tuple[Gradient, ...]:
        where = (self.starts, self.stops, self.steps)
        if type_of(update).size == 0:
            return g[0], like(0, update)
        return update_slice(g[0], like(0, update), *where), slice(g[0], *where)

    def mapped(self, length: int, along: Sequence[bool], *xs: Operand) -> tuple[Operand, ...]:
        return bind(type(self)(*_behind(length, self.starts, self.stops, self.steps)), *xs)

    def lower(self, base: Element, update: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        lengths = types[1].shape
        if types[1].size == 0:
            return (base,)

        def element(index: tuple[Expr, ...]) -> Expr:
            inside: Expr | None = None
            indices = []
            for i, size, length, start, step in zip(
                index, types[0].shape, lengths, self.starts, self.steps, strict=True
            ):
                condition, part = _in_slice(i, size, length, start, step)
                inside = both(inside, condition)
                indices.append(part)
            value = update(tuple(indices))
            return value if inside is None else loops.select(inside, value, base(index))

        return (element,)


def _in_slice(i: Expr, size: int, length: int, start: int, step: int) -> tuple[Expr | None, Expr]:
    """Return the condition that index `i` of an axis is in a slice of it (None: always), and the index there."""
    if length == size and step == 1:
        return None, i
    offset = loops.add(i, loops.index(-start))
    if same(length, 1):
        return loops.call("eq", i, loops.index(start)), loops.index(0)
    if step == 1:
        part = offset
        inside = both(loops.call("ge", i, loops.index(start)), loops.call("lt", i, loops.index(start + length)))
        return inside, clamped(part, length)
    part = loops.call("floordiv", offset, loops.index(step))
    exact = loops.call("eq", loops.mul(part, loops.index(step)), offset)
    inside = both(loops.call("ge", part, loops.index(0)), loops.call("lt", part, loops.index(length)))
    return both(exact, inside), clamped(part, length)


@frozen
class Concat(Op):
    """The operands one after the other along `axis`."""

    axes_named: ClassVar[tuple[str, ...]] = ("axis",)
    of_complex = OfComplex.HOLOMORPHIC
    axis: int

    @property
    def joined_along(self) -> int:
        return self.axis

    def infer(self, *xs: TensorType) -> tuple[TensorType, ...]:
        first = xs[0]
        if not 0 <= self.axis < first.ndim:
            raise ShapeError("E151", f"concat of {first} along axis {self.axis}", help="count axes from 0")
        rest = _without(first.shape, self.axis)
        for x in xs[1:]:
            if x.dtype != first.dtype:
                raise DTypeError("E226", f"concat takes operands of one dtype, got {', '.join(map(str, xs))}")
            if x.ndim != first.ndim or _without(x.shape, self.axis) != rest:
                raise ShapeError("E152", f"concat of {', '.join(map(str, xs))}: only axis {self.axis} may differ")
        length = 0
        for x in xs:
            length += x.shape[self.axis]
        return (TensorType((*first.shape[: self.axis], length, *first.shape[self.axis + 1 :]), first.dtype),)

    def reference(self, *xs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (numpy.concatenate(xs, self.axis),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], *xs: Operand) -> tuple[Gradient, ...]:
        parts: list[Gradient] = []
        start = 0
        whole = type_of(g[0]).shape
        for x in xs:
            length = type_of(x).shape[self.axis]
            starts = tuple(start if k == self.axis else 0 for k in range(len(whole)))
            stops = tuple(start + length if k == self.axis else size for k, size in enumerate(whole))
            parts.append(slice(g[0], starts, stops, (1,) * len(whole)))
            start += length
        return tuple(parts)

    def lower(self, *xs: Element, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        lengths = [kind.shape[self.axis] for kind in types]
        starts = [0]
        for length in lengths:
            starts.append(starts[-1] + length)
        present = [k for k, length in enumerate(lengths) if length] or [0]

        def element(index: tuple[Expr, ...]) -> Expr:
            i = index[self.axis]

            def of(operands: Sequence[int]) -> Expr:
                """The element, which lies in one of these: a balanced tree of choices."""
                if len(operands) == 1:
                    (k,) = operands
                    offset = loops.add(i, loops.index(-starts[k]))
                    part = offset if len(present) == 1 else clamped(offset, lengths[k])
                    return xs[k]((*index[: self.axis], part, *index[self.axis + 1 :]))
                half = len(operands) // 2
                below = loops.call("lt", i, loops.index(starts[operands[half]]))
                return loops.select(below, of(operands[:half]), of(operands[half:]))

            return of(present)

        return (element,)


def _without(shape: Shape, axis: int) -> Shape:
    return (*shape[:axis], *shape[axis + 1 :])


@frozen
class Pad(Op):
    """`x` with `low[k]` elements of `value` (0-d) before and `high[k]` after it along axis k."""

    of_complex = OfComplex.HOLOMORPHIC
    low: tuple[int, ...]
    high: tuple[int, ...]

    def infer(self, x: TensorType, value: TensorType) -> tuple[TensorType, ...]:
        if len(self.low) != x.ndim or len(self.high) != x.ndim or any(n < 0 for n in (*self.low, *self.high)):
            raise ShapeError("E153", f"pad of {x} by {self.low} before and {self.high} after: give one number per axis")
        if value.shape != ():
            raise ShapeError("E154", f"pad with {value}: the value has no axes")
        if value.dtype != x.dtype:
            raise DTypeError("E227", f"pad of {x} with {value}", help="cast the value first")
        sizes = zip(self.low, x.shape, self.high, strict=True)
        return (TensorType(tuple(a + size + b for a, size, b in sizes), x.dtype),)

    def reference(self, x: NDArray[Any], value: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        shape = tuple(a + size + b for a, size, b in zip(self.low, x.shape, self.high, strict=True))
        y = numpy.full(shape, value, x.dtype)
        y[tuple(_slice(a, a + size) for a, size in zip(self.low, x.shape, strict=True))] = x
        return (y,)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, value: Operand) -> tuple[Gradient, ...]:
        shape = type_of(x).shape
        stops = tuple(a + size for a, size in zip(self.low, shape, strict=True))
        inner = slice(g[0], self.low, stops, (1,) * len(shape))
        border = g[0]
        if type_of(x).size:
            border = update_slice(g[0], like(0, x), self.low, stops, (1,) * len(shape))
        return inner, sum(border, tuple(range(len(shape))))

    def mapped(self, length: int, along: Sequence[bool], x: Operand, value: Operand) -> tuple[Operand, ...]:
        """`x` set into what is full of the value, which may be another one at each position."""
        shape = type_of(x).shape[1:]
        whole = tuple(a + size + b for a, size, b in zip(self.low, shape, self.high, strict=True))
        base = broadcast(reshape(value, (length, *(1,) * len(shape))), (length, *whole))
        stops = tuple(a + size for a, size in zip(self.low, shape, strict=True))
        return (update_slice(base, x, *_behind(length, self.low, stops, (1,) * len(shape))),)

    def lower(self, x: Element, value: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        shape = types[0].shape
        if types[0].size == 0:
            return (lambda index: value(()),)

        def element(index: tuple[Expr, ...]) -> Expr:
            inside: Expr | None = None
            indices = []
            for i, size, low, high in zip(index, shape, self.low, self.high, strict=True):
                condition, part = _in_slice(i, low + size + high, size, low, 1)
                inside = both(inside, condition)
                indices.append(part)
            inner = x(tuple(indices))
            return inner if inside is None else loops.select(inside, inner, value(()))

        return (element,)


@frozen
class Iota(Op):
    """Each element its own index along `axis`: 0, 1, 2, ..."""

    differentiable = False
    expands = True

    shape: Shape
    axis: int
    dtype: DType

    rematerialised = True

    def infer(self) -> tuple[TensorType, ...]:
        if not 0 <= self.axis < len(self.shape) or any(size < 0 for size in self.shape):
            raise ShapeError("E155", f"iota of shape {self.shape} along axis {self.axis}: there is no such axis")
        if self.dtype not in REALS or self.dtype == bool_:
            raise DTypeError("E228", f"iota counts in numbers, not {self.dtype}")
        return (TensorType(self.shape, self.dtype),)

    def reference(self) -> tuple[NDArray[Any], ...]:
        column = numpy.arange(self.shape[self.axis]).astype(self.dtype)
        rest = (1,) * (len(self.shape) - self.axis - 1)
        return (numpy.broadcast_to(column.reshape((-1, *rest)), self.shape),)

    def lower(self, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        return (lambda index: loops.cast(index[self.axis], self.dtype),)


def slice(x: Operand, starts: Steps, stops: Steps, steps: Steps) -> Operand:
    """Elements start, start + step, ... before stop, along every axis; `x` itself when these are all."""
    if steps == (1,) * len(steps) and starts == (0,) * len(steps) and stops == type_of(x).shape:
        return x
    return bind1(Slice(tuple(starts), tuple(stops), tuple(steps)), x)


def part(x: Operand, axis: int, start: int, stop: int, step: int = 1) -> Operand:
    """The elements from `start` to before `stop` along one axis."""
    shape = type_of(x).shape
    starts = tuple(start if k == axis else 0 for k in range(len(shape)))
    stops = tuple(stop if k == axis else size for k, size in enumerate(shape))
    return slice(x, starts, stops, tuple(step if k == axis else 1 for k in range(len(shape))))


def update_slice(base: Operand, update: Operand, starts: Steps, stops: Steps, steps: Steps) -> Operand:
    """`base` with the elements that `slice` would take replaced by `update`."""
    return bind1(UpdateSlice(tuple(starts), tuple(stops), tuple(steps)), base, update)


def concat(*xs: Operand, axis: int) -> Operand:
    """The operands one after the other along `axis`."""
    return xs[0] if len(xs) == 1 else bind1(Concat(axis), *xs)


def pad(x: Operand, value: Operand, low: tuple[int, ...], high: tuple[int, ...]) -> Operand:
    """`x` with `low[k]` elements of `value` (0-d) before and `high[k]` after it along axis k."""
    return bind1(Pad(tuple(low), tuple(high)), x, value)


def iota(shape: Shape, axis: int, dtype: DType) -> Operand:
    """Each element its own index along `axis`."""
    return bind1(Iota(tuple(shape), axis, dtype))


def flip(x: Operand, axis: int) -> Operand:
    """The elements of `x` in the opposite order along `axis`."""
    size = type_of(x).shape[axis]
    return part(x, axis, size - 1, -1, -1) if size != 0 else x

# SPDX-License-Identifier: Apache-2.0
"""Windows that move over arrays, as pooling has them: their maxima, their sums, and the gradients of both.

Window number o of an axis holds the elements o * stride - low + t, t from 0 to window - 1, of which those beyond the
array are none. An element belongs to few windows, so gradients are gathered: each element of the array adds up what
the windows around it say, in one order, without two writers of one place.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base import dims
from hybridize.base.dims import is_symbolic, same
from hybridize.base.dtypes import DType, float32, int32, int64, is_float
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape, TensorType, same_shape
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element, Expr, Fold, FoldResult
from hybridize.ops.elementwise import SIGNED_NUMBER, check_dtype
from hybridize.ops.op import Op, Operand, bind1, type_of
from hybridize.ops.slicing import both, clamped
from hybridize.ops.views import Gradient, wide

Array = NDArray[Any]
Numbers = tuple[int, ...]

FEW = 32
"""The most elements of a window that are written one by one; of larger ones there is a loop."""


@frozen
class _Along:
    """The windows of one axis."""

    size: int
    window: int
    stride: int
    low: int
    count: int
    """The number of windows."""

    @property
    def around(self) -> int:
        """The most windows that an element belongs to."""
        most = -(-self.window // self.stride)
        return self.count if is_symbolic(most) or dims.proven(most - self.count) else most

    @property
    def plain(self) -> bool:
        """True if each element is a window of its own."""
        return same(self.window, 1) and self.stride == 1 and self.low == 0 and same(self.count, self.size)

    def element(self, o: Expr, t: Expr) -> tuple[Expr, Expr | None, Expr]:
        """Return the index of element `t` of window `o`, moved into the axis; if it was there; `t` moved likewise."""
        if self.plain:
            return o, None, loops.index(0)
        start = loops.add(loops.mul(o, loops.index(self.stride)), loops.index(-self.low))
        at = loops.add(start, t)
        inside: Expr | None = None
        if self.low > 0:
            inside = loops.call("ge", at, loops.index(0))
        if not dims.proven(self.size + self.low - (self.count - 1) * self.stride - self.window + 1):
            inside = both(inside, loops.call("lt", at, loops.index(self.size)))
        if inside is None:
            return at, None, t
        index = clamped(at, self.size)
        return index, inside, loops.call("sub", index, start)

    def windows(self, i: Expr, j: Expr) -> tuple[Expr, Expr | None, Expr]:
        """Return the number of the window `j` around element `i`, moved into those there are; if it was; i's place."""
        if self.plain:
            return i, None, loops.index(0)
        at = loops.add(i, loops.index(self.low))
        if same(self.around, self.count):
            # Few windows in all: each of them may hold the element.
            t = loops.call("sub", at, loops.mul(j, loops.index(self.stride)))
            inside = both(loops.call("ge", t, loops.index(0)), loops.call("lt", t, loops.index(self.window)))
            return j, inside, t
        last = loops.call("floordiv", at, loops.index(self.stride)) if self.stride != 1 else at
        o = loops.call("sub", last, j)
        t = loops.call("sub", at, loops.mul(o, loops.index(self.stride)))
        inside = both(loops.call("ge", o, loops.index(0)), loops.call("lt", o, loops.index(self.count)))
        if self.window % self.stride:
            inside = both(inside, loops.call("lt", t, loops.index(self.window)))
        return clamped(o, self.count), inside, t


@frozen
class _Windowed(Op, abstract=True):
    """Base of the ops: a window for each axis, of one element where the axis has none."""

    overlaps = True
    window: tuple[int, ...]
    strides: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]

    @property
    def fields(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Windows, strides, padding before and after."""
        return self.window, self.strides, self.low, self.high

    def along(self, shape: Shape) -> tuple[_Along, ...]:
        """Return the windows of each axis of an array of `shape`.

        Raises:
            ShapeError E177: they are not windows of such an array.
        """
        if any(len(field) != len(shape) for field in self.fields):
            raise ShapeError("E177", f"{self.name} of {_shown(shape)} with windows {self.window}: one size per axis")
        return tuple(self._along(shape, axis) for axis in range(len(shape)))

    def _along(self, shape: Shape, axis: int) -> _Along:
        size, window, stride = shape[axis], self.window[axis], self.strides[axis]
        low, high = self.low[axis], self.high[axis]
        if same(window, 1) and stride == 1 and low == high == 0:
            return _Along(size, 1, 1, 0, size)
        what = f"{self.name} of {_shown(shape)}: along axis {axis}, "
        if window < 1 or stride < 1 or low < 0 or not low < window:
            raise ShapeError(
                "E177",
                f"{what}a window of {dims.text(window)} by steps of {stride} after {low} elements of padding",
                help="windows and steps must be at least 1, and the padding smaller than the window",
            )
        room = size + low + high
        if size < 1 or room < window:
            raise ShapeError(
                "E177",
                f"{what}a window of {dims.text(window)} does not fit into {dims.text(size)} elements "
                f"with {low} before and {high} after them",
                help="make the window smaller, or the padding larger",
            )
        count = (room - window) // stride + 1
        if high >= window and (count - 1) * stride - low >= size:
            raise ShapeError(
                "E177",
                f"{what}the last window begins at {dims.text((count - 1) * stride - low)}, "
                f"after the last of {dims.text(size)} elements",
                help="round the number of windows down",
            )
        return _Along(size, window, stride, low, count)

    def counts(self, shape: Shape) -> Shape:
        """Return the number of windows for each axis of an array of `shape`."""
        return tuple(along.count for along in self.along(shape))


def _shown(shape: Shape) -> str:
    return f"[{', '.join(map(dims.text, shape))}]"


def _combined(
    sizes: Sequence[int],
    unroll: bool,
    term: Callable[[tuple[Expr, ...]], Expr],
    join: str,
    kind: str,
    dtype: DType,
) -> Expr:
    """Return all terms joined: `term` of each index of a box, written one by one or as folds."""
    if unroll:
        total: Expr | None = None
        for place in itertools.product(*(range(size) for size in sizes)):
            one = term(tuple(loops.index(t) for t in place))
            total = one if total is None else loops.call(join, total, one)
        assert total is not None
        return total
    looped = [axis for axis, size in enumerate(sizes) if not same(size, 1)]
    variables = tuple(loops.axis(-1 - axis) if axis in looped else loops.index(0) for axis in range(len(sizes)))
    body = term(variables)
    for axis in reversed(looped):
        body = Fold(dtype, kind, sizes[axis], -1 - axis, (body,))
    return body


def _few(sizes: Sequence[int]) -> bool:
    """Tell whether a box is so small that its terms are written one by one."""
    count = math.prod(sizes)
    return not is_symbolic(count) and count <= FEW


def _unrolled(alongs: Sequence[_Along]) -> bool:
    """Tell whether the elements of windows are written one by one: they are few, and not all there is along an axis."""
    return _few([along.window for along in alongs]) and any(
        not along.plain and not same(along.count, 1) for along in alongs
    )


def _of_all(
    alongs: Sequence[_Along], elements: Iterator[tuple[Expr, Expr | None, Expr]]
) -> tuple[tuple[Expr, ...], Expr | None, Expr]:
    """Return what was found along each axis as one: the indices, if all are there, and the number in the window."""
    at: list[Expr] = []
    inside: Expr | None = None
    number: Expr = loops.index(0)
    for along, (index, within, place) in zip(alongs, elements, strict=True):
        at.append(index)
        inside = both(inside, within)
        number = loops.add(loops.mul(number, loops.index(along.window)), place)
    return tuple(at), inside, number


def _placed(
    alongs: Sequence[_Along], index: tuple[Expr, ...], place: tuple[Expr, ...]
) -> tuple[tuple[Expr, ...], Expr | None, Expr]:
    """Return the indices of an element of a window, if it is there, and its number in the window, moved inside."""
    return _of_all(alongs, map(_Along.element, alongs, index, place))


def _around(
    alongs: Sequence[_Along], index: tuple[Expr, ...], place: tuple[Expr, ...]
) -> tuple[tuple[Expr, ...], Expr | None, Expr]:
    """Return the indices of a window around an element, if it is one, and the element's number in it."""
    return _of_all(alongs, map(_Along.windows, alongs, index, place))


def _least(dtype: DType) -> float:
    """The number that is no larger than any."""
    if is_float(dtype):
        return -math.inf
    return 0 if dtype.kind == "u" else -(1 << (8 * dtype.itemsize - 1))


def _select(condition: Expr | None, then: Expr, orelse: Expr) -> Expr:
    return then if condition is None else loops.select(condition, then, orelse)


def _joined(
    op: _Windowed, x: Element, of: TensorType, accumulator: DType, filler: float, join: str, kind: str
) -> Element:
    """Return the elements of each window joined, `filler` in the place of those that the array does not have."""
    alongs = op.along(of.shape)
    sizes = [along.window for along in alongs]

    def element(index: tuple[Expr, ...]) -> Expr:
        def term(place: tuple[Expr, ...]) -> Expr:
            at, inside, _ = _placed(alongs, index, place)
            return _select(inside, loops.cast(x(at), accumulator), loops.const(filler, accumulator))

        return loops.cast(_combined(sizes, _unrolled(alongs), term, join, kind, accumulator), of.dtype)

    return element


# Meanings in NumPy


def _taps(op: _Windowed, x: Array, filler: Any) -> Iterator[tuple[int, Array, Array]]:
    """For each element of a window its number, its values over all windows, and where it is one of the array."""
    alongs = op.along(x.shape)
    high = [max(0, (a.count - 1) * a.stride + a.window - a.low - a.size) for a in alongs]
    inside = numpy.pad(numpy.ones(x.shape, bool), list(zip(op.low, high, strict=True)))
    padded = numpy.full(inside.shape, filler, x.dtype)
    padded[tuple(slice(a.low, a.low + a.size) for a in alongs)] = x
    for number, place in enumerate(itertools.product(*(range(a.window) for a in alongs))):
        part = tuple(slice(t, t + (a.count - 1) * a.stride + 1, a.stride) for a, t in zip(alongs, place, strict=True))
        yield number, padded[part], inside[part]


def _spots(op: _Windowed, shape: Shape) -> Iterator[tuple[int, tuple[slice, ...], tuple[slice, ...]]]:
    """For each element of a window its number, the windows in which it is one of the array, and where it is there."""
    alongs = op.along(shape)
    for number, place in enumerate(itertools.product(*(range(a.window) for a in alongs))):
        windows, elements = [], []
        for a, t in zip(alongs, place, strict=True):
            first = max(0, -((t - a.low) // a.stride))
            stop = max(first, min(a.count, (a.size - 1 + a.low - t) // a.stride + 1))
            begin, end = (o * a.stride + t - a.low for o in (first, stop))
            windows.append(slice(first, stop))
            elements.append(slice(begin, end, a.stride))
        yield number, tuple(windows), tuple(elements)


# Maxima


class WindowMax(_Windowed):
    """The largest element of each window; NaN where there is one. Its gradient goes to the first that is largest."""

    moves = True
    smooth = False

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        check_dtype(self.name, SIGNED_NUMBER, x)
        return (TensorType(self.counts(x.shape), x.dtype),)

    def reference(self, x: Array) -> tuple[Array, ...]:
        return (numpy.array(reduce(numpy.maximum, (part for _, part, _ in _taps(self, x, _least(x.dtype))))),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        return (window_put(g[0], window_arg_max(x, *self.fields), *self.fields, type_of(x).shape),)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        return (_joined(self, x, types[0], types[0].dtype, _least(types[0].dtype), "max", "max"),)


class WindowArgMax(_Windowed):
    """The number in its window, from 0 in row-major order, of each window's first largest element, or first NaN."""

    differentiable = False
    positions = True

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        check_dtype(self.name, SIGNED_NUMBER, x)
        return (TensorType(self.counts(x.shape), int32),)

    def reference(self, x: Array) -> tuple[Array, ...]:
        x = x.astype(float32) if x.dtype.kind == "V" else x
        best: Array | None = None
        for number, part, inside in _taps(self, x, 0):
            if best is None:
                best, chosen, seen = part.copy(), numpy.zeros(part.shape, int32), numpy.zeros(part.shape, bool)
            beats = inside & (~seen | ((~(part <= best)) & (best == best)))
            best[beats], chosen[beats] = part[beats], number
            seen |= inside
        assert best is not None
        return (chosen,)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        alongs, dtype = self.along(types[0].shape), types[0].dtype
        sizes = [along.window for along in alongs]
        floating = is_float(dtype)

        def part(index: tuple[Expr, ...], place: tuple[Expr, ...]) -> tuple[Expr, Expr]:
            # An element that is not there counts as the nearest one that is, which changes nothing.
            at, inside, number = _placed(alongs, index, place)
            known: Expr = loops.index(0)
            for size, t in zip(sizes, place, strict=True):
                known = loops.add(loops.mul(known, loops.index(size)), t)
            return x(at), loops.cast(_select(inside, known, number), int32)

        def one_by_one(index: tuple[Expr, ...]) -> Expr:
            best: Expr | None = None
            chosen: Expr = loops.const(0, int32)
            for place in itertools.product(*(range(size) for size in sizes)):
                candidate, number = part(index, tuple(loops.index(t) for t in place))
                if best is None:
                    best, chosen = candidate, number
                    continue
                beats = loops.call("gt", candidate, best)
                if floating:
                    beats = loops.call(
                        "and", loops.call("not", loops.call("le", candidate, best)), loops.call("eq", best, best)
                    )
                best, chosen = loops.select(beats, candidate, best), loops.select(beats, number, chosen)
            return chosen

        def folded(index: tuple[Expr, ...]) -> Expr:
            count = math.prod(sizes)
            flat: Expr = loops.axis(-1)
            place: list[Expr] = []
            for size in reversed(sizes):
                place.append(loops.call("mod", flat, loops.index(size)))
                flat = loops.call("floordiv", flat, loops.index(size))
            fold = Fold(dtype, "arg_max", count, -1, part(index, tuple(reversed(place))))
            return FoldResult(int32, fold, 1)

        return (one_by_one if _unrolled(alongs) else folded,)


@frozen
class WindowTake(_Windowed):
    """The element of each window that has a number: one of `numbers` [windows], as `WindowArgMax` gives them."""

    def infer(self, x: TensorType, numbers: TensorType) -> tuple[TensorType, ...]:
        check_dtype(self.name, SIGNED_NUMBER, x)
        counts = self.counts(x.shape)
        _check_windows(self, TensorType(counts, int32), numbers)
        return (TensorType(counts, x.dtype),)

    def reference(self, x: Array, numbers: Array) -> tuple[Array, ...]:
        y = numpy.zeros(numbers.shape, x.dtype)
        for number, part, inside in _taps(self, x, 0):
            chosen = inside & (numbers == number)
            y[chosen] = part[chosen]
        return (y,)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, numbers: Operand) -> tuple[Gradient, ...]:
        return window_put(g[0], numbers, *self.fields, type_of(x).shape), None

    def lower(self, x: Element, numbers: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        alongs, dtype = self.along(types[0].shape), types[0].dtype

        def element(index: tuple[Expr, ...]) -> Expr:
            flat: Expr = loops.cast(numbers(index), int64)
            place: list[Expr] = []
            for along in reversed(alongs):
                if same(along.window, 1):
                    place.append(loops.index(0))
                    continue
                place.append(loops.call("mod", flat, loops.index(along.window)))
                flat = loops.call("floordiv", flat, loops.index(along.window))
            at, inside, _ = _placed(alongs, index, tuple(reversed(place)))
            return _select(
                inside, x(tuple(clamped(i, a.size) for i, a in zip(at, alongs, strict=True))), loops.const(0, dtype)
            )

        return (element,)


@frozen
class WindowPut(_Windowed):
    """Zeros of `shape`, to which a number of each window is added at the element that `numbers` names."""

    shape: Shape

    sums = True

    def infer(self, g: TensorType, numbers: TensorType) -> tuple[TensorType, ...]:
        check_dtype(self.name, SIGNED_NUMBER, g)
        counts = self.counts(self.shape)
        _check_windows(self, TensorType(counts, g.dtype), g)
        _check_windows(self, TensorType(counts, int32), numbers)
        return (TensorType(self.shape, g.dtype),)

    def reference(self, g: Array, numbers: Array) -> tuple[Array, ...]:
        x = numpy.zeros(self.shape, wide(g.dtype))
        for number, windows, elements in _spots(self, self.shape):
            x[elements] += numpy.where(numbers[windows] == number, g[windows], numpy.zeros((), g.dtype))
        return (x.astype(g.dtype, copy=False),)

    def vjp(self, c: tuple[Operand], y: tuple[Operand], g: Operand, numbers: Operand) -> tuple[Gradient, ...]:
        return window_take(c[0], numbers, *self.fields), None

    def lower(self, g: Element, numbers: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        def chosen(at: tuple[Expr, ...], number: Expr) -> Expr:
            return loops.call("eq", numbers(at), loops.cast(number, int32))

        return (_gathered(self.along(self.shape), g, types[0].dtype, chosen),)


def _check_windows(op: Op, wanted: TensorType, kind: TensorType) -> None:
    """Raise unless there is one number for each window."""
    if not same_shape(kind.shape, wanted.shape):
        raise ShapeError("E177", f"{op.name}: one number for each window is {wanted}, got {kind}")
    if kind.dtype != wanted.dtype:
        raise DTypeError("E238", f"{op.name}: one number for each window is {wanted}, got {kind}")


def _gathered(
    alongs: Sequence[_Along],
    g: Element,
    dtype: DType,
    chosen: Callable[[tuple[Expr, ...], Expr], Expr] | None,
) -> Element:
    """Return the sum of what the windows around an element hold, of those that chose it where that is asked."""
    sizes = [1 if along.plain else along.around for along in alongs]
    total = wide(dtype)

    def element(index: tuple[Expr, ...]) -> Expr:
        def term(place: tuple[Expr, ...]) -> Expr:
            at, inside, number = _around(alongs, index, place)
            cotangent = loops.cast(g(at), total)
            if chosen is not None:
                cotangent = loops.select(chosen(at, number), cotangent, loops.const(0, total))
            return _select(inside, cotangent, loops.const(0, total))

        return loops.cast(_combined(sizes, _few(sizes), term, "add", "sum", total), dtype)

    return element


# Sums


class WindowSum(_Windowed):
    """The sum of each window. Short floats are summed in float32; integers wrap."""

    sums = True
    linear = True

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        check_dtype(self.name, SIGNED_NUMBER, x)
        return (TensorType(self.counts(x.shape), x.dtype),)

    def reference(self, x: Array) -> tuple[Array, ...]:
        parts = (part for _, part, _ in _taps(self, x.astype(wide(x.dtype), copy=False), 0))
        return (numpy.array(reduce(numpy.add, parts), x.dtype),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        return (window_spread(g[0], *self.fields, type_of(x).shape),)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        return (_joined(self, x, types[0], wide(types[0].dtype), 0, "add", "sum"),)


@frozen
class WindowSpread(_Windowed):
    """Zeros of `shape`, to which a number of each window is added at all of its elements: the sum backwards."""

    shape: Shape

    sums = True
    linear = True

    def infer(self, g: TensorType) -> tuple[TensorType, ...]:
        check_dtype(self.name, SIGNED_NUMBER, g)
        _check_windows(self, TensorType(self.counts(self.shape), g.dtype), g)
        return (TensorType(self.shape, g.dtype),)

    def reference(self, g: Array) -> tuple[Array, ...]:
        x = numpy.zeros(self.shape, wide(g.dtype))
        for _, windows, elements in _spots(self, self.shape):
            x[elements] += g[windows]
        return (x.astype(g.dtype, copy=False),)

    def vjp(self, c: tuple[Operand], y: tuple[Operand], g: Operand) -> tuple[Gradient, ...]:
        return (window_sum(c[0], *self.fields),)

    def lower(self, g: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        return (_gathered(self.along(self.shape), g, types[0].dtype, None),)


def window_max(x: Operand, window: Numbers, strides: Numbers, low: Numbers, high: Numbers) -> Operand:
    """The largest element of each window."""
    return bind1(WindowMax(window, strides, low, high), x)


def window_arg_max(x: Operand, window: Numbers, strides: Numbers, low: Numbers, high: Numbers) -> Operand:
    """The number in its window of each window's first largest element."""
    return bind1(WindowArgMax(window, strides, low, high), x)


def window_take(
    x: Operand, numbers: Operand, window: Numbers, strides: Numbers, low: Numbers, high: Numbers
) -> Operand:
    """The element of each window that has a number in it."""
    return bind1(WindowTake(window, strides, low, high), x, numbers)


def window_put(
    g: Operand, numbers: Operand, window: Numbers, strides: Numbers, low: Numbers, high: Numbers, shape: Shape
) -> Operand:
    """Zeros of `shape`, with a number of each window added at the element that has a number in it."""
    return bind1(WindowPut(window, strides, low, high, shape), g, numbers)


def window_sum(x: Operand, window: Numbers, strides: Numbers, low: Numbers, high: Numbers) -> Operand:
    """The sum of each window."""
    return bind1(WindowSum(window, strides, low, high), x)


def window_spread(g: Operand, window: Numbers, strides: Numbers, low: Numbers, high: Numbers, shape: Shape) -> Operand:
    """Zeros of `shape`, with a number of each window added at all of its elements."""
    return bind1(WindowSpread(window, strides, low, high, shape), g)

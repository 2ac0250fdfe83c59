# SPDX-License-Identifier: Apache-2.0
"""Windows, images of other sizes, products with rows that data counts and ways down trees, in ONNX's words.

Maxima of windows are MaxPool, their sums a convolution with ones. What these do not take, and the other ops of windows,
is made of the elements at one place of all windows (a *tap*), one after the other: slices with a step.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import bool_, float16, float32, int64, is_float
from hybridize.base.types import TensorType
from hybridize.formats.onnx.kernels import CARRIERS
from hybridize.formats.onnx.words import inline
from hybridize.formats.onnx.writer import NodeWriter, Write
from hybridize.graph import Node
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import full, like, wide
from hybridize.ops.windows import _least

MOST: Final = 256
"""Taps that are written one by one."""
Formula = Callable[..., Any]


def _made(formula: Formula) -> Write:
    """The writer of an op as what a formula makes of the op and its operands."""

    def write(w: NodeWriter, node: Node, op: Any) -> None:
        if math.prod(getattr(op, "window", ())) > MOST:
            w.refuse(f"the operation {op.name} of windows of {dims.text(math.prod(op.window))} elements", node.loc)
        inline(w, node, lambda *operands: formula(op, *operands))

    return write


def _taps(op: Any, x: Any, filler: Any) -> Iterator[tuple[int, Any]]:
    """The elements at each place of all windows, `filler` where these leave the array."""
    shape, counts = ops.type_of(x).shape, op.counts(ops.type_of(x).shape)
    padded = x
    if any((*op.low, *op.high)):
        padded = ops.bind(ops.Pad(op.low, op.high), x, ops.scalar(filler, ops.type_of(x).dtype))[0]
    for number, place in enumerate(itertools.product(*(range(size) for size in _windows(op, shape)))):
        stops = tuple(t + (n - 1) * step + 1 for t, n, step in zip(place, counts, op.strides, strict=True))
        yield number, ops.slice(padded, place, stops, op.strides)


def _windows(op: Any, shape: Any) -> tuple[int, ...]:
    return tuple(op.window)


def _maxima(op: Any, x: Any) -> Any:
    taps = [tap for _, tap in _taps(op, x, _least(ops.type_of(x).dtype))]
    best = taps[0]
    for tap in taps[1:]:
        best = ops.max(best, tap)
    return best


def _sums(op: Any, x: Any) -> Any:
    dtype = ops.type_of(x).dtype
    total: Any = None
    for _, tap in _taps(op, ops.cast(x, wide(dtype)), 0):
        total = tap if total is None else ops.add(total, tap)
    return ops.cast(total, dtype)


def _places(op: Any, x: Any) -> Any:
    """The number of the first largest element, or the first NaN, of those that are there."""
    kind = ops.type_of(x)
    there = full(True, TensorType(kind.shape, bool_))
    best: Any = None
    for (number, tap), (_, inside) in zip(_taps(op, x, 0), _taps(op, there, False), strict=True):
        now = full(number, ops.type_of(tap).with_dtype(op.infer(kind)[0].dtype))
        if best is None:
            best, chosen, seen = tap, now, inside
            continue
        more = ops.bit_and(ops.bit_not(ops.le(tap, best)), ops.eq(best, best))
        beats = ops.bit_and(inside, ops.bit_or(ops.bit_not(seen), more))
        best, chosen = ops.where(beats, tap, best), ops.where(beats, now, chosen)
        seen = ops.bit_or(seen, inside)
    return chosen


def _chosen(op: Any, x: Any, numbers: Any) -> Any:
    result: Any = None
    for number, tap in _taps(op, x, 0):
        result = tap if result is None else ops.where(ops.eq(numbers, like(number, numbers)), tap, result)
    return result


def _put(op: Any, g: Any, numbers: Any = None) -> Any:
    """Zeros, to which each window's number is added at all of its elements, or at the one that was chosen."""
    dtype = ops.type_of(g).dtype
    g = ops.cast(g, wide(dtype))
    kind = ops.type_of(g)
    counts, zero = kind.shape, like(0, g)
    whole = tuple(low + size + high for low, size, high in zip(op.low, op.shape, op.high, strict=True))
    nothing = full(0, kind.with_shape(whole))
    total: Any = None
    for number, place in enumerate(itertools.product(*(range(size) for size in op.window))):
        part = g if numbers is None else ops.where(ops.eq(numbers, like(number, numbers)), g, zero)
        stops = tuple(t + (n - 1) * step + 1 for t, n, step in zip(place, counts, op.strides, strict=True))
        spot = ops.update_slice(nothing, part, place, stops, op.strides)
        total = spot if total is None else ops.add(total, spot)
    ends = tuple(low + size for low, size in zip(op.low, op.shape, strict=True))
    return ops.cast(ops.slice(total, op.low, ends, (1,) * len(ends)), dtype)


def _images(w: NodeWriter, node: Node, op: Any) -> tuple[str, Any, list[int], list[tuple[int, int, int, int]]] | None:
    """The operand as images [n, 1, windows...], and window, step and padding of each axis; None: ONNX has none such."""
    (x,) = node.inputs
    shape, counts = x.type.shape, node.outputs[0].type.shape
    fields = list(zip(*op.fields, strict=True))
    axes = [axis for axis, field in enumerate(fields) if field != (1, 1, 0, 0)]
    if not 1 <= len(axes) <= 3 or not dims.known(op.window):
        return None
    parts = []
    for axis in axes:
        window, step, low, high = fields[axis]
        if dims.known((shape[axis], counts[axis])):
            high = max((counts[axis] - 1) * step + window - shape[axis] - low, 0)
        if high >= window or low >= window:
            return None
        parts.append((window, step, low, high))
    others = [axis for axis in range(len(shape)) if axis not in axes]
    order = [*others, *axes]
    sizes = [shape[axis] for axis in axes]
    plain = others == [0, 1]
    name = w.transposed(w.full(x), order)
    if not plain:
        name = w.reshaped(name, [shape[axis] for axis in order], (math.prod(shape[k] for k in others), 1, *sizes))
    return name, (plain, counts, others), axes, parts


def _back(w: NodeWriter, node: Node, name: str, how: Any, axes: list[int]) -> str:
    """The result with the axes that it had."""
    plain, counts, others = how
    order = [*others, *axes]
    shape = tuple(counts[axis] for axis in order)
    if not plain:
        name = w.reshaped(name, (math.prod(counts[k] for k in others), 1, *(counts[k] for k in axes)), shape)
    return w.transposed(name, sorted(range(len(order)), key=order.__getitem__))


def _pools(word: str, formula: Formula) -> Write:
    def write(w: NodeWriter, node: Node, op: Any) -> None:
        dtype = node.inputs[0].type.dtype
        carrier = CARRIERS["MaxPool"].get(dtype.name) if word == "MaxPool" else float32 if dtype == float16 else None
        fits = is_float(dtype) or (word == "MaxPool" and dtype.name in ("int8", "uint8")) or carrier is not None
        if word == "Conv":
            fits = dtype in (float32, float16)
        images = _images(w, node, op) if fits else None
        if images is None:
            _made(formula)(w, node, op)
            return
        name, how, axes, parts = images
        window, steps, low, high = zip(*parts, strict=True)
        name = w.cast(name, carrier) if carrier is not None else name
        fields: dict[str, Any] = {"kernel_shape": window, "strides": steps, "pads": (*low, *high)}
        mean = w.quotient(node.outputs[0], math.prod(window)) if word == "Conv" else None
        if mean is not None:
            w.done.add(mean)
            result = w.add("AveragePool", [name], count_include_pad=1, **fields)
            result = w.cast(result, dtype) if carrier is not None else result
            w.put(mean, _back(w, node, result, how, axes))
            return
        if word == "Conv":
            plain = how[0]
            channels = node.inputs[0].type.shape[1] if plain else 1
            if not dims.known((channels,)):
                _made(formula)(w, node, op)
                return
            ones = w.constant(numpy.ones((channels, 1, *window)), carrier or dtype)
            result = w.add("Conv", [name, ones], group=channels, **fields)
        else:
            result = w.add("MaxPool", [name], **fields)
        result = w.cast(result, dtype) if carrier is not None else result
        w.put(node, _back(w, node, result, how, axes))

    return write


def _resampled(op: Any, x: Any, places: Any, weights: Any, *_: Any) -> Any:
    """Sums of elements along an axis by tables; what counts nothing is not looked at."""
    kind = ops.type_of(x)
    terms, count = ops.type_of(places).shape[1], ops.type_of(places).shape[0]
    along = (count, *(1,) * (kind.ndim - 1 - op.axis))
    x = ops.cast(x, wide(kind.dtype))
    total: Any = None
    for term in range(terms):
        at, by = (
            ops.reshape(ops.slice(table, (0, term), (count, term + 1), (1, 1)), (count,)) for table in (places, weights)
        )
        part = ops.gather(x, at, op.axis)
        weight = ops.broadcast(ops.reshape(by, along), ops.type_of(part).shape)
        one = ops.where(ops.eq(weight, like(0, weight)), like(0, part), ops.mul(weight, part))
        total = one if total is None else ops.add(total, one)
    return ops.cast(total, kind.dtype)


def _rows_until(x: Any, count: Any, axis: int) -> Any:
    """`x` with zeros from the row `count` of an axis on."""
    kind = ops.type_of(x)
    number = ops.iota(kind.shape, axis, ops.type_of(count).dtype)
    seen = ops.lt(number, ops.broadcast(ops.reshape(count, (1,) * kind.ndim), kind.shape))
    return ops.where(seen, x, like(0, x))


def _dots_until(op: Any, x: Any, rows: Any, count: Any) -> Any:
    last = ops.type_of(x).ndim - 1
    return _rows_until(ops.matmul(x, _rows_until(rows, count, last - 1), False, True), count, last)


def _sum_until(op: Any, x: Any, rows: Any, count: Any) -> Any:
    last = ops.type_of(x).ndim - 1
    return ops.matmul(_rows_until(x, count, last), _rows_until(rows, count, last - 1))


def _descent(op: Any, x: Any, splits: Any, links: Any, roots: Any) -> Any:
    """All ways at once, a level after the other; a leaf stays."""
    (rows, _), (trees,), last = ops.type_of(x).shape, ops.type_of(roots).shape, ops.type_of(splits).shape[0] - 1

    def step(way: Any, x: Any, splits: Any, links: Any) -> list[Any]:
        inner = ops.le(way, like(last, way))
        node = ops.min(way, like(last, way))
        fields = ops.gather(links, node, 0)
        column, least, more, neither = (
            ops.reshape(ops.cast(ops.part(fields, 2, k, k + 1), int64), (trees, rows)) for k in range(4)
        )
        value, split = ops.take_along_axis(x, column, 0), ops.gather(splits, node, 0)
        link = ops.where(ops.le(value, split), least, more)
        link = ops.where(ops.bit_or(ops.isnan(value), ops.isnan(split)), neither, link)
        return [ops.where(inner, link, way)]

    way = ops.broadcast(ops.reshape(ops.cast(roots, int64), (trees, 1)), (trees, rows))
    operands = way, ops.transpose(x, (1, 0)), splits, links
    graph = make_graph(step, [ops.type_of(one) for one in operands])
    return ops.bind(ops.Scan(graph, op.depth, False, 1), *operands)[0]


def _of_several(op: Any, x: Any, w: Any) -> Any:
    """The sum of the contractions of the integers in elements, the lowest first."""
    one, bits = ops.Contract(op.spec, op.sizes), 32 // op.integers
    total: Any = None
    for up in range(32 - bits, -1, -bits):
        raised = (ops.shift_left(side, ops.like(up, side)) if up else side for side in (x, w))
        sums = ops.bind1(one, *(ops.shift_right(side, ops.like(32 - bits, side)) for side in raised))
        total = sums if total is None else ops.add(total, sums)
    return total


WINDOWS: Final[dict[type, Write]] = {
    ops.Descent: _made(_descent),
    ops.DotsUntil: _made(_dots_until),
    ops.FourfoldContract: _made(_of_several),
    ops.PairedContract: _made(_of_several),
    ops.Resample: _made(_resampled),
    ops.SumUntil: _made(_sum_until),
    ops.WindowArgMax: _made(_places),
    ops.WindowMax: _pools("MaxPool", _maxima),
    ops.WindowPut: _made(_put),
    ops.WindowSpread: _made(_put),
    ops.WindowSum: _pools("Conv", _sums),
    ops.WindowTake: _made(_chosen),
}
"""The writers of these ops."""

# SPDX-License-Identifier: Apache-2.0
"""Multiply bytes four at a time where the machine has an instruction for it: contractions of pairs whose integers are
bytes less the byte that stands for 0.

    sum of (x - a)(w - b)  =  sum of x w  -  a (sum of w  -  terms b)  -  b sum of x

Less their zeros, bytes have nine bits; the products here are of signed bytes as they are stored, and the zeros are
corrected in the sums. What lies around an image is 0: there bytes have their zero, in a copy. The integers are the
same: int32 wraps, in any order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import DType, int8, int32, uint8
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import Shape
from hybridize.graph import Graph, Node, Value
from hybridize.graph.constants import LITERAL_ELEMENTS, one_number
from hybridize.loops.contraction import Contraction, Subscript, extent, outside
from hybridize.machine.target import Target
from hybridize.ops.contract import contracted
from hybridize.passes import EliminateDead, Pipeline
from hybridize.passes.pipeline import Rewriter


def in_fours(graph: Graph, target: Target) -> Graph:
    """Return a graph whose contractions of bytes multiply four at a time, where the target has an instruction."""
    return Pipeline(_FourTerms(), EliminateDead()).run(graph) if target.dots_bytes else graph


class _FourTerms:
    """Make contractions of fours of those of pairs, where both operands are bytes less one zero for all."""

    name = "four_terms"

    def __call__(self, graph: Graph) -> Graph:
        """One sweep down."""
        if not graph.has(ops.PairedContract):
            return graph
        origins, rewriter = _Origins(graph), Rewriter(graph)
        for node in graph.nodes:
            is_paired = isinstance(node.op, ops.PairedContract) and node.op.integers == 2
            plan = _planned(node, origins) if is_paired else None
            if plan is None:
                rewriter.keep(node)
                continue
            values = [value for side in plan.sides for value in side.values]
            body = ops.make_graph(lambda *xs, plan=plan: [_computed(plan, xs)], [value.type for value in values])
            now = tuple(rewriter.now(value) for value in values)
            rewriter.replace(node, rewriter.builder.inline(body, now, node.loc))
        return rewriter.finish() if rewriter.values else graph


@frozen(eq=False)
class _Bytes:
    """Integers that are bytes less a zero, which is one for all."""

    source: Value | NDArray[Any]
    """The bytes, or those of a constant."""
    zero: Value | int
    """As bytes are stored."""
    moves: tuple[ops.Op, ...] = ()
    """Views that bring the bytes to their places, and zeros around them."""

    @property
    def values(self) -> tuple[Value, ...]:
        """The values of the graph that it is made of."""
        return tuple(one for one in (self.source, self.zero) if isinstance(one, Value))

    @property
    def is_symmetric(self) -> bool:
        """True if the zero is that of signed bytes."""
        dtype = self.source.type.dtype if isinstance(self.source, Value) else self.source.dtype
        return not isinstance(self.zero, Value) and self.zero == _lead(dtype)


def _lead(dtype: DType) -> int:
    """By how much bytes are more than the signed ones that they become."""
    return 128 if dtype == uint8 else 0


class _Origins:
    """The nodes of a graph by the values that they make, and the bytes that these are."""

    def __init__(self, graph: Graph) -> None:
        self.constants = graph.constants
        self.makers = {value: node for node in graph.nodes for value in node.outputs}

    def inputs(self, value: Value, kind: type[ops.Op]) -> tuple[Value, ...]:
        """The operands of what makes a value, if that is an op of some kind; else none."""
        node = self.makers.get(value)
        return node.inputs if node is not None and isinstance(node.op, kind) else ()

    def unpaired(self, value: Value) -> tuple[Value, int] | None:
        """The integers that pairs are made of, and the axis whose halves they are of; None where that is not seen."""
        halves = self.inputs(value, ops.BitOr)
        if not halves:
            return None
        kinds = ops.BitAnd, ops.ShiftLeft
        lower, upper = (self.inputs(half, kind)[:1] for half, kind in zip(halves, kinds, strict=True))
        nodes = [self.makers.get(one) for side in (*lower, *upper) for one in self.inputs(side, ops.Cast)]
        slices = [node for node in nodes if node is not None and isinstance(node.op, ops.Slice)]
        if len(slices) != 2 or slices[0].inputs != slices[1].inputs:
            return None
        starts: list[Any] = [node.op.starts for node in slices]  # type: ignore[attr-defined]
        axes = [axis for axis, (low, high) in enumerate(zip(*starts, strict=True)) if low != high]
        whole = slices[0].inputs[0]
        halved = len(axes) == 1 and not any(starts[0]) and 2 * starts[1][axes[0]] == whole.type.shape[axes[0]]
        return (whole, axes[0]) if halved else None

    def as_bytes(self, value: Value) -> _Bytes | None:
        """The bytes that integers of 16 bits are; None where they may be others."""
        moves: list[ops.Op] = []
        while value not in self.constants:
            node = self.makers.get(value)
            if node is None:
                return None
            op: Any = node.op
            source = self._source(node)
            if source is not None:
                return changed(source, moves=tuple(reversed(moves)))
            is_padded = isinstance(op, ops.Pad) and self._number(node.inputs[1]) == 0
            if isinstance(op, (ops.Cast, ops.Sub)) or not (is_padded or (op.moves and len(node.inputs) == 1)):
                return None
            moves.append(op)
            value = node.inputs[0]
        array = self.constants[value]
        low, high = (int(array.min()), int(array.max())) if array.size else (0, 256)
        zero = 0 if low >= -128 and high <= 127 else -128 - low
        if high - low > 255 or not -128 <= zero <= 127:
            return None
        return _Bytes((array + numpy.int16(zero)).astype(int8), zero, tuple(reversed(moves)))

    def _source(self, node: Node) -> _Bytes | None:
        """The bytes of which a node makes integers of 16 bits."""
        whole, zero = (node.inputs[0], node.inputs[1]) if isinstance(node.op, ops.Sub) else (node.outputs[0], None)
        for source in self.inputs(whole, ops.Cast):
            if source.type.dtype in (int8, uint8):
                nought = 0 if zero is None else self._zero(zero, source.type.dtype)
                return None if nought is None else _Bytes(source, nought)
        return None

    def _zero(self, value: Value, dtype: DType) -> Value | int | None:
        """The byte that an operand is everywhere; None where that is not known."""
        while value not in self.constants and (node := self.makers.get(value)) is not None:
            kind = node.inputs[0].type if node.inputs else value.type
            spreads = isinstance(node.op, (ops.Broadcast, ops.Reshape)) and dims.same(kind.size, 1)
            if not spreads and not (isinstance(node.op, ops.Cast) and kind.dtype == dtype):
                break
            value = node.inputs[0]
        number = self._number(value)
        if number is None:
            return value if value.type.dtype == dtype and dims.same(value.type.size, 1) else None
        ends = numpy.iinfo(dtype)
        return number if ends.min <= number <= ends.max else None

    def _number(self, value: Value) -> int | None:
        """The number that a constant is everywhere."""
        number = one_number(self.constants[value], LITERAL_ELEMENTS) if value in self.constants else None
        return None if number is None else int(number)


@frozen(eq=False)
class _Plan:
    """A contraction of fours that stands for one of pairs."""

    contraction: Contraction
    sides: tuple[_Bytes, _Bytes]
    axes: tuple[int, int]
    """The axis of each operand whose quarters its fours are of."""
    around: tuple[tuple[int, int], ...]
    """Along each axis of x, elements before and behind it that indices reach."""
    terms: int
    """Products of a sum, those of integers that fill the last fours among them."""


def _planned(node: Node, origins: _Origins) -> _Plan | None:
    """The contraction of fours that a node is to be; None where it stays as it is."""
    op: Any = node.op
    contraction: Contraction = op.contraction(*(value.type for value in node.inputs))
    singles = [origins.unpaired(value) for value in node.inputs]
    if singles[0] is None or singles[1] is None:
        return None
    (x, axis_x), (w, axis_w) = singles[0], singles[1]
    sides = origins.as_bytes(x), origins.as_bytes(w)
    axis = contraction.x[axis_x].axis
    sums = contraction.sizes[contraction.rank :]
    around = _around(contraction, node.inputs[0].type.shape)
    if sides[0] is None or sides[1] is None or axis is None or around is None or not dims.known(sums):
        return None
    if any(outside(contraction.w, contraction.sizes, node.inputs[1].type.shape)):
        return None
    # Each sum of an operand by itself must be one along axes.
    corrected = [(contraction.w, sides[0]), (contraction.x, sides[1])]
    if not all(other.is_symmetric or _sums_along(side, contraction) is not None for side, other in corrected):
        return None
    sizes = list(contraction.sizes)
    sizes[axis] = (sizes[axis] + 1) // 2
    indices = tuple(
        changed(index, offset=index.offset + before) for index, (before, _) in zip(contraction.x, around, strict=True)
    )
    fours = changed(contraction, sizes=tuple(sizes), x=indices, integers=4)
    return _Plan(fours, (sides[0], sides[1]), (axis_x, axis_w), around, 4 * math.prod(sizes[contraction.rank :]))


def _around(contraction: Contraction, shape: Shape) -> tuple[tuple[int, int], ...] | None:
    """Elements before and behind x that indices reach; None where that is not known, or elements are left out."""
    around = []
    leaves = outside(contraction.x, contraction.sizes, shape)
    for index, size, leaving in zip(contraction.x, shape, leaves, strict=True):
        span: Any = extent(index, contraction.sizes) if leaving else (0, size - 1)
        if span is None or not dims.same(index.divisor, 1) or (leaving and not dims.known((*span, size))):
            return None
        around.append((max(0, -span[0]), max(0, span[1] - size + 1)) if leaving else (0, 0))
    return tuple(around)


def _sums_along(subscripts: Sequence[Subscript], contraction: Contraction) -> tuple[int, ...] | None:
    """The axes of an operand that are summed over; None if other indices are, or not all."""
    axes = [index.axis for index in subscripts]
    plain = [axis for axis in axes if axis is not None]
    if len(set(plain)) < len(axes) or not set(range(contraction.rank, len(contraction.sizes))) <= set(plain):
        return None
    return tuple(number for number, axis in enumerate(plain) if axis >= contraction.rank)


def _computed(plan: _Plan, values: Sequence[Any]) -> Any:
    """The sums, of the operands of the values that both sides are made of."""
    contraction, operands, wholes = plan.contraction, iter(values), []
    for side, axis, indices in zip(plan.sides, plan.axes, (contraction.x, contraction.w), strict=True):
        source = next(operands) if isinstance(side.source, Value) else ops.constant(side.source)
        dtype = ops.type_of(source).dtype
        zero = ops.reshape(next(operands), ()) if isinstance(side.zero, Value) else ops.scalar(side.zero, dtype)
        for move in side.moves:
            source = ops.bind1(move, source, *([zero] if isinstance(move, ops.Pad) else []))
        shape = ops.type_of(source).shape
        around = plan.around if indices is contraction.x else ((0, 0),) * len(shape)
        number = indices[axis].axis
        assert number is not None, "fours are of an axis"
        more = 4 * contraction.sizes[number] - shape[axis]
        low = tuple(before for before, _ in around)
        high = tuple(behind + more * (k == axis) for k, (_, behind) in enumerate(around))
        wholes.append((ops.pad(source, zero, low, high) if any((*low, *high)) else source, zero))
    (x, zero_x), (w, zero_w) = wholes
    y = contracted(contraction, _fours(x, plan.axes[0]), _fours(w, plan.axes[1]))
    by_x, by_w = (_signed(zero) for zero in (zero_x, zero_w))
    if not plan.sides[0].is_symmetric:
        sums = _sums(contraction.w, contraction, w)
        if not plan.sides[1].is_symmetric:
            sums = ops.sub(sums, _spread(ops.mul(by_w, ops.scalar(plan.terms, int32)), sums))
        y = ops.sub(y, _spread(ops.mul(sums, _spread(by_x, sums)), y))
    if not plan.sides[1].is_symmetric:
        sums = _sums(contraction.x, contraction, x)
        y = ops.sub(y, _spread(ops.mul(sums, _spread(by_w, sums)), y))
    return y


def _signed(x: Any) -> Any:
    """Bytes as signed ones, in int32."""
    lead = _lead(ops.type_of(x).dtype)
    x = ops.cast(x, int32)
    return ops.sub(x, ops.like(lead, x)) if lead else x


def _fours(x: Any, axis: int) -> Any:
    """The signed bytes of the quarters of an axis, side by side in int32s."""
    kind = ops.type_of(x)
    quarter, total = kind.shape[axis] // 4, None
    for number in range(4):
        one = ops.cast(ops.part(x, axis, number * quarter, (number + 1) * quarter), int32)
        if number < 3 and kind.dtype == int8:
            one = ops.bit_and(one, ops.like(255, one))
        one = ops.shift_left(one, ops.like(8 * number, one)) if number else one
        total = one if total is None else ops.bit_or(total, one)
    if kind.dtype == uint8:  # with their uppermost bit turned, bytes are signed, and less by 128
        total = ops.bit_xor(total, ops.like(0x80808080 - (1 << 32), total))
    return total


def _sums(subscripts: Sequence[Subscript], contraction: Contraction, x: Any) -> Any:
    """The sums of an operand by itself, with the axes of the result, of which those that it lacks are of size 1."""
    along = _sums_along(subscripts, contraction)
    assert along is not None, "sums are along axes"
    x = ops.sum(_signed(x), along)
    rest = [index.axis for number, index in enumerate(subscripts) if number not in along]
    shape = tuple(contraction.sizes[axis] if axis in rest else 1 for axis in range(contraction.rank))
    order = tuple(sorted(range(len(rest)), key=lambda number: rest[number] or 0))
    return ops.reshape(ops.transpose(x, order), shape)


def _spread(x: Any, y: Any) -> Any:
    """An operand stretched to the shape of another."""
    return ops.broadcast(x, ops.type_of(y).shape)

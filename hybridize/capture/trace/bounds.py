# SPDX-License-Identifier: Apache-2.0
"""Bounds of integers while capturing (value-range analysis): what a value of the graph is between, whatever the call.

Python's integers have no end, those of a program have 64 bits. An operator between integers stays in the graph where
its result is known to fit; `numbers` asks here, and checks the others when the program runs. So do functions that take
indices: one that is within its axis by what made it (`argmax`, `clip`, `% n`) is not checked when the program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dims import Size, is_symbolic
from hybridize.base.dims import bounds as size_bounds
from hybridize.base.dtypes import is_float
from hybridize.base.promotion import EXACT
from hybridize.graph import Graph, Node, Value

Bounds = tuple[int, int]

WHOLE: Bounds = (-(1 << 63), (1 << 63) - 1)
"""The bounds of 64 bits."""
CARRIED: Bounds = (-(1 << 62), 1 << 62)
"""The bounds that a loop-carried number is taken to be between: counting by little, it never gets farther."""
ARGUMENT: Bounds = (-EXACT, EXACT)
"""The bounds of a Python int among the arguments, or read outside, where it is data."""
LITTLE = 1 << 12
"""By so much a number may be counted in every round of a loop: 2**50 rounds do not end."""
_SIZE: Bounds = (0, 1 << 48)
_EXACT_IN: Mapping[int, Bounds] = {4: (-(1 << 24), 1 << 24), 8: (-EXACT, EXACT)}
"""The integers that floats hold exactly, by the bytes of one."""
_DEPTH = 200


def of_dtype(dtype: Any) -> Bounds | None:
    """Return the bounds of elements of a dtype; None for floats."""
    if dtype.kind == "b":
        return 0, 1
    if dtype.kind not in "iu":
        return None
    low, bits = (
        (0, 8 * dtype.itemsize) if dtype.kind == "u" else (-(1 << 8 * dtype.itemsize - 1), 8 * dtype.itemsize - 1)
    )
    return low, (1 << bits) - 1


def within(inner: Bounds, outer: Bounds) -> bool:
    """Tell whether all that is between one pair of bounds is between the other."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def result(name: str, *bounds: Bounds) -> Bounds | None:
    """Return the bounds of an operator of Python on integers between such bounds; None where nothing is known.

    Scalar functions of integers have the same names where they are the same.
    """
    (low, high), (first, last) = bounds[0], bounds[-1]
    match name:
        case "add":
            return low + first, high + last
        case "sub":
            return low - last, high - first
        case "mul":
            corners = [x * y for x in (low, high) for y in (first, last)]
            return min(corners), max(corners)
        case "neg":
            return -high, -low
        case "abs":
            return max(low, -high, 0), max(-low, high)
        case "mod" if first > 0:
            return 0, last - 1
        case "floordiv" if first > 0:
            corners = [x // y for x in (low, high) for y in (first, last)]
            return min(corners), max(corners)
        case "lshift" if first >= 0 and last < 128:
            return min(low << last, low), max(high << last, high)
    return None


def bounds(
    value: Value,
    producer: Callable[[Value], Node | None],
    leaf: Callable[[Value], Any],
    known: Mapping[Value, Bounds],
    depth: int = 0,
) -> Bounds:
    """Return what an integer, or bool, of the graph is between.

    Args:
        value: it.
        producer: gives the node that makes a value; None for inputs and constants.
        leaf: gives the bounds of an input, the array of a constant, or None.
        known: what is known of values besides, of inner graphs too.
        depth: of the search so far.
    """
    return _Search(producer, leaf, known).bounds(value, depth)


class _Search:
    """One search for bounds in a graph, see `bounds`."""

    def __init__(
        self, producer: Callable[[Value], Node | None], leaf: Callable[[Value], Any], known: Mapping[Value, Bounds]
    ) -> None:
        self._producer, self._leaf, self._known = producer, leaf, known
        self._bounds: dict[Value, Bounds] = {}
        """The bounds of values so far, so that a value that many others use is looked at once."""

    def bounds(self, value: Value, depth: int) -> Bounds:
        if value in self._known:
            return self._known[value]
        if value not in self._bounds:
            self._bounds[value] = self._of(value, depth)
        return self._bounds[value]

    def _of(self, value: Value, depth: int) -> Bounds:
        every = of_dtype(value.type.dtype) or WHOLE
        node = self._producer(value)
        if node is None:
            return self._of_leaf(value, every)
        if depth > _DEPTH:
            return every

        def inner(x: Value) -> Bounds:
            return self.bounds(x, depth + 1)

        op: Any = node.op
        bounds: Bounds | None = None
        if op.moves:
            return inner(node.inputs[0])
        if is_float(value.type.dtype):  # only as integers that go through a float on their way, exactly
            if isinstance(op, ops.Cast) and of_dtype(node.inputs[0].type.dtype) is not None:
                bounds = inner(node.inputs[0])
                return bounds if within(bounds, _EXACT_IN.get(value.type.dtype.itemsize, (0, 0))) else WHOLE
            return WHOLE
        positions = length_of(value, self._producer)
        if positions is not None:
            return (0, max(positions - 1, 0)) if not is_symbolic(positions) else _SIZE
        match op:
            case ops.SizeOf():
                low, high = size_bounds(op.size)
                return max(low, _SIZE[0]), min(high, _SIZE[1])
            case ops.Cast():
                bounds = inner(node.inputs[0])
            case ops.Concat():
                ends = [inner(one) for one in node.inputs]
                bounds = min(low for low, _ in ends), max(high for _, high in ends)
            case ops.Max() | ops.Min():
                (low, high), (first, last) = map(inner, node.inputs)
                take = max if isinstance(op, ops.Max) else min
                return take(low, first), take(high, last)
            case ops.Where():
                bounds = _either(inner(node.inputs[1]), inner(node.inputs[2]))
            case ops.Cond():
                position = node.outputs.index(value)
                sides = (self._of_graph(side, position, node.inputs[1:], depth) for side in (op.then, op.orelse))
                bounds = _either(*sides)
            case ops.Elementwise():
                bounds = result(op.scalar, *map(inner, node.inputs))
        return bounds if bounds is not None and within(bounds, every) else every

    def _of_leaf(self, value: Value, every: Bounds) -> Bounds:
        leaf = self._leaf(value)
        if leaf is None:
            return every
        if isinstance(leaf, tuple):
            return leaf
        if is_float(value.type.dtype) and not numpy.isfinite(leaf).all():
            return every
        return (int(leaf.min()), int(leaf.max())) if leaf.size else every

    def _of_graph(self, graph: Graph, position: int, arguments: Any, depth: int) -> Bounds:
        """Return the bounds of an output of a graph, its inputs being values of this one."""
        makers: Mapping[Value, Node] = {output: node for node in graph.nodes for output in node.outputs}
        inputs = dict(zip(graph.inputs, arguments, strict=True))

        def leaf(value: Value) -> Any:
            if value in inputs:
                return self.bounds(inputs[value], depth + 1) if of_dtype(value.type.dtype) is not None else None
            return graph.constants.get(value)

        search = _Search(makers.get, leaf, self._known)
        search._bounds = self._bounds  # several outputs may come of one value
        return search.bounds(graph.outputs[position], depth + 1)


def length_of(value: Value, producer: Callable[[Value], Node | None]) -> Size | None:
    """Return the length of the axis that a value's elements are positions of; None where they are something else."""
    for _ in range(_DEPTH):
        node = producer(value)
        if node is None:
            return None
        op: Any = node.op
        if op.positions:
            length: Size = node.inputs[0].type.shape[op.axis]
            return length
        if isinstance(op, ops.Iota) and op.dtype.kind in "iu":
            return op.shape[op.axis]
        if not op.moves:
            return None
        value = node.inputs[0]
    return None


def _either(one: Bounds, other: Bounds) -> Bounds:
    return min(one[0], other[0]), max(one[1], other[1])


def is_beyond(x: Any) -> bool:
    """Tell whether a value is a Python integer that has no place in 64 bits."""
    return isinstance(x, int) and not WHOLE[0] <= x <= WHOLE[1]

# SPDX-License-Identifier: Apache-2.0
"""Choose the homes of the values of a graph (*layout assignment*): who lies channels last, and who has a halo.

Contractions with windows want their first operand channels last, with a halo as wide as their windows leave it, and
store their results so; where lanes are an axis that both operands have, so lies the second one. What an operand is a
reshape of lies so, too. That spreads through whatever computes its result axis by axis (elementwise operations,
concatenations, slices, folds over windows), whose operands and results lie best alike. Inputs, constants and outputs of
the program lie in the order of their axes, and so does what products of matrices, routines and regions read: where
homes meet, the loop that stores or reads converts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hybridize.base.dims import hint, same
from hybridize.base.frozen import changed
from hybridize.base.types import Shape
from hybridize.graph import Graph, Node, Value
from hybridize.loops.expr import Axis, Load
from hybridize.loops.index import Space, bit
from hybridize.schedule.contraction.arrangement import Arrangement
from hybridize.schedule.contraction.matrices import MatrixProduct
from hybridize.schedule.device.contractions import ImplicitProduct
from hybridize.schedule.homes import Halo, Home, is_in_order, no_halo, ordered, wider
from hybridize.schedule.lower import LocalLoad, Lowerings
from hybridize.schedule.places import strides_of


def assign(graph: Graph, lowerings: Lowerings) -> dict[Value, Home]:
    """The homes of values that do not lie in the order of their axes."""
    windows = [
        (node, arrangement) for node in graph.nodes if isinstance(arrangement := lowerings.of(node), Arrangement)
    ]
    windows = [(node, arrangement) for node, arrangement in windows if arrangement.has_windows]
    turned = _turned_results(graph, lowerings)
    return turned if not windows else turned | _around_windows(graph, lowerings, windows)


def _turned_results(graph: Graph, lowerings: Lowerings) -> dict[Value, Home]:
    """The homes of results of products that are only read transposed, rows staying rows: they are stored so.

    Heads [head, position, channel] go to [position, head, channel], where they are one row for what comes next.
    """
    readers, homes = graph.uses(), {}
    producers = {value: node for node in graph.nodes for value in node.outputs}
    interface = {*graph.inputs, *graph.constants, *graph.outputs}

    def ends_a_product(value: Value) -> bool:
        node = producers.get(value)
        lowered = () if node is None else lowerings.of(node)
        if isinstance(lowered, MatrixProduct):
            return True
        reads = lowered[0].reads if isinstance(lowered, tuple) and len(lowered) == 1 and not lowered[0].folds else ()
        return any(
            read.identity and readers[node.inputs[read.operand]] == 1 and ends_a_product(node.inputs[read.operand])
            for read in reads
            if node is not None
        )

    for node in graph.nodes:
        lowered = lowerings.of(node)
        expr = lowered[0].expr if isinstance(lowered, tuple) and len(lowered) == 1 else None
        if not isinstance(expr, Load):
            continue
        base, shown = node.inputs[expr.operand], node.outputs[0]
        order = _transposed(expr, shown.type.shape) if base.type.dtype == shown.type.dtype else None
        if order is None or order[-1] != len(order) - 1 or readers[base] != 1 or base in interface:
            continue
        home = ordered(base.type.shape, order)
        if not is_in_order(home, base.type.shape) and ends_a_product(base):
            homes[base] = home
    return homes


def _transposed(expr: Load, shape: Shape) -> tuple[int, ...] | None:
    """The axes of an operand in the order in which a value shows them; None where it does not just transpose it."""
    if len(expr.indices) != len(shape) or len(shape) < 3:
        return None
    shown = {index.number: k for k, index in enumerate(expr.indices) if isinstance(index, Axis)}
    single = (k for k, index in enumerate(expr.indices) if not isinstance(index, Axis))
    order = [shown[axis] if axis in shown else next(single, None) for axis in range(len(shape))]
    alone = all(axis in shown or same(size, 1) for axis, size in enumerate(shape))
    return tuple(axis for axis in order if axis is not None) if alone and None not in order else None


def _around_windows(graph: Graph, lowerings: Lowerings, windows: list[tuple[Node, Arrangement]]) -> dict[Value, Home]:
    """The homes of values that contractions with windows, and what lies like these, want."""
    alike, views = _Classes(), _Views(graph, lowerings)
    for node in graph.nodes:
        _join_alike(alike, node, lowerings)
    orders: dict[Value, tuple[int, ...]] = {}
    halos: dict[Value, Halo] = {}
    operands = {value for node, _ in windows for value in node.inputs}
    for node, arrangement in windows:
        result = node.outputs[0]
        at, (x, w) = views.seen_through(node, arrangement)
        orders.setdefault(alike.of(result), at.result_order())
        for view, slowest in views.of(result, at.result_order()):
            if view not in operands:
                orders.setdefault(alike.of(view), slowest)
        orders.setdefault(alike.of(x), at.operand_order())
        if at.is_shared:
            orders.setdefault(alike.of(w), at.second_order())
        if orders[alike.of(x)] == at.operand_order():
            halos[x] = wider(halos.get(x, no_halo(x.type.shape)), at.halo)
    fixed = views.fixed
    homes = {}
    for node in graph.nodes:
        for value in node.outputs:
            order = orders.get(alike.of(value))
            if order is not None and value not in fixed and len(order) == value.type.ndim:
                home = ordered(value.type.shape, order, halos.get(value))
                if not is_in_order(home, value.type.shape):
                    homes[value] = home
    return homes


class _Views:
    """The values of a graph that show all elements of another one, in other axes: reshaped or transposed."""

    def __init__(self, graph: Graph, lowerings: Lowerings) -> None:
        self._lowerings = lowerings
        self.fixed = set(_fixed(graph, lowerings))
        self._loads: dict[Value, tuple[Value, Load]] = {}
        """The base of a view, and the element of it that one of the view is."""
        self._views: dict[Value, list[Value]] = {}
        for node in graph.nodes:
            lowered = lowerings.of(node)
            for value, local in zip(node.outputs, lowered, strict=True) if isinstance(lowered, tuple) else ():
                base = node.inputs[local.expr.operand] if isinstance(local.expr, Load) else value
                if base is not value and base.type.dtype == value.type.dtype and same(base.type.size, value.type.size):
                    assert isinstance(local.expr, Load)
                    self._loads[value] = base, local.expr
                    self._views.setdefault(base, []).append(value)

    def of(self, base: Value, order: tuple[int, ...]) -> Iterable[tuple[Value, tuple[int, ...]]]:
        """The views of a value whose axes lie in an order, each with the order that its own axes then lie in."""
        home = ordered(base.type.shape, order)
        for view in self._views.get(base, ()):
            space = Space(self._lowerings.interner, dict(enumerate(view.type.shape)))
            layout = strides_of(home.address(space, self._loads[view][1].indices), view.type.shape)
            if layout is not None:
                strides, _ = layout
                slowest = sorted(range(view.type.ndim), key=lambda axis: (-abs(hint(strides[axis])), axis))
                yield view, tuple(slowest)

    def seen_through(self, node: Node, arrangement: Arrangement) -> tuple[Arrangement, tuple[Value, Value]]:
        """A contraction of the bases of views that are its operands, where these may have homes; and the operands.

        A wish for a view is best granted to its base: whoever stores that stores it so, and no step copies it.
        """
        operands = [node.inputs[int(arrangement.swapped)], node.inputs[1 - int(arrangement.swapped)]]
        arrangement = changed(arrangement, swapped=False)
        for side in range(2):
            at, of = arrangement, operands[side]
            while of in self._loads:
                of, load = self._loads[of]
                composite = self._lowerings.through(at, side, load, of.type)
                if not isinstance(composite, Arrangement) or not at.is_like(composite):
                    break
                at = composite
                if of not in self.fixed:
                    arrangement, operands[side] = at, of
        return arrangement, (operands[0], operands[1])


class _Classes:
    """Values that lie alike (union-find)."""

    def __init__(self) -> None:
        self._parent: dict[Value, Value] = {}

    def of(self, value: Value) -> Value:
        """The value that stands for a class."""
        parents = self._parent
        while value in parents:
            parent = parents[value]
            if parent in parents:
                parent = parents[value] = parents[parent]  # ways become shorter as they are gone
            value = parent
        return value

    def join(self, one: Value, other: Value) -> None:
        """Make one class of two."""
        a, b = self.of(one), self.of(other)
        if a is not b:
            self._parent[a] = b


def _join_alike(alike: _Classes, node: Node, lowerings: Lowerings) -> None:
    """Make one class of values of which one is computed of the other axis by axis.

    Elementwise operations, concatenations, slices, folds over windows: along each axis of the result only that axis of
    the operand is walked, so both are best walked in one order.
    """
    lowered = lowerings.of(node)
    if not isinstance(lowered, tuple):
        return
    op: Any = node.op
    if op.joined_along is not None:
        for part in node.inputs:
            alike.join(part, node.outputs[0])
    for value, local in zip(node.outputs, lowered, strict=True):
        for read in local.reads:
            operand = node.inputs[read.operand]
            if operand.type.ndim == value.type.ndim and _axis_by_axis(read, lowerings):
                alike.join(operand, value)


def _axis_by_axis(read: LocalLoad, lowerings: Lowerings) -> bool:
    """Tell whether an operand's index along each axis depends on no other axis of the result."""
    rank = len(read.indices)
    return read.identity or not any(
        lowerings.interner.facts(index).free & bit(axis)
        for k, index in enumerate(read.indices)
        for axis in range(rank)
        if axis != k
    )


def _fixed(graph: Graph, lowerings: Lowerings) -> Iterable[Value]:
    """The values that lie in the order of their axes, whoever reads them."""
    yield from graph.inputs
    yield from graph.constants
    yield from graph.outputs
    for node in graph.nodes:
        lowered = lowerings.of(node)
        if not isinstance(lowered, tuple | Arrangement | ImplicitProduct):
            yield from node.inputs
            yield from node.outputs

# SPDX-License-Identifier: Apache-2.0
"""Control flow: what bodies give, where a loop keeps its state, which of its operands are the same in all turns.

Nothing is copied from turn to turn. A scan that stacks its state has it in the slices; state that is read element by
element, each before its successor is stored, stays where it is; the rest alternates between two places.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeGuard

from hybridize.base.dims import bounds, hint, is_symbolic, same
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import TensorType
from hybridize.graph import Graph, Node, Value, nodes_inside
from hybridize.graph.ir import OpLike
from hybridize.loops.expr import Region
from hybridize.ops import While
from hybridize.schedule import thresholds
from hybridize.schedule.grouping import Grouping, NodeStep, Unit, carried_state
from hybridize.schedule.memory import rounded
from hybridize.schedule.steps import StateHome


@frozen
class ShiftedStack:
    """A stacked output of a scan whose slices are those of another one, a turn later: it is copied after the loop."""

    output: int
    """It gives the state before each turn."""
    stack: int
    """It gives the state after each turn."""
    state: int
    """The state whose first value it begins with."""


@frozen
class Bodies:
    """The functions of a region as they are scheduled: they give what has to be stored."""

    graphs: tuple[Graph, ...]
    gives: tuple[int, ...]
    """As in `RegionStep`."""
    state: tuple[StateHome, ...]
    shifted: tuple[ShiftedStack, ...] = ()

    @property
    def offers(self) -> dict[int, int]:
        """Outputs of the last function that may take the place of an input: state that is kept by turns so far."""
        return {n: k for n, k in enumerate(self.gives) if k < len(self.state) and self.state[k].kind == "by turns"}


def bodies_of(node: Node, region: Region, *, shifts: bool = False) -> Bodies:
    """Return the functions of a region without outputs that are steady, or slices in which state lies anyway; `shifts`
    if a stack is to be copied at once where all its slices but one are those of another stack.
    """
    *others, body = region.graphs
    carried = carried_state(node, region)
    emitted = list(range(carried, len(body.outputs)) if region.kind == "scan" else ())
    state = []

    def stack_of(value: Value) -> int:
        """The first stacked output whose slices are a value; it is no other state's."""
        index = next((number for number in emitted if body.outputs[number] is value), -1)
        if index >= 0:
            emitted.remove(index)
        return index

    for before, left in zip(body.inputs, body.outputs[:carried], strict=False):
        if left is before:
            state.append(StateHome("steady"))
        elif (stack := stack_of(left)) >= 0:
            state.append(StateHome("as left", stack))
        elif (stack := stack_of(before)) >= 0:
            state.append(StateHome("as found", stack))
        else:
            state.append(StateHome("by turns"))
    shifted = []
    for number in [*emitted] if shifts and bounds(_length(node, region))[0] > 0 else ():
        k = next((k for k, before in enumerate(body.inputs[:carried]) if body.outputs[number] is before), -1)
        if k >= 0 and state[k].kind == "as left":
            emitted.remove(number)
            shifted.append(ShiftedStack(number, state[k].stack, k))
    moving = [k for k, home in enumerate(state) if home.kind != "steady"]
    if region.kind == "cond":
        emitted = list(range(len(body.outputs)))
    gives = (*moving, *emitted)
    last = dataclasses.replace(body, outputs=tuple(body.outputs[number] for number in gives))
    return Bodies((*others, last), gives, tuple(state), tuple(shifted))


def settled(
    bodies: Bodies, proven: Collection[tuple[int, int]], kinds: Sequence[TensorType]
) -> tuple[tuple[StateHome, ...], int]:
    """The homes of the state, and the bytes of the workspace that it takes.

    Args:
        bodies: what is scheduled.
        proven: outputs of the last function that it may store over an input.
        kinds: types of the state.
    """
    in_place = {bodies.gives[output] for output, _ in proven}
    homes, end = [], 0
    for k, home in enumerate(bodies.state):
        if k in in_place:
            home = StateHome("in place")
        elif home.kind == "by turns":
            home = changed(home, offset=end)
            end = end + rounded(kinds[k].nbytes)
        homes.append(home)
    return tuple(homes), end


def fixed_operands(node: Node, region: Region, state: Sequence[StateHome], stacked: Collection[int]) -> list[int]:
    """The operands of a loop that are the same in all turns, where it has turns enough to make something of them
    beforehand; none whose sizes only the call knows.
    """
    length = _length(node, region)
    if region.kind == "cond" or (not is_symbolic(length) and length < thresholds.FEW_TURNS):
        return []
    return [
        k
        for k, value in enumerate(node.inputs)
        if k not in stacked and (k >= len(state) or state[k].kind == "steady") and value.type.scope is None
    ]


def _length(node: Node, region: Region) -> int:
    """Turns of a scan; of other loops many, as nobody knows."""
    op: Any = node.op
    return op.length if region.kind == "scan" else thresholds.FEW_TURNS


def unread_state(state: Sequence[StateHome], outputs: Sequence[Value], read: Mapping[Value, bool]) -> tuple[int, ...]:
    """The outputs of a loop that it need not store: nothing reads them, and their slices are elsewhere."""
    return tuple(k for k, home in enumerate(state) if home.kind in ("as left", "steady") and not read[outputs[k]])


def scans_beside(
    order: Sequence[Unit], after: Mapping[Unit, AbstractSet[Unit]], grouping: Grouping, threads: int
) -> list[Unit]:
    """The units in an order in which companions follow each other that share a loop, or have one of so many threads
    each: what the second one needs comes before the first. `after` are the units that must come after each.
    """
    units = list(order)
    for unit in order:
        if not is_scan(unit, grouping):
            continue
        first = units.index(unit)
        for place in range(first + 1, min(first + thresholds.SCAN_STEPS, len(units))):
            other = units[place]
            if not is_scan(other, grouping) or not _are_better_beside(unit, other, grouping.graph, threads):
                continue
            needed = _leading(units[first + 1 : place], other, after)
            if other not in after[unit] and not any(one in after[unit] for one in needed):
                rest = [one for one in units[first + 1 : place] if one not in needed]
                units[first : place + 1] = [*needed, unit, other, *rest]
                break
    return units


def _are_better_beside(unit: NodeStep, other: NodeStep, graph: Graph, threads: int) -> bool:
    """Tell whether two scans are worth the memory of both at once."""
    if not are_companions(graph, unit.node, other.node):
        return False
    enough = threads == 2 or (threads > 2 and threads <= companions(graph, unit.node))
    return enough or may_share_loop(graph, unit.node, other.node)


def _leading(units: Sequence[Unit], goal: Unit, after: Mapping[Unit, AbstractSet[Unit]]) -> list[Unit]:
    """Those of some units, in order, that must come before another one, however indirectly."""
    needs: list[Unit] = []
    for unit in reversed(units):
        if goal in after[unit] or not after[unit].isdisjoint(needs):
            needs.append(unit)
    return needs[::-1]


def scans_around(order: Sequence[Unit], number: int, grouping: Grouping) -> int:
    """Count the companions in a row that a scan is in, with itself; 1 for any other unit."""
    unit = order[number]
    if not is_scan(unit, grouping):
        return 1

    def run(way: int) -> int:
        count, place = 0, number + way
        while 0 <= place < len(order):
            other = order[place]
            if not is_scan(other, grouping) or not are_companions(grouping.graph, unit.node, other.node):
                break
            count, place = count + 1, place + way
        return count

    return 1 + run(1) + run(-1)


def ends_by_data(op: OpLike) -> bool:
    """Tell whether data decides how often a loop turns, or one within it."""
    return any(isinstance(one, While) for one in (op, *(node.op for node in nodes_inside(op))))


def is_scan(unit: Unit, grouping: Grouping) -> TypeGuard[NodeStep]:
    """Tell whether a unit is a scan without effects."""
    if not isinstance(unit, NodeStep):
        return False
    lowered = grouping.lowerings.of(unit.node)
    return isinstance(lowered, Region) and lowered.kind == "scan" and not unit.effect


def companions(graph: Graph, node: Node) -> int:
    """Count the scans that may run beside one, with itself; none beside another region."""
    if not hasattr(node.op, "length"):
        return 1
    return 1 + sum(are_companions(graph, node, other) for other in graph.nodes)


def are_companions(graph: Graph, node: Node, other: Node) -> bool:
    """Tell whether two scans have the same length and results, and neither needs what the other gives."""
    op: Any = node.op
    like: Any = other.op
    if node is other or type(like) is not type(op) or not same(like.length, op.length):
        return False
    alike = [value.type for value in node.outputs] == [value.type for value in other.outputs]
    return alike and other not in _behind(graph, node) and node not in _behind(graph, other)


def may_share_loop(graph: Graph, node: Node, other: Node) -> bool:
    """Tell whether the turns of two scans are short enough to be better off in one loop, the second one beginning its
    turn while the first one ends its own.
    """
    read = 0
    for one in (node, other):
        op: Any = one.op
        stacked = op.stacked([value.type for value in one.inputs])
        read += sum(hint(value.type.nbytes) for k, value in enumerate(one.inputs) if k not in stacked)
    return read <= thresholds.SCAN_BYTES and are_companions(graph, node, other)


def _behind(graph: Graph, node: Node) -> set[Node]:
    """The nodes that need what a node gives, however indirectly."""
    known: set[Value] = set(node.outputs)
    dependents: set[Node] = set()
    for other in graph.nodes:
        if not known.isdisjoint(other.inputs):
            dependents.add(other)
            known.update(other.outputs)
    return dependents

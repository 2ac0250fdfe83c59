# SPDX-License-Identifier: Apache-2.0
"""Buffer donation: outputs that may lie where an input lies, a state's new value written over the old one.

The caller offers pairs of an output and an input of equal type. A pair is taken where every element of the input is
read for the last time before the element of the output at its position is written: in an earlier step, or in the same
turn of the same loop. What is taken is right wherever the caller puts the output, over the input or apart.

A program that asserts may yet refuse what it was given, and must then have changed nothing: it stops at an assertion
that fails, and all of them come before what is written over an input. So do loops that data ends, which a signal may
interrupt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from hybridize.base.dims import same
from hybridize.graph import Graph, Node, Value
from hybridize.ops import Assert, Effect, effect_of
from hybridize.schedule.grouping import Grouping, NodeStep, Unit
from hybridize.schedule.regions import ends_by_data
from hybridize.schedule.steps import ScheduleStep

Updates = Mapping[int, int]
"""For an output the input that it is the new value of."""


def admissible(graph: Graph, offers: Updates) -> dict[int, int]:
    """The offers that can be taken at all: none of a program that reaches the world and does not stop if it fails."""
    if any(effect_of(node.op) is not Effect.PURE and not _asserts(node) for node in graph.nodes):
        return {}
    return equal_pairs(graph, offers)


def equal_pairs(graph: Graph, offers: Updates) -> dict[int, int]:
    """The offers of an output and an input of one type that is no other's."""
    pairs = {k: j for k, j in offers.items() if graph.outputs[k].type == graph.inputs[j].type}
    times = Counter(pairs.values())
    return {k: j for k, j in pairs.items() if times[j] == 1}


def _asserts(node: Node) -> bool:
    """Tell whether a node is an assertion of one bool, at which a program can stop."""
    return isinstance(node.op, Assert) and same(node.inputs[0].type.size, 1)


def asserted_first(grouping: Grouping, graph: Graph, offers: Updates, after: Mapping[Unit, set[Unit]]) -> None:
    """Have all that stops a program come before units that store a new value over an old one, where that can be."""
    within: dict[Unit, Unit] = {step.epilogue: step for step in grouping.steps if step.epilogue is not None}
    asserting = [step for step in grouping.steps if step.effect or _loops(step)] if offers else []
    for output in offers:
        writer = grouping.owner.get(grouping.places.root(graph.outputs[output]))
        if writer is None:
            continue
        last = _unit(writer, within)
        for step in asserting:
            if last is not step and not _leads(last, step, after):
                after[step].add(last)


def _loops(unit: Unit) -> bool:
    return isinstance(unit, NodeStep) and ends_by_data(unit.node.op)


def readers_first(graph: Graph, grouping: Grouping, offers: Updates, after: Mapping[Unit, set[Unit]]) -> None:
    """Have units that read an old value come before the one that stores the new one, where nothing forbids that.

    `after` are the units that must come after each; it is added to. Epilogues stand for the contractions they end.
    """
    within: dict[Unit, Unit] = {step.epilogue: step for step in grouping.steps if step.epilogue is not None}
    views: dict[Value, list[Value]] = {}
    for view in grouping.places.views() if offers else ():
        views.setdefault(grouping.places.root(view), []).append(view)
    for output, number in offers.items():
        old, writer = graph.inputs[number], grouping.owner.get(grouping.places.root(graph.outputs[output]))
        if writer is None:
            continue
        writer = _unit(writer, within)
        for value in (old, *views.get(old, ())):
            for reader in (*grouping.readers.get(value, ()), *grouping.uses.get(value, ())):
                first = _unit(reader, within)
                if first is not writer and not _leads(writer, first, after):
                    after[first].add(writer)


def _unit(unit: Unit, within: Mapping[Unit, Unit]) -> Unit:
    return within.get(unit, unit)


def _leads(start: Unit, goal: Unit, after: Mapping[Unit, set[Unit]]) -> bool:
    """Tell whether `goal` must come after `start`."""
    seen, front = {start}, [start]
    while front:
        for unit in after[front.pop()]:
            if unit is goal:
                return True
            if unit not in seen:
                seen.add(unit)
                front.append(unit)
    return False


def proven_updates(
    steps: Sequence[ScheduleStep], offers: Updates, *, stopping: bool = True
) -> tuple[tuple[ScheduleStep, ...], tuple[tuple[int, int], ...]]:
    """The offers that are proven, and the steps, told which of their buffers may be one.

    A program that stops where an assertion fails or a loop is interrupted (`stopping`) must do so before it writes over
    an input. So a loop that may last long, and hands new values of state on from turn to turn (one of training steps),
    leaves the old ones alone: the copy that this takes is nothing beside it.
    """
    written: dict[int, int] = {}
    read: dict[int, int] = {}
    training: list[int] = []
    banded: dict[tuple[int, int], int] = {}
    """The first step of a band, by its number, that reads an input."""
    for number, step in enumerate(steps):
        for address, writes in step.operands():
            if address.kind == "output" and writes:
                written.setdefault(address.slot, number)
                if step.lasting and address.slot in offers:
                    training.append(number)
            elif address.kind == "input":
                read[address.slot] = number
                if step.band is not None:
                    banded.setdefault((step.band.number, address.slot), number)
    pairs, result = [], list(steps)
    ends = [number for number, step in enumerate(steps) if step.interruptible or step.asserts] if stopping else []
    decided = max([*ends, *training] if stopping else (), default=-1)
    for output, source in offers.items():
        at = written.get(output)
        last = read.get(source, -1)
        if at is None or last > at or decided >= at:
            continue
        band = steps[at].band
        if band is not None and banded.get((band.number, source), at) < at:
            continue  # an earlier step of the band reads on when the first block has been written
        if last == at:
            updating = result[at].updating(output, source)
            if updating is None:
                continue
            result[at] = updating
        pairs.append((output, source))
    return tuple(result), tuple(pairs)

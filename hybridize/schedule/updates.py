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

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from hybridize.base.dims import same
from hybridize.base.dtypes import bool_
from hybridize.graph import Graph, Node, Value
from hybridize.loops.expr import Expr, Load
from hybridize.loops.measure import walk
from hybridize.ops import Assert, Effect, effect_of
from hybridize.schedule.contraction.plan import ProductPlan
from hybridize.schedule.grouping import Grouping, NodeStep, Unit
from hybridize.schedule.kernel import Kernel
from hybridize.schedule.parallel import shared_loops
from hybridize.schedule.regions import ends_by_data
from hybridize.schedule.routines import WRITE_OVER
from hybridize.schedule.steps import ContractionStep, LoopStep, RegionStep, RoutineStep, ScheduleStep

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


def stops(step: ScheduleStep) -> bool:
    """Tell whether a program that writes over its inputs ends at a step if it fails there: at such an assertion, and
    at what is or has a loop that data ends.
    """
    if isinstance(step, RegionStep):
        return step.control == "while" or any(
            isinstance(one, RegionStep) and stops(one) for body in step.bodies for one in body.steps
        )
    if not isinstance(step, RoutineStep) or step.outputs or step.routine.name == "print":
        return False
    condition = step.inputs[0]
    return condition.dtype == bool_ and same(condition.size, 1)


def asserted_first(grouping: Grouping, graph: Graph, offers: Updates, after: Mapping[Unit, set[Unit]]) -> None:
    """Have all that `stops` come before units that store a new value over an old one, where nothing forbids that."""
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
    an input.
    """
    written: dict[int, int] = {}
    read: dict[int, int] = {}
    banded: set[tuple[str, int, int]] = set()
    """Steps of bands that read an input: the band, the input and the step."""
    for number, step in enumerate(steps):
        for address, writes in step.operands():
            if address.kind == "output" and writes:
                written.setdefault(address.slot, number)
            elif address.kind == "input":
                read[address.slot] = number
                banded.add((_band(step), address.slot, number))
    pairs, result = [], list(steps)
    decided = max((number for number, step in enumerate(steps) if stopping and stops(step)), default=-1)
    for output, source in offers.items():
        at = written.get(output)
        last = read.get(source, -1)
        if at is None or last > at or decided >= at:
            continue
        band = _band(steps[at])
        if band and any((band, source, number) in banded for number in range(at)):
            continue  # an earlier step of the band reads on when the first block has been written
        if last == at:
            if not _in_turn(result[at], output, source):
                continue
            result[at] = _mark_shared(result[at], output, source)
        pairs.append((output, source))
    return tuple(result), tuple(pairs)


def _band(step: ScheduleStep) -> str:
    """Return the kind and number of the band of a step; nothing where it is in none."""
    return "" if step.band is None else f"{type(step.band).__name__} {step.band.number}"


def _in_turn(step: ScheduleStep, output: int, source: int) -> bool:
    """Tell whether a step reads an input and writes an output element by element, each element read before it is
    written; or writes the output over the input, but for what stays.
    """
    if isinstance(step, RoutineStep):
        return _written_over(step, output, source)
    if not isinstance(step, LoopStep | ContractionStep):
        return False
    numbers: dict[str, list[int]] = {"input": [], "output": []}
    for number, address in enumerate(step.addresses):
        if (address.kind, address.slot) in (("input", source), ("output", output)):
            if not same(address.offset, 0):
                return False
            numbers[address.kind].append(number)
    if len(numbers["input"]) != 1 or len(numbers["output"]) != 1:
        return False
    (reads,), (writes,) = numbers.values()
    if isinstance(step, LoopStep):
        return reads < len(step.kernel.params) and _read_first(step.kernel, reads, writes)
    return 0 <= reads - 2 < len(step.ending.params) and _finished_first(step, reads - 2, writes - 2)


def _written_over(step: RoutineStep, output: int, source: int) -> bool:
    """Tell whether a routine writes all of an output over all of an input, which is no other operand of it."""
    result, base, *others = step.addresses
    return (
        step.routine.name in WRITE_OVER
        and (result.kind, result.slot) == ("output", output)
        and (base.kind, base.slot) == ("input", source)
        and same(result.offset, 0)
        and same(base.offset, 0)
        and all((other.kind, other.slot) != ("input", source) for other in others)
    )


def _read_first(kernel: Kernel, source: int, target: int) -> bool:
    """Tell whether each element of one param is read before that of the other at its position is stored."""
    has_stores = False
    for nest in kernel.nests:
        looped = [(statement, body.sizes) for body in nest.bodies for statement in body.statements]
        stores = {id(s.index): (n, sizes) for n, (s, sizes) in enumerate(looped) if s.buffer == target}
        has_stores = has_stores or bool(stores)
        if not has_stores:
            continue
        for number, (statement, own) in enumerate(looped):
            for index in _read_indices(source, statement.value, statement.index):
                last, sizes = stores.get(id(index), (-1, ()))
                if number > last or not _alike(sizes, own):
                    return False
    return True


def _finished_first(step: ContractionStep, source: int, target: int) -> bool:
    """The same of the epilogue of a product: tiles of other contractions may store an element twice."""
    if not isinstance(step.plan, ProductPlan) or step.plan.product.out_strides is not None:
        return False
    stores = step.ending.stores
    written = {id(store.index): number for number, store in enumerate(stores) if store.buffer == target}
    return all(
        number <= written.get(id(index), -1)
        for number, store in enumerate(stores)
        for index in _read_indices(source, store.value, store.index)
    )


def _read_indices(operand: int, *roots: Expr) -> Iterable[Expr]:
    """Return the indices at which expressions read a buffer."""
    return [node.indices[0] for node in walk(*roots) if isinstance(node, Load) and node.operand == operand]


def _alike(x: Sequence[int], y: Sequence[int]) -> bool:
    return len(x) == len(y) and all(same(a, b) for a, b in zip(x, y, strict=True))


def _mark_shared(step: ScheduleStep, output: int, source: int) -> ScheduleStep:
    """A kernel whose params for the two may be one buffer."""
    if not isinstance(step, LoopStep):
        return step
    params = list(step.kernel.params)
    for number, address in enumerate(step.addresses[: len(params)]):
        if (address.kind, address.slot) in (("input", source), ("output", output)):
            params[number] = dataclasses.replace(params[number], shared=True)
    kernel, split = dataclasses.replace(step.kernel, params=tuple(params)), step.split
    if split is not None:  # a nest that reads all of the old value ends before one that stores the new one begins
        split = dataclasses.replace(split, loops=shared_loops(kernel))
    return dataclasses.replace(step, kernel=kernel, split=split)

"""The phases of the schedule, one by one: what each gives is true of what it was given."""

import functools

import pytest

from hybridize import ops
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.graph import Graph
from hybridize.machine.target import named_target
from hybridize.ops import make_graph
from hybridize.passes import PIPELINE
from hybridize.schedule import scheduler
from hybridize.schedule.grouping import FusionGroup, NodeStep
from hybridize.schedule.memory import rounded
from hybridize.schedule.pending import Scheduling
from hybridize.schedule.steps import NOWHERE, Schedule
from tests.schedule.test_rolling import ALWAYS, RESIDUAL, chain
from tests.schedule.test_steps import attention, network, recurrent, sorted_rows


def branches() -> Graph:
    def program(x, w):
        return [ops.matmul(ops.tanh(x), w), ops.matmul(ops.exp(x), w), ops.sum(ops.mul(x, x), (0,))]

    return make_graph(program, [TensorType((256, 256), float32)] * 2)


def layers() -> Graph:
    """Products that share their rows, of which the second adds a row that is made before."""

    def program(x, u, v, w):
        row = ops.sum(ops.mul(x, x), (0,))
        y = ops.matmul(ops.tanh(ops.matmul(x, u)), v)
        return [ops.matmul(ops.add(y, ops.broadcast(row, ops.type_of(y).shape)), w)]

    return make_graph(program, [TensorType((20_000, 64), float32), *[TensorType((64, 64), float32)] * 3])


PROGRAMS = {
    "layers": layers,
    "attention": attention,
    "network": network,
    "recurrent": recurrent,
    "sorted rows": sorted_rows,
    "branches": branches,
    "rolling": lambda: chain((1, 16, 47, 8), RESIDUAL, True),
}
CASES = [(name, threads) for name in PROGRAMS for threads in (1, 4)]


@functools.cache
def road(name: str, threads: int):
    """All phases of a program, and of the bodies in it: what each was given, and what it gave."""
    seen: list[tuple[Scheduling, list, object, object, Schedule]] = []

    def finished(program: Scheduling) -> Schedule:
        pending = scheduler.pending_steps(program)
        alive = [(block, block.first, block.last, block.nbytes) for block in program.storage.blocks]
        places = scheduler.settled(program, pending)
        steps = scheduler.finished_steps(program, pending, places)
        described = scheduler._described_program(program, steps, places.scratch_bytes)
        seen.append((program, pending, (alive, places), steps, described))
        return described

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scheduler, "_finished", finished)
        if name == "rolling":
            for threshold, number in {**ALWAYS, "BLOCK_SHARE": 1 << 40}.items():
                patch.setattr(f"hybridize.schedule.thresholds.{threshold}", number)
        graph = PIPELINE.run(PROGRAMS[name]())
        scheduled(graph, named_target("avx2"), range(1, len(graph.inputs)) if name == "rolling" else (), threads)
    return seen


@pytest.mark.parametrize(("name", "threads"), CASES)
def test_every_node_is_in_a_unit(name: str, threads: int):
    for program, *_ in road(name, threads):
        units = list(program.order)
        inside = [unit.epilogue for unit in units if isinstance(unit, NodeStep) and unit.epilogue is not None]
        nodes = [unit.node for unit in units if isinstance(unit, NodeStep)]
        nodes += [node for unit in [*units, *inside] if isinstance(unit, FusionGroup) for _, node, _ in unit.members]
        assert set(nodes) <= set(program.graph.nodes)
        stored = {value for value in program.graph.outputs if value in program.grouping.owner}
        assert stored <= {output for node in nodes for output in node.outputs}
        assert len(units) == len(set(units))


@pytest.mark.parametrize(("name", "threads"), CASES)
def test_what_a_pending_step_stores_has_memory(name: str, threads: int):
    for program, pending, (alive, _), *_ in road(name, threads):
        assert len(pending) >= len(program.order)
        for unit in program.order:
            group = unit if isinstance(unit, FusionGroup) else unit.epilogue
            for value in unit.node.outputs if group is None else group.materialised:
                assert program.grouping.places.root(value) in program.storage.memory, value
        assert all(0 <= first <= last < len(pending) for _, first, last, _ in alive)


@pytest.mark.parametrize("name", ["layers", "attention", "rolling"])
def test_bands_leave_memory_as_it_is(name: str, monkeypatch: pytest.MonkeyPatch):
    """What they need is data: the memory of the program adopts it afterwards."""
    settled = []

    def watched(members, outputs, blocks, sharing, target, settle=scheduler.settled_bands):
        def states():
            return [(block, block.nbytes, block.first, block.last, block.offset) for block in blocks]

        before = states()
        bands = settle(members, outputs, blocks, sharing, target)
        assert states() == before
        settled.extend(bands.settled)
        return bands

    monkeypatch.setattr(scheduler, "settled_bands", watched)
    road.__wrapped__(name, 4)
    assert settled


@pytest.mark.parametrize(("name", "threads"), CASES)
def test_memory_lives_as_long_as_those_that_run_together(name: str, threads: int):
    together = 0
    for program, pending, (_, places), *_ in road(name, threads):
        spans = [list(one) for one in places.bands.together(len(pending), places.loops.items())]
        spans += [range(group.first, group.last + 1) for group, _ in places.groups]
        assert sorted({number for span in spans for number in span}) == list(range(len(pending)))
        for first, last in ((span[0], span[-1]) for span in spans if len(span) > 1):
            together += 1
            for block in program.storage.blocks:
                apart = block.last < first or block.first > last
                assert apart or (block.first <= first and block.last >= last)
    assert together or name not in ("attention", "layers", "rolling")
    assert together or name != "branches" or threads == 1


@pytest.mark.parametrize(("name", "threads"), CASES)
def test_blocks_that_are_alive_together_lie_apart(name: str, threads: int):
    for program, _, (_, places), *_ in road(name, threads):
        blocks = [block for block in program.storage.blocks if block.nbytes]
        for number, one in enumerate(blocks):
            assert one.offset + rounded(one.nbytes) <= places.scratch_bytes
            for other in blocks[:number]:
                if one.first <= other.last and other.first <= one.last:
                    assert one.offset + one.nbytes <= other.offset or other.offset + other.nbytes <= one.offset


@pytest.mark.parametrize(("name", "threads"), CASES)
def test_finished_steps_lie_within_the_scratch_and_stand_in_the_plan(name: str, threads: int):
    for _, pending, (_, places), steps, described in road(name, threads):
        assert places.bands.of(len(pending)) is None
        assert len(steps.entries) >= len(pending)
        for step, flops in steps.entries:
            assert flops >= 0
            for address in step.arguments:
                if address != NOWHERE and address.kind == "scratch":
                    assert 0 <= address.offset <= places.scratch_bytes
        assert [step.kind for step in described.steps] == [step.kind for step in described.plan.steps]
        assert described.scratch_bytes == places.scratch_bytes
        assert len(described.plan.groups) == len(steps.beside) == len(places.groups)
        bands = {step.in_blocks for step in described.steps if step.in_blocks is not None}
        assert len(bands) == len(described.plan.bands)

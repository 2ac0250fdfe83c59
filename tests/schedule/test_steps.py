"""Steps answer what is asked of them, and what they answer agrees with the program around them."""

import pytest

from hybridize import ops
from hybridize.base.dtypes import float32, int32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.graph import Graph
from hybridize.machine.target import named_target
from hybridize.ops import composites, make_graph
from hybridize.passes import PIPELINE
from hybridize.runtime.plan import PlanAddress
from hybridize.schedule.grouping import NodeStep
from hybridize.schedule.launches import place, planned
from hybridize.schedule.pending import Scheduling
from hybridize.schedule.scheduler import _finished
from hybridize.schedule.steps import NOWHERE, Address, RegionStep, ScheduleStep


def of(*shape: int, dtype=float32) -> TensorType:
    return TensorType(shape, dtype)


def attention() -> Graph:
    def program(q, k, v):
        scores = ops.matmul(q, ops.transpose(k, (0, 2, 1)))
        return [ops.matmul(composites.softmax(scores, 2), v)]

    return make_graph(program, [of(2, 300, 64)] * 3)


def network() -> Graph:
    def program(x, first, second, w):
        y = composites.relu(ops.convolution(x, first, 1, 1))
        y = composites.relu(ops.convolution(y, second, 2, 1))
        return [ops.matmul(ops.reshape(y, (2, 16 * 8 * 8)), w), ops.sum(y, (2, 3))]

    return make_graph(program, [of(2, 3, 16, 16), of(8, 3, 3, 3), of(16, 8, 3, 3), of(16 * 8 * 8, 10)])


def recurrent() -> Graph:
    def body(h, x, w):
        h = ops.tanh(ops.add(ops.matmul(h, w), x))
        return [h, h]

    inner = make_graph(body, [of(4, 8), of(4, 8), of(8, 8)])
    scan = ops.Scan(inner, 5, False, 1)
    return make_graph(lambda h, x, w: ops.bind(scan, h, x, w), [of(4, 8), of(5, 4, 8), of(8, 8)])


def sorted_rows() -> Graph:
    return make_graph(lambda x: [ops.sort(ops.mul(x, x), 1), ops.sum(x, (0,))], [of(7, 33)])


def integers() -> Graph:
    return make_graph(lambda x, w: [ops.matmul(x, w)], [of(9, 17, dtype=int32), of(17, 5, dtype=int32)])


PROGRAMS = {one.__name__: one for one in (attention, network, recurrent, sorted_rows, integers)}
THREADS = [1, 4]


def steps_of(name: str, threads: int, **options) -> tuple[Graph, tuple[ScheduleStep, ...]]:
    graph = PIPELINE.run(PROGRAMS[name]())
    return graph, scheduled(graph, named_target("avx512"), slots=threads, **options).steps


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_step_reads_was_written_before(name: str, threads: int):
    graph, steps = steps_of(name, threads)
    written: set[tuple[str, int, int]] = set()
    for step in steps:
        for address, writes in step.operands():
            place = address.kind, address.slot, address.offset
            if not writes and address.kind != "input" and address != NOWHERE:
                assert place in written, f"{step.provenance} reads {address}"
            if writes:
                written.add(place)
    outputs = {slot for kind, slot, _ in written if kind == "output"}
    assert outputs == set(range(len(graph.outputs)))


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_step_is_called_with_all_of_its_operands(name: str, threads: int):
    for step in steps_of(name, threads)[1]:
        constants = [one for body in step.constants for one in body] if isinstance(step, RegionStep) else []
        assert [address for address, _ in step.operands()] == [*step.addresses, *constants]
        planned_step = planned(step, 0)
        memory = [one for one in planned_step.arguments if isinstance(one, PlanAddress)]
        own = [] if step.workspace == NOWHERE and not isinstance(step, RegionStep) else [step.workspace]
        assert memory == [place(one) for one in (*step.addresses, *constants, *own)]
        assert planned_step.reads == tuple(
            place(one) for one, writes in step.operands() if not writes and one != NOWHERE
        )
        assert (step.workspace == NOWHERE) == (step.arguments == step.addresses)
        assert step.moved >= 0 and step.kind in ("loops", "contraction", "winograd", "routine", "region")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_step_elsewhere_is_the_same_step(name: str):
    def moved(address: Address) -> Address:
        return address if address == NOWHERE else Address(address.kind, address.slot, address.offset + 64)

    for step in steps_of(name, 1)[1]:
        there = step.elsewhere(moved, 0)
        assert [one for one, _ in there.operands()] == [moved(one) for one, _ in step.operands()]
        assert there.workspace == moved(step.workspace)
        back = there.elsewhere(lambda one: one if one == NOWHERE else Address(one.kind, one.slot, one.offset - 64), 0)
        assert str(back) == str(step)


@pytest.mark.parametrize("name", PROGRAMS)
def test_units_come_after_what_they_need(name: str, monkeypatch: pytest.MonkeyPatch):
    orders: list[Scheduling] = []

    def noted(program: Scheduling):
        orders.append(program)
        return _finished(program)

    monkeypatch.setattr("hybridize.schedule.scheduler._finished", noted)
    steps_of(name, 1)
    assert orders
    for program in orders:
        place = {unit: number for number, unit in enumerate(program.order)}
        place |= {unit.epilogue: k for unit, k in list(place.items()) if isinstance(unit, NodeStep) and unit.epilogue}
        grouping = program.grouping
        for value, readers in grouping.readers.items():
            owner = grouping.owner.get(value)
            for reader in readers:
                assert owner is None or owner is reader or place[owner] <= place[reader]


def ended() -> Graph:
    """A loop that data ends."""
    number, row = of(dtype=int32), of(33)

    def program(x, n):
        types = [number, row, row, number]
        turn = make_graph(lambda k, y, x, n: [ops.add(k, ops.like(1, k)), ops.mul(y, x), x, n], types)
        going = make_graph(lambda k, y, x, n: [ops.lt(k, n)], types)
        _, y, *_ = ops.bind(ops.While(going, turn), ops.like(0, n), x, x, n)
        return [y]

    return make_graph(program, [row, number])


def test_steps_tell_what_they_can_write_over():
    """A kernel that reads each element before it stores the one at its place, whole inputs and outputs, once."""
    graph = PIPELINE.run(make_graph(lambda x, y: [ops.add(x, y), ops.mul(ops.transpose(x, (1, 0)), y)], [of(7, 7)] * 2))
    for step in scheduled(graph, named_target("avx512")).steps:
        for source in (0, 1):
            for output in (0, 1):
                updating = step.updating(output, source)
                addresses = [str(one) for one in step.addresses]
                is_here = {f"input{source}+0", f"output{output}+0"} <= set(addresses)
                assert updating is None or is_here
                if updating is not None:
                    assert any(param.shared for param in updating.kernel.params)
                    assert not any(param.shared for param in step.kernel.params)
    steps = scheduled(PIPELINE.run(attention()), named_target("avx512")).steps
    assert all(step.updating(0, 0) is None for step in steps), "a product reads rows again and again"


def test_steps_tell_where_a_program_may_end():
    steps = scheduled(PIPELINE.run(ended()), named_target("avx512")).steps
    assert [step.interruptible for step in steps if step.programs] == [True]
    assert not any(step.asserts for step in steps)
    asserting = make_graph(
        lambda x: [*ops.bind(ops.Assert("positive"), ops.lt(ops.like(0.0, x), x)), ops.neg(x)], [of()]
    )
    steps = scheduled(PIPELINE.run(asserting), named_target("avx512")).steps
    assert sum(step.asserts for step in steps) == 1
    assert not any(step.interruptible for step in steps)

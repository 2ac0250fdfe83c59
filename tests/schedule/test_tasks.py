"""Branches of a program beside each other: the same bits, memory that never meets, errors and draws in program order."""

import ctypes
import itertools
import os
import threading

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridize
from hybridize import np, npx, ops
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, host_target
from hybridize.codegen.llvm.program import build
from hybridize.compiler.archived import SLOTS
from hybridize.compiler.pool import have_pool
from hybridize.gluon import nn
from hybridize.ops import composites, evaluate, make_graph
from hybridize.passes import PIPELINE
from hybridize.runtime.executable import Executable
from hybridize.runtime.pool import POOL, TEAM
from hybridize.schedule import parallel, schedule, scheduler, storage, thresholds
from hybridize.schedule.memory import rounded
from hybridize.schedule.tasks import TaskFinder
from tests.platforms.marks import forks
from tests.refusals import refusal

pytestmark = pytest.mark.skipif(not POOL.possible(), reason="no pool on this system")

FLOAT = numpy.dtype("f4")


@pytest.fixture
def everything(monkeypatch):
    """Small steps count as large ones: whatever can be shared is, and branches run beside each other."""
    force(monkeypatch)


@pytest.fixture
def eager(monkeypatch):
    """Small work is worth threads, but beginning a loop takes as long as it does."""
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)
    monkeypatch.setattr(thresholds, "RANGE_US", 1e-9)


def force(monkeypatch):
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)
    monkeypatch.setattr(thresholds, "RANGE_US", 1e-9)
    monkeypatch.setattr(parallel, "FLOPS_PER_US", 600)
    monkeypatch.setattr(parallel, "BYTES_PER_US", 500)


def scheduled(graph, slots, monkeypatch):
    """The schedule of a graph, its memory checked: what is alive in a group is so for all of it, and lies apart; its
    steps have no other memory; its tasks have each step, and all of its turns, once."""
    blocks, groups = [], []

    def assign(given, place=storage.assign):
        blocks.extend(given)
        return place(given)

    def keep_apart(group, *args, keep=scheduler.keep_apart):
        kept = keep(group, *args)
        groups.extend([group] * kept)
        return kept

    with monkeypatch.context() as patch:
        patch.setattr(storage, "assign", assign)
        patch.setattr(scheduler, "keep_apart", keep_apart)
        made = schedule(graph, host_target(), slots)
    for group, units in zip(made.groups, groups, strict=True):
        alive = [b for b in blocks if b.first <= units.last and b.last >= units.first and b.nbytes]
        assert all(block.first <= units.first and block.last >= units.last for block in alive)
        spans = sorted((block.offset, block.offset + rounded(block.nbytes)) for block in alive)
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
        numbers = range(group.first, group.last + 1)
        for step in (made.plan.steps[number] for number in numbers):
            for address in (*step.reads, *step.writes):
                inside = any(start <= address.offset < stop for start, stop in spans)
                assert inside or address.kind != "scratch"
        parts = [(part.step, part.index) for task in group.tasks for part in task]
        counts = {part.step: part.count for task in group.tasks for part in task}
        assert sorted(parts) == [(number, index) for number in numbers for index in range(counts[number])]
    return made


def backwards(numbers):
    """A team that runs all turns one by one, in another order."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 4)
    body_kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3)

    @kind
    def run(team, body, data, count, grain, slots, wake):
        turns = list(range(count))
        numbers.shuffle(turns)
        for turn in turns:
            body_kind(body)(data, turn, turn + 1, 0)

    team = POOL.team(7).copy()
    team[TEAM["parallel"]] = ctypes.cast(run, ctypes.c_void_p).value
    team[TEAM["threads"]] = 2
    return team, run


def check(graph, inputs, monkeypatch, slots=2):
    """The same bits as one thread's, with workers and in any order of tasks; returns the groups."""
    graph = PIPELINE.run(graph)
    assert have_pool()
    scheduled(graph, slots, monkeypatch)
    alone = build(graph, host_target())
    loaded = compile_module(alone.module.text(), host_target())
    wanted = Executable(loaded, loaded.address("program"), alone.plan, alone.constants, alone.sources).run(inputs)
    built = build(graph, host_target(), slots=slots)
    loaded = compile_module(built.module.text(), host_target())
    shuffled, _keep = backwards(numpy.random.default_rng(3))
    for team in (None, POOL.team(2), POOL.team(8), *[shuffled] * 3):
        run = Executable(loaded, loaded.address("program"), built.plan, built.constants, built.sources, team=team).run
        for one, other in zip(run(inputs), wanted, strict=True):
            assert one.tobytes() == other.tobytes()
    return built.plan.groups


# Random programs


STEPS = {
    "tanh": (1, lambda x: ops.tanh(x)),
    "softmax": (1, lambda x: composites.softmax(x, 1)),
    "turned": (1, lambda x: ops.transpose(x, (1, 0))),
    "rows": (1, lambda x: ops.sub(x, ops.spread(ops.sum(x, (1,)), (24, 24), (1,)))),
    "columns": (1, lambda x: ops.sub(x, ops.spread(ops.reduce_max(x, (0,)), (24, 24), (0,)))),
    "running": (1, lambda x: ops.cum_sum(x, 1)),
    "product": (2, lambda x, y: ops.tanh(ops.matmul(x, y))),
    "sum": (2, lambda x, y: ops.add(x, y)),
    "halves": (2, lambda x, y: ops.concat(ops.slice(x, (0, 0), (24, 12), (1, 1)), ops.tanh(y), axis=1)),
    "joined": (
        2,
        lambda x, y: ops.matmul(ops.concat(ops.tanh(x), ops.exp(ops.tanh(y)), axis=1), ops.concat(x, y, axis=0)),
    ),
}


def draw_program(data):
    """A program as data: for each step the op and which of the earlier values it reads."""
    program = []
    for number in range(data.draw(st.integers(3, 12))):
        name = data.draw(st.sampled_from(sorted(STEPS)))
        reads = [data.draw(st.integers(max(-2, number - 8), number - 1)) for _ in range(STEPS[name][0])]
        program.append((name, reads))
    return program, data.draw(st.integers(1, 3))


def graph_of_program(program, outputs):
    def function(x, y):
        values = {-2: x, -1: y}
        for number, (name, reads) in enumerate(program):
            made = STEPS[name][1](*(values[one] for one in reads))
            values[number] = ops.slice(made, (0, 0), (24, 24), (1, 1))
        return [values[len(program) - 1 - k] for k in range(outputs)]

    return make_graph(function, [TensorType((24, 24), FLOAT)] * 2)


def random_program(data):
    program, outputs = draw_program(data)
    inputs = [numpy.random.default_rng(k).standard_normal((24, 24)).astype("f4") for k in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        force(patch)
        check(graph_of_program(program, outputs), inputs, patch, data.draw(st.sampled_from([2, 3])))


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_random_branches(data):
    random_program(data)


@pytest.mark.long
@settings(max_examples=1500, deadline=None)
@given(st.data())
def test_many_random_branches(data):
    random_program(data)


# What is decided


def heads(x, *weights):
    """Two towers of small layers."""
    found = []
    for first in (0, 5):
        y = x
        for w in weights[first : first + 5]:
            y = ops.tanh(ops.matmul(y, w))
        found.append(y)
    return found


def test_towers_of_small_layers_run_beside_each_other(monkeypatch):
    """Each of their products is too small to be shared."""
    graph = make_graph(heads, [TensorType((16, 144), FLOAT), *[TensorType((144, 144), FLOAT)] * 10])
    inputs = [0.1 * numpy.random.default_rng(0).standard_normal(v.type.shape).astype("f4") for v in graph.inputs]
    ((one, other),) = check(graph, inputs, monkeypatch)
    assert {one, other} == {(0, 1, 2, 3, 4), (5, 6, 7, 8, 9)}
    made = schedule(PIPELINE.run(graph), host_target(), 2)
    assert "steps 0 to 9 beside each other on up to 2 threads in ranges of a turn or more, woken: " in str(made)
    assert {*made.plan.threads} == {2}
    assert not schedule(PIPELINE.run(graph), host_target(), 1).groups


def test_a_chain_is_no_group(everything):
    graph = make_graph(lambda x: [ops.matmul(ops.cum_sum(ops.matmul(x, x), 1), x)], [TensorType((64, 64), FLOAT)])
    assert not schedule(PIPELINE.run(graph), host_target(), 2).groups


def finder(costs, edges, threads=2, turns=None, whole=False):
    made = TaskFinder(threads)
    for number, cost in enumerate(costs):
        if cost is not None:
            made.tell(
                number, 0, int(cost * parallel.FLOPS_PER_US), [1] if turns is None else turns[number], whole=whole
            )
    for after, before in edges:
        made.depends(after, before)
    return [str(group) for group in made.find(len(costs))]


def test_what_is_worth_a_group():
    assert finder([50, 50], []) == ["steps 0 to 1 beside each other: 0 | 1"]
    assert finder([50, 50], [(1, 0)]) == []
    assert finder([50, None, 50], []) == [], "a step with an effect parts what is around it"
    assert finder([2, 2], []) == [], "a loop takes longer"
    assert finder([50, 50, 50, 50], [(1, 0), (3, 2)]) == ["steps 0 to 3 beside each other: 0, 1 | 2, 3"]
    assert finder([50, 50, 90], [(2, 0), (2, 1)]) == ["steps 0 to 1 beside each other: 0 | 1"]


def test_a_long_step_is_cut_to_fill_the_time_of_others():
    (group,) = finder([300, 60, 40], [], turns=[[64], [1], [1]])
    assert group == "steps 0 to 2 beside each other: 0 (1 of 2) | 1 | 2 | 0 (2 of 2)"
    assert finder([300, 60, 40], [], turns=[[64], [1], [1]], whole=True) == ["steps 1 to 2 beside each other: 1 | 2"]
    assert finder([300, 300], [], turns=[[64], [64]]) == [], "both are shared by themselves as well"
    (group,) = finder([100, 90, 80], [], threads=3)
    assert sorted(group.rpartition(": ")[2].split(" | ")) == ["0", "1", "2"]


def test_branches_may_not_take_much_more_memory(monkeypatch):
    """What two long branches need at once is more than either needs: they stay one after the other."""

    def function(x):
        left = x
        for _ in range(3):
            left = ops.cum_sum(left, 1)
        right = ops.neg(x)
        for _ in range(3):
            right = ops.cum_sum(right, 1)
        return [ops.sum(left, (0, 1)), ops.sum(right, (0, 1))]

    graph = PIPELINE.run(make_graph(function, [TensorType((600, 600), FLOAT)]))
    one, two = (schedule(graph, host_target(), slots) for slots in (1, 2))
    assert two.scratch_bytes <= one.scratch_bytes * 1.2


# Programs of users


def inception():
    def convolution(channels, size):
        return nn.Conv2D(channels, size, padding=size // 2, activation="relu")

    net = nn.HybridConcurrent(axis=1)
    net.add(convolution(8, 1))
    for blocks in (
        [convolution(12, 1), convolution(16, 3)],
        [convolution(4, 1), convolution(8, 5)],
        [nn.MaxPool2D(3, 1, 1), convolution(8, 1)],
    ):
        branch = nn.HybridSequential()
        branch.add(*blocks)
        net.add(branch)
    whole = nn.HybridSequential()
    whole.add(net, nn.GlobalAvgPool2D(), nn.Dense(5))
    whole.initialize()
    return whole


def test_hybrid_concurrent(eager):
    net, x = inception(), np.random.normal(0, 1, (1, 12, 14, 14))
    wanted = net(x).asnumpy()
    found = []
    for threads in (1, 2, 3):
        net.hybridize(threads=threads)
        net(x)
        found.append(net(x).asnumpy())
        report = str(net.program(x).explain())
        assert ("beside each other" in report) == (threads > 1), report
        assert "fallbacks" in report
    assert len({one.tobytes() for one in found}) == 1
    numpy.testing.assert_allclose(found[0], wanted, rtol=1e-4, atol=1e-5)


def test_profiles_share_out_the_time_of_a_group(eager):
    net, x = inception(), np.random.normal(0, 1, (1, 12, 14, 14))
    net.hybridize(threads=2)
    net(x)
    report = net.program(x).explain(x, profile=True)
    assert report.groups
    assert all(kernel.seconds is not None for kernel in report.kernels)


def test_the_first_error_of_the_program_is_raised(everything):
    """Assertions are in no group: whichever branch is done first, the error is that of the first line."""

    def function(x):
        left = np.cumsum(np.tanh(x), axis=1)
        right = np.cumsum(np.exp(x), axis=1)
        assert left.sum() < 0, "left"
        assert right.sum() < 0, "right"
        return np.dot(left, right)

    for threads in (1, 2):
        compiled = hybridize.hybridize(function, threads=threads)
        negative = np.array(numpy.full((40, 40), -1, "f4"))
        for x, message in ((negative, "right"), (-negative, "left")):
            for _ in range(3):
                with refusal(AssertionError, message):
                    compiled(x)


def test_draws_are_those_of_one_thread(everything):
    def function(x):
        left = np.cumsum(np.random.normal(0, 1, (30, 30)) * x, axis=1)
        right = np.cumsum(np.random.uniform(0, 1, (30, 30)) + x, axis=0)
        return np.dot(left, right), npx.softmax(left), np.random.gamma(2.0, size=(5,))

    x, found = np.ones((30, 30)), []
    for threads in (1, 2):
        compiled = hybridize.hybridize(function, threads=threads)
        np.random.seed(7)
        found.append([one.asnumpy().tobytes() for _ in range(4) for one in compiled(x)])
    assert found[0] == found[1]


def test_branches_in_loops_and_conditions(everything):
    """Groups within bodies, themselves in branches."""

    def function(x, n):
        left, right = x, -x
        while n > 0:
            left, right = np.cumsum(np.tanh(left), axis=1), np.cumsum(np.sin(right), axis=0)
            n = n - 1
        if left.sum() > 0:
            return np.cumsum(left, axis=0), np.cumsum(right, axis=1)
        return np.cumsum(right, axis=0), np.cumsum(left, axis=1)

    x, n = np.random.normal(0, 1, (20, 20)), np.array(3, dtype="int32")
    found = [[one.asnumpy().tobytes() for one in hybridize.hybridize(function, threads=k)(x, n)] for k in (1, 2, 3)]
    assert found[0] == found[1] == found[2]


@forks
def test_several_callers_and_children(eager):
    net, x = inception(), np.random.normal(0, 1, (1, 12, 14, 14))
    net.hybridize(threads=2)
    net(x)
    wanted, wrong = net(x).asnumpy().tobytes(), []

    def work():
        wrong.extend(1 for _ in range(100) if net(x).asnumpy().tobytes() != wanted)

    callers = [threading.Thread(target=work) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(60)
    assert not wrong
    child = os.fork()
    if not child:
        status = 1
        try:
            status = 0 if all(net(x).asnumpy().tobytes() == wanted for _ in range(20)) else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_sizes_of_the_call(everything):
    def function(x):
        return np.cumsum(np.tanh(x), axis=1), np.cumsum(np.exp(x), axis=0), npx.softmax(np.cumsum(x, axis=1))

    one, two = (hybridize.hybridize(function, threads=threads) for threads in (1, 2))
    for rows in (3, 7, 2, 40, 65, 300):
        x = np.random.normal(0, 1, (rows, 30))
        assert [y.asnumpy().tobytes() for y in one(x)] == [y.asnumpy().tobytes() for y in two(x)]


def test_archives_keep_groups(eager, tmp_path):
    """An archive's code is for up to sixteen threads, and runs its tasks on as many as there are."""
    net, x = inception(), np.random.normal(0, 1, (1, 12, 14, 14))
    net.hybridize(threads=1)
    net(x)
    wanted = net(x).asnumpy().tobytes()
    net.save(str(tmp_path / "net"))
    graph = PIPELINE.run(net.program(x).capture.graph)
    assert schedule(graph, host_target(), SLOTS).groups
    for threads in (1, 2):
        hybridize.set_num_threads(threads)
        try:
            again = hybridize.load(str(tmp_path / "net"))
            for _ in range(5):
                assert again(x).asnumpy().tobytes() == wanted
        finally:
            POOL.choose(None)


def test_results_are_right(everything):
    graph = make_graph(heads, [TensorType((5, 32), FLOAT), *[TensorType((32, 32), FLOAT)] * 10])
    inputs = [numpy.random.default_rng(1).standard_normal(v.type.shape).astype("f4") for v in graph.inputs]
    built = build(PIPELINE.run(graph), host_target(), slots=2)
    loaded = compile_module(built.module.text(), host_target())
    run = Executable(loaded, loaded.address("program"), built.plan, built.constants, built.sources, team=POOL.team(2))
    for one, other in zip(run.run(inputs), evaluate(graph, inputs), strict=True):
        numpy.testing.assert_allclose(one, other, atol=1e-4)  # five layers: each magnifies rounding a few times

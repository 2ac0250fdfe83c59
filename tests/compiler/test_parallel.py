"""Steps that threads share: the same bits for any number of threads, memory of their own, who shares and who does not."""

import os
import subprocess
import sys
import threading

import numpy
import pytest

import hybridize
from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, host_target, named_target
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.compiler import compile
from hybridize.compiler.pool import have_pool
from hybridize.graph import Builder
from hybridize.ops import OPS, composites, evaluate, make_graph
from hybridize.ops.hosted import hosted_nodes
from hybridize.passes import PIPELINE
from hybridize.runtime import effects
from hybridize.runtime.executable import Executable
from hybridize.runtime.pool import POOL
from hybridize.schedule import thresholds
from hybridize.schedule.steps import ContractionStep
from tests.catalog.samples import samples
from tests.platforms.marks import forks

pytestmark = pytest.mark.skipif(not POOL.possible(), reason="no pool on this system")

FLOAT = numpy.dtype("f4")
NUMBERS = (1, 2, 3, 8)


@pytest.fixture
def everything(monkeypatch):
    """Every step that can be shared is, in the smallest ranges."""
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)
    monkeypatch.setattr(thresholds, "RANGE_US", 1e-9)


def same(found, wanted):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tobytes() == b.tobytes()


def check(graph, inputs, target=None, slots=8):
    """The program with shared steps gives, with any number of threads, the bits of the one without."""
    target = target or host_target()
    graph = PIPELINE.run(graph)
    results = []
    assert have_pool()
    for most, numbers in ((1, (1,)), (slots, NUMBERS)):
        built = build(graph, target, slots=most)
        loaded = compile_module(built.module.text(), target)
        effects.connect(loaded)
        for number in numbers:
            team = POOL.team(number)
            run = Executable(
                loaded, loaded.address("program"), built.plan, built.constants, built.sources, team=team
            ).run
            results.append(run(inputs))
            same(results[-1], results[0])
    return built.plan


def graph_of(function, *shapes, dtype=FLOAT):
    graph = make_graph(function, [TensorType(shape, dtype) for shape in shapes])
    draw = numpy.random.default_rng(0)
    return graph, [draw.standard_normal(shape).astype(dtype) for shape in shapes]


def alone_in_its_row(x):
    apart = ops.tanh(x)
    mean = ops.spread(composites.mean(apart, (0,)), x.type.shape, (0,))
    return [ops.sum(ops.exp(ops.sub(apart, mean)), (0,))]


def normal(x, w, b):
    return [ops.add(composites.gelu(composites.layer_norm(x, w, b, axis=1)), x)]


KERNELS = {
    "elements": (lambda x, y: [ops.add(ops.tanh(x), y)], [(1003,), (1003,)]),
    "broadcast": (lambda x, y: [ops.mul(x, ops.broadcast(y, (37, 53)))], [(37, 53), (53,)]),
    "a whole number of vectors": (lambda x: [ops.exp(x)], [(1024,)]),
    "a row that threads share": (alone_in_its_row, [(8000,)]),
    "rows": (lambda x: [composites.softmax(x, 1)], [(61, 67)]),
    "rows in lanes": (lambda x: [composites.softmax(x, 0)], [(61, 67)]),
    "rows in lanes of three axes": (lambda x: [composites.softmax(x, 1)], [(5, 61, 37)]),
    "normalised": (normal, [(33, 70), (70,), (70,)]),
    "sums of rows": (lambda x: [ops.sum(x, (1,)), ops.reduce_max(x, (1,))], [(67, 91)]),
    "sums of columns": (lambda x: [ops.sum(x, (0,))], [(67, 91)]),
    "sums of columns in panels": (lambda x: [ops.sum(x, (0,))], [(300, 2500)]),
    "one sum": (lambda x: [ops.sum(x, (0, 1))], [(67, 91)]),
    "transpose": (lambda x, y: [ops.add(ops.transpose(x, (1, 0)), y)], [(61, 83), (83, 61)]),
    "batch of transposes": (lambda x, y: [ops.add(ops.transpose(x, (0, 2, 1)), y)], [(3, 61, 83), (3, 83, 61)]),
    "copies": (lambda x: [ops.slice(x, (1, 2), (31, 60), (1, 1))], [(40, 64)]),
    "concatenation": (lambda x, y: [ops.concat(x, y, axis=1)], [(40, 64), (40, 33)]),
    "several results": (lambda x: [ops.exp(x), ops.tanh(x), ops.flip(x, 1)], [(41, 57)]),
    "product": (lambda x, w: [ops.matmul(x, w)], [(90, 64), (64, 130)]),
    "product transposed": (lambda x, w: [ops.matmul(x, ops.transpose(w, (1, 0)))], [(90, 64), (130, 64)]),
    "product of a row": (lambda x, w: [ops.matmul(x, w)], [(1, 500), (500, 300)]),
    "product of few columns": (lambda x, w: [ops.matmul(x, w)], [(300, 500), (500, 3)]),
    "batch of products": (lambda x, w: [ops.matmul(x, w)], [(7, 20, 33), (7, 33, 40)]),
    "dense": (
        lambda x, w, b: [ops.tanh(ops.add(ops.matmul(x, w), ops.broadcast(b, (70, 90))))],
        [(70, 64), (64, 90), (90,)],
    ),
    "convolution": (lambda x, w: [ops.tanh(ops.convolution(x, w, 1, 1))], [(2, 19, 14, 11), (40, 19, 3, 3)]),
    "cumulative": (lambda x: [ops.cum_sum(x, 1)], [(40, 64)]),
}


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("name", KERNELS)
def test_any_number_of_threads_gives_the_same_bits(name):
    function, shapes = KERNELS[name]
    graph, inputs = graph_of(function, *shapes)
    check(graph, inputs)


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("target", ["avx2", "baseline"])
@pytest.mark.parametrize("name", ["elements", "rows", "rows in lanes", "sums of rows", "transpose", "dense"])
def test_on_other_levels(name, target):
    function, shapes = KERNELS[name]
    graph, inputs = graph_of(function, *shapes)
    check(graph, inputs, named_target(target))


@pytest.mark.usefixtures("everything")
def test_what_can_be_shared_is():
    shared = [
        name for name, (function, shapes) in KERNELS.items() if max(check(*graph_of(function, *shapes)).threads) > 1
    ]
    assert set(KERNELS) - set(shared) == {"one sum", "cumulative"}


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize(
    ("groups", "x", "w"),
    [
        (1, (1, 24, 7, 7), (200, 24, 3, 3)),
        (1, (2, 24, 3, 3), (200, 24, 3, 3)),
        (3, (1, 72, 5, 5), (360, 24, 3, 3)),
        (1, (3, 600, 3, 3), (75, 600, 3, 3)),
    ],
    ids=["odd lines", "few lines", "groups", "blocks of taps"],
)
def test_threads_share_the_panels_of_small_images(target, groups, x, w):
    """Where lines of pixels do not divide well among threads, or all of them read a large weight."""
    if named_target(target).vector_bytes > host_target().vector_bytes:
        return
    graph, inputs = graph_of(lambda x, w: [ops.tanh(ops.convolution(x, w, 1, 1, groups=groups))], x, w)
    made = scheduled(PIPELINE.run(graph), named_target(target), (1,), slots=2)
    (step,) = [step for step in made.steps if isinstance(step, ContractionStep)]
    assert step.plan.by_panels
    assert step.plan.units == step.plan.panel_count * step.plan.lines
    assert "threads share panels" in str(made)
    check(graph, inputs, named_target(target), slots=2)
    numpy.testing.assert_allclose(
        compile(graph, named_target(target), threads=2).run(inputs)[0], evaluate(graph, inputs)[0], atol=2e-4
    )


NOT_SHARED = {
    "hosted": "it calls back into NumPy, which nobody told it of here",
    "print": "it writes to the standard output",
    "assert": "it has no output to compare",
    "python_call": "it calls back into Python, which nobody told it of here",
    "eig": "no program holds it, and capturing refuses it (tests/array/test_linear.py)",
}


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("word", [word for word in OPS if word not in NOT_SHARED])
def test_samples_of_the_catalogue(word):
    """The largest sample of each op that works."""
    cases = [sample for sample in samples(OPS[word]) if sample.fails is None]
    sample = max(cases, key=lambda one: sum(x.size for x in one.inputs))
    builder = Builder()
    inputs = [builder.input(TensorType(x.shape, x.dtype)) for x in sample.inputs]
    graph = builder.finish(builder.add(sample.op, inputs))
    if any(hosted_nodes(graph)):
        pytest.skip("complex numbers: NumPy computes them, called back by one thread")
    check(graph, list(sample.inputs), slots=3)


def test_small_programs_are_as_they_were():
    """Nothing of threads is in a program whose steps are not worth it, nor in one for a single thread."""
    graph, _ = graph_of(lambda x: [ops.exp(x)], (100, 100))
    assert build(graph, host_target(), slots=4).module.text() == build(graph, host_target()).module.text()
    assert not build(graph, host_target(), slots=4).plan.teams
    large, _ = graph_of(lambda x: [ops.exp(x)], (2000, 2000))
    assert not build(large, host_target()).plan.teams
    assert build(large, host_target(), slots=4).plan.teams == (0,)
    assert build(large, host_target(), slots=4).plan.threads == (4,)


def test_each_thread_has_its_own_rows():
    """What a step keeps for a row, and scratch of a product, is planned for each thread."""
    graph, _ = graph_of(lambda x: [composites.softmax(x, 1)], (1000, 3000))
    one, three = (build(PIPELINE.run(graph), host_target(), slots=slots).plan for slots in (1, 3))
    assert three.scratch_bytes == 3 * one.scratch_bytes > 0


def test_threads_share_a_row_that_is_alone(everything):
    """One nest stores it, all threads a part each, and the next reads all of it."""
    graph, _ = graph_of(alone_in_its_row, (4000,))
    one, three = (build(PIPELINE.run(graph), host_target(), slots=slots).plan for slots in (1, 3))
    assert three.teams
    assert three.scratch_bytes == one.scratch_bytes > 0


def test_a_loaded_program_without_a_team_runs_alone():
    graph, inputs = graph_of(lambda x: [ops.exp(x)], (1000, 1000))
    built = build(graph, host_target(), slots=4)
    loaded = compile_module(built.module.text(), host_target())
    found = Executable(loaded, loaded.address("program"), built.plan, built.constants, built.sources).run(inputs)
    same(found, compile(graph, threads=1).run(inputs))


def test_bodies_of_loops_share_too(everything):
    """A team goes through a region to the programs within."""
    from hybridize import np

    def function(x, n):
        while n > 0:
            x = np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True)
            n = n - 1
        return x

    x, n = np.random.normal(0, 1, (64, 100)), np.array(3, dtype="int32")
    results = [hybridize.hybridize(function, threads=threads)(x, n).asnumpy() for threads in NUMBERS]
    for result in results:
        same([result], results[:1])
    numpy.testing.assert_allclose(results[0].sum(1), 1, rtol=1e-5)


def sized(n, m):
    return [composites.softmax(n, 1), ops.tanh(n), ops.matmul(n, m), ops.sum(n, (0,))]


def program_of_sizes(threads):
    """One program for [n, 40] and [40, m], and what it gives for such sizes."""
    scope = SizeScope()
    scope.capturing = False
    n, m = scope.symbol(9), scope.symbol(7)
    graph = make_graph(lambda x, w: sized(x, w), [TensorType((n, 40), FLOAT), TensorType((40, m), FLOAT)])
    program = compile(graph, threads=threads)
    draw = numpy.random.default_rng(0)
    arrays = {size: draw.standard_normal(size).astype("f4") for size in ((333, 40), (40, 333))}
    return program, lambda rows, columns: program.run(
        [arrays[333, 40][:rows].copy(), arrays[40, 333][:, :columns].copy()]
    )


def test_sizes_of_the_call(everything, monkeypatch):
    """A program for many sizes gives the same bits with threads as without, at each of them."""
    monkeypatch.setattr(thresholds, "GROWTH", 1)
    alone, run = program_of_sizes(1)
    shared, run_shared = program_of_sizes(3)
    assert {*alone.plan.threads} == {1}
    assert {*shared.plan.threads} == {3}  # 40 columns are one vector's turn, beside the other steps
    for rows, columns in ((2, 2), (3, 5), (7, 64), (64, 33), (65, 70), (333, 100), (5, 333)):
        same(run_shared(rows, columns), run(rows, columns))


def test_workers_are_woken_by_the_work_of_the_call():
    """A program that was compiled at small sizes: alone at those, with others at large ones."""
    scope = SizeScope()
    scope.capturing = False
    n = scope.symbol(200)
    graph = make_graph(lambda x: [ops.exp(x)], [TensorType((n, 100), FLOAT)])
    program = compile(graph, threads=2)
    assert program.plan.threads == (2,)
    assert POOL.shutdown()
    program.run([numpy.ones((20, 100), FLOAT)])
    assert POOL.workers == 0
    program.run([numpy.ones((20_000, 100), FLOAT)])
    assert POOL.workers == 1


def test_numbers_are_checked():
    for wrong in (0, -1, 1.5, True, "2", None):
        with pytest.raises(TypeError, match="E302"):
            hybridize.set_num_threads(wrong)


def test_the_number_may_change_while_programs_run():
    graph, inputs = graph_of(lambda x: [composites.softmax(ops.exp(x), 1)], (500, 700))
    program = compile(graph)
    expected = program.run(inputs)
    wrong, end = [], threading.Event()

    def work():
        while not end.is_set():
            found = program.run(inputs)
            if found[0].tobytes() != expected[0].tobytes():
                wrong.append(found)

    callers = [threading.Thread(target=work) for _ in range(3)]
    for caller in callers:
        caller.start()
    try:
        for turn in range(300):
            hybridize.set_num_threads(1 + turn % 5)
            POOL.shutdown()
    finally:
        POOL.choose(None)
        end.set()
        for caller in callers:
            caller.join(60)
    assert not any(caller.is_alive() for caller in callers), "a thread hangs"
    assert not wrong


@forks
def test_child_and_parent_compute():
    graph, inputs = graph_of(lambda x: [composites.softmax(x, 1)], (600, 700))
    program = compile(graph, threads=2)
    expected = program.run(inputs)
    child = os.fork()
    if not child:
        status = 1
        try:
            status = 0 if all(program.run(inputs)[0].tobytes() == expected[0].tobytes() for _ in range(20)) else 2
        finally:
            os._exit(status)
    for _ in range(20):
        same(program.run(inputs), expected)
    assert os.waitpid(child, 0)[1] == 0


def threads_of(code="", **environment):
    """How many threads programs of a fresh process use, and are made for."""
    text = code + "from hybridize.runtime.pool import POOL, TEAM; print(POOL.team()[TEAM['threads']], POOL.slots())"
    run = subprocess.run(
        [sys.executable, "-c", text], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    return run.stdout.split() or run.stderr


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity here")
def test_where_the_number_comes_from():
    one = f"import os; os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n"
    assert threads_of(one) == ["1", "1"]
    assert threads_of(one, HYBRIDIZE_NUM_THREADS="3") == ["3", "3"]
    assert threads_of(one + "import hybridize; hybridize.set_num_threads(2)\n", HYBRIDIZE_NUM_THREADS="3") == ["2", "2"]
    assert "E302" in threads_of(HYBRIDIZE_NUM_THREADS="many")


def test_results_are_right():
    graph, inputs = graph_of(normal, (512, 300), (300,), (300,))
    found = compile(graph, threads=3).run(inputs)
    numpy.testing.assert_allclose(found[0], evaluate(graph, inputs)[0], rtol=1e-4, atol=1e-5)

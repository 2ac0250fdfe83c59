# SPDX-License-Identifier: Apache-2.0
"""The text of a plan is enough to run it: read again, step by step, it gives the bits of the program."""

import dataclasses
from collections.abc import Callable

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.errors import AssertionFailed, HybridizeError
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, host_target
from hybridize.codegen.llvm.program import build
from hybridize.compiler.pool import have_pool
from hybridize.graph import Builder
from hybridize.ops import OPS, composites, make_graph
from hybridize.ops.factors import QR
from hybridize.passes import PIPELINE
from hybridize.runtime import effects
from hybridize.runtime.executable import Executable
from hybridize.runtime.plan import (
    PlanBand,
    PlanRolling,
    PlanScans,
    PlanStop,
    PlanTable,
    PlanTasks,
    each_step,
    filled,
)
from hybridize.runtime.pool import POOL
from hybridize.schedule import parallel, thresholds
from tests.catalog.samples import samples
from tests.codegen import replay
from tests.runtime.plan_runner import Runner, Stopped
from tests.runtime.plan_text import parse
from tests.schedule.test_rolling import ALWAYS, chain

F4 = numpy.dtype("f4")
SMALL = dataclasses.replace(host_target(), l1_bytes=4096, l2_bytes=1 << 15)
"""A machine whose caches are so small that tests see bands."""
SHARED = ((thresholds, "WORTH_US", 0.0), (thresholds, "RANGE_US", 1e-9))
"""Whatever threads can share they share."""
ROLLING = tuple((thresholds, name, limit) for name, limit in {**ALWAYS, "BLOCK_SHARE": 4}.items())


def f4(*shape):
    return TensorType(shape, F4)


def numbers(graph, seed=0):
    """An array for each input, of small sizes for symbols."""
    rng = numpy.random.default_rng(seed)
    arrays = []
    for value in graph.inputs:
        shape = tuple(int(getattr(size, "hint", size)) for size in value.type.shape)
        kind = value.type.dtype.kind
        drawn = rng.uniform(-1, 1, shape) if kind in "fc" else rng.integers(0, 2, shape)
        arrays.append(drawn.astype(value.type.dtype))
    return arrays


@frozen(eq=False)
class Case:
    """A program, how it is built, and what is to be found in its plan."""

    graph: Callable
    stable: Callable = lambda graph: ()
    slots: int = 1
    updates: tuple = ()
    patches: tuple = ()
    target: object = None
    holds: Callable = lambda plan: True


def weights(graph):
    return range(1, len(graph.inputs))


def holds(kind):
    """A condition on plans: there is such a part of the order, of the program or of a body of it."""
    return lambda plan: any(isinstance(node, kind) for one in plans(plan) for node in one.order)


def plans(plan):
    """A plan and those of bodies within."""
    found = [plan]

    def look(step):
        if step.region is not None:
            found.extend(step.region.bodies)
        return step

    each_step(plan, look)
    return found


def regions(*controls):
    def condition(plan):
        steps = [step for one in plans(plan) for step in one.steps]
        return {step.region.control for step in steps if step.region is not None} == set(controls)

    return condition


def tables(plan):
    return any(isinstance(one, PlanTable) for step in plan.steps for one in step.arguments)


def shared(plan):
    return any(step.share is not None for one in plans(plan) for step in one.steps)


def mlp(rows):
    return lambda: replay.captured(replay.mlp(), replay.array(rows, 512))


def attention(length=200, heads=3):
    return lambda: replay.captured(replay.attention, *[replay.array(heads, length, 32, seed=k) for k in range(3)])


def taps(name):
    _, spec, x, w, sizes = next(one for one in replay.TAPS if one[0] == name)
    return lambda: make_graph(lambda x, w: [ops.contract(spec, x, w, sizes)], [f4(*x), f4(*w)])


def several():
    def function(x, y):
        z = ops.add(ops.tanh(x), y)
        return [
            z,
            ops.sum(ops.mul(z, z), (1,)),
            ops.transpose(ops.exp(z), (1, 0)),
            composites.softmax(ops.mul(x, y), 1),
        ]

    return make_graph(function, [f4(37, 53)] * 2)


def alike():
    """A chain so long that its kernels differ in numbers only."""

    def function(x):
        y = x
        for k in range(150):
            y = ops.add(ops.mul(y, ops.like(1 + k * 1e-3, y)), x)
        return [y]

    return make_graph(function, [f4(100)])


def branches():
    def function(x, *ws):
        return [composites.softmax(ops.matmul(ops.tanh(x), w), 1) for w in ws]

    return make_graph(function, [f4(64, 96), *[f4(96, 80)] * 3])


def routines():
    def function(x):
        square = ops.add(ops.matmul(x, x, False, True), ops.constant(numpy.eye(9, dtype=F4)))
        return [ops.sort(x, 1), ops.arg_sort(x, 0), ops.bind(OPS["cholesky"](), square)[0], *ops.bind(QR(False), x)]

    return make_graph(function, [f4(9, 31)])


def repeated(times):
    """A loop over a number and state that moves, within one a branch."""
    number = TensorType((), numpy.dtype("i8"))
    then = make_graph(lambda x, y: [ops.add(x, y)], [f4(5, 7)] * 2)
    orelse = make_graph(lambda x, y: [ops.matmul(ops.tanh(x), ops.matmul(y, x, True, False))], [f4(5, 7)] * 2)

    def turn(n, x, y, steady):
        positive = ops.gt(ops.sum(x, (0, 1)), ops.full(0, f4()))
        (z,) = ops.bind(ops.Cond(then, orelse), positive, x, ops.add(y, steady))
        return [ops.add(n, ops.like(1, n)), y, z, steady]

    kinds = (number, *[f4(5, 7)] * 3)
    cond = make_graph(lambda n, *xs: [ops.lt(n, ops.like(times, n))], kinds)
    body = make_graph(turn, kinds)
    return make_graph(lambda *xs: ops.bind(ops.While(cond, body), ops.full(0, number), *xs)[1:], kinds[1:])


def scanned(length, *, reverse=False, loops=1):
    """State that moves, that is stacked before a turn and after it, that is summed in place."""
    kinds = [f4(4, 24)] * 4

    def turn(a, b, c, d, x, w):
        after = ops.tanh(ops.add(ops.matmul(a, w), x))
        return [after, ops.add(c, x), ops.mul(b, a), ops.add(d, after), after, d]

    body = make_graph(turn, [*kinds, f4(4, 24), f4(24, 24)])

    def function(*xs):
        of = (
            ops.bind(ops.Scan(body, length, reverse, 4), *(ops.add(x, ops.like(k, x)) for x in xs))
            for k in range(loops)
        )
        return [one for results in of for one in results]

    return make_graph(function, [*kinds, f4(length, 4, 24), f4(24, 24)])


def any_rows(function, *shapes):
    """A program for any size of what is 0 in shapes."""
    scope = SizeScope()
    n = scope.symbol(133)
    scope.capturing = False
    return make_graph(function, [TensorType(tuple(size or n for size in shape), F4) for shape in shapes])


def rows_of_any_size():
    return any_rows(
        lambda x, w, b: [composites.softmax(ops.add(ops.matmul(x, w), ops.broadcast(b, (x.type.shape[0], 30))), 1)],
        (0, 40), (40, 30), (30,),
    )  # fmt: skip


def attention_of_any_size():
    return any_rows(
        lambda q, k, v: [ops.matmul(composites.softmax(ops.matmul(q, k, False, True), 2), v)],
        (2, 0, 32), (2, 200, 32), (2, 200, 32),
    )  # fmt: skip


CASES = {
    "several outputs": Case(several),
    "several outputs, shared": Case(several, slots=3, patches=SHARED, holds=shared),
    "kernels alike": Case(alike, holds=tables),
    "products": Case(mlp(7)),
    "products, packed": Case(mlp(7), weights, holds=lambda plan: plan.makers),
    "products, shared": Case(mlp(64), weights, slots=4, patches=SHARED, holds=shared),
    "batches": Case(lambda: make_graph(lambda a, b: [ops.matmul(a, b)], [f4(6, 33, 20), f4(6, 20, 17)])),
    "borders": Case(taps("borders"), weights, holds=lambda plan: plan.makers),
    "phases": Case(taps("phases"), slots=3, patches=SHARED, holds=shared),
    "blocks": Case(taps("blocks"), slots=2, patches=SHARED, holds=shared),
    "attention": Case(attention(), target=SMALL, holds=holds(PlanBand)),
    "attention, shared": Case(attention(), slots=2, target=SMALL, patches=SHARED, holds=holds(PlanBand)),
    "attention in turn, shared": Case(
        attention(), slots=2, target=SMALL, patches=(*SHARED, (thresholds, "MEMBER_BLOCKS", 1)),
        holds=lambda plan: any(isinstance(node, PlanBand) and node.in_turn and node.share for node in plan.order),
    ),
    "rolling": Case(
        lambda: chain((1, 16, 21, 9), [(32, 1, 1), (0, 3, 1), (16, 1, 1), (0, 3, 1), (16, 1, 1)], False), weights,
        patches=ROLLING, holds=holds(PlanRolling),
    ),
    "rolling, shared": Case(
        lambda: chain((1, 16, 33, 9), [(32, 1, 1), (0, 3, 1), (16, 1, 1), (0, 3, 1), (16, 1, 1)], False), weights,
        slots=3, patches=(*SHARED, *ROLLING), holds=holds(PlanRolling),
    ),
    "branches": Case(branches, slots=2, patches=(*SHARED, (parallel, "FLOPS_PER_US", 600)), holds=holds(PlanTasks)),
    "routines": Case(routines, holds=lambda plan: any(step.kind == "routine" for step in plan.steps)),
    "a branch in a loop": Case(lambda: repeated(5), holds=regions("while", "cond")),
    "a loop that turns once": Case(lambda: repeated(1), holds=regions("while", "cond")),
    "a loop that never turns": Case(lambda: repeated(0), holds=regions("while", "cond")),
    "scan": Case(lambda: scanned(6), holds=regions("scan")),
    "scan in reverse": Case(lambda: scanned(5, reverse=True), holds=regions("scan")),
    "scan, packed": Case(lambda: scanned(7), lambda graph: (5,), holds=lambda plan: plan.makers),
    "scan without turns": Case(lambda: scanned(0)),
    "scans in one loop": Case(lambda: scanned(6, loops=2), holds=holds(PlanScans)),
    "scan, shared": Case(lambda: scanned(6), slots=2, patches=SHARED, holds=shared),
    "any size": Case(rows_of_any_size, holds=lambda plan: plan.sizes),
    "any size, shared": Case(rows_of_any_size, slots=3, patches=SHARED, holds=shared),
    "attention of any size": Case(attention_of_any_size, target=SMALL, holds=holds(PlanBand)),
}  # fmt: skip


def built(case, monkeypatch):
    """The program of a case, its functions under their names, and arrays for a call."""
    for module, name, value in case.patches:
        monkeypatch.setattr(module, name, value)
    graph = case.graph()
    arrays = numbers(graph)
    target = case.target or host_target()
    made = build(PIPELINE.run(graph), target, stable=case.stable(graph), slots=case.slots, updates=dict(case.updates))
    loaded = compile_module(made.module.text().replace("define internal ", "define "), target)
    effects.connect(loaded)
    return made, loaded, arrays


def executable(made, loaded, slots):
    team = POOL.team(slots) if slots > 1 and have_pool() else None
    return Executable(loaded, loaded.address("program"), made.plan, made.constants, made.sources, team=team)


@pytest.mark.parametrize("name", CASES)
def test_the_text_gives_the_bits_of_the_program(name, monkeypatch):
    case = CASES[name]
    made, loaded, arrays = built(case, monkeypatch)
    program = executable(made, loaded, case.slots)
    assert case.holds(made.plan), "the case is not what it is to show"
    plan = parse(str(made.plan))
    assert plan == made.plan
    symbols = {}
    if plan.sizes:
        sizes = program.sizes.checked([one.shape for one in arrays])
        symbols = {symbol.name: size for symbol, size in sizes.items()}
        assert filled(plan, symbols) == filled(made.plan, symbols)
    runner = Runner(plan, loaded.address)
    found = runner(arrays, made.constants, made.sources, symbols)
    for one, other in zip(found, program.run(arrays), strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
    assert runner.called
    assert not [one for one in runner.called if ".body" in one or ".region" in one or ".band" in one]


def asserted(x, y):
    """A program that may write over its first input, if the sum of the second is positive."""
    positive = ops.gt(ops.sum(y, (0,)), ops.full(0, f4()))
    ops.bind(ops.Assert("negative"), positive)
    return [ops.add(x, ops.mul(y, y)), ops.sum(y, (0,))]


def test_what_is_updated_is_written_unless_the_program_has_failed(monkeypatch):
    case = Case(lambda: make_graph(asserted, [f4(300)] * 2), updates=((0, 0),), holds=holds(PlanStop))
    made, loaded, (x, y) = built(case, monkeypatch)
    plan = parse(str(made.plan))
    assert plan == made.plan
    assert dict(plan.updates) == {0: 0}
    assert case.holds(plan)
    y, runner = numpy.abs(y), Runner(plan, loaded.address)
    wanted = executable(made, loaded, 1).run([x, y])
    place = x.copy()
    found = runner([place, y], made.constants, made.sources, donated={0})
    for one, other in zip(found, wanted, strict=True):
        assert one.tobytes() == other.tobytes()
    assert place.tobytes() == wanted[0].tobytes()
    place = x.copy()
    with pytest.raises(Stopped):
        runner([place, -y], made.constants, made.sources, donated={0})
    assert place.tobytes() == x.tobytes()
    with pytest.raises(AssertionFailed):
        effects.raise_pending()


def changes(text):
    """Texts in which one thing is another."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        word, _, rest = line.strip().partition(" ")
        pad = line[: len(line) - len(line.lstrip())]
        if word == "run" and lines[number + 1 : number + 2] and lines[number + 1].strip().startswith("run "):
            yield [*lines[:number], lines[number + 1], line, *lines[number + 2 :]]
        if word in ("r", "w") and rest.startswith("scratch+"):
            yield [
                *lines[:number],
                f"{pad}{word} scratch+{int(rest.removeprefix('scratch+')) + 4}",
                *lines[number + 1 :],
            ]
        if word == "r" and lines[number + 1].strip().startswith("r input"):
            yield [*lines[:number], lines[number + 1], line, *lines[number + 2 :]]


def test_another_text_is_another_program(monkeypatch):
    """Orders, arguments and offsets are read from the text, and from nowhere else."""

    def function(x, y):
        return [ops.matmul(ops.tanh(ops.matmul(x, y)), ops.matmul(y, x))]

    made, loaded, arrays = built(Case(lambda: make_graph(function, [f4(24, 24)] * 2)), monkeypatch)
    text = str(made.plan)
    (wanted,) = executable(made, loaded, 1).run(arrays)
    others = ["\n".join(lines) for lines in changes(text)]
    assert len(others) > 5
    same = []
    for other in others:
        plan = parse(other)
        assert plan != made.plan
        plan = changed(plan, scratch_bytes=plan.scratch_bytes + 64)
        (found,) = Runner(plan, loaded.address)(arrays, made.constants, made.sources)
        same += [other] * (found.tobytes() == wanted.tobytes())
    assert len(same) <= 1, "two of its steps may run in any order"


def test_a_line_that_is_not_understood_is_an_error():
    text = str(build(PIPELINE.run(several()), host_target()).plan)
    for line in ("", "nonsense 5", "  nonsense", "run x", "update output0"):
        with pytest.raises((AssertionError, ValueError, StopIteration)):
            parse(f"{text}\n{line}\n{line}")


@pytest.mark.long
@pytest.mark.parametrize("word", sorted(OPS))
def test_every_op_from_its_text(word):
    for sample in samples(OPS[word]):
        if sample.fails is not None:
            continue
        builder = Builder()
        operands = [builder.input(TensorType(x.shape, x.dtype)) for x in sample.inputs]
        graph = builder.finish(builder.add(sample.op, operands))
        try:
            made = build(PIPELINE.run(graph), host_target())
        except HybridizeError:
            continue  # no program holds it
        loaded = compile_module(made.module.text().replace("define internal ", "define "), host_target())
        effects.connect(loaded)
        plan = parse(str(made.plan))
        assert plan == made.plan
        arrays = [numpy.array(x, order="C") for x in sample.inputs]
        with effects.unprinted():
            found = Runner(plan, loaded.address)(arrays, made.constants, made.sources)
            if effects.outcome() is not None:
                continue
            wanted = executable(made, loaded, 1).run(arrays)
        for one, other in zip(found, wanted, strict=True):
            assert one.tobytes() == other.tobytes(), sample

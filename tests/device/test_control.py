"""Control flow on a device: launches turn by turn, where the state of loops lies, what the host asks first."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float64, int64
from hybridize.base.frozen import changed
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.ops.evaluate import evaluate
from hybridize.ops.gradient import apply
from hybridize.runtime.device_steps import DeviceCopy, DeviceLaunch, Question, work_of, work_size
from hybridize.runtime.plan import each_step
from hybridize.schedule.steps import RegionStep
from tests.codegen.test_scans import FIXED, LENGTHS, STATE, bodies, directions, drawn, layer, of, operands
from tests.device.emulated import Emulated
from tests.device.fault import Fault
from tests.device.programs import SM_80, Run, graph_of

COUNT = of(dtype=int64)


def checked(graph, inputs, tolerance=1e-12):
    """Run a graph as it is; returns what ran."""
    run = Run(build_kernels(graph, SM_80), inputs)
    for x, y in zip(run.outputs(), evaluate(graph, inputs), strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)
    return run


def kinds_of(made, length):
    _, carried, slices = made
    return [*[STATE] * carried, *[of(length, *STATE.shape)] * slices, FIXED]


def check_scan(made, length, reverse):
    body, carried, slices = made
    op = ops.Scan(body, length, reverse, carried)
    checked(ops.make_graph(lambda *xs: ops.bind(op, *xs), kinds_of(made, length)), operands(carried, slices, length))


def check_any_length(made, reverse):
    body, carried, slices = made
    assume(slices)  # else no operand tells the length
    scope = SizeScope()
    length = scope.symbol(5, low=1)
    graph = ops.make_graph(lambda *xs: ops.bind(ops.Scan(body, length, reverse, carried), *xs), kinds_of(made, length))
    scope.capturing = False
    program = build_kernels(graph, SM_80)
    for turns in (1, 2, 5):
        inputs = operands(carried, slices, turns)
        expected = ops.Scan(body, turns, reverse, carried).reference(*inputs)
        for x, y in zip(Run(program, inputs, {"n0": turns}).outputs(), expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


def while_loop(made, times):
    """The same body as a loop that asks; the count comes first."""
    body, carried, _ = made
    kinds = (COUNT, *[value.type for value in body.inputs])

    def turn(n, *xs):
        return [ops.add(n, ops.like(1, n)), *apply(body, xs)[:carried], *xs[carried:]]

    asked = ops.make_graph(lambda n, *xs: [ops.lt(n, ops.like(times, n))], kinds)
    op = ops.While(asked, ops.make_graph(turn, kinds))
    rng = np.random.default_rng(1)
    inputs = [np.array(0), *[rng.normal(size=kind.shape) / 2 for kind in kinds[1:]]]
    return ops.make_graph(lambda n, *xs: ops.bind(op, n, *xs), kinds), inputs


@settings(max_examples=6, deadline=None)
@given(bodies(), st.sampled_from(LENGTHS), st.booleans())
def test_a_scan_of_any_body(made, length, reverse):
    check_scan(made, length, reverse)


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(bodies(), st.sampled_from(LENGTHS), st.booleans())
def test_many_scans(made, length, reverse):
    check_scan(made, length, reverse)


@settings(max_examples=2, deadline=None)
@given(bodies(), st.booleans())
def test_a_scan_whose_length_the_call_says(made, reverse):
    check_any_length(made, reverse)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(bodies(), st.booleans())
def test_many_scans_whose_length_the_call_says(made, reverse):
    check_any_length(made, reverse)


@settings(max_examples=3, deadline=None)
@given(bodies(), st.integers(0, 4))
def test_a_loop_that_asks(made, times):
    checked(*while_loop(made, times))


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(bodies(), st.integers(0, 6))
def test_many_loops_that_ask(made, times):
    checked(*while_loop(made, times))


def asking(times, body, kinds):
    """A while loop over (count, *state)."""
    cond = ops.make_graph(lambda n, *xs: [ops.lt(n, ops.like(times, n))], (COUNT, *kinds))
    return ops.While(cond, ops.make_graph(lambda n, *xs: [ops.add(n, ops.like(1, n)), *body(*xs)], (COUNT, *kinds)))


def questions(monkeypatch):
    """The bools that a device was asked for; of a loop that never ends, 100 at most."""
    asked, copy_out = [], Emulated.copy_out

    def counted(device, address, array):
        if array.nbytes == 1:
            asked.append(address)
        if len(asked) > 100:
            raise Fault("a loop that never ends")
        return copy_out(device, address, array)

    monkeypatch.setattr(Emulated, "copy_out", counted)
    return asked


def of_loops_in_branches_in_loops(x, xs):
    """A scan whose body branches, one branch of which is a loop that asks, with constants in its body."""
    factor = np.linspace(0.5, 1.5, 5)
    inner = asking(3, lambda x: [ops.tanh(ops.mul(x, ops.constant(factor)))], (of(5),))
    then = ops.make_graph(lambda x, y: ops.bind(inner, ops.full(0, COUNT), x)[1:], (of(5), of(5)))
    orelse = ops.make_graph(lambda x, y: [ops.sub(x, y)], (of(5), of(5)))

    def turn(x, y):
        positive = ops.gt(ops.sum(ops.sub(x, y), (0,)), ops.full(0, of()))
        (x,) = ops.bind(ops.Cond(then, orelse), positive, x, y)
        return [x, positive]

    return ops.bind(ops.Scan(ops.make_graph(turn, (of(5), of(5))), 6, False, 1), x, xs)


def test_loops_in_branches_in_loops(monkeypatch):
    asked = questions(monkeypatch)
    graph = graph_of(of_loops_in_branches_in_loops, of(5), of(6, 5))
    inputs = [np.arange(5.0), np.array([[1.0], [1.0], [9.0], [-9.0], [-9.0], [5.0]]) * np.ones(5)]
    checked(graph, inputs)
    _, taken = evaluate(graph, inputs)
    assert 0 < taken.sum() < 6, "both branches ran"
    assert len(asked) == 6 + 4 * taken.sum(), "one bool a branch, and one more than turns a loop"


def in_loops(reverse):
    """A scan in a scan, both with state."""
    inner = ops.make_graph(
        lambda h, x, w: [ops.tanh(ops.add(ops.matmul(h, w, False, True), x)), h], [of(9, 16), of(9, 16), of(16, 16)]
    )
    step = ops.make_graph(
        lambda h, x, w: ops.bind(ops.Scan(inner, 3, reverse, 1), h, x, w), [of(9, 16), of(3, 9, 16), of(16, 16)]
    )
    outer = ops.Scan(step, 4, not reverse, 1)
    return lambda h, x, w: ops.bind(outer, h, x, w), [of(9, 16), of(4, 3, 9, 16), of(16, 16)]


@pytest.mark.parametrize("reverse", [False, True])
def test_a_scan_in_a_scan(reverse):
    function, kinds = in_loops(reverse)
    graph = graph_of(function, *kinds)
    checked(graph, drawn(graph))


def gradient(rows=3, units=8, length=5):
    """The gradient of an LSTM layer: the scan that gives the states, and the one that goes back over them."""
    made = layer(rows, units, length, float64)
    kinds = [value.type for value in made.inputs]

    def back(*xs):
        *given_in, g = xs
        return [one for one in ops.pullback(made, given_in, [None, None, g]) if one is not None]

    return graph_of(back, *kinds, of(length, rows, units))


def test_the_gradient_of_a_layer():
    graph = gradient()
    run = checked(graph, drawn(graph), tolerance=1e-11)
    scans = [step for step in run.program.schedule.steps if isinstance(step, RegionStep)]
    assert sorted(step.reverse for step in scans) == [False, True]
    kinds = {home.kind for step in scans for home in step.state}
    assert kinds == {"as found", "by turns"}


@pytest.mark.parametrize("reverse", [False, True])
def test_states_before_each_turn_are_those_after_it_copied_once(reverse):
    """A stack of states that the next one has, too, but for the first: two launches, whatever the number of turns."""
    body = ops.make_graph(lambda h, x: [after := ops.add(ops.mul(h, x), x), after, h], [STATE, STATE])
    scope = SizeScope()
    symbol = scope.symbol(5, low=1)
    for length in (1, 4, symbol):
        kinds = [STATE, of(length, *STATE.shape)]
        graph = ops.make_graph(lambda *xs, n=length: ops.bind(ops.Scan(body, n, reverse, 1), *xs), kinds)
        scope.capturing = False
        program = build_kernels(graph, SM_80)
        scan, copy = program.plan.steps
        assert len(scan.region.bodies[0].steps) == 1 and copy.ops == ("copy",)
        for turns in (1, 3) if length is symbol else (length,):
            inputs = operands(1, 1, turns)[:2]
            expected = ops.Scan(body, turns, reverse, 1).reference(*inputs)
            for x, y in zip(
                Run(program, inputs, {"n0": turns} if length is symbol else {}).outputs(), expected, strict=True
            ):
                np.testing.assert_array_equal(x, y)


def test_two_directions_keep_their_state_apart():
    graph = directions(2, 8, 5)
    run = checked(graph, drawn(graph), tolerance=1e-5)
    assert [step.loop for step in run.program.schedule.steps if isinstance(step, RegionStep)] == [-1, -1]


def test_nothing_of_a_loop_is_packed():
    """Panels of weights are made for vectors of a processor; tiles of a device read matrices as they lie."""
    program = build_kernels(layer(16, 32, 8), SM_80)
    assert [step.kind for step in program.plan.steps] == ["region"]
    assert not program.plan.derivations


# Work


def bases_of(plan, step=1 << 20):
    """Addresses far from each other, which nobody reads."""
    numbers = iter(range(step, step * 1000, step))
    bases = {("input", k): next(numbers) for k in range(len(plan.inputs) + len(plan.constants))}
    bases |= {("output", k): next(numbers) for k in range(len(plan.outputs))}
    return {**bases, ("scratch", 0): next(numbers)}


@pytest.mark.parametrize(
    "make", [lambda: graph_of(in_loops(False)[0], *in_loops(False)[1]), gradient, lambda: layer(3, 8, 7)]
)
def test_the_work_of_scans_is_known_before(make):
    plan = build_kernels(make(), SM_80).plan
    work = [*work_of(plan.steps, bases_of(plan))]
    assert all(isinstance(one, DeviceLaunch | DeviceCopy) for one in work)
    size = work_size(plan.steps)
    launches = sum(isinstance(one, DeviceLaunch) for one in work)
    assert launches <= len(work) <= size <= len(work) + 30


def test_where_data_decides_nothing_is_known_before():
    for function, kinds in ((of_loops_in_branches_in_loops, (of(5), of(6, 5))),):
        plan = build_kernels(graph_of(function, *kinds), SM_80).plan
        assert work_size(plan.steps) is None
        assert any(isinstance(one, Question) for one in work_of(plan.steps, bases_of(plan)))


# Faults


def faults(plan):
    """Plans in which one thing of control flow is wrong, and what it is."""
    regions = []
    each_step(plan, lambda step: regions.append(step.region) or step)
    for number, region in enumerate(regions):
        if region is None:
            continue
        wrong = [("reversed", changed(region, reverse=not region.reverse))] if region.control == "scan" else []
        for k, home in enumerate(region.state):
            others = {"by turns": ["in place", "steady"], "as left": ["as found", "steady"], "as found": ["as left"]}
            for kind in others.get(home.kind, ["by turns"]):
                state = (*region.state[:k], changed(home, kind=kind, stack=max(home.stack, 0)), *region.state[k + 1 :])
                wrong.append((f"state {k} {kind} for {home.kind}", changed(region, state=state)))
        if region.stacked:
            wrong.append(("a slice that stays", changed(region, stacked=region.stacked[1:])))
        if len(region.gives) > 1:
            wrong.append(
                ("results exchanged", changed(region, gives=(region.gives[1], region.gives[0], *region.gives[2:])))
            )
        for what, one in wrong:
            count = iter(range(len(regions)))
            yield (
                what,
                each_step(
                    plan,
                    lambda step, one=one, count=count, at=number: (
                        changed(step, region=one) if next(count) == at else step
                    ),
                ),
            )


NEEDLESS = ["state 0 in place for by turns"]
"""Cotangents of c: the thread that reads an element stores its successor, and nobody else reads it."""


@pytest.mark.parametrize("name", [pytest.param("a gradient", marks=pytest.mark.long), "a loop that asks"])
def test_each_fault_in_the_state_of_a_loop_is_found(name, monkeypatch):
    questions(monkeypatch)
    if name == "a gradient":
        graph = gradient(1, 4, 3)
        inputs = drawn(graph)
    else:
        op = asking(3, lambda x, y: [y, ops.add(x, y)], (of(5), of(5)))
        graph = graph_of(lambda x, y: ops.bind(op, ops.full(0, COUNT), x, y)[1:], of(5), of(5))
        inputs = drawn(graph)
    program = build_kernels(graph, SM_80)
    right, missed = Run(program, inputs), []
    expected = right.outputs()
    for what, plan in faults(program.plan):
        try:
            wrong = Run(changed(program, plan=plan), inputs, text=right.text).outputs()
            if all(x.tobytes() == y.tobytes() for x, y in zip(expected, wrong, strict=True)):
                missed.append(what)
        except (Fault, AssertionError):
            continue
    assert missed == (NEEDLESS if name == "a gradient" else [])

"""Loops over slices as machine code: bodies of any form, of any length, in either direction."""

import numpy
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float32, float64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import host_target, named_target
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.compiler import compile
from hybridize.ops.evaluate import evaluate
from hybridize.ops.gradient import apply
from hybridize.passes import PIPELINE
from hybridize.schedule import thresholds
from hybridize.schedule.steps import RegionStep

ROWS, UNITS = 3, 8
LENGTHS = (0, 1, 2, 5)


def of(*shape, dtype=float64):
    return TensorType(shape, numpy.dtype(dtype))


STATE, FIXED = of(ROWS, UNITS), of(UNITS, UNITS)

STEPS = {
    "add": lambda x, y, w: ops.add(x, y),
    "product of elements": lambda x, y, w: ops.mul(x, y),
    "tanh": lambda x, y, w: ops.tanh(x),
    "product": lambda x, y, w: ops.matmul(x, w, False, True),
    "product and more": lambda x, y, w: ops.tanh(ops.add(ops.matmul(x, w), y)),
    "other elements": lambda x, y, w: ops.sub(x, ops.flip(y, 1)),
    "sums of rows": lambda x, y, w: ops.mul(x, ops.broadcast(ops.reshape(ops.sum(y, (1,)), (ROWS, 1)), (ROWS, UNITS))),
    "made of what is fixed": lambda x, y, w: ops.matmul(x, ops.mul(w, ops.tanh(w))),
}


@st.composite
def bodies(draw):
    """(body, state, stacked): a function of the state, of a slice of each stacked operand and of a matrix."""
    carried, slices = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    if not carried + slices:
        slices = 1
    turns = draw(st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 9), st.integers(0, 9)), max_size=4))
    after = draw(st.lists(st.integers(0, 9), min_size=carried, max_size=carried))
    given_out = draw(st.lists(st.integers(0, 9), min_size=1, max_size=3))

    def step(*operands):
        *values, w = operands
        for word, x, y in turns:
            x, y = values[x % len(values)], values[y % len(values)]
            # No number grows: tanh of the half.
            half = ops.full(0.5, STATE)
            values.append(ops.tanh(ops.mul(STEPS[word](x, y, w), half)))
        return [values[k % len(values)] for k in (*after, *given_out)]

    return ops.make_graph(step, [*[STATE] * (carried + slices), FIXED]), carried, slices


def operands(carried, slices, length, seed=0):
    rng = numpy.random.default_rng(seed)
    shapes = [*[STATE.shape] * carried, *[(length, *STATE.shape)] * slices, FIXED.shape]
    return [rng.normal(size=shape) / 2 for shape in shapes]


def checked(graph, inputs, wanted=None):
    made = compile(graph)
    for x, y in zip(made.run(inputs), evaluate(wanted or graph, inputs), strict=True):
        numpy.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(bodies(), st.sampled_from(LENGTHS), st.booleans())
def test_a_scan_is_what_numpy_makes_of_its_body(made, length, reverse):
    body, carried, slices = made
    op = ops.Scan(body, length, reverse, carried)
    kinds = [*[STATE] * carried, *[of(length, *STATE.shape)] * slices, FIXED]
    checked(ops.make_graph(lambda *xs: ops.bind(op, *xs), kinds), operands(carried, slices, length))


@settings(max_examples=8, deadline=None)
@given(bodies(), st.booleans())
def test_so_is_a_scan_of_any_length(made, reverse):
    body, carried, slices = made
    assume(slices)  # else no operand tells the length
    scope = SizeScope()
    length = scope.symbol(5, low=1)  # calls with 0 have programs of their own
    kinds = [*[STATE] * carried, *[of(length, *STATE.shape)] * slices, FIXED]
    graph = ops.make_graph(lambda *xs: ops.bind(ops.Scan(body, length, reverse, carried), *xs), kinds)
    scope.capturing = False
    found = compile(graph)
    for turns in (1, 2, *(turns for turns in LENGTHS if turns > 2)):
        assert found.accepts([x.shape for x in operands(carried, slices, turns)])
        inputs = operands(carried, slices, turns)
        known = ops.Scan(body, turns, reverse, carried)
        for x, y in zip(found.run(inputs), known.reference(*inputs), strict=True):
            numpy.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


@settings(max_examples=8, deadline=None)
@given(bodies(), st.integers(0, 4))
def test_state_of_a_while_loop_moves_as_that_of_a_scan(made, times):
    body, carried, _ = made
    count = TensorType((), numpy.dtype("i8"))

    def turn(n, *xs):
        return [ops.add(n, ops.like(1, n)), *apply(body, xs)[:carried], *xs[carried:]]

    kinds = (count, *[value.type for value in body.inputs])
    asked = ops.make_graph(lambda n, *xs: [ops.lt(n, ops.like(times, n))], kinds)
    op = ops.While(asked, ops.make_graph(turn, kinds))
    graph = ops.make_graph(lambda n, *xs: ops.bind(op, n, *xs), kinds)
    rng = numpy.random.default_rng(1)
    checked(graph, [numpy.array(0), *[rng.normal(size=kind.shape) / 2 for kind in kinds[1:]]])


def checked_floats(graph, inputs):
    for x, y in zip(compile(graph).run(inputs), evaluate(graph, inputs), strict=True):
        numpy.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5)


# A layer


def lstm(h, c, z, u):
    z = ops.add(z, ops.matmul(h, u, False, True))
    units = ops.type_of(h).shape[1]
    i, f, g, o = (ops.slice(z, (0, k * units), (ops.type_of(z).shape[0], (k + 1) * units), (1, 1)) for k in range(4))
    c = ops.add(ops.mul(ops.sigmoid(f), c), ops.mul(ops.sigmoid(i), ops.tanh(g)))
    h = ops.mul(ops.sigmoid(o), ops.tanh(c))
    return [h, c, h]


def layer(rows, units, length, dtype=float32, reverse=False):
    kinds = [of(*shape, dtype=dtype) for shape in ((rows, units), (rows, units), (rows, 4 * units), (4 * units, units))]
    op = ops.Scan(ops.make_graph(lstm, kinds), length, reverse, 2)
    kinds[2] = of(length, rows, 4 * units, dtype=dtype)
    return PIPELINE.run(ops.make_graph(lambda *xs: ops.bind(op, *xs), kinds))


def drawn(graph, seed=0):
    rng = numpy.random.default_rng(seed)
    return [rng.normal(size=value.type.shape).astype(value.type.dtype) / 4 for value in graph.inputs]


@pytest.mark.parametrize("dtype", [float32, float64])
@pytest.mark.parametrize("rows", [1, 6, 32])
def test_a_layer_is_one_product_a_step(rows, dtype):
    graph = layer(rows, 64, 5, dtype)
    *packing, scan = scheduled(graph, host_target()).steps
    assert isinstance(scan, RegionStep)
    assert [home.kind for home in scan.state] == ["as left", "in place"]
    assert len(scan.bodies[0].steps) == 1
    assert all(step.provenance.ops == ("pack",) for step in packing)
    tolerance = 1e-5 if dtype == float32 else 1e-13
    for x, y in zip(compile(graph).run(drawn(graph)), evaluate(graph, drawn(graph)), strict=True):
        numpy.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


def test_code_is_as_long_for_any_number_of_turns():
    few, many = (build(layer(2, 16, length), host_target()).module.text() for length in (7, 70_001))
    assert len(few.splitlines()) == len(many.splitlines())


def test_nothing_is_copied_from_turn_to_turn():
    """Copies stand before the loop and after it: of c into its output, of the last h into its own."""
    text = build(layer(2, 16, 7), host_target()).module.text()
    (region,) = (part for part in text.split("define ") if ".region" in part.split("(")[0])
    assert region.count("llvm.memcpy") == 2
    assert " store " not in region


def test_a_loop_of_few_turns_packs_nothing():
    steps = scheduled(layer(32, 64, 2), host_target()).steps
    assert len(steps) == 1


def test_a_loop_in_a_loop_packs_before_the_outer_one():
    """What is the same in all turns of both is made once, though only the inner one reads it."""
    inner_body = ops.make_graph(
        lambda h, x, w: [ops.tanh(ops.add(ops.matmul(h, w, False, True), x))], [of(9, 64), of(9, 64), of(64, 64)]
    )
    inner = ops.Scan(inner_body, 6, False, 1)
    outer_body = ops.make_graph(lambda h, x, w: ops.bind(inner, h, x, w), [of(9, 64), of(6, 9, 64), of(64, 64)])
    op = ops.Scan(outer_body, 5, False, 1)
    graph = ops.make_graph(lambda h, x, w: ops.bind(op, h, x, w), [of(9, 64), of(5, 6, 9, 64), of(64, 64)])
    checked(graph, [x / 4 for x in drawn(graph)])
    *packing, scan = scheduled(graph, named_target("avx512")).steps  # avx2 reads this weight where it lies
    assert len(packing) == 1
    assert [step.control for step in scan.bodies[0].steps] == ["scan"]


def test_what_turns_share_may_be_made_of_weights_and_operands():
    """An operand of the loop times a weight of the program: in the steps before the loop, in every call anew."""
    w = numpy.random.default_rng(3).normal(size=(64, 64)) / 8

    def step(h, x, v):
        return [ops.tanh(ops.add(ops.matmul(h, ops.mul(v, ops.constant(w)), False, True), x))]

    op = ops.Scan(ops.make_graph(step, [of(9, 64), of(9, 64), of(64, 64)]), 6, False, 1)
    graph = ops.make_graph(lambda *xs: ops.bind(op, *xs), [of(9, 64), of(6, 9, 64), of(64, 64)])
    checked(graph, drawn(graph))
    checked(graph, drawn(graph, 1))


# Scans beside each other


def directions(rows, units, length):
    """Two LSTM layers over the same operands' kinds, the second one from the last slice to the first."""
    kinds = [
        of(*shape, dtype=float32) for shape in ((rows, units), (rows, units), (rows, 4 * units), (4 * units, units))
    ]
    body = ops.make_graph(lstm, kinds)
    kinds[2] = of(length, rows, 4 * units, dtype=float32)

    def run(*xs):
        found = [ops.bind(ops.Scan(body, length, k > 0, 2), *xs[4 * k : 4 * k + 4]) for k in range(2)]
        return [ops.concat(found[0][2], found[1][2], axis=2), found[1][1]]

    return PIPELINE.run(ops.make_graph(run, kinds * 2))


@pytest.mark.parametrize("length", [0, 1, 6])
def test_short_scans_share_a_loop(length):
    graph = directions(2, 32, length)
    made = scheduled(graph, host_target())
    assert [step.loop >= 0 for step in made.steps if isinstance(step, RegionStep)] == [True, True]
    for x, y in zip(compile(graph).run(drawn(graph)), evaluate(graph, drawn(graph)), strict=True):
        numpy.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


def test_long_ones_have_a_thread_each():
    made = scheduled(directions(16, 256, 35), host_target(), (3, 7), slots=2)
    (group,) = made.groups
    scans = [number for number, step in enumerate(made.steps) if isinstance(step, RegionStep)]
    tasks = [{part.step for part in task}.intersection(scans) for task in group.tasks]
    assert [len(task) for task in tasks if task] == [1, 1]
    alone = scheduled(directions(16, 256, 35), host_target())
    assert not any(step.loop >= 0 for step in alone.steps if isinstance(step, RegionStep))


def test_directions_and_what_goes_before_them_have_a_thread_each():
    """Both input products come first then, though each is large and read by its scan alone."""
    kinds = [of(*shape, dtype=float32) for shape in ((32, 128), (32, 128), (20, 32, 64), (512, 64), (512, 128))]

    def run(h, c, x, *weights):
        found = []
        for k in range(2):
            w, u = weights[2 * k : 2 * k + 2]
            z = ops.reshape(ops.matmul(ops.reshape(x, (640, 64)), w, False, True), (20, 32, 512))
            body = ops.make_graph(lstm, [*kinds[:2], of(32, 512, dtype=float32), kinds[4]])
            found.append(ops.bind(ops.Scan(body, 20, k > 0, 2), h, c, z, u)[2])
        return [ops.concat(*found, axis=2)]

    graph = PIPELINE.run(ops.make_graph(run, [*kinds, *kinds[3:]]))
    made = scheduled(graph, host_target(), (3, 4, 5, 6), slots=2)
    (group,) = made.groups
    scans = {number for number, step in enumerate(made.steps) if isinstance(step, RegionStep)}
    assert sorted(len(scans.intersection(part.step for part in task)) for task in group.tasks) == [1, 1]
    checked_floats(graph, drawn(graph))


def test_scans_of_which_one_needs_the_other_stay_apart():
    body = ops.make_graph(lambda h, x: [ops.add(h, x), ops.mul(h, x)], [STATE, STATE])

    def run(h, xs):
        _, ys = ops.bind(ops.Scan(body, 5, False, 1), h, xs)
        return ops.bind(ops.Scan(body, 5, True, 1), h, ys)

    graph = ops.make_graph(run, [STATE, of(5, *STATE.shape)])
    checked(graph, drawn(graph))
    assert not any(step.loop >= 0 for step in scheduled(graph, host_target()).steps)


@pytest.mark.parametrize("make", [directions, lambda *sizes: layer(*sizes)])
def test_the_bits_of_any_number_of_threads(make, monkeypatch):
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)
    monkeypatch.setattr(thresholds, "RANGE_US", 1e-9)
    graph = make(7, 64, 9)
    found = []
    for threads in (1, 2, 3):
        made = compile(graph, threads=threads)
        found.append([x.tobytes() for x in made.run(drawn(graph))])
    assert found[0] == found[1] == found[2]

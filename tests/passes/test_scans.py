"""Passes over scans: what is left in a body, and that the meaning stays, gradients of gradients included."""

import random
from collections import Counter

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.autograd.split import split
from hybridize.base.dims import SizeScope, same
from hybridize.base.types import TensorType
from hybridize.compiler import compile as compiled
from hybridize.graph import Graph, sizes_of, with_sizes
from hybridize.ops import Scan, evaluate, make_graph, pullback
from hybridize.passes import PIPELINE, HoistFromScans, MergeScans, SaveResiduals, SinkFromScans, TrimScans

F4, I8 = numpy.dtype("f4"), numpy.dtype("i8")
PASSES = (TrimScans(), MergeScans(), SaveResiduals(), HoistFromScans(), SinkFromScans())


def kind(*shape, dtype=F4):
    return TensorType(shape, dtype)


def scans(graph: Graph) -> list[Scan]:
    return [node.op for node in graph.nodes if isinstance(node.op, Scan)]


def products(graph: Graph) -> int:
    return sum(name in ("matmul", "contract") for name in graph.op_names())


def with_gradients(function, kinds, wrt=None):
    """The results of a function, and the gradients of the sum of their squares by its floats."""

    def loss(*inputs):
        found = function(*inputs)
        squares = [
            ops.sum(ops.mul(y, y), tuple(range(ops.type_of(y).ndim))) for y in found if ops.type_of(y).dtype == F4
        ]
        total = squares[0]
        for square in squares[1:]:
            total = ops.add(total, square)
        return [total, *found]

    def run(*inputs):
        graph = make_graph(loss, kinds)
        found = pullback(graph, inputs, [ops.full(1, kind()), *(None for _ in graph.outputs[1:])])
        gradients = [one for k, one in enumerate(found) if one is not None and (wrt is None or k in wrt)]
        return [*ops.gradient.apply(graph, inputs)[1:], *gradients]

    return run


def arrays(graph: Graph, seed=0, sizes=None):
    rng = numpy.random.default_rng(seed)
    exact = graph if sizes is None else with_sizes(graph, sizes)
    return [
        (rng.integers(0, 3, v.type.shape) if v.type.dtype == I8 else rng.standard_normal(v.type.shape)).astype(
            v.type.dtype
        )
        for v in exact.inputs
    ]


def same_meaning(graph: Graph, changed: Graph, inputs, rtol=2e-4):
    for found, wanted in zip(evaluate(changed, inputs), evaluate(graph, inputs), strict=True):
        assert found.shape == wanted.shape
        assert found.dtype == wanted.dtype
        scale = max(1e-3, float(numpy.abs(wanted).max(initial=0)))
        numpy.testing.assert_allclose(found / scale, wanted / scale, rtol=0, atol=rtol)


# Structure

N, K, H = 3, 4, 6


def lstm_cell(h, c, x, wi, wh, b):
    gates = ops.add(ops.matmul(x, wi, False, True), ops.broadcast(b, (N, 4 * H)))
    gates = ops.add(gates, ops.matmul(h, wh, False, True))
    i, f, g, o = (ops.slice(gates, (0, k * H), (N, (k + 1) * H), (1, 1)) for k in range(4))
    c = ops.add(ops.mul(ops.sigmoid(f), c), ops.mul(ops.sigmoid(i), ops.tanh(g)))
    h = ops.mul(ops.sigmoid(o), ops.tanh(c))
    return [h, c, h]


def lstm(length, reverse=False):
    kinds = [kind(N, H), kind(N, H), kind(N, K), kind(4 * H, K), kind(4 * H, H), kind(4 * H)]
    scan = Scan(make_graph(lstm_cell, kinds), length, reverse, 2)

    def run(x, wi, wh, b):
        zero = ops.full(0, kind(N, H))
        return [ops.bind(scan, zero, zero, x, wi, wh, b)[2]]

    return run, [kind(length, N, K), *kinds[3:]]


@pytest.mark.parametrize("reverse", [False, True])
def test_an_lstm_has_one_product_in_the_body(reverse):
    graph = make_graph(*lstm(5, reverse))
    changed = PIPELINE.run(graph)
    (scan,) = scans(changed)
    assert products(scan.body) == 1
    assert products(changed) == 1
    assert len(scan.body.inputs) == 4  # the state, what is left of the gates, the matrix
    same_meaning(graph, changed, arrays(graph))


def test_the_gradient_of_an_lstm_has_one_product_in_each_body_and_one_for_each_matrix():
    function, kinds = lstm(5)
    graph = make_graph(with_gradients(function, kinds), kinds)
    changed = PIPELINE.run(graph)
    forward, backward = scans(changed)
    assert (forward.reverse, backward.reverse) == (False, True)
    assert products(forward.body) == products(backward.body) == 1
    assert products(changed) == 4  # of x before, of its gradient, and of two matrices, behind
    assert backward.num_carry == 2  # no total is carried
    assert not {"sigmoid", "tanh"} & set(backward.body.op_names())
    same_meaning(graph, changed, arrays(graph))
    x = arrays(graph)
    for found, wanted in zip(compiled(graph).run(x), evaluate(graph, x), strict=True):
        numpy.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_gradients_that_nobody_asks_for_are_not_computed():
    function, kinds = lstm(5)
    changed = PIPELINE.run(make_graph(with_gradients(function, kinds, wrt=(2,)), kinds))
    assert products(changed) == 2
    assert len(scans(changed)[1].body.outputs) == 3  # the state, and the gradient of the gates


def test_an_output_layer_after_each_step_is_one_product():
    def step(h, x, w, v):
        h = ops.tanh(ops.add(ops.matmul(h, w), x))
        y = ops.matmul(h, v)
        return [h, ops.sigmoid(y), ops.sum(y, (0, 1))]

    kinds = [kind(N, H), kind(N, H), kind(H, H), kind(H, 50)]
    scan = Scan(make_graph(step, kinds), 5, False, 1)
    graph = make_graph(lambda h, x, w, v: ops.bind(scan, h, x, w, v), [kinds[0], kind(5, N, H), *kinds[2:]])
    changed = PIPELINE.run(graph)
    assert products(scans(changed)[0].body) == products(changed) == 1
    assert len(scans(changed)[0].body.outputs) == 2
    same_meaning(graph, changed, arrays(graph))


def test_a_narrow_output_stays_where_it_is():
    """What is stacked instead would be more than what is no longer read."""
    kinds = [kind(64, H), kind(64, H), kind(H, H), kind(H, 1)]

    def step(h, x, w, v):
        h = ops.tanh(ops.add(ops.matmul(h, w), x))
        return [h, ops.matmul(h, v)]

    graph = make_graph(
        lambda h, x, w, v: ops.bind(Scan(make_graph(step, kinds), 5, False, 1), h, x, w, v),
        [kinds[0], kind(5, 64, H), *kinds[2:]],
    )
    assert products(scans(PIPELINE.run(graph))[0].body) == 2


def test_an_embedding_is_one_lookup_and_one_product_and_its_gradient_one_scatter():
    kinds = [kind(N, H), kind(N, dtype=I8), kind(7, K), kind(K, H), kind(H, H)]

    def step(h, token, table, w, v):
        return [ops.tanh(ops.add(ops.matmul(ops.gather(table, token, 0), w), ops.matmul(h, v)))] * 2

    def run(token, table, w, v):
        zero = ops.full(0, kind(N, H))
        return [ops.bind(Scan(make_graph(step, kinds), 5, False, 1), zero, token, table, w, v)[1]]

    inputs = [kind(5, N, dtype=I8), *kinds[2:]]
    graph = make_graph(with_gradients(run, inputs), inputs)
    changed = PIPELINE.run(graph)
    assert all(products(scan.body) == 1 for scan in scans(changed))
    assert all({"gather", "scatter_nd"}.isdisjoint(scan.body.op_names()) for scan in scans(changed))
    assert Counter(changed.op_names())["gather"] == Counter(changed.op_names())["scatter_nd"] == 1
    same_meaning(graph, changed, arrays(graph))


def test_what_is_the_same_at_each_step_is_computed_once():
    kinds = [kind(N, H), kind(H, H), kind(H)]
    scan = Scan(
        make_graph(lambda h, w, s: [ops.matmul(h, ops.matmul(w, ops.exp(w)))], kinds[:2] + kinds[2:]), 5, False, 1
    )
    graph = make_graph(lambda *xs: ops.bind(scan, *xs), kinds)
    changed = PIPELINE.run(graph)
    assert scans(changed)[0].body.op_names() == ["matmul"]
    assert changed.op_names() == ["exp", "matmul", "scan"]
    same_meaning(graph, changed, arrays(graph))


def test_state_that_is_dead_unchanging_or_twice_goes():
    row = kind(H)

    def step(h, same, copy, dead, x, w, again):
        after = ops.tanh(ops.add(ops.mul(h, w), ops.mul(x, same)))
        other = ops.tanh(ops.add(ops.mul(copy, again), ops.mul(x, same)))
        return [after, same, other, ops.add(dead, x), other, x]

    scan = Scan(make_graph(step, [row] * 7), 5, False, 4)

    def run(h, s, d, x, w):
        last, same, copy, _, y, stacked = ops.bind(scan, h, s, h, d, x, w, w)
        return [last, same, copy, y, stacked]

    graph = make_graph(run, [row, row, row, kind(5, H), row])
    changed = PIPELINE.run(graph)
    (found,) = scans(changed)
    assert found.num_carry == 1
    assert len(found.body.inputs) == 4  # the state, x, w, and what never changes
    assert changed.outputs[1] is changed.inputs[1]
    assert changed.outputs[4] is changed.inputs[3]
    same_meaning(graph, changed, arrays(graph))


def test_a_scan_without_state_is_no_loop():
    kinds = [kind(N, K), kind(K, H)]
    scan = Scan(make_graph(lambda x, w: [ops.reduce_max(ops.tanh(ops.matmul(x, w)), (1,))], kinds), 5)
    graph = make_graph(lambda x, w: ops.bind(scan, x, w), [kind(5, N, K), kinds[1]])
    changed = PIPELINE.run(graph)
    assert not scans(changed)
    same_meaning(graph, changed, arrays(graph))


def test_scans_that_share_nothing_stay_apart_and_so_do_directions():
    (forward, kinds), (backward, _) = lstm(5), lstm(5, reverse=True)

    def both(x, wi, wh, b, vi, vh, c):
        return [*forward(x, wi, wh, b), *backward(x, vi, vh, c), *forward(x, vi, vh, c)]

    graph = make_graph(both, [*kinds, *kinds[1:]])
    changed = PIPELINE.run(graph)
    assert len(scans(changed)) == 3
    same_meaning(graph, changed, arrays(graph))


def test_the_gradient_of_one_direction_is_not_joined_with_the_other_direction():
    """They go the same way, over the same x: but a graph is cut between what depends on cotangents and what does not."""
    (forward, kinds), (backward, _) = lstm(5), lstm(5, reverse=True)
    graph = make_graph(lambda x, v, *w: [*forward(x, *w), *backward(x, v, *w[1:])], [kinds[0], kinds[1], *kinds[1:]])
    halves = split(graph, range(5))
    assert [scan.reverse for scan in scans(halves.forward)] == [False, True]
    assert sorted(scan.reverse for scan in scans(PIPELINE.run(halves.backward))) == [False, True]
    assert all(products(scan.body) == 1 for scan in scans(PIPELINE.run(halves.backward)))


def test_what_prints_stays_where_it_is(capsys):
    def step(h, x):
        ops.bind(ops.Print("{}"), ops.sum(x, (0,)))
        return [ops.add(h, x)]

    scan = Scan(make_graph(step, [kind(H), kind(H)]), 3, False, 1)
    graph = make_graph(lambda h, x: [ops.bind(scan, h, x)[0], h][1:], [kind(H), kind(3, H)])
    changed = PIPELINE.run(graph)
    inputs = arrays(graph)
    evaluate(changed, inputs)
    printed = [float(word) for word in capsys.readouterr().out.split()]
    numpy.testing.assert_allclose(printed, inputs[1].sum(1), rtol=1e-5)


@pytest.mark.parametrize("step", PASSES, ids=lambda step: step.name)
def test_a_pass_that_changes_nothing_returns_the_same_graph(step):
    kinds = [kind(N, H), kind(N, H), kind(H, H)]
    scan = Scan(make_graph(lambda h, x, w: [ops.tanh(ops.add(ops.matmul(h, w), x))], kinds), 5, False, 1)
    graph = make_graph(lambda h, x, w: ops.bind(scan, h, x, w), [kinds[0], kind(5, N, H), kinds[2]])
    assert step(graph) is graph
    once = PIPELINE.run(make_graph(with_gradients(*lstm(5)), lstm(5)[1]))
    assert step(once) is once


# Meaning


class Bodies:
    """Random bodies over matrices [N, H], with products, sums, lookups, totals of three kinds, and odd operands."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        draw = self.draw
        self.states, self.slices, self.matrices = draw.randint(1, 2), draw.randint(0, 2), draw.randint(1, 2)
        self.totals = draw.sample(["matrix", "row", "number"], draw.randint(0, 3))
        self.reverse = draw.random() < 0.5
        self.nodes = draw.randint(2, 9)
        self.emitted = draw.randint(0, 3)

    def carried(self):
        totals = {"matrix": kind(H, H), "row": kind(H), "number": kind()}
        return [kind(N, H)] * self.states + [totals[word] for word in self.totals]

    def inner(self):
        return [
            *self.carried(), *[kind(N, H)] * self.slices, kind(N, dtype=I8),
            *[kind(H, H)] * self.matrices, kind(3, H), kind(H),
        ]  # fmt: skip

    def step(self, *operands):
        draw = self.draw
        states, operands = operands[: self.states], operands[self.states :]
        totals, operands = operands[: len(self.totals)], operands[len(self.totals) :]
        slices, (token, *rest) = operands[: self.slices], operands[self.slices :]
        matrices, (table, bias) = rest[: self.matrices], rest[self.matrices :]
        pool = [*states, *slices, ops.gather(table, token, 0), ops.broadcast(bias, (N, H))]
        for _ in range(self.nodes):
            pool.append(self.made(pool, matrices))
        pick = lambda: draw.choice(pool)  # noqa: E731
        added = {
            "matrix": lambda: ops.matmul(pick(), pick(), True, False) if draw.random() < 0.8 else matrices[0],
            "row": lambda: ops.sum(pick(), (0,)),
            "number": lambda: ops.sum(ops.mul(pick(), pick()), (0, 1)),
        }
        after = [ops.tanh(pick()) for _ in states]
        sums = [ops.add(*draw.sample([t, added[w]()], 2)) for t, w in zip(totals, self.totals, strict=True)]
        return [*after, *sums, *(self.result(pool, matrices) for _ in range(self.emitted))]

    def made(self, pool, matrices):
        draw = self.draw
        x, y = draw.choice(pool), draw.choice(pool)
        return draw.choice([
            lambda: ops.tanh(ops.matmul(x, draw.choice(matrices), False, draw.random() < 0.5)),
            lambda: ops.matmul(x, ops.mul(matrices[0], ops.like(0.3, matrices[0]))),
            lambda: ops.matmul(ops.tanh(ops.matmul(x, y, False, True)), y),
            lambda: ops.add(x, y),
            lambda: ops.mul(ops.sigmoid(x), y),
            lambda: ops.where(ops.ge(x, y), x, ops.like(0, x)),
            lambda: ops.concat(ops.slice(x, (0, 2), (N, H), (1, 1)), ops.slice(y, (0, 0), (N, 2), (1, 1)), axis=1),
            lambda: ops.spread(ops.reduce_max(x, (1,)), (N, H), (1,)),
            lambda: ops.transpose(ops.reshape(ops.sub(x, y), (H, N)), (1, 0)),
            lambda: ops.broadcast(ops.sum(x, (0,)), (N, H)),
        ])()  # fmt: skip

    def result(self, pool, matrices):
        x = self.draw.choice(pool)
        return self.draw.choice([
            lambda: x,
            lambda: ops.matmul(x, matrices[-1]),
            lambda: ops.sum(ops.tanh(ops.matmul(x, matrices[-1])), (1,)),
        ])()  # fmt: skip

    def function(self, length):
        inner = self.inner()
        carried = len(self.carried())
        scan = Scan(make_graph(self.step, inner), length, self.reverse, carried)
        sliced = range(carried, carried + self.slices + 1)
        outer = [one.with_shape((length, *one.shape)) if k in sliced else one for k, one in enumerate(inner)]
        return (lambda *xs: [ops.tanh(y) if ops.type_of(y).ndim > 0 else y for y in ops.bind(scan, *xs)]), outer


@settings(max_examples=12, deadline=None, derandomize=True)
@given(seed=st.integers(0, 1 << 32), length=st.sampled_from([0, 1, 2, 5]))
def test_random_bodies(seed, length):
    function, kinds = Bodies(seed).function(length)
    graph = make_graph(function, kinds)
    same_meaning(graph, PIPELINE.run(graph), arrays(graph, seed))
    graph = make_graph(with_gradients(function, kinds), kinds)
    same_meaning(graph, PIPELINE.run(graph), arrays(graph, seed), rtol=1e-3)


@pytest.mark.long
@settings(max_examples=1000, deadline=None)
@given(seed=st.integers(0, 1 << 32), length=st.sampled_from([0, 1, 2, 5]))
def test_many_random_bodies(seed, length):
    test_random_bodies.hypothesis.inner_test(seed, length)


@settings(max_examples=6, deadline=None, derandomize=True)
@given(seed=st.integers(0, 1 << 32), length=st.sampled_from([1, 3]))
def test_random_bodies_differentiated_twice(seed, length):
    function, kinds = Bodies(seed).function(length)
    graph = make_graph(with_gradients(with_gradients(function, kinds), kinds), kinds)
    same_meaning(graph, PIPELINE.run(graph), arrays(graph, seed), rtol=5e-3)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(seed=st.integers(0, 1 << 32))
def test_random_bodies_of_unknown_length(seed):
    scope = SizeScope()
    scope.capturing = False
    length = scope.symbol(5)
    before = str(scope)
    function, kinds = Bodies(seed).function(length)
    graph = make_graph(with_gradients(function, kinds), kinds)
    changed = PIPELINE.run(graph)
    assert str(scope) == before  # nothing was assumed
    for number in (2, 5):
        shapes = [tuple(number if same(s, length) else s for s in v.type.shape) for v in graph.inputs]
        sizes = sizes_of(graph, shapes)
        same_meaning(graph, changed, arrays(graph, seed, sizes), rtol=1e-3)


def test_gradients_are_the_central_differences():
    """Of the graph after the passes, which has other residuals, products and sums."""
    function, kinds = lstm(3)
    changed = PIPELINE.run(make_graph(with_gradients(function, kinds), kinds))
    inputs = [x.astype("f4") * 0.5 for x in arrays(changed)]
    gradients = evaluate(changed, inputs)[1:]
    double = make_graph(function, kinds)
    rng = numpy.random.default_rng(1)
    for k, gradient in enumerate(gradients):
        toward = rng.standard_normal(inputs[k].shape).astype("f4")
        sums = []
        for step in (1e-2, -1e-2):
            moved = [x + step * toward if n == k else x for n, x in enumerate(inputs)]
            (y,) = evaluate(double, moved)
            sums.append((y.astype("f8") ** 2).sum())
        wanted = (sums[0] - sums[1]) / 2e-2
        assert abs((gradient.astype("f8") * toward).sum() - wanted) < 1e-2 * max(1, abs(wanted))

"""Equal parts of a program are scheduled once: twelve equal layers cost little more than one, and no number is lost."""

import sys

import numpy
import pytest

from hybridize import hybridize, np, ops
from hybridize.base import memo
from hybridize.base.dtypes import float32
from hybridize.base.memo import Memo, remembered, remembering
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import host_target
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.compiler import compile as compiled
from hybridize.graph import Graph
from hybridize.ops import composites, make_graph
from hybridize.ops.evaluate import evaluate
from hybridize.passes import PIPELINE
from hybridize.schedule import scheduler
from hybridize.schedule.contraction import tiles as plans
from hybridize.schedule.draft import Draft
from hybridize.schedule.grouping import Grouping
from hybridize.schedule.kernel import _Printer
from hybridize.schedule.nests import Nests

WIDTH, ROWS = 48, 16


def layers(count: int, factor=lambda layer: 0.125) -> Graph:
    """Attention of one head and a dense layer, `count` times one after the other, normalised, each with its weights."""

    def function(x, *weights):
        for layer in range(count):
            q, k, v, o, w = weights[5 * layer : 5 * layer + 5]
            scale = factor(layer)
            y = ops.sub(x, ops.spread(composites.mean(x, (1,)), (ROWS, WIDTH), (1,)))
            scores = ops.matmul(ops.matmul(y, q), ops.transpose(ops.matmul(y, k), (1, 0)))
            p = composites.softmax(ops.mul(scores, ops.like(scale, scores)), 1)
            x = ops.add(x, ops.matmul(ops.matmul(p, ops.matmul(y, v)), o))
            x = ops.add(x, ops.tanh(ops.matmul(x, w)))
        return [x]

    kinds = [TensorType((ROWS, WIDTH), float32), *[TensorType((WIDTH, WIDTH), float32)] * (5 * count)]
    return PIPELINE.run(make_graph(function, kinds))


def schedule(graph):
    return scheduled(graph, host_target(), stable=range(1, len(graph.inputs)))


def counted(monkeypatch, owner, name: str) -> list:
    calls, original = [], getattr(owner, name)

    def call(*args, **kwargs):
        calls.append(args)
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, name, call)
    return calls


@pytest.mark.parametrize(("owner", "name"), [(Draft, "write"), (Nests, "nests"), (plans, "make_tiling")])
def test_more_equal_layers_make_no_more_drafts_nests_or_tilings(monkeypatch, owner, name):
    few, many = layers(3), layers(12)
    calls = counted(monkeypatch, owner, name)
    schedule(few)
    first = len(calls)
    assert first
    schedule(many)
    assert len(calls) - first == first


def test_more_equal_layers_print_no_more_kernels(monkeypatch):
    """A kernel's text is what it is known by: to print one takes as long as to write it."""
    calls, counts = counted(monkeypatch, _Printer, "kernel"), []
    for count in (3, 12):
        graph, before = layers(count), len(calls)
        build(graph, host_target(), stable=range(1, len(graph.inputs)))
        counts.append(len(calls) - before)
    assert counts[0] == counts[1] > 0


class Watched(dict):
    """A mapping that counts the walks over all of it."""

    walks = 0

    def keys(self):
        Watched.walks += 1
        return super().keys()

    def __iter__(self):
        Watched.walks += 1
        return super().__iter__()


def test_more_constants_are_not_walked_over_more_often(monkeypatch):
    """A walk over all numbers for each node made five thousand operations take twice as long as they need."""

    def numbers(count: int) -> Graph:
        def function(x):
            for number in range(count):
                x = ops.tanh(ops.add(x, ops.like(1 + number / 7, x)))
            return [x]

        return PIPELINE.run(make_graph(function, [TensorType((ROWS,), float32)]))

    def grouping(graph, lowerings, literals, *rest):
        return Grouping(graph, lowerings, Watched(literals), *rest)

    monkeypatch.setattr(scheduler, "Grouping", grouping)
    walks = []
    for count in (8, 40):
        Watched.walks = 0
        assert len(schedule(numbers(count)).constants) >= count
        walks.append(Watched.walks)
    assert walks[0] == walks[1]


def calls_of(function) -> int:
    """The calls of Python's functions."""
    count = 0

    def note(frame, event, arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def test_another_equal_layer_costs_a_part_of_what_it_costs_alone(monkeypatch):
    """The rest are walks over nodes and units."""
    graphs = [layers(count) for count in (4, 8)]

    def more() -> int:
        few, many = (calls_of(lambda graph=graph: schedule(graph)) for graph in graphs)
        return many - few

    more()  # once for what is loaded late
    shared = more()
    look_at_each(monkeypatch)
    assert shared < 0.6 * more()


def look_at_each(monkeypatch):
    """Have every group scheduled by itself."""

    def alone(self, group):
        draft = Draft(group, self.grouping)
        draft.write()
        return draft

    monkeypatch.setattr(Memo, "of", lambda self, key, make: make())
    monkeypatch.setattr("hybridize.schedule.draft.Drafts._made", alone)


def steps_of(graph):
    return [str(step) for step in schedule(graph).steps]


def test_the_schedule_is_that_of_groups_that_are_looked_at_one_by_one(monkeypatch):
    graph = layers(4)
    found = steps_of(graph)
    look_at_each(monkeypatch)
    assert found == steps_of(graph)


class Colliding:
    """A key whose hash is that of all others."""

    def __init__(self, key):
        self.key = key

    def __hash__(self):
        return 7

    def __eq__(self, other):
        return self.key == other.key


def test_keys_that_collide_are_told_apart(monkeypatch):
    """Layers that differ in one number each, so that all else of their keys is equal, too."""
    graph = layers(4, factor=lambda layer: 0.1 + layer / 8)
    found = steps_of(graph)
    of = Memo.of
    monkeypatch.setattr(Memo, "of", lambda self, key, make: of(self, Colliding(key), make))
    assert found == steps_of(graph)
    rng = numpy.random.default_rng(3)
    inputs = [rng.normal(size=value.type.shape).astype("f4") / 7 for value in graph.inputs]
    (y,) = compiled(graph).run(inputs)
    numpy.testing.assert_allclose(y, evaluate(graph, inputs)[0], rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("numbers", [(1.0, 1.5), (0.0, -0.0), (numpy.inf, -numpy.inf)])
def test_groups_that_differ_in_a_number_are_two(numbers):
    def function(x, y):
        return [ops.div(ops.like(number, one), one) for number, one in zip(numbers, (x, y), strict=True)]

    kind = TensorType((40,), float32)
    graph = PIPELINE.run(make_graph(function, [kind, kind]))
    x = numpy.linspace(1, 3, 40, dtype="f4")
    for number, y in zip(numbers, compiled(graph).run([x, x]), strict=True):
        expected = numpy.float32(number) / x
        assert y.tobytes() == expected.tobytes()


def test_groups_over_other_homes_are_two():
    """Both add one to the same shape, one of them to what lies transposed within something larger."""

    def function(x, w):
        product = ops.matmul(x, w)
        part = ops.slice(ops.transpose(product, (1, 0)), (2, 0), (10, 8), (1, 1))
        other = ops.slice(product, (0, 2), (8, 10), (1, 1))
        return [product, ops.add(part, ops.like(1.0, part)), ops.add(other, ops.like(1.0, other))]

    kinds = [TensorType((12, 6), float32), TensorType((6, 12), float32)]
    graph = PIPELINE.run(make_graph(function, kinds))
    inputs = [numpy.random.default_rng(n).normal(size=kind.shape).astype("f4") for n, kind in enumerate(kinds)]
    for found, expected in zip(compiled(graph).run(inputs), evaluate(graph, inputs), strict=True):
        numpy.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_programs_of_unknown_sizes_share_nothing_with_others():
    """A plan has sizes of its program in it: those of another one are other symbols, if of the same names."""

    def net(x, w):
        return np.tanh(np.matmul(x, w)) + 1

    for width in (24, 40):
        function, w = hybridize(net), np.ones((width, 32))
        for rows in (3, 4, 5, 17):
            x = numpy.random.default_rng(rows).normal(size=(rows, width)).astype("f4")
            found = function(np.array(x), w).asnumpy()
            numpy.testing.assert_allclose(found, numpy.tanh(x @ w.asnumpy()) + 1, rtol=1e-5, atol=1e-5)


def test_functions_are_remembered_within_a_memo_only():
    made = []

    @remembered
    def double(x, *, plus=0):
        made.append(x)
        return 2 * x + plus

    assert double(2) == double(2) == 4
    assert made == [2, 2]
    with remembering(Memo()):
        assert [double(2), double(2), double(2, plus=1), double(3)] == [4, 4, 5, 6]
    assert made == [2, 2, 2, 2, 3]
    assert memo._CURRENT.get() is None

"""Steps that come early, so that a larger value dies: fewer bytes, the same bits."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import float32, int64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import evaluate, make_graph
from hybridize.ops.slicing import iota
from hybridize.passes import PIPELINE
from hybridize.schedule import order as order_module

AVX512 = named_target("avx512")
WINDOW = ((1, 1, 2, 2), (1, 1, 2, 2), (0, 0, 0, 0), (0, 0, 0, 0))
LARGE = (2, 8, 64, 64)


def pooled(last):
    """Images that are pooled, products of what is pooled, and at the end something of the images again."""

    def function(x, w):
        images = ops.exp(x)
        z = ops.reshape(ops.window_max(images, *WINDOW), (512, 32))
        for _ in range(3):
            z = ops.matmul(z, w)
        return [z, last(images)]

    return make_graph(function, [TensorType(LARGE, float32), TensorType((32, 32), float32)])


def as_written(monkeypatch):
    monkeypatch.setattr(order_module, "earlier", lambda order, *_: list(order))


def number_of_largest(images):
    return ops.window_arg_max(images, *WINDOW)


def test_what_lets_a_larger_value_die_comes_early(monkeypatch):
    graph = pooled(number_of_largest)
    early = scheduled(graph, AVX512, (), 1)
    names = [step.provenance.ops[-1] for step in early.steps]
    assert names.index("window_arg_max") < names.index("matmul")
    x = numpy.random.default_rng(0).normal(size=LARGE).astype("f4")
    x[0, 0, :2, :2] = [[numpy.nan, -0.0], [0.0, numpy.inf]]
    w = numpy.full((32, 32), 0.25, "f4")
    found = compiled(graph, AVX512).run([x, w])
    as_written(monkeypatch)
    late = scheduled(graph, AVX512, (), 1)
    assert late.steps[-1].provenance.ops[-1] == "window_arg_max"
    assert early.plan.scratch_bytes < late.plan.scratch_bytes
    for one, other in zip(found, compiled(graph, AVX512).run([x, w]), strict=True):
        numpy.testing.assert_array_equal(one, other)
    for one, other in zip(found, evaluate(graph, [x, w]), strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-4)


def test_what_is_as_large_stays_where_it_is(monkeypatch):
    graph = pooled(lambda images: ops.mul(images, images))
    early = str(scheduled(graph, AVX512, (), 1))
    as_written(monkeypatch)
    assert early == str(scheduled(graph, AVX512, (), 1))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("number", [0.0, None])
def test_what_is_made_of_nothing_is_made_when_it_is_read(monkeypatch, number, threads):
    """Zeros that rows are added to, or numbers that count them, are not held through the products before."""
    shape = (1024, 256)

    def function(x, w, rows, table):
        base = iota(shape, 0, float32) if number is None else ops.like(number, table)
        z = x
        for _ in range(4):
            z = ops.tanh(ops.matmul(z, w))
        return [ops.matmul(ops.scatter_nd(base, rows, z, "add"), w)]

    kinds = [TensorType((256, 256), float32)] * 2
    graph = PIPELINE.run(make_graph(function, [*kinds, TensorType((256, 1), int64), TensorType(shape, float32)]))
    late = scheduled(graph, AVX512, (), threads)
    rng = numpy.random.default_rng(0)
    inputs = [rng.normal(size=(256, 256)).astype("f4") for _ in range(2)]
    inputs += [rng.integers(0, 1024, (256, 1)), numpy.zeros(shape, "f4")]
    found = compiled(graph, AVX512, threads=threads).run(inputs)
    numpy.testing.assert_allclose(found[0], evaluate(graph, inputs)[0], rtol=1e-3, atol=1e-2)
    monkeypatch.setattr(order_module, "when_read", lambda order, *_: list(order))
    early = scheduled(graph, AVX512, (), threads)
    assert {step.provenance for step in late.steps} == {step.provenance for step in early.steps}
    kept = [[step.provenance.ops[-1] for step in made.steps].index("scatter_nd") for made in (late, early)]
    assert kept[0] == kept[1]
    assert late.steps[kept[0] - 1].provenance.ops[-1] in ("broadcast", "iota")
    assert late.steps[0].provenance.ops[-1] == "matmul" or "tanh" in late.steps[0].provenance.ops
    assert early.steps[0].provenance.ops[-1] in ("broadcast", "iota")

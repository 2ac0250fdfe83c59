"""A product of matrices is a contraction of one tap: however it is written, it has the same plan."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import float16, float32, int32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate, make_graph
from hybridize.passes import PIPELINE
from hybridize.schedule.contraction import MatrixPlan

WRITTEN = {
    "pixels of a line": ("[m+r]k,rkn->mn", lambda m, k: (m, k), lambda k, n: (1, k, n)),
    "images of one line": ("b[y+r][m+s]k,rskn->bymn", lambda m, k: (1, 1, m, k), lambda k, n: (1, 1, k, n)),
    "columns first": ("[m+r]k,rnk->mn", lambda m, k: (m, k), lambda k, n: (1, n, k)),
}
"""Convolutions whose windows are one element: letters, shapes of x and of w."""
SIZES = ((1, 1280, 1000), (3, 40, 50), (64, 512, 250), (300, 70, 96), (33, 5000, 64))
ENDS = {
    "plain": lambda y: y,
    "relu": lambda y: ops.max(y, ops.like(0, y)),
    "gelu": composites.gelu,
}


def steps(function, types, target, stable):
    graph = PIPELINE.run(make_graph(function, types))
    return graph, [step for step in scheduled(graph, named_target(target), stable).steps if step.kind == "contraction"]


def matmul(of, transposed):
    return lambda x, w: [ENDS[of](ops.matmul(x, w, False, transposed))]


def convolution(of, spec, sizes):
    return lambda x, w: [ENDS[of](ops.contract(spec, x, w, sizes))]


@pytest.mark.parametrize("target", ["avx512", "avx2"])
@pytest.mark.parametrize("stable", [(), (1,)], ids=["called", "packed"])
@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize(("size", "dtype", "end"), [
    *((size, float32, "relu") for size in SIZES), (SIZES[2], float16, "plain"), (SIZES[2], int32, "plain"),
    (SIZES[2], float32, "gelu"),
])  # fmt: skip
def test_a_product_is_one_tap(written, size, dtype, end, stable, target):
    """The plan, the epilogue and the steps around are the same."""
    (m, k, n), (spec, x, w) = size, WRITTEN[written]
    transposed = written == "columns first"
    types = TensorType((m, k), dtype), TensorType((n, k) if transposed else (k, n), dtype)
    _, (product,) = steps(matmul(end, transposed), types, target, stable)
    sizes = {"m": m} | ({"y": 1} if "y" in spec else {})
    types = TensorType(x(m, k), dtype), TensorType(w(k, n), dtype)
    graph, (tap,) = steps(convolution(end, spec, sizes), types, target, stable)
    assert isinstance(tap.plan, MatrixPlan)
    assert str(tap.plan) == str(product.plan)
    assert str(tap.ending) == str(product.ending)
    assert tap.addresses == product.addresses
    if target == "avx2" and not stable:
        rng = numpy.random.default_rng(0)
        inputs = [rng.integers(-3, 4, one.shape).astype(dtype) for one in types]
        found = compiled(graph, named_target(target)).run(inputs)[0]
        numpy.testing.assert_allclose(found, evaluate(graph, inputs)[0], rtol=1e-3, atol=1e-3)

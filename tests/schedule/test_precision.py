# SPDX-License-Identifier: Apache-2.0
"""The precision of a contraction: operands as they are stored, sums of another type, results that are not rounded."""

import numpy as np
import pytest
from ml_dtypes import bfloat16

import hybridize
from hybridize import autograd, ops
from hybridize.array.operands import operand, result
from hybridize.base.dtypes import float32, int32, int64
from hybridize.base.precision import Precision
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile
from hybridize.graph.text import parse
from hybridize.machine.target import named_target
from hybridize.ops import OPS
from hybridize.ops.evaluate import evaluate
from hybridize.passes import PIPELINE

RNG = np.random.default_rng(4)
SPECS = {
    "rows": ("ij,jk->ik", "ij", "jk"),
    "turned": ("ij,kj->ik", "ij", "kj"),
    "batch": ("bij,bjk->bik", "bij", "bjk"),
    "columns of x": ("ji,jk->ik", "ji", "jk"),
    "one matrix": ("bij,jk->bik", "bij", "jk"),
}
PAIRS = [
    ("int8", int32),
    ("int16", int32),
    ("int32", int64),
    ("uint8", int64),
    ("float16", float32),
    (bfloat16, float32),
]


def numbers(shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return RNG.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, endpoint=True, dtype=dtype)
    return RNG.standard_normal(shape).astype(dtype)


def product(spec, dtype, to, rows):
    """A graph of a contraction with a result of another type, and its inputs."""
    text, *letters = SPECS[spec]
    sizes = {"b": 3, "i": rows, "j": 70, "k": 50}
    inputs = [numbers([sizes[letter] for letter in word], dtype) for word in letters]
    types = [TensorType(one.shape, one.dtype) for one in inputs]
    return ops.make_graph(lambda x, w: [ops.contract(text, x, w, result=to)], types), inputs


def exact(spec, inputs, to):
    kind = to if to.kind in "iu" else np.dtype(np.float64)
    return np.einsum(SPECS[spec][0], *(one.astype(kind) for one in inputs))


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("dtype", "to"), PAIRS, ids=str)
def test_sums_are_of_the_wider_type(spec, dtype, to):
    for rows in (1, 40):
        graph, inputs = product(spec, dtype, to, rows)
        wanted = exact(spec, inputs, to)
        for stable in ((), (1,)):
            found = [compile(graph, stable=stable).run(inputs)[0], evaluate(graph, inputs)[0]]
            for one in found:
                assert one.dtype == to
                if to.kind in "iu":
                    np.testing.assert_array_equal(one, wanted)
                else:  # sums that were rounded to 8 or 11 bits would be off by 1 in 250
                    np.testing.assert_allclose(one, wanted, rtol=1e-4, atol=1e-4)


def test_the_plan_tells_the_precision_and_keeps_weights_as_they_are():
    for dtype, to in PAIRS:
        graph, _ = product("rows", dtype, to, 5)
        schedule = scheduled(PIPELINE.run(graph), named_target("avx512"), stable=(1,))
        if np.dtype(dtype) == np.int16:
            continue  # pairs of them are multiplied at once
        assert f"{Precision(np.dtype(dtype), to, to)} batch" in str(schedule)
        (packed,) = (one for one in schedule.constants if hasattr(one, "steps"))
        assert packed.type.dtype == dtype


def test_precision_is_in_the_text_of_graphs_and_in_their_keys():
    graph, inputs = product("rows", bfloat16, float32, 5)
    rounded, _ = product("rows", bfloat16, None, 5)
    again = parse(str(graph), OPS)
    assert again == graph
    assert graph.fingerprint != rounded.fingerprint
    np.testing.assert_array_equal(compile(again).run(inputs)[0], compile(graph).run(inputs)[0])
    assert not np.array_equal(compile(graph).run(inputs)[0], compile(rounded).run(inputs)[0].astype("f4"))


@pytest.mark.parametrize("dtype", ["float16", bfloat16], ids=str)
def test_gradients_are_rounded_as_the_operands_are(dtype):
    x, w = (hybridize.np.array(numbers(shape, dtype)) for shape in ((5, 70), (70, 50)))
    g = RNG.standard_normal((5, 50)).astype("f4")
    for one in (x, w):
        one.attach_grad()

    def loss(x, w):
        return result(ops.contract("ij,jk->ik", operand(x), operand(w), result=float32)) * hybridize.np.array(g)

    for function in (loss, hybridize.hybridize(loss)):
        with autograd.record():
            y = function(x, w)
        y.backward()
        wanted = [g.astype("f8") @ w.asnumpy().astype("f8").T, x.asnumpy().astype("f8").T @ g]
        for one, exact in zip((x, w), wanted, strict=True):
            assert one.grad.dtype == dtype
            near = 2.0 ** (-8 if np.dtype(dtype) == bfloat16 else -11)
            np.testing.assert_allclose(one.grad.asnumpy().astype("f8"), exact, rtol=near, atol=1e-3)

"""Folds of several accumulators, and several folds in one loop: machine code against NumPy and the kernels' meaning."""

import ctypes

import ml_dtypes
import numpy
import pytest

from hybridize import ops
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, named_target
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.passes.inline import Inline

TARGETS = ["avx512", "avx2", "baseline"]
DTYPES = ["?", "i1", "u1", "i2", "i4", "u8", "i8", "f2", "bfloat16", "f4", "f8"]


def dtype_of(name):
    return numpy.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def compiled(function, types, target="avx512"):
    """Return a call of a graph's machine code for a target that this machine has."""
    graph, target = Inline()(ops.make_graph(function, types)), named_target(target)
    built = build(graph, target)
    loaded = compile_module(built.module.text(), target)

    def call(*inputs):
        scratch = numpy.empty(built.plan.scratch_bytes + 64, numpy.uint8)
        at = -(-scratch.ctypes.data // 64) * 64
        results = [numpy.empty(value.type.shape, value.type.dtype) for value in graph.outputs]
        arrays = [numpy.ascontiguousarray(x) for x in inputs] + list(built.constants)
        pointers = [(ctypes.c_void_p * max(1, len(p)))(*(x.ctypes.data for x in p)) for p in (arrays, results)]
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        kind(loaded.address("program"))(*map(ctypes.addressof, pointers), at)
        return results

    return call


def kernels(function, types, target="avx512"):
    """Return the texts of the kernels of a graph."""
    made = scheduled(Inline()(ops.make_graph(function, types)), named_target(target))
    return [str(step.kernel) for step in made.steps]


def few_values(shape, dtype, seed=0):
    """Many equals, and for floats NaN, infinities and zeros of both signs."""
    rng = numpy.random.default_rng(seed)
    x = rng.integers(0, 2 if dtype.kind == "b" else 4, shape).astype(dtype)
    if dtype.kind in "fV":
        odd = numpy.array([numpy.nan, numpy.inf, -numpy.inf, -0.0, 0.0, -1.0]).astype(dtype)
        x = numpy.where(rng.random(shape) < 0.05, rng.choice(odd, shape), x).astype(dtype)
    return x


def comparable(x):
    return x.astype("f4") if x.dtype.itemsize == 2 and x.dtype.kind in "fV" else x


# The most extreme number's position


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_first_of_equals_is_found_along_every_axis(dtype, target):
    dtype = dtype_of(dtype)
    for shape in [(3, 130), (130, 3), (2, 9, 21), (4, 1), (0, 3)]:
        for axis in range(len(shape)):
            if not shape[axis]:
                continue
            found = compiled(
                lambda x, axis=axis: [ops.arg_max(x, axis), ops.arg_min(x, axis)], [TensorType(shape, dtype)], target
            )
            for seed in range(3):
                x = few_values(shape, dtype, seed)
                most, least = found(x)
                numpy.testing.assert_array_equal(most, numpy.argmax(comparable(x), axis))
                numpy.testing.assert_array_equal(least, numpy.argmin(comparable(x), axis))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i1", "u8", "?"])
def test_an_extreme_is_found_wherever_it_stands(dtype, target):
    """At each position, alone and with an equal one after it; and rows of nothing but the worst there is."""
    dtype, n = numpy.dtype(dtype), 75
    limits = (False, True) if dtype.kind == "b" else (-numpy.inf, numpy.inf)
    if dtype.kind in "iu":
        limits = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
    for op, reference, (worst, best) in (
        (ops.arg_max, numpy.argmax, limits),
        (ops.arg_min, numpy.argmin, limits[::-1]),
    ):
        rows = numpy.full((2 * n + 2, n), worst, dtype)
        for k in range(n):
            rows[k, k] = best
            rows[n + k, [k, n - 1]] = numpy.nan if dtype.kind == "f" else best
        rows[-1] = best
        for axis, x in ((1, rows), (0, rows.T)):
            (found,) = compiled(lambda x, op=op, axis=axis: [op(x, axis)], [TensorType(x.shape, dtype)], target)(x)
            numpy.testing.assert_array_equal(found, reference(comparable(x), axis))


@pytest.mark.parametrize("target", TARGETS)
def test_positions_in_panels_and_of_expressions(target):
    """Columns that are folded in panels; elements that are computed on the way; positions that are indices."""
    rng = numpy.random.default_rng(1)
    x = rng.integers(0, 50, (700, 1003)).astype("f4")
    x[rng.random(x.shape) < 1e-4] = numpy.nan
    (found,) = compiled(lambda x: [ops.arg_min(x, 0)], [TensorType(x.shape, x.dtype)], target)(x)
    numpy.testing.assert_array_equal(found, numpy.argmin(x, 0))
    x = rng.normal(size=(17, 45)).astype("f4")
    (found,) = compiled(lambda x: [ops.arg_max(ops.abs(x), 1)], [TensorType(x.shape, x.dtype)], target)(x)
    numpy.testing.assert_array_equal(found, numpy.argmax(numpy.abs(x), 1))


def test_the_position_of_an_expression_is_one_pass_without_an_array_between():
    (text,) = kernels(lambda x: [ops.arg_max(ops.abs(x), 1)], [TensorType((9, 100), numpy.dtype("f4"))])
    assert "arg_max(v0 < 100 in 64, masked 64" in text and text.count("once:") == 1 and "b2" not in text

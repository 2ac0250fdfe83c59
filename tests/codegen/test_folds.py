"""Folds of several accumulators, and several folds in one loop: machine code against NumPy and the kernels' meaning."""

import ctypes
import functools
import re

import ml_dtypes
import numpy
import pytest

from hybridize import hybridize, np, npx, ops
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, named_target
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.ops import composites
from hybridize.passes.inline import Inline
from hybridize.schedule import thresholds

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


# Several folds in one loop


def mean_of(axis):
    return lambda x: composites.mean(x, (axis,))


def squares(axis):
    return lambda x: ops.sum(ops.mul(x, x), (axis,))


def reductions(axis):
    """Folds of which each may run in one loop with the others, by name."""
    return {
        "sum": lambda x: ops.sum(x, (axis,)),
        "squares": squares(axis),
        "max": lambda x: ops.reduce_max(x, (axis,)),
        "min": lambda x: ops.reduce_min(x, (axis,)),
        "arg": lambda x: ops.arg_max(x, axis),
        "mean": mean_of(axis),
    }


TOGETHER = [("sum", "squares"), ("min", "max", "arg"), ("mean", "max")]


def bits(x):
    """The bits of an array, NaNs alike."""
    x = x.astype("f4") if x.dtype.itemsize == 2 else x
    return numpy.where(x == x, x, 0).tobytes(), (x != x).tobytes()


@functools.cache
def alone(name, axis, kind, target):
    return compiled(lambda x: [reductions(axis)[name](x)], [kind], target)


@pytest.mark.parametrize("target", ["avx512", "avx2"])
@pytest.mark.parametrize("dtype", ["f4", "bfloat16", "i4"])
@pytest.mark.parametrize("names", TOGETHER, ids="-".join)
def test_folds_in_one_loop_keep_their_bits(names, dtype, target):
    dtype = dtype_of(dtype)
    if dtype.kind in "iu" and "mean" in names:
        return
    for shape, axis in [((9, 100), 1), ((100, 40), 0), ((3, 70, 5), 1), ((3, 5000), 1), ((600, 1003), 0)]:
        some, kind = reductions(axis), TensorType(shape, dtype)
        x = few_values(shape, dtype, sum(shape))
        if dtype.kind == "f":
            x += numpy.random.default_rng(0).normal(size=shape).astype(dtype)
        together = compiled(lambda x, some=some: [some[name](x) for name in names], [kind], target)(x)
        for name, found in zip(names, together, strict=True):
            (wanted,) = alone(name, axis, kind, target)(x)
            assert bits(found) == bits(wanted), (shape, axis, name)


def loops_of(function, *shape, target="avx512"):
    """How many kernels a graph has, and how many loops over the elements of a row its folds are."""
    texts = kernels(function, [TensorType(shape, numpy.dtype("f4"))], target)
    return len(texts), sum(len(set(re.findall(r"\((v\d+) < \d+", text))) for text in texts)


def test_folds_of_the_same_elements_are_one_loop():
    def both(axes):
        return lambda x: [ops.sum(x, axes), ops.sum(ops.mul(x, x), axes)]

    def needed(x):
        """The second needs the first."""
        m, n = ops.type_of(x).shape
        mean = ops.broadcast(ops.reshape(composites.mean(x, (1,)), (m, 1)), (m, n))
        return [ops.sum(ops.abs(ops.sub(x, mean)), (1,))]

    assert loops_of(both((1,)), 9, 100) == (1, 1)
    assert loops_of(both((0,)), 9, 100) == (1, 1)
    assert loops_of(both((0,)), 3000, 1000) == (1, 1)
    assert loops_of(both((0, 2)), 9, 20, 30)[0] == 1
    assert loops_of(needed, 9, 100) == (1, 2)
    assert loops_of(lambda x: [ops.sum(x, (0,)), ops.sum(x, (1,))], 64, 64) == (2, 2)
    assert loops_of(lambda x: [ops.sum(x, (1,)), ops.sum(ops.slice(x, (0, 0), (9, 50), (1, 1)), (1,))], 9, 100)[1] == 2
    # In vectors of other widths, sums have other bits.
    assert loops_of(lambda x: [ops.sum(x, (1,)), ops.sum(ops.tan(x), (1,))], 9, 100, target="avx2")[1] == 2


def test_a_fold_that_its_neighbour_needs_through_a_product_stays_apart():
    """sum(x w) needs w, which is made of sum(x): one kernel for both would need itself."""

    def graph(x, w):
        total = ops.reshape(ops.sum(x, (1,)), (1, 9))
        scale = ops.reshape(ops.matmul(total, w), (9, 1))
        return [ops.sum(x, (1,)), ops.sum(ops.mul(x, ops.broadcast(scale, (9, 100))), (1,)), scale]

    types = [TensorType((9, 100), numpy.dtype("f4")), TensorType((9, 9), numpy.dtype("f4"))]
    rng = numpy.random.default_rng(0)
    x, w = (rng.normal(size=kind.shape).astype("f4") for kind in types)
    found = compiled(graph, types)(x, w)
    scale = (x.sum(1)[None] @ w).reshape(9, 1)
    for one, wanted in zip(found, (x.sum(1), (x * scale).sum(1), scale), strict=True):
        numpy.testing.assert_allclose(one, wanted, rtol=1e-4, atol=1e-4)


# The largest and the sum of exponentials in one pass


def exponentials(axis):
    def graph(x):
        m = ops.reduce_max(x, (axis,))
        apart = ops.sub(x, ops.spread(m, ops.type_of(x).shape, (axis,)))
        total = ops.sum(ops.exp(apart), (axis,))
        return [composites.softmax(x, axis), composites.log_softmax(x, axis), ops.add(ops.log(total), m), m]

    return graph


def long_rows(n, dtype):
    """Rows that grow, fall, and hold infinities and NaN, in front, at the end and between."""
    rng = numpy.random.default_rng(n)
    rows = [rng.normal(size=n) * 10, numpy.linspace(-50, 50, n), numpy.linspace(50, -50, n), numpy.zeros(n)]
    rows += [numpy.full(n, -numpy.inf), numpy.linspace(0, 0.01, n), rng.normal(size=n) * 1000]
    for at, value in ((0, -numpy.inf), (n - 1, numpy.inf), (n // 2, numpy.nan), (0, numpy.inf), (n - 1, -numpy.inf)):
        row = rng.normal(size=n)
        row[::3] = -numpy.inf
        row[at] = value
        rows.append(row)
    last = numpy.full(n, -numpy.inf)
    last[-1] = 3
    return numpy.array([*rows, last]).astype(dtype)


def softmax_by_numpy(x, axis):
    with numpy.errstate(all="ignore"):
        wide = x.astype(numpy.longdouble)
        m = wide.max(axis, keepdims=True)
        e = numpy.exp(wide - m)
        total = e.sum(axis, keepdims=True)
        logs = numpy.log(total)
        return e / total, wide - m - logs, (logs + m).squeeze(axis), m.squeeze(axis)


@pytest.mark.parametrize(("target", "dtype"), [("avx512", "f4"), ("avx512", "f2"), ("avx2", "f8"), ("baseline", "f4")])
@pytest.mark.parametrize("axis", [0, 1])
def test_long_rows_are_one_pass_and_mean_what_two_passes_do(axis, dtype, target):
    n = (140_003 if dtype == "f2" else 70_003) if axis else 35_001 if dtype == "f2" else 17_003
    x = long_rows(n, dtype) if axis else numpy.ascontiguousarray(long_rows(n, dtype).T)
    kind = TensorType(x.shape, x.dtype)

    def graph(x):
        results = exponentials(axis)(x)
        return results[:2] if dtype == "f2" else results  # the sum of so many does not fit 16 bits

    assert "max_exp(" in kernels(graph, [kind], target)[0]
    for found, wanted in zip(compiled(graph, [kind], target)(x), softmax_by_numpy(x, axis), strict=False):
        numpy.testing.assert_array_equal(numpy.isnan(found), numpy.isnan(wanted))
        eps = 1e-2 if dtype == "f2" else 1000 * numpy.finfo(dtype).eps
        numpy.testing.assert_allclose(found.astype("f8"), wanted.astype("f8"), rtol=eps, atol=eps * 50)


def test_sums_in_one_pass_are_as_accurate_as_others_but_for_a_few_ulp():
    """Also where the maximum grows at each step: each time it does, the sum is rounded once more."""
    for dtype in ("f4", "f8"):
        x = long_rows(100_003, dtype)[[0, 1, 2, 3, 5]]
        kind = TensorType(x.shape, x.dtype)

        def graph(x):
            apart = ops.sub(x, ops.spread(ops.reduce_max(x, (1,)), ops.type_of(x).shape, (1,)))
            return [ops.sum(ops.exp(apart), (1,))]

        wide = x.astype(numpy.longdouble)
        wanted = numpy.exp(wide - wide.max(1, keepdims=True)).sum(1)
        (found,) = compiled(graph, [kind])(x)
        assert (abs(found / wanted - 1) <= 8 * numpy.finfo(dtype).eps).all()


def test_rows_that_stay_near_are_read_twice_as_before():
    for n, texts in ((65536, 0), (65537, 1)):  # a quarter of the second cache
        (text,) = kernels(lambda x: [composites.log_softmax(x, 1)], [TensorType((3, n), numpy.dtype("f4"))])
        assert text.count("max_exp(") == texts
        assert loops_of(lambda x: [composites.log_softmax(x, 1)], 3, n) == (1, 2 - texts)


def test_a_long_row_of_softmax_is_stored_once():
    (text,) = kernels(lambda x: [composites.softmax(x, 1)], [TensorType((3, 70000), numpy.dtype("f4"))])
    assert "b2" not in text and text.count("for i1") == 1


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_rows_of_unknown_size_are_one_pass_where_they_are_long(name, monkeypatch):
    """By the size of the call that the program is made for; it serves short rows as well."""
    monkeypatch.setattr(thresholds, "ROW_SHARE", 1 << 30)  # the second cache of this machine
    f = hybridize(getattr(npx, name))
    for n in (20000, 17001, 5, 2, 64, 333):
        x = long_rows(max(n, 20), "f4")[:, :n]
        wanted = softmax_by_numpy(x, 1)[name == "log_softmax"]
        numpy.testing.assert_allclose(f(np.array(x)).asnumpy(), wanted.astype("f4"), rtol=1e-4, atol=1e-4)
    assert "max_exp(" in f.program(np.array(x)).schedule()


@pytest.mark.parametrize("axis", [0, 1, None])
def test_positions_along_axes_of_unknown_size(axis):
    f = hybridize(lambda x: (np.argmax(x, axis), np.argmin(x * 2, axis)))
    for shape in [(3, 4), (5, 9), (40, 70), (70, 40), (2, 300), (300, 2), (1, 5), (5, 1), (1, 1)]:
        x = few_values(shape, numpy.dtype("f4"), sum(shape))
        for found, wanted in zip(f(np.array(x)), (numpy.argmax(x, axis), numpy.argmin(x, axis)), strict=True):
            numpy.testing.assert_array_equal(found.asnumpy(), wanted)

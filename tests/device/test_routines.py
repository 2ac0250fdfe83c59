"""Routines on a device, beside NumPy and the CPU: lines that a block sorts, long columns, scatters, units of threads."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from hybridize import ops
from hybridize.base.dtypes import bfloat16, bool_, float16, float32, float64, int8, int32, int64, uint8
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.ops.elimination import LU, solve_triangular
from hybridize.ops.factors import QR, SVD, Cholesky, Eigh
from tests.device.programs import SM_80, Run, graph_of, on_cpu, on_device
from tests.schedule.goldens import f32, unknown

KINDS = [float32, float64, float16, bfloat16, int8, uint8, int32, int64, bool_]


def drawn(shape, dtype, seed=0) -> np.ndarray:
    """Numbers of which many are equal; floats with NaN, infinities and both zeros."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-9, 9, shape)
    if dtype == bool_:
        return x > 0
    if dtype.kind in "iu":
        return x.astype(dtype)
    x = x.astype(float64) / 4
    special = rng.random(shape)
    for bound, value in ((0.02, np.nan), (0.04, np.inf), (0.06, -np.inf), (0.1, -0.0)):
        x[(special < bound) & (special >= bound - 0.02)] = value
    return x.astype(dtype)


def parts(graph) -> list[list[str]]:
    """What the kernels of each routine do."""
    steps = build_kernels(graph, SM_80).schedule.steps
    return [[kernel.part for kernel in step.kernels] for step in steps if hasattr(step, "kernels")]


def same_bits(function, *arrays, sums=False) -> list[np.ndarray]:
    graph = graph_of(function, *[TensorType(x.shape, x.dtype) for x in arrays])
    found, expected = on_device(graph, arrays), on_cpu(graph, arrays)
    for one, other in zip(found, expected, strict=True):
        if sums:
            np.testing.assert_allclose(one.astype(float64), other.astype(float64), rtol=1e-5, atol=1e-5)
        else:
            if one.dtype.kind not in "biu":
                one, other = one.astype(float64), other.astype(float64)
                numbers = ~np.isnan(other)
                np.testing.assert_array_equal(np.signbit(one[numbers]), np.signbit(other[numbers]))
            np.testing.assert_array_equal(one, other)  # of NaN any bits are right
    return found


# Sorting


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_a_block_sorts_a_line(dtype):
    x = drawn((2, 75), dtype)
    graph = graph_of(lambda x: [ops.sort(x, 1), ops.arg_sort(x, 1, True)], TensorType(x.shape, dtype))
    assert parts(graph) == [["sort"], ["sort"]]
    found, order = same_bits(lambda x: [ops.sort(x, 1), ops.arg_sort(x, 1, True)], x)
    if dtype != bfloat16:
        np.testing.assert_array_equal(found, np.sort(x, 1))
        back = np.flip(np.argsort(np.flip(x, 1), axis=1, kind="stable"), 1)
        np.testing.assert_array_equal(order, 74 - back)


@settings(max_examples=6)
@given(st.integers(33, 300), st.booleans(), st.integers(0, 1 << 30))
def test_lines_of_any_length(n, descending, seed):
    x = drawn((n, 2), float32, seed)
    (order,) = same_bits(lambda x: [ops.arg_sort(x, 0, descending)], x)
    assert np.array_equal(np.sort(order, 0), np.stack([np.arange(n)] * 2, 1))


def test_long_lines_lie_in_scratch():
    x = np.random.default_rng(0).standard_normal(2500).astype(float32)
    graph = graph_of(lambda x: [ops.arg_sort(x, 0)], f32(2500))
    (step,) = build_kernels(graph, SM_80).schedule.steps
    assert step.scratch.offsets
    assert not step.kernels[0].launch.shared_bytes
    (found,) = on_device(graph, [x])
    np.testing.assert_array_equal(found, np.argsort(x, kind="stable"))


def test_lines_of_a_length_that_a_call_knows():
    program = build_kernels(graph_of(lambda x: [ops.arg_sort(x, 0), ops.cum_max(x, 0)], f32(unknown())), SM_80)
    text = program.ptx()
    for size in (1, 70):
        x = drawn((size,), float32, size)
        order, greatest = Run(program, [x], {"n0": size}, text).outputs()
        np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
        np.testing.assert_array_equal(greatest, np.maximum.accumulate(x))


def test_short_lines_are_units_of_threads():
    x = drawn((40, 9), float32)
    assert parts(graph_of(lambda x: [ops.sort(x, 1)], f32(40, 9))) == [["units"]]
    same_bits(lambda x: [ops.sort(x, 1)], x)


# Running totals


@pytest.mark.parametrize("dtype", [int32, uint8, int64, float32, float16], ids=str)
@pytest.mark.parametrize("op", [ops.cum_sum, ops.cum_prod, ops.cum_max], ids=lambda one: one.__name__)
def test_long_columns_are_of_a_block_each(op, dtype):
    x = drawn((2, 600), dtype)
    if op is not ops.cum_max and dtype.kind == "f":
        x = (np.abs(np.nan_to_num(x, posinf=1, neginf=1)) * 0.01 + (op is ops.cum_prod)).astype(dtype)
    graph = graph_of(lambda x: [op(x, 1)], TensorType(x.shape, dtype))
    assert parts(graph) == [["prefixes"]]
    if dtype.kind == "f" and op is not ops.cum_max:
        found, expected = on_device(graph, [x]), on_cpu(graph, [x])
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-5 if dtype == float32 else 2e-3)
    else:
        same_bits(lambda x: [op(x, 1)], x)


def test_many_columns_are_of_a_thread_each():
    x = drawn((600, 5000), int32)
    assert parts(graph_of(lambda x: [ops.cum_sum(x, 0)], TensorType(x.shape, int32))) == [["units"]]
    short = np.random.default_rng(0).standard_normal((40, 30)).astype(float32)
    same_bits(lambda x: [ops.cum_sum(x, 0)], short)


# Scatters


@settings(max_examples=6)
@given(
    st.sampled_from(["add", "set"]), st.sampled_from([float32, float16, int32]), st.integers(1, 70),
    st.integers(1, 5), st.integers(0, 1 << 30),
)  # fmt: skip
def test_rows_take_what_is_theirs_in_order(mode, dtype, tuples, row, seed):
    rng = np.random.default_rng(seed)
    base, part = drawn((4, 3, row), dtype, seed), drawn((tuples, row), dtype, seed + 1)
    where = rng.integers(-1, 4, (tuples, 2))
    same_bits(lambda base, where, part: [ops.scatter_nd(base, where, part, mode)], base, where, part)


def test_the_gradient_of_an_embedding():
    table, which = np.zeros((9, 20), float32), np.random.default_rng(0).integers(0, 9, 60)
    rows = np.random.default_rng(1).standard_normal((60, 20)).astype(float32)
    (found,) = same_bits(lambda t, w, g: [ops.scatter_nd(t, ops.reshape(w, (60, 1)), g, "add")], table, which, rows)
    np.add.at(table, which, rows)
    np.testing.assert_allclose(found, table, rtol=1e-5, atol=1e-6)


def test_scatters_into_what_was_made_write_over_it():
    def squares(x, where, part):
        return [ops.scatter_nd(ops.mul(x, x), where, part, "add")]

    rng = np.random.default_rng(0)
    part = rng.standard_normal((50, 3)).astype(float32)
    same_bits(squares, rng.standard_normal((7, 3)).astype(float32), rng.integers(0, 7, (50, 1)), part)


# Units


@pytest.mark.parametrize("dtype", [float32, pytest.param(float64, marks=pytest.mark.long)], ids=str)
def test_factors_of_a_stack_of_matrices(dtype):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 7, 7))
    x = (x @ x.swapaxes(1, 2) + 7 * np.eye(7)).astype(dtype)
    b = rng.standard_normal((2, 7, 3)).astype(dtype)
    same_bits(lambda x: list(ops.bind(Cholesky(False), x)), x)
    same_bits(lambda x: list(ops.bind(LU(), x)), x)
    (found,) = same_bits(lambda x, b: [solve_triangular(x, b, lower=True)], x, b)
    np.testing.assert_allclose(np.tril(x) @ found, b, rtol=1e-3, atol=1e-4)


@pytest.mark.long
@pytest.mark.parametrize("shape", [(1, 4, 6), (2, 6, 4)], ids=str)
def test_orthogonal_factors(shape):
    x = np.random.default_rng(0).standard_normal(shape).astype(float64)
    q, r = same_bits(lambda x: list(ops.bind(QR("reduced"), x)), x, sums=True)
    np.testing.assert_allclose(q @ r, x, atol=1e-12)
    u, s, v = same_bits(lambda x: list(ops.bind(SVD(False), x)), x, sums=True)
    k = s.shape[-1]
    np.testing.assert_allclose(u[..., :k] * s[:, None] @ v[..., :k, :], x, atol=1e-12)


@pytest.mark.long
def test_eigenvalues():
    x = np.random.default_rng(0).standard_normal((2, 6, 6)).astype(float64)
    x = x + x.swapaxes(1, 2)
    values, vectors = same_bits(lambda x: list(ops.bind(Eigh(False), x)), x, sums=True)
    np.testing.assert_allclose(x @ vectors, vectors * values[:, None], atol=1e-11)


def test_gamma_numbers_are_those_of_the_cpu():
    key, shapes = np.array([3, 5], np.uint64), np.linspace(1, 30, 100).astype(float32)
    same_bits(lambda key, shapes: [ops.standard_gamma(key, shapes)], key, shapes)


def test_a_step_says_that_one_thread_does_all():
    for count, words in ((1, "one of them does all of it"), (70, "units of 70, a thread each")):
        graph = graph_of(lambda x: list(ops.bind(LU(), x)), f32(count, 5, 5))
        (routine,) = (one for one in build_kernels(graph, SM_80).schedule.steps if one.kind == "routine")
        assert words in str(routine)


def test_matrices_without_elements_have_other_results():
    nothing = np.zeros((2, 0, 0), float32)
    _, _, sign = same_bits(lambda x: list(ops.bind(LU(), x)), nothing)
    np.testing.assert_array_equal(sign, [1, 1])
    q, _ = same_bits(lambda x: list(ops.bind(QR(True), x)), np.zeros((3, 0), float32))
    np.testing.assert_array_equal(q, np.eye(3))

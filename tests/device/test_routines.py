"""Routines on a device, beside NumPy and the CPU: lines that a block sorts, long columns, scatters, units of threads."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from hybridize import ops
from hybridize.base.dtypes import bfloat16, bool_, float16, float32, float64, int8, int32, int64, uint8
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.ops.elimination import LU, solve_triangular
from hybridize.ops.factors import QR, SVD, Cholesky, Eigh
from hybridize.schedule.device import sorts, thresholds
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
    for size in (1, 70):
        x = drawn((size,), float32, size)
        order, greatest = Run(program, [x], {"n0": size}).outputs()
        np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
        np.testing.assert_array_equal(greatest, np.maximum.accumulate(x))


@pytest.fixture
def short_runs(monkeypatch):
    """Lines of more than 64 elements are sorted by runs of 32, columns are cut into parts of 256 elements."""
    monkeypatch.setattr(thresholds, "LONG_LINE", 64)
    monkeypatch.setattr(thresholds, "PART_TERMS", 256)
    monkeypatch.setattr(sorts, "run_length", lambda *of: 32)


@pytest.mark.long
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(st.sampled_from([65, 96, 97, 127, 128, 129, 256, 257]), st.integers(65, 400)), st.sampled_from(KINDS),
    st.booleans(), st.integers(1, 2), st.integers(0, 1 << 30),
)  # fmt: skip
def test_blocks_merge_runs(short_runs, n, dtype, descending, lines, seed):
    x = drawn((lines, n, 2), dtype, seed)
    function = lambda x: [ops.arg_sort(x, 1, descending), ops.sort(x, 1, descending)]  # noqa: E731
    runs = [["runs", "merge", "finish"]] * 2
    assert parts(graph_of(function, TensorType(x.shape, dtype))) == runs
    order, _ = same_bits(function, x)
    if dtype != bfloat16 and not descending:
        np.testing.assert_array_equal(order, np.argsort(x, 1, kind="stable"))


@pytest.mark.parametrize("n", [4096, 4097, pytest.param(70_000, marks=pytest.mark.long)])
def test_lines_longer_than_a_block_sorts(n):
    x = drawn((n,), float32, n)
    function = lambda x: [ops.arg_sort(x, 0)]  # noqa: E731
    assert parts(graph_of(function, f32(n))) == [["runs", "merge", "finish"] if n > 4096 else ["sort"]]
    (order,) = same_bits(function, x)
    np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))


def test_the_largest_few_of_a_long_line(short_runs):
    x = drawn((300,), float32)
    order, values = same_bits(lambda x: [ops.arg_sort(x, 0, True), ops.sort(x, 0, True)], x)
    np.testing.assert_array_equal(values[-7:], np.sort(x)[:7][::-1])
    np.testing.assert_array_equal(x[order], values)


def test_launches_that_merge_nothing_are_left_out(short_runs):
    program = build_kernels(graph_of(lambda x: [ops.arg_sort(x, 0), ops.cum_sum(x, 0)], f32(unknown())), SM_80)
    for size in (1, 32, 33, 64, 65, 700):
        x = np.random.default_rng(size).standard_normal(size).astype(float32)
        blocks = [[one.blocks for one in step.launches] for step in program.plan.at({"n0": size}).steps]
        runs, terms = -(-size // 32), -(-size // 256)
        rounds = math.ceil(math.log2(runs))
        assert [one for one in blocks[0] if one] == [runs] * (1 + rounds) + [-(-size // 32)]
        assert blocks[1] == [terms - 1, min(1, terms - 1), terms]
        order, totals = Run(program, [x], {"n0": size}).outputs()
        np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
        if size > thresholds.LONG_FOLD:  # as where the length is known
            np.testing.assert_array_equal(totals, on_device(graph_of(lambda x: [ops.cum_sum(x, 0)], f32(size)), [x])[0])
        np.testing.assert_allclose(totals, np.cumsum(x), rtol=1e-4, atol=1e-4)


LONG = {
    "sort": (lambda x: [ops.sort(x, 0)], f32(1_000_000)),
    "running totals": (lambda x: [ops.cum_sum(x, 0)], f32(1_000_000)),
    "the gradient of an embedding": (
        lambda base, where, part: [ops.scatter_nd(base, where, part, "add")],
        f32(1000, 64), TensorType((1_000_000, 1), int64), f32(1_000_000, 64),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_one_long_line_is_the_work_of_many_blocks(name):
    function, *types = LONG[name]
    (step,) = build_kernels(graph_of(function, *types), SM_80).plan.steps
    few = [one for one in step.launches if one.blocks < 200]
    # Totals of parts are few.
    assert len(few) == (name == "running totals"), few


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


@pytest.mark.long
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(st.sampled_from([513, 767, 768, 769, 1024, 1025]), st.integers(513, 1500)),
    st.sampled_from([int32, uint8, float32, float16]), st.sampled_from([ops.cum_sum, ops.cum_prod, ops.cum_max]),
    st.integers(1, 2), st.integers(0, 1 << 30),
)  # fmt: skip
def test_blocks_add_up_parts(short_runs, n, dtype, op, inner, seed):
    x = drawn((2, n, inner), dtype, seed)
    kinds = ["totals", "prefixes"] if n <= 512 else ["totals", "offsets", "prefixes"]
    assert parts(graph_of(lambda x: [op(x, 1)], TensorType(x.shape, dtype))) == [kinds]
    if dtype.kind == "f" and op is not ops.cum_max:
        # Sums and products of these are exact.
        x = np.random.default_rng(seed).choice([-1, 1], x.shape).astype(dtype)
    same_bits(lambda x: [op(x, 1)], x)


def test_the_first_of_equals_is_the_largest_so_far(short_runs):
    """Zeros of both signs are equal, and no number is beyond NaN: the order of elements decides."""
    x = np.where(np.arange(1200) % 3 == 1, -0.0, 0.0).astype(float32)
    x[0] = -0.0
    same_bits(lambda x: [ops.cum_max(x, 0)], x)
    x[700] = np.nan
    same_bits(lambda x: [ops.cum_max(x, 0)], x)


@pytest.mark.long
def test_one_column_of_a_million():
    x = np.random.default_rng(0).integers(-1000, 1000, 1_000_000).astype(int32)
    (found,) = same_bits(lambda x: [ops.cum_sum(x, 0)], x)
    np.testing.assert_array_equal(found, np.cumsum(x, dtype=int32))


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


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["add", "set"]), st.integers(65, 300), st.integers(1, 3), st.integers(0, 1 << 30))
def test_tuples_are_sorted_by_many_blocks(short_runs, mode, tuples, row, seed):
    rng = np.random.default_rng(seed)
    base, part = drawn((5, 4, row), float32, seed), drawn((tuples, row), float32, seed + 1)
    where = rng.integers(0, 4, (tuples, 2))
    function = lambda base, where, part: [ops.scatter_nd(base, where, part, mode)]  # noqa: E731
    graph = graph_of(function, f32(5, 4, row), TensorType(where.shape, int64), f32(tuples, row))
    assert parts(graph) == [["copy", "runs", "merge", "scatter"]]
    same_bits(function, base, where, part)


def test_tuples_of_any_number(short_runs):
    n = unknown()
    types = f32(9, 3), TensorType((n, 1), int64), f32(n, 3)
    program = build_kernels(graph_of(lambda *of: [ops.scatter_nd(*of, "add")], *types), SM_80)
    for size in (1, 33, 100):
        rng = np.random.default_rng(size)
        inputs = [
            np.zeros((9, 3), float32),
            rng.integers(0, 9, (size, 1)),
            rng.integers(0, 9, (size, 3)).astype(float32),
        ]
        (found,) = Run(program, inputs, {"n0": size}).outputs()
        expected = inputs[0].copy()
        np.add.at(expected, inputs[1][:, 0], inputs[2])
        np.testing.assert_array_equal(found, expected)


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


# Matrices of a block


def positive(n: int, count: int, seed: int, dtype=float64) -> np.ndarray:
    x = np.random.default_rng(seed).standard_normal((count, n, n))
    return (x @ x.swapaxes(1, 2) + n * np.eye(n)).astype(dtype)


@pytest.mark.long
@settings(max_examples=15)
@given(st.sampled_from([32, 33, 63, 64, 65]), st.booleans(), st.integers(0, 1 << 30))
def test_a_block_has_cholesky_s_factor(n, upper, seed):
    x = positive(n, 2, seed)
    function = lambda x: list(ops.bind(Cholesky(upper, False), x))  # noqa: E731
    assert parts(graph_of(function, TensorType(x.shape, x.dtype))) == [["matrices"]]
    (found,) = same_bits(function, x)
    product = found.swapaxes(1, 2) @ found if upper else found @ found.swapaxes(1, 2)
    np.testing.assert_allclose(product, x, rtol=1e-9)


def test_a_matrix_without_cholesky_s_factor_is_infinite_throughout():
    x = positive(34, 2, 0)
    x[1, 20, 20] = -1
    (found,) = same_bits(lambda x: list(ops.bind(Cholesky(False, False), x)), x)
    assert np.isfinite(found[0]).all()
    assert (found[1] == -np.inf).all()


@pytest.mark.long
@settings(max_examples=15)
@given(st.integers(32, 40), st.booleans(), st.integers(0, 1 << 30))
def test_a_block_eliminates(n, few, seed):
    """Small whole numbers: many elements of a column are equally large, and some matrices are singular."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-2, 3, (2, n, n)).astype(float64) if few else rng.standard_normal((2, n, n))
    assert parts(graph_of(lambda x: list(ops.bind(LU(), x)), TensorType(x.shape, x.dtype))) == [["matrices"]]
    both, order, _ = same_bits(lambda x: list(ops.bind(LU(), x)), x)
    left, right = np.tril(both, -1) + np.eye(n), np.triu(both)
    np.testing.assert_allclose(left @ right, np.take_along_axis(x, order[..., None], 1), atol=1e-9)


def test_a_pivot_is_no_nan_but_on_the_diagonal():
    x = np.random.default_rng(0).integers(-2, 3, (4, 33, 33)).astype(float64)
    x[0, 5, 7], x[1, 0, 0], x[2] = np.nan, np.nan, 0
    assert parts(graph_of(lambda x: list(ops.bind(LU(), x)), TensorType(x.shape, float64))) == [["matrices"]]
    same_bits(lambda x: list(ops.bind(LU(), x)), x)


@settings(max_examples=4)
@given(
    st.sampled_from([32, 33, 65]), st.sampled_from([1, 2, 31, 32]), st.booleans(), st.booleans(), st.booleans(),
    st.integers(0, 1 << 30),
)  # fmt: skip
def test_blocks_solve_for_columns(n, columns, lower, unit, transposed, seed):
    ahead = lower != transposed
    t, b = positive(n, 2, seed) / n, np.random.default_rng(seed).standard_normal((2, n, columns))
    function = lambda t, b: [solve_triangular(t, b, lower=lower, unit=unit, transposed=transposed)]  # noqa: E731
    by_blocks = ahead or columns < 32
    graph = graph_of(function, TensorType(t.shape, float64), TensorType(b.shape, float64))
    assert parts(graph) == [["matrices" if by_blocks else "units"]]
    # A processor subtracts in this order from the first one on, and one column by vectors.
    in_order = (ahead or not by_blocks) and (columns > 1 or transposed)
    (found,) = same_bits(function, t, b, sums=not in_order)
    matrix = np.tril(t) if lower else np.triu(t)
    matrix = matrix - unit * (matrix * np.eye(n) - np.eye(n))
    np.testing.assert_allclose((matrix.swapaxes(1, 2) if transposed else matrix) @ found, b, rtol=1e-6, atol=1e-6)


@pytest.mark.long
def test_matrices_of_a_size_that_a_call_knows():
    n = unknown(hint=40)
    program = build_kernels(graph_of(lambda x: list(ops.bind(LU(), x)), TensorType((2, n, n), float64)), SM_80)
    assert [one.part for one in program.schedule.steps[0].kernels] == ["matrices"]
    for size in (2, 7, 33):
        x = np.random.default_rng(size).standard_normal((2, size, size))
        found = Run(program, [x], {"n0": size}).outputs()
        expected = on_cpu(graph_of(lambda x: list(ops.bind(LU(), x)), TensorType(x.shape, float64)), [x])
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


# Orthogonal factors, eigenvalues and singular values


@pytest.fixture
def small_blocks(monkeypatch):
    """Each matrix is the work of a block of two warps."""
    monkeypatch.setattr(thresholds, "BLOCK_ELEMENTS", 1)
    monkeypatch.setattr(thresholds, "SPECTRUM_THREADS", 64)


@pytest.fixture(params=[pytest.param("units", marks=pytest.mark.long), "spectra"])
def part(request) -> str:
    """Small matrices are the work of a thread each, or of a block each."""
    if request.param == "spectra":
        request.getfixturevalue("small_blocks")
    return request.param


def factorised(op, x: np.ndarray, part: str, **options) -> list[np.ndarray]:
    """The factors of matrices by threads or blocks, near the CPU's."""
    assert parts(graph_of(lambda x: list(ops.bind(op, x)), TensorType(x.shape, x.dtype))) == [[part]]
    return same_bits(lambda x: list(ops.bind(op, x)), x, **(options or {"sums": True}))


def is_orthonormal(x: np.ndarray) -> bool:
    """Tell whether columns are."""
    return np.allclose(x.swapaxes(-1, -2) @ x, np.eye(x.shape[-1]), atol=1e-12)


@pytest.mark.parametrize("shape", [(2, 7, 5), (5, 7), (1, 1)], ids=str)
@pytest.mark.parametrize("complete", [pytest.param(False, marks=pytest.mark.long), True])
def test_orthogonal_factors(part, shape, complete):
    x = np.random.default_rng(0).standard_normal(shape)
    q, r = factorised(QR(complete), x, part)
    assert is_orthonormal(q)
    assert (np.tril(r, -1) == 0).all()
    np.testing.assert_allclose(q @ r, x, atol=1e-12)


@pytest.mark.parametrize("upper", [False, pytest.param(True, marks=pytest.mark.long)])
def test_eigenvalues(part, upper):
    x = np.random.default_rng(0).standard_normal((2, 5, 5))
    values, vectors = factorised(Eigh(upper), x, part)
    half = np.triu(x, 1) if upper else np.tril(x, -1)
    x = half + half.swapaxes(1, 2) + x * np.eye(5)
    assert is_orthonormal(vectors)
    assert (np.diff(values) >= 0).all()
    np.testing.assert_allclose(x @ vectors, vectors * values[:, None], atol=1e-12)


def test_rotations_of_a_block_are_those_of_the_cpu(small_blocks):
    """Sums along lines of tridiagonal matrices have one term that is not 0."""
    rng = np.random.default_rng(0)
    beside = rng.standard_normal((2, 5, 1)) * np.eye(5, k=1)
    x = rng.standard_normal((2, 5, 1)) * np.eye(5) + beside + beside.swapaxes(1, 2)
    x[1, 2, 3] = x[1, 3, 2] = 0  # two parts, each with eigenvalues of its own
    factorised(Eigh(False), x, "spectra", sums=False)


@pytest.mark.parametrize(
    "shape", [(6, 4), *(pytest.param(x, marks=pytest.mark.long) for x in [(2, 4, 6), (1, 4)])], ids=str
)
@pytest.mark.parametrize("full", [pytest.param(False, marks=pytest.mark.long), True])
def test_singular_values(part, shape, full):
    x = np.random.default_rng(0).standard_normal(shape)
    u, s, v = factorised(SVD(full), x, part)
    k = s.shape[-1]
    assert is_orthonormal(u)
    assert is_orthonormal(v.swapaxes(-1, -2))
    assert (np.diff(s) <= 0).all()
    np.testing.assert_allclose(u[..., :k] * s[..., None, :] @ v[..., :k, :], x, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("rank", [0, 2])
def test_vectors_of_matrices_of_low_rank_are_orthonormal(small_blocks, rank):
    """They are not determined, so others than a processor's are right as well."""
    x = np.random.default_rng(rank).standard_normal((7, 4))
    x[:, rank:] = 0
    graph = graph_of(lambda x: list(ops.bind(SVD(True), x)), TensorType(x.shape, float64))
    u, s, v = on_device(graph, [x])
    assert is_orthonormal(u)
    assert is_orthonormal(v)
    assert (s[rank:] <= 1e-15).all()
    np.testing.assert_allclose(u[:, :4] * s @ v, x, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("op", [QR(False), Eigh(False), SVD(False)], ids=lambda op: type(op).__name__)
def test_what_is_no_number_stays_in_its_matrix(small_blocks, op):
    x = np.random.default_rng(0).standard_normal((3, 4, 4))
    x[1, 2, 1] = np.nan
    found = factorised(op, x, "spectra")
    assert np.isnan(np.concatenate([one[1].ravel() for one in found])).any()
    for one in found:
        assert np.isfinite(one[[0, 2]]).all()


@pytest.mark.long
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([QR(False), QR(True), Eigh(False), SVD(False), SVD(True)]), st.integers(1, 9), st.integers(1, 9),
    st.integers(-12, 12), st.integers(0, 1 << 30),
)  # fmt: skip
def test_spectra_of_any_matrices(small_blocks, op, m, n, power, seed):
    """Lines are of as many magnitudes as a float64 has digits."""
    rng = np.random.default_rng(seed)
    m = n if isinstance(op, Eigh) else m
    x = rng.standard_normal((m, n)) * 10.0 ** (power * rng.random((m, 1)))
    graph = graph_of(lambda x: list(ops.bind(op, x)), TensorType(x.shape, float64))
    assert parts(graph) == [["spectra"]]
    of_block, of_cpu = on_device(graph, [x]), on_cpu(graph, [x])
    match op:
        case QR():
            found, expected = (x.astype(float64) for x in (of_block[0] @ of_block[1], x))
            orthogonal = [of_block[0]]
        case Eigh():
            found, expected, orthogonal = of_block[0], of_cpu[0], [of_block[1]]
        case SVD():
            found, expected, orthogonal = of_block[1], of_cpu[1], [of_block[0], of_block[2].T]
    assert all(map(is_orthonormal, orthogonal))
    np.testing.assert_allclose(found, expected, atol=1e-13 * np.abs(x).max() * (m + n))


@pytest.mark.long
@pytest.mark.parametrize(
    ("op", "shape"), [(QR(False), (2, 16, 16)), (QR(False), (70, 20)), (Eigh(False), (16, 16)), (SVD(False), (90, 12))],
    ids=str,
)  # fmt: skip
def test_blocks_of_many_threads_have_a_matrix(op, shape):
    x = np.random.default_rng(0).standard_normal(shape)
    factorised(op, x, "spectra")


@pytest.mark.long
@pytest.mark.parametrize("op", [QR(False), SVD(False)], ids=lambda op: type(op).__name__)
def test_spectra_of_a_size_that_a_call_knows(small_blocks, op):
    """Sums are those of a program for one size."""
    program = build_kernels(graph_of(lambda x: list(ops.bind(op, x)), TensorType((unknown(), 4), float64)), SM_80)
    text = program.ptx()
    for size in (1, 4, 7):
        x = np.random.default_rng(size).standard_normal((size, 4))
        expected = on_device(graph_of(lambda x: list(ops.bind(op, x)), TensorType(x.shape, float64)), [x])
        for one, other in zip(Run(program, [x], {"n0": size}, text).outputs(), expected, strict=True):
            np.testing.assert_array_equal(one, other)


# Others


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

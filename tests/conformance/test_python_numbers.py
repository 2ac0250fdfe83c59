"""Python numbers, and NumPy's scalars, among the arguments: compiled they are what they are imperatively."""

import operator

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize.array import np
from hybridize.base.errors import AssertionFailed
from hybridize.capture import Function

UNARY = [operator.neg, operator.pos, abs]
BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, divmod,
]  # fmt: skip
FLOATS = [0.1, -0.1, 0.0, -0.0, 1e39, 16777217.0, 1e308, -1e-300, float("inf"), float("nan"), 2.0, -3.0, 0.5]
INTEGERS = [
    0, 1, -1, 7, 2**31, -(2**31) - 1, 2**53, 2**53 + 1, -(2**53), 2**62, 2**63 - 1, -(2**63), 2**63, 2**100, 62, -62,
]  # fmt: skip


def outcome(function, *args):
    """What a call gives, or the class of Python's error that it raises."""
    try:
        return function(*args)
    except (ArithmeticError, ValueError, TypeError) as error:
        return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")


def alike(found, expected):
    if isinstance(expected, tuple):
        return isinstance(found, tuple) and all(map(alike, found, expected))
    if isinstance(expected, float) and expected != expected:
        return type(found) is type(expected) and found != found
    return type(found) is type(expected) and found == expected and repr(found) == repr(expected)


@pytest.fixture(scope="module", params=["numpy", "llvm"])
def backend(request):
    return request.param


def check(function, backend, *cases):
    """Compare every case, the later ones with programs that the earlier ones have left."""
    compiled = Function(function, backend=backend)
    for case in cases:
        expected = outcome(function, *case)
        assert alike(outcome(compiled, *case), expected), (case, expected)


@pytest.mark.parametrize("operation", UNARY, ids=lambda one: one.__name__)
def test_unary_operators(backend, operation):
    check(lambda n: operation(n), backend, *[(x,) for x in [*FLOATS, *INTEGERS, True]])
    check(lambda x, n: (x * operation(n)).tolist(), backend, *[(numpy.float64(3), x) for x in FLOATS])


@pytest.mark.parametrize("operation", BINARY, ids=lambda one: one.__name__)
def test_binary_operators_with_a_constant(backend, operation):
    for constant in (3, -1, 2.5, 0, 2**62, -0.5, 300):
        if operation is operator.pow and constant in (300, 2**62):
            continue
        check(lambda n, c=constant: operation(n, c), backend, *[(x,) for x in [*FLOATS, *INTEGERS]])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.sampled_from([one for one in BINARY if one is not operator.pow]),
    st.one_of(st.integers(-(2**70), 2**70), st.floats(), st.sampled_from(INTEGERS)),
    st.one_of(st.integers(-(2**70), 2**70), st.floats(), st.sampled_from(INTEGERS)),
)
def test_binary_operators_of_any_two(operation, x, y):
    compiled = _COMPILED.setdefault(operation, Function(lambda a, b: operation(a, b), backend="numpy"))
    assert alike(outcome(compiled, x, y), outcome(operation, x, y))


_COMPILED = {}


def test_sums_of_sums_do_not_wrap(backend):
    def doubled(n):
        for _ in range(30):
            n = n + n
        return n

    check(doubled, backend, (1,), (2**40,), (-(2**52),), (2**53,))


def test_the_entry_knows_large_integers_by_value(backend):
    compiled = Function(lambda x, n: n + 1, backend=backend)
    x = np.array([1.0])
    for n in (1, 2, 3, 2**63 - 1, 2**53, 2**53 + 1, -(2**63), 5):
        for _ in range(3):
            assert compiled(x, n) == n + 1


def set_first(x, n):
    x[0] = n
    return x


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_numbers_that_an_integer_array_cannot_hold(backend, dtype):
    numbers = [
        1.0,
        1.9,
        -1.9,
        -0.9,
        127.9,
        128.0,
        255.5,
        256.0,
        2.0**31,
        1e10,
        2.0**63,
        -(2.0**63),
        2.0**64,
        float("inf"),
        float("nan"),
        300,
        -1,
        2**31,
        2**40,
        -(2**62),
    ]
    compiled = Function(set_first, backend=backend)
    for n in numbers:
        results = [
            outcome(lambda f, n=n: f(np.array([1, 2], dtype=dtype), n).asnumpy().tolist(), one)
            for one in (set_first, compiled)
        ]
        assert results[0] == results[1], (n, results)


def test_powers_of_integer_arrays(backend):
    compiled = Function(lambda x, n: x**n, backend=backend)
    x = np.array([1, 2, -3], dtype="int32")
    for n in (2, 3, 0, -1, 4, -2, 1):
        expected = outcome(lambda n=n: (x**n).tolist())
        assert outcome(lambda n=n: compiled(x, n).asnumpy().tolist()) == expected


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize(
    "test", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne], ids=lambda one: one.__name__
)
def test_comparisons_with_numbers_that_the_dtype_lacks(dtype, test):
    x = np.array([1, 100], dtype=dtype)
    compiled = Function(lambda x, n: (test(x, n), test(n, x)), backend="numpy")
    for n in (1, 100, -1, 300, 2**31, 2**40, -(2**40), 2**62, 2**70, -(2**70)):
        expected = [test(x.asnumpy(), n).tolist(), test(n, x.asnumpy()).tolist()]
        assert [one.tolist() for one in (test(x, n), test(n, x))] == expected
        assert [one.asnumpy().tolist() for one in compiled(x, n)] == expected
        fixed = Function(lambda x, n=n: (test(x, n), test(n, x)), backend="numpy")
        assert [one.asnumpy().tolist() for one in fixed(x)] == expected


# ----------------------------------------------------------------------------------------------------- NumPy's scalars

SCALARS = [
    numpy.float32(1.5), numpy.float64(2.5), numpy.int64(3), numpy.int8(-4), numpy.uint8(250), numpy.bool_(True),
    numpy.float16(0.5), numpy.uint64(2**64 - 1), numpy.int32(7), 3, 2.5, True,
]  # fmt: skip


@pytest.mark.parametrize(
    "function",
    [
        lambda x, s: s,
        lambda x, s: s + 1,
        lambda x, s: s * s,
        lambda x, s: s / 2,
        lambda x, s: -s if s != 1 else s,
        lambda x, s: s > 2,
        lambda x, s: (s, [s, {"a": s}]),
        lambda x, s: isinstance(s, int),
        lambda x, s: isinstance(s, (float, numpy.integer)),
        lambda x, s: type(s).__name__,
        lambda x, s: isinstance(s, numpy.generic) and s.dtype.itemsize,
        lambda x, s: hasattr(s, "dtype"),
        lambda x, s: float(s),
        lambda x, s: int(s),
        lambda x, s: "yes" if s else "no",
        lambda x, s: str(s),
        lambda x, s: {3: "three"}.get(s),
        lambda x, s: x.shape[0] if s > 1 else 0,
    ],
)
def test_scalars_of_numpy_stay_what_they_are(backend, function):
    x = np.array([1.0, 2.0])
    compiled = Function(function, backend=backend)
    with numpy.errstate(all="ignore"):
        for _ in range(2):
            for s in SCALARS:
                expected, found = function(x, s), compiled(x, s)
                assert repr(found) == repr(expected)
                assert type(found) is type(expected)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, s: x * s,
        lambda x, s: x + s,
        lambda x, s: np.maximum(x, s),
        lambda x, s: np.full((2,), s),
        lambda x, s: np.where(x > s, x, s),
        lambda x, s: x**s,
        lambda x, s: s - x,
        lambda x, s: x.astype("int32") * s,
        lambda x, s: np.exp(s) if not isinstance(s, bool) else x,
    ],
)
def test_scalars_of_numpy_beside_arrays(backend, function):
    x = np.array([1.0, 2.0])
    compiled = Function(function, backend=backend)
    for s in SCALARS:
        expected, found = outcome(function, x, s), outcome(compiled, x, s)
        if isinstance(expected, type):
            assert found is expected
            continue
        assert found.dtype == expected.dtype
        numpy.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_scalars_of_numpy_are_data(backend):
    compiled = Function(lambda x, s: x * s, backend=backend)
    for value in range(8):
        assert compiled(np.array([2.0]), numpy.float32(value)).item() == 2 * value
    assert compiled.cache_info().programs == 1


# -------------------------------------------------------------------------------------------- numbers that data decides


def counted(x, function):
    """A number that a loop on data applies a function to, eight times."""
    n = 1
    while x.sum() < 256:
        x = x * 2
        n = function(n)
    return n


def test_integers_of_loops_on_data_never_wrap(backend):
    x = np.array([1.0])
    for function in (lambda n: n + 1, lambda n: n * 3, lambda n: -n, lambda n: n - 4000, lambda n: n + 2**50):
        assert Function(counted, backend=backend)(x, function) == counted(x, function)
    for function in (
        lambda n: n * 1000,
        lambda n: n + 2**61,
        lambda n: n - 2**62,
        lambda n: (n * 7) ** 3,
        lambda n: n << 9,
    ):
        assert abs(counted(x, function)) >= 2**62
        with pytest.raises(AssertionFailed, match=r"OverflowError.*test_python_numbers.py"):
            Function(counted, backend=backend)(x, function)


def test_floats_of_loops_on_data_are_64_bits(backend):
    x = np.array([1.0])
    for function in (lambda t: -t * 0.1, lambda t: abs(t - 3.3), lambda t: t / 3, lambda t: t**2 + 0.1):
        compiled = Function(counted, backend=backend)(x, function)
        assert compiled == pytest.approx(counted(x, function), rel=1e-15)


def reached(x, function):
    """What a function gives for 1, 2, 3, ... as long as data wants."""
    n, last = 0, 0
    while x.sum() < 256:
        x = x * 2
        n = n + 1
        last = function(n)
    return last


def test_what_python_refuses_of_numbers_that_data_decides(backend):
    x = np.array([1.0])
    for function, name in (
        (lambda n: n + (1 / (n - 5) > 7), "ZeroDivisionError"),
        (lambda n: 7 // (n - 5), "ZeroDivisionError"),
        (lambda n: 7 % (n - 5), "ZeroDivisionError"),
        (lambda n: n + ((n * 3e153) ** 2 > 0), "OverflowError"),
        (lambda n: 1 << (5 - n), "ValueError"),
    ):
        with pytest.raises((ArithmeticError, ValueError)):
            reached(x, function)
        with pytest.raises(AssertionFailed, match=name):
            Function(reached, backend=backend)(x, function)
        assert Function(reached, backend=backend)(x * 100, function) == reached(x * 100, function)

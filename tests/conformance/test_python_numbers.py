"""Python numbers, and NumPy's scalars, among the arguments: compiled they are what they are imperatively."""

import cmath
import copy
import decimal
import fractions
import math
import operator
import statistics
import struct

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import autograd, hybridize
from hybridize.array import np
from hybridize.base.errors import CaptureError, HybridizeError, ShapeError
from hybridize.capture import Function
from tests.refusals import refusal

UNARY = [operator.neg, operator.pos, abs]
BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    divmod,
]
FLOATS = [0.1, -0.1, 0.0, -0.0, 1e39, 16777217.0, 1e308, -1e-300, float("inf"), float("nan"), 2.0, -3.0, 0.5]
INTEGERS = [
    0,
    1,
    -1,
    7,
    2**31,
    -(2**31) - 1,
    2**53,
    2**53 + 1,
    -(2**53),
    2**62,
    2**63 - 1,
    -(2**63),
    2**63,
    2**100,
    62,
    -62,
]


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
    numpy.float32(1.5),
    numpy.float64(2.5),
    numpy.int64(3),
    numpy.int8(-4),
    numpy.uint8(250),
    numpy.bool_(True),
    numpy.float16(0.5),
    numpy.uint64(2**64 - 1),
    numpy.int32(7),
    3,
    2.5,
    True,
]


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


def counted(x, function, n=1):
    """A number that a loop on data applies a function to, eight times."""
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
        with pytest.raises(OverflowError, match="63 bits"):
            Function(counted, backend=backend)(x, function)


def test_floats_of_loops_on_data_are_64_bits(backend):
    x = np.array([1.0])
    for function in (lambda t: -t * 0.1, lambda t: abs(t - 3.3), lambda t: t / 3, lambda t: t**2 + 0.1):
        compiled = Function(counted, backend=backend)(x, function, 1.0)
        assert compiled == pytest.approx(counted(x, function, 1.0), rel=1e-15)


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
    for function in (
        lambda n: n + (1 / (n - 5) > 7),
        lambda n: 7 // (n - 5),
        lambda n: 7 % (n - 5),
        lambda n: n + ((n * 3e153) ** 2 > 0),
        lambda n: 1 << (5 - n),
    ):
        with pytest.raises(outcome(reached, x, function)):
            Function(reached, backend=backend)(x, function)
        assert Function(reached, backend=backend)(x * 100, function) == reached(x * 100, function)


def test_counting_in_loops_on_data_is_not_checked(backend):
    def program(x, n):
        steps, evens = n, 0
        while x.sum() < 256:
            x = x * 2
            steps = steps + 1
            if steps % 2 == 0:
                evens = evens + 1
        for i in range(steps):
            evens += i
        return steps, evens

    compiled = Function(program, backend=backend)
    x = np.array([1.0])
    for n in (0, 3, -20, 5):
        assert compiled(x, n) == program(x, n)
    graph = str(compiled.program(x, 0).capture.graph)
    assert graph.count("assert") == 1, "only the sum of i is checked"


def test_a_number_whose_class_data_decides_is_refused(backend):
    for function in (lambda n: n + 0.5, lambda n: n / 2, lambda n: float(n)):
        with pytest.raises(CaptureError, match="E449"):
            Function(counted, backend=backend)(np.array([1.0]), function)

    def used(x):
        n = 0
        while x.sum() < 256:
            x, n = x * 2, n + 0.5
        return x * n, n + 1.0, n / 2, n > 1

    for start in (1.0, 300.0):
        x = np.array([start])
        assert [float(one) for one in Function(used, backend=backend)(x)] == [float(one) for one in used(x)]


# ------------------------------------------------------------------------------------ elements of arrays as numbers


def total(x):
    found = 0.0
    for value in x.tolist():
        found += value
    return found


def sines(x):
    found = 0.0
    for i in range(int(x[1])):
        found = found + math.sin(i)
    return found


ELEMENTS = [
    lambda x: float(x[0]) + 0.1,
    lambda x: int(x[1]) + 0.1,
    lambda x: x[1].item() / 3,
    lambda x: x.item(1) * x,
    lambda x: x.tolist(),
    lambda x: (x > 2).tolist(),
    lambda x: bool(x[0] > 2),
    lambda x: round(float(x[1]) / 2),
    lambda x: np.full((2,), float(x[1]) / 3),
    lambda x: x * float(x[0]),
    lambda x: 1 if float(x[1]) > 2 else 0,
    lambda x: int(x[0] > 2) + int(x[1]),
    lambda x: float(x[0]) if x.sum() > 1 else 0.1,
    total,
    sines,
    lambda x: float(x[0]) // 0.3 + float(x[1]) % 0.7,
    lambda x: -(float(x[0]) ** 3),
    lambda x: abs(float(x[0]) - 9.7),
    lambda x: math.gcd(int(x[1]), 12, 9),
    lambda x: isinstance(x[0].item(), float),
    lambda x: [float(v) for v in x],
    lambda x: sum(map(float, x)),
    lambda x: max(float(x[0]), 2.5),
    lambda x: {"a": float(x[0])}["a"],
    lambda x: x[int(x[0])] * 2,
    lambda x: +x.item(0),
    lambda x: float(x.shape[0]) * float(x[1]),
    lambda x: (1 << int(x[1])) | int(x[0]),
    lambda x: float(x[0]) == x.item(0),
    lambda x: math.floor(x[1] / 2) + math.ceil(x[1] / 2) + math.trunc(-float(x[1]) / 2),
    lambda x: math.prod([x.item(0), 3]),
    lambda x: math.isclose(x[1], 3) and math.isfinite(x[0]),
    lambda x: math.fabs(-x[0]) + math.copysign(2, -x[1]),
]


def equal(found, expected):
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(equal, found, expected))
    if hasattr(expected, "asnumpy"):
        return found.dtype == expected.dtype and numpy.allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-6)
    if isinstance(expected, float):
        return type(found) is float and found == pytest.approx(expected, rel=4e-15, nan_ok=True)
    return type(found) is type(expected) and found == expected


@pytest.mark.parametrize("number", range(len(ELEMENTS)))
def test_elements_are_python_numbers(backend, number):
    function = ELEMENTS[number]
    compiled = Function(function, backend=backend)
    for values in ([1.0, 3.0], [0.7, 3.9]):
        for dtype in ("float32", "float64", "int32"):
            x = np.array(values, dtype=dtype)
            assert equal(compiled(x), function(x)), (values, dtype)


MATH = [
    "sqrt",
    "exp",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "gamma",
    "lgamma",
    "fabs",
    "cbrt",
    "exp2",
    "degrees",
    "radians",
    "isnan",
    "isinf",
    "isfinite",
    "floor",
    "ceil",
    "trunc",
]


@pytest.mark.parametrize("name", MATH)
def test_the_functions_of_math(name):
    function = getattr(math, name)
    compiled = Function(lambda x: function(x[0]), backend="numpy")
    known = Function(lambda x, n: function(n), backend="numpy")
    for value in (0.3, -0.3, 1.0, -1.0, 2.5, -7.5, 0.0, 171.9, 800.0, -800.0, math.inf, -math.inf, math.nan):
        x = np.array([value], dtype="float64")
        expected = outcome(function, value)
        found = outcome(known, x, value)
        assert found is expected if isinstance(expected, type) else equal(found, expected)
        if isinstance(expected, type):
            with pytest.raises(expected) as raised:
                compiled(x)
            assert "test_python_numbers.py" in raised.value.__notes__[0]
        elif math.isfinite(expected) and abs(expected) > 1e15 and isinstance(expected, float):
            assert compiled(x) == pytest.approx(expected, rel=1e-12)
        else:
            assert compiled(x) == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("name", ["atan2", "hypot", "copysign", "fmod", "pow", "log"])
def test_the_functions_of_math_of_two(backend, name):
    function = getattr(math, name)
    compiled = Function(lambda x, n: function(x[0], n), backend=backend)
    for value in (0.3, 2.0, 1e200, 0.0, -3.0):
        for other in (2.0, 0.5, -1.0, 0.0, 1.0):
            x = np.array([value], dtype="float64")
            expected = outcome(function, value, other)
            if isinstance(expected, type):
                with pytest.raises(expected):
                    compiled(x, other)
            else:
                assert compiled(x, other) == pytest.approx(expected, rel=1e-13)


def test_conversions_that_python_refuses_stop_the_program(backend):
    for function in (lambda x: int(x[0]), lambda x: round(float(x[0])), lambda x: math.floor(x[0])):
        compiled = Function(function, backend=backend)
        assert compiled(np.array([2.5])) == function(np.array([2.5]))
        for value in (math.inf, math.nan, 1e30):
            with pytest.raises(ValueError if value != value else OverflowError):
                compiled(np.array([value]))
    with pytest.raises(ShapeError, match="E130"):
        Function(lambda x: float(x), backend=backend)(np.array([1.0, 2.0]))


def test_no_gradient_goes_through_a_python_number(backend):
    def step(w, x):
        with autograd.record():
            loss = (w * float(w[0]) * x).sum() + math.sqrt(w[1]) + w[0].item()
        loss.backward()
        return loss

    grads = []
    for one in (step, Function(step, backend=backend)):
        w, x = np.array([2.0, 3.0]), np.array([5.0, 7.0])
        w.attach_grad()
        one(w, x)
        grads.append(w.grad.asnumpy().tolist())
    assert grads == [[10.0, 14.0], [10.0, 14.0]]


TEXT, OTHER_TEXT = "%s %.2f %d", "{} {:.1f}"
STANDARD = [
    lambda x, r: x * pow(int(r), 3, 7),
    lambda x, r: r * 1j,
    lambda x, r: x * statistics.mean([r, 1.0]),
    lambda x, r: float(fractions.Fraction(r) + 1),
    lambda x, r: str(decimal.Decimal(r)),
    lambda x, r: complex(r, 1),
    lambda x, r: f"{r} {r:.2f}" + TEXT % (r, r, r) + OTHER_TEXT.format(r, r),
    lambda x, r: divmod(r, 2),
    lambda x, r: round(r, 1),
    lambda x, r: round(r),
    lambda x, r: r.is_integer(),
    lambda x, r: float.hex(r),
    lambda x, r: "ab".center(int(r)),
    lambda x, r: math.factorial(int(r)),
    lambda x, r: chr(65 + int(r)),
    lambda x, r: math.gcd(int(r), 4),
    lambda x, r: r.as_integer_ratio(),
    lambda x, r: struct.pack("d", r),
    lambda x, r: x * math.sqrt(r),
    lambda x, r: bin(int(r)) + hex(int(r)),
    lambda x, r: cmath.sqrt(-r),
]


@pytest.mark.parametrize("number", range(len(STANDARD)))
def test_functions_of_python_get_the_number(backend, number):
    function = STANDARD[number]
    compiled = Function(function, backend=backend)
    for r in (2.0, 5.5, 2.0, 9.25):
        x = np.array([1.0, 2.0])
        assert equal(compiled(x, r), function(x, r))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: statistics.mean([float(x[0])]),
        lambda x: fractions.Fraction(x.item(0)),
        lambda x: cmath.sqrt(x[0]),
        lambda x: round(float(x[0]), 23),
        lambda x: math.lcm(int(x[0]), 2),
        lambda x: float(x[0]) * 1j,
        lambda x: pow(int(x[0]), 3, 7),
        lambda x: [i * 2 for i in range(int(x[0]))],
        lambda x: chr(int(x[0])),
        lambda x: 2 ** int(x[0]),
        lambda x: decimal.Decimal(x.item(0)),
    ],
)
def test_what_needs_a_number_that_data_decides_is_refused_by_its_name(function):
    with pytest.raises(CaptureError, match=r"E427.*(\n.*)*test_python_numbers.py") as found:
        Function(function)(np.array([1.0, 2.0]))
    assert "Symbol" not in found.value.what.replace("<Symbol", "")
    assert "locals" not in str(found.value).split("\n")[0]


def test_bounds_of_numbers_that_branches_change_are_found_once():
    """A count that each of many branches on data may raise: work that doubled with each would never end."""

    @hybridize
    def inside(points):
        count = 0
        for i in range(60):
            if points[i] <= 0.5:
                count += 1
        return count

    points = np.array([number / 60 for number in range(60)])
    assert inside(points) == 31


# ------------------------------------------------------------------------- integers that 64 bits do not hold, and data


def kept_on_one_side(x, n):
    if x.sum():
        kept = n
    else:
        kept = 1
    if n == 0:  # else nobody asks what it is
        return kept
    return x + 1


def same_on_both_sides(x, n):
    if x.sum() > 0:
        kept = n
    else:
        kept = n
    return kept, x * 2


def beside_elements(x, n):
    return np.array([0, int(x[0]), n])


def beside_elements_of_a_dtype(x, n):
    return np.array([[0, int(x[0])], [n, 2]], dtype="int64"), np.array([int(x[0]), n], dtype="uint64")


def compared(x, n):
    return int(x[0]) < n, x.argmax() == n, x[0] > n


def in_a_text(x, n):
    return f"{int(x[0])} {n}", {1: n, 2: x[0]}, [n, x][0]


def as_a_float(x, n):
    return float(x[0]) * n, x * n


def result_of_a_branch(x, n):
    return n if x.sum() else 1


def sum_of_both(x, n):
    return int(x[0]) + n


def shifted(x, n):
    return n >> int(x[0])


LARGE = (2**70, 2**63, -(2**63) - 1, 2**63 - 1)
WITH_LARGE = [
    kept_on_one_side, same_on_both_sides, beside_elements, beside_elements_of_a_dtype, compared, in_a_text, as_a_float,
    result_of_a_branch, sum_of_both, shifted,
]  # fmt: skip
REFUSED = {result_of_a_branch: "E440", sum_of_both: "E427", shifted: "E427"}


@pytest.mark.parametrize("function", WITH_LARGE, ids=lambda function: function.__name__)
def test_integers_of_more_than_64_bits_beside_data(backend, function):
    """The same result, the same error, or a refusal before anything is changed."""
    for n in LARGE:
        log = []

        def step(x, n, log=log):
            log.append(n)
            return function(x, n)

        expected, found = reached_error(step, n), reached_error(Function(step, backend=backend), n)
        refused = isinstance(found, CaptureError)
        assert refused == (function in REFUSED and not -(2**63) <= n < 2**63)
        if refused:
            assert found.code == REFUSED[function] and found.loc.file == __file__ and log == [n]
        elif isinstance(expected, Exception):
            assert (type(found), getattr(found, "code", "")) == (type(expected), getattr(expected, "code", ""))
        elif function is not sum_of_both or n < 0:  # 2**63 - 1 and one more are told at run time
            assert same_parts(found, expected)


def same_parts(found, expected):
    """Tell whether results are equal, dicts among them."""
    if isinstance(expected, dict):
        return list(found) == list(expected) and equal(list(found.values()), list(expected.values()))
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(same_parts, found, expected))
    return equal(found, expected)


def reached_error(function, n):
    """The result of a call, or its exception."""
    try:
        return function(np.array([1.0, 2.0]), n)
    except (HybridizeError, TypeError, ValueError, OverflowError) as error:
        return error


OUT_OF_ARRAYS = {
    "float": lambda x: float((x * x).sum()),
    "int": lambda x: int(x.sum()),
    "element": lambda x: abs(float(x[0])),
}
OF_A_NUMBER = {
    "/": lambda t: 1.0 / t,
    "/ of a difference": lambda t: 1 / (t - 1),
    "//": lambda t: 7 // t,
    "%": lambda t: 7 % t,
    "divmod": lambda t: divmod(9, t)[1],
    "**": lambda t: abs(t) ** 0.5 + 2.0**t,
    "** below 0": lambda t: t**-1.0,
    "sqrt": lambda t: 1 / math.sqrt(t),
    "log": lambda t: math.log(t),
    "min": lambda t: min(1.0, 1.0 / t),
    "int": lambda t: 3 // int(t) + round(t),
}


def clip(x, take, of):
    t = take(x)
    if t > 1.0:
        x = x * of(t)
    return x


def choose_either(x, take, of):
    t = take(x)
    return x * of(t) if t > 0 else x - 1


def nested_branches(x, take, of):
    t = take(x)
    if t > 0:
        if t > 2:
            return x * of(t)
        u = of(t)
        if u > 0.5:
            x = x - u
    return x


def at_the_end_of_and(x, take, of):
    t = take(x)
    if t != 0 and of(t) > 0.3:
        return x * 2
    return x


def at_the_end_of_or(x, take, of):
    rate = 0.1
    t = take(x)
    if t == 0 or of(t) < 0.4:
        rate *= 0.5
    return x - rate * x


def until_small(x, take, of):
    y = x
    for _ in range(3):
        t = take(x)
        if t < 0.5:
            break
        y = y + 0.01 * of(t)
        x = x * 0.5
    return y


def as_long_as_large(x, take, of):
    t = take(x)
    while t > 1.0:
        x = x / 2
        t = take(x)
        if t > 0.25:
            x = x + 0.001 * of(t)
    return x


@pytest.mark.parametrize("number", OF_A_NUMBER)
@pytest.mark.parametrize(
    "program",
    [clip, choose_either, nested_branches, at_the_end_of_and, at_the_end_of_or, until_small, as_long_as_large],
)
def test_numbers_out_of_arrays_in_branches_and_loops(program, number):
    """Clipping of gradients, control of step sizes, tests of convergence: what divides by 0 is where data leads."""
    for take in OUT_OF_ARRAYS.values():
        compiled = Function(program, backend="numpy")
        dtype = "float64" if take is OUT_OF_ARRAYS["element"] else "float32"
        for values in ([1.0, 1.0], [3.0, 2.5], [0.0, 0.0], [-2.0, -1.0], [0.5, 0.25]):
            given = np.array(values, dtype=dtype), take, OF_A_NUMBER[number]
            try:
                expected = program(*given)
            except (ArithmeticError, ValueError) as error:
                text = str(error) if isinstance(error, ZeroDivisionError) else ""
                with refusal(type(error), text):
                    compiled(*given)
                continue
            assert compiled(*given).tolist() == pytest.approx(expected.tolist(), rel=1e-5)


def test_gradients_are_clipped(backend):
    def clipped(gradients, most):
        norm = math.sqrt(sum(float((one * one).sum()) for one in gradients))
        if norm > most:
            gradients = [one * (most / norm) for one in gradients]
        return gradients, norm

    compiled = Function(clipped, backend=backend)
    for scale in (0.0, 0.1, 3.0):
        gradients = [np.array([scale, 2 * scale]), np.array([[scale], [-scale]])]
        for found, expected in zip(compiled(gradients, 1.0)[0], clipped(gradients, 1.0)[0], strict=True):
            numpy.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-6)
        assert compiled(gradients, 1.0)[1] == pytest.approx(clipped(gradients, 1.0)[1])


BEYOND = {
    "where": lambda x, n: np.where(x > 1, x, n),
    "where, of two numbers": lambda x, n: np.where(x > 1, n, n),
    "full": lambda x, n: np.full((2,), n, dtype=x.dtype),
    "full, float32": lambda x, n: np.full((2,), n),
    "full_like": lambda x, n: np.full_like(x, n),
    "maximum": lambda x, n: np.maximum(x, n),
    "clip": lambda x, n: np.clip(x, 0, n),
    "array": lambda x, n: np.array([n, 1], dtype=x.dtype),
    "add": lambda x, n: n + x,
    "less": lambda x, n: x < n,
    "append": lambda x, n: np.append(x, n),
    "a float of it": lambda x, n: float(x[0]) * n,
    "a float beside it": lambda x, n: float(x[0]) >= n,
}


@pytest.mark.parametrize("name", BEYOND)
def test_numbers_that_a_dtype_does_not_hold_are_refused_in_both_or_give_the_same(name):
    function = BEYOND[name]

    def called(f, x, number):
        try:
            found = f(x, number)
        except (HybridizeError, OverflowError) as error:
            return type(error), getattr(error, "code", None)
        return str(getattr(found, "dtype", type(found))), repr(numpy.asarray(found).tolist())

    for dtype in ("int8", "int32", "int64", "float32"):
        compiled = Function(function)
        for number in (0, -0.0, 0.0, -1, 300, 2**31, 2**53 + 1, 2**63, 10**400, float("nan"), float("inf")):
            x = np.array([1, 2], dtype=dtype)
            assert called(compiled, x, number) == called(function, x, number), f"{dtype} {str(number)[:20]}"


def test_full_keeps_the_sign_of_zero():
    for made in (np.full((2,), -0.0), np.full_like(np.ones(2), -0.0), Function(lambda n: np.full((2,), n))(-0.0)):
        assert numpy.signbit(made.asnumpy()).all()


COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("compare", COMPARISONS)
def test_integers_between_two_floats_are_compared_exactly(compare):
    """Python compares a float and an integer by their values; a float of the integer may be the other one."""
    floats = [1.0, 2.0**53, 2.0**53 + 2, -(2.0**53), 2.0**64, 1.7976931348623157e308, math.inf, -math.inf, math.nan]
    for number in (2**53 + 1, -(2**53) - 1, 2**53, 2**64 - 1, 10**400, -(10**400)):
        by_data = Function(lambda x, n=number: (compare(float(x[0]), n), compare(n, float(x[0]))))
        given_number = Function(lambda x, n=number: compare(x, n))
        for x in floats:
            array = np.array([x], dtype="float64")
            assert by_data(array) == (compare(x, number), compare(number, x)), f"{x} {number}"
            assert given_number(x) is compare(x, number), f"{x} {number}"


def copies(x):
    value, count = float(x[0]), int(x[1])
    return copy.copy(value), copy.deepcopy([value, count, bool(x[0] > 0)]), copy.copy(value) / 3


def truths(x):
    return operator.truth(int(x[0])), operator.not_(float(x[1])), operator.contains([1.0, 2.0], float(x[0]))


def members(x):
    value, count = float(x[0]), int(x[1])
    whole = value.is_integer(), (value / 2).is_integer(), (value / (value - value + 1e-308) * 1e10).is_integer()
    return whole, value.real, value.imag, count.numerator, count.denominator, value.conjugate(), count.real


def rounded(x):
    return math.trunc(x[0]), math.floor(x[0]), math.ceil(x[1])


def in_order(x):
    return sorted([float(x[0]), 1.0, -3.0]), sorted([int(x[1]), 5, 0], reverse=True)


def tuples(x):
    pair = float(x[0]), int(x[1])
    others = [(1.0, 2), (2.0, 1), (2.0, 0), (2.0,), (2.0, 1, 0), (-1.0, 7)]
    found = [(pair < one, pair <= one, pair > one, pair >= one, pair == one, pair != one) for one in others]
    return found, [pair[0]] == [2.0], (pair, 1) < ((2.0, 1), 2), max(pair, (1.0, 5)), (1, pair[0]) == ("a", 2.0)


@pytest.mark.parametrize("function", [copies, truths, members, rounded, in_order, tuples])
def test_what_python_does_with_numbers_it_does_with_those_of_data(function):
    compiled = Function(function)
    for values in ([2.0, 1.0], [2.5, 3.0], [-1.0, 7.0], [0.0, 0.0], [1.0, 2.0]):
        x = np.array(values)
        assert repr(compiled(x)) == repr(function(x)), values


@pytest.mark.parametrize(
    ("function", "code", "text"),
    [
        (lambda x: fractions.Fraction(1, 3) + int(x[1]), "E427", "int that depends on data and a Fraction"),
        (lambda x: int(x[1]) < decimal.Decimal(3), "E427", "Decimal"),
        (lambda x: [1, 2, 3][: int(x[1])], "E402", "slice of a list"),
        (lambda x: float(x[0]).hex(), "E427", "float.hex"),
    ],
)
def test_what_python_cannot_do_without_the_number_is_refused_in_words_of_the_user(function, code, text):
    with refusal(CaptureError, rf"{code}.*{text}") as found:
        Function(function)(np.array([2.0, 1.0]))
    assert found.value.loc.file == __file__
    assert "Symbol" not in str(found.value).split("\n")[0]


def test_numbers_of_calls_are_what_fractions_get():
    def shared(n):
        return fractions.Fraction(1, 3) + n, n < fractions.Fraction(5, 2)

    compiled = Function(shared)
    for n in (1, 2, 3, 1):
        assert compiled(n) == shared(n)


def test_an_attribute_that_a_number_has_not_is_pythons_error():
    for number in (1, 1.5, numpy.float32(1), numpy.int64(1)):
        with pytest.raises(AttributeError) as expected:
            number.foo  # noqa: B018
        with refusal(AttributeError, str(expected.value)):
            Function(lambda n: n.foo)(number)


def test_scalars_of_numpy_among_the_arguments_beside_numbers_of_data_are_refused_by_their_names():
    with pytest.raises(CaptureError, match=r"E427.*numpy.float32 and a number.*(\n.*)*x.item\(\)"):
        Function(lambda x, n: float(x[0]) + n)(np.ones(2), numpy.float32(1))


SCALARS = [numpy.float32(0.1), numpy.float16(0.3), numpy.uint64(3)]


@pytest.mark.parametrize("scalar", SCALARS, ids=repr)
@pytest.mark.parametrize(
    "function",
    [
        lambda s, r: s * r,
        lambda s, r: r * s,
        lambda s, r: -r - s,
        lambda s, r: s + r,
        lambda s, r: r / s,
        lambda s, r: s**r,
        lambda s, r: r < s,
        lambda s, r: np.ones(2, dtype="float64") * float(s * r),
    ],
)
def test_a_scalar_of_numpys_from_outside_rounds_as_imperatively(function, scalar):
    """`numpy.float32(0.1) * 0.3` is a float32, not a float64 rounded later."""
    compiled = hybridize(lambda r: function(scalar, r))
    for r in (0.3, 1.7, 0.25, 0.3):
        assert repr(compiled(r)) == repr(function(scalar, r))


def _counted(x):
    count = 0
    for i in range(len(x)):
        if x[i] > 0:
            count += 1
    return count


def _counted_by_number(x):
    count = 0
    for i in range(190):
        if x[0] > i:
            count += 1
    return count


def _kept_in_a_dict(x):
    state = {"count": 0}
    for i in range(len(x)):
        if x[i] > 0:
            state["count"] += 1
    return state["count"]


def _index_after_many_rounds(x):
    for _ in range(20):
        for _ in range(20):
            x = x + 1
    k = 5
    if x[k] > 0:
        k = 2
    return x[k]


@pytest.mark.parametrize("function", [_counted, _counted_by_number, _kept_in_a_dict, _index_after_many_rounds])
def test_numbers_that_many_rounds_change(function):
    compiled = Function(function)
    for n in (190, 9):
        x = np.array(numpy.where(numpy.arange(n) % 3, 120.0, -1.0))
        assert float(compiled(x)) == float(function(x))

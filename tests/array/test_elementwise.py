import math
import operator

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hybridize import hybridize
from hybridize.array import np
from hybridize.base.errors import DTypeError, ShapeError
from tests.refusals import refusal

UNARY = [
    "negative",
    "abs",
    "sign",
    "floor",
    "ceil",
    "rint",
    "trunc",
    "sqrt",
    "cbrt",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "isnan",
    "isinf",
    "isfinite",
    "square",
    "reciprocal",
    "signbit",
    "degrees",
    "radians",
    "logical_not",
    "isposinf",
    "isneginf",
    "positive",
    "fix",
    "sinc",
]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "floor_divide",
    "mod",
    "fmod",
    "power",
    "arctan2",
    "hypot",
    "copysign",
    "logaddexp",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
]


@pytest.mark.parametrize("name", UNARY)
def test_unary_is_numpys(both, name):
    x = numpy.array([[-0.75, -0.0, 0.25], [0.5, 1.0, 0.125]], "float32")
    if name in ("sqrt", "log", "log2", "log10", "log1p", "reciprocal"):
        x = abs(x) + 0.125
    numpy.testing.assert_allclose(both(getattr(np, name), x, rtol=1e-5), getattr(numpy, name)(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", BINARY)
def test_binary_is_numpys_and_broadcasts(both, name):
    x = numpy.array([[0.5, 1.5, 2.5], [3.0, 4.0, 0.25]], "float32")
    y = numpy.array([2.0, 0.5, 1.0], "float32")
    numpy.testing.assert_allclose(both(getattr(np, name), x, y, rtol=1e-5), getattr(numpy, name)(x, y), rtol=1e-5)
    numpy.testing.assert_allclose(
        both(lambda x: getattr(np, name)(x, 2), x, rtol=1e-5), getattr(numpy, name)(x, 2), rtol=1e-5
    )
    numpy.testing.assert_allclose(
        both(lambda x: getattr(np, name)(0.5, x), x, rtol=1e-5), getattr(numpy, name)(0.5, x), rtol=1e-5
    )


def test_operators_are_numpys(both):
    x, y = numpy.array([[1.0, 2.0], [3.0, 4.5]], "float32"), numpy.array([0.5, 3.0], "float32")

    def all_of_them(x, y):
        return (
            x + y,
            x - y,
            x * y,
            x / y,
            x // y,
            x % y,
            x**y,
            x @ x,
            -x,
            +x,
            abs(-x),
            x == y,
            x != y,
            x < y,
            x <= y,
            x > y,
            x >= y,
            2 + x,
            2 - x,
            2 * x,
            2 / x,
            2 // x,
            2 % x,
            2**x,
            x + 1,
            x - 1.5,
            x * True,
            *divmod(x, y),
        )

    for ours, theirs in zip(both(all_of_them, x, y, rtol=1e-5), all_of_them(x, y), strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_bit_operators(both):
    x, y = numpy.array([12, 10, -7], "int32"), numpy.array([3, 6, 5], "int32")

    def bits(x, y):
        return x & y, x | y, x ^ y, ~x, x << 1, x >> 1, 3 & x

    for ours, theirs in zip(both(bits, x, y), bits(x, y), strict=True):
        numpy.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype


def test_in_place_operators_write_the_array(both):
    def change(x, y):
        x += y
        x -= 1
        x *= 2.0
        x /= y
        x **= 2
        alias = x
        x //= 1
        x %= 5
        return alias

    x, y = numpy.array([[1.0, 2.0], [3.0, 4.5]], "float32"), numpy.array([0.5, 3.0], "float32")
    want = x.copy()
    change(want, y)
    numpy.testing.assert_allclose(both(change, x, y), want, rtol=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3),
    st.sampled_from(["add", "multiply", "maximum", "less", "divide", "power"]),
)
def test_broadcasting_is_numpys(shapes, name):
    x, y = (numpy.asarray(numpy.random.rand(*shape) + 0.5, "float32") for shape in shapes.input_shapes)
    ours = getattr(np, name)(np.array(x), np.array(y))
    assert ours.shape == shapes.result_shape
    numpy.testing.assert_allclose(ours.asnumpy(), getattr(numpy, name)(x, y), rtol=1e-5)


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(numpy.float32, hnp.array_shapes(max_side=4), elements=st.floats(width=32, allow_subnormal=False)))
def test_special_values_are_numpys(x):
    for name in ("abs", "sign", "floor", "isnan", "isfinite", "negative", "sqrt", "exp", "nan_to_num"):
        with numpy.errstate(all="ignore"):
            want = getattr(numpy, name)(x)
        numpy.testing.assert_allclose(getattr(np, name)(np.array(x)).asnumpy(), want, rtol=1e-5)


def test_nan_is_handed_on_by_maximum_and_not_by_fmax(both):
    x, y = numpy.array([math.nan, 1.0], "float32"), numpy.array([2.0, math.nan], "float32")
    assert numpy.isnan(both(np.maximum, x, y)).all()
    numpy.testing.assert_array_equal(both(np.fmax, x, y), [2, 1])


def test_where_clip_and_rounding(both):
    x = numpy.array([[-1.5, 0.5], [2.5, 7.25]], "float32")
    numpy.testing.assert_array_equal(both(lambda x: np.where(x > 0, x, 0), x), numpy.where(x > 0, x, 0))
    numpy.testing.assert_array_equal(both(lambda x: np.clip(x, 0, 3), x), numpy.clip(x, 0, 3))
    numpy.testing.assert_array_equal(both(lambda x: x.clip(None, 3), x), numpy.clip(x, None, 3))
    numpy.testing.assert_allclose(both(lambda x: np.round(x, 1), x), numpy.round(x, 1), rtol=1e-6)
    assert np.where(np.array([True, False]), 1, 2).dtype == "int64"


def test_shapes_that_do_not_broadcast_are_named():
    with pytest.raises(ShapeError, match=r"f32\[2,3\] and f32\[4\]") as error:
        np.ones((2, 3)) + np.ones(4)
    assert "np.ones((2, 3)) + np.ones(4)" in str(error.value), "the user's line"
    assert error.value.code == "E101"


def test_out_is_written():
    x, out = np.array([1.0, 4.0]), np.zeros(2)
    assert np.sqrt(x, out=out) is out
    assert np.add(x, 1, out=out) is out
    assert out.tolist() == [2.0, 5.0]


def test_unknown_keyword_is_a_type_error():
    with pytest.raises(TypeError):
        np.exp(np.ones(2), sub=True)
    with pytest.raises(TypeError):
        np.add(np.ones(2), 1, cast="no")


def test_wrong_dtypes_are_refused():
    with pytest.raises(DTypeError):
        ~np.ones(2)
    with pytest.raises(DTypeError):
        -np.array([True], dtype=bool)
    with refusal(DTypeError, "300"):
        np.array([1], dtype="uint8") + 300
    x = np.array([1, 2], dtype="int32")
    with pytest.raises(DTypeError, match=r"f32\[2\] cannot be stored in i32\[2\]"):
        x += 0.5


def test_scalar_results_are_arrays():
    x = np.array(3.0)
    for value in (x + 1, x + x, np.exp(x), x[...], np.sum(np.ones(3)), np.dot(np.ones(2), np.ones(2)), np.ones(3)[0]):
        assert type(value) is np.ndarray
        assert type(value._data) is numpy.ndarray
        assert value.shape == ()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_logaddexp2_is_numpys_to_the_last_digits(dtype):
    """Far apart, equal, infinite and NaN; imperatively and in programs."""
    ends = [0.0, 1.0, -30.0, 1000.0, -1000.0, numpy.inf, -numpy.inf, numpy.nan, 0.1, 3e4]
    x, y = (a.ravel().astype(dtype) for a in numpy.meshgrid(ends, ends))
    wanted = numpy.logaddexp2(x, y)
    for function in (np.logaddexp2, hybridize(lambda x, y: np.logaddexp2(x, y))):
        found = function(np.array(x, dtype=dtype), np.array(y, dtype=dtype)).asnumpy()
        assert found.dtype == dtype
        numpy.testing.assert_allclose(found, wanted, rtol=3 * numpy.finfo(dtype).eps)


def test_ldexp_rounds_once():
    """Also where the result is below the normal numbers, and of exponents beyond those of floats."""
    for dtype, tail in (("float64", 1075), ("float32", 150), ("float16", 26)):
        x = numpy.random.default_rng(1).uniform(1, 2, 60).astype(dtype)
        for n in (-5000, -tail, 1 - tail, 4 - tail, 12 - tail, 0, 15, 200, 1023, 2100, 1 << 40):
            exponent = numpy.full(60, n)
            wanted = numpy.ldexp(x, numpy.clip(exponent, -(1 << 30), 1 << 30).astype("int32"))
            for function in (np.ldexp, hybridize(lambda x, n: np.ldexp(x, n))):
                found = function(np.array(x, dtype=dtype), np.array(exponent, dtype="int64")).asnumpy()
                numpy.testing.assert_array_equal(found, wanted)


def test_numpys_conj_is_ours():
    z = numpy.array([1 + 2j], "complex64")
    assert numpy.conj(np.array(z)).tolist() == [1 - 2j]
    assert numpy.conjugate(np.array(z)).tolist() == [1 - 2j]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod"])
def test_floats_are_changed_in_place_as_numpy_changes_them(name, dtype):
    values, by = numpy.array([-3.5, 0.0, 2.25, 7.0], dtype), numpy.array([2.0, -1.5, 0.5, -4.0], dtype)
    change = getattr(operator, f"i{name}")
    for other in (1.5, 2, by):
        x, wanted = np.array(values, dtype=dtype), values.copy()
        part, of_x = wanted[1:], x[1:]
        change(part, other[1:] if other is by else other)
        assert change(of_x, np.array(other[1:], dtype=dtype) if other is by else other) is of_x
        assert x.dtype == wanted.dtype
        numpy.testing.assert_array_equal(x.asnumpy(), wanted)

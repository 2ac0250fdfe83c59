"""gcd and lcm: NumPy's values, imperatively and in programs."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize.array import np
from hybridize.base.errors import DTypeError
from hybridize.capture import Function

COMPILED = {name: Function(getattr(np, name)) for name in ("gcd", "lcm")}


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64"])
@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_values(name, dtype):
    ends = numpy.iinfo(dtype)
    values = [
        0,
        1,
        2,
        12,
        18,
        35,
        97,
        100,
        ends.max,
        ends.max - 1,
        *((-4, -18, -97, ends.min + 1, ends.min) if ends.min else ()),
    ]
    x = numpy.array(values, dtype)
    left, right = np.array(x[:, None], dtype=dtype), np.array(x[None], dtype=dtype)
    expected = getattr(numpy, name)(x[:, None], x[None])
    for function in (getattr(np, name), COMPILED[name]):
        found = function(left, right)
        assert found.dtype == expected.dtype
        assert found.tolist() == expected.tolist()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.integers(-(2**62), 2**62), min_size=3, max_size=3), st.integers(-(2**31), 2**31))
def test_any_integers(values, other):
    x = numpy.array(values)
    assert COMPILED["gcd"](np.array(values, dtype="int64"), other).tolist() == numpy.gcd(x, other).tolist()


def test_of_floats_it_is_refused():
    for function in COMPILED.values():
        with pytest.raises(DTypeError, match="E205"):
            function(np.array([1.0]), np.array([2.0]))

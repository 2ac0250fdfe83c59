# SPDX-License-Identifier: Apache-2.0
"""Zeros keep the sign that NumPy gives them."""

import numpy
import pytest

from hybridize import hybridize, np


def signs(x):
    return numpy.signbit(x.asnumpy() if hasattr(x, "asnumpy") else x).tolist()


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_larger_of_two_zeros(name, dtype):
    x = numpy.array([-0.0, 0.0] * 16, dtype)  # whole vectors: NumPy's own scalar ends differ
    compiled = hybridize(lambda a, b: getattr(np, name)(a, b))(np.array(x), np.array(-x))
    assert signs(compiled) == signs(getattr(numpy, name)(x, -x))


@pytest.mark.parametrize("shape", [(1,), (3, 1), (1, 4), (2,)])
@pytest.mark.parametrize("name", ["sum", "mean", "median"])
def test_the_sum_of_negative_zeros(name, shape):
    x = numpy.full(shape, -0.0, "float32")
    for axis in (None, 0, -1):
        compiled = hybridize(lambda a, axis=axis: getattr(np, name)(a, axis))(np.array(x))
        assert signs(compiled) == signs(getattr(numpy, name)(x, axis))


@pytest.mark.parametrize("limits", [(0.0, 6.0), (-1.0, 0.0), (-0.0, 2.0), (-3.0, 3.0), (0.0, None), (None, 0.0)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_clip_keeps_nan_and_the_sign_of_zero(limits, dtype):
    x = numpy.array([-0.0, 0.0, numpy.nan, -5, 7, numpy.inf, -numpy.inf, 0.5] * 16, dtype)
    low, high = limits
    wanted = numpy.clip(x, low, high)
    for function in (lambda a: np.clip(a, low, high), hybridize(lambda a: np.clip(a, low, high))):
        found = function(np.array(x)).asnumpy()
        numpy.testing.assert_array_equal(found, wanted)
        if dtype != "float16" and None not in limits:  # NumPy has other loops for halves, and for one limit
            assert signs(found) == signs(wanted)

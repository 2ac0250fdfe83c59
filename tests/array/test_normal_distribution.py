# SPDX-License-Identifier: Apache-2.0
"""The logarithm of the normal distribution's lower part and the scaled error function: SciPy's values and slopes."""

import math

import numpy
import pytest
from scipy import special

from hybridize import autograd, hybridize, np, npx

POINTS = numpy.concatenate([-numpy.logspace(-6, 1.4, 30), numpy.logspace(-6, 9, 40), [0.0, 0.5, -1.0, 1.0, 0.7071]])
OF = {
    "erfcx": (POINTS, special.erfcx, lambda x: 2 * x * special.erfcx(x) - 2 / math.sqrt(math.pi)),
    "log_ndtr": (-POINTS, special.log_ndtr, lambda x: math.sqrt(2 / math.pi) / special.erfcx(-x * math.sqrt(0.5))),
}


def value_and_slope(name, x, compiled):
    function = getattr(npx, name)
    x.attach_grad()
    with autograd.record():
        y = hybridize(lambda x: function(x))(x) if compiled else function(x)
    y.backward()
    return y, x.grad.asnumpy()


@pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "compiled"])
@pytest.mark.parametrize("name", OF)
def test_values_and_slopes_are_exact_where_they_are_tiny_or_huge(name, compiled):
    points, value, slope = OF[name]
    for dtype, most in (("float64", 1e-12), ("float32", 3e-6)):
        x = (points if dtype == "float64" else points[abs(points) < 9]).astype(dtype).astype("float64")
        y, gradient = value_and_slope(name, np.array(x, dtype=dtype), compiled)
        assert y.dtype == dtype
        numpy.testing.assert_allclose(y.asnumpy(), value(x), rtol=most)
        plain = abs(x) < 100  # SciPy's slope of erfcx is a difference of equal numbers beyond
        numpy.testing.assert_allclose(gradient[plain], slope(x)[plain], rtol=10 * most)


@pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "compiled"])
def test_infinities_have_limits_and_slopes(compiled):
    ends = [-math.inf, math.inf, -1e300]
    for name, values, slopes in (
        ("erfcx", [math.inf, 0, math.inf], [-math.inf, 0, -math.inf]),
        ("log_ndtr", [-math.inf, 0, -math.inf], [math.inf, 0, 1e300]),
    ):
        y, gradient = value_and_slope(name, np.array(ends, dtype="float64"), compiled)
        assert y.tolist() == values
        assert gradient.tolist() == pytest.approx(slopes, rel=1e-15)
        assert math.isnan(float(getattr(npx, name)(np.array(math.nan))))


@pytest.mark.parametrize("name", OF)
def test_second_slopes_are_those_of_differences(name):
    x = np.array([-3.0, -1.2, -0.3, 0.2, 0.9, 4.0], dtype="float64")
    x.attach_grad()
    with autograd.record():
        slope = autograd.grad(getattr(npx, name)(x), x, create_graph=True)
        total = slope[0].sum() if isinstance(slope, list) else slope.sum()
    total.backward()
    up, down = (value_and_slope(name, x.detach() + step, False)[1] for step in (1e-6, -1e-6))
    numpy.testing.assert_allclose(x.grad.asnumpy(), (up - down) / 2e-6, rtol=1e-6)


def test_integers_and_short_floats():
    assert npx.log_ndtr(np.array([0, 1], dtype="int32")).dtype == "float32"
    short = npx.erfcx(np.array([0.25, 3.0, -2.0], dtype="float16"))
    assert short.asnumpy().tolist() == special.erfcx([0.25, 3.0, -2.0]).astype("float16").tolist()

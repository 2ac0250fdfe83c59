"""When two results are the same."""

import numpy
import pytest

from hybridize.base.comparison import difference, largest


def test_rounding_is_no_difference():
    x = numpy.linspace(0.1, 1, 7, dtype="f4")
    assert difference(x * numpy.float32(1 + 1e-6), x) == ""


@pytest.mark.parametrize(
    ("found", "expected", "said"),
    [
        (numpy.float32([1, 2]), numpy.float32([1, 2.1]), "1 of 2 elements, first at [1]: 2.0 for 2.0999"),
        (numpy.float32([1, numpy.nan]), numpy.float32([1, 2]), "first at [1]: nan for 2.0"),
        (numpy.float32([numpy.inf]), numpy.float32([numpy.nan]), "inf for nan"),
        (numpy.int32([3]), numpy.int32([4]), "3 for 4"),
        (numpy.float32([1]), numpy.float64([1]), "float32[1] for float64[1]"),
        (numpy.zeros((2, 1), "f4"), numpy.zeros(2, "f4"), "float32[2, 1] for float32[2]"),
    ],
)
def test_what_differs_is_named(found, expected, said):
    assert said in difference(found, expected)


def test_nan_and_infinity_are_values():
    x = numpy.float32([numpy.nan, numpy.inf, -numpy.inf])
    assert difference(x.copy(), x) == ""


def test_largest_difference_is_of_finite_elements():
    assert largest(numpy.float32([1, numpy.inf, 5]), numpy.float32([1.5, 2, 5])) == 0.5
    assert largest(numpy.zeros((0, 3)), numpy.zeros((0, 3))) == 0.0

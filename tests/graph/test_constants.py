"""A constant is one number where all of its elements are, bit for bit."""

import numpy
import pytest

from hybridize.base.dtypes import bfloat16
from hybridize.graph.constants import one_number

DTYPES = ["bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64", bfloat16]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (2,), (3, 5)], ids=str)
def test_all_elements_are_one(dtype, shape):
    array = numpy.full(shape, 1, dtype)
    found = one_number(array, 15)
    assert (found.dtype, float(found)) == (array.dtype, 1.0)
    for position in range(array.size) if array.size > 1 else ():
        other = array.copy()
        other.reshape(-1)[position] = 0
        assert one_number(other, 15) is None


@pytest.mark.parametrize("array", [numpy.ones((0,)), numpy.ones((4, 4)), numpy.array([0.0, -0.0])], ids=str)
def test_none_many_and_zeros_of_two_signs(array):
    assert one_number(array, 15) is None


def test_nan_and_views():
    assert numpy.isnan(one_number(numpy.full(4, numpy.nan), 15))
    wide = numpy.arange(6.0).reshape(2, 3)
    wide[:, 1] = 7
    assert one_number(wide[:, 1], 15) == 7
    assert one_number(wide.T, 15) is None

"""Operands of products whose rows lie badly: they are copied first, and the results are the same."""

import numpy
import pytest

import hybridize
from hybridize import np


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int8"])
@pytest.mark.parametrize(
    ("m", "n", "k"),
    [(1024, 40, 70), (1000, 100, 65), (48, 512, 80), (30, 129, 66), (515, 300, 129), (6, 1001, 67), (2, 700, 2000)],
)
def test_operands_of_rows_that_lie_badly(m, n, k, dtype):
    @hybridize.hybridize
    def products(x, xt, w):
        return np.dot(x, w), np.dot(xt.T, w)

    rng = numpy.random.default_rng(m)
    x, w = rng.integers(-2, 3, (m, k)), rng.integers(-2, 3, (k, n))
    exact = (x @ w).astype(dtype)
    for found in products(*(np.array(one.astype(dtype)) for one in (x, numpy.ascontiguousarray(x.T), w))):
        numpy.testing.assert_array_equal(found.asnumpy(), exact)

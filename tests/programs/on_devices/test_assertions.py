"""Assertions of compiled functions over arrays of a device: the CPU's errors at the user's line, state as before."""

import numpy
import pytest

from hybridize import gpu, hybridize, np
from hybridize.errors import HybridizeError, OutOfBoundsError


def there(x, dtype="float32"):
    return np.array(x, dtype=dtype, ctx=gpu(0))


@hybridize
def taken(x, i):
    return x[i] * 2


def test_an_index_out_of_bounds_is_the_cpu_s_error():
    x = numpy.arange(10.0, dtype="float32")
    for _ in range(4):  # also from a graph
        numpy.testing.assert_array_equal(taken(there(x), there([1, -2], "int64")).asnumpy(), [2, 16])
        with pytest.raises(OutOfBoundsError) as expected:
            taken(np.array(x), np.array([1, 20], dtype="int64"))
        with pytest.raises(OutOfBoundsError) as found:
            taken(there(x), there([1, 20], "int64"))
        assert (found.value.what, found.value.code) == (expected.value.what, expected.value.code)


def test_state_is_as_before_where_an_assertion_fails():
    state = there([1.0, 2.0])

    @hybridize
    def step(x):
        state[:] = state + x
        assert (x > 0).all(), "all are positive"
        return state * 2

    step(there([1.0, 1.0]))
    with pytest.raises(AssertionError, match="all are positive"):
        step(there([-1.0, 1.0]))
    numpy.testing.assert_array_equal(state.asnumpy(), [2, 3])
    numpy.testing.assert_array_equal(step(there([1.0, 1.0])).asnumpy(), [6, 8])


def test_an_assertion_within_a_loop():
    @hybridize
    def halved(x):
        while np.abs(x).max() > 1:
            x = x / 2
            assert x.sum() > 0, "the sum is positive"
        return x

    numpy.testing.assert_array_equal(halved(there([8.0, 4.0])).asnumpy(), [1, 0.5])
    with pytest.raises(AssertionError, match="the sum is positive"):
        halved(there([-8.0, 4.0]))


def test_routines_of_a_function():
    @hybridize
    def several(x):
        return np.sort(x), np.argsort(-x), np.cumsum(x), np.linalg.inv(x.reshape(2, 2))

    x = numpy.array([3.0, 1, 2, 4], "float32")
    for one, other in zip(several(there(x)), several(np.array(x)), strict=True):
        assert one.device == gpu(0)
        numpy.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_a_singular_matrix_is_refused():
    inverse = hybridize(lambda x: np.linalg.inv(x))
    zeros = numpy.zeros((2, 2), "float32")
    with pytest.raises(HybridizeError) as expected:
        inverse(np.array(zeros))
    with pytest.raises(HybridizeError) as found:
        inverse(there(zeros))
    assert found.value.code == expected.value.code

"""Arguments and globals over one memory: what is written is seen by those who share its elements, and by nobody else."""

import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.errors import CaptureError


def first(x):
    """Two views of x whose elements lie between each other's."""
    return x[:, :2], x[:, 2:]


INTERLEAVED = {
    "columns": lambda x: (x[:, :2], x[:, 2:]),
    "every other": lambda x: (x.reshape(-1)[0::2].reshape(4, 2), x.reshape(-1)[1::2].reshape(4, 2)),
    "halves": lambda x: (x[:2], x[2:]),
    "backwards": lambda x: (x[::-1, :2], x[:, 2:][::-1]),
}


def update(a, b):
    a[...] = a + 2.0 * b
    return a.sum()


def fresh():
    return np.array(numpy.arange(16.0).reshape(4, 4)[:, :4])


@pytest.mark.parametrize("name", INTERLEAVED)
def test_views_that_share_no_element_are_two_arrays(name):
    compiled = hybridize.hybridize(update)
    x, y = fresh(), fresh()
    for _ in range(4):
        assert float(compiled(*INTERLEAVED[name](x))) == float(update(*INTERLEAVED[name](y)))
        numpy.testing.assert_array_equal(x.asnumpy(), y.asnumpy())
    assert compiled.cache_info().programs == 1


def test_a_program_of_views_that_share_nothing_is_not_for_those_that_share_elements():
    compiled = hybridize.hybridize(update)
    x = fresh()
    compiled(x[:, :2], x[:, 2:])
    compiled(x[:, :2], x[:, 2:])
    with pytest.raises(CaptureError, match="E446"):
        compiled(x[:, :2], x[:, 1:3])
    with pytest.raises(CaptureError, match="E446"):
        compiled(x[1:3, :2], x[:2, :2])
    before = x.asnumpy()
    compiled(x[:, :2], x[:, 2:])
    numpy.testing.assert_array_equal(x.asnumpy()[:, :2], before[:, :2] + 2 * before[:, 2:])


STATE = fresh()
LEFT, RIGHT = STATE[:, :2], STATE[:, 2:]


def step(x):
    LEFT[...] = LEFT + x * RIGHT
    return RIGHT + 0.0


def test_globals_that_are_views_of_one_array_are_two_arrays_where_they_share_nothing():
    compiled = hybridize.hybridize(step)
    wanted = STATE.asnumpy()
    for number in (1.0, 2.0, 3.0):
        found = compiled(np.array(number))
        wanted[:, :2] += number * wanted[:, 2:]
        numpy.testing.assert_array_equal(STATE.asnumpy(), wanted)
        numpy.testing.assert_array_equal(found.asnumpy(), wanted[:, 2:])
    with pytest.raises(CaptureError, match="E446"):
        hybridize.hybridize(lambda x: (step(x), STATE.sum()))(np.array(1.0))
    found = compiled(STATE[:, 2:])  # an argument over what is read alone
    wanted[:, :2] += wanted[:, 2:] * wanted[:, 2:]
    numpy.testing.assert_array_equal(STATE.asnumpy(), wanted)
    assert found.shape == (4, 2)

"""Large arrays begin on a cache line, which kernels that wait for memory need to be fast; nothing else changes."""

import gc
import sys

import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.runtime.buffers import ALIGNMENT, LARGE

SIDE = 200
assert SIDE * SIDE * 4 >= LARGE


def data(x):
    return numpy.asarray(x)


@pytest.mark.parametrize("make", [np.zeros, np.ones, lambda shape: np.array(numpy.ones(shape, "f4"))])
def test_made_arrays(make):
    kept = [make((SIDE, SIDE)) for _ in range(5)]
    assert all(data(x).ctypes.data % ALIGNMENT == 0 for x in kept)
    assert data(kept[0]).flags.writeable and data(kept[0]).flags.c_contiguous


def test_a_copy_of_an_array_in_another_order_keeps_it():
    source = numpy.asfortranarray(numpy.random.standard_normal((SIDE, SIDE)).astype("f4"))
    numpy.testing.assert_array_equal(data(np.array(source)), source)


def test_results_of_programs():
    program = hybridize.hybridize(lambda x: (x + 1, x * 2))
    x = np.ones((SIDE, SIDE))
    kept = [program(x) for _ in range(5)]
    for y, z in kept:
        assert data(y).ctypes.data % ALIGNMENT == data(z).ctypes.data % ALIGNMENT == 0
        assert (data(y) == 2).all() and (data(z) == 2).all()
    y = data(kept[0][0])
    assert y.flags.writeable and y.flags.aligned and y.flags.c_contiguous and y.shape == (SIDE, SIDE)
    owner = y.base
    del kept
    gc.collect()
    assert sys.getrefcount(owner) == 3  # y's, the name's, the argument's: it goes when y goes

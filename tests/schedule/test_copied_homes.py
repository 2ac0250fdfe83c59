"""Copies from one home into another: all elements come there once, by loops that read lines of memory once."""

import itertools

import numpy
import pytest

from hybridize.base.dtypes import float16, float32
from hybridize.loops.interpret import interpret
from hybridize.machine.target import named_target
from hybridize.schedule.contraction.copies import into_home
from hybridize.schedule.homes import ordered

AVX512 = named_target("avx512")


def loops_of(kernel):
    """The turns of the loops of each nest, slowest first."""
    return [[axis.size for axis in nest.bodies[0].axes] for nest in kernel.nests]


def test_a_gradient_by_a_weight_is_turned_by_lines():
    """Its last axes are a window of a few elements; outputs lie close together where it comes from."""
    shape = (40, 24, 3, 3)
    old, new = ordered(shape, (2, 3, 1, 0)), ordered(shape, (0, 1, 2, 3))
    kernel = into_home(shape, (old, float32), (new, float32), AVX512)
    assert loops_of(kernel) == [[2, 24, 9, 16], [24, 9, 8]]


def test_axes_that_lie_as_one_in_both_are_one():
    """Then the last may be long enough for squares that are turned in registers."""
    shape = (2, 32, 7, 7)
    old, new = ordered(shape, (0, 2, 3, 1)), ordered(shape, (0, 1, 2, 3))
    assert loops_of(into_home(shape, (old, float32), (new, float32), AVX512)) == [[2, 32, 49]]
    shape = (64, 48, 1, 1)
    old, new = ordered(shape, (2, 3, 1, 0)), ordered(shape, (0, 1, 2, 3))
    assert loops_of(into_home(shape, (old, float32), (new, float32), AVX512)) == [[64, 48]]


@pytest.mark.parametrize("dtypes", [(float32, float32), (float16, float32)])
@pytest.mark.parametrize("shape", [(33, 2, 3, 2), (16, 3, 2, 1), (5, 1, 2, 3), (1, 1, 1, 1), (2, 17, 3, 19)])
def test_all_elements_come_there(shape, dtypes):
    of, to = dtypes
    value = numpy.arange(numpy.prod(shape)).reshape(shape) % 1999  # which short floats hold
    for before, after in itertools.product(itertools.permutations(range(4)), [(0, 1, 2, 3), (3, 1, 0, 2)]):
        halo = ((0, 0), (1, 2), (0, 0), (0, 1))
        old, new = ordered(shape, before), ordered(shape, after, halo)
        source = numpy.ascontiguousarray(value.transpose(before)).reshape(-1).astype(of)
        target = numpy.full(new.elements, 7).astype(to)
        interpret(into_home(shape, (old, of), (new, to), AVX512), [target, source])
        inside = numpy.lib.stride_tricks.as_strided(
            target[new.offset :], shape, [stride * target.itemsize for stride in new.strides]
        )
        numpy.testing.assert_array_equal(inside, value)
        assert target.sum() == value.sum()

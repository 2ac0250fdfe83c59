"""Copies from one home into another: all elements come there once, by loops that read lines of memory once."""

import functools
import itertools

import numpy
import pytest
import torch

from hybridize.base.dtypes import float16, float32
from hybridize.base.types import TensorType
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import make_graph, pullback
from hybridize.ops.convolution import convolution
from hybridize.schedule.contraction.copies import into_home
from hybridize.schedule.homes import ordered
from tests.loops.interpret import interpret

AVX512 = named_target("avx512")


def drawn(shape, seed=0):
    return numpy.random.default_rng(seed).normal(size=shape).astype("f4")


def loops_of(kernel):
    """The turns of the loops of each nest, slowest first."""
    return [[axis.size for axis in nest.bodies[0].axes] for nest in kernel.nests]


def test_a_gradient_by_a_weight_is_turned_in_squares():
    """Its last axes are a window of a few elements, which with the channels are one run; outputs lie close together
    where it comes from. What squares leave of a run is less than a vector.
    """
    shape = (40, 24, 3, 3)
    old, new = ordered(shape, (2, 3, 1, 0)), ordered(shape, (0, 1, 2, 3))
    kernel = into_home(shape, (old, float32), (new, float32), AVX512)
    assert loops_of(kernel) == [[13, 40, 16], [1, 40, 8]]
    assert "i1 < 40 in tiles of 16" in str(kernel)


def test_short_floats_are_turned_by_lines():
    """They are no elements of a square whose other side is wider."""
    shape = (40, 24, 3, 3)
    old, new = ordered(shape, (2, 3, 1, 0)), ordered(shape, (0, 1, 2, 3))
    kernel = into_home(shape, (old, float16), (new, float32), AVX512)
    assert loops_of(kernel) == [[1, 24, 9, 32], [24, 9, 8]]


def test_images_of_a_gradient_are_turned_too():
    """An axis outside of the run and of the squares."""
    shape = (2, 40, 3, 5, 3)
    old, new = ordered(shape, (0, 3, 4, 2, 1)), ordered(shape, (0, 1, 2, 3, 4))
    value = numpy.arange(numpy.prod(shape), dtype="f4").reshape(shape)
    kernel = into_home(shape, (old, float32), (new, float32), AVX512)
    assert loops_of(kernel) == [[2, 2, 40, 16], [2, 1, 40, 13]]
    target = numpy.zeros(new.elements, "f4")
    interpret(kernel.elements, [target, numpy.ascontiguousarray(value.transpose(0, 3, 4, 2, 1)).reshape(-1)])
    numpy.testing.assert_array_equal(target.reshape(shape), value)


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
        interpret(into_home(shape, (old, of), (new, to), AVX512).elements, [target, source])
        inside = numpy.lib.stride_tricks.as_strided(
            target[new.offset :], shape, [stride * target.itemsize for stride in new.strides]
        )
        numpy.testing.assert_array_equal(inside, value)
        assert target.sum() == value.sum()


WINDOWS = [((33, 17, 3, 3), 1), ((16, 3, 7, 7), 2), ((64, 8, 2, 2), 2)]


@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize(("shape", "groups"), WINDOWS)
def test_weights_that_calls_bring_and_gradients_by_them(shape, groups, target):
    """Packed, turned around, and their gradient brought into the order of its axes: all by machine code."""
    image = torch.from_numpy(drawn((2, shape[1] * groups, 11, 14)))
    weights = torch.from_numpy(drawn(shape, 1))
    function = functools.partial(torch.nn.functional.conv2d, stride=(1, 2), padding=1, groups=groups)
    image.requires_grad_(), weights.requires_grad_()
    wanted = function(image, weights)
    above = torch.from_numpy(drawn(tuple(wanted.shape), 2))
    wanted.backward(above)

    arrays = [image.detach().numpy(), weights.detach().numpy(), above.numpy()]
    kinds = [TensorType(one.shape, float32) for one in arrays]
    forward = make_graph(lambda x, w: [convolution(x, w, strides=(1, 2), padding=1, groups=groups)], kinds[:2])

    def step(x, w, g):
        return [convolution(x, w, strides=(1, 2), padding=1, groups=groups), *pullback(forward, [x, w], [g])]

    graph = make_graph(step, kinds)
    found = compiled(graph, named_target(target)).run(arrays)
    for one, other in zip(found, (wanted.detach(), image.grad, weights.grad), strict=True):
        numpy.testing.assert_allclose(one, other.numpy(), rtol=1e-4, atol=2e-4)

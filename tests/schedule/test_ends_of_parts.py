# SPDX-License-Identifier: Apache-2.0
"""Convolutions that store parts of a concatenation, each with an epilogue of its own."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridize
from hybridize import np, npx
from hybridize.gluon import nn

ENDS = {
    "nothing": lambda y: y,
    "relu": npx.relu,
    "relu6": lambda y: np.clip(y, 0, 6),
    "scaled": lambda y: npx.relu(y * 1.5 + 0.25),
    "silu": lambda y: npx.activation(y, "silu"),
}


class Branches(nn.HybridBlock):
    """Convolutions and pooling of one image, their ends before and after they are joined."""

    def __init__(self, branches, inner, outer, norm, skip):
        super().__init__()
        self.layers = nn.HybridSequential()
        for channels, window in branches:
            self.layers.add(nn.Conv2D(channels, window, padding=window // 2))
        self.inner, self.outer, self.skip = ENDS[inner], ENDS[outer], skip
        self.norm = nn.BatchNorm() if norm else None
        self.last = nn.Conv2D(16, 3, padding=1)

    def parts(self, x):
        found = [self.inner(layer(x)) for layer in self.layers]
        return [*found, x] if self.skip else found

    def joined(self, x):
        y = np.concatenate(self.parts(x), axis=1)
        return self.outer(y if self.norm is None else self.norm(y))

    def forward(self, x):
        return self.last(self.joined(x))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([3, 16, 24, 32]), st.sampled_from([1, 3, 5])), min_size=1, max_size=4),
    st.sampled_from(sorted(ENDS)),
    st.sampled_from(sorted(ENDS)),
    st.booleans(),
    st.booleans(),
    st.sampled_from([(1, 16, 7, 9), (3, 16, 4, 4), (2, 5, 8, 3)]),
)
def test_random_branches_are_those_of_imperative_code(branches, inner, outer, norm, skip, shape):
    net = Branches(branches, inner, outer, norm, skip)
    net.initialize()
    x = np.array(numpy.random.default_rng(1).standard_normal(shape).astype(numpy.float32))
    wanted = net(x).asnumpy()
    net.hybridize()
    numpy.testing.assert_allclose(net(x).asnumpy(), wanted, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("outer", ["relu", "scaled"])
@pytest.mark.parametrize("threads", [1, 2])
def test_each_part_has_its_own_epilogue_and_the_bits_of_a_convolution_alone(outer, threads):
    net = Branches([(16, 1), (32, 3), (48, 5)], "relu", outer, False, False)
    net.initialize()
    x = np.array(numpy.random.default_rng(2).standard_normal((1, 16, 14, 14)).astype(numpy.float32))
    whole, parts = (hybridize.hybridize(method, threads=threads) for method in (net.joined, net.parts))
    found = whole(x).asnumpy()
    alone = numpy.concatenate([ENDS[outer](part).asnumpy() for part in parts(x)], axis=1)
    numpy.testing.assert_array_equal(found, alone)
    net(x)
    net.hybridize()
    net(x)
    kinds = [line.partition(": ")[2] for line in net.program(x).schedule().splitlines() if line[:1].isdigit()]
    loops = [kind for kind in kinds if kind.startswith("loops") and "border" not in kind and "copy" not in kind]
    assert loops == [], "the parts are stored finished"


@pytest.mark.parametrize("shapes", [[(1, 16, 9, 9), (1, 16, 12, 7), (1, 16, 30, 30)], [(1, 16, 8, 8), (4, 16, 8, 8)]])
def test_sizes_that_only_calls_know(shapes):
    net = Branches([(16, 1), (32, 3)], "relu", "scaled", True, True)
    net.initialize()
    images = [np.array(numpy.random.default_rng(3).standard_normal(s).astype(numpy.float32)) for s in shapes]
    wanted = [net(x).asnumpy() for x in images]
    net.hybridize()
    for x, expected in zip(images, wanted, strict=True):
        numpy.testing.assert_allclose(net(x).asnumpy(), expected, rtol=2e-4, atol=2e-4)

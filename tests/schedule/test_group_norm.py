"""Groups of channels of an image that lies channels last: statistics are rows of memory, and nothing is gathered."""

import re

import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import float32
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate
from tests.schedule.tiles import LEVELS, graph_of, numbers


def case(groups, batch=1, channels=96, pixels=14):
    """A convolution, whose result lies channels last, its norm, and a convolution that reads that channels last."""

    def function(x, w, gamma, beta, v):
        return [ops.convolution(composites.group_norm(ops.convolution(x, w), gamma, beta, groups), v)]

    x, w = numbers((batch, 32, pixels + 2, pixels + 2), float32), numbers((channels, 32, 3, 3), float32)
    gamma, beta = numbers((channels,), float32), numbers((channels,), float32)
    inputs = [x, w, gamma, beta, numbers((32, channels, 3, 3), float32)]
    return graph_of(function, *inputs), inputs


@pytest.mark.parametrize("groups", [1, 8, 32])
@pytest.mark.parametrize("batch", [1, 3])
def test_statistics_are_read_as_they_lie(groups, batch):
    graph, inputs = case(groups, batch)
    text = str(scheduled(graph, named_target("avx512")))
    assert not re.search(r"floordiv\(v\d", text)  # an element of a sum is found without a division
    assert re.search(r"i\d < 96 in \d+", text)  # channels are in vectors, where the norm is written
    for level in LEVELS:
        for found, wanted in zip(
            compiled(graph, named_target(level)).run(inputs), evaluate(graph, inputs), strict=True
        ):
            numpy.testing.assert_allclose(found, wanted, rtol=0, atol=2e-5 * abs(wanted).max())

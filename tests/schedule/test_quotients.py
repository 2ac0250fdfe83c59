"""Flattened images behind poolings and functions: their loops are turned in registers, and each value is right."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dtypes import float16, float32, float64
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate
from hybridize.schedule import thresholds
from tests.schedule.tiles import LEVELS, graph_of, numbers


def flattened(kind, window, strides):
    """A convolution, whose result lies channels last, a pooling or a function of it, and the product of it flattened.

    Weights are inputs like any others, so that no call finds them permuted: as in a step of training.
    """

    def function(x, w, v):
        y = ops.convolution(x, w)
        if kind == "max":
            y = ops.window_max(y, (1, 1, *window), (1, 1, *strides), (0,) * 4, (0,) * 4)
        elif kind == "relu":
            y = composites.relu(y)
        elif kind == "both":
            y = ops.add(composites.relu(y), ops.mul(y, y))
        shape = ops.type_of(y).shape
        flat = ops.reshape(y, (shape[0], shape[1] * shape[2] * shape[3]))
        return [ops.matmul(flat, v, False, True), flat]

    return function


def case(batch, channels, rows, columns, kind, window=(2, 2), strides=(2, 2), dtype=float32):
    x, w = numbers((batch, 2, rows + 2, columns + 2), dtype), numbers((channels, 2, 3, 3), dtype)
    high, wide = rows, columns
    if kind == "max":
        high, wide = ((size - one) // by + 1 for size, one, by in zip((rows, columns), window, strides, strict=True))
    v = numbers((3, channels * high * wide), dtype)
    return graph_of(flattened(kind, window, strides), x, w, v), [x, w, v]


def check(graph, inputs, level):
    rtol = {float16: 2e-2, float32: 2e-5, float64: 1e-11}[inputs[0].dtype]
    for found, wanted in zip(compiled(graph, named_target(level)).run(inputs), evaluate(graph, inputs), strict=True):
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        scale = max(1.0, float(numpy.abs(wanted.astype("f8")).max(initial=0)))
        numpy.testing.assert_allclose(found.astype("f8"), wanted.astype("f8"), rtol=0, atol=rtol * scale)


@pytest.mark.parametrize("channels", [16, 48])
def test_a_flattened_pooling_is_turned_in_registers(channels):
    """As in LeNet's step: 25 pixels are a whole square and one of nine rows, and nothing is gathered."""
    graph, inputs = case(4, channels, 10, 10, "max")
    text = str(scheduled(graph, named_target("avx512")))
    assert f"i1 < {channels} in tiles of 16" in text
    assert "left a tile of 9" in text
    for level in LEVELS:
        check(graph, inputs, level)


@settings(max_examples=20, deadline=None)
@given(
    st.integers(1, 5),
    st.sampled_from([1, 3, 8, 16, 17, 32, 40]),
    st.integers(2, 13),
    st.integers(2, 13),
    st.sampled_from(["max", "relu", "both", "none"]),
    st.sampled_from([((2, 2), (2, 2)), ((1, 2), (1, 1)), ((2, 1), (1, 2))]),
    st.sampled_from([float32, float32, float64, float16]),
    st.sampled_from(LEVELS),
)
def test_any_flattened_image(batch, channels, rows, columns, kind, windows, dtype, level):
    check(*case(batch, channels, rows, columns, kind, *windows, dtype), level)


def test_nests_that_lie_apart_share_one_loop(monkeypatch):
    """An image is copied and the zeros around it stored in one loop over images; what is read in between is not."""
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)

    def function(x, w):
        return [ops.convolution(x, w, 1, 2)]

    graph = graph_of(function, numbers((64, 1, 28, 28)), numbers((6, 1, 5, 5)))
    assert "share i0 by 1 in 5 nests" in str(scheduled(graph, named_target("avx512"), slots=2))


def test_what_the_next_nest_reads_is_not_stored_beside_it(monkeypatch):
    monkeypatch.setattr(thresholds, "WORTH_US", 0.0)

    def function(x):
        y = ops.exp(x)
        return [ops.matmul(y, y), ops.sum(y, (1,))]

    graph = graph_of(function, numbers((64, 64)))
    for step in scheduled(graph, named_target("avx512"), slots=2).steps:
        assert step.split is not None
        assert all(loop is None or loop.nests == 1 for loop in step.split.loops)

"""What a backward pass reads of the forward one is computed again where that takes less memory; bits stay."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import composites, make_graph
from hybridize.ops.evaluate import evaluate
from hybridize.passes import PIPELINE, EliminateDead, KeepLess, Pipeline
from hybridize.passes import kept as module

WITHOUT = Pipeline(*(one for one in PIPELINE.passes if not isinstance(one, KeepLess)))

FUNCTIONS = {
    "gelu": composites.gelu,
    "silu": lambda x: ops.mul(x, ops.sigmoid(x)),
    "softplus": lambda x: ops.log(ops.add(ops.exp(x), ops.like(1.0, x))),
    "scaled": lambda x: ops.mul(ops.mul(x, ops.like(0.5, x)), ops.tanh(ops.mul(x, ops.like(0.7, x)))),
    "squared": lambda x: ops.mul(ops.mul(x, x), ops.mul(x, ops.like(0.1, x))),
}


def f32(*shape):
    return TensorType(shape, float32)


def step_of(functions, batch, width):
    """Dense layers with functions between them, and the gradients by all weights."""
    types = [f32(batch, width)] + [f32(width, width)] * len(functions)

    def net(x, *weights):
        for function, weight in zip(functions, weights, strict=True):
            x = ops.add(x, FUNCTIONS[function](ops.matmul(x, weight, False, True)))
        return [x]

    made = make_graph(net, types)

    def step(*xs):
        (y,) = ops.gradient.apply(made, list(xs))
        return [y, *ops.pullback(made, list(xs), [ops.mul(y, y)])]

    return make_graph(step, types)


def inputs_of(graph, seed):
    rng = numpy.random.default_rng(seed)
    return [(rng.normal(size=value.type.shape) / 4).astype("f4") for value in graph.inputs]


@settings(max_examples=6, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(FUNCTIONS)), min_size=2, max_size=4),
    st.integers(1, 40),
    st.sampled_from([8, 17, 32]),
    st.integers(0, 1000),
)
def test_values_are_the_same_to_the_bit(functions, batch, width, seed):
    graph = step_of(functions, batch, width)
    limit, module._BYTES = module._BYTES, 1
    try:
        less = EliminateDead()(KeepLess()(WITHOUT.run(graph)))
    finally:
        module._BYTES = limit
    inputs = inputs_of(graph, seed)
    for one, other in zip(evaluate(less, inputs), evaluate(WITHOUT.run(graph), inputs), strict=True):
        numpy.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("function", ["gelu", "silu"])
def test_a_layer_keeps_what_goes_into_its_function_and_what_comes_out(function):
    """As PyTorch does: not what lies between."""
    batch, width, layers = 512, 512, 6
    graph = step_of([function] * layers, batch, width)
    target = named_target("avx512")
    less, more = (scheduled(one.run(graph), target).scratch_bytes for one in (PIPELINE, WITHOUT))
    assert more - less >= (layers - 2) * batch * width * 4
    inputs = inputs_of(graph, 0)
    for one, other in zip(
        compiled(PIPELINE.run(graph)).run(inputs), compiled(WITHOUT.run(graph)).run(inputs), strict=True
    ):
        numpy.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_what_is_read_soon_or_is_small_stays():
    def net(x, w):
        return [ops.matmul(ops.matmul(ops.matmul(composites.gelu(x), w), w), w)]

    forward = make_graph(net, [f32(512, 512)] * 2)
    for graph in (forward, step_of(["gelu"] * 4, 4, 32)):
        made = WITHOUT.run(graph)
        assert KeepLess()(made) is made


def test_nothing_is_computed_again_of_draws_or_sums():
    """Only what is elementwise in values that are there, or in one that is smaller than what it serves."""
    made = WITHOUT.run(step_of(["gelu"] * 4, 512, 512))
    less = EliminateDead()(KeepLess()(made))
    names, before = less.op_names(), made.op_names()
    for name in ("matmul", "sum", "contract"):
        assert names.count(name) == before.count(name)
    assert len(names) > len(before)


def test_what_windows_read_late_is_kept_as_it_is():
    """They read each element several times, so it is in memory for them; computed again it would be stored twice."""

    def net(x, w):
        y = composites.relu(x)
        z = ops.matmul(ops.matmul(ops.matmul(y, w), w), w)
        return [z, ops.window_arg_max(y, (2, 2), (2, 2), (0, 0), (0, 0))]

    made = WITHOUT.run(make_graph(net, [f32(512, 512)] * 2))
    assert KeepLess()(made) is made

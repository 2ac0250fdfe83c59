"""Masks of ReLUs that are asked of what is kept anyway: the same bits, and no mask that waits."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.ops import evaluate, make_graph
from hybridize.passes import MasksOfResults

KIND = TensorType((6, 6), float32)


def step(kept=True, late=0, shown=False, zero=0.0):
    """A ReLU, its result in a product that comes late or not at all, and its gradient."""

    def function(x, w):
        nothing = ops.full(zero, KIND)
        mask = ops.ge(nothing, x)
        y = ops.where(mask, nothing, x)
        z = ops.matmul(ops.exp(y), w)
        for _ in range(6):
            z = ops.matmul(z, w)
        weight = ops.matmul(y, z) if kept else z
        for _ in range(late):
            z = ops.matmul(z, w)
        return [ops.where(mask, nothing, z), weight, *([mask] if shown else [])]

    return make_graph(function, [KIND, KIND])


def test_the_result_is_asked_where_it_is_kept():
    graph = step()
    changed = MasksOfResults()(graph)
    masks = [node for node in changed.nodes if isinstance(node.op, ops.Ge)]
    assert len(masks) == 2 and masks[0].inputs[1] is graph.inputs[0]
    (y,) = (node.outputs[0] for node in changed.nodes if node.inputs[:1] == masks[0].outputs)
    assert masks[1].inputs[1] is y
    assert changed.nodes.index(masks[1]) > 8
    x = numpy.random.default_rng(0).normal(size=(6, 6)).astype("f4")
    x[:2, :4] = [[numpy.nan, -0.0, 0.0, numpy.inf], [-numpy.inf, 1e-45, -1e-45, -numpy.nan]]
    w = numpy.eye(6, dtype="f4")
    for one, other in zip(evaluate(graph, [x, w]), evaluate(changed, [x, w]), strict=True):
        numpy.testing.assert_array_equal(one.view("i4"), other.view("i4"))


@pytest.mark.parametrize("how", [{"kept": False}, {"late": 40}, {"shown": True}, {"zero": 1.0}])
def test_others_stay(how):
    """No product keeps the result, or not for long; the mask is an output; it is another cut than that of a ReLU."""
    graph = step(**how)
    assert MasksOfResults()(graph) is graph


def test_the_result_is_asked_where_windows_keep_it():
    """The gradient of a pooling looks for the largest elements of the result."""

    def function(x, w):
        nothing = ops.full(0.0, KIND)
        mask = ops.ge(nothing, x)
        y = ops.where(mask, nothing, x)
        z = y
        for _ in range(6):
            z = ops.matmul(z, w)
        largest = ops.window_arg_max(y, (2, 2), (2, 2), (0, 0), (0, 0))
        return [ops.where(mask, nothing, z), largest]

    graph = make_graph(function, [KIND, KIND])
    changed = MasksOfResults()(graph)
    assert sum(isinstance(node.op, ops.Ge) for node in changed.nodes) == 2
    x = numpy.random.default_rng(0).normal(size=(6, 6)).astype("f4")
    w = numpy.eye(6, dtype="f4")
    for one, other in zip(evaluate(graph, [x, w]), evaluate(changed, [x, w]), strict=True):
        numpy.testing.assert_array_equal(one, other)

"""Few elements of what is elementwise are computed of elements of its operands; bits stay."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import float32, int64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.machine.target import named_target
from hybridize.ops import composites, make_graph
from hybridize.ops.evaluate import evaluate
from hybridize.passes import PIPELINE, Pipeline, TakeFromOperands

WITHOUT = Pipeline(*(one for one in PIPELINE.passes if not isinstance(one, TakeFromOperands)))


def loss_of(rows, classes, axis):
    shape = (rows, classes) if axis == 1 else (classes, rows)
    labels = (rows, 1) if axis == 1 else (1, rows)

    def loss(x, bias, label):
        scores = composites.log_softmax(ops.add(x, ops.broadcast(bias, shape)), axis)
        return [ops.take_along_axis(scores, label, axis), ops.exp(scores)]

    return make_graph(loss, [TensorType(shape, float32), TensorType(shape[1:], float32), TensorType(labels, int64)])


@pytest.mark.parametrize("axis", [0, 1])
def test_a_loss_takes_its_labels_of_the_scores_as_they_came(axis):
    graph = loss_of(40, 30, axis)
    made, before = PIPELINE.run(graph), WITHOUT.run(graph)
    rng = numpy.random.default_rng(0)
    x, bias = (rng.normal(size=value.type.shape).astype("f4") for value in graph.inputs[:2])
    label = rng.integers(0, 30, graph.inputs[2].type.shape)
    for one, other in zip(evaluate(made, [x, bias, label]), evaluate(before, [x, bias, label]), strict=True):
        numpy.testing.assert_array_equal(one, other)
    assert made.op_names() != before.op_names()


def test_scores_less_their_sum_are_nowhere_as_a_whole():
    graph = loss_of(1024, 2000, 1)
    target = named_target("avx512")
    less, more = (scheduled(one.run(graph), target).scratch_bytes for one in (PIPELINE, WITHOUT))
    assert less * 10 < more


def test_what_is_taken_in_full_or_as_it_is_stays():
    def many(x, at):
        return [ops.take_along_axis(ops.exp(x), at, 1), ops.take_along_axis(x, at, 1)]

    graph = make_graph(many, [TensorType((8, 5), float32), TensorType((8, 5), int64)])
    made = WITHOUT.run(graph)
    assert TakeFromOperands()(made) is made

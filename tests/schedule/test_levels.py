"""Long sums are added in the order that their kernel says: in blocks of turns, and blocks of blocks."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float32, int32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import make_graph
from hybridize.passes import PIPELINE
from hybridize.schedule.kernel import FoldLevels, Nest
from hybridize.schedule.levels import levels_of

F32 = numpy.float32


def graph_of(function, shape, dtype=float32):
    return PIPELINE.run(make_graph(function, [TensorType(shape, dtype)]))


def nest_of(graph, target="avx2") -> Nest:
    (step,) = scheduled(graph, named_target(target)).steps
    (nest,) = step.kernel.nests
    return nest


def added(turns, blocks: tuple[int, ...]):
    """The sum of turns (arrays of the terms of one each) in this order."""
    total = numpy.zeros(turns.shape[1:], F32)
    if not blocks:
        for turn in turns:
            total = (total + turn).astype(F32)
        return total
    for first in range(0, len(turns), blocks[0]):
        total = (total + added(turns[first : first + blocks[0]], blocks[1:])).astype(F32)
    return total


def across(lanes):
    while len(lanes) > 1:
        lanes = (lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]).astype(F32)
    return lanes[0]


@pytest.mark.parametrize("size", [64, 1000, 2100, 5000, 70_000, 300_000])
def test_the_sum_of_a_row_has_the_bits_of_its_order(size):
    graph = graph_of(lambda x: [ops.sum(x, (0,))], (size,))
    nest = nest_of(graph)
    (fold,), lanes = nest.folds, nest.folds[0].lanes.step
    blocks = nest.levels[0].vectors if nest.levels else ()
    assert len(blocks) == sum(size // lanes > 2 * 32**level for level in (1, 2, 3))
    x = numpy.random.default_rng(size).normal(size=size).astype(F32)
    whole = size // lanes * lanes
    total = added(x[:whole].reshape(-1, lanes), blocks)
    if fold.lanes.rest:
        total[: size - whole] += x[whole:]
    (found,) = compiled(graph, named_target("avx2")).run([x])
    assert found == across(total)


@pytest.mark.parametrize("rows", [60, 100, 3000, 70_000])
def test_sums_of_columns_have_the_bits_of_their_order(rows):
    graph = graph_of(lambda x: [ops.sum(x, (0,))], (rows, 24))
    nest = nest_of(graph)
    assert not nest.folds, "a fold in the lanes of its row goes term by term"
    blocks = nest.levels[0].turns if nest.levels else ()
    assert len(blocks) == sum(rows > 2 * 32**level for level in (1, 2, 3))
    x = numpy.random.default_rng(rows).normal(size=(rows, 24)).astype(F32)
    (found,) = compiled(graph, named_target("avx2")).run([x])
    numpy.testing.assert_array_equal(found, added(x, blocks))


def test_what_is_exact_in_any_order_has_no_levels():
    for function, dtype in ((lambda x: [ops.sum(x, (0,))], int32), (lambda x: [ops.reduce_max(x, (0,))], float32)):
        assert nest_of(graph_of(function, (5000,), dtype)).levels == ()


def test_a_sum_beside_a_maximum_keeps_its_levels():
    """Both run in one loop, by one variable."""
    nest = nest_of(graph_of(lambda x: [ops.reduce_max(x, (1,)), ops.sum(x, (1,))], (3, 5000)))
    (levels,) = nest.levels
    assert levels.vectors
    assert f"{levels}" == f" by {', '.join(map(str, levels.vectors))} vectors"


def test_a_size_that_is_not_known_has_the_levels_of_many_turns():
    scope = SizeScope()
    size = scope.symbol(9, low=2)
    scope.capturing = False
    (levels,) = nest_of(graph_of(lambda x: [ops.sum(x, (1,))], (3, size))).levels
    assert levels == FoldLevels(levels.variable, (), (32,))


def test_folds_that_are_short_have_none():
    assert levels_of([], [], None, lambda fold: True) == ()
    assert nest_of(graph_of(lambda x: [ops.sum(x, (0,))], (60, 24))).levels == ()

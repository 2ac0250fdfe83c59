"""Nodes of every comparison, on numbers where they differ, and ways of many rows down many trees."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.types import TensorType
from hybridize.errors import ArgumentError
from hybridize.ops.library.trees import MEMBER, Forest, leaves_of

COMPARED = {
    "LEQ": numpy.less_equal, "LT": numpy.less, "GTE": numpy.greater_equal, "GT": numpy.greater,
    "EQ": numpy.equal, "NEQ": numpy.not_equal,
}  # fmt: skip
TINY = numpy.nextafter(numpy.float32(0), numpy.float32(1))
NUMBERS = numpy.array(
    [0.0, -0.0, 1.0, -1.5, TINY, -TINY, 1 + 2**-20, numpy.inf, -numpy.inf, numpy.nan, 3e38, -3e38, 65504.0], "f8"
)


def leaves(x, forest):
    """The leaves, from the graph's own meaning."""
    graph = ops.make_graph(lambda x: [leaves_of(x, forest)], [TensorType(x.shape, x.dtype)])
    return ops.evaluate(graph, [x])[0]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("word", [*COMPARED, MEMBER])
def test_a_node_compares_as_its_word_says(word, dtype):
    """A tree for each split: the yes-leaf is its first one, NaN goes where the node says."""
    with numpy.errstate(over="ignore"):
        x, splits = NUMBERS.astype(dtype), NUMBERS.astype(dtype)
    count = len(splits)
    number = numpy.arange(count)
    sets = numpy.stack([splits, numpy.roll(splits, 1), numpy.full(count, numpy.nan, dtype)], 1)
    for missing in (False, True):
        forest = Forest(
            number, number % 2, splits, numpy.array([word] * count), count + 2 * number, count + 2 * number + 1,
            numpy.full(count, missing), 2 * count, sets if word == MEMBER else None,
        )  # fmt: skip
        rows = numpy.stack([x, x], 1)
        if word == MEMBER:
            holds = (x[None, :, None] == sets[:, None]).any(2)
        else:
            holds = COMPARED[word](x[None, :], splits[:, None])
        holds |= numpy.isnan(x)[None, :] & missing
        numpy.testing.assert_array_equal(leaves(rows, forest), 2 * number[:, None] + ~holds)


def test_a_way_that_leads_back_is_refused():
    ends = numpy.array([1, 0])
    forest = Forest(
        numpy.array([0]), ends, numpy.zeros(2), numpy.array(["LEQ", "GT"]), ends, numpy.array([2, 3]),
        numpy.zeros(2, bool), 2,
    )  # fmt: skip
    with pytest.raises(ArgumentError) as error:
        leaves(numpy.zeros((1, 2)), forest)
    assert error.value.code == "E323"


def test_trees_of_a_leaf_alone():
    none = numpy.zeros(0, int)
    forest = Forest(numpy.array([1, 0]), none, none.astype("f4"), none.astype(str), none, none, none.astype(bool), 2)
    assert leaves(numpy.zeros((3, 2), "f4"), forest).tolist() == [[1] * 3, [0] * 3]

"""Hashes decide nothing: a program has one schedule, in whatever order sets have their members.

Values, nodes and units are hashed by where they lie in memory, which differs from process to process.
"""

import random

import pytest

from hybridize import ops
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import host_target
from hybridize.codegen.llvm.program import scheduled
from hybridize.graph import Graph, Node, Value
from hybridize.ops import composites, make_graph
from hybridize.passes import PIPELINE
from hybridize.schedule.grouping import FusionGroup, NodeStep

ROWS = TensorType((24, 16), float32)


def folds_of_many(*values):
    """Sums of rows over more values than are looked at, beside which another fold may be stored."""
    front = list(values)
    while len(front) > 1:
        front = [ops.add(*front[k : k + 2]) if k + 1 < len(front) else front[k] for k in range(0, len(front), 2)]
    squares = [ops.mul(value, value) for value in values[::5]]
    return [ops.sum(one, (1,)) for one in (front[0], *squares)]


def attention(x, *weights):
    """Products, a softmax, and what reads both again in another order."""
    for w in weights:
        y = composites.softmax(ops.matmul(x, w), 1)
        x = ops.add(ops.mul(y, x), ops.spread(composites.mean(ops.mul(x, y), (1,)), (24, 16), (1,)))
    return [x, composites.mean(x, (0,)), ops.transpose(x, (1, 0))]


def printed(function, kinds, stable, salt: int) -> str:
    """The schedule of a graph, under hashes that follow from the salt."""
    hashes = random.Random(salt)
    known: dict[int, tuple[object, int]] = {}

    def hash_of(one) -> int:
        return known.setdefault(id(one), (one, hashes.getrandbits(40)))[1]

    with pytest.MonkeyPatch.context() as patch:
        for kind in (Value, Node, FusionGroup, NodeStep):
            patch.setattr(kind, "__hash__", hash_of)
        graph: Graph = PIPELINE.run(make_graph(function, kinds))
        return str(scheduled(graph, host_target(), stable=stable, slots=2))


@pytest.mark.parametrize(
    ("function", "kinds", "stable"),
    [
        (folds_of_many, [ROWS] * 21, ()),
        (attention, [ROWS, *[TensorType((16, 16), float32)] * 3], (1, 2, 3)),
    ],
)
def test_the_schedule_is_one_whatever_the_hashes(function, kinds, stable):
    assert len({printed(function, kinds, stable, salt) for salt in range(8)}) == 1

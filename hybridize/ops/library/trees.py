# SPDX-License-Identifier: Apache-2.0
"""Decision trees: all of an ensemble go down at once, a level at each step; the weights of their leaves are summed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import int64
from hybridize.base.errors import ShapeError
from hybridize.base.frozen import frozen
from hybridize.ops.analysis import isnan
from hybridize.ops.arithmetic import bit_and, bit_or, div, eq, ge, gt, le, lt, ne, where
from hybridize.ops.control import Scan
from hybridize.ops.indexing import gather, take_along_axis
from hybridize.ops.op import Operand, bind, constant, type_of
from hybridize.ops.reductions import reduce_max, reduce_min
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import broadcast, like, sum

Array = NDArray[Any]
TESTS: Final[Mapping[str, Callable[[Operand, Operand], Operand]]] = {
    "leq": le, "lt": lt, "gte": ge, "gt": gt, "eq": eq, "neq": ne,
}  # fmt: skip
"""The comparisons of a feature with a number, by which a node sends it one way."""
FOLDS: Final = ("sum", "average", "min", "max")


@frozen(eq=False)
class Trees:
    """An ensemble: nodes by number, leaves among them, which are their own successors.

    Args:
        roots: the first node of each tree.
        features: of each node, which column of the input it looks at.
        numbers: what that is compared with.
        tests: the comparison of each node, as a place in `TESTS`.
        missing: whether a NaN goes the way of what passes.
        passing: the node after it of what passes its test.
        failing: the node after it of the rest.
        weights: what a leaf adds to each target, [nodes, targets].
    """

    roots: Array
    features: Array
    numbers: Array
    tests: Array
    missing: Array
    passing: Array
    failing: Array
    weights: Array

    @property
    def depth(self) -> int:
        """The number of steps from the roots to the deepest leaf.

        Raises:
            ShapeError E110: a node is its own successor, by way of others.
        """
        level, steps = numpy.unique(self.roots), 0
        while True:
            inner = level[(self.passing[level] != level) | (self.failing[level] != level)]
            if not inner.size:
                return steps
            if steps > len(self.passing):
                raise ShapeError("E104", "the nodes of a tree go round in a circle")
            level, steps = numpy.unique(numpy.concatenate([self.passing[inner], self.failing[inner]])), steps + 1


def scores(x: Operand, trees: Trees, fold: str) -> Operand:
    """Return what the trees say of each row, [n, targets].

    Args:
        x: [n, columns] of floats.
        trees: with numbers and weights of any float type; those of `x` is used.
        fold: one of `FOLDS`: how the trees' weights are combined.
    """
    dtype = type_of(x).dtype
    leaves = _descended(x, trees)
    weights = gather(constant(trees.weights.astype(dtype)), leaves, 0)
    if fold == "min":
        return reduce_min(weights, (1,))
    if fold == "max":
        return reduce_max(weights, (1,))
    total = sum(weights, (1,))
    return total if fold == "sum" else div(total, like(len(trees.roots), total))


def _descended(x: Operand, trees: Trees) -> Operand:
    """The leaf of each tree for each row, [n, trees]."""
    rows, dtype = type_of(x).shape[0], type_of(x).dtype
    shape = rows, len(trees.roots)
    place = broadcast(constant(trees.roots.astype(int64)), shape)
    kinds = numpy.unique(trees.tests).tolist()
    tables = [trees.features.astype(int64), trees.numbers.astype(dtype), trees.passing.astype(int64),
              trees.failing.astype(int64), trees.tests.astype(int64), trees.missing.astype(bool)]  # fmt: skip
    some = bool(trees.missing.any())

    def step(place: Operand, x: Operand, *tables: Operand) -> list[Operand]:
        feature, number, passing, failing, test, missing = (gather(table, place, 0) for table in tables)
        value = take_along_axis(x, feature, 1)
        compare = list(TESTS.values())
        parts = [compare[kind](value, number) for kind in kinds]
        if len(kinds) > 1:
            parts = [bit_and(part, eq(test, like(kind, test))) for part, kind in zip(parts, kinds, strict=True)]
        passes = functools.reduce(bit_or, parts)
        if some:
            passes = bit_or(passes, bit_and(isnan(value), missing))
        return [where(passes, passing, failing)]

    operands = [place, x, *map(constant, tables)]
    body = make_graph(step, [type_of(one) for one in operands])
    return bind(Scan(body, trees.depth, num_carry=1), *operands)[0]

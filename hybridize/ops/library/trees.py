# SPDX-License-Identifier: Apache-2.0
"""Ensembles of decision trees: from the roots down by comparisons, all trees of all rows at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import bool_, int64
from hybridize.base.errors import ArgumentError
from hybridize.base.frozen import frozen
from hybridize.ops.analysis import isnan
from hybridize.ops.arithmetic import bit_and, bit_or, eq, ge, gt, le, lt, ne, sub, where
from hybridize.ops.control import Scan
from hybridize.ops.indexing import gather, take_along_axis
from hybridize.ops.op import Operand, bind, constant, type_of
from hybridize.ops.reductions import any as any_of
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import broadcast, like, spread, transpose

COMPARISONS: Final[Mapping[str, Callable[[Operand, Operand], Operand]]] = {
    "LEQ": le, "LT": lt, "GTE": ge, "GT": gt, "EQ": eq, "NEQ": ne,
}  # fmt: skip
"""Comparisons of a number with that of a node."""
MEMBER: Final = "MEMBER"
"""The word for a number that is one of several."""


@frozen(eq=False)
class Forest:
    """Trees whose nodes are numbered from 0 on, and behind them their leaves."""

    roots: NDArray[Any]
    """The number of the first node of each tree."""
    features: NDArray[Any]
    """Of each node, the column that is compared."""
    splits: NDArray[Any]
    """The number that it is compared with."""
    comparisons: NDArray[Any]
    """Words of `COMPARISONS`, or `MEMBER`."""
    yes: NDArray[Any]
    """The node or leaf where the comparison holds."""
    no: NDArray[Any]
    missing: NDArray[Any]
    """True where it holds for NaN, too."""
    leaves: int
    """Their number."""
    members: NDArray[Any] | None = None
    """Of each node the numbers that a value is one of, where it compares by `MEMBER`, and NaN; None: none does."""

    @property
    def depth(self) -> int:
        """The number of comparisons of the longest way.

        Raises:
            ArgumentError E323: a way leads back to a node.
        """
        count, depth = len(self.features), 0
        front = numpy.unique(self.roots)
        while (front := front[front < count]).size:
            depth += 1
            if depth > count:
                raise ArgumentError("E323", "a tree leads from a node back to it")
            front = numpy.unique(numpy.concatenate([self.yes[front], self.no[front]]))
        return depth


def leaves_of(x: Operand, forest: Forest) -> Operand:
    """Return the leaf of each tree that each row comes to, from 0 on: i64[trees, rows].

    Rows lie beside each other, so that all of them go through the nodes of one tree, which stay near.

    Args:
        x: floats [rows, columns].
        forest: its trees.
    """
    count, shape = len(forest.features), (len(forest.roots), type_of(x).shape[0])
    own, nothing = numpy.arange(count, count + forest.leaves), numpy.zeros(forest.leaves, int)  # a leaf leads to itself
    words = sorted(set(forest.comparisons.tolist())) or ["LEQ"]
    columns = (
        (forest.features, nothing, int64), (forest.splits, nothing, type_of(x).dtype),
        (numpy.searchsorted(words, forest.comparisons), nothing, int64),
        (forest.yes, own, int64), (forest.no, own, int64), (forest.missing, nothing, bool_),
    )  # fmt: skip
    tables = [constant(numpy.concatenate([column, rest]).astype(dtype)) for column, rest, dtype in columns]
    if forest.members is not None:
        sets = numpy.concatenate([forest.members, numpy.full((forest.leaves, forest.members.shape[1]), numpy.nan)])
        tables.append(constant(sets.astype(type_of(x).dtype)))

    def step(node: Operand, x: Operand, *tables: Operand) -> list[Operand]:
        feature, split, kind, yes, no, missing, *members = (gather(table, node, 0) for table in tables)
        value = take_along_axis(x, feature, 0)

        def compared(word: str) -> Operand:
            if word != MEMBER:
                return COMPARISONS[word](value, split)
            return any_of(eq(spread(value, type_of(members[0]).shape, (2,)), members[0]), (2,))

        holds = compared(words[0])
        for number, word in enumerate(words[1:], 1):
            holds = where(eq(kind, like(number, kind)), compared(word), holds)
        if forest.missing.any():
            holds = bit_or(holds, bit_and(isnan(value), missing))
        return [where(holds, yes, no)]

    roots = constant(forest.roots.astype(int64).reshape(-1, 1))
    operands = [broadcast(roots, shape), transpose(x, (1, 0)), *tables]
    graph = make_graph(step, [type_of(one) for one in operands])
    last = bind(Scan(graph, forest.depth, False, 1), *operands)[0]
    return sub(last, like(count, last))

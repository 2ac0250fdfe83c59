# SPDX-License-Identifier: Apache-2.0
"""Ensembles of decision trees: which leaf of each tree a row comes to."""

from __future__ import annotations

from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType, int32
from hybridize.base.errors import ArgumentError
from hybridize.base.frozen import frozen
from hybridize.ops.arithmetic import sub
from hybridize.ops.descents import descent
from hybridize.ops.op import Operand, constant, type_of
from hybridize.ops.views import cast, like, wide

COMPARISONS: Final = frozenset(("LEQ", "LT", "GTE", "GT", "EQ", "NEQ"))
"""Comparisons of a number with that of a node, by words."""
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

    Args:
        x: floats [rows, columns].
        forest: its trees.
    """
    depth, of = forest.depth, type_of(x).dtype
    splits, links, longest = _nodes(forest, of)
    links[:, 1:], roots = (
        numpy.where(one < 0, len(splits) - 1 - one, one) for one in (links[:, 1:], _from_end(forest, forest.roots))
    )
    nodes = constant(splits), constant(links.astype(int32))
    last = descent(cast(x, wide(of)), *nodes, constant(roots.astype(int32)), depth * longest)
    return sub(last, like(len(splits), last))


def _from_end(forest: Forest, links: NDArray[Any]) -> NDArray[Any]:
    """Links as they are to nodes, and -1, -2, ... to the leaves."""
    count = len(forest.features)
    return numpy.where(links < count, links, count - 1 - links)


def _before(number: Any) -> Any:
    return numpy.nextafter(number, number.dtype.type(-numpy.inf))


def _nodes(forest: Forest, of: DType) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Return nodes that all ask whether a number is at most their own.

    What is less than a number is at most the one before it. Whether it is equal is asked by a chain of nodes, the first
    of which has the place of the node; the others follow all.

    Args:
        forest: the trees.
        of: the dtype of what is compared.

    Returns:
        Splits, links as those of `Descent` but for leaves, and the length of the longest chain.
    """
    words, numbers = forest.comparisons, forest.splits.astype(of).astype(wide(of))
    yes, no = (_from_end(forest, side) for side in (forest.yes, forest.no))
    turned, below = numpy.isin(words, ("GT", "GTE")), numpy.isin(words, ("LT", "GTE"))
    least, more = numpy.where(turned, no, yes), numpy.where(turned, yes, no)
    least = numpy.where(below & (numbers == -numpy.inf), more, least)  # nothing is less
    least, more = (numpy.where(numpy.isnan(numbers), no, side) for side in (least, more))  # nothing compares with NaN
    neither = numpy.where(forest.missing | (words == "NEQ"), yes, no)
    links = numpy.stack([forest.features, least, more, neither], 1).tolist()
    splits = [*numpy.where(numpy.isnan(numbers), 0, numpy.where(below, _before(numbers), numbers))]
    longest = 1
    for place in numpy.flatnonzero(numpy.isin(words, ("EQ", "NEQ", MEMBER))).tolist():
        feature, _, _, unordered = links[place]
        sets = numbers[:, None] if words[place] != MEMBER or forest.members is None else forest.members
        hit, other = (no, yes) if words[place] == "NEQ" else (yes, no)
        chain = _chain(sets[place].astype(of).astype(wide(of)), int(hit[place]), int(other[place]))
        ways = [place, *range(len(links), len(links) + len(chain) - 1), int(other[place])]
        splits += [0] * (len(chain) - 1)
        links += [[]] * (len(chain) - 1)
        for own, following, (split, at_most) in zip(ways, ways[1:], chain, strict=False):
            splits[own], links[own] = split, [feature, at_most, following, unordered]
        longest = max(longest, len(chain))
    if not links:
        splits, links = [0], [[0, 0, 0, 0]]  # trees of a leaf alone
    return numpy.array(splits, wide(of)), numpy.array(links), longest


def _chain(numbers: NDArray[Any], hit: int, other: int) -> list[tuple[Any, int]]:
    """Splits, and where what is at most such a one leads, which find out whether a number is one of several."""
    chain: list[tuple[Any, int]] = []
    for number in numpy.unique(numbers[~numpy.isnan(numbers)]):
        chain += [(_before(number), other)] if number > -numpy.inf else []
        chain.append((number, hit))
    return chain or [(0, other)]

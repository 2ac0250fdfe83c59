# SPDX-License-Identifier: Apache-2.0
"""Count the neighbours that a thread takes at once: their elements are one load, or one store, of up to 16 bytes.

Whatever a loop touches has to suit: elements lie side by side along the last axis, from a multiple of their number on,
or are the same for all neighbours. Then each thread's elements lie together, and so do those of neighbouring threads.
Where arrays begin is another question (`schedule.alignment`): the count follows from sizes alone, and with it the order
of sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hybridize.base.dims import Dim, Size, same
from hybridize.base.dtypes import DType
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Axis, Expr, Load
from hybridize.loops.index import Index
from hybridize.loops.kernel import Statement, roots_of
from hybridize.loops.measure import step_along, walk, weight
from hybridize.schedule.device import thresholds


@frozen
class AlongAxis:
    """An element that is touched in each turn of a loop, and the last axis of the loop."""

    buffer: int
    index: Expr
    axis: int


def accesses_of(statements: Sequence[Statement], axis: int) -> Iterator[AlongAxis]:
    """Iterate over what statements read and store in the turns of an axis."""
    yield from reads_of(roots_of(statements), axis)
    for one in statements:
        yield AlongAxis(one.buffer, one.index, axis)


def reads_of(roots: Iterable[Expr], axis: int) -> Iterator[AlongAxis]:
    """Iterate over what expressions read in the turns of an axis."""
    for node in walk(*roots):
        if isinstance(node, Load):
            yield AlongAxis(node.operand, node.indices[0], axis)


def most_neighbours(values: Iterable[Expr]) -> int:
    """Return how many neighbours a thread takes at most of elements that are computed so."""
    heavy = weight(*values)
    if heavy > thresholds.WIDE_WEIGHT:
        return 1
    return thresholds.MOST_NEIGHBOURS if heavy <= thresholds.LIGHT_WEIGHT else thresholds.MOST_NEIGHBOURS // 2


def neighbours_at_once(accesses: Iterable[AlongAxis], dtypes: Mapping[int, DType], nbytes: int, most: int) -> int:
    """Return how many neighbours suit all accesses, so many at most, and none of more than so many bytes; 1 where none
    do.
    """
    count, is_any = most, False
    for one in accesses:
        step = step_along(one.index, one.axis)
        if step is None:
            return 1
        if same(step, 0):
            continue
        if not same(step, 1):
            return 1
        is_any = True
        count = math.gcd(min(count, max(1, nbytes // dtypes[one.buffer].itemsize)), _others(one.index, one.axis))
    return count if is_any else 1


def _others(index: Expr, axis: int) -> int:
    """Return the largest power of two, up to that of all neighbours, that divides where the axis begins."""
    terms, constant = (index.terms, index.constant) if isinstance(index, Index) else (((index, 1),), 0)
    factors = [by for atom, by in terms if not (isinstance(atom, Axis) and atom.number == axis)]
    return math.gcd(thresholds.MOST_NEIGHBOURS, factor_of(constant), *map(factor_of, factors))


def factor_of(x: Size) -> int:
    """Return a number that divides a size, whatever it is in a call; 0 for a size of 0."""
    if isinstance(x, Dim):
        return math.gcd(x.constant, *x.terms.values())
    return abs(x)

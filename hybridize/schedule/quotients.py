# SPDX-License-Identifier: Apache-2.0
"""Count the quotient and the remainder of a flat index by loops of their own, where that turns gathers into squares.

    for i < 400: y[i] = x[i // 25 + 16 * (i % 25)]
    becomes     for c < 16, p < 25: y[25 * c + p] = x[c + 16 * p]

An image that lies channels last and is read flattened, behind a pooling say, in a step of training, whose weights no
call finds permuted. Loops along both axes are turned in registers (`tiles`), where every element was gathered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hybridize.base.dims import is_symbolic
from hybridize.loops.expr import Axis, CallExpr, Const, Load, whole
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Statement
from hybridize.loops.measure import step_along, walk
from hybridize.schedule.tiles import find_tiles
from hybridize.schedule.together import LoopedStatement, substituted
from hybridize.schedule.vectors import Widths


def by_quotients(
    statements: Sequence[LoopedStatement], interner: Interner, vectors: Widths
) -> list[LoopedStatement] | None:
    """The statements, whose loops are the same, with the innermost one as two; None where that does not pay."""
    sizes = statements[0].sizes if statements else ()
    lane = len(sizes) - 1
    if lane < 0 or is_symbolic(sizes[lane]):
        return None
    each = [one.statement for one in statements]
    gathered = [load for load in _loads(each) if step_along(load.indices[0], lane) is None]
    for divisor in _divisors(gathered, lane, sizes[lane]):
        halves = _halves(statements, divisor, interner)
        tiling = find_tiles(halves[0].sizes, 0, [one.statement for one in halves], vectors)
        if tiling is not None and tiling[0] == lane and len(tiling[1].loads) >= len(gathered):
            return halves
    return None


def _loads(statements: Sequence[Statement]) -> Iterator[Load]:
    values = walk(*(one.value for one in statements), indices=False)
    return (node for node in values if isinstance(node, Load))


def _divisors(loads: Sequence[Load], lane: int, size: int) -> list[int]:
    """The numbers that addresses divide an axis by, alone, of which it has a whole multiple; the largest first."""
    divisors: set[int] = set()
    for node in walk(*(load.indices[0] for load in loads)):
        if isinstance(node, CallExpr) and node.function == "floordiv" and isinstance(node.args[1], Const):
            x, divisor = node.args[0], whole(node.args[1])
            if isinstance(x, Axis) and x.number == lane and not is_symbolic(divisor) and size % divisor == 0:
                divisors.add(divisor)
    return sorted(divisors, reverse=True)


def _halves(statements: Sequence[LoopedStatement], divisor: int, interner: Interner) -> list[LoopedStatement]:
    """The statements over the quotients and, innermost, the remainders of their last axis."""
    before = statements[0].sizes
    lane = len(before) - 1
    sizes = (*before[:lane], before[lane] // divisor, divisor)
    space = Space(interner, dict(enumerate(sizes)))
    axes = {lane: space.affine([(space.axis(lane), divisor), (space.axis(lane + 1), 1)])}
    return substituted(statements, sizes, axes, space)

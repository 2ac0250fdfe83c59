# SPDX-License-Identifier: Apache-2.0
"""Find statements that share their inner loops: what one stores in a turn, the next has in registers."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.frozen import frozen
from hybridize.loops.expr import Fold, Load
from hybridize.loops.kernel import Statement
from hybridize.loops.measure import walk


@frozen
class LoopedStatement:
    """A statement with the sizes of its own inner loops."""

    sizes: tuple[int, ...]
    statement: Statement


def together(statements: Sequence[LoopedStatement]) -> list[list[LoopedStatement]]:
    """Consecutive statements that may share their loops: a later one reads earlier results only in the same turn."""
    groups: list[list[LoopedStatement]] = []
    for one in statements:
        if groups and groups[-1][0].sizes == one.sizes and _same_turn(groups[-1], one.statement):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _same_turn(earlier: Sequence[LoopedStatement], statement: Statement) -> bool:
    stored = {one.statement.buffer: one.statement.index for one in earlier}
    inside = {id(node) for fold in walk(statement.value) if isinstance(fold, Fold) for node in walk(*fold.elements)}
    return all(
        node.indices[0] is stored[node.operand] and id(node) not in inside
        for node in walk(statement.value)
        if isinstance(node, Load) and node.operand in stored
    )

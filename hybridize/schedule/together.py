# SPDX-License-Identifier: Apache-2.0
"""Statements in loops: find those that share their inner loops, of which one has in registers what another stores in
that turn; write them for other sizes and indices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridize.base.frozen import frozen
from hybridize.loops.expr import Expr, Fold, Load
from hybridize.loops.index import Interner, Space
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


def rewritten(
    statements: Sequence[LoopedStatement],
    sizes: tuple[int, ...],
    places: Mapping[int, tuple[int, int]],
    interner: Interner,
) -> list[LoopedStatement]:
    """The statements over axes of other sizes; of those that change, `places` has the first index and the distance."""
    space = Space(interner, dict(enumerate(sizes)))
    axes = {axis: space.affine([(space.axis(axis), step)], first) for axis, (first, step) in places.items()}
    return substituted(statements, sizes, axes, space)


def substituted(
    statements: Sequence[LoopedStatement], sizes: tuple[int, ...], axes: Mapping[int, Expr], space: Space
) -> list[LoopedStatement]:
    """The statements over axes of other sizes, those of `space`, by expressions of which some axes are replaced."""
    memo: dict[int, Expr] = {}
    each = [one.statement for one in statements]
    return [
        LoopedStatement(sizes, Statement(s.buffer, *(moved(expr, space, axes, memo) for expr in (s.index, s.value))))
        for s in each
    ]


def moved(expr: Expr, space: Space, axes: Mapping[int, Expr], memo: dict[int, Expr] | None = None) -> Expr:
    """An expression over the axes of a space, in which some axes are replaced; `memo` has parts that are moved."""
    return space.rewrite_deep(
        expr,
        axes,
        lambda load, indices: space.interner.load(load.dtype, load.operand, indices),
        lambda fold: fold.variable,
        {} if memo is None else memo,
    )

# SPDX-License-Identifier: Apache-2.0
"""Unroll loops by the residues of an index that is divided, where their turns read the same (*unrolling*).

    for i < 28: y[i] = f(x[i // 2], i % 2)
    becomes     for j < 14: y[2 * j] = f(x[j], 0); y[2 * j + 1] = f(x[j], 1)

So the elements of one window, in the gradient of a pooling, find its largest element once, and those that are repeated
are loaded once. What a loop leaves is a piece of its own. The innermost loop stays whole: vectors read along it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from hybridize.base.dims import is_symbolic
from hybridize.loops.expr import Axis, CallExpr, Const, Expr, Load, whole
from hybridize.loops.index import Index, Interner
from hybridize.loops.measure import walk
from hybridize.schedule import thresholds
from hybridize.schedule.together import LoopedStatement, rewritten


def by_residues(statements: Sequence[LoopedStatement], interner: Interner) -> list[tuple[LoopedStatement, ...]]:
    """The statements, whose loops are the same, as pieces: one with turns unrolled where that pays, then what is left.

    Each element is still stored by the same statements in the same order, which is all that may be read besides.
    """
    pieces, sizes = [tuple(statements)], statements[0].sizes if statements else ()
    if len(sizes) < 2 or _reads_stored(statements):
        return pieces
    divisors = _divisors(statements, len(sizes) - 1)
    by = {axis: divisor for axis, divisor in divisors.items() if divisor > 1 and _holds(sizes[axis], divisor)}
    if not by or math.prod(by.values()) > thresholds.RESIDUE_TURNS:
        return pieces
    unrolled = [
        one
        for residue in itertools.product(*(range(divisor) for divisor in by.values()))
        for one in _moved(statements, dict(zip(by, residue, strict=True)), by, interner)
    ]
    together, before = _work(unrolled), _work(statements)
    if together > thresholds.RESIDUE_PARTS or together > thresholds.RESIDUE_SHARE * math.prod(by.values()) * before:
        return pieces
    parts = [tuple(unrolled)]
    spans: dict[int, tuple[int, int]] = {}
    for axis, divisor in by.items():
        done = sizes[axis] // divisor * divisor
        if done != sizes[axis]:
            parts.append(_part(statements, {**spans, axis: (done, sizes[axis])}, interner))
        spans[axis] = 0, done
    return parts


def _holds(size: int, divisor: int) -> bool:
    return not is_symbolic(size) and size >= divisor


def _reads_stored(statements: Sequence[LoopedStatement]) -> bool:
    """Tell whether some statement reads what is stored here."""
    stored = {one.statement.buffer for one in statements}
    return any(isinstance(node, Load) and node.operand in stored for node in _nodes(statements))


def _nodes(statements: Iterable[LoopedStatement]) -> Iterable[Expr]:
    return walk(*(expr for one in statements for expr in (one.statement.index, one.statement.value)))


def _work(statements: Iterable[LoopedStatement]) -> int:
    """Count what is computed, indices aside: each part once, however many read it, and what is stored."""
    values = walk(*(one.statement.value for one in statements), indices=False)
    return sum(not isinstance(node, Const | Axis | Index) for node in values) + len(list(statements))


def _divisors(statements: Sequence[LoopedStatement], innermost: int) -> dict[int, int]:
    """The least common multiple of what each axis but the innermost is divided by, alone but for a constant."""
    divisors: dict[int, int] = {}
    for node in _nodes(statements):
        if not isinstance(node, CallExpr) or node.function != "floordiv" or not isinstance(node.args[1], Const):
            continue
        match node.args[0]:
            case Axis(number=axis) | Index(terms=((Axis(number=axis), _),)):
                divisor = whole(node.args[1])
                if 0 <= axis < innermost and not is_symbolic(divisor):
                    divisors[axis] = math.lcm(divisors.get(axis, 1), divisor)
    return divisors


def _moved(
    statements: Sequence[LoopedStatement], residues: dict[int, int], by: dict[int, int], interner: Interner
) -> list[LoopedStatement]:
    """The statements at indices that have these residues, by the quotients of the axes."""
    sizes = tuple(size // by.get(axis, 1) for axis, size in enumerate(statements[0].sizes))
    return rewritten(statements, sizes, {axis: (first, by[axis]) for axis, first in residues.items()}, interner)


def _part(
    statements: Sequence[LoopedStatement], box: dict[int, tuple[int, int]], interner: Interner
) -> tuple[LoopedStatement, ...]:
    """The statements over the part of some axes from a first index to a last one."""
    sizes = tuple(
        size if axis not in box else box[axis][1] - box[axis][0] for axis, size in enumerate(statements[0].sizes)
    )
    return tuple(rewritten(statements, sizes, {axis: (first, 1) for axis, (first, _) in box.items()}, interner))

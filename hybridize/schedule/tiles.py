# SPDX-License-Identifier: Apache-2.0
"""Choose square tiles, turned around in registers, for loops that read along one axis and write along another.

Reading a transposed array a vector at a time would gather every element by itself. A tile of as many rows as a vector
has lanes is loaded in the order of memory instead, and its rows and columns are exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import hint, is_symbolic, same
from hybridize.loops.expr import Expr, Load
from hybridize.loops.kernel import Statement
from hybridize.loops.measure import step_along, walk, weight
from hybridize.schedule import thresholds
from hybridize.schedule.kernel import Lanes, Tiles
from hybridize.schedule.vectors import Widths, typical

SMALLEST, LARGEST = 4, 16
"""Rows of a tile: the exchange of smaller ones costs what it saves, larger ones do not fit the registers."""


def find_tiles(
    sizes: Sequence[int], first: int, statements: Sequence[Statement], vectors: Widths
) -> tuple[int, Tiles] | None:
    """The inner axis, counted from 0, to turn against the last one, and how; None where that does not pay.

    `first` is the number of the first inner axis.
    """
    if len(sizes) < 2:
        return None
    lane = first + len(sizes) - 1
    values = [statement.value for statement in statements]
    lanes = vectors.base(*values)
    if not SMALLEST <= lanes <= LARGEST or typical(sizes[-1]) < lanes:
        return None
    loads = [node for node in walk(*values, indices=False) if isinstance(node, Load)]
    across = [(load, step_along(load.indices[0], lane)) for load in loads]
    turned = [(load, stride) for load, stride in across if stride is None or abs(hint(stride)) > 1]
    for axis in range(len(sizes) - 2, -1, -1):
        suited = tuple(pair for pair in turned if in_order(pair[0], first + axis))
        if suited and typical(sizes[axis]) >= lanes:
            stored = all(_is_one(step_along(statement.index, lane)) for statement in statements)
            # Where all loads are turned, indices are found once for a row of a tile, not once for an element.
            if not stored or weight(*values, indices=len(suited) < len(loads)) > thresholds.TILE_WEIGHT:
                return None
            rest, part = _rest(sizes[-1], lanes, values, vectors), _part(sizes[-1], lanes, values)
            return axis, Tiles(lanes, suited, rest, part)
    return None


def _rest(size: int, lanes: int, values: Sequence[Expr], vectors: Widths) -> Lanes:
    """Vectors over what whole tiles leave of an axis."""
    whole = size // lanes * lanes
    return vectors.over(whole, size, vectors.widths(size - whole, values))


def _part(size: int, lanes: int, values: Sequence[Expr]) -> int:
    """The rows of a last tile that is not whole; 0 for none.

    A few elements are gathered as fast. A copy has none: a function that all copies of a program share does its tiles.
    """
    left = size % lanes
    is_copy = len(values) == 1 and isinstance(values[0], Load)
    return left if not is_symbolic(left) and left >= SMALLEST and not is_copy else 0


def in_order(load: Load, axis: int) -> bool:
    """Tell whether consecutive indices of an axis load consecutive elements."""
    return _is_one(step_along(load.indices[0], axis))


def _is_one(step: int | None) -> bool:
    return step is not None and same(step, 1)

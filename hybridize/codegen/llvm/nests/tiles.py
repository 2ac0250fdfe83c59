# SPDX-License-Identifier: Apache-2.0
"""Square tiles that are turned around in registers, for loops that read along one axis and write along another.

Reading a transposed array a vector at a time would gather every element by itself. A tile of as many rows as a vector
has lanes is loaded in the order of memory, and log2(lanes) rounds of shuffles exchange its rows and columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import hint, same
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.functions.table import from_memory, memory
from hybridize.codegen.llvm.nests.memory import element_pointer
from hybridize.codegen.llvm.nests.positions import Positions
from hybridize.codegen.llvm.text import Function, vector
from hybridize.loops.expr import Axis, Expr, Load
from hybridize.loops.index import Index
from hybridize.loops.kernel import Statement
from hybridize.loops.measure import typical, walk, weight, widest
from hybridize.machine.target import Target

HEAVIEST = 12
"""Instructions per element of a body that is worth writing once per row of a tile."""


@frozen
class Tile:
    """Loads to turn around: they lie along `axis`, the loop's vectors along another one."""

    axis: int
    lanes: int
    loads: tuple[tuple[Load, int], ...]
    """With the distance in memory of consecutive lanes."""


def find_tile(group: Sequence[Statement], first: int, target: Target) -> Tile | None:
    """The tile that suits statements whose inner axes begin at `first`; None where none does."""
    sizes = group[0].sizes
    if len(sizes) < 2:
        return None
    lane = first + len(sizes) - 1
    values = [statement.value for statement in group]
    lanes = target.lanes(widest(*values))
    loads = [node for node in walk(*values, indices=False) if isinstance(node, Load)]
    across = [(load, along(load.indices[0], lane)) for load in loads]
    turned = [(load, stride) for load, stride in across if stride is not None and abs(hint(stride)) > 1]
    for axis in range(lane - 1, first - 1, -1):
        suited = tuple(pair for pair in turned if _is_one(along(pair[0].indices[0], axis)))
        fits = 4 <= lanes <= 16 and typical(sizes[-1]) >= lanes and typical(sizes[axis - first]) >= lanes
        stored = all(_is_one(along(statement.index, lane)) for statement in group)
        if suited and fits and stored and weight(*values) <= HEAVIEST:
            return Tile(axis, lanes, suited)
    return None


def _is_one(step: int | None) -> bool:
    return step is not None and same(step, 1)


def along(address: Expr, axis: int) -> int | None:
    """The coefficient of an axis in an address; None where it is in anything but a plain term."""
    terms = address.terms if isinstance(address, Index) else ((address, 1),)
    found = 0
    for atom, coefficient in terms:
        if isinstance(atom, Axis):
            found += coefficient if atom.number == axis else 0
        elif any(isinstance(node, Axis) and node.number == axis for node in walk(atom)):
            return None
    return found


def turned(f: Function, positions: Positions, tile: Tile, load: Load, stride: int) -> list[str]:
    """The registers of `load` for consecutive values of the tile's axis, the lane axis in their lanes."""
    array = positions.arrays[load.operand]
    lanes, kind = tile.lanes, vector(memory(array.dtype, 1), tile.lanes)
    start = positions.pointer(load.operand, load.indices[0])
    rows = []
    for row in range(lanes):
        pointer = element_pointer(f, start, array.dtype, f.size(row * stride))
        rows.append(f.op(f"load {kind}, ptr {pointer}, align {array.dtype.itemsize}"))
    distance = lanes // 2
    while distance:
        rows = _exchanged(f, rows, kind, distance)
        distance //= 2
    return [from_memory(f, row, array.dtype, lanes) for row in rows]


def _exchanged(f: Function, rows: list[str], kind: str, distance: int) -> list[str]:
    """One round: rows and columns whose numbers differ in the bit `distance` change places."""
    lanes = len(rows)
    low = [c if not c & distance else lanes + c - distance for c in range(lanes)]
    high = [c + distance if not c & distance else lanes + c for c in range(lanes)]
    masks = [f"<{lanes} x i32> <{', '.join(f'i32 {c}' for c in order)}>" for order in (low, high)]
    result = list(rows)
    for row in range(lanes):
        if not row & distance:
            x, y = rows[row], rows[row + distance]
            result[row] = f.op(f"shufflevector {kind} {x}, {kind} {y}, {masks[0]}")
            result[row + distance] = f.op(f"shufflevector {kind} {x}, {kind} {y}, {masks[1]}")
    return result

# SPDX-License-Identifier: Apache-2.0
"""Gates: several sums of one product that make an element, as in recurrent cells and gated linear units.

A group that reads a product z[m, gates * columns] at [row, gate * columns + column], however that was written (a split,
slices, a reshape and an index), needs each sum once, for the element at [row, column]. It is the epilogue of a product
whose tiles have an element's sums side by side, and z is not stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hybridize.base.dims import hint, is_symbolic, product, same
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Const, Expr, whole
from hybridize.loops.index import Index, Space


@frozen
class Gates:
    """Reads of an array of rows of [gate, column], one of each gate for an element."""

    count: int
    columns: int


def find_gates(space: Space, shape: tuple[int, ...], reads: Sequence[Expr], size: int) -> Gates | None:
    """The gates of an array of `size` elements that a group over `shape` reads at these positions; None where they are
    something else.
    """
    count = hint(size) // max(1, hint(product(shape)))
    constants = [_constant(read) for read in reads]
    if count < 2 or len(reads) < 2 or any(map(is_symbolic, constants)) or not same(product(shape) * count, size):
        return None
    columns = min(after - before for before, after in pairwise(sorted(constants)))
    if columns < 1 or not same(product(shape) % columns, 0):
        return None
    gates = Gates(count, columns)
    places = set(map(id, gate_positions(space, shape, gates)))
    return gates if all(id(read) in places for read in reads) else None


def gate_positions(space: Space, shape: tuple[int, ...], gates: Gates) -> list[Expr]:
    """The position of each gate of a group's element."""
    flat = space.flat(tuple(space.axis(axis) for axis in range(len(shape))), shape)
    row, column = space.floordiv(flat, gates.columns), space.mod(flat, gates.columns)
    stride = gates.count * gates.columns
    return [space.affine([(row, stride), (column, 1)], gate * gates.columns) for gate in range(gates.count)]


def _constant(position: Expr) -> int:
    if isinstance(position, Const):
        return whole(position)
    return position.constant if isinstance(position, Index) else 0

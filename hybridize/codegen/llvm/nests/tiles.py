# SPDX-License-Identifier: Apache-2.0
"""Square tiles turned around in registers: loaded in the order of memory, rows and columns exchanged by log2(lanes)
rounds of shuffles.
"""

from __future__ import annotations

from hybridize.codegen.llvm.functions.table import from_memory, memory
from hybridize.codegen.llvm.nests.memory import element_pointer
from hybridize.codegen.llvm.nests.positions import Positions
from hybridize.codegen.llvm.text import Function, vector
from hybridize.loops.expr import Load


def turned(f: Function, positions: Positions, lanes: int, load: Load, stride: int) -> list[str]:
    """The registers of `load` for consecutive values of the tiles' axis, the lane axis in their lanes."""
    array = positions.arrays[load.operand]
    kind = vector(memory(array.dtype, 1), lanes)
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

# SPDX-License-Identifier: Apache-2.0
"""Square tiles turned around in registers: loaded in the order of memory, rows and columns exchanged by log2(lanes)
rounds of shuffles.

Where nothing but the order changes, a function of the module turns tiles: every copy of a program calls the same one,
whatever its sizes, since LLVM takes far longer for a tile than a call takes for its arguments.
"""

from __future__ import annotations

from hybridize.base.dtypes import DType
from hybridize.codegen.llvm.functions.table import from_memory, memory
from hybridize.codegen.llvm.nests.memory import element_pointer
from hybridize.codegen.llvm.nests.positions import Positions
from hybridize.codegen.llvm.text import Function, Module, vector
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
    return [from_memory(f, row, array.dtype, lanes) for row in _turned(f, rows, kind)]


def turn(module: Module, dtype: DType, lanes: int) -> str:
    """`(ptr to, i64 to_stride, ptr from, i64 from_stride, i64 size)`: to[i][j] = from[j][i], i < lanes, j < size.

    Strides are in bytes, `size` a multiple of `lanes`; within a row elements lie side by side.
    """
    scalar = memory(dtype, 1)
    name = f"turn.{scalar}.{lanes}"
    if name in module.functions:
        return name
    params = [("ptr", "to"), ("i64", "to.stride"), ("ptr", "from"), ("i64", "from.stride"), ("i64", "size")]
    f = Function(module, name, params, attributes="nounwind noinline")
    kind, align = vector(scalar, lanes), dtype.itemsize
    places, origins = _strides(f, "%to.stride", lanes), _strides(f, "%from.stride", lanes)
    step = f.op(f"mul i64 %from.stride, {lanes}")
    with f.loop("0", "%size", lanes, [("ptr", "%to"), ("ptr", "%from")]) as loop:
        to, start = loop.values
        rows = [f.op(f"load {kind}, ptr {row}, align {align}") for row in _rows(f, start, origins, lanes)]
        for row, place in zip(_turned(f, rows, kind), _rows(f, to, places, lanes), strict=True):
            f.do(f"store {kind} {row}, ptr {place}, align {align}")
        loop.following = [f.op(f"getelementptr i8, ptr {to}, i64 {lanes * align}"), _after(f, start, step)]
    f.do("ret void")
    return name


APART = 4
"""Rows of a tile whose pointers are made of one: more strides than these would not stay in registers."""


def _strides(f: Function, stride: str, lanes: int) -> list[str]:
    """The distances of the first rows, up to that of the next such group."""
    return [stride, *(f.op(f"mul i64 {stride}, {row}") for row in range(2, min(APART, lanes - 1) + 1))]


def _rows(f: Function, start: str, strides: list[str], lanes: int) -> list[str]:
    """The pointers to the rows of a tile."""
    rows: list[str] = []
    for first in range(0, lanes, APART):
        start = _after(f, start, strides[APART - 1]) if first else start
        rows += [start, *(_after(f, start, stride) for stride in strides[: min(APART, lanes) - 1])]
    return rows


def _after(f: Function, pointer: str, distance: str) -> str:
    return f.op(f"getelementptr i8, ptr {pointer}, i64 {distance}")


def _turned(f: Function, rows: list[str], kind: str) -> list[str]:
    """The columns of the tile that has these rows."""
    distance = len(rows) // 2
    while distance:
        rows = _exchanged(f, rows, kind, distance)
        distance //= 2
    return rows


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

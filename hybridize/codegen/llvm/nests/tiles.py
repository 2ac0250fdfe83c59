# SPDX-License-Identifier: Apache-2.0
"""Square tiles turned around in registers: loaded in the order of memory, rows and columns exchanged by shuffles.

Where nothing but the order changes, a function of the module turns tiles: every copy of a program calls the same one,
whatever its sizes, since LLVM takes far longer for a tile than a call takes for its arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hybridize.base.dtypes import DType
from hybridize.codegen.llvm.functions.table import from_memory, memory
from hybridize.codegen.llvm.nests.memory import Width, element_pointer
from hybridize.codegen.llvm.nests.positions import Lane, Positions
from hybridize.codegen.llvm.registers import interleaved, side_by_side
from hybridize.codegen.llvm.text import Function, Module, shuffled, vector
from hybridize.loops.expr import Load
from hybridize.schedule import thresholds


def turned(
    f: Function, positions: Positions, lanes: int, load: Load, stride: int | None, rows: int | None = None
) -> list[str]:
    """The registers of `load` for consecutive values of the tiles' axis, the lane axis in their lanes.

    Of a tile of fewer `rows` than lanes the first lanes count, and nothing else is loaded.
    """
    array = positions.arrays[load.operand]
    starts = _starts(f, positions, lanes if rows is None else rows, load, stride)
    squares = _squares(f, starts, memory(array.dtype, 1), lanes, array.dtype.itemsize)
    return [from_memory(f, register, array.dtype, lanes) for square in squares for register in square]


def _starts(f: Function, positions: Positions, rows: int, load: Load, stride: int | None) -> list[str]:
    """Pointers to the rows of a tile, one for each index of the lane axis."""
    array = positions.arrays[load.operand]
    if stride is not None:
        start = positions.pointer(load.operand, load.indices[0])
        return [element_pointer(f, start, array.dtype, f.size(row * stride)) for row in range(rows)]
    assert positions.lane is not None
    axis, pointers = positions.lane.axis, []
    first = positions.axes[axis]
    for row in range(rows):
        with positions.bound(axis, f.op(f"add i64 {first}, {row}"), Lane(axis, Width(1))):
            pointers.append(positions.pointer(load.operand, load.indices[0]))
    return pointers


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
    chunk = _chunk(lanes, align)
    places = _multiples(f, "%to.stride", chunk)
    origins = _multiples(f, "%from.stride", min(thresholds.TILE_POINTERS, lanes - 1))
    step = f.op(f"mul i64 %from.stride, {lanes}")
    with f.loop("0", "%size", lanes, [("ptr", "%to"), ("ptr", "%from")]) as tiles:
        to, start = tiles.values
        with f.loop(0, lanes, chunk, [("ptr", to), ("ptr", start)]) as loop:
            to_column, column = loop.values
            registers = _square(f, _rows(f, column, origins, lanes), scalar, lanes, align)
            stores = [to_column, *(f.at(to_column, place) for place in places[: chunk - 1])]
            for register, place in zip(registers, stores, strict=True):
                f.do(f"store {kind} {register}, ptr {place}, align {align}")
            loop.following = [f.at(to_column, places[chunk - 1]), f.at(column, str(chunk * align))]
        tiles.following = [f.at(to, str(lanes * align)), f.at(start, step)]
    return name


def _multiples(f: Function, stride: str, count: int) -> list[str]:
    """A stride times 1, 2, ..., `count`."""
    return [stride, *(f.op(f"mul i64 {stride}, {factor}") for factor in range(2, count + 1))]


def _rows(f: Function, start: str, strides: list[str], lanes: int) -> list[str]:
    """The pointers to the rows of a tile."""
    rows: list[str] = []
    count = thresholds.TILE_POINTERS
    for first in range(0, lanes, count):
        start = f.at(start, strides[count - 1]) if first else start
        rows += [start, *(f.at(start, stride) for stride in strides[: min(count, lanes) - 1])]
    return rows


def _chunk(lanes: int, nbytes: int) -> int:
    """Elements of a piece of a row: as many as shuffles within 128 bits turn around."""
    return min(lanes, 4 if nbytes <= 4 else 2)


def _squares(f: Function, rows: Sequence[str], scalar: str, lanes: int, nbytes: int) -> Iterator[list[str]]:
    """The columns of a tile of `rows`, given by pointers, some at a time."""
    for column in range(0, lanes, _chunk(lanes, nbytes)):
        yield _square(f, [f.at(row, str(column * nbytes)) for row in rows], scalar, lanes, nbytes)


def _square(f: Function, rows: Sequence[str], scalar: str, lanes: int, nbytes: int) -> list[str]:
    """The first columns of a tile, as many as pieces of its rows have elements.

    The pieces are loaded beside each other, so that only shuffles within pieces remain: whole rows in registers, and
    log2(lanes) rounds of shuffles, take LLVM three times as long.
    """
    chunk, kind = _chunk(lanes, nbytes), vector(scalar, lanes)
    registers = [side_by_side(f, rows[row::chunk], scalar, chunk, nbytes, lanes) for row in range(chunk)]

    def both(x: str, y: str, group: int) -> list[str]:
        return [shuffled(f, kind, x, interleaved(lanes, chunk, group, high), y) for high in (False, True)]

    pairs = [both(x, y, 1) for x, y in zip(registers[0::2], registers[1::2], strict=True)]
    if chunk == 2:
        return pairs[0]
    return [register for x, y in zip(*pairs, strict=True) for register in both(x, y, 2)]

# SPDX-License-Identifier: Apache-2.0
"""Sorting of lines that are longer than a block sorts: blocks sort runs, then blocks merge neighbouring runs.

A launch merges runs of `width` elements. Each of its blocks writes a tile of the result. Two binary searches along the
runs say which elements of either one those are (Odeh, Green, Mwassi, Shmueli and Birk, Merge Path, 2012), and each
thread finds the places of its elements as `sorting` does, in shared memory.
"""

from __future__ import annotations

from hybridize.codegen.llvm.device.sorting import (
    AxisLines,
    BlockSorter,
    Lines,
    Side,
    farthest,
    number_before,
    rounds_of,
)
from hybridize.codegen.llvm.text import Function
from hybridize.codegen.llvm.threads import SharedMemory, block_in_rows, thread, thread_of_all, wait_for_block
from hybridize.schedule.device.routine_kernels import RoutineKernel


def write_runs(f: Function, lines: Lines, kernel: RoutineKernel) -> None:
    """Write what sorts a run of a line by a block, and stores it in the first copy of the line."""
    memory = SharedMemory(f)
    line, first = _tile(lines, kernel.tile)
    sides = lines.shared(memory, kernel.tile)
    sorter = BlockSorter(lines, f.smin(f.minus(lines.n, first), kernel.tile), sides, kernel.launch.threads)
    with sorter.each() as index:
        place = f.plus(first, index)
        sorter.put(index, lines.key(line, place), place)
    result, target = sorter.sort(rounds_of(f, kernel.tile)), lines.side(line, 0)
    with sorter.each() as index:
        for cells, source, pointer in zip(lines.cells(), result, target, strict=True):
            cells.store(cells.load(source, index, 1), pointer, f.plus(first, index), 1)


def write_merge(f: Function, lines: Lines, kernel: RoutineKernel) -> None:
    """Write what merges runs of `width` elements from one copy of each line to the other."""
    line, first = _tile(lines, kernel.tile)
    turns = f.minus(
        64, f.op(f"call i64 {f.module.declare('llvm.ctlz.i64', 'i64', ['i64', 'i1'])}(i64 %width, i1 true)")
    )
    odd = f.op(f"and i64 {f.minus(turns, kernel.tile.bit_length())}, 1")
    tile = _Tile(lines, lines.side(line, odd)[0], first, kernel.tile, turns)
    numbers = lines.side(line, odd)[1:]
    keys = SharedMemory(f).array(lines.keys.scalar, kernel.tile, lines.keys.dtype.itemsize)
    with f.loop(thread(f), tile.count, kernel.launch.threads) as loop:
        lines.keys.store(lines.keys.load(tile.source, tile.place(loop.index), 1), keys, loop.index, 1)
    wait_for_block(f)
    target = lines.side(line, f.minus(1, odd))
    with f.loop(thread(f), tile.count, kernel.launch.threads) as loop:
        to, key = tile.result(loop.index, keys)
        lines.keys.store(key, target[0], to, 1)
        for pointer, other in zip(numbers, target[1:], strict=True):
            lines.numbers.store(lines.numbers.load(pointer, tile.place(loop.index), 1), other, to, 1)


def write_finish(f: Function, lines: AxisLines, kernel: RoutineKernel) -> None:
    """Write what stores the results of sorted lines, a thread for each element."""
    index = thread_of_all(f)
    with f.when(f.test("slt", index, kernel.units)):
        column = f.op(f"urem i64 {index}, {f.size(lines.inner)}")
        rows = f.op(f"udiv i64 {index}, {f.size(lines.inner)}")
        row, place = (f.op(f"{op} i64 {rows}, {f.size(lines.n)}") for op in ("udiv", "urem"))
        line = f.plus(f.times(row, lines.inner), column)
        lines.finish(sorted_side(lines, line, kernel.tile), place, index)


def sorted_side(lines: Lines, line: str, tile: int) -> Side:
    """Return the copy in which a line lies when it is sorted, by runs of `tile` elements where that is not 0."""
    runs = (lines.n + tile - 1) // tile if tile else lines.n
    rounds = rounds_of(lines.f, runs)
    return lines.side(line, int(rounds) % 2 if rounds.isdecimal() else lines.f.op(f"and i64 {rounds}, 1"))


def _tile(lines: Lines, tile: int) -> tuple[str, str]:
    """Return the line of a block, and the first element of its part of the line."""
    f, tiles = lines.f, (lines.n + tile - 1) // tile
    line, number = block_in_rows(f, tiles)
    return line, f.times(number, tile)


class _Tile:
    """Consecutive elements of two runs that are merged, from `first` on in the line.

    The first ones of them are of the left run.
    """

    def __init__(self, lines: Lines, source: str, first: str, most: int, turns: str) -> None:
        f = lines.f
        self.lines, self.f, self.source, self.first, self._most, self._turns = lines, f, source, first, most, turns
        both = f.op("shl i64 %width, 1")
        self._left = f.op(f"and i64 {first}, {f.minus(0, both)}")
        self._right = f.smin(f.plus(self._left, "%width"), lines.n)
        self._end = f.smin(f.plus(self._left, both), lines.n)
        begin = f.minus(first, self._left)
        end = f.smin(f.plus(begin, most), f.minus(self._end, self._left))
        self.count = f.minus(end, begin)
        skipped = self._of_left(begin)
        self._of_tile = f.minus(self._of_left(end), skipped)
        self._from_left = f.plus(self._left, skipped)
        self._from_right = f.minus(f.plus(self._right, f.minus(begin, skipped)), self._of_tile)

    def _of_left(self, count: str) -> str:
        """Count those of the left run among the first elements of the merged one."""
        f, keys = self.f, self.lines.keys
        least = f.smax(f.minus(count, f.minus(self._end, self._right)), 0)
        most = f.smin(count, f.minus(self._right, self._left))

        def goes_before(ahead: str) -> str:
            """Tell whether the last of so many goes before the first one of the right run that would be left out.

            Of more than there are, some elements of the line are compared in vain.
            """
            left = f.smin(f.plus(self._left, f.minus(ahead, 1)), f.minus(self._right, 1))
            right = f.smax(f.minus(f.plus(self._right, count), ahead), self._left)
            one, other = (keys.load_number(self.source, place, 1) for place in (left, right))
            return f.op(f"xor i1 {keys.before(other, one, self.lines.descending)}, true")

        return farthest(f, least, most, self._turns, goes_before)

    def place(self, index: str) -> str:
        """Return the place of an element in the line."""
        f = self.f
        start = f.op(f"select i1 {self._is_right(index)}, i64 {self._from_right}, i64 {self._from_left}")
        return f.plus(start, index)

    def _is_right(self, index: str) -> str:
        return self.f.test("sge", index, self._of_tile)

    def result(self, index: str, keys: str) -> tuple[str, str]:
        """Return the place of an element in the merged line, and its key; keys of the tile lie at `keys`."""
        f, is_right = self.f, self._is_right(index)
        key = self.lines.keys.load(keys, index, 1)
        first, end = (
            f.op(f"select i1 {is_right}, i64 {x}, i64 {y}")
            for x, y in ((0, self._of_tile), (self._of_tile, self.count))
        )
        ahead = number_before(self.lines, keys, key, (first, end), is_right, self._most.bit_length())
        own = f.minus(index, f.op(f"select i1 {is_right}, i64 {self._of_tile}, i64 0"))
        return f.plus(self.first, f.plus(own, f.minus(ahead, first))), key

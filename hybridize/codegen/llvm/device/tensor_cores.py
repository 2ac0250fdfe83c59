# SPDX-License-Identifier: Apache-2.0
"""Write tiles whose warps multiply small matrices: 16 rows, 8 columns, and 16 terms of 16-bit floats or 8 of tf32.

Panels of 16-bit floats lie as operands do in memory, row by row or term by term: the instructions that read small
matrices turn them around. Those of tf32 lie row by row. A thread of a warp has two neighbouring sums of row l / 4 and
two of row l / 4 + 8 of each small matrix, l being its number in the warp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hybridize.codegen.llvm.device.tiles import TileWriter
from hybridize.codegen.llvm.threads import KernelFunction
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.device.contractions import BlockPlan, BlockSums

_SUMS: Final = "{float, float, float, float}"
_ROWS: Final = 16
_COLUMNS: Final = 8
"""Rows and columns of a small matrix of sums."""


class WarpTileWriter(TileWriter):
    """Writes tiles by the products that a warp computes at once."""

    def __init__(self, f: KernelFunction, plan: BlockPlan, sums: BlockSums, ending: Ending, target: Target) -> None:
        super().__init__(f, plan, sums, ending, target)
        numbers, tile = self.numbers, self.tile
        warp, across = numbers.over(self.thread, 32), tile.n // tile.columns
        # Before a loop that a sum of no terms does not enter: the results need them, too.
        self.lane: Final = numbers.rest(self.thread, 32)
        """The number of the thread within its warp."""
        self.warps: Final = (
            numbers.times(numbers.over(warp, across), tile.rows),
            numbers.times(numbers.rest(warp, across), tile.columns),
        )
        """The row and the column of the tile with which the warp begins."""

    def _of_terms(self, stage: str, sums: Sequence[str]) -> list[str]:
        """Return the sums with the products of all terms of the panels added, those of small matrices at once."""
        depth = 8 if self.tile.unit == "tf32" else 16
        for term in range(0, self.tile.k, depth):
            sums = self._multiplied(stage, term, sums)
        return list(sums)

    def _multiplied(self, stage: str, term: int, sums: Sequence[str]) -> list[str]:
        tile, results = self.tile, list(sums)
        of_16_bits = tile.unit != "tf32"
        read = self._matrices if of_16_bits else self._rounded
        x = [read(0, stage, term, row) for row in range(0, tile.rows, _ROWS)]
        w = [read(1, stage, term, column) for column in range(0, tile.columns, _COLUMNS * (1 + of_16_bits))]
        pairs = [part[k : k + 2] for part in w for k in range(0, len(part), 2)]
        for r, left in enumerate(x):
            for c, right in enumerate(pairs):
                first = 4 * (r * len(pairs) + c)
                results[first : first + 4] = self._product(left, right, results[first : first + 4])
        return results

    def _product(self, x: Sequence[str], w: Sequence[str], sums: Sequence[str]) -> list[str]:
        """Return four sums with the products of small matrices added."""
        f, unit = self.f, self.tile.unit
        shape, kind = {
            "bf16": ("m16n8k16.row.col.bf16", "i32"),
            "f16": ("m16n8k16.row.col.f32.f32", "<2 x half>"),
            "tf32": ("m16n8k8.row.col.tf32", "i32"),
        }[unit]
        symbol = f.module.declare(f"llvm.nvvm.mma.{shape}", _SUMS, [kind] * 6 + ["float"] * 4)
        factors = [one if kind == "i32" else f.op(f"bitcast i32 {one} to {kind}") for one in (*x, *w)]
        arguments = ", ".join([*(f"{kind} {one}" for one in factors), *(f"float {one}" for one in sums)])
        total = f.op(f"call {_SUMS} {symbol}({arguments})")
        return [f.op(f"extractvalue {_SUMS} {total}, {number}") for number in range(4)]

    def _matrices(self, side: int, stage: str, term: int, first: int) -> list[str]:
        """Load four registers of 16 rows by 16 terms of a panel: of x 8 rows after the other for each 8 terms, of w 8
        terms after the other for each 8 columns.
        """
        f, numbers, panel = self.f, self.numbers, self.panels[side]
        half, quarter = numbers.over(self.lane, 16), numbers.rest(numbers.over(self.lane, 8), 2)
        down, right = (quarter, half) if side == 0 else (half, quarter)
        row, column = numbers.times(down, 8), numbers.times(right, 8)
        line = numbers.rest(self.lane, 8)  # of a small matrix, whose start a thread tells
        if panel.is_by_rows:
            turned, start = "", first * panel.pitch + term
            row = numbers.plus(self.warps[side], row, line)
        else:
            turned, start = ".trans", term * panel.pitch + first
            row, column = numbers.plus(column, line), numbers.plus(self.warps[side], row)
        at = numbers.plus(numbers.times(stage, panel.stage), numbers.times(row, panel.pitch), column, start)
        kinds = "{i32, i32, i32, i32}"
        symbol = f.module.declare(
            f"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4{turned}.b16.p3", kinds, ["ptr addrspace(3)"]
        )
        pointer = f.op(f"addrspacecast ptr {numbers.element(panel.array, at, panel.type)} to ptr addrspace(3)")
        several = f.op(f"call {kinds} {symbol}(ptr addrspace(3) {pointer})")
        return [f.op(f"extractvalue {kinds} {several}, {number}") for number in range(4)]

    def _rounded(self, side: int, stage: str, term: int, first: int) -> list[str]:
        """Return the registers of 16 rows, or 8 columns, by 8 terms, each element rounded to tf32."""
        f, numbers, panel = self.f, self.numbers, self.panels[side]
        rows = [0, 8] if side == 0 else [0]
        row = numbers.plus(self.warps[side], numbers.over(self.lane, 4))
        at = numbers.plus(
            numbers.times(stage, panel.stage), numbers.times(row, panel.pitch), numbers.rest(self.lane, 4)
        )
        symbol = f.module.declare("llvm.nvvm.f2tf32.rna", "i32", ["float"])
        values = []
        for terms in (0, 4):
            for below in rows:
                place = numbers.plus(at, (first + below) * panel.pitch + term + terms)
                value = f.op(f"load float, ptr {numbers.element(panel.array, place, panel.type)}")
                values.append(f.op(f"call i32 {symbol}(float {value})"))
        return values

    # Results

    def _wait(self, sums: Sequence[str]) -> None:
        """Put the sums of a strip into shared memory: for each row of warps, so many of its small matrices."""
        f, tile, numbers = self.f, self.tile, self.numbers
        across = tile.columns // _COLUMNS
        lines = numbers.over(self.warps[0], tile.strips)
        line = numbers.plus(lines, numbers.over(self.lane, 4))
        column = numbers.plus(self.warps[1], numbers.times(numbers.rest(self.lane, 4), 2))
        start = numbers.plus(numbers.times(line, tile.n), column)
        for number, total in enumerate(sums):
            matrix, place = divmod(number, 4)
            row = matrix // across * _ROWS + place // 2 * 8
            at = row * tile.n + matrix % across * _COLUMNS + place % 2
            to = numbers.element(self.waiting, numbers.plus(start, at), self.arithmetic.type)
            self.arithmetic.store_computed(f, total, to, 1)

    def _row_of(self, strip: str, line: str) -> str:
        numbers, each = self.numbers, self.tile.rows // self.tile.strips
        row = numbers.plus(numbers.times(numbers.over(line, each), self.tile.rows), numbers.rest(line, each))
        return numbers.plus(row, numbers.times(strip, each))

# SPDX-License-Identifier: Apache-2.0
"""The function of a band: for each block, its rows or lines of one step after the other (see `schedule.bands` and
`schedule.rolling`).

Memory for one block only is given as if it reached back to where all rows, or lines, would begin.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hybridize.base.dims import Size, same
from hybridize.codegen.llvm.calls import call
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module
from hybridize.runtime.plan import PlanBand, PlanLaunch, PlanRolling

Call = tuple[PlanLaunch, Sequence[tuple[int, Size]]]
"""A function of some rows or units and its pointers: the number of each among those of the band, and the bytes of a row
where it points to memory for one block of rows only, else 0."""


def emit_band(
    module: Module, name: str, band: PlanBand | PlanRolling, pointers: int, calls: Sequence[Call]
) -> Function:
    """Write the function `name`: `(ptr <pointers>, i64 first, i64 last)`, which runs these units; the last pointers are
    to the band's own memory. Where members are done in turn, `i64 member` comes before the units.
    """
    params = [("ptr", f"p{number}") for number in range(pointers)]
    if isinstance(band, PlanBand) and band.in_turn:
        params.append(("i64", "member"))
    f = Function(module, name, [*params, ("i64", "first"), ("i64", "last")], attributes=UNOPTIMISED)
    match band:
        case PlanBand():
            _write_rows(f, band, calls)
        case PlanRolling():
            _write_lines(f, band, range(pointers - len(band.memories), pointers), calls)
    return f


def _write_rows(f: Function, band: PlanBand, calls: Sequence[Call]) -> None:
    """Run blocks of rows.

    A function of rows is told which, of all members of the batch counted as one. Where members are done in turn, blocks
    are those of one, whose number is `member`.
    """
    rows, blocks = f.size(band.rows), f.size(band.count)
    with f.loop("%first", "%last") as unit:
        block, before = unit.index, "0"
        if band.in_turn:
            before = f.op(f"mul i64 %member, {rows}")
        elif not same(band.batch, 1):
            block = f.op(f"urem i64 {unit.index}, {blocks}")
            before = f.op(f"mul i64 {f.op(f'udiv i64 {unit.index}, {blocks}')}, {rows}")
        start = f.op(f"mul i64 {block}, {band.block}")
        stop = f.op(f"add i64 {start}, {band.block}")
        following = f.op(f"add i64 {block}, 1")
        stop = f.op(f"select i1 {f.op(f'icmp eq i64 {following}, {blocks}')}, i64 {rows}, i64 {stop}")
        first, last = (f.op(f"add i64 {row}, {before}") for row in (start, stop))
        for launch, args in calls:
            call(f, launch, [_place(f, number, row, first) for number, row in args], [first, last])


def _place(f: Function, number: int, row: Size, first: str) -> str:
    """A pointer to where the first of all rows would be, if there are only those from `first` on."""
    distance = f.times(first, row)
    return f"%p{number}" if distance == "0" else f.at(f"%p{number}", f.op(f"sub i64 0, {distance}"))


def _write_lines(f: Function, band: PlanRolling, own: range, calls: Sequence[Call]) -> None:
    """Run parts of the blocks of lines, which are kept in memory that the pointers `own` are to."""
    records, length = band.blocks, len(band.blocks[0])
    values = ", ".join(f"i64 {number}" for number in itertools.chain(*records))
    table = f.module.constant(f"{f.name}.table", f"[{len(records) * length} x i64]", f"[{values}]")
    clear = f.module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
    memories = list(zip(own, band.memories, strict=True))
    for number, lines in memories:
        f.do(f"call void {clear}(ptr %p{number}, i8 0, i64 {lines.lines * lines.line_bytes}, i1 false)")
    first, last = (_cut(f, part, len(records), band.parts) for part in ("%first", "%last"))
    with f.loop(first, last) as turn:
        record = f.at(table, f.times(turn.index, length * 8))
        numbers = [f.op(f"load i64, ptr {f.at(record, 8 * k)}, align 8") for k in range(length)]
        units, rest = [numbers[3 * k : 3 * k + 3] for k in range(len(calls))], numbers[3 * len(calls) :]
        places = {}
        moves = []
        for k, (number, lines) in enumerate(memories):
            low, seen, count, zeros, beyond = rest[5 * k : 5 * k + 5]
            start = f.at(f"%p{number}", f.times(zeros, lines.line_bytes))
            f.do(f"call void {clear}(ptr {start}, i8 0, i64 {f.times(beyond, lines.line_bytes)}, i1 false)")
            places[number] = f.at(f"%p{number}", f.op(f"sub i64 0, {f.times(low, lines.line_bytes)}"))
            moves.append((number, seen, count, lines.line_bytes))
        is_first = f.op(f"icmp eq i64 {turn.index}, {first}")
        for (launch, args), (alone, following, end) in zip(calls, units, strict=True):
            begin = f.op(f"select i1 {is_first}, i64 {alone}, i64 {following}")
            call(f, launch, [places.get(number, f"%p{number}") for number, _ in args], [begin, end])
        for number, seen, count, line_bytes in moves:
            source = f.at(f"%p{number}", f.times(seen, line_bytes))
            f.copy(f"%p{number}", source, f.times(count, line_bytes))


def _cut(f: Function, part: str, blocks: int, parts: int) -> str:
    """The first block of a part."""
    return f.op(f"udiv i64 {f.times(part, blocks)}, {parts}")

# SPDX-License-Identifier: Apache-2.0
"""The function of a band: for each block, its rows of one step after the other."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import Size, same
from hybridize.codegen.llvm.calls import call
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module, at, times
from hybridize.runtime.plan import PlanBand, PlanLaunch

Call = tuple[PlanLaunch, Sequence[tuple[int, Size]]]
"""A function of some rows and its pointers: the number of each among those of the band, and the bytes of a row where it
points to memory for one block only, else 0."""


def emit_band(module: Module, name: str, band: PlanBand, pointers: int, calls: Sequence[Call]) -> Function:
    """Write the function `name`: `(ptr <pointers>, i64 first, i64 last)`, which runs these blocks.

    A function of rows is told which, of all members of the batch counted as one. Where members are done in turn, blocks
    are those of one, whose number, `i64 member`, comes before them.
    """
    numbers = ("member", "first", "last") if band.in_turn else ("first", "last")
    params = [*(("ptr", f"p{number}") for number in range(pointers)), *(("i64", number) for number in numbers)]
    f = Function(module, name, params, attributes=UNOPTIMISED)
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
    return f


def _place(f: Function, number: int, row: Size, first: str) -> str:
    """A pointer to where the first of all rows would be, if there are only those from `first` on."""
    distance = times(f, first, row)
    return f"%p{number}" if distance == "0" else at(f, f"%p{number}", f.op(f"sub i64 0, {distance}"))

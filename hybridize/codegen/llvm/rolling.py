# SPDX-License-Identifier: Apache-2.0
"""The function of a rolling band: for each block, the units of one contraction after the other (see
`schedule.rolling`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hybridize.codegen.llvm.calls import call
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module, at, times
from hybridize.runtime.plan import PlanLaunch, PlanRolling

Call = tuple[PlanLaunch, Sequence[int]]
"""A function of some units, and its pointers: the number of each among those of the band."""


def emit_rolling(module: Module, name: str, band: PlanRolling, pointers: int, calls: Sequence[Call]) -> Function:
    """Write the function `name`: `(ptr <pointers>, i64 first, i64 last)`, which runs these parts of the blocks.

    The last pointers are to the memory of which some lines are kept. Steps are given it as if it reached back to where
    all lines would begin.
    """
    params = [("ptr", f"p{number}") for number in range(pointers)]
    f = Function(module, name, [*params, ("i64", "first"), ("i64", "last")], attributes=UNOPTIMISED)
    records, length = band.blocks, len(band.blocks[0])
    values = ", ".join(f"i64 {number}" for number in itertools.chain(*records))
    table = module.constant(f"{name}.table", f"[{len(records) * length} x i64]", f"[{values}]")
    clear = module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
    own = range(pointers - len(band.memories), pointers)
    for number, memory in zip(own, band.memories, strict=True):
        f.do(f"call void {clear}(ptr %p{number}, i8 0, i64 {memory.lines * memory.line_bytes}, i1 false)")
    first, last = (_cut(f, part, len(records), band.parts) for part in ("%first", "%last"))
    with f.loop(first, last) as turn:
        record = at(f, table, times(f, turn.index, length * 8))
        numbers = [f.op(f"load i64, ptr {at(f, record, 8 * k)}, align 8") for k in range(length)]
        units, lines = numbers[: 3 * len(calls)], numbers[3 * len(calls) :]
        places = {}
        for k, (number, memory) in enumerate(zip(own, band.memories, strict=True)):
            low, _, _, zeros, count = lines[5 * k : 5 * k + 5]
            beyond = at(f, f"%p{number}", times(f, zeros, memory.line_bytes))
            f.do(f"call void {clear}(ptr {beyond}, i8 0, i64 {times(f, count, memory.line_bytes)}, i1 false)")
            places[number] = at(f, f"%p{number}", f.op(f"sub i64 0, {times(f, low, memory.line_bytes)}"))
        is_first = f.op(f"icmp eq i64 {turn.index}, {first}")
        for k, (launch, args) in enumerate(calls):
            alone, following, end = units[3 * k : 3 * k + 3]
            begin = f.op(f"select i1 {is_first}, i64 {alone}, i64 {following}")
            call(f, launch, [places.get(number, f"%p{number}") for number in args], [begin, end])
        for k, (number, memory) in enumerate(zip(own, band.memories, strict=True)):
            _, seen, count, _, _ = lines[5 * k : 5 * k + 5]
            source, nbytes = (
                at(f, f"%p{number}", times(f, seen, memory.line_bytes)),
                times(f, count, memory.line_bytes),
            )
            f.copy(f"%p{number}", source, nbytes)
    return f


def _cut(f: Function, part: str, blocks: int, parts: int) -> str:
    """The first block of a part."""
    return f.op(f"udiv i64 {times(f, part, blocks)}, {parts}")

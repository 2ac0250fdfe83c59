# SPDX-License-Identifier: Apache-2.0
"""Calls of ranged functions: through the team that a program was given, or at once where that has one thread.

A ranged function does the turns `first` to `last` of its work. What it is called with goes through an array on the
stack, as the pool knows only one form of a loop's body, `(ptr data, i64 first, i64 last, i64 slot)`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import Size
from hybridize.base.dtypes import float64
from hybridize.codegen.llvm.calls import call
from hybridize.codegen.llvm.sizes import as_double
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module, literal
from hybridize.runtime.plan import BYTES_PER_US, FLOPS_PER_US, PlanLaunch, PlanShare
from hybridize.runtime.pool import TEAM
from hybridize.schedule import thresholds
from hybridize.schedule.parallel import ranges_of

_CALL = "in_parallel"


def emit_body(
    module: Module,
    name: str,
    ranged: PlanLaunch,
    pointers: int,
    strides: Sequence[Size],
    sized: bool,
    numbers: int = 0,
) -> None:
    """Write the body `name` of the loop over the turns of the function `ranged`.

    That takes `pointers` pointers, `numbers` numbers, first and last turn, and size symbols. The last pointers are to
    memory of which each thread has its own part, `strides` bytes apart; `sized` is whether there are size symbols in
    the program.
    """
    params = [("ptr", "data"), ("i64", "first"), ("i64", "last"), ("i64", "slot")]
    f = Function(module, name, params, attributes=UNOPTIMISED)
    if sized:
        f.sizes = f.on_entry(f"load ptr, ptr {_cell(f, pointers + numbers)}, align 8", "sizes")
    args = []
    for number in range(pointers):
        pointer = f.op(f"load ptr, ptr {_cell(f, number)}, align 8")
        own = number - (pointers - len(strides))
        if own >= 0:
            offset = f.op(f"mul i64 %slot, {f.size(strides[own])}")
            pointer = f.op(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        args.append(pointer)
    more = [f.op(f"load i64, ptr {_cell(f, pointers + number)}, align 8") for number in range(numbers)]
    call(f, ranged, args, [*more, "%first", "%last"])


def _cell(f: Function, number: int) -> str:
    """Return the address of a pointer; computed on entry, as the sizes are needed there."""
    return f.on_entry(f"getelementptr ptr, ptr %data, i64 {number}", ("argument", number))


def call_in_parallel(
    f: Function,
    team: str,
    body: str,
    pointers: Sequence[str],
    turns: Size,
    share: PlanShare,
    numbers: Sequence[str] = (),
) -> None:
    """Run all turns of a body, in ranges as far as that pays."""
    arguments = [
        *(f"ptr {one}" for one in pointers),
        *(f"i64 {one}" for one in numbers),
        *[f"ptr {f.sizes}"] * bool(f.sizes),
    ]
    # One array for all loops with as many: each is over before the next begins, and a program may have thousands.
    count = len(arguments)
    data = f.on_entry(f"alloca ptr, i64 {count}, align 64", ("arguments", count))
    for number, argument in enumerate(arguments):
        cell = f.op(f"getelementptr ptr, ptr {data}, i64 {number}")
        f.do(f"store {argument}, ptr {cell}, align 8")
    if _CALL not in f.module.functions:
        _emit_call(f.module)
    grain, wake = _manner(f, turns, share)
    f.do(
        f"call void @{_CALL}(ptr {team}, ptr @{body}, ptr {data}, i64 {f.size(turns)}, i64 {grain}, "
        f"i64 {share.threads}, i64 {wake})"
    )


def _manner(f: Function, turns: Size, share: PlanShare) -> tuple[str, str]:
    """The fewest turns of a range, all where it is better to be alone; and whether the work is worth waking workers."""
    ranges = ranges_of(turns, share.bytes, share.flops, wakes=share.wakes)
    if ranges.grain is not None:
        return str(ranges.grain), str(int(ranges.wakes is True))
    parts = ((share.flops, FLOPS_PER_US), (share.bytes, BYTES_PER_US))
    times = [f.op(f"fdiv double {as_double(f, amount)}, {literal(rate, float64)}") for amount, rate in parts]
    work = f.op(f"fadd double {times[0]}, {times[1]}")
    rate = f.op(f"fdiv double {literal(thresholds.RANGE_US, float64)}, {work}")
    grain = f.op(f"fptosi double {f.op(f'fmul double {rate}, {as_double(f, turns)}')} to i64")
    some = f.smax(grain, 1)
    enough = f.op(f"fcmp oge double {work}, {literal(ranges.alone_us, float64)}")
    wake = f.op(f"fcmp oge double {work}, {literal(thresholds.WORTH_US, float64)}")
    grain = f.op(f"select i1 {enough}, i64 {some}, i64 {f.size(turns)}")
    return grain, "1" if ranges.wakes else f.op(f"zext i1 {wake} to i64")


def _emit_call(module: Module) -> None:
    """`(ptr team, ptr body, ptr data, i64 turns, i64 grain, i64 slots, i64 wake)`: a team of one needs no pool."""
    numbers = ("turns", "grain", "slots", "wake")
    params = [("ptr", "team"), ("ptr", "body"), ("ptr", "data"), *(("i64", name) for name in numbers)]
    f = Function(module, _CALL, params, attributes=UNOPTIMISED)
    cell = f.op(f"getelementptr i64, ptr %team, i64 {TEAM['threads']}")
    threads = f.op(f"load atomic i64, ptr {cell} monotonic, align 8")
    f.branch(f.op(f"icmp ult i64 {threads}, 2"), "alone", "together", begin="alone")
    f.do("call void %body(ptr %data, i64 0, i64 %turns, i64 0)")
    f.do("ret void")
    f.begin_block("together")
    cell = f.op(f"getelementptr i64, ptr %team, i64 {TEAM['parallel']}")
    function = f.op(f"load ptr, ptr {cell}, align 8")
    f.do(f"call void {function}(ptr %team, ptr %body, ptr %data, i64 %turns, i64 %grain, i64 %slots, i64 %wake)")

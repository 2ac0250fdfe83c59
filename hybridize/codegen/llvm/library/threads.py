# SPDX-License-Identifier: Apache-2.0
"""Loops that threads share, run by the host's parallel-for.

    void shared(ptr team, ptr body, ptr data, i64 count, i64 grain, i64 slots, i64 wake)        see `runtime.pool`
    void task(ptr work, i64 number)                                                             what the host calls

The turns are cut into as many ranges as threads may be, one task each, and the number of the task is the slot: tasks
use memory of their own whoever runs them, in whatever order, one after the other or at once.
"""

from __future__ import annotations

from hybridize.codegen.llvm.library.layout import WORD
from hybridize.codegen.llvm.library.writer import Writer
from hybridize.codegen.llvm.text import Module
from hybridize.runtime.pool import TEAM

SHARED, _TASK = "shared", "task"
_BODY, _DATA, _COUNT, _SIZE, _PARTS = (8 * k for k in range(5))
"""Offsets of the members of a task, in bytes."""


def emit_threads(module: Module) -> None:
    """Write both functions."""
    _emit_task(module)
    numbers = ("count", "grain", "slots", "wake")
    params = [("ptr", "team"), ("ptr", "body"), ("ptr", "data"), *(("i64", name) for name in numbers)]
    w = Writer(module, SHARED, params, returns="void")
    f = w.f
    # Whether the host's threads are awake is not known: work that is not worth waking them stays here.
    some = f.op(f"and i1 {w.test('slt', '%grain', '%count')}, {w.test('ne', '%wake', 0)}")
    several, alone, together = f.fresh("several"), f.fresh("alone"), f.fresh("together")
    f.branch(some, several, alone, begin=several)
    threads = w.load("%team", 8 * TEAM["threads"], "i64")
    limit = f.smin(threads, "%slots")
    limit = f.smin(limit, _parts(w, "%count", "%grain"))
    size = _parts(w, "%count", limit)
    parts = _parts(w, "%count", size)
    f.branch(w.test("sgt", parts, 1), together, alone, begin=together)
    work = f.alloca("i64", 5, 8)
    w.store("%body", work, _BODY)
    w.store("%data", work, _DATA)
    for value, offset in (("%count", _COUNT), (size, _SIZE), (parts, _PARTS)):
        w.store(value, work, offset, "i64")
    model = w.load("%team", 8 * TEAM["pool"])
    host, context = w.load(model, WORD["parallel_for"]), w.load(model, WORD["context"])
    f.do(f"call void {host}(ptr {context}, ptr @{_TASK}, ptr {work}, i64 {parts})")
    f.do("ret void")
    f.begin_block(alone)
    with f.when(w.test("sgt", "%count", 0)):
        f.do("call void %body(ptr %data, i64 0, i64 %count, i64 0)")


def _parts(w: Writer, count: str, size: str) -> str:
    """Count the parts of at most `size`."""
    more = w.f.op(f"add i64 {count}, {w.f.op(f'sub i64 {size}, 1')}")
    return w.f.op(f"sdiv i64 {more}, {size}")


def _emit_task(module: Module) -> None:
    w = Writer(module, _TASK, [("ptr", "work"), ("i64", "number")], returns="void")
    f = w.f
    # One that is not there would use a slot that is not.
    with f.when(w.test("ult", "%number", w.load("%work", _PARTS, "i64"))):
        count, size = w.load("%work", _COUNT, "i64"), w.load("%work", _SIZE, "i64")
        first = f.op(f"mul i64 %number, {size}")
        last = f.smin(count, f.op(f"add i64 {first}, {size}"))
        body, data = w.load("%work", _BODY), w.load("%work", _DATA)
        f.do(f"call void {body}(ptr {data}, i64 {first}, i64 {last}, i64 %number)")

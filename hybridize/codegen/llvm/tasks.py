# SPDX-License-Identifier: Apache-2.0
"""Groups of tasks that run beside each other: a loop of the pool, each turn of which is another function."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module


def emit_tasks(module: Module, name: str, tasks: Sequence[str]) -> None:
    """Write the body `name` of a loop over tasks: functions that take its array of pointers, found by their numbers."""
    f = Function(
        module,
        name,
        [("ptr", "data"), ("i64", "first"), ("i64", "last"), ("i64", "slot")],
        attributes=UNOPTIMISED,
    )
    with f.loop("%first", "%last") as turn:
        for number, task in enumerate(tasks):
            with f.when(f.op(f"icmp eq i64 {turn.index}, {number}")):
                f.do(f"call void @{task}(ptr %data)")

# SPDX-License-Identifier: Apache-2.0
"""Groups of tasks that run beside each other: a loop of the pool, each turn of which is another function."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module

PROGRAM = ("inputs", "outputs", "scratch")
"""The arrays of pointers and the memory that a program is called with, and a task too."""


def emit_tasks(module: Module, name: str, tasks: Sequence[str]) -> None:
    """Write the body `name` of a loop over tasks: functions of the form of a program, found by their numbers."""
    f = Function(
        module,
        name,
        [("ptr", "data"), ("i64", "first"), ("i64", "last"), ("i64", "slot")],
        attributes=UNOPTIMISED,
    )
    cells = [f.op(f"getelementptr ptr, ptr %data, i64 {number}") for number in range(len(PROGRAM))]
    args = [f"ptr {f.op(f'load ptr, ptr {cell}, align 8')}" for cell in cells]
    with f.loop("%first", "%last") as turn:
        for number, task in enumerate(tasks):
            with f.when(f.op(f"icmp eq i64 {turn.index}, {number}")):
                f.do(f"call void @{task}({', '.join(args)})")
    f.do("ret void")

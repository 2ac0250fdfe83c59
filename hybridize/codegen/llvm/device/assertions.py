# SPDX-License-Identifier: Apache-2.0
"""Assertions as kernels of a GPU: the threads of a warp look at all elements; the first notes one that is false.

Kernels run one after the other, so a note that is there already is of an earlier step, and stays.
"""

from __future__ import annotations

from hybridize.base.dtypes import uint8
from hybridize.codegen.llvm.text import Function, Module
from hybridize.codegen.llvm.threads import SharedMemory, from_below, kernel_function, thread, wait_for_block
from hybridize.loops.kernel import Param
from hybridize.machine.target import Target
from hybridize.runtime.plan import NOTE_BYTES, aligned_note
from hybridize.schedule.steps import RoutineStep


def emit_assertion(module: Module, name: str, step: RoutineStep, number: int, target: Target) -> Function:
    """Write the function `name`: `(ptr condition, ptr operand..., ptr scratch, ptr flag)`; its note has the number."""
    assert target.device is not None
    (kernel,) = step.kernels
    threads = kernel.launch.threads
    params: list[tuple[str, Param | None]] = [
        (f"i{k}", Param(kind.dtype, kind.size, False)) for k, kind in enumerate(step.inputs)
    ]
    params += [("scratch", Param(uint8, 0, True)), ("flag", Param(uint8, NOTE_BYTES, True))]
    f = kernel_function(module, name, params, threads)
    with f.loop(thread(f), f.size(step.inputs[0].size), threads, carry=[("i32", "1")]) as loop:
        element = f.op(f"zext i8 {f.load('%i0', loop.index, 'i8')} to i32")
        loop.following = [f.op(f"and i32 {loop.values[0]}, {element}")]
    holds = (_by_registers if target.device.shuffles else _by_memory)(f, loop.results[0], threads)
    fails = f.op(f"icmp eq i32 {holds}, 0")
    with f.when(f.op(f"and i1 {fails}, {f.test('eq', thread(f), 0)}")), f.when(f.test("eq", f.load("%flag"), 0)):
        f.store(number, "%flag")
        at: int = NOTE_BYTES
        for k, kind in enumerate(step.inputs[1:], 1):
            with f.loop(0, f.size(kind.nbytes)) as each:
                f.store(f.load(f"%i{k}", each.index, "i8"), f.at("%flag", f.plus(f.size(at), each.index)), type="i8")
            at += aligned_note(kind.nbytes)
    return f


def _by_registers(f: Function, holds: str, threads: int) -> str:
    """Return whether it holds for all threads, as the first one knows it."""
    distance = threads // 2
    while distance:
        holds = f.op(f"and i32 {holds}, {from_below(f, holds, 'i32', distance)}")
        distance //= 2
    return holds


def _by_memory(f: Function, holds: str, threads: int) -> str:
    """Return whether it holds for all threads, which have nothing but shared memory."""
    words = SharedMemory(f).array("i32", threads, 4)
    f.store(holds, f.element(words, thread(f), "i32"), type="i32")
    wait_for_block(f)
    with f.loop(0, threads, carry=[("i32", "1")]) as every:
        every.following = [
            f.op(f"and i32 {every.values[0]}, {f.load(f.element(words, every.index, 'i32'), type='i32')}")
        ]
    return every.results[0]

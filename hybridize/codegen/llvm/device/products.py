# SPDX-License-Identifier: Apache-2.0
"""Sums of products as a kernel of a GPU: a tile for each block, operands by way of shared memory, the epilogue.

Panels of both operands, some terms of a tile, are brought into shared memory while those before are multiplied. Sums
stay in registers, and wait in shared memory for the epilogue, which is written once, in a loop over the elements. Parts
of sums wait in scratch for the next launch, which adds them up and has the epilogue.
"""

from __future__ import annotations

from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.device.numbers import numbers_of
from hybridize.codegen.llvm.device.results import ResultWriter, load_sums
from hybridize.codegen.llvm.device.tensor_cores import WarpTileWriter
from hybridize.codegen.llvm.device.tiles import ThreadTileWriter
from hybridize.codegen.llvm.text import Module, vector
from hybridize.codegen.llvm.threads import KernelFunction, block, kernel_function, thread
from hybridize.loops.kernel import Param
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.device import thresholds
from hybridize.schedule.device.contractions import BlockPlan, BlockSums
from hybridize.schedule.kernel import Launch


def emit_tiles(
    module: Module, name: str, plan: BlockPlan, sums: BlockSums, ending: Ending, target: Target
) -> KernelFunction:
    """Write the tiles of a launch as `name`: `(ptr x, ptr w, <params of the epilogue>, ptr parts)`; the last one where
    the plan has scratch.
    """
    f = _kernel(module, name, plan, ending, sums.grid.launch, from_parts=False)
    writer = WarpTileWriter if sums.grid.tile.of_warps else ThreadTileWriter
    writer(f, plan, sums, ending, target).emit()
    return f


def emit_sums_of_parts(
    module: Module, name: str, plan: BlockPlan, sums: BlockSums, ending: Ending, target: Target
) -> KernelFunction:
    """Write the launch that adds up parts, a thread for each element of the result, or for several neighbours, with
    the same parameters.
    """
    grid, after = sums.grid, sums.grid.after
    assert after is not None
    f = _kernel(module, name, plan, ending, after, from_parts=True)
    numbers = numbers_of(f, sums)
    arithmetic = ArithmeticEmitter.of_elements(plan.elements, target)
    results = ResultWriter(f, plan, sums, ending, target)
    index = numbers.plus(numbers.times(numbers.narrowed(block(f)), after.threads), numbers.narrowed(thread(f)))
    several = grid.columns // sums.stored
    with f.when(numbers.is_below(index, grid.batch * grid.m * several)):
        member, row, column = numbers.places(index, (grid.batch, grid.m, several))
        column = numbers.times(column, sums.stored)
        place = numbers.plus(numbers.times(numbers.plus(numbers.times(member, grid.m), row), grid.n), column)
        firsts = [
            numbers.element("%parts", numbers.plus(place, gate * grid.columns), arithmetic.type)
            for gate in range(grid.gates)
        ]
        kind, apart = arithmetic.type, grid.batch * grid.m * grid.n
        begin = [(vector(kind, sums.stored), load_sums(f, arithmetic, one, sums.stored)) for one in firsts]
        with f.loop(1, grid.parts, 1, begin) as loop:
            at = numbers.times(numbers.narrowed(loop.index), apart)
            parts = [load_sums(f, arithmetic, numbers.element(one, at, kind), sums.stored) for one in firsts]
            loop.following = [
                arithmetic.add(f, total, part, sums.stored) for total, part in zip(loop.values, parts, strict=True)
            ]
        results.open_batch(numbers, member)
        with results.at(numbers, row, column):
            results.store(loop.results)
    return f


def _kernel(
    module: Module, name: str, plan: BlockPlan, ending: Ending, launch: Launch, *, from_parts: bool
) -> KernelFunction:
    operands: list[tuple[str, Param | None]] = [("x", None), ("w", None)]
    params = [*operands, *((f"e{number}", param) for number, param in enumerate(ending.params))]
    if plan.scratch_bytes:
        params.append(("parts", Param(plan.elements.dtype, 1, not from_parts)))
    least = max(1, thresholds.THREADS_AT_ONCE // launch.threads)
    return kernel_function(module, name, params, launch.threads, launch.blocks, 1 if from_parts else least)

# SPDX-License-Identifier: Apache-2.0
"""Write epilogues: what a contraction's elements go through before memory (bias, activation, residual, casts)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hybridize.base.dtypes import DType, bfloat16, float16
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.contraction.out import EpilogueEmitter, RowSums
from hybridize.codegen.llvm.functions.table import narrowed, to_memory
from hybridize.codegen.llvm.functions.table import register as register_type
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Array, Lane
from hybridize.codegen.llvm.text import Function
from hybridize.loops.expr import Load
from hybridize.loops.index import bit
from hybridize.loops.measure import walk
from hybridize.machine.target import Target
from hybridize.schedule.contraction.product import Product
from hybridize.schedule.steps import Epilogue, gate_of


def epilogue_emitter(epilogue: Epilogue, product: Product, out: TensorType, target: Target) -> EpilogueEmitter:
    """The epilogue that computes `epilogue` for each vector of sums."""
    arrays = {
        number: Array(f"%e{number}", param.dtype, written=param.written) for number, param in enumerate(epilogue.params)
    }
    sizes = {0: product.batch, 1: product.m, 2: product.columns}

    accumulated = _accumulated(epilogue)

    def emit(
        f: Function, rows: Sequence[RowSums], column: str, lanes: int, batch: str, mask: str | None
    ) -> Iterator[str]:
        elements = Elements(f, target, arrays, sizes)
        elements.axes[0], elements.depth[0] = batch, 0
        with elements.bound(2, column, Lane(2, Width(lanes, mask))):
            if len(rows) > 1 and not epilogue.side_stores:
                elements.hoist([epilogue.value], bit(1))
            for row, sums in rows:
                with elements.bound(1, row):
                    for load in accumulated:
                        rounded = narrowed(f, sums[gate_of(load.operand)], load.dtype, lanes)
                        if lanes > 1 and not elements.varies(load):
                            kind = register_type(load.dtype, lanes)
                            rounded = f.op(f"extractelement {kind} {rounded}, i64 0")  # a single column
                        elements.remember(load, rounded)
                    for side in epilogue.side_stores:
                        elements.store(side.param, side.index, side.value)
                    result = elements.spread(epilogue.value)
                yield _registers_of(f, result, out.dtype, lanes)

    params = tuple(("ptr", f"e{number}") for number in range(len(epilogue.params)))
    return EpilogueEmitter(out.dtype, emit, params)


def _accumulated(epilogue: Epilogue) -> list[Load]:
    roots = [epilogue.value, *(side.value for side in epilogue.side_stores)]
    return [node for node in walk(*roots) if isinstance(node, Load) and node.operand < 0]


def _registers_of(f: Function, value: str, dtype: DType, lanes: int) -> str:
    """A register of ours as the contraction stores it: 16-bit floats as i16."""
    if dtype not in (float16, bfloat16):
        return value
    return to_memory(f, value, dtype, lanes)[1]

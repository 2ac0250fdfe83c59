# SPDX-License-Identifier: Apache-2.0
"""Write the loads and stores of neighbouring elements at once: up to 16 bytes, at a multiple of their number."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dtypes import DType
from hybridize.codegen.llvm.functions.table import from_memory, memory, to_memory
from hybridize.codegen.llvm.text import Function, vector


def load_neighbours(f: Function, pointer: str, dtype: DType, count: int) -> list[str]:
    """Load so many elements, each as a register."""
    kind = vector(memory(dtype, 1), count)
    several = f.op(f"load {kind}, ptr {pointer}, align {count * dtype.itemsize}")
    parts = (f.op(f"extractelement {kind} {several}, i64 {number}") for number in range(count))
    return [from_memory(f, part, dtype, 1) for part in parts]


def store_neighbours(f: Function, values: Sequence[str], pointer: str, dtype: DType) -> None:
    """Store registers side by side."""
    several, kind = "poison", vector(memory(dtype, 1), len(values))
    for number, value in enumerate(values):
        part, raw = to_memory(f, value, dtype, 1)
        several = f.op(f"insertelement {kind} {several}, {part} {raw}, i64 {number}")
    f.do(f"store {kind} {several}, ptr {pointer}, align {len(values) * dtype.itemsize}")

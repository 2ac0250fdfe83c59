# SPDX-License-Identifier: Apache-2.0
"""Writes to tensors of the program, and torch's refusals of them."""

from __future__ import annotations

import torch

from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import DType
from hybridize.capture.trace.recording import current_trace
from hybridize.ops import Broadcast, Operand, StopGradient

OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)


_NAMES = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long", "int32": "Int",
    "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
}  # fmt: skip


def dtype_name(dtype: DType) -> str:
    """Return the name of a dtype in torch's errors."""
    return _NAMES.get(dtype.name, dtype.name.capitalize())


def store(symbol: Symbol, value: Operand) -> None:
    """Make a value, of its type, the contents of a tensor or of what it views.

    Raises:
        RuntimeError: several of its elements are one, or it is a leaf that gradients go to; in torch's words.
    """
    if symbol.has_step(Broadcast):
        raise RuntimeError(OVERLAP)
    trace = current_trace()
    assert trace is not None and trace.root.library is not None, "who writes is captured"
    if (
        torch.is_grad_enabled()
        and not symbol.has_step(StopGradient)
        and trace.root.library.is_leaf(trace, symbol.base.operand())
    ):
        of = "a leaf Variable" if symbol.is_whole else "a view of a leaf Variable"
        raise RuntimeError(f"{of} that requires grad is being used in an in-place operation.")
    symbol.write(value)

# SPDX-License-Identifier: Apache-2.0
"""Writes to tensors of the program, and torch's refusals of them."""

from __future__ import annotations

from typing import Any

import torch

from hybridize import ops
from hybridize.array.symbol import Symbol
from hybridize.base import modes
from hybridize.base.dtypes import DType, is_float
from hybridize.base.errors import CaptureError
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.ops import Broadcast, Operand, StopGradient
from hybridize.torch.backward import CURRENT
from hybridize.torch.tensors import TracedTensor

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
    assert trace is not None, "who writes is captured"
    assert trace.root.library is not None, "who writes is captured"
    if (
        torch.is_grad_enabled()
        and symbol.exists
        and not symbol.has_step(StopGradient)
        and trace.root.library.is_leaf(trace, symbol)
    ):
        of = "a leaf Variable" if symbol.is_whole else "a view of a leaf Variable"
        raise RuntimeError(f"{of} that requires grad is being used in an in-place operation.")
    if not trace.differentiated or not is_float(symbol.dtype):
        symbol.write(value)
        return
    held = _leaf(trace, symbol.base)
    if torch.is_grad_enabled():
        unseen = symbol.has_step(StopGradient) and (held is not None or not _is_live(trace, symbol.base))
        if not unseen:  # through `x.data`, of what is a leaf or has no history, it is written as without
            symbol.write(value)
            return
    if held is None and _is_live(trace, symbol.base):
        raise trace.root.refusing(
            CaptureError(
                "E422",
                "a tensor that a gradient goes through is written under torch.no_grad(): PyTorch keeps the gradient of "
                "what was there",
                help="write to a copy, x.detach().clone(), or outside of torch.no_grad()",
            )
        )
    with modes.mode(recording=False):
        symbol.write(ops.stop_gradient(value))
    if held is not None:
        CURRENT.get().wrote(trace, symbol, held)


def _leaf(trace: Recording, base: Symbol) -> torch.Tensor | None:
    """Return the tensor from outside that a buffer is, where gradients go to it."""
    library: Any = trace.root.library
    entry = next((entry for entry in trace.root.inputs.entries if entry.symbol.shares_buffer(base)), None)
    held = None if entry is None else library.tensor(entry.array)
    if held is None or not held.requires_grad:
        return None
    is_written = base.operand() in CURRENT.get().written
    return held if is_written or library.is_leaf(trace, base) else None


def _is_live(trace: Recording, base: Symbol) -> bool:
    """Tell whether a gradient goes through a buffer, whatever torch records now."""
    assert trace.root.library is not None, "who writes is captured"
    recording = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    try:
        return trace.root.library.requires_grad(trace, TracedTensor(base))
    finally:
        torch.set_grad_enabled(recording)

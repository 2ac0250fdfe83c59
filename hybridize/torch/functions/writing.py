# SPDX-License-Identifier: Apache-2.0
"""Writes to tensors of the program, and torch's refusals of them."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.array.symbol import Symbol
from hybridize.base import modes
from hybridize.base.dtypes import is_float
from hybridize.capture.trace.recording import active_trace
from hybridize.graph import Value
from hybridize.ops import Broadcast, Operand, StopGradient
from hybridize.torch.backward import CURRENT
from hybridize.torch.internals import records

OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)


def store(symbol: Symbol, value: Operand) -> None:
    """Make a value, of its type, the contents of a tensor or of what it views.

    Raises:
        RuntimeError: several of its elements are one, or it is a leaf that gradients go to; in torch's words.
        CaptureError E422: elements that are not written are one with some that are.
    """
    if symbol.has_step(Broadcast) or (symbol.exists and _is_expanded(symbol)):
        raise RuntimeError(OVERLAP)
    trace = active_trace()
    assert trace.root.library is not None, "who writes is captured"
    if symbol.exists and not symbol.is_whole and _is_expanded(symbol.base):
        raise trace.refusal(
            "E422",
            "a write to an expanded tensor, several elements of which share one memory location",
            help="write to the tensor before it is expanded, or to a clone()",
        )
    if records() and not symbol.has_step(StopGradient) and trace.root.library.is_leaf(trace, symbol):
        of = "a leaf Variable" if symbol.is_whole else "a view of a leaf Variable"
        raise RuntimeError(f"{of} that requires grad is being used in an in-place operation.")
    if not trace.differentiated or not is_float(symbol.dtype):
        symbol.write(value)
        return
    if records() and not symbol.has_step(StopGradient):
        symbol.write(value)
        return
    library: Any = trace.root.library
    base, before = symbol.base, symbol.base.operand()
    leaf = library.leaf(trace, base)
    keeps = leaf is not None or library.is_live(trace, base.operand())
    with modes.mode(recording=False):
        symbol.write(ops.stop_gradient(value))
    if keeps and isinstance(before, Value):
        CURRENT.get().keep(base, before, leaf)


def _is_expanded(symbol: Symbol) -> bool:
    """Tell whether elements of a tensor that is there before the call lie in one place, as `expand` has them."""
    pairs = zip(symbol.shape, symbol.steps_between(), strict=True)
    return any(type(stride) is int and stride == 0 and size > 1 for size, stride in pairs)

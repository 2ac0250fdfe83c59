# SPDX-License-Identifier: Apache-2.0
"""Writes to tensors of the program, and torch's refusals of them."""

from __future__ import annotations

from hybridize.array.symbol import Symbol
from hybridize.ops import Broadcast, Operand

OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)


def store(symbol: Symbol, value: Operand) -> None:
    """Make a value, of its type, the contents of a tensor or of what it views.

    Raises:
        RuntimeError: several of its elements are one; in torch's words.
    """
    if symbol.has_step(Broadcast):
        raise RuntimeError(OVERLAP)
    symbol.write(value)

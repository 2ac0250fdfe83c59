# SPDX-License-Identifier: Apache-2.0
"""Arguments of layers that are counts, or parts of a whole."""

from __future__ import annotations

from typing import Any

from hybridize.base.errors import ArgumentError
from hybridize.gluon.hybrid_block import HybridBlock


def check_count(block: HybridBlock, word: str, number: Any) -> None:
    """Refuse what is no positive integer.

    Raises:
        ArgumentError E331: it is none.
    """
    if isinstance(number, bool) or not hasattr(number, "__index__") or number.__index__() <= 0:
        raise ArgumentError("E331", f"{word} of {type(block).__name__} must be a positive integer, got {number!r}")


def check_counts(block: HybridBlock, **numbers: Any) -> None:
    """Refuse what are no positive integers, each by its word.

    Raises:
        ArgumentError E331: one is none.
    """
    for word, number in numbers.items():
        check_count(block, word, number)


def check_part(block: HybridBlock, word: str, part: Any) -> None:
    """Refuse what does not lie between 0 and 1.

    Raises:
        ArgumentError E331: it does not.
    """
    if not isinstance(part, (int, float)) or not 0 <= part <= 1:
        raise ArgumentError("E331", f"{word} of {type(block).__name__} lies between 0 and 1, got {part!r}")

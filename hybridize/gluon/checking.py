# SPDX-License-Identifier: Apache-2.0
"""Arguments of layers, cells and losses that are counts, numbers, or parts of a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hybridize.base.errors import ArgumentError
from hybridize.gluon.hybrid_block import HybridBlock


def check_count(block: HybridBlock, word: str, number: Any, help: str = "") -> int:
    """Return a positive integer as Python's; refuse anything else.

    Raises:
        ArgumentError E331: it is none.
    """
    if isinstance(number, bool) or not hasattr(number, "__index__") or number.__index__() <= 0:
        what = f"{word} of {type(block).__name__} must be a positive integer, got {number!r}"
        raise ArgumentError("E331", what, help=help)
    return int(number)


def check_counts(block: HybridBlock, **numbers: Any) -> None:
    """Refuse what are no positive integers, each by its word.

    Raises:
        ArgumentError E331: one is none.
    """
    for word, number in numbers.items():
        check_count(block, word, number)


def check_choice(owner: object, word: str, choice: Any, choices: Iterable[str], help: str = "") -> None:
    """Refuse what is none of some words.

    Raises:
        ArgumentError E331: it is none.
    """
    if choice not in choices:
        known = " or ".join(map(repr, choices))
        raise ArgumentError("E331", f"{word} of {type(owner).__name__} must be {known}, got {choice!r}", help=help)


def check_number(owner: object, word: str, number: Any) -> Any:
    """Return a number as it is; refuse anything else.

    Raises:
        ArgumentError E331: it is none.
    """
    if not hasattr(number, "__float__"):
        raise ArgumentError(
            "E331", f"{word} of {type(owner).__name__} must be a number, got {number!r}", help="pass a Python number"
        )
    return number


def check_part(owner: object, word: str, part: Any, help: str = "pass a probability, for example 0.5") -> Any:
    """Return a number between 0 and 1 as it is; refuse anything else.

    Raises:
        ArgumentError E331: it does not.
    """
    if not hasattr(part, "__float__") or not 0 <= part <= 1:
        raise ArgumentError("E331", f"{word} of {type(owner).__name__} must be from 0 to 1, got {part!r}", help=help)
    return part

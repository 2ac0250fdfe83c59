# SPDX-License-Identifier: Apache-2.0
"""Choices, bounds and cosines of numbers of Python's, or of those of a program that records them.

Both are added and multiplied by operators. Where a number decides, these functions say so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def choose(condition: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """Return what one of two functions gives; where a program decides, what it takes of both."""
    chooser = getattr(condition, "choose", None)
    if chooser is not None:
        return chooser(yes(), no())
    return yes() if condition else no()


def largest(x: Any, y: Any) -> Any:
    """Return the larger of two numbers."""
    return choose(x < y, lambda: y, lambda: x)


def least(x: Any, y: Any) -> Any:
    """Return the smaller of two numbers."""
    return choose(y < x, lambda: y, lambda: x)


def cosine(x: Any) -> Any:
    """Return the cosine of a number."""
    function = getattr(x, "cosine", None)
    return math.cos(x) if function is None else function()

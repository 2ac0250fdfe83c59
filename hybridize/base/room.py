# SPDX-License-Identifier: Apache-2.0
"""Room on Python's stack for what walks trees that are deeper than the recursion limit lets it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_FRAMES = 30_000
"""Frames of Python's, which take memory and no stack of the machine: enough for whatever Python itself compiles."""


def with_room(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function of ours without effects, and once more with room for its frames where there is too little."""
    try:
        return function(*args, **kwargs)
    except RecursionError:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _FRAMES))
        try:
            return function(*args, **kwargs)
        finally:
            sys.setrecursionlimit(limit)

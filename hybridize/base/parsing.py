# SPDX-License-Identifier: Apache-2.0
"""Python's parser, one thread at a time: CPython 3.11 counts the depth of all trees that are being made in one place,
and where two threads make one, it may end in a `SystemError` (AST constructor recursion depth mismatch).
"""

from __future__ import annotations

import ast
import threading
from functools import lru_cache
from typing import Any

from hybridize.base.forks import renewed

_PARSING = renewed(threading.RLock())


def parsed(source: str, mode: str = "exec") -> Any:
    """Return the syntax tree of Python's source.

    Raises:
        SyntaxError, ValueError, RecursionError: as `ast.parse`.
    """
    with _PARSING:
        return ast.parse(source, mode=mode)


@lru_cache(256)
def literal(text: str) -> Any:
    """Return what a literal says, whose parts cannot be changed: parsed once, as programs ask at each call."""
    with _PARSING:
        return ast.literal_eval(text)

# SPDX-License-Identifier: Apache-2.0
"""Characters that not every output has: a pipe of Windows has those of a code page."""

from __future__ import annotations

import sys


def printable(text: str, plain: str) -> str:
    """Return a text, or a plain one in its place where the output of this process cannot print it."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return plain
    return text

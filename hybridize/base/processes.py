# SPDX-License-Identifier: Apache-2.0
"""Other processes that run Python."""

from __future__ import annotations

import sys

FROZEN = "not run: this program is frozen, and has no Python to run a file with"
"""The line about a check that `interpreter` would be needed for."""


def interpreter() -> str | None:
    """Return the program that runs files of Python; None where that would start the user's own program once more.

    So it is in programs that are frozen (PyInstaller, cx_Freeze), and in those that Python is embedded in.
    """
    return None if getattr(sys, "frozen", False) else sys.executable or None

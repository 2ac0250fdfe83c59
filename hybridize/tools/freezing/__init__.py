# SPDX-License-Identifier: Apache-2.0
"""How programs that use hybridize are frozen: what PyInstaller asks for, by the entry point `pyinstaller40`.

`hook-hybridize.py` is run by PyInstaller alone, which is no dependency.
"""

from __future__ import annotations

import os


def hook_folders() -> list[str]:
    """Return the folders of hooks for PyInstaller."""
    return [os.path.dirname(__file__)]

# SPDX-License-Identifier: Apache-2.0
"""Tell PyInstaller, which asks by the entry point `pyinstaller40`, what programs that use hybridize need.

`hooks/hook-hybridize.py` is run by PyInstaller alone, which is no dependency.
"""

from __future__ import annotations

import os


def hook_folders() -> list[str]:
    """Return the folders of hooks for PyInstaller."""
    return [os.path.join(os.path.dirname(__file__), "hooks")]

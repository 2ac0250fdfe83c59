# SPDX-License-Identifier: Apache-2.0
"""This machine's processor and operating system, and names for machines: what machine code is for.

    x86_64  aarch64  x86_64-windows  x86_64-macos  aarch64-macos

The system is left out where it is Linux: files from before it mattered say it so.
"""

from __future__ import annotations

import os
import sys
from typing import Final

SYSTEM: Final = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
"""linux, macos or windows; others as Python calls them."""
_FAMILY: Final = (os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")).lower()
PROCESSOR: Final = {"amd64": "x86_64", "arm64": "aarch64"}.get(_FAMILY, _FAMILY)
"""x86_64 or aarch64; others as the system calls them."""
_TITLES: Final = {"linux": "Linux", "macos": "macOS", "windows": "Windows"}


def machine_name(processor: str, system: str) -> str:
    """Return the name of a kind of machine."""
    return processor if system in ("", "linux") else f"{processor}-{system}"


def here() -> str:
    """Return the name of this kind of machine."""
    return machine_name(PROCESSOR, SYSTEM)


def machine_title(name: str) -> str:
    """Return words for a kind of machine: `Windows on x86_64`.

    >>> machine_title("x86_64-windows"), machine_title("aarch64")
    ('Windows on x86_64', 'Linux on aarch64')
    """
    processor, _, system = name.partition("-")
    return f"{_TITLES.get(system or 'linux', system)} on {processor}"

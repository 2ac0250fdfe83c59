# SPDX-License-Identifier: Apache-2.0
"""Names for kinds of machines, processor and operating system: what machine code is for.

    x86_64  aarch64  x86_64-windows  x86_64-macos  aarch64-macos

The system is left out where it is Linux: files from before it mattered say it so.
"""

from __future__ import annotations

from typing import Final

from hybridize import system

_TITLES: Final = {"linux": "Linux", "macos": "macOS", "windows": "Windows"}


def machine_name(processor: str, name: str) -> str:
    """Return the name of a kind of machine: its processor, and the name of its system."""
    return processor if name in ("", "linux") else f"{processor}-{name}"


def here() -> str:
    """Return the name of this kind of machine."""
    return machine_name(system.PROCESSOR, system.NAME)


def machine_title(name: str) -> str:
    """Return words for a kind of machine: `Windows on x86_64`.

    >>> machine_title("x86_64-windows"), machine_title("aarch64")
    ('Windows on x86_64', 'Linux on aarch64')
    """
    processor, _, of_system = name.partition("-")
    return f"{_TITLES.get(of_system or 'linux', of_system)} on {processor}"

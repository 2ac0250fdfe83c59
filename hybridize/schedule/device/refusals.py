# SPDX-License-Identifier: Apache-2.0
"""Refuse what no device has yet, at the user's line."""

from __future__ import annotations

from typing import Final

from hybridize.base.errors import DeviceError
from hybridize.machine.target import Target

CPU: Final = "x.as_in_ctx(cpu()) gives a copy to compute with; while gradients are recorded, copy before the call"


def refused(what: str, target: Target, lines: str, remedy: str = CPU) -> DeviceError:
    """Return the error for a part of a program that has no code on a device; `lines` are the user's, if known."""
    at = f" ({lines})" if lines else ""
    return DeviceError(
        "E705",
        f"{what}{at} has no code for {target.name} yet, only for processors",
        help=remedy,
    )

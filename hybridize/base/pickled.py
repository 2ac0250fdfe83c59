# SPDX-License-Identifier: Apache-2.0
"""Names by which `pickle` and its relatives find what they do not copy."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

_PICKLERS = frozenset({"cloudpickle", "dill"})
"""Packages, or parts of packages that bring their own copy, whose picklers take functions by value."""


def named(module: str, name: str) -> Any:
    """Return what has a name, with dots, in a module; None where nothing has, or the module is not loaded."""
    part: Any = sys.modules.get(module)
    for one in name.split("."):
        part = getattr(part, one, None)
    return part


def copied_by(frame: FrameType | None, module: str) -> tuple[bool, bool]:
    """Tell whether the pickler that a frame belongs to copies functions of a module, and those without a name in it."""
    while frame is not None and frame.f_globals.get("__name__") == "pickle":
        frame = frame.f_back
    if frame is None or _PICKLERS.isdisjoint(str(frame.f_globals.get("__name__")).split(".")):
        return False, False
    registered = frame.f_globals.get("_PICKLE_BY_VALUE_MODULES", ())
    return module == "__main__" or any(f"{module}.".startswith(f"{one}.") for one in registered), True

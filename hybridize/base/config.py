# SPDX-License-Identifier: Apache-2.0
"""Configuration from the environment, read once at import; tests and tools may set the fields."""

from __future__ import annotations

import os
from dataclasses import dataclass


def _flag(name: str) -> bool:
    return os.environ.get(name, "").strip().lower() not in ("", "0", "false", "no", "off")


@dataclass(slots=True)
class Configuration:
    """Switches of the whole process."""

    disable: bool = _flag("HYBRIDIZE_DISABLE")
    """Run the user's Python instead of compiled programs (HYBRIDIZE_DISABLE=1)."""
    explain: bool = _flag("HYBRIDIZE_EXPLAIN")
    """Print one line to stderr for each recompilation, with its reason (HYBRIDIZE_EXPLAIN=1)."""
    check: bool = _flag("CHECK")
    """Verify the graph after every pass (CHECK=1); tests set it."""
    target: str = os.environ.get("HYBRIDIZE_TARGET", "")
    """Name of the target to compile for instead of this machine at its widest: avx512, avx2 or baseline."""


CONFIG = Configuration()

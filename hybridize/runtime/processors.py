# SPDX-License-Identifier: Apache-2.0
"""Count the processors that this process may use (affinity mask, quota, no core twice), and name their features.

Files of the system are looked for under `root`, so that tests bring their own.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy

from hybridize import system
from hybridize.base.x86 import SSE2, X86_V3, X86_V4


def usable(root: str = system.ROOT) -> int:
    """Threads that can run at once without getting in each other's way, at least one."""
    mask = system.affinity()
    return max(1, min(system.cores(mask, root), system.quota(root) or len(mask)))


_GROUPS = {"X86_V3": X86_V3, "X86_V4": X86_V4, "ASIMD": "asimd", "ASIMDDP": "asimddp"}
"""Features by the words that NumPy tells, which are levels of the x86-64 psABI, or ARM's names."""


@cache
def features(root: str = system.ROOT) -> frozenset[str]:
    """Features of the first processor by Linux's names, as far as they matter to code; empty where nobody tells.

    NumPy has asked the processor already; only releases that do not tell levels need the operating system.
    """
    core: Any = getattr(getattr(numpy, "_core", None), "_multiarray_umath", None)
    flags = getattr(core, "__cpu_features__", {}) if root == system.ROOT else {}
    if not _GROUPS.keys() <= flags.keys():
        return system.processor_flags(root)
    own = [names for group, names in _GROUPS.items() if flags[group]]
    return frozenset(" ".join(own if flags["ASIMD"] else [SSE2, *own]).split())

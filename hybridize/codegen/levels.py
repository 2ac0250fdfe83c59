# SPDX-License-Identifier: Apache-2.0
"""Tell which targets' code this machine runs. LLVM knows too, but what only loads code does without it."""

from __future__ import annotations

import os
from functools import cache

from hybridize.machine.target import NAMES, named_target
from hybridize.runtime.processors import ROOT, features


@cache
def runnable(root: str = ROOT) -> tuple[str, ...]:
    """Names of the targets whose code this machine runs, the widest first; its files are looked for under `root`."""
    machine = os.uname().machine
    targets = [target for target in map(named_target, NAMES) if target.processor == machine]
    # A processor that tells no features reaches what every one of its family does.
    return tuple(t.name for t in targets if features(root).issuperset(t.needs.split())) or (targets or [...])[-1:]

# SPDX-License-Identifier: Apache-2.0
"""Tell which targets' code this machine runs. LLVM knows too, but what only loads code does without it."""

from __future__ import annotations

from functools import cache

from hybridize import system
from hybridize.machine.target import NAMES, labelled_target
from hybridize.runtime.processors import features


@cache
def runnable(root: str = system.ROOT) -> tuple[str, ...]:
    """Names of the targets whose code this machine runs, the widest first; its files are looked for under `root`."""
    machine = system.PROCESSOR
    family = [target for target in map(labelled_target, NAMES) if target.processor == machine]
    # Code for the last of a family runs on all of it, and is taken where nobody tells the processor's features.
    names = [one.name for one in family if features(root).issuperset(one.needs.split()) or one is family[-1]]
    return tuple(names) or (machine,)

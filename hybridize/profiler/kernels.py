# SPDX-License-Identifier: Apache-2.0
"""The kernels of the programs that ran, each measured by itself."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any


def measured(programs: Iterable[weakref.ref[Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the kernels of programs, in the order in which they run: their operations, milliseconds, and share.

    Those of programs that are gone, and of those that are recorded for a backward pass, are left out.

    Args:
        programs: references to programs, as `base.spans` told of them.
    """
    kernels: dict[str, list[dict[str, Any]]] = {}
    for reference in programs:
        program = reference()
        if program is None or program.capture.call.recording:
            continue
        steps = [one for one in program.explain(profile=True).kernels if one.seconds is not None]
        if steps:
            name = program.name if program.name not in kernels else f"{program.name} {len(kernels)}"
            kernels[name] = [
                {"ops": list(one.ops), "kind": one.kind, "ms": 1e3 * one.seconds, "share": one.share} for one in steps
            ]
    return kernels

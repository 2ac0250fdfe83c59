# SPDX-License-Identifier: Apache-2.0
"""Capture: a Python function becomes a graph.

In: a Python function and the arguments of a call. Out: `Function`, which captures the function the first time it meets
a signature, has it compiled, and from then on runs it without Python.

From the ground up:

- `convert` rewrites the user's source once.
- `trace` records operations as nodes of a graph; `outside` decides about everything that is read of the world around,
  `gradients` are backward passes inside of programs.
- `control` makes control flow on data part of the graph; `python` is what converted code calls.
- `capture` runs one capture and describes it as data; `function` keeps the programs of a function.

What it hands to `hybridize.programs` is data, `hybridize.contract`. It must not know blocks, files' bytes or machine
code.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize",
    {
        "capture.calls": "CacheInfo",
        "capture.function": "Function",
        "capture.saved_function": "SavedFunction",
        "programs.program": "Program",
    },
)
"""Places of the names."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)

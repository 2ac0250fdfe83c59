# SPDX-License-Identifier: Apache-2.0
"""From Python to programs: conversion of source, recording, guards, and the callable that keeps the programs.

In: a Python function and the arguments of a call. Out: `Function`, which captures the function as a graph the first
time it meets a signature, compiles it, and from then on runs it without Python; `Program`, one such graph compiled.

- `source` and `convert` rewrite the user's function once; `router` is what the rewritten code calls.
- `flow`, `branches` and `loops` make control flow that depends on data part of the graph; `merge` types it.
- `trace` records; `writes` are side effects; `guards` are what a program depends on; `record` takes stock.
- `backward` and `sweep` are backward passes inside of programs; `marks`, which arrays have gradients attached; `step`,
  what calls of a program that trains have to see to.
- `sizes` says which sizes stay symbols, `numbers` which Python numbers stay data.
- `signature`, `program`, `entries`, `function` are calls; `backends` runs graphs, `packed` keeps copies of weights for
  them; `explain` reports, `saving` is for files.

It must not know blocks, files' bytes or machine code.
"""

from hybridize.capture.function import CacheInfo as CacheInfo
from hybridize.capture.function import Function as Function
from hybridize.capture.program import Program as Program

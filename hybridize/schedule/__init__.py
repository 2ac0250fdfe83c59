# SPDX-License-Identifier: Apache-2.0
"""From a graph to a schedule: which values are stored, in which kernel each is computed, where it is kept.

In: an optimised graph and the widths of a machine. Out: `Schedule`, steps over places in memory, with the `Plan` that
the runtime keeps. Kernels are loop IR; nothing here knows LLVM.

    lower   one node as an expression of its own index
    group   what is inlined, kept in a row, joined or stored, and which contraction gets which epilogue
    draft   a group as statements over its own axes
    finish  a draft as a kernel: axes merged, pieces split, a vector axis chosen
    memory  offsets from live ranges
    updates outputs that may lie where an input lies
    plan    all of it, in order

It must not know kernels' text, arrays or Python callers.
"""

from hybridize.schedule.plan import Machine as Machine
from hybridize.schedule.plan import schedule as schedule
from hybridize.schedule.steps import Schedule as Schedule

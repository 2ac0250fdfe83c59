# SPDX-License-Identifier: Apache-2.0
"""Schedules a graph: fuses its nodes into kernels, orders the steps and places values in memory.

In: an optimised graph and the target. Out: `Schedule`, steps over addresses in memory, with the `Plan` that the runtime
keeps. Kernels are loop IR; nothing here knows LLVM.

The road (`scheduler`): each phase is a function of what those before it gave.

    1. constants    what needs no call is taken out         flattening, joining, prologues, hoisting, derived
    2. groups       which values share a kernel             grouping, draft, layouts, places
    3. order        each unit after what it needs           order, dying
    4. pending      units as steps without addresses        pending, finish, nests, contraction
    5. together     bands, loops and tasks of steps         bands, rolling, banding, tasks
    6. places       offsets of all memory                   memory, storage
    7. steps        with addresses; updates proven          steps, updates, merging

    lower        one node as an expression of its own index
    grouping     fusion: which values are inlined, row-local, fused stores or materialised; epilogues of contractions
    draft        a group as statements over its own axes, once for equal groups
    finish       a draft as a kernel: axes merged, pieces split, a row axis for vectors chosen
    residues     loops over a divided index, unrolled where their turns read the same
    kernel       kernels with the kinds of their axes: how loops run
    nests        how the loops of a nest run; of that:
        together   statements that share their inner loops
        vectors    lanes of loops and folds
        levels     the order in which long folds are summed
      tiles      squares turned around in registers
        panels     rows folded side by side, or in panels of columns
    contraction  products: their form, tiles, panels, scratch and units, as a `ContractionPlan`
    device       the same of GPUs: threads of nests, tiles of products
    epilogue     a draft as what follows in the store of a contraction
    gates        several sums of a product that make one element
    routines     the scratch of sorting and of factors of matrices
    homes        how a stored value lies in memory: strides, offset, halo
    reach        how far rows go that causal masks cut
    layouts      which values have a home other than the order of their axes
    places       in whose memory a value lies: its own, or within a base or a concatenation
    prologues    light expressions of weights, which tiles compute where they load them
    hoisting     what depends on constants and stable inputs alone, taken out of the calls
    joining      products of one operand with several stable matrices, made one
    flattening   products of flattened images, whose stable matrices are permuted instead
    derived      the programs that make constants of others, once for each version
    bands        steps that run a few rows at a time, one after the other: which, and how many rows
    rolling      the same of contractions over images, a few lines at a time
    banding      both carried out: order, plans by blocks of rows, memory, threads
    dying        steps moved to where they let a larger value die
    memory       offsets from live ranges
    updates      buffer donation: outputs that may lie where an input lies; in_place: steps that read before they write
    parallel     which steps are split among threads
    tasks        which steps run beside each other: branches, each on a thread
    order        each unit after what it needs
    slots        the array of pointers that a program is called with, to which constants are added
    storage      the memory of values and steps; sharing: the steps that threads share
    pending      units as steps that wait for their places in memory, a module each kind
    steps        the schedule as data; each step answers what it reads, writes, moves
    launches     the same as the plan has it: arguments in order, turns, control flow
    scheduler    the road: group, order, pending steps, bands, places in memory, steps
    thresholds   the numbers by which all of them choose: unit, reason, source

It must not know kernels' text, arrays or Python callers.
"""

from hybridize.schedule.scheduler import schedule as schedule
from hybridize.schedule.steps import Schedule as Schedule

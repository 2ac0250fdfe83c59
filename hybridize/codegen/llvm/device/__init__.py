# SPDX-License-Identifier: Apache-2.0
"""Schedules of a GPU as kernels in LLVM IR, and as PTX: the assembly that NVIDIA's driver compiles.

In: a schedule for a target with a `device`. Out: `DeviceProgram`, text and launches in order.

    threads   what a thread asks and does: its number, barriers, registers of other threads, shared memory
    teams     folds whose elements the threads of a row share
    nests     a nest as a kernel
    products  a tile of a contraction for each block, and the launch that adds up parts of sums
    tiles     what tiles share; those whose threads multiply each for themselves
    tensor_cores    tiles whose warps multiply small matrices
    fetching  panels of operands, on their way to shared memory
    results   the epilogue at an element of the result
    numbers   indices of 32 bits where sizes prove that they fit
    copies    elements from some strides to others
    routines  routines by a thread for each of their units, and those that many threads share:
    sorting   lines by a block each
    merging   longer lines by many blocks
    prefixes  running totals of columns
    scatters  rows that take what tuples bring them
    matrices  factors of a matrix, and equations, by a block
    assertions  a note of what fails
    program   all steps as one module, their launches, PTX

Rows, statements and expressions are written by `nests` and `functions` as for one lane of a processor.
"""

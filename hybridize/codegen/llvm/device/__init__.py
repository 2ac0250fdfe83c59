# SPDX-License-Identifier: Apache-2.0
"""Schedules of a GPU as kernels in LLVM IR, and as PTX: the assembly that NVIDIA's driver compiles.

In: a schedule for a target with a `device`. Out: `DeviceProgram`, text and launches in order.

    threads   what a thread asks and does: its number, barriers, registers of other threads, shared memory
    teams     folds whose elements the threads of a row share
    nests     a nest as a kernel
    products  a tile of a product for each block
    copies    elements from some strides to others
    program   all steps as one module, their launches, PTX

Rows, statements and expressions are written by `nests` and `functions` as for one lane of a processor.
"""

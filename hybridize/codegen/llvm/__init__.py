# SPDX-License-Identifier: Apache-2.0
"""LLVM IR as text, already vectorised, and the engine that makes it runnable.

In: a `Schedule` whose steps are kernels of the loop IR, contractions, routines and regions. Out: one module a program:

    void @NAME(ptr inputs, ptr outputs, ptr scratch)

`inputs` and `outputs` are arrays of pointers; behind the inputs stand the constants, then the sizes that only the call
knows. IR carries explicit vectors `<W x float>`, so no IR pass is run: code generation level 2 alone keeps a kernel at
8-30 ms. What only calls others is compiled apart, at level 0. Weights and addresses never stand in the IR.

    a module       program: kernels (the functions of steps), then host (what calls them, from the plan alone), by
                    calls, bands, rolling, regions, parallel, tasks, safepoints; table (names), text, sizes, prepare
    nests/         loop nests: elements, positions, memory; tiles, panels and accumulators
    contraction/   products: tiles, micro-kernels, what follows in the store
    routines/      sorting, factors of matrices, rejection
    functions/     the table of elementwise functions and their mathematics
    device/        schedules of a GPU: kernels, their launches, PTX
    derivations    what the plan says of constants that are made
    timed          a program that notes the times of its steps
    engine         the only door to LLVM
"""

# SPDX-License-Identifier: Apache-2.0
"""LLVM IR as text, already vectorised, and the engine that makes it runnable.

In: a `Schedule` whose steps are kernels of the loop IR, contractions, routines and regions. Out: one module a program:

    void @NAME(ptr inputs, ptr outputs, ptr scratch)

`inputs` and `outputs` are arrays of pointers; behind the inputs stand the constants, then the sizes that only the call
knows. IR carries explicit vectors `<W x float>`, so no IR pass is run: code generation level 2 alone keeps a kernel at
8-30 ms. Weights and addresses never stand in the IR.

    a module       program (steps in order) and what its functions share: text, sizes, prepare, regions, parallel
    a loop nest    kernels, elements (expressions), positions, memory, counted; tiles, panels and totals for those
                   that read and write in different orders
    a product      contraction: _plan (which form), _tiles, _micro, _dots, _numbers, _out, _share (for threads);
                   epilogue is what follows in its store
    a routine      routines, searches, sorting, cells
    functions      functions (the table), vectors, rounding, halves, mathematics: float32, _double, _wide, _gamma
    the process    entry (what Python calls) and pool (threads), one module each; timed for profiles
    LLVM           engine, the only door to it
"""

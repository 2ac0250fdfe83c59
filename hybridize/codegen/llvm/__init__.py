# SPDX-License-Identifier: Apache-2.0
"""LLVM IR as text, already vectorised, and the engine that makes it runnable.

In: a `Plan` whose steps are kernels of the loop IR, contractions, routines and regions. Out: one module per program:

    void @NAME(ptr inputs, ptr outputs, ptr scratch)

`inputs` and `outputs` are arrays of pointers. IR carries explicit vectors `<W x float>`, so no IR pass is run: code
generation level 2 alone keeps a kernel at 8-30 ms. Weights and addresses never stand in the IR.
"""

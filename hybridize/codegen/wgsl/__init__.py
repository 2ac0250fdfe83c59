# SPDX-License-Identifier: Apache-2.0
"""Kernels of a GPU as WGSL, the language of WebGPU.

In: the LLVM IR of kernels, as `codegen.llvm.device` writes it for a target. Out: their text, and what launches them.

    reading       the IR of a function as data
    flattening    branches around reads and arithmetic, left out
    ranges        the 64-bit integers that fit 32 bits
    shapes        branches as loops and conditions within each other
    instructions  types, numbers, operators and functions by their names in WGSL
    writing       a kernel
    library       functions for what WGSL has no operator of; `doubles`, those of float64
    program       the kernels of a program
    binding       the same bound to buffers, and the work of a call
"""

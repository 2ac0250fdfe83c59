# SPDX-License-Identifier: Apache-2.0
"""What runs: buffers, scratch, and the tables that emitted code reads. It needs neither the compiler nor LLVM.

In: addresses of machine code, a plan (plain data), NumPy arrays. Out: NumPy arrays, and callables for Python.
It must not know graphs, ops, or how the code came to be; a program loaded from a file runs with this package alone.

    image, externals, record    code into memory; functions of the process by name; both as bytes for the disk
    plan, sizes, executable     a program: what goes in and out, the sizes of a call, running it
    entry, cpython, effects     the callable that Python gets, what it reads of CPython, what programs print or refuse
    pool, processors            threads, and how many
    buffers                     aligned and dense copies
"""

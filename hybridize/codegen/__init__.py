# SPDX-License-Identifier: Apache-2.0
"""From a graph, scheduled, to machine code for one `Target`.

In: a graph and a machine. Out: an `Image` that the runtime loads, or a WebAssembly module.

    llvm                   IR as text, and LLVM: the only package that imports llvmlite
    runtimes               what programs have around them, in C, with the IR that was made of it
    elf, references, link  LLVM's relocatable object made an image, without a linker of the system
    wasm                   the same for WebAssembly
    levels                 whose code this machine runs

It must not know ops by name (the schedule says what to emit), arrays, capture, or where code is kept.
"""

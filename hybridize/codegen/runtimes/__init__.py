# SPDX-License-Identifier: Apache-2.0
"""Code that every program or library has around it, whatever it computes: C, and the LLVM text that was made of it.

    text("pool", "x86_64")         the module, to be compiled as any other

    entry.c      the function that Python calls; device_entry.c that for programs on a device, entry.h what they share
    pool.c       the threads of the process, by what threads_*.h have of each system
    safepoint.c  signals and errors in loops that data ends
    library.c    models of a library for C, weights_*.c where their weights are, image_elf.c their pages
    python.h     objects of CPython, NumPy and DLPack
    processor.h  the instructions that C has no word for
    layout.h     what C has to know of the tables that Python makes: made of the package

`python -m hybridize.codegen.clang` (`make runtimes`) compiles each of them by clang, which the package ziglang
brings, to the `.ll` files that lie here. They are part of the source, so that no user needs a compiler of C; a test
compares them with what they are made of. Nothing of a target but its processor stands in them: no C type whose size
depends on the system (`long`), no structure passed by value. Where systems differ, there is a text for each.
"""

from __future__ import annotations

import os
from typing import Any


def text(name: str, processor: str = "", **numbers: int) -> str:
    """The text of a module.

    Args:
        name: of its source.
        processor: where it differs between processors, the family of one, also as Apple calls it; where it differs
            between systems, too, the machine (`Target.machine`).
        numbers: the values of what its source declares as external constants.
    """
    family = f".{processor.replace('arm64', 'aarch64')}" if processor else ""
    loader: Any = __spec__.loader  # the package may be in a zip file
    content: str = loader.get_data(os.path.join(os.path.dirname(__file__), f"{name}{family}.ll")).decode()
    for constant, number in numbers.items():
        content = content.replace(f"@{constant} = external constant", f"@{constant} = internal constant i64 {number} ;")
    return content

# SPDX-License-Identifier: Apache-2.0
"""Code that every program or library has around it, whatever it computes: C, and the LLVM text that was made of it.

    text("pool", "x86_64")         the module, to be compiled as any other

    entry.c      the function that Python calls
    pool.c       the threads of the process
    python.h     objects of CPython, NumPy and DLPack
    processor.h  the instructions that C has no word for
    layout.h     what C has to know of the tables that Python makes: made of the package

`python -m hybridize.codegen.runtimes.make` (`make runtimes`) compiles each of them by clang, which the package ziglang
brings, to the `.ll` files that lie here. They are part of the source, so that no user needs a compiler of C; a test
compares them with what they are made of. Nothing of a target but its processor stands in them.
"""

from __future__ import annotations

from pathlib import Path


def text(name: str, processor: str = "", **numbers: int) -> str:
    """The text of a module.

    Args:
        name: of its source.
        processor: one of those that it differs between, if it does.
        numbers: the values of what its source declares as external constants.
    """
    found = Path(__file__).with_name(f"{name}.{processor}.ll" if processor else f"{name}.ll").read_text()
    for constant, number in numbers.items():
        found = found.replace(f"@{constant} = external constant", f"@{constant} = internal constant i64 {number} ;")
    return found

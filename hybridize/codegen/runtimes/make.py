# SPDX-License-Identifier: Apache-2.0
"""Make the LLVM text of the runtimes of their sources in C, by the clang that ziglang brings.

    python -m hybridize.codegen.runtimes.make

clang's passes have run over the text, as only code generation runs over it later; loops are neither unrolled nor
vectorised, as everything here is run once a call. What older releases of LLVM do not know, or what only this machine
has, is taken out of it. Its first line is a digest of the sources, by which a test without a compiler finds text that
is not of these sources.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path
from typing import Final

from hybridize.base.promotion import EXACT
from hybridize.runtime import cpython, entry, exchange, plan, pool
from hybridize.runtime.buffers import ALIGNMENT

FOLDER: Final = Path(__file__).parent
RUNTIMES: Final = {"entry": ("",), "pool": ("x86_64", "aarch64")}
"""The sources, and the processors that each differs between."""
_FIRST: Final = "x86_64"
"""The processor that text for all of them is made for."""


def _bytes(words: Mapping[str, int]) -> dict[str, int]:
    return {name: 8 * word for name, word in words.items()}


_OFFSETS: Final[Mapping[str, Mapping[str, int]]] = {
    "ARGUMENT": _bytes({name: word for word, name in enumerate(entry.ARGUMENT)}),
    "ARRAY": {
        "data": cpython.ARRAY_DATA, "ndim": cpython.ARRAY_NDIM, "dims": cpython.ARRAY_DIMS,
        "descr": cpython.ARRAY_DESCR, "flags": cpython.ARRAY_FLAGS,
    },
    "DICT": {"used": cpython.DICT_USED, "version": cpython.DICT_VERSION},
    "EXCHANGE": _bytes({name: word for word, name in enumerate(exchange.EXCHANGE)}),
    "FIGURES": _bytes({name: word for word, name in enumerate(plan.FRAME)}),
    "GUARD": _bytes({name: word for word, name in enumerate(entry.GUARD)}),
    "NUMBER": {"value": cpython.FLOAT_VALUE},
    "OBJECT": {"type": cpython.OB_TYPE},
    "OUTPUT": _bytes({name: word for word, name in enumerate(entry.OUTPUT)}),
    "POOL": _bytes(pool.WORD),
    "PROCESS": _bytes(cpython.WORD),
    "SEQUENCE": {"size": cpython.SEQUENCE_SIZE, "items": cpython.LIST_ITEMS},
    "TABLE": _bytes(entry.FIELD),
    "TEAM": _bytes(pool.TEAM),
    "TENSOR": {
        "data": exchange.DATA, "device": exchange.DEVICE, "word": exchange.WORD, "shape": exchange.SHAPE,
        "strides": exchange.STRIDES, "byte_offset": exchange.BYTE_OFFSET,
    },
    "VIEW": exchange.VIEW,
}  # fmt: skip
"""Records, by the offsets of their members."""
_KINDS: Final[Mapping[str, type[IntEnum]]] = {
    "ARGUMENT": entry.ArgumentKind,
    "LOOK": entry.Look,
    "RETURNS": entry.Returns,
}
_NUMBERS: Final = {
    "ALIGNMENT": ALIGNMENT,
    "ARGUMENT_BYTES": 8 * len(entry.ARGUMENT),
    "CALLER_SPINS_NS": pool.CALLER_SPINS_NS,
    "CHUNKS_EACH": pool.CHUNKS_EACH,
    "CPU_DEVICE": exchange.CPU,
    "GUARD_BYTES": 8 * len(entry.GUARD),
    "HEADER_BYTES": exchange.HEADER,
    "LARGEST_INT": EXACT,
    "MOST_THREADS": pool.THREADS,
    "OUTPUT_BYTES": 8 * len(entry.OUTPUT),
    "TENSOR_BYTES": exchange.TENSOR_BYTES,
    "USABLE": cpython.USABLE,
    "USABLE_AND_WRITABLE": cpython.USABLE_AND_WRITABLE,
    "VIEW_BYTES": exchange.VIEW_BYTES,
    "VIEW_FLAGS": exchange.VIEW_FLAGS,
    "WORKER_SPINS_NS": pool.WORKER_SPINS_NS,
    "YIELDS_AFTER_NS": pool.YIELDS_AFTER_NS,
}
_COMPILER: Final = (sys.executable, "-m", "ziglang", "cc")
_CLANG: Final = (
    "-O2", "-g0", "-std=c17", "-Wall", "-Wextra", "-Werror", "-S", "-emit-llvm", "-ffreestanding", "-fno-sanitize=all",
    "-fno-strict-aliasing", "-fwrapv", "-fno-delete-null-pointer-checks",
    "-fno-stack-protector", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops",
    "-fno-discard-value-names", "-Wno-unused-command-line-argument",
)  # fmt: skip
_DROPPED: Final = re.compile(
    r"^(?:; |source_filename|target |attributes |!|(?:  (?:tail )?call|declare) void @llvm\.(?:lifetime|assume)).*\n",
    re.M,
)
"""Lines that say what another machine or release knows better."""
_WORDS_DROPPED: Final = re.compile(
    r" (?:noundef|nonnull|noalias|readonly|readnone|writeonly|returned|captures\([^()]*\)|range\([^()]*\)"
    r"|dereferenceable(?:_or_null)?\(\d+\)|initializes\(\((?:[^()]|\), \()*\)\)|local_unnamed_addr|dso_local|#\d+)"
    r"(?=[ ,)]|$)"
    r"|(?:, ![\w.]+ !\d+)+$|\s+; preds = .*$",
    re.M,
)


def layout() -> str:
    """The header of what C has to know."""
    lines = ["// SPDX-License-Identifier: Apache-2.0", "// Made by `make runtimes`.", "#pragma once", ""]
    lines += ["#include <stddef.h>", ""]
    lines += [f"#define {name} {number}" for name, number in _NUMBERS.items()]
    for name, kinds in _KINDS.items():
        lines += ["", f"enum {{ {', '.join(f'{name}_{kind.name} = {int(kind)}' for kind in kinds)} }};"]
    for name, members in _OFFSETS.items():
        checks = (
            f'    _Static_assert(offsetof(RECORD, {member}) == {at}, "{member}");' for member, at in members.items()
        )
        lines += ["", " \\\n".join([f"#define CHECK_{name}(RECORD)", *checks])]
    return "\n".join([*lines, ""])


def sources(name: str) -> str:
    """The digest of what a runtime is made of."""
    files = [FOLDER / f"{name}.c", *sorted(FOLDER.glob("*.h"))]
    return hashlib.sha256(b"\0".join([*(file.read_bytes() for file in files), " ".join(_CLANG).encode()])).hexdigest()


def compiler() -> str:
    """The release of clang."""
    run = subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", "--version"], capture_output=True, text=True, check=True
    )
    return run.stdout.partition("\n")[0]


def head(name: str) -> str:
    """The first lines of a text."""
    return f"; Made of {name}.c by `make runtimes`: {compiler()}\n; {sources(name)}\n"


def compiled(name: str, processor: str) -> str:
    """The LLVM text of a source."""
    command = [*_COMPILER, "-target", f"{processor or _FIRST}-freestanding-none", *_CLANG]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "text.ll")
        subprocess.run([*command, f"{name}.c", "-o", str(output)], cwd=FOLDER, check=True)
        text = output.read_text()
    text = _WORDS_DROPPED.sub("", _DROPPED.sub("", text))
    text = re.sub(r"^(define .*\)) \{$", r"\1 nounwind {", text, flags=re.M)
    return head(name) + re.sub(r"\n{2,}", "\n\n", text).rstrip() + "\n"


def file(name: str, processor: str) -> Path:
    """The place of the text of a source for a processor."""
    return FOLDER / (f"{name}.{processor}.ll" if processor else f"{name}.ll")


def main() -> None:
    """Write the header and all texts."""
    (FOLDER / "layout.h").write_text(layout())
    for name, processors in RUNTIMES.items():
        for processor in processors:
            file(name, processor).write_text(compiled(name, processor))


if __name__ == "__main__":
    main()

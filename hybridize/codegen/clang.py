# SPDX-License-Identifier: Apache-2.0
"""Make the LLVM text of the runtimes of their sources in C, by the clang that ziglang brings.

    python -m hybridize.codegen.clang

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
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from hybridize.base.progress import watched
from hybridize.base.promotion import EXACT
from hybridize.codegen.llvm import safepoints
from hybridize.codegen.llvm.library import codes, layout
from hybridize.codegen.llvm.library.model import MARKER_BYTES
from hybridize.runtime import cpython, device_entry, effects, entry, exchange, plan, pool
from hybridize.runtime.buffers import ALIGNMENT

FOLDER: Final = Path(__file__).with_name("runtimes")
RUNTIMES: Final[dict[str, tuple[str, ...]]] = {
    "device_entry": ("",),
    "entry": ("",),
    "image_elf": ("",),
    "library": ("x86_64", "aarch64"),
    "pool": ("x86_64", "aarch64", "x86_64-windows", "x86_64-macos", "aarch64-macos"),
    "safepoint": ("x86_64", "aarch64"),
    "states": ("",),
    "files_posix": ("",),
    "files_windows": ("",),
    "weights_inside": ("",),
    "weights_mapped": ("",),
    "weights_read": ("",),
}
"""The sources, and the processors, or the machines (`base.platforms`), that each differs between."""
_FIRST: Final = "x86_64"
"""The processor that text for all of them is made for."""


def _words(names: Iterable[str]) -> dict[str, int]:
    return {name: 8 * word for word, name in enumerate(names)}


def _bytes(words: Mapping[str, int]) -> dict[str, int]:
    return {name: 8 * word for name, word in words.items()}


_OFFSETS: Final[Mapping[str, Mapping[str, int]]] = {
    "ARGUMENT": _words(entry.ARGUMENT),
    "ARRAY": {
        "data": cpython.ARRAY_DATA, "ndim": cpython.ARRAY_NDIM, "dims": cpython.ARRAY_DIMS,
        "descr": cpython.ARRAY_DESCR, "flags": cpython.ARRAY_FLAGS,
    },
    "DICT": {"used": cpython.DICT_USED, "version": cpython.DICT_VERSION},
    "EXCHANGE": _words(exchange.EXCHANGE),
    "FIGURES": _words(plan.FRAME),
    "GUARD": _words(entry.GUARD),
    "LEVEL": layout.LEVEL,
    "LOOP": _words(safepoints.LOOP),
    "MODEL": layout.MODEL,
    "NUMBER": {"value": cpython.FLOAT_VALUE},
    "OBJECT": {"type": cpython.OB_TYPE},
    "OPTIONS": layout.OPTIONS,
    "OUTPUT": _words(entry.OUTPUT),
    "POOL": _bytes(pool.WORD),
    "PROCESS": _words(cpython.EXTERNALS),
    "SEQUENCE": {"size": cpython.SEQUENCE_SIZE, "items": cpython.LIST_ITEMS},
    "STATE": layout.STATE,
    "TABLE": _words(entry.FIELDS),
    "TEAM": _bytes(pool.TEAM),
    "WATCHED": _words(effects.NUMBERS),
}  # fmt: skip
"""Records, by the offsets of their members."""
_OFFSETS_OF_DEVICES: Final[Mapping[str, Mapping[str, int]]] = {
    "DEVICE": _words(device_entry.DEVICE),
    "ROW": _words(device_entry.ROW),
    "STARTER": _words(device_entry.STARTER),
}
"""Those that the entry of programs on a device has besides."""
_KINDS: Final[Mapping[str, Mapping[str, int]]] = {
    "ARGUMENT": entry.ArgumentKind.__members__,
    "CODE": {name: number for number, name in enumerate(codes.KINDS)},
    "LOOK": entry.Look.__members__,
    "RETURNS": entry.Returns.__members__,
}
_NUMBERS: Final = {
    "ALIGNMENT": ALIGNMENT,
    "ARGUMENT_BYTES": 8 * len(entry.ARGUMENT),
    "CHUNKS_EACH": pool.CHUNKS_EACH,
    "GUARD_BYTES": 8 * len(entry.GUARD),
    "HEADER_BYTES": exchange.HEADER,
    "LARGEST_INT": EXACT,
    "LEVEL_NAME_BYTES": layout.NAME_BYTES,
    "MARKER_BYTES": MARKER_BYTES,
    "MOST_THREADS": pool.THREADS,
    "OUTPUT_BYTES": 8 * len(entry.OUTPUT),
    "TEAM_MODEL": pool.TEAM["pool"],
    "USABLE": cpython.USABLE,
}
_COMPILER: Final = (sys.executable, "-m", "ziglang", "cc")
_CLANG: Final = (
    "-O2", "-g0", "-std=c17", "-Wall", "-Wextra", "-Werror", "-S", "-emit-llvm", "-ffreestanding", "-fno-sanitize=all",
    "-fno-strict-aliasing", "-fwrapv", "-fno-delete-null-pointer-checks",
    "-fno-stack-protector", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops",
    "-fno-discard-value-names", "-Wno-unused-command-line-argument",
)  # fmt: skip
_DROPPED: Final = re.compile(
    r"^(?:; |source_filename|target |attributes |!|(?:  (?:tail )?call|declare) "
    r"void @llvm\.(?:lifetime|assume|experimental)).*\n",
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


def headers() -> dict[str, str]:
    """The headers of what C has to know, by their names."""
    return {
        "layout.h": _header(_NUMBERS, _KINDS, _OFFSETS),
        "layout_device.h": _header(
            {"NUMBERS": device_entry.NUMBERS, "RECENT": device_entry.RECENT}, {}, _OFFSETS_OF_DEVICES
        ),
    }


def _header(
    numbers: Mapping[str, int], kinds: Mapping[str, Mapping[str, int]], records: Mapping[str, Mapping[str, int]]
) -> str:
    lines = ["// SPDX-License-Identifier: Apache-2.0", "// Made by `make runtimes`.", "#pragma once", ""]
    lines += ["#include <stddef.h>", ""]
    lines += [f"#define {name} {number}" for name, number in numbers.items()]
    for name, members in kinds.items():
        lines += ["", f"enum {{ {', '.join(f'{name}_{kind} = {int(number)}' for kind, number in members.items())} }};"]
    for name, members in records.items():
        checks = (
            f'    _Static_assert(offsetof(RECORD, {member}) == {at}, "{member}");' for member, at in members.items()
        )
        lines += ["", " \\\n".join([f"#define CHECK_{name}(RECORD)", *checks])]
    return "\n".join([*lines, ""])


def sources(name: str) -> str:
    """The digest of what a runtime is made of."""
    texts = {f"{name}.c": (FOLDER / f"{name}.c").read_text()}
    for text in (pending := [*texts.values()]):
        for header in re.findall(r'^#include "(.*)"', text, re.M):
            if header not in texts:
                texts[header] = (FOLDER / header).read_text()
                pending.append(texts[header])
    return hashlib.sha256("\0".join([*texts.values(), *_CLANG]).encode()).hexdigest()


@cache
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
    family, _, system = (processor or _FIRST).partition("-")
    command = [*_COMPILER, "-target", f"{family}-freestanding-none", *_CLANG, *([f"-D{system.upper()}"] * bool(system))]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "text.ll")
        subprocess.run([*command, f"{name}.c", "-o", str(output)], cwd=FOLDER, check=True)
        text = output.read_text()
    text = _WORDS_DROPPED.sub("", _DROPPED.sub("", text))
    for struct, body in re.findall(r"^(%[\w.]+) = type (.*)\n", text, re.M):
        text = text.replace(f"{struct} = type {body}\n", "")
        text = re.sub(rf"{re.escape(struct)}(?![\w.])", body, text)
    text = re.sub(r"^(define .*\)) \{$", r"\1 nounwind {", text, flags=re.M)
    return head(name) + re.sub(r"\n{2,}", "\n\n", text).rstrip() + "\n"


def file(name: str, processor: str) -> Path:
    """The place of the text of a source for a processor."""
    return FOLDER / (f"{name}.{processor}.ll" if processor else f"{name}.ll")


def main() -> None:
    """Write the header and all texts."""
    for name, text in headers().items():
        (FOLDER / name).write_text(text)
    pairs = [(name, processor) for name, processors in RUNTIMES.items() for processor in processors]
    for name, processor in watched("compiling the runtimes", pairs):
        file(name, processor).write_text(compiled(name, processor))


if __name__ == "__main__":
    main()

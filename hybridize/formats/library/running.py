# SPDX-License-Identifier: Apache-2.0
"""A library that was just written, run on calls: on every level of this machine, or where another machine is emulated.

In: files, calls. Out: what they gave, and for what could not be run a line that says why.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from typing import Any

from hybridize.base.errors import CodegenError
from hybridize.base.processes import FROZEN, interpreter
from hybridize.formats import checking
from hybridize.formats.checking import Answer
from hybridize.formats.deployable import Deployable
from hybridize.formats.library import cross
from hybridize.formats.library.linking import link_library, run_linker
from hybridize.formats.library.platforms import Platform, host, named_platform
from hybridize.formats.library.write import write_library

_CROSS = "aarch64-linux-gnu"
"""Of Debian's compiler for AArch64, and of the folder with a system for it."""
_THREADS = 4
"""That a host is said to have: enough for tasks that share nothing to be told from those that do."""
_SYSTEMS = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
Calls = Sequence[tuple[Any, ...]]


def answers(
    model: Deployable, files: Sequence[str], calls: Calls, *, targets: str | None = None, **options: Any
) -> list[tuple[str, list[Answer]]]:
    """Run the library in every way this machine can; returns each way's title and answers, none if there is no way.

    Args:
        model: what was exported.
        files: what was written of it: a library or an object first.
        calls: the inputs of each.
        targets: the machine that the files are for; None is this one.
        options: others of `write_library`, as they were given.
    """
    platform = named_platform(targets)
    weights = next((file for file in files if file.endswith(".safetensors")), "")
    if platform.name == host():
        return _here(model, files[0], weights, calls, platform, min(_THREADS, options.get("threads", _THREADS)))
    if platform.name == "aarch64-linux":
        return _emulated(model, files, weights, calls, platform, options)
    return _in_linux(model, files, weights, calls, platform) or [
        (f"not run here: no {_SYSTEMS[platform.system]} on {platform.processor}", [])
    ]


def _here(
    model: Deployable, file: str, weights: str, calls: Calls, platform: Platform, threads: int
) -> list[tuple[str, list[Answer]]]:
    if interpreter() is None:
        return [(FROZEN, [])]
    with tempfile.TemporaryDirectory(prefix="hybridize-") as folder:
        if file.endswith(".o"):
            linked = os.path.join(folder, platform.library(model.name))
            try:
                link_library(file, linked, model.name, platform)
            except CodegenError as error:
                return [(f"not run: nothing links the object here ({error.what.splitlines()[0]})", [])]
            title, file = os.path.basename(file), linked
        else:
            title = os.path.basename(file)
        types = [one.type for one in model.outputs]
        here = [level for level in platform.levels if level in checking.levels()] or [""]
        outcomes = [
            (
                f"{title}, {level}" if level else title,
                checking.run_library(file, model.name, calls, types, processor=level, weights=weights),
            )
            for level in here
        ]
        if threads > 1:
            outcomes += [
                (
                    f"{title}, with {threads} threads of the host",
                    checking.run_library(file, model.name, calls, types, weights=weights, threads=threads),
                )
            ]
        missing = [level for level in platform.levels if level not in here and here != [""]]
        return [*outcomes, *((f"not run here: no {level}", []) for level in missing)]


def _in_linux(
    model: Deployable, files: Sequence[str], weights: str, calls: Calls, platform: Platform
) -> list[tuple[str, list[Answer]]]:
    """Run the code of Windows or macOS in a process of Linux, which gives it the functions of C that it needs.

    Returns nothing where there is no such process for its processor, and where it is no library.
    """
    native = host() == f"{platform.processor}-linux"
    compiler = shutil.which("cc" if native else f"{platform.processor}-linux-gnu-gcc")
    emulator = shutil.which(f"qemu-{platform.processor}")
    if compiler is None or not (native or emulator) or not host().endswith("-linux") or files[0].endswith(".o"):
        return []
    types = [one.type for one in model.outputs]
    header = next(file for file in files if file.endswith(".h"))
    with tempfile.TemporaryDirectory(prefix="hybridize-") as folder:
        program = os.path.join(folder, "program")
        flags = [f"-DNAME={model.name}", f"-D{platform.system.upper()}", "-O1", "-include", header]
        run_linker([compiler, *flags, str(checking.drivers() / "library.c"), "-o", program, "-lm"])
        command = ["env", f"HYBRIDIZE_LIBRARY={os.path.abspath(files[0])}"]
        command += [program] if native else [str(emulator), "-L", f"/usr/{platform.processor}-linux-gnu", program]
        where = "in a process of Linux" if native else "in a process of Linux under QEMU"
        levels = [level for level in platform.levels if level in checking.levels()] if native else []
        return [
            (
                ", ".join([os.path.basename(files[0]), *([level] if level else []), where]),
                checking.run_program(command, calls, types, processor=level, weights=weights),
            )
            for level in levels or [""]
        ]


def _emulated(
    model: Deployable, files: Sequence[str], weights: str, calls: Calls, platform: Platform, options: dict[str, Any]
) -> list[tuple[str, list[Answer]]]:
    """Under QEMU: the library itself where there is a compiler and a system for it, else its object without either."""
    emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    compiler = shutil.which(f"{_CROSS}-gcc")
    if emulator is None or (compiler is None and cross.zig() is None):
        missing = "qemu-aarch64" if emulator is None else "ziglang"
        return [(f"not run here: no AArch64, and no {missing}", [])]
    types = [one.type for one in model.outputs]
    with tempfile.TemporaryDirectory(prefix="hybridize-") as folder:
        program = os.path.join(folder, "program")
        flags = [f"-DNAME={model.name}", "-O1", str(checking.drivers() / "library.c"), "-o", program]
        path_flag = f"-Wl,-rpath,{os.path.dirname(files[0])}"
        if compiler is not None:
            header = next(file for file in files if file.endswith(".h"))
            run_linker([compiler, *flags, "-include", header, files[0], path_flag, "-lm"])
            command = [emulator, "-L", f"/usr/{_CROSS}", program]
            outcomes = checking.run_program(command, calls, types, weights=weights)
        else:
            options = {name: value for name, value in options.items() if name in ("weights", "threads")}
            path = os.path.join(folder, model.name)
            written = write_library(model, path, targets=platform.name, object_only=True, **options)
            cross.link_program([*flags, "-include", written[1], written[0]], platform)
            outcomes = checking.run_program([emulator, program], calls, types, weights=weights)
    return [(f"{os.path.basename(files[0])}, AArch64 under QEMU", outcomes)]

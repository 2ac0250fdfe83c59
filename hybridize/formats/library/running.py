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
from hybridize.formats import checking
from hybridize.formats.checking import Answer
from hybridize.formats.deployable import Deployable
from hybridize.formats.library import cross
from hybridize.formats.library.linking import link_library
from hybridize.formats.library.platforms import Platform, host, named_platform
from hybridize.formats.library.write import write_library

_SYSTEMS = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
Calls = Sequence[tuple[Any, ...]]


def answers(
    model: Deployable, files: Sequence[str], calls: Calls, *, targets: str | None = None, **options: Any
) -> list[tuple[str, list[Answer]]]:
    """What the library gives: for each way to run it, its title and the answers; none where it cannot be run here.

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
        return _here(model, files[0], weights, calls, platform)
    if platform.name == "aarch64-linux":
        return _emulated(model, weights, calls, platform, options)
    return [(f"not run here: no {_SYSTEMS[platform.system]} on {platform.processor}", [])]


def _here(
    model: Deployable, file: str, weights: str, calls: Calls, platform: Platform
) -> list[tuple[str, list[Answer]]]:
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
        found = [
            (
                f"{title}, {level}" if level else title,
                checking.run_library(file, model.name, calls, types, processor=level, weights=weights),
            )
            for level in here
        ]
        missing = [level for level in platform.levels if level not in here and here != [""]]
        return [*found, *((f"not run here: no {level}", []) for level in missing)]


def _emulated(
    model: Deployable, weights: str, calls: Calls, platform: Platform, options: dict[str, Any]
) -> list[tuple[str, list[Answer]]]:
    """Under QEMU: the object and a program around it as one file that needs no system."""
    emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if emulator is None or cross.zig() is None:
        missing = "qemu-aarch64" if emulator is None else "ziglang"
        return [(f"not run here: no AArch64, and no {missing}", [])]
    with tempfile.TemporaryDirectory(prefix="hybridize-") as folder:
        options = {name: value for name, value in options.items() if name in ("weights", "threads")}
        path = os.path.join(folder, model.name)
        written = write_library(model, path, targets=platform.name, object_only=True, **options)
        program = os.path.join(folder, "program")
        flags = [f"-DNAME={model.name}", "-include", written[1]]
        cross.link_program([*flags, str(checking.DRIVERS / "library.c"), written[0]], program, platform)
        types = [one.type for one in model.outputs]
        found = checking.run_program([emulator, program], calls, types, weights=weights)
    return [(f"{model.name} for AArch64, under QEMU", found)]

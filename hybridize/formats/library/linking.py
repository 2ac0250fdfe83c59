# SPDX-License-Identifier: Apache-2.0
"""Objects made into shared libraries, by the system's compiler: it links, nothing of ours is compiled by it."""

from __future__ import annotations

import shutil
import subprocess

from hybridize.base.errors import CodegenError
from hybridize.formats.library.platforms import Platform, host

_LINUX = (
    "-shared", "-fPIC", "-s", "-Wl,-z,noexecstack", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,text", "-Wl,--gc-sections",
    "-Wl,--as-needed", "-Wl,--build-id=none", "-nostartfiles",
)  # fmt: skip
_MACOS = ("-dynamiclib", "-Wl,-dead_strip", "-Wl,-x")


def link_library(object_path: str, library_path: str, name: str, platform: Platform, linker: str | None = None) -> None:
    """Make a shared library of an object.

    Args:
        object_path: the object.
        library_path: the file to write.
        name: the library's name, as programs that are linked with it will look for it.
        platform: what both are for.
        linker: `cc`; None is whatever there is.

    Raises:
        CodegenError E973: there is nothing to link with for that machine, or it failed.
    """
    if linker not in (None, "cc"):
        raise CodegenError("E973", f"there is no linker {linker!r}", help='use "cc", or format="object"')
    compiler = shutil.which("cc")
    if compiler is None or platform.name != host():
        where = (
            "this machine has no cc"
            if compiler is None
            else f"the cc of this machine does not link for {platform.name}"
        )
        raise CodegenError("E973", f"{where}, which makes a library of an object", help='use format="object"')
    if platform.system == "macos":
        flags = [*_MACOS, f"-Wl,-install_name,@rpath/{platform.library(name)}"]
    else:
        flags = [*_LINUX, f"-Wl,-soname,{platform.library(name)}"]
    run_linker([compiler, *flags, "-o", library_path, object_path, "-lm"])


def run_linker(command: list[str]) -> None:
    """Run a linker.

    Raises:
        CodegenError E973: it failed; what it said is in the message.
    """
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        said = (made.stderr or made.stdout).strip()
        raise CodegenError("E973", f"linking failed: {' '.join(command)}\n{said}")

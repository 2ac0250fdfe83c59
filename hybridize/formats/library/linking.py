# SPDX-License-Identifier: Apache-2.0
"""Objects made into shared libraries, by the system's compiler or Zig: it links, nothing of ours is compiled by it."""

from __future__ import annotations

import shutil
import subprocess

from hybridize.base.errors import CodegenError
from hybridize.formats.library import cross
from hybridize.formats.library.platforms import Platform, host

_LINUX = (
    "-shared", "-fPIC", "-s", "-Wl,-z,noexecstack", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,text", "-Wl,--gc-sections",
    "-Wl,--as-needed", "-Wl,--build-id=none", "-nostartfiles",
)  # fmt: skip
_MACOS = ("-dynamiclib", "-Wl,-dead_strip", "-Wl,-x")
_FLAGS = {"linux": _LINUX, "macos": _MACOS}
"""By systems; on Windows a `cc` is MinGW's, Cygwin's or another one, and Zig links instead."""


def link_library(
    object_path: str, library_path: str, name: str, platform: Platform, linker: str | None = None,
    version: str | None = None,
) -> None:  # fmt: skip
    """Make a shared library of an object.

    Args:
        object_path: the object.
        library_path: the file to write.
        name: the library's name, as programs that are linked with it will look for it.
        platform: what both are for.
        linker: `cc` or `zig`; None is `cc` for this machine where there is one and it is not Windows, else `zig`.
        version: MAJOR.MINOR.PATCH, whose first number is part of the name that programs look for.

    Raises:
        CodegenError E973: there is nothing to link with for that machine, or it failed.
    """
    compiler = shutil.which("cc")
    usable = compiler is not None and platform.name == host() and platform.system in _FLAGS
    if linker not in (None, "cc", "zig"):
        raise CodegenError("E973", f"there is no linker {linker!r}", help='use "cc", "zig", or format="object"')
    if linker == "zig" or (linker is None and not usable):
        cross.link(object_path, library_path, name, platform, version)
        return
    if not usable or compiler is None:
        lacks = "this machine has no cc" if compiler is None else f"the cc of this machine is not for {platform.name}"
        raise CodegenError("E973", f"{lacks}, which makes a library of an object", help='use "zig", or format="object"')
    named = "-install_name,@rpath/" if platform.system == "macos" else "-soname,"
    flags = [*_FLAGS[platform.system], f"-Wl,{named}{platform.soname(name, version)}"]
    run_linker([compiler, *flags, "-o", library_path, object_path, "-lm"])


def run_linker(command: list[str]) -> None:
    """Run a linker.

    Raises:
        CodegenError E973: it failed; what it said is in the message.
    """
    process = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if process.returncode:
        message = (process.stderr or process.stdout).strip()
        raise CodegenError("E973", f"linking failed: {' '.join(command)}\n{message}")

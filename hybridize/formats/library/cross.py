# SPDX-License-Identifier: Apache-2.0
"""Linking by Zig, for this machine where it has no compiler, and for others: Linux on AArch64, Windows, macOS.

`pip install hybridize[export]` brings it (the package `ziglang`): a linker for all of them with the names of their
system libraries, and nothing to set up. The first time that it meets a system it takes seconds, later a tenth of one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from typing import Final

from hybridize.base.errors import CodegenError
from hybridize.base.processes import interpreter
from hybridize.formats.library.platforms import Platform

_TARGETS: Final = {
    # A glibc of 2012: systems that are older run no library of ours.
    "x86_64-linux": "x86_64-linux-gnu.2.17",
    "aarch64-linux": "aarch64-linux-gnu.2.17",
    "x86_64-windows": "x86_64-windows-gnu",
    "x86_64-macos": "x86_64-macos.11.0",
    "aarch64-macos": "aarch64-macos.11.0",
}
_STATIC: Final = {"x86_64-linux": "x86_64-linux-musl", "aarch64-linux": "aarch64-linux-musl"}
"""For programs that need nothing of the system that they run on."""
_LINUX: Final = (
    "-s", "-nostartfiles", "-nodefaultlibs", "-Wl,-z,noexecstack", "-Wl,-z,relro", "-Wl,-z,now",
    "-Wl,--gc-sections", "-Wl,--as-needed", "-lm", "-lc",
)  # fmt: skip
_WINDOWS: Final = ("-s", "-nostdlib", "-Wl,--no-entry", "-lucrtbase", "-lkernel32")
"""Nothing but the C library that is part of Windows: there is nothing to start or to end."""
_MACOS: Final = ("-Wl,-dead_strip", "-Wl,-x", "-lSystem")


def zig() -> list[str] | None:
    """The command that starts Zig; None where it is not there."""
    python = interpreter()
    if python is not None and find_spec("ziglang") is not None:
        return [python, "-m", "ziglang"]
    path = shutil.which("zig")
    return [path] if path is not None else None


def link(object_path: str, library_path: str, name: str, platform: Platform, version: str | None = None) -> None:
    """Make a shared library of an object.

    Args:
        object_path: the object.
        library_path: the file to write.
        name: of the model.
        platform: what both are for.
        version: see `linking.link_library`.

    Raises:
        CodegenError E973: Zig is not there, or it failed.
    """
    flags = {"linux": _LINUX, "windows": _WINDOWS, "macos": _MACOS}[platform.system]
    title = platform.library(name)
    flag = {"linux": "-soname,", "macos": "-install_name,@rpath/"}.get(platform.system)
    named = [f"-Wl,{flag}{platform.soname(name, version)}"] if flag else []
    # Zig goes by the ending of a file's name, and writes an import library beside a DLL.
    with tempfile.TemporaryDirectory(prefix="hybridize-") as folder:
        output = os.path.join(folder, title)
        _run(["-target", _TARGETS[platform.name], "-shared", "-o", output, object_path, *named, *flags], platform)
        shutil.copyfile(output, library_path)


def link_program(arguments: list[str], platform: Platform) -> None:
    """Compile and link a program for Linux that needs nothing of the system that it runs on.

    Args:
        arguments: of a compiler: C files, objects, flags.
        platform: what it is for.

    Raises:
        CodegenError E973: Zig is not there, or it failed.
    """
    _run(["-target", _STATIC[platform.name], "-static", *arguments, "-lm"], platform)


def _run(arguments: list[str], platform: Platform) -> None:
    command = zig()
    if command is None:
        raise CodegenError(
            "E973",
            f"nothing here links for {platform.name}",
            help='pip install "hybridize[export]", or use format="object" and link it there',
        )
    with tempfile.TemporaryDirectory(prefix="hybridize-") as cache:  # what is of use again is in the global one
        environment = {**os.environ, "ZIG_LOCAL_CACHE_DIR": cache}
        done = subprocess.run(
            [*command, "cc", *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            env=environment,
        )
    if done.returncode:
        message = (done.stderr or done.stdout).strip()
        raise CodegenError("E973", f"linking for {platform.name} failed: zig cc {' '.join(arguments)}\n{message}")

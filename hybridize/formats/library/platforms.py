# SPDX-License-Identifier: Apache-2.0
"""The machines that libraries are made for, by name."""

from __future__ import annotations

import dataclasses
from typing import Final

from hybridize import system
from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.library.model import System
from hybridize.machine.target import Target, named_target


@frozen
class Platform:
    """A kind of processor and an operating system."""

    name: str
    triple: str
    """As LLVM knows it."""
    system: System
    levels: tuple[str, ...]
    """The targets that code is written for, the best first."""

    @property
    def processor(self) -> str:
        """x86_64 or aarch64."""
        return self.name.partition("-")[0]

    def targets(self) -> tuple[Target, ...]:
        """The machines of the levels."""
        levels = (named_target(f"{level}-linux") for level in self.levels)  # whatever system this is
        return tuple(dataclasses.replace(level, triple=self.triple) for level in levels)

    def library(self, name: str) -> str:
        """Return the file name of a shared library."""
        return {"linux": f"lib{name}.so", "macos": f"lib{name}.dylib", "windows": f"{name}.dll"}[self.system]

    def soname(self, name: str, version: str | None) -> str:
        """Return the name by which programs that are linked with a library look for it; of versions the first number.

        Args:
            name: of the model.
            version: MAJOR.MINOR.PATCH; None: the library has none.
        """
        if version is None or self.system == "windows":
            return self.library(name)
        major = version.partition(".")[0]
        return f"lib{name}.{major}.dylib" if self.system == "macos" else f"lib{name}.so.{major}"

    def object(self, name: str) -> str:
        """Return the file name of an object."""
        return f"{name}.o"


_X86: Final = ("avx512", "avx2", "baseline")
PLATFORMS: Final = {
    one.name: one
    for one in (
        Platform("x86_64-linux", "x86_64-unknown-linux-gnu", "linux", _X86),
        Platform("aarch64-linux", "aarch64-unknown-linux-gnu", "linux", ("aarch64",)),
        Platform("x86_64-windows", "x86_64-pc-windows-gnu", "windows", _X86),
        Platform("x86_64-macos", "x86_64-apple-macosx11.0.0", "macos", _X86),
        Platform("aarch64-macos", "arm64-apple-macosx11.0.0", "macos", ("aarch64",)),
    )
}


def host() -> str:
    """The name of this machine's platform."""
    return f"{system.PROCESSOR}-{system.NAME}"


def named_platform(name: str | None) -> Platform:
    """A platform by its name; None is this machine's.

    Raises:
        CodegenError E971: there is no such platform.
    """
    entry = PLATFORMS.get(name if name is not None else host())
    if entry is None:
        raise CodegenError(
            "E971",
            f"no library can be made for {name if name is not None else host()!r}",
            help=f"use one of {', '.join(PLATFORMS)}",
        )
    return entry

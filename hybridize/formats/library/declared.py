# SPDX-License-Identifier: Apache-2.0
"""Functions of other libraries that an object may need: those of C, and its system's for threads and files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hybridize.base.errors import CodegenError
from hybridize.codegen import elf
from hybridize.codegen.llvm.library.model import LibraryVariant
from hybridize.formats.library.platforms import Platform

_WORDS: Final = """
acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor lgamma log log10 log1p log2
nearbyint rint round sin sinh sqrt tan tanh tgamma trunc atan2 copysign fdim fma fmax fmin fmod hypot ldexp nextafter
pow remainder
"""
MATHEMATICS: Final = {f"{name}{suffix}" for name in _WORDS.split() for suffix in ("", "f")}
"""Of <math.h>."""
_MEMORY = {"malloc", "free", "memcpy", "memmove", "memset", "memcmp"}
_FILES = {"fopen", "fread", "fwrite", "fclose", "fflush", "remove"}
_POSIX = _FILES | {"sched_yield", "open", "lseek", "close", "mmap", "munmap", "fseek", "fileno", "fsync", "rename"}
_OF_SYSTEM: Final = {
    "linux": _POSIX | {"__ehdr_start"},  # which linkers define
    "macos": _POSIX,
    "windows": _FILES | {"SwitchToThread", "fgetc", "_fseeki64", "_fileno", "_commit", "MoveFileExA"},
}


def check_declared(name: str, names: Iterable[str], platform: Platform) -> None:
    """Make sure that a program needs nothing else.

    Raises:
        CodegenError E970: it does.
    """
    allowed = MATHEMATICS | _MEMORY | _OF_SYSTEM[platform.system]
    other = sorted(set(names) - allowed)
    if other:
        raise CodegenError(
            "E970",
            f"{name} needs {', '.join(other)}, which the C library does not have",
            help="leave that operation out of the function that is exported",
        )


def externals(variants: Iterable[LibraryVariant]) -> set[str]:
    """Names of the functions that programs call by name; others, LLVM may call for an instruction."""
    modules = [version.built.module for variant in variants for version in variant.versions]
    return {name for module in modules for name in module.declarations if not name.startswith("llvm.")}


def undefined(object_: bytes) -> list[str]:
    """Names of what an ELF object needs from elsewhere."""
    obj = elf.read(object_)
    outside = (obj.symbols["section"] == elf.UNDEFINED) & (obj.symbols["info"] >> 4 != 0)
    return [obj.name(number) for number in outside.nonzero()[0].tolist()]

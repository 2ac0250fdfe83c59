# SPDX-License-Identifier: Apache-2.0
"""Machine code as data, and how it gets into memory: without compiler, linker or LLVM.

An image is position-independent. Loading copies it to fresh pages, fills the words that hold addresses, and then takes
the right to write away from all that is code, constants or addresses: no page is ever writable and executable.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
from collections.abc import Callable
from typing import Final

from hybridize import system
from hybridize.base import platforms
from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen
from hybridize.runtime import externals
from hybridize.system.interruptions import let_through

_WORD: Final = struct.Struct("<q")
_PAGES: Final = system.pages()  # here: it takes a tenth of the time in which a small program from a file is ready


@frozen
class Image:
    """A linked module, as the bytes to map. All offsets are in bytes from its beginning in memory."""

    machine: str
    """The processor and the system that it is for, see `base.platforms`: x86_64, aarch64, x86_64-windows."""
    code: bytes
    """The bytes that are only read once loaded: code, constants, words that hold addresses."""
    data_offset: int
    """The byte at which the variables begin: on a page of their own."""
    data: bytes
    """Their first values."""
    zeros: int
    """Bytes of variables after those, which begin as zeros."""
    exports: tuple[tuple[str, int], ...]
    """Names of functions and variables and where they are."""
    externals: tuple[tuple[str, int], ...]
    """Names of functions of the process, and the words that their addresses go to."""
    pointers: tuple[tuple[int, int], ...]
    """Words that hold an address within the image, and the offset of what is there."""

    @property
    def nbytes(self) -> int:
        """Memory from the first byte to the last."""
        return self.data_offset + len(self.data) + self.zeros if self.data or self.zeros else len(self.code)


class Loaded:
    """An image in memory. The code lives as long as this object: whoever holds an address must hold this too."""

    __slots__ = ("__weakref__", "_base", "_exports", "_unmap", "nbytes")

    def __init__(self, image: Image) -> None:
        """Map `image`.

        Raises:
            CodegenError E963: it names a function that this process does not have.
            CodegenError E966: it is of another processor or system, or the operating system refuses the memory.
        """
        self._base = 0
        self.nbytes: int = -(-image.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
        """Memory that it takes."""
        self._exports = dict(image.exports)
        self._unmap = _PAGES.give_back  # kept: a loaded image may outlive this module when the interpreter ends
        _check(image)
        words = [(offset, externals.address(name)) for name, offset in image.externals]
        self._base = base = _new_pages(self.nbytes)
        ctypes.memmove(base, image.code, len(image.code))
        if image.data:
            ctypes.memmove(base + image.data_offset, image.data, len(image.data))
        for offset, target in image.pointers:
            words.append((offset, base + target))
        for offset, word in words:
            ctypes.memmove(base + offset, _WORD.pack(word), 8)
        _protect(base, image.data_offset if image.data or image.zeros else self.nbytes)

    def address(self, name: str) -> int:
        """Return the address of the exported function or variable `name`.

        Raises:
            CodegenError E961: the module exports no such name.
        """
        offset = self._exports.get(name)
        if offset is None:
            raise CodegenError("E961", f"the module exports no {name!r}, only {', '.join(self._exports)}")
        return self._base + offset

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the module exports."""
        return tuple(self._exports)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # At the end of the process threads may still run code of it; this module's names may be gone by then.
        # Without a base nothing was mapped; an interruption may even come before the first line of `__init__`.
        if getattr(self, "_base", 0) and not ending():
            self._unmap(self._base, self.nbytes)


def _check(image: Image) -> None:
    here = platforms.here()
    if image.machine != here:
        its, ours = platforms.machine_title(image.machine), platforms.machine_title(here)
        raise CodegenError(
            "E966",
            f"this machine code is for {its}, and cannot be loaded on {ours}",
            help="compile the program here: load the file without its images, or save it for this machine",
        )
    if image.data_offset % mmap.PAGESIZE:
        raise CodegenError("E966", f"the image's pages are smaller than the {mmap.PAGESIZE} bytes of this machine's")


def _new_pages(nbytes: int) -> int:
    try:
        return _PAGES.new(nbytes)
    except OSError as error:
        let_through(error)
        raise CodegenError("E966", f"no memory for {nbytes} bytes of machine code: {error.strerror}") from error


def _protect(base: int, nbytes: int) -> None:
    try:
        _PAGES.make_executable(base, nbytes)
    except OSError as error:
        let_through(error)
        what = "the operating system does not let this process run code that it made"
        remedy = f'{system.HOW_TO_ALLOW_CODE}, or use backend="numpy"'
        raise CodegenError("E966", f"{what}: {error.strerror}", help=remedy) from error

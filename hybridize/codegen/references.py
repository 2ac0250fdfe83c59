# SPDX-License-Identifier: Apache-2.0
"""The relocations of each processor: the kinds of references to other addresses that LLVM writes for us.

A kind says what is meant (`Meaning`) and how the reference is written there, for many references at once: large
programs have thousands. Offsets count from the beginning of the image, which lies at the beginning of a page.

Sources: System V ABI, AMD64 supplement, table 4.9; ELF for the Arm 64-bit Architecture, section 5.7.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen

Memory = NDArray[numpy.uint8]
Offsets = NDArray[numpy.int64]
Writer = Callable[[Memory, Offsets, Offsets], None]
"""Writes references that stand at some offsets, to other offsets."""


class Meaning(Enum):
    """The targets of a reference."""

    PLACE = auto()
    """Something within the image."""
    CALL = auto()
    """A function: within the image, or a jump to one of the process."""
    WORD = auto()
    """The word that holds the address of something."""
    ADDRESS = auto()
    """The reference is such a word itself: it is written when the image is loaded."""


@frozen
class RelocationKind:
    """A kind of references."""

    meaning: Meaning
    write: Writer | None = None


@frozen
class Processor:
    """The facts that the linker needs of a family of processors."""

    page: int
    """The largest page that the operating system may have."""
    kinds: dict[int, RelocationKind]
    jump: bytes
    """A jump to where a word says; a multiple of 8 bytes."""
    write_jump: Writer
    """Lets a jump use a word."""


def _scatter(memory: Memory, offsets: Offsets, values: NDArray[Any]) -> None:
    size = values.dtype.itemsize
    memory[offsets[:, None] + numpy.arange(size)] = values.view(numpy.uint8).reshape(-1, size)


def _fits(values: Offsets, bits: int) -> Offsets:
    if len(values) and max(int(values.max()), -1 - int(values.min())) >= 1 << (bits - 1):
        raise CodegenError("E967", "the module is too large for its own references")
    return values


def _distance4(memory: Memory, offsets: Offsets, targets: Offsets) -> None:
    _scatter(memory, offsets, _fits(targets - offsets, 32).astype("<i4"))


def _distance8(memory: Memory, offsets: Offsets, targets: Offsets) -> None:
    _scatter(memory, offsets, (targets - offsets).astype("<i8"))


def _merge(memory: Memory, offsets: Offsets, bits: Offsets) -> None:
    """Put bits into instructions of four bytes that have zeros there."""
    instructions = memory[offsets[:, None] + numpy.arange(4)].view("<u4")[:, 0]
    _scatter(memory, offsets, instructions | bits.astype("<u4"))


def _branch(memory: Memory, offsets: Offsets, targets: Offsets) -> None:
    _merge(memory, offsets, (_fits(targets - offsets, 28) >> 2) & 0x3FFFFFF)


def _split21(values: Offsets) -> Offsets:
    """A signed number where `adr` and `adrp` have it."""
    return (_fits(values, 21) & 3) << 29 | ((values >> 2) & 0x7FFFF) << 5


def _page(memory: Memory, offsets: Offsets, targets: Offsets) -> None:
    _merge(memory, offsets, _split21((targets >> 12) - (offsets >> 12)))


def _near(memory: Memory, offsets: Offsets, targets: Offsets) -> None:
    _merge(memory, offsets, _split21(targets - offsets))


def _in_page(shift: int) -> Writer:
    """The offset within a page, in units of 2^shift bytes."""

    def write(memory: Memory, offsets: Offsets, targets: Offsets) -> None:
        _merge(memory, offsets, (targets & 0xFFF) >> shift << 10)

    return write


def _jump_x86(memory: Memory, offsets: Offsets, targets: Offsets) -> None:
    _distance4(memory, offsets + 2, targets - 4)


def _jump_arm(memory: Memory, offsets: Offsets, targets: Offsets) -> None:
    _page(memory, offsets, targets)
    _in_page(3)(memory, offsets + 4, targets)


PROCESSORS: Final = {
    "x86_64": Processor(
        1 << 12,
        {
            1: RelocationKind(Meaning.ADDRESS),
            2: RelocationKind(Meaning.PLACE, _distance4),
            4: RelocationKind(Meaning.CALL, _distance4),
            24: RelocationKind(Meaning.PLACE, _distance8),
            **dict.fromkeys((9, 41, 42), RelocationKind(Meaning.WORD, _distance4)),
        },
        bytes.fromhex("ff25 00000000 6690"),  # jmp [rip + word]
        _jump_x86,
    ),
    "aarch64": Processor(
        1 << 16,
        {
            257: RelocationKind(Meaning.ADDRESS),
            260: RelocationKind(Meaning.PLACE, _distance8),
            261: RelocationKind(Meaning.PLACE, _distance4),
            274: RelocationKind(Meaning.PLACE, _near),
            275: RelocationKind(Meaning.PLACE, _page),
            277: RelocationKind(Meaning.PLACE, _in_page(0)),
            278: RelocationKind(Meaning.PLACE, _in_page(0)),
            284: RelocationKind(Meaning.PLACE, _in_page(1)),
            285: RelocationKind(Meaning.PLACE, _in_page(2)),
            286: RelocationKind(Meaning.PLACE, _in_page(3)),
            299: RelocationKind(Meaning.PLACE, _in_page(4)),
            282: RelocationKind(Meaning.CALL, _branch),
            283: RelocationKind(Meaning.CALL, _branch),
            311: RelocationKind(Meaning.WORD, _page),
            312: RelocationKind(Meaning.WORD, _in_page(3)),
        },
        bytes.fromhex("10000090 100240f9 00021fd6 1f2003d5"),  # adrp x16, word; ldr x16, [x16, word]; br x16; nop
        _jump_arm,
    ),
}
"""The families by their names."""

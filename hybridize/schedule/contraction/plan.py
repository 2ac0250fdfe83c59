# SPDX-License-Identifier: Apache-2.0
"""The plan of a contraction: all decisions about it, made once; what code generation writes, and what is printed.

What is said here is said of every contraction, of products of matrices too, which are those of one tap. What differs
is the walk of the tiles, chosen by the index maps and by where operands lie:

    MatrixPlan     over matrices: register tiles whose strides are arguments, or dot products; with or without gates
    TapPlan        over a table of taps, strides in the code
    LanePlan       over vectors along an axis of x, in place
    WinogradPlan   over transformed tiles of 3 x 3 windows, whose products are a `TapPlan`
"""

from __future__ import annotations

from abc import abstractmethod

from hybridize.base.dims import is_symbolic, text
from hybridize.base.dtypes import DType
from hybridize.base.frozen import frozen
from hybridize.base.precision import Precision
from hybridize.loops.kernel import Param
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Stores
from hybridize.schedule.contraction.prologue import Prologue


@frozen
class ElementTypes:
    """The elements that a contraction multiplies and sums."""

    types: Precision
    """Of the elements that tiles load of x, of sums, and of results where nothing follows."""
    integers: int = 1
    """Numbers in an element: of two integers of 16 bits, or four of 8, the products are added."""
    panel: DType | None = None
    """Of the elements of panels, where tiles convert them; None for that which they are computed with."""
    prologue: Prologue | None = None
    """The way of elements of w where they are loaded: its memory has others."""

    @property
    def dtype(self) -> DType:
        """The type that products are made and summed in."""
        return self.types.accumulate

    @property
    def in_panels(self) -> DType:
        """The type of elements of panels in memory."""
        return self.dtype if self.panel is None else self.panel

    @property
    def itemsize(self) -> int:
        """Bytes of an element as it is computed with."""
        return self.dtype.itemsize

    @property
    def params(self) -> tuple[Param, ...]:
        """The buffers that the prologue reads."""
        return () if self.prologue is None else self.prologue.params

    def __str__(self) -> str:
        return f"{self.types}{_INTEGERS[self.integers]}"

    def arithmetic(self, target: Target) -> Arithmetic:
        """The arithmetic of these on a target."""
        return Arithmetic(self.types, target, self.integers, self.panel)


_INTEGERS = {1: "", 2: " pairs", 4: " fours"}


def factor_text(x: int) -> str:
    """A distance as plans print it."""
    return f"({text(x)})" if is_symbolic(x) else str(x)


@frozen
class ContractionPlan:
    """All decisions about one contraction."""

    elements: ElementTypes
    lanes: int
    """Elements of a vector register."""
    sizes: tuple[int, ...]
    """Of the axes of the result."""
    stores: Stores
    """As tiles do."""

    @property
    @abstractmethod
    def units(self) -> int:
        """Units of work that threads may share."""

    @property
    @abstractmethod
    def scratch_bytes(self) -> int:
        """Scratch of a call."""

    @property
    def stores_once(self) -> bool:
        """True if each element is stored once, in order, and may take the place of one that was read there."""
        return False

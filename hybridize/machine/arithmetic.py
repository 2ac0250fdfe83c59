# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of one precision on one target: what a contraction computes in, and how much a register holds.

*Stored* is the element in the operands' memory, *packed* that in panels that are made beforehand; both are converted to
what they are *accumulated* in: by default their own type, of 16-bit floats float32.
"""

from __future__ import annotations

from hybridize.base.dtypes import DType, float16, is_float
from hybridize.base.precision import Precision, default_precision
from hybridize.machine.target import Target


def converts_quickly(stored: DType, target: Target) -> bool:
    """Tell whether a register of elements is converted as it is loaded in a few instructions."""
    return stored != float16 or target.halves


class Arithmetic:
    """The arithmetic of one contraction's elements on one target."""

    stored: DType

    def __init__(self, of: Precision | DType, target: Target, integers: int = 1, packed: DType | None = None) -> None:
        """`of` may be the type of the operands, whose default precision it is then."""
        precision = of if isinstance(of, Precision) else default_precision(of)
        self.stored = dtype = precision.operand
        """Of the operands in memory."""
        self.result: DType = precision.result
        """Of the results in memory, where nothing follows."""
        self.integers = integers
        """Numbers in an element: of two integers of 16 bits, or four of 8, the products are added."""
        self.target = target
        self.is_float: bool = is_float(dtype)
        """True for floats of any width; bool and integers are not."""
        self.accumulate: DType = precision.accumulate
        """The type that products are made and summed in."""
        self.packed: DType = self.accumulate if packed is None else packed
        """The type of elements in panels: what they are computed with, or what tiles make that of."""
        self.group = 1
        """Terms that lie beside each other in a panel, for instructions that add up several products."""
        self.converts: bool = self.accumulate != dtype
        """True if elements are converted when they are loaded."""
        self.rounds: bool = self.accumulate != self.result
        """True if sums are rounded when they are stored."""
        self.stored_bytes: int = dtype.itemsize
        """Bytes of an element in the operands."""
        self.bytes: int = self.accumulate.itemsize
        """Bytes of an element as it is computed with."""
        self.lanes: int = target.lanes(max(4, self.bytes))
        """Elements in a vector register; small integers use the lanes of 32-bit ones."""
        self.vector_bytes: int = self.lanes * self.bytes
        """Bytes of a register's elements in panels and sums."""
        self.packed_bytes: int = self.lanes * self.packed.itemsize
        """Bytes of a register's elements in panels that are packed beforehand."""
        self.chunk: int = 16 // self.bytes if self.bytes >= 4 else 0
        """Elements in 128 bits, the piece of a register within which shuffles are cheap; 0 for small integers."""

    @property
    def by_lane(self) -> bool:
        """True if multiply-adds take one lane of a register of broadcast elements."""
        return self.target.by_lane and (self.is_float or self.bytes == 4)

    @property
    def turn_terms(self) -> int:
        """Terms of a row whose lanes one turn takes: those of a vector, and of two where it has but two, which one
        instruction loads.
        """
        return max(self.lanes, 4) if self.by_lane else 1

    @property
    def takes_halves(self) -> bool:
        """True if multiply-adds take the halves of pairs, each from a register of its own."""
        return self.integers == 2 and self.target.by_lane

    def __eq__(self, other: object) -> bool:
        return type(other) is Arithmetic and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.stored, self.target))

    @property
    def product_registers(self) -> int:
        """Registers that a multiply-add takes beside its operands and its sum; seen in the assembly of each target."""
        if self.is_float:
            return 0 if self.target.fma else 1
        # Of 64 bits, and on machines without fused multiply-adds, LLVM makes products of products of halves.
        return 4 if self.bytes == 8 or not self.target.fma else 3

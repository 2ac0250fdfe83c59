# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of one element type on one target: what a contraction computes in, and how much a register holds.

*Stored* is the element in the operands' memory; it is *computed* with in its own type, but 16-bit floats in float32.
"""

from __future__ import annotations

import functools

from hybridize.base.dtypes import DType, float32, is_float
from hybridize.base.frozen import frozen
from hybridize.machine.target import Target


@frozen
class Arithmetic:
    """The arithmetic of one contraction's elements on one target."""

    dtype: DType
    """Of the operands in memory."""
    target: Target

    @functools.cached_property
    def is_float(self) -> bool:
        """True for floats of any width; bool and integers are not."""
        return is_float(self.dtype)

    @functools.cached_property
    def accumulate(self) -> DType:
        """The type that products are made and summed in."""
        return float32 if self.is_float and self.dtype.itemsize == 2 else self.dtype

    @property
    def converts(self) -> bool:
        """True if elements are converted when they are loaded."""
        return self.accumulate != self.dtype

    @property
    def stored_bytes(self) -> int:
        """Bytes of an element in the operands."""
        return self.dtype.itemsize

    @functools.cached_property
    def bytes(self) -> int:
        """Bytes of an element as it is computed with."""
        return self.accumulate.itemsize

    @functools.cached_property
    def lanes(self) -> int:
        """Elements in a vector register; small integers use the lanes of 32-bit ones."""
        return self.target.lanes(max(4, self.bytes))

    @functools.cached_property
    def vector_bytes(self) -> int:
        """Bytes of a register's elements in panels and sums."""
        return self.lanes * self.bytes

    @property
    def chunk(self) -> int:
        """Elements in 128 bits, the piece of a register within which shuffles are cheap; 0 for small integers."""
        return 16 // self.bytes if self.bytes >= 4 else 0

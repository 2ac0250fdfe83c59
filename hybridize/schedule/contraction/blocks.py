# SPDX-License-Identifier: Apache-2.0
"""Rows cut into the blocks of a band."""

from __future__ import annotations

from hybridize.base import dims
from hybridize.base.dims import is_symbolic, text
from hybridize.base.frozen import frozen
from hybridize.schedule.contraction import thresholds


@frozen
class RowBlocks:
    """Rows that are computed a block at a time: all have `size` rows but the last, which ends where the rows do."""

    rows: int
    size: int

    @property
    def count(self) -> int:
        """The number of blocks: what would be less than `BLOCK_ROWS` rows belongs to the one before."""
        return dims.maximum((self.rows + self.size - thresholds.BLOCK_ROWS) // self.size, 1)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The rows that a block may have, where that is known."""
        last = self.rows - (self.count - 1) * self.size
        return (last,) if self.count == 1 or last == self.size else (self.size, last)

    @property
    def most(self) -> int:
        """Rows of the longest block."""
        return self.size + thresholds.BLOCK_ROWS - 1 if is_symbolic(self.rows) else max(self.sizes)

    def __str__(self) -> str:
        return f"{self.size} of {text(self.rows)} rows"

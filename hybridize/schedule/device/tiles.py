# SPDX-License-Identifier: Apache-2.0
"""Products of matrices on a device: the tile that a block computes, and the sums that a thread of it keeps.

Each sum is of all its terms in order, as those of a processor's tiles are, and has their bits.
"""

from __future__ import annotations

from typing import Final

from hybridize.base.dims import hint
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import Shape
from hybridize.loops.contraction import Contraction
from hybridize.machine.target import Target
from hybridize.schedule.contraction.matrices import MatrixProduct, matrix_product
from hybridize.schedule.contraction.plan import ContractionPlan
from hybridize.schedule.contraction.product import Product
from hybridize.schedule.device import thresholds
from hybridize.schedule.kernel import Launch

VECTOR_BYTES: Final = 16
"""Bytes that a thread reads at once of shared memory."""


@frozen
class BlockTile:
    """The elements of a product that a block computes, and those of them that a thread does."""

    m: int
    n: int
    k: int
    """Terms that are brought into shared memory at once."""
    rows: int
    columns: int
    stages: int = 2
    """Copies of the operands' panels there: one is read while the next one is stored."""
    strips: int = 1
    """Parts of the rows of each thread, one after the other of which waits in shared memory for the epilogue."""

    @property
    def threads(self) -> int:
        """Those of a block."""
        return (self.m // self.rows) * (self.n // self.columns)

    def group(self, itemsize: int) -> int:
        """Neighbours that a thread reads at once of a panel of elements of so many bytes."""
        return min(4, VECTOR_BYTES // itemsize)

    def pitch(self, span: int, itemsize: int) -> int:
        """Elements from one term of a panel to the next: they begin in other banks, and stay aligned."""
        return span + VECTOR_BYTES // itemsize

    def panel_elements(self, span: int, itemsize: int) -> int:
        """Elements of the panels of an operand."""
        return self.stages * self.k * self.pitch(span, itemsize)

    @property
    def strip_elements(self) -> int:
        """Sums that wait for the epilogue at a time."""
        return self.m * self.n // self.strips

    def shared_bytes(self, itemsize: int) -> int:
        """Shared memory of a block."""
        panels = self.panel_elements(self.m, itemsize) + self.panel_elements(self.n, itemsize)
        return (panels + self.strip_elements) * itemsize

    def __str__(self) -> str:
        strips = f", stored in {self.strips} strips" if self.strips > 1 else ""
        tile = f"tiles of {self.m} x {self.n} by {self.k} terms, {self.stages} stages"
        return f"{tile}; {self.rows} x {self.columns} sums a thread{strips}"


_LARGE: Final = BlockTile(128, 128, 8, 8, 8, strips=4)
_MIDDLING: Final = BlockTile(64, 64, 8, 4, 4)
_SMALL: Final = BlockTile(32, 32, 8, 4, 4)


@frozen
class BlockPlan(ContractionPlan):
    """The plan of a product of matrices on a device: each block of a launch computes a tile."""

    product: Product
    tile: BlockTile
    launch: Launch

    @property
    def units(self) -> int:
        return 1

    @property
    def scratch_bytes(self) -> int:
        return 0

    def __str__(self) -> str:
        return f"{self.product}\n{self.launch}\n{self.tile}"


def block_product(contraction: Contraction, shapes: tuple[Shape, Shape]) -> MatrixProduct | None:
    """The product of matrices that a contraction is, if tiles of a device suit it; else it is a loop of folds."""
    whole = matrix_product(contraction, shapes)
    if whole is None or whole.product.integers > 1:
        return None
    few = min(hint(whole.product.m), hint(whole.product.n)) < thresholds.FEW_ROWS
    return None if few else whole


def make_block_plan(of: Product, target: Target) -> BlockPlan:
    """Decide the tile of a product."""
    itemsize = of.arithmetic(target).bytes
    assert target.device is not None
    tile = _fitting(_tile(of, itemsize), itemsize, target.device.shared_bytes)
    width = tile.n // of.gates
    across = (of.columns + width - 1) // width
    blocks = across * ((of.m + tile.m - 1) // tile.m) * of.batch
    return BlockPlan(
        elements=of.elements, lanes=1, sizes=(of.batch, of.m, of.columns), stores="buffer", product=of, tile=tile,
        launch=Launch(blocks, tile.threads, tile.shared_bytes(itemsize)),
    )  # fmt: skip


def _tile(of: Product, itemsize: int) -> BlockTile:
    """A tile that is not mostly empty; of several gates the columns of one element's are in one tile."""
    if of.gates > 1:
        return BlockTile(32, 16 * of.gates, 8, 4, 4)
    least = min(hint(of.m), hint(of.n))
    if least >= _LARGE.m and itemsize <= 4:
        return _LARGE
    return _MIDDLING if least >= _MIDDLING.m else _SMALL


def _fitting(tile: BlockTile, itemsize: int, shared_bytes: int) -> BlockTile:
    """The tile with as many strips as the memory that a block's threads share needs, or a smaller one."""
    smaller = {_LARGE: _MIDDLING, _MIDDLING: _SMALL}
    while tile in smaller and changed(tile, strips=tile.rows).shared_bytes(itemsize) > shared_bytes:
        tile = smaller[tile]
    while tile.strips < tile.rows and tile.shared_bytes(itemsize) > shared_bytes:
        tile = changed(tile, strips=2 * tile.strips)
    return tile

# SPDX-License-Identifier: Apache-2.0
"""Choose the tile that a block computes of sums of products, the sums of a thread, and the parts of sums.

Each sum of a part is of all its terms in order, as those of a processor's tiles are, and has their bits. Where there
are few tiles and many terms, a launch computes parts of the sums, and the next one adds these up, in order.
"""

from __future__ import annotations

from typing import Final, Literal

from hybridize.base.dims import hint, is_symbolic
from hybridize.base.frozen import changed, frozen
from hybridize.machine.device import DeviceTarget
from hybridize.schedule.device import thresholds
from hybridize.schedule.kernel import Launch

VECTOR_BYTES: Final = 16
"""Bytes that a thread reads at once of shared memory."""


Unit = Literal["fma", "bf16", "f16", "tf32"]
"""The unit that multiplies: each thread its own, or a warp small matrices of elements of this type (*tensor cores*)."""


@frozen
class BlockTile:
    """The elements of a product that a block computes, and those of them that a thread does, or a warp."""

    m: int
    n: int
    k: int
    """Terms that are brought into shared memory at once."""
    rows: int
    """Of a thread; of a warp where warps multiply."""
    columns: int
    stages: int = 2
    """Copies of the operands' panels there: one is read while the next one is stored."""
    strips: int = 1
    """Parts of the rows of each thread, one after the other of which waits in shared memory for the epilogue."""
    unit: Unit = "fma"

    @property
    def of_warps(self) -> bool:
        """True if warps multiply."""
        return self.unit != "fma"

    @property
    def threads(self) -> int:
        """Those of a block."""
        return (self.m // self.rows) * (self.n // self.columns) * (32 if self.of_warps else 1)

    @property
    def sums(self) -> int:
        """Those of a thread."""
        return self.rows * self.columns // (32 if self.of_warps else 1)

    def group(self, itemsize: int) -> int:
        """Count the neighbours that a thread reads at once of a panel of elements of so many bytes."""
        return min(4, VECTOR_BYTES // itemsize)

    def panel_bytes(self, itemsize: int) -> int:
        """Count the bytes of an element of a panel, where those of sums have so many."""
        return 2 if self.unit in ("bf16", "f16") else itemsize

    def pitch(self, span: int, itemsize: int, *, by_rows: bool) -> int:
        """Count the elements from one term of a panel to the next, or from one row to the next: they begin in other
        banks, and stay aligned.
        """
        return (self.k if by_rows else span) + VECTOR_BYTES // self.panel_bytes(itemsize)

    def stage_elements(self, span: int, itemsize: int) -> int:
        """Count the elements of a panel of an operand: by rows where warps multiply, unless terms lie one after the
        other in memory, which takes no more.
        """
        return (span if self.of_warps else self.k) * self.pitch(span, itemsize, by_rows=self.of_warps)

    @property
    def strip_elements(self) -> int:
        """Sums that wait for the epilogue at a time."""
        return self.m * self.n // self.strips

    def shared_bytes(self, itemsize: int) -> int:
        """Count the bytes of shared memory of a block."""
        panels = self.stages * sum(self.stage_elements(span, itemsize) for span in (self.m, self.n))
        return panels * self.panel_bytes(itemsize) + self.strip_elements * itemsize

    def __str__(self) -> str:
        strips = f", stored in {self.strips} strips" if self.strips > 1 else ""
        tile = f"tiles of {self.m} x {self.n} by {self.k} terms, {self.stages} stages"
        each = f"warps of {self.rows} x {self.columns} sums by {self.unit}" if self.of_warps else ""
        return f"{tile}; {each or f'{self.rows} x {self.columns} sums a thread'}{strips}"


TILES: Final = (
    BlockTile(128, 128, 8, 8, 8, strips=4),
    BlockTile(64, 64, 8, 4, 4, stages=3, strips=2),
    BlockTile(32, 32, 16, 4, 4, stages=3),
    BlockTile(16, 64, 16, 4, 4, stages=3),
    BlockTile(64, 16, 16, 4, 4, stages=3),
    BlockTile(8, 128, 16, 4, 4, stages=3),
    BlockTile(128, 8, 16, 4, 4, stages=3),
)
"""Large ones first."""
WARP_TILES: Final = (
    BlockTile(128, 128, 16, 64, 32, strips=4, unit="bf16"),
    BlockTile(64, 64, 32, 32, 32, strips=2, unit="bf16"),
    BlockTile(32, 64, 32, 16, 32, unit="bf16"),
)
"""The same of warps; those of tf32 bring half as many terms."""


@frozen
class BlockGrid:
    """The tiles of a launch over a batch of m x n sums of k terms each, and the parts of these."""

    batch: int
    m: int
    n: int
    """Of several gates, those of all gates."""
    k: int
    gates: int
    tile: BlockTile
    parts: int
    """Launched side by side; 1 for whole sums."""
    terms: int
    """Of a part."""
    launch: Launch
    after: Launch | None
    """The launch that adds up parts: a thread for each element of the result."""

    @property
    def columns(self) -> int:
        """Columns of the result."""
        return self.n if self.gates == 1 else self.n // self.gates

    @property
    def part_elements(self) -> int:
        """The sums of all parts, which wait in scratch; 0 for whole sums."""
        return self.parts * self.batch * self.m * self.n if self.after is not None else 0

    def __str__(self) -> str:
        if self.after is None:
            return f"{self.launch}\n{self.tile}"
        return f"{self.launch}\n{self.tile}\n{self.parts} parts of {self.terms} terms, which {self.after} add up"


def make_grid(
    device: DeviceTarget, *, batch: int, m: int, n: int, k: int, itemsize: int, gates: int = 1, unit: Unit = "fma"
) -> BlockGrid:
    """Decide the tiles of sums whose elements have so many bytes, and their parts."""
    tile = _tile(device, (batch, m, n, k), itemsize, gates, unit)
    width = tile.n // gates
    columns = n if gates == 1 else n // gates
    blocks = batch * ((m + tile.m - 1) // tile.m) * ((columns + width - 1) // width)
    parts = 1 if any(map(is_symbolic, (batch, m, n, k))) else _parts(blocks, k)
    terms, after = k, None
    if parts > 1:
        terms = -(-k // (parts * tile.k)) * tile.k
        parts = -(-k // terms)
        after = Launch.of(batch * m * columns, thresholds.THREADS)
    launch = Launch(blocks * parts, tile.threads, tile.shared_bytes(itemsize))
    return BlockGrid(
        batch=batch, m=m, n=n, k=k, gates=gates, tile=tile, parts=parts, terms=terms, launch=launch, after=after
    )


def _tile(device: DeviceTarget, sizes: tuple[int, int, int, int], itemsize: int, gates: int, unit: Unit) -> BlockTile:
    """Choose the tile by which the busiest processor has least to do; of several gates the columns of one element's are
    in one tile.
    """
    members, rows, columns, k = map(hint, sizes)
    few = min(rows, columns, k) < thresholds.FEW_FOR_WARPS
    if few or 64 % gates:
        unit = "fma"
    if gates > 1 and unit == "fma":
        tile = BlockTile(32, 16 * gates, 16, 4, 4, stages=3)
        return _fitting(tile, itemsize, device) or changed(tile, k=4, stages=2, strips=4)

    def work(tile: BlockTile) -> float:
        blocks = members * -(-rows // tile.m) * -(-columns // tile.n)
        parts = _parts(blocks, k)
        # Of a term of each sum: the sum, elements that are read, and parts that wait in memory.
        reads = 1 + thresholds.READ_SUMS * (1 / tile.m + 1 / tile.n)
        waits = 2 * thresholds.READ_SUMS * parts / k if parts > 1 else 0
        return max(1, blocks * parts / thresholds.FEW_BLOCKS) / parts * tile.m * tile.n * (reads + waits)

    if unit == "fma":
        tiles = (_fitting(tile, itemsize, device) for tile in TILES if itemsize <= 4 or tile.rows <= 4)
        return min(filter(None, tiles), key=work)
    halved = 2 if unit == "tf32" else 1
    return min((changed(tile, k=tile.k // halved, unit=unit) for tile in WARP_TILES), key=work)


def _fitting(tile: BlockTile, itemsize: int, device: DeviceTarget) -> BlockTile | None:
    """Fit a tile into the memory that the threads of a block share: as it is, or with fewer stages, more strips, fewer
    terms at a time; None where that does not help.
    """
    while tile.shared_bytes(itemsize) > device.shared_bytes:
        if tile.stages > 2:
            tile = changed(tile, stages=tile.stages - 1)
        elif tile.strips < tile.rows:
            tile = changed(tile, strips=2 * tile.strips)
        elif tile.k > 8:
            tile = changed(tile, k=tile.k // 2)
        else:
            return None
    return tile


def _parts(blocks: int, k: int) -> int:
    """Count the parts of sums for so many tiles."""
    parts = min(thresholds.FEW_BLOCKS // max(1, blocks), k // thresholds.SPLIT_TERMS)
    return parts if parts >= thresholds.FEW_PARTS else 1

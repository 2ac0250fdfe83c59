# SPDX-License-Identifier: Apache-2.0
"""What the threads of a warp do together: shuffles, matrices of shared memory, products of tensor units."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tests.device.access import Site
from tests.device.assembly import TYPES, Instruction
from tests.device.fault import Fault
from tests.device.floats import canonical, widened

if TYPE_CHECKING:
    from tests.device.grid import Grid

SHUFFLES = ("up", "down", "bfly", "idx")


def shuffle(grid: Grid, mode: str, value: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return another lane's number, and whether that lane is within the segment."""
    here = np.zeros(grid.padded, bool)
    here[grid.lanes] = True
    lane, b, segments = (grid.lanes & 31).astype(np.int64), b.astype(np.int64) & 31, (c.astype(np.int64) >> 8) & 31
    clamp = c.astype(np.int64) & 31
    highest, lowest = (lane & segments) | (clamp & ~segments & 31), lane & segments
    match mode:
        case "up":
            source = lane - b
            inside = source >= highest
        case "down":
            source = lane + b
            inside = source <= highest
        case "bfly":
            source = lane ^ b
            inside = source <= highest
        case _:
            source = lowest | (b & ~segments & 31)
            inside = source <= highest
    source = np.where(inside, grid.lanes - lane + source, grid.lanes)
    if not here[source].all():
        raise Fault(f"{grid.thread(int(np.flatnonzero(~here[source])[0]))} reads a thread that is not here")
    whole = np.zeros(grid.padded, np.uint32)
    whole[grid.lanes] = value
    return whole[source], np.broadcast_to(inside, grid.lanes.shape)


def _whole_warps(grid: Grid) -> int:
    """Return how many warps run this, each with all of its threads."""
    count = len(grid.lanes) // 32
    if len(grid.lanes) % 32 or not (grid.lanes.reshape(-1, 32) == (grid.lanes[::32, None] + np.arange(32))).all():
        raise Fault("a part of a warp does what all of it has to")
    return count


def matrices(grid: Grid, site: Site, address: np.ndarray, count: int, is_transposed: bool) -> list[np.ndarray]:
    """Load matrices of 8 x 8 halves: lanes 0-7, 8-15, ... have the addresses of their rows, each lane gets two elements."""
    _whole_warps(grid)
    used = np.flatnonzero((grid.lanes & 31) < 8 * count)
    words = site.load(grid.part(used), np.broadcast_to(address, grid.count)[used])
    rows = np.ascontiguousarray(np.stack(words, 1)).view(np.uint16).reshape(-1, count, 8, 8)
    if is_transposed:
        rows = rows.swapaxes(2, 3)
    return [np.ascontiguousarray(rows[:, k]).view(np.uint32).reshape(-1) for k in range(count)]


class Product(NamedTuple):
    """`mma.sync`: the format of factors, and how deep. Sums are of float32."""

    depth: int
    element: str

    @property
    def packs(self) -> int:
        """Return how many elements a register holds."""
        return 1 if self.element == "tf32" else 2

    def _numbers(self, words: np.ndarray) -> list[np.ndarray]:
        """Return the elements of registers."""
        if self.element == "tf32":
            if (words & np.uint32(0x1FFF)).any():
                raise Fault("a factor is not rounded to tf32")
            return [words.view(np.float32)]
        halves = [(words >> np.uint32(shift)).astype(np.uint16) for shift in (0, 16)]
        return [widened(x) if self.element == "bf16" else x.view(np.float16) for x in halves]

    def __call__(self, grid: Grid, a: list, b: list, c: list) -> list[np.ndarray]:
        """Return sums of 16 x 8: products exact, added in float64, rounded once. The ISA leaves the order of sums open."""
        warps, n = _whole_warps(grid), self.packs
        row, column = np.arange(32) // 4, np.arange(32) % 4
        left, right, total = (
            np.zeros((warps, 16, self.depth)),
            np.zeros((warps, self.depth, 8)),
            np.zeros((warps, 16, 8)),
        )

        def of_warps(words: np.ndarray) -> np.ndarray:
            return np.broadcast_to(words, grid.count).reshape(warps, 32)

        for k, words in enumerate(a):
            for i, numbers in enumerate(self._numbers(of_warps(words))):
                left[:, row + 8 * (k % 2), n * column + i + 4 * n * (k // 2)] = numbers
        for k, words in enumerate(b):
            for i, numbers in enumerate(self._numbers(of_warps(words))):
                right[:, n * column + i + 4 * n * k, row] = numbers
        places = [(row + 8 * (k // 2), 2 * column + k % 2) for k in range(4)]
        for (at, across), words in zip(places, c, strict=True):
            total[:, at, across] = of_warps(words).view(np.float32)
        total += left @ right
        results = [total[:, at, across].reshape(-1) for at, across in places]
        return [canonical(x.astype(np.float32)).view(np.uint32) for x in results]


def product_of(one: Instruction) -> Product:
    """Return the product that an instruction asks for."""
    for element, depth in (("bf16", 16), ("f16", 16), ("tf32", 8)):
        kinds = tuple(TYPES[name] for name in ("f32", element, element, "f32"))
        if one.types == kinds and one.modifiers == ("sync", "aligned", f"m16n8k{depth}", "row", "col"):
            return Product(depth, element)
    raise Fault("this product is not known")

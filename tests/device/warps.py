# SPDX-License-Identifier: Apache-2.0
"""What the threads of a warp do together: shuffles, votes, matrices of shared memory, products of tensor units."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tests.device.access import Site
from tests.device.assembly import Instruction
from tests.device.fault import Fault
from tests.device.floats import canonical, widened

if TYPE_CHECKING:
    from tests.device.grid import Grid

SHUFFLES = ("up", "down", "bfly", "idx")


def _members(grid: Grid, mask: np.ndarray) -> np.ndarray:
    """Return which lanes of all warps run this; each has to be in the mask that it names, as all that it names have to come."""
    here, mask = np.zeros(grid.padded, bool), np.broadcast_to(mask, grid.count)
    here[grid.lanes] = True
    lane = (grid.lanes & 31).astype(np.uint32)
    if not ((mask >> lane) & np.uint32(1)).all():
        raise Fault("a thread is not in the mask that it names")
    if not (mask == np.uint32(0xFFFFFFFF)).all():  # else the segment has waited for all of them
        warps = grid.lanes >> 5
        want = grid.alive.reshape(-1, 32)[warps] & (
            (mask[:, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)
        ).astype(bool)
        if (want & ~here.reshape(-1, 32)[warps]).any():
            raise Fault("a thread that the mask names does not come")
    return here


def shuffle(
    grid: Grid, mode: str, value: np.ndarray, b: np.ndarray, c: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return another lane's number, and whether that lane is within the segment."""
    here = _members(grid, mask)
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


VOTES = ("all", "any", "uni", "ballot")


def vote(grid: Grid, mode: str, value: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return what the threads of a warp say together."""
    here = _members(grid, mask).reshape(-1, 32)
    yes = np.zeros(grid.padded, bool)
    yes[grid.lanes] = value
    yes = yes.reshape(-1, 32)
    warps = grid.lanes >> 5
    match mode:
        case "all":
            return (yes | ~here).all(1)[warps]
        case "any":
            return yes.any(1)[warps]
        case "uni":
            return ((yes | ~here).all(1) | ~yes.any(1))[warps]
    return (yes.astype(np.uint32) << np.arange(32, dtype=np.uint32)).sum(1, dtype=np.uint32)[warps]


FOLDS: dict[str, Callable] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def folded(grid: Grid, mode: str, value: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the fold of a warp's integers."""
    here = _members(grid, mask).reshape(-1, 32)
    fold = FOLDS[mode]
    first = {"min": np.iinfo(value.dtype).max, "max": np.iinfo(value.dtype).min, "and": -1}.get(mode, 0)
    every = np.full(grid.padded, np.array(first).astype(value.dtype), value.dtype)
    every[grid.lanes] = value
    rows = np.where(here, every.reshape(-1, 32), np.array(first).astype(value.dtype))
    return fold.reduce(rows, axis=1, dtype=value.dtype)[grid.lanes >> 5]


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
    """`mma.sync`: which formats, and how deep."""

    depth: int
    element: str
    has_half_sums: bool

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
        sums = self._sums([of_warps(words) for words in c])
        for (at, across), numbers in zip(places, sums, strict=True):
            total[:, at, across] = numbers
        total += left @ right
        results = [total[:, at, across].reshape(-1) for at, across in places]
        if not self.has_half_sums:
            return [canonical(x.astype(np.float32)).view(np.uint32) for x in results]
        halves = [canonical(x.astype(np.float16)).view(np.uint16).astype(np.uint32) for x in results]
        return [halves[k] | (halves[k + 1] << np.uint32(16)) for k in (0, 2)]

    def _sums(self, words: list[np.ndarray]) -> list[np.ndarray]:
        if not self.has_half_sums:
            return [x.view(np.float32) for x in words]
        return [(x >> np.uint32(shift)).astype(np.uint16).view(np.float16) for x in words for shift in (0, 16)]


def product_of(one: Instruction) -> Product:
    """Return the product that an instruction asks for."""
    shape = next((word for word in one.modifiers if word.startswith("m16n8k")), "")
    kinds = tuple(type.name for type in one.types)
    known = {
        ("f32", "bf16", "bf16", "f32"): ("m16n8k8", "m16n8k16"),
        ("f32", "f16", "f16", "f32"): ("m16n8k8", "m16n8k16"),
        ("f16", "f16", "f16", "f16"): ("m16n8k8", "m16n8k16"),
        ("f32", "tf32", "tf32", "f32"): ("m16n8k4", "m16n8k8"),
    }
    if one.modifiers != ("sync", "aligned", shape, "row", "col") or shape not in known.get(kinds, ()):
        raise Fault("this product is not known")
    return Product(int(shape[6:]), kinds[1], kinds[0] == "f16")

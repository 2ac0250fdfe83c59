# SPDX-License-Identifier: Apache-2.0
"""Loops in vectors over an axis whose size is not known before the call."""

from __future__ import annotations

from collections.abc import Callable

from hybridize.base.dims import bounds, same
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Lane, Positions
from hybridize.codegen.llvm.text import Function


def counted_lanes(
    positions: Positions,
    axis: int,
    over: tuple[int, int],
    lanes: tuple[int, int],
    body: Callable[[], None],
    part: tuple[str, str] | None = None,
) -> None:
    """Run `body` over an axis from start to stop: in vectors of (wide, narrow) lanes, at last in one that is masked.

    The wide loop comes first, a few narrow turns next; each may turn no time at all. Of that, `part` is run, if given:
    it begins at a multiple of the wide lanes, and ends at one or where all does.
    """
    f, count = positions.f, over[1] - over[0]
    if part is None and lanes[-1] > 1 and ends_masked(positions, count, lanes[-1]):
        widths = widths_of(positions, count, lanes)
        first = f.size(over[0])
        for width in widths.whole:
            end = whole_steps(f, (over[0], over[1] - 1), width)
            with f.loop(first, end, width) as loop, positions.bound(axis, loop.index, Lane(axis, Width(width))):
                body()
            first = end
        with positions.bound(axis, first, Lane(axis, Width.last(f, count, widths.last))):
            body()
        return
    first, stop = part or (f.size(over[0]), f.size(over[1]))
    for width in dict.fromkeys(lanes):
        end = whole_steps(f, over, width) if part is None else _whole_of(f, first, stop, width)
        with f.loop(first, end, width) as loop, positions.bound(axis, loop.index, Lane(axis, Width(width))):
            body()
        first = end
    narrow = lanes[-1]
    if narrow == 1 or same(count % narrow, 0):
        return
    # At most one turn.
    with (
        f.loop(first, stop, narrow) as loop,
        positions.bound(axis, loop.index, Lane(axis, Width.counted(f, count, narrow))),
    ):
        body()


def ends_masked(positions: Positions, count: int, lanes: int) -> bool:
    """Tell whether the last turn, of 1 to `lanes` lanes, is always masked: no row has to ask.

    And what it stores is known to the statements after it, which would wait long to read it back from memory.
    """
    masks = all(positions.target.masks(array.dtype.itemsize) for array in positions.arrays.values())
    return masks and bounds(count)[0] > 0 and not same(count % lanes, 0)


@frozen
class TurnWidths:
    """Lanes of the loops over whole vectors, one after the other, and of the masked turn at the end."""

    whole: tuple[int, ...]
    last: int


def widths_of(positions: Positions, count: int, lanes: tuple[int, int]) -> TurnWidths:
    """Cut an axis that ends with a masked turn."""
    short = positions.short
    if short is None or not same(short[0], count):
        return TurnWidths(tuple(dict.fromkeys(lanes)), lanes[-1])
    return (
        TurnWidths((), lanes[-1])
        if short[1]
        else TurnWidths((min(lanes[0], 2 * lanes[1]),), min(lanes[0], 2 * lanes[1]))
    )


def whole_steps(f: Function, over: tuple[int, int], step: int) -> str:
    """Return the end of the last whole step from start to stop; computed once, on entry of the function."""
    count, first = f.size(over[1] - over[0]), f.size(over[0])
    whole = f.on_entry(f"and i64 {count}, -{step}", ("whole", count, step))
    return whole if first == "0" else f.on_entry(f"add i64 {first}, {whole}", ("end", first, whole))


def _whole_of(f: Function, first: str, stop: str, step: int) -> str:
    whole = f.op(f"and i64 {f.op(f'sub i64 {stop}, {first}')}, -{step}")
    return f.op(f"add i64 {first}, {whole}")

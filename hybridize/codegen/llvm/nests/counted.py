# SPDX-License-Identifier: Apache-2.0
"""Loops in vectors over an axis whose size is not known before the call."""

from __future__ import annotations

from collections.abc import Callable

from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Lane, Positions
from hybridize.codegen.llvm.text import Function
from hybridize.schedule.kernel import Lanes


def counted_lanes(
    positions: Positions,
    axis: int,
    over: tuple[int, int],
    lanes: Lanes,
    body: Callable[[], None],
    part: tuple[str, str] | None = None,
) -> None:
    """Run `body` over an axis from start to stop in vectors.

    Of that, `part` is run, if given: it begins at a multiple of the widest, and ends at one or where all does.
    """
    f, count = positions.f, over[1] - over[0]
    if part is None and lanes.always:
        first = f.size(over[0])
        for width in lanes.whole:
            end = whole_steps(f, (over[0], over[1] - 1), width)
            with f.loop(first, end, width) as loop, positions.bound(axis, loop.index, Lane(axis, Width(width))):
                body()
            first = end
        with positions.bound(axis, first, Lane(axis, Width.last(f, count, lanes.rest))):
            body()
        return
    first, stop = part or (f.size(over[0]), f.size(over[1]))
    for width in lanes.whole:
        end = whole_steps(f, over, width) if part is None else _whole_of(f, first, stop, width)
        with f.loop(first, end, width) as loop, positions.bound(axis, loop.index, Lane(axis, Width(width))):
            body()
        first = end
    if not lanes.rest:
        return
    # At most one turn.
    with (
        f.loop(first, stop, lanes.rest) as loop,
        positions.bound(axis, loop.index, Lane(axis, Width.counted(f, count, lanes.rest))),
    ):
        body()


def whole_steps(f: Function, over: tuple[int, int], step: int) -> str:
    """Return the end of the last whole step from start to stop; computed once, on entry of the function."""
    count, first = f.size(over[1] - over[0]), f.size(over[0])
    whole = f.on_entry(f"and i64 {count}, -{step}", ("whole", count, step))
    return whole if first == "0" else f.on_entry(f"add i64 {first}, {whole}", ("end", first, whole))


def _whole_of(f: Function, first: str, stop: str, step: int) -> str:
    whole = f.op(f"and i64 {f.op(f'sub i64 {stop}, {first}')}, -{step}")
    return f.op(f"add i64 {first}, {whole}")

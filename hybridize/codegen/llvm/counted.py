# SPDX-License-Identifier: Apache-2.0
"""Loops in vectors over an axis whose size is not known before the call."""

from __future__ import annotations

from collections.abc import Callable

from hybridize.base.dims import same
from hybridize.codegen.llvm.memory import Width
from hybridize.codegen.llvm.positions import Lane, Positions


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
    f = positions.f
    first, stop = part or (f.size(over[0]), f.size(over[1]))
    for width in dict.fromkeys(lanes):
        count = f.op(f"sub i64 {stop}, {first}") if first != "0" else stop
        whole = f.op(f"and i64 {count}, -{width}")
        end = f.op(f"add i64 {first}, {whole}") if first != "0" else whole
        with f.loop(first, end, width) as loop, positions.bound(axis, loop.index, Lane(axis, Width(width))):
            body()
        first = end
    narrow = lanes[-1]
    if narrow == 1 or same((over[1] - over[0]) % narrow, 0):
        return
    # At most one turn.
    with f.loop(first, stop, narrow) as loop:
        left = f.op(f"sub i64 {stop}, {loop.index}")
        with positions.bound(axis, loop.index, Lane(axis, Width.counted(f, left, narrow))):
            body()

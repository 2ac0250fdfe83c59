# SPDX-License-Identifier: Apache-2.0
"""Padding by a number or by an array's own elements: slices of it, joined."""

from __future__ import annotations

import numpy

from hybridize.base.errors import ArgumentError
from hybridize.ops.composite import composite
from hybridize.ops.indexing import gather
from hybridize.ops.op import Operand, constant, scalar, type_of
from hybridize.ops.slicing import concat, flip, slice
from hybridize.ops.slicing import pad as filled
from hybridize.ops.views import broadcast

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


@composite("Pad", lambda mode, **_: {} if mode == "constant" else {"constant_value": None})
def pad_flat(x: Operand, mode: str, pad_width: tuple[int, ...], constant_value: float = 0.0) -> Operand:
    """`x`, wider at both ends of each axis.

    Args:
        x: any array.
        mode: one of `MODES`.
        pad_width: before and after each axis, one number after the other.
        constant_value: the number that "constant" fills in.

    Raises:
        ArgumentError E310: no such mode.
    """
    if mode not in MODES:
        raise ArgumentError("E310", f"pad: no mode {mode!r}", help=f"one of {', '.join(MODES)}")
    if mode == "constant":
        return filled(x, scalar(constant_value, type_of(x).dtype), pad_width[::2], pad_width[1::2])
    for axis, (before, after) in enumerate(zip(pad_width[::2], pad_width[1::2], strict=True)):
        if before or after:
            x = padded(x, axis, before, after, mode)
    return x


def padded(x: Operand, axis: int, before: int, after: int, mode: str) -> Operand:
    """Return `x` with elements of its own before and after it along an axis."""
    kind = type_of(x)
    size = kind.shape[axis]

    def part(start: int, stop: int, backwards: bool) -> Operand:
        limits = [(start, stop) if k == axis else (0, length) for k, length in enumerate(kind.shape)]
        border = slice(x, tuple(low for low, _ in limits), tuple(high for _, high in limits), (1,) * kind.ndim)
        return flip(border, axis) if backwards else border

    def edge(place: int, count: int) -> Operand:
        shape = (*kind.shape[:axis], count, *kind.shape[axis + 1 :])
        return broadcast(part(place, place + 1, False), shape)

    reach = size - 1 if mode == "reflect" else size
    if before < 0 or after < 0 or size == 0 or (mode != "edge" and not (before <= reach and after <= reach)):
        # Padding that is longer than the array repeats it; NumPy says how, and what it refuses.
        source = numpy.pad(numpy.arange(int(size)), (before, after), mode=mode)  # type: ignore[call-overload]
        return gather(x, constant(source), axis)
    match mode:
        case "edge":
            parts = [edge(0, before), x, edge(size - 1, after)]
        case "reflect":
            parts = [part(1, before + 1, True), x, part(size - 1 - after, size - 1, True)]
        case "symmetric":
            parts = [part(0, before, True), x, part(size - after, size, True)]
        case _:
            parts = [part(size - before, size, False), x, part(0, after, False)]
    return concat(*(one for one, present in zip(parts, (before, True, after), strict=True) if present), axis=axis)

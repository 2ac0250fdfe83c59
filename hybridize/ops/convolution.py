# SPDX-License-Identifier: Apache-2.0
"""Convolution over one, two or three axes: the contraction that it is, and the shape of its result."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from hybridize.base import dims
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.types import TensorType
from hybridize.loops.contraction import Contraction, plain, subscript
from hybridize.ops.contract import check_operands, check_ranges, contracted
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import reshape, wide

Padding = Sequence[int | tuple[int, int]]
"""Zeros before and after each axis, as many on both sides where it is one number; below 0, elements are left out."""


def convolution(
    x: Operand,
    w: Operand,
    strides: int | Sequence[int] = 1,
    padding: int | Padding = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    x_dilation: int | Sequence[int] = 1,
) -> Operand:
    """Return the convolution, as networks call the correlation: [n, o, y...].

    out[n, o, y...] = sum over c, r... of x[n, c, (strides * y + dilation * r - padding) / x_dilation...] w[o, c, r...]

    Args:
        x: [n, c, i...], with one to three axes i.
        w: [o, c / groups, r...].
        strides: the distance of windows, for each axis or all.
        padding: see `Padding`.
        dilation: the distance of elements of a window.
        groups: the parts of c and o; each part of o sees one of c.
        x_dilation: the distance at which the elements of x stand, zeros between them: by this, a convolution is
            transposed.

    Raises:
        ArgumentError E398: a number is missing, or not one that it may be.
        DTypeError E221, E222: the operands are not numbers of one dtype.
        ShapeError E173: the result, or where it reaches, is beyond 64 bits.
        ShapeError E174: the operands have other axes.
        ShapeError E175: a window does not fit into x with its padding.
    """
    of, by = type_of(x), type_of(w)
    rank = of.ndim - 2
    if not 1 <= rank <= 3 or by.ndim != of.ndim:
        raise ShapeError(
            "E174",
            f"convolution needs [n, c, i...] and weight [o, c, r...] with one to three axes i and as many r, "
            f"got {of} and {by}",
        )
    check_operands("convolution", of, by)
    steps = _each("strides", strides, rank)
    spaces = _each("dilation", dilation, rank)
    spread = _each("x_dilation", x_dilation, rank)
    sides = _sides(padding, rank)
    (groups,) = _each("groups", groups, 1)
    _check_channels(of, by, groups)
    sizes = tuple(_length(of, by, axis, steps[axis], sides[axis], spaces[axis], spread[axis]) for axis in range(rank))
    n, c, o = of.shape[0], of.shape[1], by.shape[0]
    # Axes of the contraction: n, [g,] o, y... | c, r...; those of size 1 for one group are none.
    grouped = groups != 1
    lead = (n, groups, o // groups) if grouped else (n, o)
    first, inner = len(lead), len(lead) + rank
    windows = tuple(
        subscript(((first + axis, steps[axis]), (inner + 1 + axis, spaces[axis])), -sides[axis][0], spread[axis])
        for axis in range(rank)
    )
    taps = tuple(plain(inner + 1 + axis) for axis in range(rank))
    found = Contraction(
        (*lead, *sizes, by.shape[1], *by.shape[2:]),
        inner,
        (plain(0), *((plain(1),) if grouped else ()), plain(inner), *windows),
        (*((plain(1),) if grouped else ()), plain(first - 1), plain(inner), *taps),
        wide(of.dtype),
        of.dtype,
    )
    check_ranges(f"convolution of {of} with weight {by}", found)
    if grouped:
        x = reshape(x, (n, groups, c // groups, *of.shape[2:]))
        w = reshape(w, (groups, o // groups, *by.shape[1:]))
    return reshape(contracted(found, x, w), (n, o, *sizes))


def _each(name: str, given: int | Sequence[int], rank: int) -> tuple[int, ...]:
    """One number above 0 for each axis."""
    numbers = _whole(given if isinstance(given, Sequence) else (given,) * rank)
    if numbers is None or len(numbers) != rank or any(number < 1 for number in numbers):
        raise ArgumentError(
            "E398",
            f"convolution with {name}={given!r}",
            help=f"give a whole number from 1, or {rank}, one for each axis",
        )
    return numbers


def _sides(given: int | Padding, rank: int) -> list[tuple[int, ...]]:
    """Two numbers for each axis."""
    parts = given if isinstance(given, Sequence) else (given,) * rank
    sides = [_whole(part if isinstance(part, Sequence) else (part, part)) for part in parts]
    whole: list[tuple[int, ...]] = [side for side in sides if side is not None and len(side) == 2]
    if not len(whole) == len(sides) == rank:
        raise ArgumentError(
            "E398",
            f"convolution over {rank} axes with padding={given!r}",
            help="give a number for each axis, or two: before and after it",
        )
    return whole


def _whole(numbers: Sequence[Any]) -> tuple[int, ...] | None:
    """Whole numbers, as Python's; None where one of them is none. The program holds for sizes among them only."""
    try:
        return tuple(map(operator.index, numbers))
    except TypeError:
        return None


def _check_channels(x: TensorType, w: TensorType, groups: int) -> None:
    if x.shape[1] != w.shape[1] * groups or w.shape[0] % groups != 0:
        parts = f" in {groups} groups" if groups != 1 else ""
        raise ShapeError(
            "E174",
            f"convolution{parts} of {x} with weight {w}",
            help=f"the channels of x, {dims.text(x.shape[1])}, must be groups * {dims.text(w.shape[1])}, "
            f"and the groups divide {dims.text(w.shape[0])}",
        )


def _length(
    x: TensorType, w: TensorType, axis: int, stride: int, sides: tuple[int, ...], dilation: int, x_dilation: int
) -> int:
    """Size of the result along an axis of the windows."""
    size, taps = x.shape[2 + axis], w.shape[2 + axis]
    spread = size if x_dilation == 1 or size == 0 else (size - 1) * x_dilation + 1
    room = spread + sides[0] + sides[1]
    window = (taps - 1) * dilation + 1
    if taps < 1:
        raise ShapeError(
            "E175",
            f"convolution of {x} with weight {w}: along axis {2 + axis}, the window has no element",
            help="a weight is [o, c / groups, r...], with each size r from 1",
        )
    if room < window:
        raise ShapeError(
            "E175",
            f"convolution of {x} with weight {w}: along axis {2 + axis}, a window over {dims.text(window)} elements "
            f"does not fit into {dims.text(room)}",
            help="the elements are those of x, at their distance, with the padding before and after them",
        )
    return (room - window) // stride + 1

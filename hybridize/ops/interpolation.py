# SPDX-License-Identifier: Apache-2.0
"""Interpolation along an axis, as data: for each element of the result, which elements count and how much.

Places are those of areas unless corners are said to meet: element i of an axis covers i to i + 1, and the middle of
element o of the result lies at step * (o + 0.5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy

from hybridize.base.errors import ShapeError

LONGEST = 1 << 31
"""Elements along an axis that no image has."""

Row = tuple[Sequence[int], Sequence[float]]
"""Places and weights of the terms of one sum."""


def _check(count: int) -> None:
    """Refuse tables that would not end: there is a row for each element."""
    if count >= LONGEST:
        raise ShapeError("E125", f"the images would have an axis of {count} elements", help="make the scale smaller")


def step_of(size: int, count: int, corners: bool, scale: float | None = None) -> float:
    """Return the distance, in elements of the operand, of neighbours in the result.

    Args:
        size: of the operand.
        count: of the result.
        corners: the first and the last points are elements.
        scale: by how much the axis was said to grow, which may differ from count / size; it is not asked for corners.
    """
    _check(count)
    if corners:
        return (size - 1) / (count - 1) if count > 1 else 0.0
    return 1 / scale if scale else size / count


def linear(size: int, count: int, corners: bool, scale: float | None = None, middle: bool = True) -> list[Row]:
    """Return `count` points between `size` elements, each by the two nearest; borders are kept. See `step_of`.

    As many points as elements are the elements, whatever the scale.

    Args:
        size: of the operand.
        count: of the result.
        corners: see `step_of`.
        scale: see `step_of`.
        middle: a point is the middle of the part of the axis that it is for, not its beginning.
    """
    if count == size:
        return [((number,), (1.0,)) for number in range(count)]
    rows: list[Row] = []
    step = step_of(size, count, corners, scale)
    for number in range(count):
        place = step * number if corners or not middle else max(0.0, step * (number + 0.5) - 0.5)
        below = min(int(place), size - 1)
        above = min(below + 1, size - 1)
        share = min(place - below, 1.0)
        rows.append(((below, above), (1 - share, share)))
    return rows


def cubic(size: int, count: int, corners: bool, scale: float | None = None) -> list[Row]:
    """Return points by the four nearest elements, weighed by Keys' kernel with a slope of -0.75; borders are kept."""
    rows: list[Row] = []
    step = step_of(size, count, corners, scale)
    for number in range(count):
        place = step * number if corners else step * (number + 0.5) - 0.5
        below = math.floor(place)
        near = range(below - 1, below + 3)
        rows.append(([min(max(at, 0), size - 1) for at in near], [keys(place - at, -0.75) for at in near]))
    return rows


def keys(distance: float, slope: float) -> float:
    """Return the weight of an element at a distance in Keys' cubic interpolation."""
    x = abs(distance)
    if x <= 1:
        return ((slope + 2) * x - (slope + 3)) * x * x + 1
    return ((x - 5) * x + 8) * slope * x - 4 * slope if x < 2 else 0.0


def tent(distance: float) -> float:
    """Return the weight of an element at a distance in linear interpolation."""
    return max(0.0, 1 - abs(distance))


def smoothed(
    size: int, count: int, corners: bool, scale: float | None, kernel: Callable[[float], float], reach: float
) -> list[Row]:
    """Return points whose kernel grows as the axis shrinks (antialiasing), so that each element counts somewhere.

    Args:
        size: of the operand.
        count: of the result.
        corners: see `step_of`.
        scale: see `step_of`.
        kernel: the weight of an element at a distance.
        reach: the distance from which on it is 0.
    """
    rows: list[Row] = []
    step = step_of(size, count, corners, scale)
    width = max(step, 1.0)
    for number in range(count):
        middle = step * (number + 0.5)
        first = max(int(middle - reach * width + 0.5), 0)
        stop = min(int(middle + reach * width + 0.5), size)
        weights = [kernel((at - middle + 0.5) / width) for at in range(first, stop)]
        total = sum(weights) or 1.0
        rows.append((range(first, stop), [weight / total for weight in weights]))
    return rows


def nearest(size: int, count: int, scale: float | None = None, middle: bool = False, evenly: bool = False) -> list[int]:
    """Return for each of `count` elements the one that it repeats, computed in float32 as PyTorch does.

    Args:
        size: of the operand.
        count: of the result.
        scale: see `step_of`.
        middle: take the element in which the middle of the new one lies, not its beginning.
        evenly: where the result is as long or twice as long, repeat each element as often, whatever the scale.
    """
    step = numpy.float32(1 / scale) if scale else numpy.float32(size) / numpy.float32(count)
    if middle:
        return [min(int(numpy.float32((number + 0.5) * float(step))), size - 1) for number in range(count)]
    if evenly and count in (size, 2 * size):
        return [number * size // count for number in range(count)]
    return [min(int(numpy.float32(number) * step), size - 1) for number in range(count)]


def means(size: int, count: int) -> list[Row]:
    """Return means of `count` parts of an axis, as adaptive pooling has them: they overlap where they do not fit."""
    rows: list[Row] = []
    for first, stop in parts(size, count):
        rows.append((range(first, stop), [1 / (stop - first)] * (stop - first)))
    return rows


def parts(size: int, count: int) -> list[tuple[int, int]]:
    """Return where each of `count` parts of an axis begins and ends; they overlap where they do not fit."""
    _check(count)
    return [(number * size // count, -(-(number + 1) * size // count)) for number in range(count)]

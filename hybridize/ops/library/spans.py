# SPDX-License-Identifier: Apache-2.0
"""Axes of images at other sizes as TensorFlow computes them: each element a weighted sum of a span of others.

Numbers are float32 where TensorFlow's are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy

from hybridize.base.dtypes import float32
from hybridize.ops.interpolation import Row

_STEPS: Final = 1 << 10
"""Of the table of a cubic kernel, between two elements."""


def _near(x: float, slope: float) -> float:
    return ((slope + 2) * x - (slope + 3)) * x * x + 1


def _far(x: float, slope: float) -> float:
    return ((slope * x - 5 * slope) * x + 8 * slope) * x - 4 * slope


def cubic_spans(size: int, count: int, middle: bool, corners: bool) -> list[Row]:
    """Return the terms of a cubic interpolation, of a kernel that is looked up in steps of 1 / 1024.

    Args:
        size: of the axis.
        count: of the result.
        middle: elements are points in the middle of pixels; those beyond the axis have no weight, then.
        corners: the first and the last elements of both axes are the same points.
    """
    slope = -0.5 if middle else -0.75
    scale = float32.type((size - 1) / (count - 1) if corners and count > 1 else size / count)
    half = float32.type(0.5 if middle else 0)
    rows: list[Row] = []
    for number in range(count):
        place = (float32.type(number) + half) * scale - half
        first = math.floor(place)
        step = int(numpy.rint(float32.type(place - first) * _STEPS)) / _STEPS
        weights = [_far(1 + step, slope), _near(step, slope), _near(1 - step, slope), _far(2 - step, slope)]
        places = [min(max(first + k, 0), size - 1) for k in (-1, 0, 1, 2)]
        if middle:
            weights = [weight if first + k == at else 0.0
                       for k, at, weight in zip((-1, 0, 1, 2), places, weights, strict=True)]  # fmt: skip
            total = sum(weights)
            weights = [weight / total for weight in weights]
        rows.append((places, weights))
    return rows


def area_spans(size: int, count: int, corners: bool) -> list[Row]:
    """Return the terms of means of equal parts of an axis, whose ends may cut elements."""
    scale = float32.type((size - 1) / (count - 1) if corners and count > 1 else size / count)
    rows: list[Row] = []
    for number in range(count):
        low, high = float(float32.type(number) * scale), float(float32.type(number + 1) * scale)
        cells = range(math.floor(low), max(math.ceil(high), math.floor(low) + 1))
        weights = [(min(cell + 1, high) - max(cell, low)) / float(scale) for cell in cells]
        rows.append(([min(max(cell, 0), size - 1) for cell in cells], weights))
    return rows


def _wave(radius: float) -> Callable[[float], float]:
    def kernel(x: float) -> float:
        if x > radius:
            return 0.0
        if x <= 1e-3:
            return 1.0
        return radius * math.sin(math.pi * x) * math.sin(math.pi * x / radius) / (math.pi * math.pi * x * x)

    return kernel


def _keys(x: float) -> float:
    if x >= 2:
        return 0.0
    return _near(x, -0.5) if x < 1 else ((-0.5 * x + 2.5) * x - 4) * x + 2


def _mitchell(x: float) -> float:
    if x >= 2:
        return 0.0
    if x >= 1:
        return ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return (7 / 6 * x - 2) * x * x + 8 / 9


KERNELS: Final[dict[str, tuple[float, Callable[[float], float]]]] = {
    "lanczos1": (1, _wave(1)), "lanczos3": (3, _wave(3)), "lanczos5": (5, _wave(5)),
    "gaussian": (1.5, lambda x: 0.0 if x >= 1.5 else math.exp(-x * x / (2 * 0.5 * 0.5))),
    "box": (1, lambda x: 1.0 if x < 0.5 else 0.5 if x == 0.5 else 0.0),
    "triangle": (1, lambda x: max(1 - x, 0.0)), "keyscubic": (2, _keys), "mitchellcubic": (2, _mitchell),
}  # fmt: skip
"""Kernels by name: how far they reach, and the weight of a distance."""


def kernel_spans(size: int, count: int, scale: float, shift: float, name: str, smooth: bool) -> list[Row]:
    """Return the terms of an axis that is stretched, moved and sampled by a kernel of `KERNELS`.

    Args:
        size: of the axis.
        count: of the result.
        scale: by which the axis is stretched.
        shift: by which it is moved then.
        name: of the kernel.
        smooth: the kernel grows as the axis shrinks (antialiasing).
    """
    radius, kernel = KERNELS[name]
    inverse = float32.type(1) / float32.type(scale)
    wide = max(float(inverse), 1.0) if smooth else 1.0
    rows: list[Row] = []
    for number in range(count):
        place = float(float32.type(number + 0.5) * inverse - inverse * float32.type(shift))
        if place < 0 or place > size:
            rows.append(([0], [0.0]))
            continue
        first, last = math.ceil(place - radius * wide - 0.5), math.floor(place + radius * wide - 0.5)
        cells = range(min(max(first, 0), size - 1), min(max(last, 0), size - 1) + 1)
        weights = [kernel(abs(cell + 0.5 - place) / wide) for cell in cells]
        total = sum(weights)
        rows.append((list(cells), [weight / total for weight in weights] if abs(total) > 1e-35 else weights))
    return rows

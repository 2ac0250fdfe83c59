# SPDX-License-Identifier: Apache-2.0
"""Compare results: the one rule by which compiled programs and exported files are checked."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import is_float

_TOLERANCE = {2: 2e-2, 4: 1e-4, 8: 1e-10}
"""Relative, by the bytes of an element."""


def difference(
    actual: NDArray[Any], expected: NDArray[Any], slack: NDArray[Any] | None = None, precision: int = 8
) -> str:
    """Describe how two results differ by more than rounding; empty if they do not.

    Integers, shapes, dtypes, NaN and infinity must be the same.

    Args:
        actual: a result.
        expected: the other, which says how large the values are.
        slack: how much each element may be off besides.
        precision: bytes of the shortest float that they were computed in, where it is shorter than their own.
    """
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return f"{actual.dtype}{list(actual.shape)} for {expected.dtype}{list(expected.shape)}"
    if not is_float(expected.dtype):
        wrong = actual != expected
        if slack is not None:
            wrong &= numpy.abs(actual.astype(numpy.float64) - expected.astype(numpy.float64)) > slack
    else:
        x, y = actual.astype(numpy.float64), expected.astype(numpy.float64)
        finite = numpy.isfinite(y)
        scale = numpy.abs(y[finite]).max() if finite.any() else 0.0
        with numpy.errstate(invalid="ignore"):
            allowed = _TOLERANCE[min(expected.dtype.itemsize, precision)] * (numpy.abs(y) + 1e-2 * scale)
            near = numpy.abs(x - y) <= (allowed if slack is None else allowed + slack)
            wrong = ~((x == y) | (numpy.isnan(x) & numpy.isnan(y)) | near)
    if not wrong.any():
        return ""
    first = tuple(int(i) for i in numpy.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements, first at {list(first)}: {actual[first]} for {expected[first]}"


def largest(actual: NDArray[Any], expected: NDArray[Any]) -> float:
    """The largest absolute difference of two results of one shape, where both are finite."""
    if actual.shape != expected.shape or not actual.size:
        return 0.0
    x, y = actual.astype(numpy.float64), expected.astype(numpy.float64)
    with numpy.errstate(invalid="ignore"):
        apart = numpy.abs(x - y)
    return float(numpy.where(numpy.isfinite(apart), apart, 0.0).max())

# SPDX-License-Identifier: Apache-2.0
"""Strides of views, as NumPy has them: they decide whether a reshape is a view or a copy; what slices take; sharing.

Sizes and strides are numbers of elements, and may be symbolic: what is decided about them is then remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from hybridize.base import dims
from hybridize.base.dims import grouped, same
from hybridize.base.types import Shape

Strides = tuple[int, ...]


def row_major(shape: Shape) -> Strides:
    """The strides of a buffer that is laid out row by row."""
    strides: list[int] = []
    below = 1
    for size in reversed(shape):
        strides.append(below)
        below = below * size
    return tuple(reversed(strides))


def reshaped(shape: Shape, strides: Strides, wanted: Shape) -> Strides | None:
    """The strides of a view under another shape of as many elements; None where NumPy would have to copy.

    Axes are cut into the smallest groups of equal products; the old ones of each group must lie one within the other.
    """
    of_numbers = dims.known((*shape, *strides, *wanted))
    return _reshaped_numbers(shape, strides, wanted) if of_numbers else _reshaped(shape, strides, wanted)


def _reshaped(shape: Shape, strides: Strides, wanted: Shape) -> Strides | None:
    if any(size == 0 for size in shape):
        return row_major(wanted)
    by_axis: dict[int, int] = {}
    for old, new in grouped(shape, wanted):
        axes = [(shape[k], strides[k]) for k in old]
        if not _surely_dense(axes):
            axes = [(size, stride) for size, stride in axes if size != 1]
            if not _dense(axes):
                return None
        stride = axes[-1][1] if axes else 1
        for axis in reversed(new):
            by_axis[axis] = stride
            stride = stride * wanted[axis]
    return tuple(by_axis.get(axis, 1) for axis in range(len(wanted)))  # the stride of an axis of size 1 means nothing


_reshaped_numbers = lru_cache(1024)(_reshaped)
"""The same of numbers: layers of a net ask for the same again and again."""


def may_be_view(shape: Shape, strides: Strides, wanted: Shape) -> bool | None:
    """Tell whether `reshaped` gives a view; None where it is a copy in this call and a view in others, as for size 1.

    What is a view for all sizes, or in this call, is decided at once.
    """
    if not dims.known((*shape, *strides, *wanted)):
        now = [tuple(map(dims.hint, sizes)) for sizes in (shape, strides, wanted)]
        if reshaped(*now) is None:
            return None
    return reshaped(shape, strides, wanted) is not None


def lies_by_rows(shape: Shape, strides: Strides) -> bool:
    """Tell whether elements lie row by row, one after the other."""
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if not same(stride, expected) and size != 1 and stride != expected:
            return False
        expected = expected * size
    return True


def _dense(axes: Sequence[tuple[int, int]]) -> bool:
    """Tell whether axes, each a size and a stride, lie one within the other without gaps."""
    return all(axes[k][1] == size * stride for k, (size, stride) in enumerate(axes[1:]))


def _surely_dense(axes: Sequence[tuple[int, int]]) -> bool:
    """Tell whether they do whatever their sizes are: also if some are 1, whose strides mean nothing."""
    return all(same(axes[k][1], size * stride) for k, (size, stride) in enumerate(axes[1:]))


def span(part: slice, length: int) -> tuple[int, int, int]:
    """(first index, how many, step) of a slice of an axis."""
    step = 1 if part.step is None else part.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low, high = (0, length) if step > 0 else (-1, length - 1)

    def end(bound: Any, default: int) -> int:
        if bound is None:
            return default
        counted = bound + length if bound < 0 else bound
        return low if counted < low else high if counted > high else counted

    first, stop = (
        (end(part.start, low), end(part.stop, high)) if step > 0 else (end(part.start, high), end(part.stop, low))
    )
    count = -((first - stop) // step)
    return first, count if count > 0 else 0, step

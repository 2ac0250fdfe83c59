# SPDX-License-Identifier: Apache-2.0
"""Pooling: maxima and means of windows, of as many parts as asked, and maxima put back to where they were."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dims import maximum, product, same
from hybridize.base.dtypes import int64, is_float
from hybridize.base.frozen import frozen
from hybridize.ops import Operand, type_of
from hybridize.ops.library import pooling as library
from hybridize.ops.library import resizing
from hybridize.ops.library.convolution_layers import LAYOUTS
from hybridize.torch.functions.convolution import Numbers, batched, count_of_windows, each, unbatched
from hybridize.torch.functions.indexing import scattered
from hybridize.torch.functions.operands import operand, within
from hybridize.torch.functions.rules import expect, nothing_of
from hybridize.torch.functions.table import computes


@frozen
class _Windows:
    """Windows along the axes of images, a number for each axis."""

    size: Numbers
    steps: Numbers
    """Their distances."""
    sides: Numbers
    """The padding before axes."""
    behind: Numbers
    """Their reach beyond the ends of axes."""
    apart: Numbers
    """The distances of their elements."""

    @property
    def axes(self) -> Numbers:
        """Return the axes of images that they go along."""
        return tuple(range(2, 2 + len(self.size)))

    @property
    def even(self) -> bool:
        """True if they reach beyond both ends of each axis alike."""
        return all(map(same, self.behind, self.sides))


def _windows(x: Operand, kernel: Any, stride: Any, padding: Any, dilation: Any, beyond: bool) -> _Windows:
    """Return the windows of images, which fit; `beyond`: also those that begin in an image and end behind it."""
    sizes = type_of(x).shape[2:]
    rank = len(sizes)
    window = each(kernel, rank)
    steps = window if stride is None or stride in ((), []) else each(stride, rank)
    sides, apart, behind = each(padding, rank), each(dilation, rank), []
    for size, taps, step, side, space in zip(sizes, window, steps, sides, apart, strict=True):
        expect(size > 0 and taps > 0 and step > 0 and space > 0 and 0 <= side * 2 <= space * (taps - 1) + 1)
        count = count_of_windows(size + (step - 1 if beyond else 0), taps, step, side, space)
        if beyond and (count - 1) * step >= size + side:  # one more begins in the image or before it
            count = count - 1
        expect(count >= 1)
        reach = (count - 1) * step + (taps - 1) * space + 1 - size - side
        valid = same(count, count_of_windows(size, taps, step, side, space))
        behind.append(side if valid else maximum(0, reach))
    return _Windows(window, steps, sides, tuple(behind), apart)


def _register_maxima(rank: int) -> None:
    kinds = "f" if rank == 1 else "fiu"

    @computes(f"{'' if rank == 1 else 'nn.'}max_pool{rank}d_with_indices", kinds=kinds)
    def with_indices(
        input: Operand,
        kernel_size: Any,
        stride: Any = (),
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
    ) -> tuple[Operand, Operand]:
        x, single = batched(input, rank)
        expect(type_of(x).shape[1] != 0)
        w = _windows(x, kernel_size, stride, padding, dilation, ceil_mode)
        values, places = library.maxima_of_windows(x, w.axes, w.size, w.steps, w.sides, w.behind, w.apart)
        if w.even and all(space == 1 for space in w.apart):
            values = library.pooling(x, w.size, "max", False, "valid", w.steps, w.sides, None, True, LAYOUTS[rank][0])
        return unbatched(values, single), unbatched(places, single)

    @computes(f"max_pool{rank}d", kinds=kinds)
    @functools.wraps(with_indices)
    def values(*args: Any, **kwargs: Any) -> Operand:
        return with_indices(*args, **kwargs)[0]


def _means(
    rank: int,
    x: Operand,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: Any,
) -> Operand:
    expect(divisor is None or divisor != 0)
    x, single = batched(x, rank)
    w = _windows(x, kernel_size, stride, padding, 1, ceil_mode)
    dtype = type_of(x).dtype
    expect(is_float(dtype) or dtype == int64)
    if divisor is None and w.even and is_float(dtype):
        layout = LAYOUTS[rank][0]
        means = library.pooling(
            x, w.size, "avg", False, "valid", w.steps, w.sides, None, bool(count_include_pad), layout
        )
    else:
        means = library.means_of_windows(
            x, w.axes, w.size, w.steps, w.sides, w.behind, bool(count_include_pad), divisor
        )
    return unbatched(means, single)


@computes("F.avg_pool1d")
def _avg_pool1d(
    input: Operand,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Operand:
    return _means(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def _register_means(rank: int) -> None:
    @computes(f"F.avg_pool{rank}d")
    def entry(
        input: Operand,
        kernel_size: Any,
        stride: Any = (),
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> Operand:
        return _means(rank, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _parts(x: Operand, counts: Any) -> Numbers:
    """Return how many parts each axis of images is to have: as many as before where None is given."""
    sizes = type_of(x).shape[2:]
    numbers = each(counts, len(sizes))
    numbers = tuple(size if count is None else count for size, count in zip(sizes, numbers, strict=True))
    expect(all(count >= 0 for count in numbers))
    return numbers


def _register_parts(rank: int) -> None:
    space = "" if rank == 1 else "nn."

    @computes(f"{space}adaptive_avg_pool{rank}d")
    def means(input: Operand, output_size: Any) -> Operand:
        x, single = batched(input, rank)
        counts = _parts(x, output_size)
        if any(same(count, 0) for count in counts):
            return unbatched(nothing_of(x, (*type_of(x).shape[:2], *counts)), single)
        return unbatched(resizing.means_of_parts(x, counts), single)

    @computes(f"{space}adaptive_max_pool{rank}d")
    def maxima(input: Operand, output_size: Any) -> tuple[Operand, Operand]:
        x, single = batched(input, rank)
        counts = _parts(x, output_size)
        if any(same(count, 0) for count in counts):
            none = nothing_of(x, (*type_of(x).shape[:2], *counts))
            return unbatched(none, single), ops.cast(unbatched(none, single), int64)
        pair = library.maxima_of_parts(x, tuple(range(2, 2 + rank)), counts)
        return unbatched(pair[0], single), unbatched(pair[1], single)


def _register_fractional(rank: int) -> None:
    @computes(f"nn.fractional_max_pool{rank}d")
    def entry(input: Operand, kernel_size: Any, output_size: Any, _random_samples: Operand) -> tuple[Operand, Operand]:
        """The random numbers of an image and channel are for its axes in order, but of two for the last one first."""
        x, single = batched(input, rank)
        lead, sizes = type_of(x).shape[:2], type_of(x).shape[2:]
        window, counts, starts = each(kernel_size, rank), each(output_size, rank), []
        for k, (size, count, taps) in enumerate(zip(sizes, counts, window, strict=True)):
            expect(count + taps - 1 <= size)
            column = rank - 1 - k if rank == 2 else k
            number = ops.reshape(ops.part(_random_samples, 2, column, column + 1), lead)
            starts.append(library.starts_by_numbers(number, size, count, taps))
        values, places = library.maxima_from(x, starts, window)
        return unbatched(values, single), unbatched(places, single)


for _rank in (1, 2, 3):
    _register_maxima(_rank)
    _register_parts(_rank)
for _rank in (2, 3):
    _register_means(_rank)
    _register_fractional(_rank)


def _unpooled(rank: int, x: Operand, indices: Operand, sizes: Sequence[Any]) -> Operand:
    """Put elements to their places in an image, one for each channel; all others are 0.

    Raises:
        RuntimeError: the tensors do not fit; in torch's words.
    """
    expect(type_of(x).shape == type_of(indices).shape)
    x, single = batched(x, rank)
    shape, of = type_of(x).shape, type_of(x)
    rows, count, room = product(shape[:2]), product(shape[2:]), product(sizes)
    flat = ops.reshape(x, (rows, count))
    at = ops.reshape(operand(indices, int64, type_of(indices).shape), (rows, count))
    at = within(at, room, message="found an invalid max index")
    images = scattered(operand(0, of.dtype, (rows, room)), 1, at, flat, "set")
    return unbatched(ops.reshape(images, (*shape[:2], *sizes)), single)


@computes("nn.max_unpool2d")
def _max_unpool2d(input: Operand, indices: Operand, output_size: Any) -> Operand:
    return _unpooled(2, input, indices, each(output_size, 2))


@computes("nn.max_unpool3d")
def _max_unpool3d(input: Operand, indices: Operand, output_size: Any, stride: Any, padding: Any) -> Operand:
    return _unpooled(3, input, indices, each(output_size, 3))

# SPDX-License-Identifier: Apache-2.0
"""Pooling: maxima and means of windows, of as many parts as asked, and maxima put back to where they were."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dims import product
from hybridize.base.dtypes import int64
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.convolution import Numbers, batched, count_of_windows, each, unbatched
from hybridize.torch.functions.operands import operand, within
from hybridize.torch.functions.rules import aten, expect
from hybridize.torch.functions.table import computes


class _Images:
    """Images as ATen pools them: in a batch, windows of one axis with another one, of size 1, in front.

    Args:
        kind: of pooling, as torch's functions are called.
        rank: the number of axes of a window.
        x: the images.

    Raises:
        RuntimeError: they have other axes; in torch's words.
    """

    def __init__(self, kind: str, rank: int, x: Operand) -> None:
        self.name = f"{kind}{rank}d"
        self.operator = f"{kind}{max(rank, 2)}d"
        self._rank = rank
        x, self._is_single = batched(x, rank, self.name)
        shape = type_of(x).shape
        self.shape = shape
        """The sizes of their batch."""
        self._x = x if rank > 1 else ops.reshape(x, (*shape[:-1], 1, shape[-1]))

    def each(self, given: Any, name: str = "kernel_size") -> Numbers:
        """Return a number for each axis of a window; see `convolution.each`."""
        return each(given, self._rank, name)

    def wide(self, numbers: Numbers, front: Any) -> Numbers:
        """Return numbers of the axes of a window as ATen takes them, `front` that of the axis in front."""
        return numbers if self._rank > 1 else (front, *numbers)

    def means(self, overload: str, counts: Numbers, *args: Any) -> Operand:
        """Return what an ATen operator makes of them that gives so many parts along each axis."""
        return self._as_given(aten(f"{self.operator}{overload}", self._result(counts), self._x, *args))

    def maxima(self, overload: str, counts: Numbers, *args: Any) -> tuple[Operand, Operand]:
        """Return the same of an operator of maxima: the values and their places."""
        result = self._result(counts)
        types = result, TensorType(result.shape, int64)
        values, places = aten(f"{self.operator}{overload}", types, self._x, *args)
        return self._as_given(values), self._as_given(places)

    def _result(self, counts: Numbers) -> TensorType:
        of = type_of(self._x)
        return of.with_shape((*of.shape[:2], *self.wide(counts, 1)))

    def _as_given(self, y: Operand) -> Operand:
        """Take away the axes that were put there."""
        shape = type_of(y).shape
        return unbatched(y if self._rank > 1 else ops.reshape(y, (*shape[:-2], shape[-1])), self._is_single)


@frozen
class _Windows:
    """Windows along the axes of images."""

    counts: Numbers
    """Their number."""
    size: Numbers
    steps: Numbers
    """Their distances."""
    sides: Numbers
    """The padding."""
    apart: Numbers
    """The distances of their elements."""


def _windows(images: _Images, kernel: Any, stride: Any, padding: Any, dilation: Any, beyond: bool) -> _Windows:
    """Return the windows of images, as ATen takes them; `beyond`: also those that begin in an image and end behind it.

    Raises:
        RuntimeError: a window does not fit; in torch's words.
    """
    window = images.each(kernel)
    steps = window if stride is None or stride in ((), []) else images.each(stride, "stride")
    sides, apart = images.each(padding, "padding"), images.each(dilation, "dilation")
    counts = []
    for size, count, step, side, space in zip(images.shape[2:], window, steps, sides, apart, strict=True):
        expect(count > 0)
        expect(step > 0)
        expect(side >= 0)
        expect(side * 2 <= space * (count - 1) + 1)
        found = _count(size, count, step, side, space, beyond)
        expect(found >= 1)
        counts.append(found)
    wide = images.wide
    return _Windows(tuple(counts), wide(window, 1), wide(steps, 1), wide(sides, 0), wide(apart, 1))


def _count(size: Any, window: Any, step: Any, side: Any, apart: Any, beyond: bool) -> Any:
    """Return how many windows an axis has; one more where it begins in the image or before it, and `beyond`."""
    count = count_of_windows(size + (step - 1 if beyond else 0), window, step, side, apart)
    if beyond and (count - 1) * step >= size + side:
        count = count - 1
    return count


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
        images = _Images("max_pool", rank, input)
        found = _windows(images, kernel_size, stride, padding, dilation, ceil_mode)
        given = found.size, found.steps, found.sides, found.apart
        return images.maxima("_with_indices.default", found.counts, *given, ceil_mode)

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
    images = _Images("avg_pool", rank, x)
    found = _windows(images, kernel_size, stride, padding, 1, ceil_mode)
    given = found.size, found.steps, found.sides
    return images.means(".default", found.counts, *given, ceil_mode, count_include_pad, divisor)


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


def _counts(images: _Images, given: Any) -> Numbers:
    """Return how many parts each axis is to have: as many as before where None is given."""
    pairs = zip(images.shape[2:], images.each(given, "output_size"), strict=True)
    return tuple(size if count is None else count for size, count in pairs)


def _register_parts(rank: int) -> None:
    space = "" if rank == 1 else "nn."

    @computes(f"{space}adaptive_avg_pool{rank}d")
    def means(input: Operand, output_size: Any) -> Operand:
        images = _Images("adaptive_avg_pool", rank, input)
        counts = _counts(images, output_size)
        return images.means(".default", counts, images.wide(counts, 1))

    @computes(f"{space}adaptive_max_pool{rank}d")
    def maxima(input: Operand, output_size: Any) -> tuple[Operand, Operand]:
        images = _Images("adaptive_max_pool", rank, input)
        counts = _counts(images, output_size)
        return images.maxima(".default", counts, images.wide(counts, 1))


def _register_fractional(rank: int) -> None:
    @computes(f"nn.fractional_max_pool{rank}d")
    def entry(input: Operand, kernel_size: Any, output_size: Any, _random_samples: Operand) -> tuple[Operand, Operand]:
        images = _Images("fractional_max_pool", rank, input)
        window, counts = images.each(kernel_size), images.each(output_size, "output_size")
        for size, count, taps in zip(images.shape[2:], counts, window, strict=True):
            expect(count + taps - 1 <= size)
        return images.maxima(".default", counts, window, counts, _random_samples)


for _rank in (1, 2, 3):
    _register_maxima(_rank)
    _register_parts(_rank)
for _rank in (2, 3):
    _register_means(_rank)
    _register_fractional(_rank)


def _unpooled(name: str, rank: int, x: Operand, indices: Operand, sizes: Sequence[Any]) -> Operand:
    """Put elements to their places in an image, one for each channel; all others are 0.

    Raises:
        RuntimeError: the tensors do not fit; in torch's words.
    """
    expect(type_of(x).shape == type_of(indices).shape)
    x, single = batched(x, rank, name)
    shape, of = type_of(x).shape, type_of(x)
    rows, count, room = product(shape[:2]), product(shape[2:]), product(sizes)
    flat = ops.reshape(x, (rows, count))
    at = ops.reshape(operand(indices, int64, type_of(indices).shape), (rows, count))
    at = within(at, room, message="found an invalid max index")
    put = aten("scatter.src", of.with_shape((rows, room)), operand(0, of.dtype, (rows, room)), 1, at, flat)
    return unbatched(ops.reshape(put, (*shape[:2], *sizes)), single)


@computes("nn.max_unpool2d")
def _max_unpool2d(input: Operand, indices: Operand, output_size: Any) -> Operand:
    return _unpooled("max_unpool2d", 2, input, indices, each(output_size, 2, "output_size"))


@computes("nn.max_unpool3d")
def _max_unpool3d(input: Operand, indices: Operand, output_size: Any, stride: Any, padding: Any) -> Operand:
    return _unpooled("max_unpool3d", 3, input, indices, each(output_size, 3, "output_size"))

# SPDX-License-Identifier: Apache-2.0
"""Convolutions, transposed ones too, and images as columns of their windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dims import same
from hybridize.base.dtypes import int64, is_float
from hybridize.base.types import Shape
from hybridize.ops import Operand, type_of
from hybridize.ops.library import columns
from hybridize.ops.library.convolution_layers import LAYOUTS, convolution_layer, deconvolution_layer
from hybridize.torch.functions.rules import expect
from hybridize.torch.functions.table import computes

Numbers = tuple[Any, ...]


def each(value: Any, rank: int) -> Numbers:
    """Return a number for each axis of an image.

    Raises:
        RuntimeError: there are others than one or as many as axes; in torch's words.
    """
    numbers = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    expect(len(numbers) in (1, rank))
    return numbers * rank if len(numbers) == 1 else numbers


def batched(x: Operand, rank: int) -> tuple[Operand, bool]:
    """Return images with an axis of the batch, and whether it was put there.

    Raises:
        RuntimeError: they have other axes; in torch's words.
    """
    shape = type_of(x).shape
    if len(shape) == rank + 2:
        return x, False
    expect(len(shape) == rank + 1)
    return ops.reshape(x, (1, *shape)), True


def unbatched(x: Operand, single: bool) -> Operand:
    """Take away an axis of the batch that was put there."""
    return ops.reshape(x, type_of(x).shape[1:]) if single else x


def count_of_windows(size: Any, window: Any, step: Any, side: Any, apart: Any) -> Any:
    """Return how many windows fit into an axis of a size, with padding at either side."""
    return (size + 2 * side - apart * (window - 1) - 1) // step + 1


def _convolved(
    name: str,
    rank: int,
    x: Operand,
    weight: Operand,
    bias: Operand | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: Any,
    output_padding: Any = 0,
    transposed: bool = False,
) -> Operand:
    x, single = batched(x, rank)
    _check(x, weight, bias, groups, transposed)
    steps, apart = each(stride, rank), each(dilation, rank)
    if isinstance(padding, str):
        x, sides = _sides(x, padding, type_of(weight).shape[2:], steps, apart)
    else:
        sides = each(padding, rank)
    more = each(output_padding, rank)
    expect(min(steps) > 0 and min(apart) > 0 and min(sides) >= 0)
    of = type_of(x)
    narrow = not is_float(of.dtype) and of.dtype != int64
    expect(not narrow or 0 in of.shape or not (transposed or max(apart) > 1))
    _check_room(type_of(x).shape[2:], type_of(weight).shape[2:], sides, apart, transposed)
    layout = LAYOUTS[rank][0]
    if not transposed:
        return unbatched(convolution_layer(x, weight, bias, steps, apart, sides, groups, layout), single)
    expect(all(added < step or added < by for added, step, by in zip(more, steps, apart, strict=True)))
    return unbatched(deconvolution_layer(x, weight, bias, steps, apart, sides, more, groups, layout), single)


def _check(x: Operand, weight: Operand, bias: Operand | None, groups: Any, transposed: bool) -> None:
    """Check that operands fit."""
    of, by = type_of(x), type_of(weight)
    expect(all(type_of(other).dtype == of.dtype for other in (weight, bias) if other is not None))
    expect(by.ndim == of.ndim)
    expect(groups > 0)
    wanted = by.shape[0] if transposed else by.shape[1] * groups
    expect(of.shape[1] == wanted and not (transposed and same(wanted, 0)))
    channels = by.shape[1] * groups if transposed else by.shape[0]
    expect(bias is None or type_of(bias).shape == (channels,))


def _check_room(sizes: Shape, kernel: Shape, sides: Numbers, apart: Numbers, transposed: bool) -> None:
    if transposed:
        return
    for size, taps, side, space in zip(sizes, kernel, sides, apart, strict=True):
        expect(size + 2 * side >= space * (taps - 1) + 1)


def _sides(x: Operand, padding: str, kernel: Shape, steps: Numbers, apart: Numbers) -> tuple[Operand, Numbers]:
    """Return the padding that a word stands for; what is more on one side than on the other is put around the image."""
    if padding == "valid":
        return x, (0,) * len(kernel)
    expect(padding == "same")
    expect(all(step == 1 for step in steps))
    totals = [space * (taps - 1) for taps, space in zip(kernel, apart, strict=True)]
    before = tuple(total // 2 for total in totals)
    after = tuple(total - side for total, side in zip(totals, before, strict=True))
    if before == after:
        return x, before
    x = ops.pad(x, ops.scalar(0, type_of(x).dtype), (0, 0, *before), (0, 0, *after))
    return x, (0,) * len(kernel)


def _register(rank: int) -> None:
    name = f"conv{rank}d"

    @computes(name)
    def entry(
        input: Operand,
        weight: Operand,
        bias: Operand | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: Any = 1,
    ) -> Operand:
        return _convolved(name, rank, input, weight, bias, stride, padding, dilation, groups)

    @computes(f"conv_transpose{rank}d")
    def transposed(
        input: Operand,
        weight: Operand,
        bias: Operand | None = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: Any = 1,
        dilation: Any = 1,
    ) -> Operand:
        return _convolved(
            f"conv_transpose{rank}d", rank, input, weight, bias, stride, padding, dilation, groups, output_padding, True
        )


for _rank in (1, 2, 3):
    _register(_rank)


@computes("convolution")
def _convolution(
    input: Operand,
    weight: Operand,
    bias: Operand | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: Any,
) -> Operand:
    rank = type_of(weight).ndim - 2
    return _convolved(
        "convolution", rank, input, weight, bias, stride, padding, dilation, groups, output_padding, transposed
    )


@computes("conv_tbc")
def _conv_tbc(input: Operand, weight: Operand, bias: Operand, pad: Any = 0) -> Operand:
    """Time first, channels last."""
    x, kernel = ops.transpose(input, (1, 2, 0)), ops.transpose(weight, (2, 1, 0))
    return ops.transpose(_convolved("conv_tbc", 1, x, kernel, bias, 1, pad, 1, 1), (2, 0, 1))


@computes("nn.im2col", kinds="fb")
def _im2col(input: Operand, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Operand:
    x, single = batched(input, 2)
    return unbatched(columns.im2col(x, *_windows(kernel_size, dilation, padding, stride)), single)


@computes("nn.col2im", kinds="fb")
def _col2im(
    input: Operand, output_size: Sequence[Any], kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> Operand:
    shape = type_of(input).shape
    expect(len(shape) in (2, 3))
    x, single = batched(input, 1)
    kernel, steps, apart, sides = _windows(kernel_size, dilation, padding, stride)
    sizes = each(output_size, 2)
    taps = kernel[0] * kernel[1]
    expect(type_of(x).shape[1] % taps == 0)
    counts = list(map(count_of_windows, sizes, kernel, steps, sides, apart))
    expect(type_of(x).shape[2] == counts[0] * counts[1])
    return unbatched(columns.col2im(x, sizes, kernel, steps, apart, sides), single)


def _windows(kernel: Any, dilation: Any, padding: Any, stride: Any) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return the size of windows, their distance, that of their elements, and the padding, of two axes."""
    return each(kernel, 2), each(stride, 2), each(dilation, 2), each(padding, 2)


@computes("channel_shuffle", "native_channel_shuffle")
def _channel_shuffle(input: Operand, groups: Any) -> Operand:
    of = type_of(input)
    expect(of.ndim >= 3)
    expect(groups > 0 and of.shape[1] % groups == 0)
    apart = (of.shape[0], groups, of.shape[1] // groups, *of.shape[2:])
    turned = ops.transpose(ops.reshape(input, apart), (0, 2, 1, *range(3, of.ndim + 1)))
    return ops.reshape(turned, of.shape)


def _of_images(input: Operand, factor: Any) -> Shape:
    """Return the sizes of images whose pixels are to be shuffled by a factor.

    Raises:
        RuntimeError: they are none, or the factor is; in torch's words.
    """
    shape = type_of(input).shape
    expect(len(shape) >= 3)
    expect(factor > 0)
    return shape


def _rearranged(x: Operand, parts: Shape, order: tuple[int, ...], sizes: Shape) -> Operand:
    """Split the last axes of images into parts, put these in another order, and join them to the sizes of a result."""
    lead = type_of(x).shape[:-3]
    n = len(lead)
    apart = ops.transpose(ops.reshape(x, (*lead, *parts)), (*range(n), *(n + axis for axis in order)))
    return ops.reshape(apart, (*lead, *sizes))


@computes("pixel_shuffle")
def _pixel_shuffle(input: Operand, upscale_factor: Any) -> Operand:
    f = upscale_factor
    *_, channels, height, width = _of_images(input, f)
    expect(channels % (f * f) == 0)
    planes = channels // (f * f)
    return _rearranged(input, (planes, f, f, height, width), (0, 3, 1, 4, 2), (planes, height * f, width * f))


@computes("pixel_unshuffle")
def _pixel_unshuffle(input: Operand, downscale_factor: Any) -> Operand:
    f = downscale_factor
    *_, channels, height, width = _of_images(input, f)
    expect(height % f == 0 and width % f == 0)
    parts = channels, height // f, f, width // f, f
    return _rearranged(input, parts, (0, 2, 4, 1, 3), (channels * f * f, height // f, width // f))

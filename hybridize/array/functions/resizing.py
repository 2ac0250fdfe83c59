# SPDX-License-Identifier: Apache-2.0
"""Images of other sizes, by MXNet's names and arguments: repeated, interpolated, averaged."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from hybridize.array.functions.convolution import deconvolution
from hybridize.array.functions.elementwise import add, apart_from
from hybridize.array.functions.shapes import concatenate, repeat
from hybridize.array.operands import array, float_operand, one_of, operand, public, result
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.ops.library import resizing


@public
def upsampling(
    *data: Any,
    scale: int,
    sample_type: str = "nearest",
    num_filter: int = 0,
    multi_input_mode: str = "concat",
    num_args: int | None = None,
    workspace: int = 512,
) -> Any:
    """Enlarge images [batch, channels, height, width].

    Args:
        data: one array or several for `nearest`, each enlarged by a whole number to `scale` times the first one; an
            array and a weight [channels, 1, k, k] for `bilinear`.
        scale: by how much the first one grows.
        sample_type: `nearest` repeats pixels; `bilinear` is a transposed convolution with the weight, whose windows are
            of size 2 scale - scale % 2.
        num_filter: of `bilinear`: the number of channels, which the weight says already.
        multi_input_mode: join several arrays along the channels (`concat`), or add them up (`sum`).
        num_args: the number of arrays, which are counted anyhow.
        workspace: accepted for MXNet.

    Raises:
        ArgumentError E399: `scale` is no whole number from 1, or not as many arrays as there should be.
        ShapeError E179: arrays that are no images, or do not grow to the size of the first by a whole number.
        ValueArgumentError E345: no such way.

    >>> npx.upsampling(np.array([[[[1, 2]]]]), scale=2)
    array([[[[1., 1., 2., 2.],
             [1., 1., 2., 2.]]]])
    """
    one_of(sample_type, ("nearest", "bilinear"), "upsampling", "sample_type")
    one_of(multi_input_mode, ("concat", "sum"), "upsampling", "multi_input_mode")
    times = _whole("upsampling", "scale", scale)
    images = [array(x) for x in data]
    count = 2 if sample_type == "bilinear" else len(images) if num_args is None else num_args
    if not images or len(images) != count:
        help = "an image and its weight" if sample_type == "bilinear" else "as many as num_args says"
        raise ArgumentError("E399", f"upsampling by {sample_type!r} of {len(images)} arrays", help=help)
    first = _image("upsampling", images[0])
    if sample_type == "bilinear":
        channels = first.shape[1]
        return deconvolution(
            first,
            images[1],
            kernel=2 * times - times % 2,
            stride=times,
            pad=times // 2,
            num_filter=channels,
            num_group=channels,
            no_bias=True,
        )
    if len(images) == 1:
        return apart_from(first, result(resizing.repeated(operand(first), times)))
    height, width = (times * size for size in first.shape[2:])
    parts = [_repeated(_image("upsampling", x), height, width) for x in images]
    if multi_input_mode == "concat":
        return concatenate(parts, 1)
    total = parts[0]
    for one in parts[1:]:
        total = add(total, one)
    return total


def _repeated(x: Any, height: int, width: int) -> Any:
    """Each pixel as often as makes an image of that size."""
    if x.shape[2] < 1 or x.shape[3] < 1 or height % x.shape[2] or width % x.shape[3]:
        raise ShapeError(
            "E179",
            f"upsampling of {x.type} to {height} x {width}",
            help="each size must grow by a whole factor: scale times the size of the first array",
        )
    return repeat(repeat(x, height // x.shape[2], 2), width // x.shape[3], 3)


@public
def bilinear_resize_2d(
    data: Any,
    like: Any = None,
    height: int = 1,
    width: int = 1,
    scale_height: float | None = None,
    scale_width: float | None = None,
    mode: str = "size",
    align_corners: bool = True,
) -> Any:
    """Interpolate images [batch, channels, height, width] between their four nearest pixels.

    Args:
        data: images.
        like: of the mode `like`: an array whose height and width the result has.
        height: of the result.
        width: of the result.
        scale_height: by how much the height grows; instead of `height`.
        scale_width: by how much the width grows.
        mode: `size`: by the numbers above; `odd_scale`: by the scales, odd sizes remaining odd; `like`;
            `to_even_down`, `to_even_up`, `to_odd_down`, `to_odd_up`: the next such sizes.
        align_corners: the outermost pixels are those of the result; else pixels are areas, and borders are kept.

    Raises:
        ArgumentError E399: sizes that are no whole numbers from 1, or scales that are missing or not positive.
        ShapeError E179: arrays that are no images.
        ValueArgumentError E345: no such mode.

    >>> nd.contrib.BilinearResize2D(nd.array([[[[1, 3]]]]), height=1, width=3).asnumpy()
    array([[[[1., 2., 3.]]]], dtype=float32)
    """
    one_of(mode, _MODES, "bilinear_resize_2d", "mode")
    x = _image("bilinear_resize_2d", array(data))
    if mode == "like":
        if like is None:
            raise ArgumentError("E399", "bilinear_resize_2d with mode='like' of one array", help="pass like=")
        sizes = tuple(_image("bilinear_resize_2d", array(like)).shape[2:])
    else:
        options = ((height, scale_height, "height"), (width, scale_width, "width"))
        sizes = tuple(_size(int(old), *one, mode) for old, one in zip(x.shape[2:], options, strict=True))
    height, width = (int(size) for size in sizes)
    return result(resizing.bilinear_resize(float_operand(x), height, width, bool(align_corners)))


_MODES = ("size", "odd_scale", "like", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up")


def _size(old: int, size: int, scale: float | None, keyword: str, mode: str) -> int:
    """The new size of an axis."""
    match mode:
        case "to_even_down" | "to_odd_down":
            return max(1, old - (old % 2 == (mode == "to_even_down")))
        case "to_even_up" | "to_odd_up":
            return old + (old % 2 == (mode == "to_even_up"))
    if scale is None:
        if mode == "odd_scale":
            raise ArgumentError("E399", "bilinear_resize_2d with mode='odd_scale'", help=f"pass scale_{keyword}=")
        return _whole("bilinear_resize_2d", keyword, size)
    if not scale > 0 or int(old * scale) < 1:
        raise ArgumentError("E399", f"bilinear_resize_2d with scale_{keyword}={scale!r}", help="it must leave a pixel")
    if mode == "odd_scale":
        return int(old * scale) if old % 2 == 0 else int((old - 1) * scale) + 1
    return int(old * scale)


@public
def adaptive_avg_pooling_2d(data: Any, output_size: Any = 1) -> Any:
    """Divide images [batch, channels, height, width] into as many parts as asked for, and take their means.

    Part number i of n of an axis of s elements is from i s / n, rounded down, to (i + 1) s / n, rounded up.

    Args:
        data: images.
        output_size: height and width of the result, or one number for both.

    Raises:
        ArgumentError E399: sizes that are no whole numbers from 1.
        ShapeError E179: arrays that are no images.

    >>> nd.contrib.AdaptiveAvgPooling2D(nd.arange(16).reshape((1, 1, 4, 4)), output_size=2).asnumpy()
    array([[[[ 2.5,  4.5],
             [10.5, 12.5]]]], dtype=float32)
    """
    x = _image("adaptive_avg_pooling_2d", array(data))
    numbers = output_size if isinstance(output_size, Sequence) else (output_size,)
    sizes = [_whole("adaptive_avg_pooling_2d", "output_size", size) for size in numbers] or [1]
    if len(sizes) > 2:
        raise ArgumentError("E399", f"adaptive_avg_pooling_2d: output_size={output_size!r}", help="use (height, width)")
    return result(resizing.adaptive_mean(float_operand(x), (sizes[0], sizes[-1])))


@public
def depth_to_space(data: Any, block_size: int) -> Any:
    """Turn channels into blocks of pixels: [n, b b c, h, w] to [n, c, h b, w b].

    Raises:
        ArgumentError E399: `block_size` is no whole number from 1.
        ShapeError E179: an array that is no image, or has other channels.

    >>> nd.depth_to_space(nd.arange(4).reshape((1, 4, 1, 1)), 2).asnumpy()
    array([[[[0., 1.],
             [2., 3.]]]], dtype=float32)
    """
    x, block = _image("depth_to_space", array(data)), _whole("depth_to_space", "block_size", block_size)
    return apart_from(x, result(resizing.depth_to_space(operand(x), block)))


@public
def space_to_depth(data: Any, block_size: int) -> Any:
    """Turn blocks of pixels into channels: [n, c, h b, w b] to [n, b b c, h, w].

    Raises:
        ArgumentError E399: `block_size` is no whole number from 1.
        ShapeError E179: an array that is no image, or does not divide into blocks.

    >>> nd.space_to_depth(nd.arange(4).reshape((1, 1, 2, 2)), 2).shape
    (1, 4, 1, 1)
    """
    x, block = _image("space_to_depth", array(data)), _whole("space_to_depth", "block_size", block_size)
    return apart_from(x, result(resizing.space_to_depth(operand(x), block)))


def _image(name: str, x: Any) -> Any:
    """The array, which has four axes."""
    if x.ndim != 4:
        raise ShapeError("E179", f"{name} of {x.type}", help="the input is [batch, channels, height, width]")
    return x


def _whole(name: str, keyword: str, value: Any) -> int:
    """A whole number from 1."""
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if number < 1:
        raise ArgumentError("E399", f"{name} with {keyword}={value!r}", help="use an integer of 1 or more")
    return number

# SPDX-License-Identifier: Apache-2.0
"""Images of other sizes: repeated, interpolated, averaged over parts; pixels as channels and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy

from hybridize.base.dims import is_symbolic, same
from hybridize.base.dtypes import int64, is_float
from hybridize.base.errors import ShapeError
from hybridize.base.types import TensorType
from hybridize.ops.composite import composite
from hybridize.ops.composites import mean
from hybridize.ops.indexing import gather
from hybridize.ops.interpolation import Row, linear, means
from hybridize.ops.library.convolution_layers import LAYOUTS
from hybridize.ops.library.pooling import even_parts, pooling
from hybridize.ops.op import Operand, constant, type_of
from hybridize.ops.resampling import resampled
from hybridize.ops.views import broadcast, cast, reshape, transpose, wide


def resized(x: Operand, rows: Mapping[int, Sequence[Row]]) -> Operand:
    """Sums of elements along several axes, as `rows` say for each, rounded once; what shrinks most comes first."""
    dtype, shape = type_of(x).dtype, type_of(x).shape
    y = cast(x, wide(dtype))
    for axis in sorted(rows, key=lambda axis: len(rows[axis]) / int(shape[axis])):
        y = resampled(y, axis, rows[axis])
    return cast(y, dtype)


def picked(x: Operand, places: Mapping[int, Sequence[int]]) -> Operand:
    """The elements at given places along several axes; gradients are sums over the few that repeat an element."""
    if is_float(type_of(x).dtype):
        return resized(x, {axis: [((place,), (1.0,)) for place in along] for axis, along in places.items()})
    for axis, along in places.items():
        x = gather(x, constant(numpy.array(along, int64)), axis)
    return x


@composite("_contrib_BilinearResize2D")
def bilinear_resize(x: Operand, height: int, width: int, align_corners: bool) -> Operand:
    """Images [n, c, h, w] of another height and width, interpolated between their four nearest pixels: see `linear`.

    Raises:
        ShapeError E179: these are no images.
    """
    kind = _image("BilinearResize2D", x)
    sizes = {2: height, 3: width}
    return resized(x, {axis: linear(int(kind.shape[axis]), int(size), align_corners) for axis, size in sizes.items()})


@composite("_contrib_AdaptiveAvgPooling2D")
def adaptive_mean(x: Operand, output_size: tuple[int, int]) -> Operand:
    """Means of as many parts of images [n, c, h, w] as asked for: see `means`; windows where all parts are as large.

    Raises:
        ShapeError E179: these are no images.
    """
    _image("AdaptiveAvgPooling2D", x)
    return means_of_parts(x, output_size)


def means_of_parts(x: Operand, counts: Sequence[int]) -> Operand:
    """Means of as many parts of each of the last axes: see `interpolation.means`; windows where all are as large.

    Args:
        x: [batch, channels, i...], with one to three axes i.
        counts: for each axis i.
    """
    sizes = type_of(x).shape[2:]
    layout, none = LAYOUTS[len(sizes)][0], (0,) * len(sizes)
    if all(same(count, 1) for count in counts):
        ones = (1,) * len(sizes)
        return pooling(x, ones, "avg", True, "valid", ones, none, None, True, layout)
    window = even_parts(sizes, counts)
    if window is not None and not any(map(is_symbolic, window)):
        return pooling(x, window, "avg", False, "valid", window, none, None, True, layout)
    if window is not None:  # of sizes that only calls know: axes of their own
        apart = tuple(n for count, size in zip(counts, window, strict=True) for n in (count, size))
        return mean(reshape(x, (*type_of(x).shape[:2], *apart)), tuple(range(3, 3 + 2 * len(sizes), 2)))
    pairs = zip(sizes, counts, strict=True)
    return resized(x, {2 + k: means(int(size), int(count)) for k, (size, count) in enumerate(pairs)})


def _image(name: str, x: Operand) -> TensorType:
    """The type of images that have a pixel."""
    kind = type_of(x)
    if kind.ndim != 4 or kind.shape[2] < 1 or kind.shape[3] < 1:
        raise ShapeError("E179", f"{name} of {kind}", help="give [batch, channels, height, width] with pixels")
    return kind


@composite("UpSampling", lambda **_: {"sample_type": "nearest", "num_args": 1})
def repeated(x: Operand, scale: int) -> Operand:
    """Images [n, c, h, w], each pixel of which becomes `scale` times `scale` of them."""
    return repeated_along(x, {2: scale, 3: scale})


def repeated_along(x: Operand, times: Mapping[int, int]) -> Operand:
    """`x`, each element of which is there so many times along the axes."""
    shape = type_of(x).shape
    apart = tuple(n for size in shape for n in (size, 1))
    wider = tuple(n for axis, size in enumerate(shape) for n in (size, times.get(axis, 1)))
    every = tuple(size * times.get(axis, 1) for axis, size in enumerate(shape))
    return reshape(broadcast(reshape(x, apart), wider), every)


def depth_to_space(x: Operand, block: int) -> Operand:
    """Turn channels into blocks of pixels: [n, b b c, h, w] to [n, c, h b, w b].

    Raises:
        ShapeError E179: there are other channels.
    """
    n, channels, height, width = type_of(x).shape
    if channels % (block * block):
        help = f"the channels are a multiple of {block * block}"
        raise ShapeError("E179", f"depth_to_space of {type_of(x)} in blocks of {block}", help=help)
    rest = channels // (block * block)
    apart = transpose(reshape(x, (n, block, block, rest, height, width)), (0, 3, 4, 1, 5, 2))
    return reshape(apart, (n, rest, height * block, width * block))


def space_to_depth(x: Operand, block: int) -> Operand:
    """Turn blocks of pixels into channels: [n, c, h b, w b] to [n, b b c, h, w].

    Raises:
        ShapeError E179: they do not divide into blocks.
    """
    n, channels, height, width = type_of(x).shape
    if height % block or width % block:
        help = f"height and width are multiples of {block}"
        raise ShapeError("E179", f"space_to_depth of {type_of(x)} in blocks of {block}", help=help)
    apart = reshape(x, (n, channels, height // block, block, width // block, block))
    apart = transpose(apart, (0, 3, 5, 1, 2, 4))
    return reshape(apart, (n, block * block * channels, height // block, width // block))

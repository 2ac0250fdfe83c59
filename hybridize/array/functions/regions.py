# SPDX-License-Identifier: Apache-2.0
"""Regions of images in a fixed number of bins, anchors, windows of two images compared: MXNet's names and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.array.functions.sampling import same_floats
from hybridize.array.operands import public, result
from hybridize.ops.convolution import each_axis
from hybridize.ops.library import anchors, regions
from hybridize.ops.library.correlation import correlation as compared


@public
def roi_pooling(data: Any, rois: Any, pooled_size: int | Sequence[int], spatial_scale: float) -> Any:
    """Return the largest elements of regions of images, which are cut into a fixed number of bins.

    Args:
        data: [batch, channels, height, width].
        rois: [count, 5]: the number of its image, left, top, right and bottom of each region, the last ones included.
        pooled_size: the number of bins, along height and width.
        spatial_scale: pixels of the data for one of the regions, from 0 to 1.

    Returns:
        [count, channels, *pooled_size]; a bin beyond its image is 0. The regions have no gradient.

    Raises:
        ArgumentError E398: `pooled_size` is not two numbers from 1; E399: the scale is not from 0 to 1.
        DTypeError E239: integers.
        ShapeError E182: they do not fit together.

    >>> x = np.arange(16).reshape(1, 1, 4, 4)
    >>> npx.roi_pooling(x, np.array([[0, 0, 0, 3, 3]]), pooled_size=(2, 2), spatial_scale=1.0)
    array([[[[ 5.,  7.],
             [13., 15.]]]])
    """
    x, places = same_floats("roi_pooling", data, rois)
    height, width = each_axis("roi_pooling", "pooled_size", pooled_size, 2)
    return result(regions.roi_pooling(x, places, (height, width), float(spatial_scale)))


@public
def roi_align(
    data: Any,
    rois: Any,
    pooled_size: int | Sequence[int],
    spatial_scale: float,
    sample_ratio: int = -1,
    position_sensitive: bool = False,
    aligned: bool = False,
) -> Any:
    """Return the means of points between the pixels of regions, which are cut into a fixed number of bins.

    Args:
        data: [batch, channels, height, width].
        rois: [count, 5]: the number of its image, left, top, right and bottom of each region.
        pooled_size: the number of bins, along height and width.
        spatial_scale: pixels of the data for one of the regions, from 0 to 1.
        sample_ratio: points along each axis of a bin; below 1: as many as it has pixels. Give a number where images
            are large: what data decide needs a copy of its image for each region.
        position_sensitive: each bin has channels of its own, which are the product of channels and bins.
        aligned: shift regions half a pixel up and left; those of no size are 0. Else a region is of one pixel at least.

    Returns:
        [count, channels, *pooled_size]. The regions have no gradient.

    Raises:
        ArgumentError E398: `pooled_size` is not two numbers from 1; E399: the scale is not from 0 to 1.
        DTypeError E239: integers.
        ShapeError E182: they do not fit together.

    >>> x = nd.ones((1, 1, 4, 4))
    >>> nd.contrib.ROIAlign(x, nd.array([[0, 0, 0, 3, 3]]), pooled_size=(2, 2), spatial_scale=1.0).asnumpy()
    array([[[[1., 1.],
             [1., 1.]]]], dtype=float32)
    """
    x, places = same_floats("roi_align", data, rois)
    height, width = each_axis("roi_align", "pooled_size", pooled_size, 2)
    (ratio,) = each_axis("roi_align", "sample_ratio", sample_ratio, 1, least=-(1 << 31))
    flags = bool(position_sensitive), bool(aligned)
    return result(regions.roi_align(x, places, (height, width), float(spatial_scale), ratio, *flags))


@public
def multibox_prior(
    data: Any,
    sizes: Sequence[float] = (1.0,),
    ratios: Sequence[float] = (1.0,),
    clip: bool = False,
    steps: Sequence[float] = (-1.0, -1.0),
    offsets: Sequence[float] = (0.5, 0.5),
) -> Any:
    """Return anchors around each pixel of images: all sizes at the first ratio, the first size at the other ratios.

    Args:
        data: [batch, channels, height, width], of which the height and width are taken.
        sizes: of the anchors, as shares of the height of the image.
        ratios: of width to height.
        clip: whether edges beyond the image are moved to it.
        steps: the distance of pixels, y and x, as shares of the image; where one is not above 0: as many as there are.
        offsets: where a pixel's middle is in it, y and x, from 0 to 1.

    Returns:
        [1, height · width · anchors of a pixel, 4]: left, top, right and bottom as shares of the image.

    Raises:
        ArgumentError E399: no sizes or ratios, or some that are not above 0; `steps` or `offsets` that do not fit.
        DTypeError E239: integers.
        ShapeError E182: the data are no images.

    >>> npx.multibox_prior(np.ones((1, 3, 1, 1)), sizes=(0.5,))
    array([[[0.25, 0.25, 0.75, 0.75]]])
    """
    (x,) = same_floats("multibox_prior", data)
    numbers = [
        tuple(map(float, one)) if isinstance(one, Sequence) else (float(one),)
        for one in (sizes, ratios, steps, offsets)
    ]
    return result(anchors.multibox_prior(x, numbers[0], numbers[1], bool(clip), numbers[2], numbers[3]))


@public
def correlation(
    data1: Any,
    data2: Any,
    kernel_size: int = 1,
    max_displacement: int = 1,
    stride1: int = 1,
    stride2: int = 1,
    pad_size: int = 0,
    is_multiply: bool = True,
) -> Any:
    """Compare windows of an image with those around the same place of another one.

    Args:
        data1: [batch, channels, height, width].
        data2: the same.
        kernel_size: rows and columns of a window, odd.
        max_displacement: how far windows of the second image lie from those of the first at most, in both directions.
        stride1: the distance of windows.
        stride2: the distance of displacements.
        pad_size: zeros around both images.
        is_multiply: mean products, else mean absolute differences.

    Returns:
        [batch, displacements, y, x].

    Raises:
        ArgumentError E398: a number is not one that it may be; E399: `kernel_size` is even.
        DTypeError E239: integers.
        ShapeError E173: the result, or where it reaches, is beyond 64 bits; E174: the images differ; E175: no window
            with its displacements fits.

    >>> x = nd.ones((1, 1, 3, 3))
    >>> nd.Correlation(x, x).asnumpy()
    array([[[[1.]],
    <BLANKLINE>
            [[1.]],
    <BLANKLINE>
            [[1.]],
    <BLANKLINE>
            [[1.]],
    <BLANKLINE>
            [[1.]],
    <BLANKLINE>
            [[1.]],
    <BLANKLINE>
            [[1.]],
    <BLANKLINE>
            [[1.]],
    <BLANKLINE>
            [[1.]]]], dtype=float32)
    """
    x, y = same_floats("correlation", data1, data2)
    options = {"kernel_size": (kernel_size, 1), "max_displacement": (max_displacement, 0), "stride1": (stride1, 1)}
    options |= {"stride2": (stride2, 1), "pad_size": (pad_size, 0)}
    size, most, step, apart, around = (
        each_axis("correlation", keyword, number, 1, least=least)[0] for keyword, (number, least) in options.items()
    )
    return result(compared(x, y, size, most, step, apart, around, bool(is_multiply)))

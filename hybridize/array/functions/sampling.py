# SPDX-License-Identifier: Apache-2.0
"""Images at places that are data, their windows as columns, local response norms: MXNet's names and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.array.functions.convolution import Numbers, check_filters, check_kernel, numbers_of_windows
from hybridize.array.functions.dense import layer_dtype
from hybridize.array.operands import array, cast, one_of, operand, public, result, strong
from hybridize.base.dtypes import is_float
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.ops.convolution import each_axis
from hybridize.ops.library import columns, deformation


@public
def bilinear_sampler(data: Any, grid: Any, cudnn_off: bool | None = None) -> Any:
    """Read images at the places of a grid, interpolated between their four nearest pixels.

    Args:
        data: [batch, channels, height, width].
        grid: [batch, 2, y, x]: the column and the row of each place, from -1, the first pixel, to 1, the last one; what
            lies beyond is 0.
        cudnn_off: accepted for MXNet.

    Returns:
        [batch, channels, y, x].

    Raises:
        DTypeError E239: integers.
        ShapeError E182: they do not fit together.

    >>> grid = nd.GridGenerator(nd.array([[1, 0, 0, 0, 1, 0]]), "affine", target_shape=(2, 2))
    >>> nd.BilinearSampler(nd.array([[[[1, 2], [3, 4]]]]), grid).asnumpy()
    array([[[[1., 2.],
             [3., 4.]]]], dtype=float32)
    """
    x, places = same_floats("bilinear_sampler", data, grid)
    return result(deformation.bilinear_sampler(x, places))


@public
def grid_generator(data: Any, transform_type: str, target_shape: Any = (0, 0)) -> Any:
    """Make the grid of an affine map, or of a flow, for `bilinear_sampler`.

    Args:
        data: of `affine` [batch, 6], the rows of a matrix of 2 by 3; of `warp` [batch, 2, height, width], by how many
            pixels each place is moved, its column and its row.
        transform_type: `affine` or `warp`.
        target_shape: height and width of `affine`.

    Returns:
        [batch, 2, height, width].

    Raises:
        ArgumentError E398: `affine` without two sizes from 1.
        DTypeError E239: integers.
        ShapeError E182: the data have another shape.
        ValueArgumentError E345: no such way.

    >>> nd.GridGenerator(nd.array([[1, 0, 0, 0, 1, 0]]), "affine", target_shape=(1, 2)).asnumpy()
    array([[[[-1.,  1.]],
    <BLANKLINE>
            [[-1., -1.]]]], dtype=float32)
    """
    one_of(transform_type, ("affine", "warp"), "grid_generator", "transform_type")
    (x,) = same_floats("grid_generator", data)
    sizes = (0, 0) if transform_type == "warp" else each_axis("grid_generator", "target_shape", target_shape, 2, 0)
    return result(deformation.grid_generator(x, transform_type, (sizes[0], sizes[1])))


@public
def spatial_transformer(
    data: Any,
    loc: Any,
    target_shape: Any = (0, 0),
    transform_type: str = "affine",
    sampler_type: str = "bilinear",
    cudnn_off: bool | None = None,
) -> Any:
    """See images through affine maps: `bilinear_sampler` at the grid that `grid_generator` makes of `loc`.

    Args:
        data: [batch, channels, height, width].
        loc: [batch, 6], the rows of a matrix of 2 by 3.
        target_shape: height and width of the result; those of the images where it is 0.
        transform_type: `affine`.
        sampler_type: `bilinear`.
        cudnn_off: accepted for MXNet.

    Raises:
        ArgumentError E398: `target_shape` is not two sizes.
        DTypeError E239: integers.
        ShapeError E182: they do not fit together.
        ValueArgumentError E345: no such way.

    >>> loc = nd.array([[1, 0, 0, 0, 1, 0]])
    >>> nd.SpatialTransformer(nd.array([[[[1, 2], [3, 4]]]]), loc, target_shape=(2, 2)).asnumpy()
    array([[[[1., 2.],
             [3., 4.]]]], dtype=float32)
    """
    one_of(transform_type, ("affine",), "spatial_transformer", "transform_type")
    one_of(sampler_type, ("bilinear",), "spatial_transformer", "sampler_type")
    x, maps = same_floats("spatial_transformer", data, loc)
    sizes = each_axis("spatial_transformer", "target_shape", target_shape, 2, 0, 0)
    if array(data).ndim != 4:
        raise ShapeError("E182", f"spatial_transformer of {array(data).type}", help="[batch, channels, height, width]")
    height, width = (size or own for size, own in zip(sizes, array(data).shape[2:], strict=True))
    return result(deformation.spatial_transformer(x, maps, (height, width)))


@public
def deformable_convolution(
    data: Any,
    offset: Any,
    weight: Any,
    bias: Any = None,
    kernel: Numbers = None,
    stride: Numbers = None,
    dilate: Numbers = None,
    pad: Numbers = None,
    num_filter: int | None = None,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    layout: str | None = None,
) -> Any:
    """Convolve images, each element of each window lying where `offset` moves it, between pixels too.

    Args:
        data: [n, c, h, w].
        offset: [n, 2 num_deformable_group r s, y, x]: by how many pixels each element of a window is moved, its row and
            its column.
        weight: [o, c / num_group, r, s].
        bias: [o], or None.
        kernel: the size of a window; the weight says it already.
        stride: the distance of windows; 1.
        dilate: the distance of elements of a window; 1.
        pad: zeros before and after each axis; 0.
        num_filter: o; the weight says it already.
        num_group: the parts of c and o; each part of o sees one of c.
        num_deformable_group: the parts of c that have offsets of their own.
        workspace: accepted for MXNet.
        no_bias: leave the bias out.
        layout: NCHW.

    Raises:
        ArgumentError E398: a number is missing, or not one that it may be.
        ShapeError E174: operands do not fit; E175: a window does not fit into the data with its padding.
        ValueArgumentError E345: another layout.

    >>> x, offset = np.ones((1, 1, 3, 3)), np.zeros((1, 8, 2, 2))
    >>> npx.deformable_convolution(x, offset, np.ones((1, 1, 2, 2)), kernel=(2, 2), num_filter=1, no_bias=True)
    array([[[[4., 4.],
             [4., 4.]]]])
    """
    options = (kernel, stride, dilate, pad, num_filter, num_group, num_deformable_group, layout)
    arguments = _operands("deformable_convolution", (data, offset, weight), bias, no_bias, *options)
    return result(deformation.deformable_convolution(*arguments))


@public
def modulated_deformable_convolution(
    data: Any,
    offset: Any,
    mask: Any,
    weight: Any,
    bias: Any = None,
    kernel: Numbers = None,
    stride: Numbers = None,
    dilate: Numbers = None,
    pad: Numbers = None,
    num_filter: int | None = None,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    im2col_step: int = 64,
    layout: str | None = None,
) -> Any:
    """Convolve as `deformable_convolution` does, each element of each window multiplied by one of `mask`.

    Args:
        data: [n, c, h, w].
        offset: [n, 2 num_deformable_group r s, y, x].
        mask: [n, num_deformable_group r s, y, x].
        weight: [o, c / num_group, r, s].
        bias: [o], or None.
        kernel: the size of a window; the weight says it already.
        stride: the distance of windows; 1.
        dilate: the distance of elements of a window; 1.
        pad: zeros before and after each axis; 0.
        num_filter: o; the weight says it already.
        num_group: the parts of c and o; each part of o sees one of c.
        num_deformable_group: the parts of c that have offsets of their own.
        workspace: accepted for MXNet.
        no_bias: leave the bias out.
        im2col_step: accepted for MXNet.
        layout: NCHW.

    Raises:
        ArgumentError E398: a number is missing, or not one that it may be.
        ShapeError E174: operands do not fit; E175: a window does not fit into the data with its padding.
        ValueArgumentError E345: another layout.

    >>> x, offset, mask = np.ones((1, 1, 3, 3)), np.zeros((1, 8, 2, 2)), np.full((1, 4, 2, 2), 0.5)
    >>> weight = np.ones((1, 1, 2, 2))
    >>> npx.modulated_deformable_convolution(x, offset, mask, weight, kernel=(2, 2), num_filter=1, no_bias=True)
    array([[[[2., 2.],
             [2., 2.]]]])
    """
    options = (kernel, stride, dilate, pad, num_filter, num_group, num_deformable_group, layout)
    arrays = (data, offset, mask, weight)
    arguments = _operands("modulated_deformable_convolution", arrays, bias, no_bias, *options)
    return result(deformation.modulated_deformable_convolution(*arguments))


def _operands(name: str, arrays: Sequence[Any], bias: Any, no_bias: bool, *numbers: Any) -> list[Any]:
    """Return operands of one dtype, the bias, and the numbers."""
    kernel, stride, dilate, pad, num_filter, num_group, num_deformable_group, layout = numbers
    one_of(layout, (None, "NCHW"), name, "layout")
    xs = [array(x) for x in arrays]
    w = xs[-1]
    windows = numbers_of_windows(name, 2, stride, dilate, pad, num_group)
    parts = each_axis(name, "num_deformable_group", num_deformable_group, 1)
    if w.ndim == 4:
        check_kernel(name, w, kernel, "NCHW")
        check_filters(name, w, w.shape[0], num_filter)
    dtype = layer_dtype(xs[0], w)
    operands = [None if x is None else cast(strong(x), dtype) for x in (*xs, None if no_bias else bias)]
    return [*operands, *windows, *parts]


@public
def im2col(data: Any, kernel: Numbers, stride: Numbers = None, dilate: Numbers = None, pad: Numbers = None) -> Any:
    """Return the windows of images as the columns of a matrix.

    Args:
        data: [batch, channels, image...] with one to three axes of an image.
        kernel: the size of a window.
        stride: the distance of windows; 1.
        dilate: the distance of elements of a window; 1.
        pad: zeros before and after each axis; 0.

    Returns:
        [batch, channels * elements of a window, windows].

    Raises:
        ArgumentError E398: a number is missing, or not one that it may be.
        ShapeError E175: a window does not fit; E176: the array has other axes.

    >>> nd.im2col(nd.arange(4).reshape((1, 1, 2, 2)), kernel=(2, 2)).asnumpy()
    array([[[0.],
            [1.],
            [2.],
            [3.]]], dtype=float32)
    """
    x = array(data)
    if not 3 <= x.ndim <= 5:
        raise ShapeError("E176", f"im2col of {x.type}", help="pass [batch, channels, image...] with 3 to 5 axes")
    return result(columns.im2col(operand(x), *_windows("im2col", x.ndim - 2, kernel, stride, dilate, pad)))


@public
def col2im(
    data: Any,
    output_size: Any,
    kernel: Numbers,
    stride: Numbers = None,
    dilate: Numbers = None,
    pad: Numbers = None,
) -> Any:
    """Add columns up where their elements were in an image: what the gradient of `im2col` computes.

    Args:
        data: [batch, channels * elements of a window, windows].
        output_size: of the image.
        kernel: the size of a window.
        stride: the distance of windows; 1.
        dilate: the distance of elements of a window; 1.
        pad: zeros before and after each axis of the image, which are left out; 0.

    Returns:
        [batch, channels, *output_size].

    Raises:
        ArgumentError E398: a number is missing, or not one that it may be.
        ShapeError E174: there are other columns than windows; E175: a window does not fit.

    >>> columns = nd.im2col(nd.ones((1, 1, 2, 3)), kernel=(2, 2))
    >>> nd.col2im(columns, output_size=(2, 3), kernel=(2, 2)).asnumpy()
    array([[[[1., 2., 1.],
             [1., 2., 1.]]]], dtype=float32)
    """
    x = array(data)
    rank = len(output_size) if isinstance(output_size, Sequence) else 1
    size = each_axis("col2im", "output_size", output_size, rank, 0)
    if not 1 <= rank <= 3:
        raise ArgumentError("E398", f"col2im with output_size={output_size!r}", help="pass 1 to 3 numbers")
    return result(columns.col2im(operand(x), size, *_windows("col2im", rank, kernel, stride, dilate, pad)))


def _windows(
    name: str, rank: int, kernel: Numbers, stride: Numbers, dilate: Numbers, pad: Numbers
) -> tuple[tuple[int, ...], ...]:
    """Return kernel, stride, dilation and padding along each axis."""
    window = each_axis(name, "kernel", 0 if kernel is None else kernel, rank)
    return (window, *numbers_of_windows(name, rank, stride, dilate, pad)[:3])


@public
def local_response_norm(
    data: Any, alpha: float = 1e-4, beta: float = 0.75, knorm: float = 2.0, nsize: int | None = None
) -> Any:
    """Divide by (knorm + alpha / nsize * the sum of squares of nsize channels around each) ** beta: AlexNet's norm.

    Args:
        data: [batch, channels, image...].
        alpha: weight of the squares.
        beta: exponent.
        knorm: what is added to the squares.
        nsize: the number of channels, odd.

    Raises:
        ArgumentError E398: `nsize` is missing or no whole number; E399: it is even.
        DTypeError E239: integers.
        ShapeError E182: there are no channels.

    >>> nd.LRN(nd.ones((1, 1, 1, 1)), nsize=1).asnumpy().round(4)
    array([[[[0.5946]]]], dtype=float32)
    """
    (size,) = each_axis("LRN", "nsize", 0 if nsize is None else nsize, 1)
    return result(columns.local_response_norm(operand(array(data)), float(alpha), float(beta), float(knorm), size))


def same_floats(name: str, *values: Any) -> list[Any]:
    """Return arrays of floats as operands of the first one's dtype.

    Raises:
        DTypeError E239: integers.
    """
    arrays = [array(x) for x in values]
    for x in arrays:
        if not is_float(x.dtype):
            raise DTypeError("E239", f"{name} of {x.type}", help='cast it first: x.astype("float32")')
    return [cast(operand(x), arrays[0].dtype) for x in arrays]

# SPDX-License-Identifier: Apache-2.0
"""Convolutions of one to three axes, and transposed ones, by MXNet's names and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.array.functions.dense import layer_operands
from hybridize.array.operands import array, one_of, public, result
from hybridize.base import dims
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.ops.convolution import each_axis
from hybridize.ops.library.convolution_layers import (
    LAYOUTS,
    convolution_layer,
    deconvolution_layer,
    is_channels_last,
    padding_towards,
)

Numbers = int | Sequence[int] | None
"""One number for all axes of windows, one for each, or MXNet's default."""


@public
def convolution(
    data: Any,
    weight: Any,
    bias: Any = None,
    kernel: Numbers = None,
    stride: Numbers = None,
    dilate: Numbers = None,
    pad: Numbers = None,
    num_filter: int | None = None,
    num_group: int = 1,
    workspace: int = 1024,
    no_bias: bool | None = None,
    cudnn_tune: Any = None,
    cudnn_off: bool = False,
    layout: str | None = None,
) -> Any:
    """Convolve over one, two or three axes, as networks call the correlation, and add a bias to each channel.

    Args:
        data: [n, c, (d, (h,)) w], or as `layout` says.
        weight: [o, c / num_group, r...], its windows r as many as there are axes; [o, r..., c / num_group] where the
            channels are last.
        bias: [o], or None.
        kernel: the size of a window; the weight says it already.
        stride: the distance of windows; 1.
        dilate: the distance of elements of a window; 1.
        pad: zeros before and after each axis; 0.
        num_filter: o; the weight says it already.
        num_group: the parts of c and o; each part of o sees one of c.
        workspace: accepted for MXNet.
        no_bias: leave the bias out.
        cudnn_tune: accepted for MXNet.
        cudnn_off: accepted for MXNet.
        layout: NCW, NCHW, NCDHW (the default ones), or NWC, NHWC, NDHWC.

    Returns:
        [n, o, y...], or [n, y..., o].

    Raises:
        ArgumentError E398: a number is missing, or not one that it may be.
        ShapeError E173: the result, or where it reaches, is beyond 64 bits.
        ShapeError E174: weight, bias or channels do not fit.
        ShapeError E175: a window does not fit into the data with its padding.
        ValueArgumentError E345: there is no such layout.

    >>> npx.convolution(np.ones((1, 1, 3, 3)), np.ones((1, 1, 2, 2)), kernel=(2, 2), num_filter=1, no_bias=True)
    array([[[[4., 4.],
             [4., 4.]]]])
    """
    x, w, rank, order = _operands("convolution", data, weight, kernel, layout)
    steps, spaces, sides, groups = numbers_of_windows("convolution", rank, stride, dilate, pad, num_group)
    check_filters("convolution", w, w.shape[0], num_filter)
    operands = layer_operands(x, w, None if no_bias else bias)
    return result(convolution_layer(*operands, steps, spaces, sides, groups, order))


@public
def deconvolution(
    data: Any,
    weight: Any,
    bias: Any = None,
    kernel: Numbers = None,
    stride: Numbers = None,
    dilate: Numbers = None,
    pad: Numbers = None,
    adj: Numbers = None,
    target_shape: Numbers = None,
    num_filter: int | None = None,
    num_group: int = 1,
    workspace: int = 512,
    no_bias: bool | None = None,
    cudnn_tune: Any = None,
    cudnn_off: bool = False,
    layout: str | None = None,
) -> Any:
    """Convolve transposed: what the gradient of a convolution by its input computes, as a layer with a bias.

    Args:
        data: [n, c, (d, (h,)) w], or as `layout` says.
        weight: [c, o / num_group, r...]; [c, r..., o / num_group] where the channels are last.
        bias: [o], or None.
        kernel: the size of a window; the weight says it already.
        stride: the distance, in the result, of what neighbours in `data` give; 1.
        dilate: the distance of elements of a window; 1.
        pad: elements of the result that are left out before and after each axis; 0.
        adj: elements more at the end of each axis, fewer than stride or dilate; 0.
        target_shape: the sizes of the result, which say `pad` and `adj`.
        num_filter: o; the weight says it already.
        num_group: the parts of c and o; each part of o sees one of c.
        workspace: accepted for MXNet.
        no_bias: leave the bias out.
        cudnn_tune: accepted for MXNet.
        cudnn_off: accepted for MXNet.
        layout: NCW, NCHW, NCDHW (the default ones), or NWC, NHWC, NDHWC.

    Returns:
        [n, o, y...], or [n, y..., o], of sizes (size - 1) stride + (kernel - 1) dilate + 1 - 2 pad + adj.

    Raises:
        ArgumentError E398: a number is missing, or not one that it may be.
        ShapeError E173: the result, or where it reaches, is beyond 64 bits.
        ShapeError E174: weight, bias or channels do not fit.
        ShapeError E175: nothing would be left along an axis, or less than `target_shape` asks for.
        ValueArgumentError E345: there is no such layout.

    >>> npx.deconvolution(np.ones((1, 1, 2, 2)), np.ones((1, 1, 2, 2)), kernel=(2, 2), num_filter=1, no_bias=True)
    array([[[[1., 2., 1.],
             [2., 4., 2.],
             [1., 2., 1.]]]])
    """
    x, w, rank, order = _operands("deconvolution", data, weight, kernel, layout)
    steps, spaces, sides, groups = numbers_of_windows("deconvolution", rank, stride, dilate, pad, num_group)
    more = each_axis("deconvolution", "adj", adj, rank, 0, 0)
    wanted = each_axis("deconvolution", "target_shape", target_shape, rank, 0, 0)
    if any(wanted) and x.ndim == w.ndim:
        sides, more = padding_towards(x.type, w.type, wanted, steps, spaces, order)
    elif any(extra >= max(pair) for extra, *pair in zip(more, steps, spaces, strict=True)):
        raise ArgumentError(
            "E398",
            f"deconvolution with adj={adj!r}",
            help=f"adj must be smaller than the stride {steps} or the dilation {spaces}",
        )
    last = is_channels_last(order)
    check_filters("deconvolution", w, (w.shape[-1] if last else w.shape[1]) * groups, num_filter)
    operands = layer_operands(x, w, None if no_bias else bias)
    return result(deconvolution_layer(*operands, steps, spaces, sides, more, groups, order))


def _operands(name: str, data: Any, weight: Any, kernel: Numbers, layout: str | None) -> tuple[Any, Any, int, str]:
    """Return data and weight as arrays, the number of axes of windows, and the layout in full."""
    x, w = array(data), array(weight)
    rank = w.ndim - 2
    if rank not in LAYOUTS:
        raise ShapeError("E174", f"{name} of {x.type} and {w.type}", help="a weight has 2 channel axes and 1 to 3 more")
    if layout is not None:
        one_of(layout, LAYOUTS[rank], name, "layout", help=f"the weight {w.type} has windows over {rank} axes")
    order = layout or LAYOUTS[rank][0]
    check_kernel(name, w, kernel, order)
    return x, w, rank, order


def check_kernel(name: str, w: Any, kernel: Numbers, layout: str) -> None:
    """Raise unless the windows of a weight are of the size that was said beside it, if any."""
    window = w.shape[1:-1] if is_channels_last(layout) else w.shape[2:]
    if kernel is not None and each_axis(name, "kernel", kernel, len(window)) != window:
        raise ShapeError(
            "E174",
            f"{name}: a weight {w.type} for kernel={kernel!r} and layout {layout}",
            help=f"the weight's windows are {', '.join(map(dims.text, window))}",
        )


def numbers_of_windows(
    name: str, rank: int, stride: Numbers, dilate: Numbers, pad: Numbers, num_group: int = 1
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]:
    """Return stride, dilation and padding along each axis, and the number of groups."""
    (groups,) = each_axis(name, "num_group", num_group, 1)
    return (
        each_axis(name, "stride", stride, rank),
        each_axis(name, "dilate", dilate, rank),
        each_axis(name, "pad", pad, rank, 0, 0),
        groups,
    )


def check_filters(name: str, w: Any, count: int, filters: int | None) -> None:
    """Raise unless a weight gives as many channels as were said beside it, if any were."""
    if filters is not None and filters != count:
        raise ShapeError("E174", f"{name}: a weight {w.type} for num_filter={filters}", help=f"pass {dims.text(count)}")

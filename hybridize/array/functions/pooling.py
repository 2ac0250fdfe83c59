# SPDX-License-Identifier: Apache-2.0
"""Pooling over the axes of images, for arrays."""

from __future__ import annotations

from typing import Any

from hybridize.array.operands import array, one_of, operand, public, result
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.ops.convolution import each_axis
from hybridize.ops.library.convolution_layers import LAYOUTS
from hybridize.ops.library.pooling import CONVENTIONS, KINDS, ORDERS, image_axes
from hybridize.ops.library.pooling import pooling as pooled


@public
def pooling(
    data: Any,
    kernel: Any = None,
    stride: Any = None,
    pad: Any = None,
    pool_type: str = "max",
    pooling_convention: str = "valid",
    global_pool: bool = False,
    cudnn_off: bool = False,
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: str | None = None,
) -> Any:
    """Return one number for each window of an image and channel: the largest element, the mean, the sum or a norm.

    Windows take no notice of padding but to count it: the largest element is one of the image. The gradient of a
    largest element goes to the first one in row-major order, or the first NaN.

    Args:
        data: [batch, channels, image...] with one to three axes of an image, or in another `layout`.
        kernel: the size of a window, a number for each axis of the image, or one for all.
        stride: the distance of windows; 1 if it is not given.
        pad: elements before and after each axis; 0 if it is not given.
        pool_type: `max`, `avg`, `sum`, or `lp`.
        pooling_convention: `valid`: windows end within the padding; `full`: there may be one more, which ends beyond
            it, so that no element is left out; `same`: as many as strides fit into image and padding, rounded up.
        global_pool: one window over the image; `kernel`, `stride`, `pad` and `pooling_convention` do not matter then.
        cudnn_off: accepted for MXNet.
        p_value: of `lp`: the root of the sum of powers, 1, 2 or 3.
        count_include_pad: of `avg`: padding counts as elements that are 0; it does if it is not given.
        layout: NCW, NCHW, NCDHW, NWC, NHWC, NDHWC; with the channels second, if it is not given.

    Raises:
        ArgumentError E398: a number is missing, or not one that it may be; E399: `lp` of another power.
        DTypeError E239: a mean or a norm of integers.
        ShapeError E176: the array has other axes than the layout, or does not hold a window.
        ValueArgumentError E345: no such kind, convention or layout.

    >>> npx.pooling(np.arange(16).reshape(1, 1, 4, 4), kernel=(2, 2), stride=(2, 2))
    array([[[[ 5.,  7.],
             [13., 15.]]]])
    """
    x = array(data)
    one_of(pool_type, KINDS, "pooling", "pool_type")
    one_of(pooling_convention, CONVENTIONS, "pooling", "pooling_convention")
    one_of(layout, (None, *ORDERS), "pooling", "layout")
    if layout is None:
        if not 3 <= x.ndim <= 5:
            raise ShapeError("E176", f"pooling of {x.type}", help="pass [batch, channels, image...] with 3 to 5 axes")
        layout = LAYOUTS[x.ndim - 2][0]
    rank = len(image_axes(layout))
    if global_pool:
        windows = steps = (1,) * rank
        padding = (0,) * rank
    else:
        if kernel in (None, ()):
            raise ArgumentError("E398", "pooling without kernel", help="pass kernel=(2, 2), or global_pool=True")
        windows = each_axis("pooling", "kernel", kernel, rank)
        steps = each_axis("pooling", "stride", stride, rank)
        padding = each_axis("pooling", "pad", pad, rank, default=0, least=0)
    counted = count_include_pad is None or bool(count_include_pad)
    output = pooled(
        operand(x), windows, pool_type, bool(global_pool), pooling_convention, steps, padding, p_value, counted, layout
    )
    return result(output)

# SPDX-License-Identifier: Apache-2.0
"""MXNet's layers: dense, convolutions, pooling, resizing, activations, softmax, norms; losses, inference functions."""

from __future__ import annotations

import functools
import math
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import int64
from hybridize.base.promotion import floating
from hybridize.formats.mxnet.attributes import Attributes
from hybridize.formats.mxnet.operands import apply, axis_of, broadcast, cast, dtype_of, like, reshape, shape_of
from hybridize.formats.mxnet.table import operator
from hybridize.ops import composites
from hybridize.ops.library import anchors, attention, columns, deformation, regions
from hybridize.ops.library.convolution_layers import (
    LAYOUTS,
    convolution_layer,
    deconvolution_layer,
    is_channels_last,
    padding_towards,
)
from hybridize.ops.library.correlation import correlation
from hybridize.ops.library.padding import pad_flat
from hybridize.ops.library.pooling import pooling
from hybridize.ops.library.resizing import adaptive_mean, bilinear_resize, repeated
from hybridize.ops.op import Operand, bind1, type_of


@operator("FullyConnected")
def _fully_connected(a: Attributes, x: Operand, weight: Operand, bias: Operand | None = None) -> Operand:
    x = cast(x, dtype_of(weight))
    units = a.integer("num_hidden", shape_of(weight)[0])
    flatten = a.flag("flatten", True)
    inputs = math.prod(shape_of(x)[1:]) if flatten else shape_of(x)[-1]
    if shape_of(weight) != (units, inputs):
        a.fail(f"the weight is {type_of(weight)}, an input {type_of(x)} needs [{units},{inputs}]")
    if a.flag("no_bias", False):
        bias = None
    elif bias is None:
        a.fail("it has no bias, and no_bias is not set")
    return composites.fully_connected(x, weight, bias, flatten)


@operator("Convolution")
def _convolution(a: Attributes, x: Operand, weight: Operand, bias: Operand | None = None) -> Operand:
    x, bias = cast(x, dtype_of(weight)), _bias(a, bias, without=False)
    layout, rank = _layout(a, weight)
    _check_weight(a, weight, layout, shape_of(weight)[0])
    return convolution_layer(x, weight, bias, *_strides(a, rank), a.integer("num_group", 1), layout)


@operator("Deconvolution")
def _deconvolution(a: Attributes, x: Operand, weight: Operand, bias: Operand | None = None) -> Operand:
    x, bias = cast(x, dtype_of(weight)), _bias(a, bias, without=True)
    layout, rank = _layout(a, weight)
    groups = a.integer("num_group", 1)
    _check_weight(a, weight, layout, shape_of(weight)[-1 if is_channels_last(layout) else 1] * groups)
    stride, dilate, pad = _strides(a, rank)
    adj, wanted = a.integers("adj", ()) or (0,) * rank, a.integers("target_shape", ()) or (0,) * rank
    if any(wanted) and len(shape_of(x)) == rank + 2 == len(wanted) + 2:
        pad, adj = padding_towards(type_of(x), type_of(weight), wanted, stride, dilate, layout)
    return deconvolution_layer(x, weight, bias, stride, dilate, pad, adj, groups, layout)


def _bias(a: Attributes, bias: Operand | None, without: bool) -> Operand | None:
    """Return the bias of a convolution, where it has one; `without` is the default of `no_bias`."""
    if a.flag("no_bias", without):
        return None
    if bias is None:
        a.fail("it has no bias, and no_bias is not set")
    return bias


def _layout(a: Attributes, weight: Operand) -> tuple[str, int]:
    """Return the layout of a convolution, and the number of axes of its windows."""
    rank = len(shape_of(weight)) - 2
    if rank not in LAYOUTS:
        a.fail(f"the weight is {type_of(weight)}, and windows go over 1 to 3 axes")
    layout = a.text("layout", "None")
    if layout == "None":
        return LAYOUTS[rank][0], rank
    if layout not in LAYOUTS[rank]:
        a.fail(f"layout={layout} with a weight {type_of(weight)} is not supported")
    return layout, rank


def _strides(a: Attributes, rank: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return strides, dilation and padding."""
    stride, dilate, pad = (
        a.integers(key, ()) or (default,) * rank for key, default in (("stride", 1), ("dilate", 1), ("pad", 0))
    )
    return stride, dilate, pad


def _check_weight(a: Attributes, weight: Operand, layout: str, filters: int) -> None:
    stored = shape_of(weight)
    window = stored[1:-1] if is_channels_last(layout) else stored[2:]
    if a.integers("kernel", window) != window or a.integer("num_filter", filters) != filters:
        kernel, said = a.values.get("kernel"), a.values.get("num_filter")
        a.fail(f"the weight is {type_of(weight)} with kernel={kernel}, num_filter={said} and layout {layout}")


@operator("Pooling", "Pooling_v1")
def _pooling(a: Attributes, x: Operand) -> Operand:
    rank = len(shape_of(x)) - 2
    if rank not in LAYOUTS:
        a.fail(f"its input is {type_of(x)}, and windows go over 1 to 3 axes")
    layout = a.text("layout", "None")
    if layout not in ("None", *LAYOUTS[rank]):
        a.fail(f"layout={layout} with an input {type_of(x)} is not supported")
    a.only(output_size=None)
    everywhere = a.flag("global_pool", False)
    kernel, stride, pad = (
        (default,) * rank if everywhere else a.integers(key, ()) or (default,) * rank
        for key, default in (("kernel", 1), ("stride", 1), ("pad", 0))
    )
    if not everywhere and not a.integers("kernel", ()):
        a.fail("the attribute kernel is missing")
    return pooling(
        x,
        kernel,
        a.text("pool_type", "max"),
        everywhere,
        a.text("pooling_convention", "valid"),
        stride,
        pad,
        a.optional_integer("p_value"),
        a.flag("count_include_pad", True),
        LAYOUTS[rank][0] if layout == "None" else layout,
    )


@operator("UpSampling")
def _upsampling(a: Attributes, *xs: Operand) -> Operand:
    scale, way = a.integer("scale"), a.text("sample_type", "nearest")
    if any(len(shape_of(x)) != 4 for x in xs):
        a.fail(f"its inputs are {', '.join(str(type_of(x)) for x in xs)}, not images [n, c, h, w]")
    if way == "bilinear":
        if len(xs) != 2:
            a.fail("sample_type=bilinear is of an image and a weight")
        size, channels, none = 2 * scale - scale % 2, shape_of(xs[0])[1], (0, 0)
        if shape_of(xs[1]) != (channels, 1, size, size):
            a.fail(f"the weight is {type_of(xs[1])} with scale={scale} and {channels} channels")
        pad = (scale // 2,) * 2
        weight = cast(xs[1], dtype_of(xs[0]))
        return deconvolution_layer(xs[0], weight, None, (scale,) * 2, (1, 1), pad, none, channels, "NCHW")
    if way != "nearest":
        a.fail(f"sample_type={way} is not supported")
    height = scale * shape_of(xs[0])[2]
    for x in xs:
        tall, wide = shape_of(x)[2:]
        if height % tall or height // tall * wide != scale * shape_of(xs[0])[3]:
            a.fail(f"{type_of(x)} does not grow to {scale} times {type_of(xs[0])} by one whole number")
    found = [repeated(x, height // shape_of(x)[2]) for x in xs]
    if a.text("multi_input_mode", "concat") == "sum":
        return functools.reduce(lambda x, y: bind1(ops.Add(), x, y), found)
    return found[0] if len(found) == 1 else bind1(ops.Concat(1), *found)


@operator("Pad")
def _pad(a: Attributes, x: Operand) -> Operand:
    widths = a.integers("pad_width")
    if len(widths) != 2 * len(shape_of(x)):
        a.fail(f"pad_width={widths} of {type_of(x)}: it is two numbers for each axis")
    return pad_flat(x, a.text("mode", "constant"), widths, a.number("constant_value", 0.0))


@operator("_contrib_BilinearResize2D")
def _bilinear_resize(a: Attributes, x: Operand) -> Operand:
    if len(shape_of(x)) != 4:
        a.fail(f"its input is {type_of(x)}, not images [n, c, h, w]")
    if a.text("mode", "size") != "size":
        a.fail(f"mode={a.text('mode', '')} is not supported, only size")
    height, width = (
        a.integer(key, 1)
        if a.values.get(f"scale_{key}", "None") == "None"
        else int(a.number(f"scale_{key}") * int(shape_of(x)[axis]))
        for axis, key in ((2, "height"), (3, "width"))
    )
    return bilinear_resize(x, height, width, a.flag("align_corners", True))


@operator("_contrib_AdaptiveAvgPooling2D")
def _adaptive_mean(a: Attributes, x: Operand) -> Operand:
    sizes = a.integers("output_size", ()) or (1,)
    if len(shape_of(x)) != 4 or len(sizes) > 2:
        a.fail(f"output_size={sizes} of {type_of(x)}: it is given images [n, c, h, w] and their height and width")
    return adaptive_mean(x, (sizes[0], sizes[-1]))


@operator("BilinearSampler")
def _bilinear_sampler(a: Attributes, x: Operand, grid: Operand) -> Operand:
    return deformation.bilinear_sampler(x, cast(grid, dtype_of(x)))


@operator("GridGenerator")
def _grid_generator(a: Attributes, x: Operand) -> Operand:
    return deformation.grid_generator(x, _one_of(a, "transform_type", "affine", "warp"), _two(a, "target_shape", 0))


@operator("SpatialTransformer")
def _spatial_transformer(a: Attributes, x: Operand, loc: Operand) -> Operand:
    _one_of(a, "transform_type", "affine")
    _one_of(a, "sampler_type", "bilinear")
    if len(shape_of(x)) != 4:
        a.fail(f"its input is {type_of(x)}, not images [n, c, h, w]")
    height, width = (size or own for size, own in zip(_two(a, "target_shape", 0), shape_of(x)[2:], strict=True))
    return deformation.spatial_transformer(x, cast(loc, dtype_of(x)), (height, width))


@operator("_contrib_DeformableConvolution", "_npx_deformable_convolution")
def _deformable_convolution(
    a: Attributes, x: Operand, offset: Operand, weight: Operand, bias: Operand | None = None
) -> Operand:
    x, offset, weight, bias, numbers = _bent(a, x, offset, weight, bias)
    return deformation.deformable_convolution(x, offset, weight, bias, *numbers)


@operator("_contrib_ModulatedDeformableConvolution", "_npx_modulated_deformable_convolution")
def _modulated_deformable_convolution(
    a: Attributes, x: Operand, offset: Operand, mask: Operand, weight: Operand, bias: Operand | None = None
) -> Operand:
    x, offset, weight, bias, numbers = _bent(a, x, offset, weight, bias)
    return deformation.modulated_deformable_convolution(x, offset, cast(mask, dtype_of(x)), weight, bias, *numbers)


def _bent(a: Attributes, x: Operand, offset: Operand, weight: Operand, bias: Operand | None) -> tuple[Any, ...]:
    """Return the operands of a deformable convolution in the dtype of its weight, and its numbers."""
    layout, rank = _layout(a, weight)
    if layout != "NCHW":
        a.fail(f"layout={layout} with a weight {type_of(weight)} is not supported")
    _check_weight(a, weight, layout, shape_of(weight)[0])
    numbers = (*_strides(a, rank), a.integer("num_group", 1), a.integer("num_deformable_group", 1))
    dtype = dtype_of(weight)
    return cast(x, dtype), cast(offset, dtype), weight, _bias(a, bias, without=False), numbers


@operator("im2col")
def _im2col(a: Attributes, x: Operand) -> Operand:
    kernel = a.integers("kernel")
    if len(shape_of(x)) != len(kernel) + 2:
        a.fail(f"its input is {type_of(x)}, with kernel={kernel}")
    return columns.im2col(x, kernel, *_strides(a, len(kernel)))


@operator("col2im")
def _col2im(a: Attributes, x: Operand) -> Operand:
    kernel, size = a.integers("kernel"), a.integers("output_size")
    if len(size) != len(kernel):
        a.fail(f"output_size={size} with kernel={kernel}")
    return columns.col2im(x, size, kernel, *_strides(a, len(kernel)))


@operator("LRN")
def _local_response_norm(a: Attributes, x: Operand) -> Operand:
    alpha, beta, knorm = (
        float(a.number(key, value)) for key, value in (("alpha", 1e-4), ("beta", 0.75), ("knorm", 2.0))
    )
    return columns.local_response_norm(x, alpha, beta, knorm, a.integer("nsize"))


def _bins(a: Attributes) -> tuple[int, int]:
    found = _two(a, "pooled_size", 0)
    if min(found) < 1:
        a.fail(f"pooled_size={found}: it is two numbers from 1")
    return found


@operator("ROIPooling", "_npx_roi_pooling")
def _roi_pooling(a: Attributes, x: Operand, rois: Operand) -> Operand:
    return regions.roi_pooling(x, cast(rois, dtype_of(x)), _bins(a), float(a.number("spatial_scale")))


@operator("_contrib_ROIAlign")
def _roi_align(a: Attributes, x: Operand, rois: Operand) -> Operand:
    scale, ratio = float(a.number("spatial_scale")), a.integer("sample_ratio", -1)
    flags = a.flag("position_sensitive", False), a.flag("aligned", False)
    return regions.roi_align(x, cast(rois, dtype_of(x)), _bins(a), scale, ratio, *flags)


@operator("_contrib_MultiBoxPrior", "_npx_multibox_prior")
def _multibox_prior(a: Attributes, x: Operand) -> Operand:
    sizes, ratios, steps, offsets = (
        a.numbers(key, default)
        for key, default in (("sizes", (1.0,)), ("ratios", (1.0,)), ("steps", (-1.0, -1.0)), ("offsets", (0.5, 0.5)))
    )
    return anchors.multibox_prior(x, sizes, ratios, a.flag("clip", False), steps, offsets)


@operator("Correlation")
def _correlation(a: Attributes, x: Operand, y: Operand) -> Operand:
    defaults = {"kernel_size": 1, "max_displacement": 1, "stride1": 1, "stride2": 1, "pad_size": 0}
    numbers = {key: a.integer(key, value) for key, value in defaults.items()}
    for key, number in numbers.items():
        if number < (key not in ("max_displacement", "pad_size")):
            a.fail(f"{key}={number}")
    return correlation(x, cast(y, dtype_of(x)), **numbers, is_multiply=a.flag("is_multiply", True))


def _one_of(a: Attributes, key: str, *words: str) -> str:
    """Return an attribute, which is one of these words."""
    word = a.text(key, words[0])
    if word not in words:
        a.fail(f"{key}={word} is not supported")
    return word


def _two(a: Attributes, key: str, default: int) -> tuple[int, int]:
    """Return two numbers of an attribute."""
    found = a.integers(key, ()) or (default,) * 2
    if len(found) != 2:
        a.fail(f"{key}={found}: it is two numbers")
    return found[0], found[1]


_ACTIVATIONS = ("relu", "sigmoid", "tanh", "softrelu", "softsign", "log_sigmoid", "mish", "silu")


@operator("Activation", "log_sigmoid", "mish")
def _activation(a: Attributes, x: Operand) -> Operand:
    word = a.text("act_type", a.op)
    if word not in _ACTIVATIONS:
        a.fail(f"act_type={word} is not supported")
    return composites.activation(x, word)


@operator("LeakyReLU")
def _leaky_relu(a: Attributes, x: Operand, gamma: Operand | None = None) -> Operand:
    word = a.text("act_type", "leaky")
    slope = float(a.number("slope", 0.25))
    if word == "gelu":
        return composites.gelu(x, "erf")
    if word == "rrelu":  # random while training, the mean of its bounds in inference
        return composites.leaky_relu(
            x, None, "leaky", (a.number("lower_bound", 0.125) + a.number("upper_bound", 0.334)) / 2
        )
    if word not in ("leaky", "prelu", "elu", "selu") or (word == "prelu") != (gamma is not None):
        a.fail(f"act_type={word} is not supported, or lacks gamma")
    return composites.leaky_relu(x, gamma, word, slope)


@operator("softmax", "log_softmax", "softmin", "_npx_softmax", "_npx_log_softmax")
def _softmax(a: Attributes, x: Operand, length: Operand | None = None) -> Operand:
    x = cast(x, floating(dtype_of(x)))
    axis = axis_of(a.integer("axis", -1), len(shape_of(x)))
    temperature = a.values.get("temperature", "None")
    if temperature != "None":
        x = bind1(ops.Div(), x, like(a.number("temperature"), x))
    if a.op == "softmin":
        x = bind1(ops.Neg(), x)
    if a.flag("use_length", False):
        found = _softmax_of_lengths(a, x, length, axis)
    else:
        found = (composites.log_softmax if a.op.endswith("log_softmax") else composites.softmax)(x, axis)
    dtype = a.dtype("dtype", None)
    return found if dtype is None else cast(found, dtype)


def _softmax_of_lengths(a: Attributes, x: Operand, length: Operand | None, axis: int) -> Operand:
    """Over the first elements of each row; 0 after them."""
    shape = shape_of(x)
    if (
        a.op not in ("softmax", "_npx_softmax")
        or length is None
        or shape_of(length) != shape[:axis] + shape[axis + 1 :]
    ):
        a.fail(
            f"use_length of {type_of(x)} along axis {axis} with {'no' if length is None else type_of(length)} lengths"
        )
    ends = broadcast(reshape(cast(length, int64), (*shape[:axis], 1, *shape[axis + 1 :])), shape)
    return attention.masked_softmax(x, ops.lt(ops.iota(shape, axis, int64), ends), axis)


@operator("SoftmaxOutput", "SoftmaxActivation")
def _softmax_output(a: Attributes, x: Operand, label: Operand | None = None) -> Operand:
    """Over everything but the batch, unless an attribute says over the channels, or over the last axis."""
    shape = shape_of(x)
    if a.flag("multi_output", False) or a.text("mode", "instance") == "channel":
        return composites.softmax(x, 1)
    if a.flag("preserve_shape", False):
        return composites.softmax(x, len(shape) - 1)
    return reshape(composites.softmax(reshape(x, (shape[0], math.prod(shape[1:]))), 1), shape)


@operator("LinearRegressionOutput", "MAERegressionOutput")
def _regression_output(a: Attributes, x: Operand, label: Operand | None = None) -> Operand:
    return x


@operator("LogisticRegressionOutput")
def _logistic_output(a: Attributes, x: Operand, label: Operand | None = None) -> Operand:
    return bind1(ops.Sigmoid(), x)


@operator("LayerNorm")
def _layer_norm(a: Attributes, x: Operand, gamma: Operand, beta: Operand) -> Operand:
    a.only(output_mean_var=False)
    return composites.layer_norm(
        x, gamma, beta, axis_of(a.integer("axis", -1), len(shape_of(x))), a.number("eps", 1e-5)
    )


@operator("GroupNorm")
def _group_norm(a: Attributes, x: Operand, gamma: Operand, beta: Operand) -> Operand:
    """Gamma and beta are of the channels, or, in files of older versions, of the groups."""
    a.only(output_mean_var=False)
    groups, channels = a.integer("num_groups", 1), shape_of(x)[1]
    if shape_of(gamma) == (groups,) and groups and not channels % groups:
        gamma, beta = (
            reshape(broadcast(reshape(part, (groups, 1)), (groups, channels // groups)), (channels,))
            for part in (gamma, beta)
        )
    return composites.group_norm(x, gamma, beta, groups, a.number("eps", 1e-5))


@operator("InstanceNorm")
def _instance_norm(a: Attributes, x: Operand, gamma: Operand, beta: Operand) -> Operand:
    return composites.instance_norm(x, gamma, beta, a.number("eps", 1e-3))


@operator("BatchNorm", "_contrib_BatchNormWithReLU", "_contrib_SyncBatchNorm")
def _batch_norm(
    a: Attributes,
    x: Operand,
    gamma: Operand,
    beta: Operand,
    mean: Operand,
    var: Operand,
    *,
    keep: Any = None,
) -> Operand:
    """By the running statistics; while training by those of the batch, which `keep(momentum, [mean, var])` is told."""
    a.only(output_mean_var=False)
    axis = axis_of(a.integer("axis", 1), len(shape_of(x)))
    eps, momentum = float(a.number("eps", 1e-3)), float(a.number("momentum", 0.9))
    fix_gamma, use_global_stats = a.flag("fix_gamma", True), a.flag("use_global_stats", False)
    if keep is None or use_global_stats:
        y = composites.batch_norm(x, gamma, beta, mean, var, axis, eps, momentum, fix_gamma, use_global_stats)
    else:
        y, *found = composites.batch_norm_of_batch(x, gamma, beta, axis, eps, fix_gamma)
        keep(momentum, found)
    return composites.relu(y) if a.op == "_contrib_BatchNormWithReLU" else y


@operator("L2Normalization")
def _l2_normalization(a: Attributes, x: Operand) -> Operand:
    count = len(shape_of(x))
    axes = {"instance": tuple(range(1, count)), "channel": (1,), "spatial": tuple(range(2, count))}.get(
        a.text("mode", "instance")
    )
    if axes is None:
        a.fail("the mode is not supported")
    total = bind1(ops.Sum(axes), bind1(ops.Mul(), x, x))
    kept = reshape(total, tuple(1 if k in axes else size for k, size in enumerate(shape_of(x))))
    return apply(ops.Div(), x, bind1(ops.Sqrt(), bind1(ops.Add(), kept, like(a.number("eps", 1e-10), kept))))

# SPDX-License-Identifier: Apache-2.0
"""MXNet's layers: dense, convolutions, activations, softmax, normalization; losses, in inference functions."""

from __future__ import annotations

import math
from typing import Any

from hybridize import ops
from hybridize.base.promotion import floating
from hybridize.formats.mxnet.attributes import Attributes
from hybridize.formats.mxnet.operands import apply, axis_of, broadcast, cast, dtype_of, like, reshape, shape_of
from hybridize.formats.mxnet.table import operator
from hybridize.ops import composites
from hybridize.ops.convolution_layers import (
    LAYOUTS,
    convolution_layer,
    deconvolution_layer,
    is_channels_last,
    padding_towards,
)
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
    if length is not None or a.flag("use_length", False):
        a.fail("use_length is not supported")
    x = cast(x, floating(dtype_of(x)))
    temperature = a.values.get("temperature", "None")
    if temperature != "None":
        x = bind1(ops.Div(), x, like(a.number("temperature"), x))
    if a.op == "softmin":
        x = bind1(ops.Neg(), x)
    function = composites.log_softmax if a.op.endswith("log_softmax") else composites.softmax
    found = function(x, axis_of(a.integer("axis", -1), len(shape_of(x))))
    dtype = a.dtype("dtype", None)
    return found if dtype is None else cast(found, dtype)


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

# SPDX-License-Identifier: Apache-2.0
"""Composites that ONNX has as operators. What stands not here becomes a function of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy

from hybridize.base import dims
from hybridize.base.dtypes import is_float
from hybridize.formats.onnx.writer import Layer, NodeWriter
from hybridize.graph import Node
from hybridize.ops.library.convolution_layers import is_channels_last
from hybridize.ops.library.pooling import image_axes
from hybridize.ops.library.rnn import RecurrentStack

Attributes = Mapping[str, Any]


def fully_connected(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As Gemm, of matrices; else as a product and a sum."""
    x, *parameters = node.inputs
    names = [w.full(value) for value in (x, *parameters)]
    if not is_float(x.type.dtype):
        return False
    flat = attributes["flatten"] and x.type.ndim != 2
    if flat or x.type.ndim == 2:
        names[0] = w.add("Flatten", names[:1], axis=1) if flat else names[0]
        w.put(node, w.add("Gemm", names, transB=1))
        return True
    product = w.add("MatMul", [names[0], w.transposed(names[1], (1, 0))])
    w.put(node, w.add("Add", [product, names[2]]) if parameters[1:] else product)
    return True


# ------------------------------------------------------------------------------------------------------------- windows


def _first(rank: int) -> tuple[int, ...]:
    """The order of axes that brings channels from the end to behind the batch."""
    return (0, rank - 1, *range(1, rank - 1))


def _last(rank: int) -> tuple[int, ...]:
    """The order of axes that brings channels to the end."""
    return (0, *range(2, rank), 1)


def _convolved(w: NodeWriter, node: Node, op: str, attributes: Attributes, **more: Any) -> bool:
    x = node.inputs[0]
    if not is_float(x.type.dtype):
        return False
    last, rank = is_channels_last(attributes["layout"]), x.type.ndim
    names = [w.full(value) for value in node.inputs]
    if last:
        names[:2] = [w.transposed(name, _first(rank)) for name in names[:2]]
    y = w.add(
        op, names, kernel_shape=tuple(attributes["kernel"]), strides=tuple(attributes["stride"]),
        dilations=tuple(attributes["dilate"]), pads=(*attributes["pad"], *attributes["pad"]),
        group=attributes["num_group"], **more,
    )  # fmt: skip
    w.put(node, w.transposed(y, _last(rank)) if last else y)
    return True


def convolution(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As Conv, between transposes where channels are last."""
    return _convolved(w, node, "Conv", attributes)


def deconvolution(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As ConvTranspose."""
    if any(more >= step for more, step in zip(attributes["adj"], attributes["stride"], strict=True)):
        return False
    return _convolved(w, node, "ConvTranspose", attributes, output_padding=tuple(attributes["adj"]))


def pooling(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As a pooling of ONNX; sums, and means of windows that reach out of the padding, by what they are made of."""
    (x,), kind = node.inputs, attributes["pool_type"]
    axes, rank = image_axes(attributes["layout"]), x.type.ndim
    last = is_channels_last(attributes["layout"])
    if not is_float(x.type.dtype) or kind == "sum" or (kind == "lp" and attributes["p_value"] == 3):
        return False
    if kind == "lp" and attributes["p_value"] == 1:
        return False  # ONNX adds absolute values
    word = {"max": "MaxPool", "avg": "AveragePool", "lp": "LpPool"}[kind]
    name = w.transposed(w.full(x), _first(rank)) if last else w.full(x)
    fields: dict[str, Any] = {"p": 2} if kind == "lp" else {}
    if attributes["global_pool"]:
        y = w.add(f"Global{word}", [name], **fields)
    else:
        kernel, stride, pad = (tuple(attributes[one]) for one in ("kernel", "stride", "pad"))
        plain = attributes["pooling_convention"] == "valid"
        sizes = [x.type.shape[axis] for axis in axes]
        high = pad if plain else _behind(sizes, kernel, stride, pad, attributes["pooling_convention"])
        if high is None or (high != pad and kind != "max"):
            return False
        if kind == "avg":
            fields["count_include_pad"] = int(bool(attributes["count_include_pad"]))
        y = w.add(word, [name], kernel_shape=kernel, strides=stride, pads=(*pad, *high), **fields)
    w.put(node, w.transposed(y, _last(rank)) if last else y)
    return True


def _behind(
    sizes: Sequence[Any], kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int], convention: str
) -> tuple[int, ...] | None:
    """Elements behind each axis that the last window reaches into; None where that depends on sizes not known."""
    high = []
    for size, window, step, before in zip(sizes, kernel, stride, pad, strict=True):
        most = before + (step if convention == "full" else window) - 1
        if dims.known((size,)):
            count = (size + before + most - window) // step + 1
            most = max((count - 1) * step + window - before - size, 0)
        if most >= window:
            return None
        high.append(most)
    return tuple(high)


# ------------------------------------------------------------------------------------------------------- normalization


def batch_norm(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As BatchNormalization, by running statistics."""
    if len(node.inputs) != 5:
        return False
    x, gamma, *rest = node.inputs
    axis, rank = attributes["axis"], x.type.ndim
    if rank < 2:
        return False
    scale = w.constant(numpy.ones(gamma.type.shape), gamma.type.dtype) if attributes["fix_gamma"] else w.full(gamma)
    order = (0, axis, *(k for k in range(1, rank) if k != axis)) if axis else (1, 0, *range(2, rank))
    back = tuple(sorted(range(rank), key=order.__getitem__))
    names = [w.transposed(w.full(x), order), scale, *(w.full(value) for value in rest)]
    w.put(node, w.transposed(w.add("BatchNormalization", names, epsilon=float(attributes["eps"])), back))
    return True


def layer_norm(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As LayerNormalization, along the last axis."""
    if w.opset < 17 or attributes["axis"] != node.inputs[0].type.ndim - 1:
        return False
    names = [w.full(value) for value in node.inputs]
    w.put(node, w.add("LayerNormalization", names, axis=-1, epsilon=float(attributes["eps"])))
    return True


def instance_norm(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As InstanceNormalization, of images."""
    if attributes.get("axis", 1) != 1 or node.inputs[0].type.ndim < 3:
        return False
    names = [w.full(value) for value in node.inputs]
    w.put(node, w.add("InstanceNormalization", names, epsilon=float(attributes["eps"])))
    return True


def group_norm(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As GroupNormalization, whose scale is by channel from operator set 21 on."""
    if w.opset < 21 or node.inputs[0].type.ndim < 3:
        return False
    names = [w.full(value) for value in node.inputs]
    eps, groups = float(attributes["eps"]), attributes["num_groups"]
    w.put(node, w.add("GroupNormalization", names, epsilon=eps, num_groups=groups))
    return True


def rms_norm(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As RMSNormalization, along the last axes."""
    x, *gamma = node.inputs
    axes, rank = [axis % x.type.ndim for axis in attributes["axes"]], x.type.ndim
    if w.opset < 23 or not gamma or axes != list(range(axes[0], rank)):
        return False
    names = [w.full(value) for value in node.inputs]
    w.put(node, w.add("RMSNormalization", names, axis=axes[0], epsilon=float(attributes["eps"])))
    return True


def attention(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As Attention, where no mask may hide all keys of a query."""
    query, *others = node.inputs
    size = query.type.shape[-1]
    scale = attributes["scale"]
    plain = len(others) == 2 and len(node.outputs) == 1 and query.type.ndim == 4
    if w.opset < 23 or not plain or (scale is None and not dims.known((size,))):
        return False
    turned = (0, 2, 1, 3) if attributes["layout"] == "BTHD" else (0, 1, 2, 3)
    names = [w.transposed(w.full(value), turned) for value in node.inputs]
    scale = float(scale) if scale is not None else float(size) ** -0.5
    y = w.add("Attention", names, is_causal=int(attributes["causal"]), scale=scale)
    w.put(node, w.transposed(y, turned))
    return True


# --------------------------------------------------------------------------------------------------------- activations


def _along(word: str) -> Layer:
    def write(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
        w.put(node, w.add(word, [w.full(node.inputs[0])], axis=attributes["axis"]))
        return True

    return write


def relu(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As Relu; of integers, as the larger one."""
    (x,), dtype = node.inputs, node.inputs[0].type.dtype
    if is_float(dtype):
        w.put(node, w.add("Relu", [w.full(x)]))
    else:
        w.put(node, w.carried("Max", [w.full(x), w.constant(0, dtype)], dtype))
    return True


_ACTIVATIONS = {"sigmoid": "Sigmoid", "tanh": "Tanh", "softrelu": "Softplus", "softsign": "Softsign"}


def activation(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As the operator of its name."""
    word, name = attributes["act_type"], w.full(node.inputs[0])
    match word:
        case "relu":
            return relu(w, node, attributes)
        case "silu" | "swish":
            w.put(node, w.add("Mul", [name, w.add("Sigmoid", [name])]))
        case "log_sigmoid":
            w.put(node, w.add("Neg", [w.add("Softplus", [w.add("Neg", [name])])]))
        case "mish" if w.opset >= 18:
            w.put(node, w.add("Mish", [name]))
        case "gelu":
            return gelu(w, node, attributes)
        case _ if word in _ACTIVATIONS:
            w.put(node, w.add(_ACTIVATIONS[word], [name]))
        case _:
            return False
    return True


def gelu(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As Gelu."""
    if w.opset < 20:
        return False
    approximate = "tanh" if attributes["act_type"] == "gelu_tanh" else None
    w.put(node, w.add("Gelu", [w.full(node.inputs[0])], approximate=approximate))
    return True


def leaky_relu(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As one of the family."""
    x, *gamma = node.inputs
    name = w.full(x)
    match attributes["act_type"]:
        case "leaky":
            w.put(node, w.add("LeakyRelu", [name], alpha=float(attributes["slope"])))
        case "elu":
            w.put(node, w.add("Elu", [name], alpha=float(attributes["slope"])))
        case "selu":
            w.put(node, w.add("Selu", [name], alpha=1.6732632423543772, gamma=1.0507009873554805))
        case "prelu":
            (slope,) = gamma
            rest = max(x.type.ndim - 2, 0)
            shape = (*slope.type.shape, *(1,) * rest)
            w.put(node, w.add("PRelu", [name, w.reshaped(w.full(slope), slope.type.shape, shape)]))
        case "gelu" | "gelu_tanh":
            return gelu(w, node, attributes)
        case _:
            return False
    return True


# -------------------------------------------------------------------------------------------------------------- others


def flatten(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As Flatten."""
    w.put(node, w.add("Flatten", [w.full(node.inputs[0])], axis=1))
    return True


def embedding(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As Gather of the rows of the weight."""
    indices, weight = (w.full(value) for value in node.inputs)
    w.put(node, w.add("Gather", [weight, indices], axis=0))
    return True


def dropout(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """Refuse it: the program was captured while training."""
    w.refuse("dropout while training", node.loc, "call the net outside autograd.record() before the export")


def local_response(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As LRN, of images."""
    if node.inputs[0].type.ndim != 4:
        return False
    w.put(node, w.add(
        "LRN", [w.full(node.inputs[0])], size=attributes["nsize"], alpha=float(attributes["alpha"]),
        beta=float(attributes["beta"]), bias=float(attributes["knorm"])))  # fmt: skip
    return True


# ----------------------------------------------------------------------------------------------------------- recurrent

_ORDERS = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
"""The gates in ONNX's order: i, o, f, c of an LSTM; z, r, h of a GRU."""
_GATES = {"lstm": "iofc", "gru": "zrh"}


def recurrent(w: NodeWriter, node: Node, attributes: Attributes) -> bool:
    """As LSTM, GRU or RNN, one for each layer."""
    mode, size = attributes["mode"], attributes["state_size"]
    plain = not attributes["projection_size"] and attributes["lstm_state_clip_min"] is None
    x, *rest = node.inputs
    if not plain or attributes["p"] or x.type.dtype.name not in ("float32", "float64"):
        return False
    stack = RecurrentStack(mode, size, attributes["num_layers"], attributes["bidirectional"])
    layers, directions = stack.num_layers, stack.directions
    counted = 1 if attributes["use_sequence_length"] else 0
    states, pairs = len(stack.state_sizes), 2 * layers * directions
    biased = len(rest) > pairs and rest[pairs].type.ndim == 1 and rest[pairs].type.dtype == x.type.dtype
    first = 2 * pairs if biased else pairs
    if len(rest) - counted not in (first, first + states):
        return False
    weights = [w.full(value) for value in rest[:pairs]]
    biases = [w.full(value) for value in rest[pairs : 2 * pairs]] if biased else []
    starts = [w.full(value) for value in rest[first : len(rest) - counted]]
    lengths = w.cast(w.full(rest[-1]), numpy.dtype("int32")) if counted else ""
    order = _ORDERS[mode]

    def turned(name: str) -> str:
        """The rows of a weight, or a bias, in ONNX's order of gates."""
        if len(order) == 1:
            return name
        array = w.root.arrays.get(name)
        if array is not None:
            parts = numpy.split(array, len(order))
            return w.root.constant(numpy.concatenate([parts[k] for k in order]), f"{name}_{_GATES[mode]}")
        axis = w.constant([0])
        cuts = [w.add("Slice", [name, w.constant([k * size]), w.constant([(k + 1) * size]), axis]) for k in order]
        joined: str = w.add("Concat", cuts, axis=0)
        return joined

    def stacked(names: Sequence[str]) -> str:
        """One for each direction, along a new first axis."""
        parts = [w.add("Unsqueeze", [name, w.constant([0])]) for name in names]
        joined: str = parts[0] if len(parts) == 1 else w.add("Concat", parts, axis=0)
        return joined

    y = w.full(x)
    lasts: list[list[str]] = [[] for _ in range(states)]
    for layer in range(layers):
        own = range(layer * directions, (layer + 1) * directions)
        parts = [stacked([turned(weights[2 * k + part]) for k in own]) for part in (0, 1)]
        bias = ""
        if biased:
            both = [w.add("Concat", [turned(biases[2 * k]), turned(biases[2 * k + 1])], axis=0) for k in own]
            bias = stacked(both)
        begin = [
            w.add("Slice", [name, w.constant([own.start]), w.constant([own.stop]), w.constant([0])])
            if layers > 1 else name
            for name in starts
        ]  # fmt: skip
        word = {"lstm": "LSTM", "gru": "GRU"}.get(mode, "RNN")
        fields: dict[str, Any] = {"hidden_size": size}
        if directions == 2:
            fields["direction"] = "bidirectional"
        if mode == "gru":
            fields["linear_before_reset"] = 1
        if mode == "rnn_relu":
            fields["activations"] = ("Relu",) * directions
        outputs = w.add(word, [y, *parts, bias, lengths, *begin], 1 + states, **fields)
        steps, *ends = outputs
        if directions == 1:
            y = w.add("Squeeze", [steps, w.constant([1])])
        else:  # [steps, directions, batch, size]
            y = w.add("Reshape", [w.transposed(steps, (0, 2, 1, 3)), w.constant([0, 0, 2 * size])])
        for column, end in zip(lasts, ends, strict=True):
            column.append(end)
    finals = [column[0] if len(column) == 1 else w.add("Concat", column, axis=0) for column in lasts]
    w.put(node, y, *finals)
    return True


LAYERS: Final[dict[str, Layer]] = {
    "Activation": activation,
    "BatchNorm": batch_norm,
    "Convolution": convolution,
    "Deconvolution": deconvolution,
    "Dropout": dropout,
    "Embedding": embedding,
    "Flatten": flatten,
    "FullyConnected": fully_connected,
    "GroupNorm": group_norm,
    "InstanceNorm": instance_norm,
    "LRN": local_response,
    "LayerNorm": layer_norm,
    "LeakyReLU": leaky_relu,
    "Pooling": pooling,
    "RNN": recurrent,
    "log_softmax": _along("LogSoftmax"),
    "relu": relu,
    "rms_norm": rms_norm,
    "scaled_dot_product_attention": attention,
    "softmax": _along("Softmax"),
}
"""By label."""

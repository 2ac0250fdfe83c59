# SPDX-License-Identifier: Apache-2.0
"""MXNet's operators, besides their attributes: their arrays by name, their states, numbers of outputs.

By this a call without its weights makes variables for them (`fc1_weight`), whose shapes follow from the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridize.base.frozen import frozen
from hybridize.base.types import Shape
from hybridize.ops.library.convolution_layers import is_channels_last, weight_shape
from hybridize.ops.library.rnn import RecurrentStack

UNKNOWN: Shape = (*[0],)  # an object of its own, which a constant would share
"""The shape of which nothing is known, by its identity."""
Given = Mapping[str, Any]
"""Attributes of a call, by name."""


@frozen
class Operator:
    """The arrays of an operator."""

    arrays: tuple[str, ...]
    """Their names, in order."""
    states: tuple[str, ...] = ()
    """Those that training changes: auxiliary states."""
    takes: Callable[[str, Given], bool] = lambda name, given: True
    """Tells whether a call with these attributes takes an array."""
    shapes: Callable[[Shape, Given], Mapping[str, Shape]] = lambda data, given: {}
    """Shapes of the others, from that of the first."""


def _bias(default: bool) -> Callable[[str, Given], bool]:
    return lambda name, given: name != "bias" or not given.get("no_bias", default)


def _dense(data: Shape, given: Given) -> dict[str, Shape]:
    wide = math.prod(data[1:]) if given.get("flatten", True) else data[-1]
    return {"weight": (given["num_hidden"], wide), "bias": (given["num_hidden"],)}


def _convolution(data: Shape, given: Given) -> dict[str, Shape]:
    return _windows(data, given, lambda filters, channels, groups: (filters, channels // groups))


def _deconvolution(data: Shape, given: Given) -> dict[str, Shape]:
    return _windows(data, given, lambda filters, channels, groups: (channels, filters // groups))


def _windows(data: Shape, given: Given, ends: Callable[[int, int, int], tuple[int, int]]) -> dict[str, Shape]:
    layout = str(given.get("layout") or "NCHW")
    filters, channels = given["num_filter"], data[-1 if is_channels_last(layout) else 1]
    kernel = given["kernel"] if isinstance(given["kernel"], (tuple, list)) else (given["kernel"],)
    weight = weight_shape(*ends(filters, channels, given.get("num_group", 1)), kernel, layout)
    return {"weight": weight, "bias": (filters,)}


def _normalized(names: Sequence[str], default: int) -> Callable[[Shape, Given], dict[str, Shape]]:
    return lambda data, given: dict.fromkeys(names, (data[given.get("axis", default)],))


def _embedding(data: Shape, given: Given) -> dict[str, Shape]:
    return {"weight": (given["input_dim"], given["output_dim"])}


def _recurrent(data: Shape, given: Given) -> dict[str, Shape]:
    stack = RecurrentStack(
        given["mode"], given["state_size"], given["num_layers"], bool(given.get("bidirectional")),
        given.get("projection_size") or None,
    )  # fmt: skip
    count = sum(math.prod(shape) for _, shape in stack.parts(data[2])) if data[2] else 0
    rows = stack.num_layers * stack.directions
    return {
        "parameters": (count,), "state": (rows, data[1], stack.given), "state_cell": (rows, data[1], stack.state_size),
    }  # fmt: skip


def _labelled(data: Shape, given: Given) -> dict[str, Shape]:
    return {"label": data}


def _classes(data: Shape, given: Given) -> dict[str, Shape]:
    return {"label": (data[0], *data[2:]) if given.get("multi_output") else data[:-1]}


def _prelu(name: str, given: Given) -> bool:
    return name != "gamma" or given.get("act_type", "leaky") == "prelu"


_STATISTICS = ("gamma", "beta", "moving_mean", "moving_var")
OPERATORS: dict[str, Operator] = {
    "FullyConnected": Operator(("data", "weight", "bias"), (), _bias(False), _dense),
    "Convolution": Operator(("data", "weight", "bias"), (), _bias(False), _convolution),
    "Deconvolution": Operator(("data", "weight", "bias"), (), _bias(True), _deconvolution),
    "BatchNorm": Operator(
        ("data", *_STATISTICS), ("moving_mean", "moving_var"), shapes=_normalized(_STATISTICS, 1)
    ),
    "LayerNorm": Operator(("data", "gamma", "beta"), shapes=_normalized(("gamma", "beta"), -1)),
    "InstanceNorm": Operator(("data", "gamma", "beta"), shapes=_normalized(("gamma", "beta"), 1)),
    "Embedding": Operator(("data", "weight"), shapes=_embedding),
    "LeakyReLU": Operator(("data", "gamma"), (), _prelu, lambda data, given: {"gamma": (data[1],)}),
    "RNN": Operator(
        ("data", "parameters", "state", "state_cell"), (),
        lambda name, given: name != "state_cell" or given.get("mode") == "lstm", _recurrent,
    ),
    "SoftmaxOutput": Operator(("data", "label"), shapes=_classes),
    "Softmax": Operator(("data", "label"), shapes=_classes),
    "LinearRegressionOutput": Operator(("data", "label"), shapes=_labelled),
    "LogisticRegressionOutput": Operator(("data", "label"), shapes=_labelled),
    "MAERegressionOutput": Operator(("data", "label"), shapes=_labelled),
    **{
        name: Operator(("data",))
        for name in (
            "Activation", "Dropout", "Flatten", "Pooling", "SoftmaxActivation", "LRN", "L2Normalization", "MakeLoss",
            "BlockGrad", "Cast", "Reshape", "SliceChannel", "SwapAxis", "UpSampling", "Pad",
        )
    },
}  # fmt: skip
"""Those that are composed without all of their arrays."""
ALIKE = frozenset(
    f"{start}{word}" for start in ("elemwise_", "") for word in ("add", "sub", "mul", "div", "subtract", "multiply")
)
"""Those whose arrays have one shape, so that the one tells the other."""
SAME = frozenset((
    "Activation", "BlockGrad", "Cast", "Dropout", "LRN", "LeakyReLU", "MakeLoss", "SoftmaxActivation", "_copy", "abs",
    "absolute", "cast", "clip", "cos", "exp", "identity", "log", "log_softmax", "negative", "ones_like", "relu",
    "sigmoid", "sign", "sin", "softmax", "sqrt", "square", "tanh", "zeros_like",
))  # fmt: skip
"""Those whose result has the shape of their first array."""
CREATORS = frozenset(("zeros", "ones", "full", "arange", "eye", "linspace"))
"""Those that take no arrays at all."""


def outputs_of(word: str, given: Given, arrays: int) -> int:
    """Return the number of arrays that an operator gives."""
    match word:
        case "SliceChannel" | "split":
            return int(given.get("num_outputs", 1))
        case "split_v2":
            sections = given.get("indices_or_sections", given.get("sections", 1))
            return len(sections) + 1 if isinstance(sections, (tuple, list)) else int(sections)
        case "RNN":
            return (3 if given.get("mode") == "lstm" else 2) if given.get("state_outputs") else 1
        case "BatchNorm" | "LayerNorm" if given.get("output_mean_var"):
            return 3
        case "topk" if given.get("ret_typ") == "both":
            return 2
        case "slogdet" | "linalg_slogdet":
            return 2
    return 1

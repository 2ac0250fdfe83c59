# SPDX-License-Identifier: Apache-2.0
"""MXNet's operators, besides their attributes: their arrays by name, their states, numbers of outputs.

By this a call without its weights makes variables for them (`fc1_weight`), whose shapes follow from the data.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridize.base.frozen import frozen
from hybridize.base.types import Shape
from hybridize.ops.library.convolution_layers import is_channels_last, weight_shape
from hybridize.ops.library.rnn import RecurrentStack

UNKNOWN: Shape = (*[0],)  # an object of its own, which a constant would share
"""The shape of which nothing is known, by its identity."""
Attributes = Mapping[str, Any]
"""Attributes of a call, by name."""


class Shaping(ABC):
    """A function of expressions that says itself which shapes its variables have: `(*inputs, variables)`."""

    @abstractmethod
    def __call__(self, *operands: Any) -> Any:
        """Compute, with arrays in place of expressions."""

    @abstractmethod
    def shapes(self, inputs: Sequence[Any], known: Sequence[Shape]) -> list[Shape]:
        """Return the shapes of the variables; sizes that are not known are 0.

        Args:
            inputs: the arguments before the variables, with arrays of zeros in place of expressions.
            known: the shapes as far as they are known.
        """

    @abstractmethod
    def spelled(self, inputs: Sequence[Any], name: str) -> list[Any] | None:
        """Return the results as expressions of MXNet's operators; None where there are no such.

        Args:
            inputs: the arguments, the variables last.
            name: of the operator that has the result.
        """


@frozen
class Operator:
    """The arrays of an operator."""

    arrays: tuple[str, ...]
    """Their names, in order."""
    states: tuple[str, ...] = ()
    """Those that training changes: auxiliary states."""
    takes: Callable[[str, Attributes], bool] = lambda name, attributes: True
    """Tells whether a call with these attributes takes an array."""
    shapes: Callable[[Shape, Attributes], Mapping[str, Shape]] = lambda data, attributes: {}
    """Shapes of the others, from that of the first."""


def _bias(default: bool) -> Callable[[str, Attributes], bool]:
    return lambda name, attributes: name != "bias" or not attributes.get("no_bias", default)


def _dense(data: Shape, attributes: Attributes) -> dict[str, Shape]:
    wide = math.prod(data[1:]) if attributes.get("flatten", True) else data[-1]
    return {"weight": (attributes["num_hidden"], wide), "bias": (attributes["num_hidden"],)}


def _convolution(data: Shape, attributes: Attributes) -> dict[str, Shape]:
    return _windows(data, attributes, lambda filters, channels, groups: (filters, channels // groups))


def _deconvolution(data: Shape, attributes: Attributes) -> dict[str, Shape]:
    return _windows(data, attributes, lambda filters, channels, groups: (channels, filters // groups))


def _windows(data: Shape, attributes: Attributes, ends: Callable[[int, int, int], tuple[int, int]]) -> dict[str, Shape]:
    layout = str(attributes.get("layout") or "NCHW")
    filters, channels = attributes["num_filter"], data[-1 if is_channels_last(layout) else 1]
    size = attributes["kernel"]
    kernel = size if isinstance(size, (tuple, list)) else (size,) * (len(data) - 2)
    weight = weight_shape(*ends(filters, channels, attributes.get("num_group", 1)), kernel, layout)
    return {"weight": weight, "bias": (filters,)}


def _normalized(names: Sequence[str], default: int) -> Callable[[Shape, Attributes], dict[str, Shape]]:
    return lambda data, attributes: dict.fromkeys(names, (data[attributes.get("axis", default)],))


def _embedding(data: Shape, attributes: Attributes) -> dict[str, Shape]:
    return {"weight": (attributes["input_dim"], attributes["output_dim"])}


def _recurrent(data: Shape, attributes: Attributes) -> dict[str, Shape]:
    stack = RecurrentStack(
        attributes["mode"], attributes["state_size"], attributes["num_layers"], bool(attributes.get("bidirectional")),
        attributes.get("projection_size") or None,
    )  # fmt: skip
    count = sum(math.prod(shape) for _, shape in stack.parts(data[2])) if data[2] else 0
    rows = stack.num_layers * stack.directions
    return {
        "parameters": (count,), "state": (rows, data[1], stack.width), "state_cell": (rows, data[1], stack.state_size),
    }  # fmt: skip


def _labelled(data: Shape, attributes: Attributes) -> dict[str, Shape]:
    return {"label": data}


def _classes(data: Shape, attributes: Attributes) -> dict[str, Shape]:
    return {"label": (data[0], *data[2:]) if attributes.get("multi_output") else data[:-1]}


def _prelu(name: str, attributes: Attributes) -> bool:
    return name != "gamma" or attributes.get("act_type", "leaky") == "prelu"


_STATISTICS = ("gamma", "beta", "moving_mean", "moving_var")
OPERATORS: dict[str, Operator] = {
    "FullyConnected": Operator(("data", "weight", "bias"), (), _bias(False), _dense),
    "Convolution": Operator(("data", "weight", "bias"), (), _bias(False), _convolution),
    "Deconvolution": Operator(("data", "weight", "bias"), (), _bias(True), _deconvolution),
    "DeformableConvolution": Operator(("data", "offset", "weight", "bias"), (), _bias(False), _convolution),
    "ModulatedDeformableConvolution": Operator(
        ("data", "offset", "mask", "weight", "bias"), (), _bias(False), _convolution
    ),
    **{
        name: Operator(
            ("data", *_STATISTICS), ("moving_mean", "moving_var"), shapes=_normalized(_STATISTICS, 1)
        )
        for name in ("BatchNorm", "BatchNormWithReLU", "SyncBatchNorm")
    },
    "LayerNorm": Operator(("data", "gamma", "beta"), shapes=_normalized(("gamma", "beta"), -1)),
    "InstanceNorm": Operator(("data", "gamma", "beta"), shapes=_normalized(("gamma", "beta"), 1)),
    "Embedding": Operator(("data", "weight"), shapes=_embedding),
    "SparseEmbedding": Operator(("data", "weight"), shapes=_embedding),
    "LeakyReLU": Operator(("data", "gamma"), (), _prelu, lambda data, attributes: {"gamma": (data[1],)}),
    "RNN": Operator(
        ("data", "parameters", "state", "state_cell"), (),
        lambda name, attributes: name != "state_cell" or attributes.get("mode") == "lstm", _recurrent,
    ),
    "SoftmaxOutput": Operator(("data", "label"), shapes=_classes),
    "Softmax": Operator(("data", "label"), shapes=_classes),
    "SVMOutput": Operator(("data", "label"), shapes=_classes),
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

_PAIRS = frozenset(("bipartite_matching", "box_encode", "gelqf", "moments", "slogdet", "syevd"))
"""Those that give two arrays, whatever their attributes."""


def outputs_of(word: str, attributes: Attributes) -> int:
    """Return the number of arrays that an operator gives."""
    match word:
        case "SliceChannel" | "amp_multicast" | "split":
            return int(attributes.get("num_outputs", 1))
        case "split_v2":
            sections = attributes.get("indices_or_sections", attributes.get("sections", 1))
            return len(sections) + 1 if isinstance(sections, (tuple, list)) else int(sections)
        case "RNN":
            return (3 if attributes.get("mode") == "lstm" else 2) if attributes.get("state_outputs") else 1
        case "BatchNorm" | "BatchNormWithReLU" | "LayerNorm" | "SyncBatchNorm" if attributes.get("output_mean_var"):
            return 3
        case "topk" if attributes.get("ret_typ") == "both":
            return 2
        case "MultiBoxTarget" | "_contrib_MultiBoxTarget" | "rand_zipfian":
            return 3
    return 2 if word.removeprefix("_contrib_").removeprefix("linalg_") in _PAIRS else 1

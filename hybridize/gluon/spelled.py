# SPDX-License-Identifier: Apache-2.0
"""Layers of ours as calls of MXNet's operators: what a composed net is in MXNet's files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hybridize import symbol
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.symbol.expression import Expression

_Spelling = Callable[..., Any]


def spelled(layer: HybridBlock, inputs: Sequence[Any], values: Sequence[Expression], name: str) -> list[Any] | None:
    """Return what a layer gives of inputs, and of variables in place of its parameters; None of one not in the table.

    Args:
        layer: the layer, without an activation that is a block of its own.
        inputs: the arguments of its call, states in a list.
        values: the variables.
        name: the name of the operator that has the result.
    """
    own: Iterator[Any] = (kind for kind in type(layer).__mro__ if kind.__module__.startswith("hybridize.gluon"))
    kind = next((one for one in own if one.__name__ in _SPELLINGS), None)
    operands = layer._operands.split()
    least = sum(not one.endswith("?") for one in operands)
    if kind is None or type(layer).forward is not kind.forward or not least <= len(values) <= len(operands):
        return None
    result = _SPELLINGS[kind.__name__](layer, *inputs, *values, name=name)
    return None if result is None else result if isinstance(result, list) else [result]


def _operator(word: str, **attributes: str) -> _Spelling:
    """The call of an operator with attributes of the layer; without them, with those of its `_kwargs`."""

    def spelling(layer: Any, *arrays: Any, name: str) -> Any:
        keywords = {key: getattr(layer, attribute) for key, attribute in attributes.items()} or layer._kwargs
        return getattr(symbol, word)(*arrays, name=name, **keywords)

    return spelling


def _dense(layer: Any, *arrays: Any, name: str) -> Any:
    keywords = {"num_hidden": layer._units, "no_bias": layer.bias is None, "flatten": layer._flatten}
    return symbol.FullyConnected(*arrays, name=name, **keywords)


def _leaky(kind: str, slope: str | None = None) -> _Spelling:
    def spelling(layer: Any, *arrays: Any, name: str) -> Any:
        keywords = {} if slope is None else {"slope": getattr(layer, slope)}
        return symbol.LeakyReLU(*arrays, act_type=kind, name=name, **keywords)

    return spelling


def _gelu(layer: Any, x: Expression, name: str) -> Any:
    return symbol.LeakyReLU(x, act_type="gelu", name=name) if layer._approximation == "erf" else None


def _swish(layer: Any, x: Expression, name: str) -> Any:
    return x * symbol.sigmoid(x * layer._beta, name=name)


def _pad(layer: Any, x: Expression, name: str) -> Any:
    return symbol.pad(x, mode="reflect", pad_width=layer._padding, name=name)


def _instance_norm(layer: Any, x: Expression, gamma: Expression, beta: Expression, name: str) -> Any:
    if layer._axis == 1:
        return symbol.InstanceNorm(x, gamma, beta, eps=layer._epsilon, name=name)
    turned = symbol.swapaxes(x, dim1=1, dim2=layer._axis)
    y = symbol.InstanceNorm(turned, gamma, beta, eps=layer._epsilon, name=name)
    return symbol.swapaxes(y, dim1=1, dim2=layer._axis)


def _shuffled(layer: Any, x: Expression, name: str) -> Any:
    """Blocks of channels become axes of their own, go beside those that they widen, and are joined to them.

    None of three axes: MXNet transposes at most 6.
    """
    rank, total = layer._rank, 1
    if rank > 2:
        return None
    for factor in layer._factors:
        total *= factor
    x = symbol.reshape(x, shape=(0, -4, -1, total, *[0] * rank))
    for number, factor in enumerate(layer._factors[:-1]):
        x = symbol.reshape(x, shape=(*[0] * (2 + number), -4, factor, -1, *[0] * rank))
    order = [axis for number in range(rank) for axis in (2 + rank + number, 2 + number)]
    return symbol.reshape(symbol.transpose(x, axes=(0, 1, *order)), shape=(0, 0, *[-3] * rank), name=name)


def _recurrent(layer: Any, x: Expression, *rest: Any, name: str) -> Any:
    """A stack of recurrent layers; states to begin with that are not given are zeros, for any number of sequences."""
    stack, batch_first = layer._stack, layer._layout == "NTC"
    if layer._use_sequence_length or not stack.biased:
        return None
    first = [] if isinstance(rest[0], Expression) else list(rest[0] or ())
    weights = rest if isinstance(rest[0], Expression) else rest[1:]
    steps = symbol.swapaxes(x, dim1=0, dim2=1) if batch_first else x
    flat = symbol.concat(*[symbol.reshape(one, shape=(-1,)) for one in weights], dim=0)
    none = symbol.zeros_like(symbol.sum(steps, axis=(0, 2), keepdims=True))
    rows = stack.num_layers * stack.directions
    states = first or [symbol.broadcast_axis(none, axis=(0, 2), size=(rows, size)) for size in stack.state_sizes]
    keywords = {
        "mode": stack.mode, "state_size": stack.state_size, "num_layers": stack.num_layers, "p": stack.p,
        "bidirectional": stack.bidirectional, "projection_size": stack.projection_size, "state_outputs": True,
    }  # fmt: skip
    if stack.clip_min is not None:
        ends = {"min": stack.clip_min, "max": stack.clip_max, "nan": stack.clip_nan}
        keywords |= {f"lstm_state_clip_{end}": number for end, number in ends.items()}
    parts = symbol.RNN(
        steps, flat, *states, name=name, **{key: one for key, one in keywords.items() if one is not None}
    )
    last = [parts[1 + number] for number in range(len(first))]
    return [symbol.swapaxes(parts[0], dim1=0, dim2=1) if batch_first else parts[0], *last]


def _cell(layer: Any, x: Expression, states: Any, *weights: Expression, name: str) -> Any:
    """A step of a cell, as the cell computes it, of products and parts that are operators."""
    rows = layer._gates * layer._hidden_size
    step: Any = object.__new__(type(layer))
    vars(step).update(vars(layer))
    vars(step)["_products"] = lambda one, last: [
        symbol.FullyConnected(part, weight, bias, num_hidden=rows, name=f"{name}_{word}")
        for part, weight, bias, word in zip((one, last[0]), weights[:2], weights[2:], ("i2h", "h2h"), strict=True)
    ]
    vars(step)["_parted"] = lambda gates: list(symbol.split(gates, num_outputs=layer._gates, axis=1))
    output, after = type(layer).forward(step, x, states)
    return [output, *after]


_SPELLINGS: dict[str, _Spelling] = {
    "Activation": _operator("Activation", act_type="_act_type"),
    "BatchNorm": _operator("BatchNorm"),
    "BatchNormReLU": lambda layer, *arrays, name: symbol.relu(symbol.BatchNorm(*arrays, **layer._kwargs), name=name),
    "Dense": _dense,
    "Dropout": _operator("Dropout", p="_rate", axes="_axes"),
    "DropoutCell": lambda layer, x, states, name: [
        symbol.Dropout(x, p=layer._rate, axes=layer._axes, name=name),
        *states,
    ],
    "ELU": _leaky("elu", "_alpha"),
    "Embedding": _operator("Embedding"),
    "Flatten": lambda layer, x, name: symbol.Flatten(x, name=name),
    "GELU": _gelu,
    "GRUCell": _cell,
    "GroupNorm": _operator("GroupNorm", num_groups="_num_groups", eps="_epsilon"),
    "Identity": lambda layer, x, name: x,
    "InstanceNorm": _instance_norm,
    "LSTMCell": _cell,
    "LayerNorm": _operator("LayerNorm", axis="_axis", eps="_epsilon"),
    "LeakyReLU": _leaky("leaky", "_alpha"),
    "PReLU": _leaky("prelu"),
    "RNNCell": _cell,
    "ReflectionPad2D": _pad,
    "RELU6": lambda layer, x, name: symbol.clip(x, a_min=0, a_max=6, name=name),
    "RecurrentLayer": _recurrent,
    "SELU": _leaky("selu"),
    "Swish": _swish,
    "SyncBatchNorm": lambda layer, *arrays, name: symbol.contrib.SyncBatchNorm(*arrays, name=name, **layer._kwargs),
    "_Convolution": _operator("Convolution"),
    "_PixelShuffle": _shuffled,
    "_Pooling": _operator("Pooling"),
    "_Transposed": _operator("Deconvolution"),
}
"""By the names of the classes, or of the bases that they share."""

# SPDX-License-Identifier: Apache-2.0
"""A stack of recurrent layers as MXNet's `RNN`: parameters joined into one vector, states that any batch may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridize.formats.mxnet.writer import Entry, GraphWriter
from hybridize.graph import Node, Value
from hybridize.ops.library.rnn import RecurrentStack


def _stack(attributes: Mapping[str, Any]) -> RecurrentStack:
    names = ("mode", "state_size", "num_layers", "bidirectional", "projection_size", "p")
    clip = (attributes[f"lstm_state_clip_{end}"] for end in ("min", "max", "nan"))
    return RecurrentStack(*(attributes[name] for name in names), *clip)


def write_recurrent(writer: GraphWriter, node: Node, attributes: Mapping[str, Any]) -> bool:
    """Write a node; False where MXNet's operator cannot say it: layers without biases, or while training."""
    stack = _stack(attributes)
    data, *rest = node.inputs
    inputs = data.type.shape[2]
    parts = stack.parts(inputs)
    weights, rest = rest[: len(parts)], rest[len(parts) :]
    if [value.type.shape for value in weights] != [shape for _, shape in parts]:
        return False
    lengths = [rest.pop()] if attributes["use_sequence_length"] and rest else []
    if len(rest) not in (0, len(stack.state_sizes)):
        return False
    flat = [writer.add("Reshape", [writer.entry(weight)], shape=(-1,)) for weight in weights]
    joined = writer.add("_rnn_param_concat", flat, dim=0, num_args=len(flat))
    entries = [writer.entry(data), joined, *_states(writer, stack, data, rest)]
    entries += [writer.entry(value) for value in lengths]
    settings = {key: value for key, value in attributes.items() if value is not None}
    writer.emit("RNN", node.outputs, entries, **settings)
    return True


def _states(writer: GraphWriter, stack: RecurrentStack, data: Value, states: Sequence[Value]) -> list[Entry]:
    """The states to begin with. Zeros are made from the data, so that they are of as many sequences as a call has."""
    entries: list[Entry] = []
    one: Entry | None = None
    for position, size in enumerate(stack.state_sizes):
        state = states[position] if states else None
        if state is not None and writer.numbers.get(state) != 0:
            entries.append(writer.entry(state))
            continue
        if one is None:
            total = writer.add("sum", [writer.entry(data)], axis=(0, 2), keepdims=True)
            one = writer.add("zeros_like", [total])
        sizes = (stack.num_layers * stack.directions, size)
        entries.append(writer.add("broadcast_axis", [one], axis=(0, 2), size=sizes))
    return entries

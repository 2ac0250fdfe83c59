# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite that go over sequences: an LSTM whose states are variables of the model."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize import ops
from hybridize.formats.foreign.known import Handle, operand_of
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tflite.vocabulary import TFLITE
from hybridize.ops.library.rnn import RecurrentStack, one_direction
from hybridize.ops.op import Operand, type_of

_GATES = "input, forget, cell, output"
_TANH = 4


@TFLITE("UNIDIRECTIONAL_SEQUENCE_LSTM", values=True)
def lstm(n: Application, x: Value, *inputs: Value) -> Operand:
    """The results of an LSTM for each step; its states are read, and written for the next call."""
    every = [*inputs, *[None] * (23 - len(inputs))]
    states = every[17:19]
    if not all(isinstance(one, Handle) and one.name in n.walk.state for one in states):
        n.fail("its states are no variables")
    kinds = {"i2h_weight": every[0:4], "h2h_weight": every[4:8], "i2h_bias": every[11:15]}
    if any(one is None for some in kinds.values() for one in some):
        n.fail(f"it lacks weights or biases of gates: it has all of {_GATES}")
    if any(one is not None for one in (every[16], *every[19:])) or n.number("projection_clip", 0.0):
        n.fail("biases and limits of its projection, and normalized gates, are not supported")
    if n.integer("activation", 0) != _TANH:
        n.fail("its activation is tanh")
    own = {name: _joined(some) for name, some in kinds.items()}
    own["h2h_bias"] = ops.like(0, own["i2h_bias"])
    projection = None if every[15] is None else operand_of(every[15])
    own["h2r_weight"] = projection
    cells = every[8:11]
    own["peephole"] = None if all(one is None for one in cells) else _joined([cells[0], cells[2], cells[1]])
    clip = n.number("cell_clip", 0.0) or None
    size = int(type_of(operand_of(n.walk.state[states[1].name])).shape[1])
    stack = RecurrentStack(
        "lstm",
        size,
        projection_size=None if projection is None else int(type_of(projection).shape[0]),
        clip_min=None if clip is None else -clip,
        clip_max=clip,
    )
    x = operand_of(x)
    turned = x if n.flag("time_major") else ops.transpose(x, (1, 0, 2))
    y, *last = one_direction(stack, turned, own, [operand_of(n.walk.state[one.name]) for one in states])
    n.walk.state.update({one.name: value for one, value in zip(states, last, strict=True)})
    return y if n.flag("time_major") else ops.transpose(y, (1, 0, 2))


def _joined(parts: Sequence[Value]) -> Operand:
    return ops.concat(*map(operand_of, parts), axis=0)

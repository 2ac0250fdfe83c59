# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers over whole sequences: stacks of plain, long short-term memory and gated units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize import ops
from hybridize.ops import Operand, type_of
from hybridize.ops.library import rnn
from hybridize.torch import draws
from hybridize.torch.aten.registry import TABLE, Types, aten


def _stacked(mode: str) -> Callable[..., tuple[Operand, ...]]:
    def translate(
        types: Types,
        x: Operand,
        states: Any,
        parameters: Sequence[Operand],
        biased: bool,
        num_layers: int,
        dropout: float,
        training: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> tuple[Operand, ...]:
        begin = list(states) if isinstance(states, (list, tuple)) else [states]
        size = type_of(begin[-1]).shape[2]
        given = type_of(begin[0]).shape[2]
        stack = rnn.RecurrentStack(
            mode,
            size,
            num_layers,
            bidirectional,
            None if given == size else given,
            dropout if training else 0.0,
            biased=biased,
        )
        key = draws.key() if stack.p and num_layers > 1 else None
        steps = ops.transpose(x, (1, 0, 2)) if batch_first else x
        y, *last = rnn.rnn(stack, steps, _in_order(stack, parameters), begin, None, key)
        return (ops.transpose(y, (1, 0, 2)) if batch_first else y, *last)

    return translate


def _in_order(stack: rnn.RecurrentStack, parameters: Sequence[Operand]) -> list[Operand]:
    """Bring parameters into packed order; PyTorch has each layer's and direction's together."""
    parts = ["i2h_weight", "h2h_weight", *(["i2h_bias", "h2h_bias"] if stack.biased else [])]
    parts += ["h2r_weight"] if stack.projection_size else []
    found = {}
    for number, parameter in enumerate(parameters):
        turn, part = divmod(number, len(parts))
        layer, direction = divmod(turn, stack.directions)
        found[f"{'lr'[direction]}{layer}_{parts[part]}"] = parameter
    return [found[name] for name, _ in stack.parts(1)]


for _name in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
    aten(f"{_name}.input")(_stacked(_name))
    TABLE[f"hybridize.{_name}.default"] = _stacked(_name)  # see hybridize.torch.exported.recurrent

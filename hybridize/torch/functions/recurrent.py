# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers over whole sequences, and single steps of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.errors import CaptureError
from hybridize.ops import Operand, type_of
from hybridize.ops.library import rnn
from hybridize.torch import draws
from hybridize.torch.functions.rules import expect, is_tensor
from hybridize.torch.functions.table import computes


def packed_refused() -> CaptureError:
    """The error for a packed sequence."""
    return CaptureError(
        "E422",
        "a packed sequence, whose steps have batches of different sizes, cannot be compiled",
        help="compute with the padded tensor, and leave out what comes after the end of a sequence; the layers of "
        "gluon.rnn take lengths, use_sequence_length=True",
    )


def _layers(mode: str) -> None:
    @computes(mode)
    def entry(
        input: Operand,
        hx: Any,
        params: Any,
        has_biases: Any,
        num_layers: Any,
        dropout: Any,
        train: Any,
        bidirectional: Any,
        batch_first: Any = False,
    ) -> tuple[Operand, ...]:
        """Of a padded tensor.

        Raises:
            CaptureError E422: of a packed sequence, whose numbers of batches come second.
        """
        if not isinstance(has_biases, bool):
            raise packed_refused()
        states = [hx] if is_tensor(hx) else list(hx)
        expect(all(type_of(x).dtype == type_of(input).dtype for x in (*states, *params)))
        size, projected = type_of(states[-1]).shape[2], type_of(states[0]).shape[2]
        stack = rnn.RecurrentStack(
            mode,
            size,
            num_layers,
            bidirectional,
            None if projected == size else projected,
            dropout if train else 0.0,
            biased=has_biases,
        )
        key = draws.key() if stack.p and num_layers > 1 else None
        steps = ops.transpose(input, (1, 0, 2)) if batch_first else input
        y, *last = rnn.rnn(stack, steps, _in_order(stack, params), states, None, key)
        return (ops.transpose(y, (1, 0, 2)) if batch_first else y, *last)


def _in_order(stack: rnn.RecurrentStack, parameters: Sequence[Operand]) -> list[Operand]:
    """Bring parameters into packed order; PyTorch has each layer's and direction's together."""
    parts = ["i2h_weight", "h2h_weight", *(["i2h_bias", "h2h_bias"] if stack.biased else [])]
    parts += ["h2r_weight"] if stack.projection_size else []
    by_name = {}
    for number, parameter in enumerate(parameters):
        turn, part = divmod(number, len(parts))
        layer, direction = divmod(turn, stack.directions)
        by_name[f"{'lr'[direction]}{layer}_{parts[part]}"] = parameter
    return [by_name[name] for name, _ in stack.parts(1)]


def _cell(mode: str, name: str) -> None:
    @computes(name)
    def entry(
        input: Operand,
        hx: Any,
        w_ih: Operand,
        w_hh: Operand,
        b_ih: Operand | None = None,
        b_hh: Operand | None = None,
    ) -> Operand | tuple[Operand, ...]:
        begin = [hx] if is_tensor(hx) else list(hx)
        size, width = type_of(w_hh).shape[1], type_of(w_ih).shape[1]
        expect(type_of(input).shape[1] == width)
        for state in begin:
            expect(type_of(state).shape[1] == size)
        states = rnn.stepped(mode, input, begin, w_ih, w_hh, *_both(b_ih, b_hh))
        return tuple(states) if mode == "lstm" else states[0]


def _both(first: Operand | None, second: Operand | None) -> Sequence[Operand | None]:
    """Return biases both or none of them."""
    if first is None and second is not None:
        first = ops.like(0, second)
    if second is None and first is not None:
        second = ops.like(0, first)
    return first, second


for _mode in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
    _layers(_mode)
    _cell(_mode, f"{_mode}_cell")


@computes("_pack_padded_sequence")
def _packed(input: Operand, lengths: Any, batch_first: bool) -> tuple[Operand, Operand]:
    raise packed_refused()

# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers over whole sequences, and single steps of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.errors import CaptureError
from hybridize.ops import Operand, type_of
from hybridize.ops.library import rnn
from hybridize.torch.functions.rules import aten, is_tensor
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
        dtypes = {type_of(x).dtype for x in (input, *states, *params)}
        if len(dtypes) > 1:
            shown = ", ".join(sorted(dtype.name for dtype in dtypes))
            raise ValueError(f"RNN input, states and parameters must have the same dtype, got {shown}")
        return aten(  # type: ignore[no-any-return]
            f"{mode}.input",
            (),
            input,
            states,
            params,
            has_biases,
            num_layers,
            dropout,
            train,
            bidirectional,
            batch_first,
        )


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
        if type_of(input).shape[1] != width:
            raise RuntimeError(f"input has inconsistent input_size: got {type_of(input).shape[1]} expected {width}")
        for state in begin:
            if type_of(state).shape[1] != size:
                raise RuntimeError(
                    f"hidden has inconsistent hidden_size: got {type_of(state).shape[1]}, expected {size}"
                )
        found = rnn.stepped(mode, input, begin, w_ih, w_hh, *_both(b_ih, b_hh))
        return tuple(found) if mode == "lstm" else found[0]


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

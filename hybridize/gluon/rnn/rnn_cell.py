# SPDX-License-Identifier: Apache-2.0
"""The cells under the name of MXNet's module, and its `dynamic_unroll`."""

from __future__ import annotations

from typing import Any

from hybridize.array import np, npx
from hybridize.gluon.rnn.base import HybridRecurrentCell as HybridRecurrentCell
from hybridize.gluon.rnn.base import RecurrentCell as RecurrentCell
from hybridize.gluon.rnn.base import through_cell
from hybridize.gluon.rnn.cells import GRUCell as GRUCell
from hybridize.gluon.rnn.cells import LSTMCell as LSTMCell
from hybridize.gluon.rnn.cells import LSTMPCell as LSTMPCell
from hybridize.gluon.rnn.cells import RNNCell as RNNCell
from hybridize.gluon.rnn.containers import BidirectionalCell as BidirectionalCell
from hybridize.gluon.rnn.containers import HybridSequentialRNNCell as HybridSequentialRNNCell
from hybridize.gluon.rnn.containers import SequentialRNNCell as SequentialRNNCell
from hybridize.gluon.rnn.modifiers import DropoutCell as DropoutCell
from hybridize.gluon.rnn.modifiers import ModifierCell as ModifierCell
from hybridize.gluon.rnn.modifiers import ResidualCell as ResidualCell
from hybridize.gluon.rnn.modifiers import VariationalDropoutCell as VariationalDropoutCell
from hybridize.gluon.rnn.modifiers import ZoneoutCell as ZoneoutCell
from hybridize.gluon.rnn.unrolling import check_layout, lengths_of, steps_first


def dynamic_unroll(
    cell: RecurrentCell,
    inputs: Any,
    begin_state: list[Any],
    drop_inputs: float = 0,
    drop_outputs: float = 0,
    layout: str = "TNC",
    valid_length: Any = None,
) -> tuple[Any, list[Any]]:
    """Apply a cell to as many steps as the inputs have; in a compiled program that is one loop for all lengths.

    Args:
        cell: the cell.
        inputs: an array in the layout.
        begin_state: the states to begin with.
        drop_inputs: the part of the inputs that is dropped while training, the same at every step.
        drop_outputs: the part of the outputs.
        layout: TNC or NTC.
        valid_length: [batch], how many steps of each sequence count; None: all.

    Returns:
        The outputs in the layout, and the last states.
    """
    x = npx.dropout(steps_first(None, inputs, layout), p=drop_inputs, axes=(0,))
    outputs, states = through_cell(cell, x, cell._begun(x, begin_state), lengths_of(x, valid_length))
    outputs = npx.dropout(outputs, p=drop_outputs, axes=(0,))
    return np.swapaxes(outputs, 0, 1) if check_layout(layout) else outputs, states

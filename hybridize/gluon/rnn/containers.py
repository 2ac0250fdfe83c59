# SPDX-License-Identifier: Apache-2.0
"""Cells made of cells: one above the other, and in both directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy

from hybridize.array import np, npx
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import UndefinedError, ValueArgumentError
from hybridize.base.participation import outside_only
from hybridize.gluon.block import Block
from hybridize.gluon.naming import open_scope
from hybridize.gluon.nn.containers import Chain
from hybridize.gluon.rnn.base import HybridRecurrentCell, RecurrentCell, through_cell


def _states_of(cells: list[RecurrentCell], states: Any) -> Iterator[tuple[RecurrentCell, list[Any]]]:
    """Each cell with its own states."""
    at = 0
    for cell in cells:
        count = len(cell.state_info(0))
        yield cell, list(states[at : at + count])
        at += count


class _OfCells(RecurrentCell):
    """The base of cells whose states are those of all cells below, in order."""

    @property
    def _cells(self) -> list[RecurrentCell]:
        return [cell for cell in self._children.values() if isinstance(cell, RecurrentCell)]

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        return [info for cell in self._cells for info in cell.state_info(batch_size)]

    def begin_state(self, batch_size: int = 0, func: Callable[..., Any] | None = None, **kwargs: Any) -> list[Any]:
        return [state for cell in self._cells for state in cell.begin_state(batch_size, func, **kwargs)]


class SequentialRNNCell(_OfCells, Chain):
    """Run cells one above the other: each gets the output of the one before.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cells = rnn.SequentialRNNCell()
    >>> cells.add(rnn.LSTMCell(4))
    >>> cells.add(rnn.GRUCell(3))
    >>> cells.initialize()
    >>> y, states = cells.unroll(5, np.ones((2, 5, 6)), layout="NTC", merge_outputs=True)
    >>> y.shape, len(states)
    ((2, 5, 3), 3)
    """

    @outside_only("changes what the net is made of")
    def add(self, *cells: Block) -> None:
        """Append cells.

        Raises:
            ValueArgumentError E326: one is no cell.
        """
        for cell in cells:
            if not isinstance(cell, RecurrentCell):
                raise ValueArgumentError(
                    "E326", f"{type(self).__name__} is made of cells, got {type(cell).__name__}",
                    help="add cells such as rnn.LSTMCell(...); layers over whole sequences belong in "
                    "nn.HybridSequential",
                )  # fmt: skip
            self.register_child(cell)

    def infer_shape(self, x: Any, *others: Any) -> None:
        if isinstance(x, int) and self._cells:
            inputs = others[0]
            for cell in self._cells:
                cell.infer_shape(0, inputs, False)
                inputs = numpy.empty((0, cell._width(inputs.shape[-1])))

    def _width(self, below: int) -> int:
        for cell in self._cells:
            below = cell._width(below)
        return below

    def forward(self, inputs: Any, states: Any) -> tuple[ndarray, list[ndarray]]:
        """Give the output of the last cell, and the new states of all."""
        self._check_states(states)
        after: list[Any] = []
        for cell, own in _states_of(self._cells, states):
            inputs, new = cell(inputs, own)
            after += new
        return inputs, after

    def _through(self, x: Any, states: list[Any], valid_length: Any) -> tuple[Any, list[Any]]:
        if not len(self):
            return npx.sequence_mask(x, valid_length), []
        after: list[Any] = []
        for cell, own in _states_of(self._cells, states):
            x, new = through_cell(cell, x, own, valid_length)
            after += new
        return x, after


class HybridSequentialRNNCell(SequentialRNNCell, HybridRecurrentCell):
    """Apply cells one above the other, which `hybridize()` compiles as one program.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cells = rnn.HybridSequentialRNNCell()
    >>> cells.add(rnn.LSTMCell(4))
    >>> cells.add(rnn.DropoutCell(0.5))
    >>> cells.initialize()
    >>> cells.unroll(5, np.ones((2, 5, 6)), layout="NTC", merge_outputs=True)[0].shape
    (2, 5, 4)
    """


class BidirectionalCell(_OfCells, HybridRecurrentCell):
    """Apply two cells to the same sequence, one from each end, and concatenate their outputs. Call it by `unroll`.

    Args:
        l_cell: goes from the first step to the last.
        r_cell: goes from the last to the first; of shorter sequences from their last.
        prefix: start of the MXNet 1.x names.
        params: accepted for MXNet.
        output_prefix: accepted for MXNet.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.BidirectionalCell(rnn.LSTMCell(4), rnn.LSTMCell(4))
    >>> cell.initialize()
    >>> cell.unroll(5, np.ones((2, 5, 6)), layout="NTC", merge_outputs=True)[0].shape
    (2, 5, 8)
    """

    _repr_form = "forward={0.l_cell!r}, backward={0.r_cell!r}"
    l_cell: RecurrentCell
    r_cell: RecurrentCell

    def __init__(
        self,
        l_cell: RecurrentCell,
        r_cell: RecurrentCell,
        prefix: str | None = None,
        params: Any = None,
        output_prefix: str = "bi_",
    ) -> None:
        with open_scope(None, internal=prefix is None and params is None):
            super().__init__(prefix="" if prefix is None else prefix, params=params)
        self.l_cell, self.r_cell = l_cell, r_cell

    def infer_shape(self, x: Any, *others: Any) -> None:
        if isinstance(x, int):
            super().infer_shape(x, others[0], True)

    def _width(self, below: int) -> int:
        return self.l_cell._width(below) + self.r_cell._width(below)

    def forward(self, inputs: Any, states: Any) -> Any:
        """Refuse a single step.

        Raises:
            ArgumentError E328: always.
        """
        raise UndefinedError(
            "E328",
            "BidirectionalCell has no single step: one direction starts at the end of the sequence",
            help="use cell.unroll(length, inputs)",
        )

    def _through(self, x: Any, states: list[Any], valid_length: Any) -> tuple[Any, list[Any]]:
        (forward, left), (backward, right) = _states_of([self.l_cell, self.r_cell], states)
        y, after = through_cell(forward, x, left, valid_length)
        turned = npx.sequence_reverse(x, valid_length)
        z, after_too = through_cell(backward, turned, right, valid_length)
        return np.concatenate([y, npx.sequence_reverse(z, valid_length)], axis=-1), after + after_too

# SPDX-License-Identifier: Apache-2.0
"""Steps of cells from the gates that their products give, one for each kind of recurrence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from hybridize.array.ndarray import ndarray
from hybridize.gluon.rnn.base import HybridRecurrentCell, activated


class GatedCell(HybridRecurrentCell, ABC):
    """The base of cells of two products, of the input and of the state, for some gates."""

    _operands = "i2h_weight h2h_weight i2h_bias h2h_bias"
    _gates: ClassVar[int] = 1
    _states: ClassVar[int] = 1
    _activation: Any
    _recurrent_activation: Any = "sigmoid"

    @abstractmethod
    def _products(self, x: Any, states: Any) -> tuple[Any, Any]:
        """Return the gates of the input and of the first state, with their biases."""

    @abstractmethod
    def _parted(self, x: Any) -> list[Any]:
        """Cut the gates apart."""


class PlainCell(GatedCell):
    """Plain recurrence: h' = activation(W_i2h x + b_i2h + W_h2h h + b_h2h)."""

    _name_hint = "rnn"

    def forward(self, inputs: Any, states: Any) -> tuple[ndarray, list[ndarray]]:
        """Give the output and the new state of a step."""
        by_input, by_state = self._products(inputs, states)
        after = activated(by_input + by_state, self._activation)
        return after, [after]


class MemoryCell(GatedCell):
    """Long short-term memory: a cell beside the state, and gates that say what it takes, keeps and shows."""

    _gates, _states, _name_hint = 4, 2, "lstm"

    def forward(self, inputs: Any, states: Any) -> tuple[ndarray, list[ndarray]]:
        """Give the output, the new state and the new cell of a step."""
        by_input, by_state = self._products(inputs, states)
        state, cell = self._next(by_input + by_state, states[1])
        return state, [state, cell]

    def _next(self, gates: Any, cell: Any) -> tuple[Any, Any]:
        opened = self._recurrent_activation
        i, f, g, o = self._parted(gates)
        after = activated(f, opened) * cell + activated(i, opened) * activated(g, self._activation)
        return activated(o, opened) * activated(after, self._activation), after


class MixedCell(GatedCell):
    """Gated recurrent units: the state is a mixture of the last one and a new one."""

    _gates, _name_hint = 3, "gru"

    def forward(self, inputs: Any, states: Any) -> tuple[ndarray, list[ndarray]]:
        """Give the output and the new state of a step."""
        by_input, by_state = self._products(inputs, states)
        opened = self._recurrent_activation
        (r, z, n), (by_r, by_z, by_n) = self._parted(by_input), self._parted(by_state)
        new = activated(n + activated(r + by_r, opened) * by_n, self._activation)
        gate = activated(z + by_z, opened)
        after = (1 - gate) * new + gate * states[0]
        return after, [after]

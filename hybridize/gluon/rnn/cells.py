# SPDX-License-Identifier: Apache-2.0
"""The cells: plain recurrence, long short-term memory, with a projection too, and gated recurrent units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hybridize.array import npx
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import completed
from hybridize.base.errors import ShapeError
from hybridize.gluon.checking import check_count
from hybridize.gluon.parameter import UNKNOWN
from hybridize.gluon.rnn.gates import GatedCell, MemoryCell, MixedCell, PlainCell

if TYPE_CHECKING:
    from hybridize.gluon.parameter import Parameter


_OPEN = "only input_size may be left open"


class _DenseCell(GatedCell):
    """The base of the cells, whose products are dense: their parameters, the shapes of states, the two activations."""

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        **kwargs: Any,
    ) -> None:
        super().__init__(prefix=prefix, params=params, **kwargs)
        self._hidden_size = check_count(self, "hidden_size", hidden_size, _OPEN)
        self._activation, self._recurrent_activation = activation, recurrent_activation
        rows = self._gates * self._hidden_size
        self.i2h_weight: Parameter = self.params.deferred("i2h_weight", (rows, input_size), i2h_weight_initializer)
        self.h2h_weight: Parameter = self.params.deferred(
            "h2h_weight", (rows, self._state_sizes[0]), h2h_weight_initializer
        )
        self.i2h_bias: Parameter = self.params.deferred("i2h_bias", (rows,), i2h_bias_initializer)
        self.h2h_bias: Parameter = self.params.deferred("h2h_bias", (rows,), h2h_bias_initializer)

    @property
    def _state_sizes(self) -> tuple[int, ...]:
        return (self._hidden_size,) * self._states

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        return [{"shape": (batch_size, size), "__layout__": "NC"} for size in self._state_sizes]

    def infer_shape(self, x: Any, *others: Any) -> None:
        if isinstance(x, int):  # MXNet 2's infer_shape(layer, x, is_bidirect)
            ways = 2 if len(others) > 1 and others[1] else 1
            below = ways * self.state_info(0)[0]["shape"][1]
            self.i2h_weight.complete(self._gates * self._hidden_size, below if x else others[0].shape[-1])
            return
        self._check_axes(x)
        self.i2h_weight.complete(self._gates * self._hidden_size, math.prod(x.shape[1:]))

    def _check_axes(self, x: Any) -> None:
        if x.ndim < 2:
            what = f"{type(self).__name__} needs an input [batch, numbers], got {x.type}"
            raise ShapeError("E187", what, help="np.expand_dims adds an axis of one sequence")

    def _products(self, x: Any, states: Any) -> tuple[Any, Any]:
        """Return the products of the input and of the first state, with their biases.

        Raises:
            ArgumentError E331: there are more or fewer states.
            ShapeError E187: the input has no two axes, or a state is of another shape.
        """
        self._check_axes(x)
        self._check_states(states)
        wanted = self.state_info(x.shape[0])
        states = [completed(state, info["shape"]) for state, info in zip(states, wanted, strict=True)]
        for state, info in zip(states, wanted, strict=True):
            if state.shape != info["shape"]:
                raise ShapeError(
                    "E187",
                    f"{type(self).__name__} of {x.type} with a state {state.type}",
                    help=f"a state is [batch, size], here [{x.shape[0]}, {info['shape'][1]}]",
                )
        rows = self._gates * self._hidden_size
        return (
            npx.fully_connected(x, self.i2h_weight.data(), self.i2h_bias.data(), num_hidden=rows),
            npx.fully_connected(states[0], self.h2h_weight.data(), self.h2h_bias.data(), num_hidden=rows),
        )

    def _parted(self, x: Any) -> list[Any]:
        size = self._hidden_size
        return [x[:, k * size : (k + 1) * size] for k in range(self._gates)]

    def __repr__(self) -> str:
        shape = self.i2h_weight.shape
        inputs = None if shape is None or shape[1] == UNKNOWN else shape[1]
        return f"{type(self).__name__}({inputs} -> {self._gates * self._hidden_size})"


class RNNCell(_DenseCell, PlainCell):
    """Compute a step of plain recurrence: h' = activation(W_i2h x + b_i2h + W_h2h h + b_h2h).

    Args:
        hidden_size: of the state, which is the output.
        activation: name of an activation, or a function.
        i2h_weight_initializer: initializer of `i2h_weight`, [hidden_size, inputs].
        h2h_weight_initializer: initializer of `h2h_weight`, [hidden_size, hidden_size].
        i2h_bias_initializer: initializer of `i2h_bias`, [hidden_size].
        h2h_bias_initializer: initializer of `h2h_bias`, [hidden_size].
        input_size: the numbers of a step; 0: taken from the first input.
        prefix: start of the MXNet 1.x names of the parameters.
        params: `other.params`, to share the parameters of another cell.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.RNNCell(4)
    >>> cell.initialize()
    >>> y, states = cell(np.ones((2, 3)), cell.begin_state(batch_size=2))
    >>> y.shape, len(states)
    ((2, 4), 1)
    """

    def __init__(
        self,
        hidden_size: int,
        activation: Any = "tanh",
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            hidden_size, i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer,
            input_size, prefix, params, activation, self._recurrent_activation, **kwargs,
        )  # fmt: skip


class LSTMCell(_DenseCell, MemoryCell):
    """Compute a step of long short-term memory (LSTM), with a cell beside the state.

        i, f, g, o = W_i2h x + b_i2h + W_h2h h + b_h2h
        c' = sigmoid(f) c + sigmoid(i) tanh(g),  h' = sigmoid(o) tanh(c')

    Args:
        hidden_size: of the state, which is the output, and of the cell.
        i2h_weight_initializer: initializer of `i2h_weight`, [4 hidden_size, inputs].
        h2h_weight_initializer: initializer of `h2h_weight`, [4 hidden_size, hidden_size].
        i2h_bias_initializer: initializer of `i2h_bias`, [4 hidden_size].
        h2h_bias_initializer: initializer of `h2h_bias`, [4 hidden_size].
        input_size: the numbers of a step; 0: taken from the first input.
        prefix: start of the MXNet 1.x names of the parameters.
        params: `other.params`, to share the parameters of another cell.
        activation: in place of tanh.
        recurrent_activation: in place of the sigmoid.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.LSTMCell(4)
    >>> cell.initialize()
    >>> y, (h, c) = cell(np.ones((2, 3)), cell.begin_state(batch_size=2))
    >>> y.shape, c.shape
    ((2, 4), (2, 4))
    """


class LSTMPCell(LSTMCell):
    """Compute a step of long short-term memory with a projection: the state, and the output, is W_h2r h'.

    Args:
        hidden_size: of the cell.
        projection_size: of the state and the output.
        i2h_weight_initializer: initializer of `i2h_weight`, [4 hidden_size, inputs].
        h2h_weight_initializer: initializer of `h2h_weight`, [4 hidden_size, projection_size].
        h2r_weight_initializer: initializer of `h2r_weight`, [projection_size, hidden_size].
        i2h_bias_initializer: initializer of `i2h_bias`, [4 hidden_size].
        h2h_bias_initializer: initializer of `h2h_bias`, [4 hidden_size].
        input_size: the numbers of a step; 0: taken from the first input.
        prefix: start of the MXNet 1.x names of the parameters.
        params: `other.params`, to share the parameters of another cell.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.LSTMPCell(4, projection_size=2)
    >>> cell.initialize()
    >>> y, (h, c) = cell(np.ones((2, 3)), cell.begin_state(batch_size=2))
    >>> y.shape, c.shape
    ((2, 2), (2, 4))
    """

    def __init__(
        self,
        hidden_size: int,
        projection_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        h2r_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
        **kwargs: Any,
    ) -> None:
        self.__dict__["_projection_size"] = check_count(self, "projection_size", projection_size, _OPEN)
        super().__init__(
            hidden_size, i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer,
            input_size, prefix, params, **kwargs,
        )  # fmt: skip
        self.h2r_weight: Parameter = self.params.deferred(
            "h2r_weight", (self._projection_size, self._hidden_size), h2r_weight_initializer
        )

    _operands = "i2h_weight h2h_weight h2r_weight i2h_bias h2h_bias"
    _projection_size: int

    @property
    def _state_sizes(self) -> tuple[int, ...]:
        return self._projection_size, self._hidden_size

    def forward(self, inputs: Any, states: Any) -> tuple[ndarray, list[ndarray]]:
        by_input, by_state = self._products(inputs, states)
        state, cell = self._next(by_input + by_state, states[1])
        projection = npx.fully_connected(state, self.h2r_weight.data(), num_hidden=self._projection_size)
        return projection, [projection, cell]

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]} -> {self._projection_size})"


class GRUCell(_DenseCell, MixedCell):
    """Compute a step of gated recurrent units (GRU), whose state is a mixture of the last one and a new one.

        r, z from W_i2h x + b_i2h + W_h2h h + b_h2h, each through a sigmoid
        n = tanh(W_i2h x + b_i2h + r (W_h2h h + b_h2h)),  h' = (1 - z) n + z h

    Args:
        hidden_size: of the state, which is the output.
        i2h_weight_initializer: initializer of `i2h_weight`, [3 hidden_size, inputs].
        h2h_weight_initializer: initializer of `h2h_weight`, [3 hidden_size, hidden_size].
        i2h_bias_initializer: initializer of `i2h_bias`, [3 hidden_size].
        h2h_bias_initializer: initializer of `h2h_bias`, [3 hidden_size].
        input_size: the numbers of a step; 0: taken from the first input.
        prefix: start of the MXNet 1.x names of the parameters.
        params: `other.params`, to share the parameters of another cell.
        activation: in place of tanh.
        recurrent_activation: in place of the sigmoid.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> cell = rnn.GRUCell(4)
    >>> cell.initialize()
    >>> y, states = cell(np.ones((2, 3)), cell.begin_state(batch_size=2))
    >>> y.shape, len(states)
    ((2, 4), 1)
    """

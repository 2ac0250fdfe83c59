# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers: whole stacks over whole sequences, `RNN`, `LSTM` and `GRU`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy

from hybridize.array import np
from hybridize.array.functions.recurrent import recurrent
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, ContentError, ShapeError
from hybridize.gluon.checking import check_choice, check_count, check_number, check_part
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.parameter import UNKNOWN, Parameter
from hybridize.gluon.rnn.base import RecurrentCell
from hybridize.gluon.rnn.cells import GRUCell, LSTMCell, LSTMPCell, RNNCell
from hybridize.gluon.rnn.containers import BidirectionalCell, HybridSequentialRNNCell
from hybridize.gluon.rnn.modifiers import DropoutCell
from hybridize.gluon.rnn.states import Stateful
from hybridize.ops.library.rnn import KINDS, RecurrentStack

if TYPE_CHECKING:

    class _Called(Protocol):
        """A call of a layer: with states it gives the last ones, too."""

        @overload
        def __call__(self, inputs: Any, states: None = None, sequence_length: Any = None) -> ndarray: ...
        @overload
        def __call__(self, inputs: Any, states: Any, sequence_length: Any = None) -> tuple[ndarray, list[ndarray]]: ...


_OPEN = "only input_size may be left open"


class RecurrentLayer(Stateful, HybridBlock):
    """The base of the layers: parameters, states, layouts.

    Parameters are named after layer and direction, `l0_i2h_weight`, `r0_h2h_bias`: `l` goes forward, `r` backward.
    """

    _mode: str = "gru"
    _projection_size: int | None = None
    _clip: tuple[float | None, float | None, bool] = (None, None, False)
    _h2r_weight_initializer: Any = None
    skip_states: bool = False
    """True if the present call of an overridden `hybrid_forward` was made without states, and gives none."""

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        dtype: Any = "float32",
        use_sequence_length: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        sizes = [("hidden_size", hidden_size), ("num_layers", num_layers)]
        sizes += [] if self._projection_size is None else [("projection_size", self._projection_size)]
        hidden, layers, *projection = (check_count(self, word, size, _OPEN) for word, size in sizes)
        check_choice(self, "layout", layout, ("TNC", "NTC"), "steps first, or sequences first")
        check_part(self, "dropout", dropout)
        for word, end in zip(("state_clip_min", "state_clip_max"), self._clip, strict=False):
            if end is not None:
                check_number(self, word, end)
        self._stack = RecurrentStack(
            self._mode, hidden, layers, bool(bidirectional), next(iter(projection), None), float(dropout), *self._clip
        )  # fmt: skip
        self._layout, self._dtype = layout, dtype
        self._use_sequence_length = use_sequence_length
        weights, biases = (i2h_weight_initializer, h2h_weight_initializer), (i2h_bias_initializer, h2h_bias_initializer)
        init = dict(zip(KINDS, (*weights, *biases, self._h2r_weight_initializer), strict=True))
        self._operands = " ".join(part for part, _ in self._stack.parts(1))
        for part, shape in self._stack.parts(input_size):
            setattr(self, part, self.params.deferred(part, shape, init[part.partition("_")[2]], dtype=dtype))

    # ---------------------------------------------------------------------------------------------------- states

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Describe the states: for each its `shape`, [layers directions, batch, size], and its `__layout__`."""
        count = self._stack.num_layers * self._stack.directions
        return [
            {"shape": (count, batch_size, size), "__layout__": "LNC", "dtype": self._dtype}
            for size in self._stack.state_sizes
        ]

    # ----------------------------------------------------------------------------------------------------- calls

    def infer_shape(self, x: Any, *_: Any) -> None:
        self._check_axes(x)
        for part, shape in self._stack.parts(x.shape[2]):
            parameter: Parameter = getattr(self, part)
            parameter.complete(*shape)

    def _check_axes(self, x: Any) -> None:
        if x.ndim != 3:
            raise ShapeError(
                "E186",
                f"{type(self).__name__} needs an input of 3 axes ({self._layout}), got {x.type}",
                help="the axes are steps, sequences and the features of a step; np.expand_dims adds an axis of one "
                "sequence",
            )

    if TYPE_CHECKING:

        @property
        def __call__(self) -> _Called: ...

    def forward(self, inputs: Any, states: Any = None, sequence_length: Any = None) -> Any:
        """Run all layers over all steps.

        Args:
            inputs: [steps, batch, inputs], or [batch, steps, inputs] where the layout is NTC.
            states: what to begin with, a list, or the one state by itself; None: zeros.
            sequence_length: [batch], how many steps of each sequence count, of layers with `use_sequence_length`.

        Returns:
            The result of each step in the layout of the inputs; where states are given, also the list of the last ones.
        """
        self._check_axes(inputs)
        if sequence_length is not None and not self._use_sequence_length:
            raise ArgumentError(
                "E331",
                f"{type(self).__name__} got sequence_length, but was created without use_sequence_length",
                help="create it with use_sequence_length=True",
            )
        if self._use_sequence_length and sequence_length is None:
            raise ArgumentError(
                "E331",
                f"{type(self).__name__} with use_sequence_length=True got no sequence_length",
                help="pass sequence_length=...",
            )
        begin = [] if states is None else list(states) if isinstance(states, (list, tuple)) else [states]
        if states is not None and len(begin) != len(self._stack.state_sizes):
            raise ArgumentError(
                "E331",
                f"{type(self).__name__} got {len(begin)} states",
                help=f"it has {len(self._stack.state_sizes)} states: layer.begin_state(batch_size) creates them",
            )
        steps = inputs if self._layout == "TNC" else np.swapaxes(inputs, 0, 1)
        weights = [getattr(self, part).data() for part, _ in self._stack.parts(1)]
        y, *last = recurrent(self._stack, steps, weights, begin, sequence_length)
        y = y if self._layout == "TNC" else np.swapaxes(y, 0, 1)
        return y if states is None or self.skip_states else (y, last)

    def _by_hybrid_forward(self, *args: Any, **kwargs: Any) -> Any:
        """Give the user's `hybrid_forward` states to begin with, as MXNet does at each call."""
        named = dict(zip(("inputs", "states", "sequence_length"), args, strict=False)) | kwargs
        inputs, states, lengths = (named.pop(name, None) for name in ("inputs", "states", "sequence_length"))
        vars(self)["skip_states"] = states is None
        if states is None:
            self._check_axes(inputs)
            states = self.begin_state(inputs.shape[self._layout.index("N")], dtype=inputs.dtype)
        states = list(states) if isinstance(states, (list, tuple)) else [states]
        return super()._by_hybrid_forward(inputs, states, *(() if lengths is None else (lengths,)), **named)

    def cast(self, dtype: Any) -> None:
        super().cast(dtype)
        self._dtype = dtype

    def unfuse(self) -> HybridSequentialRNNCell:
        """Make the same net of cells, which share the parameters: to go through sequences step by step.

        Raises:
            ArgumentError E331: the layer clips its cells, which no cell does.
        """
        stack = self._stack
        if stack.clip_min is not None:
            what = f"{type(self).__name__} that clips its states cannot be converted to cells"
            raise ArgumentError("E331", what, help="create it without state_clip_min and state_clip_max")
        cells = HybridSequentialRNNCell(prefix=self.prefix)
        for layer in range(stack.num_layers):
            cell = self._cell(f"l{layer}")
            cells.add(BidirectionalCell(cell, self._cell(f"r{layer}")) if stack.bidirectional else cell)
            if stack.p and layer < stack.num_layers - 1:
                cells.add(DropoutCell(stack.p))
        return cells

    def _cell(self, name: str) -> RecurrentCell:
        """The cell of a layer and direction."""
        stack, prefix = self._stack, f"{name}_"
        size = stack.state_size
        cell: RecurrentCell
        if stack.projection_size:
            cell = LSTMPCell(size, stack.projection_size, prefix=prefix)
        elif stack.mode in ("lstm", "gru"):
            cell = (LSTMCell if stack.mode == "lstm" else GRUCell)(size, prefix=prefix)
        else:
            cell = RNNCell(size, stack.mode.removeprefix("rnn_"), prefix=prefix)
        for part in list(cell._own_parameters()):
            cell._replace_parameter(part, getattr(self, f"{name}_{part}"))
        return cell

    # ----------------------------------------------------------------------------------------------------- files

    def _name_in_files(self, name: str) -> str:
        """The name of a parameter in the files of MXNet 1.x's `save_parameters`."""
        direction, layer, part = _split(name)
        cell = f"{layer}.{direction}_cell.{part}" if self._stack.bidirectional else f"{layer}.{part}"
        return f"_unfused.{cell}"

    def _from_files(self, path: str, arrays: Mapping[str, Any]) -> Mapping[str, Any]:
        """Take apart the one array that holds all parameters in MXNet 2.x."""
        entries = dict(arrays)
        whole = entries.pop(f"{path}rnn_param", None)
        if whole is not None:
            values = whole.asnumpy() if hasattr(whole, "asnumpy") else numpy.asarray(whole)
            inputs = self._stack.inputs_of(values.size) if values.ndim == 1 else None
            if inputs is None:
                raise ContentError(
                    "E613",
                    f"{path}rnn_param of shape {values.shape} does not hold the parameters of {self!r}",
                    help="the parameters belong to another mode, to other sizes, or to another number of layers",
                )
            for name, place, shape in self._stack.places(inputs):
                entries[path + name] = values[place].reshape(shape)
        return entries

    def __repr__(self) -> str:
        stack = self._stack
        weight: Parameter = getattr(self, "l0_i2h_weight")  # noqa: B009 - a parameter that no class body declares
        inputs = None if weight.shape is None or weight.shape[1] == UNKNOWN else weight.shape[1]
        shown = [f"{inputs} -> {stack.width}", self._layout]
        if stack.num_layers != 1:
            shown.append(f"num_layers={stack.num_layers}")
        if stack.p:
            shown.append(f"dropout={stack.p}")
        if stack.bidirectional:
            shown.append("bidirectional")
        return f"{type(self).__name__}({', '.join(shown)})"


def _split(name: str) -> tuple[str, str, str]:
    """Direction, layer and part of `l0_i2h_weight`."""
    match = re.fullmatch(r"([lr])(\d+)_(\w+)", name)
    assert match is not None, name
    return match[1], match[2], match[3]


class RNN(RecurrentLayer):
    """Apply plain recurrent layers: h_t = activation(W_i2h x_t + b_i2h + W_h2h h_(t-1) + b_h2h).

    Args:
        hidden_size: of the state of each direction.
        num_layers: how many layers, each over what the one before gives.
        activation: relu or tanh.
        layout: TNC (steps, sequences, numbers) or NTC.
        dropout: the part of what goes from layer to layer that is dropped while training.
        bidirectional: go through the steps in both directions; results stand side by side.
        i2h_weight_initializer: initializer of `l0_i2h_weight`, [hidden_size, inputs], and the others.
        h2h_weight_initializer: initializer of `l0_h2h_weight`, [hidden_size, hidden_size].
        i2h_bias_initializer: initializer of `l0_i2h_bias`.
        h2h_bias_initializer: initializer of `l0_h2h_bias`.
        input_size: the numbers of a step; 0: taken from the first input.
        dtype: of the parameters.
        use_sequence_length: calls say how many steps of each sequence count.

    Raises:
        ArgumentError E331: an argument is not what it may be.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> layer = rnn.RNN(20, num_layers=2)
    >>> layer.initialize()
    >>> layer(np.ones((5, 3, 10))).shape
    (5, 3, 20)
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        activation: str = "relu",
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        dtype: Any = "float32",
        use_sequence_length: bool = False,
        **kwargs: Any,
    ) -> None:
        check_choice(self, "activation", activation, ("relu", "tanh"))
        self._mode = f"rnn_{activation}"
        super().__init__(
            hidden_size, num_layers, layout, dropout, bidirectional, input_size, i2h_weight_initializer,
            h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer, dtype, use_sequence_length, **kwargs,
        )  # fmt: skip


class LSTM(RecurrentLayer):
    """Apply layers of long short-term memory (LSTM), with a cell beside the state.

        i, f, g, o = W_i2h x_t + b_i2h + W_h2h h_(t-1) + b_h2h
        c_t = sigmoid(f) c_(t-1) + sigmoid(i) tanh(g),  h_t = sigmoid(o) tanh(c_t)

    Args:
        hidden_size: of the cell of each direction, and of the state where there is no projection.
        num_layers: how many layers, each over what the one before gives.
        layout: TNC (steps, sequences, numbers) or NTC.
        dropout: the part of what goes from layer to layer that is dropped while training.
        bidirectional: go through the steps in both directions; results stand side by side.
        input_size: the numbers of a step; 0: taken from the first input.
        i2h_weight_initializer: initializer of `l0_i2h_weight`, [4 hidden_size, inputs], and the others.
        h2h_weight_initializer: initializer of `l0_h2h_weight`, [4 hidden_size, size of the state].
        i2h_bias_initializer: initializer of `l0_i2h_bias`.
        h2h_bias_initializer: initializer of `l0_h2h_bias`.
        projection_size: the size of the state h_t, which is then W_h2r times what it were otherwise; None: none.
        h2r_weight_initializer: initializer of `l0_h2r_weight`, [projection_size, hidden_size].
        state_clip_min: the least number in a cell.
        state_clip_max: the greatest.
        state_clip_nan: NaN in a cell becomes the least.
        dtype: of the parameters.
        use_sequence_length: calls say how many steps of each sequence count.

    Raises:
        ArgumentError E331, E323: an argument is not what it may be.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> layer = rnn.LSTM(20, layout="NTC", bidirectional=True)
    >>> layer.initialize()
    >>> y, (h, c) = layer(np.ones((3, 5, 10)), layer.begin_state(batch_size=3))
    >>> y.shape, h.shape, c.shape
    ((3, 5, 40), (2, 3, 20), (2, 3, 20))
    """

    _mode = "lstm"

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        projection_size: int | None = None,
        h2r_weight_initializer: Any = None,
        state_clip_min: float | None = None,
        state_clip_max: float | None = None,
        state_clip_nan: bool = False,
        dtype: Any = "float32",
        use_sequence_length: bool = False,
        **kwargs: Any,
    ) -> None:
        self._projection_size, self._h2r_weight_initializer = projection_size, h2r_weight_initializer
        self._clip = (state_clip_min, state_clip_max, state_clip_nan)
        super().__init__(
            hidden_size, num_layers, layout, dropout, bidirectional, input_size, i2h_weight_initializer,
            h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer, dtype, use_sequence_length, **kwargs,
        )  # fmt: skip


class GRU(RecurrentLayer):
    """Apply layers of gated recurrent units (GRU), whose state is a mixture of the last one and a new one.

        r, z from W_i2h x_t + b_i2h + W_h2h h_(t-1) + b_h2h, each through a sigmoid
        n = tanh(W_i2h x_t + b_i2h + r (W_h2h h_(t-1) + b_h2h)),  h_t = (1 - z) n + z h_(t-1)

    Args:
        hidden_size: of the state of each direction.
        num_layers: how many layers, each over what the one before gives.
        layout: TNC (steps, sequences, numbers) or NTC.
        dropout: the part of what goes from layer to layer that is dropped while training.
        bidirectional: go through the steps in both directions; results stand side by side.
        input_size: the numbers of a step; 0: taken from the first input.
        i2h_weight_initializer: initializer of `l0_i2h_weight`, [3 hidden_size, inputs], and the others.
        h2h_weight_initializer: initializer of `l0_h2h_weight`, [3 hidden_size, hidden_size].
        i2h_bias_initializer: initializer of `l0_i2h_bias`.
        h2h_bias_initializer: initializer of `l0_h2h_bias`.
        dtype: of the parameters.
        use_sequence_length: calls say how many steps of each sequence count.

    Raises:
        ArgumentError E331: an argument is not what it may be.

    >>> from hybridize import np
    >>> from hybridize.gluon import rnn
    >>> layer = rnn.GRU(20, layout="NTC")
    >>> layer.initialize()
    >>> layer(np.ones((3, 5, 10))).shape
    (3, 5, 20)
    """

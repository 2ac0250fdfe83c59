# SPDX-License-Identifier: Apache-2.0
"""Stacks of recurrent layers: MXNet's `rnn` of packed parameters, and what layers call, with one array for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.array.draws import key
from hybridize.array.functions.bounds import check
from hybridize.array.functions.dense import layer_dtype
from hybridize.array.functions.neural import used
from hybridize.array.operands import array, cast, completed, operand, public, result, strong
from hybridize.array.operands import indices as index_operand
from hybridize.base import dims
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.modes import is_training
from hybridize.ops.library import rnn as library
from hybridize.ops.library.rnn import RecurrentStack


@public
def rnn(
    data: Any,
    parameters: Any,
    state: Any = None,
    state_cell: Any = None,
    sequence_length: Any = None,
    mode: str | None = None,
    state_size: int | None = None,
    num_layers: int | None = None,
    bidirectional: bool = False,
    state_outputs: bool = False,
    p: float = 0.0,
    use_sequence_length: bool | None = None,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
) -> Any:
    """Run a stack of recurrent layers over all steps.

    Args:
        data: [steps, batch, inputs].
        parameters: all of them in one vector: for each layer and direction the weights i2h and h2h (with a projection
            also h2r), then in the same order the biases of i2h and h2h.
        state: [layers directions, batch, size]; None: zeros.
        state_cell: of an LSTM its cells, [layers directions, batch, state_size]; None: zeros.
        sequence_length: [batch], how many steps of each sequence count; None: all.
        mode: rnn_relu, rnn_tanh, lstm or gru.
        state_size: of each direction.
        num_layers: how many layers.
        bidirectional: go through the steps in both directions.
        state_outputs: give the last states, too.
        p: the part of what goes from layer to layer that is dropped while training.
        use_sequence_length: False: `sequence_length` does not count; by default what is given does.
        projection_size: of an LSTM's states, which are a product of what it would hand on.
        lstm_state_clip_min: the least number in a cell.
        lstm_state_clip_max: the greatest.
        lstm_state_clip_nan: NaN in a cell becomes the least.

    Returns:
        [steps, batch, directions size]; where `state_outputs`, a list of that, the last state and an LSTM's last cell.

    Raises:
        ArgumentError E302: mode, state_size or num_layers is missing; a cell of what has none, or without a state.
        ArgumentError E323: a number or word is not one that it may be.
        ShapeError E186: operands do not fit.
        OutOfBoundsError E110: a length is negative, or greater than the number of steps.

    >>> x, state = np.ones((3, 1, 2)), np.zeros((1, 1, 4))
    >>> count = 4 * (2 + 4) + 2 * 4
    >>> npx.rnn(x, np.zeros(count), state, mode="rnn_tanh", state_size=4, num_layers=1).shape
    (3, 1, 4)
    """
    if mode is None or state_size is None or num_layers is None:
        raise ArgumentError(
            "E302",
            "rnn without mode, state_size or num_layers",
            help="mode is rnn_relu, rnn_tanh, lstm or gru; pass state_size and num_layers as well",
        )
    stack = RecurrentStack(
        mode, state_size, num_layers, bool(bidirectional), projection_size, float(p),
        lstm_state_clip_min, lstm_state_clip_max, bool(lstm_state_clip_nan),
    )  # fmt: skip
    if state_cell is not None and (mode != "lstm" or state is None):
        what = f"rnn of mode {mode} with a state_cell and {'no' if state is None else 'a'} state"
        raise ArgumentError("E302", what, help="an LSTM takes both states or none; other modes take no cell state")
    if mode == "lstm" and state is not None and state_cell is None:
        raise ArgumentError("E302", "rnn of mode lstm with a state and no state_cell", help="pass both states, or none")
    x, packed = array(data), array(parameters)
    weights = [result(part) for part in library.unpacked(stack, operand(packed))]
    states = [one for one in (state, state_cell) if one is not None]
    lengths = used(sequence_length, use_sequence_length, "rnn", "sequence_length")
    outputs = recurrent(stack, x, weights, states, lengths)
    return list(outputs) if state_outputs else outputs[0]


def recurrent(
    stack: RecurrentStack, data: Any, weights: Sequence[Any], states: Sequence[Any] = (), lengths: Any = None
) -> tuple[Any, ...]:
    """Run a stack of recurrent layers, given each of its parameters.

    Args:
        stack: what it is.
        data: [steps, batch, inputs].
        weights: in packed order; see `ops.library.rnn`.
        states: what it begins with; none: zeros.
        lengths: [batch], how many steps of each sequence count; None: all.

    Returns:
        [steps, batch, directions size], and the last states.
    """
    x = array(data)
    dtype = layer_dtype(x, array(weights[0]))
    ends = None
    if lengths is not None:
        ends = index_operand(lengths)
        if x.ndim != 3:
            raise ShapeError("E186", f"RNN of {x.type}", help="the input is [steps, batch, inputs]")
        steps = x.shape[0]
        help = f"a length is from 0 to the {dims.text(steps)} steps"
        check(ends, 0, steps + 1, f"lengths of sequences {x.type}", help)
    if x.ndim == 3:
        states = [completed(state, (*state.shape[:1], x.shape[1], *state.shape[2:])) for state in map(array, states)]
    drawn = key() if is_training() and stack.p > 0 and stack.num_layers > 1 else None
    (first,), parameters, begin = ([cast(strong(one), dtype) for one in group] for group in ([x], weights, states))
    return tuple(map(result, library.rnn(stack, first, parameters, begin, ends, drawn)))

# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX's recurrent layers: one layer, in one direction or both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from hybridize import ops
from hybridize.formats.foreign.arrays import with_axes
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops.library.rnn import RecurrentStack, StepForm, Weight, one_direction
from hybridize.ops.op import Operand, type_of

_WORDS: Final = ("forward", "reverse", "bidirectional")


def _affine(n: Application, x: Operand) -> Operand:
    return ops.add(ops.mul(ops.like(n.number("alpha", 1.0), x), x), ops.like(n.number("beta", 0.0), x))


def _scaled_tanh(n: Application, x: Operand) -> Operand:
    inner = ops.mul(ops.like(n.number("beta", 1.0), x), x)
    return ops.mul(ops.like(n.number("alpha", 1.0), x), ops.tanh(inner))


_OTHERS: Final[Mapping[str, Callable[..., Operand]]] = {"Affine": _affine, "ScaledTanh": _scaled_tanh}
"""Activations that are no operators."""
_TAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "Relu": (), "Tanh": (), "Sigmoid": (), "Softsign": (), "Softplus": (), "LeakyRelu": ("alpha",),
    "ThresholdedRelu": ("alpha",), "Elu": ("alpha",), "HardSigmoid": ("alpha", "beta"), "Affine": ("alpha", "beta"),
    "ScaledTanh": ("alpha", "beta"),
}  # fmt: skip
"""Activations, with the attributes that each takes a number of."""
_BY_ATTRIBUTES: Final = 9
"""An operator set in which all activations take their numbers as attributes."""


def activation(n: Application, name: str, numbers: Mapping[str, Any]) -> Callable[[Operand], Operand]:
    """Return an activation that a node names and has numbers for: the row of an operator, as a function of operands."""
    row = ONNX.find(name, _BY_ATTRIBUTES)
    if row is not None and row.plain:
        return row.function
    function = _OTHERS[name] if row is None else row.function
    own = Application(n.node, numbers, n.walk, n.around)
    return lambda x: function(own, x)


def _activations(n: Application, standard: Sequence[str], directions: int) -> list[tuple[Callable[..., Any], ...]]:
    """The activations of each direction; none where they are those of the operator."""
    by_word = {name.lower(): name for name in _TAKES}
    most = directions if len(standard) == 1 else None  # what follows ONNX Runtime leaves out: ONNX's default is two
    names = [by_word.get(str(name).lower(), str(name)) for name in n.attributes.get("activations", ())][:most]
    numbers = {word: iter(n.numbers(f"activation_{word}", ())) for word in ("alpha", "beta")}
    if not names or names == [*standard] * directions:
        return [()] * directions
    if len(names) != len(standard) * directions:
        n.fail(f"there are {len(names)} activations for {directions} directions")
    functions = []
    for name in names:
        if name not in _TAKES:
            n.fail(f"the activation {name} is not supported", help=f"it may be {', '.join(_TAKES)}")
        own = {word: next(numbers[word], None) for word in _TAKES[name]}
        functions.append(activation(n, name, {word: number for word, number in own.items() if number is not None}))
    return [tuple(functions[k : k + len(standard)]) for k in range(0, len(functions), len(standard))]


def layer(
    n: Application, mode: str, x: Operand, size: int, weights: Sequence[tuple[Weight, Weight]],
    bias: Operand | None, lengths: Operand | None, states: Sequence[Operand | None], peephole: Operand | None = None,
    product: Callable[..., Operand] | None = None,
) -> tuple[Operand, ...]:  # fmt: skip
    """One layer in all of its directions.

    Args:
        n: the node.
        mode: one of `_MODES`.
        x: [steps, batch, inputs], or in the other layout [batch, steps, inputs].
        size: of the state.
        weights: of inputs and of the state, for each direction.
        bias: [directions, 2 gates size].
        lengths: [batch].
        states: [directions, batch, size], or in the other layout [batch, directions, size].
        peephole: [directions, 3 size].
        product: of rows and a weight, see `StepForm`.
    """
    order, standard = _MODES[mode]
    if n.has("hidden_size") and n.integer("hidden_size") != size:
        n.fail(f"hidden_size is {n.integer('hidden_size')}, the weights are of {size}")
    direction, batch_first = n.text("direction", "forward", _WORDS), n.flag("layout")
    some = next((one for one in states if one is not None), None)
    begin = [] if some is None else [ops.like(0, some) if one is None else one for one in states]
    if batch_first:
        x, *begin = (ops.transpose(one, (1, 0, 2)) for one in (x, *begin))
    clip, count = n.number("clip", 0.0) or None, len(weights)
    activations = _activations(n, standard, count)
    results = []
    for k in range(count):
        own = dict(zip(("i2h_weight", "h2h_weight"), weights[k], strict=True))
        own |= dict(zip(("i2h_bias", "h2h_bias"), _halves(_rows((bias,), k)[0]), strict=True))
        own["peephole"] = _rows((peephole,), k)[0]
        resets = mode == "gru" and not n.flag("linear_before_reset")
        of = StepForm(order, activations[k], clip, n.flag("input_forget"), resets, product)
        stack = RecurrentStack(mode, size, biased=bias is not None, cell=of)
        backwards = direction == "reverse" or k == 1
        y, *last = one_direction(stack, x, own, _rows(begin, k), lengths, backwards)
        results.append((y, *(_of_sequences(one, lengths) for one in last)))
    y, *last = (_stacked(parts, axis) for parts, axis in zip(zip(*results, strict=True), (1, 0, 0), strict=False))
    if batch_first:
        y, last = ops.transpose(y, (2, 0, 1, 3)), [ops.transpose(one, (1, 0, 2)) for one in last]
    return y, *last


_MODES: Final = {
    "lstm": ("iofg", ("Sigmoid", "Tanh", "Tanh")),
    "gru": ("zrn", ("Sigmoid", "Tanh")),
    "rnn_tanh": ("", ("Tanh",)),
}
"""The order in which the gates of each mode stand, and the activations where a node names none."""


def _row(mode: str) -> Callable[..., Any]:
    def recurrent(
        n: Application, x: Operand, w: Operand, r: Operand, bias: Operand | None = None,
        lengths: Operand | None = None, state: Operand | None = None, cell: Operand | None = None,
        peephole: Operand | None = None,
    ) -> tuple[Operand, ...]:  # fmt: skip
        weights = [tuple(_rows((w, r), k)) for k in range(int(type_of(w).shape[0]))]
        states = (state, cell) if mode == "lstm" else (state,)
        return layer(n, mode, x, type_of(r).shape[-1], weights, bias, lengths, states, peephole)

    return recurrent


ONNX("LSTM")(_row("lstm"))
ONNX("GRU")(_row("gru"))
ONNX("RNN")(_row("rnn_tanh"))


def _of_sequences(state: Operand, lengths: Operand | None) -> Operand:
    """A last state [batch, size]; zeros after a sequence of no steps, as ONNX Runtime has it."""
    if lengths is None:
        return state
    empty = ops.eq(lengths, ops.like(0, lengths))
    return ops.where(ops.broadcast(with_axes(empty, [1]), type_of(state).shape), ops.like(0, state), state)


def _rows(xs: Sequence[Operand | None], k: int) -> list[Any]:
    """Element k of the first axis of each."""
    shapes = [() if x is None else type_of(x).shape for x in xs]
    return [None if x is None else ops.reshape(ops.part(x, 0, k, k + 1) if shape[0] > 1 else x, shape[1:])
            for x, shape in zip(xs, shapes, strict=True)]  # fmt: skip


def _halves(bias: Operand | None) -> tuple[Any, Any]:
    if bias is None:
        return None, None
    size = type_of(bias).shape[0] // 2
    return ops.part(bias, 0, 0, size), ops.part(bias, 0, size, 2 * size)


def _stacked(parts: Sequence[Operand], axis: int) -> Operand:
    shape = type_of(parts[0]).shape
    parts = [ops.reshape(one, (*shape[:axis], 1, *shape[axis:])) for one in parts]
    return parts[0] if len(parts) == 1 else ops.concat(*parts, axis=axis)

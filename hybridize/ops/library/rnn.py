# SPDX-License-Identifier: Apache-2.0
"""Stacks of recurrent layers: the composite `RNN`, one scan for each layer and direction.

    gates = x W_i2h^T + b        of all steps in one product, before the scan
    scan:  h, c, gates[t]  ->  h, c     with the one product that needs the state, h W_h2h^T

Gates stand in the order that MXNet, cuDNN and PyTorch share: i, f, g, o of an LSTM; r, z, n of a GRU, which resets the
product with the state, its bias included, in n. The parameters of a stack come in MXNet's packed order: weights by
layer and direction (i2h, h2h, with a projection h2r), then the biases of i2h and h2h in the same order. What a step is
elsewhere, ONNX's for one, is said by a `StepForm`.
"""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hybridize.base import dims
from hybridize.base.dtypes import DType, bfloat16, float16, float32, int64
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape, TensorType, same_shape
from hybridize.ops.analysis import isnan, sigmoid, tanh
from hybridize.ops.arithmetic import add, lt, max, min, mul, sub, where
from hybridize.ops.composite import composed
from hybridize.ops.composites import dropped, relu, uniform
from hybridize.ops.control import Scan
from hybridize.ops.matmul import matmul
from hybridize.ops.op import Operand, bind, type_of
from hybridize.ops.slicing import concat, iota, slice
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import broadcast, cast, full, like, reshape

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
"""The blocks of rows in the weights of each mode."""
KINDS = ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias", "h2r_weight")
"""The parameters of a layer in one direction; the last one is there with a projection."""


Weight = Operand | tuple[Operand, ...]
"""A matrix, or what stands for one, see `StepForm.product`."""


@frozen
class StepForm:
    """A step of a recurrent layer, where it differs from MXNet's."""

    order: str = ""
    """The gates in the order in which they stand: a permutation of `ifgo` or, n last, of `rzn`; empty: that order."""
    activations: tuple[Callable[[Operand], Operand], ...] = ()
    """Of the gates, of what they let in, and of the cell of an LSTM; empty: sigmoid, tanh, tanh."""
    clip: float | None = None
    """The bound that sums are moved to, the same below 0, before an activation is applied to them."""
    coupled: bool = False
    """True if an LSTM forgets as much as it does not let in: f = 1 - i."""
    resets_state: bool = False
    """True if a GRU resets the state before its product and not the product."""
    product: Callable[..., Operand] | None = None
    """Of [m, k] and the operands that stand for a weight; None: a weight is a matrix whose rows are multiplied by."""

    def times(self, x: Operand, weight: Weight) -> Operand:
        """Return the product of rows and a weight."""
        parts = weight if isinstance(weight, tuple) else (weight,)
        return matmul(x, parts[0], False, True) if self.product is None else self.product(x, *parts)

    def activation(self, number: int, otherwise: Callable[[Operand], Operand]) -> Callable[[Operand], Operand]:
        """Return one of the activations of sums that are moved between the ends first."""
        function = self.activations[number] if self.activations else otherwise
        end = self.clip
        if end is None:
            return function
        return lambda x: function(_clipped(x, -end, end, False))


@frozen
class RecurrentStack:
    """A stack of recurrent layers, in MXNet's words.

    Raises:
        ArgumentError E323: a number or word is not one that it may be.
    """

    mode: str
    state_size: int
    num_layers: int = 1
    bidirectional: bool = False
    projection_size: int | None = None
    """Of what each step hands on in place of its state; of an LSTM only."""
    p: float = 0.0
    """The part of what goes from layer to layer that is dropped while training."""
    clip_min: float | None = None
    """The least number in the cell of an LSTM, or None."""
    clip_max: float | None = None
    clip_nan: bool = False
    """True if NaN in a cell becomes `clip_min`; False: it stays."""
    biased: bool = True
    cell: StepForm = StepForm()

    def __post_init__(self) -> None:
        if self.mode not in GATES:
            raise ArgumentError("E323", f"RNN has no mode {self.mode!r}", help=f"one of {', '.join(GATES)}")
        for word in ("state_size", "num_layers"):
            if getattr(self, word) < 1:
                raise ArgumentError("E323", f"RNN with {word}={getattr(self, word)}", help="it must be 1 or more")
        if self.projection_size is not None and (self.mode != "lstm" or self.projection_size < 1):
            raise ArgumentError(
                "E323",
                f"RNN of mode {self.mode} with projection_size={self.projection_size}",
                help="only an LSTM has a projection, of size 1 or more",
            )
        if not 0 <= self.p <= 1:
            raise ArgumentError("E323", f"RNN with p={self.p}", help="a probability must be from 0 to 1")
        ends = self.clip_min, self.clip_max
        if ends != (None, None) and (self.mode != "lstm" or None in ends):
            raise ArgumentError(
                "E323",
                f"RNN of mode {self.mode} with lstm_state_clip_min={ends[0]} and lstm_state_clip_max={ends[1]}",
                help="both must be numbers or both None, and only an LSTM clips its state",
            )

    @property
    def directions(self) -> int:
        """The number of times that each layer goes through the steps."""
        return 2 if self.bidirectional else 1

    @property
    def width(self) -> int:
        """The size of what a direction gives at each step."""
        return self.projection_size or self.state_size

    @property
    def state_sizes(self) -> tuple[int, ...]:
        """The sizes of what a direction carries from step to step: the state, and the cell of an LSTM."""
        return (self.width, self.state_size) if self.mode == "lstm" else (self.state_size,)

    def parts(self, inputs: int) -> list[tuple[str, Shape]]:
        """List name and shape of each parameter in packed order, for `inputs` numbers at each step: `l0_i2h_weight`."""
        rows = GATES[self.mode] * self.state_size
        parts: list[tuple[str, Shape]] = []
        for name, layer in self._passes():
            parts.append((f"{name}_i2h_weight", (rows, self.width * self.directions if layer else inputs)))
            parts.append((f"{name}_h2h_weight", (rows, self.width)))
            if self.projection_size:
                parts.append((f"{name}_h2r_weight", (self.projection_size, self.state_size)))
        if self.biased:
            for name, _ in self._passes():
                parts += [(f"{name}_i2h_bias", (rows,)), (f"{name}_h2h_bias", (rows,))]
        return parts

    def places(self, inputs: int) -> Iterator[tuple[str, builtins.slice, Shape]]:
        """Yield the name of each parameter, where in the packed ones it lies, and its shape."""
        start = 0
        for name, shape in self.parts(inputs):
            stop = start + math.prod(shape)
            yield name, builtins.slice(start, stop), shape
            start = stop

    def inputs_of(self, size: int) -> int | None:
        """Return the numbers at each step for which the packed parameters are `size`; None where no number is."""
        rest = size - sum(math.prod(shape) for _, shape in self.parts(0))
        inputs, over = divmod(rest, GATES[self.mode] * self.state_size * self.directions)
        return None if over or inputs < 1 else inputs

    def _passes(self) -> Iterator[tuple[str, int]]:
        for layer in range(self.num_layers):
            for direction in "lr"[: self.directions]:
                yield f"{direction}{layer}", layer

    def attributes(self, lengths: bool) -> Mapping[str, object]:
        """The attributes of MXNet's operator."""
        return {
            "mode": self.mode,
            "state_size": self.state_size,
            "num_layers": self.num_layers,
            "bidirectional": self.bidirectional,
            "p": self.p,
            "projection_size": self.projection_size,
            "lstm_state_clip_min": self.clip_min,
            "lstm_state_clip_max": self.clip_max,
            "lstm_state_clip_nan": self.clip_nan,
            "state_outputs": True,
            "use_sequence_length": lengths,
        }


def unpacked(stack: RecurrentStack, parameters: Operand) -> list[Operand]:
    """Cut the packed parameter into the parameters of a stack.

    Raises:
        ShapeError E186: it is no vector, or of a size that no number of inputs gives.
    """
    kind = type_of(parameters)
    inputs = stack.inputs_of(kind.size) if kind.ndim == 1 else None
    if inputs is None:
        raise ShapeError(
            "E186",
            f"RNN of mode {stack.mode} and state_size={stack.state_size}, {stack.num_layers} layers in "
            f"{stack.directions} directions, with parameters {kind}",
            help="the parameters are one vector, whose size depends on the number of inputs at each step",
        )
    weights, at = [], 0
    for _, shape in stack.parts(inputs):
        stop = at + math.prod(shape)
        weights.append(reshape(slice(parameters, (at,), (stop,), (1,)), shape))
        at = stop
    return weights


def packed(stack: RecurrentStack, weights: Sequence[Operand]) -> Operand:
    """Join the parameters of a stack into one vector."""
    return concat(*(reshape(weight, (type_of(weight).size,)) for weight in weights), axis=0)


def rnn(
    stack: RecurrentStack,
    x: Operand,
    weights: Sequence[Operand],
    states: Sequence[Operand] = (),
    lengths: Operand | None = None,
    key: Operand | None = None,
) -> tuple[Operand, ...]:
    """Run a stack of recurrent layers over all steps.

    Args:
        stack: what it is.
        x: [steps, batch, inputs], any float dtype.
        weights: its parameters, in packed order, of the dtype of x.
        states: what it begins with: [layers directions, batch, size] for each of `state_sizes`; none: zeros.
        lengths: i64[batch], from 0 to the number of steps, how many steps of each sequence count; None: all. A state
            stays as it is after the end of its sequence, and there the result is 0.
        key: u64[2], from which is drawn what is dropped; None: nothing is.

    Returns:
        The result [steps, batch, directions size], and the last states, as `states`.

    Raises:
        ShapeError E186: operands do not fit.
    """
    _check(stack, x, weights, states, lengths)
    counts = (len(weights), len(states), lengths is not None, key is not None)
    operands = (x, *weights, *states, *(one for one in (lengths, key) if one is not None))

    def body(*operands: Operand) -> tuple[Operand, ...]:
        first, *rest = operands
        starts = rest[counts[0] : counts[0] + counts[1]]
        more = iter(rest[counts[0] + counts[1] :])
        ends = next(more) if counts[2] else None
        return _run(stack, first, rest[: counts[0]], starts, ends, next(more) if counts[3] else None)

    return composed("RNN", stack.attributes(lengths is not None), body, operands)


def one_direction(
    stack: RecurrentStack,
    x: Operand,
    own: Mapping[str, Weight | None],
    states: Sequence[Operand] = (),
    lengths: Operand | None = None,
    backwards: bool = False,
) -> tuple[Operand, ...]:
    """Run one layer in one direction, with a cell of its own.

    Args:
        stack: its mode, size and cell.
        x: [steps, batch, inputs], any float dtype.
        own: the parameters by their `KINDS`, and `peephole`: [3 size], what the gates i, o and f of an LSTM see of the
            cell; None where one is not there; of the dtype of x.
        states: what it begins with, [batch, size] each; none: zeros.
        lengths: of the sequences, see `rnn`.
        backwards: from the last step to the first.

    Returns:
        The result [steps, batch, size], and the last states.

    Raises:
        ShapeError E186: the input has other axes.
    """
    kind = type_of(x)
    if kind.ndim != 3:
        raise ShapeError("E186", f"a recurrent layer of an input {kind}", help="the input is [steps, batch, inputs]")
    wide = float32 if kind.dtype in (float16, bfloat16) else kind.dtype
    parameters = {name: one if one is None or isinstance(one, tuple) else cast(one, wide) for name, one in own.items()}
    begin = [cast(state, wide) for state in states] or _zeros(stack, kind.shape[1], wide)
    counted = None if lengths is None else _counted(cast(lengths, int64), kind.shape[0])
    return tuple(cast(y, kind.dtype) for y in _direction(stack, cast(x, wide), parameters, begin, counted, backwards))


def _zeros(stack: RecurrentStack, batch: int, dtype: DType) -> list[Operand]:
    return [full(0, TensorType((batch, size), dtype)) for size in stack.state_sizes]


def _check(
    stack: RecurrentStack, x: Operand, weights: Sequence[Operand], states: Sequence[Operand], lengths: Operand | None
) -> None:
    kind = type_of(x)
    if kind.ndim != 3:
        raise ShapeError("E186", f"RNN of {kind}", help="the input is [steps, batch, inputs]")
    _, batch, inputs = kind.shape
    parts = stack.parts(inputs)
    shapes = [type_of(weight).shape for weight in weights]
    if len(shapes) != len(parts):
        raise ShapeError("E186", f"RNN of {kind} with {len(shapes)} parameters", help=f"it must have {len(parts)}")
    for (name, shape), has in zip(parts, shapes, strict=True):
        if not same_shape(shape, has):
            raise ShapeError("E186", f"RNN of {kind} with {name} {_listed(has)}", help=f"it is {_listed(shape)}")
    wanted = [(stack.num_layers * stack.directions, batch, size) for size in stack.state_sizes]
    have = [type_of(state).shape for state in states]
    if states and (len(have) != len(wanted) or not all(same_shape(a, b) for a, b in zip(have, wanted, strict=True))):
        raise ShapeError(
            "E186",
            f"RNN of {kind} with states {' and '.join(map(_listed, have))}",
            help=f"states are [layers * directions, batch, size], here {' and '.join(map(_listed, wanted))}",
        )
    if lengths is not None and not same_shape(type_of(lengths).shape, (batch,)):
        raise ShapeError(
            "E186",
            f"RNN of {kind} with lengths {type_of(lengths)}",
            help=f"give one length for each sequence: {_listed((batch,))}",
        )


def _listed(shape: Shape) -> str:
    return f"[{', '.join(map(dims.text, shape))}]"


def _run(
    stack: RecurrentStack,
    x: Operand,
    weights: Sequence[Operand],
    states: Sequence[Operand],
    lengths: Operand | None,
    key: Operand | None,
) -> tuple[Operand, ...]:
    """Run all layers; short floats are computed in float32 and rounded once."""
    dtype = type_of(x).dtype
    wide = float32 if dtype in (float16, bfloat16) else dtype
    x, steps = cast(x, wide), type_of(x).shape[0]
    batch = type_of(x).shape[1]
    parameters = dict(zip(_names(stack), (cast(weight, wide) for weight in weights), strict=True))
    starts = [_rows(cast(state, wide)) for state in states]
    counted = None if lengths is None else _counted(lengths, steps)
    drawn = None
    if key is not None and stack.p and stack.num_layers > 1:
        width = stack.width * stack.directions
        drawn = _rows(uniform(key, (stack.num_layers - 1, steps, batch, width)))
    ends: list[list[Operand]] = []
    for layer in range(stack.num_layers):
        if layer and drawn is not None:
            x = dropped(x, drawn[layer - 1], stack.p)
        results = []
        for direction in range(stack.directions):
            name = f"{'lr'[direction]}{layer}"
            own = {part: parameters.get(f"{name}_{part}") for part in _PARTS}
            begin = [rows[layer * stack.directions + direction] for rows in starts] or _zeros(stack, batch, wide)
            result, *last = _direction(stack, x, own, begin, counted, direction == 1)
            results.append(result)
            ends.append(last)
        x = results[0] if len(results) == 1 else concat(*results, axis=2)
    last_states = [
        concat(*(reshape(state, (1, *type_of(state).shape)) for state in column), axis=0)
        for column in zip(*ends, strict=True)
    ]
    return tuple(cast(y, dtype) for y in (x, *last_states))


_PARTS = ("i2h_weight", "h2h_weight", "h2r_weight", "i2h_bias", "h2h_bias")


def _names(stack: RecurrentStack) -> list[str]:
    return [name for name, _ in stack.parts(1)]


def _rows(x: Operand) -> list[Operand]:
    """Cut along the first axis."""
    count, *rest = type_of(x).shape
    zeros, steps = (0,) * len(rest), (1,) * (1 + len(rest))
    return [
        reshape(slice(x, (k, *zeros), (k + 1, *rest), steps), tuple(rest)) if count > 1 else reshape(x, tuple(rest))
        for k in range(count)
    ]


def _counted(lengths: Operand, steps: int) -> Operand:
    """[steps, batch]: whether a step is one of the sequence's."""
    shape = (steps, type_of(lengths).shape[0])
    return lt(iota(shape, 0, int64), broadcast(lengths, shape))


def _direction(
    stack: RecurrentStack,
    x: Operand,
    own: Mapping[str, Any],
    begin: Sequence[Operand],
    counted: Operand | None,
    backwards: bool,
) -> tuple[Operand, ...]:
    """Run one direction of a layer: [steps, batch, size], and the last states."""
    steps, batch, inputs = type_of(x).shape
    size = stack.state_size
    product = stack.cell.times(reshape(x, (steps * batch, inputs)), own["i2h_weight"])
    before, inside = _biases(stack, own["i2h_bias"], own["h2h_bias"])
    if before is not None:
        product = add(product, broadcast(before, type_of(product).shape))
    gates = reshape(product, (steps, batch, GATES[stack.mode] * size))
    sliced = [gates] if counted is None else [gates, counted]
    extras = (own.get("h2r_weight"), inside, own.get("peephole"))
    weights = _state_weights(stack, own["h2h_weight"])
    fixed = [*weights, *(one for one in extras if one is not None)]
    kinds = [
        *map(type_of, begin),
        *(type_of(one).with_shape(type_of(one).shape[1:]) for one in sliced),
        *map(type_of, fixed),
    ]
    has = counted is not None, len(weights), inside is not None, own.get("peephole") is not None
    scan = Scan(_body(stack, kinds, has), steps, backwards, len(begin))
    *last, results = bind(scan, *begin, *sliced, *fixed)
    return results, *last


def _state_weights(stack: RecurrentStack, weight: Weight) -> list[Operand]:
    """The weight of the state; of a GRU that resets the state, that of n apart."""
    if not stack.cell.resets_state:
        return list(weight) if isinstance(weight, tuple) else [weight]
    rest, rows, size = 2 * stack.state_size, 3 * stack.state_size, stack.state_size
    return [slice(weight, (0, 0), (rest, size), (1, 1)), slice(weight, (rest, 0), (rows, size), (1, 1))]


def _biases(stack: RecurrentStack, i2h: Operand | None, h2h: Operand | None) -> tuple[Operand | None, Operand | None]:
    """Return what is added to the gates before the scan, and inside of it: of a GRU the bias that n resets."""
    if i2h is None or h2h is None:
        return None, None
    if stack.mode != "gru" or stack.cell.resets_state:
        return add(i2h, h2h), None
    rest = 2 * stack.state_size
    most, inside = _cut(h2h, rest), slice(h2h, (rest,), (3 * stack.state_size,), (1,))
    both = concat(add(_cut(i2h, rest), most), slice(i2h, (rest,), (3 * stack.state_size,), (1,)), axis=0)
    return both, inside


def _cut(x: Operand, stop: int) -> Operand:
    return slice(x, (0,), (stop,), (1,))


Parts = tuple[bool, int, bool, bool]
"""The operands that a step has: lengths, parts of the weight of the state, a bias inside, peepholes."""


def _body(stack: RecurrentStack, kinds: Sequence[TensorType], has: Parts) -> Any:
    """The graph of one step; kept where no size is a symbol, as two graphs of one text are one program."""
    if any(kind.scope is not None for kind in kinds):
        return make_graph(functools.partial(_step, stack, has), kinds)
    return _kept_body(stack, tuple(kinds), has)


@functools.lru_cache(maxsize=128)
def _kept_body(stack: RecurrentStack, kinds: tuple[TensorType, ...], has: Parts) -> Any:
    return make_graph(functools.partial(_step, stack, has), kinds)


def stepped(
    mode: str,
    x: Operand,
    begin: Sequence[Operand],
    i2h_weight: Operand,
    h2h_weight: Operand,
    i2h_bias: Operand | None,
    h2h_bias: Operand | None,
) -> list[Operand]:
    """Return the states after one step, of [batch, inputs] and states [batch, size]; biases are both given or none."""
    stack = RecurrentStack(mode, type_of(begin[0]).shape[1], biased=i2h_bias is not None)
    gates = matmul(x, i2h_weight, False, True)
    # Of one step alone a sum of the biases would be a loop of its own; it adds each where the product is finished.
    before, inside = _biases(stack, i2h_bias, h2h_bias) if mode == "gru" else (i2h_bias, None)
    for bias in (before, None if mode == "gru" else h2h_bias):
        if bias is not None:
            gates = add(gates, broadcast(bias, type_of(gates).shape))
    fixed = [h2h_weight] if inside is None else [h2h_weight, inside]
    *after, _ = _step(stack, (False, 1, inside is not None, False), *begin, gates, *fixed)
    return after


def _step(stack: RecurrentStack, has: Parts, *operands: Operand) -> list[Operand]:
    """One step of a direction: the states, and what it gives."""
    counts, count, biased, peeps = has
    rest = iter(operands)
    states = [next(rest) for _ in stack.state_sizes]
    gates, counted = next(rest), next(rest) if counts else None
    weights = [next(rest) for _ in range(count)]
    projection = next(rest) if stack.projection_size else None
    inside, peephole = next(rest) if biased else None, next(rest) if peeps else None
    resets = stack.cell.resets_state
    product = stack.cell.times(states[0], weights[0] if resets else tuple(weights))
    if stack.mode == "lstm":
        after = _lstm(stack, add(gates, product), states[1], projection, peephole)
    elif stack.mode == "gru":
        after = [_gru(stack.cell, gates, product, states[0], inside, weights[1] if resets else None)]
    else:
        after = [stack.cell.activation(0, relu if stack.mode == "rnn_relu" else tanh)(add(gates, product))]
    output = after[0]
    if counted is not None:
        output = _chosen(counted, output, like(0, output))
        after = [_chosen(counted, new, old) for new, old in zip(after, states, strict=True)]
    return [*after, output]


def _chosen(counted: Operand, x: Operand, y: Operand) -> Operand:
    """Rows of x where a sequence goes on, rows of y where it has ended."""
    shape = type_of(x).shape
    return where(broadcast(reshape(counted, (shape[0], 1)), shape), x, y)


def _lstm(
    stack: RecurrentStack, gates: Operand, cell: Operand, projection: Operand | None, peephole: Operand | None
) -> list[Operand]:
    of = stack.cell
    i, f, g, o = _ordered(gates, of.order, "ifgo")
    seen = dict.fromkeys("iof") if peephole is None else dict(zip("iof", _rows_of(peephole, 3), strict=True))
    opened, entering = of.activation(0, sigmoid), of.activation(1, tanh)
    leaving = of.activations[2] if of.activations else tanh
    i = opened(_peeped(i, seen["i"], cell))
    f = sub(like(1, i), i) if of.coupled else opened(_peeped(f, seen["f"], cell))
    cell = add(mul(f, cell), mul(i, entering(g)))
    if stack.clip_min is not None and stack.clip_max is not None:
        cell = _clipped(cell, stack.clip_min, stack.clip_max, stack.clip_nan)
    state = mul(opened(_peeped(o, seen["o"], cell)), leaving(cell))
    return [state if projection is None else matmul(state, projection, False, True), cell]


def _peeped(gate: Operand, weight: Operand | None, cell: Operand) -> Operand:
    return gate if weight is None else add(gate, mul(broadcast(weight, type_of(cell).shape), cell))


def _gru(
    of: StepForm, gates: Operand, product: Operand, state: Operand, bias: Operand | None, weight_n: Operand | None
) -> Operand:
    """One step of a GRU.

    Args:
        of: what it is.
        gates: of the inputs, [batch, 3 size].
        product: of the state; where the state is reset before its product, that of r and z alone.
        state: [batch, size].
        bias: that n resets.
        weight_n: of the state that is reset.
    """
    r, z, n = _ordered(gates, of.order, "rzn")
    opened, entering = of.activation(0, sigmoid), of.activation(1, tanh)
    if weight_n is None:
        by_r, by_z, by_n = _ordered(product, of.order, "rzn")
        if bias is not None:
            by_n = add(by_n, broadcast(bias, type_of(by_n).shape))
        by_n = mul(opened(add(r, by_r)), by_n)
    else:
        by_r, by_z = _ordered(product, of.order[:2], "rz")
        by_n = matmul(mul(opened(add(r, by_r)), state), weight_n, False, True)
    new = entering(add(n, by_n))
    return add(new, mul(opened(add(z, by_z)), sub(state, new)))


def _ordered(x: Operand, order: str, wanted: str) -> list[Operand]:
    """Cut [batch, count size] along its last axis, and return the parts in the order that is wanted."""
    parts = dict(zip(order or wanted, _parted(x, len(wanted)), strict=True))
    return [parts[letter] for letter in wanted]


def _rows_of(x: Operand, count: int) -> list[Operand]:
    """Cut a vector into as many."""
    size = type_of(x).shape[0] // count
    return [slice(x, (k * size,), ((k + 1) * size,), (1,)) for k in range(count)]


def _parted(x: Operand, count: int) -> list[Operand]:
    """Cut [batch, count size] along its last axis."""
    batch, width = type_of(x).shape
    size = width // count
    return [slice(x, (0, k * size), (batch, (k + 1) * size), (1, 1)) for k in range(count)]


def _clipped(x: Operand, low: float, high: float, nan: bool) -> Operand:
    least = like(low, x)
    clipped = min(max(x, least), like(high, x))  # NaN stays NaN
    return where(isnan(x), least, clipped) if nan else clipped

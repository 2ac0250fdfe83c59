# SPDX-License-Identifier: Apache-2.0
"""Control flow over closed sub-graphs: what they read from outside are operands.

Sub-graphs are fields; two ops are equal when their graphs have equal text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import bool_, is_inexact
from hybridize.base.errors import DTypeError, ShapeError, StateError
from hybridize.base.frozen import frozen
from hybridize.base.hooks import Hook
from hybridize.base.types import TensorType
from hybridize.graph import Graph, Value, needed
from hybridize.loops.expr import Element, Region
from hybridize.ops.arithmetic import add
from hybridize.ops.evaluate import evaluate
from hybridize.ops.gradient import apply, pullback
from hybridize.ops.op import OfComplex, Op, Operand, bind, type_of
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import Gradient, StopGradient, full

Types = tuple[TensorType, ...]


def _types(values: Sequence[Value]) -> Types:
    return tuple(value.type for value in values)


def _listed(types: Sequence[TensorType]) -> str:
    return f"({', '.join(map(str, types))})"


def _check(op: Op, what: str, types: Types, wanted: Types) -> None:
    if types != wanted:
        raise ShapeError("E162", f"{op.name}: {what} must be {_listed(wanted)}, got {_listed(types)}")


def _check_predicate(op: Op, types: Types) -> None:
    if len(types) != 1 or types[0].dtype != bool_ or types[0].shape != ():
        raise DTypeError(
            "E234",
            f"{op.name} needs a condition of one bool, got {_listed(types)}",
            help="reduce the condition with all or any",
        )


class Control(Op, abstract=True):
    """Base of the ops of control flow."""

    takes_absent = True


@frozen
class Cond(Control):
    """The results of `then` for the operands if the first operand (bool[]) holds, else those of `orelse`."""

    of_complex = OfComplex.RULED
    then: Graph
    orelse: Graph

    def infer(self, predicate: TensorType, *inputs: TensorType) -> Types:
        _check_predicate(self, (predicate,))
        _check(self, "operands", inputs, _types(self.then.inputs))
        _check(self, "inputs of the other branch", _types(self.orelse.inputs), inputs)
        outputs = _types(self.then.outputs)
        _check(self, "outputs of the other branch", _types(self.orelse.outputs), outputs)
        return outputs

    def reference(self, predicate: NDArray[Any], *inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return tuple(evaluate(self.then if predicate else self.orelse, inputs))

    def vjp(
        self, g: tuple[Operand | None, ...], y: tuple[Operand, ...], predicate: Operand, *xs: Operand
    ) -> tuple[Gradient, ...]:
        """A Cond over the branches' own reverse sweeps."""
        types = tuple(type_of(x) for x in xs)
        wanted = [k for k, kind in enumerate(types) if is_inexact(kind.dtype)]
        present = [k for k, cotangent in enumerate(g) if cotangent is not None and is_inexact(type_of(y[k]).dtype)]

        def backward(branch: Graph) -> Graph:
            def run(*operands: Operand) -> list[Operand]:
                inputs, arrived = operands[: len(types)], dict(zip(present, operands[len(types) :], strict=True))
                gradients = pullback(branch, inputs, [arrived.get(k) for k in range(len(y))])
                return [_or_zero(gradients[k], types[k]) for k in wanted]

            return make_graph(run, (*types, *(type_of(y[k]) for k in present)))

        op = Cond(backward(self.then), backward(self.orelse))
        gradients = bind(op, predicate, *xs, *(g[k] for k in present))
        return (None, *_scattered(gradients, wanted, len(xs)))

    def lower(self, *inputs: Element, types: Types) -> Region:
        return Region("cond", (self.then, self.orelse))


@frozen
class While(Control):
    """The operands, replaced by what `body` gives for them while `cond` gives true for them."""

    of_complex = OfComplex.RULED
    repeats = True

    cond: Graph
    body: Graph

    def infer(self, *state: TensorType) -> Types:
        _check(self, "operands", state, _types(self.body.inputs))
        _check(self, "inputs of the condition", _types(self.cond.inputs), state)
        _check(self, "outputs of the body", _types(self.body.outputs), state)
        _check_predicate(self, _types(self.cond.outputs))
        return state

    def reference(self, *state: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        now = list(state)
        while evaluate(self.cond, now)[0]:
            now = evaluate(self.body, now)
        return tuple(now)

    def vjp(self, *args: Any, **_: Any) -> tuple[Gradient, ...]:
        raise StateError(
            "E521",
            "a while loop has no gradient: its number of iterations is not known before it runs",
            help="loop over a range of known length and break, or say npx.while_loop with max_iterations; "
            "npx.stop_gradient of what goes in, or autograd.pause() around it, makes it a constant",
        )

    def lower(self, *inputs: Element, types: Types) -> Region:
        return Region("while", (self.cond, self.body))


Runner = Callable[["Scan", tuple[NDArray[Any], ...]], tuple[NDArray[Any], ...]]


def _by_reference(op: Scan, inputs: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    return op.reference(*inputs)


RUNNER: Hook[Runner] = Hook(_by_reference)
"""The function that runs imperative scans; filled by `array`, which knows the compiler."""


@frozen
class Scan(Control):
    """`body` run `length` times, over slices.

        carry_1..c, x_1..s, const_1..d  ->  last carry_1..c, y_1..t
        body: carry_1..c, slice of x_1..s, const_1..d  ->  carry_1..c, slice of y_1..t

    The first `num_carry` operands are the state. An operand that has one axis more than the body's input is sliced
    along its first axis, of size `length`; the others are constants. Slices of y are stacked along a new first axis.
    `reverse`: from the last slice to the first, the position of each y being that of its x.
    """

    of_complex = OfComplex.RULED
    repeats = True

    body: Graph
    length: int
    reverse: bool = False
    num_carry: int = 0

    def infer(self, *inputs: TensorType) -> Types:
        takes, c = _types(self.body.inputs), self.num_carry
        stacked = self.stacked(inputs)
        slices = tuple(kind.with_shape(kind.shape[1:]) if k in stacked else kind for k, kind in enumerate(inputs))
        _check(self, "operands, or their slices,", slices, takes)
        for k in stacked:
            if inputs[k].shape[0] != self.length or k < c:
                raise ShapeError("E163", f"scan of length {self.length} over {inputs[k]}: its first axis must match")
        _check(self, "the state that the body gives", _types(self.body.outputs[:c]), takes[:c])
        return (*takes[:c], *(self._stack(value.type) for value in self.body.outputs[c:]))

    def _stack(self, kind: TensorType) -> TensorType:
        return kind.with_shape((self.length, *kind.shape))

    def stacked(self, inputs: Sequence[TensorType]) -> list[int]:
        """The numbers of the operands that are sliced."""
        pairs = zip(inputs, self.body.inputs, strict=False)
        return [k for k, (kind, inner) in enumerate(pairs) if kind.ndim == inner.type.ndim + 1]

    def reference(self, *inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        stacked = self.stacked([TensorType(x.shape, x.dtype) for x in inputs])
        state = list(inputs[: self.num_carry])
        kinds = [self._stack(value.type) for value in self.body.outputs[self.num_carry :]]
        ys = [numpy.zeros(kind.shape, kind.dtype) for kind in kinds]
        steps = range(self.length)
        for i in reversed(steps) if self.reverse else steps:
            rest = [x[i] if k in stacked else x for k, x in enumerate(inputs) if k >= self.num_carry]
            results = evaluate(self.body, [*state, *rest])
            state = results[: self.num_carry]
            for y, part in zip(ys, results[self.num_carry :], strict=True):
                y[i] = part
        return (*state, *ys)

    def eager(self, *inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """By what fills `RUNNER`."""
        return RUNNER.value(self, inputs)

    def vjp(self, g: tuple[Operand | None, ...], y: tuple[Operand, ...], *xs: Operand) -> tuple[Gradient, ...]:
        """Run forward once more, keeping every state; then a scan the other way over the body's reverse sweep.

        Its state: cotangents of the float state, and of float constants, summed; its slices: states, xs, cotangents of
        ys; its constants: constants.
        """
        types, c = tuple(type_of(x) for x in xs), self.num_carry
        takes, gives = _types(self.body.inputs), _types(self.body.outputs)
        stacked = self.stacked(types)
        state = self._reached(g)
        fixed = [k for k in range(c, len(xs)) if k not in stacked]
        summed = [k for k in fixed if is_inexact(takes[k].dtype)]
        sliced = [k for k in stacked if is_inexact(takes[k].dtype)]
        emitted = [k for k in range(c, len(gives)) if is_inexact(gives[k].dtype) and g[k] is not None]
        sizes = [len(state), len(summed), c, len(stacked), len(emitted), len(fixed)]

        def step(*operands: Operand) -> list[Operand]:
            parts = _cut(operands, sizes)
            by_state, totals, before, slices, by_ys, constants = parts
            inputs = dict(enumerate(before)) | dict(zip(stacked, slices, strict=True))
            inputs |= dict(zip(fixed, constants, strict=True))
            arrived = dict(zip(state, by_state, strict=True)) | dict(zip(emitted, by_ys, strict=True))
            gradients = pullback(
                self.body, [inputs[k] for k in range(len(takes))], [arrived.get(k) for k in range(len(gives))]
            )
            added = [t if gradients[k] is None else add(t, gradients[k]) for t, k in zip(totals, summed, strict=True)]
            by_before, by_slices = ([_or_zero(gradients[k], takes[k]) for k in part] for part in (state, sliced))
            return [*by_before, *added, *by_slices]

        before_ys = [takes[k] for k in (*state, *summed, *range(c), *stacked)]
        kinds = [*before_ys, *(gives[k] for k in emitted), *(takes[k] for k in fixed)]
        back = Scan(make_graph(step, kinds), self.length, not self.reverse, len(state) + len(summed))
        gradients = bind(
            back,
            *(_or_zero(g[k], takes[k]) for k in state),
            *(full(0, takes[k]) for k in summed),
            *self._states(xs),
            *(xs[k] for k in stacked),
            *(g[k] for k in emitted),
            *(xs[k] for k in fixed),
        )
        return tuple(_scattered(gradients, [*state, *summed, *sliced], len(xs)))

    def _reached(self, g: Sequence[Operand | None]) -> list[int]:
        """Return the floats of the state that cotangents arrive at in some round, given those of the results."""
        c, body = self.num_carry, self.body
        nodes = [node for node in body.nodes if not isinstance(node.op, StopGradient)]
        reached = {k for k, cotangent in enumerate(g) if cotangent is not None}
        while True:
            values = {body.outputs[k] for k in reached}
            needed(nodes, values)
            before = len(reached)
            reached.update(k for k in range(c) if body.inputs[k] in values)
            if len(reached) == before:
                return [k for k in range(c) if k in reached and is_inexact(body.inputs[k].type.dtype)]

    def _states(self, xs: Sequence[Operand]) -> tuple[Operand, ...]:
        """The state before every step, stacked."""
        c = self.num_carry
        if not c:
            return ()
        takes = _types(self.body.inputs)

        def step(*operands: Operand) -> list[Operand]:
            after = apply(self.body, operands)[:c]
            return [*after, *operands[:c]]

        return bind(Scan(make_graph(step, takes), self.length, self.reverse, c), *xs)[c:]

    def lower(self, *inputs: Element, types: Types) -> Region:
        return Region("scan", (self.body,))


def _cut(items: Sequence[Operand], sizes: Sequence[int]) -> list[Sequence[Operand]]:
    """Consecutive parts of the given sizes."""
    parts, start = [], 0
    for size in sizes:
        parts.append(items[start : start + size])
        start += size
    return parts


def _or_zero(x: Operand | None, kind: TensorType) -> Operand:
    return full(0, kind) if x is None else x


def _scattered(values: Sequence[Operand], positions: Sequence[int], count: int) -> list[Gradient]:
    """`values` at `positions` of a list, None elsewhere."""
    result: list[Gradient] = [None] * count
    for position, x in zip(positions, values, strict=False):
        result[position] = x
    return result

# SPDX-License-Identifier: Apache-2.0
"""A scan taken apart, so that passes can change what goes in and out, and put together again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from hybridize.base.frozen import frozen, mutable
from hybridize.base.locations import SourceLoc
from hybridize.graph import Graph, Node, Value
from hybridize.graph.ir import Array
from hybridize.graph.text import INLINE
from hybridize.ops import Effect, Scan, effect_of


@mutable(eq=False)
class Carry:
    """One value of the state."""

    start: Value
    """The operand."""
    before: Value
    """The input of the body."""
    after: Value
    """The output of the body."""
    last: Value
    """The result."""


@frozen(eq=False)
class ScanOperand:
    """An operand, and the input of the body that is it, or a slice of it."""

    operand: Value
    inner: Value


@mutable(eq=False)
class Emitted:
    """An output of the body, and the result in which it is stacked."""

    inner: Value
    result: Value


class OpenScan:
    """A scan: its state, what it reads, what it emits and its body. All values are those of the two graphs."""

    def __init__(self, node: Node) -> None:
        assert isinstance(node.op, Scan)
        op, body = node.op, node.op.body
        self._op = op
        self.length: int = op.length
        self.loc: SourceLoc | None = node.loc
        c, stacked = op.num_carry, set(op.stacked([value.type for value in node.inputs]))
        reads = [ScanOperand(*pair) for pair in zip(node.inputs, body.inputs, strict=True)]
        self.carries: list[Carry] = [
            Carry(one.operand, one.inner, after, last)
            for one, after, last in zip(reads[:c], body.outputs, node.outputs, strict=False)
        ]
        self.slices: list[ScanOperand] = [one for k, one in enumerate(reads) if k in stacked]
        self.constants: list[ScanOperand] = [one for k, one in enumerate(reads) if k >= c and k not in stacked]
        self.emitted: list[Emitted] = [Emitted(*pair) for pair in zip(body.outputs[c:], node.outputs[c:], strict=True)]
        self.nodes: list[Node] = list(body.nodes)
        self.literals: dict[Value, Array] = dict(body.constants)

    def body(self) -> Graph:
        """The body as it is now."""
        inputs = (*(one.before for one in self.carries), *(one.inner for one in (*self.slices, *self.constants)))
        outputs = (*(one.after for one in self.carries), *(one.inner for one in self.emitted))
        return Graph(inputs, tuple(self.nodes), outputs, dict(self.literals))

    def node(self) -> Node:
        """The scan as it is now."""
        op = dataclasses.replace(self._op, body=self.body(), num_carry=len(self.carries))
        operands = (*(one.start for one in self.carries), *(one.operand for one in (*self.slices, *self.constants)))
        results = (*(one.last for one in self.carries), *(one.result for one in self.emitted))
        return Node(op, operands, results, self.loc)

    def run(self, change: Callable[[Graph], Graph]) -> None:
        """Replace the body by what a pass makes of it, which keeps its inputs."""
        body = change(self.body())
        self.nodes, self.literals = list(body.nodes), dict(body.constants)
        outputs = iter(body.outputs)
        for carry in self.carries:
            carry.after = next(outputs)
        for one in self.emitted:
            one.inner = next(outputs)

    def substitute(self, values: Mapping[Value, Value]) -> None:
        """Read other values of the body instead of those given."""
        if not values:
            return

        def now(value: Value) -> Value:
            while value in values:
                value = values[value]
            return value

        self.nodes = [
            Node(node.op, tuple(map(now, node.inputs)), node.outputs, node.loc)
            if any(value in values for value in node.inputs)
            else node
            for node in self.nodes
        ]
        for carry in self.carries:
            carry.after = now(carry.after)
        for one in self.emitted:
            one.inner = now(one.inner)

    def emit(self, inner: Value) -> Value:
        """Return the result in which a value of the body is stacked, which it may become only now."""
        for one in self.emitted:
            if one.inner is inner:
                return one.result
        result = Value(inner.type.with_shape((self.length, *inner.type.shape)))
        self.emitted.append(Emitted(inner, result))
        return result

    def slice_of(self, operand: Value) -> Value:
        """Return the input of the body that is a slice of an operand, which it may become only now."""
        return _inner(self.slices, operand, Value(operand.type.with_shape(operand.type.shape[1:])))

    def constant_of(self, operand: Value) -> Value:
        """Return the input of the body that is an operand at each step, which it may become only now."""
        return _inner(self.constants, operand, Value(operand.type, operand.name))

    def steady(self) -> set[Value]:
        """The values of the body that are the same at each step."""
        steady = {one.inner for one in self.constants} | self.literals.keys()
        for node in self.nodes:
            if effect_of(node.op) is Effect.PURE and all(value in steady for value in node.inputs):
                steady.update(node.outputs)
        return steady

    @property
    def reverse(self) -> bool:
        """True if it runs from the last slice to the first."""
        return self._op.reverse


def _inner(operands: list[ScanOperand], operand: Value, new: Value) -> Value:
    """The input of the body that belongs to an operand: a new one, if there is none yet."""
    for one in operands:
        if one.operand is operand:
            return one.inner
    operands.append(ScanOperand(operand, new))
    return new


def is_pure(node: Node) -> bool:
    """Tell whether a node does nothing but compute its outputs."""
    return effect_of(node.op) is Effect.PURE


def fresh(node: Node) -> Node:
    """The same scan over a body whose values are its own, so that it may be joined with others."""
    assert isinstance(node.op, Scan)
    body = node.op.body
    here = {value: Value(value.type, value.name) for value in (*body.inputs, *body.constants)}
    nodes = []
    for one in body.nodes:
        outputs = tuple(Value(value.type, value.name) for value in one.outputs)
        nodes.append(Node(one.op, tuple(here[value] for value in one.inputs), outputs, one.loc))
        here.update(zip(one.outputs, outputs, strict=True))
    copied = Graph(
        tuple(here[value] for value in body.inputs),
        tuple(nodes),
        tuple(here[value] for value in body.outputs),
        {here[value]: array for value, array in body.constants.items()},
    )
    return Node(dataclasses.replace(node.op, body=copied), node.inputs, node.outputs, node.loc)


def is_literal(array: Array) -> bool:
    """Tell whether a constant is small enough to stand in the text of a body."""
    return array.size <= INLINE

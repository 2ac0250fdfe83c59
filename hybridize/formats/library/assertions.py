# SPDX-License-Identifier: Apache-2.0
"""Assertions as a result of the program: the number of the first that failed, instead of a call to Python.

    asserting(graph) -> bool
    returning(graph, messages) -> Graph         one more output, i32[]: 0, or one more than the number among `messages`
    keeping(graph, pairs) -> Graph              where one failed, new values of state are the old ones

The number goes through branches and loops like any other value: no memory is shared between calls, and nothing happens
on the side. A loop whose condition the data decides ends when an assertion has failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy

from hybridize import ops
from hybridize.base.errors import CaptureError
from hybridize.base.types import TensorType
from hybridize.graph import Builder, Graph, Value, nodes_inside
from hybridize.graph.ir import Node, OpLike
from hybridize.ops.composite import Composite

_NUMBER: Final = TensorType((), numpy.dtype(numpy.int32))


def asserting(graph: Graph) -> bool:
    """Tell whether there is an assertion in the graph, or in a sub-graph."""
    return any(map(_asserts, graph.nodes))


def _asserts(node: Node) -> bool:
    return any(isinstance(op, ops.Assert) for op in (node.op, *(inner.op for inner in nodes_inside(node.op))))


def returning(graph: Graph, messages: list[str]) -> Graph:
    """The graph with the number of what failed as its last output; what assertions say is added to `messages`.

    Raises:
        CaptureError E456: there is an assertion where none can be taken out.
    """
    return _Writer(messages).whole(graph)


def keeping(graph: Graph, pairs: Mapping[int, int]) -> Graph:
    """Return a graph that `returning` gave with old values of state in the place of new ones where an assertion failed.

    So new values may be written over the old ones.

    Args:
        graph: its last output is the number of what failed.
        pairs: for an output that is a new value, the input that is the old one.
    """
    builder = Builder()
    inputs = [builder.input(value.type, value.name) for value in graph.inputs]
    outputs = list(builder.inline(graph, inputs))

    def kept(failed: Any, new: Any, old: Any) -> list[Any]:
        fine = ops.eq(failed, ops.full(0, _NUMBER))
        return [ops.where(ops.broadcast(fine, ops.type_of(new).shape), new, old)]

    for output, number in pairs.items():
        operands = [outputs[-1], outputs[output], inputs[number]]
        outputs[output] = builder.inline(ops.make_graph(kept, [one.type for one in operands]), operands)[0]
    return builder.finish(outputs)


class _Writer:
    def __init__(self, messages: list[str]) -> None:
        self.messages = messages

    def whole(self, graph: Graph, before: bool = False) -> Graph:
        """A graph with the number as its last output; as its last input too, if some may have failed `before`."""
        builder = Builder()
        inputs = [builder.input(value.type, value.name) for value in graph.inputs]
        failed = builder.input(_NUMBER) if before else _none(builder)
        outputs, failed = self.write(builder, graph, inputs, failed)
        return builder.finish([*outputs, failed])

    def write(self, builder: Builder, graph: Graph, inputs: list[Value], failed: Value) -> tuple[list[Value], Value]:
        """The nodes of a graph without its assertions; returns its outputs and the number."""
        here = dict(zip(graph.inputs, inputs, strict=True))
        for value, array in graph.constants.items():
            here[value] = copy = Value(value.type, value.name)
            builder.constants[copy] = array
        for node in graph.nodes:
            operands = [here[value] for value in node.inputs]
            if not _asserts(node):
                outputs = tuple(Value(value.type, value.name) for value in node.outputs)
                builder.nodes.append(Node(node.op, tuple(operands), outputs, node.loc))
                results: list[Value] = list(outputs)
            else:
                start = len(builder.nodes)
                results, failed = self.node(builder, node, operands, failed)
                builder.locate(start, node.loc)
            here.update(zip(node.outputs, results, strict=True))
        return [here[value] for value in graph.outputs], failed

    def node(self, builder: Builder, node: Node, operands: list[Value], failed: Value) -> tuple[list[Value], Value]:
        """One that asserts, or holds graphs that do."""
        match node.op:
            case ops.Assert():
                return [], self.assertion(builder, node.op.message, operands[0], failed)
            case Composite() | ops.CustomGradient():
                return self.write(builder, node.op.body, operands, failed)
            case ops.Cond():
                op = ops.Cond(self.whole(node.op.then, True), self.whole(node.op.orelse, True))
                *results, failed = builder.add(_typed(op), [*operands, failed])
                return results, failed
            case ops.While():
                return self.loop(builder, node.op, operands, failed)
            case ops.Scan():
                return self.scan(builder, node.op, operands, failed)
        raise CaptureError(
            "E456",
            f"there is an assertion inside {node.op.name}, which a library cannot check",
            loc=node.loc,
            help="move the assertion out of it",
        )

    def assertion(self, builder: Builder, message: str, condition: Value, failed: Value) -> Value:
        """The number after an assertion: the first stays."""
        self.messages.append(message)
        number = len(self.messages)

        def after(truth: Any, before: Any) -> list[Any]:
            everything = ops.all(truth, tuple(range(condition.type.ndim))) if condition.type.ndim else truth
            this = ops.where(everything, before, ops.full(number, _NUMBER))
            return [ops.where(ops.eq(before, ops.full(0, _NUMBER)), this, before)]

        graph = ops.make_graph(after, (condition.type, _NUMBER))
        return builder.inline(graph, [condition, failed])[0]

    def loop(self, builder: Builder, op: ops.While, operands: list[Value], failed: Value) -> tuple[list[Value], Value]:
        """The number is part of the state; assertions of the condition are looked at where it is asked for."""
        types = [value.type for value in op.body.inputs]
        condition = self.whole(op.cond, True)
        initial = builder.inline(condition, [*operands, failed])[1]

        body = Builder()
        inputs = [body.input(type_) for type_ in types]
        outputs, after = self.write(body, op.body, inputs, body.input(_NUMBER))
        after = body.inline(condition, [*outputs, after])[1] if asserting(op.cond) else after
        turn = body.finish([*outputs, after])

        cond = Builder()
        state, before = [cond.input(type_) for type_ in types], cond.input(_NUMBER)
        more = cond.inline(condition, [*state, before])[0]
        fine = ops.make_graph(
            lambda more, before: [ops.bit_and(more, ops.eq(before, ops.full(0, _NUMBER)))], (more.type, _NUMBER)
        )
        question = cond.finish(cond.inline(fine, [more, before]))
        *results, failed = builder.add(_typed(ops.While(question, turn)), [*operands, initial])
        return results, failed

    def scan(self, builder: Builder, op: ops.Scan, operands: list[Value], failed: Value) -> tuple[list[Value], Value]:
        """The number is the last of the state."""
        count = op.num_carry
        body = Builder()
        types = [value.type for value in op.body.inputs]
        state = [body.input(type_) for type_ in types[:count]]
        before = body.input(_NUMBER)
        rest = [body.input(type_) for type_ in types[count:]]
        outputs, after = self.write(body, op.body, [*state, *rest], before)
        turn = body.finish([*outputs[:count], after, *outputs[count:]])
        results = builder.add(
            _typed(ops.Scan(turn, op.length, op.reverse, count + 1)), [*operands[:count], failed, *operands[count:]]
        )
        return [*results[:count], *results[count + 1 :]], results[count]


def _typed(op: Any) -> OpLike:
    """An op as graphs hold it."""
    return op  # type: ignore[no-any-return]


def _none(builder: Builder) -> Value:
    return builder.constant(numpy.zeros((), numpy.int32))

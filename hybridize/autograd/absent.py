# SPDX-License-Identifier: Apache-2.0
"""A backward half for the cotangents that arrive: what only absent ones reach is left out.

A result that the loss does not use has no cotangent. A zero in its place is not the same: at a pole of the function,
zero times infinity is NaN, which would be added to the gradients of the results that are used.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hybridize.graph import Graph, Node, Value
from hybridize.ops import Cond, Scan
from hybridize.ops.arithmetic import Add, Sub, neg
from hybridize.ops.op import Operand, bind, constant, interpreting
from hybridize.ops.tracing import GraphTracer
from hybridize.ops.views import full


class CotangentShare(enum.IntEnum):
    """The part that cotangents have in a value; of two that meet, the greater one is that of both."""

    ABSENT = 0
    """It is made of absent cotangents alone, and so is no part of a gradient."""
    NONE = 1
    """It is made of no cotangent."""
    ARRIVED = 2
    """A cotangent that arrived is part of it."""


def without(graph: Graph, absent: Collection[int], arrived: Collection[int]) -> Graph:
    """Return a graph that is linear in some inputs without the terms of those that are absent.

    Args:
        graph: the backward half of a differentiated graph.
        absent: numbers of the inputs that are cotangents which have not arrived; they stay inputs, which nobody reads.
        arrived: numbers of those that have.
    """
    shares = [
        CotangentShare.ABSENT if k in absent else CotangentShare.ARRIVED if k in arrived else CotangentShare.NONE
        for k in range(len(graph.inputs))
    ]
    return _rewritten(graph, shares)


def _shares(graph: Graph, inputs: Sequence[CotangentShare]) -> dict[Value, CotangentShare]:
    """Tell the share of cotangents in each value of a graph from those in its inputs."""
    shares = dict(zip(graph.inputs, inputs, strict=True))
    shares.update(dict.fromkeys(graph.constants, CotangentShare.NONE))
    for node in graph.nodes:
        shares.update(zip(node.outputs, _shares_of(node, [shares[value] for value in node.inputs]), strict=True))
    return shares


def _shares_of(node: Node, inputs: Sequence[CotangentShare]) -> Sequence[CotangentShare]:
    """Tell the shares of the results of a node: it is linear in what cotangents have a share in."""
    op = node.op
    if CotangentShare.ABSENT in inputs:
        if isinstance(op, Scan):
            shares = _shares(op.body, _settled(op, inputs))
            return [shares[value] for value in op.body.outputs]
        if isinstance(op, Cond):
            sides = [_shares(side, inputs[1:]) for side in (op.then, op.orelse)]
            pairs = zip(op.then.outputs, op.orelse.outputs, strict=True)
            return [max(sides[0][then], sides[1][orelse]) for then, orelse in pairs]
        if isinstance(op, (Add, Sub)):
            return [max(inputs)]
    if CotangentShare.ARRIVED in inputs:
        return [CotangentShare.ARRIVED] * len(node.outputs)
    return [CotangentShare.ABSENT if CotangentShare.ABSENT in inputs else CotangentShare.NONE] * len(node.outputs)


def _settled(op: Scan, inputs: Sequence[CotangentShare]) -> list[CotangentShare]:
    """Tell the shares of the inputs of a loop's body in any round: the state is what an earlier round left, too."""
    settled = list(inputs)
    while True:
        shares = _shares(op.body, settled)
        state = [max(settled[k], shares[value]) for k, value in enumerate(op.body.outputs[: op.num_carry])]
        if state == settled[: op.num_carry]:
            return settled
        settled[: op.num_carry] = state


def _rewritten(graph: Graph, inputs: Sequence[CotangentShare]) -> Graph:
    """Return a graph without its absent terms, given the shares of its inputs; an absent output is 0."""
    shares = _shares(graph, inputs)
    recorder = GraphTracer()
    here: dict[Value, Operand] = {value: recorder.builder.input(value.type, value.name) for value in graph.inputs}
    with interpreting(recorder):
        here.update((value, constant(array)) for value, array in graph.constants.items())
        for node in graph.nodes:
            if any(shares[value] is not CotangentShare.ABSENT for value in node.outputs or node.inputs):
                recorder.loc = node.loc
                here.update(zip(node.outputs, _applied(node, here, shares), strict=True))
        outputs = [_operand(value, here, shares) for value in graph.outputs]
    return recorder.builder.finish(outputs)


def _operand(value: Value, here: Mapping[Value, Operand], shares: Mapping[Value, CotangentShare]) -> Operand:
    """Return what a value is in the new graph: 0 where it is absent."""
    return full(0, value.type) if shares[value] is CotangentShare.ABSENT else here[value]


def _applied(node: Node, here: Mapping[Value, Operand], shares: Mapping[Value, CotangentShare]) -> Sequence[Operand]:
    """Apply a node some of whose results are needed."""
    op: Any = node.op
    inputs = [shares[value] for value in node.inputs]
    if CotangentShare.ABSENT in inputs:
        if isinstance(op, (Add, Sub)):
            first, second = node.inputs
            if shares[second] is CotangentShare.ABSENT:
                return [here[first]]
            return [here[second] if isinstance(op, Add) else neg(here[second])]
        if isinstance(op, Scan):
            op = Scan(_rewritten(op.body, _settled(op, inputs)), op.length, op.reverse, op.num_carry)
        elif isinstance(op, Cond):
            op = Cond(_rewritten(op.then, inputs[1:]), _rewritten(op.orelse, inputs[1:]))
    return bind(op, *(_operand(value, here, shares) for value in node.inputs))

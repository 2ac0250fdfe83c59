# SPDX-License-Identifier: Apache-2.0
"""A graph applied, and its reverse sweep, as operand functions: what composites and control flow make rules from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridize.base.dtypes import is_float
from hybridize.graph import Graph, Value
from hybridize.ops.arithmetic import add
from hybridize.ops.op import Operand, bind, constant
from hybridize.ops.views import full


def apply(graph: Graph, inputs: Sequence[Operand]) -> list[Operand]:
    """The nodes of `graph` applied under the current interpreter."""
    here = _applied(graph, inputs)
    return [here[value] for value in graph.outputs]


def _applied(graph: Graph, inputs: Sequence[Operand]) -> dict[Value, Operand]:
    here: dict[Value, Operand] = dict(zip(graph.inputs, inputs, strict=True))
    here.update((value, constant(array)) for value, array in graph.constants.items())
    for node in graph.nodes:
        op: Any = node.op
        here.update(zip(node.outputs, bind(op, *(here[value] for value in node.inputs)), strict=True))
    return here


def pullback(
    graph: Graph, inputs: Sequence[Operand], cotangents: Sequence[Operand | None]
) -> tuple[Operand | None, ...]:
    """Cotangents of the inputs of `graph` from those of its outputs, None where none arrives.

    The graph is run again under the current interpreter, then its ops' own rules from the last to the first.
    """
    return swept(graph, _applied(graph, inputs), cotangents)


def swept(
    graph: Graph, here: Mapping[Value, Operand], cotangents: Sequence[Operand | None]
) -> tuple[Operand | None, ...]:
    """The same where the graph was run already: `here` is what its values are under the current interpreter."""
    active = {value for value in graph.inputs if is_float(value.type.dtype)}
    for node in graph.nodes:
        if not active.isdisjoint(node.inputs):
            active.update(value for value in node.outputs if is_float(value.type.dtype))
    arrived: dict[Value, Operand] = {}
    for value, cotangent in zip(graph.outputs, cotangents, strict=True):
        _arrive(arrived, value, cotangent, active)
    for node in reversed(graph.nodes):
        given = tuple(arrived.get(value) for value in node.outputs)
        if all(cotangent is None for cotangent in given):
            continue
        op: Any = node.op
        whole = tuple(full(0, v.type) if g is None else g for v, g in zip(node.outputs, given, strict=True))
        results = tuple(here[value] for value in node.outputs)
        found = op.vjp(whole, results, *(here[value] for value in node.inputs))
        for value, cotangent in zip(node.inputs, found, strict=True):
            _arrive(arrived, value, cotangent, active)
    return tuple(arrived.get(value) for value in graph.inputs)


def _arrive(arrived: dict[Value, Operand], value: Value, cotangent: Operand | None, active: set[Value]) -> None:
    if cotangent is None or value not in active:
        return
    before = arrived.get(value)
    arrived[value] = cotangent if before is None else add(before, cotangent)

# SPDX-License-Identifier: Apache-2.0
"""A function with variables as a graph without any: what it reads are inputs, the values that it assigns outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from hybridize.base.dtypes import is_inexact, uint64
from hybridize.base.errors import HybridizeError
from hybridize.base.types import TensorType
from hybridize.formats.foreign.known import operand_of
from hybridize.formats.foreign.program import ForeignProgram, Node
from hybridize.formats.foreign.walk import Walk
from hybridize.formats.tensorflow.draws import GENERATOR, draws
from hybridize.graph import Graph
from hybridize.ops.library.histories import with_gradient_of
from hybridize.ops.op import Operand, constant, type_of
from hybridize.ops.tracing import GraphTracer, make_graph


def functional(
    program: ForeignProgram, kinds: Mapping[str, TensorType], variables: Mapping[str, TensorType],
    frozen: Mapping[str, NDArray[Any]],
) -> tuple[Graph, tuple[str, ...], tuple[str, ...]]:  # fmt: skip
    """Return the graph of a program, the variables that it reads, and those that it assigns.

    The inputs of the graph are those of the program, then the variables that it reads; its outputs are those of the
    program, then the new values of the variables that it assigns.

    A generator of random numbers is one more variable, `GENERATOR`, which what draws reads and assigns.

    Args:
        program: the function, with what it calls.
        kinds: the types of its inputs, in order, and names for them.
        variables: the types of all variables by the names of their handles.
        frozen: values of variables that are constants where the program does not assign them.
    """
    fixed = dict(frozen)
    if draws(program):
        variables = {**variables, GENERATOR: TensorType((2,), uint64)}
    while True:
        graph, written = _walked(
            program, kinds, {name: variables[name] for name in variables if name not in fixed}, fixed
        )
        if fixed.keys().isdisjoint(written):
            break
        fixed = {name: array for name, array in fixed.items() if name not in written}
    names = [name for name in variables if name not in fixed]
    used = {value for node in graph.nodes for value in node.inputs} | set(graph.outputs)
    own, others = graph.inputs[: len(kinds)], graph.inputs[len(kinds) :]
    read = {name: value for name, value in zip(names, others, strict=True) if value in used}
    return Graph((*own, *read.values()), graph.nodes, graph.outputs, graph.constants), tuple(read), tuple(written)


def _walked(
    program: ForeignProgram, kinds: Mapping[str, TensorType], variables: Mapping[str, TensorType],
    fixed: Mapping[str, NDArray[Any]],
) -> tuple[Graph, list[str]]:  # fmt: skip
    """The graph of a walk, with all variables as inputs, and the names of those that it assigns."""
    ports = [port.name for port in program.graph.inputs]
    tracer = GraphTracer()
    written: list[str] = []

    def run(*operands: Operand) -> list[Operand]:
        state = _State(zip(variables, operands[len(kinds) :], strict=True))
        state.update((name, constant(array)) for name, array in fixed.items())
        before = dict(state)
        values = _Walk(program, state, tracer)(dict(zip(ports, operands, strict=False)), {})
        written.extend(name for name in before if state[name] is not before[name])
        return [operand_of(one) for one in (*values, *(state[name] for name in written))]

    return make_graph(run, [*kinds.values(), *variables.values()], [*kinds, *variables], tracer=tracer), written


class _State(dict[str, Any]):
    """The values of variables. One that is assigned has a gradient for the variable, and none for what it was made of:
    so tapes see it.
    """

    def __setitem__(self, name: str, value: Any) -> None:
        before = self.get(name)
        if before is not None and is_inexact(type_of(before).dtype):
            value = operand_of(value)
            if type_of(before) == type_of(value):
                value = with_gradient_of(before, value)
        super().__setitem__(name, value)


class _Walk(Walk):
    """A walk whose nodes give the user's lines to those of the graph."""

    def __init__(self, program: ForeignProgram, state: dict[str, Any], tracer: GraphTracer) -> None:
        super().__init__(program, state)
        self._tracer = tracer
        self._located: HybridizeError | None = None

    def node(self, node: Node, values: Mapping[str, Any], attributes: Mapping[str, Any] | None) -> Sequence[Any]:
        before = self._tracer.loc
        self._tracer.loc = node.loc or before
        try:
            return super().node(node, values, attributes)
        except HybridizeError as error:
            if error is not self._located and node.loc is not None:
                self._located, error.loc = error, node.loc
            raise
        finally:
            self._tracer.loc = before

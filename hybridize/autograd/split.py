# SPDX-License-Identifier: Apache-2.0
"""A graph and its gradient as two graphs: one that runs forward and keeps what the other will read.

Both come from one graph that computes outputs and gradients, optimised as a whole, so what a gradient rule computes
again is merged with what was there. What depends on the cotangents is the backward half; what it reads of the forward
half is kept, unless it is cheap to compute again from what is kept or given anyway (elementwise steps and views, which
are fused into the kernels that read them).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from hybridize.base.dims import SizeSymbol, determined
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.graph import Graph, Node, Value, needed
from hybridize.ops import Broadcast, StopGradient
from hybridize.ops.gradient import differentiated, swept
from hybridize.ops.op import Operand, interpreting
from hybridize.ops.tracing import GraphTracer
from hybridize.passes import PIPELINE, REMATERIALISE, UNCUT, EliminateDead, Inline
from hybridize.passes.again import chain


@frozen
class Halves:
    """The two halves of a differentiated graph: the forward pass, and the backward pass that reads what that keeps."""

    forward: Graph
    """The outputs of the graph, then what the other half reads and is neither input nor output."""
    backward: Graph
    """Inputs: inputs and outputs of the graph that it reads, what was kept, an array without elements for each of
    `sizes`, which is as long, cotangents. Outputs: gradients."""
    inputs: tuple[int, ...]
    """Inputs of the graph that the backward half reads."""
    outputs: tuple[int, ...]
    """Outputs of the graph that it reads."""
    residual_count: int
    """The number of values that are kept besides."""
    sizes: tuple[SizeSymbol, ...]
    """Sizes that the shapes of its other inputs do not tell."""
    cotangents: tuple[int, ...]
    """Outputs whose cotangents it reads."""
    gradients: tuple[int, ...]
    """Inputs whose gradients it gives; the other ones that were asked for have none."""
    linked: frozenset[int]
    """Outputs that depend on what was asked for in a way that is differentiated; the others are constants."""
    needed: frozenset[int]
    """Inputs that those outputs depend on."""
    behind: tuple[frozenset[int], ...]
    """Of each output, those of the inputs asked for that it depends on in a way that is differentiated."""


def split(graph: Graph, wrt: Sequence[int], of: Sequence[int] | None = None) -> Halves:
    """Split a graph and the gradients with respect to some of its inputs into two graphs.

    Args:
        graph: any graph.
        wrt: numbers of inputs.
        of: numbers of the outputs that have cotangents; all floats where it is not given.

    Returns:
        Both halves, and what goes from one to the other.
    """
    graph = Inline(differentiated=True)(graph)
    behind = behind_outputs(graph, wrt)
    linked = frozenset(number for number, sources in enumerate(behind) if sources)
    recorder = GraphTracer()
    builder = recorder.builder
    builder.inputs, builder.nodes, builder.constants = list(graph.inputs), list(graph.nodes), dict(graph.constants)
    seeds = {
        number: builder.input(value.type)
        for number, value in enumerate(graph.outputs)
        if number in linked and (of is None or number in of)
    }
    here: dict[Value, Operand] = {value: value for value in (*graph.inputs, *graph.constants)}
    here.update((value, value) for node in graph.nodes for value in node.outputs)
    with interpreting(recorder):
        arrived = swept(graph, here, [seeds.get(number) for number in range(len(graph.outputs))], wrt)
        numbers = [number for number in wrt if arrived[number] is not None]
        gradients: list[Operand] = [arrived[number] for number in numbers]
    count = len(graph.outputs)
    joint = UNCUT.run(builder.finish([*graph.outputs, *gradients]))
    joint = EliminateDead()(REMATERIALISE.after(joint, joint.inputs[len(graph.inputs) :]))
    links = linked, _needed(graph, linked), behind
    return _cut(joint, len(graph.inputs), count, tuple(seeds), tuple(numbers), links)


def behind_outputs(graph: Graph, wrt: Sequence[int]) -> tuple[frozenset[int], ...]:
    """Find the inputs that each output of floats depends on other than through what stops gradients."""
    reached = {graph.inputs[number]: 1 << place for place, number in enumerate(wrt)}
    for node in graph.nodes:
        bits = 0
        if not isinstance(node.op, StopGradient):
            for value in node.inputs:
                bits |= reached.get(value, 0)
        if bits:
            reached.update((value, bits) for value in differentiated(node, reached))
    masks = [reached.get(value, 0) for value in graph.outputs]
    return tuple(frozenset(number for place, number in enumerate(wrt) if mask >> place & 1) for mask in masks)


def opened(graph: Graph, output: int) -> Graph:
    """The graph with one more input, of which all is computed that was computed of an output."""
    value = graph.outputs[output]
    substitute = Value(value.type, value.name)
    nodes = tuple(
        Node(node.op, tuple(substitute if one is value else one for one in node.inputs), node.outputs, node.loc)
        for node in graph.nodes
    )
    outputs = tuple(substitute if one is value else one for one in graph.outputs)
    return Graph((*graph.inputs, substitute), nodes, outputs, graph.constants)


def _needed(graph: Graph, outputs: frozenset[int]) -> frozenset[int]:
    """The inputs that some outputs depend on."""
    wanted = {graph.outputs[number] for number in outputs}
    needed(graph.nodes, wanted)
    return frozenset(number for number, value in enumerate(graph.inputs) if value in wanted)


def _cut(
    joint: Graph,
    inputs: int,
    outputs: int,
    cotangents: tuple[int, ...],
    wrt: tuple[int, ...],
    links: tuple[frozenset[int], frozenset[int], tuple[frozenset[int], ...]],
) -> Halves:
    arguments, seeds = joint.inputs[:inputs], joint.inputs[inputs:]
    results, gradients = joint.outputs[:outputs], joint.outputs[outputs:]
    late, early, after = set(seeds), list[Node](), list[Node]()
    for node in joint.nodes:  # also what only raises
        is_early = late.isdisjoint(node.inputs)
        (early if is_early else after).append(node)
        late.update(() if is_early else node.outputs)
    read = {value for node in after for value in node.inputs} | set(gradients)
    constants = set(joint.constants)
    saved, again = _economised(read - late - constants, early, {*arguments, *results} | constants)
    saved -= constants
    ordered_inputs = [number for number, value in enumerate(arguments) if value in saved]
    ordered_outputs = [number for number, value in enumerate(results) if value in saved and value not in arguments]
    firsts = {results[number]: number for number in reversed(ordered_outputs)}
    ordered_outputs = sorted(firsts.values())
    intermediates = [value for node in early for value in node.outputs if value in saved and value not in firsts]
    forward = Graph(
        arguments, tuple(early), (*results, *intermediates), _used(joint, early, (*results, *intermediates))
    )
    nodes = (*again, *after)
    residuals = (
        *(arguments[number] for number in ordered_inputs),
        *(results[number] for number in ordered_outputs),
        *intermediates,
    )
    untold = _untold(joint, (*residuals, *seeds))
    backward = Graph((*residuals, *untold.values(), *seeds), nodes, gradients, _used(joint, nodes, gradients))
    return Halves(
        PIPELINE.run(forward),
        backward,
        tuple(ordered_inputs),
        tuple(ordered_outputs),
        len(intermediates),
        tuple(untold),
        cotangents,
        wrt,
        *links,
    )


def _untold(joint: Graph, inputs: Sequence[Value]) -> dict[SizeSymbol, Value]:
    """Return an input for each size that the shapes of these inputs do not tell: a graph's inputs tell all of them.

    Half of n, rounded down, is that of two numbers n; and a number, a condition or a branch may be all that a size is
    for. What is read for its shape alone would be kept whole, so the size comes as an array without elements.
    """
    if joint.scope is None:
        return {}
    known = determined(size for value in inputs for size in value.type.shape)
    untold: list[tuple[SizeSymbol, Any]] = [
        (symbol, joint.scope.dim(symbol)) for symbol in joint.scope.symbols if symbol not in known
    ]
    return {symbol: Value(TensorType((size, 0), numpy.dtype(bool))) for symbol, size in untold}


def _economised(read: set[Value], early: Sequence[Node], free: set[Value]) -> tuple[set[Value], list[Node]]:
    """Choose what to keep of what is read; the rest is rematerialised from that and from what is `free`."""
    makers = {value: node for node in early for value in node.outputs}
    saved, again = set(read), set[Node]()

    def is_there(one: Value) -> bool:
        return one in free or one in saved or one not in makers

    for node in reversed(early):
        for value in node.outputs:
            if value in saved and value not in free:
                redone = chain(value, makers, is_there)
                if redone is not None:
                    saved.remove(value)
                    again |= redone
                elif isinstance(node.op, Broadcast):  # the elements that it repeats are fewer
                    saved.remove(value)
                    saved.update(node.inputs)
                    again.add(node)
    used = {value for node in again for value in node.inputs if makers.get(value) not in again}
    return saved | used, [node for node in early if node in again]


def _used(joint: Graph, nodes: Sequence[Node], outputs: Sequence[Value]) -> dict[Value, Any]:
    used = {value for node in nodes for value in node.inputs} | set(outputs)
    return {value: array for value, array in joint.constants.items() if value in used}

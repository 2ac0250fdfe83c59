# SPDX-License-Identifier: Apache-2.0
"""Rows of jaxprs with programs inside: calls, branches, loops, scans, gradients of one's own."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize import ops
from hybridize.base.dtypes import bool_, int32
from hybridize.formats.foreign.known import Known, operand_of
from hybridize.formats.foreign.program import ForeignGraph
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.jaxpr.vocabulary import JAXPR, graph_of
from hybridize.graph import Graph
from hybridize.ops.custom import CustomGradient
from hybridize.ops.gradient import apply
from hybridize.ops.op import Operand, bind, type_of
from hybridize.ops.tracing import make_graph


def _inside(n: Application, graph: ForeignGraph, values: Sequence[Value]) -> tuple[Value, ...]:
    """The outputs of a graph in the place of a node."""
    return tuple(n.walk.graph(graph, dict(zip((port.name for port in graph.inputs), values, strict=True))))


@JAXPR("jit", "pjit", "closed_call", "core_call", "remat2", "checkpoint", "composite", values=True)
def call(n: Application, *values: Value) -> tuple[Value, ...]:
    """The program inside, in its place."""
    return _inside(n, graph_of(n, "call_jaxpr" if n.has("call_jaxpr") else "jaxpr"), values)


@JAXPR("custom_vmap_call", values=True)
def call_with_batching(n: Application, *values: Value) -> tuple[Value, ...]:
    """The program inside, in its place: JAX has applied the rule of its own already."""
    return _inside(n, graph_of(n, "call"), values)


@JAXPR("custom_jvp_call", values=True)
def call_with_derivative(n: Application, *values: Value) -> tuple[Value, ...]:
    """The program inside, in its place: gradients of ours are those of its operations."""
    return _inside(n, graph_of(n, "call_jaxpr"), values)


@JAXPR("optimization_barrier", "device_put", values=True)
def barrier(n: Application, *values: Value) -> tuple[Value, ...]:
    """The values themselves."""
    return values


@JAXPR("custom_vjp_call", values=True)
def call_with_gradient(n: Application, *values: Value) -> tuple[Value, ...]:
    """The program inside; gradients of ours are by its own rule, a program of cotangents and operands."""
    operands = [operand_of(value) for value in values]
    body = _body(n, graph_of(n, "call_jaxpr"), operands)
    results, wanted = [value.type for value in body.outputs], n.integers("wanted")
    if not wanted:
        return _inside(n, graph_of(n, "call_jaxpr"), values)
    back = n.walk.body(graph_of(n, "gradient"), [*results, *(type_of(x) for x in operands)], (), {})
    count = len(results)
    reads = (*range(count), *range(2 * count, 2 * count + len(operands)))
    return tuple(bind(CustomGradient(n.text("name", "custom_vjp"), body, back, count, reads, wanted), *operands))


def _body(n: Application, graph: ForeignGraph, operands: Sequence[Operand]) -> Graph:
    return n.walk.body(graph, [type_of(x) for x in operands], (), {})


@JAXPR("cond", values=True)
def branch(n: Application, number: Value, *values: Value) -> tuple[Value, ...]:
    """One of several programs, by a number or a bool."""
    branches: tuple[ForeignGraph, ...] = n.attributes["branches"]
    if isinstance(number, Known):
        which = min(max(int(number.item()), 0), len(branches) - 1)
        return _inside(n, branches[which], values)
    operands = [operand_of(value) for value in values]
    bodies = [_body(n, graph, operands) for graph in branches]
    return tuple(_chosen(number, bodies, operands, 0))


def _chosen(number: Operand, bodies: Sequence[Graph], operands: Sequence[Operand], first: int) -> Sequence[Operand]:
    """The results of the body of a number, the first of these having number `first`."""
    if len(bodies) == 1:
        return apply(bodies[0], operands)
    if type_of(number).dtype == bool_:
        return bind(ops.Cond(bodies[1], bodies[0]), number, *operands)
    half = len(bodies) // 2
    low, high = bodies[:half], bodies[half:]
    below = ops.lt(number, ops.like(first + half, number))
    if len(bodies) == 2:
        return bind(ops.Cond(low[0], high[0]), below, *operands)
    kinds = [type_of(number), *(type_of(x) for x in operands)]
    sides = [
        make_graph(lambda n, *xs, part=part, at=at: _chosen(n, part, xs, at), kinds)
        for part, at in ((low, first), (high, first + half))
    ]
    return bind(ops.Cond(*sides), below, number, *operands)


@JAXPR("platform_index", values=True)
def platform(n: Application) -> Known:
    """The number of the branch for this platform: that for CPUs, or the one for all others."""
    platforms = n.attributes["platforms"]
    number = next((k for k, names in enumerate(platforms) if names is not None and "cpu" in names), None)
    return Known.of(platforms.index(None) if number is None else number, int32)


@JAXPR("while", values=True)
def loop(n: Application, *values: Value) -> tuple[Operand, ...]:
    """State that a program replaces while another one holds; constants of both are state that stays."""
    condition, body = graph_of(n, "cond_jaxpr"), graph_of(n, "body_jaxpr")
    of_condition, of_body = n.integer("cond_nconsts"), n.integer("body_nconsts")
    operands = [operand_of(value) for value in values]
    constants, state = operands[: of_condition + of_body], operands[of_condition + of_body :]
    kinds = [type_of(x) for x in (*state, *constants)]
    count = len(state)

    def conditions(*xs: Operand) -> Operand:
        inputs = [*xs[count : count + of_condition], *xs[:count]]
        return operand_of(_inside(n, condition, inputs)[0])

    def holds(*xs: Operand) -> list[Operand]:
        some = conditions(*xs)
        return [ops.any(some, tuple(range(type_of(some).ndim)))] if type_of(some).ndim else [some]

    def step(*xs: Operand) -> list[Operand]:
        inputs = [*xs[count + of_condition :], *xs[:count]]
        results = [operand_of(value) for value in _inside(n, body, inputs)]
        if condition.outputs[0].shape:  # of a loop for each row, some have ended
            some = conditions(*xs)
            results = [_for_rows(some, new, old) for new, old in zip(results, xs, strict=False)]
        return [*results, *xs[count:]]

    op = ops.While(make_graph(holds, kinds), make_graph(step, kinds))
    return tuple(bind(op, *state, *constants)[:count])


def _for_rows(condition: Operand, new: Operand, old: Operand) -> Operand:
    """New values where a condition of the first axes holds, else old ones."""
    shape, lead = type_of(new).shape, type_of(condition).shape
    rows = ops.reshape(condition, (*lead, *[1] * (len(shape) - len(lead))))
    return ops.where(ops.broadcast(rows, shape), new, old)


@JAXPR("scan", values=True)
def scan(n: Application, *values: Value) -> tuple[Operand, ...]:
    """A program run over slices, its state handed on."""
    graph = graph_of(n, "jaxpr")
    constants, states = n.integer("num_consts"), n.integer("num_carry")
    operands = [operand_of(value) for value in values]
    fixed, carried, rows = (
        operands[:constants],
        operands[constants : constants + states],
        operands[constants + states :],
    )
    slices = [type_of(x).with_shape(type_of(x).shape[1:]) for x in rows]
    kinds = [*(type_of(x) for x in carried), *slices, *(type_of(x) for x in fixed)]

    def step(*xs: Operand) -> list[Operand]:
        last = len(xs) - constants
        return [operand_of(value) for value in _inside(n, graph, [*xs[last:], *xs[:last]])]

    body = make_graph(step, kinds)
    op = ops.Scan(body, n.attributes["length"], n.flag("reverse"), states)
    return tuple(bind(op, *carried, *rows, *fixed))

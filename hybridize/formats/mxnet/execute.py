# SPDX-License-Identifier: Apache-2.0
"""Applying a graph of MXNet's operators to operands of the current interpreter."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridize.base.errors import HybridizeError, LoadError
from hybridize.base.frozen import changed, frozen
from hybridize.base.loading import LOADING
from hybridize.formats.mxnet.attributes import Attributes
from hybridize.formats.mxnet.control_flow import CONTROL
from hybridize.formats.mxnet.symbol import AUXILIARY, LABELLED, VARIABLE, SymbolGraph, SymbolNode
from hybridize.ops import composites
from hybridize.ops.op import Operand


@frozen
class ExecutionMode:
    """The state that some operators look at besides their inputs."""

    training: bool = False
    key: Callable[[], Operand] | None = None
    """Gives the random key of each dropout; needed when training."""
    keep: Callable[[str, Operand, float], None] | None = None
    """Is told of an auxiliary state, what a batch has, and which part of the state a batch leaves; when training."""


INFERENCE = ExecutionMode()


@functools.cache
def _table() -> Mapping[str, Callable[..., Any]]:
    """All operators: a thousand lines that are loaded with the first graph, not with hybridize."""
    with LOADING:
        from hybridize.formats.mxnet import table, table_layers, table_recurrent, table_sequences, table_shapes

    # They fill the table when they are imported.
    _ = table_layers, table_recurrent, table_sequences, table_shapes
    return table.TABLE


def check_supported(graph: SymbolGraph) -> None:
    """Raise for the first operator that is not in the table, or is given more or fewer inputs than it takes.

    Raises:
        LoadError E606: the message names operator and node, and all such operators.
        LoadError E603: the message names operator, node and the numbers of inputs.
    """
    known = {VARIABLE, "Dropout", *_table(), *CONTROL}
    for node in graph.nodes:
        for one in node.subgraphs:
            check_supported(changed(one.graph, source=graph.source))
    missing = [node for node in graph.nodes if node.op not in known]
    if missing:
        names = ", ".join(sorted({node.op for node in missing}))
        raise LoadError(
            "E606",
            f"{graph.source}: operator {missing[0].op}, node {missing[0].name!r}, is not supported yet",
            help=f"the graph needs {names}",
        )
    for node in graph.nodes:
        if node.op in CONTROL and len(node.subgraphs) != CONTROL[node.op][0]:
            raise LoadError(
                "E603", f"{graph.source}: operator {node.op}, node {node.name!r}, has {len(node.subgraphs)} graphs"
            )
        if node.op == VARIABLE or node.op in CONTROL:
            continue
        least, most = _inputs_of(_dropout if node.op == "Dropout" else _table()[node.op])
        if not least <= len(node.inputs) <= most:
            takes = (
                str(least) if least == most else f"{least} or more" if most == math.inf else f"{least} to {most:.0f}"
            )
            raise LoadError(
                "E603",
                f"{graph.source}: operator {node.op}, node {node.name!r}, takes {takes} "
                f"{'input' if takes == '1' else 'inputs'}, the file gives {len(node.inputs)}",
            )


@functools.cache
def _inputs_of(function: Callable[..., Any]) -> tuple[int, float]:
    """The least and the greatest number of inputs that an operator takes, behind its attributes."""
    least, most = 0, 0.0
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            least, most = max(least, 1), math.inf
        elif parameter.kind is not parameter.KEYWORD_ONLY and parameter.kind is not parameter.VAR_KEYWORD:
            most += 1
            least += parameter.default is parameter.empty
    return least, most


def execute(graph: SymbolGraph, feeds: Mapping[str, Operand], mode: ExecutionMode = INFERENCE) -> list[Operand]:
    """The results of `graph`.

    Args:
        graph: all of its operators supported.
        feeds: operands of the variables; labels of loss layers may be missing.
        mode: training or not.

    Raises:
        LoadError E607: a variable has no operand; E603: an operator cannot be applied as the file says.
    """
    values: list[tuple[Operand, ...]] = []
    for node in graph.nodes:
        if node.op == VARIABLE:
            values.append((feeds.get(node.name),))
            continue
        operands = [_output(values, graph, entry) for entry in node.inputs]
        for (source, _), operand in zip(node.inputs, operands, strict=True):
            if operand is None and node.op not in LABELLED:
                raise LoadError(
                    "E607",
                    f"{graph.source}: variable {graph.nodes[source].name!r} of node {node.name!r} is neither an input "
                    "nor a parameter",
                )
        found = _applied(graph, node, operands, mode)
        values.append(found if isinstance(found, tuple) else (found,))
    return [_output(values, graph, entry) for entry in graph.heads]


def _output(values: list[tuple[Operand, ...]], graph: SymbolGraph, entry: tuple[int, int]) -> Operand:
    node, output = entry
    if output >= len(values[node]):
        name = graph.nodes[node].name
        raise LoadError("E603", f"{graph.source}: output {output} of node {name!r} is not supported")
    return values[node][output]


def _applied(graph: SymbolGraph, node: SymbolNode, operands: list[Operand], mode: ExecutionMode) -> Any:
    attributes = Attributes(node.op, node.name, node.attributes, graph.source, graph.np_shape)
    more: dict[str, Any] = {}
    if mode.training and node.op in AUXILIARY:
        more = {"keep": _keeper(graph, node, mode)}
    elif mode.training and node.op == "RNN" and mode.key is not None and attributes.number("p", 0.0):
        more = {"key": mode.key()}
    try:
        if node.op in CONTROL:
            return CONTROL[node.op][1](attributes, operands, functools.partial(_run, graph, node, mode))
        if node.op == "Dropout":
            return _dropout(attributes, *operands, mode=mode)
        return _table()[node.op](attributes, *operands, **more)
    except HybridizeError:
        raise
    except TypeError as error:
        attributes.fail(f"it takes other inputs than {len(operands)} ({error})")
    except (ArithmeticError, LookupError, ValueError, MemoryError) as error:
        attributes.fail(f"its attributes do not fit its inputs ({error!r})")


def _run(
    graph: SymbolGraph, node: SymbolNode, mode: ExecutionMode, number: int, operands: Sequence[Operand]
) -> list[Operand]:
    """The results of a graph in a node of control flow."""
    inner = node.subgraphs[number]
    draws = [one for one in inner.graph.nodes if one.op == "Dropout" or one.op in AUXILIARY]
    if mode.training and draws:
        raise LoadError(
            "E606", f"{graph.source}: {draws[0].op}, node {draws[0].name!r}, is trained inside of {node.op}",
            help="build the net with npx.foreach or a for statement, and load the parameters",
        )  # fmt: skip
    if len(operands) != len(set(inner.inputs)):
        raise LoadError(
            "E603", f"{graph.source}: a graph of {node.op}, node {node.name!r}, takes {len(inner.inputs)} inputs, "
            f"{len(operands)} are given",
        )  # fmt: skip
    feeds = dict(zip(inner.inputs, operands, strict=True))
    return execute(changed(inner.graph, source=graph.source), feeds, INFERENCE)


def _keeper(graph: SymbolGraph, node: SymbolNode, mode: ExecutionMode) -> Callable[[float, list[Operand]], None] | None:
    """Return a function that reports an operator's statistics of a batch, by the names of its auxiliary states."""
    keep = mode.keep
    if keep is None:
        return None
    names = [graph.nodes[node.inputs[position][0]].name for position in AUXILIARY[node.op]]

    def told(momentum: float, found: list[Operand]) -> None:
        for name, statistic in zip(names, found, strict=True):
            keep(name, statistic, momentum)

    return told


def _dropout(a: Attributes, x: Operand, *, mode: ExecutionMode) -> Operand:
    rate = a.number("p", 0.5)
    a.only(axes=())
    if (mode.training or a.text("mode", "training") == "always") and mode.key is not None and rate:
        return composites.dropout(x, mode.key(), float(rate))
    return x

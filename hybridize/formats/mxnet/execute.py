# SPDX-License-Identifier: Apache-2.0
"""Applying a graph of MXNet's operators to operands of the current interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hybridize.base.errors import HybridizeError, LoadError
from hybridize.base.frozen import frozen
from hybridize.formats.mxnet.attributes import Attributes
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


def _table() -> Mapping[str, Callable[..., Any]]:
    """All operators: a thousand lines that are loaded with the first graph, not with hybridize."""
    from hybridize.formats.mxnet import table, table_layers, table_shapes

    _ = table_layers, table_shapes  # they fill the table when they are imported
    return table.TABLE


def check_supported(graph: SymbolGraph) -> None:
    """Raise for the first operator that is not in the table.

    Raises:
        LoadError E606: the message names operator and node, and all such operators.
    """
    known = {VARIABLE, "Dropout", *_table()}
    missing = [node for node in graph.nodes if node.op not in known]
    if missing:
        names = ", ".join(sorted({node.op for node in missing}))
        raise LoadError(
            "E606",
            f"{graph.source}: operator {missing[0].op}, node {missing[0].name!r}, is not supported yet",
            help=f"the graph needs {names}",
        )


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
    if node.op == "Dropout":
        return _dropout(attributes, operands, mode)
    states = {} if node.op not in AUXILIARY or not mode.training else {"keep": _keeper(graph, node, mode)}
    try:
        return _table()[node.op](attributes, *operands, **states)
    except HybridizeError:
        raise
    except TypeError as error:
        attributes.fail(f"it takes other inputs than {len(operands)} ({error})")
    except (ArithmeticError, LookupError, ValueError, MemoryError) as error:
        attributes.fail(f"its attributes do not fit its inputs ({error!r})")


def _keeper(graph: SymbolGraph, node: SymbolNode, mode: ExecutionMode) -> Callable[[float, list[Operand]], None] | None:
    """Return a function that reports an operator's statistics of a batch, by the names of its auxiliary states."""
    keep = mode.keep
    if keep is None:
        return None
    names = [graph.nodes[node.inputs[place][0]].name for place in AUXILIARY[node.op]]

    def told(momentum: float, found: list[Operand]) -> None:
        for name, statistic in zip(names, found, strict=True):
            keep(name, statistic, momentum)

    return told


def _dropout(a: Attributes, operands: list[Operand], mode: ExecutionMode) -> Operand:
    rate = a.number("p", 0.5)
    a.only(axes=())
    if (mode.training or a.text("mode", "training") == "always") and mode.key is not None and rate:
        return composites.dropout(operands[0], mode.key(), float(rate))
    return operands[0]

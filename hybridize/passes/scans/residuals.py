# SPDX-License-Identifier: Apache-2.0
"""Let a scan read from memory what another one has computed at the same step, rather than compute it again.

The gradient of a scan is a scan whose body computes the forward body once more, from the state before each step. What
of that the forward scan has computed, too, it emits (*residuals*): products always; what costs a few operations per
element and is made of values that are there anyway is computed again.
"""

from __future__ import annotations

from collections.abc import Mapping

from hybridize.base.dims import same
from hybridize.graph import Graph, Node, OpLike, Value
from hybridize.ops import Scan
from hybridize.passes.again import chain
from hybridize.passes.scans.opened import OpenScan, is_pure
from hybridize.passes.scans.trim import TrimScans
from hybridize.passes.scans.writing import cleaned


class SaveResiduals:
    """Keep what a scan computes where a later one needs the same at the same steps."""

    name = "save_residuals"

    def __call__(self, graph: Graph) -> Graph:
        """Each scan against those before it, the last of them first."""
        nodes = [node for node in graph.nodes if isinstance(node.op, Scan)]
        if len(nodes) < 2:
            return graph
        opened = {node: OpenScan(node) for node in nodes}
        changed: set[Node] = set()
        for number, late in enumerate(nodes):
            for early in reversed(nodes[:number]):
                if _saved(opened[early], opened[late]):
                    changed |= {early, late}
        if not changed:
            return graph
        whole = tuple(opened[node].node() if node in changed else node for node in graph.nodes)
        return cleaned(TrimScans()(Graph(graph.inputs, whole, graph.outputs, graph.constants)))


def _saved(early: OpenScan, late: OpenScan) -> bool:
    """Have a scan read what one before it computes; tells whether there is anything."""
    if not same(early.length, late.length):
        return False
    known = _equal_inputs(early, late)
    if known is None:
        return False
    equal = _equal(early, late, known)
    repeats = [node for node in late.nodes if any(value in equal for value in node.outputs)]
    wanted = _wanted(late, equal, repeats)
    instead: dict[Value, Value] = {}
    for value in wanted:
        instead[value] = late.slice_of(early.emit(equal[value]))
    late.substitute(instead)
    return bool(wanted)


def _equal_inputs(early: OpenScan, late: OpenScan) -> dict[Value, Value] | None:
    """Inputs of the late body by values of the early one; None where it reads no result of that."""
    results = {one.result: one.inner for one in early.emitted}
    slices = {one.operand: one.inner for one in early.slices}
    constants = {one.operand: one.inner for one in early.constants}
    literals = {(value.type, array.tobytes()): value for value, array in early.literals.items()}
    pairs: dict[Value, Value] = {}
    for one in late.slices:
        if one.operand in results:
            pairs[one.inner] = results[one.operand]
    if not pairs:
        return None
    pairs |= {one.inner: slices[one.operand] for one in late.slices if one.operand in slices}
    pairs |= {one.inner: constants[one.operand] for one in late.constants if one.operand in constants}
    for value, array in late.literals.items():
        key = value.type, array.tobytes()
        if key not in literals:
            literals[key] = copy = Value(value.type)
            early.literals[copy] = array
        pairs[value] = literals[key]
    return pairs


def _equal(early: OpenScan, late: OpenScan, known: Mapping[Value, Value]) -> dict[Value, Value]:
    """All values of the late body that equal values of the early one."""
    early_outputs: dict[tuple[OpLike, tuple[Value, ...]], tuple[Value, ...]] = {}
    for node in early.nodes:
        if is_pure(node):
            early_outputs.setdefault((node.op, node.inputs), node.outputs)
    equal = dict(known)
    for node in late.nodes:
        if is_pure(node) and all(value in equal for value in node.inputs):
            outputs = early_outputs.get((node.op, tuple(equal[value] for value in node.inputs)))
            if outputs is not None:
                equal.update(zip(node.outputs, outputs, strict=True))
    return equal


def _wanted(late: OpenScan, equal: Mapping[Value, Value], nodes: list[Node]) -> list[Value]:
    """The values to read from memory: those that other nodes read, less what is as well computed again."""
    twice, steady = set(nodes), late.steady()
    read = {value for node in late.nodes if node not in twice for value in node.inputs}
    read |= {one.after for one in late.carries} | {one.inner for one in late.emitted}
    makers = {value: node for node in nodes for value in node.outputs}
    sources = steady | {one.inner for one in late.slices}
    saved = dict.fromkeys(value for node in nodes for value in node.outputs if value in read and value not in steady)

    def is_there(one: Value) -> bool:
        return one in sources or one in saved or one not in makers

    for value in reversed(list(saved)):
        if chain(value, makers, is_there) is not None:
            del saved[value]
    return list(saved)

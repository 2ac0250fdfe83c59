# SPDX-License-Identifier: Apache-2.0
"""Compute what does not need the state before a scan, for all steps at once.

What is the same at each step is computed once. Of what depends on slices, products are taken out with all that they
need: one product over the rows of all steps reads its matrix once. What follows them goes along where the body then
reads no more bytes than before: a bias, an activation, a sum. The rest stays: a body computes elementwise what it reads
anyway, and stores nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from hybridize.base.dims import hint
from hybridize.graph import Node, Value, readers_of
from hybridize.ops import Contract, Matmul, Op
from hybridize.passes.scans.opened import OpenScan, is_pure
from hybridize.passes.scans.writing import Mapped, OuterGraph, ScanPass, maps

PRODUCTS = (Contract, Matmul)


class HoistFromScans(ScanPass):
    """Take products of slices, and what is the same at each step, out of scans."""

    name = "hoist_from_scans"

    def change(self, node: Node, writer: OuterGraph) -> bool:
        scan = OpenScan(node)
        chosen = _chosen(scan)
        if not chosen:
            writer.rewriter.keep(node)
            return False
        outside = Mapped(scan, writer)
        steady = scan.steady()
        for one in scan.nodes:
            if one in chosen:
                outside.write(one)
        scan.nodes = [one for one in scan.nodes if one not in chosen]
        left = {value for one in scan.nodes for value in one.inputs}
        left |= {one.after for one in scan.carries} | {one.inner for one in scan.emitted}
        instead: dict[Value, Value] = {}
        for one in chosen:
            for value in one.outputs:
                if value not in left:
                    continue
                if value in steady:
                    operand = outside.steady(value)
                    assert operand is not None
                    instead[value] = scan.constant_of(operand)
                else:
                    instead[value] = scan.slice_of(outside.stacked(value))
        scan.substitute(instead)
        writer.rewriter.builder.nodes.append(scan.node())
        return True


def _chosen(scan: OpenScan) -> dict[Node, None]:
    """The nodes to take out, in order."""
    steady = scan.steady()
    outside = steady | {one.inner for one in scan.slices}
    candidates: dict[Node, None] = {}
    for node in scan.nodes:
        if not is_pure(node) or not all(value in outside for value in node.inputs):
            continue
        if all(value in steady for value in node.outputs) or maps(node):
            candidates[node] = None
            outside.update(node.outputs)
    makers = {value: node for node in candidates for value in node.outputs if value not in steady}
    nodes: set[Node] = set()
    for node in candidates:
        is_steady = all(value in steady for value in node.outputs)
        if is_steady and _is_work(node):
            nodes.add(node)
        elif not is_steady and isinstance(node.op, PRODUCTS):
            _with_needs(node, makers, nodes)
    if not scan.carries and all(node in candidates for node in scan.nodes):
        nodes |= candidates.keys()
    _extend(scan, candidates, steady, nodes)
    return {node: None for node in scan.nodes if node in nodes}


def _is_work(node: Node) -> bool:
    """Tell whether a node that is the same at each step is worth reading its result, not its operands."""
    op = node.op
    if not isinstance(op, Op) or op.expands or op.view or not node.inputs:
        return False
    return not (op.by_element and op.rematerialised)


def _with_needs(node: Node, makers: dict[Value, Node], nodes: set[Node]) -> None:
    todo = [node]
    while todo:
        one = todo.pop()
        if one not in nodes:
            nodes.add(one)
            todo += [makers[value] for value in one.inputs if value in makers]


def _extend(scan: OpenScan, candidates: Iterable[Node], steady: set[Value], nodes: set[Node]) -> None:
    """Add what follows those found, or sums up, where the body then reads no more bytes."""
    readers = readers_of(scan.nodes)
    ends = {one.after for one in scan.carries}
    outputs = {value for node in nodes for value in node.outputs}

    def is_read(value: Value, without: set[Node]) -> bool:
        return value in ends or any(one not in without for one in readers.get(value, ()))

    for node in candidates:
        if node in nodes or all(value in steady for value in node.outputs):
            continue
        inside = [value for value in node.inputs if value not in steady]
        makers_out = all(value in outputs or any(one.inner is value for one in scan.slices) for value in inside)
        if not makers_out:
            continue
        without = nodes | {node}
        more = sum(hint(value.type.nbytes) for value in node.outputs if is_read(value, without))
        less = sum(
            hint(value.type.nbytes)
            for value in dict.fromkeys(inside)
            if is_read(value, nodes) and not is_read(value, without)
        )
        follows = any(value in outputs for value in inside)
        if more < less or (more == less and follows):
            nodes.add(node)
            outputs.update(node.outputs)

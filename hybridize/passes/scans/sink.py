# SPDX-License-Identifier: Apache-2.0
"""Compute behind a scan, for all steps at once, what no later step needs.

    total + x^T g        is a product of all rows of x and g
    y = h w, emitted     is a product of all rows of h

State that only adds up what does not depend on it is no state: its terms' operands are stacked, and added up by one
product, whose sums go over all steps. Of results that are computed of the state, products are taken out with all that
follows them.

It pays where the body touches fewer bytes then: a total is read and written at each step, a matrix read; what is
stacked is written, and read once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial, reduce

from hybridize.base.dims import hint
from hybridize.base.frozen import frozen
from hybridize.graph import Node, Value, readers_of
from hybridize.ops import Contract, Matmul, add
from hybridize.passes.scans.opened import Carry, OpenScan, is_pure
from hybridize.passes.scans.sums import StepSum, SumFinder
from hybridize.passes.scans.writing import Mapped, OuterGraph, ScanPass, maps

SMALL = 256
"""Bytes of a value that may be stacked although it is only summed."""


@frozen(eq=False)
class Total:
    """State that is a sum: it begins as an operand, and what is added to it at each step is summed behind the scan."""

    carry: Carry
    terms: tuple[StepSum, ...]


class SinkFromScans(ScanPass):
    """Take sums over steps, and products that no later step needs, out of scans."""

    name = "sink_from_scans"

    def change(self, node: Node, writer: OuterGraph) -> bool:
        scan = OpenScan(node)
        outside = Mapped(scan, writer)
        totals = _totals(scan)
        late = _late_products(scan)
        if not totals and not late:
            writer.rewriter.keep(node)
            return False
        behind = _leave(scan, late)
        results = {one.inner: one.result for one in scan.emitted}
        writer.rewriter.builder.nodes.append(scan.node())
        outside.know(results)
        for one in late:
            outside.write(one)
        for inner, result in behind:
            writer.replace(result, outside.stacked(inner))
        for total in totals:
            values = [term.write(outside, writer, scan.length) for term in total.terms]
            if not writer.is_zero(total.carry.start):
                values.insert(0, total.carry.start)
            writer.replace(total.carry.last, writer.write(scan.loc, partial(reduce, add, values)))
        return True


def _totals(scan: OpenScan) -> list[Total]:
    """Take sums out of the state where that pays; what they are made of is emitted."""
    totals: list[Total] = []
    largest_first = sorted(scan.carries, key=lambda one: -hint(one.before.type.nbytes))
    for carry in largest_first:
        finder = SumFinder(scan)
        summed = finder.terms(carry)
        if summed is None:
            continue
        terms, adding = summed
        new = _new(scan, (value for term in terms for value in term.stacked()))
        gone = set(adding) | {node for term in terms for node in term.nodes()}
        plain = {value for term in terms for value in term.plain()}
        total = hint(carry.before.type.nbytes)
        if any(value in plain and hint(value.type.nbytes) > SMALL for value in new):
            continue
        if sum(hint(value.type.nbytes) for value in new) > max(total, SMALL):
            continue
        scan.carries.remove(carry)
        scan.nodes = [node for node in scan.nodes if node not in gone]
        for term in terms:
            for value in term.stacked():
                if value in new:
                    scan.emit(value)
        totals.append(Total(carry, tuple(terms)))
    return totals


def _new(scan: OpenScan, values: Iterable[Value]) -> list[Value]:
    """Those of values of a body that are not outside already."""
    outside = {one.inner for one in (*scan.slices, *scan.constants)} | {one.inner for one in scan.emitted}
    outside |= scan.literals.keys()
    return [value for value in dict.fromkeys(values) if value not in outside]


def _late_products(scan: OpenScan) -> list[Node]:
    """The nodes to take out: products that nobody in the body waits for, and all that follows them."""
    readers = readers_of(scan.nodes)
    ends = {one.after for one in scan.carries}
    late: set[Node] = set()
    for node in reversed(scan.nodes):
        if not is_pure(node) or not maps(node) or not ends.isdisjoint(node.outputs):
            continue
        if all(one in late for value in node.outputs for one in readers.get(value, ())):
            late.add(node)
    steady = scan.steady()
    nodes: set[Node] = set()
    for node in scan.nodes:
        if node in late and node not in nodes and isinstance(node.op, Matmul | Contract):
            more = nodes | _followers(node, readers)
            if _pays(scan, more, steady):
                nodes = more
    if nodes:
        _extend(scan, late, readers, nodes)
    return [node for node in scan.nodes if node in nodes]


def _followers(node: Node, readers: dict[Value, list[Node]]) -> set[Node]:
    followers: set[Node] = set()
    todo = [node]
    while todo:
        one = todo.pop()
        if one not in followers:
            followers.add(one)
            todo += [reader for value in one.outputs for reader in readers.get(value, ())]
    return followers


def _border(scan: OpenScan, nodes: set[Node]) -> list[Value]:
    """The values that nodes outside of the body would read, and that only a body can give."""
    available = {value for node in nodes for value in node.outputs} | scan.steady()
    return _new(
        scan, (value for node in scan.nodes if node in nodes for value in node.inputs if value not in available)
    )


def _pays(scan: OpenScan, nodes: set[Node], steady: set[Value]) -> bool:
    """Tell whether matrices that are no longer read at each step are more than what is stacked instead."""
    outputs = {value for node in nodes for value in node.outputs}
    matrices = {value for node in nodes if isinstance(node.op, Matmul | Contract) for value in node.inputs}
    gain = sum(hint(value.type.nbytes) for value in matrices if value in steady)
    stacked = sum(hint(value.type.nbytes) for value in _border(scan, nodes))
    emitted = sum(hint(one.inner.type.nbytes) for one in scan.emitted if one.inner in outputs)
    return gain >= 2 * (stacked - emitted)


def _extend(scan: OpenScan, late: set[Node], readers: dict[Value, list[Node]], nodes: set[Node]) -> None:
    """Add what comes before those found where less is stacked then."""

    def bytes_of(values: Sequence[Value]) -> int:
        return sum(hint(value.type.nbytes) for value in values)

    for node in reversed(scan.nodes):
        if node in nodes or node not in late:
            continue
        if not all(one in nodes for value in node.outputs for one in readers.get(value, ())):
            continue
        less = bytes_of(_border(scan, nodes)) - bytes_of(_border(scan, nodes | {node}))
        if less > 0:
            nodes.add(node)


def _leave(scan: OpenScan, late: Sequence[Node]) -> list[tuple[Value, Value]]:
    """Take nodes out of the body; returns the values that were emitted, with the results that stand for them."""
    outputs = {value for node in late for value in node.outputs}
    for value in _border(scan, set(late)):
        scan.emit(value)
    gone = [(one.inner, one.result) for one in scan.emitted if one.inner in outputs]
    scan.emitted = [one for one in scan.emitted if one.inner not in outputs]
    scan.nodes = [node for node in scan.nodes if node not in set(late)]
    return gone

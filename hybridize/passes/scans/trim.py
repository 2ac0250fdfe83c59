# SPDX-License-Identifier: Apache-2.0
"""Let a scan carry, read and emit nothing in vain.

state that nobody reads                  goes, with all that it alone needs
state that never changes                 is an operand that is the same at each step
state that equals other state            is that one: equal at the start, and by each step
an operand that comes twice, or never    comes once, or goes
a slice that is the same at each step    is an operand that is
a small constant                         stands in the body
a result that is an operand, stacked     is that operand
"""

from __future__ import annotations

from hybridize.graph import Graph, Node, Value
from hybridize.ops import Broadcast, Op, broadcast
from hybridize.passes.common import EliminateCommon
from hybridize.passes.fold import FoldConstants
from hybridize.passes.scans.opened import Carry, Emitted, OpenScan, ScanOperand, is_literal, is_pure
from hybridize.passes.scans.writing import OuterGraph, ScanPass
from hybridize.passes.simplify import Simplify


class TrimScans(ScanPass):
    """Remove from scans what nobody needs, and from their state what does not change."""

    name = "trim_scans"

    def change(self, node: Node, writer: OuterGraph) -> bool:
        scan = OpenScan(node)
        changed = trimmed(scan, writer)
        if not changed:
            writer.rewriter.keep(node)
        elif scan.carries or scan.emitted or not all(map(is_pure, scan.nodes)):
            writer.rewriter.builder.nodes.append(scan.node())
        return changed


def trimmed(scan: OpenScan, writer: OuterGraph) -> bool:
    """Trim a scan; tells whether anything changed."""
    changed = False
    while _constants_inside(scan, writer) | _once(scan) | _unchanging(scan, writer) | _equal_states(scan, writer):
        changed = True
    while _trivial_results(scan, writer) | _dead(scan, writer):
        changed = True
    return changed


def _constants_inside(scan: OpenScan, writer: OuterGraph) -> bool:
    """Take small constants, and arrays of one number, into the body; slices that are the same at each step are none."""
    constants, has_changed = writer.rewriter.builder.constants, False
    for one in list(scan.slices):
        source = writer.repeated(one.operand)
        if source is not None:
            scan.slices.remove(one)
            scan.constants.append(ScanOperand(source, one.inner))
            has_changed = True
    inside: list[Node] = []
    for one in list(scan.constants):
        array = constants.get(one.operand)
        number = writer.number(one.operand)
        if array is not None and is_literal(array):
            scan.literals[one.inner] = array
        elif number is not None:
            literal = Value(number.type)
            scan.literals[literal] = constants[number]
            spread: Op = Broadcast(one.inner.type.shape)
            inside.append(Node(spread, (literal,), (one.inner,), scan.loc))
        else:
            continue
        scan.constants.remove(one)
        has_changed = True
    if has_changed:
        scan.nodes = [*inside, *scan.nodes]
        scan.run(lambda body: EliminateCommon()(Simplify()(FoldConstants(limit_bytes=1 << 20)(body))))
    return has_changed


def _once(scan: OpenScan) -> bool:
    """Read each operand once."""
    instead: dict[Value, Value] = {}
    for reads in (scan.slices, scan.constants):
        first: dict[Value, Value] = {}
        for one in list(reads):
            inner = first.setdefault(one.operand, one.inner)
            if inner is not one.inner:
                instead[one.inner] = inner
                reads.remove(one)
    scan.substitute(instead)
    return bool(instead)


def _unchanging(scan: OpenScan, writer: OuterGraph) -> bool:
    """Let state that each step hands on be an operand."""
    same = [one for one in scan.carries if one.after is one.before]
    for one in same:
        scan.carries.remove(one)
        scan.constants.append(ScanOperand(one.start, one.before))
        writer.replace(one.last, one.start)
    return bool(same)


def _equal_states(scan: OpenScan, writer: OuterGraph) -> bool:
    """Keep one of several states that begin as one value and become one: supposed first, then refuted or not."""
    groups: dict[object, list[Carry]] = {}
    for one in scan.carries:
        groups.setdefault(one.start, []).append(one)
    while True:
        parts = [group for group in groups.values() if len(group) > 1]
        if not parts:
            return False
        after = _supposed(scan, parts)
        groups = {}
        for number, group in enumerate(parts):
            for one in group:
                groups.setdefault((number, after[one]), []).append(one)
        if len(groups) == len(parts):
            break
    for first, *others in groups.values():
        for one in others:
            scan.carries.remove(one)
            writer.replace(one.last, first.last)
        scan.substitute({one.before: first.before for one in others})
        if first.last not in writer.used and any(one.last in writer.used for one in others):
            writer.used.add(first.last)
    scan.run(EliminateCommon())
    return True


def _supposed(scan: OpenScan, groups: list[list[Carry]]) -> dict[Carry, Value]:
    """Find what states become if those of each group are one."""
    now = {one.before: group[0].before for group in groups for one in group}
    body = scan.body()
    nodes = tuple(
        Node(node.op, tuple(now.get(value, value) for value in node.inputs), node.outputs, node.loc)
        for node in body.nodes
    )
    outputs = tuple(now.get(value, value) for value in body.outputs)
    results = EliminateCommon()(Graph(body.inputs, nodes, outputs, body.constants)).outputs
    return dict(zip(scan.carries, results, strict=False))


def _trivial_results(scan: OpenScan, writer: OuterGraph) -> bool:
    """Give results that are operands as those operands, and what comes twice once."""
    operands = {one.inner: one.operand for one in scan.slices}
    same = {one.inner: one.operand for one in scan.constants}
    first: dict[Value, Value] = {}
    has_changed = False
    for one in list(scan.emitted):
        if one.result not in writer.used:
            continue
        if one.inner in operands:
            value = operands[one.inner]
        elif one.inner in same:
            value = _repeated(writer, same[one.inner], one)
        elif one.inner in scan.literals:
            value = _repeated(writer, writer.rewriter.builder.constant(scan.literals[one.inner]), one)
        else:
            value = first.setdefault(one.inner, one.result)
        if value is not one.result:
            scan.emitted.remove(one)
            writer.replace(one.result, value)
            has_changed = True
    return has_changed


def _repeated(writer: OuterGraph, operand: Value, one: Emitted) -> Value:
    result: Value = writer.write(None, lambda: broadcast(operand, one.result.type.shape))
    return result


def _dead(scan: OpenScan, writer: OuterGraph) -> bool:
    """Remove what no result that is read needs."""
    makers = {value: node for node in scan.nodes for value in node.outputs}
    states = {one.before: one for one in scan.carries}
    live: set[Value] = set()
    todo = [one.inner for one in scan.emitted if one.result in writer.used]
    todo += [value for one in scan.carries if one.last in writer.used for value in (one.before, one.after)]
    todo += [value for node in scan.nodes if not is_pure(node) for value in node.inputs]
    while todo:
        value = todo.pop()
        if value in live:
            continue
        live.add(value)
        if value in states:
            todo.append(states[value].after)
        elif value in makers:
            todo += makers[value].inputs
    before = _extent(scan)
    scan.emitted = [one for one in scan.emitted if one.result in writer.used]
    scan.carries = [one for one in scan.carries if one.before in live]
    scan.slices = [one for one in scan.slices if one.inner in live]
    scan.constants = [one for one in scan.constants if one.inner in live]
    scan.nodes = [node for node in scan.nodes if not is_pure(node) or not live.isdisjoint(node.outputs)]
    scan.literals = {value: array for value, array in scan.literals.items() if value in live}
    return _extent(scan) != before


def _extent(scan: OpenScan) -> tuple[int, ...]:
    return (
        len(scan.emitted),
        len(scan.carries),
        len(scan.slices),
        len(scan.constants),
        len(scan.nodes),
        len(scan.literals),
    )

# SPDX-License-Identifier: Apache-2.0
"""Compute large values again where they are read later, or by columns, instead of keeping them (*rematerialisation*).

    p = exp(q k^T - m) r                         a matrix of scores for each head, of rows q, k
    y = p v;  ...;  dv = p^T dy                  read again in the backward pass, by columns
                    p2 = exp(k q^T - m^T) r^T    so it is computed again, transposed:
                    dv = p2 dy

Such a value is elementwise in products of small matrices and in small values, such as statistics of its rows. What
reads it by rows before anything depends on it shares the first copy, in a band; what does so later shares another one,
and so does what reads it by columns, which are the rows of its transpose. So no copy is in memory as a whole, however
many rows there are, which costs each product of these once more for each copy.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable
from typing import Any

from hybridize import ops
from hybridize.base.dims import hint
from hybridize.base.frozen import frozen
from hybridize.graph import Graph, Node, Value
from hybridize.ops import Op
from hybridize.ops.custom import After
from hybridize.passes.pipeline import Rewriter

_SMALLER = 4
"""The factor by which a large value is larger than what it is computed of again."""
_BYTES = 4
"""Bytes of an element when a value's size is judged: masks are as large as what they hide."""


class Rematerialise:
    """Have values that are large, and quickly computed again, no memory as a whole."""

    name = "rematerialise"

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes

    def __call__(self, graph: Graph) -> Graph:
        """One sweep down."""
        return self.after(graph, ())

    def after(self, graph: Graph, late: Collection[Value]) -> Graph:
        """The graph whose values are computed again wherever they are read with anything that depends on late inputs:
        these come when the first copy is gone.
        """
        if graph.most_elements * _BYTES < self.limit_bytes:
            return graph
        cones = _Cones(graph, self.limit_bytes)
        if not cones.inside:
            return graph
        reads, depends = _classified(cones, late)
        primary = _firsts(cones, reads)
        if all(_is_first(cones, read.value, read.kind, primary) for read in reads):
            return graph
        return _Copies(cones, reads, primary, depends).result()


@frozen
class _Kind:
    """A way to read values that one copy can serve."""

    columns: bool
    """True if it is read along its columns, or transposed."""
    late: bool
    """True if something that depends on the first copy is read with it."""


@frozen(eq=False)
class _LargeRead:
    """A node that reads a large value, and is none that is computed again."""

    node: Node
    operand: int
    value: Value
    kind: _Kind


class _Cones:
    """The large values of a graph, each elementwise in others and in products of small ones."""

    def __init__(self, graph: Graph, limit_bytes: int) -> None:
        self.graph = graph
        self.producers = {value: node for node in graph.nodes for value in node.outputs}
        self.position: dict[Value, int] = {value: k - len(graph.inputs) for k, value in enumerate(graph.inputs)}
        self.position |= {value: k for k, node in enumerate(graph.nodes) for value in node.outputs}
        self._limit = limit_bytes
        self._known: dict[Value, frozenset[Value]] = {}
        self.inside: set[Value] = set()
        for node in graph.nodes:
            if self._is_made_again(node):
                self.inside.update(node.outputs)
        if any(isinstance(self.producers[value].op, ops.Matmul) for value in self.inside):
            self.inside -= self._pinned()
        else:
            self.inside.clear()

    def of(self, value: Value) -> frozenset[Value]:
        """A value and all that is computed again for it."""
        cone = self._known.get(value)
        if cone is None:
            members = {value}
            for one in self._operands(value):
                if one in self.inside:
                    members |= self.of(one)
            cone = self._known[value] = frozenset(members)
        return cone

    def leaves(self, value: Value) -> set[Value]:
        """The values that those of a cone are computed of."""
        return {one for member in self.of(value) for one in self._operands(member) if one not in self.inside}

    def is_worth(self, value: Value) -> bool:
        """Tell whether there is a product in a cone: what is elementwise alone is computed where it is read anyway."""
        return any(isinstance(self.producers[one].op, ops.Matmul) for one in self.of(value))

    def _operands(self, value: Value) -> tuple[Value, ...]:
        return self.producers[value].inputs

    def _is_made_again(self, node: Node) -> bool:
        if len(node.outputs) != 1 or not isinstance(node.op, Op):
            return False
        kind = node.outputs[0].type
        if kind.ndim < 2 or hint(kind.size) * _BYTES < self._limit:
            return False
        if isinstance(node.op, ops.Matmul):
            return sum(hint(value.type.nbytes) for value in node.inputs) * _SMALLER <= hint(kind.nbytes)
        return node.op.by_element

    def _pinned(self) -> set[Value]:
        """Large values that are in memory as a whole whatever is done: results, and what others than those read."""
        values = self.inside & set(self.graph.outputs)
        for node in self.graph.nodes:
            read = [value for value in node.inputs if value in self.inside]
            if read and node.outputs[0] not in self.inside and _by_columns(node, self.inside) is None:
                values.update(read)
        return values


def _by_columns(node: Node, large: Collection[Value]) -> bool | None:
    """Tell whether a node reads the only large operand along its columns; None where it reads it in other ways."""
    read = [k for k, value in enumerate(node.inputs) if value in large]
    op: Any = node.op
    if isinstance(op, Op) and op.by_element:
        return False
    if len(read) != 1:
        return None
    if isinstance(op, ops.Matmul):
        return bool(op.transpose_x) if read[0] == 0 else not op.transpose_w
    if isinstance(op, ops.Sum | ops.ReduceMax | ops.ReduceMin):
        last = node.inputs[0].type.ndim - 1
        return op.axes == (last - 1,) if len(op.axes) == 1 and op.axes[0] >= last - 1 else None
    return None


def _classified(cones: _Cones, late: Collection[Value]) -> tuple[list[_LargeRead], Collection[Value]]:
    """The reads of large values, in order, by the copy that each can share; and what depends on late inputs or on the
    products among them.

    A read is late if what is read with it depends on a product that has read the same values.
    """
    reads: list[_LargeRead] = []
    products: list[frozenset[Value]] = []
    depends: dict[Value, int] = dict.fromkeys(late, 1)
    for node in cones.graph.nodes:
        bits = 0
        for value in node.inputs:
            bits |= depends.get(value, 0)
        columns = None if node.outputs and node.outputs[0] in cones.inside else _by_columns(node, cones.inside)
        for operand, value in enumerate(node.inputs):
            if columns is None or value not in cones.inside or not cones.is_worth(value):
                continue
            cone = cones.of(value)
            again = bool(bits & 1) or any(
                bits >> number & 1 and not cone.isdisjoint(other) for number, other in enumerate(products, 1)
            )
            reads.append(_LargeRead(node, operand, value, _Kind(columns, again)))
            if isinstance(node.op, ops.Matmul):
                products.append(cone)
                bits |= 1 << len(products)
        if bits:
            depends.update(dict.fromkeys(node.outputs, bits))
    return reads, depends.keys()


def _firsts(cones: _Cones, reads: Iterable[_LargeRead]) -> dict[Value, _Kind]:
    """The reads that each value itself serves: those of the first that is by rows."""
    kinds: dict[Value, _Kind] = {}
    for read in reads:
        if not read.kind.columns:
            for value in cones.of(read.value):
                kinds.setdefault(value, read.kind)
    return kinds


def _is_first(cones: _Cones, value: Value, kind: _Kind, primary: dict[Value, _Kind]) -> bool:
    """Tell whether a read is served by a value itself, and by all that it is made of."""
    return all(primary.get(one) == kind for one in cones.of(value))


class _Copies:
    """Writes the graph with copies for those that cannot share the first one."""

    def __init__(
        self, cones: _Cones, reads: Iterable[_LargeRead], primary: dict[Value, _Kind], depends: Collection[Value]
    ) -> None:
        self._cones = cones
        self._depends = depends
        self._reads: dict[Node, list[_LargeRead]] = {}
        for read in reads:
            self._reads.setdefault(read.node, []).append(read)
        self._primary = primary
        self._rewriter = Rewriter(cones.graph)
        self._copies: dict[tuple[Value, _Kind], Value] = {}
        self._turned: dict[Value, tuple[Value, tuple[int, ...]]] = {}
        """Values that are transposes, made here, and of what: transposed again they are one transpose."""

    def result(self) -> Graph:
        """Each node, those that read a copy changed.

        What reads one by columns waits for the last that does, and so does what depends on it: so they come one after
        the other, and can share a band.
        """
        last, waiting = self._lasts(), list[Node]()
        pending: set[Value] = set()
        for node in self._cones.graph.nodes:
            final = last.get(node)
            depends = not pending.isdisjoint(node.inputs)
            if final is not node and (final is not None or depends):
                waiting.append(node)
                pending.update(node.outputs)
                continue
            for one in waiting if final is node or depends else ():
                self._write(one)
            if final is node or depends:
                waiting, pending = [], set()
            self._write(node)
        for node in waiting:
            self._write(node)
        return self._rewriter.finish()

    def _lasts(self) -> dict[Node, Node]:
        """For each node that reads a copy by columns the last one that reads one of the same values so."""
        lasts: dict[Node, Node] = {}
        later: list[tuple[_LargeRead, Node]] = []
        for read in reversed([one for reads in self._reads.values() for one in reads if one.kind.columns]):
            cone = self._cones.of(read.value)
            shared = (
                at for one, at in later if one.kind == read.kind and not cone.isdisjoint(self._cones.of(one.value))
            )
            lasts[read.node] = next(shared, read.node)
            later.append((read, lasts[read.node]))
        return lasts

    def _write(self, node: Node) -> None:
        reads = [
            read
            for read in self._reads.get(node, ())
            if not _is_first(self._cones, read.value, read.kind, self._primary)
        ]
        source = self._turned.get(self._rewriter.now(node.inputs[0])) if node.inputs else None
        if reads and reads[0].kind.columns:
            self._rewriter.replace(node, (self._by_columns(reads[0]),))
        elif reads:
            inputs = [self._rewriter.now(value) for value in node.inputs]
            for read in reads:
                inputs[read.operand] = self._copy(read.value, read)
            self._rewriter.replace(node, self._add(node.op, inputs, node))
        elif source is not None and isinstance(node.op, ops.Transpose):
            base, axes = source
            turned = ops.Transpose(tuple(axes[axis] for axis in node.op.axes))
            self._rewriter.replace(node, self._add(turned, [base], node))
        else:
            self._rewriter.keep(node)

    def _by_columns(self, read: _LargeRead) -> Value:
        """A node that reads a value by columns, as one that reads the transpose by rows."""
        node, copy = read.node, self._copy(read.value, read)
        op: Any = node.op
        if not isinstance(op, ops.Matmul):
            last = read.value.type.ndim - 1
            return self._add(dataclasses.replace(op, axes=(last,)), [copy], node)[0]
        other = self._rewriter.now(node.inputs[1 - read.operand])
        if read.operand == 0:
            return self._add(ops.Matmul(False, op.transpose_w), [copy, other], node)[0]
        (y,) = self._add(ops.Matmul(False, not op.transpose_x), [copy, other], node)
        return self._transposed(y, node)

    def _copy(self, value: Value, read: _LargeRead) -> Value:
        """A value computed again for a read, or for others that can share it."""
        if value not in self._cones.inside:
            current = self._rewriter.now(value)
            return self._transposed(current, read.node) if read.kind.columns else current
        if _is_first(self._cones, value, read.kind, self._primary):
            return self._rewriter.now(value)
        key = value, read.kind
        if key not in self._copies:
            node = self._cones.producers[value]
            op: Any = node.op
            if isinstance(op, ops.Matmul):
                x, w = self._waiting(node.inputs[0], read), self._rewriter.now(node.inputs[1])
                if read.kind.columns:
                    op, x, w = ops.Matmul(not op.transpose_w, not op.transpose_x), w, x
                inputs = [x, w]
            else:
                inputs = [self._copy(one, read) for one in node.inputs]
            (self._copies[key],) = self._add(op, inputs, node)
        return self._copies[key]

    def _waiting(self, value: Value, read: _LargeRead) -> Value:
        """An operand of a product that is computed again, but not before there is what is read with it."""
        value = self._rewriter.now(value)
        other = self._partner(read)
        if other is None:
            return value
        return self._add(After(), [value, self._rewriter.now(other)], read.node)[0]

    def _partner(self, read: _LargeRead) -> Value | None:
        """Find what is read with a value and is not computed of the same: the other operand of a product, or the last,
        of what is late if anything is.
        """
        leaves = self._cones.leaves(read.value)
        if isinstance(read.node.op, ops.Matmul):
            other = read.node.inputs[1 - read.operand]
            if other not in leaves and other not in self._cones.graph.constants:
                return other
        known = [value for value in leaves if value in self._cones.position]
        return max(known, key=lambda one: (one in self._depends, self._cones.position[one]), default=None)

    def _transposed(self, value: Value, node: Node) -> Value:
        last = value.type.ndim - 1
        axes = (*range(last - 1), last, last - 1)
        (turned,) = self._add(ops.Transpose(axes), [value], node)
        self._turned[turned] = value, axes
        return turned

    def _add(self, op: Any, inputs: list[Value], node: Node) -> tuple[Value, ...]:
        return self._rewriter.builder.add(op, inputs, node.loc)

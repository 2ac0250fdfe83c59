# SPDX-License-Identifier: Apache-2.0
"""Sums over all steps of a scan, as trees: what is to be added up, and what is done with the sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from hybridize import ops
from hybridize.base.frozen import frozen
from hybridize.graph import Node, Value
from hybridize.passes.scans.opened import Carry, OpenScan
from hybridize.passes.scans.writing import Mapped, OuterGraph


@frozen(eq=False)
class StepSum:
    """The sum of a value over all steps.

    Its node is a product, a sum, or adds at points: then its operands are stacked, and one node of them is the sum. Or
    it is linear: then the sum is the same of the operands' sums. Else it has no node, and the value itself is stacked.
    """

    value: Value
    node: Node | None = None
    parts: tuple[StepSum | Value, ...] = ()
    """Of a linear node: what its operands are summed by; a value is the same at each step, and 0."""

    def stacked(self) -> Iterator[Value]:
        """The values of the body that have to be stacked."""
        if self.node is None:
            yield self.value
        elif self.parts:
            for part in self.parts:
                if isinstance(part, StepSum):
                    yield from part.stacked()
        else:
            yield from self.node.inputs[-2:]

    def nodes(self) -> Iterator[Node]:
        """The nodes of the body that the sum does without."""
        if self.node is not None:
            yield self.node
            for part in self.parts:
                if isinstance(part, StepSum):
                    yield from part.nodes()

    def plain(self) -> Iterator[Value]:
        """The values that are stacked for nothing but to be summed."""
        if self.node is None:
            yield self.value
        for part in self.parts:
            if isinstance(part, StepSum):
                yield from part.plain()

    def write(self, outside: Mapped, writer: OuterGraph, length: int) -> Value:
        """Write the sum, all that is stacked being known outside."""
        loc = None if self.node is None else self.node.loc
        result: Value = writer.write(loc, self._written(outside, writer, length))
        return result

    def _written(self, outside: Mapped, writer: OuterGraph, length: int) -> Callable[[], ops.Operand]:
        """The function that writes the last node, its operands having been written."""
        if self.node is None:
            return partial(ops.sum, outside.stacked(self.value), (0,))
        op = self.node.op
        assert isinstance(op, ops.Op)
        if self.parts:
            operands = [
                part.write(outside, writer, length) if isinstance(part, StepSum) else _steady(outside, part)
                for part in self.parts
            ]
            return partial(ops.bind1, op, *operands)
        stacks = [outside.stacked(value) for value in self.stacked()]
        if isinstance(op, ops.ScatterND):
            return partial(ops.bind1, op, _steady(outside, self.node.inputs[0]), *stacks)
        if isinstance(op, ops.Sum):
            return partial(ops.sum, stacks[0], (0, *(axis + 1 for axis in op.axes)))
        assert isinstance(op, ops.Matmul | ops.Contract)
        return partial(ops.sum_of_products, op, length, *stacks)


def _steady(outside: Mapped, value: Value) -> Value:
    invariant = outside.steady(value)
    assert invariant is not None
    return invariant


class SumFinder:
    """Finds what the state of a scan adds up."""

    def __init__(self, scan: OpenScan) -> None:
        self._literals = scan.literals
        self._steady = scan.steady()
        self._makers = {value: node for node in scan.nodes for value in node.outputs}
        self._reads: dict[Value, int] = {}
        values = [value for node in scan.nodes for value in node.inputs]
        values += [one.after for one in scan.carries] + [one.inner for one in scan.emitted]
        for value in values:
            self._reads[value] = self._reads.get(value, 0) + 1

    def terms(self, carry: Carry) -> tuple[list[StepSum], list[Node]] | None:
        """List what is added to a value of the state at each step, and the nodes that add; None where it is no sum."""
        if self._reads.get(carry.before) != 1:
            return None
        terms: list[Value] = []
        nodes: list[Node] = []
        value = carry.after
        while value is not carry.before:
            node = self._makers.get(value)
            if node is None or not isinstance(node.op, ops.Add) or self._reads[value] != 1:
                return None
            nodes.append(node)
            first, second = node.inputs
            if self._leads(first, carry.before):
                first, second = second, first
            terms.append(first)
            value = second
        return [self.sum_of(term) for term in terms], nodes

    def _leads(self, value: Value, to: Value) -> bool:
        """Tell whether a value is another one to which something was added."""
        todo = [value]
        while todo:
            one = todo.pop()
            if one is to:
                return True
            node = self._makers.get(one)
            if node is not None and isinstance(node.op, ops.Add) and self._reads[one] == 1:
                todo += node.inputs
        return False

    def sum_of(self, value: Value) -> StepSum:
        """The sum of a value over all steps, by one product where it is one."""
        node = self._makers.get(value)
        if node is None or self._reads[value] != 1 or value in self._steady:
            return StepSum(value)
        op, inputs = node.op, node.inputs
        if isinstance(op, ops.Matmul | ops.Contract) and not any(one in self._steady for one in inputs):
            return StepSum(value, node)
        if isinstance(op, ops.Sum):
            return StepSum(value, node)
        if isinstance(op, ops.ScatterND) and op.mode == "add" and self._is_zero(inputs[0]):
            return StepSum(value, node)
        if isinstance(op, ops.Add | ops.Sub | ops.Neg) or (isinstance(op, ops.Op) and op.linear and not op.by_element):
            parts = [one if self._is_zero(one) else self.sum_of(one) for one in inputs]
            sums = [part for part in parts if isinstance(part, StepSum)]
            if sums and any(part.node is not None for part in sums):
                return StepSum(value, node, tuple(parts))
        return StepSum(value)

    def _is_zero(self, value: Value) -> bool:
        while (node := self._makers.get(value)) is not None and isinstance(node.op, ops.Broadcast | ops.Reshape):
            value = node.inputs[0]
        array = self._literals.get(value)
        return array is not None and not array.any()

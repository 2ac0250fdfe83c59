# SPDX-License-Identifier: Apache-2.0
"""Rows of arrays that the body of a loop reads and writes by the number of its round: `xs[t]`, `out[t] = h`.

Recorded as they stand, each round would look into the whole array, or carry all of it; and the gradient of a round
would be as large. Where the number is a line over the rounds (`t`, `t - 1`, `n - 1 - t`), what the rounds read are
slices of the array, and what they write are rows that are put into it after the loop.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from hybridize.array.functions.shapes import moveaxis
from hybridize.array.symbol import Symbol
from hybridize.base.dims import Size, proven
from hybridize.base.frozen import frozen, mutable
from hybridize.capture.trace.lines import Line
from hybridize.capture.trace.recording import Branch, Recording
from hybridize.graph import Node, Value, needed
from hybridize.ops import Gather, Reshape, UpdateAt
from hybridize.ops.op import Effect, Op, bind1, effect_of, interpreting


@mutable
class RoundSlice:
    """The part that a round has of an array which the scan goes along, or the number of the round."""

    value: Value
    """Of the body."""
    source: Symbol | Line


@frozen
class WrittenRows:
    """Rows that the rounds of a loop write to an array."""

    update: Value
    """Written by a round, in the body."""
    axis: int
    line: Line

    def result(self, trace: Recording, before: Value, rows: Value) -> Value:
        """Return what the array holds after the loop."""
        whole = Symbol.of(trace, before)
        _rows_of(whole, self.axis, self.line).write(rows)
        after: Value = whole._cell.value
        return after


class RowsByNumber:
    """The rows that the body of a loop reads and writes by the number of its round.

    Args:
        trace: around the loop.
        branch: the body, whose nodes for them are taken out.
        left: values that a round leaves behind.
    """

    def __init__(self, trace: Recording, branch: Branch, left: Collection[Value]) -> None:
        self._trace, self._branch = trace, branch
        # Without what nobody reads: before a write to a row, the row is read as it was.
        self._keep(needed(branch.builder.nodes, set(left), lambda node: effect_of(node.op) is not Effect.PURE))

    def read(self) -> list[RoundSlice]:
        """Take out what reads rows of arrays from around; return the slices that stand for it."""
        slices: list[RoundSlice] = []
        nodes: list[Node] = []
        for node in self._branch.builder.nodes:
            source = self._source(node) if isinstance(node.op, Gather) else None
            if source is None:
                nodes.append(node)
            else:
                slices.append(RoundSlice(node.outputs[0], source))
        self._keep(nodes)
        return slices

    def _keep(self, nodes: list[Node]) -> None:
        self._branch.builder.nodes[:] = nodes
        self._branch.producers.forget(0)

    def _source(self, node: Node) -> Symbol | None:
        op: Any = node.op
        data, index = node.inputs
        line = self._line(index, data.type.shape[op.axis])
        if line is None:
            return None
        outside = self._outside(data)
        return None if outside is None else _rows_of(Symbol.of(self._trace, outside), op.axis, line)

    def _line(self, index: Value, length: Size) -> Line | None:
        """Return the line that an index is, where all of it is within an axis and it goes forth or back by one."""
        if index.type.shape:
            return None
        line = self._trace.root.numbers.line(index, self._branch)
        if line is None or type(line.step) is not int or line.step not in (1, -1):
            return None
        low, high = line.ends
        return line if proven(low, 0) and proven(length - 1 - high, 0) else None

    def _outside(self, value: Value) -> Value | None:
        """Return the value around the loop that a value of the body is a view of, viewed so."""
        stands = self._branch.stands.get(value)
        if stands is not None:
            return stands
        node = self._branch.producers.of(value)
        if node is None or not isinstance(node.op, Op) or not node.op.view:
            return None
        inner = self._outside(node.inputs[0])
        if inner is None:
            return None
        with interpreting(self._trace):
            return bind1(node.op, inner)  # type: ignore[no-any-return]

    def written(self, start: Value, after: Value) -> WrittenRows | None:
        """Take out what writes a row of a carried array in each round, and does nothing else with it; else None.

        Args:
            start: the array in the body.
            after: what it holds at the end of a round.
        """
        node = self._branch.producers.of(after)
        if node is None or not isinstance(node.op, UpdateAt) or node.inputs[0] is not start:
            return None
        nodes = self._branch.builder.nodes
        readers = [x for one in nodes for x in one.inputs]
        _, index, update = node.inputs
        line = self._line(index, start.type.shape[node.op.axis])
        if readers.count(start) != 1 or after in readers or line is None:
            return None
        self._keep([one for one in nodes if one is not node])
        shape = start.type.shape
        with interpreting(self._branch):
            row = bind1(Reshape((*shape[: node.op.axis], *shape[node.op.axis + 1 :])), update)
        return WrittenRows(row, node.op.axis, line)


def _rows_of(whole: Symbol, axis: int, line: Line) -> Symbol:
    """The rows of an array that a line names, first those of the first round."""
    first, last = line.ends
    rows: Symbol = moveaxis(whole, axis, 0)[first : last + 1]
    return rows if line.step == 1 else rows[::-1]

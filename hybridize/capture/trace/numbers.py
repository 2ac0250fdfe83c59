# SPDX-License-Identifier: Apache-2.0
"""Python numbers among the arguments while capturing: symbols as long as they are data, numbers where they are more.

A number that meets an array is an input of the program. Where the code needs the number itself (`range(n)`,
`x.reshape(n)`, `[0] * n`), it becomes part of the program's key. Where only one truth about it is needed (`if n > 2`,
a divisor that is not 0), that truth is. Arithmetic between numbers stays in the graph where 64 bits give what Python
gives, and is Python's own otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from hybridize.array.symbol import Symbol
from hybridize.base.dims import Dim
from hybridize.base.promotion import NUMBERS
from hybridize.contract.conditions import EXACT, Condition
from hybridize.graph import Graph, Node, Value
from hybridize.ops import FloorDiv, Mod


class Numbers:
    """What a capture knows of the numbers among the arguments, and what the program depends on of them."""

    def __init__(self, trace: Any) -> None:
        self._trace = trace
        self.pinned: dict[int, Any] = {}
        """Leaves of the arguments whose value the program depends on."""
        self._conditions: dict[tuple[Value, type], Condition] = {}
        self._producers: dict[Value, Node] = {}
        self._seen = 0

    @property
    def conditions(self) -> list[Condition]:
        """What must be as true as it was, besides the pinned values."""
        return [one for one in self._conditions.values() if not set(one.positions) <= set(self.pinned)]

    def forget(self, nodes: int) -> None:
        """Hear that the nodes from a number on were undone."""
        self._seen = min(self._seen, nodes)

    def number(self, symbol: Symbol, at: Any) -> Any:
        """The number that a symbol is, which the program then depends on; None where data decides it."""
        value = self._value(symbol, at)
        known: dict[Value, Any] = {}
        used: dict[Any, Value] = {}
        if value is None or not self._evaluated(value, known, used):
            return None
        assert symbol.weak is not None
        number = symbol.weak(known[value])
        many = type(number) is int and any(isinstance(node.op, (Mod, FloorDiv)) for node in self._slice(value))
        if many or any(type(one) is not int for one in used):
            self._depend(value, used, number)  # it comes of many numbers, or of one that is not among the arguments
            return number
        for position in used:
            self.pinned.setdefault(position, self._leaf(position))
        return number

    def truth(self, symbol: Symbol, at: Any) -> bool | None:
        """Whether a number is not 0, which the program then depends on; None where data decides it."""
        value = self._value(symbol, at)
        known: dict[Value, Any] = {}
        used: dict[Any, Value] = {}
        if value is None or not self._evaluated(value, known, used):
            return None
        truth = bool(known[value])
        self._depend(value, used, truth)
        return truth

    def of_program(self, symbol: Symbol, at: Any) -> Symbol | None:
        """A number as the program knows it; None where only a branch does."""
        value = self._value(symbol, at)
        return None if value is None else Symbol.of(self._trace, value, weak=symbol.weak)

    def operate(self, name: str, function: Callable[..., Any], operands: Sequence[Any], at: Any) -> Any:
        """`function(*operands)` between Python numbers: Python's own answer, or NotImplemented for the graph's."""
        if any(type(x) is Symbol and x.weak is float for x in operands):  # beside a float a size is data
            operands = [x.scope.number(x) if isinstance(x, Dim) and x.scope.number is not None else x for x in operands]
        kinds = [x.weak if type(x) is Symbol else type(x) for x in operands]
        if all(kind in (bool, int, float) for kind in kinds) and not any(_large(x) for x in operands):
            if name in ("add", "sub", "neg", "abs") and bool not in kinds:
                return NotImplemented
            if name == "mul" and float in kinds:
                return NotImplemented
            if name == "pow" and float in kinds and _tame(*operands):
                return NotImplemented
            divisor = operands[-1]
            whole = name in ("mod", "floordiv") and set(kinds) == {int}
            if (name == "truediv" or whole) and (self.truth(divisor, at) if type(divisor) is Symbol else bool(divisor)):
                return NotImplemented
        known = [self.number(x, at) if type(x) is Symbol else x for x in operands]
        return NotImplemented if any(x is None for x in known) else function(*known)

    def _depend(self, value: Value, used: dict[Any, Value], expected: bool | int | float) -> None:
        """Let the program depend on what `value` is."""
        key = value, type(expected)
        if key in self._conditions or not used:
            return
        graph = Graph(tuple(used.values()), tuple(self._slice(value)), (value,), self._constants(value))
        self._conditions[key] = Condition(graph, tuple(used), expected, self._trace.location())

    # ---------------------------------------------------------------------------------------------- evaluation

    def _value(self, symbol: Symbol, at: Any) -> Value | None:
        """The value of the program that a symbol of a branch is; None for what only the branch has."""
        trace, value = at, symbol._cell.value
        while trace.parent is not None:
            if value in trace.mine:
                value = next((outer for outer, own in trace.outer.items() if own is value), None)
                if value is None:
                    return None
            trace = trace.parent
        found: Value = value
        return found

    def _leaf(self, position: int) -> Any:
        return next(entry.array._data.item() for entry in self._trace.inputs if entry.position == position)

    def _evaluated(self, value: Value, known: dict[Value, Any], used: dict[Any, Value]) -> bool:
        """Evaluate `value` into `known` where it depends on numbers among the arguments and on constants only."""
        if value in known:
            return True
        constant = self._trace.builder.constants.get(value)
        if constant is not None:
            known[value] = constant
            return value.type.shape == ()
        outside = self._trace.world.fed.numbers.get(value)
        if outside is not None:
            known[value] = outside.array._data.copy()
            used[outside] = value
            return True
        for entry in self._trace.inputs:
            if entry.value is value:
                known[value] = entry.array._data
                used[entry.position] = value
                return entry.symbol.weak is not None
        node = self._producer(value)
        if node is None or not all(self._evaluated(x, known, used) for x in node.inputs):
            return False
        op: Any = node.op
        with numpy.errstate(all="ignore"):
            results = op.reference(*(known[x] for x in node.inputs))
        known.update(zip(node.outputs, results, strict=True))
        return True

    def _slice(self, value: Value) -> list[Node]:
        """The nodes that `value` is computed by, in order."""
        found: dict[int, Node] = {}

        def visit(one: Value) -> None:
            node = self._producer(one)
            if node is not None and id(node) not in found:
                for x in node.inputs:
                    visit(x)
                found[id(node)] = node

        visit(value)
        return list(found.values())

    def _constants(self, value: Value) -> dict[Value, Any]:
        constants = self._trace.builder.constants
        read = [x for node in self._slice(value) for x in node.inputs]
        return {x: constants[x] for x in [*read, value] if x in constants}

    def _producer(self, value: Value) -> Node | None:
        nodes = self._trace.builder.nodes
        for node in nodes[self._seen :]:
            for output in node.outputs:
                self._producers[output] = node
        self._seen = len(nodes)
        return self._producers.get(value)


def _tame(base: Any, exponent: Any) -> bool:
    """Whether a power of floats neither overflows, nor is complex, as long as its base is of ordinary size."""
    if type(exponent) is int:
        return 0 <= exponent <= 4
    return type(base) is float and 0 < base <= 1


def _large(x: Any) -> bool:
    return isinstance(x, NUMBERS) and not isinstance(x, float) and abs(int(x)) > EXACT

# SPDX-License-Identifier: Apache-2.0
"""`GraphScope`: a part of the program that is being recorded, as its parts see it: the program itself, or a branch.

Scopes lie in each other as branches do. Each has a builder, to which nodes are added, and remembers what was written
while it was recorded, so that it can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.array.staging import Staging
from hybridize.array.symbol import Cell
from hybridize.base.locations import SourceLoc
from hybridize.base.types import TensorType
from hybridize.graph import Builder, Node, Value
from hybridize.ops.op import Operand


class Producers:
    """Finds the node that makes a value; looks at each node once.

    Args:
        builder: of the graph.
    """

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._producers: dict[Value, Node] = {}
        self._position = 0

    def forget(self, nodes: int) -> None:
        """Hear that the nodes from a number on were undone."""
        self._position = min(self._position, nodes)

    def of(self, value: Value) -> Node | None:
        """Return the node that makes a value; None for inputs, constants and values of other graphs."""
        nodes = self._builder.nodes
        for node in nodes[self._position :]:
            for output in node.outputs:
                self._producers[output] = node
        self._position = len(nodes)
        return self._producers.get(value)


class GraphScope(Staging):
    """The base of the program and of branches: a builder, the scope around, and what is remembered of writes."""

    parent: GraphScope | None

    def __init__(self, parent: GraphScope | None) -> None:
        self.parent = parent
        self.builder: Builder = Builder()
        self.producers: Producers = Producers(self.builder)
        self.outputs: Sequence[Value] = ()
        """Outputs of the closed graph, once there is one."""
        self.end: float | None = None
        """Number of the nodes around once this is part of them; infinite for what is recorded anew."""
        self.repeats = False
        """True for what is recorded once, and run again and again."""
        self.journal: list[tuple[Cell, Operand]] = []
        """Writes to cells, with what they held before, so that a branch can be undone."""
        self.containers: dict[int, tuple[Any, Any, SourceLoc | None]] = {}
        """Lists, dicts and sets that a branch changed: themselves, what they held before, the line."""

    @property
    def depth(self) -> int:
        """0 for the program itself, more inside of branches that depend on data."""
        return 0 if self.parent is None else self.parent.depth + 1

    def type_of(self, operand: Operand) -> TensorType:
        """Type of a value."""
        kind: TensorType = operand.type
        return kind

    def op_of(self, operand: Operand) -> Any:
        """The op of the node that makes a value."""
        node = self.producers.of(operand)
        return None if node is None else node.op

    def is_own(self, value: Value) -> bool:
        """Tell whether a value is one of this scope, not of one around."""
        return True

    def around(self, value: Value) -> Value | None:
        """Return the value of the scope around that an input of this one stands for; None for any other value."""
        return None

    def inside(self, value: Value) -> Value | None:
        """Return the input that stands for a value of the scope around; None: there is none."""
        return None


def origin_of(value: Value, at: GraphScope) -> tuple[Value, GraphScope]:
    """Return the value that a value stands for, and the scope that makes it, or whose own input it is."""
    while at.parent is not None:
        if at.is_own(value):
            outer = at.around(value)
            if outer is None:
                break
            value = outer
        at = at.parent
    return value, at


def of_program(value: Any, at: GraphScope) -> Value | None:
    """Return the value of the program that a value of a branch is; None for what only the branch has."""
    value, scope = origin_of(value, at)
    return value if scope.parent is None and isinstance(value, Value) else None

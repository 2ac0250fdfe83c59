# SPDX-License-Identifier: Apache-2.0
"""The way back through a graph that is being captured: from the heads of a backward pass along what was recorded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol

from hybridize.array.traced import LostHistory
from hybridize.base.dtypes import is_inexact
from hybridize.base.errors import StateError
from hybridize.base.frozen import frozen
from hybridize.capture.trace.recording import Recording
from hybridize.graph import Node, Value
from hybridize.ops.gradient import Arrived, Cotangents, passed_back, reverse
from hybridize.ops.op import Operand


@frozen
class Producer:
    """The node that made a value while recording, and the recording it is in."""

    number: int
    """Of the node in its recording."""
    node: Node
    at: Recording


class TapeTables(Protocol):
    """The tables of a tape that a backward pass reads."""

    leaves: dict[Value, tuple[Any, Recording]]
    """Variables, by the values that recorded operations read them as."""
    nodes: dict[Value, Producer]

    def check(self, node: Node) -> None:
        """Refuse to go twice along a node that nobody asked to keep."""


class TraceSweep:
    """One backward pass."""

    history: TapeTables
    heads: list[Value]
    at: Recording

    def __init__(
        self, history: TapeTables, at: Recording, heads: list[Value], wanted: list[Value] | None, anew: bool = False
    ) -> None:
        self.history, self.at, self.heads = history, at, heads
        self.targets: set[Value] | None = None if wanted is None else set(wanted)
        self._before = set() if anew else {value for value in self.targets or () if value in history.leaves}
        """Those of the wanted that may be behind histories which stayed in earlier calls."""
        self.reached: Collection[Node] = ()
        """Those behind the heads."""
        self.nodes: list[Node] = []
        """Those that lead to what is wanted, oldest first."""
        self._active: set[Value] = set()
        self._find()

    def _find(self) -> None:
        reached: dict[int, Node] = {}
        self.reached = reached.values()
        todo = list(self.heads)
        while todo:
            producer = self._maker(todo.pop())
            if producer is not None and producer.number not in reached:
                reached[producer.number] = producer.node
                todo += producer.node.inputs
        for number in sorted(reached):
            node = reached[number]
            if any(self._is_active(x) for x in node.inputs):
                self.history.check(node)
                self._active.update(value for value in node.outputs if is_inexact(value.type.dtype))
                self.nodes.append(node)

    def _maker(self, value: Value) -> Producer | None:
        history = self.history
        value = origin(self.at, value)
        if value in history.leaves:
            return None
        producer = history.nodes.get(value)
        if producer is not None and producer.at is not self.at:
            raise StateError(
                "E556", "backward in a branch or loop that depends on data, for a computation recorded outside it",
                help="call backward after the branch or loop, or record inside it",
            )  # fmt: skip
        return producer

    def _is_active(self, value: Value) -> bool:
        if value in self._active:
            return True
        root = origin(self.at, value)
        if self.targets is None:
            return root in self.history.leaves
        return root in self.targets or (bool(self._before) and self._is_lost(root))

    def _is_lost(self, value: Value) -> bool:
        """Tell whether a value is that of an array whose history stayed in an earlier call."""
        return value in self.history.leaves and isinstance(self.history.leaves[value][0], LostHistory)

    def _check_lost(self, arrived: Iterable[Value]) -> None:
        """Refuse gradients that arrive where a history stayed in an earlier call, and that would have to go on there.

        Raises:
            StateError E558: there is one.
        """
        for value in arrived:
            root = origin(self.at, value)
            if self._is_lost(root) and (self.targets is None or self._before - {root}):
                self.history.leaves[root][0].check()

    def run(self, heads: Sequence[tuple[Value, Operand]]) -> dict[Value, Operand]:
        """The gradients that arrive at each value."""
        arrived = Arrived[Value]()
        for head, gradient in heads:
            arrived.add(head, gradient)
        passed: dict[Value, Operand] = {}

        def apply(node: Node, cotangents: Cotangents) -> Iterator[tuple[Value, Operand | None]]:
            passed.update((value, one) for value, one in zip(node.outputs, cotangents, strict=True) if one is not None)
            gradients = passed_back(node, cotangents, node.outputs, node.inputs)
            pairs = zip(node.inputs, gradients, strict=True)
            return ((value, one) for value, one in pairs if one is not None and self._is_active(value))

        reverse(reversed(self.nodes), arrived, apply)
        self._check_lost(arrived)
        return passed | arrived


def origin(at: Recording, value: Value) -> Value:
    """The value that a value of a branch stands for, in the recording that made it."""
    while at.parent is not None and value in at.stands:  # type: ignore[attr-defined]
        value, at = at.stands[value], at.parent  # type: ignore[attr-defined]
    return value


def recording_of(at: Recording, value: Value) -> Recording:
    """The recording that a value belongs to."""
    while at.parent is not None and value not in at.mine:  # type: ignore[attr-defined]
        at = at.parent
    return at

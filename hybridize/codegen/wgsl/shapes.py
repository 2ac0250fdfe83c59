# SPDX-License-Identifier: Apache-2.0
"""Branches of a function as loops and conditions within each other: WGSL has no others.

A block that only one way leads to stands within that way. One where several ways meet stands after the block that
decides between them (its immediate dominator). A way that leads elsewhere than to what is written next sets a number,
and what stands between is left out until the block of that number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hybridize.base.errors import CodegenError
from hybridize.codegen.wgsl.reading import BasicBlock, KernelReading


class Pen(Protocol):
    """Writes what the shape says, line by line."""

    def block(self, block: BasicBlock) -> None:
        """Write the instructions of a block."""

    def edge(self, source: str, target: str) -> None:
        """Set the registers that a block gets by the way that leads to it."""

    def open(self, head: str) -> None:
        """Begin a construct: `if (condition) {`, `loop {`."""

    def orelse(self) -> None:
        """End the first part of a condition, and begin the other one."""

    def close(self) -> None:
        """End a construct."""

    def line(self, text: str) -> None:
        """Write a statement."""

    def condition(self, block: BasicBlock) -> str:
        """The condition of a block's branch."""


GO = "way"
"""The variable that has the number of the block that a way leads to, where it is not written next; else 0."""


class _Graph:
    """The blocks of a function, their order, dominators and loops."""

    def __init__(self, reading: KernelReading) -> None:
        self.blocks = reading.blocks
        self.first = next(iter(reading.blocks))
        self.order = self._reverse_postorder()
        self.number = {label: number for number, label in enumerate(self.order)}
        self.before: dict[str, list[str]] = {label: [] for label in self.order}
        for label in self.order:
            for way in self.blocks[label].ways:
                self.before[way].append(label)
        self.dominator = self._dominators()
        self.loops = self._loops()
        """The blocks of each loop, by the one that it begins with."""

    def _reverse_postorder(self) -> list[str]:
        done: list[str] = []
        seen = {self.first}
        stack = [(self.first, iter(self.blocks[self.first].ways[::-1]))]
        while stack:
            label, ways = stack[-1]
            way = next((one for one in ways if one not in seen), None)
            if way is None:
                done.append(label)
                stack.pop()
            else:
                seen.add(way)
                stack.append((way, iter(self.blocks[way].ways[::-1])))
        return done[::-1]

    def _dominators(self) -> dict[str, str]:
        of = {self.first: self.first}
        changed = True
        while changed:
            changed = False
            for label in self.order[1:]:
                known = [one for one in self.before[label] if one in of]
                nearest = known[0]
                for other in known[1:]:
                    nearest = self._common(of, nearest, other)
                if of.get(label) != nearest:
                    of[label], changed = nearest, True
        return of

    def _common(self, of: dict[str, str], x: str, y: str) -> str:
        while x != y:
            if self.number[x] > self.number[y]:
                x = of[x]
            else:
                y = of[y]
        return x

    def dominates(self, x: str, y: str) -> bool:
        """Tell whether all ways to y lead through x."""
        while self.number[y] > self.number[x]:
            y = self.dominator[y]
        return x == y

    def _loops(self) -> dict[str, set[str]]:
        loops: dict[str, set[str]] = {}
        for label in self.order:
            for way in self.blocks[label].ways:
                if self.number[way] > self.number[label]:
                    continue
                if not self.dominates(way, label):
                    raise CodegenError("E980", f"the writer of WGSL does not know a loop with two beginnings: {label}")
                inside, stack = loops.setdefault(way, {way}), [label]
                while stack:
                    one = stack.pop()
                    if one not in inside:
                        inside.add(one)
                        stack += self.before[one]
        return loops


class Shape:
    """Writes a function's blocks in the order and the constructs that they stand in."""

    def __init__(self, reading: KernelReading, pen: Pen) -> None:
        self._graph = _Graph(reading)
        self._pen = pen
        self.jumps = False
        """True if a way sets the number of a block: it needs the variable."""
        graph = self._graph
        self._after: dict[str, list[str]] = {label: [] for label in graph.order}
        for label in graph.order[1:]:
            forward = [one for one in graph.before[label] if graph.number[one] < graph.number[label]]
            decides = graph.dominator[label]
            # One that a loop decides about, and lies outside of it, is what the loop is left for.
            if len(forward) > 1 and all(label in inside for inside in graph.loops.values() if decides in inside):
                self._after[decides].append(label)
        self._meets = {label for labels in self._after.values() for label in labels}

    def write(self) -> None:
        """Write all."""
        self._tree(self._graph.first, "", "")

    def _number(self, label: str) -> int:
        return self._graph.number[label] + 1

    def _tree(self, label: str, following: str, loop: str) -> set[str]:
        """Write a block, and all that it dominates within the loop `loop`, before `following` is written.

        Returns the blocks that ways out of it set the number of.
        """
        if label in self._graph.loops and label != loop:
            return self._loop(label, following, loop)
        return self._inside(label, following, loop)

    def _inside(self, label: str, following: str, loop: str) -> set[str]:
        graph, pen = self._graph, self._pen
        meeting = self._after[label]
        block = graph.blocks[label]
        pen.block(block)
        pending = self._ways(block, meeting[0] if meeting else following, loop)
        for number, one in enumerate(meeting):
            later = meeting[number + 1] if number + 1 < len(meeting) else following
            pending = self._next(one, later, loop, pending)
        return pending

    def _next(self, label: str, following: str, loop: str, pending: set[str]) -> set[str]:
        """Write a block that several ways meet in; it is left out where the number of another one is set."""
        if not pending:
            return self._tree(label, following, loop)
        pen, number = self._pen, self._number(label)
        if pending == {label}:
            pen.line(f"{GO} = 0u;")
            return self._tree(label, following, loop)
        pen.open(f"if ({GO} == 0u || {GO} == {number}u)")
        pen.line(f"{GO} = 0u;")
        more = self._tree(label, following, loop)
        pen.close()
        return (pending - {label}) | more

    def _ways(self, block: BasicBlock, following: str, loop: str) -> set[str]:
        """Write the branch of a block."""
        pen = self._pen
        if not block.ways:
            if following:
                pen.line("return;")
            return set()
        if len(block.ways) == 1:
            return self._way(block.label, block.ways[0], following, loop)
        pen.open(f"if ({pen.condition(block)})")
        pending = self._way(block.label, block.ways[0], following, loop)
        pen.orelse()
        pending |= self._way(block.label, block.ways[1], following, loop)
        pen.close()
        return pending

    def _way(self, source: str, target: str, following: str, loop: str) -> set[str]:
        """Go from a block to another one."""
        self._pen.edge(source, target)
        return self._go(target, following, loop)

    def _go(self, target: str, following: str, loop: str) -> set[str]:
        pen = self._pen
        if target == following:
            return set()
        if target == loop:
            pen.line("continue;")
            return set()
        if loop and target not in self._graph.loops[loop]:
            if len(self._exits(loop)) > 1:
                self._jump(target)
            pen.line("break;")
            return set()
        if target in self._meets:
            self._jump(target)
            return {target}
        return self._tree(target, following, loop)

    def _jump(self, target: str) -> None:
        self.jumps = True
        self._pen.line(f"{GO} = {self._number(target)}u;")

    def _exits(self, head: str) -> list[str]:
        """The blocks outside of a loop that ways lead to from within."""
        inside = self._graph.loops[head]
        ways = {way for one in inside for way in self._graph.blocks[one].ways if way not in inside}
        return sorted(ways, key=lambda one: self._graph.number[one])

    def _loop(self, head: str, following: str, around: str) -> set[str]:
        pen = self._pen
        pen.open("loop")
        pending = self._inside(head, head, head)
        assert not pending
        pen.close()
        return self._left(self._exits(head), following, around)

    def _left(self, exits: Sequence[str], following: str, loop: str) -> set[str]:
        """Go on behind a loop, to the block whose number is set where there are several."""
        pen = self._pen
        if len(exits) < 2:
            return self._go(exits[0], following, loop) if exits else set()
        pen.open(f"if ({GO} == {self._number(exits[0])}u)")
        pen.line(f"{GO} = 0u;")
        pending = self._go(exits[0], following, loop)
        pen.orelse()
        if len(exits) == 2:
            pen.line(f"{GO} = 0u;")
        pending |= self._left(exits[1:], following, loop)
        pen.close()
        return pending

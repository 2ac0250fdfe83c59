# SPDX-License-Identifier: Apache-2.0
"""A kernel of the loop IR as one LLVM function `(ptr params..., ptr locals...)`.

Loops over rows outside, then per row each statement's own loops, the innermost in vectors; or, where a nest has a
lane axis, rows in vectors and everything inside in plain loops. The rest of a vector loop is one masked turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hybridize.codegen.llvm.elements import Elements
from hybridize.codegen.llvm.memory import Width
from hybridize.codegen.llvm.positions import Array, Lane
from hybridize.codegen.llvm.text import Function, Module
from hybridize.codegen.target import Target
from hybridize.loops.expr import Expr, Fold, Load
from hybridize.loops.index import bit
from hybridize.loops.kernel import Kernel, Nest, Statement
from hybridize.loops.measure import lanes_for, walk, weight, widest


def emit_kernel(module: Module, name: str, kernel: Kernel, target: Target) -> Function:
    """Write `kernel` as the function `name`."""
    count = len(kernel.params) + len(kernel.locals)
    f = Function(module, name, [("ptr noalias nocapture", f"b{i}") for i in range(count)])
    for nest in kernel.nests:
        _Nest(f, kernel, nest, target).emit()
    f.do("ret void")
    return f


class _Nest:
    """Writes one nest."""

    def __init__(self, f: Function, kernel: Kernel, nest: Nest, target: Target) -> None:
        self.f = f
        self.nest = nest
        self.target = target
        written = {statement.buffer for statement in nest.statements}
        arrays = {
            number: Array(
                f"%b{number}",
                param.dtype,
                per_lane=nest.lane is not None and number >= len(kernel.params),
                written=number in written,
            )
            for number, param in enumerate((*kernel.params, *kernel.locals))
        }
        self.elements = Elements(f, target, arrays, dict(enumerate(nest.rows)))
        self.elements.rows = _bits(0, len(nest.rows))
        self.elements.row_lane = nest.lane
        self.groups = together(nest.statements)
        for group in self.groups:
            for statement, reads in _forwarded(group):
                for read in reads:
                    self.elements.pinned[id(read)] = _bits(0, len(nest.rows) + len(statement.sizes))

    def emit(self) -> None:
        """Write the nest."""
        if 0 not in self.nest.rows:
            self._rows(0)

    def _rows(self, axis: int) -> None:
        if axis == len(self.nest.rows):
            for group in self.groups:
                self._statements(group)
            return
        self.elements.hoist(_roots(self.nest.statements), bit(axis))
        size = self.nest.rows[axis]
        if axis == self.nest.lane:
            self._lanes(axis, size, self.nest.lanes, lambda: self._rows(axis + 1))
        else:
            self._loop(axis, size, lambda: self._rows(axis + 1))

    def _statements(self, group: Sequence[Statement]) -> None:
        """Statements that share their inner loops."""
        sizes = group[0].sizes
        for k, size in enumerate(sizes):
            self.elements.space.ranges[len(self.nest.rows) + k] = size
        if 0 not in sizes:
            self._inner(group, 0)

    def _inner(self, group: Sequence[Statement], k: int) -> None:
        sizes = group[0].sizes
        if k == len(sizes):
            self._turn(group)
            return
        axis = len(self.nest.rows) + k
        self.elements.hoist(_roots(group), _bits(axis, len(self.nest.rows) + len(sizes)))
        if k == len(sizes) - 1 and self.nest.lane is None:
            values = [statement.value for statement in group]
            base = self.target.lanes(widest(*values))
            lanes = lanes_for(base, weight(*values), sizes[k])
            self._lanes(axis, sizes[k], lanes, lambda: self._turn(group))
        else:
            self._loop(axis, sizes[k], lambda: self._inner(group, k + 1))

    def _turn(self, group: Sequence[Statement]) -> None:
        """One turn of the innermost loop; what one statement stores, the next has in registers."""
        for statement, reads in _forwarded(group):
            result = self.elements.store(statement.buffer, statement.address, statement.value)
            for read in reads:
                self.elements.remember(read, result)

    def _loop(self, axis: int, size: int, body: Callable[[], None]) -> None:
        if size == 1:
            with self.elements.bound(axis, "0"):
                body()
            return
        with self.f.loop(0, size) as loop, self.elements.bound(axis, loop.index):
            body()

    def _lanes(self, axis: int, size: int, lanes: int, body: Callable[[], None]) -> None:
        main = size // lanes * lanes
        whole = Lane(axis, Width(lanes))
        if main == lanes:
            with self.elements.bound(axis, "0", whole):
                body()
        elif main:
            with self.f.loop(0, main, lanes) as loop, self.elements.bound(axis, loop.index, whole):
                body()
        if size > main:
            width = 1
            while width < size - main:
                width *= 2
            with self.elements.bound(axis, str(main), Lane(axis, Width.first(size - main, width))):
                body()


def together(statements: Sequence[Statement]) -> list[list[Statement]]:
    """Consecutive statements that may share their loops: a later one reads earlier results only in the same turn."""
    groups: list[list[Statement]] = []
    for statement in statements:
        if groups and groups[-1][0].sizes == statement.sizes and _same_turn(groups[-1], statement):
            groups[-1].append(statement)
        else:
            groups.append([statement])
    return groups


def _same_turn(earlier: Sequence[Statement], statement: Statement) -> bool:
    stored = {s.buffer: s.address for s in earlier}
    inside = {id(node) for fold in walk(statement.value) if isinstance(fold, Fold) for node in walk(fold.body)}
    return all(
        node.indices[0] is stored[node.operand] and id(node) not in inside
        for node in walk(statement.value)
        if isinstance(node, Load) and node.operand in stored
    )


def _forwarded(group: Sequence[Statement]) -> list[tuple[Statement, list[Load]]]:
    """Each statement with the loads, in later ones of its turn, of what it stores."""
    found = []
    for k, statement in enumerate(group):
        below = walk(*(later.value for later in group[k + 1 :]))
        reads = [node for node in below if isinstance(node, Load) and node.operand == statement.buffer]
        found.append((statement, reads))
    return found


def _roots(statements: Sequence[Statement]) -> list[Expr]:
    return [expr for statement in statements for expr in (statement.address, statement.value)]


def _bits(first: int, stop: int) -> int:
    bits = 0
    for axis in range(first, stop):
        bits |= bit(axis)
    return bits

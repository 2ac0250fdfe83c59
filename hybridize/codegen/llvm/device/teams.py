# SPDX-License-Identifier: Apache-2.0
"""Folds whose elements the threads of a row share: each folds its own, then the states are put together.

The states of a warp meet by registers, halves first; those of a block's warps in shared memory, where all threads read
them in order. Which threads there are follows from the sizes of the nest, so that every device sums in one order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from hybridize.base.dims import Size, product, same
from hybridize.base.dtypes import bool_
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.device.neighbours import NeighbourElements
from hybridize.codegen.llvm.nests.folding import Folding, State
from hybridize.codegen.llvm.nests.positions import Array, Positions
from hybridize.codegen.llvm.text import Function
from hybridize.codegen.llvm.threads import SharedMemory, from_below, from_first, wait_for_block
from hybridize.loops.expr import Expr
from hybridize.loops.index import bit
from hybridize.machine.target import Target
from hybridize.schedule.kernel import Nest


@frozen
class Team:
    """The threads that share a row."""

    count: int
    rank: str
    """The number of the thread among them, as an i64 register."""
    warp: int
    """Threads of a warp, whose registers meet; 1 where none do."""

    @property
    def warps(self) -> int:
        """The warps that it fills."""
        return self.count // self.warp


class TeamElements(NeighbourElements):
    """Writes the expressions of a nest for a thread, which may be one of a team."""

    def __init__(
        self,
        f: Function,
        target: Target,
        arrays: Mapping[int, Array],
        nest: Nest,
        *,
        team: Team | None,
        memory: SharedMemory,
        aligned: Collection[int],
    ) -> None:
        sizes = {axis: row.size for axis, row in enumerate(nest.rows)}
        levels = {one.variable: one for one in nest.levels}
        super().__init__(f, target, arrays, sizes, levels, neighbours=nest.neighbours, aligned=aligned)
        self._shared, self._team, self._memory = nest.teams, team, memory

    def is_shared(self, variable: int) -> bool:
        """Tell whether the threads of a team share the fold of a variable."""
        return variable in self._shared

    def _horizontal(self, folding: Folding) -> State:
        chain, elements = self.chain(folding)
        team = self._team
        if team is None or not self.is_shared(chain[0][0]):
            return super()._horizontal(folding)
        self.hoist(_parts(elements), sum(bit(variable) for variable, _ in chain))
        carry = list(zip(folding.types(1), folding.empty(1), strict=True))
        at_once = self.neighbours
        with (
            self.f.loop(team.rank, self.f.size(turns(chain, at_once)), team.count, carry) as loop,
            counted(self, chain, loop.index, at_once),
        ):
            state = list(loop.values)
            for _ in self.each_neighbour(_parts(elements), chain[-1][0]):
                state = self._step(folding, state, elements, 1)
            loop.following = state
        return self._put_together(folding, loop.results, team)

    def _put_together(self, folding: Folding, state: State, team: Team) -> State:
        """Return the states of all threads as one, which all of them know."""
        if team.warp == 1:
            return self._tree(folding, state, team)
        f, types, distance = self.f, folding.types(1), team.warp // 2
        while distance:
            behind = [from_below(f, x, kind, distance) for x, kind in zip(state, types, strict=True)]
            state = folding.combined(state, behind, 1)
            distance //= 2
        if team.warps == 1:
            return [from_first(f, x, kind) for x, kind in zip(state, types, strict=True)]
        warp = f.op(f"udiv i64 {team.rank}, {team.warp}")
        leads = f.test("eq", f.op(f"urem i64 {team.rank}, {team.warp}"), 0)
        states = _States(f, self._memory, folding, team.warps)
        with f.when(leads):
            states.write(warp, state)
        wait_for_block(f)
        parts = [states.read(number) for number in range(team.warps)]
        state = parts[0]
        for part in parts[1:]:
            state = folding.combined(state, part, 1)
        return state

    def _tree(self, folding: Folding, state: State, team: Team) -> State:
        """Return the states of all threads as one, by shared memory alone: in pairs, halves first."""
        f, half = self.f, team.count // 2
        states = _States(f, self._memory, folding, team.count)
        states.write(team.rank, state)
        with f.loop(0, half.bit_length()) as loop:
            wait_for_block(f)
            distance = f.op(f"lshr i64 {half}, {loop.index}")
            with f.when(f.test("slt", team.rank, distance)):
                state, behind = states.read(team.rank), states.read(f.plus(team.rank, distance))
                states.write(team.rank, folding.combined(state, behind, 1))
        wait_for_block(f)
        return states.read(0)


class _States:
    """States of a fold in shared memory."""

    def __init__(self, f: Function, memory: SharedMemory, folding: Folding, count: int) -> None:
        self._f = f
        self._kinds = [
            (kind, "i8" if dtype == bool_ else kind)
            for dtype, kind in zip(folding.accumulators, folding.types(1), strict=True)
        ]
        """Of each accumulator the type of the register, and that in memory."""
        self._arrays = [
            memory.array(stored, count, dtype.itemsize)
            for dtype, (_, stored) in zip(folding.accumulators, self._kinds, strict=True)
        ]

    def write(self, place: str, state: State) -> None:
        """Store a state."""
        f = self._f
        for x, (kind, stored), array in zip(state, self._kinds, self._arrays, strict=True):
            whole = x if stored == kind else f.op(f"zext {kind} {x} to {stored}")
            f.do(f"store {stored} {whole}, ptr {f.element(array, place, stored)}")

    def read(self, place: str | int) -> State:
        """Return a state."""
        f, state = self._f, []
        for (kind, stored), array in zip(self._kinds, self._arrays, strict=True):
            x = f.op(f"load {stored}, ptr {f.element(array, place, stored)}")
            state.append(x if stored == kind else f.op(f"trunc {stored} {x} to {kind}"))
        return state


def turns(axes: Sequence[tuple[int, int]], at_once: int) -> Size:
    """Return how often a thread would take so many neighbours at once of axes, (number, size) each."""
    sizes = [size for _, size in axes]
    return product(sizes) if at_once == 1 else product(sizes[:-1]) * ((sizes[-1] + at_once - 1) // at_once)


@contextmanager
def counted(positions: Positions, axes: Sequence[tuple[int, int]], index: str, at_once: int = 1) -> Iterator[None]:
    """Open axes, (number, size) each, at an index that counts all of them as one, the last one fastest; that one counts
    so many neighbours as one.
    """
    f = positions.f
    if at_once > 1:
        (last, size), axes = axes[-1], axes[:-1]
        several = turns([(last, size)], at_once)
        place = f.op(f"urem i64 {index}, {f.size(several)}") if axes else index
        index = f.op(f"udiv i64 {index}, {f.size(several)}") if axes else index
        with counted(positions, axes, index), positions.bound(last, f.times(place, at_once)):
            yield
        return
    with ExitStack() as stack:
        places = []
        for number, size in reversed(axes[1:]):
            if same(size, 1):
                places.append((number, "0"))
                continue
            places.append((number, f.op(f"urem i64 {index}, {f.size(size)}")))
            index = f.op(f"udiv i64 {index}, {f.size(size)}")
        places += [(axes[0][0], index)] if axes else []
        for number, place in reversed(places):
            stack.enter_context(positions.bound(number, place))
        yield


def _parts(elements: Iterable[Iterable[Expr]]) -> list[Expr]:
    return [part for element in elements for part in element]

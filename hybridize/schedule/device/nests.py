# SPDX-License-Identifier: Apache-2.0
"""Decide the threads of a nest on a device: which axes are threads, warps or blocks, and where threads wait.

A nest is a launch. Its rows are threads, warps or blocks; the loops of a body are threads, or are shared by the threads
of a row (its *team*), and so are folds that are one number for a row. All of it follows from the nest, its arrays and
the target alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from hybridize.base.dims import hint, is_symbolic, product, same, text
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Axis, Expr, Fold, Load
from hybridize.loops.index import Index, Interner, Space, bit, children
from hybridize.loops.kernel import Param, Statement, roots_of
from hybridize.loops.measure import walk
from hybridize.loops.monoids import monoid, nested
from hybridize.machine.device import DeviceTarget
from hybridize.machine.target import Target
from hybridize.schedule import kernel
from hybridize.schedule.device import thresholds
from hybridize.schedule.device.locals import with_places
from hybridize.schedule.device.neighbours import (
    AlongAxis,
    accesses_of,
    most_neighbours,
    neighbours_at_once,
    reads_of,
)
from hybridize.schedule.device.parts import FoldParts, in_parts
from hybridize.schedule.kernel import Few, FoldLanes
from hybridize.schedule.levels import levels_of
from hybridize.schedule.nests import Nests
from hybridize.schedule.together import LoopedStatement, moved, together
from hybridize.schedule.vectors import Widths


def nests_of(target: Target, params: Sequence[Param], locals_: Sequence[Param], interner: Interner) -> Nests:
    """Return the maker of a kernel's nests over params, and over rows that it keeps, on a processor or a device."""
    if target.device is None:
        return Nests(target, (*params, *locals_), interner)
    return DeviceNests(target, target.device, params, locals_, interner)


class _NoVectors(Widths):
    """The vectors of a thread: it has none."""

    def fold(self, fold: Fold, few: Few | None) -> FoldLanes | None:
        return None


class DeviceNests(Nests):
    """Makes the nests of a kernel on a device."""

    def __init__(
        self,
        target: Target,
        device: DeviceTarget,
        params: Sequence[Param],
        locals_: Sequence[Param],
        interner: Interner,
    ) -> None:
        arrays = (*params, *locals_)
        super().__init__(target, arrays, interner)
        self.vectors = _NoVectors(target, arrays)
        self.device = device
        self.dtypes = {number: one.dtype for number, one in enumerate(arrays)}
        """Of the buffers."""
        self.locals = {number: one.size for number, one in enumerate(locals_, len(params))}
        """Sizes of the buffers that are rows, by number: those of several warps, or blocks, lie side by side."""
        self._between: list[Param] = []
        """Buffers between launches, which are numbered after all others."""

    def nest(self, statements: Sequence[LoopedStatement]) -> kernel.Nest:
        return _Threads(self, (), statements).nest()

    def nests(
        self,
        rows: tuple[int, ...],
        statements: Sequence[LoopedStatement],
        lane: int | None = None,
        lanes: int = 1,
        *,
        apart: bool = False,
    ) -> list[kernel.Nest]:
        """Return the nests of statements, each a launch; memory is in order along row axis `lane`, if given.

        Statements of no rows are launches of their own, unless they share their loops: all threads of a launch wait for
        those before it, which also ends long rows of single threads. Statements that keep rows are one launch, as rows
        live as long as a launch.
        """
        keeps = any(one.statement.buffer in self.locals for one in statements)
        is_one = keeps or (rows and not _Threads(self, rows, statements, lane).are_long())
        groups = [statements] if is_one else together(statements)
        nests = list[kernel.Nest]()
        for group in groups:
            if rows and len(groups) > 1 and group[0].sizes:  # its loops are threads, as rows are
                group = [LoopedStatement((*rows, *one.sizes), one.statement) for one in group]
                nests += self._in_parts((), group, None)
            else:
                nests += self._in_parts(rows, group, lane)
        return nests

    def _in_parts(
        self, rows: tuple[int, ...], statements: Sequence[LoopedStatement], lane: int | None
    ) -> list[kernel.Nest]:
        """Return one nest, or two where rows are few and long."""
        whole = _Threads(self, rows, statements, lane)
        cut = None if self.locals else whole.in_parts(len(self.dtypes))
        if cut is None:
            return [whole.nest()]
        self.dtypes |= {number: one.dtype for number, one in enumerate(cut.buffers, len(self.dtypes))}
        self._between += cut.buffers
        return [_Threads(self, cut.rows, cut.parts).nest(), _Threads(self, cut.rows[1:], cut.whole).nest()]

    def kernel(self, params: Sequence[Param], locals_: Sequence[Param], nests: Sequence[kernel.Nest]) -> kernel.Kernel:
        return with_places((*params, *self._between), tuple(locals_), tuple(nests), self.device, self.interner)


class _Threads:
    """The decisions of one nest."""

    def __init__(
        self, of: DeviceNests, rows: tuple[int, ...], statements: Sequence[LoopedStatement], lane: int | None = None
    ) -> None:
        self._device, self._interner, self._dtypes, self._locals = of.device, of.interner, of.dtypes, of.locals
        self._rows, self._lane = rows, lane
        self._groups = together(statements)
        self._statements = [one.statement for one in statements]
        folding = [root for root in roots_of(self._statements) if self._interner.facts(root).folds]
        self._folds = [node for node in walk(*folding) if isinstance(node, Fold)]

    def nest(self) -> kernel.Nest:
        """Decide the nest."""
        if not self._rows and len(self._groups) == 1 and not self._row_folds(0):
            # Results of a body without rows are rows, where they are anything but a thread each.
            sizes = self._groups[0][0].sizes
            if not self._suits_teams(sizes, self._row_folds(len(sizes))):
                return self._each_thread(sizes)
            self._rows, self._groups = sizes, [[LoopedStatement((), one) for one in self._statements]]
        folds = self._row_folds(len(self._rows))
        return self._teams(folds) if self._has_teams(folds) else self._each_row()

    def _longest(self, folds: Sequence[Fold]) -> int:
        """Count the turns of the longest loop, and the terms of the longest of these folds."""
        return max([1, *(_hinted(group[0].sizes) for group in self._groups), *map(_terms, folds)])

    def _has_teams(self, folds: Sequence[Fold]) -> bool:
        """Tell whether threads share rows."""
        longest = self._longest(folds)
        if not self._rows:
            return longest > 1
        if all(not group[0].sizes for group in self._groups):
            return self._suits_teams(self._rows, folds)
        each = hint(product(self._rows))
        many = each > thresholds.FEW_RESULTS or longest < thresholds.LONG_FOLD
        return longest > thresholds.SHORT_ROW and not (self._lane is not None and many)

    def are_long(self) -> bool:
        """Tell whether a row is a thread that has much to do, part of it in loops that others could share."""
        folds = self._row_folds(len(self._rows))
        loops = any(group[0].sizes for group in self._groups)
        return loops and self._longest(folds) > thresholds.THREAD_TERMS and not self._has_teams(folds)

    def in_parts(self, first: int) -> FoldParts | None:
        """Cut the folds into parts, where that pays; the buffers between are numbered from `first` on."""
        if len(self._groups) != 1:
            return None
        rows = self._rows or self._groups[0][0].sizes
        if self._rows and self._groups[0][0].sizes:
            return None
        folds = self._row_folds(len(rows))
        if not folds or (rows and not all(map(self._interner.free, folds))):
            return None
        return in_parts(rows, self._statements, folds, first, self._interner, along=self._lie_along(rows, folds))

    # What is there

    def _row_folds(self, rows: int) -> list[Fold]:
        """List the folds that are one number for a row, the outermost of directly nested ones."""
        axes = sum(bit(axis) for axis in range(rows))
        return [one for one in self._outer_folds() if not self._interner.free(one) & ~axes]

    def _suits_teams(self, rows: Sequence[int], folds: Sequence[Fold]) -> bool:
        """Tell whether threads are better to share the folds of a row, which is one result: they are long, and either
        their elements lie closer together than rows do, or rows are few.
        """
        terms = max(map(_terms, folds), default=0)
        if not rows or terms < self._device.warp:
            return False
        if hint(product(rows)) <= thresholds.FEW_RESULTS and terms >= thresholds.LONG_FOLD:
            return True
        return self._lie_along(rows, folds)

    def _lie_along(self, rows: Sequence[int], folds: Sequence[Fold]) -> bool:
        """Tell whether the elements of folds lie closer together than those of rows."""
        along = sum(self._near(nested(fold)[1], nested(fold)[0][-1][0]) for fold in folds)
        return not rows or along > sum(self._near(nested(fold)[1], len(rows) - 1) for fold in folds)

    def _near(self, elements: Sequence[Expr], axis: int) -> int:
        """Count the loads of elements whose neighbours along an axis, or a variable, are the same or lie beside."""
        count = 0
        for load in walk(*elements):
            if isinstance(load, Load):
                address = load.indices[0]
                terms = address.terms if isinstance(address, Index) else ((address, 1),)
                moving = [by for atom, by in terms if self._interner.free(atom) & bit(axis)]
                count += not moving or all(same(by, 1) for by in moving)
        return count

    # What they become

    def _each_thread(self, sizes: tuple[int, ...]) -> kernel.Nest:
        """Return the nest of which every index of the only body is a thread."""
        body = kernel.Body(_axes(sizes, kernel.EachThread()), tuple(self._statements))
        count = self._neighbours_of_threads(sizes)
        turns = product(sizes) if count == 1 else product(sizes[:-1]) * ((sizes[-1] + count - 1) // count)
        launch = kernel.Launch.of(turns, thresholds.THREADS)
        return kernel.Nest((), (body,), levels=self._levels(()), launch=launch, neighbours=count)

    def _neighbours_of_threads(self, sizes: tuple[int, ...]) -> int:
        """Count the neighbours that a thread takes at once, where every index of the only body is a thread's."""
        if not sizes or self._folds:
            return 1
        axis = len(sizes) - 1
        count = self._at_once(accesses_of(self._statements, axis))
        if axis:
            return _dividing(count, sizes[-1:])
        # What is left of one axis is the last thread's.
        return count if is_symbolic(sizes[0]) else min(count, 1 << max(1, sizes[0]).bit_length() - 1)

    def _neighbours_of_team(self, folds: Sequence[Fold]) -> int:
        """Count the neighbours that a thread takes at once of all loops that a row's threads share."""
        shared = {id(fold) for fold in folds}
        if any(id(one) not in shared for one in self._outer_folds()):
            return 1
        rows, accesses, sizes = len(self._rows), list[AlongAxis](), list(self._locals.values())
        for group in self._groups:
            if group[0].sizes:
                axis = rows + len(group[0].sizes) - 1
                accesses += accesses_of([one.statement for one in group], axis)
                sizes.append(group[0].sizes[-1])
        for fold in folds:
            chain, elements = nested(fold)
            accesses += reads_of(elements, chain[-1][0])
            sizes.append(chain[-1][1])
        return _dividing(self._at_once(accesses), sizes)

    def _at_once(self, accesses: Iterable[AlongAxis]) -> int:
        most = most_neighbours(one.value for one in self._statements)
        return neighbours_at_once(accesses, self._dtypes, self._device.at_once, most)

    def _outer_folds(self) -> list[Fold]:
        """List all folds but those that are directly nested in others."""
        inner = {variable for outer in self._folds for variable, _ in nested(outer)[0][1:]}
        return [one for one in self._folds if one.variable not in inner]

    def _each_row(self) -> kernel.Nest:
        """Return the nest of which every row is a thread."""
        rows = _axes(self._rows, kernel.EachThread())
        bodies = tuple(self._body(group, kernel.Plain()) for group in self._groups)
        launch = kernel.Launch.of(product(self._rows), thresholds.THREADS)
        return kernel.Nest(rows, bodies, levels=self._levels(()), launch=launch)

    def _teams(self, folds: Sequence[Fold]) -> kernel.Nest:
        """Return the nest of which every row is a warp, or a block."""
        longest = self._longest(folds)
        teams = tuple(dict.fromkeys(fold.variable for fold in folds))
        is_short = bool(self._rows) and longest <= thresholds.WARP_ROW
        by_warps = is_short and self._device.shuffles
        if by_warps:
            threads = thresholds.WARPS * self._device.warp
            launch = kernel.Launch((product(self._rows) + thresholds.WARPS - 1) // thresholds.WARPS, threads)
        else:
            most = (count for size, count in thresholds.BLOCK_THREADS.items() if longest <= size)
            threads = thresholds.ROW_THREADS if is_short else next(most, self._device.threads)
            states = {id(fold): _state_bytes(fold, threads // self._device.meeting) for fold in folds}
            launch = kernel.Launch(product(self._rows), threads, sum(states.values()))
        rows = _axes(self._rows, kernel.EachWarp() if by_warps else kernel.EachBlock())
        waits = _Waits(self._interner, len(self._rows), folds, meets=not by_warps)
        bodies = tuple(self._body(group, kernel.ByTeam(), waits=waits.before(group)) for group in self._groups)
        return kernel.Nest(
            rows, bodies, levels=self._levels(teams), teams=teams, launch=launch,
            neighbours=self._neighbours_of_team(folds),
        )  # fmt: skip

    def _body(self, group: Sequence[LoopedStatement], kind: kernel.AxisKind, *, waits: bool = False) -> kernel.Body:
        statements = tuple(one.statement for one in group)
        return kernel.Body(_axes(group[0].sizes, kind), statements, waits=waits)

    def _levels(self, teams: Sequence[int]) -> tuple[kernel.FoldLevels, ...]:
        """Return the order of long sums that a thread computes alone."""
        alone = [fold for fold in self._folds if fold.variable not in teams]
        return levels_of(alone, (), None, lambda _: False)


@frozen
class _Touch:
    """A read or a store of a buffer, by the thread that a place tells."""

    buffer: int
    place: tuple[object, ...]
    """Equal where the same thread touches the same element."""
    stores: bool

    def meets(self, other: _Touch) -> bool:
        """Tell whether two threads may touch one element, of which one stores it."""
        return self.buffer == other.buffer and (self.stores or other.stores) and self.place != other.place


class _Waits:
    """Finds the bodies before which the threads of a row wait for each other.

    Where the warps of a block put their states of a fold together, they wait, too: what was touched before is behind.
    """

    def __init__(self, interner: Interner, rows: int, folds: Sequence[Fold], *, meets: bool) -> None:
        """`meets`: folds are computed by several warps."""
        self._interner, self._rows, self._meets = interner, rows, meets
        self._folds = {id(fold): fold for fold in folds}
        self._open: list[_Touch] = []
        self._known: set[int] = set()
        self._keep: list[Expr] = []

    def before(self, group: Sequence[LoopedStatement]) -> bool:
        """Tell whether threads wait before a body; bodies are asked for in order."""
        statements = [one.statement for one in group]
        folds = [
            fold for node in walk(*roots_of(statements))
            if (fold := self._folds.get(id(node))) is not None and id(fold) not in self._known
        ]  # fmt: skip
        self._known.update(map(id, folds))
        read = [touch for fold in folds for touch in self._fold_touches(fold)]
        done = [*self._touches(statements, group[0].sizes)]
        is_behind = bool(folds) and self._meets
        waits = self._meet(read) or (not is_behind and self._meet([*read, *done]))
        if waits or is_behind:
            self._open.clear()
        self._open += done if is_behind else [*read, *done]
        return waits

    def _meet(self, touches: Iterable[_Touch]) -> bool:
        return any(one.meets(other) for one in touches for other in self._open)

    def _fold_touches(self, fold: Fold) -> Iterator[_Touch]:
        """List the reads of a fold's elements, its variables in the place of a body's axes."""
        chain, elements = nested(fold)
        space = Space(self._interner, {self._rows + k: size for k, (_, size) in enumerate(chain)})
        axes = {variable: space.axis(self._rows + k) for k, (variable, _) in enumerate(chain)}
        sizes = tuple(size for _, size in chain)
        for node in self._loads(elements):
            yield self._touch(node.operand, moved(node.indices[0], space, axes), sizes)

    def _touches(self, statements: Sequence[Statement], sizes: tuple[int, ...]) -> Iterator[_Touch]:
        """List the reads and stores of the turns of a body."""
        for node in self._loads(roots_of(statements)):
            yield self._touch(node.operand, node.indices[0], sizes)
        for statement in statements:
            yield self._touch(statement.buffer, statement.index, sizes, stores=True)

    def _loads(self, roots: Iterable[Expr]) -> Iterator[Load]:
        """Iterate over the loads below expressions, without those of folds that are computed before."""
        stack, seen = list(roots), set[int]()
        while stack:
            node = stack.pop()
            if id(node) in seen or id(node) in self._folds:
                continue
            seen.add(id(node))
            if isinstance(node, Load):
                yield node
            stack += children(node)

    def _touch(self, buffer: int, index: Expr, sizes: tuple[int, ...], *, stores: bool = False) -> _Touch:
        self._keep.append(index)
        return _Touch(buffer, self._place(index, sizes), stores)

    def _place(self, index: Expr, sizes: tuple[int, ...]) -> tuple[object, ...]:
        """Name the thread and element of a turn: loops whose indices are counted in order are as good as one loop."""
        if not sizes:
            return ("the first thread", id(index))
        terms = index.terms if isinstance(index, Index) else ((index, 1),)
        axes = range(self._rows, self._rows + len(sizes))
        by = {atom.number: factor for atom, factor in terms if isinstance(atom, Axis) and atom.number in axes}
        others = [
            (id(atom), text(factor)) for atom, factor in terms if not isinstance(atom, Axis) or atom.number not in by
        ]
        inner = sum(map(bit, axes))
        is_affine = not any(self._interner.free(atom) & inner for atom, _ in terms if not isinstance(atom, Axis))
        stride = first = by.get(axes[-1], 0)
        for axis, size in zip(reversed(axes), reversed(sizes), strict=True):
            is_affine = is_affine and (same(size, 1) or same(by.get(axis, 0), stride))
            stride = stride * size
        if not is_affine or same(first, 0):
            return (*map(text, sizes), id(index))
        constant = index.constant if isinstance(index, Index) else 0
        return (text(product(sizes)), text(first), text(constant), *sorted(others))


def _axes(sizes: Sequence[int], kind: kernel.AxisKind) -> tuple[kernel.LoopAxis, ...]:
    return tuple(kernel.LoopAxis(size, kind) for size in sizes)


def _dividing(count: int, sizes: Iterable[int]) -> int:
    """Return the most neighbours, up to so many, that divide sizes."""
    return math.gcd(count, *(1 if is_symbolic(size) else size for size in sizes))


def _hinted(sizes: Sequence[int]) -> int:
    return hint(product(sizes))


def _terms(fold: Fold) -> int:
    return _hinted([size for _, size in nested(fold)[0]])


def _state_bytes(fold: Fold, warps: int) -> int:
    """Count the bytes for states of the warps, or the threads, of a block: a place for each accumulator of each."""
    return sum(-(-warps * dtype.itemsize // 16) * 16 for dtype in monoid(fold).accumulators)

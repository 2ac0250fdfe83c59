# SPDX-License-Identifier: Apache-2.0
"""A kernel with all that was decided of how its loops run: the kind of each axis, lanes of folds, what is asked for
ahead. That changes how fast it runs, not what it means, which is `Kernel.elements`. Its text shows all of it.

    kernel    = (params, locals, nests)
    nest      = (rows, bodies)                       for each row, in order: every body
    body      = (axes, statements)                   for each inner position, in order: every statement
    axis      = (size, kind)                         a loop, and how it runs (`AxisKind`)
"""

from __future__ import annotations

import functools

from hybridize.base.dims import same
from hybridize.base.frozen import frozen
from hybridize.base.memo import Memo
from hybridize.loops.expr import Fold, Load
from hybridize.loops.index import upward
from hybridize.loops.kernel import (
    ElementKernel,
    ExpressionPrinter,
    LoopBody,
    LoopNest,
    Param,
    Statement,
    size_text,
)

# Kinds of axes


@frozen
class Plain:
    """One index a turn."""

    @property
    def step(self) -> int:
        """Indices of one turn."""
        return 1

    def __str__(self) -> str:
        return ""


@frozen
class Lanes:
    """Consecutive indices share a vector: whole vectors first, then what is left under a mask."""

    whole: tuple[int, ...]
    """Lanes of the loops over whole vectors, one after the other; each may turn no time at all."""
    rest: int = 0
    """Lanes of the one masked vector at the end; 0: nothing is left."""
    always: bool = False
    """True if the vector at the end always runs, with 1 to all of its lanes: where the size is not known, no row has to
    ask, and what it stores is known to the statements after it, which would wait long to read it back from memory."""

    @property
    def step(self) -> int:
        """Lanes of the first vector."""
        return self.whole[0] if self.whole else self.rest

    def __str__(self) -> str:
        rest = [f"{'always ' if self.always else ''}masked {self.rest}"] if self.rest else []
        return f"in {', '.join([*map(str, self.whole), *rest])}"


@frozen
class Tiles:
    """Squares of this and the body's last axis are turned around in registers: loads lie along this one, vectors along
    the last one.
    """

    lanes: int
    """Rows and columns of a tile."""
    loads: tuple[tuple[Load, int | None], ...]
    """Loads to turn around, with the distance in memory of consecutive indices of the last axis; None where that is not
    the same for all.
    """
    rest: Lanes
    """Vectors for what whole tiles leave of the last axis. What they leave of this one is done index by index."""
    part: int = 0
    """Indices of the last axis, where not 0, that whole tiles leave for a tile of so many rows, and not to vectors."""

    @property
    def step(self) -> int:
        """Indices of one turn."""
        return self.lanes


@frozen
class SideBySide:
    """A few rows at a time: their folds in the turns of one loop, then each row."""

    rows: int
    folds: tuple[Fold, ...]
    """Those that others need come first."""

    @property
    def step(self) -> int:
        """Indices of one turn."""
        return self.rows


@frozen
class Panels:
    """Rows in vectors, a panel of them at a time: totals of the folds lie in memory, and a few terms at a time are
    added in registers before; then the rows.
    """

    page: int
    """Rows that are not divided among threads."""
    pages: int
    """Most pages of a panel."""
    lanes: int
    """Of all its vectors; the last one is masked."""
    terms: int
    """Terms that are added in registers before totals are read and written."""
    folds: tuple[Fold, ...]
    """Those that others need come first."""

    @property
    def step(self) -> int:
        """Indices of one turn."""
        return self.page


@frozen
class Memcpy:
    """All of the axis in one call of `memcpy`."""

    @property
    def step(self) -> int:
        """Indices of one turn."""
        return 1


# Kinds of axes on a device. A nest is a launch there; what is `Plain` is counted by every thread for itself.


@frozen
class EachThread:
    """Each index is a thread of its own: those of all such axes, rows and loops, are counted as one."""

    @property
    def step(self) -> int:
        """Indices of one turn."""
        return 1

    def __str__(self) -> str:
        return "each a thread"


@frozen
class EachWarp:
    """Each index of rows is a warp, several of which are a block."""

    @property
    def step(self) -> int:
        """Indices of one turn."""
        return 1

    def __str__(self) -> str:
        return "each a warp"


@frozen
class EachBlock:
    """Each index of rows is a block."""

    @property
    def step(self) -> int:
        """Indices of one turn."""
        return 1

    def __str__(self) -> str:
        return "each a block"


@frozen
class ByTeam:
    """The threads of a row, a warp or a block, share a loop: thread t of n takes the indices t, t + n, ... of all loops
    of its body, which are counted as one.
    """

    @property
    def step(self) -> int:
        """Indices of one turn."""
        return 1

    def __str__(self) -> str:
        return "by the team"


AxisKind = Plain | Lanes | Tiles | SideBySide | Panels | Memcpy | EachThread | EachWarp | EachBlock | ByTeam


@frozen
class LoopAxis:
    """A loop: how many indices, which may be a dim, and how they run."""

    size: int
    kind: AxisKind = Plain()
    few: Lanes | None = None
    """The vectors instead in the code for short rows, where the nest has such (`Nest.few`)."""


@frozen
class Fetch:
    """A load, and how many elements further on its next row lies: that is asked for while this row is read."""

    load: Load
    distance: int


@frozen
class Body:
    """Statements that share their inner loops, in the order of a turn."""

    axes: tuple[LoopAxis, ...]
    statements: tuple[Statement, ...]
    fetches: tuple[Fetch, ...] = ()
    waits: bool = False
    """True if the threads of a row wait for each other before it: it reads what another thread stored, or stores what
    another one read."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of its axes."""
        return tuple(axis.size for axis in self.axes)


@frozen
class FoldLanes:
    """Vectors of a fold that is one number for all lanes, or stands outside of vectors: one of its variables is spread.

    A fold that has none runs term by term, as does one that differs between the lanes.
    """

    fold: int
    """The variable of the fold; of directly nested ones, the outermost."""
    variable: int
    """The variable that is spread over lanes."""
    lanes: Lanes
    few: Lanes | None = None
    """As of `LoopAxis`."""


@frozen
class FoldLevels:
    """The order in which a long fold is summed: so many turns apart, then so many of these, outermost first."""

    variable: int
    turns: tuple[int, ...]
    """Of a loop that goes term by term, or by the terms of panels."""
    vectors: tuple[int, ...]
    """Of a loop that goes by vectors: see `FoldLanes`."""

    def __str__(self) -> str:
        vectors = f"{', '.join(map(str, self.vectors))} vectors" if self.vectors else ""
        ways = (", ".join(map(str, self.turns)), vectors)
        return f" by {' or '.join(filter(None, ways))}"


@frozen
class Launch:
    """The threads of a nest on a device."""

    blocks: int
    """May be a dim."""
    threads: int
    """Of a block."""
    shared_bytes: int = 0
    """Memory that the threads of a block share: rows that are kept, states of folds."""

    @staticmethod
    def of(count: int, threads: int) -> Launch:
        """Launch so many threads, in blocks of `threads`."""
        return Launch((count + threads - 1) // threads, threads)

    def __str__(self) -> str:
        blocks = "1 block" if same(self.blocks, 1) else f"{size_text(self.blocks)} blocks"
        shared = f", {self.shared_bytes} bytes of shared memory" if self.shared_bytes else ""
        return f"{blocks} of {self.threads} threads{shared}"


@frozen
class Few:
    """A size of rows that is not known: rows of at most `lanes` elements are one vector, and have code of their own."""

    size: int
    lanes: int


@frozen
class Nest:
    """Blocks that run for each row."""

    rows: tuple[LoopAxis, ...]
    bodies: tuple[Body, ...]
    folds: tuple[FoldLanes, ...] = ()
    few: Few | None = None
    levels: tuple[FoldLevels, ...] = ()
    teams: tuple[int, ...] = ()
    """Variables of folds, of directly nested ones the outermost, whose elements the threads of a row share as `ByTeam`
    says: their states are put together, and all threads know the result."""
    launch: Launch | None = None
    """On a device."""
    neighbours: int = 1
    """Neighbours along the last axis of a loop, or of a fold, that a thread of a device takes at once, where the loop
    is threads' or a team's."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Those of all bodies, in order."""
        return tuple(statement for body in self.bodies for statement in body.statements)

    @property
    def loops(self) -> LoopNest:
        """The loops alone: what is stored, in which order."""
        bodies = tuple(LoopBody(body.sizes, body.statements) for body in self.bodies)
        return LoopNest(tuple(axis.size for axis in self.rows), bodies)

    @property
    def lane(self) -> int | None:
        """The row axis whose consecutive values share a vector; None where only inner axes and folds have vectors."""
        return next((k for k, axis in enumerate(self.rows) if isinstance(axis.kind, Lanes | Panels)), None)

    @property
    def lanes(self) -> int:
        """Rows that share a vector at most."""
        kind = Plain() if self.lane is None else self.rows[self.lane].kind
        return kind.lanes if isinstance(kind, Panels) else kind.step


@frozen
class Kernel:
    """Loop nests over the same buffers, run in order."""

    params: tuple[Param, ...]
    locals: tuple[Param, ...]
    nests: tuple[Nest, ...]

    @functools.cached_property
    def elements(self) -> ElementKernel:
        """The kernel alone: what each element is."""
        return ElementKernel(self.params, self.locals, tuple(nest.loops for nest in self.nests))

    @property
    def arguments(self) -> tuple[Param, ...]:
        """The buffers that it is given: rows that the threads of a block share are in no memory of the program."""
        is_launched = any(nest.launch is not None for nest in self.nests)
        return self.params if is_launched else (*self.params, *self.locals)

    @functools.cached_property
    def results(self) -> Memo:
        """All that follows from it alone, and is asked for again."""
        return Memo()

    def __str__(self) -> str:
        return self.results.of(str, lambda: _Printer().kernel(self))


class _Printer(ExpressionPrinter):
    """Writes a kernel as text, which is its identity."""

    def __init__(self) -> None:
        super().__init__()
        self._folds: dict[int, FoldLanes] = {}
        self._levels: dict[int, FoldLevels] = {}
        self._teams: tuple[int, ...] = ()

    def kernel(self, kernel: Kernel) -> str:
        buffers = [f"b{i}: {param}" for i, param in enumerate((*kernel.params, *kernel.locals))]
        self.lines.append(f"kernel({', '.join(buffers)}; {len(kernel.locals)} local) {{")
        for nest in kernel.nests:
            self._nest(nest)
        self.lines.append("}")
        return "\n".join(self.lines)

    def _nest(self, nest: Nest) -> None:
        self.names.clear()
        self._folds = {lanes.fold: lanes for lanes in nest.folds}
        self._levels = {levels.variable: levels for levels in nest.levels}
        self._teams = nest.teams
        if nest.launch is not None:
            at_once = f", {nest.neighbours} neighbours a thread" if nest.neighbours > 1 else ""
            self.lines.append(f"  {nest.launch}{at_once}")
        few = "" if nest.few is None else f", apart where {size_text(nest.few.size)} <= {nest.few.lanes}"
        self.lines.append(f"  rows {self._axes(0, nest.rows)}{few}:" if nest.rows else "  nest:")
        for body in nest.bodies:
            if body.waits:
                self.lines.append("  barrier")
            for statement in body.statements:
                for part in upward(statement.value):
                    self.name(part)
                self.name(statement.index)
            axes = self._axes(len(nest.rows), body.axes)
            self.lines.append(f"  for {axes}:" if axes else "  once:")
            for statement in body.statements:
                index, value = self.name(statement.index), self.name(statement.value)
                self.lines.append(f"    b{statement.buffer}[{index}] = {value}")
            for fetch in body.fetches:
                self.lines.append(f"    fetch {self.name(fetch.load)} at +{size_text(fetch.distance)}")

    def _axes(self, first: int, axes: tuple[LoopAxis, ...]) -> str:
        return ", ".join(f"i{number} < {self._axis(axis)}" for number, axis in enumerate(axes, first))

    def _axis(self, axis: LoopAxis) -> str:
        few = "" if axis.few is None else f" or {axis.few}"
        kind = self._kind(axis.kind)
        return f"{size_text(axis.size)} {kind}{few}" if kind else size_text(axis.size)

    def _kind(self, kind: AxisKind) -> str:
        match kind:
            case Tiles(lanes=lanes, loads=loads, rest=rest, part=part):
                steps = ((self.name(load), "row" if step is None else size_text(step)) for load, step in loads)
                turned = ", ".join(f"{name} by {step}" for name, step in steps)
                left = f"; left {f'a tile of {part}' if part else rest}" if rest.whole or rest.rest else ""
                return f"in tiles of {lanes} ({turned}{left})"
            case SideBySide(rows=rows, folds=folds):
                return f"side by side {rows} ({self._variables_of(folds)})"
            case Panels(page=page, pages=pages, lanes=lanes, terms=terms, folds=folds):
                return f"in panels of {pages} x {page} in {lanes} ({self._variables_of(folds)} by {terms})"
            case Memcpy():
                return "copied"
        return str(kind)

    def _variables_of(self, folds: tuple[Fold, ...]) -> str:
        return ", ".join(dict.fromkeys(self.variable(fold.variable) for fold in folds))

    def runs(self, variable: int) -> str:
        fold, levels = self._folds.get(variable), str(self._levels.get(variable, ""))
        if variable in self._teams:
            return f" by the team{levels}"
        if fold is None:
            return levels
        other = "" if fold.variable == variable else f" {self.variable(fold.variable)}"
        few = "" if fold.few is None else f" or {fold.few}"
        return f"{other} {fold.lanes}{few}{levels}"

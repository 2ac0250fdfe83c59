# SPDX-License-Identifier: Apache-2.0
"""A kernel: loop nests that store elements of flat buffers, with all that was decided of how their loops run.

    kernel    = (params, locals, nests)
    nest      = (rows, bodies)                       for each row, in order: every body
    body     = (axes, statements)                   for each inner position, in order: every statement
    statement = (buffer, index, value)               buffer[index] = value
    axis      = (size, kind)                         a loop, and how it runs (`AxisKind`)

Axes 0..len(rows)-1 count the rows, the following ones a body's own inner indices, negative ones are the variables of
folds. A `Load` has one index, the position in the flat buffer. Buffers are numbered params first, then locals: short
arrays that live as long as one row. A statement may read what an earlier one of the same nest stored; no two
iterations of a nest store the same element.

Kinds of axes, lanes of folds and what is fetched ahead change how fast a kernel runs, not what it means: `interpret`
reads none of them. A kernel's text shows all of it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from hybridize.base.dims import is_symbolic, same, text
from hybridize.base.dtypes import CODES, DType
from hybridize.base.frozen import frozen
from hybridize.base.memo import Memo
from hybridize.loops.expr import Axis, CallExpr, Cast, Const, Expr, Fold, FoldResult, Load, Select
from hybridize.loops.index import Index, upward

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


AxisKind = Plain | Lanes | Tiles | SideBySide | Panels | Memcpy


@frozen
class LoopAxis:
    """A loop: how many indices, which may be a dim, and how they run."""

    size: int
    kind: AxisKind = Plain()
    few: Lanes | None = None
    """The vectors instead in the code for short rows, where the nest has such (`Nest.few`)."""


# Kernels


@frozen
class Param:
    """A flat buffer: an argument of the kernel, or an array local to a row."""

    dtype: DType
    size: int
    written: bool
    shared: bool = False
    """True if another param may alias it: each element is read before it is stored there."""
    table: bool = False
    """True if it holds numbers that the kernel computes with, in the place of constants: read where they are used."""

    def __str__(self) -> str:
        flags = f"{'!' if self.written else ''}{'=' if self.shared else ''}{'#' if self.table else ''}"
        return f"{CODES[self.dtype]}[{text(self.size)}]{flags}"


@frozen
class Statement:
    """buffer[index] = value."""

    buffer: int
    index: Expr
    value: Expr


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
    """Where its loop goes term by term, or by the terms of panels."""
    vectors: tuple[int, ...]
    """Where its loop goes by vectors: see `FoldLanes`."""

    def __str__(self) -> str:
        vectors = f"{', '.join(map(str, self.vectors))} vectors" if self.vectors else ""
        ways = (", ".join(map(str, self.turns)), vectors)
        return f" by {' or '.join(filter(None, ways))}"


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

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Those of all bodies, in order."""
        return tuple(statement for body in self.bodies for statement in body.statements)

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

    def __str__(self) -> str:
        return self.results.of(str, lambda: _Printer().kernel(self))

    @functools.cached_property
    def results(self) -> Memo:
        """All that follows from it alone, and is asked for again."""
        return Memo()


def epilogue_text(params: Sequence[Param], statements: Sequence[Statement]) -> str:
    """Write statements over the axes of a contraction's result as text; loads of a number below 0 are of its sums."""
    return _Printer().epilogue(params, statements)


def prologue_text(params: Sequence[Param], value: Expr) -> str:
    """Write what an element of a contraction's second operand is computed of; loads of -1 are of its memory."""
    return _Printer("w").epilogue(params, (), value, "prologue")


class _Printer:
    """Writes a kernel as text, each shared expression once; the text is the kernel's identity."""

    def __init__(self, below: str = "sum") -> None:
        """`below` names what loads of a number below 0 are of."""
        self._lines: list[str] = []
        self._names: dict[int, str] = {}
        self._variables: dict[int, str] = {}
        self._folds: dict[int, FoldLanes] = {}
        self._levels: dict[int, FoldLevels] = {}
        self._below = below

    def kernel(self, kernel: Kernel) -> str:
        buffers = [f"b{i}: {param}" for i, param in enumerate((*kernel.params, *kernel.locals))]
        self._lines.append(f"kernel({', '.join(buffers)}; {len(kernel.locals)} local) {{")
        for nest in kernel.nests:
            self._nest(nest)
        self._lines.append("}")
        return "\n".join(self._lines)

    def epilogue(
        self,
        params: Sequence[Param],
        statements: Sequence[Statement],
        out: Expr | None = None,
        word: str = "epilogue",
    ) -> str:
        self._lines.append(f"{word}({', '.join(f'b{i}: {param}' for i, param in enumerate(params))}) {{")
        for statement in statements:
            index, value = self.name(statement.index), self.name(statement.value)
            self._lines.append(f"  b{statement.buffer}[{index}] = {value}")
        if out is not None:
            self._lines.append(f"  out = {self.name(out)}")
        self._lines.append("}")
        return "\n".join(self._lines)

    def _nest(self, nest: Nest) -> None:
        self._names.clear()
        self._folds = {lanes.fold: lanes for lanes in nest.folds}
        self._levels = {levels.variable: levels for levels in nest.levels}
        few = "" if nest.few is None else f", apart where {_size(nest.few.size)} <= {nest.few.lanes}"
        self._lines.append(f"  rows {self._axes(0, nest.rows)}{few}:" if nest.rows else "  nest:")
        for body in nest.bodies:
            for statement in body.statements:
                for part in upward(statement.value):
                    self.name(part)
                self.name(statement.index)
            axes = self._axes(len(nest.rows), body.axes)
            self._lines.append(f"  for {axes}:" if axes else "  once:")
            for statement in body.statements:
                index, value = self.name(statement.index), self.name(statement.value)
                self._lines.append(f"    b{statement.buffer}[{index}] = {value}")
            for fetch in body.fetches:
                self._lines.append(f"    fetch {self.name(fetch.load)} at +{_size(fetch.distance)}")

    def _axes(self, first: int, axes: tuple[LoopAxis, ...]) -> str:
        return ", ".join(f"i{number} < {self._axis(axis)}" for number, axis in enumerate(axes, first))

    def _axis(self, axis: LoopAxis) -> str:
        few = "" if axis.few is None else f" or {axis.few}"
        kind = self._kind(axis.kind)
        return f"{_size(axis.size)} {kind}{few}" if kind else _size(axis.size)

    def _kind(self, kind: AxisKind) -> str:
        match kind:
            case Tiles(lanes=lanes, loads=loads, rest=rest, part=part):
                steps = ((self.name(load), "row" if step is None else _size(step)) for load, step in loads)
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
        return ", ".join(dict.fromkeys(self._variable(fold.variable) for fold in folds))

    def _variable(self, number: int) -> str:
        return self._variables.setdefault(number, f"v{len(self._variables)}")

    def name(self, expr: Expr) -> str:
        label = self._names.get(id(expr))
        if label is None:
            label = self._names[id(expr)] = self._name(expr)
        return label

    def _name(self, expr: Expr) -> str:
        match expr:
            case Const(dtype=dtype, value=value):
                return f"{value!r}:{CODES[dtype]}"
            case Axis(number=number):
                return f"i{number}" if number >= 0 else self._variable(number)
            case Index(constant=constant, terms=terms):
                parts = [self._term(atom, coefficient) for atom, coefficient in terms]
                return f"({' + '.join(parts if same(constant, 0) else [*parts, _size(constant)])})"
            case Load(operand=operand, indices=indices):
                of = f"b{operand}" if operand >= 0 else self._below if operand == -1 else f"{self._below}{-operand}"
                line = f"{of}[{', '.join(map(self.name, indices))}]"
            case CallExpr(function=function, args=args):
                line = f"{function}({', '.join(map(self.name, args))})"
            case Select(condition=condition, then=then, orelse=orelse):
                line = f"select({self.name(condition)}, {self.name(then)}, {self.name(orelse)})"
            case Cast(x=x):
                line = f"cast({self.name(x)})"
            case Fold(kind=kind, size=size, variable=variable, elements=elements):
                over = f"{self._variable(variable)} < {_size(size)}{self._lanes(variable)}"
                line = f"{kind}({over}: {', '.join(map(self.name, elements))})"
            case FoldResult(fold=fold, number=number):
                line = f"result {number} of {self.name(fold)}"
            case _:
                raise TypeError(f"{type(expr).__name__} is not an expression of the loop IR")
        name = f"%{len(self._lines)}"
        self._lines.append(f"  {name}: {CODES[expr.dtype]} = {line}")
        return name

    def _term(self, atom: Expr, coefficient: int) -> str:
        return self.name(atom) if same(coefficient, 1) else f"{_size(coefficient)}*{self.name(atom)}"

    def _lanes(self, variable: int) -> str:
        """The vectors of a fold, and the order of its sums."""
        fold, levels = self._folds.get(variable), str(self._levels.get(variable, ""))
        if fold is None:
            return levels
        other = "" if fold.variable == variable else f" {self._variable(fold.variable)}"
        few = "" if fold.few is None else f" or {fold.few}"
        return f"{other} {fold.lanes}{few}{levels}"


def _size(x: int) -> str:
    """A size; one that is not known reads like no product of anything else."""
    return f"<{text(x)}>" if is_symbolic(x) else str(x)

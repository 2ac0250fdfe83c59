# SPDX-License-Identifier: Apache-2.0
"""A kernel: loops that store elements of flat buffers. What each element is, and nothing of how the loops run.

    kernel    = (params, locals, nests)
    nest      = (rows, bodies)                       for each row, in order: every body
    body      = (sizes, statements)                  for each inner position, in order: every statement
    statement = (buffer, index, value)               buffer[index] = value

Axes 0..len(rows)-1 count the rows, the following ones a body's own inner indices, negative ones are the variables of
folds. A `Load` has one index, the position in the flat buffer. Buffers are numbered params first, then locals: short
arrays that live as long as one row. A statement may read what an earlier one of the same nest stored; no two
iterations of a nest store the same element. `interpret`, of the tests, is their meaning.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from hybridize.base.dims import is_symbolic, same, text
from hybridize.base.dtypes import CODES, DType
from hybridize.base.frozen import frozen
from hybridize.base.memo import Memo
from hybridize.loops.expr import Axis, CallExpr, Cast, Const, Expr, Fold, FoldResult, Load, Select
from hybridize.loops.index import Index


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
    aligned: bool = False
    """True if its address is known to be a multiple of 16 bytes."""

    def __str__(self) -> str:
        marks = {"!": self.written, "=": self.shared, "#": self.table, "@": self.aligned}
        flags = "".join(mark for mark, holds in marks.items() if holds)
        return f"{CODES[self.dtype]}[{text(self.size)}]{flags}"


@frozen
class Statement:
    """buffer[index] = value."""

    buffer: int
    index: Expr
    value: Expr


def roots_of(statements: Iterable[Statement]) -> list[Expr]:
    """List the expressions of statements: indices, and values."""
    return [expr for statement in statements for expr in (statement.index, statement.value)]


@frozen
class LoopBody:
    """Statements that share their inner loops, in the order of a turn."""

    sizes: tuple[int, ...]
    """Of its axes; may be dims."""
    statements: tuple[Statement, ...]


@frozen
class LoopNest:
    """Bodies that run for each row."""

    rows: tuple[int, ...]
    """Sizes of the axes that count them."""
    bodies: tuple[LoopBody, ...]


@frozen
class ElementKernel:
    """Loop nests over the same buffers, run in order."""

    params: tuple[Param, ...]
    locals: tuple[Param, ...]
    nests: tuple[LoopNest, ...]

    @functools.cached_property
    def results(self) -> Memo:
        """All that follows from it alone, and is asked for again."""
        return Memo()


def epilogue_text(params: Sequence[Param], statements: Sequence[Statement]) -> str:
    """Write statements over the axes of a contraction's result as text; loads of a number below 0 are of its sums."""
    return ExpressionPrinter().epilogue(params, statements)


def prologue_text(params: Sequence[Param], value: Expr) -> str:
    """Write what an element of a contraction's second operand is computed of; loads of -1 are of its memory."""
    return ExpressionPrinter("w").epilogue(params, (), value, "prologue")


class ExpressionPrinter:
    """Writes statements as text, each shared expression once."""

    def __init__(self, below: str = "sum") -> None:
        """`below` names what loads of a number below 0 are of."""
        self.lines: list[str] = []
        self.names: dict[int, str] = {}
        self._variables: dict[int, str] = {}
        self._below = below

    def epilogue(
        self,
        params: Sequence[Param],
        statements: Sequence[Statement],
        out: Expr | None = None,
        word: str = "epilogue",
    ) -> str:
        """Write an epilogue, or a prologue, whose value is `out`."""
        self.lines.append(f"{word}({', '.join(f'b{i}: {param}' for i, param in enumerate(params))}) {{")
        for statement in statements:
            index, value = self.name(statement.index), self.name(statement.value)
            self.lines.append(f"  b{statement.buffer}[{index}] = {value}")
        if out is not None:
            self.lines.append(f"  out = {self.name(out)}")
        self.lines.append("}")
        return "\n".join(self.lines)

    def name(self, expr: Expr) -> str:
        """The name of an expression, which is written if it was not yet."""
        label = self.names.get(id(expr))
        if label is None:
            label = self.names[id(expr)] = self._name(expr)
        return label

    def _name(self, expr: Expr) -> str:
        match expr:
            case Const(dtype=dtype, value=value):
                return f"{value!r}:{CODES[dtype]}"
            case Axis(number=number):
                return f"i{number}" if number >= 0 else self.variable(number)
            case Index(constant=constant, terms=terms):
                parts = [self._term(atom, coefficient) for atom, coefficient in terms]
                return f"({' + '.join(parts if same(constant, 0) else [*parts, size_text(constant)])})"
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
                over = f"{self.variable(variable)} < {size_text(size)}{self.runs(variable)}"
                line = f"{kind}({over}: {', '.join(map(self.name, elements))})"
            case FoldResult(fold=fold, number=number):
                line = f"result {number} of {self.name(fold)}"
            case _:
                raise TypeError(f"{type(expr).__name__} is not an expression of the loop IR")
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name}: {CODES[expr.dtype]} = {line}")
        return name

    def _term(self, atom: Expr, coefficient: int) -> str:
        return self.name(atom) if same(coefficient, 1) else f"{size_text(coefficient)}*{self.name(atom)}"

    def variable(self, number: int) -> str:
        """The name of a fold's variable."""
        return self._variables.setdefault(number, f"v{len(self._variables)}")

    def runs(self, variable: int) -> str:
        """Write how the fold of a variable runs; nothing, where that is not decided."""
        return ""


def size_text(x: int) -> str:
    """A size; one that is not known reads like no product of anything else."""
    return f"<{text(x)}>" if is_symbolic(x) else str(x)

# SPDX-License-Identifier: Apache-2.0
"""A kernel: loop nests that store elements of flat buffers.

    kernel    = (params, locals, nests)
    nest      = (rows, lane, statements)             for each row, in order: every statement
    statement = (buffer, sizes, index, value)        for each inner position: buffer[index] = value

Axes 0..len(rows)-1 count the rows, the following ones a statement's own inner indices, negative ones are the
variables of folds. A `Load` has one index, the position in the flat buffer. Buffers are numbered params first, then
locals: short arrays that live as long as one row. A statement may read what an earlier one of the same nest stored;
no two iterations of a nest store the same element. `lane` is the axis whose consecutive values share a vector, or
None where only folds are vectorised.
"""

from __future__ import annotations

from hybridize.base.dims import is_symbolic, text
from hybridize.base.dtypes import CODES, DType
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Axis, CallExpr, Cast, Const, Expr, Fold, Load, Select
from hybridize.loops.index import Index, upward


@frozen
class Param:
    """A flat buffer: an argument of the kernel, or an array local to a row."""

    dtype: DType
    size: int
    written: bool
    shared: bool = False
    """True if another param may alias it: each element is read before it is stored there."""

    def __str__(self) -> str:
        return f"{CODES[self.dtype]}[{text(self.size)}]{'!' if self.written else ''}{'=' if self.shared else ''}"


@frozen
class Statement:
    """buffer[index] = value, for each inner position."""

    buffer: int
    sizes: tuple[int, ...]
    index: Expr
    value: Expr


@frozen
class Nest:
    """Statements that run for each row."""

    rows: tuple[int, ...]
    lane: int | None
    lanes: int
    """Lanes along `lane`; 1 where that is None."""
    statements: tuple[Statement, ...]


@frozen
class Kernel:
    """Loop nests over the same buffers, run in order."""

    params: tuple[Param, ...]
    locals: tuple[Param, ...]
    nests: tuple[Nest, ...]

    def __str__(self) -> str:
        return _Printer().kernel(self)


class _Printer:
    """Writes a kernel as text, each shared expression once; the text is the kernel's identity."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._names: dict[int, str] = {}
        self._variables: dict[int, str] = {}

    def kernel(self, kernel: Kernel) -> str:
        buffers = [f"b{i}: {param}" for i, param in enumerate((*kernel.params, *kernel.locals))]
        self._lines.append(f"kernel({', '.join(buffers)}; {len(kernel.locals)} local) {{")
        for nest in kernel.nests:
            self._names.clear()
            self._lines.append(f"  rows {nest.rows} lane {nest.lane} by {nest.lanes}")
            for statement in nest.statements:
                for part in upward(statement.value):
                    self.name(part)
                index, value = self.name(statement.index), self.name(statement.value)
                self._lines.append(f"  for {statement.sizes}: b{statement.buffer}[{index}] = {value}")
        self._lines.append("}")
        return "\n".join(self._lines)

    def name(self, expr: Expr) -> str:
        found = self._names.get(id(expr))
        if found is None:
            found = self._names[id(expr)] = self._name(expr)
        return found

    def _name(self, expr: Expr) -> str:
        match expr:
            case Const(dtype=dtype, value=value):
                return f"{value!r}:{CODES[dtype]}"
            case Axis(number=number):
                return f"i{number}" if number >= 0 else self._variables.setdefault(number, f"v{len(self._variables)}")
            case Index(constant=constant, terms=terms):
                total = " + ".join(f"{_size(coefficient)}*{self.name(atom)}" for atom, coefficient in terms)
                return f"({total} + {_size(constant)})"
            case Load(operand=operand, indices=indices):
                line = f"b{operand}[{', '.join(map(self.name, indices))}]"
            case CallExpr(function=function, args=args):
                line = f"{function}({', '.join(map(self.name, args))})"
            case Select(condition=condition, then=then, orelse=orelse):
                line = f"select({self.name(condition)}, {self.name(then)}, {self.name(orelse)})"
            case Cast(x=x):
                line = f"cast({self.name(x)})"
            case Fold(kind=kind, size=size, variable=variable, body=body):
                variable_name = self._variables.setdefault(variable, f"v{len(self._variables)}")
                line = f"{kind}({variable_name} < {_size(size)}: {self.name(body)})"
            case _:
                raise TypeError(f"{type(expr).__name__} is not an expression of the loop IR")
        name = f"%{len(self._lines)}"
        self._lines.append(f"  {name}: {CODES[expr.dtype]} = {line}")
        return name


def _size(x: int) -> str:
    """A size; one that is not known reads like no product of anything else."""
    return f"<{text(x)}>" if is_symbolic(x) else str(x)

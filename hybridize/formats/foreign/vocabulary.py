# SPDX-License-Identifier: Apache-2.0
"""`Vocabulary`: the operators of one framework, each a row that says which function of ops computes it, and how.

onnx = Vocabulary("ONNX")
onnx.plain({"Exp": ops.exp, "Tanh": ops.tanh})          # operands are all that there is

@onnx("Softmax", since=13)                              # attributes, or a convention of its own
def softmax(n, x):
    return composites.softmax(x, n.axis(x, default=-1))

@onnx("Reshape", known=(1,))                            # its second input is a shape: a `Known`
def reshape(n, x, shape): ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hybridize.base.frozen import frozen
from hybridize.base.loading import LOADING, load_module
from hybridize.base.names import at

Value = Any
"""A value of a walk: an operand, a `Known`, None where an input is left out, a list of values (a sequence), or what a
vocabulary has besides, a variable's handle for one."""
_F = TypeVar("_F", bound=Callable[..., Any])


@frozen(eq=False)
class Row:
    """The way in which one operator is computed, in some versions of the operator set."""

    function: Callable[..., Any]
    """Of an `Application` and the inputs; it gives a value, or a tuple or list of them."""
    since: int = 0
    until: int | None = None
    """The last version that it is for."""
    known: tuple[int, ...] = ()
    """Positions of inputs that must be known: they arrive as `Known`, others as operands. -1 is the last input."""
    values: bool = False
    """True if inputs arrive as they are: operands, known values, sequences, handles."""
    mixed: tuple[int, ...] | None = None
    """Values that are put together of known ones and data arrive as they are, and known ones beside data. Those at
    these positions are known where inputs of the model say them. None: none of all this."""
    folds: bool = True
    """True if it is computed at once where all of its inputs are known."""
    by_types: bool = False
    """True if the result follows from the types of the inputs: it is known whatever they are."""
    decides: int = 0
    """The number of first inputs that decide what is computed: better known, though they need not be."""

    plain: bool = False
    """True if the function takes operands alone: it is called without the node."""

    def positions(self, count: int) -> list[int]:
        """Positions of the inputs that must be known, of so many."""
        return [position % count for position in self.known if -count <= position < count]


class Vocabulary:
    """The rows of one framework, by operator.

    Args:
        name: of the framework, in messages.
        place: the module that has it once all rows are there, as `package.module:NAME`: copies of a model name that.
        tables: modules that fill it; they are loaded one after the other until an operator has its row.
        idle: tells of an operator, the name of an attribute and its value whether it changes nothing of what a call
            computes, so that rows need not ask for it; see `Walk.node`.
    """

    place: str
    idle: Callable[[str, str, Any], bool]
    name: str

    def __init__(
        self, name: str, place: str, tables: Sequence[str] = (),
        idle: Callable[[str, str, Any], bool] = lambda *attribute: False,
    ) -> None:  # fmt: skip
        self.name, self.place, self.idle = name, place, idle
        self._tables = list(tables)
        self.remedies: dict[str, str] = {}
        """Remedies for operators that have no row, by how their names begin."""
        self._rows: dict[str, list[Row]] = {}

    def __call__(
        self, *operators: str, since: int = 0, until: int | None = None, known: Sequence[int] = (),
        values: bool = False, mixed: Sequence[int] | None = None, folds: bool = True, by_types: bool = False,
        decides: int = 0,
    ) -> Callable[[_F], _F]:  # fmt: skip
        """Make the decorated function the row of these operators; see `Row`."""

        def decorate(function: _F) -> _F:
            row = Row(
                function,
                since,
                until,
                tuple(known),
                values,
                None if mixed is None else tuple(mixed),
                folds,
                by_types,
                decides,
            )
            for operator in operators:
                self._rows.setdefault(operator, []).append(row)
            return function

        return decorate

    def plain(self, functions: Mapping[str, Callable[..., Any]], since: int = 0, until: int | None = None) -> None:
        """Add rows of operators that have no attributes: functions of operands."""
        for operator, function in functions.items():
            self._rows.setdefault(operator, []).append(Row(function, since, until, plain=True))

    def __reduce__(self) -> Any:
        return at, (self.place,)

    def find(self, operator: str, version: int) -> Row | None:
        """Return the row of an operator in a version of the operator set; None where there is none."""
        for row in self._rows.get(operator, ()):
            if row.since <= version and (row.until is None or version <= row.until):
                return row
        return self.find(operator, version) if self._load_table() else None

    def _load_table(self) -> bool:
        """Load the next table; False where all are loaded."""
        with LOADING:
            if not self._tables:
                return False
            load_module(self._tables[0])
            del self._tables[:1]
        return True

    def remedy(self, operator: str) -> str:
        """Return what to do about an operator that has no row; empty where nothing is known to help."""
        return next((text for start, text in self.remedies.items() if operator.startswith(start)), "")

    def operators(self) -> dict[str, tuple[Row, ...]]:
        """All operators with their rows, sorted by name."""
        while self._load_table():
            pass
        return {operator: tuple(self._rows[operator]) for operator in sorted(self._rows)}

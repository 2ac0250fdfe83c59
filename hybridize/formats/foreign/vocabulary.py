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
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import CaptureError, LoadError
from hybridize.base.frozen import frozen
from hybridize.base.loading import LOADING, load_module
from hybridize.base.names import at
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.program import Node
from hybridize.ops.op import Operand, type_of

if TYPE_CHECKING:
    from hybridize.formats.foreign.walk import Walk

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
    """

    def __init__(self, name: str, place: str, tables: Sequence[str] = ()) -> None:
        self.name, self.place = name, place
        self._tables = list(tables)
        self.remedies: dict[str, str] = {}
        """Remedies for operators that have no row, by how their names begin."""
        self._rows: dict[str, list[Row]] = {}

    def __call__(
        self, *operators: str, since: int = 0, until: int | None = None, known: Sequence[int] = (),
        values: bool = False, folds: bool = True, by_types: bool = False, decides: int = 0,
    ) -> Callable[[_F], _F]:  # fmt: skip
        """Make the decorated function the row of these operators; see `Row`."""

        def decorate(function: _F) -> _F:
            row = Row(function, since, until, tuple(known), values, folds, by_types, decides)
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


class Application:
    """One node as its row sees it: attributes by kind, and the walk around it.

    Errors of attributes name the file, the node and the values that are taken.
    """

    __slots__ = ("around", "attributes", "node", "walk")

    def __init__(self, node: Node, attributes: Mapping[str, Any], walk: Walk, around: Mapping[str, Value]) -> None:
        self.node = node
        self.around = around
        """The values that graphs which are attributes of the node may read, by name."""
        self.attributes = attributes
        """Those of the node, references to the attributes of a function resolved."""
        self.walk = walk

    @property
    def place(self) -> str:
        """`model.onnx: operator Conv, node '/conv1/Conv'`."""
        return self.walk.place(self.node)

    def fail(self, what: str, help: str = "") -> NoReturn:
        """Refuse the node for what no row takes.

        Raises:
            LoadError E603: always.
        """
        raise LoadError("E603", f"{self.place}: {what}", help=help, loc=self.node.loc)

    def key(self) -> Operand:
        """Return the key of the next draw of random numbers."""
        if self.walk.key is None:
            self.fail("it draws random numbers, and nobody gives keys here")
        return self.walk.key()

    def has(self, name: str) -> bool:
        """Tell whether an attribute is there."""
        return name in self.attributes

    def integer(self, name: str, default: int | None = None) -> int:
        """Return an attribute that is an integer."""
        value = self._value(name, default)
        if isinstance(value, (bool, int, numpy.integer)):
            return int(value)
        self.fail(f"the attribute {name} must be an integer, it is {value!r}")

    def flag(self, name: str, default: bool = False) -> bool:
        """Return an attribute that is 0 or 1."""
        return bool(self.integer(name, int(default)))

    def number(self, name: str, default: float | None = None) -> float:
        """Return an attribute that is a number."""
        value = self._value(name, default)
        if isinstance(value, (bool, int, float, numpy.number)):
            return float(value)
        self.fail(f"the attribute {name} must be a number, it is {value!r}")

    def text(self, name: str, default: str | None = None, options: Sequence[str] = ()) -> str:
        """Return an attribute that is a word, one of `options` where there are any."""
        value = self._value(name, default)
        if not isinstance(value, str):
            self.fail(f"the attribute {name} must be a word, it is {value!r}")
        if options and value not in options:
            self.fail(f"the attribute {name} is {value!r}", help=f"it may be {', '.join(options)}")
        return value

    def integers(self, name: str, default: Sequence[int] | None = None) -> tuple[int, ...]:
        """Return an attribute that is a list of integers."""
        value = self._value(name, default)
        if isinstance(value, (tuple, list, range)) and all(isinstance(one, (int, numpy.integer)) for one in value):
            return tuple(map(int, value))
        self.fail(f"the attribute {name} must be integers, it is {value!r}")

    def numbers(self, name: str, default: Sequence[float] | None = None) -> tuple[float, ...]:
        """Return an attribute that is a list of numbers."""
        value = self._value(name, default)
        if isinstance(value, (tuple, list)) and all(isinstance(one, (int, float, numpy.number)) for one in value):
            return tuple(map(float, value))
        self.fail(f"the attribute {name} must be numbers, it is {value!r}")

    def array(self, name: str) -> NDArray[Any]:
        """Return an attribute that is an array."""
        value = self._value(name, None)
        if isinstance(value, numpy.ndarray):
            return value
        self.fail(f"the attribute {name} must be an array, it is {value!r}")

    def _value(self, name: str, default: Any) -> Any:
        value = self.attributes.get(name, default)
        if value is None:
            self.fail(f"the attribute {name} is missing")
        return value

    def axis(self, x: Operand, name: str = "axis", default: int | None = None) -> int:
        """Return an attribute that names an axis of an operand, from 0 on."""
        return self.axis_of(self.integer(name, default), type_of(x).ndim)

    def axis_of(self, axis: int, ndim: int) -> int:
        """Return an axis, from 0 on, of so many; negative ones count from the end."""
        if not -ndim <= axis < ndim:
            self.fail(f"there is no axis {axis} of {ndim}")
        return axis % ndim

    def axes_of(self, axes: Sequence[int], ndim: int) -> tuple[int, ...]:
        """Return axes, from 0 on, of so many; each once."""
        chosen = tuple(self.axis_of(int(axis), ndim) for axis in axes)
        if len(set(chosen)) < len(chosen):
            self.fail(f"an axis is named twice: {list(axes)}")
        return chosen

    def known(self, value: Value, position: int) -> Known:
        """Return an input that must be known.

        Raises:
            CaptureError E463: it is data.
        """
        if isinstance(value, Known):
            return value
        name = self.node.inputs[position] if position < len(self.node.inputs) else "?"
        maker = self.walk.maker(name)
        of = f"which {maker} computes from data" if maker else "which is an input of the model"
        raise CaptureError(
            "E463",
            f"{self.place} needs to know {name!r}, {of}: shapes, axes and counts are part of a program",
            loc=self.node.loc,
            help="make it a constant of the model, or compute it from the shapes of inputs",
        )

# SPDX-License-Identifier: Apache-2.0
"""Control flow of converted code: plain Python on Python values, graph on symbols.

A generated function tells by what it returns how it ended: None (at its end), `CONTINUE`, `BREAK` or `Returned(value)`.
A `Stack` knows, for one call of a converted function, what would run next: the rest of each block that encloses the
present place, and the loops. `capture.branches` and `capture.loops` use it to go on after a branch whose two sides
ended differently.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from types import CellType
from typing import Any

from hybridize.array.ndarray import ndarray
from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError, InternalError, ShapeError
from hybridize.base.frozen import mutable
from hybridize.capture.guards import MISSING
from hybridize.capture.trace import current_trace
from hybridize.ops import Assert
from hybridize.ops.op import bind

Part = Callable[..., Any]

RESULT = "__hybridize_result__"
"""The variable of a loop in the graph that holds what `return` in it gave."""


class Signal:
    """How a generated function ended, when not at its end."""

    __slots__ = ("level", "name")

    def __init__(self, name: str, level: int) -> None:
        self.name, self.level = name, level

    def __repr__(self) -> str:
        return self.name


CONTINUE = Signal("continue", 1)
BREAK = Signal("break", 2)
ENDED = Signal("end of an iteration", 2)
"""An iteration of a loop in the graph is over, and whether there is another one is a value of the graph."""


class Returned(Signal):
    """`return value`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        super().__init__("return", 3)
        self.value = value


def level(signal: Signal | None) -> int:
    """How far a signal leaves: 0 for the end of the block, 3 for the function."""
    return 0 if signal is None else signal.level


@mutable
class Rest:
    """What follows in a block."""

    run: Part | None


@mutable
class Barrier:
    """The border of a `with` or `try`: what follows outside cannot run inside."""


@mutable
class PythonLoop:
    """One iteration of a loop that Python runs."""

    loop: Any
    following: int
    """Number of the next iteration."""


@mutable
class GraphLoop:
    """The body of a loop in the graph."""

    proceed: Part
    """Decides whether there is another iteration."""
    stop: Part
    leave: Callable[[Any], None]
    cells: dict[str, CellType]
    """Variables that these three set."""


Frame = Rest | Barrier | PythonLoop | GraphLoop


class Stack:
    """What would run next, for one call of a converted function: innermost last."""

    __slots__ = ("frames",)

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def run(self, part: Part | None, frames: Sequence[Frame], *args: Any) -> Any:
        """Run a part as if at the place that `frames` say."""
        if part is None:
            return None
        before = self.frames
        self.frames = list(frames)
        try:
            return part(*args)
        finally:
            self.frames = before


def done(signal: Signal | None) -> Any:
    """The result of the function."""
    if signal is None:
        return None
    if isinstance(signal, Returned):
        return signal.value
    raise InternalError("E920", f"a function ended with {signal!r}")


def block(stack: Stack, part: Part) -> Signal | None:
    """The body of a `with` or `try` that may be left early."""
    signal: Signal | None = stack.run(part, [*stack.frames, Barrier()])
    return signal


# -------------------------------------------------------------------------------------------------------- variables


def variables(names: Sequence[str], *parts: Part | None) -> dict[str, CellType]:
    """The cells of variables that generated functions share."""
    wanted = frozenset(names)
    found: dict[str, CellType] = {}
    for part in parts:
        code = getattr(part, "__code__", None)
        if code is not None and part is not None:
            cells = zip(code.co_freevars, part.__closure__ or (), strict=True)
            found.update((name, cell) for name, cell in cells if name in wanted)
    return found


def content(cell: CellType) -> Any:
    """The value of a variable; MISSING where it has none."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def assign(cell: CellType, value: Any) -> None:
    """Set a variable, or unset it."""
    if value is not MISSING:
        cell.cell_contents = value
    elif content(cell) is not MISSING:
        del cell.cell_contents


# ----------------------------------------------------------------------------------------------------------- truth


def plain(value: Any) -> Any:
    """The number that a symbol stands for, where it stands for one among the arguments; else the value itself."""
    if type(value) is Symbol and value.weak is not None:
        trace = current_trace()
        number = None if trace is None else trace.number_of(value)
        return value if number is None else number
    if type(value) is tuple and any(type(part) in (Symbol, tuple) for part in value):
        return tuple(map(plain, value))
    return value


def truth(value: Any) -> Any:
    """`value` as a Python bool, or, where it depends on data, as a symbol of type bool[]."""
    kind = type(value)
    if kind is bool:
        return value
    if kind is ndarray:
        trace = current_trace()
        if trace is None:
            return bool(value)
        value = trace.lift(value)
    elif kind is not Symbol:
        return bool(value)
    if value.weak is not None:
        trace = current_trace()
        decided = None if trace is None else trace.root.numbers.truth(value, trace)
        if decided is not None:
            return decided
    if value.size != 1:
        text = f"the truth of an array needs one element, got {value.type}"
        raise ShapeError("E130", text, help="use .any() or .all()")
    if value.dtype.kind != "b":
        value = functions.not_equal(value, 0)
    return value if value.shape == () else functions.reshape(value, ())


def as_bool(known: Any) -> Any:
    """What `truth` gives, as Python's `bool()` gives it: no array, even where data decides."""
    return Symbol.of(known._trace, known.operand(), weak=bool) if type(known) is Symbol else known


def not_(value: Any) -> Any:
    """`not value`."""
    known = truth(value)
    return as_bool(functions.logical_not(known)) if type(known) is Symbol else not known


def and_(value: Any, *others: Part) -> Any:
    """`value and other() and ...`."""
    if not others:
        return value
    known = truth(value)
    other, *rest = others
    if type(known) is Symbol:
        return branches().choose(known, lambda: and_(other(), *rest), lambda: value)
    return and_(other(), *rest) if known else value


def or_(value: Any, *others: Part) -> Any:
    """`value or other() or ...`."""
    if not others:
        return value
    known = truth(value)
    other, *rest = others
    if type(known) is Symbol:
        return branches().choose(known, lambda: value, lambda: or_(other(), *rest))
    return value if known else or_(other(), *rest)


def compare(left: Any, name: str, right: Part, *others: Any) -> Any:
    """`left < right() < ...`: each operand is computed once, and only when needed."""
    other = right()
    match name:
        case "in":
            result = contains(other, left)
        case "not in":
            result = not_(contains(other, left))
        case "is_" | "is_not" if type(left) is Symbol and left.weak is bool and type(other) is bool:
            result = left if other is (name == "is_") else not_(left)
        case _:
            result = getattr(operator, name)(left, other)
    return and_(result, lambda: compare(other, *others)) if others else result


def contains(container: Any, value: Any) -> Any:
    """`value in container`."""
    trace = current_trace()
    if trace is not None and type(container) in (Symbol, ndarray):
        return as_bool(functions.any(functions.equal(container, value)))
    value = plain(value)
    if type(value) is Symbol and isinstance(container, (dict, set, frozenset)):
        raise CaptureError("E422", f"{value!r} cannot be a key: it has no value while capturing")
    return value in container


def choose(test: Any, then: Part, orelse: Part) -> Any:
    """`then() if test else orelse()`."""
    known = truth(test)
    if type(known) is Symbol:
        return branches().choose(known, then, orelse)
    return then() if known else orelse()


# ------------------------------------------------------------------------------------------------------- statements


def if_(
    test: Any, then: Part | None, orelse: Part | None, names: Sequence[str], stack: Stack | None = None,
    rest: Part | None = None,
) -> Signal | None:  # fmt: skip
    """An `if`; with `stack`, one that may be left early, and what follows it."""
    known = truth(test)
    if type(known) is Symbol:
        cells = variables(names, then, orelse)
        return go_on(branches().branch(known, then, orelse, cells, stack, rest), rest)
    part = then if known else orelse
    if stack is None:
        if part is not None:
            part()
        return None
    signal = stack.run(part, [*stack.frames, Rest(rest)])
    return go_on(signal, rest)


def go_on(signal: Signal | None, rest: Part | None) -> Signal | None:
    """What follows a statement that has ended, where it ended at its end."""
    if signal is None and rest is not None:
        signal = rest()
    return signal


def while_(
    test: Part, body: Part, orelse: Part | None, names: Sequence[str], stack: Stack | None = None,
    rest: Part | None = None,
) -> Signal | None:  # fmt: skip
    """A `while`."""
    signal: Signal | None = loops().while_(test, body, orelse, names, stack, rest)
    return signal


def for_(
    iterable: Any, body: Part, orelse: Part | None, names: Sequence[str], stack: Stack | None = None,
    rest: Part | None = None,
) -> Signal | None:  # fmt: skip
    """A `for`."""
    signal: Signal | None = loops().for_(iterable, body, orelse, names, stack, rest)
    return signal


def assert_(test: Any, message: Part | None) -> None:
    """An `assert`: of data, one that the program makes."""
    known = truth(test)
    if type(known) is Symbol:
        trace = current_trace()
        place = "" if trace is None else f" ({trace.root.location()})"
        bind(Assert(("an assertion does not hold" if message is None else str(message())) + place), known.operand())
    elif not known:
        raise AssertionError(*(() if message is None else (message(),)))


def raised(error: Any, cause: Any = MISSING) -> Any:
    """What a `raise` raises."""
    trace = current_trace()
    if trace is not None and trace.depth:
        name = error.__name__ if isinstance(error, type) else type(error).__name__
        raise trace.root.refusing(CaptureError(
            "E433", f"{name} is raised in a branch that depends on data: programs raise only what they assert",
            help="say npx.assert_(condition, message), or assert condition, before the branch",
        ))  # fmt: skip
    if cause is not MISSING:
        error = error() if isinstance(error, type) else error
        error.__cause__ = cause
    return error


def caught() -> None:
    """At the start of an `except`: what capture refuses is not the user's to catch."""
    trace = current_trace()
    error = sys.exc_info()[1]
    if isinstance(error, CaptureError):
        raise error
    if trace is not None:
        if trace.root.refused is not None:
            raise trace.root.refused
        trace.root.pin_sizes()  # whether it is raised may depend on the sizes, or on what cannot be done with symbols


# -------------------------------------------------------------------------------------------------------- the graph

_graph_side: list[Any] = []


def use(branches_module: Any, loops_module: Any) -> None:
    """Give this module its neighbours, which need it first."""
    _graph_side[:] = [branches_module, loops_module]


def branches() -> Any:
    """`capture.branches`."""
    return _graph_side[0]


def loops() -> Any:
    """`capture.loops`."""
    return _graph_side[1]

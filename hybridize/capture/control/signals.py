# SPDX-License-Identifier: Apache-2.0
"""Signals and frames: how a generated function ended, and what would run next.

A generated function tells by what it returns how it ended: None (at its end), `CONTINUE`, `BREAK` or `Returned(value)`.
A `BlockStack` knows, for one call of a converted function, what would run next: the rest of each block that encloses
the present statement, and the loops. `branches` and `loops` use it to go on after a branch whose two sides ended
differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import CellType
from typing import Any

from hybridize.base.errors import CaptureError
from hybridize.base.frozen import frozen, mutable
from hybridize.capture.trace.aliases import ChangesSince
from hybridize.contract.snapshots import MISSING

Part = Callable[..., Any]


class Unwinding(BaseException):
    """Leaves the code being captured for who records a part around it: nothing that the user's `except` may keep."""


class Unrollable(Unwinding):
    """The rounds of a loop are no scan: what they do differs, or Python has to know how many there are."""


RESULT = "__hybridize_result__"
"""The variable of a loop in the graph that holds what `return` in it gave."""


class Signal:
    """The way in which a generated function ended, when not at its end."""

    __slots__ = ("level", "name")
    level: int
    name: str

    def __init__(self, name: str, level: int) -> None:
        self.name, self.level = name, level

    def __repr__(self) -> str:
        return self.name


CONTINUE = Signal("continue", 1)
BREAK = Signal("break", 2)
ENDED = Signal("end of an iteration", 2)
"""An iteration of a loop in the graph is over, and whether there is another one is a value of the graph."""


RAISED = Signal("raise", 4)
"""An exception was raised, which the program raises if it comes here."""


class Returned(Signal):
    """`return value`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        super().__init__("return", 3)
        self.value: Any = value


def level(signal: Signal | None) -> int:
    """Return the distance that a signal leaves: 0 for the end of the block, 3 for the function, 4 for the program."""
    return 0 if signal is None else signal.level


@frozen
class SymbolicRange:
    """`range` whose bounds depend on data."""

    start: Any
    stop: Any
    step: Any

    def __iter__(self) -> Iterator[Any]:
        raise CaptureError(
            "E427", "range() whose end depends on data is iterated over by something other than a for statement",
            help="use a for statement, or np.arange over the largest range with np.where",
        )  # fmt: skip


@mutable
class Rest:
    """The rest of a block: the part that follows in it (its continuation)."""

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
    watch: ChangesSince | None = None
    """The changes of the round, where it can be undone for the loop to become one of the graph."""


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


class BlockStack:
    """The continuations of one call of a converted function, each of which would run next: innermost last."""

    __slots__ = ("frames",)

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def run(self, part: Part | None, frames: Sequence[Frame], *args: Any) -> Any:
        """Run a part as if it stood where `frames` say."""
        if part is None:
            return None
        before = self.frames
        self.frames = list(frames)
        try:
            return part(*args)
        finally:
            self.frames = before


def variables(names: Sequence[str], *parts: Part | None) -> dict[str, CellType]:
    """The cells of variables that generated functions share."""
    wanted = frozenset(names)
    result: dict[str, CellType] = {}
    for part in parts:
        code = getattr(part, "__code__", None)
        if code is not None and part is not None:
            cells = zip(code.co_freevars, part.__closure__ or (), strict=True)
            result.update((name, cell) for name, cell in cells if name in wanted)
    return result


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


def go_on(signal: Signal | None, rest: Part | None) -> Signal | None:
    """Run the rest of a block if its statement has ended at its end, and return the signal of the whole."""
    if signal is None and rest is not None:
        signal = rest()
    return signal

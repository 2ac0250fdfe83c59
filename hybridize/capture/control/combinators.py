# SPDX-License-Identifier: Apache-2.0
"""`npx.cond`, `npx.foreach` and `npx.while_loop` inside of a program.

A loop over rows is a `Scan`, as that of a `for` statement is: arrays that its body writes, running statistics and the
random generator's state are carried. A loop that runs while a condition holds is a `While`; with a limit, and where
gradients may go through it, it is a `Scan` whose rounds change nothing once it has ended. Rows that it puts out are
written by its rounds, or stacked. What is no loop of the graph (states whose types change from round to round, a list
outside that a round changes) is unrolled: rounds are few, or refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from types import CellType
from typing import Any

from hybridize.array.functions.creation import zeros
from hybridize.array.functions.shapes import concatenate, stack
from hybridize.array.operands import array
from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol
from hybridize.base import modes
from hybridize.base.nested import flatten, listed, unflatten
from hybridize.capture.control.branches import truth_under
from hybridize.capture.control.joining import containers_of
from hybridize.capture.control.loops import Checkpoint, Loop, while_
from hybridize.capture.control.operators import and_, choose
from hybridize.capture.control.recorded_loops import Carried, RecordedBody, RecordedLoop
from hybridize.capture.control.rolled import RolledItems
from hybridize.capture.control.rounds import ArrayRows, Range, Zipped
from hybridize.capture.control.scans import ScanLoop
from hybridize.capture.control.signals import BlockStack, Unrollable, assign, content
from hybridize.capture.control.truth import truth
from hybridize.capture.trace.recording import Branch, Recording, current_trace
from hybridize.contract.snapshots import MISSING, refill
from hybridize.ops.op import in_charge, interpreting

_UNROLLED = 1000
"""Rounds that are unrolled at most."""
_Round = Callable[[Sequence[Symbol], Any], tuple[Any, Any]]
"""From slices and states to (rows, states)."""


def cond(at: Recording, chosen: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """See `npx.cond`."""
    return choose(chosen, then, orelse)


def foreach(at: Recording, body: Callable[..., Any], data: Any, states: Any) -> Any:
    """See `npx.foreach`."""
    listed = isinstance(data, (list, tuple))
    xs = [at.lifted(x) for x in (data if listed else [data])]

    def run(slices: Sequence[Symbol], now: Any) -> tuple[Any, Any]:
        pair: tuple[Any, Any] = body(list(slices) if listed else slices[0], now)
        return pair

    rounds = _StackedRounds(at, run, states)
    loop = Loop(rounds.once, None, None, rounds.cells, items=Zipped(tuple(map(ArrayRows, xs))), few=1)
    loop.run(BlockStack(), 0)
    return rounds.rows(), rounds.last()


class _State:
    """The state of a loop, of which each array and each number is a variable of its own."""

    def __init__(self, at: Recording, states: Any) -> None:
        self.at = at
        self.cells: dict[str, CellType] = {}
        self.hold(states)

    def hold(self, states: Any) -> None:
        """Begin with a state."""
        leaves, self.structure = flatten(states)
        self.cells.clear()
        self.cells.update({f"state {number}": CellType(leaf) for number, leaf in enumerate(leaves)})

    def now(self) -> Any:
        """Return the state, in containers of the program's own."""
        leaves = [content(cell) for cell in self.cells.values()]
        if any(leaf is MISSING for leaf in leaves):
            raise Unrollable("a state changes its type")
        state = unflatten(self.structure, leaves)
        trace = in_charge(Recording)
        for container in containers_of(state):
            trace.root.world.made(container, trace)
        return state

    def change(self, states: Any) -> None:
        """Take the state after a round of the graph."""
        leaves, structure = flatten(states)
        if structure != self.structure:
            raise Unrollable("a state changes its structure")
        for cell, leaf in zip(self.cells.values(), leaves, strict=True):
            assign(cell, leaf)


class _StackedRounds(_State):
    """Rounds that put rows out, which are stacked: one body for all of them, or run by Python one after the other."""

    def __init__(self, at: Recording, run: _Round, states: Any) -> None:
        super().__init__(at, states)
        self.run, self.states = run, states
        self.row: Any = None
        """The output of the last round."""
        self.items: list[Any] = []
        """The arrays that each round puts out."""
        self.unrolled = 0
        """Rounds that Python has run; -1 where the last ones are a loop of the graph."""
        at.root.world.made(self.items, at)

    def once(self, slices: Any) -> None:
        """Run a round, of Python's or of the graph."""
        if current_trace() is self.at:
            self._by_python(slices)
            return
        self.unrolled = -1
        now = self.now()
        before = flatten(now)
        self.row, after = self.run(slices, now)
        leaves, structure = flatten(now)
        if structure != before[1] or any(x is not y for x, y in zip(leaves, before[0], strict=True)):
            raise Unrollable("a round changes the list of the state, which may be one from outside")
        self.change(after)
        self._append()

    def _by_python(self, slices: Any) -> None:
        self.unrolled = max(self.unrolled, 0) + 1
        if self.unrolled > _UNROLLED:
            raise self.at.refusal(
                "E408", f"npx.foreach of more than {_UNROLLED} rounds whose states change their types, or that write "
                "what is around",
                help="give each state the same shape and dtype in every iteration, and return changing values as "
                "states",
            )  # fmt: skip
        self.row, self.states = self.run(slices, self.states)
        self.hold(self.states)
        self._append()

    def _append(self) -> None:
        """Keep what a round has put out."""
        arrays = _arrays(self.row)
        if not arrays:
            return
        trace = in_charge(Recording)
        trace.root.aliases.changes(self.items, trace)
        trace.note_container(self.items, trace.root.location())
        self.items.append(tuple(map(array, arrays)))

    def rows(self) -> Any:
        """Return what all rounds have put out, stacked."""
        parts: list[Any] = []
        for rolled, group in groupby(self.items, lambda item: type(item) is RolledItems):
            rounds = list(group)
            parts += [one.stacked for one in rounds] if rolled else [map(stack, zip(*rounds, strict=True))]
        columns = parts[0] if len(parts) == 1 else map(concatenate, zip(*parts, strict=True))
        return _row_of(self.row, iter(columns))

    def last(self) -> Any:
        """Return the state after the last round."""
        return self.now() if self.unrolled < 0 else self.states


def _arrays(row: Any) -> list[Any]:
    """The arrays of what a round puts out, in order."""
    if isinstance(row, (list, tuple)):
        return [one for part in row for one in _arrays(part)]
    return [] if row is None else [row]


def _nested(change: Callable[[Any], Any], row: Any) -> Any:
    """Return the output of a round with something else in place of each array, in lists; of None it is an empty one."""
    if isinstance(row, (list, tuple)):
        return [_nested(change, part) for part in row]
    return [] if row is None else change(row)


def _row_of(row: Any, arrays: Iterator[Any]) -> Any:
    """Return the output of a round with other arrays in place of its own."""
    return _nested(lambda _: next(arrays), row)


# -------------------------------------------------------------------------------------------------------------- while


def while_loop(
    at: Recording, test: Callable[..., Any], func: Callable[..., Any], state: list[Any], most: int | None, single: bool
) -> Any:  # fmt: skip
    """See `npx.while_loop`."""
    rows: list[Any] = []
    count = 0
    while True:
        if most is not None and count >= most:
            break
        known = _condition(at, test, state)
        if type(known) is Symbol:
            if most is None:
                state = _endless(at, test, func, state)
            else:
                more, state = _bounded(at, test, func, state, most - count)
                rows.append(more)
                count = most
            break
        if not known:
            break
        row, new = func(*state)
        rows.append(_nested(lambda x: stack([x]), row))
        state = listed(new)
        count += 1
    return _padded(rows, count, most), state[0] if single else state


def _condition(at: Recording, test: Callable[..., Any], state: list[Any]) -> Any:
    """Return what the condition says; where data decides, nothing of it stays: the loop asks it again."""
    point = Checkpoint(at, {})
    try:
        known = truth(test(*state))
        if type(known) is Symbol:
            point.restore()
        return known
    finally:
        point.forget()


def _padded(rows: list[Any], count: int, most: int | None) -> Any:
    """Rows of several rounds after each other, with rows of zeros after the last."""
    if not rows:
        return []

    def whole(parts: Sequence[Any]) -> Any:
        first, missing = parts[0], (most or 0) - count
        if missing > 0:
            parts = [*parts, zeros((missing, *first.shape[1:]), dtype=first.dtype)]
        return first if len(parts) == 1 else concatenate(parts)

    return _row_of(rows[0], map(whole, zip(*map(_arrays, rows), strict=True)))


def _endless(at: Recording, test: Callable[..., Any], func: Callable[..., Any], state: list[Any]) -> Any:
    """Rounds whose number nothing limits."""

    def going() -> Any:
        return test(*state)

    def once() -> None:
        nonlocal state
        row, new = func(*state)
        if _arrays(row):
            raise at.refusal(
                "E408",
                "npx.while_loop stacks one row for each iteration, and their number is not known while capturing",
                help="pass max_iterations, or return None for the step outputs",
            )  # fmt: skip
        state = listed(new)

    while_(going, once, None, ("state",), None, None)
    return state


def _bounded(
    at: Recording, test: Callable[..., Any], func: Callable[..., Any], state: list[Any], rounds: int
) -> tuple[Any, list[Any]]:
    """At most so many rounds: rows, zeros after the last round, and the last state."""
    row = _template(at, func, state)
    kinds = _arrays(row)
    forms = _scanned if modes.is_recording() or at.differentiated else _ended
    try:
        rows, last = forms(at, test, func, state, kinds, rounds)
    except Unrollable:
        raise at.refusal(
            "E408", "npx.while_loop: an iteration returned loop variables of another structure, shape or dtype",
            help="give each loop variable the same shape and dtype in every iteration",
        ) from None  # fmt: skip
    return _row_of(row, iter(rows)), last


class _Ended(RecordedLoop):
    """So many rounds at most, while a condition holds."""

    def __init__(self, loop: Loop, at: Recording, test: Callable[[], Any]) -> None:
        super().__init__(loop, BlockStack(), 0, at)
        self._asks = test

    def _test(self) -> Any:
        return truth(and_(super()._test(), self._asks))


def _ended(
    at: Recording, test: Callable[..., Any], func: Callable[..., Any], state: list[Any], kinds: list[Any], rounds: int
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """A loop that data ends: each round writes its rows."""
    carry = _State(at, state)
    written = [zeros((rounds, *kind.shape), dtype=kind.dtype) for kind in kinds]

    def once(number: Any) -> None:
        row, new = func(*carry.now())
        for rows, x in zip(written, _arrays(row), strict=True):
            rows[number] = x
        carry.change(list(listed(new)))

    loop = Loop(once, None, None, carry.cells, items=Range(0, rounds, 1))
    _Ended(loop, at, lambda: test(*carry.now())).run(None)
    return written, carry.now()


class _Masked(ScanLoop):
    """So many rounds, of which the last ones may do nothing: data decides, so Python knows no number after them."""

    def _check(self, carried: Carried, recorded: RecordedBody) -> bool:
        if carried.unset:
            raise Unrollable("a variable changes its type")
        return False


def _scanned(
    at: Recording, test: Callable[..., Any], func: Callable[..., Any], state: list[Any], kinds: list[Any], rounds: int
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """A scan, which has gradients: once the condition has ended it its rounds change nothing."""

    def once(_: Any, now: Any) -> tuple[Any, Any]:
        running, values = now
        going = truth_under(running, lambda: test(*values))

        def run() -> Any:
            row, new = func(*values)
            return list(map(array, _arrays(row))), list(listed(new))

        def rest() -> Any:
            return [zeros(kind.shape, dtype=kind.dtype) for kind in kinds], list(values)

        row, new = choose(going, run, rest)
        return row, (going, new)

    start = functions.equal(zeros((), dtype="int64"), 0)
    collector = _StackedRounds(at, once, (start, state))
    loop = Loop(collector.once, None, None, collector.cells, items=Range(0, rounds, 1))
    _Masked(loop, BlockStack(), 0, at).run(None)
    return collector.rows(), collector.last()[1]


def _template(at: Recording, func: Callable[..., Any], state: Sequence[Any]) -> Any:
    """Return the output of one round, of which only the types count: nothing of it stays."""
    point = Checkpoint(at, {})
    inner = Branch(at)
    inner.repeats = True
    try:
        with interpreting(inner):
            row, _ = func(*state)
    finally:
        for cell, old in reversed(inner.journal):
            cell.value = old
        for owner, items, _ in inner.containers.values():
            refill(owner, items)
        point.restore()
        point.forget()

    return _nested(lambda x: array(x).type, row)

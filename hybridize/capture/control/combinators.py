# SPDX-License-Identifier: Apache-2.0
"""`npx.cond`, `npx.foreach` and `npx.while_loop` inside of a program.

A loop over rows is a `Scan`. So is one that runs while a condition holds, at most so many times: once it has ended its
rounds change nothing, and it has gradients. What a `Scan` cannot say (types that change from round to round, writes to
arrays from around it, Python numbers that count) is unrolled: rounds are few, or refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize.array.functions.creation import zeros
from hybridize.array.functions.shapes import concatenate, stack
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array
from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol
from hybridize.base import modes
from hybridize.base.errors import CaptureError, HybridizeError, ShapeError
from hybridize.base.nested import Structure, flatten, listed, unflatten
from hybridize.capture.control.loops import Checkpoint, while_
from hybridize.capture.control.operators import choose
from hybridize.capture.control.signals import Unwinding
from hybridize.capture.control.truth import truth
from hybridize.capture.trace.recording import Branch, Recording
from hybridize.ops import Scan
from hybridize.ops.op import interpreting

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
    length = xs[0].shape[0] if xs else 0
    if not xs or any(x.shape[0] != length for x in xs):
        raise ShapeError(
            "E137", f"foreach over {', '.join(str(x.type) for x in xs)}: their first axes must have one size"
        )

    def run(slices: Sequence[Symbol], now: Any) -> tuple[Any, Any]:
        given: tuple[Any, Any] = body(list(slices) if listed else slices[0], now)
        return given

    rows, last = _rounds(at, run, xs, states, length, "foreach")
    return rows, last


def _rounds(at: Recording, run: _Round, xs: Sequence[Symbol], states: Any, length: int, name: str) -> tuple[Any, Any]:
    """All rounds: rows, stacked, and the last states."""
    before: list[Any] = []
    number = 0
    while number < length:
        if number + 1 < length:
            point = Checkpoint(at, {})
            try:
                rows, states = _scanned(at, run, [x[number:] for x in xs], states, length - number)
            except (HybridizeError, _Unrolled):
                point.restore()
                at.root.refused = None
            else:
                return _joined([*before, rows]) if before else rows, states
            finally:
                point.forget()
        if number > _UNROLLED:
            raise at.root.refusing(CaptureError(
                "E408", f"npx.{name} of {length} rounds whose states change their types, or that writes what is around",
                help="give each state the same shape and dtype in every round, and return what changes as a state",
            ))  # fmt: skip
        row, states = run([x[number] for x in xs], states)
        before.append(_with_axis(row))
        number += 1
    return _joined(before), states


class _Unrolled(Unwinding):
    """A round that no `Scan` can say."""


def _scanned(at: Recording, run: _Round, xs: Sequence[Symbol], states: Any, length: int) -> tuple[Any, Any]:
    """All rounds as a Scan."""
    leaves, structure = flatten(states)
    if not all(isinstance(leaf, (Symbol, ndarray)) and getattr(leaf, "weak", None) is None for leaf in leaves):
        raise _Unrolled
    carry = [at.lifted(leaf).operand() for leaf in leaves]
    stacked = [x.operand() for x in xs]
    inner = Branch(at)
    inner.repeats = True
    try:
        return _recorded(at, inner, run, (carry, stacked), structure, length)
    finally:
        for cell, old in reversed(inner.journal):
            cell.value = old


def _recorded(
    at: Recording, inner: Branch, run: _Round, operands: tuple[list[Any], list[Any]], structure: Structure, length: int
) -> tuple[Any, Any]:  # fmt: skip
    carry, stacked = operands
    first = [inner.input(value.type) for value in carry]
    slices = [inner.input(value.type.with_shape(value.type.shape[1:])) for value in stacked]
    with interpreting(inner):
        row, after = run(
            [Symbol.of(inner, value) for value in slices],
            unflatten(structure, [Symbol.of(inner, value) for value in first]),
        )  # fmt: skip
        now, shape = flatten(after)
        if shape != structure or not all(isinstance(x, (Symbol, ndarray)) for x in now):
            raise _Unrolled
        outputs = [inner.own(inner.lifted(array(x)).operand()) for x in now]
        if [value.type for value in outputs] != [value.type for value in carry]:
            raise _Unrolled
        rows: list[Any] = []
        _collect(row, rows)
        outputs += [inner.own(inner.lifted(array(x)).operand()) for x in rows]
    if inner.containers or any(before not in inner.mine for _, before in inner.journal):
        raise _Unrolled
    outer = list(inner.outer)
    body = inner.graph(outer, outputs, [*first, *slices])
    found = at.bind(Scan(body, length, False, len(carry)), (*carry, *stacked, *outer))
    made = iter([Symbol.of(at, value) for value in found])
    last = unflatten(structure, [next(made) for _ in carry])
    return _filled(row, made), last


def _collect(row: Any, rows: list[Any]) -> None:
    """The arrays of what a round puts out, in order."""
    if isinstance(row, (list, tuple)):
        for part in row:
            _collect(part, rows)
    elif row is not None:
        rows.append(row)


def _filled(row: Any, made: Any) -> Any:
    """Return the output of a round with the stacked arrays in place of its own."""
    if isinstance(row, (list, tuple)):
        return [_filled(part, made) for part in row]
    return [] if row is None else next(made)


def _with_axis(row: Any) -> Any:
    """The rows of one round."""
    if isinstance(row, (list, tuple)):
        return [_with_axis(part) for part in row]
    return [] if row is None else stack([row])


def _joined(parts: list[Any]) -> Any:
    """The rows of several rounds after each other."""
    if not parts or (isinstance(parts[0], list) and not parts[0]):
        return []
    if isinstance(parts[0], list):
        return [_joined([part[i] for part in parts]) for i in range(len(parts[0]))]
    return parts[0] if len(parts) == 1 else concatenate(parts)


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
        known = truth(test(*state))
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
        rows.append(_with_axis(row))
        state = listed(new)
        count += 1
    return _padded(rows, count, most), state[0] if single else state


def _padded(rows: list[Any], count: int, most: int | None) -> Any:
    """Rows of several rounds, with rows of zeros after the last."""
    joined = _joined(rows)

    def pad(x: Any) -> Any:
        if isinstance(x, list):
            return [pad(part) for part in x]
        missing = (most or 0) - count
        return concatenate([x, zeros((missing, *x.shape[1:]), dtype=x.dtype)]) if missing > 0 else x

    return pad(joined)


def _endless(at: Recording, test: Callable[..., Any], func: Callable[..., Any], state: list[Any]) -> Any:
    """Rounds whose number nothing limits."""

    def going() -> Any:
        return test(*state)

    def once() -> None:
        nonlocal state
        row, new = func(*state)
        found: list[Any] = []
        _collect(row, found)
        if found:
            raise at.root.refusing(CaptureError(
                "E408", "npx.while_loop stacks as many rows as it runs rounds, which only the program knows",
                help="give max_iterations, or let func give None for the step outputs",
            ))  # fmt: skip
        state = listed(new)

    while_(going, once, None, ("state",), None, None)
    return state


def _bounded(
    at: Recording, test: Callable[..., Any], func: Callable[..., Any], state: list[Any], rounds: int
) -> tuple[Any, list[Any]]:
    """At most so many rounds: rows, zeros after the last round, and the last state."""
    state = [array(x) for x in state]
    row = _template(at, func, state)
    leaves: list[Any] = []
    _collect(row, leaves)

    def once(slices: Sequence[Symbol], now: Any) -> tuple[Any, Any]:
        running, values = now
        going = functions.logical_and(running, array(truth(test(*values))))

        def run() -> Any:
            given, new = func(*values)
            found: list[Any] = []
            _collect(given, found)
            return [array(x) for x in found], [array(x) for x in listed(new)]

        def rest() -> Any:
            return [zeros(kind.shape, dtype=kind.dtype) for kind in leaves], list(values)

        given, new = choose(going, run, rest)
        return given, (going, new)

    start = functions.equal(zeros((), dtype="int64"), 0)
    given, (_, last) = _scanned_or_refused(at, once, (start, state), rounds)
    return _filled(row, iter(given)), last


def _scanned_or_refused(at: Recording, run: _Round, states: Any, rounds: int) -> tuple[Any, Any]:
    try:
        return _scanned(at, run, [], states, rounds)
    except _Unrolled:
        raise at.root.refusing(CaptureError(
            "E408", "npx.while_loop: a round gives loop variables of other shapes or dtypes, or writes what is around",
            help="give each loop variable the same shape and dtype in every round; return what changes as one",
        )) from None  # fmt: skip


def _template(at: Recording, func: Callable[..., Any], state: Sequence[Any]) -> Any:
    """Return the output of one round, of which only the types count: nothing of it stays."""
    point = Checkpoint(at, {})
    inner = Branch(at)
    inner.repeats = True
    try:
        with interpreting(inner), modes.mode(recording=False):
            row, _ = func(*state)
    finally:
        point.restore()
        point.forget()

    def typed(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return [typed(part) for part in x]
        return None if x is None else array(x).type

    return typed(row)

# SPDX-License-Identifier: Apache-2.0
"""Control flow of converted code: plain Python on Python values, graph on symbols.

A generated function tells by what it returns how it ended: None (at its end), `CONTINUE`, `BREAK` or `Returned(value)`.
A `BlockStack` knows, for one call of a converted function, what would run next: the rest of each block that encloses
the present statement, and the loops. `capture.control.branches` and `capture.control.loops` use it to go on after a
branch whose two sides ended differently.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError, InternalError
from hybridize.base.tracebacks import as_python
from hybridize.capture.control import branches, loops, raising
from hybridize.capture.control.signals import (
    Barrier,
    BlockStack,
    Part,
    Rest,
    Returned,
    Signal,
    Unwinding,
    go_on,
    variables,
)
from hybridize.capture.control.truth import truth
from hybridize.capture.trace.recording import current_trace
from hybridize.contract.snapshots import MISSING
from hybridize.system.interruptions import let_through


def done(signal: Signal | None) -> Any:
    """The result of the function."""
    if signal is None:
        return None
    if isinstance(signal, Returned):
        return signal.value
    raise InternalError("E920", f"a function ended with {signal!r}")


def block(stack: BlockStack, part: Part) -> Signal | None:
    """The body of a `with` or `try` that may be left early."""
    signal: Signal | None = stack.run(part, [*stack.frames, Barrier()])
    return signal


def if_(
    test: Any, then: Part | None, orelse: Part | None, names: Sequence[str], stack: BlockStack | None = None,
    rest: Part | None = None,
) -> Signal | None:  # fmt: skip
    """An `if`; with `stack`, one that may be left early, and what follows it."""
    known = truth(test)
    if type(known) is Symbol:
        cells = variables(names, then, orelse)
        return go_on(branches.branch(known, then, orelse, cells, stack, rest), rest)
    part = then if known else orelse
    if stack is None:
        if part is not None:
            part()
        return None
    signal = stack.run(part, [*stack.frames, Rest(rest)])
    return go_on(signal, rest)


def while_(
    test: Part, body: Part, orelse: Part | None, names: Sequence[str], stack: BlockStack | None = None,
    rest: Part | None = None,
) -> Signal | None:  # fmt: skip
    """A `while`."""
    signal: Signal | None = loops.while_(test, body, orelse, names, stack, rest)
    return signal


def for_(
    iterable: Any, body: Part, orelse: Part | None, names: Sequence[str], stack: BlockStack | None = None,
    rest: Part | None = None,
) -> Signal | None:  # fmt: skip
    """A `for`."""
    signal: Signal | None = loops.for_(iterable, body, orelse, names, stack, rest)
    return signal


@as_python
def assert_(test: Any, message: Part | None) -> None:
    """An `assert`: of data, one that the program makes."""
    known = truth(test)
    trace = current_trace()
    if type(known) is Symbol and trace is not None:
        raising.check(trace, known, AssertionError(*(() if message is None else _message(known, message))))
    elif not known:
        error = AssertionError(*(() if message is None else (message(),)))
        raise raised(error)


def _message(known: Symbol, message: Part) -> tuple[Any, ...]:
    """Return the arguments of the exception of an `assert` of data.

    An exception that its message raises is one of the calls for which the assertion does not hold.
    """
    try:
        return (message(),)
    except Exception as error:
        let_through(error)
        branches.under(functions.logical_not(known), partial(raising.again, error))
        return ()


def raised(error: Any, cause: Any = MISSING) -> Any:
    """Return the exception that a `raise` raises."""
    trace = current_trace()
    if (trace is not None or cause is not MISSING) and isinstance(error, type):
        error = error()
    if not isinstance(error, BaseException):
        return error
    if cause is not MISSING:
        error.__cause__ = _cause(cause)
    if trace is None:
        return error
    trace.root.certain = error
    raising.announced(trace, error)
    if trace.depth and not (trace.catches and isinstance(error, Exception)):
        raise trace.refusal(
            "E433", f"{type(error).__name__} is raised where a program cannot raise it: on data, and it ends a "
            "process, or the line is in a function for foreach, or for gradients",
            help="use npx.assert_(condition, message) or an assert statement instead",
        )  # fmt: skip
    return error


def _cause(cause: Any) -> BaseException | None:
    """Return the exception that another is raised `from`."""
    if isinstance(cause, type) and issubclass(cause, BaseException):
        cause = cause()
    if cause is not None and not isinstance(cause, BaseException):
        raise TypeError("exception causes must derive from BaseException")
    return cause


def caught() -> None:
    """At the start of an `except`: what capture refuses is not the user's to catch."""
    trace = current_trace()
    error = sys.exc_info()[1]
    if isinstance(error, CaptureError | Unwinding):
        raise error
    if trace is not None:
        if trace.root.refused is not None:
            raise trace.root.refused
        if error is not trace.root.certain:  # it may depend on the sizes, or on what cannot be done with symbols
            trace.root.inputs.pin_sizes("whether an `except` has an error to catch may depend on them")

# SPDX-License-Identifier: Apache-2.0
"""Exceptions that data decides about: what a side of a branch on data raises, by a `raise` or otherwise; `assert`.

The program raises what the function would have raised, of that class and with those arguments, when the step is run
that stands for the line: a side that ends with `{}["k"]` raises the KeyError of the calls that take it, and of no
other. What is no exception of the user's (a refusal, a defect of ours: see `is_users`) comes while capturing.

What follows is computed still, of zeros where there are no values, and nothing of it is kept: outside arrays and
objects are as they were before the call. Loops that follow are not entered (`unless_failed`), as nobody knows whether
they would end.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn

import numpy

from hybridize.array.operators import functions
from hybridize.array.symbol import Cell, Symbol
from hybridize.base.errors import (
    CaptureError,
    DeferredInitializationError,
    DeviceError,
    HybridizeError,
    InternalError,
    VerificationError,
)
from hybridize.base.locations import SourceLoc, location_in
from hybridize.base.tracebacks import LEAVES, innermost
from hybridize.capture.control import texts
from hybridize.capture.control.signals import Part, Unwinding
from hybridize.capture.convert.expressions import ROUTER
from hybridize.capture.convert.statements import as_written
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.ops import Assert
from hybridize.ops.op import bind, constant, interpreting
from hybridize.runtime.recipes import attributes_of, name_of

_NOT_OF_PYTHON = (CaptureError, InternalError, VerificationError, DeviceError, DeferredInitializationError)
"""Errors of ours that imperative Python would not give at the line, or that somebody around waits for."""
_VARIABLE = re.compile(r"variable '(\w+)'")
_UNBOUND = re.compile(r"(?:name|variable) '(\w+)'")


class Ended(Unwinding):
    """Every path from here on raises: what follows is not run."""


class Trying:
    """Around what an `except` may catch from: whether it does, cannot depend on data.

    Args:
        classes: gives the class that each `except` names, or a tuple of them; None where it may be any.
    """

    def __init__(self, classes: Part | None = None) -> None:
        self._classes = classes

    def may_catch(self, kind: type[BaseException], loc: SourceLoc | None) -> bool:
        """Tell whether an exception of a class may be caught."""
        return self._classes is None or issubclass(kind, self._classes())

    def __enter__(self) -> None:
        trace = current_trace()
        self._tries = None if trace is None else trace.root.tries
        if self._tries is not None:
            self._tries.append(self)

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        exception = self.met(error)
        if exception is not None and exception is not error:
            raise exception from None

    def met(self, error: BaseException | None) -> BaseException | None:
        """End, and return the exception that leaves this as the user's own code raises it: UnboundLocalError, say."""
        if self._tries is not None:
            self._tries.remove(self)
            if isinstance(error, NameError):
                return of_variable(error)
        return error


def leaving(trying: Trying, leave: Callable[..., Any], exc_info: tuple[Any, Any, Any]) -> Any:
    """Leave a context manager, whose `__exit__` is given the exception as the user's own code raises it."""
    exception = trying.met(exc_info[1])
    if exception is None or exception is exc_info[1]:
        return leave(*exc_info)
    if leave(type(exception), exception, exception.__traceback__):
        return True
    raise exception from None


class Finally:
    """Around a `finally`: an exception that it raises replaces the one on its way, whose place in a program is fixed.

    Made before the `try`.
    """

    def __init__(self) -> None:
        self._trace = current_trace()
        self._awaits = self._runs = False
        self._passing: BaseException | None = None
        if self._trace is not None:
            self._trace.root.tries.append(self)

    def may_catch(self, kind: type[BaseException], loc: SourceLoc | None) -> bool:
        """Hear of an exception that the program may raise, which no `finally` catches.

        Raises:
            CaptureError E433: the `finally` raises it, and may be on the way of another.
        """
        if self._runs and self._awaits:
            raise self._refused(kind, loc)
        self._awaits = True
        return False

    def begin(self) -> None:
        """Hear that the `finally` begins."""
        self._runs, self._passing = True, sys.exc_info()[1]

    def end(self) -> None:
        """Hear that it has ended, perhaps with an exception of its own.

        Raises:
            CaptureError E433: with one, which may be on the way of another.
        """
        if self._trace is None:
            return
        self._trace.root.tries.remove(self)
        error = sys.exc_info()[1]
        if not self._awaits or error is self._passing or not isinstance(error, Exception):
            return
        if is_users(self._trace, error):
            raise self._refused(type(error), location_in(error)) from None

    def _refused(self, kind: type[BaseException], loc: SourceLoc | None) -> CaptureError:
        assert self._trace is not None
        error: CaptureError = self._trace.refusal(
            "E433", f"{kind.__name__} may be raised in a finally block, in place of an exception that depends on data",
            help="make sure that the finally block cannot fail, or move the try statement into the branch", loc=loc,
        )  # fmt: skip
        return error


def announced(trace: Recording, error: BaseException) -> None:
    """Hear that a line of the user's raises an exception."""
    trace.root.raising = error, trace.root.location()


def is_announced(trace: Recording, error: BaseException) -> bool:
    """Tell whether it was a `raise` of the user's that raised an exception."""
    return trace.root.raising is not None and trace.root.raising[0] is error


def undefined(trace: Recording, error: BaseException) -> str:
    """Return the name of the variable that an exception is about, if a branch or loop left it without a value."""
    match = _VARIABLE.search(str(error)) if isinstance(error, NameError) else None
    return match[1] if match is not None and match[1] in trace.root.undefined else ""


def is_users(trace: Recording, error: Exception) -> bool:
    """Tell whether the user's code raises an exception imperatively, too: it is no refusal, and no defect of ours."""
    if is_announced(trace, error):
        return True
    if trace.root.refused is not None or isinstance(error, (*_NOT_OF_PYTHON, RecursionError, MemoryError)):
        return False
    return not undefined(trace, error)


def depending(error: Exception) -> Exception:
    """Return an exception as the user's own code raises it; of a name without a value, depend on its having none."""
    if not isinstance(error, NameError):
        return error
    at = innermost(error)
    router = None if at is None else at.tb_frame.f_locals.get(ROUTER)
    match = _UNBOUND.search(str(error))
    if router is not None and match is not None:
        router.read_unbound(match[1])
    return as_written(error)


def unset(trace: Recording, error: BaseException) -> CaptureError | None:
    """Return the refusal where a variable has no value as a branch or loop on data left it without; None elsewhere."""
    name = undefined(trace, error)
    return CaptureError(
        "E440", f"variable {name!r} {trace.root.undefined[name]}",
        help="set it to a value of the same type on every path, before the branch or loop", loc=location_in(error),
    ) if name else None  # fmt: skip


def of_variable(error: NameError) -> Exception:
    """Return what an `except` meets of a variable without a value: as the user's own code raises it, or a refusal."""
    trace = current_trace()
    refused = None if trace is None else unset(trace, error)
    if trace is not None and refused is not None:
        return trace.root.refusing(refused)
    return depending(error)


def stop(branch: Recording, error: Exception) -> None:
    """Let the program raise an exception that came out of a branch on data; if it is not the user's, raise it on.

    Raises:
        CaptureError E433: an `except` around the branch might catch it.
    """
    root = branch.root
    if not is_users(branch, error):
        raise error
    loc = location_in(error)
    if is_announced(branch, error):
        assert root.raising is not None
        loc = root.raising[1]
    else:
        root.inputs.pin_sizes("another size may give another error, or none")
    LEAVES.value(error, sys._getframe(1))
    error = depending(error)
    root.check_tries(type(error), loc)
    with interpreting(branch):
        _bind(branch, constant(numpy.asarray(False)), error, loc)
        _failed(branch, constant(numpy.asarray(True)))


def check(trace: Recording, test: Symbol, error: BaseException) -> None:
    """Let the program raise an exception unless `test`, of type bool[], holds.

    Raises:
        CaptureError E433: an `except` around the line might catch it.
    """
    loc = trace.root.location()
    if type(error) is not AssertionError:  # of the user's `assert`
        trace.root.check_tries(type(error), loc)
    elif trace.root.is_caught(type(error), loc):
        error = trace.root.failure(type(error), loc)
    operand = test.operand()
    _bind(trace, operand, error, loc)
    before = Symbol.of(trace, _flag(trace).value)
    _failed(trace, functions.logical_or(before, functions.logical_not(test)).operand())


def again(error: Exception) -> NoReturn:
    """Raise an exception that was caught, as a part of the program."""
    raise error


def unless_failed(going: Any) -> Any:
    """Return the condition of a loop of the graph, false once an exception has been raised."""
    trace = current_trace()
    if trace is None or trace.root.failed is None:
        return going
    fine = functions.logical_not(Symbol.of(trace, trace.root.failed.value))
    return fine if going is True else functions.logical_and(going, fine)


def _bind(trace: Recording, test: Any, error: BaseException, loc: SourceLoc | None) -> None:
    """Add the step that raises."""
    operands: list[Any] = []
    chain = chain_of(error)
    recipe: tuple[Any, ...] | None = None
    try:
        for one in reversed(chain):
            args, operands = texts.literal(texts.recipe_of(tuple(one.args)), operands)
            attributes, operands = texts.literal(texts.recipe_of(attributes_of(one)), operands)
            has_note = one is error and loc is not None and not isinstance(error, HybridizeError)
            note = f"  {loc.described()}" if has_note and loc is not None else ""
            cause = (recipe,) if recipe is not None or one.__suppress_context__ else ()
            recipe = name_of(type(one)), args, attributes, note, *cause
    except CaptureError as refusal:
        refusal.loc = loc
        raise trace.root.refusing(refusal) from None
    message = f"{type(error).__name__}{' {}' * len(operands)} ({loc})"
    bind(Assert(message, repr(recipe)), test, *operands)


def chain_of(error: BaseException) -> list[BaseException]:
    """Return an exception, its cause, the cause of that, and so on; one that is among its own causes ends there."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None and not any(cause is one for one in chain):
        chain.append(cause)
    return chain


def _flag(trace: Recording) -> Cell:
    """The cell that tells whether an exception was raised."""
    root = trace.root
    if root.failed is None:
        root.failed = Cell(root.builder.constant(numpy.asarray(False)))
    return root.failed


def _failed(trace: Recording, now: Any) -> None:
    cell = _flag(trace)
    trace.note(cell)
    cell.value = now

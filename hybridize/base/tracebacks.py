# SPDX-License-Identifier: Apache-2.0
"""Tracebacks as users see them: their own frames, without those of this package between and below.

Errors of ours say by themselves what is wrong, and at which line of the user's; the dozen frames that were on the way
say nothing to who does not work on this package. They are taken away where an error leaves the package (a function of
`np`, a block, a hybridized function), which costs a call nothing as long as there is none, so that loggers, pytest and
notebooks show short tracebacks, too. `HYBRIDIZE_TRACEBACK=full` keeps them, and so does an error that is a defect of
ours: one of Python's that was raised by a line of this package.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from functools import wraps
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any, NoReturn, TypeVar, cast

from hybridize.base.config import CONFIG
from hybridize.base.errors import ArgumentError, HybridizeError, InternalError
from hybridize.base.hooks import Hook
from hybridize.base.locations import CONTEXTS, PACKAGE
from hybridize.base.settings import arguments_of

_Function = TypeVar("_Function", bound=Callable[..., Any])
_TRIMMED: set[tuple[CodeType, int]] = set()
"""Calls out of which errors came that were trimmed: where such a call is innermost, the error is no defect of ours."""

_AS_PYTHON: set[CodeType] = set()
"""Functions that do what a line of the user's says, as Python does: what Python raises in them, that line raises."""

LEAVES: Hook[Callable[[BaseException, FrameType], None]] = Hook(lambda error, frame: None)
"""Called with an exception that a program raises in place of a frame and of those that called it, so that it says what
it would say on its way out through them."""


def trim(error: BaseException) -> None:
    """Take the frames of this package from the traceback of an error, to be raised again by a `raise` alone."""
    if CONFIG.full_tracebacks or _is_ours(error):
        return
    caller = sys._getframe(1).f_back
    if caller is not None and caller.f_code.co_filename.startswith(PACKAGE):
        _TRIMMED.add((caller.f_code, caller.f_lasti))
    error.__traceback__ = without_ours(error)
    before, cause = error.__context__, error.__cause__
    if isinstance(error, HybridizeError) and before is not None and without_ours(before) is None:
        error.__suppress_context__ = True  # what was tried first, all by ourselves: no news to the user
    if isinstance(error, HybridizeError) and cause is not None and without_ours(cause) is None:
        cause.__traceback__ = None  # the system's, of a file: our line of it is no news either


def leaves(of: _Function) -> _Function:
    """Make a function, or all that users call of a class, one out of which errors come without frames of this package.

    A call takes some 60 ns longer. Where that counts, the function has `try` and `trim` itself, which cost nothing.
    """
    if not isinstance(of, type):
        return cast(_Function, _leaving(of))
    for name, value in list(vars(of).items()):
        if name.startswith("_") and name not in ("__init__", "__setattr__", "__iter__", "__call__", "__getitem__"):
            continue
        if isinstance(value, FunctionType):
            setattr(of, name, _leaving(value))
        elif isinstance(value, (staticmethod, classmethod)):
            setattr(of, name, type(value)(_leaving(value.__func__)))
        elif type(value) is property and value.fset is not None:
            setattr(of, name, value.setter(_leaving(value.fset)))
    return of


def _leaving(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except HybridizeError as error:
            trim(error)
            raise
        except TypeError as error:
            if not is_misfit(error):
                raise
            try:
                raise misfit(function, args, error) from None
            except HybridizeError as objection:
                trim(objection)
                raise

    return call


def misfit(function: Callable[..., Any], args: tuple[Any, ...], error: TypeError) -> ArgumentError:
    """Return the error for arguments that are not those of a function, in place of Python's.

    A method is that of the class of its object, whichever base defines it.
    """
    owner, dot, name = function.__qualname__.rpartition(".")
    if args and any(base.__qualname__ == owner for base in type(args[0]).__mro__):
        owner, function = type(args[0]).__name__, cast(Any, function).__get__(args[0])
    what = f"{owner}{dot}{name}() {str(error).partition('() ')[2]}"
    return ArgumentError("E344", what, help=arguments_of(function))


def is_misfit(error: BaseException) -> bool:
    """Tell whether an error that was caught is Python's about a call whose arguments are not those of the function."""
    return isinstance(error, TypeError) and error.__traceback__ is not None and error.__traceback__.tb_next is None


def as_python(function: _Function) -> _Function:
    """Mark a function that does what a line of captured code says: what Python raises in it is no defect of ours."""
    _AS_PYTHON.add(cast(Any, function).__code__)
    return function


@as_python
def throw(error: BaseException) -> NoReturn:
    """Raise an error that the user's own code raised while it was captured, as every call does from then on."""
    raise error


def without_ours(error: BaseException) -> TracebackType | None:
    """Return the traceback of an error without the frames of this package; None where there are no others."""
    frames: list[TracebackType] = []
    at, below = error.__traceback__, False
    while at is not None:
        ours = _is_package(at) or (below and at.tb_frame.f_code.co_filename == CONTEXTS)
        if not ours:
            frames.append(at)
        at, below = at.tb_next, ours
    traceback: TracebackType | None = None
    for one in reversed(frames):
        traceback = TracebackType(traceback, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return traceback


def innermost(error: BaseException) -> TracebackType | None:
    """The frame that raised an error, of those in its traceback."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at


def _is_package(traceback: TracebackType) -> bool:
    return traceback.tb_frame.f_code.co_filename.startswith(PACKAGE)


def _is_ours(error: BaseException) -> bool:
    """Tell whether an error is a defect of this package, whose frames somebody has to see."""
    if isinstance(error, HybridizeError):
        return isinstance(error, InternalError)
    if not isinstance(error, Exception):  # Ctrl-C, which may come at any line
        return False
    at = innermost(error)
    if at is None or not _is_package(at):
        return False
    code = at.tb_frame.f_code
    return code not in _AS_PYTHON and (code, at.tb_lasti) not in _TRIMMED


def is_said(error: BaseException) -> bool:
    """Tell whether an exception comes of a `raise`, or from outside of this package: of no mistake in a line of it."""
    at = innermost(error)
    return at is None or not _is_package(at) or dis.opname[at.tb_frame.f_code.co_code[at.tb_lasti]] == "RAISE_VARARGS"


def install() -> None:
    """Show uncaught errors without any frame of ours, unless somebody else shows them."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _show


def _show(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> Any:
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        trim(at)
        at = at.__cause__ or at.__context__
    sys.__excepthook__(kind, error, error.__traceback__)

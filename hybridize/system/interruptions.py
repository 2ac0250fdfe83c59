# SPDX-License-Identifier: Apache-2.0
"""Exceptions that a signal handler raises (asynchronous exceptions), told from what the interrupted code raises.

Where something is only tried, whatever it raises is an answer: a capture with symbolic sizes that fails is made with
exact ones, a cache file that cannot be read is compiled again. The exception of an alarm or of Ctrl-C is no such
answer, whatever its class; it may come at any line, and has to reach the user.

Python runs a handler as a call with the signal's number and the interrupted frame, which is the frame that called it.
No other call looks like this. A handler that deletes its arguments is known by being one at the time.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType

_VARARGS = 0x04
"""The flag of code with an argument `*args`, as in `inspect.CO_VARARGS`."""


def let_through(error: BaseException) -> None:
    """Raise `error` again if it is asynchronous, or of a class that ends a process; do nothing otherwise."""
    if not isinstance(error, Exception) or is_asynchronous(error):
        raise error


def is_asynchronous(error: BaseException) -> bool:
    """Tell whether a signal handler has raised an exception, or the one that is its cause."""
    handlers = _codes_of_handlers()
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        traceback = at.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code in handlers or _is_called_by_signal(traceback.tb_frame):
                return True
            traceback = traceback.tb_next
        at = at.__cause__
    return False


def _codes_of_handlers() -> set[CodeType]:
    """The code of the handlers that stand now."""
    if "signal" not in sys.modules:  # then there is no handler but Python's own
        return set()
    # Not by `signal.getsignal`, which looks each answer up among enumerations: we are asked for each absent file.
    handlers = map(_signal.getsignal, range(1, _signal.NSIG))
    codes = (getattr(getattr(one, "__func__", one), "__code__", None) for one in handlers)
    return {code for code in codes if code is not None}


def _is_called_by_signal(frame: FrameType) -> bool:
    """Tell whether a frame was called with a signal's number and the frame that it was called from, in this order."""
    signal = sys.modules.get("signal")
    if signal is None:
        return False
    code, names = frame.f_code, frame.f_locals
    values = [names.get(name) for name in code.co_varnames[: code.co_argcount]]
    if code.co_flags & _VARARGS:
        values += names.get(code.co_varnames[code.co_argcount + code.co_kwonlyargcount], ())
    return any(
        interrupted is frame.f_back is not None and isinstance(number, int) and number in signal.valid_signals()
        for number, interrupted in itertools.pairwise(values)
    )


@contextmanager
def suppress(*classes: type[Exception]) -> Iterator[None]:
    """`contextlib.suppress`, but for what a signal handler raises."""
    try:
        yield
    except classes as error:
        let_through(error)

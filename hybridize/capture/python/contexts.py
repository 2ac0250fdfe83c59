# SPDX-License-Identifier: Apache-2.0
"""Context managers of the user's while capturing: which of them may swallow an exception.

What the program may raise when it runs is refused inside of those that may (`raising.Trying`), as inside of a `try`.
"""

from __future__ import annotations

import contextlib
import dis
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from itertools import pairwise
from types import FunctionType
from typing import Any

from hybridize.capture.control.raising import Trying, leaving
from hybridize.contract.places import static

OF_GENERATORS = contextlib._GeneratorContextManager
"""The class of what `contextlib.contextmanager` makes of a generator."""
_DEFERRING = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class OfUsers:
    """One of a class whose methods the user wrote, which are called as all others."""

    def __init__(self, manager: Any, enter: Callable[..., Any], leave: Callable[..., Any]) -> None:
        self._manager, self._enter, self._leave = manager, enter, leave

    def __enter__(self) -> Any:
        leave = static(type(self._manager), "__exit__")
        self._trying = Trying((lambda: ()) if _lets_through(leave) else None)
        self._trying.__enter__()
        return self._enter()

    def __exit__(self, *error: Any) -> Any:
        return leaving(self._trying, self._leave, error)


class OfGenerator:
    """One that `contextlib.contextmanager` has made."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def __enter__(self) -> Any:
        self._trying = Trying(None if _may_swallow(self._manager.gen) else lambda: ())
        self._trying.__enter__()
        return self._manager.__enter__()

    def __exit__(self, *error: Any) -> Any:
        return leaving(self._trying, self._manager.__exit__, error)


_FILTERED: ContextVar[bool] = ContextVar("inside of catch_warnings", default=False)


def has_own_filters() -> bool:
    """Tell whether what is captured now is inside of a `catch_warnings` of its own: that decides about warnings."""
    return _FILTERED.get()


class OfWarnings:
    """`warnings.catch_warnings`: what warns inside of it warns at once, as its filters are those of the moment."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def __enter__(self) -> Any:
        self._before = _FILTERED.get()
        _FILTERED.set(True)
        return self._manager.__enter__()

    def __exit__(self, *error: Any) -> Any:
        _FILTERED.set(self._before)
        return self._manager.__exit__(*error)


def _may_swallow(generator: Any) -> bool:
    """Tell whether a generator has an `except`, or a `with`, after which it goes on."""
    code = getattr(generator, "gi_code", None)
    steps = [] if code is None else list(dis.get_instructions(code))
    return any(one.opname == "POP_EXCEPT" and following.opname != "RERAISE" for one, following in pairwise(steps))


def _lets_through(leave: Any) -> bool:
    """Tell whether an `__exit__` surely swallows no exception: all it returns is None or False."""
    if not isinstance(leave, FunctionType) or leave.__code__.co_flags & _DEFERRING:
        return False
    for before, step in pairwise(dis.get_instructions(leave.__code__)):
        if step.opname == "RETURN_VALUE" and (step.is_jump_target or before.opname != "LOAD_CONST"):
            return False
        returned = {"RETURN_VALUE": before, "RETURN_CONST": step}.get(step.opname)
        if returned is not None and returned.argval not in (None, False):
            return False
    return True

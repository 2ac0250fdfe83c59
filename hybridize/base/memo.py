# SPDX-License-Identifier: Apache-2.0
"""Results of pure functions, by what they are made of.

Keys are compared as they are: no digest stands for them, so that none can collide.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Memo:
    """Remembers results for as long as one program is made, by one thread.

    A key may have the identities of objects that live as long as the memo.
    """

    __slots__ = ("_results",)

    def __init__(self) -> None:
        self._results: dict[Hashable, Any] = {}

    def of(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result for a key, made once."""
        try:
            result: T = self._results[key]
        except KeyError:
            result = self._results[key] = make()
        return result


_CURRENT: ContextVar[Memo | None] = ContextVar("_CURRENT", default=None)


@contextmanager
def remembering(memo: Memo) -> Iterator[None]:
    """Have functions that are `remembered` keep their results in a memo, within."""
    token = _CURRENT.set(memo)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """A pure function of values with hashes, which asks the memo of the program that is made first."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        memo = _CURRENT.get()
        if memo is None:
            return function(*args, **kwargs)
        key = (function, args, *kwargs.items()) if kwargs else (function, args)
        return memo.of(key, lambda: function(*args, **kwargs))

    return call

# SPDX-License-Identifier: Apache-2.0
"""Results of pure functions, by what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Memo:
    """Remembers results. Keys are compared as they are: no digest stands for them, so that none can collide.

    A key may have the identities of objects that live as long as the memo. Whoever owns it is one thread at a time.
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

# SPDX-License-Identifier: Apache-2.0
"""Names that symbols and blocks get by a hint, a count and a prefix: `NameManager`, `Prefix`."""

from __future__ import annotations

import contextvars
from typing import ClassVar


class NameManager:
    """Name expressions by a hint and a count inside a `with` block: `fullyconnected0`, `fullyconnected1`, ...

    >>> from hybridize import name, sym
    >>> with name.NameManager():
    ...     (sym.Variable("x") + 1).name
    '_plusscalar0'
    """

    _current: ClassVar[contextvars.ContextVar[NameManager | None]] = contextvars.ContextVar("names", default=None)

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._tokens: list[contextvars.Token[NameManager | None]] = []

    def get(self, name: str | None, hint: str) -> str:
        """Return `name`, or where it is None a new one that begins with `hint`."""
        if name:
            return name
        count = self._counts.get(hint, 0)
        self._counts[hint] = count + 1
        return f"{hint}{count}"

    def __enter__(self) -> NameManager:
        self._tokens.append(self._current.set(self))
        return self

    def __exit__(self, *error: object) -> None:
        self._current.reset(self._tokens.pop())


class Prefix(NameManager):
    """Begin the names of expressions with a text inside a `with` block, also names that you choose.

    >>> from hybridize import name, sym
    >>> with name.Prefix("net_"):
    ...     (sym.Variable("x") + 1).name
    'net__plusscalar0'
    """

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self.prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        return self.prefix + super().get(name, hint)


_OUTERMOST = NameManager()


def manager() -> NameManager | None:
    """Return the manager whose `with` block is open, if there is one."""
    return NameManager._current.get()


def name_of(name: str | None, hint: str) -> str:
    """Return the name of a new expression, by the manager in charge."""
    return (manager() or _OUTERMOST).get(name, hint)

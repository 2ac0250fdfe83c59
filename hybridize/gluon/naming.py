# SPDX-License-Identifier: Apache-2.0
"""The names of Gluon 1.x: `net0_dense1_weight`, from class names, counters and scopes.

Files and `collect_params` go by structure (`1.weight`), which does not depend on what else a process has built. These
names are for people and for 1.x programs: `prefix`, `name_scope`, `params.get`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field

from hybridize.base.frozen import mutable


@mutable
class NameScope:
    """Names given inside one block's `name_scope`, or, for the scope at the bottom, in the whole process."""

    prefix: str = ""
    counters: dict[str, int] = field(default_factory=dict)

    def next_prefix(self, hint: str) -> str:
        """`dense0_`, then `dense1_`, ..."""
        count = self.counters.get(hint, 0)
        self.counters[hint] = count + 1
        return f"{self.prefix}{hint}{count}_"


class _Current(threading.local):
    def __init__(self) -> None:
        self.scopes: list[NameScope] = []


_process = NameScope()
_current = _Current()


def new_prefix(hint: str, prefix: str | None) -> str:
    """The full prefix of a new block: `prefix`, or the next one for `hint`, in the scope that is open."""
    scope = _current.scopes[-1] if _current.scopes else _process
    return scope.next_prefix(hint) if prefix is None else scope.prefix + prefix


@contextmanager
def open_scope(scope: NameScope) -> Iterator[None]:
    """Name the blocks made in a `with` block inside `scope`."""
    _current.scopes.append(scope)
    try:
        yield
    finally:
        _current.scopes.pop()


def without_counters(names: Iterable[str]) -> dict[str, str]:
    """1.x names without what depends on the process that made them: counters become ranks within their scope.

    `dense7_weight, dense9_weight` and `dense0_weight, dense1_weight` come out the same, so a file saved by one process
    is found by another.
    """
    split = {name: _parts(name) for name in names}
    counters: dict[tuple[object, ...], set[int]] = {}
    for parts in split.values():
        for i, (word, count) in enumerate(parts):
            if count is not None:
                counters.setdefault((*parts[:i], word), set()).add(count)
    ranks = {where: {count: rank for rank, count in enumerate(sorted(counts))} for where, counts in counters.items()}
    return {
        name: "_".join(
            word if count is None else f"{word}{ranks[(*parts[:i], word)][count]}"
            for i, (word, count) in enumerate(parts)
        )
        for name, parts in split.items()
    }


def _parts(name: str) -> list[tuple[str, int | None]]:
    parts: list[tuple[str, int | None]] = []
    for word in name.split("_"):
        match = re.fullmatch(r"([A-Za-z]+)(\d+)", word)
        parts.append((match[1], int(match[2])) if match else (word, None))
    return parts

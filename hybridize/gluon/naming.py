# SPDX-License-Identifier: Apache-2.0
"""The names of Gluon 1.x: `net0_dense1_weight`, from class names, counters and scopes.

Files go by structure (`1.weight`), which does not depend on what else a process has built, and so does
`collect_params` of nets as MXNet 2 has them. These names are those of 1.x programs: `prefix`, `name_scope`, `params`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import field
from typing import Any

from hybridize.base.frozen import mutable
from hybridize.base.prefixes import Prefix, manager


@mutable
class NameScope:
    """Names given inside one block's `name_scope`, or, for the scope at the bottom, in the whole process."""

    prefix: str = ""
    parameters: Any = None
    """The block's own `ParameterDict`, whose prefix and shared parameters are those of the blocks made in the scope."""
    counters: dict[str, int] = field(default_factory=dict)

    def next_prefix(self, hint: str) -> str:
        """`dense0_`, then `dense1_`, ..."""
        names = None if self.parameters is not None else manager()
        if names is not None:  # `with mx.name.Prefix("net_"):`, where no block's scope is open
            return f"{names.get(None, hint)}_"
        count = self.counters.get(hint, 0)
        self.counters[hint] = count + 1
        return f"{hint}{count}_"


class _Current(threading.local):
    def __init__(self) -> None:
        self.scopes: list[NameScope] = []
        self.internal: list[bool] = [False]


_process = NameScope()
_current = _Current()


def current_scope() -> NameScope:
    """The scope that is open."""
    return _current.scopes[-1] if _current.scopes else _process


def internal() -> bool:
    """True while a class of ours makes its parts: that these have prefixes says nothing of the user's program."""
    return _current.internal[-1]


@contextmanager
def open_scope(scope: NameScope | None, internal: bool = False) -> Iterator[None]:
    """Name the blocks and symbols made in a `with` block inside `scope`, or, without one, inside the open scope."""
    if scope is not None:
        _current.scopes.append(scope)
    _current.internal.append(internal)
    try:
        with nullcontext() if scope is None or internal else Prefix(scope.prefix):
            yield
    finally:
        _current.internal.pop()
        if scope is not None:
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

# SPDX-License-Identifier: Apache-2.0
"""Errors for names that a module has not: what replaces them, or which ones were meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from hybridize.base.errors import MissingNameError
from hybridize.base.loading import LOADING


def missing(
    module: str,
    name: str,
    known: Iterable[str],
    instead: Mapping[str, str] | None = None,
) -> AttributeError:
    """Return the error for a name that a module has not.

    Args:
        module: its name.
        name: what was asked for.
        known: the names that it has.
        instead: for names that it will not have, what to use instead.
    """
    if name.startswith("__"):  # Python asks for such names by itself
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    what, help = f"module {module!r} has no {name!r}", (instead or {}).get(name, "")
    if not help:
        with LOADING:
            from difflib import get_close_matches  # a millisecond that few need

        names = sorted(one for one in known if not one.startswith("_"))
        close = [one for one in names if one.lower() == name.lower()] or get_close_matches(name, names, 3)
        if close:
            *others, last = map(repr, close)
            help = f"did you mean {' or '.join([*([', '.join(others)] if others else []), last])}?"
    return MissingNameError("E364", what, help=help)


def refuses(
    module: str, names: Mapping[str, Any], instead: Mapping[str, str] | None = None
) -> Callable[[str], NoReturn]:
    """Return a module's `__getattr__` that refuses every name, as `missing` does; `names` are its globals."""

    def __getattr__(name: str) -> NoReturn:  # noqa: N807 - a module's
        raise missing(module, name, names, instead)

    return __getattr__

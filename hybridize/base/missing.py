# SPDX-License-Identifier: Apache-2.0
"""Errors for names that a module has not: what replaces them, or which ones were meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hybridize.base.errors import MissingNameError
from hybridize.base.loading import LOADING, load_module

Instead = Mapping[str, str] | Callable[[str], Mapping[str, str]] | None
"""By names, what to use instead of them."""


def missing(
    module: str,
    name: str,
    known: Iterable[str],
    instead: Instead = None,
) -> AttributeError:
    """Return the error for a name that a module has not.

    Args:
        module: its name.
        name: what was asked for.
        known: the names that it has.
        instead: for names that it will not have, what to use instead; or a function that gives it for a name.
    """
    if name.startswith("__"):  # Python asks for such names by itself
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    remedies = instead(name) if callable(instead) else instead or {}
    what, help = f"module {module!r} has no {name!r}", remedies.get(name, "")
    if not help:
        with LOADING:
            from difflib import get_close_matches  # a millisecond that few need

        names = sorted(one for one in known if not one.startswith("_"))
        close = [one for one in names if one.lower() == name.lower()] or get_close_matches(name, names, 3)
        if close:
            *others, last = map(repr, close)
            help = f"did you mean {' or '.join([*([', '.join(others)] if others else []), last])}?"
    return MissingNameError("E364", what, help=help)


def by_numpy(module: str) -> Callable[[str], Mapping[str, str]]:
    """Return what to use instead of names that only a module of NumPy's has: those, on NumPy's arrays."""

    def instead(name: str) -> Mapping[str, str]:
        theirs = not name.startswith("__") and hasattr(load_module(module), name)
        return {name: f"{module}.{name} on x.asnumpy(), outside of compiled functions"} if theirs else {}

    return instead

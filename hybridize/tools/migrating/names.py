# SPDX-License-Identifier: Apache-2.0
"""The names that hybridize has, asked of the package itself: a report of what is missing is never out of date."""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from types import ModuleType

from hybridize.base.errors import MissingNameError
from hybridize.base.frozen import frozen

ROOT = "hybridize"
_NOWHERE = "there is no counterpart: write it with what `dir()` of its module shows"


@frozen
class Looked:
    """The outcome of looking for a dotted name."""

    object: object
    """The thing itself, where it is there."""
    missing: str = ""
    """The start of the name, up to the first part that is not there; empty where all are."""
    remedy: str = ""
    """Advice for what is missing, in the package's own words."""


@cache
def look(path: str) -> Looked:
    """Look for a dotted name that begins with `hybridize`.

    Only names of modules and classes are looked for: what an instance has is known when it runs.
    """
    root, *parts = path.split(".")
    assert root == ROOT, path
    found: object = import_module(ROOT)
    for number, part in enumerate(parts, 1):
        owner = found
        if not isinstance(owner, ModuleType | type):
            break
        try:
            found = getattr(owner, part)
        except AttributeError as error:
            found = _module(owner, part)
            if found is None:
                return Looked(None, ".".join([root, *parts[:number]]), _remedy(error))
    return Looked(found)


def _module(owner: ModuleType | type, name: str) -> ModuleType | None:
    """Return a module of a package, which an attribute leads to once it is imported; None where there is none."""
    if not hasattr(owner, "__path__"):
        return None
    full = f"{owner.__name__}.{name}"
    try:
        return import_module(full)
    except ModuleNotFoundError as error:
        if error.name == full:
            return None
        raise


def _remedy(error: AttributeError) -> str:
    """Return the package's own advice for a name that it has not."""
    if not isinstance(error, MissingNameError):
        return _NOWHERE
    to_come = "it is to come" if error.what.endswith("to come") else ""
    return "; ".join(filter(None, (to_come, error.help))) or _NOWHERE


def unknown_keywords(function: object, keywords: list[str]) -> tuple[list[str], list[str]]:
    """Return those of the keywords that a function or class does not take, and those that it does."""
    try:
        parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):  # no callable, or one that says nothing
        return [], []
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return [], []
    known = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    return [name for name in keywords if name not in known], known

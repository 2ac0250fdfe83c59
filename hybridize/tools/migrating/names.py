# SPDX-License-Identifier: Apache-2.0
"""The names that hybridize has, asked of the package itself: a report of what is missing is never out of date."""

from __future__ import annotations

import inspect
from functools import cache
from types import ModuleType

from hybridize.base.errors import MissingNameError
from hybridize.base.frozen import frozen
from hybridize.base.loading import load_module

ROOT = "hybridize"
MXNET = f"{ROOT}.mxnet"
"""The package in the place of `mxnet`."""
_NOWHERE = "there is no counterpart: define it, or write it with what its module has"
_OF_THE_BOOK = "define it as the book does, in the cell that saves it"


@frozen
class Lookup:
    """The outcome of looking for a dotted name."""

    object: object
    """The thing itself, where it is there."""
    missing: str = ""
    """The start of the name, up to the first part that is not there; empty where all are."""
    remedy: str = ""
    """Advice for what is missing, in the package's own words."""


@cache
def look(path: str) -> Lookup:
    """Look for a dotted name that begins with `hybridize`.

    Only names of modules and classes of ours are looked for: what an instance has is known when it runs.
    """
    root, *parts = path.split(".")
    assert root == ROOT, path
    value: object = load_module(ROOT)
    for number, part in enumerate(parts, 1):
        owner = value
        if not isinstance(owner, ModuleType | type) or not is_ours(owner):
            break
        try:
            value = getattr(owner, part)
        except AttributeError as error:
            value = _module(owner, part)
            if value is None:
                missing = ".".join([root, *parts[:number]])
                return Lookup(None, missing, _remedy(error, of_the_book=parts[0] == "d2l"))
    return Lookup(value)


def _module(owner: ModuleType | type, name: str) -> ModuleType | None:
    """Return a module of a package, which an attribute leads to once it is imported; None where there is none."""
    if not hasattr(owner, "__path__"):
        return None
    full = f"{owner.__name__}.{name}"
    try:
        module: ModuleType = load_module(full)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith(f"{ROOT}.") and error.name.endswith(f".{name}"):
            return None
        raise
    return module


def is_ours(thing: object) -> bool:
    """Tell whether a module, class or function belongs to this package."""
    module = thing.__name__ if isinstance(thing, ModuleType) else str(getattr(thing, "__module__", ""))
    return module.partition(".")[0] == ROOT


def _remedy(error: AttributeError, *, of_the_book: bool) -> str:
    """Return the package's own advice for a name that it has not."""
    advice = []
    if isinstance(error, MissingNameError):
        advice = [*(["it is to come"] if error.what.endswith("to come") else []), *filter(None, [error.help])]
    if of_the_book and (not advice or advice[0].startswith("did you mean")):
        advice.insert(0, _OF_THE_BOOK)
    return "; ".join(advice) or _NOWHERE


def is_gpu(path: str) -> bool:
    """Tell whether a dotted name is that of the function that makes another device.

    >>> is_gpu(f"{MXNET}.gpu"), is_gpu(f"{MXNET}.context.gpu"), is_gpu(f"{MXNET}.nn.gpu")
    (True, True, False)
    """
    return path in (f"{MXNET}.gpu", *(f"{MXNET}.{one}.gpu" for one in ("context", "device", "npx", "numpy_extension")))


def unknown_keywords(function: object, keywords: list[str]) -> tuple[list[str], list[str]]:
    """Return those of the keywords that a function or class surely does not take, and those that it does.

    What stands before many functions takes any keyword (`name=`, `out=`), whatever the function that it wraps says of
    itself: then nothing is known.
    """
    code = getattr(function, "__code__", None)
    if not is_ours(function) or (code is not None and code.co_flags & inspect.CO_VARKEYWORDS):
        return [], []
    try:
        parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):  # no callable, or one that says nothing
        return [], []
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return [], []
    known = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    return [name for name in keywords if name not in known], known

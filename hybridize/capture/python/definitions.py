# SPDX-License-Identifier: Apache-2.0
"""Functions and classes that a program defines: their decorators, and what runs when a class is made."""

from __future__ import annotations

import functools
import types
from types import FunctionType
from typing import Any, cast

from hybridize.base.errors import CaptureError
from hybridize.capture.control.truth import refusal
from hybridize.capture.outside.objects import is_users
from hybridize.capture.outside.trust import is_trusted_class, is_trusted_file
from hybridize.capture.python.semantics import Semantics
from hybridize.capture.trace.recording import current_trace
from hybridize.contract.places import static

_OF_METACLASSES = ("__new__", "__init__", "__call__", "__prepare__")
"""Methods of a metaclass that Python calls when it makes a class."""


def decorator(router: Semantics, function: Any) -> Any:
    """Return what a decorator does: one of the user's is called as all their functions are."""
    if current_trace() is None or _is_pythons(function):
        return function
    return functools.partial(router.call, function)


def _is_pythons(function: Any) -> bool:
    """Tell whether a decorator is none of the user's code: `property`, `functools.wraps(f)`, `dataclass`."""
    match function:
        case functools.partial():
            return _is_pythons(function.func)
        case FunctionType():
            return is_trusted_file(function.__code__.co_filename)
        case types.MethodType():
            return _is_pythons(function.__func__)
        case type():
            return is_trusted_class(cast(Any, function))
    return is_trusted_class(cast(Any, type(function)))


class Metaclass:
    """The metaclass of a class that a program defines, as a `class` statement asks for it.

    What the user wrote to run when a class is made, Python calls, past all that capture has converted: it is refused.
    """

    def __init__(self, chosen: Any = None) -> None:
        self._chosen = chosen
        self._meta: Any = None

    def __prepare__(self, name: str, bases: tuple[Any, ...], **keywords: Any) -> Any:
        for meta in (self._chosen, *map(type, bases)):
            if isinstance(meta, FunctionType) and is_users(meta):
                raise _refused(name, f"{meta.__name__}()")
            for method in _OF_METACLASSES:
                _check(name, meta, method)
        for base in bases:
            _check(name, base, "__init_subclass__")
        options = keywords if self._chosen is None else {**keywords, "metaclass": self._chosen}
        self._meta, namespace, _ = types.prepare_class(name, bases, options)
        return namespace

    def __call__(self, name: str, bases: tuple[Any, ...], namespace: Any, **keywords: Any) -> Any:
        for value in namespace.values():
            _check(name, type(value), "__set_name__")
        return self._meta(name, bases, namespace, **keywords)


def _check(name: str, kind: Any, method: str) -> None:
    """Refuse a class where Python would call a method that the user wrote.

    Raises:
        CaptureError E431: it would.
    """
    member = static(kind, method) if isinstance(kind, type) else None
    if is_users(getattr(member, "__func__", member)):
        raise _refused(name, f"{kind.__name__}.{method}()")


def _refused(name: str, called: str) -> CaptureError:
    return refusal(
        "E431", f"class {name} is defined inside a compiled function, and {called} runs when the class is created",
        help="define the class outside the function",
    )  # fmt: skip


def metaclass(chosen: Any) -> Any:
    """Return what makes the class of a `class` statement that asks for a metaclass, or for none (None)."""
    if current_trace() is None:
        return type if chosen is None else chosen
    return Metaclass(chosen)

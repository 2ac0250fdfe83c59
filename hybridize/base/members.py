# SPDX-License-Identifier: Apache-2.0
"""Attributes of classes, looked up so that no metaclass answers in their place."""

from __future__ import annotations

from typing import Any


def class_member(kind: Any, name: str, default: Any = None) -> Any:
    """Return the attribute that a class has of itself or of a base; a `__getattr__` of its metaclass is not asked.

    A metaclass of the user's may give something for every name, which says nothing about the class.
    """
    if type(kind) is type:
        return getattr(kind, name, default)
    if any(name in base.__dict__ for base in kind.__mro__):
        return type.__getattribute__(kind, name)
    return default


def has_class_member(kind: Any, name: str) -> bool:
    """Tell whether a class has an attribute of itself or of a base, as `class_member` finds it."""
    return class_member(kind, name, _ABSENT) is not _ABSENT


_ABSENT = object()


def module_of(thing: Any) -> str:
    """Return the name of the module that a function or class says it is from; empty where it says none.

    A class of functions (of Cython's, say) has a descriptor of that name, for the functions.
    """
    name = getattr(thing, "__module__", None)
    return name if isinstance(name, str) else ""

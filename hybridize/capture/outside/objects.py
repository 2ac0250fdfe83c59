# SPDX-License-Identifier: Apache-2.0
"""Classes whose methods are called as they are: nobody watches which attributes of an instance those read.

So a program depends on all of an instance: on settings, sums, the content of a `Counter` (`World.before_call`).
Classes whose instances tell by themselves when they change, or are read in ways of their own, say so
(`base.participation`).
"""

from __future__ import annotations

import types
from collections import UserDict, UserList, deque
from collections.abc import MutableMapping, MutableSequence, MutableSet
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy

from hybridize.array.operators import Operators
from hybridize.array.storage import Storage
from hybridize.base.members import class_member, module_of
from hybridize.base.participation import ReadPolicy, read_of
from hybridize.capture.outside.trust import KEPT_CLASSES, is_trusted_class, is_trusted_file
from hybridize.contract.places import static
from hybridize.contract.snapshots import BUFFERS, CONTAINERS

_NOT_STATES = (
    Operators, type, types.FunctionType, types.MethodType, types.ModuleType, types.BuiltinFunctionType, numpy.ndarray,
    numpy.generic, numpy.dtype, numpy.ufunc, Storage, Enum,
)  # fmt: skip
_CHANGEABLE = (MutableSequence, MutableMapping, MutableSet)
_APART = ("torch", "logging")
"""Packages whose objects are not looked into: modules of torch are converted as a whole, and a log is like `print`."""


def slots(owner: Any) -> dict[str, Any]:
    """Give what an instance holds in slots, by their names."""
    values: dict[str, Any] = {}
    for base in type(owner).__mro__:
        for name, member in () if is_trusted_class(base) else vars(base).items():
            if type(member) is types.MemberDescriptorType:
                with suppress(AttributeError):  # nothing is in it
                    values[name] = member.__get__(owner)
    return values


def set_slots(owner: Any, values: dict[str, Any]) -> None:
    """Let the slots of an instance hold what `slots` gave, and others nothing."""
    for name in {**slots(owner), **values}:
        if name in values:
            object.__setattr__(owner, name, values[name])
        else:
            object.__delattr__(owner, name)


@lru_cache(KEPT_CLASSES)
def remembers(kind: Any) -> bool:
    """Tell whether methods of a class that are not converted may read what an instance remembers."""
    if issubclass(kind, _NOT_STATES) or issubclass(kind, (int, float, complex, str, bytes, type(None))):
        return False
    if any(module_of(base).split(".")[0] in _APART for base in kind.__mro__):
        return False
    return read_of(kind) is ReadPolicy.CONTENT


_OPERATORS = tuple(
    f"__{name}__" for name in (
        "bool", "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "neg", "lt", "gt", "le",
        "ge", "matmul", "rmatmul", "float", "int", "index", "str", "format", "contains",
    )
)  # fmt: skip


def has_python_operators(kind: Any) -> bool:
    """Tell whether Python itself calls methods of a class: those of operators, or of a collection that is unpacked."""
    if not remembers(kind) or kind in CONTAINERS:
        return False
    if issubclass(kind, (dict, list, set, deque, UserDict, UserList)):
        return True
    return bool(python_operators(kind))


def python_operators(kind: Any) -> tuple[str, ...]:
    """List the methods of operators, and of loops, that a class of the user's has now: Python itself calls them."""
    return tuple(name for name in (*_OPERATORS, "__iter__", "__eq__") if is_users(class_member(kind, name)))


def is_users(method: Any) -> bool:
    """Tell whether a method was written by the user."""
    code = getattr(method, "__code__", None)
    return code is not None and code.co_filename != "<string>" and not is_trusted_file(code.co_filename)


@lru_cache(KEPT_CLASSES)
def is_container_of_c(kind: Any) -> bool:
    """Tell whether a class is a container that can be changed, whose content nobody sees but by its own methods."""
    if not issubclass(kind, _CHANGEABLE) or kind.__dictoffset__ or issubclass(kind, (*CONTAINERS, *BUFFERS)):
        return False
    return not any(isinstance(member, types.FunctionType) for member in vars(kind).values())


@lru_cache(KEPT_CLASSES)
def hides_content(kind: Any) -> bool:
    """Tell whether instances of a class can be changed, and who copies them is told what they hold: messages, say."""
    made_of_c = not kind.__dictoffset__ and kind.__hash__ is None and not issubclass(kind, (*CONTAINERS, *BUFFERS))
    return (
        made_of_c
        and remembers(kind)
        and any(static(kind, name) is not static(object, name) for name in ("__reduce__", "__reduce_ex__"))
    )


def hidden_content(value: Any) -> str:
    """Show what an object holds that hides it, by what it gives of itself to be copied."""
    return repr(value.__reduce_ex__(4)[1:])


@lru_cache(1024)
def is_plain(kind: Any) -> bool:
    """Tell whether instances of a class are no more than their attributes: a class of the user's, with a `__dict__`."""
    if kind is SimpleNamespace:
        return True
    classes = [base for base in kind.__mro__ if base is not object and base.__dict__.get("__slots__") != ()]
    return bool(classes) and all(
        "__slots__" not in base.__dict__ and not base.__flags__ & _IMMUTABLE and not is_trusted_class(base)
        for base in classes
    )  # fmt: skip


_IMMUTABLE = 1 << 8
"""The flag of classes written in C."""

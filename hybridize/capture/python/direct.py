# SPDX-License-Identifier: Apache-2.0
"""Calls that none of the router's rules is for, told apart by few looks: most calls of a net are such.

They are calls of functions and methods of this package, of layers too, with arrays of the program, Python's own numbers
and strings. All rules of `router` would leave them as they are, after a hundred looks at the function and at each
argument; what those see of a function and of a class is the same at each call, and is asked for once.
"""

from __future__ import annotations

import io
import weakref
from functools import lru_cache
from types import FunctionType, MethodType, NoneType
from typing import Any

from hybridize.array.custom import custom
from hybridize.array.operands import public
from hybridize.array.operators import Operators
from hybridize.array.symbol import Symbol
from hybridize.base.locations import PACKAGE
from hybridize.base.members import class_member, has_class_member
from hybridize.base.participation import ReadPolicy, fed_of, is_of_package, outside_of, read_of
from hybridize.capture.outside.trust import KEPT_CLASSES
from hybridize.capture.python.builtins import REPLACED
from hybridize.capture.python.mathematics import ELEMENTS
from hybridize.contract.places import static
from hybridize.contract.snapshots import BUFFERS, CONTAINERS, MISSING

_PLAIN = frozenset({int, float, bool, complex, str, NoneType})
"""Classes of arguments that are what they are: no arrays, no containers, and nobody else has written their methods."""
_SHAPE = 32
"""The number of items of a tuple that are looked at."""
_functions: weakref.WeakKeyDictionary[FunctionType, bool] = weakref.WeakKeyDictionary()
"""Functions that were asked for, and whether they are called as they are."""


def is_direct(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell whether a call is one of a function of arrays, or of a method of an array of the program, with plain values.

    No code of the user's runs in it.
    """
    kind = type(function)
    if kind is MethodType:
        owner, function = function.__self__, function.__func__
        if type(owner) is not Symbol or owner.weak is not None:
            return False
    elif kind is not FunctionType:
        return False
    module = function.__module__ or ""
    return module[: len(_ARRAYS)] == _ARRAYS and module != _CUSTOM and _is_ours(function) and are_plain(args, kwargs)


_ARRAYS = f"{public.__module__.rpartition('.')[0]}."
_CUSTOM = custom.__module__
"""The module of operations of the user's own."""


def owner_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the layer that is called with plain values, or of which a method of ours is; None for all other calls."""
    if type(function) is MethodType:
        owner, member = function.__self__, function.__func__
    else:
        owner, member = function, None
    kind: Any = type(owner)
    if not is_told(kind):
        return None
    if member is None:
        member = class_member(kind, "__call__")
    if type(member) is not FunctionType or not (_is_ours(member) and are_plain(args, kwargs)):
        return None
    return None if _is_outside(kind, member.__name__) else owner


def are_plain(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell whether arguments are arrays of the program, numbers that Python knows, strings, and tuples of these."""
    for value in (*args, *kwargs.values()) if kwargs else args:
        kind = type(value)
        if kind is Symbol:
            if value.weak is not None:
                return False
        elif kind is tuple:
            if len(value) > _SHAPE or not are_plain(value, _NONE):
                return False
        elif kind not in _PLAIN:
            return False
    return True


_NONE: dict[str, Any] = {}


def _is_ours(function: FunctionType) -> bool:
    known = _functions.get(function)
    if known is None:
        known = _functions[function] = _is_called_as_it_is(function)
    return known


def _is_called_as_it_is(function: Any) -> bool:
    """Tell whether a function is of this package, and no rule knows it or what it wraps."""
    while function is not None:
        of_package = type(function) is FunctionType and function.__code__.co_filename.startswith(PACKAGE)
        if not of_package or function in REPLACED or outside_of(function) is not None:
            return False
        if function.__name__ in ELEMENTS or not f"{function.__module__}.".startswith(_PACKAGE):
            return False
        function = getattr(function, "__wrapped__", None)
    return True


_PACKAGE = f"{__name__.partition('.')[0]}."


@lru_cache(KEPT_CLASSES)
def is_told(kind: Any) -> bool:
    """Tell whether a program depends on the instances of a class by what they tell of changes, and by nothing else."""
    if not is_of_package(kind) or class_member(kind, "__hybridize_watch__") is None:
        return False
    if read_of(kind) is not ReadPolicy.IDENTITY or kind.__hash__ is None or has_class_member(kind, "__next__"):
        return False
    return not issubclass(kind, (type, Operators, *CONTAINERS, *BUFFERS, io.IOBase))


def own_attribute(owner: Any, name: str) -> Any:
    """Return what an instance of such a class has under a name by itself, if Python gives that without asking anybody.

    MISSING for all else, and for methods.
    """
    kind: Any = type(owner)
    if kind.__getattribute__ is not object.__getattribute__ or name in fed_of(kind):
        return MISSING
    value = owner.__dict__.get(name, MISSING)
    if type(value) is MethodType or static(kind, name) is not MISSING:
        return MISSING
    return value


@lru_cache(KEPT_CLASSES)
def _is_outside(kind: Any, name: str) -> bool:
    """Tell whether a method of a class is not to be called inside of a captured call."""
    return any(outside_of(vars(base)[name]) is not None for base in kind.__mro__ if name in vars(base))

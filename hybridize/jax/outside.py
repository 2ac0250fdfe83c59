# SPDX-License-Identifier: Apache-2.0
"""`Outside`: what a function that is not jitted reads besides its arguments; a trace holds while that is the same.

Globals and closures of the function and of the user's functions that it names, and attributes of the objects that their
methods are of. Values are compared by identity, small NumPy arrays and containers by what is in them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import jax
import numpy

from hybridize.base.locations import is_users
from hybridize.base.members import class_member
from hybridize.runtime import cpython
from hybridize.runtime.entry import NULL, Look, Watch, items_watched

_SMALL: Final = 1 << 16
"""Bytes of the largest NumPy array that is compared by its elements."""
_MOST: Final = 500
"""Functions that are looked at."""
Read = Callable[[], Any]


class _Place:
    """Reads what a cell, a function or a dict holds in one place."""

    def __init__(self, look: Look, owner: Any, key: Any, read: Read) -> None:
        self._look, self._owner, self._key, self._read = look, owner, key, read

    def __call__(self) -> Any:
        return self._read()

    def watch(self, value: Any) -> Watch:
        """Return what an emitted entry compares with a value; nothing at all is `_ABSENT`, and None in a function."""
        none = value is _ABSENT or (value is None and isinstance(self._owner, FunctionType))
        return Watch(self._look, self._owner, self._key, NULL if none else value)


class Outside:
    """The values that a function finds outside of itself, as they were when this was made."""

    def __init__(self, function: Any) -> None:
        self._reads = [(read, _kept(read())) for read in _reads(function)]

    def watches(self) -> list[Watch]:
        """List what an emitted entry looks at to find them as they were; where that is too little it asks `holds`."""
        watches: list[Watch] = []
        for read, _ in self._reads:
            value = read()
            inner = _content_watched(value)
            if not isinstance(read, _Place) or inner is None:
                return [Watch(Look.CALL, self.holds, None, True)]
            watches += [read.watch(value), *inner]
        return watches

    def holds(self) -> bool:
        """Tell whether all of them are the same still."""
        return all(_is_same(then, read()) for read, then in self._reads)


_ABSENT: Final = object()
"""The value of a name that nothing has."""


def _reads(function: Any) -> Iterator[Read]:
    """Yield what reads each value that a function, and those that it names, find outside."""
    waiting: list[Any] = [function]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        for read in _of_one(one):
            value = read()
            if _is_followed(value):
                waiting.append(value)
            if not isinstance(value, (ModuleType, type)):
                yield read


def _is_followed(value: Any) -> bool:
    """Tell whether a value is, or wraps, a function of the user's."""
    return isinstance(value, (FunctionType, MethodType, functools.partial)) or hasattr(value, "__wrapped__")


def _of_one(one: Any) -> Iterator[Read]:
    """Yield what reads the values that one function finds outside."""
    if isinstance(one, functools.partial):
        yield functools.partial(getattr, one, "func")
        yield lambda: (one.args, one.keywords)
    if isinstance(one, MethodType):
        yield lambda: one.__func__
        yield from _of_object(one.__self__)
    elif not isinstance(one, FunctionType) and callable(one) and hasattr(one, "__dict__"):
        method = class_member(type(one), "__call__")
        if isinstance(method, FunctionType):
            yield lambda: method
            yield from _of_object(one)
    if hasattr(one, "__wrapped__"):
        yield lambda: one.__wrapped__
    if not isinstance(one, FunctionType) or not is_users(one.__code__.co_filename):
        return
    for cell in one.__closure__ or ():
        yield _Place(Look.WORD, cell, cpython.CELL_CONTENTS, functools.partial(_content, cell))
    offset = cpython.FUNCTION_WORDS["__defaults__"]
    yield _Place(Look.WORD, one, offset, functools.partial(getattr, one, "__defaults__"))
    space = one.__globals__
    for name in _names(one.__code__):
        if name in space:
            yield _Place(Look.ITEM, space, name, functools.partial(space.get, name, _ABSENT))


def _of_object(owner: Any) -> Iterator[Read]:
    """Yield what reads the attributes of an object."""
    attributes = getattr(owner, "__dict__", {})
    yield lambda: tuple(attributes)
    for name in list(attributes):
        yield functools.partial(attributes.get, name, _ABSENT)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _ABSENT


@functools.lru_cache(256)
def _names(code: CodeType) -> tuple[str, ...]:
    """Names that code, and the functions defined in it, may read from globals."""
    inner = [name for one in code.co_consts if isinstance(one, CodeType) for name in _names(one)]
    return tuple(dict.fromkeys((*code.co_names, *inner)))


def _kept(value: Any) -> Any:
    """A value as it is now, to compare with."""
    if isinstance(value, numpy.ndarray):
        return value, value.copy() if value.nbytes <= _SMALL else None
    if isinstance(value, (list, dict, tuple, set)):
        leaves, tree = jax.tree.flatten(value)
        return [_kept(leaf) for leaf in leaves[:1000]], tree
    return value


def _content_watched(value: Any) -> list[Watch] | None:
    """List what tells that the content of a value is as it is now; None where entries cannot look at it."""
    if type(value) is list:
        watches = items_watched(value)
    elif type(value) is dict:
        watches = [Watch(Look.PLACE, value, id(value) + cpython.DICT_USED, len(value))]
        watches += [Watch(Look.ITEM, value, key, item) for key, item in value.items()]
        value = list(value.values())
    elif type(value) is tuple:
        watches = []
    else:
        mutable = isinstance(value, (numpy.ndarray, list, dict, tuple, set)) or not jax.tree.all(
            jax.tree.map(lambda leaf: leaf is value, value)
        )
        return None if mutable else []
    for item in value:
        inner = _content_watched(item)
        if inner is None or len(watches) > _MOST:
            return None
        watches += inner
    return watches


def _is_same(before: Any, value: Any) -> bool:
    if isinstance(value, numpy.ndarray):
        if not isinstance(before, tuple) or before[0] is not value:
            return False
        return before[1] is None or numpy.array_equal(before[1], value, equal_nan=value.dtype.kind in "fc")
    if isinstance(value, (list, dict, tuple, set)):
        if not isinstance(before, tuple) or not isinstance(before[0], list):
            return False
        leaves, tree = jax.tree.flatten(value)
        return bool(tree == before[1]) and all(map(_is_same, before[0], leaves[:1000]))
    return before is value or (
        isinstance(value, (int, float, complex, str)) and type(before) is type(value) and before == value
    )

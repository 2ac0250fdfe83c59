# SPDX-License-Identifier: Apache-2.0
"""`Outside`: what a function that is not jitted reads besides its arguments; a trace holds while that is the same.

Globals and closures of the function and of the user's functions that it names, and attributes of the objects, classes
and modules among them. Values are compared by identity, small NumPy arrays and containers by what is in them.
"""

from __future__ import annotations

import dis
import functools
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import jax
import numpy

from hybridize.base.locations import PACKAGE, is_users
from hybridize.runtime import cpython
from hybridize.runtime.entry import NULL, Look, Watch, items_watched

_SMALL: Final = 1 << 16
"""Bytes of the largest NumPy array that is compared by its elements."""
_MOST: Final = 500
"""Functions and objects that are looked at, and parts of one container."""
_DEPTH: Final = 20
"""Containers within one another."""
_BY_WORDS: Final = frozenset({"getattr", "hasattr", "vars", "__dict__", "__slots__"})
"""Names in code that reads attributes whose names it does not have."""
_CONTAINERS: Final = (list, dict, tuple, set, frozenset, deque)
Read = Callable[[], Any]


class Outside:
    """The values that a function finds outside of itself, as they were when this was made.

    Args:
        function: the user's.
        values: arguments that a trace takes for constants: what they hold is outside, too.
    """

    def __init__(self, function: Any, *values: Any) -> None:
        self._reads = [(read, _kept(read())) for read in _Search(function, *values).reads()]

    def holds(self) -> bool:
        """Tell whether all of them are the same still."""
        return _hold(self._reads)

    def watches(self) -> list[Watch]:
        """List what an emitted entry looks at to find them as they were; `holds` tells where others may be equal."""
        watches: list[Watch] = []
        rest = []
        for read, then in self._reads:
            value = read()
            same = value is then or _is_same(then, value)  # what has changed since is no longer as it was
            inner = _content_watched(value) if same and isinstance(read, _Place) else None
            if isinstance(read, _Place) and inner is not None:
                watches += [read.watch(value), *inner]
            else:
                rest.append((read, then))
        return [*([Watch(Look.CALL, functools.partial(_hold, rest), None, True)] if rest else []), *watches]


def _hold(reads: Sequence[tuple[Read, Any]]) -> bool:
    for read, then in reads:
        value = read()
        if value is not then and not _is_same(then, value):
            return False
    return True


class _Place:
    """Reads what a cell, a function or a dict holds in one place."""

    def __init__(self, look: Look, owner: Any, key: Any, read: Read) -> None:
        self._look, self._owner, self._key, self._read = look, owner, key, read

    def __call__(self) -> Any:
        return self._read()

    def watch(self, value: Any) -> Watch:
        """Return what an emitted entry compares with a value; nothing at all is `_ABSENT`, and None in a function."""
        is_null = value is _ABSENT or (value is None and isinstance(self._owner, FunctionType))
        return Watch(self._look, self._owner, self._key, NULL if is_null else value)


def _item(values: Mapping[str, Any], name: str) -> Read:
    """Return what reads an item of a mapping."""
    read = functools.partial(values.get, name, _ABSENT)
    return _Place(Look.ITEM, values, name, read) if type(values) is dict else read


_ABSENT: Final = object()
"""The value of a name that nothing has."""


class _Search:
    """The search for what reads each value that a function, and what it names, find outside.

    Attributes are read by the names that the user's code has: others do not concern it.
    """

    def __init__(self, *roots: Any) -> None:
        self._waiting = deque(roots)
        self._seen: dict[int, Any] = {}
        self._names: set[str] = set()
        self._unnamed: list[tuple[str, Read]] = []
        """Attributes that no code so far has a name for."""

    def reads(self) -> Iterator[Read]:
        """Yield what reads each value."""
        while self._waiting or self._unnamed:
            while self._waiting and len(self._seen) < _MOST:
                one = self._waiting.popleft()
                if id(one) in self._seen:
                    continue
                self._seen[id(one)] = one
                for name, read in self._of_one(one):
                    if name:
                        self._unnamed.append((name, read))
                    else:
                        yield from self._followed(read)
            every = bool(self._names & _BY_WORDS)
            named = [read for name, read in self._unnamed if every or name in self._names]
            if not named:
                return
            self._unnamed = [] if every else [pair for pair in self._unnamed if pair[0] not in self._names]
            for read in named:
                yield from self._followed(read)

    def _followed(self, read: Read) -> Iterator[Read]:
        value = read()
        self._waiting.extend(part for part in _parts(value) if _is_followed(part))
        if not isinstance(value, ModuleType):
            yield read

    def _of_one(self, one: Any) -> Iterator[tuple[str, Read]]:
        """Yield what reads the values that one object finds outside, or holds; and the name of an attribute."""
        if isinstance(one, FunctionType):
            yield from self._of_function(one)
        elif isinstance(one, MethodType):
            yield "", lambda: one.__func__
            yield "", lambda: one.__self__
        elif isinstance(one, functools.partial):
            yield "", lambda: (one.func, one.args, one.keywords)
        elif isinstance(one, property):
            yield "", lambda: one.fget
        elif isinstance(one, type):
            for base in one.__mro__[:-1]:
                yield from _attributes(base.__dict__, always=_is_method)
        elif isinstance(one, ModuleType):
            yield from _attributes(one.__dict__)
        elif not hasattr(one, "__wrapped__") or not _is_library(type(one)):
            yield "", lambda: type(one)
            yield from _of_object(one)
        if hasattr(one, "__wrapped__"):
            yield "", lambda: one.__wrapped__

    def _of_function(self, one: FunctionType) -> Iterator[tuple[str, Read]]:
        if not is_users(one.__code__.co_filename):
            return
        for cell in one.__closure__ or ():
            yield "", _Place(Look.WORD, cell, cpython.CELL_CONTENTS, functools.partial(_content, cell))
        for name in ("__defaults__", "__kwdefaults__"):
            read = functools.partial(getattr, one, name)
            yield "", _Place(Look.WORD, one, cpython.FUNCTION_WORDS[name], read)
        if one.__dict__:
            yield from _attributes(one.__dict__)
        if _is_installed(one.__code__.co_filename):
            return
        names, space = _names(one.__code__), one.__globals__
        self._names.update(names)
        for name in names:
            if name in space:
                yield "", _item(space, name)


def _attributes(
    values: Mapping[str, Any], always: Callable[[str, Any], bool] = lambda name, value: False
) -> Iterator[tuple[str, Read]]:
    for name, value in list(values.items()):
        yield "" if always(name, value) else name, _item(values, name)


def _is_method(name: str, value: Any) -> bool:
    """Tell whether a method of the user's may be called without its name: `__call__`, `__add__`."""
    return name.startswith("__") and isinstance(value, FunctionType) and not _is_installed(value.__code__.co_filename)


def _of_object(one: Any) -> Iterator[tuple[str, Read]]:
    """Yield what reads the attributes of an object; all, where code of a library may read them."""
    every = any(_is_installed(_file(kind)) for kind in type(one).__mro__[:-1])
    values = getattr(one, "__dict__", {})
    yield "", lambda: tuple(values)
    yield from _attributes(values, always=lambda name, value: every)
    for kind in type(one).__mro__[:-1]:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__"):
                yield "" if every else name, functools.partial(getattr, one, name, _ABSENT)


def _parts(value: Any, depth: int = 0) -> Iterable[Any]:
    """The leaves of a container, or the value."""
    if not isinstance(value, _CONTAINERS) or depth > _DEPTH:
        return (value,)
    return [leaf for part in _items(value) for leaf in _parts(part, depth + 1)] + (
        [value] if type(value).__module__ != "builtins" else []
    )


def _items(value: Any) -> list[Any]:
    return list(value.values() if isinstance(value, dict) else value)[:_MOST]


def _is_followed(value: Any) -> bool:
    """Tell whether a value is of the user's code: a function, or an object, a class or a module with attributes."""
    if isinstance(value, (FunctionType, MethodType, functools.partial, property)) or hasattr(value, "__wrapped__"):
        return True
    if isinstance(value, (jax.Array, numpy.ndarray, numpy.generic)):
        return False
    if isinstance(value, (ModuleType, type)):
        file = _file(value)
        return is_users(file) and not _is_installed(file)
    kind = type(value)
    return (hasattr(value, "__dict__") or "__slots__" in kind.__dict__) and not _is_library(kind)


def _file(value: Any) -> str:
    """The file of a module, or of the module of a class; empty for Python's own."""
    module = value if isinstance(value, ModuleType) else sys.modules.get(value.__module__)
    return getattr(module, "__file__", None) or ("" if value.__module__ == "builtins" else "<unknown>")


def _is_library(kind: type) -> bool:
    """Tell whether objects of a class are ours, JAX's or of another library whose objects are left alone."""
    file = _file(kind)
    return not file or file.startswith(PACKAGE) or ("-packages" in file and not is_users(file))


def _is_installed(file: str) -> bool:
    return "-packages" in file


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _ABSENT


@functools.lru_cache(256)
def _names(code: CodeType) -> tuple[str, ...]:
    """Names that code, and the functions defined in it, may read from globals and objects; not what it only writes."""
    loads = {one.argval for one in dis.get_instructions(code) if not one.opname.startswith(("STORE", "DELETE"))}
    inner = [name for one in code.co_consts if isinstance(one, CodeType) for name in _names(one)]
    return tuple(dict.fromkeys((*(name for name in code.co_names if name in loads), *inner)))


def _kept(value: Any, depth: int = 0) -> Any:
    """A value as it is now, to compare with."""
    if isinstance(value, numpy.ndarray):
        return value, value.copy() if value.nbytes <= _SMALL else None
    if not isinstance(value, _CONTAINERS) or depth > _DEPTH:
        return value
    if isinstance(value, (set, frozenset)):
        return type(value), len(value), set(value)
    return type(value), len(value), _keys(value), [_kept(part, depth + 1) for part in _items(value)]


def _keys(value: Any) -> Any:
    return list(value)[:_MOST] if isinstance(value, dict) else None


def _content_watched(value: Any, depth: int = 0) -> list[Watch] | None:
    """List what tells that the content of a value is as it is now; None where entries cannot look at it."""
    if type(value) not in (list, dict, tuple):
        return None if isinstance(value, (numpy.ndarray, *_CONTAINERS)) else []
    watches: list[Watch] = items_watched(value) if type(value) is list else []
    if type(value) is dict:
        watches.append(Watch(Look.PLACE, value, id(value) + cpython.DICT_USED, len(value)))
        watches += [Watch(Look.ITEM, value, key, item) for key, item in value.items()]
    for item in _items(value):
        inner = _content_watched(item, depth + 1) if len(watches) < _MOST and depth < _DEPTH else None
        if inner is None:
            return None
        watches += inner
    return watches if len(value) < _MOST else None


def _is_same(before: Any, value: Any, depth: int = 0) -> bool:
    if isinstance(value, numpy.ndarray):
        if not isinstance(before, tuple) or before[0] is not value:
            return False
        return before[1] is None or numpy.array_equal(before[1], value, equal_nan=value.dtype.kind in "fc")
    if isinstance(value, _CONTAINERS) and depth <= _DEPTH:
        if not isinstance(before, tuple) or before[0] is not type(value) or before[1] != len(value):
            return False
        if isinstance(value, (set, frozenset)):
            return bool(before[2] == value)
        return bool(before[2] == _keys(value)) and all(
            _is_same(then, now, depth + 1) for then, now in zip(before[3], _items(value), strict=True)
        )
    return before is value or (
        isinstance(value, (int, float, complex, str)) and type(before) is type(value) and repr(before) == repr(value)
    )

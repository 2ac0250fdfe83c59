# SPDX-License-Identifier: Apache-2.0
"""Classes of fields that cost little at import, immutable (`frozen`) or not (`mutable`).

`dataclasses.dataclass` writes and compiles up to six functions per class, half a millisecond each time, used or not;
with a hundred such classes that was most of `import hybridize`. Here the methods are shared, and only `__init__`,
whose speed matters, is written for a class: when many instances of it have been made.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")

_put = object.__setattr__


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, eq: bool = ...) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def frozen(cls: type[T] | None = None, /, *, eq: bool = True) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a class as `dataclass(frozen=True)` does: fields, equality and hash by them, a repr, no assignment.

    `dataclasses` knows such classes (mypy does not know that: see `changed`). Methods that the class itself defines
    stay. A class is frozen in this way or in the way of `dataclass`, with all its bases. With `eq=False` an instance
    equals itself only.

    >>> @frozen
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(1, 0), Point(1) == Point(2)
    (Point(x=1, y=0), True, False)
    """

    def decorate(cls: type[T]) -> type[T]:
        return _with_fields(cls, _FROZEN | (_BY_FIELDS | {"__hash__": _hash} if eq else {}))

    return decorate if cls is None else decorate(cls)


@overload
def mutable(cls: type[T], /) -> type[T]: ...
@overload
def mutable(*, eq: bool = ...) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(field_specifiers=(dataclasses.field,))
def mutable(cls: type[T] | None = None, /, *, eq: bool = True) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a class as `dataclass` does: like `frozen`, but fields can be assigned, and instances have no hash.

    With `eq=False` an instance equals itself only, and has one.

    >>> @mutable
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> point = Point(1)
    >>> point.y += 1
    >>> point, point == Point(1, 1)
    (Point(x=1, y=1), True)
    """

    def decorate(cls: type[T]) -> type[T]:
        return _with_fields(cls, {"__repr__": _repr} | (_BY_FIELDS | {"__hash__": None} if eq else {}))

    return decorate if cls is None else decorate(cls)


def _with_fields(cls: type[T], methods: Mapping[str, Callable[..., Any] | None]) -> type[T]:
    if not cls.__doc__:  # `dataclass` would write one, from a signature, which takes longer than all the rest
        cls.__doc__ = cls.__name__
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)  # writes no function: notes the fields
    fields = {field.name: field for field in _fields(cls)}
    compared = [name for name, field in fields.items() if field.compare]
    made._compared = attrgetter(*compared) if compared else type
    if "__init__" not in cls.__dict__:
        made.__init__ = _writes_itself(cls, fields)
    for name, function in methods.items():
        if cls.__dict__.get(name) is None:  # Python itself writes `__hash__ = None` beside an `__eq__`
            setattr(cls, name, function)
    return cls


def changed(one: T, **fields: Any) -> T:
    """A copy of an instance with other values in some fields."""
    copy: T = dataclasses.replace(one, **fields)  # type: ignore[type-var]
    return copy


_UNWRITTEN = 256
"""Instances of a class that are made before its `__init__` is written, which takes as long as making some 300 without
it: most classes have fewer in a process, and a first call does not wait for Python's parser.
"""


def _fields(cls: Any) -> tuple[Field[Any], ...]:
    return dataclasses.fields(cls)


def _writes_itself(cls: Any, fields: Mapping[str, Field[Any]]) -> Callable[..., None]:
    """An `__init__` that replaces itself by the one of the class's fields when it has been called some times."""
    left = _UNWRITTEN
    filled: _Filled | None = None  # most classes have no instance at all

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        nonlocal left, filled
        left -= 1
        filled = filled or _filling(fields)
        if left < 0 or not filled(self, args, kwargs):
            cls.__init__ = _written(cls)
            cls.__init__(self, *args, **kwargs)

    return __init__


_Filled = Callable[[Any, tuple[Any, ...], dict[str, Any]], bool]


def _filling(fields: Mapping[str, Field[Any]]) -> _Filled:
    """A function that makes an instance as the written `__init__` would; False for arguments that it would refuse."""
    names = tuple(fields)
    count = len(names)
    defaults = {name: field.default for name, field in fields.items() if field.default is not MISSING}
    factories = {name: field.default_factory for name, field in fields.items() if field.default_factory is not MISSING}

    def filled(one: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        values = args
        if kwargs or len(args) != count:
            given, named = [*args], 0
            for name in names[len(args) :]:
                if name in kwargs:
                    given.append(kwargs[name])
                    named += 1
                elif name in defaults:
                    given.append(defaults[name])
                elif name in factories:
                    given.append(factories[name]())
                else:
                    return False
            if len(given) > count or named < len(kwargs):  # a keyword that is unknown, or given by position, too
                return False
            values = tuple(given)
        for name, value in zip(names, values, strict=True):
            _put(one, name, value)
        if hasattr(one, "__post_init__"):
            one.__post_init__()
        return True

    return filled


def _written(cls: Any) -> Callable[..., None]:
    """The `__init__` of the fields of `cls`."""
    known: dict[str, Any] = {"put": _put}
    assigned_by_put = cls.__setattr__ is not object.__setattr__
    parameters, lines = ["self"], []
    for field in _fields(cls):
        name = field.name
        value = name
        if field.default is not MISSING:
            known[f"{name}_default"] = field.default
            parameters.append(f"{name}={name}_default")
        elif field.default_factory is not MISSING:
            known[f"{name}_factory"] = field.default_factory
            known["missing"] = MISSING
            parameters.append(f"{name}=missing")
            value = f"{name}_factory() if {name} is missing else {name}"
        else:
            parameters.append(name)
        lines.append(f"  put(self, {name!r}, {value})" if assigned_by_put else f"  self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("  self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines or ["  pass"]), known)
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _equal(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return self is other or self._compared(self) == self._compared(other)


def _hash(self: Any) -> int:
    return hash(self._compared(self))


def _repr(self: Any) -> str:
    parts = (f"{field.name}={getattr(self, field.name)!r}" for field in _fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _assign(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


_FROZEN: dict[str, Callable[..., Any]] = {"__repr__": _repr, "__setattr__": _assign, "__delattr__": _delete}
_BY_FIELDS: dict[str, Callable[..., Any]] = {"__eq__": _equal}

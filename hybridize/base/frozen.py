# SPDX-License-Identifier: Apache-2.0
"""Classes of fields that cost little at import, immutable (`frozen`) or not (`mutable`).

`dataclasses.dataclass` writes and compiles up to six functions per class, half a millisecond each time, used or not;
with a hundred such classes that was most of `import hybridize`. Here the methods are shared, and only `__init__`,
whose speed matters, is written for a class: when some instances of it have been made, and where a template fits
without Python's parser, which takes longer than all else that a small class costs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError
from itertools import islice
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any, Final, TypeVar, dataclass_transform, overload

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
    kind: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)  # writes no function: notes the fields
    fields = {field.name: field for field in _fields(cls)}
    compared = [name for name, field in fields.items() if field.compare]
    kind._compared = attrgetter(*compared) if compared else type
    if "__init__" not in cls.__dict__:
        kind.__init__ = _writes_itself(cls, fields)
        if not hasattr(cls, "__post_init__") and cls.__dictoffset__:
            kind._only_put = fields.keys()  # all that `__init__` does is to put these
    for name, function in methods.items():
        if cls.__dict__.get(name) is None:  # Python itself writes `__hash__ = None` beside an `__eq__`
            setattr(cls, name, function)
    return cls


def changed(one: T, **fields: Any) -> T:
    """A copy of an instance with other values in some fields."""
    names = type(one).__dict__.get("_only_put")
    if names is None or not fields.keys() <= names:
        instance: T = dataclasses.replace(one, **fields)  # type: ignore[type-var]
        return instance
    copy, values = object.__new__(type(one)), one.__dict__
    if len(values) != len(names):  # what is cached is another's
        values = {name: values[name] for name in names}
    copy.__dict__.update(values, **fields)
    return copy


_UNWRITTEN = 8
"""Instances of a class that are made before its `__init__` is written: most classes have fewer in a process."""


def _fields(cls: Any) -> tuple[Field[Any], ...]:
    return dataclasses.fields(cls)


def _writes_itself(cls: Any, fields: Mapping[str, Field[Any]]) -> Callable[..., None]:
    """An `__init__` that replaces itself by the one of the class's fields when it has been called some times."""
    left, names, count = _UNWRITTEN, tuple(fields), len(fields)
    follows = hasattr(cls, "__post_init__")

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        nonlocal left
        left -= 1
        values: Sequence[Any] | None = args
        if kwargs or len(args) != count:
            values = _completed(fields, args, kwargs)
        if left < 0 or values is None:
            cls.__init__ = _written(cls)
            cls.__init__(self, *args, **kwargs)
            return
        for name, value in zip(names, values):  # noqa: B905 - as many
            _put(self, name, value)
        if follows:
            self.__post_init__()

    return __init__


def _completed(fields: Mapping[str, Field[Any]], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sequence[Any] | None:
    """The values of all fields; None for arguments that the written `__init__` would refuse."""
    values, named = [*args], 0
    for name, field in islice(fields.items(), len(args), None):
        if name in kwargs:
            values.append(kwargs[name])
            named += 1
        elif field.default is not MISSING:
            values.append(field.default)
        elif field.default_factory is not MISSING:
            values.append(field.default_factory())
        else:
            return None
    # A keyword that is unknown, or given by position, too, is none of them.
    return values if len(values) == len(fields) and named == len(kwargs) else None


def _written(cls: Any) -> Callable[..., None]:
    """The `__init__` of the fields of `cls`."""
    fields = _fields(cls)
    templates = MUTABLE if cls.__setattr__ is object.__setattr__ else FROZEN
    template = None if hasattr(cls, "__post_init__") else templates.get(len(fields))
    if template is not None:
        named = _from_template(cls, fields, template)
        factories = {field.name: field.default_factory for field in fields if field.default_factory is not MISSING}
        return _with_factories(named, factories) if factories else named
    known: dict[str, Any] = {"__put": _put, "__missing": MISSING}  # names that no field has
    assigned_by_put = cls.__setattr__ is not object.__setattr__
    parameters, lines = ["self"], []
    for field in fields:
        name = field.name
        value = name
        if field.default is not MISSING:
            known[f"__{name}_default"] = field.default
            parameters.append(f"{name}=__{name}_default")
        elif field.default_factory is not MISSING:
            known[f"__{name}_factory"] = field.default_factory
            parameters.append(f"{name}=__missing")
            value = f"__{name}_factory() if {name} is __missing else {name}"
        else:
            parameters.append(name)
        lines.append(f"  __put(self, {name!r}, {value})" if assigned_by_put else f"  self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("  self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines or ["  pass"]), known)
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _init1(self: Any, _1: Any) -> None:
    _put(self, "_1", _1)


def _init2(self: Any, _1: Any, _2: Any) -> None:
    _put(self, "_1", _1)
    _put(self, "_2", _2)


def _init3(self: Any, _1: Any, _2: Any, _3: Any) -> None:
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)


def _init4(self: Any, _1: Any, _2: Any, _3: Any, _4: Any) -> None:
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)


def _init5(self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any) -> None:
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)


def _init6(self: Any, _1: Any, _2: Any, _3: Any, _4: Any, _5: Any, _6: Any) -> None:
    _put(self, "_1", _1)
    _put(self, "_2", _2)
    _put(self, "_3", _3)
    _put(self, "_4", _4)
    _put(self, "_5", _5)
    _put(self, "_6", _6)


def _init0(self: Any) -> None:
    pass


FROZEN: Final[dict[int, Any]] = dict(enumerate((_init0, _init1, _init2, _init3, _init4, _init5, _init6)))
"""Constructors of frozen classes by the number of fields: compiled with their module, under other names.

Those of many fields are added by `constructors`, which a process has loaded that compiles.
"""
MUTABLE: Final[dict[int, Any]] = {0: _init0}
"""The same of classes whose fields can be assigned."""


def _with_factories(init: Callable[..., None], factories: Mapping[str, Callable[[], Any]]) -> Callable[..., None]:
    """A constructor that makes what another one was not given; that one puts MISSING there."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        init(self, *args, **kwargs)
        for name, factory in factories.items():
            if getattr(self, name) is MISSING:
                _put(self, name, factory())

    return __init__


def _from_template(cls: Any, fields: Sequence[Field[Any]], template: Any) -> Callable[..., None]:
    """The `__init__` of fields, in which only names differ from a template's; of those with a factory, MISSING is put
    where nothing is given.
    """
    names = {f"_{number}": field.name for number, field in enumerate(fields, 1)}
    code: CodeType = template.__code__
    renamed = code.replace(
        co_name="__init__",
        co_varnames=tuple([names.get(name, name) for name in code.co_varnames]),
        co_names=tuple([names.get(name, name) for name in code.co_names]),
        co_consts=tuple([names.get(one, one) if isinstance(one, str) else one for one in code.co_consts]),
    )
    optional = [field for field in fields if not (field.default is MISSING and field.default_factory is MISSING)]
    init = FunctionType(renamed, template.__globals__, "__init__", tuple([field.default for field in optional]))
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


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

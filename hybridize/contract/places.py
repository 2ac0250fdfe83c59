# SPDX-License-Identifier: Apache-2.0
"""Places in the user's world: where a value was read that no argument is (a *source*, as other compilers say).

A place can be read again at any time, and has a key, by which the tables of a capture know it. Keys are made of the
identity of the owner: who keeps a key keeps the place, which keeps the owner, so that no address is used again.
"""

from __future__ import annotations

import gc
import reprlib
import weakref
from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from copy import copy
from functools import cache, cached_property, partial
from operator import itemgetter
from types import CellType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

from hybridize.array.ndarray import gradient_of, history, ndarray
from hybridize.array.traced import LOST, OVERWRITTEN, LostHistory, Traced, Variable, released
from hybridize.base.locations import is_users
from hybridize.base.tracebacks import as_python
from hybridize.contract.snapshots import MISSING, own, shown
from hybridize.runtime.cpython import CELL_CONTENTS, DICT_USED, FUNCTION_WORDS, OB_TYPE, member_offset
from hybridize.runtime.entry import NULL, Look, Watch

Refer = Callable[[Any], str]
"""Names an object in the source of a check."""
Key = tuple[Any, ...]


class Place(ABC):
    """Something outside that can be read, and is known by its key."""

    __slots__ = ("owner",)

    def __init__(self, owner: Any) -> None:
        self.owner: Any = owner

    @property
    def key(self) -> Key:
        """The part that two reads of one place have in common."""
        return type(self), id(self.owner)

    @abstractmethod
    def read(self) -> Any:
        """Read what is there; MISSING where nothing is."""

    def write(self, value: Any) -> None:
        """Put a value there; MISSING takes away what is there."""
        raise TypeError(f"{self.described()} is only read")

    def expression(self, refer: Refer) -> str:
        """Give Python source that reads it, which may raise where nothing is there."""
        return f"{refer(type(self).read)}({refer(self)})"

    def watches(self, value: Any) -> list[Watch] | None:
        """List what an emitted entry compares to know that this very object is there; None where Python must look.

        Args:
            value: the object; MISSING for nothing.
        """
        return None

    words = ""
    """The template of its name in messages; `0` is the place."""

    @property
    def shown(self) -> str:
        """Its owner, for messages."""
        return short(self.owner)

    def described(self) -> str:
        """Name it, for messages."""
        return self.words.format(self)


class Named(Place):
    """A place that its owner knows by a name."""

    __slots__ = ("name",)
    owner: Any
    name: str

    def __init__(self, owner: Any, name: str) -> None:
        self.owner, self.name = owner, name

    @property
    def key(self) -> Key:
        return type(self), id(self.owner), self.name


class Indexed(Place):
    """A place that a container knows by a key or number; 1, 1.0 and True are three."""

    __slots__ = ("index",)
    owner: Any
    index: Any

    def __init__(self, owner: Any, index: Any) -> None:
        self.owner, self.index = owner, index

    @property
    def key(self) -> Key:
        return type(self), id(self.owner), type(self.index), self.index


class Global(Named):
    """A name of a module, in the dict of its names."""

    __slots__ = ()
    words = "global {0.name!r}"

    def read(self) -> Any:
        return self.owner.get(self.name, MISSING)

    def write(self, value: Any) -> None:
        if value is not MISSING:
            self.owner[self.name] = value
        else:
            self.owner.pop(self.name, None)

    def expression(self, refer: Refer) -> str:
        return f"{refer(self.owner)}[{self.name!r}]"

    def watches(self, value: Any) -> list[Watch] | None:
        return [Watch(Look.ITEM, self.owner, self.name, NULL if value is MISSING else value)]


class Builtin(Global):
    """A name that Python finds where a module has it not: `max`."""

    __slots__ = ()
    words = "builtin {0.name!r}"

    @property
    def key(self) -> Key:
        return Global, id(self.owner), self.name


class Imported(Global):
    """A module as `import` finds it, in `sys.modules`."""

    __slots__ = ()
    words = "module {0.name!r}"


class Closure(Named):
    """A variable of a function around, in a cell that several functions may know, each by another name."""

    __slots__ = ()
    words = "closure variable {0.name!r}"
    owner: CellType

    @property
    def key(self) -> Key:
        return Closure, id(self.owner)

    def read(self) -> Any:
        try:
            return self.owner.cell_contents
        except ValueError:
            return MISSING

    def write(self, value: Any) -> None:
        if value is not MISSING:
            self.owner.cell_contents = value
        elif self.read() is not MISSING:
            del self.owner.cell_contents

    def expression(self, refer: Refer) -> str:
        return f"{refer(self.owner)}.cell_contents"

    def watches(self, value: Any) -> list[Watch] | None:
        return [Watch(Look.WORD, self.owner, CELL_CONTENTS, NULL if value is MISSING else value)]


class Attribute(Named):
    """An attribute of an object, class or module, as Python finds it, but for code of the user's that would make it."""

    __slots__ = ("_is_plain",)
    words = "attribute {0.name!r} of {0.shown}"

    def __init__(self, owner: Any, name: str) -> None:
        super().__init__(owner, name)
        self._is_plain: bool | None = None

    @property
    def is_plain(self) -> bool:
        """True if asking for it runs no code of the user's; found out once, as calls read some places."""
        if self._is_plain is None:
            self._is_plain = not runs_code(type(self.owner), self.name)
        return self._is_plain

    def read(self) -> Any:
        if self._is_plain or self.is_plain:
            return getattr(self.owner, self.name, MISSING)
        if _is_made_by(static(type(self.owner), self.name)) and self.name not in own(self.owner):
            return MISSING
        lookup: Callable[..., Any] = type.__getattribute__ if isinstance(self.owner, type) else object.__getattribute__
        try:
            return lookup(self.owner, self.name)
        except AttributeError:
            return MISSING

    @as_python
    def write(self, value: Any) -> None:
        if value is not MISSING:
            setattr(self.owner, self.name, value)
        else:
            delattr(self.owner, self.name)

    def expression(self, refer: Refer) -> str:
        if not self.is_plain:
            return f"{refer(Attribute.read)}({refer(self)})"
        owner = refer(self.owner)
        return f"{owner}.{self.name}" if self.name.isidentifier() else f"getattr({owner}, {self.name!r})"

    def watches(self, value: Any) -> list[Watch] | None:
        if isinstance(self.owner, type):
            return self._watches_of_class()
        offset = FUNCTION_WORDS.get(self.name) if type(self.owner) is FunctionType else None
        return None if offset is None else [Watch(Look.WORD, self.owner, offset, NULL if value is None else value)]

    def _watches_of_class(self) -> list[Watch] | None:
        """List the tables of classes that Python looks in, the owner's first; None where a metaclass may say."""
        result = []
        for base in self.owner.__mro__ if type(self.owner) is type else ():
            member = base.__dict__.get(self.name, NULL)
            result.append(Watch(Look.ITEM, shown(base.__dict__), self.name, member))
            if member is not NULL:
                break
        of_type = type.__dict__.get(self.name)  # `__name__`, say, goes first; `__call__` where no class has one
        is_of_type = hasattr(of_type, "__set__") or (
            of_type is not None and result[-1:] and result[-1].expected is NULL
        )
        return None if is_of_type or not result else result


class Member(Attribute):
    """An attribute of the class of an object: a special method, a property, and what class the object is of."""

    __slots__ = ()
    words = "{0.name!r} of the class of {0.shown}"

    def read(self) -> Any:
        return getattr(type(self.owner), self.name, MISSING)

    def write(self, value: Any) -> None:
        setattr(type(self.owner), self.name, value)

    def expression(self, refer: Refer) -> str:
        return f"{refer(type)}({refer(self.owner)}).{self.name}"

    def watches(self, value: Any) -> list[Watch] | None:
        return None


class Unbound(Named):
    """An attribute as a class holds it, or the class of an object: a descriptor that the user's code would bind."""

    __slots__ = ()
    words = "{0.name!r} of the class of {0.shown}"

    def read(self) -> Any:
        return static(self.owner if isinstance(self.owner, type) else type(self.owner), self.name)


def static(kind: type, name: str) -> Any:
    """Return what a class, or one that it is derived of, holds under a name, unbound; MISSING for nothing."""
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return MISSING


def runs_code(kind: type, name: str) -> bool:
    """Tell whether asking an instance of a class for an attribute may run code of the user's, but for a property.

    A check never runs it: the call that captures the program again does, once, as Python would.
    """
    return (
        _is_users_function(static(kind, "__getattribute__"))
        or _is_users_function(static(kind, "__getattr__"))
        or _is_made_by(static(kind, name))
    )


def _is_made_by(member: Any) -> bool:
    """Tell whether a member of a class runs code of the user's to give what the instance itself has not got."""
    return isinstance(member, cached_property) or (
        _is_users_function(getattr(type(member), "__get__", None)) and not hasattr(type(member), "__set__")
    )


def _is_users_function(value: Any) -> bool:
    return isinstance(value, FunctionType) and is_users(value.__code__.co_filename)


class Inherited(Named):
    """An attribute that `super()` finds."""

    __slots__ = ("kind",)
    words = "attribute {0.name!r} that super() finds for {0.shown}"

    def __init__(self, kind: type, owner: Any, name: str) -> None:
        super().__init__(owner, name)
        self.kind: type = kind

    @property
    def key(self) -> Key:
        return *super().key, id(self.kind)

    def read(self) -> Any:
        try:
            return getattr(super(self.kind, self.owner), self.name, MISSING)
        except TypeError:  # its class has been set to another one
            return MISSING

    def expression(self, refer: Refer) -> str:
        return f"{refer(super)}({refer(self.kind)}, {refer(self.owner)}).{self.name}"


class Class(Place):
    """The class of an object."""

    __slots__ = ()
    words = "the class of {0.shown}"

    def read(self) -> Any:
        return type(self.owner)

    def expression(self, refer: Refer) -> str:
        return f"{refer(type)}({refer(self.owner)})"

    def watches(self, value: Any) -> list[Watch] | None:
        return [Watch(Look.WORD, self.owner, OB_TYPE, value)]


class Instance(Place):
    """The answer of a class to whether an object is an instance of it: abstract classes and protocols can be told."""

    __slots__ = ("kind",)
    words = "whether {0.shown} is an instance of {0.kind.__name__}"

    def __init__(self, owner: Any, kind: type) -> None:
        super().__init__(owner)
        self.kind: type = kind

    @property
    def key(self) -> Key:
        return Instance, id(self.owner), id(self.kind)

    def read(self) -> Any:
        return isinstance(self.owner, self.kind)

    def expression(self, refer: Refer) -> str:
        return f"{refer(isinstance)}({refer(self.owner)}, {refer(self.kind)})"


class Members(Place):
    """The names of all that a class and those that it is derived of have."""

    __slots__ = ()
    words = "the names in {0.shown}"

    def read(self) -> Any:
        return tuple(tuple(vars(base)) for base in self.owner.__mro__)


class Item(Indexed):
    """An item of a container."""

    __slots__ = ()

    def read(self) -> Any:
        try:
            # Not owner[index]: a defaultdict would make the item.
            return self.owner.get(self.index, MISSING) if isinstance(self.owner, dict) else self.owner[self.index]
        except (LookupError, TypeError):
            return MISSING

    @as_python
    def write(self, value: Any) -> None:
        if value is not MISSING:
            self.owner[self.index] = value
        else:
            del self.owner[self.index]

    def expression(self, refer: Refer) -> str:
        if isinstance(self.owner, dict) and type(self.owner) not in _PLAIN_DICTS:
            return f"{refer(self.owner)}.get({refer(self.index)}, {refer(MISSING)})"
        return f"{refer(self.owner)}[{refer(self.index)}]"

    def watches(self, value: Any) -> list[Watch] | None:
        if type(self.owner) not in (*_PLAIN_DICTS, defaultdict) or type(self.index) not in (str, int):
            return None
        return [Watch(Look.ITEM, self.owner, self.index, NULL if value is MISSING else value)]

    def described(self) -> str:
        return f"item [{short(self.index)}]"


_PLAIN_DICTS = (dict, OrderedDict)
"""Classes of dicts that raise where a key is not there."""


class Emptiness(Place):
    """The answer to whether a dict holds nothing."""

    __slots__ = ()
    words = "whether a dict is empty"

    def read(self) -> bool:
        return not self.owner

    def expression(self, refer: Refer) -> str:
        return f"(not {refer(self.owner)})"

    def watches(self, value: Any) -> list[Watch] | None:
        plain = type(self.owner) in _PLAIN_DICTS
        return [Watch(Look.WORD, self.owner, DICT_USED, NULL)] if plain and value is True else None


class Items(Place):
    """Many items of a list or dict, which are read at once."""

    __slots__ = ("_get", "indices")

    def __init__(self, owner: Any, indices: tuple[Any, ...]) -> None:
        super().__init__(owner)
        self.indices: tuple[Any, ...] = indices
        self._get = itemgetter(*indices)

    @property
    def key(self) -> Key:
        return Items, id(self.owner), self.indices

    def read(self) -> Any:
        try:
            return self._get(self.owner)
        except LookupError:
            return MISSING

    def expression(self, refer: Refer) -> str:
        return f"{refer(self._get)}({refer(self.owner)})"

    def described(self) -> str:
        return f"the content of {len(self.indices)} items of a {type(self.owner).__name__}"


class Membership(Indexed):
    """The answer of a dict, or of what is like one, to whether it has a key."""

    __slots__ = ()

    def read(self) -> Any:
        return self.index in self.owner

    def expression(self, refer: Refer) -> str:
        return f"({refer(self.index)} in {refer(self.owner)})"

    def described(self) -> str:
        return f"{short(self.index)} in {short(self.owner)}"


class CallResult(Place):
    """A result of a function of Python's: one that keeps its results (`functools.cache`), or gives a setting.

    Reading it is a call, as it is in Python.
    """

    __slots__ = ("args", "kwargs")
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(function)
        self.args, self.kwargs = args, kwargs

    @property
    def key(self) -> Key:
        return type(self), id(self.owner), tuple(map(id, self.args)), tuple((k, id(v)) for k, v in self.kwargs.items())

    def read(self) -> Any:
        return self.owner(*self.args, **self.kwargs)

    def described(self) -> str:
        return f"the result of {getattr(self.owner, '__name__', 'a function')}()"


class CachedResult(CallResult):
    """A result that a function of `functools.cache` or `lru_cache` keeps for its arguments: reading computes none."""

    __slots__ = ()

    def read(self) -> Any:
        return super().read() if self._entry()[1] else MISSING

    def compute(self) -> Any:
        """Compute it, as a call does for which nothing is kept."""
        return super().read()

    def forget(self) -> None:
        """Let nothing be kept for the arguments; where the least recent result goes first, for none at all."""
        table, present, key = self._entry()
        if present and self.owner.cache_parameters()["maxsize"] is None:
            del table[key]
        elif present:
            self.owner.cache_clear()

    def _entry(self) -> tuple[dict[Any, Any], bool, Any]:
        """Find the table of the cache: it stands before the function among what the cache refers to."""
        settings = self.owner.cache_parameters()
        parts = gc.get_referents(self.owner)
        at = next((n for n, part in enumerate(parts) if n and part is self.owner.__wrapped__), 0)
        if not at or type(parts[at - 1]) is not dict or settings["maxsize"] == 0:
            return {}, False, None
        key = self._key(parts[at + 1], settings["typed"])
        return parts[at - 1], key in parts[at - 1], key

    def _key(self, mark: Any, typed: bool) -> Any:
        """Make the key as the cache does; `mark` stands before keywords."""
        if len(self.args) == 1 and not self.kwargs and not typed and type(self.args[0]) in (int, str):
            return self.args[0]
        key = self.args
        if self.kwargs:
            key += (mark, *(part for pair in self.kwargs.items() for part in pair))
        return key + (tuple(map(type, (*self.args, *self.kwargs.values()))) if typed else ())


class Content(Place):
    """All that a container holds, or an object remembers; it is compared with a snapshot."""

    __slots__ = ("name",)
    words = "the content of {0.name}"

    def __init__(self, owner: Any, name: str) -> None:
        super().__init__(owner)
        self.name: str = name

    def read(self) -> Any:
        return self.owner

    def expression(self, refer: Refer) -> str:
        return refer(self.owner)


class Length(Place):
    """The number of items that an object says it has."""

    __slots__ = ()
    words = "the length of a {0.owner.__class__.__name__}"

    def read(self) -> Any:
        try:
            return len(self.owner)
        except TypeError:
            return MISSING

    def expression(self, refer: Refer) -> str:
        return f"{refer(len)}({refer(self.owner)})"


class Referent(Place):
    """The answer to whether the object of a weak reference is still there."""

    __slots__ = ()
    words = "whether the object of a weak reference is there"

    def read(self) -> Any:
        return self.owner() is not None

    def expression(self, refer: Refer) -> str:
        return f"({refer(self.owner)}() is not None)"


class WeaklyReached(Place):
    """A place of an object that was reached by a weak reference, which the program does not keep alive."""

    __slots__ = ("_key", "_place")
    owner: weakref.ref[Any]

    def __init__(self, owner: weakref.ref[Any], place: Place) -> None:
        super().__init__(owner)
        self._key, self._place = place.key, copy(place)
        self._place.owner = None

    @property
    def key(self) -> Key:
        return self._key

    def _now(self) -> Place | None:
        owner = self.owner()
        if owner is None:
            return None
        place = copy(self._place)
        place.owner = owner
        return place

    def read(self) -> Any:
        place = self._now()
        return MISSING if place is None else self.apart(place.read(), place.owner)

    def write(self, value: Any) -> None:
        place = self._now()
        if place is not None:
            place.write(value)

    @staticmethod
    def apart(value: Any, owner: Any) -> Any:
        """Give a value that does not keep its owner alive: of a method, the function."""
        return value.__func__ if type(value) is MethodType and value.__self__ is owner else value

    def described(self) -> str:
        place = self._now()
        return "what a weak reference leads to" if place is None else place.described()


class Gradient(Place):
    """The variable that an array is, and the place its gradient goes to: `attach_grad`."""

    __slots__ = ()
    words = "the gradient attached to {0.owner.type}"

    def read(self) -> Any:
        variable = variable_of(self.owner)
        return (variable, gradient_of(variable), variable.req) if isinstance(variable, Variable) else variable

    def watches(self, value: Any) -> list[Watch] | None:
        traced = history(self.owner)
        if traced is None or type(value) is not tuple or not isinstance(value[0], Variable):
            return None
        variable, gradient, req = value
        slots = (
            (ndarray, self.owner, "_traced", traced), (Traced, traced, "edge", variable),
            (Variable, variable, "grad", gradient), (Variable, variable, "req", req),
        )  # fmt: skip
        offsets = [_offset(kind, name) for kind, _, name, _ in slots]
        if None in offsets:
            return None
        return [
            Watch(Look.WORD, owner, offset, content)
            for (_, owner, _, content), offset in zip(slots, offsets, strict=True)
        ]


@cache
def _offset(kind: type, name: str) -> int | None:
    """Return the offset of a slot of a class of ours, see `member_offset`."""
    return member_offset(kind, name)


def variable_of(array: ndarray) -> Any:
    """Give the variable that an array is, or what else a tape knows it by; None for a constant.

    What a backward pass has freed is a constant. Of an array whose history stayed in a call, it is `LOST` or
    `OVERWRITTEN`.
    """
    traced = history(array)
    if traced is None:
        return None
    edge = traced.edge
    if type(edge) is not tuple:
        return edge
    if released(edge[0]):
        return traced.variable
    if type(edge[0]) is LostHistory and traced.variable is None:
        return LOST if traced.version == array.storage.version else OVERWRITTEN
    return edge


def held_by(owner: Any, name: str) -> Any:
    """Return what an object itself has under a name, in a slot or by a property too; MISSING for what its class has."""
    table = own(owner)
    if name in table:
        return table[name]
    member = Unbound(owner, name).read()
    return getattr(owner, name, MISSING) if hasattr(type(member), "__set__") else MISSING


_HOLDING = (dict, list, tuple, set, frozenset, deque, SimpleNamespace, partial)
"""Classes whose `__repr__` calls that of what they hold."""


class _Shown(reprlib.Repr):
    """Shows values, but runs no `__repr__` of the user's or of another library: while capturing, those may compute."""

    def repr_instance(self, x: Any, level: int) -> str:
        """Show an instance of any other class than Python's containers and strings; what is code, by its name."""
        if isinstance(x, (type, FunctionType, CodeType)):
            kind = "class" if isinstance(x, type) else "function" if isinstance(x, FunctionType) else "the code of"
            return f"{kind} {x.co_qualname if isinstance(x, CodeType) else x.__qualname__}"
        if isinstance(x, ModuleType):
            return f"module {x.__name__}"
        method: Any = type(x).__repr__
        is_others = hasattr(method, "__code__") and not (method.__module__ or "").startswith(("hybridize.", "enum"))
        if is_others or isinstance(x, _HOLDING):
            return f"a {type(x).__name__}"
        return repr(x)

    repr_type = repr_function = repr_code = repr_module = repr_instance


_SHOWN = _Shown()
_SHOWN.maxlevel = 4
_SHOWN.maxdict = _SHOWN.maxlist = _SHOWN.maxtuple = _SHOWN.maxset = _SHOWN.maxfrozenset = _SHOWN.maxdeque = 40
_SHOWN.maxstring = _SHOWN.maxlong = _SHOWN.maxother = 80


def short(value: Any) -> str:
    """Show a value in 80 characters at most."""
    text = _SHOWN.repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."

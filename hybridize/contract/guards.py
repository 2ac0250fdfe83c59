# SPDX-License-Identifier: Apache-2.0
"""Guards: what a captured function read of the world around it, and must find again for its program to hold.

A guard is a place and a test of what is there. All guards of a program become one Python function, so that a call
without any pays nothing; names and variables of modules and functions are looked at by the emitted entry itself.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from types import BuiltinMethodType, MethodType, MethodWrapperType, ModuleType, NoneType
from typing import Any

from hybridize.base.locations import SourceLoc
from hybridize.contract import snapshots
from hybridize.contract.places import Content, Item, Items, Place, Refer, WeaklyReached, short
from hybridize.runtime.entry import Look, Watch
from hybridize.system.interruptions import let_through


class _Unreadable:
    """Stands for what reading raised instead of giving it; no test takes it."""

    def __repr__(self) -> str:
        return "not to be read"


UNREADABLE = _Unreadable()


def is_made_anew(value: Any) -> bool:
    """Tell whether a value is a method of an object, which Python makes anew each time that it is asked for."""
    if type(value) is BuiltinMethodType:
        return not isinstance(value.__self__, (ModuleType, NoneType))
    return type(value) in (MethodType, MethodWrapperType)


class Test(ABC):
    """A question about what is found at a place."""

    __slots__ = ("value",)
    of_memory = False
    """True if it asks where an array has its elements: a program for which it fails will hardly be right again."""

    def __init__(self, value: Any) -> None:
        self.value: Any = value
        """The value that was found while capturing."""

    @abstractmethod
    def holds(self, now: Any) -> bool:
        """Tell whether what is found now will do."""

    @abstractmethod
    def check(self, now: str, refer: Refer) -> str:
        """Give Python source of `holds`; `now` is source that reads the place, and may raise."""

    def watches(self, place: Place) -> list[Watch] | None:
        """List what an emitted entry compares to know that it holds; None where Python must look."""
        return None


class Identical(Test):
    """The very object, or MISSING; of methods, which are made anew each time, the same function of the same object."""

    __slots__ = ()

    def watches(self, place: Place) -> list[Watch] | None:
        return None if is_made_anew(self.value) else place.watches(self.value)

    def holds(self, now: Any) -> bool:
        return snapshots.same(now, self.value)

    def check(self, now: str, refer: Refer) -> str:
        if type(self.value) is MethodType:
            function, owner = refer(self.value.__func__), refer(self.value.__self__)
            return f"((_t := {now}).__func__ is {function} and _t.__self__ is {owner})"
        if is_made_anew(self.value):
            return f"{refer(snapshots.same)}({now}, {refer(self.value)})"
        return f"({now} is {refer(self.value)})"


class Equal(Identical):
    """An equal number, string or tuple of such."""

    __slots__ = ()

    def check(self, now: str, refer: Refer) -> str:
        then = refer(self.value)
        return f"({refer(snapshots.same)}(_t, {then}) if (_t := {now}) is not {then} else True)"


class Unchanged(Test):
    """A container or object that holds what its snapshot saw."""

    __slots__ = ()

    def holds(self, now: Any) -> bool:
        return snapshots.unchanged(now, self.value)

    def check(self, now: str, refer: Refer) -> str:
        return f"{refer(snapshots.unchanged)}({now}, {refer(self.value)})"


class Guard:
    """A place, and a test of what is there."""

    __slots__ = ("loc", "place", "test")
    place: Place
    test: Test
    loc: SourceLoc | None

    def __init__(self, place: Place, test: Test, loc: SourceLoc | None) -> None:
        self.place, self.test, self.loc = place, test, loc

    @classmethod
    def on(cls, place: Place, value: Any, loc: SourceLoc | None) -> Guard:
        """Guard a place by what was found there: by value where that is a constant, else by identity."""
        return cls(place, (Equal if isinstance(value, snapshots.COMPARED_CLASSES) else Identical)(value), loc)

    def weakly(self, reference: weakref.ref[Any]) -> Guard:
        """Return the guard as one that does not keep the owner of its place alive, to which a weak reference leads."""
        value = WeaklyReached.apart(self.test.value, self.place.owner)
        test = self.test if value is self.test.value else Identical(value)
        return Guard(WeaklyReached(reference, self.place), test, self.loc)

    @property
    def expected(self) -> Any:
        """The value that was found while capturing."""
        return self.test.value

    def now(self) -> Any:
        """Read what is there now; MISSING where nothing is, UNREADABLE where reading it raises."""
        try:
            return self.place.read()
        except Exception as error:  # of a property of the user's, say: the call will see to it, if it reads it at all
            let_through(error)
            return UNREADABLE

    def holds(self) -> bool:
        """Tell whether what is there will do."""
        return self.test.holds(self.now())

    def check(self, refer: Refer) -> str:
        """Give Python source of `holds`, which may raise where nothing is there."""
        reading = (
            f"{refer(self.place.read)}()" if self.test.value is snapshots.MISSING else self.place.expression(refer)
        )
        return self.test.check(reading, refer)

    def change(self) -> str:
        """Say what was there and what is now."""
        if isinstance(self.test.value, snapshots.Snapshot) or isinstance(self.place, Content):
            return f"{self.place.described()} has changed; it is {short(self.now())}"
        return f"{self.place.described()} was {short(self.test.value)} and is {short(self.now())}"

    def __repr__(self) -> str:
        return f"<Guard: {self.place.described()} is {short(self.test.value)}>"


MANY = 64
"""Items of one container that are guarded one by one."""


def gathered(guards: Iterable[Guard]) -> tuple[Guard, ...]:
    """Put one guard in place of those on many numbers or strings of one list or dict, which takes a word for each.

    Those on the content of what has none that can change, such as a tuple of functions, are left out.
    """
    result: list[Guard] = []
    of_owners: defaultdict[int, list[Guard]] = defaultdict(list)
    for guard in guards:
        if type(guard.place) is Content and not snapshots.can_change(guard.expected):
            continue
        of_item = type(guard.place) is Item and type(guard.test) is Equal
        at_once = of_item and type(guard.place.owner) in _READ_AT_ONCE
        (of_owners[id(guard.place.owner)] if at_once else result).append(guard)
    for alike in of_owners.values():
        if len(alike) <= MANY:
            result += alike
            continue
        places: Any = [guard.place for guard in alike]
        place = Items(places[0].owner, tuple(one.index for one in places))
        test = Unchanged(snapshots.Snapshot(tuple, None, tuple(guard.expected for guard in alike)))
        result.append(Guard(place, test, alike[0].loc))
    return tuple(result)


_READ_AT_ONCE = (list, dict, OrderedDict)
"""Classes of containers that tell of an item that is not there by an exception."""


class _Contents:
    """The guards on what containers hold, which are looked at together."""

    def __init__(self, guards: Sequence[Guard]) -> None:
        self._guards = guards
        self._flat: snapshots.FlatContent | None = None

    def hold(self) -> bool:
        """Tell whether all of them hold."""
        flat = self._flat
        if flat is not None and flat.is_there():
            return True
        if not all(guard.holds() for guard in self._guards):
            return False
        self._flat = snapshots.FlatContent((guard.place.owner, guard.expected) for guard in self._guards)
        return True


def checker(guards: Iterable[Guard]) -> Callable[[], bool] | None:
    """Make one function that tells whether all guards hold; None when there are none."""
    condition, scope = _condition(guards)
    if not condition:
        return None
    body = [
        " def made():",
        "  try:",
        f"   return {condition}",
        "  except Exception as error:",
        "   _let_through(error)",
        "   return False",
    ]
    check: Callable[[], bool] = _factory(body, scope)
    return check


def watches(guards: Sequence[Guard]) -> list[Watch]:
    """List the guards as an emitted entry looks at them: by itself where an object is known to be the same, else by a
    function.
    """
    result: list[Watch] = []
    others: list[Guard] = []
    for guard in guards:
        seen = guard.test.watches(guard.place)
        if seen is None:
            others.append(guard)
        else:
            result += seen
    check = checker(others)
    if check is not None:
        result.append(Watch(Look.CALL, check, None, True))
    return result


def _condition(guards: Iterable[Guard]) -> tuple[str, dict[str, Any]]:
    """Give the source of a check of all guards, and the objects that it names."""
    names: dict[int, str] = {}
    scope: dict[str, Any] = {"_let_through": let_through}

    def refer(value: Any) -> str:
        name = names.setdefault(id(value), f"_v{len(names)}")
        scope[name] = value  # keeps it: no other object gets its identity
        return name

    checks, contents = [], []
    for guard in guards:
        if type(guard.place) is Content and type(guard.test) is Unchanged:
            contents.append(guard)
        else:
            checks.append(guard.check(refer))
    if contents:
        checks.append(f"{refer(_Contents(contents).hold)}()")
    return " and ".join(checks), scope


def _factory(body: list[str], scope: dict[str, Any]) -> Callable[..., Any]:
    """Make the function `namespace` of the lines, whose objects are closure variables, which are fast to read."""
    names = list(scope)
    lines = [f"def factory({', '.join(names)}):", *body, " return made"]
    namespace: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<guards>", "exec"), namespace)
    result: Callable[..., Any] = namespace["factory"](*scope.values())
    return result

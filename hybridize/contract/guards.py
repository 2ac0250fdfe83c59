# SPDX-License-Identifier: Apache-2.0
"""Guards: what a captured function read of the world around it, and must find again for its program to hold.

Numbers, strings and tuples of them must be equal; functions, modules, arrays and other objects must be the same
object. A container of which only items were read is guarded item by item, one that was used as a whole by content.
All guards of a program become one Python function, so a call without any pays nothing.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from types import CellType
from typing import Any

import numpy

from hybridize.base.locations import SourceLoc
from hybridize.runtime.entry import Look, Watch

CONTAINERS = (list, dict, set, tuple, frozenset, OrderedDict, defaultdict, deque)
"""Classes whose content is guarded; instances of others are guarded by identity, and attribute by attribute."""


class _Missing:
    """Stands for a value that is not there."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()

_EXACT = (int, bool, str, bytes, range, slice, complex)


def same(now: Any, then: Any) -> bool:
    """Whether a value is the one that was read: the same object, or an equal number, string or tuple."""
    if now is then:
        return True
    kind = type(then)
    if type(now) is not kind:
        return False
    if kind is float:
        return (now == then and math.copysign(1, now) == math.copysign(1, then)) or (now != now and then != then)
    if kind in _EXACT:
        return bool(now == then)
    if kind is tuple:
        return len(now) == len(then) and all(map(same, now, then))
    if isinstance(then, numpy.generic):
        return bool(now.tobytes() == then.tobytes())
    return False


class Guard(ABC):
    """One thing that was read."""

    __slots__ = ("expected", "loc")

    def __init__(self, expected: Any, loc: SourceLoc | None) -> None:
        self.expected = expected
        self.loc = loc

    @abstractmethod
    def now(self) -> Any:
        """What is there now; MISSING where nothing is."""

    @abstractmethod
    def source(self, refer: Callable[[Any], str]) -> str:
        """A Python expression for what is there now, which may raise; `refer` names an object in it."""

    @abstractmethod
    def what(self) -> str:
        """What was read, for messages."""

    def holds(self) -> bool:
        """Whether the same is there."""
        return same(self.now(), self.expected)

    def check(self, refer: Callable[[Any], str]) -> str:
        """A Python expression for `holds`, which may raise where nothing is there."""
        now, then = self.source(refer), refer(self.expected)
        if isinstance(self.expected, (*_EXACT, float, tuple, numpy.generic)):
            return f"(_same(_t, {then}) if (_t := {now}) is not {then} else True)"
        return f"({now} is {then})"

    def change(self) -> str:
        """What was there and what is now."""
        return f"{self.what()} was {_short(self.expected)} and is {_short(self.now())}"


class GlobalGuard(Guard):
    """A name of a module."""

    __slots__ = ("name", "names")

    def __init__(self, names: dict[str, Any], name: str, expected: Any, loc: SourceLoc | None) -> None:
        super().__init__(expected, loc)
        self.names, self.name = names, name

    def now(self) -> Any:
        return self.names.get(self.name, MISSING)

    def source(self, refer: Callable[[Any], str]) -> str:
        return f"{refer(self.names)}[{self.name!r}]"

    def what(self) -> str:
        return f"global {self.name!r}"


class CellGuard(Guard):
    """A variable of a function around."""

    __slots__ = ("cell", "name")

    def __init__(self, cell: CellType, name: str, expected: Any, loc: SourceLoc | None) -> None:
        super().__init__(expected, loc)
        self.cell, self.name = cell, name

    def now(self) -> Any:
        try:
            return self.cell.cell_contents
        except ValueError:
            return MISSING

    def source(self, refer: Callable[[Any], str]) -> str:
        return f"{refer(self.cell)}.cell_contents"

    def what(self) -> str:
        return f"closure variable {self.name!r}"


class AttributeGuard(Guard):
    """An attribute of an object or module."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Any, name: str, expected: Any, loc: SourceLoc | None) -> None:
        super().__init__(expected, loc)
        self.owner, self.name = owner, name

    def now(self) -> Any:
        return getattr(self.owner, self.name, MISSING)

    def source(self, refer: Callable[[Any], str]) -> str:
        owner = refer(self.owner)
        return f"{owner}.{self.name}" if self.name.isidentifier() else f"getattr({owner}, {self.name!r})"

    def what(self) -> str:
        return f"attribute {self.name!r} of {_short(self.owner)}"


class ItemGuard(Guard):
    """An item of a container."""

    __slots__ = ("key", "owner")

    def __init__(self, owner: Any, key: Any, expected: Any, loc: SourceLoc | None) -> None:
        super().__init__(expected, loc)
        self.owner, self.key = owner, key

    def now(self) -> Any:
        try:
            # Not owner[key]: a defaultdict would make the item.
            return self.owner.get(self.key, MISSING) if isinstance(self.owner, dict) else self.owner[self.key]
        except (LookupError, TypeError):
            return MISSING

    def source(self, refer: Callable[[Any], str]) -> str:
        if isinstance(self.owner, dict):
            return f"{refer(self.owner)}.get({refer(self.key)}, {refer(MISSING)})"
        return f"{refer(self.owner)}[{refer(self.key)}]"

    def what(self) -> str:
        return f"item [{self.key!r}]"


class WholeGuard(Guard):
    """The content of a container."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Any, name: str, loc: SourceLoc | None) -> None:
        super().__init__(frozen(owner), loc)
        self.owner, self.name = owner, name

    def now(self) -> Any:
        return self.owner

    def holds(self) -> bool:
        return unchanged(self.owner, self.expected)

    def source(self, refer: Callable[[Any], str]) -> str:
        return refer(self.owner)

    def check(self, refer: Callable[[Any], str]) -> str:
        return f"_unchanged({refer(self.owner)}, {refer(self.expected)})"

    def what(self) -> str:
        return f"the content of {self.name}"

    def change(self) -> str:
        return f"{self.what()} has changed; it is {_short(self.owner)}"


def frozen(value: Any, seen: frozenset[int] = frozenset()) -> Any:
    """What `unchanged` compares with: a copy of containers, and of NumPy arrays, as deep as they go."""
    kind = type(value)
    if kind is numpy.ndarray:
        return _Content((kind, value.dtype, value.shape, value.tobytes()))
    if kind not in CONTAINERS or id(value) in seen:
        return value
    seen |= {id(value)}
    if isinstance(value, dict):
        return _Content((kind, [(key, frozen(item, seen)) for key, item in value.items()]))
    if isinstance(value, (set, frozenset)):
        return _Content((kind, set(value)))
    return _Content((kind, [frozen(item, seen) for item in value]))


class _Content:
    """A frozen container."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts


def unchanged(value: Any, then: Any) -> bool:
    """Whether a value is what `frozen` saw."""
    if type(then) is not _Content:
        return same(value, then)
    kind = then.parts[0]
    if type(value) is not kind:
        return False
    if kind is numpy.ndarray:
        return bool((value.dtype, value.shape) == then.parts[1:3] and value.tobytes() == then.parts[3])
    items = then.parts[1]
    if len(value) != len(items):
        return False
    if issubclass(kind, dict):
        return all(
            same(key, key_then) and unchanged(item, item_then)
            for (key, item), (key_then, item_then) in zip(value.items(), items, strict=True)
        )
    if issubclass(kind, (set, frozenset)):
        return bool(value == items)
    return all(map(unchanged, value, items))


def differences(guard: WholeGuard) -> list[tuple[Any, Any, Any]]:
    """Which items of a list or dict are others than they were, if nothing else has changed: key, value then and now."""
    owner, then = guard.owner, guard.expected
    if type(then) is not _Content or type(owner) is not then.parts[0] or not isinstance(owner, (list, dict)):
        return []
    items = then.parts[1]
    before = list(items if isinstance(owner, dict) else enumerate(items))
    after = list(owner.items() if isinstance(owner, dict) else enumerate(owner))
    if [key for key, _ in before] != [key for key, _ in after]:
        return []
    pairs = zip(before, after, strict=True)
    return [(key, old, new) for (key, old), (_, new) in pairs if not unchanged(new, old)]


def checker(guards: Iterable[Guard]) -> Callable[[], bool] | None:
    """One function that tells whether all guards hold; None when there are none."""
    condition, scope = _condition(guards)
    if not condition:
        return None
    body = [" def made():", "  try:", f"   return {condition}", "  except Exception:", "   return False"]
    made: Callable[[], bool] = _made(body, scope)
    return made


def watches(guards: Sequence[Guard]) -> list[Watch]:
    """The guards as an emitted entry looks at them: names and cells of objects by itself, all others by a function."""
    found: list[Watch] = []
    others: list[Guard] = []
    for guard in guards:
        lasting = not isinstance(guard.expected, (int, float, complex, str, bytes, tuple, numpy.generic))
        if lasting and type(guard) is GlobalGuard:
            found.append(Watch(Look.ITEM, guard.names, guard.name, guard.expected))
        elif lasting and type(guard) is CellGuard:
            found.append(Watch(Look.CELL, guard.cell, None, guard.expected))
        else:
            others.append(guard)
    check = checker(others)
    if check is not None:
        found.append(Watch(Look.CALL, check, None, True))
    return found


def _condition(guards: Iterable[Guard]) -> tuple[str, dict[str, Any]]:
    """The source of a check of all guards, and the objects that it names."""
    names: dict[int, str] = {}
    scope: dict[str, Any] = {"_same": same, "_unchanged": unchanged}

    def refer(value: Any) -> str:
        name = names.setdefault(id(value), f"_v{len(names)}")
        scope[name] = value
        return name

    return " and ".join([guard.check(refer) for guard in guards]), scope


def _made(body: list[str], scope: dict[str, Any]) -> Callable[..., Any]:
    """The function `made` of the lines, which name objects of `scope`: as closure variables, which are fast to read."""
    names = list(scope)
    lines = [f"def factory({', '.join(names)}):", *body, " return made"]
    made: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<guards>", "exec"), made)
    result: Callable[..., Any] = made["factory"](*scope.values())
    return result


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."

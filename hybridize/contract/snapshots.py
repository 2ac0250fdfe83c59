# SPDX-License-Identifier: Apache-2.0
"""Snapshots: what a value of the user's was, so that a later call can tell whether it still is.

Numbers, strings and tuples of them are compared by what they are, functions, modules, arrays and other objects by
identity. A `Snapshot` of a container, or of an object whose content matters, is compared as deep as it was taken.
"""

from __future__ import annotations

import contextvars
import gc
import math
import weakref
from array import array as plain_array
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, repeat, starmap
from operator import attrgetter, methodcaller
from types import BuiltinMethodType, MappingProxyType, MethodType, MethodWrapperType
from typing import Any, cast

import numpy

from hybridize.runtime.cpython import same_items

CONTAINERS = (list, dict, set, tuple, frozenset, OrderedDict, defaultdict, deque)
"""Classes whose content is guarded; instances of others are guarded by identity, and attribute by attribute."""
BUFFERS = (bytearray, plain_array, memoryview)
"""Classes of Python's whose instances are bytes that anybody may write unseen."""
VIEWS: tuple[type, ...] = (
    MappingProxyType, type({}.keys()), type({}.values()), type({}.items()), type(OrderedDict().keys()),
    type(OrderedDict().values()), type(OrderedDict().items()),
)  # fmt: skip
"""Classes of Python's whose instances hold nothing: they show what a mapping holds now."""


class _Missing:
    """Stands for a value that is not there."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()

EXACT_CLASSES = (int, bool, str, bytes)
"""Classes of which two instances that are equal cannot be told apart."""
COMPARED_CLASSES = (*EXACT_CLASSES, float, complex, range, slice, tuple, numpy.generic)
"""Classes whose instances are compared by what they are."""


def same(now: Any, then: Any) -> bool:
    """Tell whether a value is the one that was read: the same object, or an equal number, string, tuple or method."""
    if now is then:
        return True
    kind = type(then)
    if type(now) is not kind:
        return False
    if kind is float:
        return (now == then and math.copysign(1, now) == math.copysign(1, then)) or (now != now and then != then)
    if kind in EXACT_CLASSES:
        return bool(now == then)
    if kind is complex:
        return same(now.real, then.real) and same(now.imag, then.imag)
    if kind is range or kind is slice:  # range(0, 3, 2) == range(0, 4, 2)
        return same((now.start, now.stop, now.step), (then.start, then.stop, then.step))
    if kind is tuple:
        return len(now) == len(then) and all(map(same, now, then))
    if kind is MethodType:  # made anew each time that it is asked for
        return now.__func__ is then.__func__ and now.__self__ is then.__self__
    if kind in (BuiltinMethodType, MethodWrapperType):
        return bool(now == then)  # one method of one object, which no code of the user's compares
    if isinstance(then, numpy.generic):
        return bool(now.tobytes() == then.tobytes())
    return False


class Snapshot:
    """A container, array of NumPy's or object as it was: its class and its parts, by key where they have one.

    A later look compares pointers first. Where it finds other objects that are equal, the snapshot takes them over, so
    that the next look is fast again.
    """

    __slots__ = ("__weakref__", "keys", "kind", "parts")
    keys: Any
    kind: type
    parts: Any

    def __init__(self, kind: type, keys: Any, parts: Any) -> None:
        self.kind, self.keys, self.parts = kind, keys, parts

    def has_keys(self, now: tuple[Any, ...]) -> bool:
        """Tell whether these are the keys, in their order."""
        if same_items(now, self.keys):
            return True
        if len(now) != len(self.keys) or not all(map(same, now, self.keys)):
            return False
        self.keys = now
        return True

    def has_parts(self, now: tuple[Any, ...], pairs: Comparisons | None = None) -> bool:
        """Tell whether these are the parts, as deep as they were taken; see `unchanged`."""
        then = self.parts
        if same_items(now, then):
            return True
        if len(now) != len(then) or not all(map(unchanged, now, then, repeat({} if pairs is None else pairs))):
            return False
        if not any(type(part) is Snapshot for part in then):
            self.parts = now
        return True


Inside = Callable[[type], bool]
"""Tells of a class whether a snapshot looks inside of its instances."""


def of_containers(kind: type) -> bool:
    """Look inside of containers, and of arrays of NumPy's, which anybody may write unseen."""
    return kind in CONTAINERS or kind is numpy.ndarray


_FEW = 16
"""Items of a tuple without anything that can change for which no snapshot is taken."""
Before = Mapping[int, tuple[Any, Any]]
"""Containers, dicts of attributes and objects with slots that were changed, by identity, and what each held before: a
copy of the container or dict, a dict of the slots."""


def snapshot(value: Any, inside: Inside = of_containers, before: Before = MappingProxyType({})) -> Any:
    """Take a snapshot of a value, as deep as `inside` says; a value that it does not look inside of is its own.

    What is met several times has one snapshot, so that the work is that of the values there are, not of the ways to
    them. A value met again inside of itself, which ends a circle, is its own there.

    Args:
        value: of the user's.
        inside: the classes to look inside of.
        before: what was changed meanwhile, which the snapshot shows as it was.
    """
    return _snapshot(value, inside, before, {})


def _snapshot(value: Any, inside: Inside, before: Before, copies: dict[int, Any]) -> Any:
    kind: Any = type(value)
    if not inside(kind):
        return value
    if id(value) in copies:
        return copies[id(value)]
    copies[id(value)] = value
    content = _content(value, before)
    if kind is numpy.ndarray:
        copy = Snapshot(kind, (value.dtype, value.shape), value.tobytes())
    elif kind in (list, tuple) and not any(map(inside, set(map(type, content)))):
        few = kind is tuple and len(content) <= _FEW
        # Of 200,000 numbers, say, which take 200,000 pointers; few that cannot change are compared as they are.
        copy = value if few else Snapshot(kind, None, tuple(content))
    else:
        keys, parts = _taken_apart(value, kind, before)
        copy = Snapshot(kind, keys, tuple([_snapshot(part, inside, before, copies) for part in parts]))
    copies[id(value)] = copy
    return copy


def _content(container: Any, before: Before) -> Any:
    """Give what a container holds, or held before it was changed."""
    return before[id(container)][1] if id(container) in before else container


def _taken_apart(
    value: Any, kind: type, before: Before = MappingProxyType({})
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the keys and names of all parts of a value that have one, and its parts.

    Those of a set are in the order in which a loop goes through it: equal sets may have two.
    """
    keys: list[Any] = []
    parts: list[Any] = []
    content = _content(value, before)
    if kind not in CONTAINERS and isinstance(content, CONTAINERS):
        content = contents(content)  # the class may go through what it holds in a way of its own
        if isinstance(value, dict):
            keys, parts = [key for key, _ in content], [part for _, part in content]
        else:
            parts = list(content)
    elif isinstance(value, dict):
        keys, parts = list(content), list(content.values())
    elif isinstance(value, (list, tuple, deque, set, frozenset)):
        parts = list(content)
    elif isinstance(value, BUFFERS):
        parts = [bytes(content)]
    elif isinstance(value, contextvars.ContextVar):
        parts = [value.get(MISSING)]
    if kind not in CONTAINERS:
        for name, item in _attributes(value, kind, before):
            keys.append(name)
            parts.append(item)
    return tuple(keys), tuple(parts)


def _attributes(value: Any, kind: type, before: Before) -> list[tuple[str, Any]]:
    """Attributes of an instance and its slots, without asking the instance."""
    attributes = list(_content(own(value), before).items())
    entry = None if isinstance(value, CONTAINERS) else before.get(id(value))
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        names = [one for one in ((slots,) if isinstance(slots, str) else slots) if one not in _NO_SLOTS]
        if entry is None:
            attributes += [(one, getattr(value, one, MISSING)) for one in names]
        else:
            attributes += [(one, entry[1].get(one, MISSING)) for one in names]
    return attributes


_NO_SLOTS = ("__dict__", "__weakref__")
"""Names among those of slots that make none."""


def shown(view: Any) -> Any:
    """Give the mapping whose content a view shows (see `VIEWS`), which Python tells only to its garbage collector."""
    while type(view) in VIEWS:
        (view,) = gc.get_referents(view)
    return view


def own(owner: Any) -> dict[str, Any]:
    """Give the attributes of an instance, without asking it."""
    try:
        attributes: dict[str, Any] = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return {}
    return attributes


Comparisons = dict[tuple[int, int], Any]
"""Values that were compared with their snapshots, by the identities of both; so that no identity is used again."""


def unchanged(value: Any, then: Any, pairs: Comparisons | None = None) -> bool:
    """Tell whether a value is what its snapshot saw.

    Args:
        value: as it is now.
        then: its snapshot, or the value itself where there is none.
        pairs: what was found unchanged while the values around it are compared, so that nothing is compared twice.
    """
    if type(then) is not Snapshot:
        return same(value, then)
    kind: Any = then.kind
    if type(value) is not kind:
        return False
    value = cast(Any, value)
    if kind is numpy.ndarray:
        return bool((value.dtype, value.shape) == then.keys and value.tobytes() == then.parts)
    if then.keys is None:
        return same_items(value, then.parts) or then.has_parts(tuple(value))
    if pairs is not None:
        if (id(value), id(then)) in pairs:
            return True
        pairs[id(value), id(then)] = value  # if it has changed, nobody asks again
    keys, parts = _taken_apart(value, kind)
    return then.has_keys(keys) and then.has_parts(parts, pairs)


class FlatContent:
    """The content of containers and of all that are in them, as one sequence: one look for all of them.

    Which objects there are is compared by C, so that a call pays nothing of Python for each container. Where another
    object is found, `unchanged` tells whether it is an equal one.
    """

    __slots__ = ("_arrays", "_bytes", "_containers", "_dicts", "_lengths", "_others", "_parts")

    def __init__(self, containers: Iterable[tuple[Any, Any]]) -> None:
        """Remember containers, each with its snapshot, that are as these saw them."""
        identities: set[int] = set()
        pairs = [one for container, then in containers for one in inside(container, then, identities)]
        flat = [value for value, then in pairs if then.kind in CONTAINERS and len(then.parts) <= _FLAT]
        self._containers, self._dicts = flat, [value for value in flat if isinstance(value, dict)]
        self._arrays = [value for value, then in pairs if then.kind is numpy.ndarray]
        apart = {id(value) for value in (*flat, *self._arrays)}
        self._others = [pair for pair in pairs if id(pair[0]) not in apart]
        self._lengths, self._parts, self._bytes = self._lengths_now(), self._parts_now(), self._bytes_now()

    def is_there(self) -> bool:
        """Tell whether the very same objects are in them."""
        return (
            self._lengths_now() == self._lengths
            and same_items(self._parts_now(), self._parts)
            and (not self._arrays or self._bytes_now() == self._bytes)
            and (not self._others or all(starmap(unchanged, self._others)))
        )

    def _lengths_now(self) -> list[int]:
        return list(map(len, self._containers))

    def _parts_now(self) -> tuple[Any, ...]:
        of_dicts = chain.from_iterable(map(_VALUES, self._dicts))
        return tuple(chain(chain.from_iterable(self._containers), of_dicts))

    def _bytes_now(self) -> tuple[list[Any], list[bytes]]:
        return list(map(_FORM, self._arrays)), list(map(numpy.ndarray.tobytes, self._arrays))


_VALUES, _FORM = methodcaller("values"), attrgetter("dtype", "shape")
_FLAT = 1024
"""Parts of a container that is compared with others at once; of larger ones no second copy is kept."""


def inside(value: Any, then: Any, identities: set[int] | None = None) -> Iterator[tuple[Any, Snapshot]]:
    """List what may change in a container, itself among it, with the snapshot of each; of other objects only these.

    Args:
        value: as its snapshot saw it.
        then: the snapshot.
        identities: identities of those that are listed already.
    """
    identities = set() if identities is None else identities
    if type(then) is not Snapshot or id(value) in identities:
        return
    identities.add(id(value))
    if then.kind is not tuple:
        yield value, then
    if then.kind in CONTAINERS and then.keys is not None and len(then.parts) <= _FLAT:
        for part, one in zip(value.values() if isinstance(value, dict) else value, then.parts, strict=True):
            yield from inside(part, one, identities)


_latest: weakref.WeakValueDictionary[int, Snapshot] = weakref.WeakValueDictionary()
"""The last snapshot of each container, by identity; an address that was used again is found out by comparison."""


def can_change(then: Any) -> bool:
    """Tell whether what a snapshot was taken of may change: not a tuple, unless something in it may."""
    if type(then) is not Snapshot:
        return False
    return then.kind is not tuple or any(map(can_change, then.parts))


def shared_snapshot(container: Any) -> Any:
    """Take a snapshot of a container, or give the one that programs have already, if it still holds."""
    known = _latest.get(id(container))
    if known is not None and unchanged(container, known):
        return known
    copy = snapshot(container)
    if type(copy) is Snapshot:
        _latest[id(container)] = copy
    return copy


def rebuilt(then: Any) -> Any:
    """Return a list, tuple or dict that holds what a snapshot of one saw; of any other value, itself."""
    if type(then) is not Snapshot or then.kind not in (list, tuple, dict, OrderedDict):
        return then
    parts = map(rebuilt, then.parts)
    return then.kind(zip(then.keys, parts, strict=True) if issubclass(then.kind, dict) else parts)


def differences(container: Any, then: Any) -> list[tuple[Any, Any, Any]]:
    """List the items of a list or dict that are others than they were, if nothing else has changed.

    Returns:
        Key, value then and value now of each.
    """
    if type(then) is not Snapshot or type(container) is not then.kind or not isinstance(container, (list, dict)):
        return []
    before = then.keys if isinstance(container, dict) else range(len(then.parts))
    after = list(container) if isinstance(container, dict) else range(len(container))
    if len(before) != len(after) or not all(map(same, after, before)):
        return []
    values = container.values() if isinstance(container, dict) else container
    triples = zip(after, then.parts, values, strict=True)
    return [(key, old, new) for key, old, new in triples if not unchanged(new, old)]


def refill(container: Any, content: Iterable[Any]) -> None:
    """Let a list, dict, set or deque hold what another one holds, or a sequence of its parts."""
    parts: Any = list(content.items() if isinstance(content, dict) else content)
    kind = _base(container)
    if kind is set and _comes_to(container, parts):
        return
    kind.clear(container)  # by its own method, which a class derived of it may have replaced
    (kind.extend if kind in (deque, list) else kind.update)(container, parts)


def _comes_to(container: set[Any], parts: list[Any]) -> bool:
    """Let a set hold these parts by taking out and putting in what differs; tell whether they are in this order then.

    Filled anew a set may have another order: where the hashes of two parts meet, it remembers what was there before.
    """
    wanted = {id(part) for part in parts}
    for part in [one for one in set.__iter__(container) if id(one) not in wanted]:
        set.discard(container, part)
    identities = {id(part) for part in set.__iter__(container)}
    set.update(container, [part for part in parts if id(part) not in identities])
    return same_items(contents(container), tuple(parts))


def contents(container: Any) -> Any:
    """Give what a container holds as a tuple, of a dict as pairs: what `refill` takes."""
    kind = _base(container)
    return tuple(kind.items(container) if isinstance(container, dict) else kind.__iter__(container))


def _base(container: Any) -> Any:
    """The class of Python's that a container is of, or of a class derived of it."""
    return next(base for base in (OrderedDict, dict, set, frozenset, deque, list, tuple) if isinstance(container, base))

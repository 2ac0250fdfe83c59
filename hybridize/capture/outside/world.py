# SPDX-License-Identifier: Apache-2.0
"""The world outside of a program: all that one capture has read of it and written to it.

`World.read` is the one policy for reads, `World.write` and `World.change` for writes. What a program writes it writes
again at each call, as an *effect*; while capturing the user's objects hold what the program would have put there,
symbols included, so that later reads see it, and `undo` puts everything back.
"""

from __future__ import annotations

import dataclasses
import operator
import types
import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy, deepcopy
from functools import partial
from itertools import count
from typing import Any, cast

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.operators import Operators
from hybridize.array.storage import Storage
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import CODES
from hybridize.base.errors import CaptureError
from hybridize.base.faces import check_own, has_array_class
from hybridize.base.frozen import frozen
from hybridize.base.members import has_class_member
from hybridize.base.nested import items_of
from hybridize.base.participation import Everything, ReadPolicy, read_of, watches_of
from hybridize.capture.convert.statements import is_converted
from hybridize.capture.outside import objects
from hybridize.capture.outside.fed import FedReads
from hybridize.capture.outside.restored import FirstWrite, restored
from hybridize.capture.outside.tracing import Tracing
from hybridize.capture.outside.trust import changes_unseen, decimal_context, decimals, is_iterator, is_trusted_class
from hybridize.contract import snapshots
from hybridize.contract.captured import GivenContainer, SideEffect, target_of
from hybridize.contract.feeds import PARTS, is_nested
from hybridize.contract.guards import Guard, Unchanged
from hybridize.contract.places import (
    Attribute,
    Builtin,
    CachedResult,
    CallResult,
    Class,
    Content,
    Global,
    Item,
    Key,
    Length,
    Member,
    Membership,
    Place,
    Referent,
    Unbound,
    WeaklyReached,
    static,
)

REPEATABLE = frozenset(
    {"append", "appendleft", "add", "extend", "insert", "update", "__setitem__", "__iadd__", "__ior__"}
)
"""Changes of containers that can be done again whatever the container holds."""
MUTATORS = REPEATABLE | frozenset({
    "pop", "popleft", "popitem", "remove", "discard", "clear", "sort", "reverse", "rotate", "setdefault", "extendleft",
    "difference_update", "intersection_update", "symmetric_difference_update", "move_to_end", "__delitem__", "__imul__",
    "__iand__", "__isub__", "__ixor__",
})  # fmt: skip
_SIMPLE = (int, str, bool, float, tuple, type(None))
"""Classes of keys whose items are guarded one by one."""
_ATOMS = (
    int,
    float,
    bool,
    complex,
    str,
    bytes,
    type(None),
    numpy.generic,
    numpy.dtype,
    ndarray,
    Symbol,
    type,
    slice,
    range,
)


_AS_THEY_ARE = frozenset({
    int, float, complex, bool, str, bytes, types.NoneType, type, types.FunctionType, types.MethodType, types.ModuleType,
})  # fmt: skip
"""Classes of values that hold no arrays, and nothing that a program would have to watch."""
_BOUND = (types.BuiltinFunctionType, types.MethodWrapperType)


@frozen
class ObjectBefore:
    """An object before a call of one of its methods that is not converted."""

    owner: Any
    state: Any
    """A snapshot of it."""
    undo: list[Callable[[], object]]
    """Puts back the containers that it is or has, its attributes and slots among them, as deep as they go."""
    mark: tuple[int, int]
    """The point of the capture, see `World.mark`."""

    @property
    def is_changed(self) -> bool:
        """True if the object is another than it was."""
        return not snapshots.unchanged(self.owner, self.state)

    def put_back(self) -> None:
        """Let it be as it was."""
        for put_back in self.undo:
            put_back()


class World:
    """All that one capture has read of, and written to, the user's world."""

    def __init__(self, program: Tracing, fed: FedReads) -> None:
        self.program = program
        self.fed = fed
        """Places that calls read again instead of depending on what was there."""
        self.guards: dict[Key, Guard] = {}
        self._watched: dict[int, Storage] = {}
        """Storages that tell by themselves when they change: the program is valid until one of them is touched."""
        self._guards: dict[Key, tuple[Guard, tuple[Storage, ...]]] = {}
        """Places whose owners tell, by these storages, when they are replaced, and guards for those that do not."""
        self.written: dict[Key, Place] = {}
        """Places that the program has written: what is read there is its own."""
        self.fresh: dict[int, tuple[Any, object, int]] = {}
        """Containers and objects made while capturing, by identity, in which recording, and the how-manieth each is."""
        self.numbers: count[int] = count()
        """Numbers of what the program makes, in the order of time."""
        self.outside: dict[int, Any] = {}
        """Containers of the user's, by identity."""
        self.cached_results: list[CachedResult] = []
        """Results of functions with a cache that were computed for the capture."""
        self.tables: dict[int, Any] = {}
        """Owners of the dicts of attributes that code asks for, by the identity of the dict."""
        self.changed: dict[int, tuple[Any, Any]] = {}
        """Containers of the user's that the program changes, and a snapshot from before."""
        self.before: dict[int, tuple[Any, Any]] = {}
        """The state of what the program has changed, see `snapshots.Before`."""
        self._has_written_classes = False
        """True if the program has written attributes of classes, which their instances show."""
        self.argument_paths: dict[int, tuple[Any, ...]] = {}
        """Containers among the arguments, as they were rebuilt for the capture: the path to each."""
        self.given_changed: set[tuple[Any, ...]] = set()
        """Those of them that the program changes."""
        self.refilled: set[int] = set()
        """Containers of the user's that hold what calls find in them, see `_read_anew`."""
        self.moved: set[int] = set()
        """Those of which it changes more than the values of items."""
        self.referents: dict[int, tuple[Any, weakref.ref[Any]]] = {}
        """Objects that weak references have led to, by identity, and the references."""
        self.effects: list[SideEffect] = []
        self._first_writes: dict[Key, FirstWrite] = {}
        """Places that the program writes, as they were before its first write."""
        self._whole: Any = None
        """The object that was last depended on as a whole."""
        self.undo: list[Callable[[], object]] = []
        """Puts the user's objects back when the capture is over, as the calls of the program write them; and what is
        known of writes, where the capture goes `back`."""

    # ------------------------------------------------------------------------------------------------- reads

    def read(self, place: Place, value: Any, name: str = "", whole: bool = True) -> Any:
        """Give a value that was found at a place, as the program is to see it. The one policy for reads.

        Args:
            place: where it was found.
            value: what was found there; MISSING for nothing.
            name: what to call it.
            whole: the value itself is used, not only a part of it.
        """
        simple = type(place) is not Item or type(place.index) in _SIMPLE
        plain = simple and not (self.written or self.moved or self._has_written_classes)  # as in most programs
        if plain and place.key in self.guards and id(place.owner) not in self.fresh:
            return self.wrap(value, name, whole)
        if self.is_own(place.owner) or (simple and self.is_written(place)):
            return self.wrap(value, name, whole)  # what the program itself has put there
        table = snapshots.own(place.owner) if self.moved and type(place) is Attribute else place.owner
        if not simple or id(table) in self.moved:
            if type(table) in snapshots.CONTAINERS:
                self.read_content(table)
            else:
                self.depend_on_state(table, "__getitem__")
            return self.wrap(value, name, whole)
        if place.key not in self.guards:
            if (symbol := self.fed.read(self.program, self.lasting(place), value)) is not None:
                return symbol  # each call reads it
            if isinstance(value, Symbol):
                return value
            self.guard(place, value)
        return self.wrap(value, name, whole)

    def depend_on(self, place: Place) -> Any:
        """Give what is at a place now, and depend on it, not on what it holds."""
        return self.read(place, place.read(), getattr(place, "name", ""), whole=False)

    def read_referent(self, reference: weakref.ref[Any]) -> Any:
        """Give the object that a weak reference leads to, and depend on its being there, without keeping it alive.

        Of a method (`WeakMethod`) the object is the one that it is a method of.
        """
        value = reference()
        self.read(Referent(reference), value is not None)
        if isinstance(value, types.MethodType):
            self.referents[id(value.__self__)] = value.__self__, weakref.ref(value.__self__)
        elif value is not None:
            self.referents[id(value)] = value, reference
        return self.wrap(value)

    def forget_between(self, guarded: Collection[Key]) -> None:
        """Depend no longer on what code has found that changed things by itself and put them back.

        What they were before is guarded, as all is that such code can reach (`python.unconverted`).

        Args:
            guarded: the guards before it was called.
        """
        for key in self.guards.keys() - set(guarded):
            place = self.guards[key].place
            if key not in self.written and id(place.owner) not in self.changed and not self.guards[key].holds():
                del self.guards[key]

    def lasting(self, place: Place) -> Place:
        """Return a place as the program keeps it: one whose owner a weak reference has led to does not keep that."""
        known = self.referents.get(id(place.owner))
        return place if known is None else WeaklyReached(known[1], place)

    def lasting_guards(self) -> Iterator[Guard]:
        """List the guards as the program keeps them, see `lasting`."""
        for guard in self.guards.values():
            known = self.referents.get(id(guard.place.owner))
            yield guard if known is None else guard.weakly(known[1])

    def guard(self, place: Place, value: Any) -> None:
        """Depend on what was found at a place."""
        self.guards[place.key] = Guard.on(place, value, self.program.location())

    def read_content(self, container: Any, name: str = "a container") -> None:
        """Depend on all that a container holds, as it was before the program changed it."""
        place = Content(container, name)
        if place.key in self.guards or self.is_own(container) or self.is_given(container):
            return
        self.know(container)
        if self._read_anew(container):
            return
        known = self.changed.get(id(container))
        then = self._as_before(container) if known is None else known[1]
        self.guards[place.key] = Guard(place, Unchanged(then), self.program.location())

    def _read_anew(self, container: Any) -> bool:
        """Let a list or dict, some items of which calls read anew, hold what they find; tell whether that is so.

        Until the capture is over it holds their symbols, which code finds that goes through it; of the other items and
        of how many there are the program depends one by one.
        """
        if id(container) in self.refilled:
            return True
        if type(container) not in (list, dict) or len(container) > PARTS:
            return False
        if id(container) in self.changed or id(container) in self.tables:
            return False
        items = list(container.items() if type(container) is dict else enumerate(container))
        if not all(type(key) in _SIMPLE for key, _ in items):
            return False
        if not any(self.fed.reads(Item(container, key)) for key, _ in items):
            return False
        self.refilled.add(id(container))
        self.undo.append(partial(self.refilled.remove, id(container)))
        if type(container) is dict:
            self.read(CallResult(tuple, (container,), {}), tuple(container))
        else:
            self.read(Length(container), len(container))
        self.before.setdefault(id(container), (container, container.copy()))
        self.undo.append(partial(snapshots.refill, container, snapshots.contents(container)))
        for key, part in items:
            container[key] = self.read(Item(container, key), part, repr(key))
        return True

    def _as_before(self, container: Any) -> Any:
        """Take a snapshot of a container as it was before the program changed anything in it."""
        if not self.before:
            return snapshots.shared_snapshot(container)
        then = snapshots.snapshot(container, before=self.before)
        return snapshots.shared_snapshot(container) if snapshots.unchanged(container, then) else then

    def read_length(self, owner: Any, length: int) -> Any:
        """Depend on how many items an object has."""
        if id(owner) in self.moved or (id(owner) in self.changed and isinstance(owner, dict)):
            self.read_content(owner)
            return length
        return self.read(Length(owner), length)

    def read_membership(self, container: Any, index: Any) -> None:
        """Depend on whether a container has an item, a dict a key."""
        if self.is_own(container) or self.is_given(container):
            return
        if type(container) in snapshots.CONTAINERS and not isinstance(container, dict):
            if self.is_outside(container):
                self.read_content(container)
        elif isinstance(container, Mapping) and type(index) in _SIMPLE:
            if Item(container, index).key in self.written:
                return
            if id(container) in self.changed:
                self.read_content(container)
            elif type(container) not in snapshots.CONTAINERS or self.is_outside(container):
                self.read(Membership(container, index), index in container)
        else:
            self.wrap(container, "a container")

    def read_missing(self, container: Any, index: Any) -> None:
        """Depend on a dict's not having a key, or on a list's not being so long."""
        if isinstance(container, dict) and type(index) in _SIMPLE and not self.is_given(container):
            self.read(Item(container, index), snapshots.MISSING)
        else:
            self.read_content(container)

    def read_items(self, iterable: Any) -> None:
        """Depend on an object that a loop goes through: by what it holds."""
        if type(iterable) in snapshots.CONTAINERS:
            if self.is_outside(iterable):
                self.read_content(iterable)
        elif not has_class_member(type(iterable), "__next__"):
            self.depend_on_state(iterable, "__iter__")

    def read_builtin(self, function: Any, name: str) -> Any:
        """Give what a function finds among Python's names (`max`), and depend on its module's not having the name."""
        self.read(Global(function.__globals__, name), snapshots.MISSING)
        table: dict[str, Any] = function.__builtins__
        return self.read(Builtin(table, name), table[name], name)

    def read_class(self, owner: Any, name: str, value: Any) -> None:
        """Depend on an attribute of the class of an object, and on the class."""
        place = Attribute(type(owner), name) if self.has_own_class(owner) else Member(owner, name)
        self.read(place, value, name, whole=False)

    def read_method(self, kind: type, *names: str) -> None:
        """Depend on methods of a class that are called as they are: the class, or one before it, can get another."""
        for name in names:
            place = Attribute(kind, name)
            if place.key not in self.guards:  # else it is what the program depends on, or its own
                self.depend_on(place)

    def read_kind(self, owner: Any) -> None:
        """Depend on which class an object of the user's is of: `__class__` can be set."""
        kind: Any = type(owner)
        if not (self.has_own_class(owner) or is_trusted_class(kind)):
            self.read(Class(owner), kind, whole=False)

    def read_special(self, owner: Any, *names: str) -> None:
        """Depend on the special methods that the class of an object has, or has not, where Python asks for them."""
        if not is_trusted_class(cast(Any, type(owner))):
            for name in names:
                self.depend_on(Attribute(type(owner), name) if self.is_own(owner) else Member(owner, name))

    def read_code(self, function: types.FunctionType) -> None:
        """Depend on the code of a function and its defaults: both can be replaced, as IPython's autoreload does."""
        self.read(Attribute(function, "__code__"), function.__code__, whole=False)
        if function.__defaults__ is not None:
            self.read(Attribute(function, "__defaults__"), function.__defaults__, "a default")
        if function.__kwdefaults__ is not None:
            self.read(Attribute(function, "__kwdefaults__"), function.__kwdefaults__, "a default")

    def computed(self, place: CachedResult) -> Any:
        """Compute a result that is kept from now on, unless the program is refused."""
        if not any(one.owner is place.owner for one in self.cached_results):
            bounded = place.owner.cache_parameters()["maxsize"] is not None
            if bounded and place.owner.cache_info().currsize:
                return place.compute()  # one that was kept before may have gone for it: nobody can bring it back
        self.cached_results.append(place)
        return place.compute()

    def take_back(self) -> None:
        """Forget the results that were computed for a program that is refused."""
        for place in self.cached_results:
            place.forget()

    def read_descriptor(self, owner: Any, name: str) -> None:
        """Depend on a descriptor of the user's in the class of an object, without asking it."""
        self.depend_on(Unbound(type(owner) if self.is_own(owner) else owner, name))

    def read_told(self, place: Place, value: Any, storages: Iterable[Storage], name: str, whole: bool) -> Any:
        """Give what was found at a place whose owner tells, by these storages, when it is replaced.

        Where the program replaces it as well, each of its calls would tell; so that place is guarded (`wrote`).
        """
        if self.is_written(place):
            return self.wrap(value, name, whole)
        key = place.key
        if key not in self._guards and key not in self.guards:
            guard = Guard.on(place, value, self.program.location())
            if type(value) in (int, float, ndarray) or is_nested(value):
                if (symbol := self.fed.read(self.program, place, value)) is not None:
                    return symbol
                self.fed.seen.setdefault(key, guard)
            self._guards[key] = guard, tuple(storages)
        return self.wrap(value, name, whole)

    def depend(self, *storages: Storage) -> None:
        """Let the program be valid until one of these storages is touched."""
        for storage in storages:
            self._watched[id(storage)] = storage

    def watched(self) -> tuple[Storage, ...]:
        """List the storages until one of which is touched the program is valid."""
        others = {id(storage): storage for _, storages in self._guards.values() for storage in storages}
        return tuple({**self._watched, **others}.values())

    def wrap(self, value: Any, name: str = "", whole: bool = True) -> Any:
        """Give a value of the world as converted code gets it: arrays are lifted, containers guarded."""
        kind: Any = type(value)
        if issubclass(kind, ndarray):
            return self.program.lift(value, name)
        library = self.program.library
        if library is None and kind in _AS_THEY_ARE:
            return value
        if library is not None and library.holds(value):
            return library.face(self.program.lift(library.array(value), name), value)
        if library is None and has_array_class(kind):
            check_own(value)
        if library is not None and whole and not self.is_own(value):
            library.depend(self.program, value)
        if isinstance(value, numpy.ndarray):
            if value.dtype in CODES:
                return self.program.lift(self.program.foreign_array(value), name)
            self.read_content(value, name)
            return value
        if kind in snapshots.CONTAINERS:
            if not self.is_own(value):
                self.know(value)
                if whole:
                    self.read_content(value, name or "a container")
            return value
        if whole and kind in snapshots.VIEWS:
            self.read_shown(value)
            return value
        if kind in _BOUND and type(value.__self__) in snapshots.CONTAINERS and not self.is_own(value.__self__):
            self.know(value.__self__)  # `push`, which is `log.append`
            return value
        if whole and kind in snapshots.BUFFERS:
            self.depend_on_state(value, "an operator")
            return value
        if is_iterator(value):
            raise self.program.refusal(
                "E421", f"{name!r} is an iterator ({kind.__name__}): it yields other data at each call",
                help="pass its items as arguments, or create it inside the function",
            )  # fmt: skip
        if kind in decimals():
            self.read_decimal_context()
        if whole and objects.has_python_operators(kind):
            self.depend_on_state(value, "an operator")
            for method in objects.python_operators(kind):
                self.read_class(value, method, getattr(kind, method))
        return value

    def read_shown(self, view: Any) -> None:
        """Depend on the content of the mapping that a view shows: `d.items()`, or a proxy of it."""
        mapping = snapshots.shown(view)
        if type(mapping) in snapshots.CONTAINERS:
            self.read_content(mapping)
        else:
            self.depend_on_state(mapping, "__iter__")

    def read_decimal_context(self) -> None:
        """Depend on how `decimal` rounds: on the precision and the modes of the thread's context."""
        self.depend_on(CallResult(decimal_context, (), {}))

    # ---------------------------------------------------------------------------------------------- opaque objects

    def before_call(self, owner: Any, name: str) -> ObjectBefore | None:
        """Look at an object whose method `name` is about to be called as it is; None where nothing depends on it.

        Raises:
            CaptureError E406: it gives other data at each call, or the method changes it and nobody could undo that.
        """
        kind: Any = type(owner)
        if self.is_own(owner):
            return None
        if read_of(kind) is ReadPolicy.OUTSIDE:
            raise self.program.refusal(
                "E406", f"{kind.__name__} is used inside a compiled function, which would keep its present results",
                help="use it outside the compiled function, and pass the arrays as arguments",
            )  # fmt: skip
        if changes_unseen(kind, name) or (name in MUTATORS and objects.is_container_of_c(kind)):
            raise self._changes_itself(kind, name)
        if self.program.library is not None:
            self.program.library.depend(self.program, owner, name)
        if kind in snapshots.VIEWS:
            self.read_shown(owner)
            return None
        self.depend(*watches_of(owner, Everything.EVERYTHING))
        return self.seen(owner) if objects.remembers(kind) else None

    def read_whole(self, owner: Any) -> None:
        """Depend on all that an object consists of that tells of changes: a method of it is called as it is."""
        if owner is self._whole:  # as for its method that a call of it goes on with
            return
        self._whole = owner
        if id(owner) not in self.fresh:
            for storage in watches_of(owner, Everything.EVERYTHING):
                self._watched[id(storage)] = storage

    def try_out(self, owner: Any, name: str, args: Any, kwargs: Any) -> None:
        """Call a method of an object that hides what it holds on a copy of it first, and depend on what it holds.

        Raises:
            CaptureError E406: it changes the object.
        """
        kind: Any = type(owner)
        if not objects.hides_content(kind) or self.is_own(owner):
            return
        content = CallResult(objects.hidden_content, (owner,), {})
        before, trial = content.read(), deepcopy(owner)
        getattr(trial, name)(*args, **kwargs)
        if objects.hidden_content(trial) != before:
            raise self._changes_itself(kind, name)
        self.read(content, before, whole=False)

    def seen(self, owner: Any) -> ObjectBefore:
        """Take a snapshot of an object, with copies of all in it that can be put back."""
        return ObjectBefore(
            owner, snapshots.snapshot(owner, objects.remembers), list(_changeable(owner, set())), self.mark()
        )

    def after_call(self, seen: ObjectBefore, name: str) -> None:
        """Depend on what the object remembers, now that its method was called.

        Raises:
            CaptureError E406: the call has changed it.
        """
        owner = seen.owner
        if seen.is_changed:
            self.back(seen.mark)  # what converted code has written in between goes first
            seen.put_back()
            raise self._changes_itself(type(owner), name)
        place = Content(owner, f"a {type(owner).__name__}")
        then = snapshots.snapshot(owner, objects.remembers, self.before) if self.before else seen.state
        # What holds nothing now may get something, unless it has no place for that.
        if type(then) is snapshots.Snapshot and place.key not in self.guards and _can_hold(owner, then):
            self.guards[place.key] = Guard(place, Unchanged(then), self.program.location())

    def depend_on_state(self, owner: Any, name: str) -> None:
        """Depend on an object that is gone through, or of which an item is read, by code of its own."""
        seen = self.before_call(owner, name)
        if seen is not None:
            self.after_call(seen, name)

    def read_opaque(self, place: Attribute, value: Any) -> None:
        """Depend on an attribute of an object whose class nobody watches, by what it holds if each read makes it."""
        methods = (Operators, types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType)
        if place.key in self.guards or place.key in self.written or self.is_own(place.owner):
            return
        if isinstance(value, methods):
            return
        guard = Guard.on(place, value, self.program.location())
        if not guard.holds() and objects.remembers(cast(Any, type(value))):
            guard = Guard(place, Unchanged(snapshots.snapshot(value, objects.remembers)), guard.loc)
        if guard.holds():
            if type(guard.test) is Unchanged and self.before:
                guard = Guard(place, Unchanged(snapshots.snapshot(value, objects.remembers, self.before)), guard.loc)
            self.guards[place.key] = guard

    def read_absent(self, owner: Any, name: str, *, own: bool = False) -> None:
        """Depend on an attribute's not being there; `own`, among those of the instance."""
        place = Item(vars(owner), name) if own else Attribute(owner, name)
        if not isinstance(owner, Operators) and place.read() is snapshots.MISSING:
            self.read(place, snapshots.MISSING)

    def _changes_itself(self, kind: type, name: str) -> CaptureError:
        return self.program.refusal(
            "E406",
            f"{kind.__name__}.{name}() changes the object in Python, but calls of the program would not change it",
            help="call it outside the compiled function, with the results of that function",
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------------- whose is it

    def made(self, value: Any, at: object) -> None:
        """Hear of a container or object that the program makes."""
        self.fresh[id(value)] = (value, at, next(self.numbers))

    def is_own(self, value: Any) -> bool:
        """Tell whether the program has made an object itself."""
        return id(value) in self.fresh

    def is_written(self, place: Place) -> bool:
        """Tell whether the program has written what is found at a place: there, or in the class that it comes from."""
        if self.written and place.key in self.written:
            return True
        if not self._has_written_classes or not isinstance(place, Attribute):
            return False
        owner, name = place.owner, place.name
        by_class = type(place) is Attribute and isinstance(owner, type)
        if type(place) is Attribute and not by_class and name in snapshots.own(owner):
            return False
        for base in (owner if by_class else type(owner)).__mro__:
            if Attribute(base, name).key in self.written:
                return True
            if name in vars(base):
                return False
        return False

    def has_own_class(self, owner: Any) -> bool:
        """Tell whether the program has made an object, or has set its class."""
        return self.is_own(owner) or Attribute(owner, "__class__").key in self.written

    def is_outside(self, container: Any) -> bool:
        """Tell whether a container is the user's, and is there from call to call."""
        return id(container) in self.outside

    def is_users(self, container: Any) -> bool:
        """Tell whether a container is the user's: from outside, or among the arguments."""
        return id(container) in self.outside or self.is_given(container)

    def is_given(self, container: Any) -> bool:
        """Tell whether a container stands for one that each call brings: among the arguments, or in a place outside."""
        return id(container) in self.argument_paths or self.fed.is_container(container)

    def know(self, container: Any) -> None:
        """Remember a container as the user's, with all containers and arrays of NumPy's in it."""
        if self.is_users(container) or self.is_own(container):
            return
        self.outside[id(container)] = container
        for part in container.values() if isinstance(container, dict) else _parts(container):
            if type(part) in snapshots.CONTAINERS:
                self.know(part)
            elif isinstance(part, numpy.ndarray) and part.dtype in CODES:
                self.program.foreign_array(part)

    # ------------------------------------------------------------------------------------------------- writes

    def write(self, place: Place, value: Any, *, done: bool = False) -> None:
        """Write a place: now, so that later reads see it, and again at each call.

        Args:
            place: where.
            value: what; MISSING takes away what is there.
            done: it has been written already, by Python.
        """
        self.check_kept(value, place.described())
        self._keep(value)
        if done:
            self.wrote(place)
        else:
            self._find(place)
            self.show(place, value)
        self.effects.append(SideEffect(self.lasting(place).write, (value,), loc=self.program.location()))

    def show(self, place: Place, value: Any) -> None:
        """Let later reads see at a place what each call puts there by itself, until the capture is over."""
        if value is not snapshots.MISSING:
            self._check_hidden(place)
        back = _put_back(place, value)
        self._remember_state(place)
        if isinstance(value, Symbol) and isinstance(place, Attribute) and not isinstance(place.owner, type):
            _set_plainly(place.owner, place.name, value)
        else:
            place.write(value)  # which may raise, as in Python: then nothing was written
        self.undo.append(back)
        self.wrote(place)

    def _check_hidden(self, place: Place) -> None:
        """Refuse to set what a class written in C keeps in a way of its own: nobody could take it away again.

        Raises:
            CaptureError E431: it is a field of such an object.
        """
        owner: Any = place.owner
        kind: Any = type(owner)
        if not isinstance(place, Attribute) or isinstance(owner, type) or kind.__setattr__ is object.__setattr__:
            return
        is_of_c = isinstance(kind.__setattr__, types.WrapperDescriptorType)
        seen = place.name in getattr(owner, "__dict__", ()) or static(kind, place.name) is not snapshots.MISSING
        if is_of_c and not seen and place.read() is not snapshots.MISSING:
            raise self.program.refusal(
                "E431", f"field {place.name!r} of a {kind.__name__} is set, whose class is written in C and keeps its "
                "fields where no capture can put back what was there",
                help="set it outside the compiled function, from the results of that function",
            )  # fmt: skip

    def _find(self, place: Place) -> None:
        """Before a write to a place: remember what is there, if the program has not written there yet."""
        if place.key not in self.written:
            holder = _holder(place)
            value = (
                holder[cast(Attribute, place).name]
                if holder
                else snapshots.MISSING
                if _is_inherited(place)
                else place.read()
            )
            self._first_writes[place.key] = FirstWrite(place, value, self.program.location())

    def drop_restored(self) -> None:
        """Drop the writes to places that hold in the end what they held before; the program depends on that instead."""
        if not self._first_writes:
            return
        places = restored(self.effects, self._first_writes, {*self.changed, *self.refilled})
        places = [one for one in places if not self.fed.reads(one.place)]
        for one in places:
            if one.place.key not in self.guards:
                self.guards[one.place.key] = Guard.on(one.place, one.value, one.loc)
        dropped = {one.place.key for one in places}
        if dropped:
            self.effects = [
                one for one in self.effects if (place := target_of(one)) is None or place.key not in dropped
            ]

    def _remember_state(self, place: Place) -> None:
        """Before a write to an object: remember what it holds, of which snapshots may be taken later."""
        owner: Any = place.owner
        if isinstance(owner, type):
            return
        if isinstance(place, Attribute):
            if type(owner).__dictoffset__:
                table = snapshots.own(owner)
                self.before.setdefault(id(table), (table, dict(table)))
            if values := objects.slots(owner):
                self.before.setdefault(id(owner), (owner, values))
        elif isinstance(place, Item):
            kind = next((one for one in (dict, list, *snapshots.BUFFERS) if isinstance(owner, one)), None)
            if kind is not None:
                copied: Any = dict(owner) if kind is dict else list(owner) if kind is list else bytes(owner)
                self.before.setdefault(id(owner), (owner, copied))

    def wrote(self, place: Place) -> None:
        """Hear of a write to a place: an attribute is an item of the dict of its owner, too."""
        self.note(place)
        self._has_written_classes = self._has_written_classes or isinstance(place.owner, type)
        if place.key in self._guards:
            self.guards[place.key] = self._guards.pop(place.key)[0]
        if type(place) is Item and isinstance(place.owner, (list, deque)) and type(place.index) is int:
            length = len(place.owner)
            place = Item(place.owner, place.index - length if place.index >= 0 else place.index + length)
            self.note(place)  # counted from the other end
        elif type(place) is Item and id(place.owner) in self.tables:
            self.note(Attribute(self.tables[id(place.owner)], place.index))
        elif isinstance(place, Attribute) and place.name in snapshots.own(place.owner):
            self.note(Item(snapshots.own(place.owner), place.name))

    def note(self, place: Place) -> None:
        """Remember a place that the program has written."""
        if place.key not in self.written:
            self.undo.append(partial(self.written.pop, place.key))
        self.written[place.key] = place

    def table(self, owner: Any) -> dict[str, Any]:
        """Give the dict of the attributes of an object of the user's, which code asks for."""
        attributes: dict[str, Any] = vars(owner)
        self.tables[id(attributes)] = owner
        self.know(attributes)
        return attributes

    def remember(self, place: Place) -> None:
        """Before a write that Python does itself: how to undo it."""
        self._find(place)
        self.undo.append(partial(place.write, snapshots.MISSING if _is_inherited(place) else place.read()))

    def change(self, container: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a method that changes a container of the user's: now, and again at each call."""
        self.fed.check_container(self.program, container, "changed")
        method = getattr(type(container), name)
        for part in (*args, *kwargs.values()):
            self.check_kept(part, f"a {type(container).__name__}")
            self._keep(part)
        if id(container) not in self.changed:
            # a copy of a set may have another order
            held_before = snapshots.contents(container) if isinstance(container, set) else container.copy()
            self.changed[id(container)] = (container, snapshots.snapshot(container, before=self.before))
            self.before.setdefault(id(container), (container, held_before))
            self.undo += [partial(self.changed.pop, id(container)), partial(snapshots.refill, container, held_before)]
        if name == "__setitem__" and type(args[0]) is not slice:
            place = Item(container, args[0])
            if type(args[0]) in _SIMPLE:
                self.wrote(place)
        elif id(container) not in self.moved:
            self.moved.add(id(container))
            self.undo.append(partial(self.moved.remove, id(container)))
        path = self.argument_paths.get(id(container))
        target = container if path is None else GivenContainer(path)
        if path is not None and path not in self.given_changed:
            self.given_changed.add(path)
            self.undo.append(partial(self.given_changed.remove, path))
        if name not in REPEATABLE and path is None:
            self.read_content(container)  # what it does depends on what is there
        try:
            result = method(container, *args, **kwargs)
        except Exception:
            if path is None:
                self.read_content(container)  # and so does whether it can be done
            raise
        if name in REPEATABLE:
            self.effects.append(SideEffect(method, (target, *args), kwargs, self.program.location()))
            return result
        self.effects.append(
            SideEffect(snapshots.refill, (target, snapshots.contents(container)), loc=self.program.location())
        )
        return result

    def check_kept(self, value: Any, where: str) -> None:
        """Refuse to keep objects that the program makes: no call could make them again."""
        for leaf in self._leaves(value, set()):
            function = isinstance(leaf, types.FunctionType) and is_converted(leaf)
            if function or (self.is_own(leaf) and not isinstance(leaf, _ATOMS)):
                raise self.program.refusal(
                    "E432", f"{where} of the surroundings is set to a {type(leaf).__name__} that the program makes, "
                    "which would be the same at each call",
                    help="store arrays, numbers, strings, lists and dicts outside, and return other objects",
                )  # fmt: skip

    def _leaves(self, value: Any, identities: set[int]) -> Iterable[Any]:
        """List what is in containers, named tuples and plain objects of the program that are to be kept."""
        kind: Any = type(value)
        if isinstance(value, dict):
            parts: Iterable[Any] = value.values()
        elif kind in snapshots.CONTAINERS or (isinstance(value, tuple) and hasattr(value, "_fields")):
            parts = items_of(value) if isinstance(value, tuple) else value
        elif self.is_own(value) and objects.is_plain(kind) and not _hashes_itself(kind) and id(value) not in identities:
            identities.add(id(value))
            parts = snapshots.own(value).values()
        else:
            if id(value) not in identities:
                yield value
            return
        for part in parts:
            yield from self._leaves(part, identities)

    def _keep(self, value: Any) -> None:
        """Hear that tuples are kept outside: whoever finds them there finds what the program has made."""
        if type(value) is tuple and not self.is_users(value):
            self.made(value, self.program)
            for part in value:
                self._keep(part)

    def mark(self) -> tuple[int, int]:
        """Give a point to which `back` can go."""
        return len(self.effects), len(self.undo)

    def back(self, mark: tuple[int, int]) -> None:
        """Undo all writes since a point: neither the user's objects nor what is known of writes tell of them.

        A container that was changed before that point, too, is to be as it was there already: what it held first is
        what `restore` puts back. Of others the next change is the first one.
        """
        effects, writes = mark
        del self.effects[effects:]
        self.restore(writes)

    def restore(self, writes: int = 0) -> None:
        """Undo the writes from a number on, last first."""
        while len(self.undo) > writes:
            self.undo.pop()()


def _put_back(place: Place, value: Any) -> Callable[[], object]:
    """Give what undoes a write that is about to happen; an attribute that is deleted comes back to where it stood."""
    if value is snapshots.MISSING and isinstance(place, Attribute):
        table = snapshots.own(place.owner)
        if type(table) is dict and place.name in table:
            return partial(snapshots.refill, table, dict(table))
    if holder := _holder(place):
        name = cast(Attribute, place).name
        return partial(_hold_again, holder, snapshots.own(place.owner), name, holder[name])
    before = snapshots.MISSING if _is_inherited(place) else place.read()
    return partial(_take_away, place) if before is snapshots.MISSING else partial(place.write, before)


def _take_away(place: Place) -> None:
    """Take away what was written to a place that had nothing, also where the class of an object lets nobody delete."""
    try:
        place.write(snapshots.MISSING)
    except (AttributeError, TypeError):
        table = snapshots.own(place.owner)
        if not isinstance(place, Attribute) or place.name not in table:
            raise
        del table[place.name]


def _holder(place: Any) -> dict[str, Any] | None:
    """Return the dict among an object's attributes in which its class keeps one, as torch's modules do their buffers;
    None where it keeps it in no such.
    """
    if type(place) is not Attribute or not has_class_member(type(place.owner), "__getattr__"):
        return None
    table = snapshots.own(place.owner)
    if isinstance(place.owner, type) or place.name in table:
        return None
    return next((one for one in table.values() if type(one) is dict and place.name in one), None)


def _hold_again(holder: dict[str, Any], table: dict[str, Any], name: str, value: Any) -> None:
    """Undo a write to what a `holder` keeps."""
    table.pop(name, None)
    holder[name] = value


def _can_hold(owner: Any, then: snapshots.Snapshot) -> bool:
    return bool(then.parts) or isinstance(owner, (list, dict, set, deque)) or hasattr(owner, "__dict__")


def _is_inherited(place: Place) -> bool:
    """Tell whether an attribute is found in a class, and would be the owner's own once it is written."""
    if type(place) is not Attribute or not hasattr(place.owner, "__dict__") or place.name in vars(place.owner):
        return False
    return not hasattr(type(static(type(place.owner), place.name)), "__set__")


def _hashes_itself(kind: Any) -> bool:
    """Tell whether the user wrote the `__hash__` of a class, by which keys are found: what it reads may be another."""
    method = kind.__hash__
    if not isinstance(method, types.FunctionType):
        return False
    return not (dataclasses.is_dataclass(kind) and method.__code__.co_filename == "<string>")


def _set_plainly(owner: Any, name: str, value: Any) -> None:
    """Set an attribute as that class of Python's does from which an object's derives: no code of the user's sees it."""
    for base in type(owner).__mro__:
        method = vars(base).get("__setattr__")
        if isinstance(method, types.WrapperDescriptorType):
            method(owner, name, value)
            return


def _changeable(owner: Any, identities: set[int]) -> Iterator[Callable[[], object]]:
    """List what puts back the lists, dicts, sets and deques in an object, and the attributes of objects."""
    if id(owner) in identities or not objects.remembers(cast(Any, type(owner))):
        return
    identities.add(id(owner))
    if isinstance(owner, (list, dict, set, deque)):
        yield partial(snapshots.refill, owner, snapshots.contents(owner))
        parts = list(owner.values() if isinstance(owner, dict) else owner)
    elif isinstance(owner, snapshots.BUFFERS) and not isinstance(owner, memoryview):
        yield partial(operator.setitem, owner, slice(None), copy(owner))
        parts = []
    else:
        parts = list(owner) if isinstance(owner, tuple) else []
    if hasattr(owner, "__dict__"):
        attributes = snapshots.own(owner)
        yield partial(snapshots.refill, attributes, dict(attributes))
        parts += attributes.values()
    if values := objects.slots(owner):
        yield partial(objects.set_slots, owner, values)
        parts += values.values()
    for part in parts:
        yield from _changeable(part, identities)


def _parts(container: Any) -> Iterable[Any]:
    return container if isinstance(container, (list, tuple, deque)) else ()

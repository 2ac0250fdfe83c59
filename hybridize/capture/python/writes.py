# SPDX-License-Identifier: Apache-2.0
"""Writes to objects and containers while capturing.

What the program made itself is Python's business. What the user's objects hold is written again by every call: the
write is an effect of the program, with arrays as extra outputs. Inside of a branch that depends on data nothing can be
written, but for containers of the program's own, whose content is merged with that of the other branch.
"""

from __future__ import annotations

import types
from collections import deque
from typing import Any

from hybridize.array.operators import Operators
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.base.faces import Face
from hybridize.base.members import class_member, has_class_member
from hybridize.base.participation import WritePolicy, is_of_package, write_of
from hybridize.base.tracebacks import as_python
from hybridize.capture.control import special
from hybridize.capture.control.comparisons import Ordered
from hybridize.capture.control.identity import key_of
from hybridize.capture.control.rolled import is_rolled
from hybridize.capture.control.rolled_lists import reversed_list, unroll
from hybridize.capture.control.selected import count, equal
from hybridize.capture.control.truth import plain
from hybridize.capture.outside.objects import is_users, remembers
from hybridize.capture.outside.trust import is_iterator, is_trusted_file
from hybridize.capture.outside.world import MUTATORS
from hybridize.capture.python import masks
from hybridize.capture.python.semantics import Semantics
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.feeds import Setting
from hybridize.contract.places import Attribute, Global, Item, static
from hybridize.contract.snapshots import CONTAINERS, MISSING

_APPENDING = ("append", "extend", "clear", "__iadd__")
"""Methods of lists that look at no item."""
_SEEKING = ("count", "index", "remove")
"""Methods of sequences that compare items with what they are given."""


def new(value: Any) -> Any:
    """A container or object that the program makes."""
    trace = current_trace()
    if trace is not None:
        trace.root.world.made(value, trace)
    return value


def refused(trace: Recording, what: str, help: str = "") -> CaptureError:
    """The error for a side effect in a branch that depends on data."""
    return trace.in_a_branch(what, help)


@as_python
def set_attribute(router: Semantics, value: Any, owner: Any, name: str) -> None:
    """`owner.name = value`."""
    trace = current_trace()
    owner = _faced(trace, owner, name)
    if trace is None or isinstance(owner, (Operators, Face)):
        setattr(owner, name, value)
        return
    if type(owner) is types.ModuleType:
        if trace.depth:
            raise refused(trace, f"the attribute {name!r} is set")
        unroll(trace, value)
        trace.root.world.write(Global(vars(owner), name), value)
        return
    kind: Any = type(owner)
    own = class_member(kind, "__setattr__")
    if special.is_users_object(owner):
        trace.root.world.read(Attribute(kind, "__setattr__"), own, whole=False)  # the class may get another
    code = getattr(own, "__code__", None)
    if _is_frozen(kind, name, "__setattr__"):
        own(owner, name, value)  # which says so
    if code is not None and not is_trusted_file(code.co_filename):
        router.call(own, owner, name, value)
        return
    if set_by_class(router, trace, value, owner, name):
        return
    world = trace.root.world
    if world.is_own(owner):
        trace.changes_own(owner, f"the attribute {name!r} is set")
        setattr(owner, name, value)
        return
    if trace.depth:
        raise refused(trace, f"the attribute {name!r} is set")
    if write_of(kind) is WritePolicy.IN_TURN:
        _set_in_turn(trace, value, owner, name)
        return
    unroll(trace, value)
    world.write(Attribute(owner, name), value)


def _is_frozen(kind: Any, name: str, method: str) -> bool:
    """Tell whether a class is a dataclass that refuses to have an attribute set, or deleted, as `method` says."""
    base: Any = special.dataclass_of(kind, method)
    return base is not None and (kind is base or name in base.__dataclass_fields__)


def _faced(trace: Recording | None, owner: Any, name: str) -> Any:
    """Return an array of another library as its face, where that has an attribute of this name that can be set."""
    face = None if trace is None else trace.lifted(owner)
    return face if isinstance(face, Face) and hasattr(static(type(face), name), "__set__") else owner


def set_by_class(router: Semantics, trace: Recording, value: Any, owner: Any, name: str) -> bool:
    """Set an attribute by what the class has under its name, a property or a descriptor; tell whether there is one."""
    member = static(type(owner), name)
    world = trace.root.world
    if isinstance(member, property):
        world.read_descriptor(owner, name)
        if member.fset is None:
            return False  # Python says so
        router.call(member.fset, owner, value)
        return True
    if isinstance(owner, type) or not (special.is_users_object(owner) or special.is_users_object(member)):
        return False
    world.read_descriptor(owner, name)  # the class may get one
    store = None if member is MISSING else special.method(trace, member, "__set__")
    if store is not None:
        store(owner, value)
    return store is not None


def _set_in_turn(trace: Recording, value: Any, owner: Any, name: str) -> None:
    """`optimizer.wd = 0.1`: what follows in the program goes by it, so each call sets it where its numbers are read."""
    if not (value is None or isinstance(value, (int, float, str))):
        kind = "a value of the program" if isinstance(value, Symbol) else type(value).__name__
        raise trace.refusal(
            "E407", f"{type(owner).__name__}.{name} is set to {kind} inside of a compiled function",
            help="set it outside the function: this does not compile anything again",
        )  # fmt: skip
    trace.begin(Setting(owner, name, value))
    trace.root.world.note(Attribute(owner, name))


def set_item(router: Semantics, value: Any, owner: Any, key: Any) -> None:
    """`owner[key] = value`."""
    trace = current_trace()
    kind = type(owner)
    if trace is None or isinstance(owner := trace.lifted(owner), Face):
        owner[key] = value
    elif isinstance(array := trace.lifted(owner), Symbol):
        if isinstance(value, masks.Masked):
            masks.assign(array, key, value)
        else:
            array[key] = value
    elif kind in CONTAINERS and has_class_member(kind, "__setitem__"):
        _change(trace, owner, "__setitem__", (_key(trace, owner, key), value))
    else:
        method = class_member(kind, "__setitem__")
        code = getattr(method, "__code__", None)
        if code is not None and not is_trusted_file(code.co_filename):
            router.call(method, owner, key, value)
        elif isinstance(owner, Operators):
            owner[key] = value
        elif trace.root.world.is_own(owner):
            trace.changes_own(owner, f"an item of a {kind.__name__} is set")
            owner[key] = value
        else:
            if trace.depth:
                raise refused(trace, f"an item of a {kind.__name__} is set")
            unroll(trace, value)
            trace.root.world.write(Item(owner, _hashable(plain(key))), value)


def consumed(value: Symbol) -> Symbol:
    """Give what a symbol that nobody reads again holds now, so that writes need not mind whose memory it may be."""
    trace = current_trace()
    if trace is None or not trace.root.aliases.origins(value._cell, trace):
        return value
    return Symbol.of(trace, value.operand(), value.name, weak=value.weak, of_nd=value.of_nd)


@as_python
def delete_attribute(router: Semantics, owner: Any, name: str) -> None:
    """`del owner.name`."""
    trace = current_trace()
    owner = _faced(trace, owner, name)
    member = static(type(owner), name)
    if trace is not None and _is_frozen(type(owner), name, "__delattr__"):
        delattr(owner, name)  # which says so
    delete = special.method(trace, owner, "__delattr__")
    if delete is not None:
        delete(name)
        return
    if trace is not None and isinstance(member, property):
        trace.root.world.read_descriptor(owner, name)
        if member.fdel is not None:
            router.call(member.fdel, owner)
            return
    delete = special.method(trace, member, "__delete__")
    if delete is not None:
        delete(owner)
        return
    if trace is not None and trace.root.world.is_own(owner):
        trace.changes_own(owner, f"the attribute {name!r} is deleted")
    if trace is None or trace.root.world.is_own(owner):
        delattr(owner, name)
        return
    if trace.depth:
        raise refused(trace, f"the attribute {name!r} is deleted")
    if not hasattr(owner, name):
        trace.root.world.read_absent(owner, name)
        delattr(owner, name)  # which says so
    if is_of_package(type(owner)):
        raise trace.refusal(
            "E431", f"attribute {name!r} of {type(owner).__name__} is deleted, which a program cannot repeat",
            help="delete it outside the function",
        )  # fmt: skip
    place = Attribute(owner, name)
    trace.root.world.depend_on(place)
    trace.root.world.write(place, MISSING)


def delete_item(router: Semantics, owner: Any, key: Any) -> None:
    """`del owner[key]`."""
    trace = current_trace()
    if trace is None:
        del owner[key]
    elif type(owner) in CONTAINERS:
        _change(trace, owner, "__delitem__", (_key(trace, owner, key),))
    elif is_users(class_member(type(owner), "__delitem__")):
        router.call(type(owner).__delitem__, owner, key)
    elif trace.root.world.is_own(owner):
        trace.changes_own(owner, f"an item of a {type(owner).__name__} is deleted")
        del owner[key]
    else:
        raise trace.refusal(
            "E431", f"an item of {type(owner).__name__} is deleted, which a program cannot repeat",
            help="delete it outside the function",
        )  # fmt: skip


class Changeable:
    """Objects of Python's classes that the program has made before, and that a call of a method of Python's may change.

    Nobody can take back such a change, where a loop is recorded anew, nor merge it with the other side of a branch.
    """

    def __init__(self, trace: Recording, values: tuple[Any, ...], name: str) -> None:
        self._trace, self._name = trace, name
        self._seen = [trace.root.world.seen(value) for value in values if self._may_change(value)]

    def _may_change(self, value: Any) -> bool:
        kind: Any = type(value)
        if kind in special.KNOWN or not self._trace.root.aliases.is_from_before(value, self._trace):
            return False
        return not is_iterator(value) and remembers(kind)

    def check(self) -> None:
        """Refuse a change where data decides whether it happens.

        Raises:
            CaptureError E430: one of the objects is not what it was, and the branch has not made it.
        """
        for seen in self._seen:
            if seen.is_changed:
                if self._trace.depth:
                    seen.put_back()
                self._trace.changes_own(seen.owner, f"a {type(seen.owner).__name__} is changed ({self._name})")


def augmented(before: Any, method: str, value: Any) -> Any:
    """`before += value`, or another operator: in place where the class of the value does it so."""
    trace = current_trace()
    if trace is not None and type(before) in CONTAINERS and method in ("iadd", "imul", "ior", "iand", "isub", "ixor"):
        name = f"__{method}__"
        if hasattr(before, name):
            return _change(trace, before, name, (special.iterated(value) if special.is_users_object(value) else value,))
        if trace.root.world.is_outside(before):
            trace.root.world.read_content(before)
    if trace is None:
        return special.in_place(method[1:], before, value)
    changeable = Changeable(trace, (before,), f"__{method}__")
    array = trace.lifted(before)
    number = trace.root.aliases.carried_number(array._cell) if type(array) is Symbol and not array._view else None
    if number is not None:
        array = Symbol.of(trace, array.operand(), array.name, of_nd=array.of_nd)
    result = special.in_place(method[1:], array, value)
    if number is not None:
        number.copied(trace, trace.root.aliases.refused_write())
    changeable.check()
    return result


@as_python
def container_method(router: Semantics, trace: Recording, owner: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Call a method of a list, dict, set, tuple or deque."""
    world = trace.root.world
    if is_rolled(owner) and name == "reverse":
        _change(trace, owner, "__setitem__", (slice(None), reversed_list(owner)))
        return None
    if is_rolled(owner) and name not in _APPENDING and name != "copy":
        unroll(trace, owner, 0)
    seeks = name in _SEEKING and isinstance(owner, (list, tuple, deque)) and args
    if seeks and any(_asks(trace, one) for one in (args[0], *owner)):
        return _sought(trace, owner, name, *map(plain, args))
    if name in MUTATORS:
        args = tuple(trace.lifted(arg) for arg in args)
        if args and (isinstance(owner, (dict, set)) or name in ("pop", "insert", "__setitem__", "__delitem__")):
            args = (_key(trace, owner, args[0]), *args[1:])
        if name == "sort":
            key = kwargs.get("key")
            if any(map(special.is_users_object, owner)) or key is not None:
                kwargs = {**kwargs, "key": lambda item: Ordered(item if key is None else router.call(key, item))}
        return trace.lifted(_change(trace, owner, name, args, kwargs))
    args = tuple(map(plain, args))
    if args and isinstance(owner, (dict, set, frozenset)):
        args = (_key(trace, owner, args[0]), *args[1:])
    if world.is_outside(owner):
        if name in ("get", "__getitem__") and args and isinstance(owner, dict):
            if _hashable(args[0]) in owner:
                return router.read_item(owner, args[0])
            if name == "get" and not kwargs:
                world.read_missing(owner, args[0])
                return owner.get(*args)
        if name == "__len__":
            return world.read_length(owner, len(owner))
        world.read_content(owner)
    args = tuple(router.handed(arg) for arg in args)
    method = getattr(owner, name)
    return trace.lifted(method(*args, **{key: router.handed(arg) for key, arg in kwargs.items()}))


def _sought(trace: Recording, owner: Any, name: str, wanted: Any, *bounds: int) -> Any:
    """`count`, `index` or `remove` of a list, where arrays are compared, or objects with an `__eq__` of the user's."""
    if trace.root.world.is_outside(owner):
        trace.root.world.read_content(owner)
    if name == "count":
        return count(owner, wanted)
    for number in range(*slice(*(bounds or (None,))[:1], *(bounds[1:] or (None,))).indices(len(owner))):
        if bool(equal(owner[number], wanted)):
            return number if name == "index" else _change(trace, owner, "__delitem__", (number,))
    raise ValueError(f"{type(owner).__name__}.{name}(x): x not in {type(owner).__name__}")


def _asks(trace: Recording, value: Any) -> bool:
    """Tell whether a comparison with a value calls what the user wrote, or is of an array."""
    return special.is_users_object(value) or type(trace.lifted(value)) is Symbol


def _key(trace: Recording, owner: Any, key: Any) -> Any:
    """Return what stands for an item of a container: a key, several of them, or a number."""
    if not isinstance(owner, (dict, set, frozenset)):
        return special.index(plain(key))
    key = key_of(plain(key), owner)
    trace.root.keyed(key if isinstance(key, (list, dict, set)) else (key,), owner)
    return key


@as_python
def _change(trace: Recording, owner: Any, name: str, args: tuple[Any, ...], kwargs: Any = None) -> Any:
    """Change a container."""
    root = trace.root
    if is_rolled(owner) and not (name in _APPENDING or (name == "__setitem__" and args[0] == slice(None))):
        unroll(trace, owner, 0)
    root.aliases.changes(owner, trace)
    if not root.world.is_users(owner):
        trace.note_container(owner, root.location())
        return getattr(type(owner), name)(owner, *args, **(kwargs or {}))
    if trace.depth:
        raise refused(trace, f"a {type(owner).__name__} of the surroundings is changed ({name})")
    unroll(trace, args)
    return root.world.change(owner, name, args, kwargs or {})


def _hashable(key: Any) -> Any:
    try:
        hash(key)
    except TypeError:
        return repr(key)
    return key

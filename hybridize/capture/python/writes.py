# SPDX-License-Identifier: Apache-2.0
"""Writes to objects and containers while capturing.

What the program made itself is Python's business. What the user's objects hold is written again by every call: the
write is an effect of the program, with arrays as extra outputs. Inside of a branch that depends on data nothing can be
written, but for containers of the program's own, whose content is merged with that of the other branch.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.operators import Operators
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.base.nested import flatten
from hybridize.capture.control.truth import plain
from hybridize.capture.outside import objects as states
from hybridize.capture.outside.trust import is_trusted_file
from hybridize.capture.trace.recording import Recording, Trace, current_trace
from hybridize.contract.captured import Effect
from hybridize.contract.feeds import Setting
from hybridize.contract.guards import CONTAINERS, MISSING, WholeGuard, frozen
from hybridize.ops.op import imperatively

_REPEATABLE = frozenset({"append", "appendleft", "add", "extend", "insert", "update", "__setitem__"})
_MUTATORS = _REPEATABLE | frozenset({
    "pop", "popleft", "popitem", "remove", "discard", "clear", "sort", "reverse", "rotate", "setdefault", "extendleft",
    "difference_update", "intersection_update", "symmetric_difference_update", "move_to_end", "__delitem__",
    "__iadd__", "__ior__",
})  # fmt: skip
_IN_TURN = frozenset({"grad_req", "learning_rate"})
"""Computed attributes of ours that a program may set."""
_PLAIN = (int, float, bool, str, bytes, type(None), numpy.generic, ndarray, Symbol)


def new(value: Any) -> Any:
    """A container or object that the program makes."""
    trace = current_trace()
    if trace is not None:
        trace.root.fresh[id(value)] = (value, trace)
    return value


def refused(trace: Recording, what: str, help: str = "") -> CaptureError:
    """The error for a side effect in a branch that depends on data."""
    remedy = help or "do it after the branch, on its result; npx.print and npx.assert_ work inside"
    text = f"{what} in a branch or loop that depends on data: Python runs both sides once"
    return trace.root.refusing(CaptureError("E430", text, help=remedy))


def before(root: Trace, container: Any) -> Any:
    """The content that a container of the user's had before the program changed it; MISSING where it has not."""
    return root.changed[id(container)][1] if id(container) in root.changed else MISSING


def set_attribute(router: Any, value: Any, owner: Any, name: str) -> None:
    """`owner.name = value`."""
    trace = current_trace()
    if trace is None or isinstance(owner, Operators):
        setattr(owner, name, value)
        return
    static = next((base.__dict__[name] for base in type(owner).__mro__ if name in base.__dict__), None)
    kind: Any = type(owner)
    apart = hasattr(owner, "watching") or id(owner) in trace.root.fresh
    turned = states.has_own_account(kind) and not apart
    if isinstance(static, property) and static.fset is not None and not (turned and name in _IN_TURN):
        router.call(static.fset, owner, value)
        return
    own = getattr(type(owner), "__setattr__", None)
    code = getattr(own, "__code__", None)
    if code is not None and not is_trusted_file(code.co_filename):
        router.call(own, owner, name, value)
        return
    made = trace.root.fresh.get(id(owner))
    if made is not None and (not trace.depth or made[1] is trace):
        setattr(owner, name, value)
        return
    if trace.depth:
        raise refused(trace, f"the attribute {name!r} is set")
    root = trace.root
    if turned:
        _set_in_turn(trace, value, owner, name)
        return
    _check_kept(trace, value, f"attribute {name!r}")
    old = getattr(owner, name, MISSING)
    root.undo.append(lambda: setattr(owner, name, old) if old is not MISSING else delattr(owner, name))
    root.written_attributes.add(("attribute", id(owner), name))
    root.effects.append(Effect(partial(setattr, owner, name), (value,)))
    object.__setattr__(owner, name, value) if isinstance(value, Symbol) else setattr(owner, name, value)


def _set_in_turn(trace: Recording, value: Any, owner: Any, name: str) -> None:
    """`optimizer.wd = 0.1`: what follows in the program goes by it, so each call sets it where its numbers are read."""
    if not (value is None or isinstance(value, (int, float, str))):
        kind = "a value of the program" if isinstance(value, Symbol) else type(value).__name__
        raise trace.root.refusing(CaptureError(
            "E407", f"{type(owner).__name__}.{name} is set to {kind} inside of a compiled function",
            help="set it outside of the function: nothing is compiled again for that",
        ))  # fmt: skip
    if name == "grad_req":
        _check_request(trace, owner, value)
    setting = Setting(owner, name, value)
    with imperatively():
        setting.prepare()
    trace.feed(setting)
    trace.root.written_attributes.add(("attribute", id(owner), name))


def _check_request(trace: Recording, parameter: Any, value: Any) -> None:
    """Let programs switch between `write` and `add`; who has no gradient has no buffer that a program could write."""
    before = parameter.grad_req
    if value != before and "null" in (value, before):
        raise trace.root.refusing(CaptureError(
            "E407", f"grad_req of {parameter.name} is set from {before!r} to {value!r} inside of a compiled function",
            help="set it before the call; detach(), autograd.pause() and trainers of some parameters leave others out",
        ))  # fmt: skip
    variable = parameter._variable
    if variable is not None:
        trace.root.history.requests.setdefault(variable, variable.req)


def set_item(router: Any, value: Any, owner: Any, key: Any) -> None:
    """`owner[key] = value`."""
    trace = current_trace()
    kind = type(owner)
    if trace is None:
        owner[key] = value
    elif kind is ndarray:
        trace.lift(owner)[key] = value
    elif kind in CONTAINERS:
        _change(trace, owner, "__setitem__", operator.setitem, (plain(key), value))
        trace.root.written_attributes.add(("item", id(owner), _hashable(plain(key))))
    else:
        method = getattr(kind, "__setitem__", None)
        code = getattr(method, "__code__", None)
        if code is not None and not is_trusted_file(code.co_filename):
            router.call(method, owner, key, value)
        elif isinstance(owner, Operators) or id(owner) in trace.root.fresh:
            owner[key] = value
        else:
            _set_foreign_item(trace, owner, plain(key), value)


def _set_foreign_item(trace: Recording, owner: Any, key: Any, value: Any) -> None:
    """`owner[key] = value`, where the class of the owner is none whose content is looked at item by item."""
    root = trace.root
    if trace.depth:
        raise refused(trace, f"an item of a {type(owner).__name__} is set")
    _check_kept(trace, value, f"an item of a {type(owner).__name__}")
    try:
        old = owner[key]
    except (LookupError, TypeError):
        root.undo.append(lambda: owner.__delitem__(key))
    else:
        root.undo.append(lambda: owner.__setitem__(key, old))
    root.written_attributes.add(("item", id(owner), _hashable(key)))
    root.effects.append(Effect(partial(operator.setitem, owner, key), (value,)))
    owner[key] = value


def delete(router: Any, owner: Any, what: str, delete_one: Callable[[Any, Any], Any], key: Any) -> None:
    """`del owner.name` or `del owner[key]`."""
    trace = current_trace()
    if trace is not None and id(owner) not in trace.root.fresh:
        if type(owner) in CONTAINERS:
            _change(trace, owner, "__delitem__", operator.delitem, (key,))
            return
        raise trace.root.refusing(CaptureError(
            "E431", f"{what} of {type(owner).__name__} is deleted, which a compiled program cannot do again",
            help="do it outside of the function",
        ))  # fmt: skip
    delete_one(owner, key)


def container_method(router: Any, trace: Recording, owner: Any, method: Any, args: Any, kwargs: Any) -> Any:
    """A method of a list, dict, set, tuple or deque."""
    name = method.__name__
    root = trace.root
    if name not in _MUTATORS:
        args = tuple(map(plain, args))
    else:
        args = tuple(trace.lift(arg) if isinstance(arg, ndarray) else arg for arg in args)
        if args and isinstance(owner, (dict, set)):
            args = (plain(args[0]), *args[1:])  # a key
        return _change(trace, owner, name, getattr(type(owner), name), args, kwargs)
    if id(owner) in root.external:
        router_met = router.read_item if name in ("get", "__getitem__") and args and isinstance(owner, dict) else None
        if router_met is not None and args[0] in owner:
            return router_met(owner, args[0])
        router_guard(root, owner)
    args = tuple(router._handed(arg) for arg in args)
    return method(*args, **{key: router._handed(arg) for key, arg in kwargs.items()})


def router_guard(root: Trace, container: Any) -> None:
    """Guard the content of a container of the user's."""
    key = ("whole", id(container))
    if key not in root.guards:
        guard = WholeGuard(container, "a container", root.location())
        saved = before(root, container)
        if saved is not MISSING:
            guard.expected = saved
        root.guards[key] = guard


def _change(
    trace: Recording, owner: Any, name: str, change: Callable[..., Any], args: tuple[Any, ...], kwargs: Any = None
) -> Any:  # fmt: skip
    """Change a container."""
    root = trace.root
    root.check_change(owner, trace)
    for checkpoint in root.checkpoints:
        checkpoint.setdefault(id(owner), (owner, owner.copy()))
    if id(owner) not in root.external:
        trace.note_container(owner, root.location())
        return change(owner, *args, **(kwargs or {}))
    if trace.depth:
        raise refused(trace, f"a {type(owner).__name__} of the surroundings is changed ({name})")
    if name not in _REPEATABLE or kwargs:
        raise root.refusing(CaptureError(
            "E431", f"{name}() changes a {type(owner).__name__} of the surroundings, which a program cannot do again",
            help="work on a copy, or do it outside of the function",
        ))  # fmt: skip
    for part in args[1:] if name in ("__setitem__", "insert") else args:
        _check_kept(trace, part, f"a {type(owner).__name__}")
    if id(owner) not in root.changed:
        root.changed[id(owner)] = (owner, frozen(owner))
        copy = owner.copy()
        root.undo.append(lambda: _restore(owner, copy))
    leaves, _ = flatten(list(args))
    root.effects.append(Effect(partial(change, owner), args))
    if name != "__setitem__" and any(isinstance(leaf, (Symbol, ndarray)) for leaf in leaves):
        root.pending[id(owner)] = owner
        return None
    return change(owner, *args)


def _restore(owner: Any, copy: Any) -> None:
    owner.clear()
    (owner.update if isinstance(owner, (dict, set)) else owner.extend)(copy)


def _check_kept(trace: Recording, value: Any, where: str) -> None:
    """Only values that every call can make anew may be kept outside of the program."""
    leaves, structure = flatten(value)
    if structure.kind in ("list", "dict") or not all(isinstance(leaf, _PLAIN) or callable(leaf) for leaf in leaves):
        raise trace.root.refusing(CaptureError(
            "E432", f"{where} of the surroundings is set to a {type(value).__name__}, which is the same at each call",
            help="keep arrays, numbers and strings outside; return the rest",
        ))  # fmt: skip


def remember(undo: Callable[[], object]) -> None:
    """Before a write outside of the program: how to undo it."""
    trace = current_trace()
    if trace is not None:
        trace.root.undo.append(undo)


def wrote_variable(key: tuple[Any, ...], value: Any, name: str, write: Callable[[Any], object]) -> None:
    """A write to a variable of the module, or of a function around; it has been done already."""
    trace = current_trace()
    if trace is None:
        return
    if trace.depth:
        raise refused(trace, f"the variable {name!r} of the surroundings is set")
    _check_kept(trace, value, f"the variable {name!r}")
    trace.root.written_attributes.add(key)
    trace.root.effects.append(Effect(write, (value,)))


def _hashable(key: Any) -> Any:
    try:
        hash(key)
    except TypeError:
        return repr(key)
    return key

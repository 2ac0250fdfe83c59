# SPDX-License-Identifier: Apache-2.0
"""Builtins that call special methods of what they are given: `abs(v)`, `float(v)`, `sum(vs)`, `map(Class, xs)`.

For objects of the user's classes they call what the user wrote as converted code does; see `control.special`.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import itertools
import math
import operator
import types
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any, cast

from hybridize.array.symbol import Symbol
from hybridize.base.members import module_of
from hybridize.capture.control import special
from hybridize.capture.control.comparisons import comparison
from hybridize.capture.control.operators import contains
from hybridize.capture.control.special import is_users_object, iterated
from hybridize.capture.control.truth import not_, truth
from hybridize.capture.outside.objects import is_users, remembers
from hybridize.capture.outside.trust import is_trusted_class
from hybridize.capture.python.mathematics import known
from hybridize.capture.python.semantics import Semantics
from hybridize.capture.trace.recording import Recording
from hybridize.contract.places import static
from hybridize.contract.snapshots import MISSING

_NAMES: dict[Any, tuple[str, ...]] = {
    builtins.abs: ("__abs__",),
    builtins.round: ("__round__",),
    builtins.float: ("__float__", "__index__"),
    builtins.int: ("__int__", "__index__", "__trunc__"),
    builtins.complex: ("__complex__", "__float__", "__index__"),
    builtins.hash: ("__hash__",),
    builtins.reversed: ("__reversed__",),
    builtins.next: ("__next__",),
    builtins.dir: ("__dir__",),
    builtins.bytes: ("__bytes__",),
    math.trunc: ("__trunc__",),
    math.floor: ("__floor__", "__float__"),
    math.ceil: ("__ceil__", "__float__"),
    operator.index: ("__index__",),
    operator.abs: ("__abs__",),
    operator.length_hint: ("__len__", "__length_hint__"),
}
"""Functions that call a special method of their first argument: the first of these that its class has."""
_OPERATORS: dict[Any, Callable[..., Any]] = {
    **{
        getattr(operator, f"__{name}__"): functools.partial(special.binary, name)
        for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
                     "rshift")
    },
    **{getattr(operator, name): functools.partial(special.unary, name) for name in ("neg", "pos", "invert")},
    **{getattr(operator, name): functools.partial(comparison, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    builtins.divmod: functools.partial(special.binary, "divmod"),
    operator.contains: contains,
    operator.truth: truth,
    operator.not_: not_,
}  # fmt: skip
_CHECKING = frozenset({int, float, complex, bytes, dir, hash, operator.index})
"""Functions that look at what the special method gives."""
_FIRST, _SECOND, _REST, _ALL = slice(1), slice(1, 2), slice(1, None), slice(None)
_GOING_THROUGH: dict[Any, slice] = {
    **dict.fromkeys((list, tuple, set, frozenset, dict, deque, sum, any, all, sorted, enumerate, iter, math.fsum,
                     math.prod, itertools.accumulate, itertools.combinations, itertools.compress, itertools.cycle,
                     itertools.groupby, itertools.islice, itertools.pairwise, itertools.permutations, itertools.tee,
                     itertools.chain.from_iterable), _FIRST),
    **dict.fromkeys((filter, functools.reduce, itertools.starmap, itertools.takewhile, itertools.dropwhile,
                     itertools.filterfalse), _SECOND),
    map: _REST,
    **dict.fromkeys((zip, itertools.chain, itertools.product, itertools.zip_longest), _ALL),
}  # fmt: skip
"""Functions that go through arguments of theirs, and which."""
_HASHING = frozenset({set, frozenset, dict})
_HARMLESS = frozenset({
    callable, issubclass, super, property, staticmethod, classmethod, object, weakref.ref, weakref.proxy,
    itertools.repeat, operator.is_, operator.is_not, reversed, functools.partial, types.SimpleNamespace,
})  # fmt: skip
"""Functions that call no method of what they are given, or of its parts, but those that `answer` calls for them."""
_MAPPINGS = frozenset({dict, OrderedDict, defaultdict})
"""Functions that call methods of keys, and none of what is under them."""
_MAKING = ("__init__", "__new__", "__init_subclass__", "__post_init__", "__class_getitem__", "__set_name__")
_OF_OBJECTS = (types.MethodWrapperType, types.WrapperDescriptorType, types.MethodDescriptorType, types.MethodType)
"""Methods of Python's, of objects that the user's class may derive from."""
_APPLYING: dict[Any, int] = {
    map: 0, filter: 0, functools.reduce: 0, itertools.starmap: 0, itertools.takewhile: 0, itertools.dropwhile: 0,
    itertools.filterfalse: 0, itertools.accumulate: 1, itertools.groupby: 1,
}  # fmt: skip
"""Functions that call an argument of theirs, and which."""


def answer(router: Semantics, trace: Recording, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function gives that calls special methods of the user's; NotImplemented where it calls none."""
    if not args or not any(map(is_users_object, args)):
        return NotImplemented
    if function in _OPERATORS:
        return _OPERATORS[function](*args, **kwargs)
    if function is pow and len(args) == 2 and not kwargs:
        return special.binary("pow", *args)
    if function is hash and (cls := special.dataclass_of(type(args[0]), "__hash__")) is not None:
        hashed = [field for field in dataclasses.fields(cls) if (field.compare if field.hash is None else field.hash)]
        return router.call(hash, tuple(known(router.read_attribute(args[0], field.name)) for field in hashed))
    for name in _NAMES.get(function, ()):
        member = special.method(trace, args[0], name)
        if member is not None:
            if function is next:
                return _ended(member, *args, **kwargs)
            return _conversion(function, name, args[0], member(*args[1:], **kwargs))
        if static(type(args[0]), name) not in (MISSING, None):
            break  # Python's own
    if function is reversed and len(args) == 1:
        return _reversed(trace, args[0])
    return NotImplemented


def _conversion(function: Any, name: str, owner: Any, value: Any) -> Any:
    """Return what a function makes of what a special method gave: a number, or the error for one of another class."""
    if function not in _CHECKING or type(value) is Symbol:
        return value
    return function(type(type(owner).__name__, (), {name: lambda _: value})())


def _ended(step: Callable[..., Any], _: Any, *default: Any) -> Any:
    """`next`, which gives what it was told to at the end."""
    try:
        return step()
    except StopIteration:
        if not default:
            raise
        return default[0]


def _reversed(trace: Recording, value: Any) -> Any:
    """`reversed` of a sequence."""
    count, get = special.method(trace, value, "__len__"), special.method(trace, value, "__getitem__")
    if count is None or get is None or static(type(value), "__reversed__") is not MISSING:
        return NotImplemented
    return map(get, range(count() - 1, -1, -1))


def handed(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """List the objects among arguments whose methods a function may call, past what capture has converted."""
    hashable = type(function).__hash__ is not None  # the keys of `cmp_to_key` are not
    if hashable and (function in _HARMLESS or (function in _GOING_THROUGH and function not in _HASHING)):
        return []
    if hashable and function in _MAPPINGS:
        values: list[Any] = [
            key for arg in args for key in (_keys(arg) if type(arg) in (dict, list, tuple) else (arg,))
        ]
    else:
        values = [*args, *kwargs.values()]
    parts = [part for arg in values for part in (arg if type(arg) in (list, tuple, set) else (arg,))]
    if isinstance(function, _OF_OBJECTS) or _is_ours(function):  # which may ask for a number: `x.sum(axis=v)`
        return [one for one in parts if is_users_object(one) and is_users(static(type(one), "__index__"))]
    return [one for one in parts if is_users_object(one) and _speaks(cast(Any, type(one)))]


def _keys(pairs: dict[Any, Any] | list[Any] | tuple[Any, ...]) -> list[Any]:
    """The keys that a mapping gets of another, or of a sequence of pairs."""
    if isinstance(pairs, dict):
        return [*pairs]
    return [pair[0] if type(pair) in (list, tuple) and len(pair) == 2 else pair for pair in pairs]


def _is_ours(function: Any) -> bool:
    """Tell whether a function is of this package, which calls `__index__` alone of what it is given."""
    return module_of(function).partition(".")[0] == __name__.partition(".")[0]


@functools.cache
def _speaks(kind: Any) -> bool:
    """Tell whether the user wrote special methods of a class that others than its makers call."""
    if not remembers(kind):
        return False
    names = {name for base in kind.__mro__ if not is_trusted_class(base) for name in vars(base)}
    return any(is_users(static(kind, name)) for name in names if name[:2] == "__" and name not in _MAKING)


def python_arguments(router: Semantics, function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments as a function of Python's gets them that goes through some, or calls one."""
    through = _GOING_THROUGH.get(function)
    if function in (min, max) and len(args) == 1:
        through = _FIRST
    if through is not None:
        gone = range(*through.indices(len(args)))
        args = tuple(iterated(arg) if number in gone else arg for number, arg in enumerate(args))
    position = _APPLYING.get(function)
    if position is None:
        return args
    if function is itertools.accumulate and len(args) == 1:
        args = (*args, operator.add)
    if len(args) > position and callable(args[position]):
        called = functools.partial(router.call, args[position])
        args = (*args[:position], called, *args[position + 1 :])
    return args

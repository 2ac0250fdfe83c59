# SPDX-License-Identifier: Apache-2.0
"""The class that a value has when nothing is captured: for `isinstance`, `type`, `match` and single dispatch.

A symbol stands for an array or a Python number; code that asks for its class shall hear of that one.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from types import FunctionType
from typing import Any, cast

import numpy

from hybridize.array.nd_array import NDArray
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.symbol import Symbol
from hybridize.base.dims import is_symbolic
from hybridize.base.faces import Face
from hybridize.base.members import class_member
from hybridize.base.tracebacks import as_python
from hybridize.capture.control.special import is_users_object, method
from hybridize.capture.control.texts import Text
from hybridize.capture.control.truth import bool_, plain, truth
from hybridize.capture.outside.trust import KEPT_CLASSES, is_trusted_class
from hybridize.capture.python.masks import Masked
from hybridize.capture.python.mathematics import refused
from hybridize.capture.python.semantics import Semantics
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.places import Attribute, CallResult, Instance, Item, Length, static

_STAND_INS: dict[type, type] = {Masked: ndarray, Text: str}
"""Classes that stand in for a value that only a call has, and the class that each stands for."""
_OF_CLASSES = static(type, "__instancecheck__")
"""The way in which classes answer that say nothing else: by what they are derived of."""


def class_of(value: Any) -> type:
    """Return the class that a value has when nothing is captured."""
    if type(value) is Symbol:
        if value.weak is not None:
            return value.weak
        trace = current_trace()
        if trace is not None and trace.root.inputs.is_foreign(value):
            return numpy.ndarray
        return NDArray if value.of_nd else ndarray
    if type(value) in _STAND_INS:
        return _STAND_INS[type(value)]
    if isinstance(value, Face):
        return value.__class__
    trace = current_trace()
    if trace is not None:
        trace.root.world.read_kind(value)
    return int if is_symbolic(value) else type(value)


@cache
def _example(kind: type) -> Any:
    """An instance of a class that symbols stand for: protocols look at attributes, which a class need not have."""
    if kind in (ndarray, NDArray):
        return wrap(numpy.zeros(()))
    return numpy.zeros(()) if kind is numpy.ndarray else kind(0)


@lru_cache(KEPT_CLASSES)
def _bare(kind: Any) -> Any:
    """An instance of a class without any attributes, which stands for those that a program makes."""
    return object.__new__(kind)


def answers_itself(kind: Any) -> bool:
    """Tell whether a class has a way of its own to say what its instances are: an abstract class, a protocol."""
    return isinstance(kind, type) and static(type(kind), "__instancecheck__") is not _OF_CLASSES


@as_python
def is_subclass(kind: Any, kinds: Any) -> bool:
    """Return what `issubclass` gives, and depend on what classes answer by themselves of one of the user's."""
    if isinstance(kinds, (tuple, types.UnionType)):
        return any(is_subclass(kind, part) for part in (kinds if isinstance(kinds, tuple) else kinds.__args__))
    answer, trace = issubclass(kind, kinds), current_trace()
    _depend_on_metaclass(trace, kinds, "__subclasscheck__")
    if trace is not None and answers_itself(kinds) and not (is_trusted_class(kind) and is_trusted_class(kinds)):
        trace.root.world.read(CallResult(issubclass, (kind, kinds), {}), answer, whole=False)
    return answer


def _depend_on_metaclass(trace: Recording | None, kinds: Any, name: str) -> None:
    """Depend on the method of a metaclass of the user's by which its classes answer: it may get one."""
    if trace is not None and isinstance(kinds, type) and not is_trusted_class(type(kinds)):
        trace.root.world.depend_on(Attribute(type(kinds), name))


def asked_base(function: Any, args: tuple[Any, ...]) -> Any:
    """Return what an `__instancecheck__` of Python's own gives, of the value that a symbol stands for."""
    return function(*(_example(class_of(x)) if type(x) is Symbol or type(x) in _STAND_INS else x for x in args))


@as_python
def is_instance(value: Any, kinds: Any) -> Any:
    """Return what `isinstance` gives when nothing is captured, and depend on what classes answer by themselves."""
    if isinstance(kinds, (tuple, types.UnionType)):
        parts = kinds if isinstance(kinds, tuple) else kinds.__args__
        return any(truth(is_instance(value, part)) for part in parts)
    is_array = type(value) is Symbol and value.weak is None
    if is_array and isinstance(kinds, type) and class_member(kinds, "__hybridize_captured__", False):
        return True
    trace = current_trace()
    _depend_on_metaclass(trace, kinds, "__instancecheck__")
    if trace is not None and answers_itself(kinds):
        ask = None if class_of(value) is kinds else method(trace, kinds, "__instancecheck__")
        if ask is not None:
            return bool_(ask(value))
        if is_users_object(value):
            world = trace.root.world
            if world.is_own(value):
                with suppress(TypeError):  # of a class derived of one of Python's, which makes its instances itself
                    world.depend_on(Instance(_bare(cast(Any, type(value))), kinds))
            return world.depend_on(Instance(value, kinds))
    if isinstance(value, Face):
        return value.is_a(kinds)
    if type(value) is not Symbol and type(value) not in _STAND_INS:
        trace = current_trace()
        if trace is not None:
            trace.root.world.read_kind(value)
        return isinstance(value, kinds)
    return isinstance(_example(class_of(value)), kinds)


# --------------------------------------------------------------------------------------------------- single dispatch


def is_dispatcher(function: Any) -> bool:
    """Tell whether a function is what `functools.singledispatch` has made."""
    return (
        type(function) is FunctionType
        and function.__module__ is not None
        and (function.__code__.co_filename == functools.__file__ and hasattr(function, "dispatch"))
    )


def implementation(trace: Recording, dispatcher: Any, value: Any) -> Callable[..., Any]:
    """Return the function that is registered for the class of a value, on which the program then depends."""
    target: Callable[..., Any] = dispatcher.dispatch(class_of(value))
    registry, world = dispatcher.registry, trace.root.world
    world.guard(Length(registry), len(registry))
    for kind, function in registry.items():
        if function is target:
            world.guard(Item(registry, kind), target)
    return target


def dispatched_method(router: Semantics, method: Any, owner: Any, kind: type) -> Callable[..., Any]:
    """Return a `singledispatchmethod` of an object, or of a class where `owner` is None, as capture calls it."""

    def call(*args: Any, **kwargs: Any) -> Any:
        trace = current_trace()
        if trace is None or not args:
            return method.__get__(owner, kind)(*args, **kwargs)
        function: Any = implementation(trace, method.dispatcher, args[0])
        return router.call(function.__get__(owner, kind), *args, **kwargs)

    return call


# -------------------------------------------------------------------------------------------------------- match


_MATCHES_ITSELF = (bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose positional pattern is the subject itself, and those of the user's that inherit from them."""


class _Standing(type):
    """The metaclass of what stands for a class in a pattern: it guards what the interpreter reads for the pattern."""

    stands_for: type
    router: Semantics
    names: tuple[str, ...]
    count: int

    def __instancecheck__(cls, value: Any) -> bool:
        if not is_instance(value, cls.stands_for):
            return False
        if type(value) is not Symbol and type(value) not in _STAND_INS:
            cls._depend(value)
        return True

    @property
    def __match_args__(cls) -> Any:
        return cls.router.read_attribute(cls.stands_for, "__match_args__")

    def _depend(cls, value: Any) -> None:
        """Guard the attributes that a pattern takes from its subject, up to the first that is not there."""
        positional: Any = getattr(cls, "__match_args__", ()) if cls.count else ()
        if type(positional) is not tuple or not all(type(name) is str for name in positional):
            return  # the interpreter raises its own error
        for name in (*positional[: cls.count], *cls.names):
            try:
                seen = cls.router.read_attribute(value, name)
            except AttributeError:
                return  # on which the program depends now
            trace = current_trace()
            if trace is None or type(seen) is not Symbol:
                continue
            member = getattr(value, name)
            if type(member) is not Symbol:
                # Calls would feed it, but the pattern binds what the interpreter finds now.
                trace.root.world.guard(Attribute(value, name), member)


def class_pattern(router: Semantics, kind: Any, count: int, names: tuple[str, ...]) -> Any:
    """Return what stands for a class in a pattern: symbols match as what they are, attributes are guarded.

    Args:
        router: reads the attributes.
        kind: the class.
        count: the number of positional patterns.
        names: the attributes that the pattern names.
    """
    if current_trace() is None or not isinstance(kind, type):
        return kind
    base = next((parent for parent in kind.__mro__ if parent in _MATCHES_ITSELF), object)
    namespace = {"stands_for": kind, "router": router, "count": count, "names": names}
    return _Standing(kind.__name__, (base,), namespace)


class PatternName:
    """A class or a value that a pattern names: read when the pattern is tried, as Python reads it."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], Any]) -> None:
        self._read = read

    @property
    def value(self) -> Any:
        """The class or the value."""
        return plain(self._read())


def case_guard(value: Any) -> Any:
    """Return the truth of the guard of a `case` that suspends or leaves a generator.

    Raises:
        CaptureError E401: data decides it.
    """
    trace = current_trace()
    if trace is None:
        return value
    answer = truth(value)
    if type(answer) is Symbol:
        raise trace.refusal(
            "E401",
            f"the guard of a case that yields is {value!r}: a captured array has no value",
            help="match the pattern without a guard and yield np.where(guard, x, y), or use a function that "
            "returns instead of yielding",
        )
    return answer


def matched(value: Any) -> Any:
    """Return the subject of a `match`: a number, not the symbol that stands for it.

    Raises:
        CaptureError E427: data decides the number.
    """
    subject = plain(value)
    if type(subject) is Symbol and subject.weak is not None:
        raise refused("match", subject)
    return subject

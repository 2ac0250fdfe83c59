# SPDX-License-Identifier: Apache-2.0
"""The class that a value has when nothing is captured: for `isinstance`, `type`, `match` and single dispatch.

A symbol stands for an array or a Python number; code that asks for its class shall hear of that one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy

from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.symbol import Symbol
from hybridize.base.dims import is_symbolic
from hybridize.capture.control.texts import Text
from hybridize.capture.control.truth import plain
from hybridize.capture.python.masks import Masked
from hybridize.capture.python.mathematics import refused
from hybridize.capture.python.semantics import Semantics
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.places import Item

_STAND_INS: dict[type, type] = {Masked: ndarray, Text: str}
"""Classes that stand in for a value that only a call has, and the class that each stands for."""


def class_of(value: Any) -> type:
    """Return the class that a value has when nothing is captured."""
    if type(value) is Symbol:
        if value.weak is not None:
            return value.weak
        trace = current_trace()
        return numpy.ndarray if trace is not None and trace.root.inputs.is_foreign(value) else ndarray
    if type(value) in _STAND_INS:
        return _STAND_INS[type(value)]
    trace = current_trace()
    if trace is not None:
        trace.root.world.read_kind(value)
    return int if is_symbolic(value) else type(value)


@cache
def _example(kind: type) -> Any:
    """An instance of a class that symbols stand for: protocols look at attributes, which a class need not have."""
    return wrap(numpy.zeros(())) if kind is ndarray else numpy.zeros(()) if kind is numpy.ndarray else kind(0)


def is_instance(value: Any, kinds: Any) -> bool:
    """Return what `isinstance` gives when nothing is captured."""
    if type(value) is not Symbol and type(value) not in _STAND_INS:
        trace = current_trace()
        if trace is not None:
            trace.root.world.read_kind(value)
        return isinstance(value, kinds)
    return isinstance(_example(class_of(value)), kinds) or kinds is Symbol


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
    found: Callable[..., Any] = dispatcher.dispatch(class_of(value))
    registry, world = dispatcher.registry, trace.root.world
    world.read_length(registry, len(registry))
    for kind, function in registry.items():
        if function is found:
            world.guard(Item(registry, kind), found)
    return found


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


class _Standing(type):
    """The metaclass of what stands for a class in a pattern."""

    stands_for: type

    def __instancecheck__(cls, value: Any) -> bool:
        return is_instance(value, cls.stands_for)


@cache
def _standing(kind: type) -> type:
    given = {"stands_for": kind, "__match_args__": getattr(kind, "__match_args__", ())}
    return _Standing(kind.__name__, (), given)


def class_pattern(kind: Any) -> Any:
    """Return what stands for a class in a pattern, so that symbols match as the arrays that they are."""
    if current_trace() is None or not isinstance(kind, type) or kind is object:
        return kind
    arrays = issubclass(ndarray, kind) or issubclass(numpy.ndarray, kind)
    return _standing(kind) if arrays and not issubclass(Symbol, kind) else kind


def matched(value: Any) -> Any:
    """Return the subject of a `match`: a number, not the symbol that stands for it.

    Raises:
        CaptureError E427: data decides the number.
    """
    found = plain(value)
    if type(found) is Symbol and found.weak is not None:
        raise refused("match", found)
    return found

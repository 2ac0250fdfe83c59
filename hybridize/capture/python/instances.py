# SPDX-License-Identifier: Apache-2.0
"""Instances that a program makes of the user's classes: `Class(...)`, by `__new__`, `__init__` and what calls these.

The `__init__` that `dataclasses` generates has no source: its fields say what it does.
"""

from __future__ import annotations

import dataclasses
import inspect
from contextlib import suppress
from types import BuiltinFunctionType, FunctionType
from typing import Any, cast

from hybridize.array.operators import Operators
from hybridize.base.tracebacks import as_python
from hybridize.capture.control.special import GENERATED, dataclass_of
from hybridize.capture.outside.trust import is_trusted_class, is_trusted_file
from hybridize.capture.python import writes
from hybridize.capture.python.semantics import Semantics
from hybridize.contract.places import static
from hybridize.contract.snapshots import MISSING


def is_made_here(kind: Any) -> bool:
    """Tell whether capture itself makes the instances of a class: something that makes them is the user's code."""
    meta = static(type(kind), "__call__")
    if is_trusted_class(kind) or (isinstance(meta, FunctionType) and is_trusted_file(meta.__code__.co_filename)):
        return False  # `Enum`, say, whose metaclass finds the instance
    return any(_is_users(static(kind, name)) for name in ("__new__", "__init__"))


def _is_users(member: Any) -> bool:
    code = getattr(getattr(member, "__func__", member), "__code__", None)
    return code is not None and not is_trusted_file(code.co_filename)


def make(router: Semantics, kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return a new instance, as `type.__call__` makes it."""
    new = static(kind, "__new__")
    by_user = _is_users(new) and getattr(new, "__func__", new).__code__.co_filename != GENERATED
    instance = router.call(kind.__new__, kind, *args, **kwargs) if by_user else _new(kind, args, kwargs)
    if not isinstance(instance, kind):
        return instance
    init = static(type(instance), "__init__")
    if (owner := dataclass_of(type(instance), "__init__")) is not None:
        _fill(router, instance, owner, args, kwargs)
    elif isinstance(init, FunctionType):
        router.call(init, instance, *args, **kwargs)
    else:
        init.__get__(instance, type(instance))(*args, **kwargs)
    return instance


@as_python
def _new(kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kind.__new__ is object.__new__ and static(kind, "__init__") is not object.__init__:
        instance = object.__new__(kind)
    else:
        instance = kind.__new__(kind, *args, **kwargs)
    return instance if isinstance(instance, (Operators, type)) else writes.new(instance)


def is_maker(function: Any) -> bool:
    """Tell whether a function is the `__new__` of a class of Python's."""
    return isinstance(function, BuiltinFunctionType) and function.__name__ == "__new__"


@as_python
def _bound(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
    """Bind arguments to the parameters of a function; where they do not fit, it says so itself."""
    with suppress(TypeError):
        return inspect.signature(function).bind(*args, **kwargs)
    return cast(inspect.BoundArguments, function(*args, **kwargs))  # which raises


def _fill(router: Semantics, instance: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Do as the `__init__` of a dataclass does."""
    bound = _bound(owner.__init__, (instance, *args), kwargs)
    bound.apply_defaults()
    values = bound.arguments
    for name, field in owner.__dataclass_fields__.items():
        sort = field._field_type.name
        if sort == "_FIELD_CLASSVAR":
            continue
        value = values.get(name, MISSING) if field.init else MISSING
        if field.default_factory is not dataclasses.MISSING and (not field.init or value is _LEFT_OUT):
            value = router.call(field.default_factory)
        if sort == "_FIELD_INITVAR":
            continue
        if value is MISSING:
            if "__slots__" not in owner.__dict__ or field.default is dataclasses.MISSING:
                continue
            value = field.default
        if owner.__dataclass_params__.frozen:
            object.__setattr__(instance, name, value)
        else:
            router.set_attribute(value, instance, name)
    if static(type(instance), "__post_init__") is not MISSING:
        fields = owner.__dataclass_fields__.items()
        variables = [values[name] for name, field in fields if field._field_type.name == "_FIELD_INITVAR"]
        router.call(router.read_attribute(instance, "__post_init__"), *variables)


_LEFT_OUT: Any = dataclasses._HAS_DEFAULT_FACTORY  # type: ignore[attr-defined]

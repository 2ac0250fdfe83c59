# SPDX-License-Identifier: Apache-2.0
"""MXNet's `registry`: classes derived from one, by names, for libraries that make their own objects of texts.

The registries of hybridize's own classes (`init.register`, `metric.create`, ...) are theirs.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

from hybridize.base.advice import warn
from hybridize.base.errors import ArgumentError
from hybridize.base.names import refuses
from hybridize.base.registry import described

_Class = TypeVar("_Class", bound=type[Any])
_CLASSES: dict[type, dict[str, type]] = defaultdict(dict)


def get_registry(base_class: type) -> dict[str, type]:
    """Return the registered subclasses of a class, by their names in lower case.

    Args:
        base_class: the class.

    >>> from hybridize import registry
    >>> class Base: ...
    >>> registry.get_registry(Base)
    {}
    """
    return dict(_CLASSES[base_class])


def get_register_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """Return a decorator that registers subclasses of a class.

    Args:
        base_class: what they are derived from.
        nickname: what they are called in messages.

    >>> from hybridize import registry
    >>> class Base: ...
    >>> register = registry.get_register_func(Base, "part")
    >>> @register
    ... class Wheel(Base): ...
    >>> registry.get_registry(Base)["wheel"].__name__
    'Wheel'
    """

    def register(klass: _Class, name: str | None = None) -> _Class:
        """Make a class known by a name, or by its own, in lower case.

        Raises:
            ArgumentError E310: it is not derived from the base.
        """
        if not (isinstance(klass, type) and issubclass(klass, base_class)):
            raise ArgumentError("E310", f"a {nickname} must be derived from {base_class.__name__}, got {klass!r}")
        word = (name or klass.__name__).lower()
        before = _CLASSES[base_class].get(word)
        if before is not None and before is not klass:
            warn(f"the {nickname} {word!r} was {before!r}, and is {klass!r} from now on")
        _CLASSES[base_class][word] = klass
        return klass

    return register


def get_alias_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """Return a decorator that registers classes under further names: `@alias("one", "another")`.

    Args:
        base_class: what they are derived from.
        nickname: what they are called in messages.

    >>> from hybridize import registry
    >>> class Base: ...
    >>> alias = registry.get_alias_func(Base, "part")
    >>> @alias("round")
    ... class Wheel(Base): ...
    >>> registry.get_registry(Base)["round"].__name__
    'Wheel'
    """
    register = get_register_func(base_class, nickname)

    def alias(*aliases: str) -> Callable[[_Class], _Class]:
        """Make a class known by names."""

        def add(klass: _Class) -> _Class:
            for name in aliases:
                register(klass, name)
            return klass

        return add

    return alias


def get_create_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """Return a function that creates objects of registered classes by name.

    Args:
        base_class: what they are derived from.
        nickname: what they are called in messages, and the keyword of the name.

    >>> from hybridize import registry
    >>> class Base: ...
    >>> @registry.get_register_func(Base, "part")
    ... class Wheel(Base): ...
    >>> type(registry.get_create_func(Base, "part")("wheel")).__name__
    'Wheel'
    """

    def create(*args: Any, **kwargs: Any) -> Any:
        """Make an object: of a name and arguments, of JSON that holds both, or of a dict; an object is itself.

        Raises:
            ArgumentError E310: there is no such class, or arguments stand where none can be.
        """
        name, rest = (args[0], args[1:]) if args else (kwargs.pop(nickname, None), ())
        if isinstance(name, dict) and not rest and not kwargs:
            return create(**name)
        is_text = isinstance(name, str) and name.lstrip()[:1] in ("[", "{")
        if (isinstance(name, base_class) or is_text) and (rest or kwargs):
            raise ArgumentError("E310", f"arguments stand beside {name!r}, which says by itself what {nickname} it is")
        if isinstance(name, base_class):
            return name
        if is_text:
            if name.lstrip()[0] == "{":
                return create(**json.loads(name))
            word, settings = described(name, nickname, "E310", f'["name", {{"argument": 1}}] describes a {nickname}')
            return create(word, **settings)
        kind = _CLASSES[base_class].get(name.lower()) if isinstance(name, str) else None
        if kind is None:
            known = ", ".join(sorted(_CLASSES[base_class])) or "none"
            what = f"there is no {nickname} {name!r}"
            raise ArgumentError("E310", what, help=f"those that are registered: {known}")
        return kind(*rest, **kwargs)

    return create


__getattr__: Callable[[str], Any] = refuses(__name__, globals())

# SPDX-License-Identifier: Apache-2.0
"""Classes that strings name: initializers and metrics are made by what users call them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hybridize.base.errors import ArgumentError
from hybridize.base.loading import load_module

_Base = TypeVar("_Base")
_Class = TypeVar("_Class", bound=type[Any])

if TYPE_CHECKING:
    from typing import Protocol

    class ClassDecorator(Protocol):
        """Returns the class that it is called with."""

        def __call__(self, cls: _Class, /) -> _Class: ...


def described(text: str, kind: str, code: str, help: str) -> tuple[Any, dict[str, Any]]:
    """Read JSON that describes an object: `["accuracy", {"axis": 1}]`, or a dict that holds its name, too.

    Args:
        text: the JSON.
        kind: of objects, for the error.
        code: of the error.
        help: for the error.

    Raises:
        ArgumentError: it is no such JSON.
    """
    try:
        description = json.loads(text)
        name, settings = (description, {}) if isinstance(description, dict) else description
        return name, dict(settings)
    except (ValueError, TypeError) as error:
        raise ArgumentError(code, f"{text!r} describes no {kind}: {error}", help=help) from error


class Registry(Generic[_Base]):
    """Classes derived from one, by names in lower case.

    Args:
        package: of the modules.
        modules: where classes are made known, which are loaded when names are looked up.
    """

    def __init__(self, package: str, *modules: str) -> None:
        self._classes: dict[str, type[_Base]] = {}
        self._modules = [f"{package}.{module}" for module in modules]

    def register(self, cls: _Class) -> _Class:
        """Class decorator: make a class known to `create` by its name in lower case."""
        self._add(cls, cls.__name__)
        return cls

    def _add(self, cls: type[Any], *names: str) -> None:
        # Modules are loaded late, when a user's class may have a name of theirs already: the user's it stays.
        own = cls.__module__ in self._modules
        for name in (name.lower() for name in names):
            self._classes[name] = self._classes.get(name, cls) if own else cls

    def alias(self, *names: str) -> Callable[[_Class], _Class]:
        """Class decorator: further names for `create`."""

        def add(cls: _Class) -> _Class:
            self._add(cls, *names)
            return cls

        return add

    def find(self, name: str) -> type[_Base] | None:
        """The class of a name, in whatever case; None where there is none."""
        return self._known().get(name.lower())

    def _known(self) -> dict[str, type[_Base]]:
        for module in self._modules:
            load_module(module)
        return self._classes

    @property
    def names(self) -> str:
        """All of them, for messages."""
        return ", ".join(sorted(self._known()))

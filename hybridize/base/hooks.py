# SPDX-License-Identifier: Apache-2.0
"""Hooks: values of a lower package that an upper one sets, once, so that the lower one can call it by no name."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

from hybridize.base.errors import InternalError
from hybridize.base.names import late

T = TypeVar("T")


class Hook(Generic[T]):
    """One such value.

    Args:
        value: what is there until it is filled.
    """

    __slots__ = ("_filled", "value")

    def __init__(self, value: T) -> None:
        self.value: T = value
        self._filled = False

    def fill(self, value: T) -> None:
        """Put in what stays there.

        Raises:
            InternalError E916: it was filled before.
        """
        if self._filled:
            raise InternalError("E916", f"a hook that holds {self.value!r} was to be filled with {value!r}")
        self.value, self._filled = value, True


class Hooks(SimpleNamespace):
    """Several of them, each an attribute; several packages may fill them, each its own."""

    def fill(self, **values: Any) -> None:
        """Put in what stays there.

        Raises:
            InternalError E916: a name was filled before.
        """
        for name in values.keys() & vars(self).keys():
            raise InternalError("E916", f"the hook {name} holds {getattr(self, name)!r} already")
        vars(self).update(values)

    def late(self, places: Mapping[str, str]) -> None:
        """Let names be loaded from their places, as those of a module (`names.late`), when they are first asked for."""
        known = vars(self).setdefault("_places", {})
        known.update(places)

    def __getattr__(self, name: str) -> Any:
        return late(vars(self), vars(self).get("_places", {}))[0](name)

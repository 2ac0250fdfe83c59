# SPDX-License-Identifier: Apache-2.0
"""Attributes of all expressions that are made in a `with` block: `AttrScope`."""

from __future__ import annotations

import contextvars
from typing import Any, ClassVar

from hybridize.base.errors import ArgumentError


class AttrScope:
    """Give attributes to all expressions that are made in a `with` block: `AttrScope(ctx_group="dev1")`.

    Args:
        attributes: texts by name.

    >>> from hybridize import sym
    >>> import hybridize
    >>> with hybridize.AttrScope(stage="1"):
    ...     x = sym.Variable("x")
    >>> x.attr("stage")
    '1'
    """

    _current: ClassVar[contextvars.ContextVar[AttrScope | None]] = contextvars.ContextVar("attributes", default=None)

    def __init__(self, **attributes: str) -> None:
        self._attributes = texts(attributes)
        self._tokens: list[contextvars.Token[AttrScope | None]] = []

    def get(self, attributes: dict[str, str] | None) -> dict[str, str]:
        """Return the scope's attributes, and over them those given."""
        return {**self._attributes, **texts(attributes or {})}

    def __enter__(self) -> AttrScope:
        outer = self._current.get()
        whole = AttrScope()
        whole._attributes = self.get(None) if outer is None else {**outer._attributes, **self._attributes}
        self._tokens.append(self._current.set(whole))
        return self

    def __exit__(self, *error: object) -> None:
        self._current.reset(self._tokens.pop())


def attributes_of(attributes: dict[str, str] | None) -> dict[str, str]:
    """Return the attributes of a new expression: those of the scope, and over them those given."""
    scope = AttrScope._current.get()
    return texts(attributes or {}) if scope is None else scope.get(attributes)


def texts(attributes: dict[str, Any]) -> dict[str, str]:
    """Return attributes, which are texts; of an initializer that which describes it, as MXNet's files have it.

    Raises:
        ArgumentError E310: one is none.
    """
    attributes = {name: one.dumps() if hasattr(one, "dumps") else one for name, one in attributes.items()}
    for name, value in attributes.items():
        if not isinstance(value, str):
            raise ArgumentError("E310", f"the attribute {name} must be a string, got {value!r}", help="use str(...)")
    return attributes

# SPDX-License-Identifier: Apache-2.0
"""Nested structures: tuples, lists, dicts, named tuples and None around leaves, taken apart and put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from hybridize.base.frozen import frozen


@frozen
class Structure:
    """The shape of a nested value without its leaves; hashable, so it can be part of a key."""

    kind: str
    """leaf, none, tuple, list, dict or namedtuple."""
    children: tuple[Structure, ...] = ()
    keys: tuple[Any, ...] = ()
    """Keys of a dict, in order."""
    cls: type | None = None
    """Class of a named tuple."""

    def __hash__(self) -> int:
        # Remembered: it is asked for at each call that Python sees.
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            known = self.__dict__["_hash"] = hash((self.kind, self.children, self.keys, self.cls))
        return known

    @property
    def leaves(self) -> int:
        """Number of leaves below."""
        return 1 if self.kind == "leaf" else sum(child.leaves for child in self.children)

    def __str__(self) -> str:
        inner = [str(child) for child in self.children]
        match self.kind:
            case "leaf":
                return "*"
            case "none":
                return "None"
            case "list":
                return f"[{', '.join(inner)}]"
            case "dict":
                return "{" + ", ".join(f"{key!r}: {child}" for key, child in zip(self.keys, inner, strict=True)) + "}"
            case "namedtuple":
                return f"{self.cls.__name__ if self.cls else ''}({', '.join(inner)})"
        return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"


_CONTAINERS = (tuple, list, dict)
LEAF = Structure("leaf")
NONE = Structure("none")


@cache
def positional(count: int) -> Structure:
    """The structure of `(args, kwargs)` for so many positional arguments that are leaves, the most usual one."""
    return Structure("tuple", (Structure("tuple", (LEAF,) * count), Structure("dict")))


def flatten_call(args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], Structure]:
    """`flatten` of `(args, kwargs)`."""
    if kwargs or any([arg is None or isinstance(arg, _CONTAINERS) for arg in args]):  # noqa: C419
        return flatten((tuple(args), kwargs))
    return list(args), positional(len(args))


def flatten(value: Any) -> tuple[list[Any], Structure]:
    """Return the leaves of `value`, left to right, and its structure."""
    leaves: list[Any] = []
    return leaves, _flatten(value, leaves)


def _flatten(value: Any, leaves: list[Any]) -> Structure:
    if value is None:
        return NONE
    if isinstance(value, tuple):
        children = tuple(_flatten(child, leaves) for child in value)
        if hasattr(value, "_fields"):
            return Structure("namedtuple", children, cls=type(value))
        return Structure("tuple", children)
    if isinstance(value, list):
        return Structure("list", tuple(_flatten(child, leaves) for child in value))
    if type(value) is dict:
        return Structure("dict", tuple(_flatten(child, leaves) for child in value.values()), tuple(value))
    leaves.append(value)
    return LEAF


def unflatten(structure: Structure, leaves: list[Any] | tuple[Any, ...]) -> Any:
    """The inverse of `flatten`."""
    return _unflatten(structure, iter(leaves))


def _unflatten(structure: Structure, leaves: Iterator[Any]) -> Any:
    if structure.kind == "leaf":
        return next(leaves)
    if structure.kind == "none":
        return None
    children = [_unflatten(child, leaves) for child in structure.children]
    match structure.kind:
        case "list":
            return children
        case "dict":
            return dict(zip(structure.keys, children, strict=True))
        case "namedtuple":
            assert structure.cls is not None
            return structure.cls(*children)
    return tuple(children)

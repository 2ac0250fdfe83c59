# SPDX-License-Identifier: Apache-2.0
"""Walks over syntax trees, which a long function has many nodes of: as `ast` walks, without what cannot matter here."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

_WORDS = frozenset(
    {"arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "is_lazy", "kind", "kwd_attrs", "level", "module",
     "op", "ops", "rest", "simple", "type_comment", "type_ignores"}
)  # fmt: skip
"""Fields that hold no nodes but operators, and whether a name is read or written."""
_PLACE = ("lineno", "end_lineno", "col_offset", "end_col_offset")


_WITHOUT_NODES = (ast.Constant, ast.Global, ast.Nonlocal, ast.MatchSingleton)
"""Classes whose fields are words and numbers."""


@lru_cache(None)
def _fields(kind: Any) -> tuple[str, ...]:
    """The fields in which nodes of a class have nodes, names, or nothing."""
    return () if kind in _WITHOUT_NODES else tuple(name for name in kind._fields if name not in _WORDS)


def parts(node: ast.AST) -> list[Any]:
    """The nodes directly inside, in their order; without operators, and what says if a name is read or written."""
    nodes: list[Any] = []
    kind: Any = node.__class__
    for name in _fields(kind):
        value = getattr(node, name, None)
        if value.__class__ is list:
            nodes += [one for one in value if one is not None] if None in value else value
        elif value is not None and value.__class__ is not str:
            nodes.append(value)
    return nodes


def below(nodes: Iterable[ast.AST], *closed: type[ast.AST]) -> Iterator[Any]:
    """These nodes and all below, each before what is inside; what is inside of those of `closed` classes is not."""
    stack = [*nodes][::-1]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, closed):
            stack += parts(node)[::-1]


def locate(node: Any, around: Any, *, once: bool = False, but: ast.AST | None = None) -> None:
    """Do as `ast.fix_missing_locations`, from the place of a node around; optionally not in nodes that it was done for,
    or in one of them.
    """
    todo = [(node, around)]
    while todo:
        node, around = todo.pop()
        place = node.__dict__
        if node is but or (once and "hybridize_located" in place):
            continue
        if "lineno" in node._attributes:
            if None in map(place.get, _PLACE):
                for name in _PLACE:
                    if place.get(name) is None:
                        place[name] = getattr(around, name)
            around = node
            if once:
                node.hybridize_located = True
        todo += [(child, around) for child in parts(node)]

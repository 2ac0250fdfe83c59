# SPDX-License-Identifier: Apache-2.0
"""A block as notebooks show it: the tree of what it is made of, with the parameters of each part."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from hybridize.base import html
from hybridize.base.html import Markup

_STEP = "\u2003"
"""Indents a child; a wide blank, which HTML keeps."""
_COLUMNS = ("part", "layer", "parameters", "count")
_MOST = 400
"""Rows of a table; the rest is counted."""


def page(block: Any) -> Markup:
    """Return the tree as HTML. Nothing is called, and no weight is drawn: what is not known yet is a question mark."""
    rows = [*_rows(block, "", 0)]
    counts = {id(one): _count(one) for one in block._all_parameters().values()}
    known = sum(count for count in counts.values() if count is not None)
    open_ = sum(count is None for count in counts.values())
    total = f"{known:,} parameters" + (f", and {open_} arrays whose shapes the first call tells" if open_ else "")
    state = ", hybridized" if getattr(block, "active", False) else ""
    left = f"; {len(rows) - _MOST} more parts" if len(rows) > _MOST else ""
    body = html.table(_COLUMNS, rows[:_MOST], _COLUMNS[:3], _COLUMNS[1:3])
    return html.titled(f"{type(block).__name__}{state}: {total}{left}", html.scrolling(body))


def _rows(block: Any, name: str, depth: int) -> Iterator[tuple[str, str, str, str]]:
    """The row of a block, then those of its children."""
    own = block._own_parameters()
    text = repr(block)
    tells = "\n" not in text  # a layer, whose text is one line; else its parts have a line each
    children = {
        child: part for child, part in block._children.items() if not tells or part._all_parameters()
    }  # an activation of a layer stands in its text
    shapes = ", ".join(f"{word} {_shape(one)} {getattr(one.dtype, '__name__', one.dtype)}" for word, one in own.items())
    counts = [_count(one) for one in own.values()]
    count = "" if not counts else "?" if None in counts else f"{sum(one for one in counts if one is not None):,}"
    yield _STEP * depth + (name or "·"), text if tells else type(block).__name__, shapes, count
    for child, part in children.items():
        yield from _rows(part, child, depth + 1)


def _shape(parameter: Any) -> str:
    shape = parameter.shape
    sizes = "?" if shape is None else " × ".join(str(size) if size > 0 else "?" for size in shape)
    return sizes or "()"


def _count(parameter: Any) -> int | None:
    shape = parameter.shape
    return None if shape is None or any(size < 0 for size in shape) else math.prod(shape)

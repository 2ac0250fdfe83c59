# SPDX-License-Identifier: Apache-2.0
"""An array as notebooks show it: shape and dtype, and a table of what is in it."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base import html
from hybridize.base.html import Markup

_EDGE = 4
"""Rows and columns at each end that are shown of a long axis."""


def page(data: NDArray[Any], dtype: str) -> Markup:
    """Return the page of an array: of one or two axes a table, of more NumPy's text, cut as NumPy cuts it."""
    title = f"{dtype} {' × '.join(map(str, data.shape)) or 'without axes'}"
    if data.ndim not in (1, 2) or not data.size:
        text = numpy.array2string(data, threshold=200, edgeitems=2)
        return html.titled(title, Markup(f'<pre style="margin:4px 0;background:none">{html.escaped(text)}</pre>'))
    grid = data.reshape(1, -1) if data.ndim == 1 else data
    rows, columns = (_indices(size) for size in grid.shape)
    one = data.ndim == 1
    cells = [
        (
            *(() if one else ("…" if row is None else Markup(f"<b>{row}</b>"),)),
            *(_cell(grid, row, at) for at in columns),
        )
        for row in rows
    ]
    names = (*(() if one else ("",)), *("…" if at is None else str(at) for at in columns))
    return html.titled(title, html.scrolling(html.table(names, cells)))


def _indices(size: int) -> list[int | None]:
    """The indices of an axis that are shown; None stands for those that are left out."""
    if size <= 2 * _EDGE + 1:
        return [*range(size)]
    return [*range(_EDGE), None, *range(size - _EDGE, size)]


def _cell(grid: NDArray[Any], row: int | None, column: int | None) -> str:
    if row is None or column is None:
        return "…"
    value = grid[row, column]
    return f"{value:.4g}" if value.dtype.kind == "f" else str(value)

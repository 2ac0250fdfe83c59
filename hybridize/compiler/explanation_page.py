# SPDX-License-Identifier: Apache-2.0
"""An explanation as HTML, for notebooks: the graph drawn, the same words and figures as the text, bars for times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hybridize.base import html
from hybridize.base.drawing import Drawing
from hybridize.base.html import Markup

_FOLDED = frozenset({"passes"})
"""Tables that are closed at first."""
_CALLED = ("takes", "reads", "gives", "why", "backend", "fallbacks", "kernels take", "note")
"""Facts that are seen at first; the others fold."""


class Table(Protocol):
    """A table of the report, as this page reads it."""

    @property
    def title(self) -> str:
        """The heading."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Headings of the columns."""

    @property
    def rows(self) -> Sequence[tuple[str, ...]]:
        """Cells."""

    @property
    def words(self) -> frozenset[str]:
        """Columns that hold words, and no figures."""

    @property
    def wide(self) -> frozenset[str]:
        """Columns that are wrapped."""


def page(
    name: str,
    facts: Sequence[tuple[str, str]],
    drawing: Drawing | None,
    tables: Sequence[Table],
    shares: Sequence[float],
) -> Markup:
    """Return the report: facts, graph, tables; `shares` of the time are those of the kernels."""
    parts = [_facts([fact for fact in facts if fact[0] in _CALLED])]
    if drawing is not None and drawing.boxes:
        parts.append(html.folding("graph, as captured", html.scrolling(drawing.svg())))
    parts += [_table(table, shares) for table in tables]
    others = [fact for fact in facts if fact[0] not in _CALLED]
    if others:
        parts.append(html.folding("sizes, guards, memory, layouts", _facts(others), opened=False))
    return html.titled(name, *parts)


def _facts(facts: list[tuple[str, str]]) -> Markup:
    return html.table(("", "fact"), facts, ("", "fact"), ("fact",), head=False)


def _table(table: Table, shares: Sequence[float]) -> Markup:
    """One of the tables of the text; shares of the time are bars."""
    rows: list[tuple[object, ...]] = [*table.rows]
    if "share" in table.columns:
        at = table.columns.index("share")
        rows = [(*row[:at], html.bar(share), *row[at + 1 :]) for row, share in zip(table.rows, shares, strict=True)]
    words = {*table.words, "share"}
    body = html.scrolling(html.table(table.columns, rows, words, table.wide), 480)
    return html.folding(table.title, body, opened=table.title not in _FOLDED)

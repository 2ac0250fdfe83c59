# SPDX-License-Identifier: Apache-2.0
"""An explanation as HTML, for notebooks: the graph drawn, the same words and figures as the text, bars for times."""

from __future__ import annotations

from hybridize.base import html
from hybridize.base.html import Markup
from hybridize.compiler.explanation import Explanation, ReportTable

_FOLDED = frozenset({"passes"})
"""Tables that are closed at first."""
_CALLED = ("takes", "reads", "gives", "why", "backend", "fallbacks", "kernels take", "note")
"""Facts that are seen at first; the others fold."""


def page(explanation: Explanation) -> Markup:
    """Return the report: facts, graph, tables."""
    facts = explanation.facts
    parts = [_facts([fact for fact in facts if fact[0] in _CALLED])]
    if explanation.drawing is not None and explanation.drawing.boxes:
        parts.append(html.folding("graph, as captured", html.scrolling(explanation.drawing.svg())))
    parts += [_table(table, explanation) for table in explanation.tables]
    others = [fact for fact in facts if fact[0] not in _CALLED]
    if others:
        parts.append(html.folding("sizes, guards, memory, layouts", _facts(others), opened=False))
    return html.titled(explanation.name, *parts)


def _facts(facts: list[tuple[str, str]]) -> Markup:
    return html.table(("", "fact"), facts, ("", "fact"), ("fact",), head=False)


def _table(table: ReportTable, explanation: Explanation) -> Markup:
    """One of the tables of the text; shares of the time are bars."""
    rows: list[tuple[object, ...]] = [*table.rows]
    if "share" in table.columns:
        at = table.columns.index("share")
        shares = [kernel.share for kernel in explanation.kernels]
        rows = [(*row[:at], html.bar(share), *row[at + 1 :]) for row, share in zip(table.rows, shares, strict=True)]
    words = {*table.words, "share"}
    body = html.scrolling(html.table(table.columns, rows, words, table.wide), 480)
    return html.folding(table.title, body, opened=table.title not in _FOLDED)

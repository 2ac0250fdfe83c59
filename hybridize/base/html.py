# SPDX-License-Identifier: Apache-2.0
"""Pieces of HTML for notebooks: tables, and parts that fold. Colours are those of the page, light or dark.

Notebooks keep styles in attributes where they drop style sheets, so these stand there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
_LINE = "1px solid rgba(128,128,128,0.35)"
_FONT = "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px"
_CELL = f"padding:2px 10px;border:none;border-top:{_LINE};vertical-align:top;background:none"


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(text: object) -> str:
    """Return text as HTML shows it; of `Markup` itself.

    >>> escaped("a < b"), escaped(Markup("<b>a</b>"))
    ('a &lt; b', '<b>a</b>')
    """
    return text if isinstance(text, Markup) else str(text).translate(_ESCAPES)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    words: Collection[str] = (),
    wide: Collection[str] = (),
    *,
    head: bool = True,
) -> Markup:
    """Lay cells out under headings.

    Args:
        columns: the headings.
        rows: cells, as text or `Markup`.
        words: columns that stand to the left; the others, figures, to the right.
        wide: columns that are wrapped where there is little room.
        head: whether the headings are seen.
    """
    sides = [
        f"text-align:{'left' if column in words else 'right'}{'' if column in wide else ';white-space:nowrap'}"
        for column in columns
    ]
    titles = "".join(
        f'<th style="{_CELL};border-top:none;{side};font-weight:600">{escaped(column)}</th>'
        for side, column in zip(sides, columns, strict=True)
    )
    lines = [f"<thead><tr>{titles}</tr></thead>"] if head else []
    lines.append("<tbody>")
    for row in rows:
        cells = (f'<td style="{_CELL};{side}">{escaped(cell)}</td>' for side, cell in zip(sides, row, strict=True))
        lines.append(f'<tr style="background:none">{"".join(cells)}</tr>')
    body = "".join([*lines, "</tbody>"])
    return Markup(f'<table style="border-collapse:collapse;border:none;margin:4px 0;{_FONT}">{body}</table>')


def folding(title: str, body: Markup, *, opened: bool = True) -> Markup:
    """A part of a page under a title that opens and closes it."""
    state = ' open="open"' if opened else ""
    summary = f'<summary style="cursor:pointer;font-weight:600">{escaped(title)}</summary>'
    return Markup(f'<details{state} style="margin:6px 0">{summary}{body}</details>')


def scrolling(body: Markup, height: int = 640) -> Markup:
    """A part that is no higher than so many pixels, and scrolls."""
    return Markup(f'<div style="overflow:auto;max-height:{height}px;border:{_LINE};margin:4px 0">{body}</div>')


def bar(share: float) -> Markup:
    """A bar for a part of the whole, 0 to 1, with its percentage."""
    filled = f"width:{max(0.0, min(1.0, share)) * 100:.1f}%;height:9px;background:rgba(76,132,255,0.75)"
    frame = "display:inline-block;width:90px;background:rgba(128,128,128,0.18);margin-right:6px;vertical-align:middle"
    return Markup(f'<span style="{frame}"><span style="display:block;{filled}"></span></span>{share:.0%}')


def document(title: str, body: Markup) -> str:
    """Return a part of a notebook as a file of its own, light or dark as the reader's screen."""
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{escaped(title)}</title></head>'
    )
    return f'{head}<body style="margin:12px">{body}</body></html>\n'


def titled(title: str, *parts: Markup) -> Markup:
    """A page: a line in bold, and what stands below it."""
    head = f'<div style="font-weight:600;{_FONT}">{escaped(title)}</div>'
    return Markup(f'<div style="{_FONT}">{head}{"".join(parts)}</div>')

"""Pages of source files, which the reference and the guide link to line by line."""

from __future__ import annotations

import html
import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

STYLE = "source/style.css"
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>{title}</title><link rel="stylesheet" href="{style}"></head>
<body><main><h1>{title}</h1>
{body}</main></body></html>
"""
FRAME = """
body { margin: 0 auto; max-width: 64rem; padding: 1rem; font: 14px/1.5 system-ui, sans-serif;
       background: Canvas; color: CanvasText; color-scheme: light dark; }
h1 { overflow-wrap: anywhere; }
pre { overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; }
.linenos { opacity: .7; padding-right: 1rem; user-select: none; }
span:target, a:target + span { background: Highlight; }
"""


def page_of(path: str) -> str:
    """Return where the site has the page of a file or folder of the repository."""
    return f"source/{path}.html"


def pages(root: Path, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (place in the site, content) of the pages of files; of folders also those of the files in them."""
    waiting, done = list(paths), set()
    while waiting:
        path = waiting.pop()
        if path in done:
            continue
        done.add(path)
        file = root / path
        if file.is_dir():
            names = sorted(one.name for one in file.iterdir() if not one.name.startswith((".", "__pycache__")))
            waiting += [posixpath.join(path, name) for name in names]
            links = [f'<li><a href="{posixpath.basename(path)}/{name}.html">{name}</a></li>' for name in names]
            body = f"<ul>{''.join(links)}</ul>"
        else:
            body = _shown(file)
        style = posixpath.relpath(STYLE, posixpath.dirname(page_of(path)))
        yield page_of(path), PAGE.format(title=html.escape(path), style=style, body=body)
    light, dark = (HtmlFormatter(style=name).get_style_defs(".highlight") for name in ("default", "github-dark"))
    yield STYLE, f"{FRAME}{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n"


def _shown(file: Path) -> str:
    """Return a file as HTML, each line with the anchor L-number."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return f"<p>{file.stat().st_size:,} bytes</p>"
    try:
        lexer = get_lexer_for_filename(file.name)
    except ClassNotFound:
        lexer = TextLexer()
    return highlight(text, lexer, HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True))

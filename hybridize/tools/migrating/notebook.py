# SPDX-License-Identifier: Apache-2.0
"""Migrates the code cells of a notebook; everything else in its file stays."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from hybridize.base.errors import LoadError
from hybridize.base.frozen import changed
from hybridize.tools.migrating.findings import Finding
from hybridize.tools.migrating.script import Migrated, migrate

_MAGIC = re.compile(r"^([ \t]*)(?:[%!?]|\w[\w, ]*=\s*[%!]|[\w.]+\?+\s*$)")
"""A line for IPython: `%matplotlib inline`, `!ls`, `files = !ls`, `nd.array?`."""


def migrate_notebook(text: str, name: str, own: frozenset[str] = frozenset()) -> tuple[Migrated, dict[int, str]]:
    """Rewrite the code cells of a notebook, as one script: what one cell imports, the next ones use.

    Args:
        text: of the .ipynb file.
        name: of the file, for errors.
        own: packages that are migrated with it.

    Returns:
        The file's new text with the findings, and their lines by number as `In [3]:2`, the cells counted from 1.

    Raises:
        LoadError E680: it is no notebook.
    """
    notebook = _parse(text, name)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    lines: list[str] = []
    places: dict[int, str] = {}
    starts: list[int] = []
    refused: list[Finding] = []
    for number, source in enumerate(sources, 1):
        masked = _masked(source)
        error = _unreadable(masked)
        if error is not None:
            at, shown = len(lines) + (error.lineno or 1), (error.text or "").strip()
            refused.append(Finding(at, "syntax", shown, f"no Python: {error.msg}"))
            masked = ["pass"] * len(masked)
        starts.append(len(lines))
        places.update({len(lines) + line: f"In [{number}]:{line}" for line in range(1, len(masked) + 1)})
        lines += masked
    done = migrate("\n".join(lines), own)
    rewritten = done.text.split("\n")
    assert len(rewritten) == len(lines), "replacements add no lines"
    for cell, source, start in zip(cells, sources, starts, strict=True):
        old = source.split("\n")
        new = [
            after if after != before else own
            for own, before, after in zip(old, lines[start:], rewritten[start:], strict=False)
        ]
        written = "\n".join(new)
        cell["source"] = written.splitlines(keepends=True) if isinstance(cell["source"], list) else written
    findings = tuple(sorted((*done.findings, *refused), key=lambda one: one.line))
    return changed(done, text=_written(notebook, text), findings=findings), places


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        notebook = json.loads(text)
        cells = notebook["cells"]
        good = all(isinstance(cell["source"], str | list) and isinstance(cell["cell_type"], str) for cell in cells)
    except (ValueError, KeyError, TypeError):
        good = False
    if not good:
        raise LoadError("E680", f"{name} is not a notebook of format 4", help="open it in Jupyter and save it")
    return notebook  # type: ignore[no-any-return]


def _written(notebook: dict[str, Any], text: str) -> str:
    """Lay the file out as it was: with its indentation, and its last newline."""
    first = re.match(r"\{\n( +)", text)
    content = json.dumps(notebook, indent=len(first[1]) if first else None, ensure_ascii=text.isascii())
    return content + text[len(text.rstrip()) :]


def _masked(source: str) -> list[str]:
    """The lines of a cell, with `pass` for those that are no Python; of another language's cell, all of them."""
    lines = source.split("\n")
    if source.startswith("%%") and not re.match(r"%%(time|timeit|capture|prun)\b", source):
        return ["pass"] * len(lines)
    return [f"{magic[1]}pass" if (magic := _MAGIC.match(line)) else line for line in lines]


def _unreadable(lines: list[str]) -> SyntaxError | None:
    try:
        ast.parse("\n".join(lines))
    except SyntaxError as error:
        return error
    return None

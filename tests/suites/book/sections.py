# SPDX-License-Identifier: Apache-2.0
"""Takes the cells of the book's MXNet edition out of its source, section by section.

A section is a Markdown file whose cells of code name the editions that they belong to, on their first line
(`#@tab mxnet`, `%%tab mxnet, pytorch`, `%%tab all`). What a cell has for other editions below `if tab.selected(...)`
is cut, as the book's own tools do where they make a notebook of one edition.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EDITION = "mxnet"
_CELL = re.compile(r"^```\{\.python \.input[^}]*\}[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_TAB = re.compile(r"\s*(?:#\s*@tab|(?:#\s*)?%%tab)\s+(.*)\n?")
_SELECT = re.compile(r"tab\.interact_select\((.*?)\)")


@dataclass(frozen=True)
class Section:
    """A section's name, such as `preliminaries/ndarray`, and the sources of its cells."""

    name: str
    cells: tuple[str, ...]

    def notebook(self) -> str:
        """Return the section as the text of a notebook."""
        cells = [
            {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": source}
            for source in self.cells
        ]
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}, indent=1)

    def script(self) -> str:
        """Return the section as one script: its cells one below the other, without the lines that IPython reads."""
        lines = "\n".join(self.cells).split("\n")
        return "\n".join(line for line in lines if not line.startswith(("%", "!"))) + "\n"


def sections(checkout: Path) -> list[Section]:
    """Return the sections of a checkout that have cells of this edition, in the order of their names."""
    found = []
    for path in sorted(checkout.glob("chapter_*/*.md")):
        cells = cells_of(path.read_text())
        if cells:
            name = f"{path.parent.name.removeprefix('chapter_')}/{path.stem}"
            found.append(Section(name, tuple(cells)))
    return found


def cells_of(text: str) -> list[str]:
    """Return the sources of this edition's cells in the text of a section; none, if it is not in the edition."""
    select = _SELECT.search(text)
    if select is not None and EDITION not in select[1]:
        return []
    cells, ours = [], False
    for source in _CELL.findall(text):
        tab = _TAB.match(source)
        if tab is None and (select is None or "d2lbook.tab" in source):
            continue  # of the first edition, or a line for the book's tools
        editions = [one.strip() for one in tab[1].split(",")] if tab is not None else ["all"]
        if EDITION not in editions and "all" not in editions:
            continue
        ours = ours or tab is not None
        cells.append(selected(source[tab.end() :] if tab is not None else source).strip("\n"))
    return cells if ours else []


def selected(source: str) -> str:
    """Return a cell with the branches of this edition in the place of `if tab.selected(...)`."""
    while "tab.selected" in source:
        tree = ast.parse(source)
        choices = [node for node in ast.walk(tree) if isinstance(node, ast.If) and _asks(node.test)]
        node = max(choices, key=lambda one: one.lineno)  # an inner one stands below its outer one
        body = node.body if _holds(node.test) else node.orelse
        lines = source.split("\n")
        kept = lines[body[0].lineno - 1 : body[-1].end_lineno] if body else []
        deeper = " " * (body[0].col_offset - node.col_offset) if body else ""
        kept = [line.removeprefix(deeper) for line in kept]
        if not kept and _is_alone(node, tree):
            kept = [" " * node.col_offset + "pass"]
        lines[node.lineno - 1 : node.end_lineno] = kept
        source = "\n".join(lines)
    return source


def _is_alone(node: ast.If, tree: ast.Module) -> bool:
    bodies = [getattr(one, "body", None) for one in ast.walk(tree) if one is not tree]
    return any(isinstance(body, list) and body == [node] for body in bodies)


def _asks(test: ast.expr) -> bool:
    return "tab.selected" in ast.unparse(test)


def _holds(test: ast.expr) -> bool:
    """Evaluate a condition on editions."""
    if isinstance(test, ast.BoolOp):
        return (any if isinstance(test.op, ast.Or) else all)(_holds(one) for one in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return not _holds(test.operand)
    assert isinstance(test, ast.Call), ast.unparse(test)
    names: list[Any] = [ast.literal_eval(one) for one in test.args]
    return EDITION in names

# SPDX-License-Identifier: Apache-2.0
"""Tables of the command line: for the terminal, and as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH = 80
"""Columns of a page of Markdown: no line is longer, but one that holds a word which is."""


@dataclass(frozen=True)
class Grid:
    """A titled table of text."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: tuple[str, ...] = ()
    """Lines below the table: why a row has no figures."""
    words: int = 1
    """So many leading columns hold words, the others figures."""
    emphasized: str = ""
    """Rows that begin with this stand out."""

    def markdown(self) -> str:
        """The table in Markdown, under a heading."""
        lines = [
            "| " + " | ".join(self.columns) + " |",
            "|" + " --- |" * self.words + " ---: |" * (len(self.columns) - self.words),
            *("| " + " | ".join(row) + " |" for row in self.rows),
        ]
        lines += [""] if self.notes else []
        for note in self.notes:
            lines += textwrap.wrap(note, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False)
        return f"### {self.title}\n\n" + "\n".join(lines) + "\n"

    def cut(self, rows: int) -> Grid:
        """The first rows of the table, and below it how many more there are."""
        if len(self.rows) <= rows:
            return self
        notes = (*self.notes, f"{len(self.rows) - rows} more rows: --full")
        return replace(self, rows=self.rows[:rows], notes=notes)

    def show(self, console: Console) -> None:
        """Print the title, the table, the notes and an empty line; no line is wider than the console."""
        table = Table()
        for i, column in enumerate(self.columns):
            if i < self.words:  # words are folded in a narrow window, figures never
                table.add_column(column, overflow="fold")
                continue
            widest = max(map(len, [*(row[i] for row in self.rows), *column.split()]), default=1)
            table.add_column("\n".join(textwrap.wrap(column, widest)), justify="right", no_wrap=True)
        for row in self.rows:
            table.add_row(*map(Text, row), style="bold green" if row[0] == self.emphasized else None)
        console.print(Text(self.title), style="table.title")  # Text: [n0] is not markup
        console.print(table)
        for note in self.notes:
            folded = textwrap.wrap(note, console.width, initial_indent="  ", subsequent_indent="    ")
            console.print(Text("\n".join(folded)), style="dim")
        console.print()

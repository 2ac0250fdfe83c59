# SPDX-License-Identifier: Apache-2.0
"""An explanation in the terminal: the same words and figures as its text, in tables that fit the window."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from hybridize.compiler.explanation import Explanation, ReportTable


def show(explanation: Explanation, console: Console) -> None:
    """Print the report; as plain text where nobody looks at a terminal."""
    if not console.is_terminal:
        console.print(str(explanation), highlight=False, markup=False, soft_wrap=True)
        return
    console.print(Text(explanation.name, style="bold"))
    facts = Grid.grid(padding=(0, 2), pad_edge=True)
    facts.add_column(style="cyan", no_wrap=True)
    facts.add_column(overflow="fold")
    for word, text in explanation.facts:
        facts.add_row(word, Text(text))
    console.print(facts)
    for table in explanation.tables:
        console.print(grid(table))


def grid(table: ReportTable) -> Grid:
    """A table of an explanation as one of rich's."""
    rich_table = Grid(title=table.title, title_justify="left", title_style="bold", header_style="cyan")
    for column in table.columns:
        justify = "left" if column in table.words else "right"
        rich_table.add_column(column, justify=justify, no_wrap=column not in table.wide)  # type: ignore[arg-type]
    for row in table.rows:
        rich_table.add_row(*map(Text, row))
    return rich_table

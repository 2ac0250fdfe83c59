"""Tables on a terminal: titles and notes are as wide as the window, tables stand apart."""

import io

import pytest
from rich.console import Console

from hybridize.tools.tables import Grid


@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_is_wider_than_the_window(width):
    title = "sizes: the chapter's net, 1,000 random batch sizes, and what they cost [n0,5]"
    note = "beyond the weights of 657,928 bytes, or an interpreter with NumPy (26,095,616 bytes), " * 2
    file = io.StringIO()
    console = Console(file=file, width=width)
    for _ in range(2):
        Grid(title, ("row", "figure"), [("a row of words that is rather long", "1.5")], (note,)).show(console)
    shown = file.getvalue()
    assert max(map(len, shown.splitlines())) <= width
    assert " ".join(shown.split()).count(title) == 2
    assert " ".join(shown.split()).count(" ".join(note.split())) == 2
    assert (shown.splitlines()[0] == title) == (width > len(title))
    first, second = shown.split("\n\n")[:2]
    assert first.startswith("sizes")
    assert second.startswith("sizes")

"""The report in a terminal: the words of its text, within the window."""

import io

import pytest
from rich.console import Console

from hybridize import hybridize, np
from hybridize.tools import explanation_tables


@pytest.fixture(scope="module")
def report():
    return hybridize(lambda x, w: np.tanh(x @ w) + 1).program(np.ones((8, 8)), np.ones((8, 8))).explain(profile=True)


@pytest.mark.parametrize("width", [80, 100, 160])
def test_terminal_shows_tables(report, width):
    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)
    explanation_tables.show(report, console)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= width
    for word in ("matmul", "tanh", "passes", "kernels, measured", "valid while", "┃"):
        assert word in text


def test_files_get_plain_text(report):
    console = Console(file=io.StringIO(), width=40)
    explanation_tables.show(report, console)
    assert console.file.getvalue() == str(report) + "\n"

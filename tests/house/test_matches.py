"""Tests of what errors say do not find it in the line of the user's that errors quote, which is a line of the test."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


def idle(text: str) -> Iterator[int]:
    """The lines at which `match=` of `pytest.raises` may find its words in the block: there, or wherever a variable has them."""
    lines = text.splitlines()
    for block in ast.walk(ast.parse(text)):
        if not isinstance(block, ast.With):
            continue
        calls = [item.context_expr for item in block.items if isinstance(item.context_expr, ast.Call)]
        for call in calls:
            if not ast.unparse(call.func).endswith("raises"):
                continue
            for words in [one.value for one in call.keywords if one.arg == "match"]:
                quoted = lines[block.body[0].lineno - 1 : block.body[-1].end_lineno]
                if not isinstance(words, ast.Constant) or any(re.search(words.value, line) for line in quoted):
                    yield call.lineno


def test_words_of_errors_are_searched_in_what_is_said():
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text()
        if "match=" in text and "chapter" not in path.parts:
            found += [f"{path.relative_to(TESTS)}:{line}" for line in idle(text)]
    assert not found, f"with refusal(kind, words) of tests.refusals searches without the quoted line: {found}"


@pytest.mark.parametrize(
    ("block", "is_idle"),
    [
        ('with pytest.raises(ValueError, match="axis"):\n    x.sum(axis=7)\n', True),
        ('with pytest.raises(ValueError, match=words):\n    x.sum(axis=7)\n', True),
        ('with pytest.raises(ValueError, match="E111"):\n    x.sum(axis=7)\n', False),
        ('with refusal(ValueError, "axis"):\n    x.sum(axis=7)\n', False),
    ],
)  # fmt: skip
def test_what_is_idle(block, is_idle):
    assert bool(list(idle(block))) == is_idle

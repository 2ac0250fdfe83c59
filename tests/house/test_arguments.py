"""What has many arguments is told them by name."""

import ast
from pathlib import Path

from tests.house.sources import syntax

PACKAGE = Path(__file__).parents[2] / "hybridize"
ROOMS = ("schedule", "codegen")
MOST = 6
"""Arguments of a call without names: with more, nobody sees which is which."""
LISTS = {"external", "call"}
"""Functions that write a call of a function of C, with as many arguments as that has."""


def test_many_arguments_have_names():
    calls = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: {len(node.args)} arguments of {ast.unparse(node.func)}"
        for room in ROOMS
        for path in sorted((PACKAGE / room).rglob("*.py"))
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Call)
        and len(node.args) > MOST
        and not (isinstance(node.func, ast.Attribute) and node.func.attr in LISTS)
    ]
    assert not calls, "\n".join(calls)

"""Functions stay small enough to be read at one sitting."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "hybridize"
FUNCTION_LINES = 80


def test_functions():
    long = {
        f"{path}:{node.lineno} {node.name}": lines
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES
    }
    assert long == {}


def test_no_drawers_for_odds_and_ends():
    """A helper lives beside its only user, or gets a name and a home in `base`."""
    drawers = {"utils", "helpers", "misc"}
    known = {PACKAGE / "gluon" / "utils.py"}  # what MXNet calls it, and programs import
    assert [str(path) for path in PACKAGE.rglob("*") if path.stem in drawers and path not in known] == []

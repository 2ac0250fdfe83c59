"""Functions and classes keep to one responsibility each; a file is as long as its one idea needs."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.sources import syntax

PACKAGE = Path(__file__).parents[2] / "hybridize"
FUNCTION_LINES = 80
"""Of a function's body: a signature may take as many lines as it has parameters."""
FIELDS = 24
"""State that one class may hold before it is two classes."""
KNOWN_FIELDS = {
    "Compiled": "torch modules: a program, its tensors and what calls have shown, until both doors share one program cache",
}


def nodes(*kinds: type[ast.AST]) -> Iterator[tuple[Path, ast.AST]]:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(syntax(path)):
            if isinstance(node, kinds):
                yield path, node


def fields_of(cls: ast.ClassDef) -> set[str]:
    """Names that a class declares, its constants apart, and those that its `__init__` sets on `self`."""
    found = {
        node.target.id
        for node in cls.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        if not ast.unparse(node.annotation).startswith("Final")
    }
    for method in cls.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            found |= {
                node.attr
                for node in ast.walk(method)
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
                if isinstance(node.value, ast.Name) and node.value.id == "self"
            }
    return found


def test_functions():
    long = {
        f"{path}:{node.lineno} {node.name}": lines
        for path, node in nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        if (lines := node.end_lineno - node.body[0].lineno + 1) > FUNCTION_LINES
    }
    assert long == {}, f"divide functions of more than {FUNCTION_LINES} lines"


def test_classes_hold_little_state():
    crowded = {
        f"{path}:{node.lineno} {node.name}": sorted(fields)
        for path, node in nodes(ast.ClassDef)
        if node.name not in KNOWN_FIELDS and len(fields := fields_of(node)) > FIELDS
    }
    assert crowded == {}, f"divide classes of more than {FIELDS} fields, or give KNOWN_FIELDS the reason"


def test_no_drawers_for_odds_and_ends():
    """A helper lives beside its only user, or gets a name and a home in `base`."""
    drawers = {"utils", "helpers", "misc"}
    known = {PACKAGE / "gluon" / "utils.py"}  # what MXNet calls it, and programs import
    assert [str(path) for path in PACKAGE.rglob("*") if path.stem in drawers and path not in known] == []

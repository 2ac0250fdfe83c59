"""Whoever is in charge is asked by declared methods alone, which mypy checks: nobody looks for one by its name."""

import ast
from pathlib import Path

import pytest

from tests.house.sources import syntax

PACKAGE = Path(__file__).parents[2] / "hybridize"
ASKED = {"current", "in_charge", "staging", "taping", "current_trace"}
"""Functions that give who is in charge."""


def looked_up(source: str) -> list[int]:
    """The lines where an attribute of whoever is in charge is looked for by name, of the call itself or of a variable
    that holds it."""
    found = []
    if not any(name in source for name in ASKED):
        return found
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            continue
        nodes = list(ast.walk(function))
        held = {
            target.id
            for node in nodes
            if isinstance(node, ast.Assign | ast.AnnAssign) and is_asked(node.value)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        found += [
            node.lineno
            for node in nodes
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("getattr", "hasattr")
            and (is_asked(node.args[0]) or (isinstance(node.args[0], ast.Name) and node.args[0].id in held))
        ]
    return sorted(set(found))


def is_asked(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKED


def test_nobody_in_charge_is_asked_by_name():
    found = {str(path): lines for path in PACKAGE.rglob("*.py") if (lines := looked_up(path.read_text()))}
    assert found == {}


@pytest.mark.parametrize(
    "source", ["getattr(current(), 'read', None)", "def f():\n  x: Any = staging()\n  return hasattr(x, 'read')"]
)
def test_such_questions_are_seen(source):
    assert looked_up(source)


TYPED = {"at", "home", "router", "scope", "staging", "trace"}
"""Parameters that are whoever is in charge, a part of what is recorded, or answers for a part of Python."""


def test_who_is_in_charge_has_a_declared_type():
    found = [
        f"{path}:{parameter.lineno} {parameter.arg}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        if parameter.arg in TYPED and isinstance(parameter.annotation, ast.Name) and parameter.annotation.id == "Any"
    ]
    assert found == []

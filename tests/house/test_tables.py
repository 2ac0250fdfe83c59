"""What is known of a scalar function stands in one table; rooms that compute ask it, and keep no list of names."""

import ast
from pathlib import Path

import pytest

from hybridize.loops.functions import FUNCTIONS
from tests.house.sources import syntax

ROOT = Path(__file__).parents[2]
ROOMS = ("graph", "loops", "ops", "passes", "autograd", "schedule", "codegen", "compiler", "machine", "runtime")
TABLE = "hybridize/loops/functions.py"
EMITTERS = "hybridize/codegen/llvm/functions/", "hybridize/codegen/wgsl/"
"""How a machine computes each is codegen's; instructions of LLVM, which WGSL is made of, have some of the names."""


def names_in(tree):
    """Collections of three or more constants, all of them names of scalar functions: (line, names)."""
    for node in ast.walk(tree):
        match node:
            case ast.Dict(keys=parts) | ast.Set(elts=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
                names = [part.value if isinstance(part, ast.Constant) else None for part in parts]
                if len(names) >= 3 and all(isinstance(name, str) and name in FUNCTIONS for name in names):
                    yield node.lineno, names


@pytest.mark.parametrize(
    "text",
    ['x = {"exp": 1, "log": 2, "sin": 3}', 'x = f in ("lt", "le", "gt")', 'X = frozenset(["add", "sub", "mul"])'],
)
def test_tables_are_found(text):
    assert len(list(names_in(ast.parse(text)))) == 1


def test_there_is_no_second_table_of_scalar_functions():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {', '.join(names)}"
        for room in ROOMS
        for path in sorted((ROOT / "hybridize" / room).rglob("*.py"))
        if not str(path.relative_to(ROOT)).startswith((TABLE, *EMITTERS))
        for line, names in names_in(syntax(path))
    ]
    assert not found, f"declare it in {TABLE}, as a field of `ScalarFunction`:\n" + "\n".join(found)

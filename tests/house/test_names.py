# SPDX-License-Identifier: Apache-2.0
"""Names of local variables and parameters say what a value is (`gradient`, `panel`), not how it came (`found`, `given`)."""

import ast
from pathlib import Path

import hybridize

WORDS = frozenset(
    [
        "found",
        "given",
        "made",
        "taken",
        "told",
        "lying",
        "kept",
        "held",
        "asked",
        "said",
        "put",
        "bent",
        "begun",
        "met",
        "heard",
    ]
)
SOURCES = sorted(Path(hybridize.__file__).parent.rglob("*.py"))
EXCEPTIONS = {"held": {"table.py"}}
"""Files where such a word is a term: `held` are parameters whose numbers a dtype must hold."""


def names(path):
    """Names that functions of a file bind, with their lines."""
    for function in ast.walk(ast.parse(path.read_text())):
        if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
            continue
        parameters = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        yield from ((one.arg, one.lineno) for one in parameters)
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id, node.lineno


def test_variables_are_named_by_what_they_are():
    wrong = [
        f"{path.name}:{line}: {name}"
        for path in SOURCES
        for name, line in names(path)
        if name.strip("_") in WORDS and path.name not in EXCEPTIONS.get(name, ())
    ]
    assert not wrong

# SPDX-License-Identifier: Apache-2.0
"""Names of local variables and parameters say what a value is (`gradient`, `panel`), not how it came (`found`, `given`)."""

import ast
from pathlib import Path

import hybridize
from tests.house.sources import syntax

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

TERMS = frozenset(
    [
        "CommitFlag.put",
        "Decisions._asked",
        "Entry.held",
        "Numbers._asked",
        "Opened._met",
        "OwnPasses._kept",
        "OwnPasses._met",
        "OwnPasses.kept",
        "Reached._held",
        "Reached._met",
        "_Choice._kept",
        "_Formulas._given",
        "_Hoisting._kept",
    ]
)
"""Attributes that keep such a name: `held` of an entry is a term; the others wait for a better word."""


def names(path):
    """Names that functions of a file bind, with their lines."""
    for function in ast.walk(syntax(path)):
        if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
            continue
        parameters = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        yield from ((one.arg, one.lineno) for one in parameters)
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id, node.lineno


def fields(path):
    """Attributes of classes, as `Class.name`, with their lines: fields that are annotated, and what methods set on `self`."""
    for owner in ast.walk(syntax(path)):
        if not isinstance(owner, ast.ClassDef):
            continue
        for node in owner.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield owner.name, node.target.id, node.lineno
        for node in ast.walk(owner):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and ast.unparse(node.value) == "self"
            ):
                yield owner.name, node.attr, node.lineno


def test_attributes_are_named_by_what_they_are():
    wrong = {f"{owner}.{name}" for path in SOURCES for owner, name, _ in fields(path) if name.strip("_") in WORDS}
    assert sorted(wrong ^ TERMS) == [], "a word that says how a value came, or an exception that is not needed any more"


def test_variables_are_named_by_what_they_are():
    wrong = [
        f"{path.name}:{line}: {name}"
        for path in SOURCES
        for name, line in names(path)
        if name.strip("_") in WORDS and path.name not in EXCEPTIONS.get(name, ())
    ]
    assert not wrong, "name each by what it is: `gradient`, `panel`; these words (WORDS) say how a value came"

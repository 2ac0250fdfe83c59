"""What is remembered by types or sizes is so where sizes are known: a key is hashed, and a hashed symbol is its number.

The program would be for that size alone, and what was remembered would hold the symbol of another program.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import hybridize
from tests.house.sources import syntax

ROOT = Path(hybridize.__file__).parent
CACHES = ("cache", "lru_cache")
OF_SIZES = ("TensorType", "Shape", "Size", "Dim")
"""Annotations of what may hold the symbol of a size."""
GUARDS = ("scope", "known", "is_known", "is_symbolic")
"""Names of what tells that it holds none."""


def is_cache(node: ast.expr) -> bool:
    """Tell of `cache`, `functools.lru_cache` or `lru_cache(9)`."""
    called = node.func if isinstance(node, ast.Call) else node
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) in CACHES


def words(tree: ast.AST) -> set[str]:
    names = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
    return names | {one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute)}


def remembered(tree: ast.Module) -> Iterator[str]:
    """The names under which a module's functions of types and sizes are called once for each."""
    functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    of_sizes = {name for name, one in functions.items() if words(one.args) & set(OF_SIZES)}
    yield from (name for name in of_sizes if any(map(is_cache, functions[name].decorator_list)))
    for statement in tree.body:
        if not isinstance(statement, ast.Assign):
            continue
        for target, value in pairs(statement):
            if isinstance(value, ast.Call) and is_cache(value.func) and words(value) & (of_sizes | {"contractions"}):
                yield target


def pairs(statement: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment sets, and what to."""
    target = statement.targets[0]
    if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
        yield from zip((getattr(one, "id", "") for one in target.elts), statement.value.elts, strict=True)
    else:
        yield getattr(target, "id", ""), statement.value


def modules():
    """The syntax of the files that remember results."""
    texts = {path: path.read_text() for path in sorted(ROOT.rglob("*.py"))}
    words = ("lru_cache", "@cache", "functools.cache")
    return {
        str(path.relative_to(ROOT)): syntax(path) for path, text in texts.items() if any(map(text.__contains__, words))
    }


def test_the_rule_sees_those_that_there_are():
    names = {name for tree in modules().values() for name in remembered(tree)}
    assert names >= {"_convolved_once", "_kept_body", "_gradient_of_once", "_by_x_once"}


def test_symbols_are_no_keys():
    wrong = []
    for file, tree in modules().items():
        names = set(remembered(tree))
        for function in (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)):
            used = words(function)
            if used & names and not used & set(GUARDS):
                wrong.append(f"{file}: {function.name} asks {', '.join(used & names)} whatever the sizes")
    assert not wrong

"""A failing program made small: statements and parts of expressions are dropped as long as it still fails the same way."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Program = tuple[str, list[str]]


def shrunk(program: Program, fails: Callable[[str, Sequence[str]], bool], attempts: int = 400) -> Program:
    """The smallest program found that still fails."""
    left = [attempts]

    def still(module: str, steps: list[str]) -> bool:
        if left[0] <= 0:
            return False
        left[0] -= 1
        return fails(module, steps)

    module, steps = program
    while True:
        size = len(module) + sum(map(len, steps))
        module, steps = without_steps(module, steps, still)
        module = smaller(module, lambda text: still(text, steps))  # noqa: B023
        for index in reversed(range(len(steps))):

            def fits(text: str, index: int = index) -> bool:
                return still(module, [*steps[:index], text, *steps[index + 1 :]])  # noqa: B023

            steps[index] = smaller(steps[index], fits)
        for position in reversed(range(1, 7)):
            fewer = without_parameter(module, steps, position)
            if fewer is not None and still(*fewer):
                module, steps = fewer
        if len(module) + sum(map(len, steps)) >= size or left[0] <= 0:
            return module, steps


def without_parameter(module: str, steps: list[str], position: int) -> Program | None:
    """The program whose main function takes one argument less."""
    trees = [ast.parse(module), *map(ast.parse, steps)]
    found = False
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.FunctionDef) and node.name in ("body", "run", "forward"):
            arguments = node.args.args
            index = position + (arguments[0].arg == "self")
            if index < len(arguments):
                with_default = index - (len(arguments) - len(node.args.defaults))
                if with_default >= 0:
                    node.args.defaults.pop(with_default)
                arguments.pop(index)
                found = True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "program"
            and len(node.args) > position
        ):
            node.args.pop(position)
    return (ast.unparse(trees[0]), [ast.unparse(tree) for tree in trees[1:]]) if found else None


def without_steps(module: str, steps: list[str], still: Callable[[str, list[str]], bool]) -> Program:
    """As few steps as still fail."""
    index = len(steps) - 1
    while index >= 0:
        fewer = [*steps[:index], *steps[index + 1 :]]
        if still(module, fewer):
            steps = fewer
        index -= 1
    return module, steps


def smaller(text: str, still: Callable[[str], bool]) -> str:
    """A text with as few nodes as still fail; one change at a time, those that drop most first."""
    changed = True
    while changed:
        changed = False
        index = 0
        while True:
            tree = ast.parse(text)
            changes = list(candidates(tree))
            if index >= len(changes):
                break
            candidate = made(text, index)
            index += 1
            if candidate is None or len(candidate) >= len(text):
                continue
            if still(candidate):
                text, changed = candidate, True
                index -= 1
    return text


def made(text: str, index: int) -> str | None:
    """The text with one of its candidates carried out."""
    tree = ast.parse(text)
    for number, change in enumerate(candidates(tree)):
        if number == index:
            change()
            break
    try:
        candidate = ast.unparse(ast.fix_missing_locations(tree))
        ast.parse(candidate)
    except Exception:
        return None
    return candidate


def candidates(tree: ast.AST) -> Iterator[Callable[[], Any]]:
    """What may be dropped, from the whole to the parts."""
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                for index in range(len(body)):
                    if len(body) > 1 or isinstance(node, ast.Module) or name == "orelse":
                        yield lambda body=body, index=index: body.pop(index)
                    inner = getattr(body[index], "body", None)
                    if isinstance(body[index], (ast.If, ast.For, ast.While, ast.With)) and isinstance(inner, list):
                        yield lambda body=body, index=index, inner=inner: body.__setitem__(
                            slice(index, index + 1), inner
                        )
        for field, value in ast.iter_fields(node):
            parts = value if isinstance(value, list) else [value]
            for index, part in enumerate(parts):
                if isinstance(part, ast.expr) and field not in ("targets", "target", "ctx", "decorator_list"):
                    for child in inside(part):
                        yield lambda node=node, field=field, index=index, child=child: replace(
                            node, field, index, child
                        )
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)) and len(node.elts) > 1:
            for index in range(len(node.elts)):
                yield lambda node=node, index=index: node.elts.pop(index)
        if isinstance(node, ast.Dict) and node.keys:
            for index in range(len(node.keys)):
                yield lambda node=node, index=index: (node.keys.pop(index), node.values.pop(index))
        if isinstance(node, (ast.Global, ast.Nonlocal)) and len(node.names) > 1:
            for index in range(len(node.names)):
                yield lambda node=node, index=index: node.names.pop(index)
        if isinstance(node, ast.ClassDef) and node.bases:
            yield lambda node=node: node.bases.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.decorator_list:
            yield lambda node=node: node.decorator_list.pop()


def inside(expression: ast.expr) -> list[ast.expr]:
    """Expressions that may stand for one that holds them."""
    match expression:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return [body, orelse, test]
        case ast.Call(func=ast.Attribute(attr="array" | "ones" | "zeros" | "arange")):
            return []
        case ast.Call(func=func, args=args):
            return [
                *args,
                *([func.value] if isinstance(func, ast.Attribute) and not isinstance(func.value, ast.Name) else []),
            ]
        case ast.Tuple(elts=elts):
            return list(elts)
        case ast.Subscript(value=value):
            return [value]
        case ast.Compare(left=left, comparators=[right]):
            return [left, right]
        case ast.Dict(values=values):
            return [value for value in values if value is not None]
    return []


def replace(node: ast.AST, field: str, index: int, child: ast.expr) -> None:
    value = getattr(node, field)
    if isinstance(value, list):
        value[index] = copy.deepcopy(child)
    else:
        setattr(node, field, copy.deepcopy(child))

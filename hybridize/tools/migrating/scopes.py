# SPDX-License-Identifier: Apache-2.0
"""Tells what a name stands for at a line of a script: which module it was imported as, by the scopes of Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LATER = 1 << 60
"""After all lines: a function's body runs when its module has."""

Path = str
"""A dotted name: `hybridize.nd` for what was imported from MXNet, `numpy` for others."""


class ScriptScope:
    """The names of a module or function, and what they stand for from which line on."""

    def __init__(self, node: ast.AST, outer: ScriptScope | None, renamed: Callable[[str], str]) -> None:
        self.outer = outer
        self._locations: dict[str, list[tuple[int, Path]]] = {}
        self._own = set(_arguments(node)) if isinstance(node, FUNCTIONS) else set()
        for one in _within(node):
            if isinstance(one, ast.Import | ast.ImportFrom):
                for name, path in imported(one, renamed):
                    self._locations.setdefault(name, []).append((one.lineno, path))
            elif isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
                same = self.path(one.value, one.lineno)  # nn = gluon.nn
                if same is not None:
                    self._locations.setdefault(one.targets[0].id, []).append((one.lineno, same))
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and outer is not None:
                self._own.add(one.id)

    def bind(self, name: str, path: Path) -> None:
        """Say what a name, an argument say, stands for in the whole scope."""
        self._locations[name] = [(0, path)]

    def path(self, node: ast.AST, line: int) -> Path | None:
        """Return the dotted name that an expression of names and attributes stands for; None where it is another."""
        if isinstance(node, ast.Attribute):
            owner = self.path(node.value, line)
            return None if owner is None else f"{owner}.{node.attr}"
        return self._path_of(node.id, line) if isinstance(node, ast.Name) else None

    def _path_of(self, name: str, line: int) -> Path | None:
        places = self._locations.get(name)
        if places:
            before = [path for at, path in places if at <= line]
            return before[-1] if before else places[0][1]
        if name in self._own or self.outer is None:
            return None
        return self.outer._path_of(name, LATER)


def imported(node: ast.Import | ast.ImportFrom, renamed: Callable[[str], str]) -> Iterator[tuple[str, Path]]:
    """Give the names that a statement binds, each with what it stands for."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            if not node.level:
                yield alias.asname or alias.name, renamed(f"{node.module}.{alias.name}")
        elif alias.asname:
            yield alias.asname, renamed(alias.name)
        else:
            top = alias.name.partition(".")[0]
            yield top, renamed(top)


def _arguments(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[str]:
    parameters = node.args
    for one in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs, parameters.vararg, parameters.kwarg):
        if one is not None:
            yield one.arg


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """Go through a scope in the order of its lines, without the functions in it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, FUNCTIONS):
            yield from _within(child)

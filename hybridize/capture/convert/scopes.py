# SPDX-License-Identifier: Apache-2.0
"""Scopes of a function: names that a piece of it binds, how names are looked up, statements that leave a block."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import field

from hybridize.base.frozen import frozen, mutable
from hybridize.capture.convert.trees import below, parts

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound_names(nodes: Iterable[ast.AST], *, named: bool = True) -> set[str]:
    """Names that the nodes bind in the scope they stand in; inner functions and classes are other scopes.

    Without those that only `:=` binds, unless `named`.
    """
    names: set[str] = set()
    for node in nodes:
        if not named or not isinstance(node, ast.stmt):
            _bind(node, names, comprehension=False, named=named)
            continue
        known: set[str] | None = getattr(node, "hybridize_bound", None)
        if known is None:  # asked again for each block around, when it may have been converted
            known = set()
            _bind(node, known, comprehension=False, named=True)
            node.hybridize_bound = known  # type: ignore[attr-defined]
        names |= known
    return names


def _bind(node: ast.AST, names: set[str], *, comprehension: bool, named: bool) -> None:
    match node:
        case ast.Name(id=name, ctx=ctx):
            if not comprehension and not isinstance(ctx, ast.Load):
                names.add(name)
            return
        case ast.Constant():
            return
        case ast.NamedExpr(target=target, value=value):
            if named:
                names.add(target.id)  # also from within a comprehension
            _bind(value, names, comprehension=comprehension, named=named)
            return
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            names.add(name)
        case ast.MatchMapping(rest=str(name)):
            names.add(name)
        case ast.Import() | ast.ImportFrom():
            names.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            names.add(node.name)
            for outer in node.decorator_list:
                _bind(outer, names, comprehension=comprehension, named=named)
            return
        case ast.Lambda():
            return
    inside = comprehension or isinstance(node, _COMPREHENSIONS)
    for child in parts(node):
        if named and isinstance(child, ast.stmt):
            names |= bound_names([child])
        else:
            _bind(child, names, comprehension=inside, named=named)


def parameters(arguments: ast.arguments) -> set[str]:
    """Names of the parameters."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
    return {argument.arg for argument in every}


@mutable
class Scope:
    """The names of a function, lambda, comprehension or class."""

    local: set[str]
    declared_global: set[str] = field(default_factory=set)
    declared_nonlocal: set[str] = field(default_factory=set)
    parent: Scope | None = None
    kind: str = "function"
    """Or `comprehension`, in which `:=` binds a name of the scope around, or `class`, which functions look past."""
    yields: bool = False
    """True if a function of this body is a generator."""

    @classmethod
    def of(
        cls, arguments: ast.arguments | None, body: list[ast.stmt], parent: Scope | None, kind: str = "function"
    ) -> Scope:
        """The scope of a function definition, or of the body of a class, which has no parameters."""
        declared_global: set[str] = set()
        declared_nonlocal: set[str] = set()
        yields = False
        for node in below(body, *_INNER):
            what = type(node)
            if what is ast.Global:
                declared_global.update(node.names)
            elif what is ast.Nonlocal:
                declared_nonlocal.update(node.names)
            elif what in (ast.Yield, ast.YieldFrom):
                yields = True
        names = set() if arguments is None else parameters(arguments)
        local = (names | bound_names(body)) - declared_global - declared_nonlocal
        return cls(local, declared_global, declared_nonlocal, parent, kind, yields)

    def is_local(self, name: str) -> bool:
        """Tell whether `name` belongs to this function or one around it that is converted with it."""
        scope = self._of(name)
        return scope is not None and name in scope.local

    def is_in_class(self) -> bool:
        """Tell whether the body of a class, which is converted with this function, is around it."""
        return self.kind == "class" or (self.parent is not None and self.parent.is_in_class())

    def is_global(self, name: str) -> bool:
        """Tell whether a `global` statement says that `name` is one of the module."""
        scope = self._of(name)
        return scope is not None and name in scope.declared_global

    def _of(self, name: str) -> Scope | None:
        """The scope that says whose `name` is; None where none does that is converted with this one."""
        scope: Scope | None = self
        while scope is not None:
            looks = scope.kind != "class" or scope is self
            if looks and (name in scope.declared_global or name in scope.local):
                return scope
            scope = scope.parent
        return None

    @property
    def outside(self) -> set[str]:
        """Variables of the surroundings that statements here write."""
        return self.declared_global | self.declared_nonlocal

    @property
    def binding(self) -> Scope:
        """The scope in which `:=` binds a name."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope


@frozen
class Escapes:
    """The ways in which a block can be left other than by its end."""

    returns: bool = False
    loops: bool = False
    """By `break` or `continue` of a loop around it."""

    def __bool__(self) -> bool:
        return self.returns or self.loops

    def __or__(self, other: Escapes) -> Escapes:
        return Escapes(self.returns or other.returns, self.loops or other.loops)


def escapes(statements: Iterable[ast.AST]) -> Escapes:
    """Return the ways in which the statements can be left early."""
    exits = Escapes()
    for node in statements:
        match node:
            case ast.Return():
                exits |= Escapes(returns=True)
            case ast.Break() | ast.Continue():
                exits |= Escapes(loops=True)
            case ast.While() | ast.For():
                exits |= Escapes(returns=escapes(node.body).returns) | escapes(node.orelse)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef() | ast.expr():
                pass
            case _:
                exits |= escapes(parts(node))
        if exits.returns and exits.loops:
            break
    return exits


def is_generator(body: list[ast.stmt]) -> bool:
    """Tell whether a function of this body is a generator."""
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in below(body, *_INNER))

# SPDX-License-Identifier: Apache-2.0
"""Conversion of a user's function, once, from source: the same lines, with calls where capture has to look.

    if x.sum() > 0:                  def __hybridize_1__():
        y = x * 2                        nonlocal y
    else:                                y = x * 2
        y = x                        def __hybridize_2__():
                                         nonlocal y
                                         y = x
                                     __hybridize__.if_(x.sum() > 0, __hybridize_1__, __hybridize_2__, ("y",))

What a construct does is decided when it runs, by what it meets (`capture.python.router`, `capture.control`): on Python
values it is plain Python, on symbols it becomes part of the graph. Variables live in the cells that Python makes for
nested functions, so reading one that is not bound is Python's own error. Statements that leave a block early (`return`,
`break`, `continue`) become values that the nested functions return, and what follows in the block becomes a nested
function too, so that a branch that depends on data can be continued on either side.

Lines and file names stay the user's; the generated functions bear the name of the function they are part of.
"""

from __future__ import annotations

import ast
import copy
import inspect
import re
import threading
from collections import OrderedDict
from types import CellType, CodeType, FunctionType
from typing import Any

from hybridize.base.forks import renewed
from hybridize.base.frozen import mutable
from hybridize.base.room import with_room
from hybridize.capture.convert.expressions import (
    BINARY,
    GENERATED,
    ROUTER,
    STACK,
    THUNK,
    Expressions,
    Unconvertible,
    at,
    attribute,
    binds,
    first,
    is_none,
    routed,
    store,
    strip_annotations,
    thunk,
    unfolded,
)
from hybridize.capture.convert.scopes import Scope, bound_names, escapes, is_generator
from hybridize.capture.convert.source import FunctionSource, compiled, find
from hybridize.capture.convert.source import is_edited as is_other_source
from hybridize.capture.convert.trees import locate, parts

_LIMIT = 4096
"""The number of conversions that are remembered."""

_lock = renewed(threading.RLock())
_conversions: OrderedDict[tuple[int, bool], tuple[CodeType, CodeType | None]] = OrderedDict()
_codes: dict[int, tuple[CodeType, frozenset[str]]] = {}
"""Code objects that conversion made, by identity: functions of these are converted already.

With the variables of the user's function that a generated function, a part of it, has from there.
"""
_FREE = re.compile(r"cannot access free variable '(\w+)'")


def converted(function: FunctionType, router: object) -> FunctionType | None:
    """`function` with its code converted, or None where it has to run as it is.

    `router` is what the converted code calls; see `capture.python.router`.
    """
    code = converted_code(function.__code__, function.__globals__)
    if code is None:
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[ROUTER] = CellType(router)
    closure = tuple(cells[name] for name in code.co_freevars)
    result = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__ = function.__qualname__
    return result


def is_edited(function: FunctionType) -> bool:
    """Tell whether the file of a function was changed since it was imported."""
    return is_other_source(function.__code__, function.__globals__)


def has_source(function: FunctionType) -> bool:
    """Tell whether the source of a function is there."""
    return find(function.__code__, function.__globals__) is not None


def is_converted(function: FunctionType) -> bool:
    """Tell whether the function's code was made by conversion."""
    return id(function.__code__) in _codes


def converted_code(code: CodeType, module_globals: dict[str, Any]) -> CodeType | None:
    """The converted form of `code`; None where there is none. Made once and remembered."""
    key = id(code), "len" in module_globals  # Python's own asks for the number of items only
    with _lock:
        if key in _conversions:
            _conversions.move_to_end(key)
            return _conversions[key][1]
    try:
        result: CodeType | None = with_room(_convert, code, module_globals)
    except Unconvertible:
        result = None
    with _lock:
        _conversions[key] = (code, result)
        while len(_conversions) > _LIMIT:
            _, (_, dropped) = _conversions.popitem(last=False)
            for inner, _ in _all_codes(dropped) if dropped is not None else ():
                _codes.pop(id(inner), None)
        if result is not None:
            _codes.update((id(inner), (inner, own)) for inner, own in _all_codes(result))
    return result


def as_written(error: NameError) -> NameError:
    """Return the exception that the user's code raises for a variable without a value.

    A generated function has the variables of the function that it is a part of from outside; to the user they are its
    own (local variables).
    """
    at, match = error.__traceback__, _FREE.match(str(error))
    if type(error) is not NameError or match is None or at is None:
        return error
    while at.tb_next is not None:
        at = at.tb_next
    _, own = _codes.get(id(at.tb_frame.f_code), (None, frozenset()))
    if match[1] not in own:
        return error
    text = f"cannot access local variable {match[1]!r} where it is not associated with a value"
    replacement = UnboundLocalError(text).with_traceback(error.__traceback__)
    replacement.__context__ = error.__context__
    return replacement


def _convert(code: CodeType, module_globals: dict[str, Any]) -> CodeType:
    source = find(code, module_globals)
    if source is None:
        raise Unconvertible
    tree = _Converter(source, frozenset(code.co_freevars), module_globals).function(source.tree)
    result = compiled(tree, source, (*code.co_freevars, ROUTER), code.co_filename)
    return _renamed(result, code.co_name, code.co_qualname)


def _renamed(code: CodeType, name: str, qualname: str) -> CodeType:
    """`code`, its generated functions named like the function they are part of."""
    constants: list[Any] = []
    is_class = not code.co_flags & inspect.CO_OPTIMIZED
    around = f"{qualname}." if is_class else f"{qualname}.<locals>."
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            generated = constant.co_name.startswith(GENERATED) or THUNK in constant.co_varnames[:1]
            inner = name if generated else constant.co_name
            constant = _renamed(constant, inner, qualname if generated else around + inner)
        elif is_class and constant == code.co_qualname:
            constant = qualname
        constants.append(constant)
    return code.replace(co_consts=tuple(constants), co_name=name, co_qualname=qualname)


def _all_codes(code: CodeType, own: frozenset[str] = frozenset()) -> list[tuple[CodeType, frozenset[str]]]:
    """Converted code and all in it, each with the variables that it has from the user's function it is a part of."""
    codes = [(code, own)]
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            part = inner.co_qualname == code.co_qualname
            codes += _all_codes(inner, own | frozenset(code.co_cellvars) if part else frozenset())
    return codes


@mutable
class _Block:
    """The block in which statements are being converted."""

    nested: bool
    """True if in a generated function, which returns signals; False at the top of the user's function."""
    yields: bool = False
    """True if it is of a generator: what suspends or leaves it cannot go into a function."""


class _Converter(Expressions):
    """Converts one function and the functions defined in it."""

    def __init__(self, source: FunctionSource, free: frozenset[str], module_globals: dict[str, Any]) -> None:
        super().__init__(source, free, module_globals)
        self.count = 0
        self.shared: set[str] = set()
        """Names that generated functions bind: the function itself must bind them too, for `nonlocal` to hold."""
        self.uses_stack = False

    # ------------------------------------------------------------------------------------------------- functions

    def function(self, tree: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef | ast.Lambda:
        """The converted definition of the function itself."""
        tree.args.defaults = []
        tree.args.kw_defaults = [None] * len(tree.args.kwonlyargs)
        if isinstance(tree, ast.Lambda):
            return self._lambda(tree)
        return self._definition(tree)

    def _definition(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Convert the body of a function definition; its defaults and decorators belong to the scope around."""
        before = (self.scope, self.shared, self.uses_stack, self.top, self.first_parameter)
        self.scope = Scope.of(node.args, node.body, None if self.top else self.scope)
        self.shared, self.uses_stack, self.first_parameter = set(), False, first(node.args)
        returns = None if self.top else node.returns
        if self.top:
            strip_annotations(node.args)
        self.top = False
        body = list(node.body)
        docstring = body[:1] if ast.get_docstring(node, clean=False) is not None else []
        block = _Block(nested=False, yields=self.scope.yields)
        statements = docstring + self._prologue(node.args, self._lower(body[len(docstring) :], block))
        definition = ast.FunctionDef(
            name=node.name, args=node.args, body=statements, decorator_list=[], returns=returns
        )
        ast.copy_location(definition, node)
        locate(definition, definition)  # blocks that have their places may have got further nodes since
        self.scope, self.shared, self.uses_stack, self.top, self.first_parameter = before
        return definition

    def _prologue(self, arguments: ast.arguments, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements that go before the lowered body of a function."""
        before: list[ast.stmt] = []
        declared = [
            kind(names=sorted(names))
            for kind, names in ((ast.Global, self.scope.declared_global), (ast.Nonlocal, self.scope.declared_nonlocal))
            if names
        ]
        before += declared
        unbound = sorted(self.shared & self.scope.local)
        if unbound:
            # Never runs; makes the names local to the function, as they are in the user's.
            binding = ast.Assign(targets=[store(name) for name in unbound], value=ast.Constant(None))
            before.append(ast.If(test=ast.Constant(False), body=[binding], orelse=[]))
        if self.uses_stack:
            before.append(ast.Assign(targets=[store(STACK)], value=routed("enter")))
        if arguments.kwarg is not None:
            # Python makes the dict of `**names` for this call alone: it is the program's own.
            before.append(ast.Expr(routed("new", ast.Name(id=arguments.kwarg.arg, ctx=ast.Load()))))
        line = body[0] if body else None
        for statement in before:
            if line is not None:
                ast.copy_location(statement, line)
        return before + (body or [ast.Pass()])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # noqa: N802
        decorators = self._decorators(node)
        self._visit_defaults(node.args)
        definition = self._definition(node)
        definition.decorator_list = decorators
        return definition

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:  # noqa: N802
        return node

    def _decorators(self, node: ast.FunctionDef | ast.ClassDef) -> list[ast.expr]:
        return [at(routed("decorator", self.visit(one)), one) for one in node.decorator_list]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:  # noqa: N802
        """A class, whose body stays Python's own but for its expressions, and the functions in it."""
        decorators = self._decorators(node)
        bases = [self.visit(base) for base in node.bases]
        arguments = [ast.keyword(arg=keyword.arg, value=self.visit(keyword.value)) for keyword in node.keywords]
        chosen = next((keyword.value for keyword in arguments if keyword.arg == "metaclass"), ast.Constant(None))
        metaclass = ast.keyword(arg="metaclass", value=at(routed("metaclass", chosen), node))
        keywords = [*(keyword for keyword in arguments if keyword.arg != "metaclass"), metaclass]
        before = (self.scope, self.class_name)
        self.scope, self.class_name = Scope.of(None, node.body, self.scope, "class"), node.name
        body = self._class_body(node.body)
        self.scope, self.class_name = before
        definition = ast.ClassDef(name=node.name, bases=bases, keywords=keywords, body=body, decorator_list=decorators)
        return ast.copy_location(definition, node)

    def _class_body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [at(statement, one) for one in statements for statement in self._class_statement(one)]

    def _class_statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.Global() | ast.Nonlocal():
                return [node]
            case ast.AnnAssign():  # which makes an entry of `__annotations__`
                node.value = None if node.value is None else self.visit(node.value)
                return [node]
            case ast.If() | ast.While():
                node.test = self.visit(node.test)
                node.body, node.orelse = self._class_body(node.body), self._class_body(node.orelse)
            case ast.For():
                node.iter = at(routed("through", self.visit(node.iter)), node.iter)
                node.body, node.orelse = self._class_body(node.body), self._class_body(node.orelse)
            case ast.With():
                for item in node.items:
                    item.context_expr = at(routed("context", self.visit(item.context_expr)), item.context_expr)
                node.body = self._class_body(node.body)
            case ast.Try():
                for handler in node.handlers:
                    handler.type = None if handler.type is None else self.visit(handler.type)
                    handler.body = [at(ast.Expr(routed("caught")), handler), *self._class_body(handler.body)]
                node.body, node.orelse = self._class_body(node.body), self._class_body(node.orelse)
                node.finalbody = self._class_body(node.finalbody)
            case ast.Match():
                raise Unconvertible
            case _:
                return self._simple(node)
        return [node]

    # ------------------------------------------------------------------------------------------------ statements

    def _lower(self, statements: list[ast.stmt], block: _Block) -> list[ast.stmt]:
        """The statements of a block, converted. Where one may leave early, the rest goes into a function."""
        lowered: list[ast.stmt] = []
        for position, statement in enumerate(statements):
            rest = statements[position + 1 :]
            if block.yields and _stays(statement):
                lowered += [at(part, statement) for part in self._in_place(statement, block)]
                continue
            match statement:
                case ast.Return(value=value):
                    result = ast.Constant(None) if value is None else self.visit(value)
                    lowered.append(at(ast.Return(routed("returned", result) if block.nested else result), statement))
                    return lowered
                case ast.Break() | ast.Continue():
                    signal = "BREAK" if isinstance(statement, ast.Break) else "CONTINUE"
                    lowered.append(at(ast.Return(attribute(signal)), statement))
                    return lowered
                case ast.If():
                    parts, ends = self._if(statement, rest, block)
                case ast.While():
                    parts, ends = self._while(statement, rest, block)
                case ast.For():
                    parts, ends = self._for(statement, rest, block)
                case ast.With() | ast.Try():
                    parts, ends = self._guarded(self._with_own_names(statement), block), False
                case ast.TryStar():
                    raise Unconvertible  # what is raised in an `except*` is put into a group
                case ast.Match():
                    parts, ends = self._match(statement, rest, block)
                case ast.Global() | ast.Nonlocal():
                    parts, ends = [ast.Pass()], False  # declared at the top
                case _:
                    parts, ends = self._simple(statement), False
            for part in parts:
                at(part, statement)
            lowered += parts
            if ends:
                return lowered
        return lowered

    def _in_place(self, node: ast.stmt, block: _Block) -> list[ast.stmt]:
        """A statement of a generator that stays Python's own; what follows it is kept, even where nothing comes there.

        A `yield` that is never reached makes a function a generator, too.
        """
        match node:
            case ast.Return(value=value):
                return [ast.Return(None if value is None else self.visit(value))]
            case ast.If() | ast.While():
                node.test = self.visit(node.test)
            case ast.For():
                node.iter = at(routed("through", self.visit(node.iter)), node.iter)
                if not isinstance(node.target, ast.Name) or node.target.id in self.scope.outside:
                    holder = self._temporary()
                    named = ast.Assign(targets=[node.target], value=ast.Name(id=holder, ctx=ast.Load()))
                    node.body = [at(named, node.target), *node.body]
                    node.target = at(store(holder), node.target)
            case _:
                return [node]
        node.body, node.orelse = self._lower(node.body, block), self._lower(node.orelse, block)
        return [node]

    def _if(self, node: ast.If, rest: list[ast.stmt], block: _Block) -> tuple[list[ast.stmt], bool]:
        node = unfolded(node)
        leaves, names = bool(escapes([*node.body, *node.orelse])), self._names([*node.body, *node.orelse])
        test = self.test(node.test)
        then, then_name = self._part(node.body, node)
        orelse, orelse_name = self._part(node.orelse, node)
        arguments = [test, then_name, orelse_name, names]
        return self._dispatch("if_", [*then, *orelse], arguments, leaves, rest, block)

    def _while(self, node: ast.While, rest: list[ast.stmt], block: _Block) -> tuple[list[ast.stmt], bool]:
        if not node.orelse:
            branch = ast.copy_location(ast.If(test=node.test, body=node.body, orelse=[at(ast.Break(), node)]), node)
            if unfolded(branch) is not branch:
                node = ast.copy_location(ast.While(test=at(ast.Constant(True), node), body=[branch], orelse=[]), node)
        inner, leaves = _leaving(node)
        names = self._names([node.test, *node.body, *node.orelse])
        bound = bound_names([node.test])
        test = ast.Return(self.test(node.test))
        test_part, test_name = self._function([at(test, node.test)], bound, node)
        body, body_name = self._part(node.body, node)
        orelse, orelse_name = self._part(node.orelse, node)
        parts, arguments = [*test_part, *body, *orelse], [test_name, body_name, orelse_name, names]
        return self._loop("while_", parts, arguments, inner, leaves, rest, block)

    def _for(self, node: ast.For, rest: list[ast.stmt], block: _Block) -> tuple[list[ast.stmt], bool]:
        inner, leaves = _leaving(node)
        names = self._names([node.target, *node.body, *node.orelse])
        iterable = self.visit(node.iter)
        self.count += 1
        item = f"{GENERATED}item_{self.count}__"
        target = at(ast.Assign(targets=[node.target], value=ast.Name(id=item, ctx=ast.Load())), node.target)
        body, body_name = self._part([target, *node.body], node, parameter=item)
        orelse, orelse_name = self._part(node.orelse, node)
        arguments = [iterable, body_name, orelse_name, names]
        return self._loop("for_", [*body, *orelse], arguments, inner, leaves, rest, block)

    def _loop(
        self, method: str, parts: list[ast.stmt], arguments: list[ast.expr], inner: bool, leaves: bool,
        rest: list[ast.stmt], block: _Block,
    ) -> tuple[list[ast.stmt], bool]:  # fmt: skip
        if inner and not leaves:  # only its own break and continue
            self.uses_stack = True
            return [*parts, ast.Expr(routed(method, *arguments, ast.Name(id=STACK, ctx=ast.Load())))], False
        return self._dispatch(method, parts, arguments, leaves, rest, block)

    def _dispatch(
        self, method: str, parts: list[ast.stmt], arguments: list[ast.expr], leaves: bool, rest: list[ast.stmt],
        block: _Block,
    ) -> tuple[list[ast.stmt], bool]:  # fmt: skip
        """The call that runs a compound statement; where the statement may leave, it takes the rest along."""
        if not leaves:
            return [*parts, ast.Expr(routed(method, *arguments))], False
        self.uses_stack = True
        rest_part, rest_name = self._part(rest, rest[0]) if rest else ([], ast.Constant(None))
        signal = routed(method, *arguments, ast.Name(id=STACK, ctx=ast.Load()), rest_name)
        result = ast.Return(signal if block.nested else routed("done", signal))
        return [*parts, *rest_part, result], True

    def _part(
        self, statements: list[ast.stmt], original: ast.stmt, parameter: str = ""
    ) -> tuple[list[ast.stmt], ast.expr]:
        """A generated function of the statements, and its name; nothing and None where there are none."""
        if not statements:
            return [], ast.Constant(None)
        bound = bound_names(statements)  # before they are changed
        return self._function(self._lower(statements, _Block(nested=True)), bound, original, parameter)

    def _function(
        self, lowered: list[ast.stmt], bound: set[str], original: ast.stmt, parameter: str = ""
    ) -> tuple[list[ast.stmt], ast.expr]:
        self.count += 1
        name = f"{GENERATED}{self.count}__"
        self.shared |= bound & self.scope.local
        declared: list[ast.stmt] = []
        if outer := sorted(bound & (self.scope.local | self.scope.declared_nonlocal)):
            declared.append(ast.Nonlocal(names=outer))
        if module := sorted(bound & self.scope.declared_global):
            declared.append(ast.Global(names=module))
        args = [ast.arg(arg=parameter)] if parameter else []
        arguments = ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[])
        part = ast.FunctionDef(name=name, args=arguments, body=[*declared, *lowered] or [ast.Pass()], decorator_list=[])
        for statement in [*declared, part]:
            at(statement, original)
        return [part], ast.Name(id=name, ctx=ast.Load())

    def _names(self, nodes: list[Any]) -> ast.expr:
        """Variables that the nodes bind, as a constant."""
        bound = bound_names(nodes) & (self.scope.local | self.scope.declared_nonlocal)
        return ast.Tuple(elts=[ast.Constant(self._mangled(name)) for name in sorted(bound)], ctx=ast.Load())

    def _with_own_names(self, node: ast.With | ast.Try) -> ast.With | ast.Try:
        """A statement that binds variables of the function only: others, its body writes first of all."""
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                if handler.name in self.scope.outside:
                    self._own_name_of(handler, handler.name)
            return node
        for number, item in enumerate(node.items):
            target = item.optional_vars
            if target is None or (isinstance(target, ast.Name) and target.id not in self.scope.outside):
                continue
            inner = node.items[number + 1 :]
            following = [at(ast.With(items=inner, body=node.body), node)] if inner else node.body
            holder = self._temporary()
            assignment = at(ast.Assign(targets=[target], value=ast.Name(id=holder, ctx=ast.Load())), target)
            item.optional_vars = at(store(holder), target)
            outer: ast.With = at(ast.With(items=node.items[: number + 1], body=[assignment, *following]), node)
            return outer
        return node

    def _own_name_of(self, handler: ast.ExceptHandler, name: str) -> None:
        """Let an `except ... as name` bind a variable of the function, and its body the one that is meant."""
        handler.name = self._temporary()
        assignment = ast.Assign(targets=[store(name)], value=ast.Name(id=handler.name, ctx=ast.Load()))
        gone: list[ast.stmt] = [
            ast.Assign(targets=[store(name)], value=ast.Constant(None)),
            ast.Delete(targets=[ast.Name(id=name, ctx=ast.Del())]),
        ]
        ends = ast.Try(body=handler.body, handlers=[], orelse=[], finalbody=gone)
        handler.body = [at(assignment, handler), at(ends, handler)]

    def _own_names_of(self, case: ast.match_case) -> None:
        """Let a pattern bind variables of the function, and its guard or body those that are meant."""
        written: list[tuple[str, str]] = []
        for part in ast.walk(case.pattern):
            field = "rest" if isinstance(part, ast.MatchMapping) else "name"
            name = getattr(part, field, None)
            if name in self.scope.outside:
                written.append((name, self._temporary()))
                setattr(part, field, written[-1][1])
        pairs = [(store(name), ast.Name(id=holder, ctx=ast.Load())) for name, holder in written]
        if case.guard is None:
            assignments = [ast.Assign(targets=[target], value=value) for target, value in pairs]
            case.body = [*(at(one, case.pattern) for one in assignments), *case.body]
        elif pairs:  # the guard sees them: (name := value, guard)[-1]
            row = ast.Tuple(elts=[*(ast.NamedExpr(*pair) for pair in pairs), case.guard], ctx=ast.Load())
            case.guard = at(ast.Subscript(value=row, slice=ast.Constant(-1), ctx=ast.Load()), case.guard)

    def _guarded(self, node: ast.With | ast.Try, block: _Block) -> list[ast.stmt]:
        """Statements that stay Python's own: their bodies are lowered in place, or, where they may leave, called."""
        leaves = not block.yields and bool(escapes(parts(node)))
        self.count += 1
        signal, ending = f"{GENERATED}signal_{self.count}__", f"{GENERATED}ending_{self.count}__"
        nodes: list[ast.stmt] = [node]

        def body(statements: list[ast.stmt], prefix: list[ast.stmt] | None = None) -> list[ast.stmt]:
            if not leaves or not statements:
                return [*(prefix or []), *self._lower(statements, block)]
            self.uses_stack = True
            part, name = self._part(statements, statements[0])
            call = routed("block", ast.Name(id=STACK, ctx=ast.Load()), name)
            return [*(prefix or []), *part, at(ast.Assign(targets=[store(signal)], value=call), statements[0])]

        match node:
            case ast.With():
                for item in node.items:
                    expression = item.context_expr
                    item.context_expr = at(routed("context", self.visit(expression)), expression)
                node.body = body(node.body)
            case ast.Try():
                inner = body(node.body)
                if node.handlers:
                    watched = ast.withitem(context_expr=routed("trying", *self._caught_classes(node)))
                    inner = [at(ast.With(items=[watched], body=inner), node.body[0])]
                node.body = inner
                for handler in node.handlers:
                    handler.type = None if handler.type is None else self.visit(handler.type)
                    caught: ast.stmt = at(ast.Expr(routed("caught")), handler)
                    handler.body = body(handler.body, [caught])
                if node.orelse:
                    orelse = body(node.orelse)
                    undisturbed = is_none(signal)
                    node.orelse = [at(ast.If(test=undisturbed, body=orelse, orelse=[]), node)] if leaves else orelse
                if escapes(node.finalbody) and not block.yields:
                    raise Unconvertible
                if node.finalbody:
                    nodes = [at(ast.Assign(targets=[store(ending)], value=routed("ending")), node), node]
                    begin, end = (
                        at(ast.Expr(ast.Call(func=attribute(method, ending), args=[], keywords=[])), node.finalbody[0])
                        for method in ("begin", "end")
                    )
                    lowered = self._lower(node.finalbody, block)
                    watched_end = ast.Try(body=lowered, handlers=[], orelse=[], finalbody=[end])
                    node.finalbody = [begin, at(watched_end, lowered[0])]
        if not leaves:
            return nodes
        before = ast.Assign(targets=[store(signal)], value=ast.Constant(None))
        outcome = ast.Name(id=signal, ctx=ast.Load())
        after = ast.Return(outcome if block.nested else routed("done", outcome))
        left = ast.UnaryOp(op=ast.Not(), operand=is_none(signal))
        return [before, *nodes, ast.If(test=left, body=[after], orelse=[])]

    def _caught_classes(self, node: ast.Try) -> list[ast.expr]:
        """A function that gives the classes which the handlers of a `try` name; none where a handler takes them all."""
        types = [handler.type for handler in node.handlers if handler.type is not None]
        named = (ast.Name, ast.Attribute, ast.Tuple, ast.Load)
        if len(types) < len(node.handlers) or not all(
            isinstance(part, named) for one in types for part in ast.walk(one)
        ):
            return []
        classes = [self.visit(copy.deepcopy(one)) for one in types]
        return [thunk(at(ast.Tuple(elts=classes, ctx=ast.Load()), node.handlers[0]))]

    def _match(self, node: ast.Match, rest: list[ast.stmt], block: _Block) -> tuple[list[ast.stmt], bool]:
        """A `match`, whose patterns stay Python's own. Where cases may leave or have guards, it chooses what runs next.

        match s:                  __hybridize_subject_1__ = __hybridize__.matched(s)
            case 1 if c:          def __hybridize_2__():  # the cases that follow
                a                     ...
            case _:               match __hybridize_subject_1__:
                b                     case 1:
                                          def __hybridize_3__():
                                              a
                                          def __hybridize_4__():
                                              __hybridize__.if_(c, __hybridize_3__, __hybridize_2__, ())
                                          __hybridize_case_1__ = __hybridize_4__
                                      case _:
                                          __hybridize_case_1__ = __hybridize_2__
                                  __hybridize__.if_(..., __hybridize_case_1__, None, ())
        """
        for case in node.cases:
            self._own_names_of(case)
        leaves = bool(escapes(parts(node)))
        stays = block.yields and (leaves or is_generator([node]))
        guarded = next((number for number, case in enumerate(node.cases) if case.guard is not None), None)
        names = self._names(node.cases)
        self.count += 1
        subject, chosen = f"{GENERATED}subject_{self.count}__", f"{GENERATED}case_{self.count}__"
        statements: list[ast.stmt] = [
            ast.Assign(targets=[store(subject)], value=routed("matched", self.visit(node.subject)))
        ]
        node.subject = at(ast.Name(id=subject, ctx=ast.Load()), node)
        if stays or (guarded is None and not leaves):
            for case in node.cases:
                statements += self._named_in(case.pattern)
                if case.guard is not None:
                    case.guard = at(routed("case_guard", self.visit(case.guard)), case.guard)
                case.body = [*_lifted_names(case), *self._lower(case.body, block)]
            return [*statements, node], False
        others: ast.expr = ast.Constant(None)
        if guarded is not None:
            node.cases, following = node.cases[: guarded + 1], node.cases[guarded + 1 :]
            if following:
                part, others = self._part([at(ast.Match(subject=node.subject, cases=following), node)], node)
                statements += part
        for case in node.cases:
            statements += self._named_in(case.pattern)
            case.body = [*_lifted_names(case), *self._chosen_by(case, chosen, others, names, leaves)]
        if not isinstance(others, ast.Constant) and not _is_irrefutable(node.cases[-1].pattern):
            choice = ast.Assign(targets=[store(chosen)], value=others)
            node.cases.append(at(ast.match_case(pattern=at(ast.MatchAs(), node), body=[at(choice, node)]), node))
        statements += [ast.Assign(targets=[store(chosen)], value=ast.Constant(None)), node]
        test = ast.UnaryOp(op=ast.Not(), operand=is_none(chosen))
        arguments = [test, ast.Name(id=chosen, ctx=ast.Load()), ast.Constant(None), names]
        return self._dispatch("if_", statements, arguments, leaves, rest, block)

    def _chosen_by(
        self, case: ast.match_case, chosen: str, others: ast.expr, names: ast.expr, leaves: bool
    ) -> list[ast.stmt]:
        """Choose what runs after the `match`: the body of a case, or what its guard takes of that and `others`."""
        original = case.body[0]
        parts, name = self._part(case.body, original)
        if case.guard is not None:
            guard, bound = case.guard, bound_names([case.guard])
            arguments = [self.visit(guard), name, others, names]
            if leaves:
                self.uses_stack = True
                arguments += [ast.Name(id=STACK, ctx=ast.Load()), ast.Constant(None)]
            decision = at(ast.Return(routed("if_", *arguments)), guard)
            part, name = self._function([decision], bound, original)
            parts, case.guard = [*parts, *part], None
        return [*parts, at(ast.Assign(targets=[store(chosen)], value=name), original)]

    def _named_in(self, pattern: ast.pattern) -> list[ast.stmt]:
        """Statements before a `match` that make what stands for the classes and dotted names in a pattern.

        case Pt(1, y=K.A):    __hybridize_pattern_1__ = __hybridize__.pattern_name(
                                  lambda: __hybridize__.class_pattern(Pt, 1, ("y",)))
                              __hybridize_pattern_2__ = __hybridize__.pattern_name(lambda: K.A)
                              case __hybridize_pattern_1__.value(1, y=__hybridize_pattern_2__.value):
        """
        statements: list[ast.stmt] = []

        def deferred(value: ast.expr, original: ast.AST) -> ast.expr:
            self.count += 1
            name = f"{GENERATED}pattern_{self.count}__"
            read = routed("pattern_name", thunk(at(value, original)))
            statements.append(at(ast.Assign(targets=[store(name)], value=read), original))
            holder = ast.Name(id=name, ctx=ast.Load())
            stands: ast.expr = at(ast.Attribute(value=holder, attr="value", ctx=ast.Load()), original)
            return stands

        for part in ast.walk(pattern):
            match part:
                case ast.MatchClass():
                    names = ast.Tuple(elts=[ast.Constant(name) for name in part.kwd_attrs], ctx=ast.Load())
                    arguments = [self.visit(part.cls), ast.Constant(len(part.patterns)), names]
                    part.cls = deferred(routed("class_pattern", *arguments), part)
                case ast.MatchValue(value=ast.Attribute() as value):
                    part.value = deferred(self.visit(value), part)
                case ast.MatchMapping():
                    part.keys = [
                        deferred(self.visit(key), key) if isinstance(key, ast.Attribute) else key for key in part.keys
                    ]
        return statements

    def _simple(self, node: ast.stmt) -> list[ast.stmt]:
        """A statement that is no block; writes to variables of the surroundings are announced before and after."""
        outside = sorted(bound_names([node], named=False) & self.scope.outside)
        statements = self._plain(node)
        if not outside:
            return statements
        if isinstance(node, ast.Delete):
            return statements  # see `_delete`
        before = [ast.Expr(self._announced("rebinding", name)) for name in outside]
        after = [ast.Expr(self._announced("rebound", name, ast.Name(id=name, ctx=ast.Load()))) for name in outside]
        return [*before, *statements, *after]

    def _plain(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.Assign(targets=targets, value=value):
                return self._assign(targets, self.visit(value), node)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    return self._assign([target], self.visit(value), node)
                self.shared |= bound_names([target])  # a variable that is only declared is local all the same
                return [ast.Pass()]
            case ast.AugAssign():
                return self._augmented(node)
            case ast.Delete(targets=targets):
                return [statement for target in targets for statement in self._delete(target)]
            case ast.Import():
                return [node, *(self._imported(one, "imported", ast.Constant(_module(one))) for one in node.names)]
            case ast.ImportFrom(module=module, names=names, level=level):
                whence = [ast.Constant(module or ""), ast.Constant(level)]
                bindings = (self._imported(one, "imported_from", *whence, ast.Constant(one.name)) for one in names)
                return [node, *bindings]
            case ast.Assert() if not __debug__:  # python -O
                return [ast.Pass()]
            case ast.Assert(test=test, msg=msg):
                if msg is not None and binds(msg):
                    return [self.visit(node)]
                message = ast.Constant(None) if msg is None else thunk(self.visit(msg))
                return [ast.Expr(routed("assert_", self.test(test), message))]
            case ast.Raise(exc=exc, cause=cause) if exc is not None:
                arguments = [self.visit(part) for part in (exc, cause) if part is not None]
                return [ast.Raise(exc=routed("raised", *arguments), cause=None)]
        return [self.visit(node)]

    @staticmethod
    def _imported(alias: ast.alias, method: str, *whence: ast.expr) -> ast.stmt:
        """Say what a statement in the function has imported, and depend on it."""
        name = alias.asname or _module(alias)
        return ast.Assign(targets=[store(name)], value=routed(method, *whence, ast.Name(id=name, ctx=ast.Load())))

    def _assign(self, targets: list[ast.expr], value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        if len(targets) == 1 and isinstance(targets[0], (ast.Attribute, ast.Subscript)):
            return [self._set(targets[0], value)]
        statements: list[ast.stmt] = []
        if len(targets) > 1:
            holder = self._temporary()
            statements.append(ast.Assign(targets=[store(holder)], value=value))
            value = ast.Name(id=holder, ctx=ast.Load())
        for target in targets:
            if isinstance(target, (ast.Attribute, ast.Subscript)):
                statements.append(self._set(target, value))
                continue
            later: list[ast.stmt] = []
            right = routed("unpacked", value) if isinstance(target, (ast.Tuple, ast.List)) else value
            statements.append(ast.Assign(targets=[self._plain_target(target, later)], value=right))
            statements += later
        return statements

    def _plain_target(self, target: ast.expr, later: list[ast.stmt]) -> ast.expr:
        """`target` with attributes, items and targets in it replaced by variables, which `later` stores."""
        if isinstance(target, (ast.Tuple, ast.List)):
            return ast.Tuple(elts=[self._plain_part(part, later) for part in target.elts], ctx=ast.Store())
        return target

    def _plain_part(self, part: ast.expr, later: list[ast.stmt]) -> ast.expr:
        """A part of a target that is unpacked.

        A variable after a part that is stored later is stored later, too: owners and keys are read from left to right,
        `node.next, node = previous, node.next`.
        """
        if isinstance(part, ast.Starred):
            return ast.Starred(value=self._plain_part(part.value, later), ctx=ast.Store())
        if isinstance(part, ast.Name) and not later:
            return part
        holder = self._temporary()
        value = ast.Name(id=holder, ctx=ast.Load())
        match part:
            case ast.Attribute() | ast.Subscript():
                later.append(self._set(part, value))
            case ast.Tuple() | ast.List():
                inner: list[ast.stmt] = []
                later.append(ast.Assign(targets=[self._plain_target(part, inner)], value=routed("unpacked", value)))
                later += inner
            case _:
                later.append(ast.Assign(targets=[part], value=value))
        return store(holder)

    def _temporary(self) -> str:
        self.count += 1
        return f"{GENERATED}value_{self.count}__"

    def _set(self, target: ast.Attribute | ast.Subscript, value: ast.expr) -> ast.stmt:
        if isinstance(target, ast.Attribute):
            name = ast.Constant(self._mangled(target.attr))
            return ast.Expr(routed("set_attribute", value, self._container(target.value), name))
        return ast.Expr(routed("set_item", value, self._container(target.value), self._key(target.slice)))

    def _augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        value, operator = self.visit(node.value), ast.Constant(f"i{BINARY[type(node.op)]}")
        match node.target:
            case ast.Attribute(value=owner, attr=name):
                read = routed("attribute_before", self._container(owner), ast.Constant(self._mangled(name)))
                return [ast.Expr(routed("update_attribute", read, operator, value))]
            case ast.Subscript(value=owner, slice=index):
                read = routed("item_before", self._container(owner), self._key(index))
                return [ast.Expr(routed("update_item", read, operator, value))]
        before = self._read_name(ast.copy_location(ast.Name(id=node.target.id, ctx=ast.Load()), node), whole=False)
        return [ast.Assign(targets=[node.target], value=routed("augmented", before, operator, value))]

    def _delete(self, target: ast.expr) -> list[ast.stmt]:
        match target:
            case ast.Attribute(value=owner, attr=name):
                return [ast.Expr(routed("delete_attribute", self.visit(owner), ast.Constant(self._mangled(name))))]
            case ast.Subscript(value=owner, slice=index):
                return [ast.Expr(routed("delete_item", self._container(owner), self._key(index)))]
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return [statement for part in parts for statement in self._delete(part)]
            case ast.Name(id=name) if name in self.scope.outside:
                before = self._announced("rebinding", name, ast.Constant(True))
                after = self._announced("rebound", name)
                return [ast.Expr(before), ast.Delete(targets=[target]), ast.Expr(after)]
        return [ast.Delete(targets=[target])]


def _module(alias: ast.alias) -> str:
    """Return the name of the module that `import` binds: of `a.b`, the package `a`, unless it is called otherwise."""
    return alias.name if alias.asname else alias.name.partition(".")[0]


def _stays(node: ast.stmt) -> bool:
    """Tell whether a statement suspends a generator, leaves it, or leaves the block that it is in."""
    if isinstance(node, (ast.Return, ast.Break, ast.Continue)):
        return True
    return isinstance(node, (ast.If, ast.While, ast.For)) and (is_generator([node]) or bool(escapes([node])))


def _lifted_names(case: ast.match_case) -> list[ast.stmt]:
    """Statements that let variables which a pattern has set hold symbols, where Python has found arrays."""
    names = [one.name for one in ast.walk(case.pattern) if isinstance(one, ast.MatchAs) and one.name is not None]
    return [
        at(ast.Assign(targets=[store(name)], value=routed("lifted", ast.Name(id=name, ctx=ast.Load()))), case.pattern)
        for name in names
    ]


def _is_irrefutable(pattern: ast.pattern | None) -> bool:
    """Tell whether a pattern matches everything: Python lets no case follow it."""
    match pattern:
        case ast.MatchAs(pattern=inner):
            return inner is None or _is_irrefutable(inner)
        case ast.MatchOr(patterns=alternatives):
            return _is_irrefutable(alternatives[-1])
    return False


def _leaving(node: ast.While | ast.For) -> tuple[bool, bool]:
    """Tell whether the body of a loop leaves early, and whether the loop may be left other than by its end."""
    inner = escapes(node.body)
    return bool(inner), inner.returns or bool(escapes(node.orelse))

# SPDX-License-Identifier: Apache-2.0
"""Conversion of a user's function, once, from source: the same lines, with calls where capture has to look.

    if x.sum() > 0:                  def __hybridize_1__():
        y = x * 2                        nonlocal y
    else:                                y = x * 2
        y = x                        def __hybridize_2__():
                                         nonlocal y
                                         y = x
                                     __hybridize__.if_(x.sum() > 0, __hybridize_1__, __hybridize_2__, ("y",))

What a construct does is decided when it runs, by what it meets (`capture.router`, `capture.flow`): on Python values it
is plain Python, on symbols it becomes part of the graph. Variables live in the cells that Python makes for nested
functions, so reading one that is not bound is Python's own error. Statements that leave a block early (`return`,
`break`, `continue`) become values that the nested functions return, and what follows in the block becomes a nested
function too, so that a branch that depends on data can be continued on either side.

Lines and file names stay the user's; the generated functions bear the name of the function they are part of.
"""

from __future__ import annotations

import ast
import builtins
import threading
from collections import OrderedDict
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

from hybridize.capture.scopes import Scope, bound_names, escapes, is_generator, parameters
from hybridize.capture.source import Source, compiled, find

ROUTER = "__hybridize__"
STACK = "__hybridize_stack__"
_GENERATED = "__hybridize_"

_LIMIT = 4096
"""How many conversions are remembered."""

_FRAME_READERS = {"locals": 0, "vars": 0, "dir": 0, "eval": 1, "exec": 1}
"""Builtins that look into the frame they are called from when given at most so many arguments."""
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.Div: "itruediv", ast.FloorDiv: "ifloordiv",
    ast.Mod: "imod", ast.Pow: "ipow", ast.MatMult: "imatmul", ast.BitAnd: "iand", ast.BitOr: "ior",
    ast.BitXor: "ixor", ast.LShift: "ilshift", ast.RShift: "irshift",
}  # fmt: skip
_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Is: "is_",
    ast.IsNot: "is_not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


class Unconvertible(Exception):
    """The function has no source, or does something that only its own frame can do."""


_lock = threading.Lock()
_known: OrderedDict[int, tuple[CodeType, CodeType | None]] = OrderedDict()
_made: dict[int, CodeType] = {}
"""Code objects that conversion made, by identity: functions of these are converted already."""


def converted(function: FunctionType, router: object) -> FunctionType | None:
    """`function` with its code converted, or None where it has to run as it is.

    `router` is what the converted code calls; see `capture.router`.
    """
    code = converted_code(function.__code__, function.__globals__)
    if code is None:
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[ROUTER] = CellType(router)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    return made


def is_converted(function: FunctionType) -> bool:
    """Whether the function's code was made by conversion."""
    return id(function.__code__) in _made


def converted_code(code: CodeType, module_globals: dict[str, Any]) -> CodeType | None:
    """The converted form of `code`; None where there is none. Made once and remembered."""
    key = id(code)
    with _lock:
        if key in _known:
            _known.move_to_end(key)
            return _known[key][1]
    try:
        result: CodeType | None = _convert(code, module_globals)
    except Unconvertible:
        result = None
    with _lock:
        _known[key] = (code, result)
        while len(_known) > _LIMIT:
            _, (_, dropped) = _known.popitem(last=False)
            for inner in _all_codes(dropped) if dropped is not None else ():
                _made.pop(id(inner), None)
        if result is not None:
            _made.update((id(inner), inner) for inner in _all_codes(result))
    return result


def _convert(code: CodeType, module_globals: dict[str, Any]) -> CodeType:
    source = find(code, module_globals)
    if source is None:
        raise Unconvertible
    tree = _Converter(source, frozenset(code.co_freevars), module_globals).function(source.tree)
    made = compiled(tree, source, (*code.co_freevars, ROUTER), code.co_filename)
    return _renamed(made, code.co_name, code.co_qualname)


def _renamed(code: CodeType, name: str, qualname: str) -> CodeType:
    """`code`, its generated functions named like the function they are part of."""
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            generated = constant.co_name.startswith(_GENERATED)
            inner = name if generated else constant.co_name
            constant = _renamed(constant, inner, qualname if generated else f"{qualname}.<locals>.{inner}")
        constants.append(constant)
    return code.replace(co_consts=tuple(constants), co_name=name, co_qualname=qualname)


def _all_codes(code: CodeType) -> list[CodeType]:
    return [code] + [inner for c in code.co_consts if isinstance(c, CodeType) for inner in _all_codes(c)]


@dataclass(slots=True)
class _Block:
    """Where statements are being converted."""

    nested: bool
    """Whether in a generated function, which returns signals, or at the top of the user's function."""


class _Converter(ast.NodeTransformer):
    """Converts one function and the functions defined in it."""

    def __init__(self, source: Source, free: frozenset[str], module_globals: dict[str, Any]) -> None:
        self.source = source
        self.free = free
        self.module_globals = module_globals
        self.scope = Scope(set())
        self.top = True
        self.count = 0
        self.shared: set[str] = set()
        """Names that generated functions bind: the function itself must bind them too, for `nonlocal` to hold."""
        self.uses_stack = False
        self.first_parameter = ""

    # ------------------------------------------------------------------------------------------------- functions

    def function(self, tree: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef | ast.Lambda:
        """The converted definition of the function itself."""
        tree.args.defaults = []
        tree.args.kw_defaults = [None] * len(tree.args.kwonlyargs)
        if isinstance(tree, ast.Lambda):
            self.first_parameter = _first(tree.args)
            return self._lambda(tree)
        return self._definition(tree)

    def _definition(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Convert the body of a function definition; its defaults and decorators belong to the scope around."""
        before = (self.scope, self.shared, self.uses_stack, self.top, self.first_parameter)
        self.scope = Scope.of(node.args, node.body, None if self.top else self.scope)
        self.shared, self.uses_stack, self.first_parameter = set(), False, _first(node.args) or self.first_parameter
        self.top = False
        _strip_annotations(node.args)
        body = list(node.body)
        if is_generator(body):
            statements: list[ast.stmt] = [self.visit(statement) for statement in body]
            statements = [part for part in statements if part is not None]
        else:
            docstring = body[:1] if ast.get_docstring(node, clean=False) is not None else []
            statements = docstring + self._prologue(self._lower(body[len(docstring) :], _Block(nested=False)))
        made = ast.FunctionDef(name=node.name, args=node.args, body=statements, decorator_list=[], type_comment=None)
        ast.copy_location(made, node)
        ast.fix_missing_locations(made)
        self.scope, self.shared, self.uses_stack, self.top, self.first_parameter = before
        return made

    def _prologue(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """What goes before the lowered body of a function."""
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
            binding = ast.Assign(targets=[_store(name) for name in unbound], value=ast.Constant(None))
            before.append(ast.If(test=ast.Constant(False), body=[binding], orelse=[]))
        if self.uses_stack:
            before.append(ast.Assign(targets=[_store(STACK)], value=_routed("enter")))
        line = body[0] if body else None
        for statement in before:
            if line is not None:
                ast.copy_location(statement, line)
        return before + (body or [ast.Pass()])

    def _lambda(self, node: ast.Lambda) -> ast.Lambda:
        outer, self.scope = self.scope, Scope(parameters(node.args), parent=None if self.top else self.scope)
        top, self.top = self.top, False
        made = ast.Lambda(args=node.args, body=self.visit(node.body))
        self.scope, self.top = outer, top
        return ast.copy_location(made, node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        decorators = [self.visit(decorator) for decorator in node.decorator_list]
        self._visit_defaults(node.args)
        made = self._definition(node)
        made.decorator_list = decorators
        return made

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._visit_defaults(node.args)
        return self._lambda(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node  # its methods are converted when they are called

    def _visit_defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = [self.visit(default) for default in arguments.defaults]
        arguments.kw_defaults = [None if default is None else self.visit(default) for default in arguments.kw_defaults]

    # ------------------------------------------------------------------------------------------------ statements

    def _lower(self, statements: list[ast.stmt], block: _Block) -> list[ast.stmt]:
        """The statements of a block, converted. Where one may leave early, the rest goes into a function."""
        lowered: list[ast.stmt] = []
        for position, statement in enumerate(statements):
            rest = statements[position + 1 :]
            match statement:
                case ast.Return(value=value):
                    result = ast.Constant(None) if value is None else self.visit(value)
                    lowered.append(_at(ast.Return(_routed("returned", result) if block.nested else result), statement))
                    return lowered
                case ast.Break() | ast.Continue():
                    signal = "BREAK" if isinstance(statement, ast.Break) else "CONTINUE"
                    lowered.append(_at(ast.Return(_attribute(signal)), statement))
                    return lowered
                case ast.If():
                    made, ends = self._if(statement, rest, block)
                case ast.While():
                    made, ends = self._while(statement, rest, block)
                case ast.For():
                    made, ends = self._for(statement, rest, block)
                case ast.With() | ast.Try() | ast.Match():
                    made, ends = self._guarded(statement, block), False
                case ast.Global() | ast.Nonlocal():
                    made, ends = [], False  # declared at the top
                case _:
                    made, ends = self._simple(statement), False
            for part in made:
                _at(part, statement)
            lowered += made
            if ends:
                return lowered
        return lowered

    def _if(self, node: ast.If, rest: list[ast.stmt], block: _Block) -> tuple[list[ast.stmt], bool]:
        leaves, names = bool(escapes([*node.body, *node.orelse])), self._names([*node.body, *node.orelse])
        test = self.visit(node.test)
        then, then_name = self._part(node.body, node)
        orelse, orelse_name = self._part(node.orelse, node)
        arguments = [test, then_name, orelse_name, names]
        return self._dispatch("if_", [*then, *orelse], arguments, leaves, rest, block)

    def _while(self, node: ast.While, rest: list[ast.stmt], block: _Block) -> tuple[list[ast.stmt], bool]:
        inner, leaves = _leaving(node)
        names = self._names([node.test, *node.body, *node.orelse])
        bound = bound_names([node.test])
        test = ast.Return(self.visit(node.test))
        test_part, test_name = self._made([_at(test, node.test)], bound, node)
        body, body_name = self._part(node.body, node)
        orelse, orelse_name = self._part(node.orelse, node)
        parts, arguments = [*test_part, *body, *orelse], [test_name, body_name, orelse_name, names]
        return self._loop("while_", parts, arguments, inner, leaves, rest, block)

    def _for(self, node: ast.For, rest: list[ast.stmt], block: _Block) -> tuple[list[ast.stmt], bool]:
        inner, leaves = _leaving(node)
        names = self._names([node.target, *node.body, *node.orelse])
        iterable = self.visit(node.iter)
        self.count += 1
        item = f"{_GENERATED}item_{self.count}__"
        target = _at(ast.Assign(targets=[node.target], value=ast.Name(id=item, ctx=ast.Load())), node.target)
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
            return [*parts, ast.Expr(_routed(method, *arguments, ast.Name(id=STACK, ctx=ast.Load())))], False
        return self._dispatch(method, parts, arguments, leaves, rest, block)

    def _dispatch(
        self, method: str, parts: list[ast.stmt], arguments: list[ast.expr], leaves: bool, rest: list[ast.stmt], block: _Block
    ) -> tuple[list[ast.stmt], bool]:  # fmt: skip
        """The call that runs a compound statement; where the statement may leave, it takes the rest along."""
        if not leaves:
            return [*parts, ast.Expr(_routed(method, *arguments))], False
        self.uses_stack = True
        rest_part, rest_name = self._part(rest, rest[0]) if rest else ([], ast.Constant(None))
        signal = _routed(method, *arguments, ast.Name(id=STACK, ctx=ast.Load()), rest_name)
        result = ast.Return(signal if block.nested else _routed("done", signal))
        return [*parts, *rest_part, result], True

    def _part(
        self, statements: list[ast.stmt], at: ast.stmt, parameter: str = ""
    ) -> tuple[list[ast.stmt], ast.expr]:
        """A generated function of the statements, and its name; nothing and None where there are none."""
        if not statements:
            return [], ast.Constant(None)
        bound = bound_names(statements)  # before they are changed
        return self._made(self._lower(statements, _Block(nested=True)), bound, at, parameter)

    def _made(
        self, lowered: list[ast.stmt], bound: set[str], at: ast.stmt, parameter: str = ""
    ) -> tuple[list[ast.stmt], ast.expr]:
        self.count += 1
        name = f"{_GENERATED}{self.count}__"
        self.shared |= bound & self.scope.local
        declared: list[ast.stmt] = []
        if outer := sorted(bound & (self.scope.local | self.scope.declared_nonlocal)):
            declared.append(ast.Nonlocal(names=outer))
        if module := sorted(bound & self.scope.declared_global):
            declared.append(ast.Global(names=module))
        arguments = ast.arguments(
            posonlyargs=[], args=[ast.arg(arg=parameter)] if parameter else [], kwonlyargs=[], kw_defaults=[], defaults=[]
        )
        part = ast.FunctionDef(name=name, args=arguments, body=[*declared, *lowered] or [ast.Pass()], decorator_list=[])
        for statement in [*declared, part]:
            _at(statement, at)
        return [part], ast.Name(id=name, ctx=ast.Load())

    def _names(self, nodes: list[Any]) -> ast.expr:
        """Variables that the nodes bind, as a constant."""
        bound = bound_names(nodes) & (self.scope.local | self.scope.declared_nonlocal)
        return ast.Tuple(elts=[ast.Constant(name) for name in sorted(bound)], ctx=ast.Load())

    def _guarded(self, node: ast.With | ast.Try | ast.Match, block: _Block) -> list[ast.stmt]:
        """Statements that stay Python's own: their bodies are lowered in place, or, where they may leave, called."""
        leaves = bool(escapes(ast.iter_child_nodes(node)))
        self.count += 1
        signal = f"{_GENERATED}signal_{self.count}__"

        def body(statements: list[ast.stmt], prefix: list[ast.stmt] | None = None) -> list[ast.stmt]:
            if not leaves or not statements:
                return [*(prefix or []), *self._lower(statements, block)]
            self.uses_stack = True
            part, name = self._part(statements, statements[0])
            call = _routed("block", ast.Name(id=STACK, ctx=ast.Load()), name)
            return [*(prefix or []), *part, _at(ast.Assign(targets=[_store(signal)], value=call), statements[0])]

        match node:
            case ast.With():
                for item in node.items:
                    item.context_expr = self.visit(item.context_expr)
                node.body = body(node.body)
            case ast.Try():
                node.body = body(node.body)
                for handler in node.handlers:
                    handler.type = None if handler.type is None else self.visit(handler.type)
                    caught: ast.stmt = _at(ast.Expr(_routed("caught")), handler)
                    handler.body = body(handler.body, [caught])
                if node.orelse:
                    orelse = body(node.orelse)
                    undisturbed = _is_none(signal)
                    node.orelse = [_at(ast.If(test=undisturbed, body=orelse, orelse=[]), node)] if leaves else orelse
                if escapes(node.finalbody):
                    raise Unconvertible
                node.finalbody = self._lower(node.finalbody, block)
            case ast.Match():
                node.subject = _routed("plain", self.visit(node.subject))
                for case in node.cases:
                    case.guard = None if case.guard is None else self.visit(case.guard)
                    case.body = body(case.body)
        if not leaves:
            return [node]
        before = ast.Assign(targets=[_store(signal)], value=ast.Constant(None))
        found = ast.Name(id=signal, ctx=ast.Load())
        after = ast.Return(found if block.nested else _routed("done", found))
        left = ast.UnaryOp(op=ast.Not(), operand=_is_none(signal))
        return [before, node, ast.If(test=left, body=[after], orelse=[])]

    def _simple(self, node: ast.stmt) -> list[ast.stmt]:
        """A statement that is no block; writes to variables of the surroundings are announced before and after."""
        outside = sorted(bound_names([node]) & (self.scope.declared_global | self.scope.declared_nonlocal))
        made = self._plain(node)
        if not outside:
            return made
        before = [self._announced("writing", name, ast.Constant(None)) for name in outside]
        after = [self._announced("wrote", name, ast.Name(id=name, ctx=ast.Load())) for name in outside]
        return [*before, *made, *([] if isinstance(node, ast.Delete) else after)]

    def _plain(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.Assign(targets=targets, value=value):
                return self._assign(targets, self.visit(value), node)
            case ast.AnnAssign(target=target, value=value):
                return [] if value is None else self._assign([target], self.visit(value), node)
            case ast.AugAssign():
                return self._augmented(node)
            case ast.Delete(targets=targets):
                return [made for target in targets for made in self._delete(target)]
            case ast.Assert(test=test, msg=msg):
                message = ast.Constant(None) if msg is None else _thunk(self.visit(msg))
                return [ast.Expr(_routed("assert_", self.visit(test), message))]
            case ast.Raise(exc=exc, cause=cause) if exc is not None:
                arguments = [self.visit(part) for part in (exc, cause) if part is not None]
                return [ast.Raise(exc=_routed("raised", *arguments), cause=None)]
        return [self.visit(node)]

    def _assign(self, targets: list[ast.expr], value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        if len(targets) == 1 and isinstance(targets[0], (ast.Attribute, ast.Subscript)):
            return [self._set(targets[0], value)]
        made: list[ast.stmt] = []
        if len(targets) > 1:
            holder = self._temporary()
            made.append(ast.Assign(targets=[_store(holder)], value=value))
            value = ast.Name(id=holder, ctx=ast.Load())
        for target in targets:
            if isinstance(target, (ast.Attribute, ast.Subscript)):
                made.append(self._set(target, value))
                continue
            later: list[ast.stmt] = []
            made.append(ast.Assign(targets=[self._plain_target(target, later)], value=value))
            made += later
        return made

    def _plain_target(self, target: ast.expr, later: list[ast.stmt]) -> ast.expr:
        """`target` with attributes and items in it replaced by variables, which `later` puts in their places."""
        match target:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return ast.Tuple(elts=[self._plain_target(part, later) for part in parts], ctx=ast.Store())
            case ast.Starred(value=value):
                return ast.Starred(value=self._plain_target(value, later), ctx=ast.Store())
            case ast.Attribute() | ast.Subscript():
                holder = self._temporary()
                later.append(self._set(target, ast.Name(id=holder, ctx=ast.Load())))
                return _store(holder)
        return target

    def _temporary(self) -> str:
        self.count += 1
        return f"{_GENERATED}value_{self.count}__"

    def _set(self, target: ast.Attribute | ast.Subscript, value: ast.expr) -> ast.stmt:
        if isinstance(target, ast.Attribute):
            name = ast.Constant(self._mangled(target.attr))
            return ast.Expr(_routed("set_attribute", value, self._container(target.value), name))
        return ast.Expr(_routed("set_item", value, self._container(target.value), self._key(target.slice)))

    def _augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        value, operator = self.visit(node.value), ast.Constant(_OPERATORS[type(node.op)])
        match node.target:
            case ast.Attribute(value=owner, attr=name):
                key: ast.expr = ast.Constant(self._mangled(name))
                return [ast.Expr(_routed("update_attribute", self._container(owner), key, operator, value))]
            case ast.Subscript(value=owner, slice=index):
                return [ast.Expr(_routed("update_item", self._container(owner), self._key(index), operator, value))]
        made: list[ast.stmt] = [ast.AugAssign(target=node.target, op=node.op, value=value)]
        name = node.target.id
        if not self.scope.is_local(name):
            # The first read is the user's too: it becomes a guard.
            read = ast.Assign(targets=[_store(name)], value=self.visit(ast.Name(id=name, ctx=ast.Load())))
            made.insert(0, read)
        return made

    def _announced(self, verb: str, name: str, value: ast.expr) -> ast.stmt:
        """Say that a variable of the module or of a function around is going to be written, or was."""
        place = "global" if name in self.scope.declared_global else "closure" if self.scope.parent is None else "enclosing"
        return ast.Expr(_routed(f"{verb}_{place}", ast.Constant(name), value))

    def _delete(self, target: ast.expr) -> list[ast.stmt]:
        match target:
            case ast.Attribute(value=owner, attr=name):
                return [ast.Expr(_routed("delete_attribute", self.visit(owner), ast.Constant(self._mangled(name))))]
            case ast.Subscript(value=owner, slice=index):
                return [ast.Expr(_routed("delete_item", self._container(owner), self._key(index)))]
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return [made for part in parts for made in self._delete(part)]
        return [ast.Delete(targets=[target])]

    # ----------------------------------------------------------------------------------------------- expressions

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._read_name(node, whole=True) if isinstance(node.ctx, ast.Load) else node

    def _read_name(self, node: ast.Name, *, whole: bool) -> ast.expr:
        name = node.id
        if self.scope.is_local(name) or name == "__class__" or name.startswith(_GENERATED) or self._is_builtin(name):
            return node
        method = "read_closure" if name in self.free else "read_global"
        arguments: list[ast.expr] = [ast.Constant(name), node]
        return ast.copy_location(_routed(method, *arguments, *([] if whole else [ast.Constant(False)])), node)

    def _is_builtin(self, name: str) -> bool:
        return name not in self.free and name not in self.module_globals and hasattr(builtins, name)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self._read_attribute(node, whole=True) if isinstance(node.ctx, ast.Load) else node

    def _read_attribute(self, node: ast.Attribute, *, whole: bool) -> ast.expr:
        arguments: list[ast.expr] = [self._container(node.value), ast.Constant(self._mangled(node.attr))]
        return ast.copy_location(_routed("read_attribute", *arguments, *([] if whole else [ast.Constant(False)])), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._read_item(node, whole=True) if isinstance(node.ctx, ast.Load) else node

    def _read_item(self, node: ast.Subscript, *, whole: bool) -> ast.expr:
        arguments = [self._container(node.value), self._key(node.slice)]
        return ast.copy_location(_routed("read_item", *arguments, *([] if whole else [ast.Constant(False)])), node)

    def _container(self, node: ast.expr) -> ast.expr:
        """A value of which only a part is used: its other parts need no guard."""
        match node:
            case ast.Name():
                return self._read_name(node, whole=False)
            case ast.Attribute():
                return self._read_attribute(node, whole=False)
            case ast.Subscript():
                return self._read_item(node, whole=False)
        visited: ast.expr = self.visit(node)
        return visited

    def _key(self, node: ast.expr) -> ast.expr:
        """A subscript as an expression."""
        match node:
            case ast.Slice():
                parts = [ast.Constant(None) if part is None else self.visit(part) for part in (node.lower, node.upper, node.step)]
                return ast.copy_location(_routed("slice", *parts), node)
            case ast.Tuple(elts=parts):
                return ast.copy_location(ast.Tuple(elts=[self._key(part) for part in parts], ctx=ast.Load()), node)
        visited: ast.expr = self.visit(node)
        return visited

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super" and not node.args and not node.keywords:
            # Without arguments `super` looks into its own frame, which may be a generated one here.
            here: list[ast.expr] = [ast.Name(id=name, ctx=ast.Load()) for name in ("__class__", self.first_parameter)]
            return ast.copy_location(ast.Call(func=function, args=here, keywords=[]), node)
        if isinstance(function, ast.Name) and _reads_frame(function.id, node) and not self.scope.is_local(function.id):
            raise Unconvertible
        arguments = [self._container(function), *(self.visit(argument) for argument in node.args)]
        keywords = [ast.keyword(arg=keyword.arg, value=self.visit(keyword.value)) for keyword in node.keywords]
        return ast.copy_location(ast.Call(func=_attribute("call"), args=arguments, keywords=keywords), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        first, *others = (self.visit(value) for value in node.values)
        if any(_binds(value) for value in node.values[1:]):
            return ast.copy_location(ast.BoolOp(op=node.op, values=[first, *others]), node)
        method = "and_" if isinstance(node.op, ast.And) else "or_"
        return ast.copy_location(_routed(method, first, *map(_thunk, others)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return ast.copy_location(_routed("not_", operand), node)
        return ast.copy_location(ast.UnaryOp(op=node.op, operand=operand), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        left, rights = self.visit(node.left), [self.visit(right) for right in node.comparators]
        names = [_COMPARISONS[type(operator)] for operator in node.ops]
        if len(names) == 1 and names[0] not in ("in", "not in"):
            return ast.copy_location(ast.Compare(left=left, ops=node.ops, comparators=rights), node)
        if any(_binds(right) for right in node.comparators[1:]):
            return ast.copy_location(ast.Compare(left=left, ops=node.ops, comparators=rights), node)
        pairs = [part for name, right in zip(names, rights, strict=True) for part in (ast.Constant(name), _thunk(right))]
        if _binds(node.comparators[0]):
            return ast.copy_location(ast.Compare(left=left, ops=node.ops, comparators=rights), node)
        return ast.copy_location(_routed("compare", left, *pairs), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        test, then, orelse = self.visit(node.test), self.visit(node.body), self.visit(node.orelse)
        if _binds(node.body) or _binds(node.orelse):
            return ast.copy_location(ast.IfExp(test=test, body=then, orelse=orelse), node)
        return ast.copy_location(_routed("choose", test, _thunk(then), _thunk(orelse)), node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        node.value = _at(_routed("plain", self.visit(node.value)), node.value)
        if node.format_spec is not None:
            node.format_spec = self.visit(node.format_spec)
        return node

    def _comprehension(self, node: Any, *parts: str) -> ast.AST:
        # The first iterable belongs to the scope around; everything else sees the targets.
        first, *others = node.generators
        first.iter = self.visit(first.iter)
        targets = bound_names([generator.target for generator in node.generators])
        outer, self.scope = self.scope, Scope(targets, parent=self.scope)
        for generator in others:
            generator.iter = self.visit(generator.iter)
        for generator in node.generators:
            generator.ifs = [self.visit(condition) for condition in generator.ifs]
        for part in parts:
            setattr(node, part, self.visit(getattr(node, part)))
        self.scope = outer
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return _at(_routed("new", self._comprehension(node, "elt")), node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        return _at(_routed("new", self._comprehension(node, "elt")), node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        return _at(_routed("new", self._comprehension(node, "key", "value")), node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        return self._comprehension(node, "elt")

    def visit_List(self, node: ast.List) -> ast.AST:
        made = self.generic_visit(node)
        return _at(_routed("new", made), node) if isinstance(node.ctx, ast.Load) else made

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        return _at(_routed("new", self.generic_visit(node)), node)

    def visit_Set(self, node: ast.Set) -> ast.AST:
        return _at(_routed("new", self.generic_visit(node)), node)

    def _mangled(self, name: str) -> str:
        """Private names as the compiler would write them."""
        around = self.source.class_name.lstrip("_")
        return f"_{around}{name}" if name.startswith("__") and not name.endswith("__") and around else name


def _leaving(node: ast.While | ast.For) -> tuple[bool, bool]:
    """Whether the body of a loop leaves early, and whether the loop as a whole may be left other than by its end."""
    inner = escapes(node.body)
    return bool(inner), inner.returns or bool(escapes(node.orelse))


def _routed(method: str, *arguments: Any) -> ast.Call:
    return ast.Call(func=_attribute(method), args=list(arguments), keywords=[])


def _attribute(name: str) -> ast.Attribute:
    return ast.Attribute(value=ast.Name(id=ROUTER, ctx=ast.Load()), attr=name, ctx=ast.Load())


def _store(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Store())


def _is_none(name: str) -> ast.Compare:
    return ast.Compare(left=ast.Name(id=name, ctx=ast.Load()), ops=[ast.Is()], comparators=[ast.Constant(None)])


def _thunk(value: ast.expr) -> ast.Lambda:
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.copy_location(ast.Lambda(args=arguments, body=value), value)


def _at(node: Any, place: Any) -> Any:
    """Give a generated node, and all new ones in it, the first line of `place`: a frame shows the line it is in."""
    if not hasattr(node, "lineno"):
        node.lineno = node.end_lineno = place.lineno
        node.col_offset = node.end_col_offset = place.col_offset
    return ast.fix_missing_locations(node)


def _first(arguments: ast.arguments) -> str:
    every = [*arguments.posonlyargs, *arguments.args]
    return every[0].arg if every else ""


def _strip_annotations(arguments: ast.arguments) -> None:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for argument in [*every, *(extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None)]:
        argument.annotation = None


def _reads_frame(name: str, call: ast.Call) -> bool:
    return name in _FRAME_READERS and len(call.args) <= _FRAME_READERS[name]


def _binds(node: ast.AST) -> bool:
    """Whether an expression binds names (`:=`) or suspends, which it must not do inside a generated lambda."""
    return any(isinstance(part, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)) for part in ast.walk(node))

# SPDX-License-Identifier: Apache-2.0
"""The expressions of converted code: reads, calls and operators that ask the router; and how syntax trees are made."""

from __future__ import annotations

import ast
import builtins
import copy
from typing import Any

from hybridize.capture.convert.scopes import Scope, bound_names, parameters
from hybridize.capture.convert.source import FunctionSource
from hybridize.capture.convert.trees import below, locate

ROUTER = "__hybridize__"
STACK = "__hybridize_stack__"
GENERATED = "__hybridize_"
THUNK = f"{GENERATED}thunk__"

_FRAME_READERS = {"locals": 0, "vars": 0, "dir": 0}
"""Builtins that look into the frame they are called from when given at most so many arguments."""
_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Is: "is_",
    ast.IsNot: "is_not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
BINARY: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip
"""Operators of two operands, by the names of their special methods."""
_UNARY: dict[type[ast.AST], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}


class Unconvertible(Exception):
    """The function has no source, or does something that only its own frame can do."""


class Expressions(ast.NodeTransformer):
    """Converts the expressions of one function and of the functions defined in it."""

    def __init__(self, source: FunctionSource, free: frozenset[str], module_globals: dict[str, Any]) -> None:
        self.source = source
        self.free = free
        self.module_globals = module_globals
        self.scope: Scope = Scope(set())
        self.top: bool = True
        """True if no function has been entered yet."""
        self.first_parameter: str = ""
        self.class_name: str = source.class_name
        """The class around, whose name private names are mangled with; may be empty."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._read_name(node, whole=True) if isinstance(node.ctx, ast.Load) else node

    def _read_name(self, node: ast.Name, *, whole: bool) -> ast.expr:
        name = node.id
        variable = self._mangled(name)
        if self.scope.kind == "class" and name in self.scope.local:
            return ast.copy_location(routed("read_class_name", ast.Constant(variable), node), node)
        if self.scope.is_local(name) or name == "__class__" or name.startswith(GENERATED):
            return node
        closure = variable in self.free and not self.scope.is_global(name)
        method = "read_closure" if closure else "read_global"
        arguments: list[ast.expr] = [ast.Constant(variable), node]
        return ast.copy_location(routed(method, *arguments, *([] if whole else [ast.Constant(False)])), node)

    def _is_builtin(self, name: str) -> bool:
        return name not in self.free and name not in self.module_globals and hasattr(builtins, name)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self._read_attribute(node, whole=True) if isinstance(node.ctx, ast.Load) else node

    def _read_attribute(self, node: ast.Attribute, *, whole: bool) -> ast.expr:
        arguments: list[ast.expr] = [self._container(node.value), ast.Constant(self._mangled(node.attr))]
        return ast.copy_location(routed("read_attribute", *arguments, *([] if whole else [ast.Constant(False)])), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._read_item(node, whole=True) if isinstance(node.ctx, ast.Load) else node

    def _read_item(self, node: ast.Subscript, *, whole: bool) -> ast.expr:
        arguments = [self._container(node.value), self._key(node.slice)]
        return ast.copy_location(routed("read_item", *arguments, *([] if whole else [ast.Constant(False)])), node)

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
                bounds = (node.lower, node.upper, node.step)
                parts = [ast.Constant(None) if part is None else self.visit(part) for part in bounds]
                return ast.copy_location(routed("slice", *parts), node)
            case ast.Tuple(elts=parts):
                return ast.copy_location(ast.Tuple(elts=[self._key(part) for part in parts], ctx=ast.Load()), node)
        visited: ast.expr = self.visit(node)
        return visited

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        named = function.id if isinstance(function, ast.Name) and not self.scope.is_local(function.id) else ""
        if named == "super" and not node.args and not node.keywords:
            # Without arguments `super` looks into its own frame, which may be a generated one here.
            if not self.first_parameter or not ("__class__" in self.free or self.scope.is_in_class()):
                return node  # Python's own error
            here: list[ast.expr] = [ast.Name(id=name, ctx=ast.Load()) for name in ("__class__", self.first_parameter)]
            return ast.copy_location(ast.Call(func=function, args=here, keywords=[]), node)
        if reads_frame(named, node):
            raise Unconvertible
        length = named == "len" and self._is_builtin("len")
        visited = [self._container(argument) if length else self.visit(argument) for argument in node.args]
        arguments = [self._container(function), *visited]
        keywords = []
        for keyword in node.keywords:
            value = self.visit(keyword.value)
            value = at(routed("named", value), keyword.value) if keyword.arg is None else value
            keywords.append(ast.keyword(arg=keyword.arg, value=value))
        if all(keyword.arg for keyword in keywords) and not any(isinstance(one, ast.Starred) for one in node.args):
            return ast.copy_location(ast.Call(func=attribute("call"), args=arguments, keywords=keywords), node)
        # Python speaks of the function where what is unpacked is no argument of a call.
        named = at(routed("spread", arguments[0]), function)
        return ast.copy_location(ast.Call(func=named, args=arguments[1:], keywords=keywords), node)

    def _can_defer(self, *parts: ast.expr) -> bool:
        """Tell whether expressions may be put into generated lambdas, which see no names that a class body binds."""
        return self.scope.kind != "class" and not any(map(binds, parts))

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        node.value = self.visit(node.value)
        name, scope = node.target.id, self.scope.binding
        if name not in scope.outside:
            return node
        # (rebinding("global", "g"), g := value, rebound("global", "g", g))[1]
        parts: list[ast.expr] = [
            self._announced("rebinding", name), node,
            self._announced("rebound", name, ast.Name(id=name, ctx=ast.Load())),
        ]  # fmt: skip
        row = ast.Tuple(elts=parts, ctx=ast.Load())
        subscript: ast.AST = at(ast.Subscript(value=row, slice=ast.Constant(1), ctx=ast.Load()), node)
        return subscript

    def _announced(self, verb: str, name: str, *value: ast.expr) -> ast.expr:
        """Say that a variable of the module or of a function around is going to be written or deleted, or was."""
        kind = "enclosing" if self.scope.is_local(name) else "closure"
        if self.scope.is_global(name):
            kind = "global"
        return routed(verb, ast.Constant(kind), ast.Constant(self._mangled(name)), *value)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        first, *others = (self.visit(value) for value in node.values)
        if not self._can_defer(*node.values[1:]):
            return ast.copy_location(ast.BoolOp(op=node.op, values=[first, *others]), node)
        method = "and_" if isinstance(node.op, ast.And) else "or_"
        return ast.copy_location(routed(method, first, *map(thunk, others)), node)

    def test(self, node: ast.expr) -> Any:
        """An expression of which only the truth is asked for: `and` and `or` hold none of their operands there."""
        if not isinstance(node, ast.BoolOp) or not self._can_defer(*node.values[1:]):
            return self.visit(node)
        first, *others = (at(routed("bool_", self.test(value)), value) for value in node.values)
        return at(routed("and_" if isinstance(node.op, ast.And) else "or_", first, *map(thunk, others)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Not):
            return ast.copy_location(routed("not_", self.test(node.operand)), node)
        operand = self.visit(node.operand)
        if isinstance(node.operand, ast.Constant):
            return ast.copy_location(ast.UnaryOp(op=node.op, operand=operand), node)
        return ast.copy_location(routed("unary", ast.Constant(_UNARY[type(node.op)]), operand), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        # Of what is asked for an item, only that item matters.
        memberships = [isinstance(operator, (ast.In, ast.NotIn)) for operator in node.ops]
        pairs_asked = zip(node.comparators, memberships, strict=True)
        left = self.visit(node.left)
        rights = [self._container(right) if asks else self.visit(right) for right, asks in pairs_asked]
        names = [_COMPARISONS[type(operator)] for operator in node.ops]
        if len(names) == 1 and names[0] not in ("in", "not in") and not _is_truth(node):
            if names[0] in ("is_", "is_not"):
                if isinstance(node.left, ast.Constant) or isinstance(node.comparators[0], ast.Constant):
                    return ast.copy_location(ast.Compare(left=left, ops=node.ops, comparators=rights), node)
                method = "is_same" if names[0] == "is_" else "is_different"
                return ast.copy_location(routed(method, left, *rights), node)
            return ast.copy_location(routed("comparison", ast.Constant(names[0]), left, *rights), node)
        if not self._can_defer(*node.comparators):
            return ast.copy_location(ast.Compare(left=left, ops=node.ops, comparators=rights), node)
        pairs = [part for name, right in zip(names, rights, strict=True) for part in (ast.Constant(name), thunk(right))]
        return ast.copy_location(routed("compare", left, *pairs), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        test, then, orelse = self.test(node.test), self.visit(node.body), self.visit(node.orelse)
        if not self._can_defer(node.body, node.orelse):
            return ast.copy_location(ast.IfExp(test=test, body=then, orelse=orelse), node)
        return ast.copy_location(routed("choose", test, thunk(then), thunk(orelse)), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Mod):  # which formats text
            return ast.copy_location(routed("percent", left, right), node)
        return ast.copy_location(routed("binary", ast.Constant(BINARY[type(node.op)]), left, right), node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        # Text of a value is made before the next value is computed, which may change what the first one holds.
        parts = [self._formatted(part) if isinstance(part, ast.FormattedValue) else part for part in node.values]
        call: ast.AST = at(ast.copy_location(routed("joined", *parts), node), node)
        return call

    def _formatted(self, part: ast.FormattedValue) -> ast.expr:
        conversion = ast.Constant("" if part.conversion < 0 else chr(part.conversion))
        spec = ast.Constant("") if part.format_spec is None else self.visit(part.format_spec)
        elements = [at(self.visit(part.value), part.value), conversion, spec]
        call: ast.expr = at(routed("text", ast.Tuple(elts=elements, ctx=ast.Load())), part)
        return call

    def _comprehension(self, node: Any, *parts: str) -> Any:
        # The first iterable belongs to the scope around; everything else sees the targets.
        first, *others = node.generators
        written = [part for generator in node.generators for part in ast.walk(generator.target)]
        if any(isinstance(part, (ast.Attribute, ast.Subscript)) for part in written):
            raise Unconvertible  # `[... for self.item in items]` writes where no statement can announce it
        first.iter = at(routed("through", self.visit(first.iter)), first.iter)
        targets = bound_names([generator.target for generator in node.generators])
        outer, self.scope = self.scope, Scope(targets, parent=self.scope, kind="comprehension")
        for generator in others:
            generator.iter = at(routed("through", self.visit(generator.iter)), generator.iter)
        for generator in node.generators:
            generator.ifs = [self.visit(condition) for condition in generator.ifs]
        for part in parts:
            setattr(node, part, self.visit(getattr(node, part)))
        self.scope = outer
        return node

    def _selection(self, node: ast.ListComp | ast.GeneratorExp) -> bool:
        """Let data decide which items are taken: `(y for x in xs if c)` asks the router for none, one or perhaps one.

        (item for x in xs for item in __hybridize__.selected(lambda: y, lambda: c))
        """
        conditions = node.generators[-1].ifs
        if not conditions or any(binds(part) for part in (*conditions, node.elt)):
            return False
        node.generators[-1].ifs = []
        iterable = routed("selected", *map(thunk, (node.elt, *conditions)))
        item = f"{GENERATED}item__"
        clause = ast.comprehension(target=store(item), iter=at(iterable, conditions[0]), ifs=[], is_async=0)
        node.generators.append(at(clause, node.elt))
        node.elt = at(ast.Name(id=item, ctx=ast.Load()), node.elt)
        return True

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        comprehension = self._comprehension(node, "elt")
        if self._selection(comprehension):
            return ast.copy_location(routed("comprehension", comprehension), node)
        return _new(comprehension, node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        comprehension = self._comprehension(node, "elt")
        comprehension.elt = at(routed("key", comprehension.elt), comprehension.elt)
        return _new(comprehension, node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        comprehension = self._comprehension(node, "key", "value")
        comprehension.key = at(routed("key", comprehension.key), comprehension.key)
        return _new(comprehension, node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        comprehension: ast.GeneratorExp = self._comprehension(node, "elt")
        self._selection(comprehension)
        return _new(comprehension, node)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        if isinstance(node.ctx, ast.Load):
            value = at(routed("unpacked", self.visit(node.value)), node.value)
            return ast.copy_location(ast.Starred(value=value, ctx=ast.Load()), node)
        return self.generic_visit(node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        return ast.copy_location(ast.YieldFrom(value=at(routed("through", self.visit(node.value)), node.value)), node)

    def visit_List(self, node: ast.List) -> ast.AST:
        display = self.generic_visit(node)
        return _new(display, node) if isinstance(node.ctx, ast.Load) else display

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        values = [
            at(routed("named", self.visit(value)), value) if key is None else self.visit(value)
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        keys = [None if key is None else self._number(key) for key in node.keys]
        return _new(ast.Dict(keys=keys, values=values), node)

    def _number(self, node: ast.expr) -> ast.expr:
        """A value that decides where something is stored: the number, not the symbol that stands for it."""
        visited: ast.expr = self.visit(node)
        return visited if isinstance(node, ast.Constant) else at(routed("key", visited), node)

    def visit_Set(self, node: ast.Set) -> ast.AST:
        parts = [self.visit(part) if isinstance(part, ast.Starred) else self._number(part) for part in node.elts]
        return _new(ast.Set(elts=parts), node)

    def _mangled(self, name: str) -> str:
        """Private names as the compiler would write them."""
        around = self.class_name.lstrip("_")
        return f"_{around}{name}" if name.startswith("__") and not name.endswith("__") and around else name

    def _lambda(self, node: ast.Lambda) -> ast.Lambda:
        before = (self.scope, self.top, self.first_parameter)
        names = parameters(node.args) | bound_names([node.body])
        self.scope = Scope(names, parent=None if self.top else self.scope)
        self.top, self.first_parameter = False, first(node.args)
        body = self.visit(node.body)
        if node.args.kwarg is not None:
            first_of_all = ast.Tuple(
                elts=[_new(ast.Name(id=node.args.kwarg.arg, ctx=ast.Load()), node), body], ctx=ast.Load()
            )
            body = at(ast.Subscript(value=first_of_all, slice=ast.Constant(1), ctx=ast.Load()), node)
        function = ast.Lambda(args=node.args, body=body)
        self.scope, self.top, self.first_parameter = before
        return ast.copy_location(function, node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._visit_defaults(node.args)
        return self._lambda(node)

    def _visit_defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = [self.visit(default) for default in arguments.defaults]
        arguments.kw_defaults = [None if default is None else self.visit(default) for default in arguments.kw_defaults]


def _new(node: ast.AST, original: ast.AST) -> ast.expr:
    """A display of a container, announced."""
    call: ast.expr = at(routed("new", node), original)
    return call


def routed(method: str, *arguments: Any) -> ast.Call:
    """A call of a method of the router."""
    return ast.Call(func=attribute(method), args=list(arguments), keywords=[])


def attribute(name: str, owner: str = ROUTER) -> ast.Attribute:
    """An attribute of the router, or of another variable."""
    return ast.Attribute(value=ast.Name(id=owner, ctx=ast.Load()), attr=name, ctx=ast.Load())


def store(name: str) -> ast.Name:
    """A variable to be written."""
    return ast.Name(id=name, ctx=ast.Store())


def is_none(name: str) -> ast.Compare:
    """`name is None`."""
    return ast.Compare(left=ast.Name(id=name, ctx=ast.Load()), ops=[ast.Is()], comparators=[ast.Constant(None)])


def thunk(value: ast.expr) -> ast.Lambda:
    """`lambda: value`, with a parameter that nothing is given for: by its name it is known as generated."""
    mark = ast.arg(arg=THUNK)
    arguments = ast.arguments(posonlyargs=[], args=[], vararg=mark, kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.copy_location(ast.Lambda(args=arguments, body=value), value)


def at(node: Any, original: Any) -> Any:
    """Give a generated node, and all new ones in it, the first line of `original`: a frame shows the line it is in."""
    if not hasattr(node, "lineno"):
        node.lineno = node.end_lineno = original.lineno
        node.col_offset = node.end_col_offset = original.col_offset
    locate(node, node, once=True)  # blocks stand in generated functions, one in the other
    return node


def first(arguments: ast.arguments) -> str:
    """The name of the first parameter; empty where there is none."""
    every = [*arguments.posonlyargs, *arguments.args]
    return every[0].arg if every else ""


def strip_annotations(arguments: ast.arguments) -> None:
    """Remove the annotations: they belong to the scope around."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for argument in [*every, *(extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None)]:
        argument.annotation = None


def reads_frame(name: str, call: ast.Call) -> bool:
    """Tell whether a call looks into the frame it is made from."""
    return name in _FRAME_READERS and len(call.args) <= _FRAME_READERS[name]


def binds(node: ast.AST) -> bool:
    """Tell whether an expression binds names (`:=`) or suspends, which it must not do inside a generated lambda."""
    return any(isinstance(part, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)) for part in below([node]))


def unfolded(node: ast.If) -> ast.If:
    """`if a and (x := b)` as two statements, one in the other: what binds names cannot be put into a lambda."""
    test = node.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.BoolOp):
        turned = ast.If(test=test.operand, body=node.orelse or [at(ast.Pass(), node)], orelse=node.body)
        result = unfolded(ast.copy_location(turned, node))
        return node if result is turned else result
    if not isinstance(test, ast.BoolOp) or not any(map(binds, test.values[1:])):
        return node
    first, *others = test.values
    second = others[0] if len(others) == 1 else ast.copy_location(ast.BoolOp(op=test.op, values=others), test)
    inner = ast.copy_location(ast.If(test=second, body=node.body, orelse=node.orelse), node)
    if isinstance(test.op, ast.And):
        return ast.copy_location(ast.If(test=first, body=[inner], orelse=copy.deepcopy(node.orelse)), node)
    return ast.copy_location(ast.If(test=first, body=copy.deepcopy(node.body), orelse=[inner]), node)


def _is_truth(node: ast.Compare) -> bool:
    """Tell whether it is `x is True` and kin, whose answer depends on data where the bool does."""
    right = getattr(node.comparators[0], "value", None)
    return isinstance(node.ops[0], (ast.Is, ast.IsNot)) and type(right) is bool

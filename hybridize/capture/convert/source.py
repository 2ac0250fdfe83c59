# SPDX-License-Identifier: Apache-2.0
"""From a code object back to its source: the syntax tree of exactly that function, with the lines of its file.

A tree is only given when it compiles to the very bytecode that runs; a file that was edited after the import, or a
function made of text, has none. Functions and lambdas are found by their positions, so two lambdas on one line are
told apart.
"""

from __future__ import annotations
import __future__ as future

import ast
import linecache
import threading
from collections import OrderedDict
from collections.abc import Iterator
from types import CodeType
from typing import Any

from hybridize.base.forks import renewed
from hybridize.base.frozen import frozen
from hybridize.base.parsing import parsed
from hybridize.base.room import with_room
from hybridize.capture.convert.trees import below, locate, parts
from hybridize.system.interruptions import let_through

_FLAGS = 0
for _name in future.all_feature_names:
    _FLAGS |= getattr(future, _name).compiler_flag

_FILES = 32
"""The number of files whose outlines are remembered."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Definition = ast.FunctionDef | ast.Lambda


@frozen
class _Span:
    """The lines and columns of a definition in its file."""

    name: str
    first_line: int
    line: int
    end_line: int
    column: int
    end_column: int
    body: tuple[int, int, int, int]
    """Lines and columns of a lambda's body, as in `co_positions`."""
    class_name: str


@frozen
class FunctionSource:
    """The source of one function."""

    tree: Definition
    class_name: str
    """The class around it, whose name private names are mangled with; may be empty."""
    flags: int
    """Compiler flags of the `from __future__` imports of its file."""
    imported: frozenset[str] = frozenset()
    """Names that its module imports: calls of their attributes compile to other bytecode."""


@frozen
class _Outline:
    """The outline of a file: the definitions in it."""

    lines: list[str]
    by_line: dict[int, list[_Span]]
    imported: frozenset[str]


class _Outlines:
    """The definitions in files, found once per file; the files used last are remembered."""

    def __init__(self) -> None:
        self._lock = renewed(threading.RLock())
        self._known: OrderedDict[str, _Outline] = OrderedDict()

    def of(self, file: str, module_globals: dict[str, Any]) -> _Outline | None:
        if file.startswith("<frozen "):  # of a module that is part of Python itself
            file = module_globals.get("__file__") or file
        lines = _lines(file, module_globals)
        if not lines:
            return None
        with self._lock:
            known = self._known.get(file)
            if known is not None and known.lines is lines:
                self._known.move_to_end(file)
                return known
        try:
            module = parsed("".join(lines))
            spans = list(_spans(module, ""))
        except (SyntaxError, ValueError) as error:
            let_through(error)
            return None
        by_line: dict[int, list[_Span]] = {}
        for span in spans:
            by_line.setdefault(span.first_line, []).append(span)
        outline = _Outline(lines, by_line, frozenset(_imported(module)))
        with self._lock:
            self._known[file] = outline
            while len(self._known) > _FILES:
                self._known.popitem(last=False)
        return outline


_outlines = _Outlines()


def _lines(file: str, module_globals: dict[str, Any]) -> list[str]:
    """Read the lines of a file; none where the module's loader fails at it, as loaders without source may."""
    try:
        return linecache.getlines(file, module_globals)
    except Exception as error:
        let_through(error)
        return []


def _spans(node: ast.AST, class_name: str) -> Iterator[_Span]:
    for child in below(parts(node), ast.ClassDef):
        match child:
            case ast.FunctionDef(name=name, lineno=line):
                first = child.decorator_list[0].lineno if child.decorator_list else line
                yield _span(child, name, first, (0, 0, 0, 0), class_name)
            case ast.Lambda(body=body):
                inside = (body.lineno, body.end_lineno or 0, body.col_offset, body.end_col_offset or 0)
                yield _span(child, "<lambda>", child.lineno, inside, class_name)
            case ast.ClassDef(name=name):
                yield from _spans(child, name)


def _imported(node: ast.AST) -> Iterator[str]:
    """Names that the module itself imports."""
    for child in parts(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            names = (alias.asname or alias.name.split(".")[0] for alias in child.names)
            yield from (name for name in names if name != "*")
        elif isinstance(child, ast.stmt) and not isinstance(child, _SCOPES):
            yield from _imported(child)


def _span(node: Definition, name: str, first: int, body: tuple[int, int, int, int], class_name: str) -> _Span:
    end, end_column = node.end_lineno or 0, node.end_col_offset or 0
    return _Span(name, first, node.lineno, end, node.col_offset, end_column, body, class_name)


def find(code: CodeType, module_globals: dict[str, Any]) -> FunctionSource | None:
    """The source of `code`, or None where it is not at hand or is not what runs."""
    source = with_room(_lookup, code, module_globals)
    if source is None and code.co_filename in linecache.cache:
        linecache.checkcache(code.co_filename)  # the file may have been changed, and imported again
        source = with_room(_lookup, code, module_globals)
    return source


def _lookup(code: CodeType, module_globals: dict[str, Any]) -> FunctionSource | None:
    outline = _outlines.of(code.co_filename, module_globals)
    if outline is None:
        return None
    for span in outline.by_line.get(code.co_firstlineno, ()):
        if span.name != "<lambda>" or _is_within(_body_span(code), span.body):
            source = _taken(outline, span, code)
            # One that begins on the same line as another may be alike.
            if source is not None and (span.name != "<lambda>" or _body_span(_again(source, code)) == _body_span(code)):
                return source
    # Lines may have come before it since, and IPython's autoreload compiles a changed function apart from its file.
    elsewhere = (span for line, spans in outline.by_line.items() if line != code.co_firstlineno for span in spans)
    return next(filter(None, (_taken(outline, span, code) for span in elsewhere)), None)


def _taken(outline: _Outline, span: _Span, code: CodeType) -> FunctionSource | None:
    """The source in a span of a file, if it compiles to `code`."""
    if span.name != code.co_name:
        return None
    tree = _parse(outline.lines, span)
    # IPython compiles each statement of a cell apart: the functions of a cell know nothing of its imports.
    for imported in dict.fromkeys((outline.imported, frozenset[str]())):
        source = FunctionSource(tree, span.class_name, code.co_flags & _FLAGS, imported)
        if _is_source_of(source, code):
            return source
    return None


def is_edited(code: CodeType, module_globals: dict[str, Any]) -> bool:
    """Tell whether there is a file of the code, which does not say what runs; texts like `<string>` are many."""
    if code.co_filename.startswith("<"):
        return False
    return _outlines.of(code.co_filename, module_globals) is not None and find(code, module_globals) is None


def _body_span(code: CodeType) -> tuple[int, int, int, int] | None:
    """Lines and columns that the instructions of a lambda cover: those of its body."""
    spans = [
        (line, end, column, end_column)
        for line, end, column, end_column in code.co_positions()
        if line is not None and end is not None and column is not None and end_column is not None
        if (line, column) != (end, end_column)
    ]
    if not spans:
        return None
    line, column = min((span[0], span[2]) for span in spans)
    end, end_column = max((span[1], span[3]) for span in spans)
    return line, end, column, end_column


def _is_within(inner: tuple[int, int, int, int] | None, outer: tuple[int, int, int, int]) -> bool:
    """Tell whether lines and columns lie within others; instructions for parts that constants decide are left out."""
    if inner is None:
        return True
    line, end, column, end_column = inner
    first, last, first_column, last_column = outer
    return (first, first_column) <= (line, column) and (end, end_column) <= (last, last_column)


def _parse(lines: list[str], span: _Span) -> Definition:
    """The tree of a definition alone, with the positions it has in its file."""
    if span.name != "<lambda>":
        block = "".join(lines[span.line - 1 : span.end_line])
        nested = span.column > 0
        before = span.line - (2 if nested else 1)  # as many lines as there are in the file
        module = parsed("\n" * before + ("if 1:\n" + block if nested else block))
        statement: Any = module.body[0]
        definition = statement.body[0] if nested else statement
        assert isinstance(definition, ast.FunctionDef)
        return definition
    text = [lines[i] for i in range(span.line - 1, span.end_line)]
    # Columns of syntax trees count bytes of UTF-8.
    text[-1] = text[-1].encode()[: span.end_column].decode()
    text[0] = text[0].encode()[span.column :].decode()
    tree = parsed("(" + "".join(text) + ")", mode="eval").body
    assert isinstance(tree, ast.Lambda)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            shift = span.column - 1
            located: Any = node
            if located.lineno == 1:
                located.col_offset += shift
            if located.end_lineno == 1:
                located.end_col_offset += shift
    ast.increment_lineno(tree, span.line - 1)
    return tree


def compiled(tree: Definition, source: FunctionSource, free: tuple[str, ...], file: str) -> CodeType:
    """The code object of `tree`, whose free variables are `free` and which stands in the class of its source."""
    if isinstance(tree, ast.Lambda):
        inner: ast.stmt = ast.Expr(tree)
        name = "<lambda>"
    else:
        inner, name = tree, tree.name
    if source.class_name:
        inner = ast.ClassDef(name=source.class_name, bases=[], keywords=[], body=[inner], decorator_list=[])
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(arg=variable) for variable in free], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    # A body of its own keeps an Expr of a lambda from being dropped as a useless statement.
    factory = ast.FunctionDef(name="factory", args=arguments, body=[inner], decorator_list=[])
    if isinstance(inner, ast.Expr):
        factory.body = [ast.Return(inner.value)]
    elif isinstance(inner, ast.ClassDef) and isinstance(inner.body[0], ast.Expr):
        inner.body = [ast.Assign(targets=[ast.Name(id="kept", ctx=ast.Store())], value=inner.body[0].value)]
    # The function and its class are global names to what is inside, unless they are variables of a function around.
    own = {*([] if isinstance(tree, ast.Lambda) else [tree.name]), source.class_name} - {"", *free}
    if own:
        factory.body.insert(0, ast.Global(names=sorted(own)))
    module = ast.Module(body=[factory], type_ignores=[])
    if source.imported:
        names = [ast.alias(name=name) for name in sorted(source.imported)]
        module.body.append(ast.Import(names=names))
    factory.lineno = factory.end_lineno = tree.lineno
    factory.col_offset = factory.end_col_offset = 0
    # A tree of a function has all of its places.
    locate(module, factory, but=tree if isinstance(tree, ast.FunctionDef) else None)
    code = compile(module, file, "exec", flags=source.flags, dont_inherit=True)
    result = _nested(code, name, 3)
    assert result is not None
    return result


def _nested(code: CodeType, name: str, depth: int) -> CodeType | None:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_name == name and code.co_name != "<module>":
                return constant
            if depth:
                deeper = _nested(constant, name, depth - 1)
                if deeper is not None:
                    return deeper
    return None


def _strip(arguments: ast.arguments) -> None:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    for argument in every:
        if argument is not None:
            argument.annotation = None


def _is_source_of(source: FunctionSource, code: CodeType) -> bool:
    """Tell whether the tree compiles to `code`."""
    tree = source.tree
    if isinstance(tree, ast.FunctionDef):
        # They belong to the scope around.
        tree.decorator_list, tree.returns = [], None
    tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kwonlyargs)
    _strip(tree.args)
    again = _again(source, code)
    if _has_rewritten_asserts(code):
        count = code.co_argcount + code.co_kwonlyargcount
        return again.co_varnames[:count] == code.co_varnames[:count] and again.co_freevars == code.co_freevars
    return _alike(again, code)


def _again(source: FunctionSource, code: CodeType) -> CodeType:
    """Compile the tree in the place of `code`."""
    return compiled(source.tree, source, code.co_freevars, code.co_filename)


def _has_rewritten_asserts(code: CodeType) -> bool:
    """Tell whether pytest has written other code for the asserts of a function or of one in it."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return "@pytest_ar" in code.co_names or any(map(_has_rewritten_asserts, inner))


def _alike(x: CodeType, y: CodeType) -> bool:
    """Tell whether two code objects do the same, wherever their lines are."""
    if (x.co_code, x.co_names, x.co_varnames, x.co_freevars) != (y.co_code, y.co_names, y.co_varnames, y.co_freevars):
        return False
    if len(x.co_consts) != len(y.co_consts):
        return False
    return all(map(_alike_constants, x.co_consts, y.co_consts))


def _alike_constants(x: Any, y: Any) -> bool:
    if isinstance(x, CodeType) and isinstance(y, CodeType):
        return _alike(x, y)
    if isinstance(x, str) and isinstance(y, str) and "<locals>" in x:  # a class's name, which tells where it was made
        x, y = x.rsplit(".", 1)[-1], y.rsplit(".", 1)[-1]
    return type(x) is type(y) and (x == y or repr(x) == repr(y)) and (not isinstance(x, float) or repr(x) == repr(y))

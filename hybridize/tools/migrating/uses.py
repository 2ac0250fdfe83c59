# SPDX-License-Identifier: Apache-2.0
"""Uses of MXNet's names in a script: those that are not here or mean another thing, keywords, devices, compilers."""

from __future__ import annotations

import ast
import re
from functools import partial

from hybridize.tools.migrating import classes, meanings, names, numpys, versions
from hybridize.tools.migrating.edits import Edits
from hybridize.tools.migrating.findings import Findings
from hybridize.tools.migrating.imports import renamed, rewrite
from hybridize.tools.migrating.scopes import ScriptScope

_OTHERS = {
    "torch.jit.script": "hybridize(module) compiles it, control flow included: from hybridize import hybridize",
    "torch.jit.trace": "hybridize(module) compiles it, for any inputs: from hybridize import hybridize",
    "torch.compile": "hybridize(module) compiles it, too: from hybridize import hybridize",
    "tensorflow.lite.Interpreter": "the same methods: from hybridize.tflite import Interpreter; or load(path), a "
    "function of arrays",
}
"""Compilers of other frameworks, and what does the same here."""
_BY_STRING = ("import_module", "__import__", "find_spec", "importorskip")
"""Functions that take the name of a module as a string."""
_VARIABLES = re.compile(r"MXNET_(?!ENGINE_TYPE$|HOME$)[A-Z0-9_]+")
"""Variables of the environment that are MXNet's, and not read here as well."""
_CAUGHT_BY = ("MXNetError", "RuntimeError", "Exception", "BaseException")
"""Classes by which an `except` catches that there is no such device."""


class Uses(ast.NodeVisitor):
    """Goes through a script: rewrites its imports, and reports what it does with the names that they bind."""

    def __init__(self, edits: Edits, findings: Findings, own: frozenset[str]) -> None:
        self._edits, self._findings, self._own = edits, findings, own
        self._renamed = partial(renamed, own=own)
        self._scope: ScriptScope | None = None
        self._of_the_first = False
        self._unused: ast.expr | None = None
        self._may_fail = False

    def visit_Module(self, node: ast.Module) -> None:
        self._of_the_first = meanings.is_of_the_first(node)
        self._scope = ScriptScope(node, None, self._renamed)
        self.generic_visit(node)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        outer, self._scope = self._scope, ScriptScope(node, self._scope, self._renamed)
        if getattr(node, "name", "") == "hybrid_forward" and len(node.args.args) > 1:
            self._scope.bind(node.args.args[1].arg, f"{names.MXNET}.ndarray")
        self.generic_visit(node)
        self._scope = outer

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_function(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_function(node)

    def visit_Import(self, node: ast.Import) -> None:
        rewrite(node, self._edits, self._findings, self._own)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        rewrite(node, self._edits, self._findings, self._own)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        refusal = classes.refusal(node, [self._path(base) for base in node.bases])
        if refusal is not None:
            self._findings.human(node, "class", f"class {node.name}", refusal)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._ask_version(node)
        self.generic_visit(node)

    def _ask_version(self, node: ast.Compare | ast.Call) -> None:
        """Report a question for a version of MXNet that is answered in another way than its author meant."""
        remedy = versions.remedy(node, self._path)
        if remedy is not None:
            self._findings.human(node, "version", self._edits.text(node), remedy)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._path(node)
        if path is None:
            self.generic_visit(node)
        elif isinstance(node.ctx, ast.Load):
            self._look_at(node, path)

    def visit_Name(self, node: ast.Name) -> None:
        path = self._path(node)
        if path in _OTHERS and isinstance(node.ctx, ast.Load):
            self._findings.hint(node, "compiler", node.id, _OTHERS[path])

    def visit_Try(self, node: ast.Try) -> None:
        outer = self._may_fail
        self._may_fail = outer or any(_catches_devices(one.type) for one in node.handlers)
        for statement in node.body:
            self.visit(statement)
        self._may_fail = outer
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(part)

    def visit_Expr(self, node: ast.Expr) -> None:
        self._unused = node.value
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        path = self._path(node.func)
        if path is None and self._of_the_first and isinstance(node.func, ast.Attribute):
            remedy = meanings.remedy(node, node is not self._unused)
            if remedy is not None:
                self._findings.human(node, "method", self._edits.text(node), remedy)
        if path is not None and path.startswith(f"{names.ROOT}."):
            self._look_at_keywords(node, path)
        self._ask_version(node)
        first = node.args[0] if node.args else None
        loads = getattr(node.func, "attr", getattr(node.func, "id", "")) in _BY_STRING
        if loads and isinstance(first, ast.Constant) and self._renamed(str(first.value)) != first.value:
            remedy = f"a name in a string: {self._renamed(str(first.value))!r}"
            self._findings.human(node, "string", self._edits.text(node), remedy)
        self.generic_visit(node)

    def _look_at_keywords(self, node: ast.Call, path: str) -> None:
        """Report keywords that a function of ours surely does not take."""
        looked = names.look(path)
        keywords = [one.arg for one in node.keywords if one.arg is not None]
        unknown, known = names.unknown_keywords(looked.object, keywords) if not looked.missing else ([], [])
        for name in unknown:
            what = f"{self._edits.text(node.func)}({name}=...)"
            self._findings.human(node, "keyword", what, f"no such keyword; there are: {', '.join(known) or 'none'}")

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and _VARIABLES.fullmatch(node.value):
            self._findings.human(
                node, "variable", node.value, "hybridize does not read this variable: its own are in the guide"
            )

    def _path(self, node: ast.expr) -> str | None:
        assert self._scope is not None
        return self._scope.path(node, node.lineno)

    def _look_at(self, node: ast.Attribute, path: str) -> None:
        """Report what a chain of names leads to; `path` is what it stands for."""
        text = self._edits.text(node)
        if path in _OTHERS:
            self._findings.hint(node, "compiler", text, _OTHERS[path])
        now = numpys.renamed(path, self._edits.text(node.value))
        if now is not None:
            self._edits.replace(*self._edits.span(node), now)
            self._findings.hint(node, "numpy", text, f"NumPy has removed it: now {now}")
        if not path.startswith(f"{names.ROOT}."):
            return
        if names.is_gpu(path) and self._may_fail:
            return  # it asks whether there is one, and is answered
        if names.is_gpu(path):
            _, end = self._edits.span(node)
            self._edits.replace(end - len(node.attr), end, "cpu")
            self._findings.device(node, text)
            return
        looked = names.look(path)
        if looked.missing:
            surplus = path.count(".") - looked.missing.count(".")
            self._findings.missing(node, text.rsplit(".", surplus)[0] if surplus else text, looked.remedy)


def _catches_devices(kind: ast.expr | None) -> bool:
    """Tell whether an `except` of a class, or of several, catches that there is no such device."""
    classes_of = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(one is None or getattr(one, "attr", getattr(one, "id", "")) in _CAUGHT_BY for one in classes_of)

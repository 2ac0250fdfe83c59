# SPDX-License-Identifier: Apache-2.0
"""Import statements: those of MXNet, and of the helper module of the book, rewritten in place."""

from __future__ import annotations

import ast
import re

from hybridize.tools.migrating import names
from hybridize.tools.migrating.edits import Edits
from hybridize.tools.migrating.findings import Findings

_HOMES = {
    "mxnet": "hybridize",
    "d2l.mxnet": "hybridize.d2l", "d2l": "hybridize.d2l", "d2lzh": "hybridize.d2l", "gluonbook": "hybridize.d2l",
}  # fmt: skip
"""Packages by what takes their place. The book's helper module has had four names."""
_OTHERS = ("gluoncv", "gluonnlp", "gluonts", "autogluon", "mxboard", "horovod.mxnet", "byteps.mxnet", "keras_mxnet")
"""Packages that stand on MXNet themselves."""
_STAYS = ("d2l.torch", "d2l.tensorflow", "d2l.jax", "d2l.paddle")
"""Modules of the book for other frameworks."""


def renamed(path: str) -> str:
    """Return the dotted name that takes the place of one of MXNet; any other as it is.

    >>> renamed("mxnet.gluon.nn"), renamed("d2l.mxnet"), renamed("numpy.random")
    ('hybridize.gluon.nn', 'hybridize.d2l', 'numpy.random')
    """
    if any(_is_under(path, other) for other in _STAYS):
        return path
    for old, new in sorted(_HOMES.items(), key=lambda pair: -len(pair[0])):
        if _is_under(path, old):
            return new + path[len(old) :]
    return path


def _is_under(path: str, module: str) -> bool:
    return path == module or path.startswith(f"{module}.")


def rewrite(node: ast.Import | ast.ImportFrom, edits: Edits, findings: Findings) -> None:
    """Rewrite one statement, where it imports from MXNet, and report the names that are not there."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            _rewrite_module(node, alias, edits, findings)
    elif node.module is not None and not node.level:
        _rewrite_from(node, node.module, edits, findings)


def _rewrite_module(node: ast.Import, alias: ast.alias, edits: Edits, findings: Findings) -> None:
    """`import mxnet.gluon as gluon`."""
    new = renamed(alias.name)
    if new == alias.name:
        _report_others(node, alias.name, findings)
        return
    begin, end = edits.span(alias)
    if alias.asname:
        text = f"{new} as {alias.asname}"
    else:  # `import mxnet.gluon` gives the name mxnet
        top = alias.name.partition(".")[0]
        text = f"{renamed(top)} as {top}" + (f", {new}" if "." in alias.name else "")
    edits.replace(begin, end, text)
    _report_missing(node, alias.name, new, findings)


def _rewrite_from(node: ast.ImportFrom, module: str, edits: Edits, findings: Findings) -> None:
    """`from mxnet.gluon import nn`."""
    paths = {alias: renamed(f"{module}.{alias.name}") for alias in node.names}
    if module == "d2l" and any(path == f"{module}.{alias.name}" for alias, path in paths.items()):
        return  # `from d2l import torch as d2l`
    if all(path == f"{module}.{alias.name}" for alias, path in paths.items()):
        _report_others(node, module, findings)
        return
    home = next(iter(paths.values())).rpartition(".")[0]
    begin, _ = edits.span(node)
    head = edits.text(node)
    written = re.match(r"from(?:\s|\\)+", head)
    assert written is not None, "a statement that begins with from"
    start = begin + written.end()
    edits.replace(start, start + len(re.match(r"[\w\s.\\]*?(?=(?:\s|\\)+import\b)", head[written.end() :])[0]), home)  # type: ignore[index]
    for alias, path in paths.items():
        old, new = alias.name, path.rpartition(".")[2]
        if path == f"{names.ROOT}.gpu":
            new = "cpu"
            findings.device(node, f"from {module} import {alias.name}")
        if new != old:
            bound = alias.asname or old
            edits.replace(*edits.span(alias), new if bound == new else f"{new} as {bound}")
        if old != "*":
            _report_missing(node, f"{module}.{old}", f"{home}.{new}", findings)


def _report_missing(node: ast.stmt, old: str, new: str, findings: Findings) -> None:
    looked = names.look(new)
    if looked.missing:
        parts = looked.missing.count(".") - new.count(".")
        findings.missing(node, ".".join(old.split(".")[: parts or None]), looked.remedy)


def _report_others(node: ast.stmt, module: str, findings: Findings) -> None:
    if any(_is_under(module, other) for other in _OTHERS):
        findings.human(node, f"import {module}", "it stands on MXNet itself: write out, or vendor, the parts in use")

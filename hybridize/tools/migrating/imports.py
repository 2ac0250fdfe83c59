# SPDX-License-Identifier: Apache-2.0
"""Imports of MXNet, of the helper module of the book, of ONNX Runtime and LiteRT, rewritten in place."""

from __future__ import annotations

import ast
import re

from hybridize.tools.migrating import names
from hybridize.tools.migrating.edits import Edits
from hybridize.tools.migrating.findings import Findings

_HOMES = {
    "mxnet": names.MXNET,
    "onnxruntime": f"{names.ROOT}.onnx",
    "tflite_runtime.interpreter": f"{names.ROOT}.tflite", "ai_edge_litert.interpreter": f"{names.ROOT}.tflite",
    "d2l.mxnet": "hybridize.d2l", "d2l": "hybridize.d2l", "d2lzh": "hybridize.d2l", "gluonbook": "hybridize.d2l",
}  # fmt: skip
"""Packages by what takes their place. The book's helper module has had four names."""
_OTHERS = (
    "gluoncv", "gluoncv2", "gluonnlp", "gluonts.mx", "autogluon", "mxboard", "horovod.mxnet", "byteps.mxnet",
    "keras_mxnet", "gluonfr", "gluonar", "sockeye", "mxfusion", "xfer", "bert_embedding", "insightface", "mxop",
)  # fmt: skip
"""Packages that stand on MXNet themselves."""
_STAYS = ("d2l.torch", "d2l.tensorflow", "d2l.jax", "d2l.paddle")
"""Modules of the book for other frameworks."""
_FROM = re.compile(r"from(?:\s|\\)+([\w.]+)(?:\s|\\)+import\b")
"""The beginning of a statement, which may go over several lines."""


def renamed(path: str, own: frozenset[str] = frozenset()) -> str:
    """Return the dotted name that takes the place of one of these packages; any other as it is, and one of `own`.

    >>> renamed("mxnet.gluon.nn"), renamed("d2l.mxnet"), renamed("numpy.random")
    ('hybridize.mxnet.gluon.nn', 'hybridize.d2l', 'numpy.random')
    """
    if path.partition(".")[0] in own or any(_is_under(path, other) for other in _STAYS):
        return path
    for old, new in sorted(_HOMES.items(), key=lambda pair: -len(pair[0])):
        if _is_under(path, old):
            return new + path[len(old) :]
    return path


def _is_under(path: str, module: str) -> bool:
    return path == module or path.startswith(f"{module}.")


def rewrite(node: ast.Import | ast.ImportFrom, edits: Edits, findings: Findings, own: frozenset[str]) -> None:
    """Rewrite one statement, where it imports from what hybridize replaces, and report the names that are not there.

    Other packages that stand on MXNet are reported, but for those that are migrated with it (`own`).
    """
    if isinstance(node, ast.Import):
        for alias in node.names:
            if _is_others(alias.name, own):
                _report_others(node, alias.name, findings)
            elif renamed(alias.name, own) != alias.name:
                _rewrite_module(node, alias, edits, findings)
    elif node.module is not None and not node.level:
        if _is_others(node.module, own):
            _report_others(node, node.module, findings)
        else:
            _rewrite_from(node, node.module, edits, findings, own)


def _rewrite_module(node: ast.Import, alias: ast.alias, edits: Edits, findings: Findings) -> None:
    """`import mxnet.gluon as gluon`."""
    new = renamed(alias.name)
    begin, end = edits.span(alias)
    if alias.asname:
        text = f"{new} as {alias.asname}"
    else:  # `import mxnet.gluon` gives the name mxnet
        top = alias.name.partition(".")[0]
        text = f"{renamed(top)} as {top}" + (f", {new}" if "." in alias.name else "")
    edits.replace(begin, end, text)
    _report_missing(node, alias.name, new, findings)


def _rewrite_from(node: ast.ImportFrom, module: str, edits: Edits, findings: Findings, own: frozenset[str]) -> None:
    """`from mxnet.gluon import nn`."""
    paths = {alias: renamed(f"{module}.{alias.name}", own) for alias in node.names}
    if any(path == f"{module}.{alias.name}" for alias, path in paths.items()):
        return  # of another package, or `from d2l import torch as d2l`
    home = next(iter(paths.values())).rpartition(".")[0]
    written = _FROM.match(edits.text(node))
    if written is None:
        findings.human(node, "string", f"from {module}", f"blanks in a name: write {home}")
        return
    begin, _ = edits.span(node)
    edits.replace(begin + written.start(1), begin + written.end(1), home)
    for alias, path in paths.items():
        old, new = alias.name, path.rpartition(".")[2]
        if names.is_gpu(path):
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


def _is_others(module: str, own: frozenset[str]) -> bool:
    return module.partition(".")[0] not in own and any(_is_under(module, other) for other in _OTHERS)


def _report_others(node: ast.stmt, module: str, findings: Findings) -> None:
    package = module.partition(".")[0]
    remedy = f"it stands on MXNet itself: hybridize migrate --write its folder, too, or a copy ({package})"
    findings.human(node, "package", f"import {module}", remedy)

# SPDX-License-Identifier: Apache-2.0
"""Migrates one text of Python."""

from __future__ import annotations

import ast

from hybridize.base.frozen import frozen
from hybridize.tools.migrating.edits import Edits
from hybridize.tools.migrating.findings import Finding, Findings
from hybridize.tools.migrating.uses import Uses


@frozen
class Migrated:
    """A text, rewritten, and the report on it."""

    text: str
    findings: tuple[Finding, ...]
    readable: bool = True
    """False if it is no Python 3, and stays as it was."""


def migrate(text: str, own: frozenset[str] = frozenset()) -> Migrated:
    """Rewrite a script that was written for MXNet; comments and layout stay.

    Args:
        text: of either generation of Gluon, 1.x (`nd`, `sym`, `gpu()`) or 2.x (`np`, `npx`).
        own: packages that are migrated with it, whose names it may import.

    >>> print(migrate("from mxnet import autograd, nd  # as ever").text)
    from hybridize.mxnet import autograd, nd  # as ever
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        return unread(text, error.lineno, error.text, f"not Python 3 ({error.msg}): mend it, or run 2to3 first")
    edits, findings = Edits(text), Findings()
    Uses(edits, findings, own).visit(tree)
    return Migrated(edits.applied(), findings.sorted())


def unread(text: str, line: int | None, shown: str | None, remedy: str) -> Migrated:
    """Return what becomes of a text that is not read: it stays as it was, and the report says why."""
    return Migrated(text, (Finding(line or 1, "syntax", (shown or "").strip(), remedy),), readable=False)

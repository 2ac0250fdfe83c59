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


def migrate(text: str) -> Migrated:
    """Rewrite a script that was written for MXNet; comments and layout stay.

    Args:
        text: of either generation of Gluon, 1.x (`nd`, `sym`, `gpu()`) or 2.x (`np`, `npx`).

    >>> print(migrate("from mxnet import autograd, nd  # as ever").text)
    from hybridize import autograd, nd  # as ever
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        remedy = f"not Python 3 ({error.msg}): mend it, or run 2to3 first"
        return Migrated(text, (Finding(error.lineno or 1, (error.text or "").strip(), remedy),), readable=False)
    edits, findings = Edits(text), Findings()
    Uses(edits, findings).visit(tree)
    return Migrated(edits.applied(), findings.sorted())

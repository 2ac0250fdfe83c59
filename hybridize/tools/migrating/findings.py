# SPDX-License-Identifier: Apache-2.0
"""The report of a migration: where something stands, what it is, and what to do about it."""

from __future__ import annotations

import ast

from hybridize.base.frozen import frozen

KINDS = {
    "syntax": "not read: no Python 3, or no notebook",
    "name": "names that hybridize does not have",
    "class": "classes that cannot be made",
    "keyword": "keywords that a function does not take",
    "method": "methods that mean another thing of arrays of np",
    "version": "questions for a version of MXNet",
    "package": "packages that stand on MXNet",
    "string": "modules that are named in a string",
    "variable": "variables of MXNet's that nothing reads",
    "numpy": "names that NumPy has removed, which are rewritten",
    "device": "other devices, which are now the cpu",
    "compiler": "other compilers (they may stay)",
}
"""Subjects of a line of the report, the worst first."""


@frozen
class Finding:
    """One line of the report."""

    line: int
    kind: str
    """A word of KINDS."""
    text: str
    """As the script has it."""
    remedy: str
    done: bool = False
    """True if it is for information: nothing is left to do."""


class Findings:
    """Collects the lines of a report; one that was made already is not made twice for the same line."""

    def __init__(self) -> None:
        self._all: dict[Finding, None] = {}

    def human(self, node: ast.expr | ast.stmt, kind: str, what: str, remedy: str) -> None:
        """Report something that a human has to look at."""
        self._all[Finding(node.lineno, kind, what, remedy)] = None

    def missing(self, node: ast.expr | ast.stmt, what: str, remedy: str) -> None:
        """Report a name that hybridize does not have."""
        self.human(node, "name", what, f"not there; {remedy}")

    def device(self, node: ast.expr | ast.stmt, what: str) -> None:
        """Report that a device was changed."""
        self.hint(node, "device", what, "now cpu: GPUs are there only with HYBRIDIZE_DEVICE")

    def hint(self, node: ast.expr | ast.stmt, kind: str, what: str, remedy: str) -> None:
        """Report something that may stay as it is."""
        self._all[Finding(node.lineno, kind, what, remedy, done=True)] = None

    def sorted(self) -> tuple[Finding, ...]:
        """Return all, by line."""
        return tuple(sorted(self._all, key=lambda one: one.line))

# SPDX-License-Identifier: Apache-2.0
"""The report of a migration: where something stands, what it is, and what to do about it."""

from __future__ import annotations

import ast

from hybridize.base.frozen import frozen


@frozen
class Finding:
    """One line of the report."""

    line: int
    text: str
    """As the script has it."""
    remedy: str
    done: bool = False
    """True if it is for information: nothing is left to do."""


class Findings:
    """Collects the lines of a report; one that was made already is not made twice for the same line."""

    def __init__(self) -> None:
        self._all: dict[Finding, None] = {}

    def human(self, node: ast.expr | ast.stmt, what: str, remedy: str) -> None:
        """Report something that a human has to look at."""
        self._all[Finding(node.lineno, what, remedy)] = None

    def missing(self, node: ast.expr | ast.stmt, what: str, remedy: str) -> None:
        """Report a name that hybridize does not have."""
        self.human(node, what, f"not there; {remedy}")

    def device(self, node: ast.expr | ast.stmt, what: str) -> None:
        """Report that a device was changed."""
        self._all[Finding(node.lineno, what, "now cpu: there is no other device", done=True)] = None

    def hint(self, node: ast.expr | ast.stmt, what: str, remedy: str) -> None:
        """Report something that may stay as it is."""
        self._all[Finding(node.lineno, what, remedy, done=True)] = None

    def sorted(self) -> tuple[Finding, ...]:
        """Return all, by line."""
        return tuple(sorted(self._all, key=lambda one: one.line))

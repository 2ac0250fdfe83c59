# SPDX-License-Identifier: Apache-2.0
"""Changes of a source text at positions of its syntax tree; what is not replaced stays byte for byte."""

from __future__ import annotations

import ast
from itertools import accumulate


class Edits:
    """Collects replacements in a text, by the positions that `ast` gives: lines from 1, columns in bytes of UTF-8."""

    def __init__(self, text: str) -> None:
        self._bytes = text.encode()
        lengths = (len(line) for line in self._bytes.splitlines(keepends=True))  # of bytes: at newlines only, as Python
        self._starts = [0, *accumulate(lengths)]
        self._replaced: dict[tuple[int, int], bytes] = {}

    def offset(self, line: int, column: int) -> int:
        """Return a position of the syntax tree in bytes from the start."""
        return self._starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
        """Return the first byte of a node, and the one after its last."""
        begin = self.offset(node.lineno, node.col_offset)
        return begin, self.offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def text(self, node: ast.expr | ast.stmt | ast.alias) -> str:
        """Return the source of a node."""
        begin, end = self.span(node)
        return self._bytes[begin:end].decode()

    def replace(self, begin: int, end: int, text: str) -> None:
        """Put `text` in place of some bytes."""
        self._replaced[begin, end] = text.encode()

    def applied(self) -> str:
        """Return the text with all replacements done."""
        parts, at = [], 0
        for (begin, end), text in sorted(self._replaced.items()):
            assert begin >= at, "replacements do not overlap"
            parts += [self._bytes[at:begin], text]
            at = end
        return b"".join([*parts, self._bytes[at:]]).decode()

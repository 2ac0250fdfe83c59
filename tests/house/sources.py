"""The syntax of the package's files, which many tests of the house look through: each file is parsed once."""

import ast
import functools
from pathlib import Path


@functools.cache
def syntax(path: Path) -> ast.Module:
    """Return the syntax of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))

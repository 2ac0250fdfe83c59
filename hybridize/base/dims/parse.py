# SPDX-License-Identifier: Apache-2.0
"""The text of sizes, read back: what `text` and `SizeScope.lines` wrote.

size      = ["-"] product {("+" | "-") product}
product   = factor {"*" factor}
factor    = number | symbol | ("div" | "mod" | "max") "(" size "," size ")"
symbol    = name " in " low ".." [high] " like " hint
condition = size (" > 0" | " == 0" | " != 0")
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hybridize.base.dims.dim import FAR, Dim, Larger, Size
from hybridize.base.dims.scope import SizeCondition, SizeScope
from hybridize.base.dims.sizes import maximum
from hybridize.base.errors import GraphError

_TOKEN = re.compile(r"\d+|[a-z]\w*|[-+*(),]")
_SYMBOL = re.compile(r"([a-z]\w*) in (-?\d+)\.\.(-?\d+)? like (\d+)")
_CONDITION = re.compile(r"(\S+) (>|==|!=) 0")


def parse(written: str, symbols: Mapping[str, Size]) -> int:
    """Read a size.

    Raises:
        GraphError E901: it is no size, or names an unknown symbol.
    """
    tokens = _TOKEN.findall(written)
    reader = _Reader(tokens, symbols, written)
    if "".join(tokens) != written or not tokens:
        raise reader.error()
    result = reader.sum()
    if reader.tokens:
        raise reader.error()
    return result


def parse_scope(lines: Iterable[str]) -> tuple[SizeScope, dict[str, Dim]]:
    """Read what a program assumes of its sizes: the scope, and its symbols by name.

    Raises:
        GraphError E901: a line is neither a symbol nor a condition.
    """
    scope = SizeScope()
    scope.capturing = False
    symbols: dict[str, Dim] = {}
    for line in lines:
        symbol, condition = _SYMBOL.fullmatch(line), _CONDITION.fullmatch(line)
        if symbol is not None and symbol[1] not in symbols:
            name, low, high, hint = symbol.groups()
            bounds = int(low), int(high) if high else FAR
            symbols[name] = scope.symbol(int(hint), name=name, low=bounds[0], high=bounds[1])
        elif condition is not None:
            dim: object = parse(condition[1], symbols)
            if isinstance(dim, Dim):
                scope.assume(SizeCondition(dim, condition[2]))
        else:
            raise GraphError("E901", f"{line!r} says nothing about sizes", help="it reads like n0 in 2..64 like 9")
    return scope, symbols


class _Reader:
    """Recursive descent over the tokens of a size."""

    def __init__(self, tokens: list[str], symbols: Mapping[str, Size], written: str) -> None:
        self.tokens = tokens
        self.symbols = symbols
        self.written = written

    def error(self) -> GraphError:
        return GraphError("E901", f"{self.written!r} is not a size", help="a size reads like 12 or 2*n0+1")

    def take(self, expected: str) -> bool:
        if self.tokens and self.tokens[0] == expected:
            self.tokens.pop(0)
            return True
        return False

    def sum(self) -> int:
        total = -self.product() if self.take("-") else self.product()
        while self.tokens and self.tokens[0] in "+-":
            sign = self.tokens.pop(0)
            part = self.product()
            total = total + part if sign == "+" else total - part
        return total

    def product(self) -> int:
        total = self.factor()
        while self.take("*"):
            total = total * self.factor()
        return total

    def factor(self) -> int:
        if not self.tokens:
            raise self.error()
        token = self.tokens.pop(0)
        if token.isdigit():
            return int(token)
        if token in _OPERATIONS and self.take("("):
            first = self.sum()
            comma = self.take(",")
            second = self.sum()
            if not (comma and self.take(")")):
                raise self.error()
            result: int = _OPERATIONS[token](first, second)
            return result
        if token not in self.symbols:
            raise self.error()
        return self.symbols[token]  # type: ignore[return-value]


def _larger(x: Size, y: Size) -> Size:
    """The larger of two sizes; which of them is so for all calls was asked when the text was written."""
    dim = x if isinstance(x, Dim) else y
    return dim.scope.atom(Larger, x, y) if isinstance(dim, Dim) else maximum(x, y)


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "div": lambda x, y: x // y,
    "mod": lambda x, y: x % y,
    "max": _larger,
}

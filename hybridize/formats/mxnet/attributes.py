# SPDX-License-Identifier: Apache-2.0
"""The attributes of an operator node: strings in the dialects of MXNet 1.x, 2.x and Python 2, read as values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from hybridize.base.errors import LoadError

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|nan)")
_DEPTH = 4
_LONGEST = 1 << 16
"""Characters of a value. Reading takes time by their square, and no operator has as many numbers."""


class Attributes:
    """The attributes of a loop or a branch, which are numbers and places of inputs.

    An absent attribute has the operator's default.
    """

    def __init__(self, op: str, node: str, values: Mapping[str, str], source: str = "") -> None:
        self.op = op
        self._where = f"{f'{source}: ' if source else ''}operator {op}, node {node!r}"
        self._values = values

    def fail(self, what: str) -> NoReturn:
        """Raise the `LoadError` of this node."""
        raise LoadError("E603", f"{self._where}: {what}")

    def integer(self, key: str, default: int) -> int:
        """An int."""
        value = self._value(key, default)
        if not isinstance(value, int):
            self.fail(f"{key} must be an integer, got {self._values.get(key)!r}")
        return value

    def integers(self, key: str) -> tuple[int, ...]:
        """A tuple of ints; a bare int is a tuple of one."""
        value = self._value(key, ())
        values = (value,) if isinstance(value, int) else value
        if not isinstance(values, tuple) or any(not isinstance(item, int) for item in values):
            self.fail(f"{key} must be a tuple of integers, got {self._values.get(key)!r}")
        return values

    def _value(self, key: str, default: Any) -> Any:
        text = self._values.get(key)
        if text is None:
            return default
        try:
            return parse_value(text)
        except ValueError:
            self.fail(f"{key} cannot be read, got {text[:80]!r}")


def parse_value(text: str) -> Any:
    """`(3L, 3)`, `[3,3]`, `-1`, `1e-05`, `None`, `((0, 0), (1, 1))`, `True` as ints, floats, tuples, None, bools.

    Raises:
        ValueError: the text is none of these, or longer than 65,536 characters.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"{len(text)} characters")
    value, rest = _parse(text.strip(), 0)
    if rest.strip():
        raise ValueError(text)
    return value


def _parse(text: str, depth: int) -> tuple[Any, str]:
    if depth > _DEPTH:
        raise ValueError("nested too deeply")
    if text[:1] in ("(", "["):
        return _parse_tuple(text, depth)
    for word, value in (("None", None), ("True", True), ("False", False), ("true", True), ("false", False)):
        if text.startswith(word):
            return value, text[len(word) :]
    match = _NUMBER.match(text)
    if match is None:
        raise ValueError(text)
    rest = text[match.end() :]
    digits = match[0]
    if digits.lstrip("+-").isdigit():
        return int(digits), rest.removeprefix("L")
    return float(digits), rest


def _parse_tuple(text: str, depth: int) -> tuple[Any, str]:
    close = {"(": ")", "[": "]"}[text[0]]
    rest = text[1:].lstrip()
    items: list[Any] = []
    while not rest.startswith(close):
        item, rest = _parse(rest, depth + 1)
        items.append(item)
        rest = rest.lstrip()
        if rest.startswith(","):
            rest = rest[1:].lstrip()
        elif not rest.startswith(close):
            raise ValueError(text)
    return tuple(items), rest[1:]

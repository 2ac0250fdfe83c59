# SPDX-License-Identifier: Apache-2.0
"""The attributes of an operator node: strings in the dialects of MXNet 1.x, 2.x and Python 2, read as values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from hybridize.base.dtypes import BY_NAME, DType
from hybridize.base.errors import LoadError

_TRUE, _FALSE = ("True", "true", "1"), ("False", "false", "0")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|nan)")
_DEPTH = 4
_LONGEST = 1 << 16
"""Characters of a value. Reading takes time by their square, and no operator has as many numbers."""


class Attributes:
    """The attributes of a node's operator. An absent attribute has the operator's default.

    Hidden attributes (`__shape__`, ...) are not the operator's and are left out.
    """

    def __init__(self, op: str, node: str, values: Mapping[str, str], source: str = "", np_shape: bool = False) -> None:
        self.op, self.node, self.source = op, node, source
        self.np_shape = np_shape
        """True if the graph was saved under NumPy's shapes: sizes of 0 are real then, otherwise they are not known."""
        self.values = {key: value for key, value in values.items() if not key.startswith("__")}

    def fail(self, what: str, help: str = "") -> NoReturn:
        """Raise the `LoadError` of this node."""
        where = f"{self.source}: " if self.source else ""
        raise LoadError("E603", f"{where}operator {self.op}, node {self.node!r}: {what}", help=help)

    def _text(self, key: str) -> str | None:
        text = self.values.get(key)
        return None if text is None else text.strip()

    def text(self, key: str, default: str) -> str:
        """A word."""
        text = self._text(key)
        return default if text is None else text

    def flag(self, key: str, default: bool) -> bool:
        """A boolean: True, true or 1."""
        text = self._text(key)
        if text is None or text == "None":
            return default
        if text not in _TRUE + _FALSE:
            self.fail(f"{key} must be a boolean, got {text!r}")
        return text in _TRUE

    def number(self, key: str, default: float | None = None) -> float:
        """An int or a float."""
        value = self._value(key, default)
        if not isinstance(value, (int, float)):
            self.fail(f"{key} must be a number, got {self.values.get(key)!r}")
        return value

    def integer(self, key: str, default: int | None = None) -> int:
        """An int."""
        value = self._value(key, default)
        if not isinstance(value, int):
            self.fail(f"{key} must be an integer, got {self.values.get(key)!r}")
        return value

    def optional_integer(self, key: str, default: int | None = None) -> int | None:
        """An int or None."""
        value = self._value(key, default, required=False)
        if value is not None and not isinstance(value, int):
            self.fail(f"{key} must be an integer or None, got {self.values.get(key)!r}")
        return value

    def integers(self, key: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """A tuple of ints; a bare int is a tuple of one."""
        value = self._value(key, default)
        values = (value,) if isinstance(value, int) else value
        if not isinstance(values, tuple) or any(not isinstance(item, int) for item in values):
            self.fail(f"{key} must be a tuple of integers, got {self.values.get(key)!r}")
        return values

    def numbers(self, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """A tuple of ints and floats; a bare number is a tuple of one."""
        value = self._value(key, default)
        values = (value,) if isinstance(value, (int, float)) else value
        if not isinstance(values, tuple) or any(not isinstance(item, (int, float)) for item in values):
            self.fail(f"{key} must be a tuple of numbers, got {self.values.get(key)!r}")
        return tuple(map(float, values))

    def axes(self, key: str, default: tuple[int, ...] | None = None) -> tuple[int, ...] | None:
        """Axes: None or `()` means all of them."""
        value = self._value(key, default, required=False)
        if value is None or value == ():
            return None
        return self.integers(key)

    def positions(self, key: str) -> tuple[int | None, ...]:
        """Ends of slices: ints or None."""
        value = self._value(key, None)
        values = value if isinstance(value, tuple) else (value,)
        if any(not isinstance(item, int) and item is not None for item in values):
            self.fail(f"{key} must be a tuple of integers or None, got {self.values.get(key)!r}")
        return values

    def dtype(self, key: str, default: DType | None) -> DType | None:
        """An element type by name."""
        text = self._text(key)
        if text is None or text in ("None", "-1"):
            return default
        if text not in BY_NAME:
            self.fail(f"{key} must be an element type, got {text!r}")
        return BY_NAME[text]

    def only(self, **allowed: object) -> None:
        """Demand that attributes whose effect is not implemented have the values that mean no effect."""
        for key, value in allowed.items():
            text = self._text(key)
            if text is not None and text != "None" and text != str(value) and self._parsed(key, text) != value:
                self.fail(f"{key}={text} is not supported, only {value}")

    def _value(self, key: str, default: Any, *, required: bool = True) -> Any:
        text = self._text(key)
        if text is None:
            if default is None and required:
                self.fail(f"the attribute {key} is missing")
            return default
        return self._parsed(key, text)

    def _parsed(self, key: str, text: str) -> Any:
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

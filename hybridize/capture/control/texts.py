# SPDX-License-Identifier: Apache-2.0
"""Text of values that only calls of the program have: f-strings, `str(x)`, `"%.3f" % x`, `"{}".format(x)`.

While capturing such text is a `Text`, which knows how to make the string and of what: a recipe (`runtime.recipes`), in
which symbols stand for the values. It can be printed, raised, returned, kept outside and put into other text, all of
which happens at each call. What needs its characters at once (a comparison, a key) is refused.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any, NoReturn

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.capture.control.truth import plain
from hybridize.capture.trace.recording import current_trace
from hybridize.ops.op import constant
from hybridize.runtime.recipes import CONVERSIONS, Recipe, name_of

_LITERALS = (str, int, bool, bytes, type(None))


class Text:
    """A string that each call of the program makes of its values."""

    __slots__ = ("recipe",)

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        """With symbols in place of the numbers of operands."""

    def __repr__(self) -> str:
        return "<text of values that only a call has>"

    def __format__(self, spec: str) -> str:
        self._refuse("the string")

    def __add__(self, other: Any) -> Any:
        return joined(self, other) if isinstance(other, (str, Text)) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return joined(other, self) if isinstance(other, str) else NotImplemented

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(str, name):
            raise AttributeError(f"'str' object has no attribute {name!r}")
        self._refuse(f"{name}()")

    def _refuse(self, what: str) -> NoReturn:
        error = CaptureError(
            "E424", f"{what} of text is needed while capturing, and the text is made of values that only a call has",
            help="print it, raise it, return it or keep it outside; compare the values themselves",
        )  # fmt: skip
        trace = current_trace()
        raise error if trace is None else trace.root.refusing(error)


def _refusing(name: str) -> Callable[..., Any]:
    def method(self: Text, *args: Any) -> Any:
        self._refuse(name)

    return method


for _name, _said in {
    "__str__": "the string", "__eq__": "a comparison", "__ne__": "a comparison", "__lt__": "a comparison",
    "__le__": "a comparison", "__gt__": "a comparison", "__ge__": "a comparison", "__hash__": "the hash",
    "__len__": "the length", "__iter__": "a character", "__getitem__": "a character", "__contains__": "a character",
    "__bool__": "the truth", "__mul__": "a repetition", "__mod__": "a format", "__index__": "the number",
}.items():  # fmt: skip
    setattr(Text, _name, _refusing(_said))


def of_data(value: Any) -> bool:
    """Tell whether text of a value needs what only a call has; numbers among the arguments become part of the key."""
    kind = type(value)
    if kind is Text:
        return True
    if kind is Symbol:
        return type(plain(value)) is Symbol
    if kind is ndarray:
        return current_trace() is not None
    if kind in (tuple, list):
        return any(map(of_data, value))
    return kind is dict and any(map(of_data, value.values()))


def recipe_of(value: Any) -> Recipe:
    """The recipe of a value as it is now; what is written to arrays later is not seen."""
    kind = type(value)
    if kind is Text:
        made: Recipe = value.recipe
        return made
    if kind is ndarray:
        trace = current_trace()
        value = value if trace is None else trace.lift(value)
    if kind is Symbol:
        value = plain(value)
    if type(value) is Symbol:
        snapshot = Symbol.of(staging(), value.operand(), weak=value.weak)
        return "value", snapshot, "array" if value.weak is None else value.weak.__name__
    if kind in (tuple, list):
        return kind.__name__, tuple(map(recipe_of, value))
    if kind is dict:
        return "dict", tuple((plain(key), recipe_of(part)) for key, part in value.items())
    return "constant", value


def text(*parts: Any) -> Any:
    """An f-string: its parts in a row, strings and (value, conversion, format)."""
    if not any(type(part) is tuple and (of_data(part[0]) or of_data(part[2])) for part in parts):
        return "".join([part if type(part) is str else _known(*part) for part in parts])
    made: list[Any] = []
    for part in parts:
        if type(part) is str:
            made.append(part)
        elif of_data(part[0]) or of_data(part[2]):
            made.append((recipe_of(part[0]), part[1], recipe_of(part[2])))
        else:
            made.append(_known(*part))
    return Text(("text", tuple(made)))


def _known(value: Any, conversion: str, spec: str) -> str:
    value = plain(value)
    return format(CONVERSIONS[conversion](value) if conversion else value, spec)


def joined(*parts: Any) -> Any:
    """Strings and texts in a row."""
    if all(type(part) is str for part in parts):
        return "".join(parts)
    return Text(("text", tuple(part if type(part) is str else (part.recipe, "", ("constant", "")) for part in parts)))


def string(value: Any = "", *others: Any) -> Any:
    """`str(value)`."""
    return text((value, "s", "")) if not others and of_data(value) else str(plain(value), *others)


def representation(value: Any) -> Any:
    """`repr(value)`."""
    return text((value, "r", "")) if of_data(value) else repr(plain(value))


def formatted(value: Any, spec: Any = "") -> Any:
    """`format(value, spec)`."""
    return text((value, "", spec))


def percent(left: Any, right: Any) -> Any:
    """`left % right`, which is a format where `left` is a string."""
    if type(left) is str and of_data(right):
        return Text(("percent", left, recipe_of(right)))
    return left % (plain(right) if type(left) is str else right)


def method(owner: str, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """A method of a string whose arguments are values or text of the program; NotImplemented for all others."""
    if name == "join" and args:
        parts = list(args[0])
        if not any(type(part) is Text for part in parts):
            return owner.join(parts)
        between = [x for part in parts for x in (owner, part)][1:]
        return joined(*between)
    if not any(map(of_data, args)) and not any(map(of_data, kwargs.values())):
        return NotImplemented
    if name == "format":
        named = tuple((key, recipe_of(value)) for key, value in kwargs.items())
        return Text(("format", owner, tuple(map(recipe_of, args)), named))
    raise CaptureError(
        "E424", f"str.{name}() of values that only a call has", help="use an f-string, print it or return it"
    )


def bound(recipe: Any, number: Callable[[Symbol], int]) -> Any:
    """A recipe with the numbers of operands in place of symbols."""
    if type(recipe) is not tuple:
        return recipe
    match recipe:
        case ("value", Symbol() as symbol, kind):
            return "value", number(symbol), kind
        case ("constant", _):
            return recipe
    return tuple(bound(part, number) for part in recipe)


def literal(recipe: Recipe, before: list[Any] | None = None) -> tuple[Any, list[Any]]:
    """A recipe as a literal of Python's, and the operands of the graph that it is about, after those `before`."""
    operands: list[Any] = list(before or ())

    def number(symbol: Symbol) -> int:
        operands.append(symbol._cell.value)
        return len(operands) - 1

    def checked(part: Any) -> Any:
        match part:
            case ("constant", float() as value):
                if math.isfinite(value) and type(value) is float:
                    return part
                operands.append(constant(numpy.asarray(value, "float64")))
                return "value", len(operands) - 1, "float"
            case ("constant", value) if type(value) in _LITERALS or _is_literal(value):
                return part
            case ("constant", type() | FunctionType() as thing):
                return "named", name_of(thing)
            case ("constant", enum.Enum() as member) if member.name in type(member).__members__:
                return "member", name_of(type(member)), member.name
            case ("constant", value):
                raise CaptureError(
                    "E433", f"an exception that depends on data has an argument of {type(value).__name__}",
                    help="give it text and values",
                )  # fmt: skip
            case tuple():
                return tuple(map(checked, part))
        return part

    return checked(bound(recipe, number)), operands


def _is_literal(value: Any) -> bool:
    return type(value) is tuple and all(type(part) in _LITERALS or _is_literal(part) for part in value)

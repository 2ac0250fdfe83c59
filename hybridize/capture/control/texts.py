# SPDX-License-Identifier: Apache-2.0
"""Text of values that only calls of the program have: f-strings, `str(x)`, `"%.3f" % x`, `"{}".format(x)`.

While capturing such text is a `Text`, which knows how to make the string and of what: a recipe (`runtime.recipes`), in
which symbols stand for the values. It can be printed, raised, returned, kept outside and put into other text, all of
which happens at each call. What needs its characters at once (a comparison, a key) is refused.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import operator
import re
from _string import formatter_field_name_split, formatter_parser  # type: ignore[import-not-found]
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, NoReturn

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.base.faces import Face
from hybridize.base.tracebacks import as_python
from hybridize.capture.control.rolled_lists import unroll
from hybridize.capture.control.special import binary, dataclass_of, is_users_object
from hybridize.capture.control.special import method as special
from hybridize.capture.control.truth import plain, refusal
from hybridize.capture.outside.objects import is_users
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.places import static
from hybridize.contract.snapshots import CONTAINERS, MISSING
from hybridize.ops.op import constant, in_charge
from hybridize.runtime.recipes import CONVERSIONS, Recipe, name_of

_CONVERSION = re.compile(r"%(?:\(\w+\))?[#0\- +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?([a-zA-Z%])")
"""A conversion in a format of `%`."""
_LITERALS = (str, int, bool, bytes, type(None))


class Text:
    """A string that each call of the program makes of its values."""

    __slots__ = ("recipe",)

    def __init__(self, recipe: Recipe) -> None:
        self.recipe: Recipe = recipe
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
        _refuse_now(f"{what} of text")


def _refuse_now(what: str) -> NoReturn:
    raise refusal(
        "E424", f"{what} is needed while capturing, but the text contains values that are known only at run time",
        help="print, raise, return or store the text, and compare the values themselves",
    )  # fmt: skip


def _refusing(name: str) -> Callable[..., Any]:
    def method(self: Text, *args: Any) -> Any:
        self._refuse(name)

    return method


for _name, _message in {
    "__str__": "the string", "__eq__": "a comparison", "__ne__": "a comparison", "__lt__": "a comparison",
    "__le__": "a comparison", "__gt__": "a comparison", "__ge__": "a comparison", "__hash__": "the hash",
    "__len__": "the length", "__iter__": "a character", "__getitem__": "a character", "__contains__": "a character",
    "__bool__": "the truth", "__mul__": "a repetition", "__mod__": "a format", "__index__": "the number",
}.items():  # fmt: skip
    setattr(Text, _name, _refusing(_message))


def of_data(value: Any) -> bool:
    """Tell whether text of a value needs what only a call has; numbers among the arguments become part of the key."""
    kind = type(value)
    if kind is Text or isinstance(value, Face):
        return True
    unroll(current_trace(), value)
    if kind is Symbol:
        return type(plain(value)) is Symbol
    if issubclass(kind, ndarray):
        return current_trace() is not None
    if kind in (tuple, list):
        return any(map(of_data, value))
    return kind is dict and any(map(of_data, value.values()))


def recipe_of(value: Any) -> Recipe:
    """The recipe of a value as it is now; what is written to arrays later is not seen."""
    kind = type(value)
    if kind is Text:
        recipe: Recipe = value.recipe
        return recipe
    if isinstance(value, Face):
        recording = in_charge(Recording)
        assert recording.root.library is not None, "whose arrays have faces"
        shown = recording.root.library.text_kind(recording, value)
        return "value", Symbol.of(staging(), value.array.operand()), shown
    if issubclass(kind, ndarray):
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
    return "constant", spelled(value)


def text(*parts: Any) -> Any:
    """An f-string: its parts in a row, strings and (value, conversion, format)."""
    parts = tuple((_number(part[0]), *part[1:]) if type(part) is tuple and not part[1] else part for part in parts)
    parts = tuple(_user_text(*part) if type(part) is tuple and speaks(part[0]) else part for part in parts)
    if not any(type(part) is tuple and (of_data(part[0]) or of_data(part[2])) for part in parts):
        return "".join([part if type(part) is str else _constant_text(*part) for part in parts])
    pieces: list[Any] = []
    for part in parts:
        if type(part) is str:
            pieces.append(part)
        elif of_data(part[0]) or of_data(part[2]):
            pieces.append((recipe_of(part[0]), part[1], recipe_of(part[2])))
        else:
            pieces.append(_constant_text(*part))
    return Text(("text", tuple(pieces)))


def _number(value: Any) -> Any:
    """Return a number in the place of an array of another library that has no axes; whatever else as it is."""
    trace = current_trace()
    if not isinstance(value, Face) or trace is None or trace.root.library is None or value.array.shape:
        return value
    return trace.root.library.number(value, None)


def speaks(value: Any, depth: int = 8) -> bool:
    """Tell whether the user's code may say what the text of a value is: one of a class of theirs, or that holds one."""
    kind = type(value)
    unroll(current_trace(), value, depth)
    if kind in (list, tuple, set, frozenset) and depth:
        return any(speaks(part, depth - 1) for part in value)
    if kind is dict and depth:
        return any(speaks(part, depth - 1) for pair in value.items() for part in pair)
    return is_users_object(value) and current_trace() is not None


def _user_text(value: Any, conversion: str, spec: Any) -> tuple[Any, str, Any]:
    """A part of text with what the user's code says in place of a value."""
    kind = type(value)
    trace = current_trace()
    if kind in CONTAINERS:
        return (value, conversion, spec) if conversion == "a" or spec != "" else (_displayed(value), "", "")
    if not conversion:
        formatter = special(trace, value, "__format__")
        if formatter is not None:
            answer = formatter(spec)
            if not isinstance(answer, str | Text):
                raise TypeError(f"__format__ must return a str, not {type(answer).__name__}")
            return answer, "", ""
        if spec != "" or static(kind, "__format__") is not object.__format__:
            return value, conversion, spec
    shown = special(trace, value, "__str__") if conversion != "r" and conversion != "a" else None
    if shown is not None:
        return _checked(shown(), "__str__"), "", spec
    if conversion in ("", "s") and static(kind, "__str__") is not object.__str__:
        return value, conversion, spec
    answer = _representation(value)
    if answer is MISSING:
        return value, conversion, spec
    return answer, "a" if conversion == "a" and type(answer) is str else "", spec


def _checked(answer: Any, name: str) -> Any:
    if not isinstance(answer, (str, Text)):
        raise TypeError(f"{name} returned non-string (type {type(answer).__name__})")
    return answer


def _representation(value: Any) -> Any:
    """Return what `repr` gives for an object of the user's class; MISSING where its class says nothing."""
    trace, kind = current_trace(), type(value)
    fields: Any = dataclass_of(kind, "__repr__")
    if fields is not None and trace is not None:
        read = trace.root.converter(getattr)
        names = [field.name for field in dataclasses.fields(fields) if field.repr]
        return _fields(kind.__qualname__, [(name, read(value, name)) for name in names])
    if isinstance(value, tuple) and hasattr(kind, "_fields") and not is_users(static(kind, "__repr__")):
        return _fields(kind.__name__, zip(kind._fields, value, strict=True))
    shown = special(trace, value, "__repr__")
    return MISSING if shown is None else _checked(shown(), "__repr__")


def _fields(name: str, values: Iterable[tuple[str, Any]]) -> Any:
    return _row(f"{name}(", [(f"{field}=", (value, "r", "")) for field, value in values], ")")


def _displayed(container: Any) -> Any:
    """Return what `repr` gives for a container with objects of the user's classes."""
    kind = type(container)
    if kind is dict:
        return _row("{", [((key, "r", ""), ": ", (part, "r", "")) for key, part in container.items()], "}")
    items = [((part, "r", ""),) for part in container]
    if kind is list:
        return _row("[", items, "]")
    if kind is tuple:
        return _row("(", items, ",)" if len(items) == 1 else ")")
    return _row("{", items, "}") if kind is set else _row(f"{kind.__name__}({{", items, "})")


def _row(start: str, items: list[tuple[Any, ...]], end: str) -> Any:
    """Parts of text with commas between them."""
    between = [part for item in items for part in (", ", *item)][1:]
    return text(start, *between, end)


def spelled(value: Any, depth: int = 8) -> Any:
    """Return a value whose text is asked for now: its containers hold the numbers that symbols in them stand for.

    Raises:
        CaptureError E424: one holds an array, whose text only a call can have.
    """
    kind = type(value)
    if isinstance(value, Face):
        _refuse_now("the text of a container that holds an array")
    if kind is Symbol or (issubclass(kind, ndarray) and current_trace() is not None):
        known = plain(value)
        if isinstance(known, (Symbol, ndarray)):
            _refuse_now("the text of a container that holds an array")
        return known
    if kind not in CONTAINERS or not depth:
        return value
    members = [*value.keys(), *value.values()] if isinstance(value, dict) else list(value)
    parts = [spelled(part, depth - 1) for part in members]
    if all(part is before for part, before in zip(parts, members, strict=True)):
        return value
    if isinstance(value, dict):
        items = zip(parts[: len(value)], parts[len(value) :], strict=True)
        return defaultdict(value.default_factory, items) if isinstance(value, defaultdict) else kind(items)
    return deque(parts, value.maxlen) if kind is deque else kind(parts)


@as_python
def _constant_text(value: Any, conversion: str, spec: str) -> str:
    value = spelled(value)
    return format(CONVERSIONS[conversion](value) if conversion else value, spec)


def joined(*parts: Any) -> Any:
    """Strings and texts in a row."""
    if all(type(part) is str for part in parts):
        return "".join(parts)
    pieces: list[Any] = []
    for part in parts:
        if type(part) is Text and part.recipe[0] == "text":
            pieces += part.recipe[1]
        else:
            pieces.append((part.recipe, "", ("constant", "")) if type(part) is Text else part)
    return Text(("text", tuple(pieces)))


@as_python
def string(value: Any = "", *others: Any) -> Any:
    """`str(value)`."""
    known = others or not (of_data(value) or speaks(value))
    return str(spelled(value), *others) if known else text((value, "s", ""))


def representation(value: Any) -> Any:
    """`repr(value)`."""
    return text((value, "r", "")) if of_data(value) or speaks(value) else repr(spelled(value))


def formatted(value: Any, spec: Any = "") -> Any:
    """`format(value, spec)`."""
    return text((value, "", spec))


@as_python
def percent(left: Any, right: Any) -> Any:
    """`left % right`, which is a format where `left` is a string."""
    if type(left) is str and speaks(right):
        left, right = _percent_parts(left, right)
    if type(left) is str and of_data(right):
        return Text(("percent", left, recipe_of(right)))
    return left % spelled(right) if type(left) is str else binary("mod", left, right)


def _percent_parts(format: str, value: Any) -> tuple[str, Any]:
    """Return a format of `%` and what it is filled with, objects of the user's as the text that is asked for."""
    conversions = [conversion for conversion in _CONVERSION.findall(format) if conversion != "%"]
    operands = list(value) if type(value) is tuple else [value]
    if len(conversions) != len(operands):
        return format, value  # a dict, or an error of Python's
    converters = {"s": string, "r": representation}
    flags = iter(
        [conversion in converters and speaks(part) for conversion, part in zip(conversions, operands, strict=True)]
    )
    filled = [
        converters[conversion](part) if conversion in converters and speaks(part) else part
        for conversion, part in zip(conversions, operands, strict=True)
    ]

    def written(match: re.Match[str]) -> str:
        return f"{match[0][:-1]}s" if match[1] != "%" and next(flags) else match[0]

    return _CONVERSION.sub(written, format), tuple(filled)


def _formatted(format: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """`format.format(*args, **kwargs)`, as the f-string of the same parts."""
    trace = in_charge(Recording)
    read, get = trace.root.converter(getattr), trace.root.converter(operator.getitem)
    numbers = iter(range(len(args) + 1))

    def field(name: str) -> Any:
        first, rest = formatter_field_name_split(name)
        if first == "":
            first = next(numbers)
        value = args[first] if isinstance(first, int) else kwargs[first]
        for is_attribute, part in rest:
            value = read(value, part) if is_attribute else get(value, part)
        return value

    def parts(spec: str) -> list[Any]:
        pieces: list[Any] = []
        for literal, name, inner, conversion in formatter_parser(spec):
            pieces.append(literal)
            if name is not None:
                value = field(name)
                pieces.append((value, conversion or "", text(*parts(inner)) if inner else ""))
        return pieces

    return text(*parts(format))


@as_python
def method(owner: str, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """A method of a string whose arguments are values or text of the program; NotImplemented for all others."""
    if name == "join" and args:
        parts = [plain(part) if type(part) is Symbol and part.weak is not None else part for part in args[0]]
        if not any(type(part) is Text for part in parts):
            return owner.join(parts)
        between = [x for part in parts for x in (owner, part)][1:]
        return joined(*between)
    if name == "format" and (any(map(speaks, args)) or any(map(speaks, kwargs.values()))):
        return _formatted(owner, args, kwargs)
    if not any(map(of_data, args)) and not any(map(of_data, kwargs.values())):
        if name not in ("format", "format_map"):
            return NotImplemented
        strings = [spelled(value) for value in (*args, *kwargs.values())]
        known: str = getattr(owner, name)(*strings[: len(args)], **dict(zip(kwargs, strings[len(args) :], strict=True)))
        return known
    if name == "format":
        named = tuple((key, recipe_of(value)) for key, value in kwargs.items())
        return Text(("format", owner, tuple(map(recipe_of, args)), named))
    raise CaptureError("E424", f"str.{name}() of values known only at run time", help="use f-strings, print or return")


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
                    help="pass strings and values",
                )  # fmt: skip
            case tuple():
                return tuple(map(checked, part))
        return part

    return checked(bound(recipe, number)), operands


def _is_literal(value: Any) -> bool:
    return type(value) is tuple and all(type(part) in _LITERALS or _is_literal(part) for part in value)

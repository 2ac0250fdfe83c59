# SPDX-License-Identifier: Apache-2.0
"""Recipes: text, and the arguments of an exception, made of the values of a call when these are there.

A recipe is a literal of Python's, so that it can be part of a program's machine code:

    ("value", 0, "float")           operand 0 as a Python float; "int", "bool"; "array" is an array of ours,
                                    and other words are what `show` says: an array of another library
    ("constant", 3)                 itself
    ("named", "module:Class")       a class or a function; ("member", "module:Class", "RED") a member of an Enum
    ("tuple", (...)), ("list", (...)), ("dict", ((key, value), ...))
    ("text", (part, ...))           its parts in a row: strings, and (recipe, conversion, recipe of the format)
    ("percent", "%.3f", recipe)     the operator % of strings
    ("format", "{:.3f}", (recipe, ...), ((name, recipe), ...))     str.format
"""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from hybridize.base.errors import HybridizeError, StateError
from hybridize.base.locations import SourceLoc

Recipe = tuple[Any, ...]

CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}
_KINDS: dict[str, Callable[[Any], Any]] = {"int": int, "float": float, "bool": bool}
_named: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
"""Classes of exceptions that programs of this process raise, and classes and functions among the arguments of these.

By the names that programs know them by.
"""


def show(kind: str, array: Callable[[Any], Any]) -> None:
    """Let arrays of a kind appear in text as what `array` makes of their elements."""
    _KINDS[kind] = array


def prepared(recipe: Recipe, operands: Sequence[Any]) -> Any:
    """Make what a recipe says of the values of a call."""
    match recipe:
        case ("value", number, kind):
            # In a process that does not know the other library its arrays are ours.
            return (_KINDS.get(kind) or _KINDS["array"])(operands[number])
        case ("constant", value):
            return value
        case ("named", name):
            return _named.get(name, name)  # in another process than that of the capture: the name
        case ("member", name, member):
            kind = _named.get(name)
            return f"{name}.{member}" if kind is None else kind[member]
        case ("tuple", parts):
            return tuple([prepared(part, operands) for part in parts])
        case ("list", parts):
            return [prepared(part, operands) for part in parts]
        case ("dict", items):
            return {key: prepared(part, operands) for key, part in items}
        case ("text", parts):
            return "".join([part if isinstance(part, str) else _formatted(part, operands) for part in parts])
        case ("percent", text, value):
            return text % prepared(value, operands)
        case ("format", text, args, kwargs):
            named = {name: prepared(part, operands) for name, part in kwargs}
            return text.format(*[prepared(part, operands) for part in args], **named)
    raise ValueError(f"no recipe: {recipe!r}")


def _formatted(part: tuple[Recipe, str, Recipe], operands: Sequence[Any]) -> str:
    recipe, conversion, spec = part
    value = prepared(recipe, operands)
    if conversion:
        value = CONVERSIONS[conversion](value)
    return format(value, prepared(spec, operands))


def name_of(thing: Any) -> str:
    """The name by which programs know a class or a function; another one of the same name gets a name of its own."""
    plain = name = f"{thing.__module__}:{thing.__qualname__}"
    count = 1
    while _named.setdefault(name, thing) is not thing:
        count += 1
        name = f"{plain}#{count}"
    return name


def attributes_of(error: BaseException) -> dict[str, Any]:
    """The attributes of an exception; the line that one of ours names as a tuple."""
    attributes = {name: value for name, value in vars(error).items() if name[:2] != "__"}
    if isinstance(attributes.get("loc"), SourceLoc):
        attributes["loc"] = attributes["loc"].file, attributes["loc"].line, attributes["loc"].function
    return attributes


def recipe_of_error(error: BaseException) -> tuple[Any, ...]:
    """Return the recipe of an exception in which nothing depends on the values of a call."""
    return name_of(type(error)), ("constant", error.args), ("constant", attributes_of(error)), ""


def exception(recipe: tuple[Any, ...], operands: Sequence[NDArray[Any]]) -> BaseException:
    """Make an exception.

    Args:
        recipe: (name of its class, recipe of its arguments, recipe of its attributes, note). Of one that is raised
            `from` another, the recipe of that follows, or None.
        operands: what the recipes are about.
    """
    name, args, attributes, note, *cause = recipe
    error = _of_class(name, prepared(args, operands), prepared(attributes, operands), note)
    if cause:
        error.__cause__ = None if cause[0] is None else exception(cause[0], operands)  # suppresses the context, too
    return error


def _of_class(name: str, args: Sequence[Any], attributes: dict[str, Any], note: str) -> BaseException:
    """Make an exception of the class that programs know by a name."""
    kind = _named.get(name) or _imported(name)
    if kind is None:
        text = ", ".join(map(str, args))
        return StateError("E522", f"{name.partition(':')[2]}: {text}", help="define the class before loading")
    return raised(kind, args, attributes, note)


def raised(kind: type[BaseException], args: Sequence[Any], attributes: dict[str, Any], note: str) -> BaseException:
    """Make an exception of a class without calling an `__init__` of the user's a second time."""
    # Python's own keep more than their arguments: the `errno` of an OSError, the text of a UnicodeDecodeError.
    error = kind(*args) if kind.__module__ == "builtins" else kind.__new__(kind)
    error.args = tuple(args)
    vars(error).update(attributes)
    loc = attributes.get("loc")
    if isinstance(error, HybridizeError) and isinstance(loc, tuple):
        error.loc = SourceLoc(*loc)
    if note:
        error.add_note(note)
    return error


def _imported(name: str) -> type[BaseException] | None:
    module, _, path = name.partition("#")[0].partition(":")
    try:
        value: Any = importlib.import_module(module)
        for part in path.split("."):
            value = getattr(value, part)
    except (ImportError, AttributeError):
        return None
    return value if isinstance(value, type) and issubclass(value, BaseException) else None

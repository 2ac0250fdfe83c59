# SPDX-License-Identifier: Apache-2.0
"""Numbers that users give as settings, checked and made Python's own."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable
from typing import Any

from hybridize.base.errors import ValueArgumentError
from hybridize.base.loading import load_module


def number(name: str, value: Any, low: float = -math.inf, below: float = math.inf) -> float:
    """A setting as a float.

    Args:
        name: of the setting, for the message.
        value: Python's or NumPy's number, or an array of one element.
        low: the least.
        below: what it must be less than; infinity and NaN never will do.

    Raises:
        ValueArgumentError E353: it is none, or not in [low, below).
    """
    try:
        if isinstance(value, bool) or not (isinstance(value, numbers.Real) or hasattr(value, "item")):
            raise TypeError
        setting = float(value)
    except (TypeError, ValueError):
        raise ValueArgumentError("E353", f"{name} must be a number, got {value!r}") from None
    if not low <= setting < below:
        raise ValueArgumentError("E353", f"{name} must be a number in [{low:g}, {below:g}), got {value!r}")
    return setting


def whole(name: str, value: Any, low: int) -> int:
    """A setting as an int.

    Args:
        name: of the setting, for the message.
        value: Python's or NumPy's integer.
        low: the least.

    Raises:
        ValueArgumentError E353: it is no integer, or less than `low`.
    """
    try:
        setting = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        setting = None
    if setting is None or setting < low:
        raise ValueArgumentError("E353", f"{name} must be an integer of {low} or more, got {value!r}")
    return setting


def keywords_of(kind: type) -> set[str]:
    """Return the names of the arguments that a class takes, with those that its bases take by `**kwargs`."""
    inspect, names = load_module("inspect"), set()
    for one in kind.__mro__:
        if "__init__" in vars(one):
            parameters = inspect.signature(vars(one)["__init__"]).parameters.values()
            names |= {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)} - {"self"}
            if not any(p.kind is p.VAR_KEYWORD for p in parameters):
                break
    return names


def arguments_of(function: Callable[..., Any]) -> str:
    """Return a sentence with the arguments of a function or a class, without their types."""
    inspect = load_module("inspect")
    own = inspect.signature(function)
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in own.parameters.values()]
    return f"its arguments are {own.replace(parameters=plain, return_annotation=inspect.Signature.empty)}"

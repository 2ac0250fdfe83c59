# SPDX-License-Identifier: Apache-2.0
"""Calls that are given lists with the items of a loop's rounds in them: `np.stack(outs)`, `np.concatenate(outs)`."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridize.array.functions import shapes
from hybridize.array.np import array
from hybridize.capture.control.rolled import EarlierItems, is_rolled
from hybridize.capture.control.rolled_lists import joined_along, stacked, unroll
from hybridize.capture.control.rounds import of_builtin
from hybridize.capture.control.signals import Unrollable
from hybridize.capture.trace.recording import Recording


def _array(items: list[Any]) -> Any:
    return stacked(items)


_AS_ONE: dict[Any, Callable[..., Any]] = {
    shapes.stack: stacked,
    shapes.concatenate: joined_along,
    array: _array,
}
"""Functions that make one array of all items."""
_KEEPING = frozenset({builtins.len, builtins.list, builtins.bool})
"""Functions that know such lists, or ask for no item."""


def answer(trace: Recording, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function gives of lists that loops have appended to; NotImplemented where it is to be called.

    It is called with Python's lists then.
    """
    result = as_one(_AS_ONE, function, args, kwargs)
    if result is not NotImplemented:
        return result
    if function in (builtins.enumerate, builtins.zip, builtins.reversed):
        return of_builtin(function, args, kwargs)
    if not (type(function).__hash__ is not None and function in _KEEPING):
        if not is_rolled(getattr(function, "__self__", None)) and not (
            args and is_rolled(args[0]) and getattr(function, "__objclass__", None) is list  # `list.append(outs, x)`
        ):
            unroll(trace, (*args, *kwargs.values()))
        else:
            unroll(trace, (*args[1:], *kwargs.values()))
    return NotImplemented


def as_one(by: Mapping[Any, Callable[..., Any]], function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Return what a function gives of such a list, where it makes one array of all items; else NotImplemented.

    Args:
        by: what to call for such functions, where all items are of one type.
        function: which is called.
        args: of the call; the list is the first one.
        kwargs: of the call.
    """
    handler = by.get(function) if type(function).__hash__ is not None else None
    if handler is None or not args or not is_rolled(args[0]):
        return NotImplemented
    try:
        return handler(*args, **kwargs)
    except (Unrollable, TypeError):
        if any(type(item) is EarlierItems for item in args[0]):
            raise
        return NotImplemented

# SPDX-License-Identifier: Apache-2.0
"""Lists of which data decides which items are in them: `[v for v in x if v > 0]`.

While capturing such a list is a `Selected`: each item with the condition of its being there. It can be reduced (`sum`,
`any`, `max`, `len`, `in`); what needs to know its length is refused. A generator expression yields the same items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from types import GeneratorType
from typing import Any

from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.base.locations import SourceLoc
from hybridize.capture.control import branches
from hybridize.capture.control.comparisons import comparison
from hybridize.capture.control.identity import is_same_item
from hybridize.capture.control.signals import Part
from hybridize.capture.control.truth import RESULT, Undecided, as_bool, is_one, refusal, truth
from hybridize.capture.trace.recording import current_trace


class ConditionalItem:
    """An item that is there if a condition holds."""

    __slots__ = ("condition", "value")
    condition: Symbol
    value: Any

    def __init__(self, condition: Symbol, value: Any) -> None:
        self.condition, self.value = condition, value


_REFUSED = {
    "__getitem__": "an item", "__setitem__": "an item", "__add__": "the sum", "__radd__": "the sum",
    "__mul__": "a repetition", "__eq__": "a comparison", "__lt__": "a comparison", "__len__": "the length",
    "__contains__": "an item", "__array__": "an array", "__iter__": "a loop over the items",
}  # fmt: skip


class Selected(Undecided, refuses=_REFUSED):
    """A list of which data decides which items are in it."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any]) -> None:
        super().__init__()
        self.items: list[Any] = items

    def truth(self) -> Any:
        """Return whether it has items: a bool, or a symbol of one."""
        return includes(True, [parts(item)[0] for item in self.items])

    def refused(self, what: str) -> CaptureError:
        """The error for what asks for more than a reduction."""
        return unknown(what, self.loc if what == RESULT else None)

    def __repr__(self) -> str:
        return "<list whose items data selects>"

    def __getattr__(self, name: str) -> Any:
        if name == "count":
            return partial(count, self)
        if name.startswith("__") or not hasattr(list, name):
            raise AttributeError(name)
        raise unknown(f"{name}()")


class _Certain:
    """The items of an iterable, of which data must not decide which are there."""

    def __init__(self, iterable: Any) -> None:
        self._iterator = iter(each(iterable))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        item = next(self._iterator)
        if type(item) is ConditionalItem:
            raise unknown("a loop over the items")
        return item


def each(iterable: Any) -> Any:
    """The items of an iterable, those that are there perhaps among them."""
    return iterable.items if type(iterable) is Selected else iterable


def certain(iterable: Any) -> Any:
    """An iterable for a consumer that has to know how many items there are."""
    return _Certain(iterable) if type(iterable) in (GeneratorType, Selected) else iterable


def unknown(what: str, loc: SourceLoc | None = None) -> CaptureError:
    """The error for what needs to know the length of a list that data selects."""
    return refusal(
        "E402",
        f"{what} of a list whose length depends on the data: a list comprehension [... if ...] with a condition on "
        f"values",
        help="reduce it with sum, any, all, max, min or len; or keep all items and use np.where, np.max, np.any",
        loc=loc,
    )  # fmt: skip


def selected(value: Part, *conditions: Part) -> tuple[Any, ...]:
    """The item of a comprehension: one, none, or one perhaps."""
    whole: Any = True
    for condition in conditions:
        known = branches.truth_under(whole, condition)
        if type(known) is Symbol:
            whole = known if whole is True else functions.logical_and(whole, known)
        elif not known:
            return ()
    return (value(),) if whole is True else (ConditionalItem(whole, branches.under(whole, value)),)


def comprehension(items: list[Any]) -> Any:
    """A list that a comprehension has made."""
    if any(type(item) is ConditionalItem for item in items):
        return Selected(items)
    trace = current_trace()
    if trace is not None:
        trace.root.world.made(items, trace)
    return items


def parts(item: Any) -> tuple[Any, Any]:
    """Return the condition under which an item is there, True or a symbol, and the item."""
    return (item.condition, item.value) if type(item) is ConditionalItem else (True, item)


def both(presence: Any, known: Any) -> Any:
    """Return the conjunction of two conditions, that an item is there and that something is true of it.

    Each is True, False or a symbol of type bool[].
    """
    if presence is True or known is False:
        return known
    return presence if presence is False or known is True else functions.logical_and(presence, known)


def any_of(one: Any, other: Any) -> Any:
    """Return the disjunction of two conditions, each True, False or a symbol of type bool[]."""
    if one is False or other is True:
        return other
    return one if one is True or other is False else functions.logical_or(one, other)


def otherwise(known: Any) -> Any:
    """Return the negation of a condition: True, False or a symbol of type bool[]."""
    return functions.logical_not(known) if type(known) is Symbol else not known


def length(value: Selected) -> Any:
    """`len`."""
    total: Any = 0
    for item in value.items:
        presence, _ = parts(item)
        total = total + (1 if presence is True else as_bool(presence))
    return total


def includes(value: Any, container: Iterable[Any]) -> Any:
    """`value in container`, for a list or tuple: True, False, or a symbol where data decides."""
    answer: Any = False
    for item in each(container):
        known = equal(item, value, otherwise(answer))
        if known is True:
            return True
        answer = any_of(answer, known)
    return as_bool(answer)


def equal(item: Any, value: Any, condition: Any = True) -> Any:
    """Tell whether an item is there and equal to a value, where that is asked: True, False, or a symbol.

    An exception of the comparison is one of the calls that make it.
    """
    presence, one = parts(item)
    wanted = both(presence, condition)
    if is_same_item(one, value):
        return wanted
    if is_one(one) and is_one(value):
        return both(wanted, truth(comparison("eq", one, value)))
    return both(wanted, branches.truth_under(wanted, lambda: comparison("eq", one, value)))


def count(container: Any, wanted: Any) -> Any:
    """Return how many items are equal to one."""
    total: Any = 0
    for item in each(container):
        known = equal(item, wanted)
        total = total + (as_bool(known) if type(known) is Symbol else int(known))
    return total

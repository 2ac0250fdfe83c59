# SPDX-License-Identifier: Apache-2.0
"""Lists to which a loop of the graph has appended an item in each round: `outs.append(h)`, then `np.stack(outs)`.

Such a list holds a `RolledItems` in the place of these items: each array of an item stacked over the rounds, whose
number may be a size that only the call knows. What asks for the length, an item, the last one, or for all of them as
one array is answered from the stacked arrays; so are loops. All else gets the list that Python would have (`unroll`):
the items one by one, on whose number the program then depends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from hybridize.array.symbol import Symbol
from hybridize.base.dims import Size
from hybridize.base.nested import flatten, unflatten
from hybridize.capture.control.signals import Unrollable
from hybridize.capture.trace.recording import Recording
from hybridize.ops.op import in_charge


class RolledItems:
    """The items that the rounds of a loop have appended to a list, one each.

    Args:
        stacked: an item, with arrays stacked over the rounds for its arrays and numbers.
        kinds: for each of these, the class of the Python number that it is; None for arrays.
    """

    kinds: tuple[type | None, ...]
    stacked: Any

    def __init__(self, stacked: Any, kinds: tuple[type | None, ...]) -> None:
        self.stacked, self.kinds = stacked, kinds

    @property
    def arrays(self) -> list[Symbol]:
        """The stacked arrays."""
        return [leaf for leaf in flatten(self.stacked)[0] if type(leaf) is Symbol]

    @property
    def count(self) -> Size:
        """The number of rounds."""
        return self.arrays[0].shape[0]

    def made(self, parts: Iterator[Symbol]) -> Any:
        """Return an item whose arrays and numbers are given."""
        kinds = iter(self.kinds)
        trace = in_charge(Recording)

        def leaf(x: Any) -> Any:
            if type(x) is not Symbol:
                return x
            part, kind = next(parts), next(kinds)
            return part if kind is None else Symbol.of(trace, part.operand(), weak=kind)

        leaves, structure = flatten(self.stacked)
        return unflatten(structure, [leaf(x) for x in leaves])

    def item(self, number: Any) -> Any:
        """Return the item of a round, counted from the first, or from the last where it is below 0."""
        return self.made(one[number] for one in self.arrays)

    def cut(self, part: slice) -> RolledItems:
        """Return the items that a slice of the list has."""
        leaves, structure = flatten(self.stacked)
        cut = [leaf[part] if type(leaf) is Symbol else leaf for leaf in leaves]
        return RolledItems(unflatten(structure, cut), self.kinds)

    def _refuse(self, *_: Any) -> Any:
        raise Unrollable("the items of a loop's rounds are asked for in a way that nobody has foreseen")

    __bool__ = _refuse
    __eq__ = _refuse
    __repr__ = _refuse
    __iter__ = _refuse
    __len__ = _refuse
    __getitem__ = _refuse
    __index__ = _refuse
    __float__ = _refuse
    if not TYPE_CHECKING:
        __hash__ = object.__hash__


class EarlierItems:
    """In the body of a loop of the graph, the items that earlier rounds have appended to a list."""

    def __init__(self, count: Callable[[], Symbol], last: Callable[[], Any]) -> None:
        self._count, self._last = count, last

    @property
    def count(self) -> Symbol:
        """The number of earlier rounds."""
        return self._count()

    def item(self, number: Any) -> Any:
        """Return the last one; a round has no other."""
        if type(number) is int and number == -1:
            return self._last()
        raise Unrollable("a round of a loop reads what earlier ones have appended to a list")

    def _refuse(self, *_: Any) -> Any:
        return self.item(None)

    cut = _refuse
    __bool__ = _refuse
    __eq__ = _refuse
    __repr__ = _refuse
    __iter__ = _refuse
    __len__ = _refuse
    __getitem__ = _refuse
    __index__ = _refuse
    if not TYPE_CHECKING:
        __hash__ = object.__hash__


ROLLED = (RolledItems, EarlierItems)


def is_rolled(value: Any) -> bool:
    """Tell whether a value is a list with the items of a loop's rounds in it."""
    return type(value) is list and any(type(item) in ROLLED for item in value)

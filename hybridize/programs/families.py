# SPDX-License-Identifier: Apache-2.0
"""Families of calls that differ in sizes, and the choice of the sizes that a program leaves open (dynamic shapes).

The first call of a function is captured with its very sizes. When a call comes that differs from earlier ones in sizes
only, it is captured with a symbol for each axis that differs. Axes that had equal sizes in all of these calls share
one, and the program then holds for such calls only. It holds for size 1 as well where nothing in its making has asked
whether a size is 1, as what broadcasts does; an axis that is 1 in the call that is captured is no symbol, as that would
decide such questions the other way, and neither is one of size 0. What the program turns out to hold for is in the
`SizeScope`; an axis that it holds for one size of only is not tried again.
"""

from __future__ import annotations

from typing import Any

from hybridize.array.buffer import some_share_elements
from hybridize.array.ndarray import ndarray
from hybridize.base.dims import SizeScope, bounds, is_symbolic
from hybridize.base.types import TensorType
from hybridize.contract.call import Call

LIMIT = 8
"""Programs with symbols for calls of one family; those that none of them holds for get exact ones."""
_REMEMBERED = 8
"""Calls whose sizes are compared."""

Axis = tuple[int, int]
"""A leaf of the arguments and one of its axes."""
Kinds = tuple[Any, ...]


class Family:
    """Keeps what was seen of calls that differ in sizes only."""

    def __init__(self) -> None:
        self.programs: int = 0
        """Captures with symbols so far."""
        self.problem: str = ""
        """The reason why the last attempt at a program for other sizes, too, gave none; empty where it did not fail."""
        self._calls: list[Kinds] = []
        self._fixed: set[Axis] = set()
        """Axes that are no use as symbols: the function needs their very sizes."""

    def kinds(self, call: Call, dynamic: bool | None) -> tuple[Kinds, SizeScope] | None:
        """The types to capture a call with, and what their symbols belong to; None: its very sizes.

        Args:
            call: one that no program holds for.
            dynamic: as in `hybridize`: True takes every axis for one that differs, False none.
        """
        seen = [*self._calls, call.kinds]
        if dynamic is False or self.programs >= LIMIT or _share_memory(call):
            return None
        scope = SizeScope()
        symbols: dict[tuple[int, ...], Any] = {}
        kinds: list[Any] = []
        for position, kind in enumerate(call.kinds):
            if not isinstance(kind, TensorType):
                kinds.append(kind)
                continue
            shape: list[int] = []
            for axis, size in enumerate(kind.shape):
                history = tuple(known[position].shape[axis] for known in seen)
                differs = dynamic or len(set(history)) > 1
                if size < 2 or not differs or (position, axis) in self._fixed:
                    shape.append(size)
                    continue
                # One call alone says nothing about which sizes are equal by more than chance.
                group = history if len(seen) > 1 else (position, axis)
                if group not in symbols:
                    symbols[group] = scope.symbol(size, low=1)
                shape.append(symbols[group])
            kinds.append(kind.with_shape(tuple(shape)))
        return (tuple(kinds), scope) if scope.symbols else None

    def saw(self, call: Call) -> None:
        """Remember the sizes of a call that was captured: of the first ones and of the latest."""
        if len(self._calls) >= _REMEMBERED:
            del self._calls[_REMEMBERED // 2]
        self._calls.append(call.kinds)

    def fixes(self, kinds: Kinds) -> bool:
        """Tell whether a program that was captured with these types holds for one size only of some axes left open."""
        symbolic: list[tuple[Axis, Any]] = [(axis, size) for axis, size in _axes(kinds) if is_symbolic(size)]
        fixed = {axis for axis, size in symbolic if size.symbol.pinned}
        self._fixed |= fixed
        return bool(fixed)

    def settle(self, kinds: Kinds, why: str = "") -> bool:
        """Tell whether a program that was captured with these types is of more use than an exact one.

        Axes that it holds for one size of only are not tried again.

        Args:
            kinds: types of the arguments.
            why: it holds for these sizes only; empty where it is for what was asked of them.
        """
        self.fixes(kinds)
        useful = any(is_symbolic(size) and axis not in self._fixed for axis, size in _axes(kinds))
        self.programs += useful
        self.problem = "" if useful else f"no program holds for other sizes, as {why or 'it needs these very ones'}"
        return useful

    def give_up(self, kinds: Kinds, problem: Exception) -> None:
        """Hear that no program can be made with these types, and why."""
        self.problem = f"no program holds for other sizes: {(str(problem).splitlines() or [type(problem).__name__])[0]}"
        self._fixed.update(axis for axis, size in _axes(kinds) if is_symbolic(size))

    def change(self, call: Call, kinds: Kinds, names: list[str]) -> str:
        """Describe the axes that are open in the program that was made of these types, and why."""
        parts: dict[int, list[str]] = {}
        for (position, axis), size in _axes(kinds):
            low, high = bounds(size)
            if low < high:
                before = next((known[position].shape[axis] for known in reversed(self._calls)
                               if known[position].shape[axis] != call.kinds[position].shape[axis]), None)  # fmt: skip
                was = "" if before is None else f" was {before} and"
                part = f"axis {axis} of {names[position]}{was} is {call.kinds[position].shape[axis]}"
                parts.setdefault(low, []).append(part)
        return "; ".join(f"{', '.join(axes)}: now any size from {low}" for low, axes in sorted(parts.items()))


def family_key(call: Call) -> tuple[Any, ...]:
    """Return the key that calls which differ in sizes only have in common."""
    kinds = tuple((kind.dtype, kind.ndim) if isinstance(kind, TensorType) else kind for kind in call.kinds)
    return "family", call.structure, kinds, call.training, call.recording, call.of_nd, call.devices


def _axes(kinds: Kinds) -> list[tuple[Axis, int]]:
    return [
        ((position, axis), size)
        for position, kind in enumerate(kinds) if isinstance(kind, TensorType)
        for axis, size in enumerate(kind.shape)
    ]  # fmt: skip


def _share_memory(call: Call) -> bool:
    """Tell whether two arguments overlap: which of them are one array is decided for the sizes at hand."""
    return some_share_elements([leaf for leaf in call.leaves if isinstance(leaf, ndarray)])

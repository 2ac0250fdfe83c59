# SPDX-License-Identifier: Apache-2.0
"""The epilogue of a contraction: statements over the axes of its result, and whether tiles have them inside.

The same for products, whose axes are batch, row and column, and for contractions by other index maps.
"""

from __future__ import annotations

from typing import Literal

from hybridize.base.dtypes import DType
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Axis, Expr, Load
from hybridize.loops.index import Index, Space
from hybridize.loops.kernel import Param, Statement, epilogue_text, roots_of
from hybridize.loops.measure import walk, weight
from hybridize.schedule.contraction import thresholds

ACCUMULATED = -1
"""The operand number of a contraction's element in its epilogue; of several gates, that of the first."""

Following = Literal["nothing", "light", "heavy"]
"""The road of sums: nothing follows, or what tiles may have inside, or what is written once for many of them."""
Stores = Literal["sums", "results", "buffer"]
"""sums: whole tiles leave their sums in the result. results: they have the epilogue inside, for each vector of sums,
and leave what it makes of them. buffer: sums wait in memory, and the epilogue is written once, in a loop or a function
over them."""


def gate_of(operand: int) -> int:
    """The gate whose sum an operand below 0 is."""
    return ACCUMULATED - operand


@frozen
class Ending:
    """The epilogue of a contraction.

    A load of operand -1 is the sum of an element; of an element of several gates, those of -1, -2, … are their sums.
    """

    params: tuple[Param, ...]
    """Buffers that it reads and writes."""
    stores: tuple[Statement, ...]
    """In order; of a product, the last is that of its result, which tiles address by themselves."""

    @property
    def is_plain(self) -> bool:
        """True if sums are stored as they are."""
        return len(self.stores) == 1 and _is_sum(self.stores[0].value)

    @property
    def roots(self) -> list[Expr]:
        """All expressions of it."""
        return roots_of(self.stores)

    @property
    def loads(self) -> list[Load]:
        """All that it reads."""
        return [node for node in walk(*(store.value for store in self.stores)) if isinstance(node, Load)]

    @property
    def sums(self) -> list[Load]:
        """The sums that it reads."""
        return [load for load in self.loads if load.operand < 0]

    @property
    def following(self) -> Following:
        """The weight of it."""
        return "nothing" if self.is_plain else "light" if weight(*self.roots) <= thresholds.LIGHT else "heavy"

    @property
    def in_tiles(self) -> Stores:
        """Choose where tiles of any shape have it."""
        return "buffer" if self.following == "heavy" else "results"

    def __str__(self) -> str:
        return epilogue_text(self.params, self.stores)


def _is_sum(value: Expr) -> bool:
    return isinstance(value, Load) and value.operand == ACCUMULATED


def plain_ending(space: Space, dtype: DType, elements: int, place: Expr) -> Ending:
    """Store the sums as they are, at a place over axes of the result, in memory of so many elements."""
    sizes = tuple(space.ranges.values())
    axes = tuple(map(space.axis, range(len(sizes))))
    total = space.interner.load(dtype, ACCUMULATED, (space.flat(axes, sizes),))
    return Ending((Param(dtype, elements, True),), (Statement(0, place, total),))


def is_along(index: Expr, axis: int) -> bool:
    """Tell whether consecutive positions of an axis are consecutive elements."""
    terms = index.terms if isinstance(index, Index) else ((index, 1),)
    return any(isinstance(atom, Axis) and atom.number == axis and coefficient == 1 for atom, coefficient in terms)


def is_read(param: int, store: Statement) -> bool:
    """Tell whether a statement reads a param."""
    return any(isinstance(node, Load) and node.operand == param for node in walk(store.value, store.index))

# SPDX-License-Identifier: Apache-2.0
"""Homes: how a stored value lies in its memory, which its type does not say (*layout*).

A home is a stride for each logical axis and an offset, so that every address is affine in the indices. It may have a
*halo*: elements around the value that are 0, which a consumer with a window reads instead of asking for the border.
Values without a home of their own lie in the order of their axes, without gaps.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from hybridize.base.dims import product, same
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape
from hybridize.loops.expr import Expr
from hybridize.loops.index import Space

Halo = tuple[tuple[int, int], ...]
"""For each axis the elements before the value's first and after its last."""


@frozen
class Home:
    """A value's place in memory: strides, an offset, a halo."""

    strides: tuple[int, ...]
    """Elements from one index to the next, for each axis."""
    offset: int
    """The place of the value's first element."""
    elements: int
    """All of the memory, the halo included."""
    order: tuple[int, ...]
    """The axes, slowest first."""
    halo: Halo

    def __str__(self) -> str:
        last = (0, *range(2, len(self.order)), 1)
        in_turn = self.order == tuple(range(len(self.order)))
        named = "channels last" if self.order == last else f"axes {' '.join(map(str, self.order))}"
        words = [*([] if in_turn else [named]), *(["with a halo"] if self.has_halo else [])]
        return ", ".join(words) or "in order"

    def address(self, space: Space, indices: Sequence[Expr]) -> Expr:
        """The place of an element."""
        return space.affine(list(zip(indices, self.strides, strict=True)), self.offset)

    @functools.cached_property
    def has_halo(self) -> bool:
        """True if there are elements around the value."""
        return any(before or after for before, after in self.halo)

    def covers(self, halo: Halo) -> bool:
        """Tell whether the halo is at least so wide."""
        return all(a[0] >= b[0] and a[1] >= b[1] for a, b in zip(self.halo, halo, strict=True))


def no_halo(shape: Shape) -> Halo:
    """The halo of a value that has none."""
    return ((0, 0),) * len(shape)


def wider(one: Halo, other: Halo) -> Halo:
    """The halo that covers two."""
    return tuple((max(a[0], b[0]), max(a[1], b[1])) for a, b in zip(one, other, strict=True))


def ordered(shape: Shape, order: Sequence[int], halo: Halo | None = None) -> Home:
    """The home of a value whose axes lie in this order, slowest first."""
    around = no_halo(shape) if halo is None else halo
    strides: list[int] = [0] * len(shape)
    offset, stride = 0, 1
    for axis in reversed(order):
        before, after = around[axis]
        strides[axis] = stride
        offset = offset + before * stride
        stride = stride * (before + shape[axis] + after)
    return Home(tuple(strides), offset, stride, tuple(order), around)


def in_order(shape: Shape) -> Home:
    """The home of a value that lies in the order of its axes."""
    return ordered(shape, range(len(shape)))


def is_contiguous(home: Home, shape: Shape) -> bool:
    """Tell whether elements lie in the order of the axes, one after the other: axes of size 1 may stand anywhere."""
    if home.has_halo:
        return False
    expected = 1
    for size, stride in zip(reversed(shape), reversed(home.strides), strict=True):
        if not (same(size, 1) or same(stride, expected)):
            return same(product(shape), 0)
        expected = expected * size
    return True


def is_in_order(home: Home, shape: Shape) -> bool:
    """Tell whether a home is the same memory as none."""
    return is_contiguous(home, shape) and same(home.elements, product(shape))

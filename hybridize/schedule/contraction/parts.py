# SPDX-License-Identifier: Apache-2.0
"""Parts of a contraction: boxes of its axes, each a contraction of its own over the same axes.

Parts store every element of the result once. A part may leave out terms that are 0 in all of its elements: those whose
divided index leaves a remainder (see `phases`), those whose index lies outside of the first operand (see `borders`).
"""

from __future__ import annotations

from collections.abc import Mapping

from hybridize.base.dims import same
from hybridize.base.frozen import changed, frozen
from hybridize.loops.contraction import Contraction, Subscript, subscript

Place = tuple[int, int]
"""Index j along an axis of a part stands for index step * j + first of the whole."""


@frozen
class Part:
    """A part of a contraction: its own sizes, and indices that are not divided."""

    contraction: Contraction
    """One without a term, a size being 0, where the whole has only zeros."""
    places: tuple[Place, ...]
    """By axes of the contraction: the indices of the whole that these are."""

    @property
    def is_empty(self) -> bool:
        """True if nothing is summed: the result is 0."""
        contraction = self.contraction
        return any(same(size, 0) for size in contraction.sizes[contraction.rank :])


def whole(contraction: Contraction) -> Part:
    """All of a contraction, as a part."""
    return Part(contraction, ((1, 0),) * len(contraction.sizes))


def restricted(part: Part, spans: Mapping[int, tuple[int, int]]) -> Part:
    """Cut a part: some of its axes have (first, count) of their indices."""
    contraction = part.contraction
    firsts = {axis: first for axis, (first, _) in spans.items()}
    sizes = tuple(spans[axis][1] if axis in spans else size for axis, size in enumerate(contraction.sizes))

    def moved(index: Subscript) -> Subscript:
        offset = sum((by * firsts.get(axis, 0) for axis, by in index.terms), index.offset)
        return subscript(index.terms, offset, index.divisor)

    places = tuple((step, first + step * firsts.get(axis, 0)) for axis, (step, first) in enumerate(part.places))
    x, w = (tuple(map(moved, subscripts)) for subscripts in (contraction.x, contraction.w))
    return Part(changed(contraction, sizes=sizes, x=x, w=w), places)

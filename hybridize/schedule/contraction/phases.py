# SPDX-License-Identifier: Apache-2.0
"""Part a contraction whose indices are divided into contractions whose indices are not (*phases*).

    convolution, transposed     x[n, c, (i + d*r - p) / s]  w[o, c, r]  ->  [n, o, i]

Elements of the result that lie s apart see the same elements of w, those for which the division leaves no remainder: of
i = s*j + f these are r = r0 + s*t. What is left for each f is a contraction over j and t, without the division and the
products that are 0 for its remainder; all of them together store every element of the result once.
"""

from __future__ import annotations

import itertools
import math

from hybridize.base import dims
from hybridize.base.dims import same
from hybridize.base.frozen import changed
from hybridize.loops.contraction import Contraction, Subscript, subscript
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.parts import Part, whole


def phases(contraction: Contraction) -> tuple[Part, ...] | None:
    """Part a contraction; itself alone where no index is divided.

    None where coefficients or sizes of sums that matter are not known, where an element is a sum over several phases,
    or where there would be more than `PHASES`.
    """
    divided = [index for index in (*contraction.x, *contraction.w) if not same(index.divisor, 1)]
    sizes, rank = contraction.sizes, contraction.rank
    if not divided:
        return (whole(contraction),)
    for index in divided:
        if not dims.known((index.offset, index.divisor, *(coefficient for _, coefficient in index.terms))):
            return None
    steps = [
        math.lcm(*(index.divisor // math.gcd(index.coefficient(axis), index.divisor) for index in divided))
        for axis in range(len(sizes))
    ]
    if not dims.known(size for size, step in zip(sizes[rank:], steps[rank:], strict=True) if step > 1):
        return None
    if max(math.prod(steps[:rank]), math.prod(steps[rank:])) > thresholds.PHASES:
        return None
    firsts = [
        range(step if step == 1 or dims.is_symbolic(size) else min(step, size))
        for size, step in zip(sizes, steps, strict=True)
    ]
    parts = []
    for outer in itertools.product(*firsts[:rank]):
        inner = [one for one in itertools.product(*firsts[rank:]) if _is_whole(divided, (*outer, *one))]
        if len(inner) > 1 or (not inner and rank == len(sizes)):
            return None
        parts.append(_phase(contraction, steps, outer, inner[0] if inner else None))
    return tuple(parts)


def _is_whole(divided: list[Subscript], firsts: tuple[int, ...]) -> bool:
    """Tell whether the divisions leave no remainder at the first of each axis."""
    return all(
        (sum(coefficient * firsts[axis] for axis, coefficient in index.terms) + index.offset) % index.divisor == 0
        for index in divided
    )


def _phase(contraction: Contraction, steps: list[int], outer: tuple[int, ...], inner: tuple[int, ...] | None) -> Part:
    """The phase of these first indices; `inner` is None where no index of a sum leaves no remainder."""
    sizes, rank = contraction.sizes, contraction.rank
    firsts = (*outer, *(inner or (0,) * (len(sizes) - rank)))
    counts = [
        size if step == 1 else -((first - size) // step) for size, step, first in zip(sizes, steps, firsts, strict=True)
    ]
    if inner is None:
        counts[-1] = 0

    def moved(index: Subscript) -> Subscript:
        terms = [(axis, coefficient * steps[axis]) for axis, coefficient in index.terms]
        offset = sum((coefficient * firsts[axis] for axis, coefficient in index.terms), index.offset)
        if same(index.divisor, 1):
            return subscript(terms, offset)
        # Whole numbers, but for the offset of a phase that has no term.
        return subscript([(axis, by // index.divisor) for axis, by in terms], offset // index.divisor)

    part = changed(
        contraction, sizes=tuple(counts), x=tuple(map(moved, contraction.x)), w=tuple(map(moved, contraction.w))
    )
    return Part(part, tuple(zip(steps, firsts, strict=True)))

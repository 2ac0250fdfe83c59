# SPDX-License-Identifier: Apache-2.0
"""Bounds of sizes: interval arithmetic, and a bounded search for what terms have to do with each other.

Interval arithmetic takes each term by itself, which says nothing of `n // 2 - n`. There an atom is replaced by what it
is at least in terms of its operands, `(n - 1) / 2`, and what is left is bounded again: `-n - 1 <= 2 * (n // 2 - n)`.
Each order of replacing atoms gives another bound, all of them right, and there are exponentially many. So a search
follows the latest atoms first, remembers what it found, and ends after `_STEPS` sizes: what it has by then is a bound,
if not always the best one. A comparison that it leaves open is decided by a guard.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridize.base.dims import dim as dims

_STEPS = 16
"""Sizes that one search looks at, at most."""


class Ranges:
    """Bounds of the sizes of a scope, remembered for as long as no symbol's range changes."""

    def __init__(self) -> None:
        self.work = 0
        """Sizes looked at in all: what the bounds of a compilation cost, whatever the machine."""
        self._least: dict[tuple[Any, ...], int] = {}
        self._bounds: dict[tuple[Any, ...], dims.Bounds] = {}

    def forget(self) -> None:
        """Hear that the range of a symbol has changed."""
        self._least.clear()
        self._bounds.clear()

    def of(self, dim: dims.Dim) -> dims.Bounds:
        """Smallest and largest value that a size may have."""
        bounds = self._bounds.get(dim.key)
        if bounds is None:
            low, high = _Search(self).least(dim), -_Search(self).least(-dim)
            bounds = self._bounds[dim.key] = low, high
        return bounds

    def known(self, dim: dims.Dim) -> int | None:
        """The least value that a finished search has found."""
        return self._least.get(dim.key)

    def learn(self, dim: dims.Dim, least: int) -> None:
        """Remember what a search found that was not cut short."""
        self._least[dim.key] = least


class _Search:
    """One search for the least value of a size."""

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges
        self.left = _STEPS
        self.cut = False
        """True if the search ended before it had seen all."""

    def least(self, x: dims.Size) -> int:
        """A number that `x` is never below; -`FAR` where none is known."""
        if not isinstance(x, dims.Dim):
            return x
        bound = self.ranges.known(x)
        if bound is not None:
            return bound
        if not self.left:
            self.cut = True
            return -dims.FAR
        self.left -= 1
        self.ranges.work += 1
        cut_before, self.cut = self.cut, False
        bound = self._least(x)
        if not self.cut:
            self.ranges.learn(x, bound)
        self.cut |= cut_before
        return bound

    def _least(self, x: dims.Dim) -> int:
        if len(x.terms) == 1:
            return _by_interval(x.terms, x.constant)
        shared = () if x.constant else _shared(x)
        if shared:  # n*m - n = n*(m - 1), of which more can be said
            terms = {dims.without(monomial, shared) or (): coefficient for monomial, coefficient in x.terms.items()}
            return times(product_bounds(shared), dims.bounds(dims.size_of_terms(x.scope, terms, terms.pop((), 0))))[0]
        least = _by_interval(x.terms, x.constant)
        for atom in sorted(_related(x), key=x.scope.order, reverse=True):
            least = max(least, self._without(x, atom))
        return least

    def _without(self, x: dims.Dim, atom: dims.Atom) -> int:
        """The least value by what an atom, one of the terms, is in terms of its operands."""
        terms = dict(x.terms)
        coefficient = terms.pop((atom,))
        rest = dims.size_of_terms(x.scope, terms, x.constant)
        if isinstance(atom, dims.Larger):
            one, other = (self.least(rest + operand * coefficient) for operand in (atom.x, atom.divisor))
            return max(one, other) if coefficient > 0 else min(one, other)
        if isinstance(atom, dims.Division) and type(atom.divisor) is int and atom.divisor > 0:
            by = atom.divisor  # (x - by + 1) / by <= x // by <= x / by
            numerator = atom.x - by + 1 if coefficient > 0 else atom.x
            least = self.least(rest * by + numerator * coefficient)
            return -(-least // by) if least > -dims.FAR else -dims.FAR
        return -dims.FAR


def _by_interval(terms: Mapping[dims.Monomial, int], constant: int) -> int:
    """The least value where each term is taken by itself."""
    for monomial, coefficient in terms.items():
        low, high = product_bounds(monomial)
        end = low if coefficient > 0 else high
        if abs(end) >= dims.FAR:  # what is beyond is so whatever is added
            return -dims.FAR
        constant += coefficient * end
    return max(constant, -dims.FAR)


def _related(x: dims.Dim) -> list[dims.Atom]:
    """The atoms that are terms and that other terms have symbols in common with: of others an interval says all."""
    atoms: list[dims.Atom] = []
    for monomial in x.terms:
        if len(monomial) == 1 and not isinstance(monomial[0], dims.SizeSymbol):
            symbols = monomial[0].symbols
            if any(other is not monomial and any(symbols & one.symbols for one in other) for other in x.terms):
                atoms.append(monomial[0])
    return atoms


def _shared(x: dims.Dim) -> dims.Monomial:
    """The atoms that all terms have as factors, each once."""
    first, *rest = x.terms
    return tuple(dict.fromkeys(atom for atom in first if all(atom in monomial for monomial in rest)))


def product_bounds(monomial: dims.Monomial) -> dims.Bounds:
    """Bounds of a product of atoms."""
    bounds = 1, 1
    for atom in monomial:
        bounds = times(bounds, atom.bounds)
    return bounds


def times(x: dims.Bounds, y: dims.Bounds) -> dims.Bounds:
    """Bounds of a product by those of its factors."""
    corners = [a * b for a in x for b in y]
    return max(min(corners), -dims.FAR), min(max(corners), dims.FAR)

# SPDX-License-Identifier: Apache-2.0
"""`SizeScope`: the size symbols of one program, and what it assumes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from hybridize.base.dims.dim import FAR, Atom, Dim, Division, Larger, Remainder, Size, SizeSymbol, key_of, text
from hybridize.base.dims.ranges import Ranges

_LONGEST = 1 << 47
"""No axis of an array is longer: there are no more addresses."""
_HEAVIEST = 128
"""A size that takes more atoms to write is not worth a program for all sizes: `x // 2 + x // 3` doubles each time."""


class SizeCondition:
    """Something that must be true of the sizes for a program to hold: `dim` compared with 0."""

    __slots__ = ("dim", "relation")

    def __init__(self, dim: Dim, relation: str) -> None:
        self.dim: Dim = dim
        self.relation: str = relation
        """`>` or `==` or `!=`, followed by 0."""

    def holds(self, sizes: Mapping[SizeSymbol, int]) -> bool:
        """Tell whether it is true of these sizes."""
        value = self.dim.at(sizes)
        return value > 0 if self.relation == ">" else (value == 0) == (self.relation == "==")

    def __str__(self) -> str:
        return f"{text(self.dim)} {self.relation} 0"


class SizeScope:
    """The size symbols of one program, and what is assumed of them."""

    ranges: Ranges
    """Bounds of its sizes."""

    def __init__(self) -> None:
        self.symbols: list[SizeSymbol] = []
        self.conditions: list[SizeCondition] = []
        """Assumptions that no range says; ranges are in the symbols."""
        self.why = ""
        """The reason why all sizes are those of the call that was captured, but for what was asked of them."""
        self.number: Callable[[Dim], Any] | None = None
        """While Python runs: a dim as a value that the program computes, for arithmetic that sizes do not have."""
        self.capturing = True
        """While Python runs, `==` is a question that the user's code asked and its outcome is remembered. Afterwards
        it asks whether two dims are known to be the same, except that a size may always turn out to be 0 or 1."""
        self.ranges = Ranges()
        self._known: set[tuple[Any, ...]] = set()
        self._atoms: dict[tuple[Any, ...], Atom] = {}
        self._order: dict[Atom, int] = {}

    def symbol(self, hint: int, *, name: str = "", low: int = 2, high: int = FAR) -> Dim:
        """A new symbol."""
        symbol = SizeSymbol(len(self.symbols), name or f"n{len(self.symbols)}", hint, low, high, self.ranges.forget)
        self.symbols.append(symbol)
        self._order[symbol] = len(self._order)
        return self.dim(symbol)

    def dim(self, symbol: SizeSymbol) -> Dim:
        """Return the dim that is one of its symbols."""
        return Dim(self, {(symbol,): 1}, 0)

    def holds(self, sizes: Mapping[SizeSymbol, int]) -> bool:
        """Tell whether a program of this scope is right for these sizes."""
        return all(one.low <= sizes[one] <= one.high for one in self.symbols) and all(
            condition.holds(sizes) for condition in self.conditions
        )

    @property
    def pinned(self) -> bool:
        """True if all symbols are pinned."""
        return all(one.pinned for one in self.symbols)

    @property
    def assumption_texts(self) -> tuple[str, ...]:
        """The assumptions in words, for messages: `n0 from 2 to 64`."""
        return (*(one.bounds_text for one in self.symbols), *map(str, self.conditions))

    def lines(self) -> list[str]:
        """Write the assumptions as text that `parse_scope` reads: `n0 in 2..64 like 9`, `n0*n1-45 > 0`."""
        return [*map(repr, self.symbols), *map(str, self.conditions)]

    def __repr__(self) -> str:
        return f"Scope({', '.join(self.lines())})"

    # Making

    def atom(self, kind: type[Division] | type[Remainder] | type[Larger], x: Size, other: Size) -> Size:
        """The dim that is one atom of these operands, equal ones once; a number where it would be a heavy one."""
        if self.capturing and kind is not Larger:  # it may be small where what it is made of is not
            self.contain(x)
            self.contain(other)
        key = (kind, key_of(x), key_of(other))
        atom = self._atoms.get(key)
        if atom is None:
            atom = kind(x, other)
            if self.capturing and atom.weight > _HEAVIEST:
                return self._settled(x, other, atom.hint)
            self._atoms[key] = atom
            self._order[atom] = len(self._order)
        return Dim(self, {(atom,): 1}, 0)

    def order(self, atom: Atom) -> int:
        """Return the number of an atom, by which the factors of a monomial are ordered."""
        return self._order[atom]

    # Deciding

    def positive(self, difference: Size) -> bool:
        """Tell whether a number is above 0; an answer that is right for this call only is assumed from then on."""
        if not isinstance(difference, Dim):
            return difference > 0
        low, high = difference.bounds
        if low > 0 or high <= 0:
            return low > 0
        outcome = difference.hint > 0
        # What is not above 0 is, as it is whole, below 1.
        self._assume_positive(difference if outcome else _as_dim(1 - difference))
        return outcome

    def zero(self, difference: Size) -> bool:
        """Tell whether a number is 0; an answer that is right for this call only is assumed from then on."""
        if not isinstance(difference, Dim):
            return difference == 0
        low, high = difference.bounds
        if low > 0 or high < 0 or difference.constant % math.gcd(*difference.terms.values()):
            return False
        if self._vanishes(difference):
            return True
        if difference.hint == 0:
            self.pin(difference)
            return True
        if low == 0:
            self._assume_positive(difference)
        elif high == 0:
            self._assume_positive(_as_dim(-difference))
        else:
            self.assume(SizeCondition(difference, "!="))
        return False

    def equal(self, x: Dim, y: Size) -> bool:
        """Tell whether a dim is known to be another one, or a number; assumes nothing."""
        if not self._known and not isinstance(y, Dim):
            return False
        difference = x - y
        if not isinstance(difference, Dim):
            return bool(difference == 0)
        return difference.bounds == (0, 0) or self._vanishes(difference)

    def _vanishes(self, difference: Dim) -> bool:
        return (_normal(difference, "==").key, "==") in self._known

    def pin(self, dim: Dim) -> int:
        """The value of a dim in the call that is being compiled; the program then holds for no other value."""
        value = dim.hint
        one = dim.single
        if one is None:
            rest = dim - value
            if isinstance(rest, Dim):
                self.assume(SizeCondition(rest, "=="))
        else:
            symbol, coefficient, constant = one
            symbol.low = symbol.high = (value - constant) // coefficient
        return value

    def contain(self, size: Size) -> None:
        """Hear that a program computes a size.

        Where 64 bits might not hold it or what it is made of, the ranges of its symbols shrink.
        """
        if not isinstance(size, Dim):
            return
        symbols: set[SizeSymbol] = set()
        largest, degree = _majorant(size, symbols)
        room = (FAR / largest) ** (1 / degree)  # so many times as large as now may all symbols be
        for symbol in symbols:
            if room < 1:
                symbol.low = symbol.high = symbol.hint
            elif symbol.hint * room < _LONGEST:
                symbol.high = min(symbol.high, int(symbol.hint * room))

    def settle(self, dim: Dim) -> int:
        """The value of a dim that is more than 64 bits hold, or too large a formula.

        The program then holds for these sizes only.
        """
        return self._settled(dim, 0, dim.hint)

    def _settled(self, x: Size, other: Size, value: int) -> int:
        for symbol in {one for size in (x, other) if isinstance(size, Dim) for one in size.symbols}:
            symbol.low = symbol.high = symbol.hint
        return value

    def _assume_positive(self, dim: Dim) -> None:
        one = dim.single
        if one is None:
            self.assume(SizeCondition(dim, ">"))
            return
        symbol, coefficient, constant = one
        if coefficient > 0:
            symbol.low = max(symbol.low, -constant // coefficient + 1)
        else:
            symbol.high = min(symbol.high, -(constant // coefficient) - 1)

    def assume(self, condition: SizeCondition) -> None:
        """Remember a condition."""
        dim = _normal(condition.dim, condition.relation)
        key = (dim.key, condition.relation)
        if key not in self._known:
            self._known.add(key)
            self.conditions.append(SizeCondition(dim, condition.relation))


def _normal(dim: Dim, relation: str) -> Dim:
    """One of the dims of which a relation to 0 says the same: the one with the smallest coefficients."""
    by = math.gcd(*dim.terms.values())
    if relation == ">":
        constant = -(-dim.constant // by)  # c x + k > 0 where x > -k / c, which is x > floor(-k / c)
    elif dim.constant % by:
        return dim
    else:
        by = -by if dim.key[1][1] < 0 else by
        constant = dim.constant // by
    return Dim(dim.scope, {monomial: coefficient // by for monomial, coefficient in dim.terms.items()}, constant)


def _majorant(size: Size, symbols: set[SizeSymbol]) -> tuple[int, int]:
    """(a, d) such that no size, nor any part of it, is beyond a * t**d where symbols are at most t times their hints.

    The symbols are added to `symbols`.
    """
    if not isinstance(size, Dim):
        return abs(size), 0
    total, degree = abs(size.constant), 0
    for monomial, coefficient in size.terms.items():
        largest, factors = abs(coefficient), 0
        for atom in monomial:
            if isinstance(atom, SizeSymbol):
                symbols.add(atom)
                most, power = atom.hint, 1
            else:  # no larger than what it is made of
                (x, first), (other, second) = _majorant(atom.x, symbols), _majorant(atom.divisor, symbols)
                most, power = x + other, max(first, second)
            largest, factors = largest * most, factors + power
        total, degree = total + largest, max(degree, factors)
    return total, degree


def _as_dim(x: Size) -> Dim:
    assert type(x) is Dim
    return x

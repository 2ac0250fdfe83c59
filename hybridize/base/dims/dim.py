# SPDX-License-Identifier: Apache-2.0
"""`Dim`: a polynomial over size symbols that behaves as an int; see the package."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeAlias, TypeGuard, final

import numpy

FAR: Final = 1 << 62
"""Beyond every size: the bound of what is not known, and of what programs compute with, which is 64 bits."""

_MOST_TERMS: Final = 256
"""A polynomial of more terms is not worth a program for all sizes: products of sums grow without end."""
_LARGEST_DIVISOR: Final = 1 << 20
"""Divisions of divisions become one while the divisor is no larger: ranges end where 64 bits do."""

Size: TypeAlias = "int | Dim"
"""Any value that may stand as a size. Elsewhere sizes are annotated as `int`: that is what a dim says that it is."""
Bounds = tuple[int, int]
"""Smallest and largest value, inclusive."""


class SizeSymbol:
    """A size that each call brings along."""

    __slots__ = ("_changed", "_high", "_low", "hint", "name", "number")
    weight = 1

    def __init__(self, number: int, name: str, hint: int, low: int, high: int, changed: Callable[[], None]) -> None:
        self.number: int = number
        """Position among the sizes that a program is given."""
        self.name: str = name
        self.hint: int = hint
        """The size in the call that is being compiled."""
        self._low, self._high = low, high
        self._changed = changed
        """The function that is called when the range changes."""

    @property
    def symbols(self) -> frozenset[SizeSymbol]:
        """All that it depends on."""
        return frozenset((self,))

    @property
    def low(self) -> int:
        """The smallest size that the program holds for; grows while it is compiled."""
        return self._low

    @low.setter
    def low(self, low: int) -> None:
        self._low = low
        self._changed()

    @property
    def high(self) -> int:
        """The largest size that the program holds for; shrinks while it is compiled."""
        return self._high

    @high.setter
    def high(self, high: int) -> None:
        self._high = high
        self._changed()

    @property
    def pinned(self) -> bool:
        """True if the program holds for one size only."""
        return self.low == self.high

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest value."""
        return self.low, self.high

    @property
    def bounds_text(self) -> str:
        """Its bounds in words, for messages."""
        return f"{self.name} from {self.low}" + (f" to {self.high}" if self.high < FAR else "")

    def __repr__(self) -> str:
        high = "" if self.high >= FAR else self.high
        return f"{self.name} in {self.low}..{high} like {self.hint}"


class _Operation:
    """An atom that is computed from two sizes."""

    __slots__ = ("divisor", "hint", "symbols", "weight", "x")
    x: Size
    divisor: Size

    def __init__(self, x: Size, divisor: Size, hint: int) -> None:
        self.x, self.divisor = x, divisor
        self.hint: int = hint
        self.symbols: frozenset[SizeSymbol] = frozenset().union(
            *(one.symbols for one in (*_atoms(x), *_atoms(divisor)))
        )
        """All that it depends on."""
        self.weight: int = 1 + sum(one.weight for one in (*_atoms(x), *_atoms(divisor)))
        """The number of atoms that are written where it is written out."""


class Division(_Operation):
    """`x // divisor`, rounded down, where nothing simpler says it."""

    __slots__ = ()
    name = "div"

    def __init__(self, x: Size, divisor: Size) -> None:
        super().__init__(x, divisor, hint(x) // hint(divisor))

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest value."""
        low, high = bounds(self.x)
        least, most = bounds(self.divisor)
        corners = [low // least, low // most, high // least, high // most] if least > 0 else [-FAR, FAR]
        return (-FAR if low <= -FAR else min(corners)), (FAR if high >= FAR else max(corners))


class Remainder(_Operation):
    """`x % divisor`, with the sign of the divisor."""

    __slots__ = ()
    name = "mod"

    def __init__(self, x: Size, divisor: Size) -> None:
        super().__init__(x, divisor, hint(x) % hint(divisor))

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest value."""
        least, most = bounds(self.divisor)
        return (0, most - 1) if least > 0 else (-FAR, FAR)


class Larger(_Operation):
    """`max(x, divisor)`; the field has the name that its kin have."""

    __slots__ = ()
    name = "max"

    def __init__(self, x: Size, divisor: Size) -> None:
        super().__init__(x, divisor, max(hint(x), hint(divisor)))

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest value."""
        (a, b), (c, d) = bounds(self.x), bounds(self.divisor)
        return max(a, c), max(b, d)


Atom = SizeSymbol | Division | Remainder | Larger
Monomial = tuple[Atom, ...]
"""A product of atoms, sorted by their order of making; empty for the constant."""


class Bounding(Protocol):
    """Knows the ranges of sizes; see `dims.ranges`."""

    def of(self, dim: Dim) -> Bounds:
        """Return the smallest and largest value that a size may have."""


class Assumptions(Protocol):
    """The scope that a dim belongs to, as it asks it: decides, and remembers; see `dims.scope.SizeScope`."""

    capturing: bool
    """While Python runs, `==` is a question that the user's code asked and its outcome is remembered."""
    number: Callable[[Dim], Any] | None
    """While Python runs: a dim as a value that the program computes, for arithmetic that sizes do not have."""

    @property
    def ranges(self) -> Bounding:
        """Bounds of its sizes."""

    def atom(self, kind: type[Division] | type[Remainder] | type[Larger], x: Size, other: Size) -> Size:
        """Return the dim that is one atom of these operands."""

    def order(self, atom: Atom) -> int:
        """Return the number of an atom, by which the factors of a monomial are ordered."""

    def positive(self, difference: Size) -> bool:
        """Tell whether a number is above 0."""

    def zero(self, difference: Size) -> bool:
        """Tell whether a number is 0."""

    def equal(self, x: Dim, y: Size) -> bool:
        """Tell whether two dims are known to be equal."""

    def pin(self, dim: Dim) -> int:
        """Return the value in the call that is being compiled; the program then holds for no other."""

    def contain(self, size: Size) -> None:
        """Hear that a program computes a size."""

    def settle(self, dim: Dim) -> int:
        """Return the value of a dim that is beyond what programs compute with."""


@final
class Dim:
    """A size that depends on symbols; never a constant (that is an int)."""

    __slots__ = ("_hash", "constant", "hint", "key", "scope", "terms")

    def __init__(self, scope: Assumptions, terms: Mapping[Monomial, int], constant: int) -> None:
        self.scope: Assumptions = scope
        self.terms: dict[Monomial, int] = dict(terms)
        """Coefficients, none of them 0."""
        self.constant: int = constant
        self.key: tuple[Any, ...] = (
            constant,
            *sorted(((tuple(map(scope.order, monomial)), coefficient) for monomial, coefficient in terms.items())),
        )
        """Equal for equal dims of one scope."""
        self._hash = hash(self.key)
        self.hint: int = constant + sum(coefficient * _product(monomial) for monomial, coefficient in terms.items())
        """The value in the call that is being compiled."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        # `isinstance(n, int)` is asked of sizes everywhere, by the user's code too, and the answer has to be that of
        # imperative Python. C code looks at the real type and calls `__index__`, which pins.
        return int

    # What is known

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest value, by the ranges of the symbols."""
        return self.scope.ranges.of(self)

    @property
    def symbols(self) -> frozenset[SizeSymbol]:
        """All that it depends on."""
        return frozenset().union(*(atom.symbols for atom in _atoms(self)))

    @property
    def single(self) -> tuple[SizeSymbol, int, int] | None:
        """(symbol, coefficient, constant) where the dim is coefficient * symbol + constant."""
        if len(self.terms) != 1:
            return None
        ((monomial, coefficient),) = self.terms.items()
        if len(monomial) == 1 and type(monomial[0]) is SizeSymbol:
            return monomial[0], coefficient, self.constant
        return None

    @property
    def symbol(self) -> SizeSymbol | None:
        """The symbol that the dim is."""
        one = self.single
        return one[0] if one is not None and one[1:] == (1, 0) else None

    def at(self, sizes: Mapping[SizeSymbol, int]) -> int:
        """The value for given sizes."""
        total = self.constant
        for monomial, coefficient in self.terms.items():
            for atom in monomial:
                coefficient *= _atom_at(atom, sizes)
            total += coefficient
        return total

    # Arithmetic

    def __add__(self, other: object) -> Any:
        if isinstance(other, Dim):
            terms = dict(self.terms)
            for monomial, coefficient in other.terms.items():
                total = terms.get(monomial, 0) + coefficient
                if total:
                    terms[monomial] = total
                else:
                    del terms[monomial]
            return size_of_terms(self.scope, terms, self.constant + other.constant)
        if type(other) is int or type(other) is bool:
            return size_of_terms(self.scope, self.terms, self.constant + other)
        return self._beyond(operator.add, self, other)

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return Dim(self.scope, {monomial: -coefficient for monomial, coefficient in self.terms.items()}, -self.constant)

    def __pos__(self) -> Dim:
        return self

    def __sub__(self, other: object) -> Any:
        return self + -other if _is_size(other) else self._beyond(operator.sub, self, other)

    def __rsub__(self, other: object) -> Any:
        return -self + other if _is_size(other) else self._beyond(operator.sub, other, self)

    def __mul__(self, other: object) -> Any:
        if isinstance(other, Dim):
            terms: dict[Monomial, int] = {}
            for left, a in (*self.terms.items(), ((), self.constant)):
                for right, b in (*other.terms.items(), ((), other.constant)):
                    if a and b:
                        monomial = tuple(sorted(left + right, key=self.scope.order))
                        terms[monomial] = terms.get(monomial, 0) + a * b
            constant = terms.pop((), 0)
            return size_of_terms(self.scope, {m: c for m, c in terms.items() if c}, constant)
        if type(other) is int or type(other) is bool:
            return size_of_terms(
                self.scope, {m: c * other for m, c in self.terms.items() if other}, self.constant * other
            )
        if isinstance(other, (tuple, list, str, bytes)):
            return other * self.scope.pin(self)
        return self._beyond(operator.mul, self, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: object) -> Any:
        if not _is_size(other):
            return self._beyond(operator.floordiv, self, other)
        if other == 0:
            raise ZeroDivisionError("integer division or modulo by zero")
        if not isinstance(other, Dim):
            return _floored(self, other)
        quotient, remainder = _divided(self, other)
        if isinstance(remainder, Dim):
            return quotient + self.scope.atom(Division, remainder, other)
        return quotient + _int_divided(remainder, other)

    def __rfloordiv__(self, other: object) -> Any:
        if type(other) is int or type(other) is bool:
            return _int_divided(int(other), self)
        return self._beyond(operator.floordiv, other, self)

    def __mod__(self, other: object) -> Any:
        if not _is_size(other):
            return self._beyond(operator.mod, self, other)
        if other == 0:
            raise ZeroDivisionError("integer division or modulo by zero")
        _, remainder = _divided(self, other)
        if isinstance(remainder, Dim):
            return self.scope.atom(Remainder, remainder, other)
        return remainder - _int_divided(remainder, other) * other if isinstance(other, Dim) else remainder % other

    def __rmod__(self, other: object) -> Any:
        if type(other) is int or type(other) is bool:
            return other - _int_divided(int(other), self) * self
        return self._beyond(operator.mod, other, self)

    def __divmod__(self, other: object) -> Any:
        return (self // other, self % other) if _is_size(other) else self._beyond(divmod, self, other)

    def __rdivmod__(self, other: object) -> Any:
        return (other // self, other % self) if _is_size(other) else self._beyond(divmod, other, self)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            return pow(self.scope.pin(self), operator.index(other), operator.index(modulus))
        if type(other) is int and 0 <= other <= 4:
            result: Any = 1
            for _ in range(other):
                result = self * result
            return result
        return self._beyond(operator.pow, self, other)

    def __rpow__(self, other: object) -> Any:
        return self._beyond(operator.pow, other, self)

    def __truediv__(self, other: object) -> Any:
        return self._beyond(operator.truediv, self, other)

    def __rtruediv__(self, other: object) -> Any:
        return self._beyond(operator.truediv, other, self)

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def _beyond(self, function: Callable[[Any, Any], Any], x: object, y: object) -> Any:
        """Arithmetic that gives no size: left to the program while Python runs, else done with the number."""
        other: Any = y if x is self else x
        if not isinstance(other, (int, float, complex)):
            return NotImplemented
        if self.scope.number is not None and not isinstance(other, complex):
            return function(*(self.scope.number(z) if type(z) is Dim else z for z in (x, y)))
        return function(*(self.scope.pin(z) if type(z) is Dim else z for z in (x, y)))

    # Comparisons

    def __lt__(self, other: object) -> Any:
        if type(other) is float:  # whole numbers are below a float where they are below the next whole number
            return self.hint < other if not math.isfinite(other) else self < math.ceil(other)
        if type(other) is int and abs(other) >= FAR:
            self.scope.contain(self)
            return other > 0
        return self.scope.positive(-self + other) if _is_size(other) else NotImplemented

    def __gt__(self, other: object) -> Any:
        if type(other) is float:
            return self.hint > other if not math.isfinite(other) else self > math.floor(other)
        if type(other) is int and abs(other) >= FAR:
            self.scope.contain(self)
            return other < 0
        return self.scope.positive(self - other) if _is_size(other) else NotImplemented

    def __le__(self, other: object) -> Any:
        if type(other) is float and math.isnan(other):
            return False
        outcome = self.__gt__(other)
        return outcome if outcome is NotImplemented else not outcome

    def __ge__(self, other: object) -> Any:
        if type(other) is float and math.isnan(other):
            return False
        outcome = self.__lt__(other)
        return outcome if outcome is NotImplemented else not outcome

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        if isinstance(other, Dim):
            if self.key == other.key:
                return True
            return self.scope.zero(self - other) if self.scope.capturing else self.scope.equal(self, other)
        if type(other) is int or type(other) is bool:
            if self.scope.capturing or 0 <= other <= 1:
                return self.scope.zero(self - other)
            return self.bounds == (other, other) or self.scope.equal(self, other)
        if type(other) is float:
            return other.is_integer() and self == int(other)
        return NotImplemented

    def __ne__(self, other: object) -> Any:
        outcome = self.__eq__(other)
        return outcome if outcome is NotImplemented else not outcome

    def __hash__(self) -> int:
        return hash(self.scope.pin(self)) if self.scope.capturing else self._hash

    def __bool__(self) -> bool:
        return not self.scope.zero(self)

    # Leaving

    def __index__(self) -> int:
        return self.scope.pin(self)

    __int__ = __index__
    __trunc__ = __index__
    __floor__ = __index__
    __ceil__ = __index__

    def __round__(self, digits: int | None = None) -> Any:
        return self if digits is None or digits >= 0 else round(self.scope.pin(self), digits)

    def __invert__(self) -> Any:
        return -self - 1

    def __float__(self) -> float:
        return float(self.scope.pin(self))

    def __str__(self) -> str:
        return str(self.scope.pin(self))

    def __format__(self, spec: str) -> str:
        return format(self.scope.pin(self), spec)

    def __repr__(self) -> str:
        return str(self.scope.pin(self)) if self.scope.capturing else text(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return numpy.asarray(self.scope.pin(self), dtype)

    def __getattr__(self, name: str) -> Any:
        # The methods of int: bit_length, to_bytes, ...
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.scope.pin(self), name)

    def __reduce__(self) -> Any:
        raise TypeError("a symbolic size belongs to one compilation and cannot be pickled")


def _leaving(function: Callable[[Any, Any], Any], *, reflected: bool) -> Callable[[Dim, Any], Any]:
    """An operator of integers that is not arithmetic of sizes: done with the number."""

    def operate(self: Dim, other: Any) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        number, second = self.scope.pin(self), operator.index(other)
        return function(second, number) if reflected else function(number, second)

    return operate


for _function in (operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift):
    _name = _function.__name__.strip("_")
    setattr(Dim, f"__{_name}__", _leaving(_function, reflected=False))
    setattr(Dim, f"__r{_name}__", _leaving(_function, reflected=True))


def is_symbolic(x: object) -> bool:
    """Tell whether a size is known only to the call."""
    return type(x) is Dim


def _is_size(x: object) -> TypeGuard[Any]:
    return type(x) is int or type(x) is Dim or type(x) is bool


def hint(x: Size) -> int:
    """The size in the call that is being compiled, for choices that are right either way."""
    return x.hint if isinstance(x, Dim) else x


def bounds(x: Size) -> Bounds:
    """Smallest and largest value."""
    return x.bounds if isinstance(x, Dim) else (x, x)


def value(x: Size, sizes: Mapping[SizeSymbol, int]) -> int:
    """A size for given values of the symbols."""
    return x.at(sizes) if isinstance(x, Dim) else x


# Text


def text(x: Size) -> str:
    """A size as text that `parse` reads: `12`, `n0`, `2*n0*n1+1`, `div(n0+3,4)`."""
    if not isinstance(x, Dim):
        return str(x)
    parts = []
    for monomial, coefficient in sorted(x.terms.items(), key=lambda item: tuple(map(x.scope.order, item[0]))):
        factors = "*".join(map(_atom_text, monomial))
        sign = "-" if coefficient < 0 else "+"
        parts.append(f"{sign}{factors}" if abs(coefficient) == 1 else f"{sign}{abs(coefficient)}*{factors}")
    if x.constant:
        parts.append(f"{x.constant:+d}")
    return "".join(parts).removeprefix("+")


def _atom_text(atom: Atom) -> str:
    return atom.name if isinstance(atom, SizeSymbol) else f"{atom.name}({text(atom.x)},{text(atom.divisor)})"


# Details


def size_of_terms(scope: Assumptions, terms: Mapping[Monomial, int], constant: int) -> Size:
    """The size of these terms; what 64 bits do not hold, or nobody could handle, becomes a number."""
    if not terms:
        return constant
    dim = Dim(scope, terms, constant)
    beyond = abs(dim.hint) >= FAR or len(terms) > _MOST_TERMS
    return scope.settle(dim) if scope.capturing and beyond else dim


def key_of(x: Size) -> Any:
    """Return a key for a size, equal for equal dims."""
    return x.key if isinstance(x, Dim) else x


def _int_divided(x: int, divisor: Dim) -> Size:
    """A number divided by a dim, rounded down; a dim that may be 0 is assumed not to be."""
    if divisor == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if x == 0 or 0 < x < divisor.bounds[0]:
        return 0
    return divisor.scope.atom(Division, x, divisor)


def _atoms(x: Size) -> list[Atom]:
    return [atom for monomial in x.terms for atom in monomial] if isinstance(x, Dim) else []


def _product(monomial: Monomial) -> int:
    total = 1
    for atom in monomial:
        total *= atom.hint
    return total


def _atom_at(atom: Atom, sizes: Mapping[SizeSymbol, int]) -> int:
    if isinstance(atom, SizeSymbol):
        return sizes[atom]
    x, divisor = value(atom.x, sizes), value(atom.divisor, sizes)
    if isinstance(atom, Larger):
        return max(x, divisor)
    return x // divisor if isinstance(atom, Division) else x % divisor


def _floored(x: Dim, divisor: int) -> Size:
    """`x // divisor` in its normal form, so that equal sizes that were computed in different ways are mostly one size.

    The numerator has no multiple of the divisor, no factor in common with it, and a first coefficient above 0; it is
    no division itself: `(n // 2 + 1) // 2` is `(n + 2) // 4`, and `-((1 - n) // 2)` is `n // 2`.
    """
    numerator: Size = x if divisor > 0 else -x
    by, sign = abs(divisor), 1
    total: Size = 0
    while isinstance(numerator, Dim):
        quotient, numerator = _divided(numerator, by)
        total = total + sign * quotient
        if not isinstance(numerator, Dim):
            break
        common = math.gcd(by, *numerator.terms.values())
        inner = _inner(numerator, by)
        if common > 1:
            terms = {monomial: coefficient // common for monomial, coefficient in numerator.terms.items()}
            numerator, by = size_of_terms(numerator.scope, terms, numerator.constant // common), by // common
        elif inner is not None:
            numerator, by = inner
        elif numerator.key[1][1] < 0:  # -(y // k) is (-y + k - 1) // k
            numerator, sign = by - 1 - numerator, -sign
        else:
            whole = numerator.constant // by
            return total + (numerator.scope.atom(Division, numerator - whole * by, by) + whole) * sign
    return total + sign * (numerator // by)


def _inner(x: Dim, by: int) -> tuple[Size, int] | None:
    """A numerator and a divisor without the division in `x`: `(p + q // k) // by` is `(k * p + q) // (k * by)`."""
    for monomial, coefficient in x.terms.items():
        atom = monomial[0]
        if len(monomial) != 1 or abs(coefficient) != 1 or not isinstance(atom, Division):
            continue
        k = atom.divisor
        if type(k) is int and 0 < k <= _LARGEST_DIVISOR // by:
            rest = size_of_terms(x.scope, {one: c for one, c in x.terms.items() if one != monomial}, x.constant)
            return rest * k + (atom.x if coefficient > 0 else k - 1 - atom.x), k * by
    return None


def _divided(x: Dim, divisor: Size) -> tuple[Any, Any]:
    """(quotient, rest) with x = quotient * divisor + rest, the quotient as large as is plain to see."""
    if not isinstance(divisor, Dim):
        quotient = {m: c // divisor for m, c in x.terms.items() if c % divisor == 0}
        rest = {m: c for m, c in x.terms.items() if c % divisor}
        whole, constant = divmod(x.constant, divisor) if not rest else (0, x.constant)
        return size_of_terms(x.scope, quotient, whole), size_of_terms(x.scope, rest, constant)
    if x.key == divisor.key:
        return 1, 0
    if len(divisor.terms) != 1 or divisor.constant:
        return 0, x
    ((factors, by),) = divisor.terms.items()
    terms: dict[Monomial, int] = {}
    rest = {}
    constant = 0
    for monomial, coefficient in x.terms.items():
        left = without(monomial, factors)
        if left is None or coefficient % by:
            rest[monomial] = coefficient
        elif left:
            terms[left] = coefficient // by
        else:
            constant = coefficient // by
    return size_of_terms(x.scope, terms, constant), size_of_terms(x.scope, rest, x.constant)


def without(monomial: Monomial, factors: Monomial) -> Monomial | None:
    """A product divided by another one; None where it is not divisible."""
    left = list(monomial)
    for factor in factors:
        if factor not in left:
            return None
        left.remove(factor)
    return tuple(left)

# SPDX-License-Identifier: Apache-2.0
"""Ask questions of sizes, which may be known before the call or not."""

from __future__ import annotations

from collections.abc import Iterable

from hybridize.base.dims.dim import Dim, Larger, Size, SizeSymbol, bounds, hint, value
from hybridize.base.dims.scope import SizeScope


def same(x: Size, y: Size) -> bool:
    """Tell whether two sizes are known to be equal; assumes nothing."""
    if type(x) is int and type(y) is int:  # nearly always, and a question of a graph's every size
        return x == y
    if isinstance(x, Dim):
        return isinstance(y, Dim) and x.key == y.key
    return not isinstance(y, Dim) and x == y


def proven(x: Size, least: int = 1) -> bool:
    """Tell whether a size is known to be at least so much; assumes nothing."""
    return bounds(x)[0] >= least


def maximum(x: Size, y: Size) -> int:
    """The larger of two sizes, without a decision."""
    if not isinstance(x, Dim) and not isinstance(y, Dim):
        return max(x, y)
    if bounds(x - y)[0] >= 0:
        return x  # type: ignore[return-value]
    if bounds(y - x)[0] >= 0:
        return y  # type: ignore[return-value]
    first, second = (x, y) if isinstance(x, Dim) else (y, x)
    assert isinstance(first, Dim)
    return first.scope.atom(Larger, first, second)  # type: ignore[return-value]


def product(sizes: Iterable[int]) -> int:
    """The product; `math.prod` of sizes that may be symbolic."""
    total = 1
    for size in sizes:
        total = total * size
    return total


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape that shapes stretch to together; None where they do not."""
    result: list[int] = []
    for axis in range(-max(map(len, shapes), default=0), 0):
        widest, *others = [shape[axis] for shape in shapes if -axis <= len(shape)]
        for size in others:
            if same(size, widest) or same(size, 1):
                continue
            if hint(size) == hint(widest) and size == widest:  # which holds for two of size 1 as well
                continue
            if same(widest, 1):  # nothing is asked of the other one, which may be 1 too
                widest = size
            elif size == 1:
                continue
            elif widest == 1:
                widest = size
            elif size != widest:
                return None
        result.append(widest)
    return tuple(result)


def fits(size: Size, wide: Size) -> bool:
    """Tell whether an axis stretches to a size. Where both are the same anyway, it is not asked whether that is 1."""
    return same(size, wide) or (hint(size) == hint(wide) and size == wide) or size == 1 or size == wide


def stretches(size: Size, wide: Size) -> bool:
    """Tell whether an axis that `fits` a size has one element, which is then every one; one the same anyway has not."""
    return same(size, 1) or (not same(size, wide) and size == 1)


def known(sizes: Iterable[int]) -> bool:
    """Tell whether all sizes are known before the call."""
    return Dim not in set(map(type, sizes))


def scope_of(sizes: Iterable[Size]) -> SizeScope | None:
    """The scope of the first symbolic size."""
    scope = next((size.scope for size in sizes if isinstance(size, Dim)), None)
    assert scope is None or isinstance(scope, SizeScope)
    return scope


def solve(size: Size, number: int) -> tuple[SizeSymbol, int] | None:
    """The symbol in factor * symbol + constant, and its value where that is `number`; None where there is none."""
    single = size.single if isinstance(size, Dim) else None
    if single is None or (number - single[2]) % single[1]:
        return None
    symbol, factor, constant = single
    return symbol, (number - constant) // factor


def determined(symbolic: Iterable[Size]) -> frozenset[SizeSymbol]:
    """The symbols that the values of these sizes tell: alone, or in factor * symbol + constant; see `bind`."""
    singles = (size.single for size in symbolic if isinstance(size, Dim))
    return frozenset(single[0] for single in singles if single is not None)


def bind(symbolic: Iterable[Size], numbers: Iterable[int]) -> dict[SizeSymbol, int] | None:
    """The values of the symbols by which sizes become those given; None where there are none.

    Every symbol stands alone in one of the sizes at least, or once with a factor and a number besides (what a backward
    program is given may be longer than what the forward one was). Ranges and conditions are for `SizeScope.holds`.
    """
    pairs = list(zip(symbolic, numbers, strict=True))
    values: dict[SizeSymbol, int] = {}
    for size, number in pairs:
        symbol = size.symbol if isinstance(size, Dim) else None
        if symbol is not None:
            values.setdefault(symbol, number)
    for size, number in pairs:
        solved = solve(size, number)
        if solved is not None:
            values.setdefault(*solved)
    try:
        return values if all(value(size, values) == number for size, number in pairs) else None
    except KeyError:  # a symbol that stands alone nowhere
        return None

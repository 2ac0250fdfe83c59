# SPDX-License-Identifier: Apache-2.0
"""The epilogue of a contraction as the tiles of one line of rows see it: what differs from line to line is arguments.

Contractions that differ in where their results lie, in nothing else, then have one function of their lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hybridize.base.dims import same, text
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Axis, Const, Expr, Load, whole
from hybridize.loops.index import Index, Interner, Space, children
from hybridize.loops.kernel import Statement
from hybridize.schedule.contraction.ending import Ending


@frozen
class LineAccess:
    """A place in a buffer of the epilogue, as an argument of lines: the element of their first row, at column 0."""

    buffer: int
    constant: int
    terms: tuple[tuple[int, int], ...] = ()
    """Axes of the result and the elements from one index of them to the next, but for the column's."""
    apart: int = 0
    """Elements from one row of a line to the next; 0 where rows are given by their index."""
    is_argument: bool = False
    """True if that is an argument, too, and 1 in the epilogue."""


@frozen
class LineEnding:
    """An epilogue over the columns and the rows of a line."""

    ending: Ending
    """Its buffers are the accesses."""
    accesses: tuple[LineAccess, ...]
    axes: tuple[int, ...]
    """The axes of the result whose index it needs besides, or a row instead of its number in the line."""

    def has_row(self, row: int) -> bool:
        """Tell whether it needs the index of a row, not its number in the line alone."""
        return row in self.axes


def unchanged(ending: Ending, rank: int) -> LineEnding:
    """An epilogue that is given all axes of a result of so many, and its buffers as they are."""
    accesses = tuple(LineAccess(number, 0) for number in range(len(ending.params)))
    return LineEnding(ending, accesses, tuple(range(rank)))


def ending_of_lines(ending: Ending, sizes: Sequence[int], column: int, row: int, step: int = 1) -> LineEnding:
    """Take out of an epilogue what a line does not change, and the distances of its rows.

    Args:
        ending: over all axes of the result.
        sizes: of these.
        column: the axis of columns, which a line has all or some of.
        row: the axis of rows.
        step: from one row of a line to the next, in indices of that axis.
    """
    uses = sorted(_uses(ending), key=lambda use: use[0])
    plain = {id(address): terms for _, address, _ in uses if (terms := _terms(address)) is not None}
    axes = sorted(_mentioned(ending, plain))
    moves = row not in axes
    scattered = {id(address) for _, address, stored in uses if stored and not _is_in_order(address, column)}
    accesses: dict[tuple[object, ...], LineAccess] = {}

    def access(buffer: int, address: Expr) -> tuple[object, ...]:
        """The key of an access, whose sizes that are not known are text: they are never compared."""
        terms = plain.get(id(address))
        one = LineAccess(buffer, 0)
        if terms is not None:
            apart = terms.get(row, 0) * step if moves else 0
            is_argument = not same(apart, 0) and id(address) not in scattered
            outer = ((axis, factor) for axis, factor in terms.items() if axis != column and (axis != row or moves))
            firsts = tuple(sorted(outer, key=lambda term: term[0]))
            one = LineAccess(buffer, _constant(address), firsts, apart, is_argument)
        key = (buffer, text(one.constant), *((axis, text(factor)) for axis, factor in one.terms), one.is_argument)
        accesses.setdefault(key, one)
        return key

    for buffer, address, _ in uses:
        access(buffer, address)
    numbers = {key: number for number, key in enumerate(accesses)}
    space = Space(Interner(), dict(enumerate(sizes)))
    memo: dict[int, Expr] = {}

    def rewritten(expr: Expr) -> Expr:
        return space.rewrite_deep(expr, {}, load, lambda fold: fold.variable, memo)

    def placed(buffer: int, address: Expr) -> tuple[int, Expr]:
        """The access, and the element after it."""
        key, terms = access(buffer, address), plain.get(id(address))
        if terms is None:
            return numbers[key], rewritten(address)
        factors = {column: terms.get(column, 0), row: accesses[key].apart if moves else terms.get(row, 0)}
        if accesses[key].is_argument:
            factors[row] = 1
        return numbers[key], space.affine([(space.axis(axis), factor) for axis, factor in factors.items()])

    def load(one: Load, indices: tuple[Expr, ...]) -> Expr:
        (address,) = one.indices
        if one.operand < 0:
            own = [(space.axis(axis), 1) for axis in (column, row) if axis in (_terms(address) or {})]
            return space.interner.load(one.dtype, one.operand, (space.affine(own),))
        number, place = placed(one.operand, address)
        return space.interner.load(one.dtype, number, (place,))

    stores = []
    for one in ending.stores:
        number, place = placed(one.buffer, one.index)
        stores.append(Statement(number, place, rewritten(one.value)))
    params = tuple(ending.params[one.buffer] for one in accesses.values())
    needed = tuple(axis for axis in axes if axis != column)
    return LineEnding(Ending(params, tuple(stores)), tuple(accesses.values()), needed)


def _mentioned(ending: Ending, plain: Mapping[int, object]) -> set[int]:
    """The axes that an epilogue has elsewhere than in addresses that are plain, and in those of sums."""
    axes: set[int] = set()
    seen: set[int] = set()
    stack = [store.value for store in ending.stores]
    stack += [store.index for store in ending.stores if id(store.index) not in plain]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Axis) and node.number >= 0:
            axes.add(node.number)
        if not isinstance(node, Load):
            stack += children(node)
        elif node.operand >= 0:
            stack += [address for address in node.indices if id(address) not in plain]
    return axes


def _constant(address: Expr) -> int:
    """The element at an address where all axes are 0."""
    if isinstance(address, Index):
        return address.constant
    return whole(address) if isinstance(address, Const) else 0


def _uses(ending: Ending) -> Iterator[tuple[int, Expr, bool]]:
    """Iterate over the buffers of an epilogue, each with an address, and whether it is stored to there."""
    for store in ending.stores:
        for root in (store.value, store.index):
            for node in _below(root):
                if isinstance(node, Load) and node.operand >= 0:
                    yield node.operand, node.indices[0], False
        yield store.buffer, store.index, True


def _below(root: Expr) -> Iterator[Expr]:
    """Iterate over each expression below a root once, in an order that follows from it alone."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            stack += reversed(children(node))


def _terms(address: Expr) -> dict[int, int] | None:
    """The elements from one index of each axis to the next, by axis; None where that is not all of an address."""
    if isinstance(address, Const):
        return {}
    terms = address.terms if isinstance(address, Index) else ((address, 1),)
    if not all(isinstance(atom, Axis) and atom.number >= 0 for atom, _ in terms):
        return None
    return {atom.number: factor for atom, factor in terms if isinstance(atom, Axis)}


def _is_in_order(address: Expr, column: int) -> bool:
    """Tell whether columns follow each other at an address. One column alone, which is not in it, is scattered, too."""
    return same((_terms(address) or {}).get(column, 0), 1)

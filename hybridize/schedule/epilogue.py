# SPDX-License-Identifier: Apache-2.0
"""A draft as the epilogue of a contraction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridize.base.frozen import changed
from hybridize.base.types import Shape
from hybridize.graph import Value
from hybridize.loops.expr import Axis, Expr, Load
from hybridize.loops.index import Space
from hybridize.loops.kernel import Param, Statement
from hybridize.schedule.contraction.ending import ACCUMULATED, Ending
from hybridize.schedule.contraction.product import Product, place
from hybridize.schedule.draft import Draft
from hybridize.schedule.gates import Gates, gate_positions
from hybridize.schedule.grouping import Pattern, coefficients_of


def ending_of(draft: Draft, out: Value) -> tuple[Ending, list[Value]]:
    """Turn a group that reads the contraction `out`, each element once, into statements over its axes.

    Returns the values of the params, too.
    """
    (pattern,) = draft.read_patterns(out)
    key = ending_of, out.type.shape, *map(id, pattern)
    ending, order = draft.results.of(key, lambda: _read_at(draft, out.type.shape, pattern))
    return ending, [draft.buffers[number] for number in order]


def _read_at(draft: Draft, shape: Shape, pattern: Pattern) -> tuple[Ending, Sequence[int]]:
    space = Space(draft.space.interner, dict(enumerate(shape)))
    coefficients = coefficients_of(draft.space.flat(tuple(pattern), shape))
    same_axes = {index.number: k for k, index in enumerate(pattern) if isinstance(index, Axis)}
    if set(same_axes) == set(coefficients):
        axes = {axis: space.axis(k) for axis, k in same_axes.items()}
    else:  # as where several axes are one: they are found by the number of the element
        axes = _counted(space, shape, coefficients, draft.group.shape)
    return _ending(draft, space, axes, None, {})


def ending_of_product(draft: Draft, out: Value, product: Product) -> tuple[Ending, list[Value]]:
    """Turn a group that reads each element of a product, or of its gates, into statements over batch, row and column.

    The first param is `out`, which is stored last.
    """
    shape, target = (product.batch, product.m, product.columns), draft.buffers.index(out)
    key = ending_of_product, target, *shape, product.gates
    ending, order = draft.results.of(key, lambda: _of_product(draft, target, shape, product.gates))
    space = Space(draft.space.interner, dict(enumerate(shape)))
    result = changed(ending.stores[-1], index=place(space, (0, 1, 2), product.out_strides))
    return changed(ending, stores=(*ending.stores[:-1], result)), [draft.buffers[number] for number in order]


def _of_product(draft: Draft, target: int, shape: Shape, gates: int) -> tuple[Ending, Sequence[int]]:
    group, space = draft.group, Space(draft.space.interner, dict(enumerate(shape)))
    position = draft.space.flat(tuple(map(draft.space.axis, range(len(group.shape)))), group.shape)
    axes = _counted(space, shape, coefficients_of(position), group.shape)
    places = gate_positions(draft.space, group.shape, Gates(gates, shape[-1])) if gates > 1 else []
    sums = {id(place): ACCUMULATED - gate for gate, place in enumerate(places)}
    return _ending(draft, space, axes, target, sums)


def _counted(space: Space, shape: Shape, coefficients: Mapping[int, int], sizes: Shape) -> dict[int, Expr]:
    """The axes of a group, of these sizes, by those of a result, whose elements they count with these coefficients."""
    flat = space.flat(tuple(space.axis(axis) for axis in range(len(shape))), shape)
    return {
        axis: space.mod(space.floordiv(flat, coefficients[axis]), sizes[axis])
        for axis in range(len(sizes))
        if axis in coefficients
    }


def _ending(
    draft: Draft, space: Space, axes: Mapping[int, Expr], target: int | None, gates: Mapping[int, int]
) -> tuple[Ending, Sequence[int]]:
    """The statements of a draft over the axes of `space`, in which `axes` are written, and the buffers of its params.

    Where `target` is stored last, what others store of it is made of the value itself. `gates` are the operands that
    the sums at some positions are.
    """
    interner = space.interner
    main = next((statement for statement in draft.statements if statement.buffer == target), None)
    written = {statement.buffer for statement in draft.statements}
    used = (number for number in draft.read_buffers() | written if number >= 0)
    order = sorted(used, key=lambda number: (number != target, number))
    numbers = {number: k for k, number in enumerate(order)}
    memo: dict[int, Expr] = {}

    def load(load: Load, indices: tuple[Expr, ...]) -> Expr:
        if main is not None and load.operand == target:
            return moved(main.value)
        operand = gates.get(id(load.indices[0]), load.operand) if load.operand < 0 else numbers[load.operand]
        return interner.load(load.dtype, operand, indices)

    def moved(expr: Expr) -> Expr:
        return space.rewrite_deep(expr, axes, load, lambda fold: fold.variable, memo)

    params = tuple(Param(draft.buffers[n].type.dtype, draft.elements(n), n in written) for n in order)
    statements = [statement for statement in draft.statements if statement is not main]
    statements += [] if main is None else [main]
    stores = tuple(Statement(numbers[s.buffer], moved(s.index), moved(s.value)) for s in statements)
    return Ending(params, stores), order

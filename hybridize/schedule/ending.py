# SPDX-License-Identifier: Apache-2.0
"""The epilogue of a contraction by index maps: statements over the axes of its result."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.types import Shape, TensorType
from hybridize.graph import Value
from hybridize.loops.expr import Axis, Expr, Load
from hybridize.loops.index import Index, Interner, Space
from hybridize.loops.kernel import Param
from hybridize.loops.measure import walk
from hybridize.schedule.draft import Draft
from hybridize.schedule.grouping import coefficients_of
from hybridize.schedule.homes import Home
from hybridize.schedule.steps import ACCUMULATED, SideStore


def plain_ending(interner: Interner, out: TensorType, home: Home) -> tuple[Param, SideStore]:
    """Store the sums as they are."""
    space = Space(interner, dict(enumerate(out.shape)))
    axes = tuple(space.axis(axis) for axis in range(out.ndim))
    total = interner.load(out.dtype, ACCUMULATED, (space.flat(axes, out.shape),))
    return Param(out.dtype, home.elements, True), SideStore(0, home.address(space, axes), total)


def ending_of(draft: Draft, out: Value) -> tuple[list[Value], list[Param], list[SideStore]]:
    """The statements of a group that reads the contraction `out`, each element once, as statements over its axes."""
    group, interner = draft.group, draft.space.interner
    shape = out.type.shape
    space = Space(interner, dict(enumerate(shape)))
    (pattern,) = draft.read_patterns(out)
    axes = _axes_of(space, group.space, pattern, shape, group.shape)
    written = {statement.buffer for statement in draft.statements}
    used = draft.read_buffers() | written
    order = [number for number in range(len(draft.buffers)) if number in used]
    numbers = {number: k for k, number in enumerate(order)}
    memo: dict[int, Expr] = {}

    def load(load: Load, indices: tuple[Expr, ...]) -> Expr:
        return interner.load(load.dtype, numbers.get(load.operand, load.operand), indices)

    def moved(expr: Expr) -> Expr:
        return space.rewrite_deep(expr, axes, load, lambda fold: fold.variable, memo)

    values = [draft.buffers[number] for number in order]
    params = [Param(draft.buffers[number].type.dtype, draft.elements(number), number in written) for number in order]
    stores = [SideStore(numbers[s.buffer], moved(s.index), moved(s.value)) for s in draft.statements]
    return values, params, stores


def _axes_of(space: Space, own: Space, pattern: Sequence[Expr], shape: Shape, sizes: Shape) -> dict[int, Expr]:
    """The axes of a group, of these sizes, by those of a contraction of a shape that it reads at a pattern.

    Most are axes of the contraction. If not, as where several are one, they are found by the number of the element.
    """
    coefficients = coefficients_of(own.flat(tuple(pattern), shape))
    same_axes = {index.number: k for k, index in enumerate(pattern) if isinstance(index, Axis)}
    if set(same_axes) == set(coefficients):
        return {axis: space.axis(k) for axis, k in same_axes.items()}
    flat = space.flat(tuple(space.axis(axis) for axis in range(len(shape))), shape)
    return {
        axis: space.mod(space.floordiv(flat, coefficients[axis]), sizes[axis])
        for axis in range(len(sizes))
        if axis in coefficients
    }


def is_along(index: Expr, axis: int) -> bool:
    """Tell whether consecutive positions of an axis are consecutive elements."""
    terms = index.terms if isinstance(index, Index) else ((index, 1),)
    return any(isinstance(atom, Axis) and atom.number == axis and coefficient == 1 for atom, coefficient in terms)


def is_read(param: int, store: SideStore) -> bool:
    """Tell whether a statement reads a param."""
    return any(isinstance(node, Load) and node.operand == param for node in walk(store.value, store.index))

# SPDX-License-Identifier: Apache-2.0
"""Kernels that bring the operands of a contraction into the homes that its tiles read: ordinary loops over elements.

into_home   a value into another home, zeros around it where that has a halo
packed      the second operand into panels of columns
border      zeros into the halo of a home whose value is stored by somebody else
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import product, same
from hybridize.base.dtypes import DType, bool_, int64
from hybridize.base.types import Shape
from hybridize.loops.contraction import Contraction
from hybridize.loops.expr import Expr
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Kernel, Nest, Param, Statement
from hybridize.machine.target import Target
from hybridize.schedule.contraction.taps import TapAxis, TapPlan
from hybridize.schedule.homes import Home
from hybridize.schedule.nests import Nests
from hybridize.schedule.together import LoopedStatement


def into_home(shape: Shape, source: tuple[Home, DType], target: tuple[Home, DType], machine: Target) -> Kernel:
    """Copy a value, param 1, into another home, param 0, zeros around it where that has a halo."""
    (old, of), (new, to) = source, target
    interner = Interner()
    params = (Param(to, new.elements, True), Param(of, old.elements, False))
    nests = Nests(machine, params, interner)
    sizes = tuple(shape[axis] for axis in new.order)
    space = Space(interner, dict(enumerate(sizes)))
    places: list[Expr] = [interner.number(0)] * len(shape)
    for number, axis in enumerate(new.order):
        places[axis] = space.axis(number)
    value = interner.cast(interner.load(of, 1, (old.address(space, places),)), to)
    copy = LoopedStatement(sizes, Statement(0, new.address(space, places), value))
    return Kernel(params, (), (nests.nest((), [copy]), *_zeros(shape, new, to, nests, interner)))


def _zero(dtype: DType) -> float | int | bool:
    return False if dtype == bool_ else 0 if dtype.kind in "iu" else 0.0


def packed(contraction: Contraction, plan: TapPlan, source: tuple[Home, DType], machine: Target) -> Kernel:
    """Copy the second operand, param 1, into the panels of a plan, param 0; columns that do not exist are 0."""
    home, of = source
    interner = Interner()
    params = (Param(plan.dtype, plan.packed_elements, True), Param(of, home.elements, False))
    nests, made = Nests(machine, params, interner), []
    groups = product(axis.size for axis in plan.packed_groups)
    per_column = plan.tap_count * plan.term_count
    for part in plan.panels:
        width = part.vectors * plan.lanes
        sizes = (groups, part.count, plan.tap_count, plan.term_count, width)
        space = Space(interner, dict(enumerate(sizes)))
        group, panel, tap, term, lane = (space.axis(axis) for axis in range(5))
        column = space.affine([(panel, width), (lane, 1)], part.start)
        indices: dict[int, Expr] = {plan.column.axis: column}
        for axes, index in ((plan.packed_groups, group), (plan.taps, tap), (plan.terms, term)):
            indices.update(_counted(space, axes, index))
        ragged = not same(plan.column.size, part.start + part.count * width) and part is plan.panels[-1]
        if ragged:
            last = interner.number(plan.column.size - 1)
            indices[plan.column.axis] = interner.call(int64, "min", (column, last))
        element = interner.cast(interner.load(of, 1, (_address(space, contraction, home, indices),)), plan.dtype)
        if ragged:
            exists = interner.call(bool_, "lt", (column, interner.number(plan.column.size)))
            element = interner.select(exists, element, interner.const(plan.dtype, _zero(plan.dtype)))
        # Panels of a group lie one after the other, each [tap][term][column of it].
        place = space.affine(
            [
                (group, plan.columns * per_column),
                (panel, width * per_column),
                (tap, plan.term_count * width),
                (term, width),
                (lane, 1),
            ],
            part.start * per_column,
        )
        made.append(nests.nest((), [LoopedStatement(sizes, Statement(0, place, element))]))
    return Kernel(params, (), tuple(made))


def _counted(space: Space, axes: Sequence[TapAxis], index: Expr) -> dict[int, Expr]:
    """The index along each of several axes that are counted as one."""
    found: dict[int, Expr] = {}
    for number, axis in enumerate(reversed(axes)):
        last = number == len(axes) - 1
        found[axis.axis] = index if last else space.mod(index, axis.size)
        index = index if last else space.floordiv(index, axis.size)
    return found


def _address(space: Space, contraction: Contraction, home: Home, indices: dict[int, Expr]) -> Expr:
    """The place of the element of the second operand that the axes of the contraction name."""
    return home.address(
        space,
        [
            space.affine([(indices[axis], coefficient) for axis, coefficient in index.terms], index.offset)
            for index in contraction.w
        ],
    )


def border(shape: Shape, home: Home, dtype: DType, machine: Target) -> Kernel:
    """Store zeros into the halo of a home, param 0."""
    interner = Interner()
    params = (Param(dtype, home.elements, True),)
    return Kernel(params, (), _zeros(shape, home, dtype, Nests(machine, params, interner), interner))


def _zeros(shape: Shape, home: Home, dtype: DType, nests: Nests, interner: Interner) -> tuple[Nest, ...]:
    """Loops that store zeros into the halo of a home, param 0."""
    made = []
    zero = interner.const(dtype, _zero(dtype))
    # Slabs along one axis after the other: of those before it the value alone, of those after it the halo too.
    spans: dict[int, tuple[int, int]] = {
        axis: (-before, shape[axis] + after) for axis, (before, after) in enumerate(home.halo)
    }
    for axis in home.order:
        before, after = home.halo[axis]
        for first, last in ((-before, 0), (shape[axis], shape[axis] + after)):
            if not same(first, last):
                box = {**spans, axis: (first, last)}
                sizes = tuple(box[one][1] - box[one][0] for one in home.order)
                space = Space(interner, dict(enumerate(sizes)))
                places: list[Expr] = [interner.number(0)] * len(shape)
                for number, one in enumerate(home.order):
                    places[one] = space.affine([(space.axis(number), 1)], box[one][0])
                statement = LoopedStatement(sizes, Statement(0, home.address(space, places), zero))
                made.append(nests.nest((), [statement]))
        spans[axis] = (0, shape[axis])
    return tuple(made)

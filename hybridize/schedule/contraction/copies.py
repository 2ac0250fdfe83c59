# SPDX-License-Identifier: Apache-2.0
"""Kernels that bring the operands of a contraction into the homes that its tiles read: ordinary loops over elements.

into_home   a value into another home, zeros around it where that has a halo
packed      the second operand into panels of columns
border      zeros into the halo of a home whose value is stored by somebody else
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import is_symbolic, product, same
from hybridize.base.dtypes import DType, bool_, int64
from hybridize.base.types import Shape
from hybridize.loops.contraction import Contraction
from hybridize.loops.expr import Expr
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Kernel, Nest, Param, Statement
from hybridize.loops.measure import typical
from hybridize.machine.target import Target
from hybridize.schedule.contraction.taps import TapAxis, TapPlan
from hybridize.schedule.homes import Home
from hybridize.schedule.nests import Nests
from hybridize.schedule.together import LoopedStatement

LINE = 64
"""Bytes of a line of the caches."""


def into_home(shape: Shape, source: tuple[Home, DType], target: tuple[Home, DType], machine: Target) -> Kernel:
    """Copy a value, param 1, into another home, param 0, zeros around it where that has a halo."""
    (old, of), (new, to) = source, target
    interner = Interner()
    params = (Param(to, new.elements, True), Param(of, old.elements, False))
    nests = Nests(machine, params, interner)
    made = []
    for loops, first in _loops(shape, old, new, LINE // of.itemsize):
        space = Space(interner, {number: turns for number, (turns, _, _) in enumerate(loops)})
        axes = [space.axis(number) for number in range(len(loops))]
        read = space.affine(
            [(axis, step) for axis, (_, step, _) in zip(axes, loops, strict=True)], old.offset + first[0]
        )
        place = space.affine(
            [(axis, step) for axis, (*_, step) in zip(axes, loops, strict=True)], new.offset + first[1]
        )
        value = interner.cast(interner.load(of, 1, (read,)), to)
        sizes = tuple(turns for turns, _, _ in loops)
        made.append(nests.nest((), [LoopedStatement(sizes, Statement(0, place, value))]))
    return Kernel(params, (), (*made, *_zeros(shape, new, to, nests, interner)))


_Loop = tuple[int, int, int]
"""Turns; elements from one to the next in the old home and in the new one."""


def _loops(shape: Shape, old: Home, new: Home, line: int) -> list[tuple[list[_Loop], tuple[int, int]]]:
    """The loops that copy a value, slowest first, and the first elements of both homes that they visit.

    They follow the order of the new home; axes that lie as one in both are one. Where the last is short, and another
    one lies close together in the old home, they go over a line of the cache of that innermost: each line is read once,
    instead of once for each element of it, long after it was driven out.
    """
    loops: list[_Loop] = []
    for axis in new.order:
        size, before, after = shape[axis], old.strides[axis], new.strides[axis]
        if same(size, 1):
            continue
        if loops and same(loops[-1][1], size * before) and same(loops[-1][2], size * after):
            loops[-1] = loops[-1][0] * size, before, after
        else:
            loops.append((size, before, after))
    close = next((k for k, loop in enumerate(loops) if same(loop[1], 1)), None)
    if close is None or close == len(loops) - 1 or typical(loops[-1][0]) >= line or is_symbolic(loops[close][0]):
        return [(loops, (0, 0))]
    size, before, after = loops[close]
    slower, faster, whole = loops[:close], loops[close + 1 :], size // line * line
    found: list[tuple[list[_Loop], tuple[int, int]]] = []
    if whole:
        blocks = (whole // line, line * before, line * after)
        found.append(([*slower, blocks, *faster, (line, before, after)], (0, 0)))
    if size > whole:
        found.append(([*slower, *faster, (size - whole, before, after)], (whole * before, whole * after)))
    return found


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

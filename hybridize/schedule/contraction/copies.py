# SPDX-License-Identifier: Apache-2.0
"""Kernels that bring the operands of a contraction into the homes that its tiles read: ordinary loops over elements.

into_home   a value into another home, zeros around it where that has a halo
border      zeros into the halo of a home whose value is stored by somebody else
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import is_symbolic, product, same
from hybridize.base.dtypes import DType
from hybridize.base.memo import remembered
from hybridize.base.types import Shape
from hybridize.loops.expr import Expr, Load
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Param, Statement
from hybridize.machine.target import Target
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.packing import zero_of
from hybridize.schedule.homes import Home
from hybridize.schedule.kernel import Kernel, Nest
from hybridize.schedule.nests import Nests
from hybridize.schedule.tiles import LARGEST, SMALLEST
from hybridize.schedule.together import LoopedStatement
from hybridize.schedule.vectors import typical


@remembered
def into_home(shape: Shape, source: tuple[Home, DType], target: tuple[Home, DType], machine: Target) -> Kernel:
    """Copy a value, param 1, into another home, param 0, zeros around it where that has a halo."""
    (old, of), (new, to) = source, target
    interner = Interner()
    params = (Param(to, new.elements, True), Param(of, old.elements, False))
    nests = Nests(machine, params, interner)
    copies = []
    merged = _loops(shape, old, new)
    close = _close(merged)
    if close is not None and of == to and _is_run(merged[close + 1 :], machine.lanes(of.itemsize)):
        copies = _turned(nests, merged, close, source, target, machine.lanes(of.itemsize))
        return Kernel(params, (), (*copies, *_zeros(shape, new, to, nests, interner)))
    for loops, first in _blocks(merged, close, thresholds.LINE_BYTES // of.itemsize):
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
        copies.append(nests.nest([LoopedStatement(sizes, Statement(0, place, value))]))
    return Kernel(params, (), (*copies, *_zeros(shape, new, to, nests, interner)))


def leaves_as_it_is(kernel: Kernel) -> bool:
    """Tell whether a kernel copies all elements of param 1 to the same places of param 0, and does nothing else."""
    target, source = kernel.params
    if target.dtype != source.dtype or not same(target.size, source.size) or len(kernel.nests) != 1:
        return False
    (nest,) = kernel.nests
    statements = [statement for body in nest.bodies for statement in body.statements]
    value = statements[0].value if len(statements) == 1 else None
    whole = same(product(axis.size for axis in (*nest.rows, *nest.bodies[0].axes)), target.size)
    return whole and isinstance(value, Load) and value.operand == 1 and statements[0].index is value.indices[0]


_Loop = tuple[int, int, int]
"""Turns; elements from one to the next in the old home and in the new one."""


def _loops(shape: Shape, old: Home, new: Home) -> list[_Loop]:
    """The loops that copy a value in the order of the new home, slowest first; axes that lie as one in both are one."""
    loops: list[_Loop] = []
    for axis in new.order:
        size, before, after = shape[axis], old.strides[axis], new.strides[axis]
        if same(size, 1):
            continue
        if loops and same(loops[-1][1], size * before) and same(loops[-1][2], size * after):
            loops[-1] = loops[-1][0] * size, before, after
        else:
            loops.append((size, before, after))
    return loops


def _close(loops: Sequence[_Loop]) -> int | None:
    """The loop, not the innermost, along which elements lie close together in the old home."""
    close = next((k for k, loop in enumerate(loops) if same(loop[1], 1)), None)
    return None if close is None or close == len(loops) - 1 or is_symbolic(loops[close][0]) else close


def _blocks(loops: list[_Loop], close: int | None, line: int) -> list[tuple[list[_Loop], tuple[int, int]]]:
    """The loops that copy a value, and the first elements of both homes that they visit.

    Where the last is short, and another one lies close together in the old home, they go over a line of the cache of
    that innermost: each line is read once, instead of once for each element of it, long after it was driven out.
    """
    if close is None or typical(loops[-1][0]) >= line:
        return [(loops, (0, 0))]
    size, before, after = loops[close]
    slower, faster, whole = loops[:close], loops[close + 1 :], size // line * line
    parts: list[tuple[list[_Loop], tuple[int, int]]] = []
    if whole:
        blocks = (whole // line, line * before, line * after)
        parts.append(([*slower, blocks, *faster, (line, before, after)], (0, 0)))
    if size > whole:
        parts.append(([*slower, *faster, (size - whole, before, after)], (whole * before, whole * after)))
    return parts


def _is_run(loops: Sequence[_Loop], lanes: int) -> bool:
    """Tell whether the innermost loops are one run of the new home, though several of the old one, the last too short
    for vectors: then squares of the run and of what lies close together in the old home are turned in registers.
    """
    if len(loops) < 2 or not SMALLEST <= lanes <= LARGEST or any(is_symbolic(size) for size, _, _ in loops):
        return False
    run = 1
    for size, _, after in reversed(loops):
        if not same(after, run):
            return False
        run *= size
    return loops[-1][0] < lanes <= run


def _turned(
    nests: Nests,
    loops: Sequence[_Loop],
    close: int,
    source: tuple[Home, DType],
    target: tuple[Home, DType],
    lanes: int,
) -> list[Nest]:
    """The loops of a copy, those behind `close` as one, whose index is divided to find the element that is read.

    As many of them as a square has are outside of the loop along which elements lie close together: it goes over rows
    of memory from end to end.
    """
    interner, (old, of), (new, _) = nests.interner, source, target
    slower, (size, before, after), faster = loops[:close], loops[close], loops[close + 1 :]
    run = product(one for one, _, _ in faster)
    whole, copies = run // lanes * lanes, []
    for first, blocks, width in ((0, whole // lanes, lanes), (whole, 1, run - whole)):
        if not width:
            continue
        sizes = (*(one for one, _, _ in slower), blocks, size, width)
        space = Space(interner, dict(enumerate(sizes)))
        *axes, block, row, lane = (space.axis(number) for number in range(len(sizes)))
        along = space.affine([(block, width), (lane, 1)], first)
        parts = zip(space.divided([one for one, _, _ in faster], along), faster, strict=True)
        steps = list(zip(axes, slower, strict=True))
        read = [(row, before), *((axis, step) for axis, (_, step, _) in (*steps, *parts))]
        place = [(row, after), *((axis, step) for axis, (*_, step) in steps), (along, 1)]
        value = interner.load(of, 1, (space.affine(read, old.offset),))
        statement = Statement(0, space.affine(place, new.offset), value)
        copies.append(nests.nest([LoopedStatement(sizes, statement)]))
    return copies


@remembered
def border(shape: Shape, home: Home, dtype: DType, machine: Target) -> Kernel:
    """Store zeros into the halo of a home, param 0."""
    interner = Interner()
    params = (Param(dtype, home.elements, True),)
    return Kernel(params, (), _zeros(shape, home, dtype, Nests(machine, params, interner), interner))


def _zeros(shape: Shape, home: Home, dtype: DType, nests: Nests, interner: Interner) -> tuple[Nest, ...]:
    """Loops that store zeros into the halo of a home, param 0."""
    stores = []
    zero = zero_of(interner, dtype)
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
                stores.append(nests.nest([statement]))
        spans[axis] = (0, shape[axis])
    return tuple(stores)

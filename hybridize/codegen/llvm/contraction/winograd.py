# SPDX-License-Identifier: Apache-2.0
"""Convolutions by Winograd's algorithm as machine code (see `schedule.contraction.winograd`).

`emit_winograd` writes an internal function `(ptr x, ptr w, <buffers of the epilogue>, ptr scratch)`. It goes through
blocks of tiles: each tile of x is transformed by one function, all products of the block are one call of a contraction
over taps, and each tile of the result is transformed by another function, which has the epilogue. Transforms are
straight lines of vectors along channels, the steps of a `LinearProgram` for each column and then for each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction

from hybridize.base.dims import bounds, same
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.epilogue import BoxAxis, elements_of_result, emit_ending
from hybridize.codegen.llvm.contraction.taps import emit_taps, function_of_tiles
from hybridize.codegen.llvm.functions.table import constant
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Lane
from hybridize.codegen.llvm.registers import first_lanes
from hybridize.codegen.llvm.text import Function, LoopBlock, Module
from hybridize.loops.index import bit
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.contraction.winograd import LinearProgram, WinogradPlan, linear_program, products_ending


def emit_winograd(
    module: Module,
    name: str,
    plan: WinogradPlan,
    ending: Ending,
    target: Target,
    *,
    ranged: bool = False,
) -> Function:
    """Write the function `name`: `(ptr x, ptr w, <params>, ptr scratch)`; with `ranged`, `i64 first, i64 last` follow.

    `w` is transformed and packed. The range counts the plan's units; calls for several ranges may run at the same time.
    """
    f = function_of_tiles(module, name, len(ending.params), ranged)
    transforms = _Transforms(plan, ending, ArithmeticEmitter.of_elements(plan.elements, target))
    read = transforms.of_x(module, f"{name}.x")
    multiplied = emit_taps(module, f"{name}.products", plan.products, products_ending(plan), target)
    heavy = plan.stores == "buffer"
    whole = None if heavy else transforms.of_result(module, f"{name}.whole", whole=True)
    part = transforms.of_result(module, f"{name}.part", whole=False) if heavy or plan.is_cut else None
    nbytes = plan.elements.dtype.itemsize
    transformed, summed, own = (f.at("%scratch", offset) for offset in plan.offsets)
    with f.loop(*(("%first", "%last") if ranged else ("0", f.operand(plan.units)))) as block:
        first = f.times(block.index, plan.tiles)
        if not same(plan.tile_count % plan.tiles, 0):  # the last block ends with the tiles
            first = f.smin(first, f.op(f"sub i64 {f.operand(plan.tile_count)}, {plan.tiles}"))
            first = f.smax(first, 0)
        with f.loop(0, plan.tiles) as turn:
            tile = _Tile.of(f, plan, f.plus(first, turn.index))
            place = f.at(transformed, f.times(turn.index, plan.transformed.strides[1] * nbytes))
            f.call(read, [f"ptr {f.at('%x', f.times(tile.x, nbytes))}", f"ptr {place}"])
        f.call(multiplied.name, [f"ptr {transformed}", "ptr %w", f"ptr {summed}", f"ptr {own}"])
        with f.loop(0, plan.tiles) as turn:
            tile = _Tile.of(f, plan, f.plus(first, turn.index))
            place = f.at(summed, f.times(turn.index, plan.summed.strides[1] * nbytes))
            axes = [f"i64 {tile.axes.get(axis, '0')}" for axis in range(len(plan.sizes))]
            args = [f"ptr {place}", *axes, *(f"ptr %e{number}" for number in range(len(ending.params)))]
            _end(f, tile, args, whole, part)
    return f


def _end(f: Function, tile: _Tile, args: list[str], whole: str | None, part: str | None) -> None:
    """Write the call that stores a tile, by a function of whole tiles, or of parts."""
    starts = [f"i64 {tile.first_pixel[0]}", f"i64 {tile.first_pixel[1]}"]
    if whole is None or part is None:
        f.call(part or whole or "", [*args, *starts] if part else args)
        return
    is_cut = f.op(f"icmp ne i64 {f.op(f'or i64 {tile.first_pixel[0]}, {tile.first_pixel[1]}')}, 0")
    with f.when(is_cut):
        f.call(part, [*args, *starts])
    with f.when(f.op(f"xor i1 {is_cut}, true")):
        f.call(whole, args)


@frozen
class _Tile:
    """Registers that say where a tile is."""

    x: str
    """The element of x at its first window."""
    axes: dict[int, str]
    """The index of its first pixel, by axes of the result."""
    first_pixel: tuple[str, str]
    """Its first pixel that no tile before it stores, down and across."""

    @classmethod
    def of(cls, f: Function, plan: WinogradPlan, number: str) -> _Tile:
        """Find a tile by its number; behind the last, that again."""
        m = plan.pixels
        if bounds(plan.tile_count)[0] < plan.tiles:
            number = f.smin(number, f.op(f"sub i64 {f.operand(plan.tile_count)}, 1"))
        x, axes, starts = f.operand(plan.start), {}, []
        for axis, count in zip((plan.across, plan.down), reversed(plan.grid), strict=True):
            number, index = _divided(f, number, count)
            wanted = f.times(index, m)
            first = wanted
            if not same(axis.size % m, 0):
                first = f.smin(wanted, f.op(f"sub i64 {f.operand(axis.size)}, {m}"))
            starts.append("0" if first == wanted else f.op(f"sub i64 {wanted}, {first}"))
            axes[axis.axis] = first
            x = f.plus(x, f.times(first, axis.x))
        for axis in reversed(plan.images):
            number, axes[axis.axis] = _divided(f, number, axis.size)
            x = f.plus(x, f.times(axes[axis.axis], axis.x))
        return cls(x, axes, (starts[1], starts[0]))


def _divided(f: Function, number: str, by: int) -> tuple[str, str]:
    """The quotient and the rest."""
    if same(by, 1):
        return number, "0"
    divisor = f.operand(by)
    return f.op(f"udiv i64 {number}, {divisor}"), f.op(f"urem i64 {number}, {divisor}")


@frozen
class _Transforms:
    """Writes the functions that transform one tile."""

    plan: WinogradPlan
    ending: Ending
    arithmetic: ArithmeticEmitter

    def of_x(self, module: Module, name: str) -> str:
        """Write `(ptr x, ptr v)`: a tile of x, whose channels lie one after the other, into v[position]."""
        plan, arithmetic = self.plan, self.arithmetic
        f = Function(module, name, [("ptr", "x"), ("ptr", "v")], attributes="nounwind noinline")
        program = linear_program(plan.transforms.x)
        lanes, nbytes, reach = plan.lanes, arithmetic.bytes, range(plan.reach)
        for channel, mask in self._vectors(f, plan.channels):
            with channel as loop:
                x, v = (f.at(pointer, f.times(loop.index, nbytes)) for pointer in ("%x", "%v"))
                columns = []
                for j in reach:
                    places = [f.at(x, (i * plan.down.x + j * plan.across.x) * nbytes) for i in reach]
                    loaded = [arithmetic.load(f, place, lanes, mask) for place in places]
                    columns.append(self._applied(f, program, loaded))
                for i in reach:
                    values = self._applied(f, program, [column[i] for column in columns])
                    for j, value in enumerate(values):
                        position = (i * plan.reach + j) * plan.transformed.strides[0]
                        arithmetic.store_computed(f, value, f.at(v, position * nbytes))
        return module.shared(f)

    def of_result(self, module: Module, name: str, *, whole: bool) -> str:
        """Write `(ptr m, i64 <axes of the result>, <params>)`: m[position] into pixels, and these into memory.

        With `whole`, all pixels of the tile are stored; else those from `i64 down, i64 across` on, which follow.
        """
        plan, arithmetic = self.plan, self.arithmetic
        axes = [("i64", f"a{axis}") for axis in range(len(plan.sizes))]
        buffers = [("ptr", f"e{number}") for number in range(len(self.ending.params))]
        more = [] if whole else [("i64", "down"), ("i64", "across")]
        f = Function(module, name, [("ptr", "m"), *axes, *buffers, *more], attributes="nounwind noinline")
        elements = elements_of_result(f, self.arithmetic.target, self.ending.params, plan.sizes)
        program = linear_program(plan.transforms.out)
        values = self.ending.roots
        moving = bit(plan.down.axis) | bit(plan.across.axis)
        starts: tuple[int | str, ...] = (0, 0) if whole else ("%down", "%across")
        box = [
            BoxAxis(axis.axis, f"%a{axis.axis}", 1, plan.pixels, start)
            for axis, start in zip((plan.down, plan.across), starts, strict=True)
        ]
        for vectors, mask in self._vectors(f, plan.sizes[plan.column]):
            lane = Lane(plan.column, Width(plan.lanes, mask))
            with vectors as loop, elements.bound(plan.column, loop.index, lane):
                elements.hoist(values, moving)
                m = f.at("%m", f.times(loop.index, arithmetic.bytes))
                columns = []
                for j in range(plan.reach):
                    places = [self._summed(f, m, i, j) for i in range(plan.reach)]
                    loaded = [arithmetic.load(f, place, plan.lanes, mask) for place in places]
                    columns.append(self._applied(f, program, loaded))
                rows = (self._applied(f, program, [column[i] for column in columns]) for i in range(plan.pixels))
                sums = (value for row in rows for value in row)
                emit_ending(f, elements, self.ending, arithmetic, box, sums, lanes=plan.lanes, inside=whole)
        return module.shared(f)

    def _summed(self, f: Function, m: str, i: int, j: int) -> str:
        position = (i * self.plan.reach + j) * self.plan.summed.strides[0]
        return f.at(m, position * self.arithmetic.bytes)

    def _vectors(self, f: Function, count: int) -> Iterable[tuple[AbstractContextManager[LoopBlock], str | None]]:
        """The loop over all whole vectors, and what is left, under a mask."""
        whole = count // self.plan.lanes * self.plan.lanes
        if whole:
            yield f.loop(0, whole, self.plan.lanes), None
        if whole < count:
            mask = None if self.plan.lanes == 1 else first_lanes(f, str(count - whole), self.plan.lanes)
            yield f.loop(whole, count, self.plan.lanes), mask

    def _applied(self, f: Function, program: LinearProgram, vector: Sequence[str]) -> list[str]:
        """The values of a program."""
        values = list(vector)
        for step in program.steps:
            values.append(self._sum(f, (step.left, values[step.a]), (step.right, values[step.b])))
        return [values[output] for output in program.outputs]

    def _sum(self, f: Function, one: tuple[Fraction, str], other: tuple[Fraction, str]) -> str:
        """The sum of two multiples."""
        if abs(other[0]) not in (0, 1) or one[0] == -1:  # a multiple, then one that is added as it is
            one, other = other, one
        (factor, x), (more, y) = one, other
        arithmetic = self.arithmetic
        of = arithmetic.vector
        if more == 0:
            return f.op(f"fmul {of} {x}, {self._constant(factor)}")
        if abs(more) != 1:
            y, more = f.op(f"fmul {of} {y}, {self._constant(more)}"), Fraction(1)
        if factor == 1:
            return f.op(f"{'fadd' if more == 1 else 'fsub'} {of} {x}, {y}")
        if factor == -1 and more == 1:
            return f.op(f"fsub {of} {y}, {x}")
        y = y if more == 1 else f.op(f"fneg {of} {y}")
        return arithmetic.multiply_add(f, x, self._constant(factor), y)

    def _constant(self, factor: Fraction) -> str:
        return constant(float(factor), self.plan.elements.dtype, self.arithmetic.lanes)

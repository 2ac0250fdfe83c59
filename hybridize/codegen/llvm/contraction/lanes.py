# SPDX-License-Identifier: Apache-2.0
"""Contractions whose lanes are an axis of x as machine code: tiles of vectors (see `schedule.contraction.lanes`).

`emit_lanes` writes an internal function `(ptr x, ptr w, <buffers of the epilogue>, ptr scratch)`. It calls a function
of each kind of tiles for each of its parts, which goes through lines of tiles, the tiles of a line, and the vectors of
lanes of a tile. For each of these it loads what its sums are made of, and stores what the epilogue makes of them:
statements over the axes of the result, the sum being a load of operand -1, so that the result may lie in any home.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from hybridize.base.dims import hint, is_symbolic, known, proven, same
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.epilogue import BoxAxis, elements_of_result, emit_ending
from hybridize.codegen.llvm.contraction.micro import sums_of_parts
from hybridize.codegen.llvm.contraction.share import line_of
from hybridize.codegen.llvm.contraction.taps import function_of_tiles
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Lane
from hybridize.codegen.llvm.registers import first_lanes, masked_load
from hybridize.codegen.llvm.text import Function, Module
from hybridize.loops.index import bit
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.contraction.lanes import LanePart, LanePlan, LaneTiles


def emit_lanes(
    module: Module,
    name: str,
    plan: LanePlan,
    ending: Ending,
    target: Target,
    *,
    ranged: bool = False,
) -> Function:
    """Write the function `name`: `(ptr x, ptr w, <params>, ptr scratch)`; with `ranged`, `i64 first, i64 last` follow.

    The range counts the plan's units; calls for several ranges may run at the same time.
    """
    f = function_of_tiles(module, name, len(ending.params), ranged)
    arithmetic = ArithmeticEmitter.of_elements(plan.elements, target)
    units = ("%first", "%last") if ranged else ("0", f.operand(plan.units))
    before = 0
    for number, tiles in enumerate(plan.tiles):
        whole = _Lines(plan, tiles, ending, arithmetic, one_by_one=False)
        names = [whole.write(module, f"{name}.lines{number}")]
        if tiles.can_be_cut:
            cut = _Lines(plan, tiles, ending, arithmetic, one_by_one=True)
            names.append(cut.write(module, f"{name}.rows{number}"))
        for part in tiles.parts:
            lines = tiles.lines(part)
            if plan.by_lanes:
                turns = ["0", f.operand(lines), *units]
            else:
                numbers = [f.operand(number) for number in (before, lines, plan.units)]
                turns = [line_of(f, unit, *numbers) for unit in units]
            args = [
                f"ptr {f.at('%x', part.x * arithmetic.bytes)}",
                f"ptr {f.at('%w', part.w * arithmetic.bytes)}",
                *(f"i64 {value}" for value in turns),
                *(f"i64 {f.operand(part.firsts[axis])}" for axis, _ in tiles.rows),
                *(f"i64 {f.operand(part.sizes[axis])}" for axis in whole.size_axes),
                *(f"ptr %e{buffer}" for buffer in range(len(ending.params))),
            ]
            _call(f, names, args, tiles, part)
            before = before + lines
    return f


def _call(f: Function, names: Sequence[str], args: Sequence[str], tiles: LaneTiles, part: LanePart) -> None:
    """Call the function of tiles, or where a part is smaller than one of them, that of single rows."""
    fits = "true"
    for axis, count in tiles.rows:
        if not proven(part.sizes[axis], count):
            enough = f.op(f"icmp sge i64 {f.operand(part.sizes[axis])}, {count}")
            fits = enough if fits == "true" else f.op(f"and i1 {fits}, {enough}")
    if fits == "true":
        f.call(names[0], args)
        return
    with f.when(fits):
        f.call(names[0], args)
    with f.when(f.op(f"xor i1 {fits}, true")):
        f.call(names[1], args)


@frozen
class _Lines:
    """The function of one kind of tiles: `(ptr x, ptr w, i64 begin, i64 end, ...)`.

    Where threads share the vectors of lanes, those of the call follow. The first index along each axis of its rows
    follows, then the sizes that its parts do not share, and the buffers of the epilogue. With `one_by_one`, each row of
    a tile is done by itself, the last one of an axis standing in for those beyond it.
    """

    plan: LanePlan
    tiles: LaneTiles
    ending: Ending
    arithmetic: ArithmeticEmitter
    one_by_one: bool

    @property
    def size_axes(self) -> list[int]:
        """The axes whose sizes are parameters."""
        parts = self.tiles.parts
        axes = [axis for axis, _ in (*self.tiles.rows, *self.tiles.sums)]
        return [axis for axis in axes if not all(same(part.sizes[axis], parts[0].sizes[axis]) for part in parts)]

    @property
    def box(self) -> tuple[int, ...]:
        """Rows of a tile along each axis."""
        return tuple(1 if self.one_by_one else count for _, count in self.tiles.rows)

    def write(self, module: Module, name: str) -> str:
        """Write it; returns the name of the function."""
        rows = self.tiles.rows
        numbers = [("i64", name) for name in ("begin", "end", *(("vector", "vectors") if self.plan.by_lanes else ()))]
        firsts = [("i64", f"a{axis}") for axis, _ in rows]
        sizes = [("i64", f"s{axis}") for axis in self.size_axes]
        buffers = [("ptr", f"e{number}") for number in range(len(self.ending.params))]
        params = [("ptr", "x"), ("ptr", "w"), *numbers, *firsts, *sizes, *buffers]
        f = Function(module, name, params, attributes="nounwind noinline")
        with f.loop("%begin", "%end") as line, ExitStack() as within:
            begins: dict[int, str] = {}
            index = line.index
            for number, (axis, count) in enumerate(reversed(rows[:-1])):
                turns = self._tiles(f, axis, count)
                last = number == len(rows) - 2
                turn = index if last else f.op(f"urem i64 {index}, {turns}") if turns != "1" else "0"
                index = index if last or turns == "1" else f.op(f"udiv i64 {index}, {turns}")
                begins[axis] = f.times(turn, count)
            for axis, count in rows[-1:]:
                size = self._size(axis)
                begins[axis] = within.enter_context(f.loop(0, size, count)).index
            self._tile(f, begins)
        return module.shared(f)

    def _size(self, axis: int) -> int | str:
        """The size of a part along an axis."""
        return f"%s{axis}" if axis in self.size_axes else self.tiles.parts[0].sizes[axis]

    def _tiles(self, f: Function, axis: int, count: int) -> str:
        """The number of tiles along an axis."""
        size = self._size(axis)
        if isinstance(size, str):
            return f.op(f"udiv i64 {f.plus(size, count - 1)}, {count}")
        return f.operand((size + count - 1) // count)

    def _tile(self, f: Function, begins: dict[int, str]) -> None:
        """Write a tile that begins at these indices: where it would reach beyond a part, it ends with that.

        Some rows are stored twice then.
        """
        with ExitStack() as within:
            for axis, count in self.tiles.rows:
                size = self._size(axis)
                fits = not isinstance(size, str) and same(size % count, 0)
                if self.one_by_one and count > 1:
                    turn = within.enter_context(f.loop(0, count))
                    begins[axis] = f.plus(begins[axis], turn.index)
                if not fits:
                    last = f.op(f"sub i64 {f.operand(size)}, {1 if self.one_by_one else count}")
                    begins[axis] = f.umin(begins[axis], last)
            x, w = "%x", "%w"
            places = {}
            for axis, _ in self.tiles.rows:
                x = f.at(x, f.times(begins[axis], self.plan.x_stride(axis) * self.arithmetic.bytes))
                w = f.at(w, f.times(begins[axis], self.plan.w_stride(axis) * self.arithmetic.bytes))
                places[axis] = f.plus(f"%a{axis}", f.times(begins[axis], self.plan.axes[axis].step))
            self._vectors(f, x, w, places)

    def _vectors(self, f: Function, x: str, w: str, places: Mapping[int, str]) -> None:
        """Write the loop over the vectors of lanes of a tile; of one whose lanes are summed over, its sums added up."""
        plan, lanes = self.plan, self.plan.lanes
        if plan.is_summed:
            self._vector(f, x, w, None, Width(lanes), places)
            return
        size = plan.length
        first, last = ("%vector", "%vectors") if plan.by_lanes else ("0", f.operand(plan.vectors))
        if known((size,)) and size < lanes:
            self._vector(f, x, w, "0", Width.first(size, lanes), places)
            return
        if plan.is_masked:
            whole = f.operand(size // lanes)
            stop = f.smin(last, whole)
            with f.loop(first, stop) as turn:
                self._vector(f, x, w, f.times(turn.index, lanes), Width(lanes), places)
            with f.when(f.op(f"icmp sgt i64 {last}, {whole}")):
                column = f.times(whole, lanes)
                left = f.op(f"sub i64 {f.operand(size)}, {column}")
                self._vector(f, x, w, column, Width(lanes, first_lanes(f, left, lanes)), places)
            return
        with f.loop(*((first, last) if plan.by_lanes else (0, plan.vectors))) as turn:
            column = f.times(turn.index, lanes)
            if not same(size % lanes, 0):
                column = f.smin(column, f.operand(size - lanes))
            self._vector(f, x, w, column, Width(lanes), places)

    def _vector(self, f: Function, x: str, w: str, column: str | None, width: Width, places: Mapping[int, str]) -> None:
        """Write a tile of one vector of lanes: its sums, added up without a `column`, and what becomes of them."""
        if column is not None:
            bytes = self.arithmetic.bytes
            x, w = (
                f.at(pointer, f.times(column, stride(self.plan.lane) * bytes))
                for pointer, stride in ((x, self.plan.x_stride), (w, self.plan.w_stride))
            )
        zeros = [self.arithmetic.zero] * math.prod(self.box)
        sums = self._sums(f, (x, w), width, self.tiles.sums, (), zeros)
        if column is None:
            sums = [self.arithmetic.sums(f, [each]) for each in sums]
        elements = elements_of_result(f, self.arithmetic.target, self.ending.params, self.plan.sizes, placed=False)
        values = self.ending.roots
        with ExitStack() as within:
            if column is not None:
                within.enter_context(elements.bound(self.plan.lane, column, Lane(self.plan.lane, width)))
            if column is None or len(sums) > 1:
                moving = 0
                for (axis, _), count in zip(self.tiles.rows, self.box, strict=True):
                    if count > 1:
                        moving |= bit(axis)
                    else:
                        within.enter_context(elements.bound(axis, places[axis]))
                if column is not None:
                    elements.hoist(values, moving)
            box = [
                BoxAxis(axis, places[axis], self.plan.axes[axis].step, count)
                for (axis, _), count in zip(self.tiles.rows, self.box, strict=True)
                if count > 1 or axis not in elements.axes
            ]
            inside, lanes = self.plan.stores == "results" or len(sums) == 1, 1 if column is None else self.plan.lanes
            emit_ending(f, elements, self.ending, self.arithmetic, box, sums, lanes=lanes, inside=inside)

    # Sums

    def _sums(
        self,
        f: Function,
        pointers: tuple[str, str],
        width: Width,
        axes: Sequence[tuple[int, int]],
        box: tuple[int, ...],
        sums: list[str],
    ) -> list[str]:
        """Write the loops over axes that are summed over, which go through boxes of them, and the turns within."""
        if not axes:
            return self._turn(f, *pointers, width, box, sums)
        x, w = pointers
        (axis, count), inner = axes[0], axes[1:]
        size, bytes = self._size(axis), self.arithmetic.bytes
        if axis == self.plan.lane:
            return self._line(f, x, w, box, sums)
        whole: int | str
        if isinstance(size, str):
            whole = size if count == 1 else f.op(f"sub i64 {size}, {f.op(f'urem i64 {size}, {count}')}")
        else:
            whole = size // count * count

        def part(start: str | int, stop: str | int, sums: list[str], step: int = count) -> list[str]:
            with f.loop(start, stop, step, [(self.arithmetic.vector, value) for value in sums]) as loop:
                x_at = f.at(x, f.times(loop.index, self.plan.x_stride(axis) * bytes))
                w_at = f.at(w, f.times(loop.index, self.plan.w_stride(axis) * bytes))
                loop.following = self._sums(f, (x_at, w_at), width, inner, (*box, step), loop.values)
            return loop.results

        if isinstance(whole, str) or not same(whole, 0):
            initial, together = sums, self.plan.together(self.tiles, axes)
            parts = max(together // count, 1) * count
            sums = (
                sums_of_parts(f, self.arithmetic, initial, whole, parts, part) if together else part(0, whole, initial)
            )
        if count > 1 and (isinstance(size, str) or isinstance(whole, str) or not same(whole, size)):
            sums = part(whole, size, sums, 1)
        return sums

    def _turn(self, f: Function, x: str, w: str, width: Width, box: tuple[int, ...], sums: list[str]) -> list[str]:
        """Write a turn: every vector of x is loaded once, in the order of memory, and used for all of its products."""
        if self.plan.is_apart:
            return self._apart(f, x, w, width, box, sums)
        plan, following, vectors = self.plan, list(sums), dict[tuple[int, ...], str]()
        uses: dict[tuple[int, ...], list[tuple[tuple[int, ...], int]]] = {}
        rows = list(enumerate(itertools.product(*map(range, self.box))))
        for inner in itertools.product(*map(range, box)):
            for number, row in rows:
                place, other = self._places((*row, *inner))
                uses.setdefault(place, []).append((other, number))
        slowest = sorted(range(len(plan.x)), key=lambda along: -abs(hint(plan.x[along])))
        for place in sorted(uses, key=lambda place: [place[along] for along in slowest]):
            element = self._load(f, x, place, plan.x, width)
            for other, number in uses[place]:
                if other not in vectors:
                    vectors[other] = self._load(f, w, other, plan.w, width)
                following[number] = self.arithmetic.multiply_add(f, element, vectors[other], following[number])
        return following

    def _line(self, f: Function, x: str, w: str, box: tuple[int, ...], sums: list[str]) -> list[str]:
        """Write the loop over the vectors of an axis that is summed over; the last one is masked if not whole.

        A part has all of the axis or, where no element of the window meets x, nothing of it.
        """
        lanes, bytes = self.plan.lanes, self.arithmetic.bytes
        length = self._size(self.plan.lane)
        left = self.plan.length % lanes
        if isinstance(length, str):
            whole: int | str = f.op(f"sub i64 {length}, {f.op(f'urem i64 {length}, {lanes}')}")
        else:
            whole = length // lanes * lanes
        for start, stop in ((0, whole), (whole, length)):
            rest = start is whole
            if rest and same(left, 0):
                continue
            if not isinstance(start, str) and not isinstance(stop, str) and same(start, stop):
                continue
            width = Width(lanes)
            if rest:
                mask = first_lanes(f, f.operand(left), lanes) if is_symbolic(left) else ""
                width = Width(lanes, mask) if mask else Width.first(left, lanes)

            def part(first: str | int, last: str | int, sums: list[str], width: Width = width) -> list[str]:
                with f.loop(first, last, lanes, [(self.arithmetic.vector, value) for value in sums]) as loop:
                    x_at, w_at = (f.at(pointer, f.times(loop.index, bytes)) for pointer in (x, w))
                    loop.following = self._turn(f, x_at, w_at, width, (*box, 1), loop.values)
                return loop.results

            together = 0 if rest else self.plan.together(self.tiles, [(self.plan.lane, 1)]) * lanes
            sums = (
                sums_of_parts(f, self.arithmetic, sums, stop, together, part) if together else part(start, stop, sums)
            )
        return sums

    def _apart(self, f: Function, x: str, w: str, width: Width, box: tuple[int, ...], sums: list[str]) -> list[str]:
        """Write a turn, one sum after the other: its vectors of x, then each of w, or an element of it in all lanes."""
        plan, following = self.plan, list(sums)
        rows = list(itertools.product(*map(range, self.box)))
        for inner in itertools.product(*map(range, box)):
            uses: dict[tuple[int, ...], list[tuple[tuple[int, ...], int]]] = {}
            for number, row in enumerate(rows):
                place, other = self._places((*row, *inner))
                uses.setdefault(other, []).append((place, number))
            vectors: dict[tuple[int, ...], str] = {}
            for other, products in uses.items():
                for place, _ in products:
                    if place not in vectors:
                        vectors[place] = self._load(f, x, place, plan.x, width)
                if plan.is_broadcast:
                    offset = sum((index * step for index, step in zip(other, plan.w, strict=True)), 0)
                    element = self.arithmetic.broadcast(f, f.at(w, offset * self.arithmetic.bytes))
                else:
                    element = self._load(f, w, other, plan.w, width)
                for place, number in products:
                    following[number] = self.arithmetic.multiply_add(f, vectors[place], element, following[number])
        return following

    def _places(self, indices: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The indices of x and of w that belong to indices of rows and sums of a turn."""
        places = []
        for of in ("x", "w"):
            factors = [getattr(self.plan.axes[axis], of) for axis, _ in (*self.tiles.rows, *self.tiles.sums)]
            moved = [tuple(index * by for by in factor) for index, factor in zip(indices, factors, strict=True)]
            places.append(tuple(map(sum, zip(*moved, strict=True))))
        return places[0], places[1]

    def _load(self, f: Function, pointer: str, place: Sequence[int], strides: Sequence[int], width: Width) -> str:
        """Load the vector at these indices of an operand from a pointer on; lanes that do not exist are 0."""
        arithmetic = self.arithmetic
        offset = sum((index * stride for index, stride in zip(place, strides, strict=True)), 0) * arithmetic.bytes
        pointer = f.at(pointer, offset)
        if width.mask is None:
            return arithmetic.load_computed(f, pointer)
        return masked_load(f, pointer, arithmetic.type, width.lanes, arithmetic.bytes, width.mask)

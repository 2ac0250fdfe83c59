# SPDX-License-Identifier: Apache-2.0
"""Contractions with windows as machine code: tiles of registers over a table of taps (see `schedule.contraction.taps`).

`emit_taps` writes an internal function `(ptr x, ptr w, <buffers of the epilogue>, ptr scratch)`. A tile sums all taps
and terms of some rows and one panel, then stores what the epilogue makes of the sums: statements over the axes of the
result, the sum being a load of operand -1, so that the result may lie in any home.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hybridize.base.dims import is_symbolic, product, same
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter, first_lanes
from hybridize.codegen.llvm.contraction.micro import at, operand, plus, times
from hybridize.codegen.llvm.functions.table import narrowed
from hybridize.codegen.llvm.functions.table import register as register_type
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Array, Lane
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module
from hybridize.loops.expr import Load
from hybridize.loops.index import bit
from hybridize.loops.kernel import Param
from hybridize.loops.measure import walk, weight
from hybridize.machine.target import Target
from hybridize.schedule.contraction.taps import TapAxis, TapPanels, TapPlan
from hybridize.schedule.draft import ACCUMULATED
from hybridize.schedule.steps import SideStore

LIGHT = 10
"""Instructions of an epilogue that is written out for each vector of a tile."""


def emit_taps(
    module: Module,
    name: str,
    plan: TapPlan,
    params: Sequence[Param],
    stores: Sequence[SideStore],
    target: Target,
    *,
    ranged: bool = False,
) -> Function:
    """Write the function `name`: `(ptr x, ptr w, <params>, ptr scratch)`; with `ranged`, `i64 first, i64 last` follow.

    `w` is packed. The range counts values of the outer axes; calls for several ranges may run at the same time.
    """
    buffers = [("ptr", f"e{number}") for number in range(len(params))]
    more = [("i64", "first"), ("i64", "last")] if ranged else []
    f = Function(
        module, name, [("ptr", "x"), ("ptr", "w"), *buffers, ("ptr", "scratch"), *more], attributes=UNOPTIMISED
    )
    arithmetic = ArithmeticEmitter(plan.dtype, target)
    table = _table(f, plan, arithmetic)
    tiles = [
        _Tile(module, f"{name}.tile{number}", plan, part, params, stores, arithmetic).write()
        for number, part in enumerate(plan.panels)
    ]
    first, last = ("%first", "%last") if ranged else ("0", operand(f, plan.units))
    per_column = plan.tap_count * plan.term_count * arithmetic.bytes
    minimum = f.module.declare("llvm.umin.i64", "i64", ["i64", "i64"])
    x = at(f, "%x", times(f, operand(f, plan.start), arithmetic.bytes))
    with f.loop(0, product(axis.size for axis in plan.groups)) as group:
        members, apart = _counted(f, plan.groups, group.index)
        x = at(f, x, times(f, apart, arithmetic.bytes))
        w = at(f, "%w", times(f, group.index, plan.columns * per_column))
        with f.loop(first, last, operand(f, plan.band)) as band:
            end = f.op(f"add i64 {band.index}, {operand(f, plan.band)}")
            stop = f.op(f"call i64 {minimum}(i64 {last}, i64 {end})")
            for part, tile in zip(plan.panels, tiles, strict=True):
                width = part.vectors * plan.lanes
                with f.loop(part.start, part.start + part.count * width, width) as column:
                    panel = at(f, w, times(f, column.index, per_column))
                    with f.loop(band.index, stop) as line:
                        lines, apart = _counted(f, plan.outer, line.index)
                        pixels = at(f, x, times(f, apart, arithmetic.bytes))
                        with f.loop(0, plan.row.size, part.height) as row:
                            start = row.index
                            if not is_symbolic(plan.row.size):
                                # The last tile begins where it ends with the line: some rows are stored twice.
                                last_start = plan.row.size - part.height
                                start = f.op(f"call i64 {minimum}(i64 {row.index}, i64 {last_start})")
                            axes = {**members, **lines, plan.row.axis: start, plan.column.axis: column.index}
                            pixel = at(f, pixels, times(f, start, plan.row.x * arithmetic.bytes))
                            args = [f"ptr {pixel}", f"ptr {table}", f"ptr {panel}"]
                            args += [f"i64 {axes[axis]}" for axis in sorted(axes)]
                            f.call(tile, [*args, *(f"ptr %{buffer}" for _, buffer in buffers)])
    f.do("ret void")
    return f


def _counted(f: Function, axes: Sequence[TapAxis], index: str) -> tuple[dict[int, str], str]:
    """The index along each of several axes that are counted as one, and the elements of x up to there."""
    indices: dict[int, str] = {}
    offset = "0"
    for number, axis in enumerate(reversed(axes)):
        last = number == len(axes) - 1
        size = operand(f, axis.size)
        indices[axis.axis] = index if last else f.op(f"urem i64 {index}, {size}")
        offset = plus(f, offset, times(f, indices[axis.axis], axis.x))
        index = index if last else f.op(f"udiv i64 {index}, {size}")
    return indices, offset


def _table(f: Function, plan: TapPlan, arithmetic: ArithmeticEmitter) -> str:
    """Pointer to the distance of each tap in x, in bytes: a constant, or written to scratch first."""
    if same(plan.table_bytes, 0):
        reach = [range(0, axis.size * axis.x, axis.x) if axis.x else (0,) * axis.size for axis in plan.taps]
        offsets = [sum(index) * arithmetic.bytes for index in itertools.product(*reach)]
        values = ", ".join(f"i64 {offset}" for offset in offsets)
        return f.module.constant(f"{f.name}.table", f"[{len(offsets)} x i64]", f"[{values}]")
    with f.loop(0, plan.tap_count) as tap:
        _, apart = _counted(f, plan.taps, tap.index)
        f.do(f"store i64 {times(f, apart, arithmetic.bytes)}, ptr {at(f, '%scratch', times(f, tap.index, 8))}, align 8")
    return "%scratch"


@frozen
class _Tile:
    """The function of one kind of tiles: `(ptr x, ptr table, ptr w, i64 <each axis of the result>, ptr <params>)`."""

    module: Module
    name: str
    plan: TapPlan
    part: TapPanels
    params: Sequence[Param]
    stores: Sequence[SideStore]
    arithmetic: ArithmeticEmitter

    def write(self) -> str:
        """Write it; returns the name of the function."""
        plan = self.plan
        axes = [("i64", f"a{axis}") for axis in range(len(plan.sizes))]
        buffers = [("ptr", f"e{number}") for number in range(len(self.params))]
        params = [("ptr", "x"), ("ptr", "table"), ("ptr", "w"), *axes, *buffers]
        f = Function(self.module, self.name, params, attributes="nounwind noinline")
        rows = self._rows(f)
        sums = self._sums(f, rows)
        roots = [expr for store in self.stores for expr in (store.index, store.value)]
        if weight(*roots) <= LIGHT:
            self._store(f, rows, sums)
        else:
            self._store_in_turn(f, rows, sums)
        f.do("ret void")
        return self.module.shared(f)

    def _rows(self, f: Function) -> list[str]:
        """The number of each row. Where their count is not known, the last stands in for those beyond it."""
        first = f"%a{self.plan.row.axis}"
        if not is_symbolic(self.plan.row.size):
            return [plus(f, first, row) for row in range(self.part.height)]
        minimum = f.module.declare("llvm.umin.i64", "i64", ["i64", "i64"])
        last = f.size(self.plan.row.size - 1)
        return [f.op(f"call i64 {minimum}(i64 {plus(f, first, row)}, i64 {last})") for row in range(self.part.height)]

    def _offsets(self, f: Function, rows: list[str]) -> list[str]:
        """The distance of each row from the first, in bytes: a number, part of the load, where it can be."""
        stride = self.plan.row.x * self.arithmetic.bytes
        if not is_symbolic(self.plan.row.size):
            return [operand(f, row * stride) for row in range(self.part.height)]
        return [times(f, f.op(f"sub i64 {row}, %a{self.plan.row.axis}"), stride) for row in rows]

    def _sums(self, f: Function, rows: list[str]) -> list[str]:
        """The sums over all taps and terms, row by row."""
        plan, part, arithmetic = self.plan, self.part, self.arithmetic
        of, count = arithmetic.vector, part.height * part.vectors
        offsets = self._offsets(f, rows)
        width = part.vectors * arithmetic.vector_bytes
        carry = [*[(of, arithmetic.zero)] * count, ("ptr", "%w")]
        with f.loop(0, plan.tap_count, carry=carry) as taps:
            *sums, w = taps.values
            x = at(f, "%x", f.op(f"load i64, ptr {at(f, '%table', times(f, taps.index, 8))}, align 8"))
            terms = plan.term_count
            whole = terms // part.unroll * part.unroll
            for start, stop, step in ((0, whole, part.unroll), (whole, terms, 1)):
                if same(start, stop):
                    continue
                with f.loop(start, stop, step, carry=[(of, value) for value in sums]) as loop:
                    loop.following = loop.values
                    for turn in range(step):
                        k = plus(f, loop.index, turn)
                        pixel = at(f, x, times(f, k, plan.terms[-1].x * arithmetic.bytes))
                        loop.following = self._term(f, pixel, at(f, w, times(f, k, width)), offsets, loop.following)
                sums = loop.results
            taps.following = [*sums, at(f, w, width * terms)]
        return taps.results[:-1]

    def _term(self, f: Function, x: str, w: str, offsets: list[str], sums: list[str]) -> list[str]:
        """One term: every row times every vector of w."""
        arithmetic, vectors = self.arithmetic, self.part.vectors
        columns = [arithmetic.load_computed(f, at(f, w, v * arithmetic.vector_bytes)) for v in range(vectors)]
        following = []
        for i, offset in enumerate(offsets):
            one = arithmetic.broadcast(f, at(f, x, offset))
            following += [
                arithmetic.multiply_add(f, one, column, sums[i * vectors + v]) for v, column in enumerate(columns)
            ]
        return following

    def _elements(self, f: Function) -> Elements:
        """The writer of the epilogue, all axes of the result open but rows and columns."""
        arrays = {n: Array(f"%e{n}", param.dtype, written=param.written) for n, param in enumerate(self.params)}
        elements = Elements(f, self.arithmetic.target, arrays, dict(enumerate(self.plan.sizes)))
        for axis in range(len(self.plan.sizes)):
            elements.axes[axis], elements.depth[axis] = f"%a{axis}", 0
            elements.rows |= bit(axis)
        return elements

    def _lane(self, f: Function, vector: int | None, column: str) -> Lane:
        """The lanes of a vector of columns; of the last ones, some may not exist."""
        plan, lanes = self.plan, self.plan.lanes
        last = vector is None or vector == self.part.vectors - 1
        if not last or same(plan.column.size % lanes, 0):
            return Lane(plan.column.axis, Width(lanes))
        left = f.op(f"sub i64 {operand(f, plan.column.size)}, {column}")
        return Lane(plan.column.axis, Width(lanes, first_lanes(f, left, lanes)))

    def _store(self, f: Function, rows: list[str], sums: list[str]) -> None:
        """Write the epilogue of each vector of sums, column by column: what depends on columns alone is once."""
        elements, plan = self._elements(f), self.plan
        values = [expr for store in self.stores for expr in (store.index, store.value)]
        for v in range(self.part.vectors):
            column = plus(f, f"%a{plan.column.axis}", v * plan.lanes)
            with elements.bound(plan.column.axis, column, self._lane(f, v, column)):
                if len(rows) > 1:
                    elements.hoist(values, bit(plan.row.axis))
                for row, total in zip(rows, sums[v :: self.part.vectors], strict=True):
                    with elements.bound(plan.row.axis, row):
                        self._finish(f, elements, total)

    def _store_in_turn(self, f: Function, rows: list[str], sums: list[str]) -> None:
        """Write a long epilogue once, in a loop over vectors of sums that wait on the stack."""
        elements, plan, arithmetic = self._elements(f), self.plan, self.arithmetic
        held = f.alloca(arithmetic.vector, len(sums))
        numbers = f.alloca("i64", len(rows))
        for i, total in enumerate(sums):
            arithmetic.store_computed(f, total, at(f, held, i * arithmetic.vector_bytes))
        for i, row in enumerate(rows):
            f.do(f"store i64 {row}, ptr {at(f, numbers, 8 * i)}, align 8")
        values = [expr for store in self.stores for expr in (store.index, store.value)]
        with f.loop(0, self.part.vectors) as turn:
            column = plus(f, f"%a{plan.column.axis}", times(f, turn.index, plan.lanes))
            with elements.bound(plan.column.axis, column, self._lane(f, None, column)):
                if len(rows) > 1:
                    elements.hoist(values, bit(plan.row.axis))
                with f.loop(0, len(rows)) as line, elements.scope():
                    row = f.op(f"load i64, ptr {at(f, numbers, times(f, line.index, 8))}, align 8")
                    place = plus(f, times(f, line.index, self.part.vectors), turn.index)
                    total = arithmetic.load_computed(f, at(f, held, times(f, place, arithmetic.vector_bytes)))
                    with elements.bound(plan.row.axis, row):
                        self._finish(f, elements, total)

    def _finish(self, f: Function, elements: Elements, total: str) -> None:
        """Write the epilogue of one vector of sums."""
        lanes = self.plan.lanes
        for load in walk(*(store.value for store in self.stores)):
            if isinstance(load, Load) and load.operand == ACCUMULATED:
                rounded = narrowed(f, total, load.dtype, lanes)
                if lanes > 1 and not elements.varies(load):
                    rounded = f.op(f"extractelement {register_type(load.dtype, lanes)} {rounded}, i64 0")
                elements.remember(load, rounded)
        for store in self.stores:
            elements.store(store.param, store.index, store.value)

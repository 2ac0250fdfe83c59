# SPDX-License-Identifier: Apache-2.0
"""Contractions with windows as machine code: tiles of registers over a table of taps (see `schedule.contraction.taps`).

`emit_taps` writes an internal function `(ptr x, ptr w, <buffers of the epilogue>, ptr scratch)`. It goes through
groups, bands, panels, parts and their lines; a *line* is a function that goes through the tiles of one line of rows. A
tile sums all taps and terms of some rows and one panel, then stores what the epilogue makes of the sums: statements
over the axes of the result, the sum being a load of operand -1, so that the result may lie in any home.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial

from hybridize.base.dims import is_symbolic, known, product, proven, same
from hybridize.base.frozen import changed, frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.epilogue import BoxAxis, emit_ending
from hybridize.codegen.llvm.contraction.micro import Light, plain_loads, sums_before, widened, widening
from hybridize.codegen.llvm.contraction.prologue import PanelLoads
from hybridize.codegen.llvm.contraction.share import line_of
from hybridize.codegen.llvm.contraction.terms import LoadVector, TermLoop, bring_line
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Array, Lane
from hybridize.codegen.llvm.registers import first_lanes
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module
from hybridize.loops.index import bit
from hybridize.loops.kernel import Param
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.contraction.lines import LineAccess, LineEnding, ending_of_lines, unchanged
from hybridize.schedule.contraction.panels import ColumnPanels, Summation
from hybridize.schedule.contraction.taps import TapAxis, TapPlan, TapTable, TapTiles, table_of

Range = tuple[int | str, int | str]
"""The first one of some, and the end."""


def emit_taps(
    module: Module,
    name: str,
    plan: TapPlan,
    ending: Ending,
    target: Target,
    *,
    ranged: bool = False,
) -> Function:
    """Write the function `name`: `(ptr x, ptr w, <params>, ptr scratch)`; with `ranged`, `i64 first, i64 last` follow.

    `w` is packed. The range counts the plan's units; calls for several ranges may run at the same time.
    """
    f = function_of_tiles(module, name, len(ending.params), ranged)
    arithmetic = ArithmeticEmitter.of_elements(plan.elements, target)
    return _Driver(f, plan, ending, arithmetic).write(ranged)


@frozen
class _Driver:
    """The function that goes through groups, bands, panels, parts and lines."""

    f: Function
    plan: TapPlan
    ending: Ending
    arithmetic: ArithmeticEmitter

    def write(self, ranged: bool) -> Function:
        """Write it."""
        f, plan, bytes = self.f, self.plan, self.arithmetic.bytes
        of = table_of(plan)
        lines = [
            [
                _Line(plan, panels, tiles, number, fields, ending=self._of_lines(tiles), arithmetic=self.arithmetic)
                for tiles, fields in zip(plan.tiles, of.shared, strict=True)
            ]
            for number, panels in enumerate(plan.panels)
        ]
        names = [
            [line.write(f.module, f"{f.name}.line{number}.{k}") for k, line in enumerate(writers)]
            for number, writers in enumerate(lines)
        ]
        table = _table(f, of, plan, self.arithmetic)
        first, last = "0", f.operand(plan.lines)
        if ranged and not plan.by_panels:
            first, last = "%first", "%last"
        before = 0
        per_column = plan.tap_count * plan.term_count * plan.elements.in_panels.itemsize
        per_group = product(axis.size for axis in plan.spread) * plan.columns * per_column
        outside, inside = (plan.blocks.count, 1) if plan.blocks.outside else (1, plan.blocks.count)
        with f.loop(0, product(axis.size for axis in plan.groups)) as group:
            members, apart, _ = _counted(f, plan.groups, [f.operand(axis.size) for axis in plan.groups], group.index)
            x = f.at("%x", f.times(apart, bytes))
            w = f.at("%w", f.times(group.index, per_group))
            with f.loop(first, last, f.operand(plan.band)) as band, f.loop(0, outside) as far:
                end = f.plus(band.index, plan.band)
                units = band_units = band.index, f.umin(last, end)
                for panels, writers, called in zip(plan.panels, lines, names, strict=True):
                    width = panels.vectors * plan.lanes
                    start: str | int = panels.start
                    stop: str | int = panels.start + panels.count * width
                    if ranged and plan.by_panels:
                        start, stop = self._columns(panels, before)
                    with f.loop(start, stop, width) as column, f.loop(0, inside) as near:
                        panel = f.at(w, f.times(column.index, per_column))
                        known = {**members, plan.column.axis: column.index}
                        if plan.widens:
                            panel = self._widened(panels, panel, known)
                        block = far.index if plan.blocks.outside else near.index
                        if ranged and plan.by_panels:
                            units = self._of_panel(panels, before, column.index, band_units)
                        for k, (line, callee) in enumerate(zip(writers, called, strict=True)):
                            with f.loop(0, len(plan.tiles[k].parts)) as part:
                                fields = _fields(f, of, k, table, part.index)
                                self._lines(line, callee, fields, table, (x, panel), known, units=units, block=block)
                    before += panels.count
        return f

    def _of_lines(self, tiles: TapTiles) -> LineEnding:
        """The epilogue of lines; panels that have one, too, read its buffers over all axes."""
        plan, row = self.plan, tiles.row
        if plan.elements.prologue is not None:
            return unchanged(self.ending, len(plan.sizes))
        return ending_of_lines(self.ending, plan.sizes, plan.column.axis, row.axis, row.step)

    def _widened(self, panels: ColumnPanels, panel: str, known: Mapping[int, str]) -> str:
        """A panel with its elements converted, in scratch."""
        f, plan = self.f, self.plan
        light = _light(plan, panels, self.ending.params, self.arithmetic, f"{f.name}.widen")
        to, count = f.at("%scratch", plan.table_bytes), f.operand(plan.tap_count * plan.term_count)
        name = widened(f.module, self.arithmetic, light, panels.vectors)
        named = {f"a{axis}": index for axis, index in known.items()}
        passed = [f"{type} {named.get(word, f'%{word}')}" for type, word in light.params]
        f.call(name, [f"ptr {to}", f"ptr {panel}", f"i64 {count}", *passed])
        return to

    def _columns(self, panels: ColumnPanels, before: int) -> tuple[str, str]:
        """The columns of those panels of which a range of a call has lines; `before` are the panels before them."""
        f, width, lines = self.f, panels.vectors * self.plan.lanes, self.f.operand(self.plan.lines)
        beyond = f.op(f"udiv i64 {f.op(f'add i64 %last, {f.plus(lines, -1)}')}, {lines}")
        columns = []
        for number in (f.op(f"udiv i64 %first, {lines}"), beyond):
            own = f.op(f"sub i64 {number}, {f.operand(before)}") if before else number
            columns.append(f.plus(f.times(f.between(own, "0", f.operand(panels.count)), width), panels.start))
        return columns[0], columns[1]

    def _of_panel(self, panels: ColumnPanels, before: int, column: str, band: tuple[str, str]) -> tuple[str, str]:
        """The lines of a panel that are in the range of a call, of those of a band."""
        f, lines = self.f, self.f.operand(self.plan.lines)
        index = f.op(f"sub i64 {column}, {f.operand(panels.start)}")
        number = f.plus(f.op(f"udiv i64 {index}, {panels.vectors * self.plan.lanes}"), before)
        first = f.times(number, lines)
        low, high = (f.between(f.op(f"sub i64 {unit}, {first}"), *band) for unit in ("%first", "%last"))
        return low, high

    def _lines(
        self,
        line: _Line,
        callee: str,
        fields: Mapping[str, str],
        table: str,
        pointers: tuple[str, str],
        known: Mapping[int, str],
        units: tuple[str, str],
        block: str,
    ) -> None:
        """Write the lines of a part that a range of units has, in a block of taps."""
        f, plan, bytes = self.f, self.plan, self.arithmetic.bytes
        panels, outer = line.panels, line.tiles.outer
        of_panel = line.panel_bytes
        x, w = f.at(pointers[0], f.times(fields["start"], bytes)), pointers[1]
        w = f.at(f.at(w, f.times(fields["group"], plan.elements.in_panels.itemsize)), f.times(fields["term"], of_panel))
        sizes = [fields[f"line{number}"] for number in range(len(outer))]
        count = "1"
        for size in sizes:
            count = f.times(count, size)
        begin, end = (line_of(f, unit, fields["before"], count, f.operand(plan.lines)) for unit in units)
        width = panels.vectors * plan.lanes * bytes
        taps, after = fields["taps"], f.at(pointers[1], plan.tap_count * plan.term_count * of_panel)
        taps_at, partials = f.times(fields["list"], 8), ""
        if not same(plan.blocks.count, 1):
            cuts = [self._cut(taps, block), self._cut(taps, f.plus(block, 1))]
            taps_at = f.plus(taps_at, f.times(cuts[0], 16))
            taps = f.op(f"sub i64 {cuts[1]}, {cuts[0]}")
            after = f.at(pointers[1], f.times(cuts[1], plan.term_count * of_panel))
            partials = f.at(f.at("%scratch", plan.table_bytes), f.times(fields["held"], width))
            if plan.blocks.outside:
                partials = f.at(partials, f.times(known[plan.column.axis], plan.waiting_rows * bytes))
        row = line.tiles.row.axis
        axes = {axis: f.operand(fields[f"first{axis}"]) for axis in (row, *(axis.axis for axis in outer))} | dict(known)
        buffers = self._buffers(line, axes)
        with f.loop(begin, end) as turn:
            indices, apart, further = _counted(f, outer, sizes, turn.index)
            steps = {axis.axis: f.times(indices[axis.axis], axis.step) for axis in outer}
            args = [
                f"ptr {f.at(x, f.times(apart, bytes))}",
                f"ptr {f.at(table, taps_at)}",
                f"ptr {f.at(w, f.times(further, plan.elements.in_panels.itemsize))}",
                *(f"i64 {f.plus(axes[axis], steps.get(axis, '0'))}" for axis in line.axes),
            ]
            of_part = {**fields, "taps": taps}
            args += [f"i64 {f.operand(of_part[name] if one is None else one)}" for name, one in line.parameters.items()]
            if partials:
                slot = f.plus(fields["rows"], max(line.tiles.heights))
                waiting = f.times(f.times(f.op(f"sub i64 {turn.index}, {begin}"), slot), width)
                args.append(f"ptr {f.at(partials, waiting)}")
                args.append(f"i1 {f.op(f'icmp ne i64 {block}, 0')}")
                args.append(f"i1 {f.op(f'icmp eq i64 {block}, {f.operand(plan.blocks.count - 1)}')}")
            if panels.share:
                rows = f.times(turn.index, fields["rows"])
                args.append(f"ptr {f.at(after, f.times(rows, panels.share))}")
            f.call(callee, [*args, *(f"ptr {pointer}" for pointer in self._moved(line, buffers, steps))])

    def _buffers(self, line: _Line, axes: Mapping[int, str]) -> list[str]:
        """The places of a part's first line in the buffers of the epilogue, columns aside; `axes` are where it is."""
        f, pointers = self.f, []
        for access in line.ending.accesses:
            element = f.operand(access.constant)
            for axis, factor in access.terms:
                element = f.plus(element, f.times(axes[axis], factor))
            pointers.append(f.at(f"%e{access.buffer}", f.times(element, self._itemsize(access))))
        return pointers

    def _moved(self, line: _Line, pointers: Sequence[str], steps: Mapping[int, str]) -> Iterator[str]:
        """These places, so many steps further along the axes outside of tiles."""
        f = self.f
        for access, pointer in zip(line.ending.accesses, pointers, strict=True):
            element = "0"
            for axis, factor in access.terms:
                element = f.plus(element, f.times(steps.get(axis, "0"), factor))
            yield f.at(pointer, f.times(element, self._itemsize(access)))

    def _itemsize(self, access: LineAccess) -> int:
        """Bytes of an element of a buffer."""
        return self.ending.params[access.buffer].dtype.itemsize

    def _cut(self, taps: str, block: str) -> str:
        """The first tap of a block: of those that are summed together, all are in one."""
        f, together = self.f, self.plan.together
        cut = f.op(f"udiv i64 {f.times(taps, block)}, {f.operand(self.plan.blocks.count)}")
        if together == 1:
            return cut
        begin = f.op(f"sub i64 {cut}, {f.op(f'urem i64 {cut}, {together}')}")
        return f.op(f"select i1 {f.op(f'icmp eq i64 {cut}, {taps}')}, i64 {taps}, i64 {begin}")


def _counted(f: Function, axes: Sequence[TapAxis], sizes: Sequence[str], index: str) -> tuple[dict[int, str], str, str]:
    """The index along each of several axes that are counted as one, and the elements of x and w up to there."""
    indices: dict[int, str] = {}
    x = w = "0"
    for number, (axis, size) in enumerate(zip(reversed(axes), reversed(sizes), strict=True)):
        last = number == len(axes) - 1
        indices[axis.axis] = "0" if size == "1" else index if last else f.op(f"urem i64 {index}, {size}")
        x = f.plus(x, f.times(indices[axis.axis], axis.x))
        w = f.plus(w, f.times(indices[axis.axis], axis.w))
        index = index if last or size == "1" else f.op(f"udiv i64 {index}, {size}")
    return indices, x, w


# The table


def _table(f: Function, of: TapTable, plan: TapPlan, arithmetic: ArithmeticEmitter) -> str:
    """Pointer to the table: a constant, or written to scratch first."""
    if same(of.numbers, 0):
        return "null"
    if of.is_constant:
        numbers = [number for sizes, _ in of.lists for tap in _taps(plan.taps, sizes, arithmetic) for number in tap]
        for fields in of.varying:
            numbers += itertools.chain(*zip(*fields.values(), strict=True))
        values = ", ".join(f"i64 {number}" for number in numbers)
        return f.module.constant(f"{f.name}.table", f"[{len(numbers)} x i64]", f"[{values}]")
    for sizes, place in of.lists:
        with f.loop(0, product(sizes)) as tap:
            _, x, w = _counted(f, plan.taps, [f.operand(size) for size in sizes], tap.index)
            entry = f.at(f.at("%scratch", place * 8), f.times(tap.index, 16))
            f.do(f"store i64 {f.times(x, arithmetic.bytes)}, ptr {entry}, align 8")
            f.do(f"store i64 {w}, ptr {f.at(entry, 8)}, align 8")
    for fields, place in zip(of.varying, of.places, strict=True):
        for number, value in enumerate(itertools.chain(*zip(*fields.values(), strict=True))):
            f.do(f"store i64 {f.operand(value)}, ptr {f.at('%scratch', (place + number) * 8)}, align 8")
    return "%scratch"


def _taps(axes: Sequence[TapAxis], sizes: Sequence[int], arithmetic: ArithmeticEmitter) -> list[tuple[int, int]]:
    """The distances of taps in x, in bytes, and in terms of the panel."""
    return [
        (
            sum(index * axis.x for index, axis in zip(at, axes, strict=True)) * arithmetic.bytes,
            sum(index * axis.w for index, axis in zip(at, axes, strict=True)),
        )
        for at in itertools.product(*map(range, sizes))
    ]


def _fields(f: Function, of: TapTable, tiles: int, table: str, part: str) -> dict[str, str]:
    """The numbers of a part: those that all parts share are text, others are read from the table."""
    fields = {name: f.operand(number) for name, number in of.shared[tiles].items()}
    varying = of.varying[tiles]
    record = f.at(f.at(table, of.places[tiles] * 8), f.times(part, len(varying) * 8))
    for number, name in enumerate(varying):
        fields[name] = f.op(f"load i64, ptr {f.at(record, number * 8)}, align 8")
    return fields


# Lines


@frozen
class _Line:
    """The function of one kind of lines: `(ptr x, ptr table, ptr w, i64 <axes of the result>, ...)`.

    The axes are the column, and those that the epilogue asks for. Numbers in which contractions may differ, and parts
    of one, follow; where there are blocks of taps, the sums that wait, and as i1 whether there are any and whether this
    is the last block; what of another panel is fetched; the accesses of the epilogue. So lines of many contractions
    are one function.
    """

    plan: TapPlan
    panels: ColumnPanels
    tiles: TapTiles
    number: int
    """Of the kind of panels."""
    shared: Mapping[str, int]
    ending: LineEnding
    arithmetic: ArithmeticEmitter
    load: LoadVector | None = None
    """Loads a vector of a panel, within the loops over terms."""

    @property
    def height(self) -> int:
        """Rows of a tile."""
        return self.tiles.heights[self.number]

    @property
    def axes(self) -> list[int]:
        """The axes whose index is a parameter."""
        return sorted({*self.ending.axes, self.plan.column.axis})

    @functools.cached_property
    def parameters(self) -> dict[str, int | None]:
        """Numbers that are parameters, by name; None for those of a part."""
        plan, panels, row = self.plan, self.panels, self.tiles.row
        numbers: dict[str, int | None] = {"rows": None}
        numbers |= {name: None for name in ("taps", "terms") if isinstance(self._number(name), str)}
        if self._has_distance:
            numbers["x.apart"] = row.x * self.arithmetic.bytes
        if plan.parts and "taps" in numbers:
            numbers["together"] = plan.together
        if panels.share:
            numbers |= {"share": panels.share, "step": panels.step}
        if panels.lines > 1:
            numbers["between"] = panels.step // panels.lines
        if _is_masked(plan, panels, panels.vectors - 1) and not self._are_known():
            numbers["columns"] = plan.column.size
        for place, access in enumerate(self.ending.accesses):
            if access.is_argument:
                numbers[f"e{place}.apart"] = access.apart * self.ending.ending.params[place].dtype.itemsize
        return numbers

    @property
    def _has_distance(self) -> bool:
        """True if the distance of rows is a parameter."""
        return self._is_clamped() or self.tiles.distances[self.number] == "in registers"

    @property
    def _apart(self) -> str | int:
        """Bytes of x from one row to the next."""
        return "%x.apart" if self._has_distance else self.tiles.row.x * self.arithmetic.bytes

    @property
    def _waits(self) -> bool:
        """True if sums wait from one block of taps to the next."""
        return not same(self.plan.blocks.count, 1)

    def write(self, module: Module, name: str) -> str:
        """Write it; returns the name of the function."""
        axes = [("i64", f"a{axis}") for axis in self.axes]
        scalars = [("i64", name) for name in self.parameters]
        buffers = [("ptr", f"e{number}") for number in range(len(self.ending.accesses))]
        params = [("ptr", "x"), ("ptr", "table"), ("ptr", "w"), *axes, *scalars]
        params += [("ptr", "held"), ("i1", "more"), ("i1", "last")] if self._waits else []
        params += [*([("ptr", "after")] if self.panels.share else []), *buffers]
        f = Function(module, name, params, attributes="nounwind noinline")
        with self._loading(f) as load, f.loop(0, "%rows", self.height, some=self._at_least("rows", 1)) as line:
            numbers = self._rows(f, line.index)
            first = numbers[0]
            x = f.at("%x", f.times(first, self._apart))
            after = f.at("%after", f.times(first, "%share")) if self.panels.share else ""
            partials = []
            if self._waits:
                waiting, nbytes = f.at("%held", f.times(line.index, self._width)), self.arithmetic.vector_bytes
                partials = [f.at(waiting, k * nbytes) for k in range(self.height * self.panels.vectors)]
            offsets, initial = self._offsets(f, numbers), [self.arithmetic.zero] * (self.height * self.panels.vectors)
            if partials:
                initial = sums_before(f, self.arithmetic, "%more", partials, len(partials))
            sums = changed(self, load=load)._sums(f, x, after, offsets, initial)
            self._end(f, numbers, sums, partials)
        return module.shared(f)

    @property
    def is_light(self) -> bool:
        """True if tiles convert elements of panels."""
        return self.plan.elements.panel is not None and not self.plan.widens

    @property
    def panel_bytes(self) -> int:
        """Bytes of a term of a panel."""
        arithmetic = self.arithmetic
        return self.panels.vectors * (arithmetic.packed_bytes if self.is_light else arithmetic.vector_bytes)

    @property
    def _width(self) -> int:
        """Bytes of a row of sums."""
        return self.panels.vectors * self.arithmetic.vector_bytes

    def _end(self, f: Function, numbers: list[str], sums: list[str], partials: list[str]) -> None:
        """Finish a tile: by the epilogue, or its sums wait."""
        if partials:
            with f.when(f.op("xor i1 %last, true")):
                for value, pointer in zip(sums, partials, strict=True):
                    self.arithmetic.store_computed(f, value, pointer)
        with f.when("%last") if partials else nullcontext():
            # Column by column: what depends on columns alone is computed once.
            plan, row, vectors, column = self.plan, self.tiles.row, self.panels.vectors, self.plan.column.axis
            elements, rows = self._elements(f, numbers[0]), BoxAxis(row.axis, "0", 1, self.height)
            if self.ending.has_row(row.axis):
                first, *others = (f.plus(f"%a{row.axis}", f.times(number, row.step)) for number in numbers)
                rows = changed(rows, place=first, step=row.step, places=[first, *others] if others else ())
            elif self._is_clamped():
                rows = changed(rows, places=[f.minus(number, numbers[0]) for number in numbers])
            columns = BoxAxis(column, f"%a{column}", plan.lanes, vectors, lane=partial(self._lane, f),
                              moving=bit(row.axis) if self.height > 1 else 0)  # fmt: skip
            by_columns = [total for v in range(vectors) for total in sums[v::vectors]]
            inside, ending, box = plan.stores == "results", self.ending.ending, [columns, rows]
            emit_ending(f, elements, ending, self.arithmetic, box, by_columns, lanes=plan.lanes, inside=inside)

    def _elements(self, f: Function, first: str) -> Elements:
        """The writer of the epilogue of a tile, whose first row has this number."""
        arrays, distances = {}, {}
        for number, (access, param) in enumerate(zip(self.ending.accesses, self.ending.ending.params, strict=True)):
            apart: str | int = access.apart * param.dtype.itemsize
            if access.is_argument:
                apart = distances[number, self.tiles.row.axis] = f"%e{number}.apart"
            pointer = f.at(f"%e{number}", f.times(first, apart))
            arrays[number] = Array(pointer, param.dtype, written=param.written)
        elements = Elements(f, self.arithmetic.target, arrays, dict(enumerate(self.plan.sizes)))
        for axis in self.ending.axes:
            elements.axes[axis], elements.depth[axis] = f"%a{axis}", 0
        for axis in range(len(self.plan.sizes)):
            elements.rows |= bit(axis)
        elements.distances = distances
        return elements

    def _number(self, name: str) -> int | str:
        """A number of the part: a parameter, but where it decides what the code is: there are no loops over one."""
        once = {"taps": 1, "terms": self.panels.unroll}[name]
        is_once = name in self.shared and same(self.shared[name], once) and not (name == "taps" and self._waits)
        return once if is_once else f"%{name}"

    def _at_least(self, name: str, least: int) -> bool:
        """Tell whether all parts have so many of something for sure."""
        if name == "taps":
            return not self._waits and all(proven(product(part.taps) - least, 0) for part in self.tiles.parts)
        return all(proven(getattr(part, name) - least, 0) for part in self.tiles.parts)

    def _are_known(self) -> bool:
        """True if the columns of the last vector are a number of the code."""
        return _are_known(self.plan, self.panels, self.arithmetic.target)

    def _is_clamped(self) -> bool:
        """True if a line may have fewer rows than a tile."""
        return any(is_symbolic(part.rows) for part in self.tiles.parts)

    def _rows(self, f: Function, first: str) -> list[str]:
        """The number of each row of a tile in its line; of the first alone, where the others follow it.

        The last tile begins where it ends with the line: some rows are stored twice. Where a line may be shorter than
        a tile, the last row stands in for those beyond it.
        """
        if self._is_clamped():
            last = f.op("sub i64 %rows, 1")
            return [f.umin(f.plus(first, row), last) for row in range(self.height)]
        return [f.umin(first, f.op(f"sub i64 %rows, {self.height}"))]

    def _offsets(self, f: Function, numbers: list[str]) -> list[str]:
        """The distance of each row from the first, in bytes: part of the load, where it can be; or its number, where
        the distance of all is a register.
        """
        if self._is_clamped():
            return [f.times(f.op(f"sub i64 {number}, {numbers[0]}"), self._apart) for number in numbers]
        each = 1 if self._has_distance else self._apart
        return [f.times(str(row), each) for row in range(self.height)]

    def _sums(self, f: Function, x: str, after: str, offsets: list[str], initial: list[str]) -> list[str]:
        """The sums over all taps and terms, row by row; from `after` on, lines of memory are brought near.

        Of many terms, parts have sums of their own, which are added in memory.
        """
        taps, terms, arithmetic = self._number("taps"), self._number("terms"), self.arithmetic
        behind = [after] * bool(after)
        if not self.plan.parts:
            return self._taps(f, x, offsets, [*initial, *behind], (0, taps), (0, terms))[: len(initial)]
        total = f.alloca(arithmetic.vector, len(initial))
        places = [f.at(total, number * arithmetic.vector_bytes) for number in range(len(initial))]
        for value, place in zip(initial, places, strict=True):
            arithmetic.store_computed(f, value, place)
        together: int | str = "%together" if "together" in self.parameters else self.plan.together
        zeros = [arithmetic.zero] * len(initial)
        part = self.plan.parts
        with f.loop(0, taps, together, [("ptr", one) for one in behind], some=self._at_least("taps", 1)) as outer:
            some = outer.index, taps if taps == 1 else f.umin(f.plus(outer.index, together), f.operand(taps))
            carry = [("ptr", one) for one in outer.values]
            with f.loop(0, terms, part, carry, some=self._at_least("terms", 1)) as inner:
                those = inner.index, f.umin(f.plus(inner.index, part), f.operand(terms))
                results = self._taps(f, x, offsets, [*zeros, *inner.values], some, those)
                for value, place in zip(results, places, strict=False):
                    before = arithmetic.load_computed(f, place)
                    arithmetic.store_computed(f, arithmetic.add(f, before, value, arithmetic.lanes), place)
                inner.following = results[len(initial) :]
            outer.following = inner.results
        return [arithmetic.load_computed(f, place) for place in places]

    @property
    def _rest(self) -> int | None:
        """Terms beyond whole turns, where that is known, though their number is a parameter, and there is a turn."""
        unroll, terms = self.panels.unroll, [part.terms for part in self.tiles.parts]
        if not known(terms) or "terms" not in self.parameters or not self._at_least("terms", unroll):
            return None
        rests = {count % unroll for count in terms}
        if self.plan.parts:  # the last turn is that of any of them
            return 0 if rests | {self.plan.parts % unroll} == {0} else None
        return rests.pop() if len(rests) == 1 else None

    def _taps(
        self, f: Function, x: str, offsets: list[str], carried: list[str], some: Range, those: Range
    ) -> list[str]:
        """The sums, and where memory is brought from, after some taps, and those of their terms."""
        count, sums = self._number("taps"), self.height * self.panels.vectors
        kinds = [*[self.arithmetic.vector] * sums, *["ptr"] * (len(carried) - sums)]
        carry = list(zip(kinds, carried, strict=True))
        with f.loop(*some, carry=carry, some=self._at_least("taps", 1)) as taps:
            pixels, w = x, "%w"
            if isinstance(count, str):  # else the first tap is where the part begins
                tap = f.at("%table", f.times(taps.index, 16))
                pixels = f.at(x, f.op(f"load i64, ptr {tap}, align 8"))
                w = f.at(w, f.times(f.op(f"load i64, ptr {f.at(tap, 8)}, align 8"), self.panel_bytes))
            taps.following = self._terms(f, pixels, w, offsets, taps.values, those)
        return taps.results

    def _terms(self, f: Function, x: str, w: str, offsets: list[str], carried: list[str], those: Range) -> list[str]:
        """The sums, and where memory is brought from, after those terms of a tap."""
        arithmetic, panels, axis = self.arithmetic, self.panels, self.plan.terms[-1]
        sums, row, load = self.height * panels.vectors, self.panel_bytes, self.load
        assert load is not None
        apart = "" if self._is_clamped() or not self._has_distance else str(self._apart)
        loop = TermLoop(
            f, arithmetic, offsets, [v * row // panels.vectors for v in range(panels.vectors)],
            along_x=axis.x * arithmetic.bytes, along_w=axis.w * row,
            load=lambda number, k, pointer: load(number, "0", pointer),
            ahead=panels.ahead, row_bytes=row, apart=apart,
        )  # fmt: skip

        def bring(k: str, pointers: list[str]) -> list[str]:
            for pointer in pointers:
                for line in range(panels.lines):
                    bring_line(f, f.multiple(pointer, str(line), "%between"))
            return [f.at(pointer, "%step") for pointer in pointers]

        w = f.at(w, f.times(f.operand(those[0]), axis.w * row))
        summation = Summation(1, panels.unroll)
        return loop.summed(
            x, w, carried[:sums], those, summation, others=carried[sums:], each_turn=bring, rest=self._rest
        )

    def _lane(self, f: Function, vector: int | None, column: str) -> Lane:
        """The lanes of a vector of columns; of the last ones, some may not exist."""
        plan, panels = self.plan, self.panels
        if not self._are_known():
            return Lane(plan.column.axis, _width(f, plan, panels, vector, column, "%columns"))
        if vector is None:
            return Lane(plan.column.axis, _width(f, plan, panels, vector, column, plan.column.size))
        left = plan.column.size - (panels.start + vector * plan.lanes)
        return Lane(plan.column.axis, Width.first(min(left, plan.lanes), plan.lanes))

    def _loading(self, f: Function) -> AbstractContextManager[LoadVector]:
        """The loads of vectors of a panel."""
        if not self.is_light:
            return plain_loads(f, self.arithmetic)
        params = self.ending.ending.params
        return _light(self.plan, self.panels, params, self.arithmetic, "").loading(f, self.panels.vectors)


def _is_masked(plan: TapPlan, panels: ColumnPanels, vector: int | None) -> bool:
    """Tell whether some columns of a vector of a panel may not exist."""
    last = vector is None or vector == panels.vectors - 1 or is_symbolic(plan.column.size)
    return last and not same(plan.column.size % plan.lanes, 0)


def _are_known(plan: TapPlan, panels: ColumnPanels, target: Target) -> bool:
    """Tell whether the columns of the last vector of panels are a number of their code: there is one panel, and vectors
    of which a known number of lanes count need no masks.
    """
    return target.by_lane and same(panels.count, 1) and not is_symbolic(plan.column.size)


def _width(
    f: Function, plan: TapPlan, panels: ColumnPanels, vector: int | None, column: str, columns: int | str
) -> Width:
    """The lanes of a vector that exist, of so many columns."""
    lanes = plan.lanes
    if not _is_masked(plan, panels, vector):
        return Width(lanes)
    return Width(lanes, first_lanes(f, f.op(f"sub i64 {f.operand(columns)}, {column}"), lanes))


def _light(
    plan: TapPlan, panels: ColumnPanels, params: Sequence[Param], arithmetic: ArithmeticEmitter, name: str
) -> Light:
    """The way of elements of panels that have them as they are stored; `name` begins those of functions."""
    prologue = plan.elements.prologue
    if prologue is None:
        return widening(arithmetic)
    members = [axis.axis for axis in plan.groups]

    @contextmanager
    def loading(f: Function, vectors: int) -> Iterator[LoadVector]:
        arrays = {n: Array(f"%e{n}", param.dtype) for n, param in enumerate(params) if not param.written}
        firsts = [f.plus(f"%a{plan.column.axis}", v * plan.lanes) for v in range(vectors)]
        columns = [(first, _width(f, plan, panels, v, first, plan.column.size)) for v, first in enumerate(firsts)]
        known = {axis: f"%a{axis}" for axis in members}
        sizes, column = dict(enumerate(plan.sizes)), plan.column.axis
        loads = PanelLoads(f, arithmetic.target, prologue, arrays, sizes, known, column=column)
        with loads.of(columns) as load:
            yield load

    words = [("i64", f"a{axis}") for axis in sorted([*members, plan.column.axis])]
    return Light(name, [*words, *(("ptr", f"e{number}") for number in range(len(params)))], loading)


def function_of_tiles(module: Module, name: str, params: int, ranged: bool) -> Function:
    """Begin a function `(ptr x, ptr w, <params>, ptr scratch)`; with `ranged`, `i64 first, i64 last` follow."""
    pointers = [("ptr", name) for name in ("x", "w", *(f"e{number}" for number in range(params)), "scratch")]
    more = [("i64", "first"), ("i64", "last")] if ranged else []
    return Function(module, name, [*pointers, *more], attributes=UNOPTIMISED)

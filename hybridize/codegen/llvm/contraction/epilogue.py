# SPDX-License-Identifier: Apache-2.0
"""Write epilogues: what a contraction's elements go through before memory (bias, activation, residual, casts)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from hybridize.base.dtypes import DType, bfloat16, float16
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.functions.table import narrowed, to_memory
from hybridize.codegen.llvm.functions.table import register as register_type
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Array, Lane
from hybridize.codegen.llvm.text import Function
from hybridize.loops.index import bit
from hybridize.loops.kernel import Param
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Ending, gate_of

RowSums = tuple[str, Sequence[str]]
"""A row as an i64 register, and the sums of its elements, a register for each gate."""


@frozen
class EpilogueEmitter:
    """Writes the epilogue of a product, whose result tiles store themselves."""

    ending: Ending
    sizes: tuple[int, ...]
    """Of batch, rows and columns."""
    target: Target

    @property
    def dtype(self) -> DType:
        """Of the result in memory."""
        return self.ending.params[0].dtype

    @property
    def params(self) -> list[tuple[str, str]]:
        """Parameters (type, name) of functions that have it, besides the result."""
        return [("ptr", f"e{number}") for number in range(1, len(self.ending.params))]

    def emit(
        self, f: Function, rows: Sequence[RowSums], column: str, lanes: int, batch: str, mask: str | None
    ) -> Iterator[str]:
        """Turn the sums of `lanes` elements of each of some rows, `out[batch, row, column : column + lanes]`, into
        registers of `dtype`, i16 for 16-bit floats.

        `column` and `batch` are i64 registers. With a mask (`<lanes x i1>`) only its lanes exist. Sums are float for
        floats of up to 32 bits, i1 for bool, else of the operands' own type.
        """
        (*sides, result) = self.ending.stores
        elements = Elements(f, self.target, arrays_of(self.ending.params), dict(enumerate(self.sizes)))
        elements.axes[0], elements.depth[0] = batch, 0
        with elements.bound(2, column, Lane(2, Width(lanes, mask))):
            if len(rows) > 1 and not sides:
                elements.hoist([result.value], bit(1))
            for row, sums in rows:
                with elements.bound(1, row):
                    _remember(f, elements, self.ending, sums, lanes)
                    for side in sides:
                        elements.store(side.buffer, side.index, side.value)
                    value = elements.spread(result.value)
                yield _registers_of(f, value, self.dtype, lanes)


def _registers_of(f: Function, value: str, dtype: DType, lanes: int) -> str:
    """A register of ours as the contraction stores it: 16-bit floats as i16."""
    if dtype not in (float16, bfloat16):
        return value
    return to_memory(f, value, dtype, lanes)[1]


def arrays_of(params: Sequence[Param]) -> dict[int, Array]:
    """The buffers of an epilogue, which are the arguments `%e0`, `%e1`, ..."""
    return {n: Array(f"%e{n}", param.dtype, written=param.written) for n, param in enumerate(params)}


def elements_of_result(
    f: Function, target: Target, params: Sequence[Param], sizes: Sequence[int], *, placed: bool = True
) -> Elements:
    """Return the writer of an epilogue, all axes of the result rows.

    Args:
        f: the function, whose arguments are the arrays `%e0`.
        target: the machine.
        params: the arrays.
        sizes: of the result.
        placed: True if arguments `%a0` say where each axis stands.
    """
    elements = Elements(f, target, arrays_of(params), dict(enumerate(sizes)))
    for axis in range(len(sizes)):
        if placed:
            elements.axes[axis], elements.depth[axis] = f"%a{axis}", 0
        elements.rows |= bit(axis)
    return elements


@frozen
class BoxAxis:
    """An axis of the result along which a tile has several rows, or vectors."""

    axis: int
    place: str
    """The index of the first."""
    step: int
    count: int
    start: int | str = 0
    """The first one that is stored."""
    places: Sequence[str] = ()
    """The index of each, where they are at no equal distances."""
    lane: Callable[[int | None, str], Lane] | None = None
    """`lane(number, index)`: the lanes of a vector, whose number is None where it is one of a loop."""
    moving: int = 0
    """The axes inside, as bits: what does not depend on these is computed before them."""


def emit_ending(
    f: Function,
    elements: Elements,
    ending: Ending,
    arithmetic: ArithmeticEmitter,
    box: Sequence[BoxAxis],
    sums: Iterable[str],
    *,
    lanes: int,
    inside: bool,
) -> None:
    """Write the epilogue of each row of a tile, a vector of sums: one after the other `inside` the tile, else once, in
    loops over sums that wait on the stack.
    """
    if inside:
        _each_row(f, elements, ending, box, iter(sums), lanes)
        return
    nbytes, count = lanes * arithmetic.bytes, math.prod(axis.count for axis in box)
    waiting = f.alloca(arithmetic.vector if lanes > 1 else arithmetic.type, count)
    for number, total in enumerate(sums):
        arithmetic.store_computed(f, total, f.at(waiting, number * nbytes), lanes)
    tables = [_table(f, axis.places) if axis.places else "" for axis in box]
    with ExitStack() as within:
        slot = "0"
        for axis, table in zip(box, tables, strict=True):
            turn = within.enter_context(f.loop(axis.start, axis.count)) if axis.count > 1 else None
            row = "0" if turn is None else turn.index
            slot = f.plus(f.times(slot, axis.count), row)
            place = f.plus(axis.place, f.times(row, axis.step))
            if table:
                place = f.op(f"load i64, ptr {f.at(table, f.times(row, 8))}, align 8")
            within.enter_context(_opened(elements, ending, axis, None, place))
        total = arithmetic.load_computed(f, f.at(waiting, f.times(slot, nbytes)), lanes)
        accumulated(f, elements, ending, [total], lanes)


def _table(f: Function, numbers: Sequence[str]) -> str:
    """Numbers on the stack."""
    table = f.alloca("i64", len(numbers))
    for k, number in enumerate(numbers):
        f.do(f"store i64 {number}, ptr {f.at(table, 8 * k)}, align 8")
    return table


@contextmanager
def _opened(elements: Elements, ending: Ending, axis: BoxAxis, number: int | None, place: str) -> Iterator[None]:
    """Open an axis at one of its rows."""
    with elements.bound(axis.axis, place, None if axis.lane is None else axis.lane(number, place)):
        if axis.moving:
            elements.hoist(ending.roots, axis.moving)
        yield


def _each_row(
    f: Function, elements: Elements, ending: Ending, box: Sequence[BoxAxis], sums: Iterator[str], lanes: int
) -> None:
    """Write the epilogue of each row, the sums being made when they are asked for."""
    if not box:
        accumulated(f, elements, ending, [next(sums)], lanes)
        return
    axis, *inner = box
    for number in range(axis.count):
        place = axis.places[number] if axis.places else f.plus(axis.place, number * axis.step)
        with _opened(elements, ending, axis, number, place):
            _each_row(f, elements, ending, inner, sums, lanes)


def accumulated(f: Function, elements: Elements, ending: Ending, totals: Sequence[str], lanes: int) -> None:
    """Write the epilogue of one vector of sums, of several gates one of each."""
    _remember(f, elements, ending, totals, lanes)
    for store in ending.stores:
        elements.store(store.buffer, store.index, store.value)


def _remember(f: Function, elements: Elements, ending: Ending, sums: Sequence[str], lanes: int) -> None:
    """Take vectors of sums, one of each gate, for the loads of them."""
    for load in ending.sums:
        rounded = narrowed(f, sums[gate_of(load.operand)], load.dtype, lanes)
        if lanes > 1 and not elements.varies(load):
            kind = register_type(load.dtype, lanes)
            rounded = f.op(f"extractelement {kind} {rounded}, i64 0")  # a single column
        elements.remember(load, rounded)

# SPDX-License-Identifier: Apache-2.0
"""Store the sums of a contraction: through the epilogue to memory, from a small buffer or from registers."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from hybridize.base.dims import is_symbolic, same
from hybridize.base.dtypes import DType, bool_
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.epilogue import EpilogueEmitter, RowSums
from hybridize.codegen.llvm.contraction.micro import TileEnding
from hybridize.codegen.llvm.functions.halves import shortened
from hybridize.codegen.llvm.functions.table import memory
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.registers import first_lanes, masked_store
from hybridize.codegen.llvm.text import Function, Module, vector
from hybridize.schedule.contraction.panels import ColumnPanels
from hybridize.schedule.contraction.product import Product, Strides
from hybridize.schedule.contraction.tiles import MatrixPlan


@frozen
class StoredSums:
    """Sums in memory: where they begin, and the bytes from one row to the next and from one gate to the next."""

    pointer: str
    stride: str | int
    gate: str | int


@frozen
class Out:
    """The result of a product, as the function that computes it sees it, for a member of the batch."""

    f: Function
    plan: MatrixPlan
    arithmetic: ArithmeticEmitter
    epilogue: EpilogueEmitter | None
    batch: str

    @functools.cached_property
    def storing(self) -> str:
        """The function that `emit_store` writes, where it is needed."""
        return emit_store(self.f.module, f"{self.f.name}.store", self.plan.product, self.arithmetic, self.epilogue)

    @property
    def plain(self) -> bool:
        """True if sums are stored as they are."""
        return self.plan.stores == "sums"

    @property
    def arguments(self) -> list[str]:
        """The arguments of the epilogue's own parameters."""
        return [f"{type} %{param}" for type, param in (self.epilogue.params if self.epilogue else ())]

    def store(self, sums: StoredSums, row: str, column: str, rows: str | int, width: str | int) -> None:
        """Take the sums [rows][width] of each gate to out[batch, row.., column..]."""
        words = [sums.stride, row, column, rows, width, self.batch, self.plan.product.columns]
        words += [sums.gate] * (self.plan.product.gates > 1)
        passed = [f"i64 {self.f.operand(word)}" for word in words]
        self.f.call(self.storing, ["ptr %out", f"ptr {sums.pointer}", *passed, *self.arguments])

    def takes(self, section: ColumnPanels) -> bool:
        """Tell whether tiles of a section may leave their sums in memory themselves."""
        return section.whole and self.plan.stores != "buffer"

    def ending(self, row: str, column: str) -> tuple[TileEnding, Sequence[str]] | None:
        """Return the epilogue of tiles of such sections, and its arguments; None where they store their sums as they
        are.
        """
        if self.epilogue is None:
            return None
        params = [*(("i64", f"the.{word}") for word in ("row", "column", "batch")), *self.epilogue.params]
        arithmetic, epilogue, gates = self.arithmetic, self.epilogue, self.plan.product.gates
        dtype, lanes = epilogue.dtype, arithmetic.lanes

        def emit(f: Function, sums: list[str], vectors: int) -> None:
            """Column by column, so that what depends on columns alone is computed once."""
            rows = range(len(sums) // vectors)
            numbered = [f.plus("%the.row", row) for row in rows]
            lines = [f.at("%c", f.times("%cs", row)) for row in rows]
            across = vectors // gates
            for v in range(across):
                pairs = [
                    (number, sums[row * vectors + v : (row + 1) * vectors : across])
                    for row, number in enumerate(numbered)
                ]
                column = f.plus("%the.column", v * lanes)
                finished = _finished(f, arithmetic, epilogue, pairs, column, lanes)
                for line, value in zip(lines, finished, strict=True):
                    _write(f, value, f.at(line, v * lanes * dtype.itemsize), dtype, lanes, None)

        end = TileEnding(f"{self.f.name}.tile", params, emit)
        return end, [*(f"i64 {word}" for word in (row, column, self.batch)), *self.arguments]

    @property
    def dtype(self) -> DType:
        """Of the result in memory."""
        return self.arithmetic.result if self.epilogue is None else self.epilogue.dtype

    @property
    def row_bytes(self) -> int:
        """From one row to the next."""
        return self.plan.product.out_row * self.dtype.itemsize

    def at(self, row: str, column: str) -> str:
        """Return a pointer to an element."""
        f, batch = self.f, self.batch
        product = self.plan.product
        if product.out_strides is not None:
            member = f.times(member_offset(f, batch, product.out_strides), self.dtype.itemsize)
            line = f.at(f.at("%out", member), f.times(row, self.row_bytes))
            return f.at(line, f.times(column, self.dtype.itemsize))
        line = row if same(product.batch, 1) else f.plus(row, f.times(batch, product.m))
        return f.at(f.at("%out", f.times(line, self.row_bytes)), f.times(column, self.dtype.itemsize))


def member_offset(f: Function, batch: str, strides: Strides) -> str:
    """The elements before the matrix of a member of the batch."""
    total, left = "0", batch
    for number, (size, stride) in enumerate(reversed(strides.members)):
        last = number == len(strides.members) - 1
        digit = left if last else f.op(f"urem i64 {left}, {f.operand(size)}")
        left = left if last else f.op(f"udiv i64 {left}, {f.operand(size)}")
        total = f.plus(total, f.times(digit, stride))
    return total


def emit_store(
    module: Module, name: str, product: Product, arithmetic: ArithmeticEmitter, epilogue: EpilogueEmitter | None
) -> str:
    """`(ptr out, ptr c, i64 c_stride, i64 row, i64 column, i64 rows, i64 width, i64 batch, i64 n, <extra>)`.

    Takes the sums c[rows][width], rows `c_stride` bytes apart, to out[batch, row.., column..]; returns the function's
    name. n, the columns of the result, is no constant in it, so that layers of several sizes share one function. With
    several gates, `i64 gate` follows n, the bytes from the sums of one to those of the next.
    """
    names = ["stride", "row", "column", "rows", "width", "batch", "n", *["gate"] * (product.gates > 1)]
    extra = epilogue.params if epilogue is not None else ()
    params = [("ptr", "out"), ("ptr", "c"), *(("i64", f"the.{word}") for word in names), *extra]
    f = Function(module, name, params, attributes="nounwind noinline")
    lanes = arithmetic.lanes
    whole = "%the.width"
    columns = product.columns
    any_width = is_symbolic(columns)
    wide, ragged = any_width or columns >= lanes, any_width or columns % lanes
    if ragged:
        whole = f.op(f"sub i64 %the.width, {f.op(f'urem i64 %the.width, {lanes}')}") if wide else "0"
    gates = [f.times("%the.gate", str(gate)) for gate in range(product.gates)]

    def store(c: str, line: str, row: str, offset: str, lanes: int, mask: str | None = None) -> None:
        """Sums at `c + offset` to the element `line + offset` of out."""
        # The buffer of sums is as wide as its registers, so reading the lanes that do not exist is harmless.
        first = f.at(c, f.times(offset, arithmetic.bytes))
        sums = [arithmetic.load_computed(f, f.at(first, gate), lanes) for gate in gates]
        value, dtype = sums[0], arithmetic.result
        if epilogue is not None:
            dtype, rows = epilogue.dtype, [(row, sums)]
            (value,) = _finished(f, arithmetic, epilogue, rows, f.plus("%the.column", offset), lanes, mask=mask)
        elif arithmetic.stored == bool_:
            value = _truth(f, value, lanes)
        elif arithmetic.rounds:
            value = shortened(f, value, dtype, lanes)
        _write(f, value, f.at("%out", f.times(f.plus(line, offset), dtype.itemsize)), dtype, lanes, mask)

    one_row, one_member = same(product.m, 1), same(product.batch, 1) or same(product.batch, 0)
    with f.loop(0, 1 if one_row else "%the.rows") as loop:
        row = f.plus("%the.row", loop.index)
        c = "%c" if one_row else f.at("%c", f.op(f"mul i64 {loop.index}, %the.stride"))
        if product.out_strides is None:
            line = f.plus("0" if one_member else f.times("%the.batch", product.m), row)
            line = f.op(f"add i64 {f.op(f'mul i64 {line}, %the.n')}, %the.column")
        else:
            line = f.plus(f.times(row, product.out_row), member_offset(f, "%the.batch", product.out_strides))
            line = f.op(f"add i64 {line}, %the.column")
        if wide:
            with f.loop(0, whole, lanes) as inner:
                store(c, line, row, inner.index, lanes)
        if ragged and arithmetic.target.masks(arithmetic.stored_bytes):
            with f.when(f.op(f"icmp slt i64 {whole}, %the.width")):
                mask = first_lanes(f, f.op(f"sub i64 %the.width, {whole}"), lanes)
                store(c, line, row, whole, lanes, mask)
        elif ragged and arithmetic.target.by_lane and not any_width:
            with f.when(f.op(f"icmp slt i64 {whole}, %the.width")):
                store(c, line, row, whole, lanes, Width.first(columns % lanes, lanes).mask)
        elif ragged:
            with f.loop(whole, "%the.width") as inner:
                store(c, line, row, inner.index, 1)
    return module.shared(f)


def _truth(f: Function, value: str, lanes: int) -> str:
    """Sums of bools as i1."""
    return f.op(f"icmp ne {vector('i8', lanes)} {value}, {'zeroinitializer' if lanes > 1 else '0'}")


def _finished(
    f: Function,
    arithmetic: ArithmeticEmitter,
    epilogue: EpilogueEmitter,
    rows: Sequence[RowSums],
    column: str,
    lanes: int,
    *,
    mask: str | None = None,
) -> Iterable[str]:
    """Sums of rows through the epilogue."""
    if arithmetic.stored == bool_:
        rows = [(row, [_truth(f, gate, lanes) for gate in sums]) for row, sums in rows]
    return epilogue.emit(f, rows, column, lanes, "%the.batch", mask)


def _write(f: Function, value: str, pointer: str, dtype: DType, lanes: int, mask: str | None) -> None:
    """A register of the result to memory."""
    scalar = memory(dtype, 1)
    if dtype == bool_:
        value = f.op(f"zext {vector('i1', lanes)} {value} to {vector('i8', lanes)}")
    if mask is not None:
        masked_store(f, value, pointer, scalar, lanes, align=dtype.itemsize, mask=mask)
    else:
        f.do(f"store {vector(scalar, lanes)} {value}, ptr {pointer}, align {dtype.itemsize}")

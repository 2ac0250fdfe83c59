# SPDX-License-Identifier: Apache-2.0
"""Where the sums of a contraction go: from a small buffer through the epilogue to memory, or straight there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hybridize.base.dims import is_symbolic, same
from hybridize.base.dtypes import DType, bool_
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction_micro import at, operand, plus, times
from hybridize.codegen.llvm.contraction_numbers import Numbers, first_lanes, masked_store
from hybridize.codegen.llvm.contraction_plan import ContractionSpec, Section
from hybridize.codegen.llvm.functions import memory
from hybridize.codegen.llvm.halves import shortened
from hybridize.codegen.llvm.text import Function, Module, vector


@frozen
class Epilogue:
    """What happens to each sum before it is stored."""

    dtype: DType
    """Of the result in memory."""
    emit: Callable[[Function, str, str, str, int, str, str | None], str]
    """`emit(f, sums, row, column, lanes, batch, mask)` writes code that turns `lanes` sums, those of
    `out[batch, row, column : column + lanes]`, into a register of `dtype`, i16 for 16-bit floats. `row`, `column` and
    `batch` are i64 registers. With a mask (`<lanes x i1>`) only its lanes exist: loads must use it. Sums are float for
    floats of up to 32 bits, i1 for bool, else of the operands' own type."""
    params: tuple[tuple[str, str], ...] = ()
    """Further parameters (type, name) of the function, `%name` within `emit`."""


@frozen
class Out:
    """The result of a contraction, as the function that computes it sees it."""

    f: Function
    spec: ContractionSpec
    numbers: Numbers
    storing: str
    """The function that `emit_store` wrote."""
    arguments: Sequence[str]
    """What it takes besides."""
    plain: bool
    """Whether sums are stored as they are."""

    def store(
        self, c: str, stride: str | int, row: str, column: str, rows: str | int, width: str | int, batch: str
    ) -> None:
        """Take the sums c[rows][width], rows `stride` bytes apart, to out[batch, row.., column..]."""
        words = [f"i64 {operand(self.f, word)}" for word in (stride, row, column, rows, width, batch, self.spec.n)]
        self.f.call(self.storing, ["ptr %out", f"ptr {c}", *words, *self.arguments])

    def takes(self, section: Section) -> bool:
        """Whether tiles of a section may leave their sums in memory themselves."""
        return self.plain and same(section.width, section.vectors * self.numbers.lanes)

    @property
    def row_bytes(self) -> int:
        """From one row to the next."""
        return self.spec.n * self.numbers.bytes

    def at(self, row: str, column: str, batch: str) -> str:
        """Where an element is."""
        f = self.f
        line = row if same(self.spec.batch, 1) else plus(f, row, times(f, batch, self.spec.m))
        return at(f, at(f, "%out", times(f, line, self.row_bytes)), times(f, column, self.numbers.bytes))


def stores_plainly(numbers: Numbers, epilogue: Epilogue | None) -> bool:
    """Whether what is summed is what is stored."""
    return epilogue is None and not numbers.converts and numbers.dtype != bool_


def emit_store(module: Module, name: str, spec: ContractionSpec, numbers: Numbers, epilogue: Epilogue | None) -> str:
    """`(ptr out, ptr c, i64 c_stride, i64 row, i64 column, i64 rows, i64 width, i64 batch, i64 n, <extra>)`.

    Takes the sums c[rows][width], rows `c_stride` bytes apart, to out[batch, row.., column..]; returns the function's
    name. n is no constant in it, so that layers of several sizes share one function.
    """
    names = ("stride", "row", "column", "rows", "width", "batch", "n")
    extra = epilogue.params if epilogue is not None else ()
    params = [("ptr", "out"), ("ptr", "c"), *(("i64", f"the.{word}") for word in names), *extra]
    f = Function(module, name, params, attributes="nounwind noinline")
    lanes = numbers.lanes
    whole = "%the.width"
    any_width = is_symbolic(spec.n)
    wide, ragged = any_width or spec.n >= lanes, any_width or spec.n % lanes
    if ragged:
        whole = f.op(f"sub i64 %the.width, {f.op(f'urem i64 %the.width, {lanes}')}") if wide else "0"
    one_row, one_member = same(spec.m, 1), same(spec.batch, 1) or same(spec.batch, 0)
    with f.loop(0, 1 if one_row else "%the.rows") as loop:
        row = plus(f, "%the.row", loop.index)
        c = "%c" if one_row else at(f, "%c", f.op(f"mul i64 {loop.index}, %the.stride"))
        line = plus(f, "0" if one_member else times(f, "%the.batch", spec.m), row)
        line = f.op(f"add i64 {f.op(f'mul i64 {line}, %the.n')}, %the.column")
        if wide:
            with f.loop(0, whole, lanes) as inner:
                _store_vector(f, numbers, epilogue, c, line, row, inner.index, lanes, None)
        if ragged and numbers.target.masks(numbers.stored_bytes):
            with f.when(f.op(f"icmp slt i64 {whole}, %the.width")):
                mask = first_lanes(f, f.op(f"sub i64 %the.width, {whole}"), lanes)
                _store_vector(f, numbers, epilogue, c, line, row, whole, lanes, mask)
        elif ragged:
            with f.loop(whole, "%the.width") as inner:
                _store_vector(f, numbers, epilogue, c, line, row, inner.index, 1, None)
    f.do("ret void")
    return module.shared(f)


def _store_vector(
    f: Function,
    numbers: Numbers,
    epilogue: Epilogue | None,
    c: str,
    line: str,
    row: str,
    offset: str,
    lanes: int,
    mask: str | None,
) -> None:
    """Sums at `c + offset` to the element `line + offset` of out."""
    # The buffer of sums is as wide as its registers, so reading the lanes that do not exist is harmless.
    value = numbers.load_computed(f, at(f, c, times(f, offset, numbers.bytes)), lanes)
    if numbers.dtype == bool_:
        value = f.op(f"icmp ne {vector('i8', lanes)} {value}, {'zeroinitializer' if lanes > 1 else '0'}")
    dtype = numbers.dtype
    if epilogue is not None:
        dtype = epilogue.dtype
        column = plus(f, "%the.column", offset)
        value = epilogue.emit(f, value, row, column, lanes, "%the.batch", mask)
    elif numbers.converts:
        value = shortened(f, value, dtype, lanes)
    scalar = memory(dtype, 1)
    if dtype == bool_:
        value = f.op(f"zext {vector('i1', lanes)} {value} to {vector('i8', lanes)}")
    pointer = at(f, "%out", times(f, plus(f, line, offset), dtype.itemsize))
    if mask is not None:
        masked_store(f, value, pointer, scalar, lanes, dtype.itemsize, mask)
    else:
        f.do(f"store {vector(scalar, lanes)} {value}, ptr {pointer}, align {dtype.itemsize}")

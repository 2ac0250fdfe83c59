# SPDX-License-Identifier: Apache-2.0
"""Products of matrices as machine code, with whatever follows fused into the store.

`emit_contraction` writes an internal function `(ptr out, ptr x, ptr w, <extra>, ptr scratch)`. Register tiles leave
their sums in a small buffer; one function per contraction takes sums from there through the epilogue to `out`, so an
epilogue is emitted once, however many tiles there are, and the tiles are shared by all contractions of a module.
"""

from __future__ import annotations

from collections.abc import Callable

from hybridize.base.dims import is_symbolic, same
from hybridize.base.dtypes import DType, bool_
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction_dots import emit_dots
from hybridize.codegen.llvm.contraction_micro import at, operand, plus, times
from hybridize.codegen.llvm.contraction_numbers import Numbers, first_lanes, masked_store
from hybridize.codegen.llvm.contraction_plan import ContractionSpec, Plan, few_rows, make_plan, normalised, packing_pays
from hybridize.codegen.llvm.contraction_share import Share, Whole, split_axis, units
from hybridize.codegen.llvm.contraction_tiles import (
    emit_columns,
    emit_packing,
    emit_rows,
    packed_panels_bytes,
    tiles_scratch,
)
from hybridize.codegen.llvm.functions import memory
from hybridize.codegen.llvm.halves import shortened
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module, vector
from hybridize.codegen.target import Target

__all__ = [
    "ContractionSpec",
    "Epilogue",
    "contraction_scratch",
    "contraction_units",
    "emit_contraction",
    "emit_pack",
    "pack_pays",
    "packed_bytes",
]


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


def contraction_scratch(spec: ContractionSpec, target: Target) -> int:
    """Bytes of scratch, aligned to 64, that a call needs."""
    numbers = Numbers(spec.dtype, target)
    plan = make_plan(normalised(spec), numbers)
    return 0 if plan.form == "dots" else tiles_scratch(normalised(spec), numbers, plan)


def contraction_units(spec: ContractionSpec, target: Target) -> int:
    """How many units of work a `ranged` contraction consists of."""
    numbers = Numbers(spec.dtype, target)
    spec = normalised(spec)
    return units(spec, numbers, make_plan(spec, numbers))


def emit_contraction(
    module: Module,
    name: str,
    spec: ContractionSpec,
    target: Target,
    epilogue: Epilogue | None = None,
    *,
    ranged: bool = False,
) -> Function:
    """Write the function `name`: `(ptr out, ptr x, ptr w, <epilogue.params>, ptr scratch)`.

    Where sizes are symbolic, their symbols come after these (see `Function.call`). With `ranged`, `i64 first, i64 last`
    come after `scratch`: the units of work, of `contraction_units`, that the call does. Calls for several ranges may
    run at the same time, each with a scratch of its own; how the units are split changes no bit of the result.
    """
    numbers = Numbers(spec.dtype, target)
    spec = normalised(spec)
    plan = make_plan(spec, numbers)
    extra = epilogue.params if epilogue is not None else ()
    storing = _emit_store(module, f"{name}.store", spec, numbers, epilogue)
    params = [("ptr", "out"), ("ptr", "x"), ("ptr", "w"), *extra, ("ptr", "scratch")]
    share: Share | Whole = Whole()
    if ranged:
        params += [("i64", "first"), ("i64", "last")]
        share = Share(split_axis(spec, numbers, plan), units(spec, numbers, plan), "%first", "%last")
    f = Function(module, name, params, attributes=UNOPTIMISED)
    arguments = [f"{type} %{param}" for type, param in extra]

    def store(c: str, stride: str | int, row: str, column: str, rows: str | int, width: str | int, batch: str) -> None:
        words = [f"i64 {operand(f, word)}" for word in (stride, row, column, rows, width, batch, spec.n)]
        f.call(storing, ["ptr %out", f"ptr {c}", *words, *arguments])

    if not same(spec.m, 0) and not same(spec.n, 0):
        with f.loop(*share.turns(f, "batch", spec.batch)) as loop:
            x_bytes = spec.m * spec.k * numbers.stored_bytes
            w_bytes = packed_panels_bytes(spec, numbers) if spec.packed else spec.n * spec.k * numbers.stored_bytes
            x = at(f, "%x", 0 if spec.shared_x else times(f, loop.index, x_bytes))
            w = at(f, "%w", 0 if spec.shared_w else times(f, loop.index, w_bytes))
            _emit_form(f, spec, numbers, plan, x, w, loop.index, share, store)
    f.do("ret void")
    return f


def _emit_form(
    f: Function,
    spec: ContractionSpec,
    numbers: Numbers,
    plan: Plan,
    x: str,
    w: str,
    batch: str,
    share: Share | Whole,
    store: Callable[..., None],
) -> None:
    """One member of the batch, as the plan says."""
    match plan.form:
        case "dots":
            emit_dots(f, spec, numbers, x, w, batch, share, store)
        case "rows":
            emit_rows(f, spec, numbers, plan, x, w, "%scratch", batch, share, store)
        case "columns":
            emit_columns(f, spec, numbers, plan, x, w, "%scratch", batch, share, store)
        case "either":
            few = f.op(f"icmp slt i64 {f.size(spec.m)}, {few_rows(numbers)}")
            with f.when(few):
                emit_dots(f, spec, numbers, x, w, batch, share, store)
            with f.when(f.op(f"xor i1 {few}, true")):
                emit_rows(f, spec, numbers, plan, x, w, "%scratch", batch, share, store)


def _emit_store(module: Module, name: str, spec: ContractionSpec, numbers: Numbers, epilogue: Epilogue | None) -> str:
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


def pack_pays(spec: ContractionSpec, target: Target) -> bool:
    """Whether a call of `spec` is faster with w packed beforehand."""
    return packing_pays(spec, Numbers(spec.dtype, target))


def packed_bytes(spec: ContractionSpec, target: Target) -> int:
    """Size of the packed second operand of `spec`; the same for every m."""
    numbers = Numbers(spec.dtype, target)
    return packed_panels_bytes(spec, numbers) * (1 if spec.shared_w else spec.batch)


def emit_pack(module: Module, name: str, spec: ContractionSpec, target: Target, linkage: str = "internal") -> Function:
    """Write the function `name`: `(ptr packed, ptr w)`, which packs w for contractions with `spec.packed` set."""
    numbers = Numbers(spec.dtype, target)
    f = Function(module, name, [("ptr", "packed"), ("ptr", "w")], linkage=linkage, attributes=UNOPTIMISED)
    with f.loop(0, 1 if spec.shared_w else spec.batch) as loop:
        panel = at(f, "%packed", times(f, loop.index, packed_panels_bytes(spec, numbers)))
        w = at(f, "%w", times(f, loop.index, spec.n * spec.k * numbers.stored_bytes))
        emit_packing(f, spec, numbers, panel, w)
    f.do("ret void")
    return f

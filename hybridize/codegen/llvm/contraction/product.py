# SPDX-License-Identifier: Apache-2.0
"""Products of matrices as machine code, with whatever follows fused into the store.

`emit_contraction` writes an internal function `(ptr out, ptr x, ptr w, <extra>, ptr scratch)`. Register tiles leave
their sums in a small buffer; one function per contraction takes sums from there through the epilogue to `out`, so an
epilogue is emitted once, however many tiles there are, and the tiles are shared by all contractions of a module. Where
little or nothing is to be done to the sums of a whole tile, it does that and stores in `out` itself.
"""

from __future__ import annotations

from hybridize.base.dims import same
from hybridize.codegen.llvm.contraction.dots import emit_dots, emit_flipped, flipped_row
from hybridize.codegen.llvm.contraction.form import ContractionSpec, Plan, few_rows, make_plan, normalised, packing_pays
from hybridize.codegen.llvm.contraction.micro import at, times
from hybridize.codegen.llvm.contraction.numbers import Numbers
from hybridize.codegen.llvm.contraction.out import EpilogueEmitter, Out
from hybridize.codegen.llvm.contraction.share import Share, Whole, split_axis, units
from hybridize.codegen.llvm.contraction.tiles import (
    emit_columns,
    emit_packing,
    emit_rows,
    packed_panels_bytes,
    tiles_scratch,
)
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module
from hybridize.codegen.target import Target

__all__ = [
    "ContractionSpec",
    "EpilogueEmitter",
    "contraction_scratch",
    "contraction_units",
    "emit_contraction",
    "emit_pack",
    "pack_pays",
    "packed_bytes",
]


def contraction_scratch(spec: ContractionSpec, target: Target) -> int:
    """Bytes of scratch, aligned to 64, that a call needs."""
    numbers = Numbers(spec.dtype, target)
    spec = normalised(spec)
    plan = make_plan(spec, numbers)
    if plan.form == "dots":
        return spec.n * flipped_row(spec, numbers) if plan.flips else 0
    return tiles_scratch(spec, numbers, plan)


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
    epilogue: EpilogueEmitter | None = None,
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
    params = [("ptr", "out"), ("ptr", "x"), ("ptr", "w"), *extra, ("ptr", "scratch")]
    share: Share | Whole = Whole()
    if ranged:
        params += [("i64", "first"), ("i64", "last")]
        share = Share(split_axis(spec, numbers, plan), units(spec, numbers, plan), "%first", "%last")
    f = Function(module, name, params, attributes=UNOPTIMISED)
    out = Out(f, spec, numbers, epilogue)
    if not same(spec.m, 0) and not same(spec.n, 0):
        with f.loop(*share.turns(f, "batch", spec.batch)) as loop:
            x_bytes = spec.m * spec.k * numbers.stored_bytes
            w_bytes = packed_panels_bytes(spec, numbers) if spec.packed else spec.n * spec.k * numbers.stored_bytes
            x = at(f, "%x", 0 if spec.shared_x else times(f, loop.index, x_bytes))
            w = at(f, "%w", 0 if spec.shared_w else times(f, loop.index, w_bytes))
            _emit_form(f, spec, numbers, plan, x, w, loop.index, share, out)
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
    out: Out,
) -> None:
    """One member of the batch, as the plan says."""
    w_row = spec.k * numbers.stored_bytes
    match plan.form:
        case "dots" if plan.flips:
            emit_flipped(f, spec, numbers, w, "%scratch")
            emit_dots(f, spec, numbers, x, "%scratch", flipped_row(spec, numbers), batch, share, out)
        case "dots":
            emit_dots(f, spec, numbers, x, w, w_row, batch, share, out)
        case "rows":
            emit_rows(f, spec, numbers, plan, x, w, "%scratch", batch, share, out)
        case "columns":
            emit_columns(f, spec, numbers, plan, x, w, "%scratch", batch, share, out)
        case "either":
            few = f.op(f"icmp slt i64 {f.size(spec.m)}, {few_rows(spec, numbers)}")
            with f.when(few):
                emit_dots(f, spec, numbers, x, w, w_row, batch, share, out)
            with f.when(f.op(f"xor i1 {few}, true")):
                emit_rows(f, spec, numbers, plan, x, w, "%scratch", batch, share, out)


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

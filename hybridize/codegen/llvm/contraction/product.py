# SPDX-License-Identifier: Apache-2.0
"""Products of matrices as machine code, with whatever follows fused into the store.

`emit_contraction` writes an internal function `(ptr out, ptr x, ptr w, <extra>, ptr scratch)`. Register tiles leave
their sums in a small buffer; one function per contraction takes sums from there through the epilogue to `out`, so an
epilogue is emitted once, however many tiles there are, and the tiles are shared by all contractions of a module. Where
little or nothing is to be done to the sums of a whole tile, it does that and stores in `out` itself.
"""

from __future__ import annotations

from hybridize.base.dims import same
from hybridize.codegen.llvm.contraction.arithmetic import Arithmetic
from hybridize.codegen.llvm.contraction.dots import emit_dots, emit_flipped, flipped_row
from hybridize.codegen.llvm.contraction.form import (
    ContractionSpec,
    Tiling,
    few_rows,
    make_tiling,
    normalised,
    packing_pays,
)
from hybridize.codegen.llvm.contraction.micro import at, times
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
from hybridize.machine.target import Target

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
    arithmetic = Arithmetic(spec.dtype, target)
    spec = normalised(spec)
    tiling = make_tiling(spec, arithmetic)
    if tiling.form == "dots":
        return spec.n * flipped_row(spec, arithmetic) if tiling.flips else 0
    return tiles_scratch(spec, arithmetic, tiling)


def contraction_units(spec: ContractionSpec, target: Target) -> int:
    """Count the units of work of a `ranged` contraction, which threads share."""
    arithmetic = Arithmetic(spec.dtype, target)
    spec = normalised(spec)
    return units(spec, arithmetic, make_tiling(spec, arithmetic))


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
    arithmetic = Arithmetic(spec.dtype, target)
    spec = normalised(spec)
    tiling = make_tiling(spec, arithmetic)
    extra = epilogue.params if epilogue is not None else ()
    params = [("ptr", "out"), ("ptr", "x"), ("ptr", "w"), *extra, ("ptr", "scratch")]
    share: Share | Whole = Whole()
    if ranged:
        params += [("i64", "first"), ("i64", "last")]
        share = Share(split_axis(spec, arithmetic, tiling), units(spec, arithmetic, tiling), "%first", "%last")
    f = Function(module, name, params, attributes=UNOPTIMISED)
    out = Out(f, spec, arithmetic, epilogue)
    if not same(spec.m, 0) and not same(spec.n, 0):
        with f.loop(*share.turns(f, "batch", spec.batch)) as loop:
            x_bytes = spec.m * spec.k * arithmetic.stored_bytes
            w_bytes = (
                packed_panels_bytes(spec, arithmetic) if spec.packed else spec.n * spec.k * arithmetic.stored_bytes
            )
            x = at(f, "%x", 0 if spec.shared_x else times(f, loop.index, x_bytes))
            w = at(f, "%w", 0 if spec.shared_w else times(f, loop.index, w_bytes))
            _emit_form(f, spec, arithmetic, tiling, x, w, loop.index, share, out)
    f.do("ret void")
    return f


def _emit_form(
    f: Function,
    spec: ContractionSpec,
    arithmetic: Arithmetic,
    tiling: Tiling,
    x: str,
    w: str,
    batch: str,
    share: Share | Whole,
    out: Out,
) -> None:
    """One member of the batch, as the tiling says."""
    w_row = spec.k * arithmetic.stored_bytes
    match tiling.form:
        case "dots" if tiling.flips:
            emit_flipped(f, spec, arithmetic, w, "%scratch")
            emit_dots(f, spec, arithmetic, x, "%scratch", flipped_row(spec, arithmetic), batch, share, out)
        case "dots":
            emit_dots(f, spec, arithmetic, x, w, w_row, batch, share, out)
        case "rows":
            emit_rows(f, spec, arithmetic, tiling, x, w, "%scratch", batch, share, out)
        case "columns":
            emit_columns(f, spec, arithmetic, tiling, x, w, "%scratch", batch, share, out)
        case "either":
            few = f.op(f"icmp slt i64 {f.size(spec.m)}, {few_rows(spec, arithmetic)}")
            with f.when(few):
                emit_dots(f, spec, arithmetic, x, w, w_row, batch, share, out)
            with f.when(f.op(f"xor i1 {few}, true")):
                emit_rows(f, spec, arithmetic, tiling, x, w, "%scratch", batch, share, out)


def pack_pays(spec: ContractionSpec, target: Target) -> bool:
    """Tell whether a call of `spec` is faster with w packed beforehand."""
    return packing_pays(spec, Arithmetic(spec.dtype, target))


def packed_bytes(spec: ContractionSpec, target: Target) -> int:
    """Size of the packed second operand of `spec`; the same for every m."""
    arithmetic = Arithmetic(spec.dtype, target)
    return packed_panels_bytes(spec, arithmetic) * (1 if spec.shared_w else spec.batch)


def emit_pack(module: Module, name: str, spec: ContractionSpec, target: Target, linkage: str = "internal") -> Function:
    """Write the function `name`: `(ptr packed, ptr w)`, which packs w for contractions with `spec.packed` set."""
    arithmetic = Arithmetic(spec.dtype, target)
    f = Function(module, name, [("ptr", "packed"), ("ptr", "w")], linkage=linkage, attributes=UNOPTIMISED)
    with f.loop(0, 1 if spec.shared_w else spec.batch) as loop:
        panel = at(f, "%packed", times(f, loop.index, packed_panels_bytes(spec, arithmetic)))
        w = at(f, "%w", times(f, loop.index, spec.n * spec.k * arithmetic.stored_bytes))
        emit_packing(f, spec, arithmetic, panel, w)
    f.do("ret void")
    return f

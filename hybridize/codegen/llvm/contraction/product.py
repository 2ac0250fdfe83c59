# SPDX-License-Identifier: Apache-2.0
"""Products of matrices as machine code, with whatever follows fused into the store, as a `MatrixPlan` says.

`emit_product` writes an internal function `(ptr x, ptr w, ptr out, <extra>, ptr scratch)`. Register tiles leave their
sums in a small buffer; one function per product takes sums from there through the epilogue to `out`, so an epilogue is
emitted once, however many tiles there are, and the tiles are shared by all products of a module. Where little or
nothing is to be done to the sums of a whole tile, it does that and stores in `out` itself.
"""

from __future__ import annotations

from hybridize.base.dims import same
from hybridize.base.frozen import changed
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.dots import emit_dots, emit_flipped
from hybridize.codegen.llvm.contraction.epilogue import EpilogueEmitter
from hybridize.codegen.llvm.contraction.out import member_offset
from hybridize.codegen.llvm.contraction.prologue import PrologueEmitter
from hybridize.codegen.llvm.contraction.share import BatchMember, BlockOfRows, Share, Whole
from hybridize.codegen.llvm.contraction.tiles import emit_columns, emit_rows
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module
from hybridize.machine.target import Target
from hybridize.schedule.contraction.blocks import RowBlocks
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.contraction.product import Strides
from hybridize.schedule.contraction.tiles import MatrixPlan


def emit_product(
    module: Module,
    name: str,
    plan: MatrixPlan,
    ending: Ending,
    target: Target,
    *,
    ranged: bool = False,
) -> Function:
    """Write the function `name`: `(ptr x, ptr w, <params of the epilogue>, <of the prologue>, ptr scratch)`.

    Where sizes are symbolic, their symbols come after these (see `Function.call`). With `ranged`, `i64 first, i64 last`
    come after `scratch`: the units of work, of `plan.units`, that the call does; or, of a plan for blocks, the rows of
    all members of the batch, counted as one. Calls for several ranges may run at the same time, each with a scratch of
    its own; how the work is split changes no bit of the result.
    """
    product = plan.product
    arithmetic = ArithmeticEmitter.of_elements(plan.elements, target)
    epilogue = None if ending.is_plain else EpilogueEmitter(ending, plan.sizes, target)
    prologue = None if product.prologue is None else PrologueEmitter(product, target)
    extra = [*(() if epilogue is None else epilogue.params), *(() if prologue is None else prologue.params)]
    params = [("ptr", "x"), ("ptr", "w"), ("ptr", "out"), *extra, ("ptr", "scratch")]
    share: Share | Whole = Whole()
    if ranged:
        params += [("i64", "first"), ("i64", "last")]
        share = Share(plan.axis, plan.units, "%first", "%last")
    f = Function(module, name, params, attributes=UNOPTIMISED, works=plan.is_short)

    def member(batch: str, share: Share | BlockOfRows | Whole) -> None:
        item, strides = arithmetic.stored_bytes, None if product.packed else product.w_strides
        x = "%x" if product.shared_x else f.at("%x", _offset(f, batch, plan.x_bytes, product.x_strides, item))
        w = "%w" if product.shared_w else f.at("%w", _offset(f, batch, plan.w_bytes, strides, item))
        _emit_form(BatchMember(f, plan, arithmetic, epilogue, batch, x=x, w=w, share=share), prologue)

    if ranged and plan.blocks is not None:
        member(*_block(f, plan, plan.blocks))
    elif not plan.empty:
        with f.loop(*share.turns(f, "batch", product.batch)) as loop:
            member(loop.index, share)
    return f


def _offset(f: Function, batch: str, nbytes: int, strides: Strides | None, itemsize: int) -> str:
    """Bytes before an operand's matrix for a member of the batch; matrices without strides are `nbytes` each."""
    if strides is None:
        return f.times(batch, nbytes)
    return f.times(member_offset(f, batch, strides), itemsize)


def _block(f: Function, plan: MatrixPlan, blocks: RowBlocks) -> tuple[str, BlockOfRows]:
    """The member of the batch that the rows of a call lie in, and which of its rows they are."""
    count = f.op("sub i64 %last, %first")
    if same(plan.product.batch, 1):
        return "0", BlockOfRows("%first", count, blocks)
    m = f.size(plan.product.m)
    start = f.op(f"urem i64 %first, {m}")
    return f.op(f"udiv i64 %first, {m}"), BlockOfRows(start, count, blocks)


def _emit_form(member: BatchMember, prologue: PrologueEmitter | None) -> None:
    """One member of the batch, in the form of its plan."""
    f, plan = member.f, member.plan
    if plan.tiling.form == "rows":
        emit_rows(member, prologue)
        return
    assert not isinstance(member.share, BlockOfRows), "bands have tiles of rows"
    match plan.tiling.form:
        case "dots":
            if plan.tiling.flips:
                emit_flipped(member, "%scratch")
                member = changed(member, w="%scratch")
            emit_dots(member)
        case "columns":
            emit_columns(member)
        case "either":
            few = f.op(f"icmp slt i64 {f.size(plan.product.m)}, {plan.tiling.few_rows}")
            with f.when(few):
                emit_dots(member)
            with f.when(f.op(f"xor i1 {few}, true")):
                emit_rows(member)

# SPDX-License-Identifier: Apache-2.0
"""The function of a contraction, as its plan says."""

from __future__ import annotations

from hybridize.codegen.llvm.contraction.epilogue import epilogue_emitter
from hybridize.codegen.llvm.contraction.lanes import emit_lanes
from hybridize.codegen.llvm.contraction.product import emit_product
from hybridize.codegen.llvm.contraction.prologue import PrologueEmitter
from hybridize.codegen.llvm.contraction.taps import emit_taps
from hybridize.codegen.llvm.contraction.winograd import emit_winograd
from hybridize.codegen.llvm.text import Function, Module
from hybridize.machine.target import Target
from hybridize.schedule.contraction.lanes import LanePlan
from hybridize.schedule.contraction.taps import TapPlan
from hybridize.schedule.contraction.tiles import MatrixPlan
from hybridize.schedule.contraction.winograd import WinogradPlan
from hybridize.schedule.steps import ContractionStep


def emit_contraction(module: Module, name: str, step: ContractionStep, target: Target, *, ranged: bool) -> Function:
    """Write the function `name`: `(ptr x, ptr w, <params of the epilogue and of the prologue>, ptr scratch)`.

    With `ranged`, `i64 first, i64 last` follow: the units of the plan that a call does.
    """
    match step.plan:
        case MatrixPlan(product=product) as plan:
            epilogue = None if step.ending.is_plain else epilogue_emitter(step.ending, product, step.out, target)
            prologue = None if product.prologue is None else PrologueEmitter(product, target)
            return emit_product(module, name, plan, target, epilogue, prologue, ranged=ranged)
        case TapPlan() as plan:
            return emit_taps(module, name, plan, step.ending, target, ranged=ranged)
        case LanePlan() as plan:
            return emit_lanes(module, name, plan, step.ending, target, ranged=ranged)
        case WinogradPlan() as plan:
            return emit_winograd(module, name, plan, step.ending, target, ranged=ranged)
    raise AssertionError(f"nothing writes a {type(step.plan).__name__}")

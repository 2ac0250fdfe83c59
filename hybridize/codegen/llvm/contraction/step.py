# SPDX-License-Identifier: Apache-2.0
"""The function of a contraction, as its plan says."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hybridize.codegen.llvm.contraction.lanes import emit_lanes
from hybridize.codegen.llvm.contraction.product import emit_product
from hybridize.codegen.llvm.contraction.taps import emit_taps
from hybridize.codegen.llvm.contraction.winograd import emit_winograd
from hybridize.codegen.llvm.text import Function, Module
from hybridize.machine.target import Target
from hybridize.schedule.contraction.lanes import LanePlan
from hybridize.schedule.contraction.plan import ContractionPlan
from hybridize.schedule.contraction.taps import TapPlan
from hybridize.schedule.contraction.tiles import MatrixPlan
from hybridize.schedule.contraction.winograd import WinogradPlan
from hybridize.schedule.steps import ContractionStep

_WRITERS: Mapping[type[ContractionPlan], Callable[..., Function]] = {
    MatrixPlan: emit_product, TapPlan: emit_taps, LanePlan: emit_lanes, WinogradPlan: emit_winograd,
}  # fmt: skip


def emit_contraction(module: Module, name: str, step: ContractionStep, target: Target, *, ranged: bool) -> Function:
    """Write the function `name`: `(ptr x, ptr w, <params of the epilogue and of the prologue>, ptr scratch)`.

    With `ranged`, `i64 first, i64 last` follow: the units of the plan that a call does.
    """
    return _WRITERS[type(step.plan)](module, name, step.plan, step.ending, target, ranged=ranged)

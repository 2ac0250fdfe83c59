# SPDX-License-Identifier: Apache-2.0
"""Bands: products of which each reads the rows of the one before, run a few rows at a time.

What lies between them is then read from the second-level cache, not from afar. Any cut gives the same bits: a band is a
range of the units that threads would share (see `contraction.units`), and equal units of such products are equal rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hybridize.base.dims import is_symbolic, same
from hybridize.base.frozen import frozen
from hybridize.graph import Value
from hybridize.machine.target import Target
from hybridize.schedule.contraction import ProductPlan
from hybridize.schedule.steps import Band

_NEAR = 4
"""A band fills at most one part in so many of the second-level cache, as the matrices want their place in it too."""
_LEAST = 4
"""Units of a band, at least: with fewer, each matrix is read too often."""


@frozen
class BandMember:
    """A product, one of the steps in order."""

    number: int
    plan: ProductPlan
    x: Value
    reads: frozenset[Value]
    """All that it reads besides x."""
    stores: frozenset[Value]
    out: Value
    out_bytes: int


def find_bands(steps: Iterable[BandMember | None], target: Target) -> dict[int, Band]:
    """The bands among the steps of a program; of others than products of many rows, None is given."""
    found: dict[int, Band] = {}
    run: list[BandMember] = []
    for step in (*steps, None):
        if step is not None and run and _follows(run, step):
            run.append(step)
            continue
        if len(run) > 1:
            found.update(_banded(run, target, len(found)))
        run = [step] if step is not None and _in_rows(step.plan) else []
    return found


def _in_rows(plan: ProductPlan) -> bool:
    """Tell whether a range of units is a range of rows, of which each reads no more than its own of x."""
    sections = plan.tiling.sections
    return (
        plan.axis == "rows"
        and not is_symbolic(plan.product.m)
        and same(plan.product.batch, 1)
        and not plan.product.transpose_x
        and plan.tiling.form == "rows"
        and plan.tiling.order == "once"
        and same(plan.tiling.x_row, 0)
        and not any(section.pack for section in sections)
        and len({section.heights for section in sections}) == 1
    )


def _follows(run: Sequence[BandMember], step: BandMember) -> bool:
    """Tell whether a product reads rows of the last of some, and nothing else that they store."""
    last = run[-1]
    return (
        _in_rows(step.plan)
        and step.x is last.out
        and step.plan.units == last.plan.units
        and step.plan.product.m == last.plan.product.m
        and step.plan.tiling.sections[0].heights == last.plan.tiling.sections[0].heights
        and not step.reads & frozenset().union(*(one.stores for one in run))
        and not step.stores & frozenset().union(*(one.reads | {one.x} for one in run))
    )


def _banded(run: Sequence[BandMember], target: Target, number: int) -> dict[int, Band]:
    """The band of a run of products, where that is faster."""
    units = run[0].plan.units
    moved = run[0].plan.x_bytes + sum(one.out_bytes for one in run)
    matrices = sum(one.plan.w_bytes for one in run)
    near = target.l2_bytes // _NEAR
    size = near * units // max(1, moved)
    if moved <= target.l2_bytes // 2 or matrices > target.l2_bytes // 2 or size < _LEAST:
        return {}
    return {one.number: Band(number, units, size) for one in run}

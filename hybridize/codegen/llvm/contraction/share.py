# SPDX-License-Identifier: Apache-2.0
"""Contractions in parts, for several threads: which axis is cut, into how many units, and what a range of units means.

Each element of the result is computed by one unit, and in the same way whichever call does it: any split of the units
gives the same bits. A unit is no fixed set of rows or panels: every loop over the axis that is cut maps the range of
units to its own turns in proportion, so that narrow panels or tiles of another height need not line up with wide ones.
"""

from __future__ import annotations

from typing import Literal

from hybridize.base import dims
from hybridize.base.dims import hint, same
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.arithmetic import Arithmetic
from hybridize.codegen.llvm.contraction.form import ContractionSpec, Tiling, tile_rows
from hybridize.codegen.llvm.text import Function

Axis = Literal["batch", "rows", "panels"]

_MEMBERS = 4
"""So many members of a batch are work enough for several threads by themselves."""
_TILES = 8
"""So many tiles of rows are, where nothing is packed that every one of them reads."""
_DOTS = 8
"""Rows of a tile of dot products."""
_BLOCK = 48
"""Columns of a unit, about, where no panels of w are made."""


def split_axis(spec: ContractionSpec, arithmetic: Arithmetic, tiling: Tiling) -> Axis:
    """The axis along which the work is cut: one that repeats little of the packing."""
    if hint(spec.batch) >= _MEMBERS:
        return "batch"
    if tiling.form not in ("rows", "dots") or hint(spec.m) < _TILES * _height(arithmetic, tiling):
        return "panels"
    packs = bool(tiling.sections) and bool(tiling.sections[0].pack)
    # Of a panel or two, packing is little beside the many rows; copying all of x for each range would not be.
    return "panels" if (packs or not same(tiling.x_row, 0)) and hint(_panels(spec, tiling)) > 1 else "rows"


def units(spec: ContractionSpec, arithmetic: Arithmetic, tiling: Tiling) -> int:
    """Into how many units the work is cut."""
    axis = split_axis(spec, arithmetic, tiling)
    if axis == "batch":
        return spec.batch
    if axis == "rows":
        height = _height(arithmetic, tiling)
        return dims.maximum((spec.m + height - 1) // height, 1)
    return _panels(spec, tiling)


def _height(arithmetic: Arithmetic, tiling: Tiling) -> int:
    """Rows of a tile, about."""
    return tile_rows(arithmetic, tiling.sections[0].vectors) if tiling.sections else _DOTS


def _panels(spec: ContractionSpec, tiling: Tiling) -> int:
    """Panels of columns, where there are any, else what stands for them."""
    if tiling.form == "rows" and tiling.sections:
        width = tiling.sections[0].width
        return dims.maximum((spec.n + width - 1) // width, 1)
    return dims.maximum((spec.n + _BLOCK - 1) // _BLOCK, 1)


@frozen
class Share:
    """A call's part of the work: the units from `start` to `stop`, which are registers, of `units` along `axis`."""

    axis: Axis
    units: int
    start: str
    stop: str

    def turns(self, f: Function, axis: Axis, count: str | int) -> tuple[str | int, str | int]:
        """First and last (exclusive) of `count` turns along `axis` that belong to this call."""
        if axis != self.axis:
            return 0, count
        units = f.size(self.units)
        turns = count if isinstance(count, str) else f.size(count)
        if units == turns:
            return self.start, self.stop
        first, last = (
            f.op(f"udiv i64 {f.op(f'mul i64 {unit}, {turns}')}, {units}") for unit in (self.start, self.stop)
        )
        return first, last


@frozen
class Whole:
    """The part of a call that does all the work."""

    def turns(self, f: Function, axis: Axis, count: str | int) -> tuple[str | int, str | int]:
        """All turns."""
        return 0, count

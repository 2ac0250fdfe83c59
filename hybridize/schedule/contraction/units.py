# SPDX-License-Identifier: Apache-2.0
"""Choose how a product is cut for several threads: along which axis, into how many units.

Each element of the result is computed by one unit, and in the same way whichever call does it: any split of the units
gives the same bits. A unit is no fixed set of rows or panels: every loop over the axis that is cut maps the range of
units to its own turns in proportion, so that narrow panels or tiles of another height need not line up with wide ones.
"""

from __future__ import annotations

from typing import Literal

from hybridize.base import dims
from hybridize.base.dims import hint, same
from hybridize.machine.arithmetic import Arithmetic
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.panels import tile_rows
from hybridize.schedule.contraction.product import Product
from hybridize.schedule.contraction.tiling import Tiling

Axis = Literal["batch", "rows", "panels"]


def split_axis(product: Product, arithmetic: Arithmetic, tiling: Tiling) -> Axis:
    """The axis along which the work is cut: one that repeats little of the packing."""
    if hint(product.batch) >= thresholds.MEMBERS:
        return "batch"
    if tiling.form not in ("rows", "dots") or hint(product.m) < thresholds.SHARED_TILES * _height(arithmetic, tiling):
        return "panels"
    packs = bool(tiling.sections) and bool(tiling.sections[0].pack)
    # Of a panel or two, packing is little beside the many rows; copying all of x for each range would not be.
    return "panels" if (packs or not same(tiling.x_row, 0)) and hint(_panels(product, tiling)) > 1 else "rows"


def units(product: Product, arithmetic: Arithmetic, tiling: Tiling) -> int:
    """Into how many units the work is cut."""
    axis = split_axis(product, arithmetic, tiling)
    if axis == "batch":
        return product.batch
    if axis == "rows":
        height = _height(arithmetic, tiling)
        return dims.maximum((product.m + height - 1) // height, 1)
    return _panels(product, tiling)


def _height(arithmetic: Arithmetic, tiling: Tiling) -> int:
    """Rows of a tile, about."""
    return tile_rows(arithmetic, tiling.sections[0].vectors) if tiling.sections else thresholds.DOTS_ROWS


def _panels(product: Product, tiling: Tiling) -> int:
    """Panels of columns, where there are any, else what stands for them."""
    if tiling.form == "rows" and tiling.sections:
        width = tiling.sections[0].width
        return dims.maximum((product.columns + width - 1) // width, 1)
    return dims.maximum((product.n + thresholds.UNIT_COLUMNS - 1) // thresholds.UNIT_COLUMNS, 1)

# SPDX-License-Identifier: Apache-2.0
"""The scratch memory of a product: what is copied or flipped first, panels, sums that wait."""

from __future__ import annotations

from hybridize.base.dims import is_symbolic
from hybridize.base.frozen import frozen
from hybridize.machine.arithmetic import Arithmetic
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.dots import flipped_row
from hybridize.schedule.contraction.product import Product
from hybridize.schedule.contraction.tiling import Tiling, columns_block


@frozen
class ProductScratch:
    """Offsets into scratch, in bytes, and its size. What is flipped for dots lies at its start."""

    copied: int
    """x as it is computed with."""
    panels: int
    sums: int
    flipped: int
    """Of the form `columns`: sums, flipped."""
    nbytes: int


def make_scratch(product: Product, arithmetic: Arithmetic, tiling: Tiling, block: int = 0) -> ProductScratch:
    """Lay out the scratch of a product; in a band, of at most `block` rows of it."""
    if tiling.form == "dots":
        return ProductScratch(0, 0, 0, 0, product.n * flipped_row(product, arithmetic) if tiling.flips else 0)
    row = max((section.across for section in tiling.sections), default=0) * arithmetic.vector_bytes
    columns, gates = tiling.form == "columns", product.gates
    copied = _aligned((product.k if product.transpose_x and not tiling.x_tiles else product.m) * tiling.x_row)
    panels = _aligned(_panels_held(tiling) * tiling.k_block * row)
    if columns:
        count = gates * columns_block(product, arithmetic) + arithmetic.lanes
    elif tiling.order == "blocks":
        count = block or product.m
    else:
        count = thresholds.WAITING_ROWS if is_symbolic(product.m) else min(product.m, thresholds.WAITING_ROWS)
    if tiling.order == "streams":
        count = product.m * gates * sum(section.count for section in tiling.sections)
    # Where columns are skipped, what is stored of a row reaches beyond its end.
    skips = any(section.skip for section in tiling.sections)
    sums = _aligned(count * row + (arithmetic.vector_bytes if skips else 0))
    at_sums = copied + panels
    return ProductScratch(0, copied, at_sums, at_sums + sums, at_sums + sums * (2 if columns else 1))


def _panels_held(tiling: Tiling) -> int:
    """Return the number of panels that lie in scratch at once, at most."""
    counts = [section.count for section in tiling.sections if section.pack]
    if not counts or tiling.form == "columns" or tiling.order == "blocks":
        return min(len(counts), 1)
    return tiling.group if any(map(is_symbolic, counts)) else min(tiling.group, max(counts))


def _aligned(size: int) -> int:
    return (size + 63) // 64 * 64

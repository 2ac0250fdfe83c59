# SPDX-License-Identifier: Apache-2.0
"""Plan products of matrices: contractions of one tap, whose tiles take the strides of matrices in registers."""

from __future__ import annotations

from hybridize.base.dims import is_symbolic, same
from hybridize.base.dtypes import bool_
from hybridize.base.frozen import frozen
from hybridize.base.memo import remembered
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.blocks import RowBlocks
from hybridize.schedule.contraction.dots import Dots, make_dots
from hybridize.schedule.contraction.ending import Following, Stores
from hybridize.schedule.contraction.packing import make_packing
from hybridize.schedule.contraction.plan import ContractionPlan
from hybridize.schedule.contraction.product import Product, normalised
from hybridize.schedule.contraction.scratch import ProductScratch, make_scratch
from hybridize.schedule.contraction.tiling import Tiling, make_tiling
from hybridize.schedule.contraction.units import Axis, split_axis, units


@frozen
class MatrixPlan(ContractionPlan):
    """The plan of a product of matrices.

    Whole tiles store as `stores` says; all others leave their sums in the buffer.
    """

    product: Product
    """As `normalised`."""
    tiling: Tiling
    dots: Dots | None
    """Of the forms dots and either."""
    scratch: ProductScratch
    axis: Axis
    """Along which threads share the work."""
    cuts: int
    """Into how many units it is cut for them."""
    x_bytes: int
    """From one x of the batch to the next."""
    w_bytes: int
    """From one w of the batch to the next, packed or not."""
    is_short: bool
    """True if a tile takes so little that the loops around it count."""
    blocks: RowBlocks | None = None
    """In a band: the rows that a call computes, each block of one member of the batch."""

    def __str__(self) -> str:
        lines = [str(self.product)]
        if self.product.prologue is not None:
            lines.append(str(self.product.prologue))
        if self.tiling.flips:
            lines.append("w flipped to scratch")
        if self.dots is not None:
            lines.append(str(self.dots))
        if self.tiling.form != "dots":
            lines.append(str(self.tiling))
        threads = f"threads: {self.cuts!r} units of {self.axis}"
        calls = threads if self.blocks is None else f"calls of {self.blocks}"
        short = "; short tiles" if self.is_short else ""
        lines.append(f"stores {self.stores}; scratch {self.scratch.nbytes!r} bytes; {calls}{short}")
        return "\n".join(lines)

    @property
    def units(self) -> int:
        return self.cuts

    @property
    def scratch_bytes(self) -> int:
        return self.scratch.nbytes

    @property
    def stores_once(self) -> bool:
        return self.product.out_strides is None

    @property
    def empty(self) -> bool:
        """True if the result has no elements."""
        return same(self.product.m, 0) or same(self.product.n, 0)


@remembered
def make_plan(
    product: Product, target: Target, following: Following = "nothing", blocks: RowBlocks | None = None
) -> MatrixPlan:
    """Decide how a product is computed on a target; in a band, by blocks of rows."""
    arithmetic = product.arithmetic(target)
    product = normalised(product)
    block = 0 if blocks is None else blocks.most
    tiling = make_tiling(product, arithmetic, block)
    empty = same(product.m, 0) or same(product.n, 0)
    dots = None
    if tiling.form in ("dots", "either") and not empty:
        dots = make_dots(product, arithmetic, tiling.flips)
    w_bytes = product.n * product.k * arithmetic.stored_bytes
    return MatrixPlan(
        elements=product.elements, lanes=arithmetic.lanes, sizes=(product.batch, product.m, product.columns),
        stores=_stores(product, arithmetic, tiling, following), product=product, tiling=tiling, dots=dots,
        scratch=make_scratch(product, arithmetic, tiling, block), axis=split_axis(product, arithmetic, tiling),
        cuts=units(product, arithmetic, tiling), x_bytes=product.m * product.k * arithmetic.stored_bytes,
        w_bytes=make_packing(product, arithmetic).matrix_bytes if product.packed else w_bytes,
        is_short=is_symbolic(product.k) or product.k < thresholds.LOOP_TERMS, blocks=blocks,
    )  # fmt: skip


def _stores(product: Product, arithmetic: Arithmetic, tiling: Tiling, following: Following) -> Stores:
    if tiling.form in ("dots", "columns") or tiling.order != "once":
        return "buffer"
    if following == "nothing":
        return "buffer" if arithmetic.rounds or arithmetic.stored == bool_ else "sums"
    # A tile of any number of rows is several functions: too many to have the epilogue in each.
    inside = not is_symbolic(product.m) and all(section.tiles == 1 for section in tiling.sections)
    return "results" if inside and (following == "light" or _is_written_once(product, tiling)) else "buffer"


def _is_written_once(product: Product, tiling: Tiling) -> bool:
    """Tell whether tiles have any epilogue inside at no more code than a function of it has: there is one tile, of one
    vector of elements.
    """
    return (
        same(product.m, 1)
        and len(tiling.sections) == 1
        and all(section.whole and section.vectors == section.gates for section in tiling.sections)
    )

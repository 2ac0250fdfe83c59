# SPDX-License-Identifier: Apache-2.0
"""Decides how contractions are computed: plain arithmetic on sizes and a `Target`, before any code is written.

    product   a product of matrices: sizes, and how its operands are stored
    panels    register tiles, and the panels of columns that they go down
    tiling    the form of a product, its panels, the order of its loops
    dots      the form for few rows: vectors along k
    prologue  what its elements go through where tiles load them
    packing   a second operand packed beforehand: whether that pays, and how it lies
    scratch   what lies in scratch, and where
    units     a product in parts, for several threads
    tiles     all of it: the plan of a product

What plans have in common, and stands in the step of a contraction, is `plan`. Contractions by other index maps (einsum,
convolution) go over a table of taps, or over lanes of both operands:

    matrices      contractions that are products of matrices
    views         views of operands composed into the index maps
    parts         boxes of a contraction that see other terms; of that:
      phases      whose indices are not divided
      borders     whose indices do not leave the first operand
    arrangement   the part of each axis; the homes that operands and result would best have; where the first is read
    taps          the tiling: a register tile over a table of taps
    winograd      convolutions by fewer products: when, the transforms, blocks of tiles
    lanes         the tiling where both operands have the lanes of vectors, as of depthwise convolutions
    copies        kernels that bring operands into their homes

Any size may be a `Dim`, known at the call only. What is right for every size then depends on the symbols; what is only
a matter of speed (blocks, groups, whether to copy) is decided by the sizes of the call that is being compiled.
"""

from hybridize.schedule.contraction.packing import Packing as Packing
from hybridize.schedule.contraction.packing import make_packing as make_packing
from hybridize.schedule.contraction.packing import members_of as members_of
from hybridize.schedule.contraction.packing import of_one_member as of_one_member
from hybridize.schedule.contraction.packing import ordering_kernel as ordering_kernel
from hybridize.schedule.contraction.packing import packing_kernel as packing_kernel
from hybridize.schedule.contraction.packing import packing_of_taps as packing_of_taps
from hybridize.schedule.contraction.packing import packing_pays as packing_pays
from hybridize.schedule.contraction.plan import ContractionPlan as ContractionPlan
from hybridize.schedule.contraction.product import Product as Product
from hybridize.schedule.contraction.tiles import MatrixPlan as MatrixPlan
from hybridize.schedule.contraction.tiles import make_plan as make_plan
from hybridize.schedule.contraction.tiling import gates_fit as gates_fit

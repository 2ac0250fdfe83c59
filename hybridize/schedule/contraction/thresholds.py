# SPDX-License-Identifier: Apache-2.0
"""The numbers by which contractions are planned: each with its unit, why it is so, and where that comes from.

As in `schedule.thresholds`: a docstring begins with the unit and says the source: *measured* (where it was noted, how),
*estimated* by what a processor does, *chosen*, or that it *bounds compile time*. What differs from machine to machine
stands in its `Target`; the table of heights is by its number of registers.
"""

from __future__ import annotations

from typing import Final

# Tiles

TILE_ROWS: Final = {
    32: {"in registers": (24, 12, 8, 6), "in the code": (28, 14, 9, 6), "integers": (16, 10, 7, 5)},
    16: {"in registers": (12, 6, 4, 2), "in the code": (12, 6, 4, 2), "integers": (8, 4, 3, 2)},
}
"""Rows of the tallest tiles 1, 2, 3 and 4 vectors wide, by the number of registers: as many as LLVM keeps in these,
with a row of w and an element of x; one more and it spills within the loop, at a third of the speed. Where there are
32 registers and distances are in the code, the element is a memory operand of the multiplication. Measured: the
assembly of each target was looked at."""
LONG_PRODUCT_ROWS: Final = 4
"""Rows of a tile of integers whose products take several instructions and registers. Measured: in the assembly of each
target."""
SINGLE_ELEMENTS: Final = 3
"""Registers of elements of x that are loaded one by one where multiply-adds take lanes: LLVM loads some before it needs
them. Measured: in the assembly for AArch64."""
DISTANT_ROWS: Final = 16
"""Rows of a tile of taps, at most, whose distance in x is an argument. Measured: in the assembly for x86-64, the odd
multiples of the distance up to 15 stay in general registers beside all pointers of the loop; of 22 rows, two do not,
and a turn takes 29 instructions in the place of 27."""
SHORT_ROWS: Final = (3, 2)
"""Rows of the tiles for what tall ones leave of an unknown number of rows: two and three add up to any number.
Chosen."""
NARROW_ROWS: Final = 4
"""Rows of a narrow tile, of which a few columns are made, where their number is not known. Bounds compile time."""
WHOLE_PAIRS: Final = 12
"""Vectors of two integers that LLVM keeps in general registers, in which it multiplies them on 64-bit ARM. Measured:
in its assembly."""
WAITING_ROWS: Final = 32
"""Rows of sums that there is room for where a tile goes through the epilogue at once: no tile is taller. Chosen."""
LIGHT: Final = 10
"""Instructions of an epilogue that tiles have inside: a bias, a residual, scaling, a cut; no function. Estimated."""

# The order of sums

LATENCY: Final = 8
"""Sums that must be in flight: two multiply-adds start each cycle, and one takes four. Estimated."""
SUMMED: Final = 512
"""Terms that are summed one after the other: of more, each so many have a sum of their own, and these are added. The
error of a sum in order grows with the number of its terms, by the square root of it on average. Parts begin at the
same terms wherever a product is computed: at multiples of this, as do blocks. Measured: a million terms are off by 10
units, where one sum in order is by 700."""
TAP_TERMS: Final = 4
"""Terms a turn where more than one pay. Measured with tiles of 14 rows and 2 vectors: 91 % of the multiply-adds of the
core with two terms, 95 % with four, 94 % with eight."""
TURN_TERMS: Final = 8
"""Terms of a turn over rows that see the same elements, at most. Estimated."""

# Products: forms

FEW_COLUMNS: Final = 8
"""Columns, fewer of which leave a panel mostly empty. Estimated."""
FLIPPED_COLUMNS: Final = 48
"""Columns of w whose sums are flipped together in the form `columns`, about; a multiple of every register's lanes and
of common tile heights. Estimated."""
FLIP_ROWS: Final = 4
"""Rows of x that make up for flipping a narrow w. Estimated."""
STREAM_TERMS: Final = 16
"""Rows of w that are read beside each other, as many as the hardware fetches ahead of. Estimated."""
STREAM_TERMS_OF_ONE: Final = 8
"""Rows of w that are read beside each other for a single row of x. Estimated."""
STREAM_ROWS: Final = 2
"""Rows of x: with more the multiplications take longer than w takes to come. Estimated."""
DOTS_COLUMNS: Final = 256
"""Columns whose sums are kept until they are stored, where one tile of rows is all. Estimated."""
DOTS_ANY_ROWS: Final = (2, 4)
"""Rows of the functions for numbers of rows that are not known; the last row stands in for those that are not there.
Bounds compile time."""
LOOP_TERMS: Final = 64
"""Terms that take a tile so long that the loop around it does not count. Estimated."""

# What is fetched ahead, copied, converted

LINE_BYTES: Final = 64
"""Bytes of a line of the caches. Chosen: that of all processors that we know."""
TURN_LINES: Final = 4
"""Lines of memory that a turn of a tile's loop fetches, at most. Estimated."""
DOTS_AHEAD_BYTES: Final = 2048
"""Bytes from where dot products read to where they fetch. Measured on Zen 4."""
PANEL_AHEAD_BYTES: Final = 2048
"""Bytes by which panels that are read once are fetched ahead. Measured with a row of 1280 times 1280 x 1000, from the
third-level cache: a third faster; 512 bytes a fifth, 1024 and 4096 a quarter. From the second level nothing is
gained."""
TAP_AHEAD_BYTES: Final = 1024
"""Bytes from where tall tiles read a panel to where they fetch it. Measured with tiles of 14 rows and 2 vectors: 10 %
faster; lower tiles do not need it."""
LONG_TERMS: Final = 64
"""Terms that a tile sums at least, for the time to fetch something meanwhile. Estimated."""
TILES_TOGETHER: Final = 16
"""Tiles of x that are copied beside each other: few lines at their ends are read twice. Estimated."""
COLLIDING_BYTES: Final = 2048
"""Bytes: rows of a multiple of these fall on few sets of the first-level cache. Measured: 1000 x 256 times 256 x 1000,
199 instead of 155 GFLOP/s from a copy."""
TILE_GAP_BYTES: Final = 32
"""Bytes between rows of a copied x, so that tiles, which are written beside each other, fall on different sets of the
cache whatever their length. Estimated."""
COLLIDING_TILES: Final = 4
"""Tiles that read a w whose rows collide, or an x, with more of which a copy pays. Measured."""
CROSSING_TILES: Final = 24
"""Tiles that read a w whose vectors lie across two lines, with more of which a copy pays. Measured."""
CROSSING_PANELS: Final = 4
"""Panels that read an x whose rows lie across two lines, with more of which a copy pays. Measured."""
CONVERTED_TILES: Final = 2
"""Tiles of rows that convert elements of panels for themselves, at most: for more, each panel is converted once, in
scratch, before them. Where it is the first of them that does, that pays for the second: it has most units of the core
to itself. A term of a tile of 6 rows and 4 vectors is 24 multiplications, and 8 to 12 conversions. Estimated."""
CONVERTED_ROWS: Final = 4
"""Rows of x that make up for panels of floats, which are twice as long as the short floats that they are made of.
Measured."""
TURN_REGISTER_BYTES: Final = {1: 64, 2: 32}
"""Bytes of a register, at least, where elements of so many bytes lie in turns in panels: those of a 32-bit lane are
each of another register, so that one `and` or shift makes a register of what one load brings. Measured on Zen 4, a row
times 1024 x 1024: bytes from the second-level cache take 27 us, and 37 us with loads that extend them, which take the
ports of the conversion. For bytes there must be four registers across, which sixteen registers of 32 bytes do not
leave."""
FAR_PACKED_ROWS: Final = 2
"""Rows of x from which on packing pays on every machine where w is far away. Measured."""

# Threads, blocks

MEMBERS: Final = 4
"""Members of a batch that are work enough for several threads by themselves. Estimated."""
SHARED_TILES: Final = 8
"""Tiles of rows that are work enough for several threads, where nothing is packed that every one of them reads.
Estimated."""
DOTS_ROWS: Final = 8
"""Rows of a tile of dot products. Chosen."""
UNIT_COLUMNS: Final = 48
"""Columns of a unit, about, where no panels of w are made. Estimated."""
BLOCK_ROWS: Final = 24
"""Rows of a block of a band, at least: with fewer, each matrix is read too often, and tiles of few rows sum in another
order. Tiles of 2, 3, 4, 6, 8 and 12 rows divide it. Estimated."""

# Taps

FAR_ROW_BYTES: Final = 4096
"""Bytes between rows from which on more than `FAR_ROWS` of them fall on too few lines of the first cache.
Estimated."""
FAR_ROWS: Final = 7
"""Rows of a tile whose rows lie far apart, at most. Estimated."""
TABLE_NUMBERS: Final = 2048
"""Numbers of a table that is text of the code. The gradient by a weight has taps for each line of each image. Bounds
compile time."""
TILE_TERM_CYCLES: Final = 0.05
"""Cycles by which a tile's beginning and end lengthen each of its terms. Estimated."""
TILE_CYCLES: Final = 40
"""Cycles that a tile takes to begin and to end. Estimated."""
L2_PANEL_BYTES: Final = 32
"""Bytes of a panel that come from the second-level cache in a cycle. Estimated."""
L2_CORE_BYTES: Final = 16
"""Bytes that a core reads in a cycle from its second-level cache. Estimated."""
SHARED_CORE_BYTES: Final = 6
"""Bytes that a core reads in a cycle from what all cores share. Estimated."""
BLOCK_TERMS: Final = 512
"""Terms of a block, at least: fewer are not worth that sums are kept and fetched. Estimated."""
TALL_ROWS: Final = 7
"""Rows that make a good tile. Estimated."""
RUN_TERMS: Final = 4
"""Terms that lie one after the other in x, from which on they are better than more terms further apart. Estimated."""

# Parts of a result, copies of operands

PHASES: Final = 1024
"""Phases of one contraction, at most: each is a line of a table. Bounds compile time."""
BORDER_PARTS: Final = 128
"""Parts, at most: more are not worth what one copy of x costs. Bounds compile time."""
BORDER_INDICES: Final = 32
"""Indices along an axis whose windows may leave x, at either end. Bounds compile time."""
COUNTED_TERMS: Final = 4096
"""Terms that are counted: more of them are hardly outside. Bounds compile time."""
HALO_SLACK: Final = 8
"""Elements by which a halo may be wider than it must be at the sizes of the call that is compiled. Chosen."""
TAP_PARTS: Final = 64
"""Parts of a result whose operand is read as it lies: copying it is less code than more of them. Bounds compile
time."""
LANE_PARTS: Final = 128
"""Parts of a result by lanes, whose tiles have few kinds of code: see `lane_plan`. Bounds compile time."""
HALO_TIMES: Final = 1.25
"""Times the work of the parts, from which on a halo that is there is left out. Estimated."""
COPIED_BYTES: Final = 8
"""Bytes that a copy reads or writes in a cycle. Measured: 5 % of the convolution of 64 channels in 64."""

# Lanes

FULLER_TIMES: Final = 2
"""Times the share of lanes in use, from which on other homes of operands and result pay. Estimated."""
FULLER_IMAGES_TIMES: Final = 1.5
"""Times the share of lanes in use by images in the place of the pixels of a line, which no operand lies by as yet.
Estimated."""
SUMMED_VECTORS: Final = 32
"""Vectors that an element sums, at least, where lanes are added up in the end. Estimated."""
EMPTY_LANES: Final = 4
"""Lanes for each column, at most: with fewer columns, loops of folds along another axis are better. Estimated."""
SHARED_LINES: Final = 8
"""Lines of tiles, fewer of which are not shared by threads where there are more vectors of lanes. Estimated."""
CODE_PARTS: Final = 9
"""Parts, such as those of an image whose window is 3 by 3, for each of which there may be code. Bounds compile
time."""
OTHER_REGISTERS: Final = 3
"""Registers that sums and elements of w leave: for elements of x, and for the constants of an epilogue. All of w that
a turn reads is counted: if some were loaded anew, LLVM would bring the loads forward, and spill. Measured: in the
assembly."""
TURN_PRODUCTS: Final = 100
"""Products that are written out in a turn, at most. Bounds compile time."""
APART_PRODUCTS: Final = 128
"""Products that are written out where each turn goes through its sums one after the other. Bounds compile time."""
TURN_SUMS: Final = 64
"""Terms of an element that are written out, at most. Bounds compile time."""
BOX_ROWS: Final = (2, 4)
"""Rows along an axis along which tiles do not follow each other, unless all of it is less. Estimated."""
LOAD_CYCLES: Final = 1 / 16
"""Cycles by which a load that is no bottleneck lengthens a turn: some lie across two lines of memory. Estimated."""
TURN_CYCLES: Final = 4
"""Cycles of a turn's own, where a tile has several. Estimated."""
LANE_TILE_CYCLES: Final = 4
"""Cycles that a tile takes to begin and to end, for each vector of lanes. Estimated."""

# Fewer products

WINOGRAD_CHANNELS: Final = 16
"""Channels and columns, at least: with fewer, transforms take longer than what they save. Estimated."""
WINOGRAD_TIMES: Final = {4: 2.5, 2: 1.75}
"""Times by which there must be fewer products, by the pixels of a tile; parts of tiles that are cut count as products.
Measured."""
WINOGRAD_TILES: Final = 16
"""Tiles that share weights from the third-level cache, at least. Estimated."""
L3_BYTES: Final = 8
"""Bytes that come from the third-level cache in a cycle. Measured: 28 GB/s at 3.8 GHz."""
PRODUCT_VECTORS: Final = 2
"""Vectors that are multiplied and added in a cycle. Estimated."""
TRANSFORM_CYCLES: Final = 2
"""Cycles for each number of a transformed w. Measured: 73 to 89 for the 36 of a window, in float64, AVX-512."""
WINOGRAD_BLOCK_TILES: Final = 28
"""Tiles of a block, at most, where weights stay in the second-level cache. Measured: 14 to 28 are equally fast."""
POSITION_GAP: Final = 16
"""Elements between positions, besides their tiles: one line of memory, so that they do not fall on few cache sets.
Estimated."""

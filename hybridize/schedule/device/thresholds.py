# SPDX-License-Identifier: Apache-2.0
"""The numbers by which threads, blocks and tiles of a device are chosen: see `schedule.thresholds`.

None has been measured on a device. They follow from sizes alone, never from the number of a device's processors, so
that no sum depends on which device runs it.
"""

from __future__ import annotations

from typing import Final

THREADS: Final = 256
"""Threads of a block whose threads have an index each: enough to fill a processor by a few blocks. Estimated."""
WIDE_WEIGHT: Final = 192
"""Instructions of an element, beyond which memory is not what takes long: a thread takes one element at a time, and its
code is a quarter as long. Random numbers have 120, four of which a thread computes at once. Estimated."""
MOST_NEIGHBOURS: Final = 8
"""Neighbours that a thread takes at once, at most: 16 bytes of 16-bit elements. Chosen: each makes code longer."""
LIGHT_WEIGHT: Final = 15
"""Instructions of an element, beyond which a thread takes half as many at most: the code of eight logarithms does not
fit into registers. Measured by NVIDIA's assembler."""
SHORT_ROW: Final = 8
"""Elements of a row that one thread computes alone, at most: a warp would be mostly idle. Estimated."""
WARP_ROW: Final = 256
"""Elements of a row that a warp computes, at most: eight for each thread. Estimated."""
WARPS: Final = 4
"""Warps of a block, where each has a row. Estimated."""
BLOCK_THREADS: Final = {1024: 128, 8192: 256}
"""Threads of a block that has a row of so many elements at most; longer rows have the most that the device has.
Estimated."""
ROW_THREADS: Final = 64
"""Threads of a block that has the row of a warp, where threads exchange no registers. Estimated."""
FEW_RESULTS: Final = 4096
"""Results of long folds that are too few for a thread each: a warp or a block computes each of them. Estimated."""
LONG_FOLD: Final = 512
"""Terms of such folds, at least. Estimated."""
PART_BLOCKS: Final = 512
"""Blocks that long folds of few rows are cut into, at most: a few for each processor of a large device. Estimated."""
PART_TERMS: Final = 4096
"""Terms of a part that a block folds, at least. Estimated."""
PART_THREADS: Final = 1 << 16
"""Threads that long folds of columns are cut into, at most. Estimated."""
THREAD_TERMS: Final = 64
"""Terms of a part that a thread folds, at least. Estimated."""
FEW_ROWS: Final = 4
"""Rows or columns of a product, fewer of which are folds, term by term: tiles would be mostly empty. Estimated."""
READ_SUMS: Final = 16
"""Sums that take as long as an element that a tile reads. Estimated."""
FEW_BLOCKS: Final = 128
"""Tiles of a product, fewer of which leave processors of a large device idle: smaller ones, and parts of sums, are
better. Estimated."""
SPLIT_TERMS: Final = 128
"""Terms of a part of a sum, at least. Estimated."""
FEW_PARTS: Final = 3
"""Parts of sums, fewer of which save less than the launch costs that adds them up. Estimated."""
THREADS_AT_ONCE: Final = 512
"""Threads of tiles that a processor has at least, so that one has 128 registers at most: a tile of 128 x 128 fits, and
two blocks of it. Estimated."""
FEW_FOR_WARPS: Final = 16
"""Rows, columns or terms, fewer of which tensor cores would mostly multiply for nothing. Estimated."""
FEW_UNITS: Final = 1 << 13
"""Units of a routine that are spread over as many processors as there are, at most: a warp is a block. Estimated."""
SHORT_LINE: Final = 32
"""Elements of a line that one thread sorts, at most. Estimated."""
BLOCK_MATRIX: Final = 32
"""Rows of a matrix that a block factorises, at least. Estimated."""
BLOCK_ELEMENTS: Final = 256
"""Elements of a matrix whose orthogonal factors, eigenvalues or singular values are a block's, at least. Estimated."""
SPECTRUM_THREADS: Final = 512
"""Threads of that block. Estimated."""
SPECTRUM_BLOCKS: Final = 2
"""Such blocks that a processor has at once, at least: a thread has 64 registers at most, and NVIDIA's assembler, which
leaves it 40 where nothing is asked for, spills none."""
FEW_COLUMNS: Final = 32
"""Columns of equations that are solved from the last one on, fewer of which are a block each. Estimated."""
LONG_LINE: Final = 4096
"""Elements of a line that one block sorts, at most. Estimated."""
MOST_SORTED: Final = 1 << 35
"""Elements of a line whose length only a call knows, at most: copies of them take 800 GB. Chosen for plans to end."""
WGSL_IN_VAIN: Final = 12
"""Instructions of WGSL that run in vain where a branch is written without one, at most. Estimated."""
WGSL_INLINE: Final = 60
"""Characters of an expression of WGSL that stands where it is used, if it is used once, below which it has no name.
Chosen to be read."""
WGSL_GROWTHS: Final = 4
"""Times that the range of a number may grow before it counts as unlimited. Bounds compile time."""

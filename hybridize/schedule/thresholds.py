# SPDX-License-Identifier: Apache-2.0
"""The numbers by which schedules are chosen: each with its unit, why it is so, and where that comes from.

A docstring begins with the unit and ends with the source: *measured* (the day and the machine, as far as they were
noted), *estimated* (by what a processor does, not timed by itself), *chosen* (a promise of ours, or a number of the
code that the schedule is made for; decisions in parentheses), or that it *bounds compile time*. The rates of a core
stand in `runtime.plan` (`FLOPS_PER_US`, `BYTES_PER_US`), as calls read them, too; what differs from machine to machine
stands in its `Target`.
"""

from __future__ import annotations

from typing import Final

# Groups: what is fused, and how far

KERNEL_COST: Final = 320
"""Additions for each element of one kernel; longer chains are split. Estimated."""
KERNEL_OPS: Final = 100
"""Operations of one kernel. Bounds compile time."""
VIEW_PARTS: Final = 60
"""Parts of an index through a chain of views; beyond, what they show is stored in its own order. Bounds compile
time."""
ROW_BYTES: Final = 1 << 16
"""Bytes of a row that is kept, whatever the machine; longer ones are computed again, or stored as a whole.
Estimated."""
ROW_SHARE: Final = 4
"""Parts of the second-level cache: rows that lie along memory are kept, too, if they fill at most one of so many.
Estimated (0042)."""
SHARED_ROW_SHARE: Final = 4
"""Parts of the memory that the threads of a block share: on a device rows are kept if they fill at most one of so many,
so that there is room for several rows, or several blocks. Estimated."""
INDEX_OPS: Final = 3
"""Operations of an element at most that is computed of indices wherever it is read: a mask would be read instead.
Estimated."""
AGAIN_COST: Final = 20
"""Additions for each element of a long row that are computed again at most: to write it and read it twice takes
longer. Estimated."""
WALK_VALUES: Final = 16
"""Values that are looked at on the way to what elements are made of. Bounds compile time."""
REACH_DEPTH: Final = 32
"""Calls within each other of a weight that is looked at, at most. Bounds compile time."""
REACH_VISITS: Final = 4096
"""Expressions that are looked at for one matrix, at most. Bounds compile time."""
ELEMENT_REGISTERS_SHARE: Final = 4
"""Parts of the registers, of which one is left for what is computed of an element. Estimated."""

# Constants that are derived, matrices that are joined

DERIVED_US: Final = 0.02
"""Microseconds that a derived constant saves at each call, at least: less is not worth its memory and its entry in
the plan. Estimated (0043)."""
DERIVED_BYTES: Final = 64 << 20
"""Bytes of the derived constants of a program beyond those of what they are made of. Chosen (0043)."""
MASK_OPS: Final = 8
"""Operations for each element of a mask that is computed where it is read. Estimated."""
INDEX_VALUE_OPS: Final = 1
"""Operations for each element of another value of indices alone, which takes no longer than to read it. Estimated."""
UNCOUNTED_OPS: Final = 1 << 40
"""Operations of what has no count: a routine, a loop. Chosen: more than any program counts."""
JOINED_PANELS: Final = 0.75
"""Share of the panels of narrow parts that the whole has at most, where they are joined. Estimated."""
JOINED_BYTES: Final = 4096
"""Bytes of matrices all together, fewer of which stay as they are. Estimated."""
FEW_TURNS: Final = 4
"""Turns, fewer of which derive nothing beforehand: packing a weight takes as long as reading it once or twice.
Estimated."""
PROLOGUE_COST: Final = 8
"""Additions of an element of an operand, up to which tiles compute it wherever they load it. Estimated."""
PROLOGUE_ELEMENTS: Final = 4
"""Elements of an operand for each of all else that its prologue reads, at least. Estimated."""

# Order, and memory

DYING_BYTES: Final = 1 << 16
"""Bytes of a value, fewer of which are not worth another order. Estimated."""
DYING_TIMES: Final = 2
"""Times by which what a step makes is smaller than what it lets die, at least. Estimated."""
LARGE_SHARE: Final = 8
"""Parts of the second-level cache: a value is large if it fills one of so many. Estimated."""
WRITER_STEPS: Final = 8
"""Steps before the one that reads a large value among which the one that stores it is looked for. Bounds compile
time."""
PAIRED_BLOCKS: Final = 1024
"""Blocks that are looked at pair by pair, which takes a twentieth of a second then. Bounds compile time."""

# Bands of rows and of lines

BLOCK_SHARE: Final = 4
"""Parts of the second-level cache: a block of a band, of rows or of lines, fills at most one of so many, as matrices
and weights want their place in it too. Estimated."""
FAR_SHARE: Final = 2
"""Parts of the second-level cache: what lies between steps and fills at most one of so many stays there by itself.
Estimated."""
WEIGHT_SHARE: Final = 2
"""Parts of the second-level cache: matrices and weights, which each block of a band reads again, come from afar where
they fill more than one of so many. Estimated."""
BAND_AHEAD: Final = 2
"""Members after which a band may be one again: what the first of them adds may be read by the second. Bounds compile
time."""
BAND_STEPS: Final = 16
"""Steps of a band of rows, at most: what to find the bands of a program takes grows with their square. Bounds compile
time."""
ROLLING_STEPS: Final = 4
"""Steps of a band of lines, at most. Bounds compile time."""
FAR_BLOCK_ROWS: Final = 128
"""Rows of a block that may be needed to make up for matrices that come from afar for each block. Estimated."""
BLOCKS_OF_THREAD: Final = 4
"""Blocks for each thread, at least, so that all of them end at about the same time. Chosen as in the pool (0014)."""
MEMBER_BLOCKS: Final = 16
"""Blocks of each member of a batch for each thread, at least, for threads that do one member after the other: what
they wait for each other at its end is a block at most. Estimated."""
BAND_MEMORY_SHARE: Final = 32
"""Parts of all memory of a program without bands: a band may need more by one of so many. Chosen (0049)."""
BAND_STEP_SHARE: Final = 32
"""Parts of the second-level cache: a step of a band moves at least one of so many. Estimated."""
ROLLING_WORK: Final = 64
"""Operations for each byte between the steps of a band of lines, at most: where there are more, as in convolutions
with windows and columns, a band is slower, since its steps are shorter, and memory was no matter. Measured
2026-11-23, Zen 4 of 1 MiB: ResNet-18 by 3 %."""
ROLLING_AGAIN: Final = 16
"""Lines, of which threads compute again at most one of so many. Estimated."""

# Threads

WORTH_US: Final = 100.0
"""Microseconds of estimated work for which workers are woken. A step of 25 us takes as long with a worker that must
be woken first, and half as long with one that is awake. Measured 2026-11-21, virtual machine of two processors."""
AWAKE_US: Final = 5.0
"""Microseconds of estimated work for which those are used that are awake: they do not fall asleep at once after a
loop. So little pays, because what one thread has written the others read from its cache, slowly. A convolution of 64
images takes 105 us on two threads whose operand one of them has copied in 9 us, and 82 us where both have copied.
Measured 2026-11-21, virtual machine of two processors."""
INNER_US: Final = 20.0
"""Microseconds of estimated work of a step in a loop for which those are used that the loop keeps awake from turn to
turn. Estimated."""
RANGE_US: Final = 2.0
"""Microseconds of estimated work that one range has at least. Where ranges are as many in small steps as in large
ones, a thread meets what it has written itself. Estimated."""
LOOP_US: Final = 3.0
"""Microseconds of estimated work that take as long as to begin and to end a loop with a worker that is awake.
Measured 2026-11-21, virtual machine of two processors: 0.6 us of time."""
GROWTH: Final = 32
"""Times the work that it was compiled for with which a program for many sizes may be called. Chosen."""
TASK_UNITS: Final = 16
"""Units of a task group, at most: all of what they read and write is alive at once. Chosen (0059)."""
TASK_GAIN: Final = 0.95
"""Share of what its steps take one after the other that a group takes, at most. Chosen (0059)."""
TASK_MEMORY_SHARE: Final = 8
"""Parts of the memory of a program without: a group may need more by one of so many, or `TASK_BYTES`. Chosen
(0059)."""
TASK_BYTES: Final = 1 << 18
"""Bytes by which a group may need more, whatever the program has. Chosen."""
SCAN_STEPS: Final = 16
"""Steps after a scan among which its companion is looked for. Bounds compile time."""
SCAN_BYTES: Final = 1 << 18
"""Bytes that two scans which share a loop read in every turn, at most: longer turns hide their ends by themselves.
Estimated."""

# Loops of kernels

PIECES: Final = 1024
"""Loops that one statement is split into, at most. Bounds compile time."""
MIDDLING_WEIGHT: Final = 24
"""Instructions for each element of the heaviest loop over rows, up to which rows are read as wide as they lie.
Measured 2026-11-24, machine not noted."""
LINE_REGISTERS: Final = 8
"""Registers that a line of rows takes at most. Measured 2026-11-24, machine not noted."""
HALVING_THREADS: Final = 2
"""Threads beyond which each had better have rows of its own: two, each of which reads a half of the lines of memory,
take as long as one that reads them whole. Measured 2026-11-24, machine not noted."""
INNER_WEIGHT: Final = 8
"""Times that an access in a fold or an inner loop weighs what one for each row does. Estimated."""
FETCHED_BYTES: Final = 1024
"""Bytes of a row from which the next one is asked for; shorter ones come by themselves. Measured 2026-11-21, machine
not noted."""
NEAR_ROW_SHARE: Final = 4
"""Parts of the first-level cache: a row is still near when it is read again if it fills at most one of so many.
Estimated."""
FULL_VECTORS: Final = 64
"""Elements beyond which vectors are full. Estimated."""
FEW_REGISTERS: Final = 16
"""Registers that hold the constants of one function and the temporaries of one or two vectors. Estimated."""
VECTOR_WEIGHTS: Final = (6, 24)
"""Instructions for each element up to which there are four vectors side by side, and up to which there are two, where
there are few registers. Estimated."""
MANY_VECTOR_WEIGHTS: Final = (80, 160)
"""Instructions, as `VECTOR_WEIGHTS`, where there are many registers. Estimated."""
VECTOR_WEIGHTS_IN_PLACE: Final = (12, 60)
"""Instructions, as `VECTOR_WEIGHTS`, where there are many registers, and multiply-adds overwrite their sum. A function
(16) has two vectors; with four, tanh and gelu spill. Measured: in the assembly for AArch64."""
STATE_REGISTERS_SHARE: Final = 4
"""Parts of the registers, of which states of several accumulators take one at most, beside what a step computes.
Estimated."""
TILE_WEIGHT: Final = 12
"""Instructions for each element of a body that is worth writing once for each row of a tile. Estimated."""
RESIDUE_TURNS: Final = 9
"""Turns that are written out, at most: those of a window of 3 by 3. Chosen."""
RESIDUE_PARTS: Final = 512
"""Parts of expressions that are written out, at most. Bounds compile time."""
RESIDUE_SHARE: Final = 0.75
"""Share of the work of single turns that they do together, from which on it pays. Estimated."""
LIGHT_FOLD: Final = 6
"""Instructions for each element up to which a fold waits for memory rather than for arithmetic. Estimated."""
SIDE_BY_SIDE: Final = 4
"""Rows at a time: two or four streams read a quarter more bytes a second than one or eight. Measured 2026-11-21,
machine not noted."""
ROW_REGISTERS: Final = 8
"""Registers that one row side by side may take for each accumulator. Estimated."""
PANEL_TERMS: Final = 8
"""Rows of a matrix that are folded in registers before a panel's totals are read and written. Measured 2026-11-21,
machine not noted."""
PAGE_BYTES: Final = 4096
"""Bytes of a row of a matrix that are the least of a panel: threads may share panels by pages. Chosen: a page of
memory."""
PANEL_BYTES: Final = 16384
"""Bytes of a row of a matrix that are taken at once, for all folds together: reading on for four pages took 6 to 8 %
less time than for one (4096 x 4096), and the totals still fit the first cache. Measured 2026-11-21, machine not
noted."""
COLUMN_TOTALS: Final = 4
"""Totals of a column that are kept at a time, at most. Estimated."""

# Written code

FOLD_BLOCK: Final = 32
"""Turns in a row before a sum moves on to the next level; keeps the error of long sums near that of pairs. Chosen."""
FOLD_TURNS: Final = 2048
"""Turns that a fold is made for where their number is not known before the call: fewer take no harm, more little.
Chosen."""
DEEP_PARTS: Final = 24
"""Parts of an expression beyond which it is computed from the inside. Bounds compile time, and the stack."""
STRIDED_ELEMENTS: Final = 4
"""Elements from one to the next, up to which they are loaded in vectors and shuffled: as many loads, one shuffle
fewer. Estimated."""
TILE_POINTERS: Final = 4
"""Rows of a tile whose pointers are made of one: more strides than these would not stay in registers. Estimated."""
DESCENTS_TOGETHER: Final = 8
"""Ways at a time: a step waits for some twenty cycles, and is a dozen instructions. Estimated."""
PREFIXES_TOGETHER: Final = 4
"""Sums that do not wait for each other, which hide how long an addition takes. Estimated."""
ELIMINATED_COLUMNS: Final = 4
"""Columns that are eliminated together. Estimated."""
PLAIN_BYTES: Final = 1 << 18
"""Bytes of a derived constant that plain code makes in less time than LLVM takes for better code: some 60 us, and 2 ms
for each function. Measured 2026-11-29, Zen 4."""

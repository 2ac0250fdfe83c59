# SPDX-License-Identifier: Apache-2.0
"""Decisions of a schedule for a GPU, in the place of vectors, tiles of registers and threads.

    nests       the threads of a nest: which axes are threads, warps and blocks, where threads wait for each other
    parts       long folds of few rows, in two launches
    locals      the rows that a kernel keeps: in memory that the threads of a block share, or in scratch
    contractions    products of matrices and contractions by index maps, as tiles of rows, columns and terms
    operands    where tiles find the elements of an operand
    tiles       the tiles of a product: what a block and a thread sum, and the parts of sums
    routines    the threads of routines: factors, scatters, assertions,
    sorts       lines that are sorted,
    prefixes    running totals
    routine_kernels    what they decide, as data
    refusals    what no device has yet, refused at the user's line
    thresholds  the numbers by which they choose

The steps are those of a processor, and mean the same: kinds of axes and plans of products differ.
"""

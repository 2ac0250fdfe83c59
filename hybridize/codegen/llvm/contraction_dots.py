# SPDX-License-Identifier: Apache-2.0
"""Contractions as dot products: x [m, k] and w [n, k], both in place, in vectors along k.

The form for few rows, above all one: w is read once, four rows at a time, as fast as the cache gives it.
"""

from __future__ import annotations

from collections.abc import Callable

from hybridize.codegen.llvm.contraction_micro import at, dots, plus, sums, times
from hybridize.codegen.llvm.contraction_numbers import Numbers
from hybridize.codegen.llvm.contraction_plan import ContractionSpec, segments
from hybridize.codegen.llvm.text import Function

_BLOCK = 256
"""Columns whose sums are kept until they are stored, where one tile of rows is all."""


def _dots_rows(numbers: Numbers) -> int:
    """Rows of x at most per turn: sums and operands must fit the registers."""
    return 8 if numbers.target.registers >= 32 else 4


def _dots_columns(numbers: Numbers, rows: int) -> int:
    """Rows of w per turn. Two are read as fast as one; four at once, each a stream, only where they save reading x."""
    return 4 if 4 <= rows <= 6 and numbers.target.registers >= 32 else 2


def _dots_turns(numbers: Numbers, rows: int, columns: int, k: int) -> int:
    """Vectors of k per turn, so that about sixteen sums are in flight and little of k remains."""
    most = max(1, (16 if numbers.target.registers >= 32 else 8) // (rows * columns))
    vectors = k // numbers.lanes
    if vectors <= most:
        return max(1, vectors)
    return min(range(most, most // 2, -1), key=lambda turns: vectors % turns)


def emit_dots(
    f: Function, spec: ContractionSpec, numbers: Numbers, x: str, w: str, batch: str, store: Callable[..., None]
) -> None:
    """Write the whole product for one member of the batch."""
    lanes, row_bytes = numbers.lanes, spec.k * numbers.stored_bytes
    tiles = segments(spec.m, _dots_rows(numbers))
    height = tiles[0].height
    whole = spec.n // lanes * lanes
    # Sums of several registers' columns are stored together where that does not mean reading w again for each tile.
    block = lanes if spec.m > height else min(_BLOCK, max(lanes, whole))
    raw, c = f.alloca(numbers.type, height * lanes * lanes), f.alloca(numbers.type, height * block)
    for start, stop, width in _cuts(spec.n, block, lanes):
        with f.loop(start, stop, width) as loop:
            panel = at(f, w, times(f, loop.index, row_bytes))
            for part in tiles:
                with f.loop(0, part.count) as inner:
                    row = plus(f, times(f, inner.index, part.height), part.start)
                    rows = at(f, x, times(f, row, row_bytes))
                    _tile(f, numbers, spec.k, part.height, rows, panel, width, raw, c, block * numbers.bytes)
                    store(c, block * numbers.bytes, row, loop.index, part.height, width, batch)


def _cuts(n: int, block: int, lanes: int) -> list[tuple[int, int, int]]:
    """Ranges of columns (start, stop, step): whole blocks, whole registers, the rest."""
    blocks, whole = n // block * block, n // lanes * lanes
    cuts = [(0, blocks, block), (blocks, whole, whole - blocks), (whole, n, n - whole)]
    return [cut for cut in cuts if cut[0] < cut[1]]


def _tile(
    f: Function,
    numbers: Numbers,
    k: int,
    height: int,
    x: str,
    w: str,
    width: int,
    raw: str,
    c: str,
    c_stride: int,
) -> None:
    """Sums of `width` columns for one tile of rows, into c."""
    lanes = numbers.lanes
    with f.loop(0, width, min(lanes, width)) as loop:
        panel = at(f, w, times(f, loop.index, k * numbers.stored_bytes))
        _group(f, numbers, k, height, x, panel, min(lanes, width), raw)
        reduce = sums(f.module, numbers, 1 << (min(lanes, width) - 1).bit_length())
        target = at(f, c, times(f, loop.index, numbers.bytes))
        with f.loop(0, height) as inner:
            to = at(f, target, times(f, inner.index, c_stride))
            source = at(f, raw, times(f, inner.index, lanes * numbers.vector_bytes))
            f.do(f"call void @{reduce}(ptr {to}, ptr {source})")


def _group(f: Function, numbers: Numbers, k: int, rows: int, x: str, w: str, width: int, raw: str) -> None:
    """Lane by lane sums of at most a register's width of columns."""
    raw_stride, row_bytes = numbers.lanes * numbers.vector_bytes, k * numbers.stored_bytes
    done = 0
    for columns in (_dots_columns(numbers, rows), 2, 1):
        count = (width - done) // columns
        if not count:
            continue
        turns = _dots_turns(numbers, rows, columns, k)
        inner = dots(f.module, numbers, rows, columns, turns, k % (turns * numbers.lanes) == 0)
        with f.loop(0, count) as loop:
            column = plus(f, times(f, loop.index, columns), done)
            c = at(f, raw, times(f, column, numbers.vector_bytes))
            panel = at(f, w, times(f, column, row_bytes))
            f.do(
                f"call void @{inner}(ptr {c}, i64 {raw_stride}, ptr {x}, i64 {row_bytes}, ptr {panel}, "
                f"i64 {row_bytes}, i64 {k})"
            )
        done += count * columns

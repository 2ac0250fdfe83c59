# SPDX-License-Identifier: Apache-2.0
"""Contractions as dot products: x [m, k] and w [n, k], both in place, in vectors along k.

The form for few rows, above all one: w is read once, four rows at a time, as fast as the cache gives it.
"""

from __future__ import annotations

from collections.abc import Callable

from hybridize.codegen.llvm.contraction_micro import at, dots, plus, sums, times
from hybridize.codegen.llvm.contraction_numbers import Numbers
from hybridize.codegen.llvm.contraction_plan import ContractionSpec, Plan, Segment, segments
from hybridize.codegen.llvm.text import Function

_BLOCK = 256
"""Columns whose sums are kept until they are stored, where one tile of rows is all."""


def _dots_rows(numbers: Numbers, columns: int) -> int:
    """Rows of x per turn: sums and operands must fit the registers."""
    return max(1, (numbers.target.registers - 4 - columns) // (columns + 1))


def _dots_turns(numbers: Numbers, rows: int, columns: int) -> int:
    """Sets of sums taken in turn, so that about sixteen are in flight."""
    most = 16 if numbers.target.registers >= 32 else 8
    return max(1, min(4, most // (rows * columns)))


def emit_dots(
    f: Function,
    spec: ContractionSpec,
    numbers: Numbers,
    plan: Plan,
    x: str,
    w: str,
    scratch: str,
    batch: str,
    store: Callable[..., None],
) -> None:
    """Write the whole product for one member of the batch."""
    lanes = numbers.lanes
    most = min(4, spec.n)
    tiles = segments(spec.m, _dots_rows(numbers, most))
    height = max(part.height for part in tiles)
    block = lanes if spec.m > height else min(_BLOCK, max(lanes, spec.n // lanes * lanes))
    raw = f.alloca(numbers.type, height * lanes * lanes)
    c = f.alloca(numbers.type, height * block)
    whole = spec.n // block * block
    row_bytes = spec.k * numbers.stored_bytes
    parts = [(0, whole, block)] if whole else []
    if (spec.n - whole) // lanes * lanes:
        parts.append((whole, spec.n // lanes * lanes, spec.n // lanes * lanes - whole))
    if spec.n % lanes:
        parts.append((spec.n // lanes * lanes, spec.n, spec.n % lanes))
    for start, stop, width in parts:
        with f.loop(start, stop, width) as loop:
            panel = at(f, w, times(f, loop.index, row_bytes))
            for part in tiles:
                with f.loop(0, part.count) as inner:
                    row = plus(f, times(f, inner.index, part.height), part.start)
                    rows = at(f, x, times(f, row, row_bytes))
                    _tile(f, spec, numbers, part, rows, panel, width, raw, c)
                    store(c, block * numbers.bytes, row, loop.index, part.height, width, batch)


def _tile(
    f: Function, spec: ContractionSpec, numbers: Numbers, part: Segment, x: str, w: str, width: int, raw: str, c: str
) -> None:
    """Sums of `width` columns for one tile of rows, into c."""
    lanes = numbers.lanes
    row_bytes, raw_stride = spec.k * numbers.stored_bytes, lanes * numbers.vector_bytes
    block_bytes = (min(_BLOCK, max(lanes, spec.n // lanes * lanes)) if _single(spec, numbers) else lanes) * numbers.bytes
    with f.loop(0, width, min(lanes, width)) as loop:
        panel = at(f, w, times(f, loop.index, row_bytes))
        _group(f, spec, numbers, part.height, x, panel, min(lanes, width), raw)
        count = 1 << (min(lanes, width) - 1).bit_length()
        reduce = sums(f.module, numbers, count)
        target = at(f, c, times(f, loop.index, numbers.bytes))
        with f.loop(0, part.height) as inner:
            to, source = (
                at(f, target, times(f, inner.index, block_bytes)),
                at(f, raw, times(f, inner.index, raw_stride)),
            )
            f.do(f"call void @{reduce}(ptr {to}, ptr {source})")


def _single(spec: ContractionSpec, numbers: Numbers) -> bool:
    return spec.m <= max(part.height for part in segments(spec.m, _dots_rows(numbers, min(4, spec.n))))


def _group(
    f: Function, spec: ContractionSpec, numbers: Numbers, rows: int, x: str, w: str, width: int, raw: str
) -> None:
    """Lane by lane sums of at most a register's width of columns."""
    raw_stride, row_bytes = numbers.lanes * numbers.vector_bytes, spec.k * numbers.stored_bytes
    done = 0
    for columns in (4, 2, 1):
        count = (width - done) // columns
        if not count:
            continue
        turns = _dots_turns(numbers, rows, columns)
        inner = dots(f.module, numbers, rows, columns, turns, spec.k % (turns * numbers.lanes) == 0)
        with f.loop(0, count) as loop:
            column = plus(f, times(f, loop.index, columns), done)
            c = at(f, raw, times(f, column, numbers.vector_bytes))
            panel = at(f, w, times(f, column, row_bytes))
            f.do(
                f"call void @{inner}(ptr {c}, i64 {raw_stride}, ptr {x}, i64 {row_bytes}, ptr {panel}, "
                f"i64 {row_bytes}, i64 {spec.k})"
            )
        done += count * columns

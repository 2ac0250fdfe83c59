# SPDX-License-Identifier: Apache-2.0
"""Vectors in registers and in memory: rows side by side, loads and stores under a mask, memory asked for before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hybridize.codegen.llvm.text import Function, in_names, shuffled, vector

LINE: Final = 64
"""Bytes that are fetched together."""


def fetch(f: Function, pointer: str, first: int, bytes: int) -> None:
    """Have `bytes` bytes at `pointer + first` brought near; they need not exist."""
    function = f.module.declare("llvm.prefetch.p0", "void", ["ptr", "i32", "i32", "i32"])
    for line in range(first, first + bytes, LINE):
        f.do(f"call void {function}(ptr {f.at(pointer, line)}, i32 0, i32 3, i32 1)")


def side_by_side(f: Function, pointers: Sequence[str], scalar: str, count: int, align: int, lanes: int = 0) -> str:
    """`count` elements from each pointer, side by side, and zeros up to `lanes`."""
    parts = [f.op(f"load {vector(scalar, count)}, ptr {pointer}, align {align}") for pointer in pointers]
    parts += ["zeroinitializer"] * (lanes // count - len(parts))
    while len(parts) > 1:
        kind, pairs = vector(scalar, count), zip(parts[0::2], parts[1::2], strict=True)
        parts = [shuffled(f, kind, x, range(2 * count), y) for x, y in pairs]
        count *= 2
    return parts[0]


def interleaved(lanes: int, chunk: int, group: int, high: bool) -> list[int]:
    """Picks of a shuffle: in each piece of `chunk` lanes groups of two registers' elements in turn, from the piece's
    lower or upper half.
    """
    picks: list[int] = []
    for piece in range(0, lanes, chunk):
        start = piece + (chunk // 2 if high else 0)
        for first in range(start, start + chunk // 2, group):
            picks += [*range(first, first + group), *range(lanes + first, lanes + first + group)]
    return picks


def first_lanes(f: Function, count: str, lanes: int) -> str:
    """A mask of the lanes below the i64 `count`."""
    of = vector("i64", lanes)
    first = f.op(f"insertelement {of} poison, i64 {count}, i32 0")
    bound = shuffled(f, of, first, [0] * lanes)
    numbers = ", ".join(f"i64 {lane}" for lane in range(lanes))
    return f.op(f"icmp sgt {of} {bound}, <{numbers}>")


_BYTES = {"i8": 1, "i16": 2, "half": 2, "bfloat": 2, "i32": 4, "float": 4, "i64": 8, "double": 8}


def _whole_register(f: Function, lanes: int, nbytes: int, mask: str) -> tuple[int, str]:
    """Lanes and mask of a vector that fills a register of 128 bits; its further lanes are off.

    LLVM makes short ones that long itself, and then leaves further lanes of a comparison as they come: it has stored
    eight bytes behind `<8 x i8>`.
    """
    wide = 16 // nbytes
    if not 1 < lanes < wide:
        return lanes, mask
    return wide, shuffled(f, vector("i1", lanes), mask, _padded(lanes, wide), "zeroinitializer")


def _padded(lanes: int, wide: int) -> list[int]:
    return [*range(lanes), *([lanes] * (wide - lanes))]


def masked_load(f: Function, pointer: str, scalar: str, lanes: int, align: int, mask: str) -> str:
    """Lanes that the mask names, 0 elsewhere; memory of the others is not touched."""
    wide, longer = _whole_register(f, lanes, _BYTES[scalar], mask)
    if wide != lanes:
        loaded, of = masked_load(f, pointer, scalar, wide, align, longer), vector(scalar, wide)
        return shuffled(f, of, loaded, range(lanes))
    of = vector(scalar, lanes)
    name = f.module.declare(f"llvm.masked.load.{in_names(scalar, lanes)}.p0", of, ["ptr", "i32", f"<{lanes} x i1>", of])
    return f.op(f"call {of} {name}(ptr {pointer}, i32 {align}, <{lanes} x i1> {mask}, {of} zeroinitializer)")


def masked_store(f: Function, value: str, pointer: str, scalar: str, lanes: int, align: int, mask: str) -> None:
    """Store the lanes that the mask names."""
    of = vector(scalar, lanes)
    wide, longer = _whole_register(f, lanes, _BYTES[scalar], mask)
    if wide != lanes:
        more = shuffled(f, of, value, _padded(lanes, wide))
        masked_store(f, more, pointer, scalar=scalar, lanes=wide, align=align, mask=longer)
        return
    intrinsic = f"llvm.masked.store.{in_names(scalar, lanes)}.p0"
    name = f.module.declare(intrinsic, "void", [of, "ptr", "i32", f"<{lanes} x i1>"])
    f.do(f"call void {name}({of} {value}, ptr {pointer}, i32 {align}, <{lanes} x i1> {mask})")

# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of elements: one, a vector in order, or a vector from anywhere; whole or partly masked."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dtypes import DType
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.functions.table import from_memory, memory, to_memory
from hybridize.codegen.llvm.registers import masked_load, masked_store
from hybridize.codegen.llvm.text import Function, in_names, shuffled, vector


@frozen
class Width:
    """The lanes that an expression is computed in, and those among them that count."""

    lanes: int
    mask: str | None = None
    """`<lanes x i1>`; None: all."""
    active: int = -1
    """The number of first lanes that count, where that is known and not all."""
    once: bool = False
    """True if such a turn runs exactly once wherever it is written: what it computes is known after it."""

    @classmethod
    def first(cls, active: int, lanes: int) -> Width:
        """`lanes`, of which the first `active` count."""
        if active == lanes:
            return cls(lanes)
        return cls(lanes, f"<{', '.join('i1 1' if lane < active else 'i1 0' for lane in range(lanes))}>", active)

    @classmethod
    def counted(cls, f: Function, count: int, lanes: int) -> Width:
        """`lanes`, of which count % lanes count, a size that is not known; found once, on entry of the function."""
        return cls(lanes, _first_lanes(f, count, lanes, "ult"))

    @classmethod
    def last(cls, f: Function, count: int, lanes: int) -> Width:
        """As `counted`, but all of the lanes, not none, where they divide the count."""
        return cls(lanes, _first_lanes(f, count - 1, lanes, "ule"), once=True)


def _first_lanes(f: Function, count: int, lanes: int, word: str) -> str:
    """The mask of the lanes whose number compares so with count % lanes."""
    bits = 8 if lanes < 128 else 32
    kind, size = vector(f"i{bits}", lanes), f.size(count)
    narrow = f.on_entry(f"trunc i64 {size} to i{bits}", ("trunc", size, bits))
    left = f.on_entry(f"and i{bits} {narrow}, {lanes - 1}", ("left", narrow, lanes))
    one = f.on_entry(f"insertelement {kind} poison, i{bits} {left}, i64 0", ("one", left, lanes))
    order = f"<{lanes} x i32> zeroinitializer"
    limit = f.on_entry(f"shufflevector {kind} {one}, {kind} poison, {order}", ("limit", left, lanes))
    numbers = f"<{', '.join(f'i{bits} {lane}' for lane in range(lanes))}>"
    return f.on_entry(f"icmp {word} {kind} {numbers}, {limit}", ("mask", left, lanes, word))


def element_pointer(f: Function, base: str, dtype: DType, index: str) -> str:
    """Pointer to an element; `index` is an i64 register or number."""
    return base if index == "0" else f.op(f"getelementptr inbounds {memory(dtype, 1)}, ptr {base}, i64 {index}")


def only_active(f: Function, value: str, otherwise: str, kind: str, width: Width) -> str:
    """`value` in the lanes that count, `otherwise` in the others; `kind` is the vector type of both.

    A shuffle and not a select: with a constant mask LLVM 22 takes the wrong side for SSE2 where `value` is a constant
    NaN in the lanes that do not count (0 / 0 of masked loads).
    """
    if width.active < 0:
        return f.op(f"select <{width.lanes} x i1> {width.mask}, {kind} {value}, {kind} {otherwise}")
    picks = (lane if lane < width.active else width.lanes + lane for lane in range(width.lanes))
    return shuffled(f, kind, value, picks, otherwise)


def load(f: Function, pointer: str, dtype: DType, width: Width) -> str:
    """`width.lanes` consecutive elements as a register; masked lanes are 0 and not touched."""
    return from_memory(f, load_raw(f, pointer, dtype, width), dtype, width.lanes)


def load_raw(f: Function, pointer: str, dtype: DType, width: Width) -> str:
    """The same as they are in memory."""
    scalar = memory(dtype, 1)
    if width.mask is not None:
        return masked_load(f, pointer, scalar, width.lanes, dtype.itemsize, width.mask)
    return f.op(f"load {vector(scalar, width.lanes)}, ptr {pointer}, align {dtype.itemsize}")


def load_number(f: Function, pointer: str, dtype: DType) -> str:
    """A number that nobody ever writes: LLVM may read it before a loop, as far as there are registers."""
    return f.op(f"load {memory(dtype, 1)}, ptr {pointer}, align {dtype.itemsize}, !invariant.load !{{}}")


def load_reversed(f: Function, pointer: str, dtype: DType, width: Width) -> str:
    """Elements at `pointer`, `pointer - 1`, ...: the first lane is the last in memory."""
    lanes, scalar = width.lanes, memory(dtype, 1)
    kind = vector(scalar, lanes)
    start = element_pointer(f, pointer, dtype, str(1 - lanes))
    if width.mask is None:
        raw = f.op(f"load {kind}, ptr {start}, align {dtype.itemsize}")
    else:
        mask = shuffled(f, vector("i1", lanes), width.mask, reversed(range(lanes)))
        raw = masked_load(f, start, scalar, lanes, dtype.itemsize, mask)
    return from_memory(f, shuffled(f, kind, raw, reversed(range(lanes))), dtype, lanes)


def load_strided(f: Function, pointer: str, dtype: DType, stride: int, width: Width) -> str:
    """Elements at `pointer`, `pointer + stride`, ..., 2 to 4 apart: loaded with those between them, and shuffled.

    Nothing after the last of them is touched: the last vector that is loaded ends with it, and overlaps the one before.
    """
    lanes, scalar = width.lanes, memory(dtype, 1)
    kind, counted = vector(scalar, lanes), width.mask is not None and width.active < 0
    active = width.active if width.active >= 0 else lanes
    span = (active - 1) * stride + 1
    starts = list(range(0, span, lanes))
    if not counted and span > lanes:
        starts[-1] = span - lanes
    parts = []
    for start in starts:
        at = element_pointer(f, pointer, dtype, str(start))
        mask = Width.first(span, lanes).mask if span < lanes else None
        if counted:
            # What lies between two lanes is loaded where the second one counts.
            picks = (min(lanes, -(-(start + k) // stride)) for k in range(lanes))
            mask = shuffled(f, vector("i1", lanes), str(width.mask), picks, "zeroinitializer")
        parts.append(load_raw(f, at, dtype, Width(lanes, mask)))
    places = [min(lane, active - 1) * stride for lane in range(lanes)]
    of = [next(n for n, start in enumerate(starts) if start <= place < start + lanes) for place in places]
    inside = [place - starts[n] for place, n in zip(places, of, strict=True)]
    if len(parts) == 1:
        raw = shuffled(f, kind, parts[0], inside)
    else:
        picks = (place + lanes * (n == 1) if n < 2 else 0 for place, n in zip(inside, of, strict=True))
        raw = shuffled(f, kind, parts[0], picks, parts[1])
    for number in range(2, len(parts)):
        picks = (lanes + inside[lane] if of[lane] == number else lane for lane in range(lanes))
        raw = shuffled(f, kind, raw, picks, parts[number])
    if width.active >= 0:
        raw = only_active(f, raw, "zeroinitializer", kind, width)
    return from_memory(f, raw, dtype, lanes)


def are_near(places: Sequence[int], width: Width) -> bool:
    """Tell whether elements at these places, of the lanes that count, lie within the vector that begins with the first.

    Then they are loaded as that vector, and shuffled.
    """
    counted = places[: width.active] if width.active >= 0 else places
    return min(counted) == 0 and max(counted) < width.lanes


def load_near(f: Function, pointer: str, dtype: DType, places: Sequence[int], width: Width) -> str:
    """Elements at `pointer` and so many elements on, for each lane: see `are_near`. Nothing between counts twice.

    Neither is anything after the last of them touched.
    """
    lanes, scalar = width.lanes, memory(dtype, 1)
    active = width.active if width.active >= 0 else lanes
    span = max(places[:active]) + 1
    loaded = 1 << (span - 1).bit_length()
    raw = (
        load_raw(f, pointer, dtype, Width.first(span, loaded)) if loaded > 1 else load_raw(f, pointer, dtype, Width(1))
    )
    of = vector(scalar, loaded)
    if loaded == 1:
        raw = f.op(f"insertelement <1 x {scalar}> poison, {scalar} {raw}, i64 0")
        of = f"<1 x {scalar}>"
    raw = shuffled(f, of, raw, (places[min(lane, active - 1)] for lane in range(lanes)))
    if width.active >= 0:
        raw = only_active(f, raw, "zeroinitializer", vector(scalar, lanes), width)
    return from_memory(f, raw, dtype, lanes)


def gather(f: Function, base: str, dtype: DType, indices: str, index_type: str, width: Width) -> str:
    """Elements at `base` + each of `indices` (a vector of `index_type`)."""
    lanes, scalar = width.lanes, memory(dtype, 1)
    kind, pointers = vector(scalar, lanes), vector("ptr", lanes)
    flags = vector("i1", lanes)
    mask = width.mask or "splat (i1 1)"
    where = f.op(f"getelementptr inbounds {scalar}, ptr {base}, {vector(index_type, lanes)} {indices}")
    name = f"llvm.masked.gather.{in_names(scalar, lanes)}.v{lanes}p0"
    name = f.module.declare(name, kind, [pointers, "i32", flags, kind])
    raw = f.op(f"call {kind} {name}({pointers} {where}, i32 {dtype.itemsize}, {flags} {mask}, {kind} zeroinitializer)")
    return from_memory(f, raw, dtype, lanes)


def store(f: Function, value: str, pointer: str, dtype: DType, width: Width) -> None:
    """A register to consecutive elements; masked lanes are not touched."""
    kind, raw = to_memory(f, value, dtype, width.lanes)
    if width.mask is not None:
        masked_store(f, raw, pointer, scalar=memory(dtype, 1), lanes=width.lanes, align=dtype.itemsize, mask=width.mask)
    else:
        f.do(f"store {kind} {raw}, ptr {pointer}, align {dtype.itemsize}")


def scatter(f: Function, value: str, base: str, dtype: DType, indices: str, index_type: str, width: Width) -> None:
    """A register to the elements at `base` + each of `indices`, which differ."""
    lanes, scalar = width.lanes, memory(dtype, 1)
    kind, raw = to_memory(f, value, dtype, lanes)
    pointers, flags = vector("ptr", lanes), vector("i1", lanes)
    where = f.op(f"getelementptr inbounds {scalar}, ptr {base}, {vector(index_type, lanes)} {indices}")
    name = f"llvm.masked.scatter.{in_names(scalar, lanes)}.v{lanes}p0"
    name = f.module.declare(name, "void", [kind, pointers, "i32", flags])
    mask = width.mask or "splat (i1 1)"
    f.do(f"call void {name}({kind} {raw}, {pointers} {where}, i32 {dtype.itemsize}, {flags} {mask})")

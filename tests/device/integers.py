# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of integers and bits: what NumPy's operators do not say."""

from __future__ import annotations

import numpy as np


def bits_of(x: np.ndarray) -> int:
    """Return how many bits a number of an array has."""
    return 8 * x.dtype.itemsize


def high(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the upper half of a product."""
    bits = bits_of(x)
    if bits < 64:
        wide = np.dtype(f"{x.dtype.kind}{x.dtype.itemsize * 2}")
        return ((x.astype(wide) * y.astype(wide)) >> wide.type(bits)).astype(x.dtype)
    a, b = x.astype(np.uint64), y.astype(np.uint64)
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    mixed = (a & low) * (b >> half) + (((a & low) * (b & low)) >> half)
    upper = (a >> half) * (b >> half) + (mixed >> half) + ((((a >> half) * (b & low)) + (mixed & low)) >> half)
    if x.dtype.kind == "i":
        upper = upper - np.where(x < 0, b, np.uint64(0)) - np.where(y < 0, a, np.uint64(0))
    return upper.astype(x.dtype)


def quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return a quotient without its fraction; no divisor is 0."""
    floor = x // y
    if x.dtype.kind == "u":
        return floor
    return floor + ((floor * y != x) & ((x < 0) != (y < 0))).astype(x.dtype)


def remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return what `quotient` leaves, of the sign of x."""
    return x - quotient(x, y) * y


def left(x: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Shift to the left; by as many bits as there are, or more, all are gone."""
    bits = bits_of(x)
    if count.ndim == 0 and count < bits:
        return x << x.dtype.type(count)
    near = np.minimum(count, np.uint32(bits - 1)).astype(x.dtype)
    return np.where(count < bits, x << near, x.dtype.type(0))


def right(x: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Shift to the right, with the sign where there is one."""
    bits = bits_of(x)
    if count.ndim == 0 and count < bits:
        return x >> x.dtype.type(count)
    near = np.minimum(count, np.uint32(bits - 1)).astype(x.dtype)
    return x >> near if x.dtype.kind == "i" else np.where(count < bits, x >> near, x.dtype.type(0))


def funnel(to_left: bool, wraps: bool, low: np.ndarray, top: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Shift the 64 bits of two words; the upper word of the result to the left, the lower one to the right."""
    count = (count & np.uint32(31) if wraps else np.minimum(count, np.uint32(32))).astype(np.uint64)
    both = (top.astype(np.uint64) << np.uint64(32)) | low.astype(np.uint64)
    if to_left:
        return ((both << count) >> np.uint64(32)).astype(np.uint32)
    return (both >> count).astype(np.uint32)


def reversed_bits(x: np.ndarray) -> np.ndarray:
    """Return the bits from the last to the first."""
    kind, bits = x.dtype.type, bits_of(x)
    every = (1 << bits) - 1
    step = bits // 2
    while step:
        mask = kind(every // ((1 << step) + 1))  # runs of `step` ones and zeros
        x = ((x >> kind(step)) & mask) | ((x & mask) << kind(step))
        step //= 2
    return x


def length(x: np.ndarray) -> np.ndarray:
    """Return the number of bits up to the highest one that is set."""
    if bits_of(x) == 64:
        upper = x >> np.uint64(32)
        return np.where(upper != 0, np.uint32(32) + length(upper.astype(np.uint32)), length(x.astype(np.uint32)))
    return np.frexp(x.astype(np.float64))[1].astype(np.uint32)


def leading_zeros(x: np.ndarray) -> np.ndarray:
    return np.uint32(bits_of(x)) - length(x)


def ones(count: np.ndarray, kind: np.dtype) -> np.ndarray:
    """Return numbers whose lowest bits, as many as said, are set."""
    return ~left(np.invert(np.zeros((), kind)), count)


def extracted(x: np.ndarray, place: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return a field of bits; of signed numbers the field's highest bit, or the number's, fills the rest."""
    place, count = place & np.uint32(255), count & np.uint32(255)
    unsigned, bits = np.dtype(f"u{x.dtype.itemsize}"), bits_of(x)
    raw = x.view(unsigned)
    field = right(raw, place) & ones(count, unsigned)
    if x.dtype.kind == "u":
        return field
    last = np.minimum(place + count - np.uint32(1), np.uint32(bits - 1))  # count 0 gives 0
    sign = (right(raw, last) & unsigned.type(1)) != 0
    inside = np.minimum(
        count, np.where(place < bits, np.uint32(bits) - np.minimum(place, np.uint32(bits)), np.uint32(0))
    )
    filled = np.where(sign & (count != 0), field | ~ones(inside, unsigned), field)
    return filled.view(x.dtype)


def inserted(x: np.ndarray, into: np.ndarray, place: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Put the lowest bits of x into a field of another number."""
    place, count = place & np.uint32(255), count & np.uint32(255)
    mask = left(ones(count, x.dtype), place)
    return (into & ~mask) | (left(x, place) & mask)


def permuted(x: np.ndarray, y: np.ndarray, selector: np.ndarray) -> np.ndarray:
    """Return four of the eight bytes of two words, or their signs."""
    both, result = (y.astype(np.uint64) << np.uint64(32)) | x.astype(np.uint64), np.uint32(0)
    for k in range(4):
        choice = (selector >> np.uint32(4 * k)) & np.uint32(15)
        byte = ((both >> (np.uint64(8) * (choice & np.uint32(7)).astype(np.uint64))) & np.uint64(255)).astype(np.uint32)
        sign = np.where(byte & np.uint32(128), np.uint32(255), np.uint32(0))
        result = result | (np.where(choice & np.uint32(8), sign, byte) << np.uint32(8 * k))
    return result


def looked_up(x: np.ndarray, y: np.ndarray, z: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Return for each bit what a table of eight says of three bits."""
    result = x & x.dtype.type(0)
    for k in range(8):
        if int(table) >> k & 1:
            result = result | ((x if k & 4 else ~x) & (y if k & 2 else ~y) & (z if k & 1 else ~z))
    return result

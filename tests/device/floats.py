# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of floats, each operation rounded once, to nearest; bfloat16 is its bits in uint16.

The ISA leaves the bits of a NaN of fewer than 64 bits open; here they are what GPUs write, 0x7fffffff and 0x7fff.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from tests.device.assembly import Type

Function = Callable[..., np.ndarray]
NAN = {np.dtype("f4"): np.uint32(0x7FFFFFFF).view(np.float32), np.dtype("f2"): np.uint16(0x7FFF).view(np.float16)}


def canonical(x: np.ndarray) -> np.ndarray:
    """Return a result whose NaNs have the bits that GPUs write."""
    nan = NAN.get(x.dtype)
    if nan is not None and np.isnan(np.maximum.reduce(x, axis=None)):
        return np.where(np.isnan(x), nan, x)
    return x


def widened(bits: np.ndarray) -> np.ndarray:
    """Return bfloat16 as float32."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


# Sums of float64 with what they lose


def with_error(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a sum, and what it lost by its rounding, exactly."""
    both = x + y
    part = both - x
    return both, (x - (both - part)) + (y - part)


def odd_sum(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return a sum rounded to odd: the last bit says that something was lost, so one more rounding is right."""
    both, error = with_error(x, y)
    lost = (error != 0) & ((both.view(np.uint64) & np.uint64(1)) == 0) & np.isfinite(both)
    if not lost.any():
        return both
    return np.where(lost, np.nextafter(both, np.where(error > 0, np.inf, -np.inf)), both)


_TIE = np.uint64((1 << 28) - 1)


def fma_of_doubles(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return x y + z of float32, rounded once; x and y come as float64.

    The product is exact in float64 and the sum is rounded there, which matters only where that is half-way between two
    numbers of float32: its last 28 bits are 0.
    """
    product, z = x * y, z.astype(np.float64)
    both = product + z
    result = both.astype(np.float32)
    if not np.minimum.reduce(both.view(np.uint64) & _TIE, axis=None):
        at = np.flatnonzero(((both.view(np.uint64) & _TIE) == 0) & (both != 0))
        if at.size:
            whole = np.atleast_1d(result)
            product, z = (np.broadcast_to(v, whole.shape)[at] for v in (product, z))
            whole[at] = odd_sum(product, z).astype(np.float32)
            result = whole.reshape(result.shape)
    return canonical(result)


def fma_single(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return x y + z of float32, rounded once."""
    return fma_of_doubles(x.astype(np.float64), y.astype(np.float64), z)


def _halves(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    large = x * 134217729.0  # 2**27 + 1
    high = large - (large - x)
    return high, x - high


def fma_double(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return x y + z of float64, rounded once (Boldo and Melquiond); by fractions where a part would leave its range."""
    x, y, z = np.broadcast_arrays(*(np.atleast_1d(v) for v in (x, y, z)))
    product = x * y
    (a, b), (c, d) = _halves(x), _halves(y)
    low = b * d - (((product - a * c) - b * c) - a * d)
    upper, lower = with_error(z, low)
    high, rest = with_error(product, upper)
    result = high + odd_sum(rest, lower)

    def inside(v: np.ndarray, limit: float) -> np.ndarray:
        size = np.abs(v)
        return (size == 0) | ((size > 1 / limit) & (size < limit))

    safe = inside(x, 2.0**480) & inside(y, 2.0**480) & inside(z, 2.0**960) & inside(product, 2.0**960)
    safe &= (product != 0) | (x == 0) | (y == 0)
    if not safe.all():
        result = np.where(safe, result, 0)
        result[~safe] = [_fma_by_fractions(*row) for row in zip(x[~safe], y[~safe], z[~safe], strict=True)]
    zero = (product == 0) & safe
    return np.where(zero, product + z, result)


def _fma_by_fractions(x: np.float64, y: np.float64, z: np.float64) -> float:
    """Return x y + z of float64 by numbers that lose nothing."""
    if not all(map(np.isfinite, (x, y, z))):
        return z if np.isfinite(x) and np.isfinite(y) else x * y + z  # whatever float64 makes of a finite product
    exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
    if not exact:
        return x * y + z
    try:
        return float(exact)
    except OverflowError:
        return np.inf if exact > 0 else -np.inf


# Least and greatest: -0 is less than 0


def _extreme(pick: Function, ordered: Function) -> Function:
    def chosen(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        result, same = pick(x, y), x == y
        if same.any():  # the same bits, but for zeros
            unsigned = np.dtype(f"u{x.dtype.itemsize}")
            result = np.where(same, ordered(x.view(unsigned), y.view(unsigned)).view(x.dtype), result)
        return canonical(result)

    return chosen


EXTREMES = {
    ("min", False): _extreme(np.fmin, np.bitwise_or),
    ("max", False): _extreme(np.fmax, np.bitwise_and),
    ("min", True): _extreme(np.minimum, np.bitwise_or),
    ("max", True): _extreme(np.maximum, np.bitwise_and),
}
"""By name, and whether a NaN is the result where one operand is NaN."""


_PLAIN: dict[str, Function] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": np.sqrt,
    "rcp": lambda x: np.divide(x.dtype.type(1), x),
}


def arithmetic(name: str, type: Type) -> Function:
    """Return `add`, `sub`, `mul`, `fma`, `div`, `rcp` or `sqrt` of a type."""
    if name == "fma":
        return fma_single if type.name == "f32" else fma_double
    plain = _PLAIN[name]
    return lambda *x: canonical(plain(*x))

# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of floats, each operation rounded once, as the ISA says; bfloat16 is its bits in uint16.

The ISA leaves the bits of a NaN of fewer than 64 bits open; here they are what GPUs write, 0x7fffffff and 0x7fff.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.device.assembly import Type
from tests.device.exact import exactly

Function = Callable[..., np.ndarray]
ROUNDINGS = ("rn", "rz", "rm", "rp")
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


def narrowed(x: np.ndarray) -> np.ndarray:
    """Round float32 to bfloat16, to nearest even."""
    bits = x.view(np.uint32)
    near = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(x), np.uint16(0x7FFF), near.astype(np.uint16))


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


def odd_single(x: np.ndarray) -> np.ndarray:
    """Round float64 to float32, to odd."""
    near = x.astype(np.float32)
    back = near.astype(np.float64)
    toward_zero = np.where(np.abs(back) > np.abs(x), np.nextafter(near, np.float32(0)), near)
    lost = (back != x) & ~np.isnan(x)
    return np.where(lost, (toward_zero.view(np.uint32) | np.uint32(1)).view(np.float32), near)


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
    """Return x y + z of float64, rounded once (Boldo and Melquiond); by integers where a part would leave its range."""
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
        result[~safe] = exactly("fma", "f64", "rn")(x[~safe], y[~safe], z[~safe])
    zero = (product == 0) & safe
    return np.where(zero, product + z, result)


def _odd_fma(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return x y + z of numbers of at most 11 bits, in float64, rounded to odd."""
    return odd_sum(x.astype(np.float64) * y.astype(np.float64), z.astype(np.float64))


def fma_half(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return x y + z of float16, rounded once."""
    return _odd_fma(x, y, z).astype(np.float16)


def fma_brain(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return x y + z of bfloat16, rounded once."""
    return narrowed(odd_single(_odd_fma(widened(x), widened(y), widened(z))))


def brain(function: Function) -> Function:
    """Return an operation of bfloat16 by that of float32, whose second rounding is innocuous."""
    return lambda *x: narrowed(function(*map(widened, x)))


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


_NEAREST: dict[str, Function] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": np.sqrt,
    "rcp": lambda x: np.divide(x.dtype.type(1), x),
}
_FMA = {"f16": fma_half, "bf16": fma_brain, "f32": fma_single, "f64": fma_double}


def _plain(name: str, type: Type, mode: str) -> Function:
    word = type.name.removesuffix("x2")
    if mode == "rn":
        if name == "fma":
            return _FMA[word]
        return brain(_NEAREST[name]) if word == "bf16" else _NEAREST[name]
    slow = exactly(name, word, mode)
    if word == "bf16":
        return lambda *x: narrowed(slow(*map(widened, x)).astype(np.float32))
    return lambda *x: slow(*x).astype(type.dtype)


def flushed(x: np.ndarray) -> np.ndarray:
    """Return float32 with zeros, of the same signs, for subnormal numbers."""
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), x), x)


def saturated(x: np.ndarray) -> np.ndarray:
    """Return numbers within [0, 1], NaN as 0."""
    return np.where(x > 0, np.fmin(x, x.dtype.type(1)), x.dtype.type(0))


def _widest(function: Function, type: Type) -> Function:
    """Return an operation on bits of bfloat16 by one on float32 whose results bfloat16 has."""
    return brain(function) if type.kind == "bf" else function


def finished(function: Function, type: Type, modifiers: tuple[str, ...]) -> Function:
    """Return an operation with its flushing, clamping and NaN."""
    if "ftz" in modifiers and type.name == "f32":  # halves: nothing that this machine writes asks for it
        inner = function
        function = lambda *x: flushed(inner(*map(flushed, x)))  # noqa: E731
    if "sat" in modifiers:
        result = function
        clamp = _widest(saturated, type)
        function = lambda *x: clamp(result(*x))  # noqa: E731
    if "relu" in modifiers:
        before = function
        positive = _widest(lambda x: np.where(np.isnan(x), x, np.maximum(x, x.dtype.type(0)) + x.dtype.type(0)), type)
        function = lambda *x: positive(before(*x))  # noqa: E731
    return function


def arithmetic(name: str, type: Type, modifiers: tuple[str, ...]) -> Function:
    """Return `add`, `sub`, `mul`, `fma`, `div`, `rcp` or `sqrt` of a type, by its modifiers."""
    mode = next((one for one in modifiers if one in ROUNDINGS), "rn")
    plain = _plain(name, type, mode)
    if type.dtype in NAN and plain is not fma_single:
        inner = plain
        plain = lambda *x: canonical(inner(*x))  # noqa: E731
    return finished(plain, type, modifiers)


def approximate(name: str, type: Type, modifiers: tuple[str, ...]) -> Function:
    """Return an operation whose exact bits the ISA leaves open, here in float64 and rounded."""
    wide: Function = {
        "ex2": np.exp2,
        "lg2": np.log2,
        "sin": np.sin,
        "cos": np.cos,
        "tanh": np.tanh,
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "rcp": lambda x: 1 / x,
        "sqrt": np.sqrt,
        "div": np.divide,
    }[name]
    if type.kind == "bf":
        return lambda *x: narrowed(odd_single(wide(*(widened(v).astype(np.float64) for v in x))))
    inner = lambda *x: canonical(wide(*(v.astype(np.float64) for v in x)).astype(type.dtype))  # noqa: E731
    return finished(inner, type, modifiers)


TESTS: dict[str, Function] = {
    "finite": np.isfinite,
    "infinite": np.isinf,
    "notanumber": np.isnan,
    "number": lambda x: ~np.isnan(x),
    "normal": lambda x: np.isfinite(x) & ((np.abs(x) >= np.finfo(x.dtype).tiny) | (x == 0)),
    "subnormal": lambda x: (np.abs(x) < np.finfo(x.dtype).tiny) & (x != 0),
}

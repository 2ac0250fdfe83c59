# SPDX-License-Identifier: Apache-2.0
"""`cvt`: from each type to each, with its rounding, clamping and NaN."""

from __future__ import annotations

import numpy as np

from tests.device.assembly import Type
from tests.device.exact import exactly
from tests.device.floats import Function, canonical, flushed, narrowed, odd_single, saturated, widened

_WHOLE = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def _number(type: Type) -> Function:
    """Return what makes an operand an array of numbers that NumPy counts with."""
    return widened if type.kind == "bf" else lambda x: x


def _to_float(to: Type, source: Type, mode: str) -> Function:
    exact_mode = mode in ("rz", "rm", "rp")
    if exact_mode and source.kind in ("u", "s") and source.nbytes == 8:
        raise ValueError("64-bit integers to floats, rounded other than to nearest")
    if exact_mode:
        slow = exactly("cvt", to.name, mode)
        if to.kind == "bf":
            return lambda x: narrowed(slow(x).astype(np.float32))
        return lambda x: slow(x).astype(to.dtype)
    if to.kind == "bf":
        return lambda x: narrowed(x if x.dtype == np.float32 else odd_single(x.astype(np.float64)))
    return lambda x: x.astype(to.dtype)


def _to_integer(to: Type, source: Type, mode: str) -> Function:
    """Return a conversion that clamps; NaN is 0, or the number with the highest bit where one type has 64 bits."""
    whole, limits = _WHOLE[mode], np.iinfo(to.dtype)
    high_bit = np.array(1 << (8 * to.nbytes - 1), f"u{to.nbytes}").view(to.dtype)[()]
    nan = high_bit if source.nbytes == 8 or to.nbytes == 8 else to.dtype.type(0)

    def converted(x: np.ndarray) -> np.ndarray:
        near = whole(x.astype(np.float64))
        inside = (
            (near >= float(limits.min))
            & (near <= float(limits.max))
            & (near < 2.0 ** (8 * to.nbytes - (to.kind == "s")))
        )
        result = np.where(inside, near, 0).astype(to.dtype)
        result = np.where(near < float(limits.min), to.dtype.type(limits.min), result)
        result = np.where(~inside & (near > 0), to.dtype.type(limits.max), result)
        return np.where(np.isnan(near), nan, result)

    return converted


def _integers(to: Type, source: Type, clamps: bool) -> Function:
    if not clamps:
        return lambda x: x.astype(to.dtype)
    limits, own = np.iinfo(to.dtype), np.iinfo(source.dtype)
    if limits.min <= own.min and own.max <= limits.max:
        raise ValueError("nothing is to be clamped")

    def clamped(x: np.ndarray) -> np.ndarray:
        low, high = max(own.min, limits.min), min(own.max, limits.max)
        return np.clip(x, x.dtype.type(low), x.dtype.type(high)).astype(to.dtype)

    return clamped


def tf32(x: np.ndarray) -> np.ndarray:
    """Round float32 to 11 bits, ties away from zero."""
    near = (x.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    return np.where(np.isnan(x), np.uint32(0x7FFFFFFF), near)


def conversion(to: Type, source: Type, modifiers: tuple[str, ...]) -> Function:
    """Return the conversion of one operand."""
    mode = next((one for one in modifiers if one[0] == "r" and one != "relu"), "")
    if to.kind == "tf":
        return tf32
    number, is_float = _number(source), source.kind in ("f", "bf")
    if to.kind in ("u", "s", "b"):
        plain = _to_integer(to, source, mode) if is_float else _integers(to, source, "sat" in modifiers)
    elif mode in _WHOLE:
        plain = lambda x: _to_float(to, source, "rn")(_WHOLE[mode](x))  # noqa: E731
    else:
        plain = _to_float(to, source, mode)

    def converted(x: np.ndarray) -> np.ndarray:
        x = number(x)
        if "ftz" in modifiers and x.dtype == np.float32:
            x = flushed(x)
        result = plain(x)
        if result.dtype.kind != "f":
            return result
        if "ftz" in modifiers and result.dtype == np.float32:
            result = flushed(result)
        if "sat" in modifiers:
            result = saturated(result)
        if "relu" in modifiers:
            result = np.where(result <= 0, result.dtype.type(0), result)
        return canonical(result)

    return converted


def packed(to: Type, modifiers: tuple[str, ...]) -> Function:
    """Return the conversion of two numbers of float32 to the upper and the lower half of a word."""
    half = conversion(Type(to.name.removesuffix("x2"), to.dtype), Type("f32", np.dtype("f4")), modifiers)

    def both(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
        top, low = (half(x).view(np.uint16).astype(np.uint32) for x in (upper, lower))
        return (top << np.uint32(16)) | low

    return both

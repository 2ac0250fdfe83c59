"""Arithmetic by fractions: what each operation means, one number at a time, with nothing of the interpreter in it."""

import math
import struct
from fractions import Fraction

FORMATS = {"f64": (53, -1074, 1024), "f32": (24, -149, 128), "f16": (11, -24, 16)}
"""Bits of the significand, exponents of the smallest number and of the first power of two that is too large."""


def nearest(x: Fraction, form: str) -> float:
    """Round a number that is not 0, to nearest even."""
    precision, smallest, largest = FORMATS[form]
    sign = -1.0 if x < 0 else 1.0
    exponent = abs(x.numerator).bit_length() - x.denominator.bit_length()
    exponent -= abs(x) < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - precision + 1, smallest)
    below = math.floor(x / unit)
    rest = x / unit - below
    up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and below % 2)
    value = (below + bool(up)) * unit
    if abs(value) < Fraction(2) ** largest:
        return float(value) if value else sign * 0.0
    return sign * math.inf


def is_negative(x: float) -> bool:
    return math.copysign(1, x) < 0


def fma(x: float, y: float, z: float, form: str) -> float:
    """Return x y + z, rounded once."""
    if any(map(math.isnan, (x, y, z))) or (math.isinf(x) and y == 0) or (math.isinf(y) and x == 0):
        return math.nan
    negative = is_negative(x) != is_negative(y)
    if math.isinf(x) or math.isinf(y):
        product = -math.inf if negative else math.inf
        return math.nan if math.isinf(z) and z != product else product
    if math.isinf(z):
        return z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact:
        return nearest(exact, form)
    return -0.0 if negative and is_negative(z) else 0.0  # of numbers that are each other's opposite, or of zeros


def add(x: float, y: float, form: str) -> float:
    return fma(x, 1.0, y, form)


def mul(x: float, y: float, form: str) -> float:
    if math.isnan(x) or math.isnan(y) or (math.isinf(x) and y == 0) or (math.isinf(y) and x == 0):
        return math.nan
    sign = -1.0 if is_negative(x) != is_negative(y) else 1.0
    if math.isinf(x) or math.isinf(y):
        return sign * math.inf
    exact = Fraction(x) * Fraction(y)
    return nearest(exact, form) if exact else sign * 0.0


def div(x: float, y: float, form: str) -> float:
    if math.isnan(x) or math.isnan(y) or (math.isinf(x) and math.isinf(y)) or (x == 0 and y == 0):
        return math.nan
    sign = -1.0 if is_negative(x) != is_negative(y) else 1.0
    if math.isinf(x) or y == 0:
        return sign * math.inf
    if math.isinf(y) or x == 0:
        return sign * 0.0
    return nearest(Fraction(x) / Fraction(y), form)


def sqrt(x: float, form: str) -> float:
    """Return a root: the largest number of the format whose square is not above x, or the next one."""
    if math.isnan(x) or x < 0:
        return math.nan
    if x == 0 or math.isinf(x):
        return x
    exact = Fraction(x)
    scale = 400
    while scale < 2 * 1074 + 400 and exact.denominator.bit_length() > scale:
        scale += 400
    whole = math.isqrt(exact.numerator * 4**scale // exact.denominator)
    rest = exact - Fraction(whole, 2**scale) ** 2
    # A little more than the part of the root that is known stands for all that follows.
    return nearest(Fraction(whole, 2**scale) + (Fraction(1, 2 ** (scale + 1)) if rest else 0), form)


def to_float(bits: int, form: str) -> float:
    """Return the number that some bits are."""
    size, letter = {"f64": ("Q", "d"), "f32": ("I", "f"), "f16": ("H", "e")}[form]
    return struct.unpack(f"<{letter}", struct.pack(f"<{size}", bits))[0]


def to_bits(x: float, form: str) -> int:
    """Return the bits of a number that a format has; of NaN, those of GPUs, or None where payloads pass."""
    if math.isnan(x):
        return {"f64": -1, "f32": 0x7FFFFFFF, "f16": 0x7FFF}[form]
    size, letter = {"f64": ("Q", "d"), "f32": ("I", "f"), "f16": ("H", "e")}[form]
    return struct.unpack(f"<{size}", struct.pack(f"<{letter}", x))[0]


def wrapped(x: int, bits: int, signed: bool) -> int:
    """Return the lowest bits of an integer."""
    x &= (1 << bits) - 1
    return x - (1 << bits) if signed and x >> (bits - 1) else x


def toward_zero(x: int, y: int) -> int:
    return abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1)

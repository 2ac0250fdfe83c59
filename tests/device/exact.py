# SPDX-License-Identifier: Apache-2.0
"""Arithmetic by integers of Python: every operation rounded once, in each direction. Slow, and right at every edge."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Format(NamedTuple):
    """A format of floats: bits of the significand, the exponent of its smallest number, and of its largest power of two."""

    precision: int
    smallest: int
    largest: int


FORMATS = {
    "f64": Format(53, -1074, 1023),
    "f32": Format(24, -149, 127),
    "f16": Format(11, -24, 15),
    "bf16": Format(8, -133, 127),
}


class Exact(NamedTuple):
    """`whole * 2**exponent`, and a little more in magnitude where it is `inexact`."""

    whole: int
    exponent: int
    inexact: bool = False


def exact(x: float) -> Exact:
    """Return a finite float as an integer times a power of two."""
    fraction, exponent = math.frexp(x)
    return Exact(int(fraction * 2.0**53), exponent - 53)


def total(x: Exact, y: Exact) -> Exact:
    low = min(x.exponent, y.exponent)
    return Exact((x.whole << (x.exponent - low)) + (y.whole << (y.exponent - low)), low)


def product(x: Exact, y: Exact) -> Exact:
    return Exact(x.whole * y.whole, x.exponent + y.exponent)


def quotient(x: Exact, y: Exact) -> Exact:
    whole, rest = divmod(abs(x.whole) << 128, abs(y.whole))
    sign = -1 if (x.whole < 0) != (y.whole < 0) else 1
    return Exact(sign * whole, x.exponent - y.exponent - 128, rest != 0)


def root(x: Exact) -> Exact:
    shift = 128 + (x.exponent & 1)
    whole = math.isqrt(x.whole << shift)
    return Exact(whole, (x.exponent - shift) // 2, whole * whole != x.whole << shift)


def rounded(x: Exact, form: Format, mode: str) -> float:
    """Round to a format: to nearest even (`rn`), to zero (`rz`), down (`rm`) or up (`rp`). Not for zero."""
    size, negative = abs(x.whole), x.whole < 0
    unit = max(size.bit_length() + x.exponent - form.precision, form.smallest)
    if unit <= x.exponent:  # also what is inexact has a bit to lose
        size, exponent = size << (x.exponent - unit + 1), unit - 1
    else:
        exponent = x.exponent
    shift = unit - exponent
    whole, rest, half = size >> shift, size & ((1 << shift) - 1), 1 << (shift - 1)
    away = {
        "rn": rest > half or (rest == half and (x.inexact or whole % 2 == 1)),
        "rz": False,
        "rm": negative and (rest > 0 or x.inexact),
        "rp": not negative and (rest > 0 or x.inexact),
    }[mode]
    whole += away
    if whole.bit_length() + unit > form.largest + 1:
        outward = mode == "rn" or mode == ("rm" if negative else "rp")
        value = math.inf if outward else math.ldexp((1 << form.precision) - 1, form.largest - form.precision + 1)
    else:
        value = math.ldexp(whole, unit)
    return -value if negative else value


def _zero(signs: list[bool], mode: str) -> float:
    """Return the sum that is exactly zero, by the signs of what is added."""
    if all(signs) or (mode == "rm" and any(signs)):
        return -0.0
    return 0.0


def _sign(x: float) -> bool:
    return math.copysign(1.0, x) < 0


def _add(x: float, y: float, form: Format, mode: str) -> float:
    one = total(exact(x), exact(y))
    return rounded(one, form, mode) if one.whole else _zero([_sign(x), _sign(y)], mode)


def _mul(x: float, y: float, form: Format, mode: str) -> float:
    one = product(exact(x), exact(y))
    return rounded(one, form, mode) if one.whole else math.copysign(0.0, math.copysign(1.0, x) * math.copysign(1.0, y))


def _fma(x: float, y: float, z: float, form: Format, mode: str) -> float:
    one = total(product(exact(x), exact(y)), exact(z))
    return rounded(one, form, mode) if one.whole else _zero([_sign(x) != _sign(y), _sign(z)], mode)


def _div(x: float, y: float, form: Format, mode: str) -> float:
    one = quotient(exact(x), exact(y))
    return rounded(one, form, mode) if one.whole else math.copysign(0.0, math.copysign(1.0, x) * math.copysign(1.0, y))


def _sqrt(x: float, form: Format, mode: str) -> float:
    return rounded(root(exact(x)), form, mode) if x else x


def _cvt(x: float, form: Format, mode: str) -> float:
    return rounded(exact(x), form, mode) if x else x


_PLAIN: dict[str, tuple[Callable, Callable]] = {
    "add": (_add, lambda x, y: x + y),
    "sub": (lambda x, y, form, mode: _add(x, -y, form, mode), lambda x, y: x - y),
    "mul": (_mul, lambda x, y: x * y),
    "fma": (_fma, lambda x, y, z: x * y + z),
    "div": (_div, np.divide),
    "rcp": (lambda x, form, mode: _div(1.0, x, form, mode), lambda x: np.divide(np.float64(1), x)),
    "sqrt": (_sqrt, np.sqrt),
    "cvt": (_cvt, lambda x: x),
}
"""Each operation for finite numbers, and for others."""


def exactly(name: str, form: str, mode: str) -> Callable[..., np.ndarray]:
    """Return an operation on arrays of floats, whose result in float64 is rounded to a format."""
    finite, other = _PLAIN[name]
    sizes = FORMATS[form]

    def one(*numbers: float) -> float:
        if name == "fma" and all(map(math.isfinite, numbers[:2])) and not math.isfinite(numbers[2]):
            return numbers[2]  # the product is finite, whatever float64 makes of it
        pole = (name == "sqrt" and numbers[0] < 0) or (name in ("div", "rcp") and numbers[-1] == 0)
        if pole or not all(map(math.isfinite, numbers)):
            return float(other(*map(np.float64, numbers)))
        return finite(*numbers, sizes, mode)

    def each(*arrays: np.ndarray) -> np.ndarray:
        numbers = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in arrays))
        rows = zip(*(x.ravel().tolist() for x in numbers), strict=True)
        return np.array([one(*row) for row in rows], np.float64).reshape(numbers[0].shape)

    return each

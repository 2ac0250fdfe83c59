# SPDX-License-Identifier: Apache-2.0
"""Colours as hue, saturation and value, each from 0 to 1, along the last axis; and fake quantization of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.ops.analysis import floor
from hybridize.ops.arithmetic import abs, add, div, eq, gt, lt, max, min, mul, sub, where
from hybridize.ops.library.regions import nearest
from hybridize.ops.op import Operand, type_of
from hybridize.ops.slicing import concat, part
from hybridize.ops.views import like, reshape, stop_gradient


def _parts(x: Operand) -> list[Operand]:
    kind = type_of(x)
    return [reshape(part(x, kind.ndim - 1, k, k + 1), kind.shape[:-1]) for k in range(3)]


def _joined(parts: Sequence[Operand]) -> Operand:
    shape = type_of(parts[0]).shape
    return concat(*(reshape(one, (*shape, 1)) for one in parts), axis=len(shape))


def hue_saturation_value(x: Operand) -> Operand:
    """Return colours [..., 3] of red, green and blue as hue, saturation and value."""
    red, green, blue = _parts(x)
    high, low = max(max(red, green), blue), min(min(red, green), blue)
    apart, zero, one = sub(high, low), like(0, red), like(1, red)
    saturation = where(gt(high, zero), div(apart, where(gt(high, zero), high, one)), zero)
    turn = div(one, mul(like(6, apart), where(gt(apart, zero), apart, one)))
    hue = where(
        eq(red, high), mul(turn, sub(green, blue)),
        where(eq(green, high), add(mul(turn, sub(blue, red)), like(2 / 6, red)),
              add(mul(turn, sub(red, green)), like(4 / 6, red))),
    )  # fmt: skip
    hue = where(gt(apart, zero), hue, zero)
    return _joined([add(hue, where(lt(hue, zero), one, zero)), saturation, high])


def red_green_blue(x: Operand) -> Operand:
    """Return colours [..., 3] of hue, saturation and value as red, green and blue."""
    hue, saturation, value = _parts(x)
    turn, one, two = mul(hue, like(6, hue)), like(1, hue), like(2, hue)
    shares = (
        sub(abs(sub(turn, like(3, hue))), one), sub(two, abs(sub(turn, two))), sub(two, abs(sub(turn, like(4, hue)))),
    )  # fmt: skip
    grey = sub(one, saturation)
    shares = tuple(max(min(share, one), like(0, share)) for share in shares)
    return _joined([mul(add(grey, mul(saturation, share)), value) for share in shares])


def turned(x: Operand, by: Operand) -> Operand:
    """Return colours of red, green and blue whose hues are turned by parts of a whole turn."""
    hue, saturation, value = _parts(hue_saturation_value(x))
    hue = add(hue, by)
    return red_green_blue(_joined([sub(hue, floor(hue)), saturation, value]))


def saturated(x: Operand, by: Operand) -> Operand:
    """Return colours of red, green and blue whose saturation is multiplied, up to 1."""
    hue, saturation, value = _parts(hue_saturation_value(x))
    saturation = max(min(mul(saturation, by), like(1, hue)), like(0, hue))
    return red_green_blue(_joined([hue, saturation, value]))


def fake_quantized(x: Operand, low: Operand, high: Operand, least: int, most: int) -> Operand:
    """Return numbers as so many whole steps of a range tell them, whose gradient goes through where they lie in it.

    Args:
        x: floats.
        low: the beginning of the range, moved so that 0 is a whole number of steps; like `x`.
        high: its end.
        least: the number of the first step, 0 or 1.
        most: that of the last.
    """
    step = div(sub(high, low), like(most - least, x))
    zero = sub(like(least, x), div(low, step))
    begin = where(
        lt(zero, like(least, x)), like(least, x), where(gt(zero, like(most, x)), like(most, x), nearest(zero))
    )
    first, last = mul(sub(like(least, x), begin), step), mul(sub(like(most, x), begin), step)
    first, last = (add(one, stop_gradient(sub(end, one))) for one, end in ((low, first), (high, last)))
    inside = where(lt(x, first), first, where(gt(x, last), last, x))
    whole = mul(floor(add(div(sub(inside, first), step), like(0.5, x))), step)
    return add(inside, stop_gradient(sub(add(whole, first), inside)))

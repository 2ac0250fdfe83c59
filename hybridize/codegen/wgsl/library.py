# SPDX-License-Identifier: Apache-2.0
"""Functions in WGSL for what it has no operator of: integers of 64 bits as pairs of words, parts of words, NaN.

A module gets those that its text calls, and what these call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from hybridize.codegen.wgsl.doubles import DOUBLES

_TEXT: Final = """
fn i_(x: i32) -> i32 { return x; }
fn float_(bits: u32) -> f32 { return bitcast<f32>(bits); }
fn nan_(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn neg_(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ 0x80000000u); }
fn abs_(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0x7fffffffu); }
fn sign_(x: f32, y: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}
fn byte_(word: u32, index: i32) -> i32 { return i32((word >> (u32(index & 3) << 3u)) & 0xffu); }
fn short_(word: u32, index: i32) -> i32 { return i32((word >> (u32(index & 1) << 4u)) & 0xffffu); }
fn wide_(x: i32) -> vec2<u32> { return vec2<u32>(u32(x), u32(x >> 31u)); }
fn wide_u_(x: i32) -> vec2<u32> { return vec2<u32>(u32(x), 0u); }
fn add64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = x.x + y.x;
  return vec2<u32>(low, x.y + y.y + select(0u, 1u, low < x.x));
}
fn sub64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(x.x - y.x, x.y - y.y - select(0u, 1u, x.x < y.x));
}
fn mul32_(x: u32, y: u32) -> vec2<u32> {
  let a = x & 0xffffu;
  let b = x >> 16u;
  let c = y & 0xffffu;
  let d = y >> 16u;
  let low = a * c;
  let first = a * d + (low >> 16u);
  let second = b * c + (first & 0xffffu);
  return vec2<u32>((second << 16u) | (low & 0xffffu), b * d + (first >> 16u) + (second >> 16u));
}
fn mul64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = mul32_(x.x, y.x);
  return vec2<u32>(low.x, low.y + x.x * y.y + x.y * y.x);
}
fn umulh64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = mul32_(x.x, y.x);
  let first = add64_(mul32_(x.x, y.y), vec2<u32>(low.y, 0u));
  let second = add64_(mul32_(x.y, y.x), vec2<u32>(first.x, 0u));
  return add64_(mul32_(x.y, y.y), add64_(vec2<u32>(first.y, 0u), vec2<u32>(second.y, 0u)));
}
fn neg64_(x: vec2<u32>) -> vec2<u32> { return sub64_(vec2<u32>(0u, 0u), x); }
fn eq64_(x: vec2<u32>, y: vec2<u32>) -> bool { return x.x == y.x && x.y == y.y; }
fn ult64_(x: vec2<u32>, y: vec2<u32>) -> bool { return x.y < y.y || (x.y == y.y && x.x < y.x); }
fn slt64_(x: vec2<u32>, y: vec2<u32>) -> bool {
  return i32(x.y) < i32(y.y) || (x.y == y.y && x.x < y.x);
}
fn shl64_(x: vec2<u32>, count: u32) -> vec2<u32> {
  let n = count & 31u;
  let low = x.x << n;
  let high = (x.y << n) | ((x.x >> 1u) >> (31u - n));
  return select(vec2<u32>(low, high), vec2<u32>(0u, low), (count & 32u) != 0u);
}
fn lshr64_(x: vec2<u32>, count: u32) -> vec2<u32> {
  let n = count & 31u;
  let high = x.y >> n;
  let low = (x.x >> n) | ((x.y << 1u) << (31u - n));
  return select(vec2<u32>(low, high), vec2<u32>(high, 0u), (count & 32u) != 0u);
}
fn ashr64_(x: vec2<u32>, count: u32) -> vec2<u32> {
  let n = count & 31u;
  let high = u32(i32(x.y) >> n);
  let low = (x.x >> n) | ((x.y << 1u) << (31u - n));
  return select(vec2<u32>(low, high), vec2<u32>(high, u32(i32(x.y) >> 31u)), (count & 32u) != 0u);
}
fn zeros64_(x: vec2<u32>) -> i32 {
  return i32(select(countLeadingZeros(x.y), 32u + countLeadingZeros(x.x), x.y == 0u));
}
fn ends64_(x: vec2<u32>) -> i32 {
  return i32(select(countTrailingZeros(x.x), 32u + countTrailingZeros(x.y), x.x == 0u));
}
fn ones64_(x: vec2<u32>) -> i32 { return i32(countOneBits(x.x) + countOneBits(x.y)); }
fn divided_(x: vec2<u32>, y: vec2<u32>) -> vec4<u32> {
  if (x.y == 0u && y.y == 0u) { return vec4<u32>(x.x / y.x, 0u, x.x % y.x, 0u); }
  var rest = vec2<u32>(0u, 0u);
  var quotient = x;
  for (var n = 0; n < 64; n++) {
    let over = rest.y >> 31u;
    rest = vec2<u32>((rest.x << 1u) | (quotient.y >> 31u), (rest.y << 1u) | (rest.x >> 31u));
    quotient = vec2<u32>(quotient.x << 1u, (quotient.y << 1u) | (quotient.x >> 31u));
    if (over != 0u || !ult64_(rest, y)) {
      rest = sub64_(rest, y);
      quotient.x |= 1u;
    }
  }
  return vec4<u32>(quotient, rest);
}
fn udiv64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> { return divided_(x, y).xy; }
fn urem64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> { return divided_(x, y).zw; }
fn size64_(x: vec2<u32>) -> vec2<u32> { return select(x, neg64_(x), i32(x.y) < 0); }
fn sdiv64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let quotient = divided_(size64_(x), size64_(y)).xy;
  return select(quotient, neg64_(quotient), ((x.y ^ y.y) >> 31u) != 0u);
}
fn srem64_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let rest = divided_(size64_(x), size64_(y)).zw;
  return select(rest, neg64_(rest), i32(x.y) < 0);
}
fn fshl64_(x: vec2<u32>, y: vec2<u32>, count: u32) -> vec2<u32> {
  let n = count & 63u;
  return shl64_(x, n) | lshr64_(lshr64_(y, 1u), 63u - n);
}
fn fshl32_(x: i32, y: i32, count: i32) -> i32 {
  let n = u32(count) & 31u;
  return i32((u32(x) << n) | ((u32(y) >> 1u) >> (31u - n)));
}
fn float_of_u64_(x: vec2<u32>) -> f32 {
  if (x.y == 0u) { return float_of_u32_(x.x); }
  let up = countLeadingZeros(x.y);
  let moved = shl64_(x, up);
  let rest = ((moved.y & 0xffu) << 1u) | select(0u, 1u, moved.x != 0u);
  let significand = moved.y >> 8u;
  let more = select(0u, 1u, rest > 0x100u || (rest == 0x100u && (significand & 1u) == 1u));
  return bitcast<f32>(((190u - up) << 23u) + (significand - 0x800000u) + more);
}
fn float_of_u32_(x: u32) -> f32 {
  if (x < 0x1000000u) { return f32(x); }
  let up = countLeadingZeros(x);
  let moved = x << up;
  let significand = moved >> 8u;
  let rest = moved & 0xffu;
  let more = select(0u, 1u, rest > 0x80u || (rest == 0x80u && (significand & 1u) == 1u));
  return bitcast<f32>(((158u - up) << 23u) + (significand - 0x800000u) + more);
}
fn float_of_i32_(x: i32) -> f32 {
  if (x < 0) { return neg_(float_of_u32_(u32(-x))); }
  return float_of_u32_(u32(x));
}
fn float_of_i64_(x: vec2<u32>) -> f32 {
  if (i32(x.y) < 0) { return neg_(float_of_u64_(neg64_(x))); }
  return float_of_u64_(x);
}
fn u64_of_float_(x: f32) -> vec2<u32> {
  let bits = bitcast<u32>(x);
  let exponent = i32((bits >> 23u) & 0xffu) - 150;
  let significand = vec2<u32>((bits & 0x7fffffu) | 0x800000u, 0u);
  if (exponent < -23) { return vec2<u32>(0u, 0u); }
  if (exponent < 0) { return vec2<u32>(significand.x >> u32(-exponent), 0u); }
  return shl64_(significand, u32(exponent));
}
fn i64_of_float_(x: f32) -> vec2<u32> {
  let size = u64_of_float_(x);
  if (bitcast<i32>(x) < 0) { return neg64_(size); }
  return size;
}
"""
_NAME: Final = re.compile(r"^fn (\w+)\(", re.M)


def _functions(text: str) -> dict[str, str]:
    """The functions of a text, each by its name."""
    parts = re.split(r"^(?=fn )", text, flags=re.M)
    return {_NAME.findall(part)[0]: part.strip() for part in parts if part.startswith("fn ")}


FUNCTIONS: Final[Mapping[str, str]] = _functions(_TEXT) | _functions(DOUBLES)
_CALLED: Final = re.compile(r"\b(\w+_)\(")


def functions_for(text: str) -> str:
    """The functions that a text calls, and those that they call; what is called stands first."""
    order: dict[str, None] = {}

    def add(part: str) -> None:
        for name in dict.fromkeys(_CALLED.findall(part)):
            if name in FUNCTIONS and name not in order:
                add(FUNCTIONS[name].partition("{")[2])
                order[name] = None

    add(text)
    return "\n".join(FUNCTIONS[name] for name in order)

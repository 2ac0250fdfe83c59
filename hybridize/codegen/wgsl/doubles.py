# SPDX-License-Identifier: Apache-2.0
"""Numbers of 64 bits in WGSL, which has none: their bits as pairs of words, rounded once to nearest even.

The rarer functions of float32 are computed in them, see `codegen.llvm.functions.wide`. A number is taken apart into its
sign, its exponent and a significand whose highest bit is bit 62; the ten bits below those that stay, and whether
anything below them was lost, decide about rounding.
"""

from __future__ import annotations

from typing import Final

DOUBLES: Final = """
fn d_nan_(x: vec2<u32>) -> bool {
  let top = x.y & 0x7fffffffu;
  return top > 0x7ff00000u || (top == 0x7ff00000u && x.x != 0u);
}
fn d_neg_(x: vec2<u32>) -> vec2<u32> { return vec2<u32>(x.x, x.y ^ 0x80000000u); }
fn d_abs_(x: vec2<u32>) -> vec2<u32> { return vec2<u32>(x.x, x.y & 0x7fffffffu); }
fn d_none_() -> vec2<u32> { return vec2<u32>(0u, 0x7ff80000u); }
fn d_zero_(x: vec2<u32>) -> bool { return (x.x | (x.y & 0x7fffffffu)) == 0u; }
fn d_endless_(x: vec2<u32>) -> bool { return x.x == 0u && (x.y & 0x7fffffffu) == 0x7ff00000u; }
fn d_exponent_(x: vec2<u32>) -> i32 {
  let biased = i32((x.y >> 20u) & 0x7ffu);
  if (biased != 0) { return biased; }
  return 12 - zeros64_(vec2<u32>(x.x, x.y & 0xfffffu));
}
fn d_significand_(x: vec2<u32>) -> vec2<u32> {
  let fraction = vec2<u32>(x.x, x.y & 0xfffffu);
  if (((x.y >> 20u) & 0x7ffu) != 0u) { return shl64_(fraction | vec2<u32>(0u, 0x100000u), 10u); }
  return shl64_(fraction, u32(zeros64_(fraction) - 1));
}
fn jam64_(x: vec2<u32>, count: i32) -> vec2<u32> {
  if (count <= 0) { return x; }
  if (count > 63) { return vec2<u32>(select(0u, 1u, (x.x | x.y) != 0u), 0u); }
  let lost = shl64_(x, u32(64 - count));
  var moved = lshr64_(x, u32(count));
  moved.x |= select(0u, 1u, (lost.x | lost.y) != 0u);
  return moved;
}
fn d_packed_(sign: u32, exponent: i32, significand: vec2<u32>) -> vec2<u32> {
  if ((significand.x | significand.y) == 0u) { return vec2<u32>(0u, sign); }
  let up = zeros64_(significand) - 1;
  var e = exponent - up;
  var bits = significand;
  if (up > 0) { bits = shl64_(bits, u32(up)); } else { bits = jam64_(bits, -up); }
  if (e <= 0) {
    bits = jam64_(bits, 1 - e);
    e = 0;
  }
  let rest = bits.x & 0x3ffu;
  bits = lshr64_(bits, 10u);
  if (rest > 0x200u || (rest == 0x200u && (bits.x & 1u) == 1u)) { bits = add64_(bits, vec2<u32>(1u, 0u)); }
  // The highest bit of a normal significand is added to the exponent, which is one less therefore.
  let top = (u32(max(e - 1, 0)) << 20u) + bits.y;
  if (e >= 0x7ff || top >= 0x7ff00000u) { return vec2<u32>(0u, sign | 0x7ff00000u); }
  return vec2<u32>(bits.x, sign | top);
}
fn d_add_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  if (d_nan_(x) || d_nan_(y)) { return d_none_(); }
  if (d_endless_(x)) {
    if (d_endless_(y) && x.y != y.y) { return d_none_(); }
    return x;
  }
  if (d_endless_(y)) { return y; }
  if (d_zero_(x)) {
    if (d_zero_(y)) { return vec2<u32>(0u, x.y & y.y); }
    return y;
  }
  if (d_zero_(y)) { return x; }
  var a = x;
  var b = y;
  if (ult64_(d_abs_(x), d_abs_(y))) {
    a = y;
    b = x;
  }
  let exponent = d_exponent_(a);
  let sign = a.y & 0x80000000u;
  let large = lshr64_(d_significand_(a), 1u);
  let small = jam64_(lshr64_(d_significand_(b), 1u), exponent - d_exponent_(b));
  if (((a.y ^ b.y) >> 31u) == 0u) { return d_packed_(sign, exponent + 1, add64_(large, small)); }
  let rest = sub64_(large, small);
  if ((rest.x | rest.y) == 0u) { return vec2<u32>(0u, 0u); }
  return d_packed_(sign, exponent + 1, rest);
}
fn d_sub_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> { return d_add_(x, d_neg_(y)); }
fn d_mul_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  if (d_nan_(x) || d_nan_(y)) { return d_none_(); }
  let sign = (x.y ^ y.y) & 0x80000000u;
  if (d_endless_(x) || d_endless_(y)) {
    if (d_zero_(x) || d_zero_(y)) { return d_none_(); }
    return vec2<u32>(0u, sign | 0x7ff00000u);
  }
  if (d_zero_(x) || d_zero_(y)) { return vec2<u32>(0u, sign); }
  let a = d_significand_(x);
  let b = d_significand_(y);
  let low = mul64_(a, b);
  var high = umulh64_(a, b);
  high.x |= select(0u, 1u, (low.x | low.y) != 0u);
  return d_packed_(sign, d_exponent_(x) + d_exponent_(y) - 1021, high);
}
fn d_fma_(x: vec2<u32>, y: vec2<u32>, z: vec2<u32>) -> vec2<u32> { return d_add_(d_mul_(x, y), z); }
fn d_div_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  if (d_nan_(x) || d_nan_(y)) { return d_none_(); }
  let sign = (x.y ^ y.y) & 0x80000000u;
  if (d_endless_(x)) {
    if (d_endless_(y)) { return d_none_(); }
    return vec2<u32>(0u, sign | 0x7ff00000u);
  }
  if (d_endless_(y)) { return vec2<u32>(0u, sign); }
  if (d_zero_(y)) {
    if (d_zero_(x)) { return d_none_(); }
    return vec2<u32>(0u, sign | 0x7ff00000u);
  }
  if (d_zero_(x)) { return vec2<u32>(0u, sign); }
  var rest = d_significand_(x);
  let divisor = d_significand_(y);
  var quotient = vec2<u32>(0u, 0u);
  for (var n = 0; n < 63; n++) {
    quotient = shl64_(quotient, 1u);
    if (!ult64_(rest, divisor)) {
      rest = sub64_(rest, divisor);
      quotient.x |= 1u;
    }
    rest = shl64_(rest, 1u);
  }
  quotient.x |= select(0u, 1u, (rest.x | rest.y) != 0u);
  return d_packed_(sign, d_exponent_(x) - d_exponent_(y) + 1023, quotient);
}
fn d_sqrt_(x: vec2<u32>) -> vec2<u32> {
  if (d_nan_(x)) { return x; }
  if (d_zero_(x)) { return x; }
  if ((x.y >> 31u) != 0u) { return d_none_(); }
  if (d_endless_(x)) { return x; }
  let exponent = d_exponent_(x) - 1023;
  // Bit by bit, of the significand and zeros after it: 56 bits of the root.
  var bits = d_significand_(x);
  if ((exponent & 1) != 0) { bits = shl64_(bits, 1u); }
  var root = vec2<u32>(0u, 0u);
  var rest = vec2<u32>(0u, 0u);
  for (var n = 0; n < 56; n++) {
    rest = shl64_(rest, 2u) | lshr64_(bits, 62u);
    bits = shl64_(bits, 2u);
    let trial = shl64_(root, 2u) | vec2<u32>(1u, 0u);
    root = shl64_(root, 1u);
    if (!ult64_(rest, trial)) {
      rest = sub64_(rest, trial);
      root.x |= 1u;
    }
  }
  var whole = shl64_(root, 7u);
  whole.x |= select(0u, 1u, (rest.x | rest.y) != 0u);
  return d_packed_(0u, (exponent >> 1u) + 1023, whole);
}
fn d_eq_(x: vec2<u32>, y: vec2<u32>) -> bool {
  if (d_nan_(x) || d_nan_(y)) { return false; }
  return eq64_(x, y) || (d_zero_(x) && d_zero_(y));
}
fn d_lt_(x: vec2<u32>, y: vec2<u32>) -> bool {
  if (d_nan_(x) || d_nan_(y) || (d_zero_(x) && d_zero_(y))) { return false; }
  let negative = (x.y >> 31u) != 0u;
  if (negative != ((y.y >> 31u) != 0u)) { return negative; }
  if (negative) { return ult64_(y, x); }
  return ult64_(x, y);
}
fn d_trunc_(x: vec2<u32>) -> vec2<u32> {
  let exponent = i32((x.y >> 20u) & 0x7ffu) - 1023;
  if (exponent < 0) { return vec2<u32>(0u, x.y & 0x80000000u); }
  if (exponent >= 52) { return x; }
  return x & shl64_(vec2<u32>(0xffffffffu, 0xffffffffu), u32(52 - exponent));
}
fn d_floor_(x: vec2<u32>) -> vec2<u32> {
  let whole = d_trunc_(x);
  if (d_lt_(x, whole)) { return d_sub_(whole, vec2<u32>(0u, 0x3ff00000u)); }
  return whole;
}
fn d_ceil_(x: vec2<u32>) -> vec2<u32> { return d_neg_(d_floor_(d_neg_(x))); }
fn d_rint_(x: vec2<u32>) -> vec2<u32> {
  let exponent = i32((x.y >> 20u) & 0x7ffu) - 1023;
  if (exponent >= 52) { return x; }
  let sign = x.y & 0x80000000u;
  let limit = vec2<u32>(0u, 0x43300000u);
  let whole = d_sub_(d_add_(d_abs_(x), limit), limit);
  return vec2<u32>(whole.x, whole.y | sign);
}
fn d_of_float_(x: f32) -> vec2<u32> {
  let bits = bitcast<u32>(x);
  let sign = bits & 0x80000000u;
  let size = bits & 0x7fffffffu;
  if (size == 0u) { return vec2<u32>(0u, sign); }
  if (size >= 0x7f800000u) { return vec2<u32>(size << 29u, sign | 0x7ff00000u | ((size & 0x7fffffu) >> 3u)); }
  if (size < 0x800000u) {
    let up = countLeadingZeros(size) - 8u;
    let moved = (size << up) & 0x7fffffu;
    return vec2<u32>(moved << 29u, sign | ((897u - up) << 20u) | (moved >> 3u));
  }
  return vec2<u32>(size << 29u, sign | ((size >> 3u) + 0x38000000u));
}
fn float_of_d_(x: vec2<u32>) -> f32 {
  let sign = x.y & 0x80000000u;
  if (d_nan_(x)) { return float_(sign | 0x7fc00000u); }
  if (d_zero_(x)) { return float_(sign); }
  let exponent = d_exponent_(x) - 896;
  if (exponent >= 0xff) { return float_(sign | 0x7f800000u); }
  let significand = d_significand_(x);
  // 30 bits, whether any is below them, and the rounding of a number that is too small for a whole significand.
  var bits = significand.y | select(0u, 1u, significand.x != 0u);
  var e = exponent;
  if (e <= 0) {
    let count = min(u32(1 - e), 31u);
    bits = (bits >> count) | select(0u, 1u, (bits << (32u - count)) != 0u);
    e = 0;
  }
  let rest = bits & 0x7fu;
  var rounded = bits >> 7u;
  if (rest > 0x40u || (rest == 0x40u && (rounded & 1u) == 1u)) { rounded += 1u; }
  return float_(sign | ((u32(max(e - 1, 0)) << 23u) + rounded));
}
fn d_of_u64_(x: vec2<u32>) -> vec2<u32> { return d_packed_(0u, 1023 + 62, x); }
fn d_of_i64_(x: vec2<u32>) -> vec2<u32> {
  if (i32(x.y) < 0) { return d_packed_(0x80000000u, 1023 + 62, neg64_(x)); }
  return d_of_u64_(x);
}
fn u64_of_d_(x: vec2<u32>) -> vec2<u32> {
  let exponent = i32((x.y >> 20u) & 0x7ffu) - 1023;
  if (exponent < 0) { return vec2<u32>(0u, 0u); }
  let bits = shl64_(vec2<u32>(x.x, (x.y & 0xfffffu) | 0x100000u), 11u);
  return lshr64_(bits, u32(max(63 - exponent, 0)));
}
fn i64_of_d_(x: vec2<u32>) -> vec2<u32> {
  if ((x.y >> 31u) != 0u) { return neg64_(u64_of_d_(x)); }
  return u64_of_d_(x);
}
"""

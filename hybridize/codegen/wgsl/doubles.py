# SPDX-License-Identifier: Apache-2.0
"""Numbers of 64 bits in WGSL, which has none: their bits as pairs of words, rounded once to nearest even.

The rarer functions of float32 are computed in them, see `codegen.llvm.functions.wide`. A number is taken apart into its
sign, its exponent and a significand whose highest bit is bit 62; the bits below those that stay, and whether anything
below them was lost, decide about rounding. Numbers below 2^-1022 are 0: no float32 leads to one. There are few
branches, as drivers compile each function again where it is called.
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
fn d_exponent_(x: vec2<u32>) -> i32 { return i32((x.y >> 20u) & 0x7ffu); }
fn d_significand_(x: vec2<u32>) -> vec2<u32> {
  let bits = vec2<u32>(x.x << 10u, ((x.y & 0xfffffu) << 10u) | (x.x >> 22u) | 0x40000000u);
  return select(bits, vec2<u32>(0u, 0u), (x.y & 0x7ff00000u) == 0u);
}
fn some64_(x: vec2<u32>) -> u32 { return select(0u, 1u, (x.x | x.y) != 0u); }
fn jam64_(x: vec2<u32>, count: i32) -> vec2<u32> {
  let n = u32(clamp(count, 0, 63));
  let moved = lshr64_(x, n);
  return vec2<u32>(moved.x | some64_(shl64_(moved, n) ^ x), moved.y);
}
fn d_packed_(sign: u32, exponent: i32, significand: vec2<u32>) -> vec2<u32> {
  let up = zeros64_(significand);
  let e = exponent - up;
  var bits = shl64_(significand, u32(up));
  let rest = bits.x & 0x7ffu;
  bits = lshr64_(bits, 11u);
  let more = select(0u, 1u, rest > 0x400u || (rest == 0x400u && (bits.x & 1u) == 1u));
  bits = add64_(bits, vec2<u32>(more, 0u));
  // The highest bit of the significand is added to the exponent, which is one less therefore.
  let top = (u32(e) << 20u) + bits.y;
  let none = vec2<u32>(0u, sign);
  let found = select(vec2<u32>(bits.x, sign | top), none | vec2<u32>(0u, 0x7ff00000u), e >= 0x7fe);
  return select(found, none, e < 0 || some64_(significand) == 0u);
}
fn d_add_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let swapped = ult64_(d_abs_(x), d_abs_(y));
  let a = select(x, y, swapped);
  let b = select(y, x, swapped);
  let exponent = d_exponent_(a);
  let large = lshr64_(d_significand_(a), 1u);
  let small = jam64_(lshr64_(d_significand_(b), 1u), exponent - d_exponent_(b));
  let differ = ((a.y ^ b.y) >> 31u) != 0u;
  let total = select(add64_(large, small), sub64_(large, small), differ);
  let sign = select(a.y, x.y & y.y, some64_(total) == 0u) & 0x80000000u;
  let found = d_packed_(sign, exponent + 1, total);
  let broken = d_nan_(a) || (differ && d_exponent_(b) == 0x7ff);
  return select(found, select(a, vec2<u32>(0u, 0x7ff80000u), broken), exponent == 0x7ff);
}
fn d_sub_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> { return d_add_(x, d_neg_(y)); }
fn d_mul_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let sign = (x.y ^ y.y) & 0x80000000u;
  let e = d_exponent_(x);
  let f = d_exponent_(y);
  let a = d_significand_(x);
  let b = d_significand_(y);
  var high = umulh64_(a, b);
  high.x |= some64_(mul64_(a, b));
  let found = d_packed_(sign, e + f - 1021, high);
  let none = some64_(a) == 0u || some64_(b) == 0u;
  let broken = d_nan_(x) || d_nan_(y) || none;
  let endless = select(vec2<u32>(0u, sign | 0x7ff00000u), vec2<u32>(0u, 0x7ff80000u), broken);
  return select(found, endless, max(e, f) == 0x7ff);
}
fn d_fma_(x: vec2<u32>, y: vec2<u32>, z: vec2<u32>) -> vec2<u32> { return d_add_(d_mul_(x, y), z); }
fn d_div_(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let sign = (x.y ^ y.y) & 0x80000000u;
  let e = d_exponent_(x);
  let f = d_exponent_(y);
  var rest = d_significand_(x);
  let divisor = d_significand_(y);
  var quotient = vec2<u32>(0u, 0u);
  for (var n = 0; n < 57; n++) {
    let fits = !ult64_(rest, divisor);
    quotient = shl64_(quotient, 1u) | vec2<u32>(select(0u, 1u, fits), 0u);
    rest = shl64_(select(rest, sub64_(rest, divisor), fits), 1u);
  }
  quotient = shl64_(quotient, 6u) | vec2<u32>(some64_(rest), 0u);
  let found = d_packed_(sign, e - f + 1023, quotient);
  let endless = vec2<u32>(0u, sign | 0x7ff00000u);
  let broken = d_nan_(x) || d_nan_(y) || (e == 0x7ff && f == 0x7ff) || (e == 0 && f == 0);
  let special = select(select(vec2<u32>(0u, sign), endless, e == 0x7ff || f == 0), vec2<u32>(0u, 0x7ff80000u), broken);
  return select(found, special, e == 0x7ff || f == 0x7ff || f == 0 || e == 0);
}
fn d_sqrt_(x: vec2<u32>) -> vec2<u32> {
  let exponent = d_exponent_(x) - 1023;
  // Bit by bit, of the significand and zeros after it: 56 bits of the root.
  var bits = shl64_(d_significand_(x), u32(exponent & 1));
  var root = vec2<u32>(0u, 0u);
  var rest = vec2<u32>(0u, 0u);
  for (var n = 0; n < 56; n++) {
    rest = shl64_(rest, 2u) | lshr64_(bits, 62u);
    bits = shl64_(bits, 2u);
    let trial = shl64_(root, 2u) | vec2<u32>(1u, 0u);
    let fits = !ult64_(rest, trial);
    root = shl64_(root, 1u) | vec2<u32>(select(0u, 1u, fits), 0u);
    rest = select(rest, sub64_(rest, trial), fits);
  }
  root = shl64_(root, 7u) | vec2<u32>(some64_(rest), 0u);
  let found = d_packed_(0u, (exponent >> 1u) + 1023, root);
  let negative = (x.y >> 31u) != 0u && d_exponent_(x) != 0;
  let special = select(x, vec2<u32>(0u, 0x7ff80000u), negative && !d_nan_(x));
  return select(found, special, negative || d_exponent_(x) == 0x7ff || d_exponent_(x) == 0);
}
fn d_zero_(x: vec2<u32>) -> bool { return (x.x | (x.y & 0x7fffffffu)) == 0u; }
fn d_eq_(x: vec2<u32>, y: vec2<u32>) -> bool {
  return !d_nan_(x) && !d_nan_(y) && (eq64_(x, y) || (d_zero_(x) && d_zero_(y)));
}
fn d_lt_(x: vec2<u32>, y: vec2<u32>) -> bool {
  let negative = (x.y >> 31u) != 0u;
  let less = select(ult64_(x, y), ult64_(y, x), negative);
  let differ = ((x.y ^ y.y) >> 31u) != 0u;
  let found = select(less, negative, differ);
  return found && !d_nan_(x) && !d_nan_(y) && !(d_zero_(x) && d_zero_(y));
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
  let up = countLeadingZeros(size | 1u) - 8u;
  let moved = (size << up) & 0x7fffffu;
  let small = vec2<u32>(moved << 29u, sign | ((897u - up) << 20u) | (moved >> 3u));
  let endless = select(0x38000000u, 0x70000000u, size >= 0x7f800000u);
  let normal = vec2<u32>(size << 29u, sign | ((size >> 3u) + endless));
  let found = select(normal, small, size < 0x800000u);
  return select(found, vec2<u32>(0u, sign), size == 0u);
}
fn float_of_d_(x: vec2<u32>) -> f32 {
  let sign = x.y & 0x80000000u;
  let exponent = d_exponent_(x) - 896;
  let significand = d_significand_(x);
  // 31 bits, whether any is below them, and the rounding of a number that is too small for a whole significand.
  let count = u32(clamp(1 - exponent, 0, 31));
  let whole = significand.y | select(0u, 1u, significand.x != 0u);
  let bits = (whole >> count) | select(0u, 1u, ((whole >> count) << count) != whole);
  let rest = bits & 0x7fu;
  let more = select(0u, 1u, rest > 0x40u || (rest == 0x40u && ((bits >> 7u) & 1u) == 1u));
  let found = (u32(max(exponent - 1, 0)) << 23u) + (bits >> 7u) + more;
  let special = select(select(found, 0x7f800000u, exponent >= 0xff), 0x7fc00000u, d_nan_(x));
  return float_(sign | special);
}
fn d_of_u64_(x: vec2<u32>) -> vec2<u32> { return d_packed_(0u, 1023 + 62, x); }
fn d_of_i64_(x: vec2<u32>) -> vec2<u32> { return d_packed_(x.y & 0x80000000u, 1023 + 62, size64_(x)); }
fn u64_of_d_(x: vec2<u32>) -> vec2<u32> {
  let exponent = d_exponent_(x) - 1023;
  let bits = lshr64_(shl64_(d_significand_(x), 1u), u32(clamp(63 - exponent, 0, 63)));
  return select(bits, vec2<u32>(0u, 0u), exponent < 0);
}
fn i64_of_d_(x: vec2<u32>) -> vec2<u32> {
  let size = u64_of_d_(x);
  return select(size, neg64_(size), (x.y >> 31u) != 0u);
}
"""

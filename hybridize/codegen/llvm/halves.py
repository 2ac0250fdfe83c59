# SPDX-License-Identifier: Apache-2.0
"""Conversions between float32 and the two 16-bit floats, for machines that have no instruction for them.

LLVM then calls `__extendhfsf2` and its kin, which live in a compiler's run-time library that need not be there. They
are written here in integer arithmetic, round to nearest even, and appended to the modules that would call them.
"""

from __future__ import annotations

from hybridize.codegen.target import Target

# Subnormal halves are rounded by the float adder: adding 0.5 leaves their bits at the bottom of the significand.
_FROM_HALF = """
define hidden float @__extendhfsf2(half %x) nounwind {
  %h = bitcast half %x to i16
  %b = zext i16 %h to i32
  %s = and i32 %b, 32768
  %sign = shl i32 %s, 16
  %e = and i32 %b, 32767
  %m = shl i32 %e, 13
  %normal = add i32 %m, 939524096
  %special = or i32 %m, 2139095040
  %isspecial = icmp uge i32 %e, 31744
  %issmall = icmp ult i32 %e, 1024
  %small = uitofp i32 %e to float
  %scaled = fmul float %small, 0x3E70000000000000
  %smallbits = bitcast float %scaled to i32
  %r1 = select i1 %isspecial, i32 %special, i32 %normal
  %r2 = select i1 %issmall, i32 %smallbits, i32 %r1
  %r = or i32 %r2, %sign
  %f = bitcast i32 %r to float
  ret float %f
}
"""
_TO_HALF = """
define hidden half @__truncsfhf2(float %x) nounwind {
  %b = bitcast float %x to i32
  %s = lshr i32 %b, 16
  %sign = and i32 %s, 32768
  %a = and i32 %b, 2147483647
  %isnan = icmp ugt i32 %a, 2139095040
  %isbig = icmp uge i32 %a, 1199566848
  %issmall = icmp ult i32 %a, 947912704
  %af = bitcast i32 %a to float
  %sum = fadd float %af, 0x3FE0000000000000
  %sumbits = bitcast float %sum to i32
  %small = sub i32 %sumbits, 1056964608
  %odd0 = lshr i32 %a, 13
  %odd = and i32 %odd0, 1
  %bias = add i32 %a, 3355447295
  %rounded = add i32 %bias, %odd
  %normal = lshr i32 %rounded, 13
  %r1 = select i1 %issmall, i32 %small, i32 %normal
  %r2 = select i1 %isbig, i32 31744, i32 %r1
  %r3 = select i1 %isnan, i32 32256, i32 %r2
  %r4 = or i32 %r3, %sign
  %r5 = trunc i32 %r4 to i16
  %h = bitcast i16 %r5 to half
  ret half %h
}
"""
# Through float32 with the discarded bits kept in the last one (round to odd), so that rounding twice rounds once.
_NARROW = """
define hidden float @hybridize.narrow(double %x) nounwind {
  %f = fptrunc double %x to float
  %back = fpext float %f to double
  %exact = fcmp ueq double %back, %x
  %bits = bitcast float %f to i32
  %absback0 = bitcast double %back to i64
  %absback = and i64 %absback0, 9223372036854775807
  %absx0 = bitcast double %x to i64
  %absx = and i64 %absx0, 9223372036854775807
  %over = icmp ugt i64 %absback, %absx
  %down = sub i32 %bits, 1
  %toward0 = select i1 %over, i32 %down, i32 %bits
  %odd = or i32 %toward0, 1
  %r = select i1 %exact, i32 %bits, i32 %odd
  %y = bitcast i32 %r to float
  ret float %y
}
"""
_DOUBLE_TO_HALF = """
define hidden half @__truncdfhf2(double %x) nounwind {
  %f = call float @hybridize.narrow(double %x)
  %h = call half @__truncsfhf2(float %f)
  ret half %h
}
"""
_TO_BFLOAT = """
define hidden bfloat @__truncsfbf2(float %x) nounwind {
  %b = bitcast float %x to i32
  %isnan = fcmp uno float %x, %x
  %s = lshr i32 %b, 16
  %odd = and i32 %s, 1
  %bias = add i32 %b, 32767
  %rounded = add i32 %bias, %odd
  %high = lshr i32 %rounded, 16
  %quiet = or i32 %s, 64
  %r = select i1 %isnan, i32 %quiet, i32 %high
  %r16 = trunc i32 %r to i16
  %h = bitcast i16 %r16 to bfloat
  ret bfloat %h
}
"""
_DOUBLE_TO_BFLOAT = """
define hidden bfloat @__truncdfbf2(double %x) nounwind {
  %f = call float @hybridize.narrow(double %x)
  %h = call bfloat @__truncsfbf2(float %f)
  ret bfloat %h
}
"""


def conversions(text: str, target: Target) -> str:
    """The functions that code generation of the module `text` may call on `target`, as text to append to it."""
    half, bfloat = "half" in text, "bfloat" in text
    parts = []
    if half and not target.halves:
        parts += [_FROM_HALF, _TO_HALF]
    if half and "double" in text:
        parts += [*([_TO_HALF] if target.halves else []), _DOUBLE_TO_HALF]
    if bfloat:
        parts += [_TO_BFLOAT, _DOUBLE_TO_BFLOAT]
    if _DOUBLE_TO_HALF in parts or _DOUBLE_TO_BFLOAT in parts:
        parts.append(_NARROW)
    return "".join(parts)

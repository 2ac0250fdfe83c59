# SPDX-License-Identifier: Apache-2.0
"""Numbers and dtypes of `hybridize.np`."""

from __future__ import annotations

import math

import numpy

from hybridize.base import dtypes

pi, e, inf, nan, euler_gamma = math.pi, math.e, math.inf, math.nan, numpy.euler_gamma
newaxis = None
bool_ = bool = numpy.bool_
int8, int16, int32, int64 = numpy.int8, numpy.int16, numpy.int32, numpy.int64
uint8, uint16, uint32, uint64 = numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64
float16, float32, float64 = numpy.float16, numpy.float32, numpy.float64
complex64, complex128 = numpy.complex64, numpy.complex128
bfloat16 = dtypes.bfloat16
integer_dtypes = [numpy.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)]
floating_dtypes = [numpy.dtype(f"float{bits}") for bits in (16, 32, 64)]
numeric_dtypes = [*integer_dtypes, *floating_dtypes]
boolean_dtypes = [numpy.dtype("bool")]
"""MXNet's lists of dtypes, for tests that go through them."""
dtype = numpy.dtype
finfo, iinfo = numpy.finfo, numpy.iinfo
half, single, double = numpy.half, numpy.single, numpy.double
byte, short, intc, int_, intp = numpy.byte, numpy.short, numpy.intc, numpy.int_, numpy.intp
long, longlong = numpy.long, numpy.longlong
ubyte, ushort, uintc, uint, uintp = numpy.ubyte, numpy.ushort, numpy.uintc, numpy.uint, numpy.uintp
ulong, ulonglong = numpy.ulong, numpy.ulonglong
generic, number, integer, inexact, floating = (
    numpy.generic,
    numpy.number,
    numpy.integer,
    numpy.inexact,
    numpy.floating,
)
signedinteger, unsignedinteger = numpy.signedinteger, numpy.unsignedinteger
True_, False_ = numpy.True_, numpy.False_
typename, mintypecode = numpy.typename, numpy.mintypecode

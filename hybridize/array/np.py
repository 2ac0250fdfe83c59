# SPDX-License-Identifier: Apache-2.0
"""`hybridize.np`: NumPy's functions on our arrays, with MXNet's defaults (float32); they run imperatively and compile."""

from __future__ import annotations

import math

import numpy

from hybridize.array import linalg, random
from hybridize.array.functions.creation import (
    arange, array, asarray, ascontiguousarray, blackman, copy, diag, diagflat, diagonal, empty, empty_like, eye,
    fill_diagonal, from_dlpack, full, full_like, hamming, hanning, identity, indices, linspace, logspace, meshgrid,
    ones, ones_like, tri, tril, tril_indices, triu, triu_indices, zeros, zeros_like,
)  # fmt: skip
from hybridize.array.functions.elementwise import (
    absolute, add, arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh, around, astype, bitwise_and, bitwise_or,
    bitwise_xor, can_cast, cbrt, ceil, clip, copysign, cos, cosh, degrees, divide, divmod, equal, exp, exp2, expm1,  # noqa: A004
    fix, floor, floor_divide, fmax, fmin, fmod, greater, greater_equal, heaviside, hypot, invert, isfinite, isinf,
    isnan, isneginf, isposinf, ldexp, left_shift, less, less_equal, log, log1p, log2, log10, logaddexp, logical_and,
    logical_not, logical_or, logical_xor, maximum, minimum, mod, multiply, nan_to_num, negative, not_equal, positive,
    power, radians, reciprocal, right_shift, rint, sign, signbit, sin, sinc, sinh, sqrt, square, subtract, tan, tanh,
    trunc, where,
)  # fmt: skip
from hybridize.array.functions.linear import (
    cross, dot, einsum, inner, kron, matmul, outer, tensordot, trace, vdot,
)  # fmt: skip
from hybridize.array.functions.reductions import (
    all, any, argmax, argmin, average, count_nonzero, cumprod, cumsum, diff, ediff1d, max, mean, min, nanmax, nanmean,  # noqa: A004
    nanmin, nanprod, nansum, prod, ptp, std, sum, trapezoid, var,  # noqa: A004
)  # fmt: skip
from hybridize.array.functions.searching import (
    allclose, argsort, array_equal, data_dependent, delete, digitize, insert, interp, isclose, isin, median, percentile,
    quantile, ravel_multi_index, searchsorted, sort, take, take_along_axis, unravel_index,
)  # fmt: skip
from hybridize.array.functions.shapes import (
    append, array_split, atleast_1d, atleast_2d, atleast_3d, broadcast_arrays, broadcast_to, column_stack, concatenate,
    dsplit, dstack, expand_dims, flip, fliplr, flipud, hsplit, hstack, moveaxis, ndim, pad, ravel, repeat, reshape,
    resize, roll, rollaxis, rot90, shape, size, split, squeeze, stack, swapaxes, tile, transpose, vsplit, vstack,
)  # fmt: skip
from hybridize.array.ndarray import ndarray
from hybridize.base import dtypes

abs = fabs = absolute  # noqa: A001
amax, amin = max, min
true_divide = divide
remainder = mod
round = round_ = around  # noqa: A001
bitwise_not = bitwise_invert = invert
bitwise_left_shift, bitwise_right_shift = left_shift, right_shift
deg2rad, rad2deg = radians, degrees
acos, acosh, asin, asinh, atan, atan2, atanh = arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh
pow = power  # noqa: A001
concat = concatenate
permute_dims = transpose
matrix_transpose = linalg.matrix_transpose
row_stack = vstack
vecdot = inner

_BY_NUMPY = (
    "unique",
    "nonzero",
    "flatnonzero",
    "argwhere",
    "bincount",
    "histogram",
    "gcd",
    "lcm",
    "polyval",
    "setdiff1d",
    "union1d",
    "intersect1d",
    "genfromtxt",
    "vander",
    "unwrap",
    "nanmedian",
    "nanstd",
    "nanvar",
)

(
    unique,
    nonzero,
    flatnonzero,
    argwhere,
    bincount,
    histogram,
    gcd,
    lcm,
    polyval,
    setdiff1d,
    union1d,
    intersect1d,
    genfromtxt,
    vander,
    unwrap,
    nanmedian,
    nanstd,
    nanvar,
) = (data_dependent(name, getattr(numpy, name)) for name in _BY_NUMPY)

pi, e, inf, nan, euler_gamma = math.pi, math.e, math.inf, math.nan, numpy.euler_gamma
newaxis = None
bool_ = bool = numpy.bool_  # noqa: A001
int8, int16, int32, int64 = numpy.int8, numpy.int16, numpy.int32, numpy.int64
uint8, uint16, uint32, uint64 = numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64
float16, float32, float64 = numpy.float16, numpy.float32, numpy.float64
bfloat16 = dtypes.bfloat16
dtype = numpy.dtype
finfo, iinfo = numpy.finfo, numpy.iinfo
result_type, promote_types = numpy.result_type, numpy.promote_types
set_printoptions = numpy.set_printoptions

__all__ = [
    name
    for name in dir()
    if not name.startswith("_") and name not in ("annotations", "data_dependent", "dtypes", "math", "numpy")
]

# SPDX-License-Identifier: Apache-2.0
"""`hybridize.np`: NumPy's functions on our arrays, with MXNet's defaults (float32); imperative and compiled."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.base.missing import by_numpy
from hybridize.base.names import late, loaded, places

_OF_NUMPY = (
    "False_ True_ base_repr binary_repr bool bool_ byte complex64 complex128 double dtype e euler_gamma finfo float16 "
    "float32 float64 floating generic get_printoptions half iinfo inexact inf int8 int16 int32 int64 int_ intc integer "
    "intp long longlong mintypecode nan newaxis number pi printoptions set_printoptions short signedinteger single "
    "typename ubyte uint uint8 uint16 uint32 uint64 uintc uintp ulong ulonglong unsignedinteger ushort"
)
"""Numbers, dtypes and functions that are NumPy's own."""

PLACES = places(
    "hybridize.array",
    {
        "constants": "bfloat16 boolean_dtypes floating_dtypes integer_dtypes numeric_dtypes",
        "functions.applying": "apply_along_axis apply_over_axes fromfunction frompyfunc vectorize",
        "functions.bits": "bitwise_count float_power frexp logaddexp2 modf nextafter packbits spacing unpackbits",
        "functions.creation": (
            "arange array asanyarray=asarray asarray ascontiguousarray copy diag diagflat diagonal empty "
            "empty_like eye fill_diagonal from_dlpack full full_like geomspace identity indices "
            "linspace logspace meshgrid ones ones_like tri tril tril_indices triu triu_indices zeros zeros_like"
        ),
        "functions.data_sized": (
            "argwhere array2string array_repr array_str bincount einsum_path flatnonzero fromiter genfromtxt "
            "histogram2d histogram_bin_edges histogramdd intersect1d may_share_memory nonzero polydiv roots setdiff1d "
            "setxor1d shares_memory sort_complex trim_zeros union1d unique unique_all unique_counts unique_inverse "
            "unique_values"
        ),
        "functions.divisors": "gcd lcm",
        "functions.elementwise": (
            "abs=absolute absolute acos=arccos acosh=arccosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh "
            "around asin=arcsin asinh=arcsinh astype atan=arctan atan2=arctan2 atanh=arctanh bitwise_and "
            "bitwise_invert=invert bitwise_left_shift=left_shift bitwise_not=invert bitwise_or "
            "bitwise_right_shift=right_shift bitwise_xor can_cast cbrt ceil clip copysign cos cosh deg2rad=radians "
            "degrees divide divmod equal exp exp2 expm1 fabs fix floor floor_divide fmax fmin fmod greater "
            "greater_equal heaviside hypot invert isfinite isinf isnan isneginf isposinf ldexp left_shift less "
            "less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum "
            "mod multiply nan_to_num negative not_equal positive pow=power power promote_types rad2deg=degrees "
            "radians reciprocal remainder=mod result_type right_shift rint round=around round_=around sign signbit "
            "sin sinc sinh sqrt square subtract tan tanh true_divide=divide trunc where"
        ),
        "functions.files": "frombuffer fromfile fromstring load loadtxt save savetxt savez savez_compressed",
        "functions.grids": (
            "broadcast_shapes c_ diag_indices diag_indices_from index_exp ix_ mask_indices mgrid ndenumerate ndindex "
            "ogrid r_ s_ tril_indices_from triu_indices_from"
        ),
        "functions.kinds": (
            "angle asarray_chkfinite asfortranarray common_type conj conjugate=conj imag iscomplex iscomplexobj "
            "isdtype isfortran isreal isrealobj isscalar issubdtype iterable min_scalar_type real real_if_close require"
        ),
        "functions.linear": "cross dot einsum inner kron matmul matvec outer tensordot trace vdot vecdot vecmat",
        "functions.numerics": "nanmedian nanstd nanvar unwrap",
        "functions.ordering": "argpartition lexsort partition",
        "functions.padding": "pad",
        "functions.placing": "choose compress copyto extract piecewise place put put_along_axis putmask select",
        "functions.polynomials": "poly polyadd polyder polyfit polyint polymul polysub polyval vander",
        "functions.printing": (
            "errstate format_float_positional format_float_scientific geterr geterrcall seterr seterrcall"
        ),
        "functions.reductions": (
            "all amax=max amin=min any argmax argmin average count_nonzero cumprod cumsum cumulative_prod "
            "cumulative_sum diff ediff1d max mean min nancumprod nancumsum nanmax nanmean nanmin nanprod nansum prod "
            "ptp std sum trapezoid var"
        ),
        "functions.searching": (
            "allclose argsort array_equal array_equiv delete digitize insert interp isclose isin median percentile "
            "quantile ravel_multi_index searchsorted sort take take_along_axis unravel_index"
        ),
        "functions.shapes": (
            "append array_split atleast_1d atleast_2d atleast_3d block broadcast_arrays broadcast_to column_stack "
            "concat=concatenate concatenate dsplit dstack expand_dims flip fliplr flipud hsplit hstack moveaxis ndim "
            "permute_dims=transpose ravel repeat reshape resize roll rollaxis rot90 row_stack=vstack shape size split "
            "squeeze stack swapaxes tile transpose unstack vsplit vstack"
        ),
        "functions.signals": "bartlett blackman convolve correlate gradient hamming hanning i0 kaiser",
        "functions.statistics": "corrcoef cov histogram nanargmax nanargmin nanpercentile nanquantile",
        "linalg": "matrix_transpose",
        "ndarray": "ndarray",
    },
)
PLACES |= {name: f"hybridize.array.{name}" for name in ("fft", "linalg", "random")}
PLACES |= {name: f"numpy:{name}" for name in _OF_NUMPY.split()}
"""Places of the names."""

__all__ = sorted(PLACES)


def _with_methods(name: str, function: Any) -> None:
    if type(vars(numpy).get(name)) is numpy.ufunc:
        loaded("hybridize.array.functions.ufuncs").give_methods({name: function})


__getattr__, __dir__ = late(globals(), PLACES, by_numpy("numpy"), _with_methods)

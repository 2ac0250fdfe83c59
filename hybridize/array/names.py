# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions by the modules of `array/functions` that define them; written by `docs/make.py` from these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NAMES: Final[Mapping[str, str]] = {
    "applying": "apply_along_axis apply_over_axes fromfunction frompyfunc vectorize",
    "bits": "bitwise_count float_power frexp logaddexp2 modf nextafter packbits spacing unpackbits",
    "creation": (
        "arange array asarray ascontiguousarray diag diagflat diagonal empty empty_like eye fill_diagonal from_dlpack "
        "full full_like geomspace identity indices linspace logspace meshgrid ones ones_like tri tril tril_indices "
        "triu triu_indices zeros zeros_like"
    ),
    "divisors": "gcd lcm",
    "elementwise": (
        "absolute add arctan2 around astype bitwise_and bitwise_or bitwise_xor can_cast clip copysign degrees divide "
        "divmod equal fabs fix floor_divide fmax fmin fmod greater greater_equal heaviside hypot invert isneginf "
        "isposinf ldexp left_shift less less_equal logaddexp logical_and logical_not logical_or logical_xor maximum "
        "minimum mod multiply nan_to_num negative not_equal positive power promote_types radians reciprocal "
        "result_type right_shift rint sign signbit sinc square subtract where"
    ),
    "files": "frombuffer fromfile fromstring load loadtxt save savetxt savez savez_compressed",
    "grids": (
        "broadcast_shapes c_ diag_indices diag_indices_from index_exp ix_ mask_indices mgrid ndenumerate ndindex "
        "ogrid r_ s_ tril_indices_from triu_indices_from"
    ),
    "kinds": (
        "angle asarray_chkfinite asfortranarray common_type conj imag iscomplex iscomplexobj isdtype isfortran isreal "
        "isrealobj isscalar issubdtype iterable min_scalar_type real real_if_close"
    ),
    "linear": "cross dot einsum inner kron matmul matvec outer tensordot trace vdot vecdot vecmat",
    "numerics": "nanmedian nanstd nanvar unwrap",
    "ordering": "argpartition lexsort partition",
    "placing": "choose compress copyto extract piecewise place put put_along_axis putmask select",
    "polynomials": "poly polyadd polyder polyfit polyint polymul polysub polyval vander",
    "printing": "errstate format_float_positional format_float_scientific geterr geterrcall seterr seterrcall",
    "reductions": (
        "all any argmax argmin average count_nonzero cumprod cumsum cumulative_prod cumulative_sum diff ediff1d max "
        "mean min nancumprod nancumsum nanmax nanmean nanmin nanprod nansum prod ptp std sum trapezoid var"
    ),
    "searching": (
        "allclose argsort array_equal array_equiv delete digitize insert interp isclose isin median percentile "
        "quantile ravel_multi_index searchsorted sort take take_along_axis unravel_index"
    ),
    "sets": "bincount intersect1d setdiff1d union1d unique",
    "shapes": (
        "append array_split atleast_1d atleast_2d atleast_3d block broadcast_arrays broadcast_to column_stack "
        "concatenate dsplit dstack expand_dims flip fliplr flipud hsplit hstack moveaxis ndim ravel repeat resize "
        "roll rollaxis rot90 shape size split squeeze stack swapaxes tile transpose unstack vsplit vstack"
    ),
    "signals": "bartlett blackman convolve correlate gradient hamming hanning i0 kaiser",
    "statistics": "corrcoef cov histogram nanargmax nanargmin nanpercentile nanquantile",
}

# Written by `docs/make.py` from the module's table of names.

import builtins
from typing import Any, NamedTuple, overload

import numpy

from hybridize.array.constants import bfloat16 as bfloat16
from hybridize.array.constants import boolean_dtypes as boolean_dtypes
from hybridize.array.constants import floating_dtypes as floating_dtypes
from hybridize.array.constants import integer_dtypes as integer_dtypes
from hybridize.array.constants import numeric_dtypes as numeric_dtypes
from hybridize.array import fft as fft
from hybridize.array.functions.applying import frompyfunc as frompyfunc
from hybridize.array.functions.applying import vectorize as vectorize
from hybridize.array.functions.creation import array as array
from hybridize.array.functions.creation import asarray as asanyarray
from hybridize.array.functions.creation import asarray as asarray
from hybridize.array.functions.creation import ascontiguousarray as ascontiguousarray
from hybridize.array.functions.creation import fill_diagonal as fill_diagonal
from hybridize.array.functions.creation import identity as identity
from hybridize.array.functions.creation import tril as tril
from hybridize.array.functions.creation import triu as triu
from hybridize.array.functions.elementwise import can_cast as can_cast
from hybridize.array.functions.elementwise import promote_types as promote_types
from hybridize.array.functions.elementwise import result_type as result_type
from hybridize.array.functions.files import save as save
from hybridize.array.functions.files import savetxt as savetxt
from hybridize.array.functions.files import savez as savez
from hybridize.array.functions.files import savez_compressed as savez_compressed
from hybridize.array.functions.grids import broadcast_shapes as broadcast_shapes
from hybridize.array.functions.grids import c_ as c_
from hybridize.array.functions.grids import index_exp as index_exp
from hybridize.array.functions.grids import mgrid as mgrid
from hybridize.array.functions.grids import ndenumerate as ndenumerate
from hybridize.array.functions.grids import ndindex as ndindex
from hybridize.array.functions.grids import ogrid as ogrid
from hybridize.array.functions.grids import r_ as r_
from hybridize.array.functions.grids import s_ as s_
from hybridize.array.functions.kinds import iscomplexobj as iscomplexobj
from hybridize.array.functions.kinds import isdtype as isdtype
from hybridize.array.functions.kinds import isfortran as isfortran
from hybridize.array.functions.kinds import isrealobj as isrealobj
from hybridize.array.functions.kinds import isscalar as isscalar
from hybridize.array.functions.kinds import issubdtype as issubdtype
from hybridize.array.functions.kinds import iterable as iterable
from hybridize.array.functions.kinds import min_scalar_type as min_scalar_type
from hybridize.array.functions.placing import copyto as copyto
from hybridize.array.functions.placing import place as place
from hybridize.array.functions.placing import put as put
from hybridize.array.functions.placing import put_along_axis as put_along_axis
from hybridize.array.functions.placing import putmask as putmask
from hybridize.array.functions.printing import errstate as errstate
from hybridize.array.functions.printing import format_float_positional as format_float_positional
from hybridize.array.functions.printing import format_float_scientific as format_float_scientific
from hybridize.array.functions.shapes import ndim as ndim
from hybridize.array.functions.shapes import shape as shape
from hybridize.array.functions.shapes import size as size
from hybridize.array import linalg as linalg
from hybridize.array.ndarray import ndarray as ndarray
from hybridize.array import random as random
from numpy import False_ as False_
from numpy import True_ as True_
from numpy import base_repr as base_repr
from numpy import binary_repr as binary_repr
from numpy import bool as bool
from numpy import bool_ as bool_
from numpy import byte as byte
from numpy import complex128 as complex128
from numpy import complex64 as complex64
from numpy import double as double
from numpy import dtype as dtype
from numpy import e as e
from numpy import euler_gamma as euler_gamma
from numpy import finfo as finfo
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import floating as floating
from numpy import generic as generic
from numpy import get_printoptions as get_printoptions
from numpy import half as half
from numpy import iinfo as iinfo
from numpy import inexact as inexact
from numpy import inf as inf
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import int8 as int8
from numpy import int_ as int_
from numpy import intc as intc
from numpy import integer as integer
from numpy import intp as intp
from numpy import long as long
from numpy import longlong as longlong
from numpy import mintypecode as mintypecode
from numpy import nan as nan
from numpy import newaxis as newaxis
from numpy import number as number
from numpy import pi as pi
from numpy import printoptions as printoptions
from numpy import set_printoptions as set_printoptions
from numpy import short as short
from numpy import signedinteger as signedinteger
from numpy import single as single
from numpy import typename as typename
from numpy import ubyte as ubyte
from numpy import uint as uint
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64
from numpy import uint8 as uint8
from numpy import uintc as uintc
from numpy import uintp as uintp
from numpy import ulong as ulong
from numpy import ulonglong as ulonglong
from numpy import unsignedinteger as unsignedinteger
from numpy import ushort as ushort

PLACES: dict[str, str]
__all__ = [
    "False_", "True_", "abs", "absolute", "acos", "acosh", "add", "all", "allclose", "amax", "amin", "angle", "any",
    "append", "apply_along_axis", "apply_over_axes", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
    "arctan2", "arctanh", "argmax", "argmin", "argpartition", "argsort", "argwhere", "around", "array",
    "array2string", "array_equal", "array_equiv", "array_repr", "array_split", "array_str", "asanyarray", "asarray",
    "asarray_chkfinite", "ascontiguousarray", "asfortranarray", "asin", "asinh", "astype", "atan", "atan2", "atanh",
    "atleast_1d", "atleast_2d", "atleast_3d", "average", "bartlett", "base_repr", "bfloat16", "binary_repr",
    "bincount", "bitwise_and", "bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "blackman", "block", "bool", "bool_", "boolean_dtypes", "broadcast_arrays",
    "broadcast_shapes", "broadcast_to", "byte", "c_", "can_cast", "cbrt", "ceil", "choose", "clip", "column_stack",
    "common_type", "complex128", "complex64", "compress", "concat", "concatenate", "conj", "conjugate", "convolve",
    "copy", "copysign", "copyto", "corrcoef", "correlate", "cos", "cosh", "count_nonzero", "cov", "cross", "cumprod",
    "cumsum", "cumulative_prod", "cumulative_sum", "deg2rad", "degrees", "delete", "diag", "diag_indices",
    "diag_indices_from", "diagflat", "diagonal", "diff", "digitize", "divide", "divmod", "dot", "double", "dsplit",
    "dstack", "dtype", "e", "ediff1d", "einsum", "einsum_path", "empty", "empty_like", "equal", "errstate",
    "euler_gamma", "exp", "exp2", "expand_dims", "expm1", "extract", "eye", "fabs", "fft", "fill_diagonal", "finfo",
    "fix", "flatnonzero", "flip", "fliplr", "flipud", "float16", "float32", "float64", "float_power", "floating",
    "floating_dtypes", "floor", "floor_divide", "fmax", "fmin", "fmod", "format_float_positional",
    "format_float_scientific", "frexp", "from_dlpack", "frombuffer", "fromfile", "fromfunction", "fromiter",
    "frompyfunc", "fromstring", "full", "full_like", "gcd", "generic", "genfromtxt", "geomspace", "get_printoptions",
    "geterr", "geterrcall", "gradient", "greater", "greater_equal", "half", "hamming", "hanning", "heaviside",
    "histogram", "histogram2d", "histogram_bin_edges", "histogramdd", "hsplit", "hstack", "hypot", "i0", "identity",
    "iinfo", "imag", "index_exp", "indices", "inexact", "inf", "inner", "insert", "int16", "int32", "int64", "int8",
    "int_", "intc", "integer", "integer_dtypes", "interp", "intersect1d", "intp", "invert", "isclose", "iscomplex",
    "iscomplexobj", "isdtype", "isfinite", "isfortran", "isin", "isinf", "isnan", "isneginf", "isposinf", "isreal",
    "isrealobj", "isscalar", "issubdtype", "iterable", "ix_", "kaiser", "kron", "lcm", "ldexp", "left_shift", "less",
    "less_equal", "lexsort", "linalg", "linspace", "load", "loadtxt", "log", "log10", "log1p", "log2", "logaddexp",
    "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "logspace", "long", "longlong",
    "mask_indices", "matmul", "matrix_transpose", "matvec", "max", "maximum", "may_share_memory", "mean", "median",
    "meshgrid", "mgrid", "min", "min_scalar_type", "minimum", "mintypecode", "mod", "modf", "moveaxis", "multiply",
    "nan", "nan_to_num", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian",
    "nanmin", "nanpercentile", "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "ndarray", "ndenumerate",
    "ndim", "ndindex", "negative", "newaxis", "nextafter", "nonzero", "not_equal", "number", "numeric_dtypes",
    "ogrid", "ones", "ones_like", "outer", "packbits", "pad", "partition", "percentile", "permute_dims", "pi",
    "piecewise", "place", "poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub",
    "polyval", "positive", "pow", "power", "printoptions", "prod", "promote_types", "ptp", "put", "put_along_axis",
    "putmask", "quantile", "r_", "rad2deg", "radians", "random", "ravel", "ravel_multi_index", "real",
    "real_if_close", "reciprocal", "remainder", "repeat", "require", "reshape", "resize", "result_type",
    "right_shift", "rint", "roll", "rollaxis", "roots", "rot90", "round", "round_", "row_stack", "s_", "save",
    "savetxt", "savez", "savez_compressed", "searchsorted", "select", "set_printoptions", "setdiff1d", "seterr",
    "seterrcall", "setxor1d", "shape", "shares_memory", "short", "sign", "signbit", "signedinteger", "sin", "sinc",
    "single", "sinh", "size", "sort", "sort_complex", "spacing", "split", "sqrt", "square", "squeeze", "stack", "std",
    "subtract", "sum", "swapaxes", "take", "take_along_axis", "tan", "tanh", "tensordot", "tile", "trace",
    "transpose", "trapezoid", "tri", "tril", "tril_indices", "tril_indices_from", "trim_zeros", "triu",
    "triu_indices", "triu_indices_from", "true_divide", "trunc", "typename", "ubyte", "uint", "uint16", "uint32",
    "uint64", "uint8", "uintc", "uintp", "ulong", "ulonglong", "union1d", "unique", "unique_all", "unique_counts",
    "unique_inverse", "unique_values", "unpackbits", "unravel_index", "unsignedinteger", "unstack", "unwrap",
    "ushort", "vander", "var", "vdot", "vecdot", "vecmat", "vectorize", "vsplit", "vstack", "where", "zeros",
    "zeros_like"
]

def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> ndarray:
    """`func1d(vector, *args, **kwargs)` of every vector along an axis; its result takes the place of the
    axis."""

def apply_over_axes(func: Any, a: Any, axes: Any) -> ndarray:
    """`func(a, axis)` for one axis after another; reduced axes are kept with size 1."""

def fromfunction(function: Any, shape: Any, *, dtype: Any = ..., **kwargs: Any) -> ndarray:
    """`function(i, j, ...)` of the indices along each axis, as arrays of a shape; float32 unless said."""

def bitwise_count(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The number of bits that are 1 in the absolute value of integers, uint8."""

def float_power(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 to the power of x2, in float64; of complex numbers in complex128."""

def frexp(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> tuple[ndarray, ndarray]:
    """(mantissa from 0.5 to 1, exponent as int32) so that x = mantissa * 2**exponent; 0 has exponent 0."""

def logaddexp2(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """log2(2**x1 + 2**x2)"""

def modf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> tuple[ndarray, ndarray]:
    """(the fraction, the integer part) of x, both with its sign."""

def nextafter(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The float beside x1 in the direction of x2."""

def packbits(a: Any, /, axis: int | None = None, bitorder: str = 'big') -> ndarray:
    """Eight elements along `axis` (of the flat array when None) as the bits of one uint8: 1 where they are not
    0."""

def spacing(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The distance from x to the next float away from 0, with the sign of x."""

def unpackbits(a: Any, /, axis: int | None = None, count: int | None = None, bitorder: str = 'big') -> ndarray:
    """The bits of uint8 along `axis` (of the flat array when None), as uint8."""

def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """start, start + step, ... up to but without `stop`; float32 unless said."""

def copy(a: Any, order: str = 'K') -> ndarray:
    """A copy that shares nothing with `a`."""

def diag(v: Any, k: int = 0) -> ndarray:
    """The diagonal `k` of a matrix, or the matrix that has a vector there."""

def diagflat(v: Any, k: int = 0) -> ndarray:
    """The matrix that has all elements of `v` on its diagonal `k`."""

def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
    """The diagonal of two axes, as the last axis; a copy."""

def empty(shape: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Zeros, float32 unless said."""

def empty_like(a: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Zeros of the shape, unless another one is given, and dtype of `a`."""

def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Ones on the diagonal `k`, zeros elsewhere."""

def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> ndarray:
    """An array over the memory of another library's, which keeps seeing it."""

def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """`fill_value` everywhere; unless said in the dtype of its kind (bool, int64, float32), or of an array."""

def full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """`fill_value` everywhere, in the shape, unless another one is given, and dtype of `a`; an array is
    broadcast."""

def geomspace(start: Any, stop: Any, num: int = 50, endpoint: Any = True, dtype: Any = None, axis: int = 0, ctx: Any = None, device: Any = None) -> ndarray:
    """`num` numbers from `start` to `stop`, each of which is the one before times a factor; float32 unless
    said."""

def indices(dimensions: Any, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """The index along each axis, for every element; int64 unless said."""

def linspace(start: Any, stop: Any, num: int = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None, axis: int = 0, ctx: Any = None, device: Any = None) -> ndarray:
    """`num` numbers at even distance from `start` to `stop`; float32 unless said."""

def logspace(start: Any, stop: Any, num: int = 50, endpoint: Any = True, base: float = 10.0, dtype: Any = None, axis: int = 0, ctx: Any = None, device: Any = None) -> ndarray:
    """`base` to the power of `num` numbers at even distance from `start` to `stop`."""

def meshgrid(*xi: Any, indexing: str = 'xy', sparse: Any = False, copy: Any = True) -> list[ndarray]:
    """Coordinate matrices of coordinate vectors; without `copy`, views of them."""

def ones(shape: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Ones, float32 unless said."""

def ones_like(a: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Ones of the shape, unless another one is given, and dtype of `a`."""

def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Ones on and below the diagonal `k`, zeros above."""

def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """Row and column numbers on and below the diagonal `k`."""

def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """Row and column numbers on and above the diagonal `k`."""

def zeros(shape: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Zeros, float32 unless said."""

def zeros_like(a: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Zeros of the shape, unless another one is given, and dtype of `a`."""

def argwhere(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `argwhere`, imperatively; it cannot be compiled."""

def array2string(*args: Any, **kwargs: Any) -> str:
    """NumPy's `array2string`, imperatively; it cannot be compiled."""

def array_repr(*args: Any, **kwargs: Any) -> str:
    """NumPy's `array_repr`, imperatively; it cannot be compiled."""

def array_str(*args: Any, **kwargs: Any) -> str:
    """NumPy's `array_str`, imperatively; it cannot be compiled."""

def bincount(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `bincount`, imperatively; it cannot be compiled."""

def einsum_path(*args: Any, **kwargs: Any) -> Any:
    """NumPy's `einsum_path`, imperatively; it cannot be compiled."""

def flatnonzero(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `flatnonzero`, imperatively; it cannot be compiled."""

def fromiter(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `fromiter`, imperatively; it cannot be compiled."""

def genfromtxt(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `genfromtxt`, imperatively; it cannot be compiled."""

def histogram2d(*args: Any, **kwargs: Any) -> tuple[ndarray, ndarray, ndarray]:
    """NumPy's `histogram2d`, imperatively; it cannot be compiled."""

def histogram_bin_edges(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `histogram_bin_edges`, imperatively; it cannot be compiled."""

def histogramdd(*args: Any, **kwargs: Any) -> tuple[ndarray, list[ndarray]]:
    """NumPy's `histogramdd`, imperatively; it cannot be compiled."""

def intersect1d(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `intersect1d`, imperatively; it cannot be compiled."""

def may_share_memory(*args: Any, **kwargs: Any) -> builtins.bool:
    """NumPy's `may_share_memory`, imperatively; it cannot be compiled."""

def nonzero(*args: Any, **kwargs: Any) -> tuple[ndarray, ...]:
    """NumPy's `nonzero`, imperatively; it cannot be compiled."""

def polydiv(*args: Any, **kwargs: Any) -> tuple[ndarray, ndarray]:
    """NumPy's `polydiv`, imperatively; it cannot be compiled."""

def roots(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `roots`, imperatively; it cannot be compiled."""

def setdiff1d(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `setdiff1d`, imperatively; it cannot be compiled."""

def setxor1d(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `setxor1d`, imperatively; it cannot be compiled."""

def shares_memory(*args: Any, **kwargs: Any) -> builtins.bool:
    """NumPy's `shares_memory`, imperatively; it cannot be compiled."""

def sort_complex(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `sort_complex`, imperatively; it cannot be compiled."""

def trim_zeros(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `trim_zeros`, imperatively; it cannot be compiled."""

def union1d(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `union1d`, imperatively; it cannot be compiled."""

@overload
def unique(ar: Any, *, equal_nan: Any = True, sorted: Any = True) -> ndarray:
    """NumPy's `unique`, imperatively; it cannot be compiled."""
@overload
def unique(ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False, axis: Any = None, *, equal_nan: Any = True, sorted: Any = True) -> Any: ...

def unique_all(*args: Any, **kwargs: Any) -> _UniqueAllResult:
    """NumPy's `unique_all`, imperatively; it cannot be compiled."""

def unique_counts(*args: Any, **kwargs: Any) -> _UniqueCountsResult:
    """NumPy's `unique_counts`, imperatively; it cannot be compiled."""

def unique_inverse(*args: Any, **kwargs: Any) -> _UniqueInverseResult:
    """NumPy's `unique_inverse`, imperatively; it cannot be compiled."""

def unique_values(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `unique_values`, imperatively; it cannot be compiled."""

def gcd(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The greatest common divisor of |x1| and |x2|."""

def lcm(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The least common multiple of |x1| and |x2|."""

def abs(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The absolute value of x."""

def absolute(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The absolute value of x."""

def add(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 + x2"""

def acos(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The angle whose cosine is x."""

def arccos(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The angle whose cosine is x."""

def acosh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The number whose hyperbolic cosine is x."""

def arccosh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The number whose hyperbolic cosine is x."""

def arcsin(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The angle whose sine is x."""

def asin(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The angle whose sine is x."""

def arcsinh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The number whose hyperbolic sine is x."""

def asinh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The number whose hyperbolic sine is x."""

def arctan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The angle whose tangent is x."""

def atan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The angle whose tangent is x."""

def arctan2(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The angle of the point (x2, x1)."""

def atan2(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The angle of the point (x2, x1)."""

def arctanh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The number whose hyperbolic tangent is x."""

def atanh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The number whose hyperbolic tangent is x."""

def around(a: Any, decimals: int = 0, out: Any = None) -> ndarray:
    """Rounded to `decimals`, halves to even."""

def round(a: Any, decimals: int = 0, out: Any = None) -> ndarray:
    """Rounded to `decimals`, halves to even."""

def round_(a: Any, decimals: int = 0, out: Any = None) -> ndarray:
    """Rounded to `decimals`, halves to even."""

def astype(x: Any, dtype: Any, /, *, copy: Any = True, casting: str = 'unsafe', order: str = 'K') -> ndarray:
    """`x` as another dtype: floats truncate to integers, and are true unless zero as bools."""

def bitwise_and(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 & x2"""

def bitwise_or(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 | x2"""

def bitwise_xor(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 ^ x2"""

def cbrt(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The cube root of x."""

def ceil(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The smallest integer not below x."""

def clip(a: Any, min: Any = None, max: Any = None, out: Any = None, *, a_min: Any = None, a_max: Any = None) -> ndarray:
    """Elements below `min` become `min`, above `max` become `max`; NaN stays. At a limit the slope is 1."""

def copysign(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 with the sign of x2."""

def cos(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The cosine of x, in radians."""

def cosh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The hyperbolic cosine of x."""

def degrees(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Radians to degrees."""

def rad2deg(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Radians to degrees."""

def divide(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 / x2; integers give float32."""

def true_divide(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 / x2; integers give float32."""

def divmod(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> tuple[ndarray, ndarray]:
    """floor_divide(x1, x2) and mod(x1, x2)."""

def equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Whether x1 == x2."""

def exp(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """e to the power of x."""

def exp2(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """2 to the power of x."""

def expm1(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """exp(x) - 1, exact for small x."""

def fabs(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The absolute value of real numbers."""

def fix(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The integer part of x."""

def floor(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The largest integer not above x."""

def floor_divide(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The largest integer not above x1 / x2."""

def fmax(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The larger of x1 and x2; the other where one is NaN."""

def fmin(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The smaller of x1 and x2; the other where one is NaN."""

def fmod(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The remainder of x1 / x2, with the sign of x1."""

def greater(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Whether x1 > x2."""

def greater_equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Whether x1 >= x2."""

def heaviside(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """0 where x1 < 0, x2 where x1 == 0, 1 where x1 > 0."""

def hypot(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """sqrt(x1**2 + x2**2)"""

def bitwise_invert(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Every bit of an integer, or a bool, turned over."""

def bitwise_not(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Every bit of an integer, or a bool, turned over."""

def invert(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Every bit of an integer, or a bool, turned over."""

def isfinite(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """True where x is neither NaN nor infinite."""

def isinf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """True where x is infinite."""

def isnan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """True where x is NaN."""

def isneginf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """True where x is negative infinity."""

def isposinf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """True where x is positive infinity."""

def ldexp(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 * 2**x2, rounded once."""

def bitwise_left_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 * 2**x2 of integers."""

def left_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 * 2**x2 of integers."""

def less(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Whether x1 < x2."""

def less_equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Whether x1 <= x2."""

def log(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The natural logarithm of x."""

def log10(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The logarithm of x to base 10."""

def log1p(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """log(1 + x), exact for small x."""

def log2(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The logarithm of x to base 2."""

def logaddexp(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """log(exp(x1) + exp(x2))"""

def logical_and(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Whether both are true (not zero)."""

def logical_not(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """True where x is false (zero)."""

def logical_or(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Whether one of both is true (not zero)."""

def logical_xor(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Whether exactly one of both is true (not zero)."""

def maximum(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The larger of x1 and x2; NaN where either is."""

def minimum(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The smaller of x1 and x2; NaN where either is."""

def mod(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 - x2 floor(x1 / x2), with the sign of x2."""

def remainder(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 - x2 floor(x1 / x2), with the sign of x2."""

def multiply(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 * x2"""

def nan_to_num(x: Any, copy: Any = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> ndarray:
    """NaN as `nan`, infinities as the largest and smallest finite numbers, unless given."""

def negative(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """-x"""

def not_equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Whether x1 != x2."""

def positive(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """+x, a copy."""

def pow(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 to the power of x2; an integer to a negative number that is not an array is refused, as in NumPy."""

def power(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 to the power of x2; an integer to a negative number that is not an array is refused, as in NumPy."""

def deg2rad(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Degrees to radians."""

def radians(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Degrees to radians."""

def reciprocal(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """1 / x; integers give float32."""

def bitwise_right_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 // 2**x2 of integers."""

def right_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 // 2**x2 of integers."""

def rint(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The nearest integer, halves to even."""

def sign(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """-1, 0 or 1; NaN of NaN."""

def signbit(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """True where the sign of x is negative; that of -0.0 is."""

def sin(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The sine of x, in radians."""

def sinc(x: Any, /) -> ndarray:
    """sin(pi x) / (pi x), and 1 at 0."""

def sinh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The hyperbolic sine of x."""

def sqrt(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The square root of x."""

def square(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x * x, a copy."""

def subtract(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """x1 - x2"""

def tan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The tangent of x, in radians."""

def tanh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The hyperbolic tangent of x."""

def trunc(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The integer part of x."""

@overload
def where(condition: Any, /) -> tuple[ndarray, ...]:
    """x where `condition` holds, else y; all three are broadcast."""
@overload
def where(condition: Any, x: Any, y: Any, /) -> ndarray: ...

def frombuffer(buffer: Any, dtype: Any = None, count: int = -1, offset: int = 0) -> ndarray:
    """The elements that the bytes of a buffer are, float64 unless said; it is seen, not copied, and not
    written."""

def fromfile(file: Any, dtype: Any = None, count: int = -1, sep: str = '', offset: int = 0) -> ndarray:
    """The elements that the bytes of a file are, float64 unless said; with `sep` numbers as text."""

def fromstring(string: str, dtype: Any = None, count: int = -1, *, sep: str) -> ndarray:
    """The numbers of a text between separators, float32 unless said."""

def load(file: Any, mmap_mode: Any = None, allow_pickle: Any = False, *, max_header_size: int = 10000) -> Any:
    """Read what `save`, `savez` or NumPy has written."""

def loadtxt(fname: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> ndarray:
    """Read numbers from text; float32 unless said, the other arguments as of `numpy.loadtxt`."""

def diag_indices(n: int, ndim: int = 2) -> tuple[ndarray, ...]:
    """The indices of the main diagonal of an array of `ndim` axes of size `n`, int64."""

def diag_indices_from(arr: Any) -> tuple[ndarray, ...]:
    """The indices of the main diagonal of an array, whose axes are of one size."""

def ix_(*args: Any) -> tuple[ndarray, ...]:
    """Vectors of indices, each along an axis of its own, so that `x[ix_(rows, columns)]` is a part of the
    grid."""

def mask_indices(n: int, mask_func: Any, k: Any = 0) -> tuple[ndarray, ndarray]:
    """The indices of the elements of an n times n matrix that `mask_func(matrix, k)` leaves other than 0."""

def tril_indices_from(arr: Any, k: int = 0) -> tuple[ndarray, ...]:
    """The indices of the elements on and below the diagonal `k` of a matrix."""

def triu_indices_from(arr: Any, k: int = 0) -> tuple[ndarray, ...]:
    """The indices of the elements on and above the diagonal `k` of a matrix."""

def angle(z: Any, deg: Any = False) -> ndarray:
    """The angle of numbers in the plane, in radians unless `deg`: 0, and pi of those below 0."""

def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> ndarray:
    """`a` as an array without NaN and infinities."""

def asfortranarray(a: Any, dtype: Any = None) -> ndarray:
    """`a` with its elements column by column in memory; a copy, unless they are so."""

def common_type(*arrays: Any) -> Any:
    """The class of floats that arrays compute in together; of integers float64, as in NumPy."""

def conj(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The complex conjugate: of real numbers a copy."""

def conjugate(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """The complex conjugate: of real numbers a copy."""

def imag(val: Any) -> ndarray:
    """The imaginary part, a view: of real numbers zeros."""

def iscomplex(x: Any) -> ndarray:
    """True where the imaginary part is not 0: of real numbers nowhere."""

def isreal(x: Any) -> ndarray:
    """True where the imaginary part is 0: of real numbers everywhere."""

def real(val: Any) -> ndarray:
    """The real part, a view: of real numbers the array itself."""

def real_if_close(a: Any, tol: float = 100) -> ndarray:
    """The real part, where the imaginary one is nearly 0; else, and of real numbers, the array itself."""

def require(a: Any, dtype: Any = None, requirements: Any = None) -> ndarray:
    """`a` as an array of a dtype that lies in memory as is required; a copy, unless it does."""

def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> ndarray:
    """The vector product of vectors along the axis `axisa` of a and `axisb` of b."""

def dot(a: Any, b: Any, out: Any = None) -> ndarray:
    """NumPy's dot product: the sum over the last axis of `a` and the one before the last of `b` (the last of a
    vector)."""

def einsum(*operands: Any, out: Any = None, dtype: Any = None, order: str = 'K', casting: str = 'safe', optimize: Any = False) -> ndarray:
    """Einstein's sum: `ij,jk->ik` is the matrix product; letters that the result lacks are summed over."""

def inner(a: Any, b: Any) -> ndarray:
    """The sum of products over the last axes of both."""

def kron(a: Any, b: Any) -> ndarray:
    """Every element of `a` times all of `b`, in blocks."""

def matmul(x1: Any, x2: Any, /, out: Any = None) -> ndarray:
    """The matrix product over the last two axes; the axes before them are broadcast."""

def matvec(x1: Any, x2: Any, /, out: Any = None) -> ndarray:
    """The products of matrices [..., m, n] and vectors [..., n]; the axes before them are broadcast."""

def outer(a: Any, b: Any) -> ndarray:
    """Every element of one times every element of the other: [m, n]."""

def tensordot(a: Any, b: Any, axes: Any = 2) -> ndarray:
    """The sum of products over pairs of axes: the last n of `a` with the first n of `b`, or those that `axes`
    lists."""

def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> ndarray:
    """The sum of a diagonal of two axes, the first ones unless said."""

def vdot(a: Any, b: Any) -> ndarray:
    """The sum of products of all elements, the first ones conjugated."""

def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> ndarray:
    """The sums of products of vectors along `axis`, the first ones conjugated; the other axes are broadcast."""

def vecmat(x1: Any, x2: Any, /, out: Any = None) -> ndarray:
    """The products of vectors [..., n], conjugated, and matrices [..., n, m]; the axes before them are
    broadcast."""

def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = False) -> ndarray:
    """The middle along `axis` of what is not NaN; NaN where nothing else is there."""

def nanstd(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> ndarray:
    """The square root of the variance over `axis` of what is not NaN; arguments as of `nanvar`."""

def nanvar(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> ndarray:
    """The mean square distance from the mean over `axis` of what is not NaN, their number less `ddof`."""

def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 6.283185307179586) -> ndarray:
    """`p`, to which multiples of `period` are added so that neighbours along `axis` are less than half of it
    apart."""

def argpartition(a: Any, kth: Any, axis: int | None = -1, kind: str = 'introselect', order: Any = None) -> ndarray:
    """The indices that partition `a`, int64; they sort it."""

def lexsort(keys: Any, axis: int = -1) -> ndarray:
    """The indices that sort by several keys, of which the last one comes first, int64."""

def partition(a: Any, kth: Any, axis: int | None = -1, kind: str = 'introselect', order: Any = None) -> ndarray:
    """`a` with the elements at `kth` where sorting puts them, smaller ones before and larger ones behind;
    sorted."""

def pad(array: Any, pad_width: Any, mode: Any = 'constant', *, constant_values: Any = 0, end_values: Any = 0, stat_length: Any = None) -> ndarray:
    """Wider by `pad_width` elements at both ends of each axis."""

def choose(a: Any, choices: Any, out: Any = None, mode: str = 'raise') -> ndarray:
    """The element of `choices[a]` at each place."""

def compress(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `compress`, imperatively; it cannot be compiled."""

def extract(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `extract`, imperatively; it cannot be compiled."""

def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> ndarray:
    """At each place the value of the last function whose condition is true; of one more function where none
    is."""

def select(condlist: Any, choicelist: Any, default: Any = 0) -> ndarray:
    """At each place the element of the first array whose condition is true, else `default`."""

def poly(seq_of_zeros: Any) -> ndarray:
    """The coefficients of the polynomial with given roots, the first one 1; of a square matrix, of its
    eigenvalues."""

def polyadd(a1: Any, a2: Any) -> ndarray:
    """The sum of two polynomials."""

def polyder(p: Any, m: int = 1) -> ndarray:
    """The `m`-th derivative of a polynomial."""

@overload
def polyfit(x: Any, y: Any, deg: int, rcond: float | None = None, *, w: Any = None) -> ndarray:
    """The polynomial of degree `deg` that comes closest to points, by least squares."""
@overload
def polyfit(x: Any, y: Any, deg: int, rcond: float | None = None, full: Any = False, w: Any = None, cov: Any = False) -> Any: ...

def polyint(p: Any, m: int = 1, k: Any = None) -> ndarray:
    """The `m`-th integral of a polynomial; `k`: the constants of integration, one for each, or one for all."""

def polymul(a1: Any, a2: Any) -> ndarray:
    """The product of two polynomials, whose leading zeros are left out first."""

def polysub(a1: Any, a2: Any) -> ndarray:
    """The difference of two polynomials."""

def polyval(p: Any, x: Any) -> ndarray:
    """The polynomial with coefficients `p`, the highest power first, at `x`; by Horner's rule."""

def vander(x: Any, N: int | None = None, increasing: Any = False) -> ndarray:
    """The powers of each element of a vector as rows: `N` of them, from 0, the highest first unless
    `increasing`."""

def geterr() -> dict[str, Any]:
    """Return what is done where a result overflows, is no number, ..."""

def geterrcall() -> Any:
    """Return what `seterrcall` has set; None where nothing is."""

def seterr(all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None) -> dict[str, Any]:
    """Set what is done where a result overflows, is no number, ..., imperatively; return what was set."""

def seterrcall(func: Any) -> Any:
    """Set the function, or the object with `write`, that is told of such results where they are to be told
    of."""

def all(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> ndarray:
    """True where all elements over `axis` are true (not zero), of those that `where` chooses."""

def any(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> ndarray:
    """True where any element over `axis` is true (not zero), of those that `where` chooses."""

def argmax(a: Any, axis: int | None = None, out: Any = None, keepdims: Any = False) -> ndarray:
    """The index of the first largest element along `axis`, int64; of a NaN if any."""

def argmin(a: Any, axis: int | None = None, out: Any = None, keepdims: Any = False) -> ndarray:
    """The index of the first smallest element along `axis`, int64; of a NaN if any."""

def average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False) -> ndarray:
    """The mean over `axis`, each element weighted; with `returned` also the sum of the weights."""

def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> ndarray:
    """Count the elements over `axis` that are not zero, as int64."""

def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> ndarray:
    """The products of all elements up to each, along `axis` (flat when None)."""

def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> ndarray:
    """The sums of all elements up to each, along `axis` (flat when None)."""

def cumulative_prod(x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: Any = False) -> ndarray:
    """The products of all elements up to each, along `axis`, which a vector need not say; `include_initial`:
    after a 1."""

def cumulative_sum(x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: Any = False) -> ndarray:
    """The sums of all elements up to each, along `axis`, which a vector need not say; `include_initial`: after
    a 0."""

def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> ndarray:
    """Each element less the one before it along `axis`, `n` times."""

def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> ndarray:
    """Each element of the flat array less the one before it; between `to_begin` and `to_end`, where they are
    given."""

def amax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """The largest element over `axis`; NaN if any is."""

def max(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """The largest element over `axis`; NaN if any is."""

def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> ndarray:
    """The arithmetic mean over `axis`; of integers float32, of no elements NaN; `where`: of the elements it
    chooses."""

def amin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """The smallest element over `axis`; NaN if any is."""

def min(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """The smallest element over `axis`; NaN if any is."""

def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> ndarray:
    """The running products along `axis` (flat when None); NaN counts as 1."""

def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> ndarray:
    """The running sums along `axis` (flat when None); NaN counts as 0."""

def nanmax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """The largest non-NaN element over `axis`; `initial` and `where` as of `max`."""

def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> ndarray:
    """The mean over `axis` of what is not NaN, and of the elements that `where` chooses."""

def nanmin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """The smallest non-NaN element over `axis`; `initial` and `where` as of `min`."""

def nanprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """The product over `axis`, NaN counted as 1; `initial` and `where` as of `prod`."""

def nansum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """The sum over `axis`, NaN counted as 0; `initial` and `where` as of `sum`."""

def prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """The product over `axis`; integers and bools in 64 bits."""

def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> ndarray:
    """The largest element less the smallest, over `axis`."""

def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> ndarray:
    """The square root of the variance over `axis`; arguments as of `var`."""

def sum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """The sum over `axis` (all when None); integers and bools sum in 64 bits."""

def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> ndarray:
    """The integral of `y` along `axis` by the trapezoidal rule."""

def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> ndarray:
    """The mean square distance from the mean over `axis`."""

def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: Any = False) -> ndarray:
    """True if all elements of both are equal within rtol * abs(b) + atol; a bool array without axes."""

def argsort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = False) -> ndarray:
    """The indices that sort along `axis` (flat when None), int64; see `sort`."""

def array_equal(a1: Any, a2: Any, equal_nan: Any = False) -> ndarray:
    """True if both have one shape and equal elements; a bool array without axes. `equal_nan`: NaN is equal to
    NaN."""

def array_equiv(a1: Any, a2: Any) -> ndarray:
    """True if both broadcast to one shape and have equal elements there; a bool array without axes."""

def delete(arr: Any, obj: Any, axis: int | None = None) -> ndarray:
    """Without the elements at the positions `obj`, which are integers or a slice."""

def digitize(x: Any, bins: Any, right: Any = False) -> ndarray:
    """The number of the bin that each element falls into; `bins` ascend, or descend."""

def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> ndarray:
    """`values` put in before the positions `obj`, which are integers or a slice."""

def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> ndarray:
    """Linear interpolation through the points (xp, fp)."""

def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: Any = False) -> ndarray:
    """True where elements of both are equal within rtol * abs(b) + atol."""

def isin(element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False, *, kind: str | None = None) -> ndarray:
    """True where an element is one of `test_elements`; `invert`: where it is none."""

def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = False) -> ndarray:
    """The middle element along `axis`; the mean of two where their number is even."""

def percentile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, method: str = 'linear', keepdims: Any = False, interpolation: Any = None) -> ndarray:
    """The value below which `q` percent of the elements lie, along `axis`; see `quantile`."""

def quantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, method: str = 'linear', keepdims: Any = False, interpolation: Any = None) -> ndarray:
    """The value below which the share `q` of the elements lies, along `axis`."""

def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = 'raise', order: str = 'C') -> ndarray:
    """An index for each axis of `dims` as flat indices."""

def searchsorted(a: Any, v: Any, side: str = 'left', sorter: Any = None) -> ndarray:
    """Positions at which `v` go into the ascending `a`: how many are less (`left`), or not greater
    (`right`)."""

def sort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = False) -> ndarray:
    """Sorted along `axis` (flat when None), smallest first, NaN last; always stable. `descending`, as in the
    array API standard: largest first, NaN before all."""

def take(a: Any, indices: Any, axis: int | None = None, mode: str = 'raise', out: Any = None) -> ndarray:
    """Elements at `indices` along `axis` (of the flat array when None)."""

def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> ndarray:
    """One element along `axis` for each index; the other axes go together."""

def unravel_index(indices: Any, shape: Any, order: str = 'C') -> tuple[ndarray, ...]:
    """Flat indices as an index for each axis of `shape`, of which the last (`C`) or the first (`F`) runs
    fastest."""

def append(arr: Any, values: Any, axis: int | None = None) -> ndarray:
    """`values` after `arr`."""

def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """Cut along `axis` into parts whose sizes differ by one at most; views."""

@overload
def atleast_1d(ary: Any, /) -> ndarray:
    """With at least one axis."""
@overload
def atleast_1d(*arys: Any) -> list[ndarray]: ...

@overload
def atleast_2d(ary: Any, /) -> ndarray:
    """With at least two axes; a vector is a row."""
@overload
def atleast_2d(*arys: Any) -> list[ndarray]: ...

@overload
def atleast_3d(ary: Any, /) -> ndarray:
    """With at least three axes; a vector is [1, n, 1], a matrix [m, n, 1]."""
@overload
def atleast_3d(*arys: Any) -> list[ndarray]: ...

def block(arrays: Any) -> ndarray:
    """Nested lists of arrays as one: the innermost lists join along the last axis, the next ones along the one
    before."""

def broadcast_arrays(*args: Any) -> list[ndarray]:
    """All stretched to their common shape; read-only views."""

def broadcast_to(array: Any, shape: Any, subok: Any = False) -> ndarray:
    """Stretched to `shape`; a read-only view. A size of -2, as MXNet has it, is that of `array`."""

def column_stack(tup: Any) -> ndarray:
    """Vectors as the columns of a matrix."""

def concat(seq: Any, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Arrays one after another along an axis that exists; `axis=None` joins them flat."""

def concatenate(seq: Any, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Arrays one after another along an axis that exists; `axis=None` joins them flat."""

def dsplit(ary: Any, indices_or_sections: Any) -> list[ndarray]:
    """Cut along axis 2; views."""

def dstack(arrays: Any) -> ndarray:
    """Arrays along axis 2."""

def expand_dims(a: Any, axis: Any) -> ndarray:
    """New axes of size one at the positions `axis` of the result; a view."""

def flip(m: Any, axis: Any = None) -> ndarray:
    """Elements in reverse order along `axis` (all axes when None); a view."""

def fliplr(m: Any) -> ndarray:
    """Columns in reverse order; a view."""

def flipud(m: Any) -> ndarray:
    """Rows in reverse order; a view."""

def hsplit(ary: Any, indices_or_sections: Any) -> list[ndarray]:
    """Cut along axis 1, or 0 where there is only that; views."""

def hstack(arrays: Any, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Arrays side by side: along axis 1, or 0 where there is only that; `dtype` and `casting` as in
    `concatenate`."""

def moveaxis(a: Any, source: Any, destination: Any) -> ndarray:
    """Axes moved to other positions, the rest in order; a view."""

def ravel(a: Any, order: str = 'C') -> ndarray:
    """All elements along one axis; a view where NumPy gives one."""

def repeat(a: Any, repeats: Any, axis: int | None = None) -> ndarray:
    """Each element repeated along `axis` (of the flat array when None)."""

def reshape(a: Any, newshape: Any = None, order: str = 'C', *, shape: Any = None, copy: Any = None) -> ndarray:
    """The same elements under another shape."""

def resize(a: Any, new_shape: Any) -> ndarray:
    """The elements, repeated as often as needed, under another shape."""

def roll(a: Any, shift: Any, axis: Any = None) -> ndarray:
    """Elements moved on by `shift` along `axis`; what falls off one end comes back at the other."""

def rollaxis(a: Any, axis: int, start: int = 0) -> ndarray:
    """One axis moved before the axis `start`; a view."""

def rot90(m: Any, k: int = 1, axes: tuple[int, int] = ...) -> ndarray:
    """Turned by 90 degrees `k` times in the plane of two axes; a view."""

def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """Cut along `axis` into equal parts, or at the given indices; views."""

def squeeze(a: Any, axis: Any = None) -> ndarray:
    """Without axes of size one: those named, or all; a view."""

def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Arrays of one shape along a new axis; `dtype` and `casting` as in `concatenate`."""

def swapaxes(a: Any, axis1: int, axis2: int) -> ndarray:
    """Two axes exchanged; a view."""

def tile(A: Any, reps: Any) -> ndarray:
    """The array repeated as a whole, `reps` times along each axis."""

def permute_dims(a: Any, axes: Any = None) -> ndarray:
    """Axes permuted, reversed when none are given; a view."""

def transpose(a: Any, axes: Any = None) -> ndarray:
    """Axes permuted, reversed when none are given; a view."""

def unstack(x: Any, /, *, axis: int = 0) -> tuple[ndarray, ...]:
    """The parts along `axis`, views without that axis."""

def vsplit(ary: Any, indices_or_sections: Any) -> list[ndarray]:
    """Cut along axis 0 of two or more; views."""

def row_stack(arrays: Any, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Arrays one below another; `dtype` and `casting` as in `concatenate`."""

def vstack(arrays: Any, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Arrays one below another; `dtype` and `casting` as in `concatenate`."""

def bartlett(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """The Bartlett window: a triangle that is 0 at both ends."""

def blackman(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """The Blackman window."""

def convolve(a: Any, v: Any, mode: str = 'full') -> ndarray:
    """The sums over m of a[m] v[n - m], of two vectors."""

def correlate(a: Any, v: Any, mode: str = 'valid') -> ndarray:
    """The sums over n of a[n + k] conj(v[n]), of two vectors; `mode` as in `convolve`."""

def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """The slopes of samples along each axis: central differences, at the ends one-sided ones."""

def hamming(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """The Hamming window."""

def hanning(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """The Hann window."""

def i0(x: Any) -> ndarray:
    """The modified Bessel function of the first kind and order 0."""

def kaiser(M: int, beta: float, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """The Kaiser window: the larger `beta`, the narrower, and the lower what leaks beside it."""

def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> ndarray:
    """The correlations of variables, from -1 to 1; see `cov`."""

def cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: int | None = None, fweights: Any = None, aweights: Any = None, *, dtype: Any = None) -> ndarray:
    """The covariances of variables."""

def histogram(*args: Any, **kwargs: Any) -> tuple[ndarray, ndarray]:
    """NumPy's `histogram`."""

def nanargmax(a: Any, axis: int | None = None, out: Any = None, keepdims: Any = False) -> ndarray:
    """The index of the first largest non-NaN element along `axis`, int64."""

def nanargmin(a: Any, axis: int | None = None, out: Any = None, keepdims: Any = False) -> ndarray:
    """The index of the first smallest non-NaN element along `axis`, int64."""

def nanpercentile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, method: str = 'linear', keepdims: Any = False, interpolation: Any = None) -> ndarray:
    """The value below which `q` percent of what is not NaN lie, along `axis`; see `quantile`."""

def nanquantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, method: str = 'linear', keepdims: Any = False, interpolation: Any = None) -> ndarray:
    """The value below which the share `q` of what is not NaN lies, along `axis`; see `quantile`."""

def matrix_transpose(x: Any, /) -> ndarray:
    """The last two axes exchanged; a view."""

class _UniqueAllResult(NamedTuple):
    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray

class _UniqueCountsResult(NamedTuple):
    values: ndarray
    counts: ndarray

class _UniqueInverseResult(NamedTuple):
    values: ndarray
    inverse_indices: ndarray

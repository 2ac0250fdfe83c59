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
    """Call a function with every vector along an axis; its results take the place of the axis."""

def apply_over_axes(func: Any, a: Any, axes: Any) -> ndarray:
    """Call `func(a, axis)` for one axis after another; reduced axes stay with size 1."""

def fromfunction(function: Any, shape: Any, *, dtype: Any = ..., **kwargs: Any) -> ndarray:
    """Return what a function gives of the indices along each axis of a shape, which it takes as arrays."""

def bitwise_count(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the number of bits that are 1 in the absolute value of each integer, as uint8."""

def float_power(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return x1 to the power of x2 in float64; of complex numbers in complex128."""

def frexp(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> tuple[ndarray, ndarray]:
    """Split each element into a mantissa from 0.5 to 1 and an exponent of 2, as int32."""

def logaddexp2(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return log2(2**x1 + 2**x2) without overflow."""

def modf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> tuple[ndarray, ndarray]:
    """Split each element into its fraction and its integer part, both with its sign; return them as a tuple."""

def nextafter(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the float beside x1 in the direction of x2."""

def packbits(a: Any, /, axis: int | None = None, bitorder: str = 'big') -> ndarray:
    """Pack eight elements as the bits of one uint8: 1 where they are not 0."""

def spacing(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the distance from each element to the next float away from 0, with its sign."""

def unpackbits(a: Any, /, axis: int | None = None, count: int | None = None, bitorder: str = 'big') -> ndarray:
    """Unpack the bits of uint8 numbers, eight elements of 0 or 1 for each, as uint8."""

def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return the numbers start, start + step, ... up to but without `stop`."""

def copy(a: Any, order: str = 'K') -> ndarray:
    """Return a copy of an array that shares no memory with it."""

def diag(v: Any, k: int = 0) -> ndarray:
    """Return the diagonal `k` of a matrix, or the matrix that has a vector on this diagonal."""

def diagflat(v: Any, k: int = 0) -> ndarray:
    """Return the matrix that has all elements of `v` on its diagonal `k`."""

def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
    """Return the diagonal of two axes as the last axis; a copy, where NumPy gives a view."""

def empty(shape: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Return an array of zeros of a shape; float32 unless you pass a dtype."""

def empty_like(a: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of zeros of the shape and dtype of `a`; `np.empty_like` is another name."""

def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return a matrix with ones on the diagonal `k` and zeros elsewhere; float32 unless you pass a dtype."""

def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> ndarray:
    """Return an array over the memory of another library's array; writes to one show in both."""

def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Return an array of a shape that has `fill_value` everywhere."""

def full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of the shape and dtype of `a` that has `fill_value` everywhere; an array is broadcast."""

def geomspace(start: Any, stop: Any, num: int = 50, endpoint: Any = True, dtype: Any = None, axis: int = 0, ctx: Any = None, device: Any = None) -> ndarray:
    """Return `num` numbers from `start` to `stop` whose neighbours have one quotient."""

def indices(dimensions: Any, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return the index of every element of a shape along each axis, stacked: [axes, *dimensions]; int64."""

def linspace(start: Any, stop: Any, num: int = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None, axis: int = 0, ctx: Any = None, device: Any = None) -> ndarray:
    """Return `num` numbers at even distances from `start` to `stop`; float32 unless you pass a dtype."""

def logspace(start: Any, stop: Any, num: int = 50, endpoint: Any = True, base: float = 10.0, dtype: Any = None, axis: int = 0, ctx: Any = None, device: Any = None) -> ndarray:
    """Return `base` to the power of `num` numbers at even distances from `start` to `stop`."""

def meshgrid(*xi: Any, indexing: str = 'xy', sparse: Any = False, copy: Any = True) -> list[ndarray]:
    """Return the coordinate matrices of coordinate vectors, as a list."""

def ones(shape: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Return an array of ones of a shape; float32 unless you pass a dtype."""

def ones_like(a: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of ones of the shape and dtype of `a`."""

def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return a matrix with ones on and below the diagonal `k` and zeros above it."""

def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """Return the row and column numbers of the elements on and below the diagonal `k`, as a tuple."""

def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """Return the row and column numbers of the elements on and above the diagonal `k`, as a tuple."""

def zeros(shape: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Return an array of zeros of a shape; float32 unless you pass a dtype."""

def zeros_like(a: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of zeros of the shape and dtype of `a`; `np.empty_like` is another name."""

def argwhere(*args: Any, **kwargs: Any) -> ndarray:
    """Return the indices of the elements that are not zero, as rows. Imperative only: data decide the size."""

def array2string(*args: Any, **kwargs: Any) -> str:
    """Return an array as text, without the word `array`. Imperative only; arguments are those of
    `numpy.array2string`."""

def array_repr(*args: Any, **kwargs: Any) -> str:
    """Return an array as `repr` does. Imperative only."""

def array_str(*args: Any, **kwargs: Any) -> str:
    """Return an array as `str` does. Imperative only."""

def bincount(*args: Any, **kwargs: Any) -> ndarray:
    """Count how often each integer occurs, from 0 on. Imperative only: data decide the size."""

def einsum_path(*args: Any, **kwargs: Any) -> Any:
    """Return the order in which `einsum` had best multiply, and a report of it. Imperative only."""

def flatnonzero(*args: Any, **kwargs: Any) -> ndarray:
    """Return the flat indices of the elements that are not zero. Imperative only: data decide the size."""

def fromiter(*args: Any, **kwargs: Any) -> ndarray:
    """Return an array of what an iterator yields, in a dtype. Imperative only."""

def genfromtxt(*args: Any, **kwargs: Any) -> ndarray:
    """Read numbers from text, where values may be missing. Imperative only; arguments are those of
    `numpy.genfromtxt`."""

def histogram2d(*args: Any, **kwargs: Any) -> tuple[ndarray, ndarray, ndarray]:
    """Count the points (x, y) in the cells of a grid; return the counts and both lists of edges. Imperative
    only."""

def histogram_bin_edges(*args: Any, **kwargs: Any) -> ndarray:
    """Return the edges of the bins that `histogram` counts in. Imperative only."""

def histogramdd(*args: Any, **kwargs: Any) -> tuple[ndarray, list[ndarray]]:
    """Count points in the cells of a grid of any number of axes; return the counts and the edges. Imperative
    only."""

def intersect1d(*args: Any, **kwargs: Any) -> ndarray:
    """Return the elements that two arrays have in common, in ascending order. Imperative only."""

def may_share_memory(*args: Any, **kwargs: Any) -> builtins.bool:
    """Tell whether the memory of two arrays may overlap, by their ends alone. Imperative only."""

def nonzero(*args: Any, **kwargs: Any) -> tuple[ndarray, ...]:
    """Return the indices of the elements that are not zero, as one vector for each axis. Imperative only."""

def polydiv(*args: Any, **kwargs: Any) -> tuple[ndarray, ndarray]:
    """Return the quotient and the remainder of two polynomials. Imperative only."""

def roots(*args: Any, **kwargs: Any) -> ndarray:
    """Return the roots of a polynomial, whose coefficients begin with the highest power. Imperative only."""

def setdiff1d(*args: Any, **kwargs: Any) -> ndarray:
    """Return the elements of one array that another one lacks, in ascending order. Imperative only."""

def setxor1d(*args: Any, **kwargs: Any) -> ndarray:
    """Return the elements that exactly one of two arrays has, in ascending order. Imperative only."""

def shares_memory(*args: Any, **kwargs: Any) -> builtins.bool:
    """Tell whether two arrays have memory in common. Imperative only."""

def sort_complex(*args: Any, **kwargs: Any) -> ndarray:
    """Return numbers as complex ones, sorted by their real parts, then by their imaginary ones. Imperative
    only."""

def trim_zeros(*args: Any, **kwargs: Any) -> ndarray:
    """Return a vector without the zeros at its ends. Imperative only: data decide the size."""

def union1d(*args: Any, **kwargs: Any) -> ndarray:
    """Return the elements that one of two arrays has, in ascending order. Imperative only."""

@overload
def unique(ar: Any, *, equal_nan: Any = True, sorted: Any = True) -> ndarray:
    """Return the different elements of an array, in ascending order. Imperative only: data decide the size."""
@overload
def unique(ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False, axis: Any = None, *, equal_nan: Any = True, sorted: Any = True) -> Any: ...

def unique_all(*args: Any, **kwargs: Any) -> _UniqueAllResult:
    """Return the different elements, where each occurs first, the index of each element among them, and the
    counts."""

def unique_counts(*args: Any, **kwargs: Any) -> _UniqueCountsResult:
    """Return the different elements, and how often each occurs, as a tuple with names. Imperative only."""

def unique_inverse(*args: Any, **kwargs: Any) -> _UniqueInverseResult:
    """Return the different elements, and the index of each element among them, as a tuple with names.
    Imperative only."""

def unique_values(*args: Any, **kwargs: Any) -> ndarray:
    """Return the different elements; here in ascending order, in NumPy in any order. Imperative only."""

def gcd(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the greatest common divisor of |x1| and |x2|, of integers."""

def lcm(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the least common multiple of |x1| and |x2|, of integers."""

def abs(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the absolute value of each element; of complex numbers their distance from 0, as floats."""

def absolute(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the absolute value of each element; of complex numbers their distance from 0, as floats."""

def add(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the sum x1 + x2 of each pair of elements; of bools, whether one of both is true."""

def acos(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the angle whose cosine is x, from 0 to pi; NaN outside of -1 to 1."""

def arccos(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the angle whose cosine is x, from 0 to pi; NaN outside of -1 to 1."""

def acosh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the number whose hyperbolic cosine is x; NaN below 1."""

def arccosh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the number whose hyperbolic cosine is x; NaN below 1."""

def arcsin(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the angle whose sine is x, from -pi/2 to pi/2; NaN outside of -1 to 1."""

def asin(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the angle whose sine is x, from -pi/2 to pi/2; NaN outside of -1 to 1."""

def arcsinh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the number whose hyperbolic sine is x."""

def asinh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the number whose hyperbolic sine is x."""

def arctan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the angle whose tangent is x, from -pi/2 to pi/2."""

def atan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the angle whose tangent is x, from -pi/2 to pi/2."""

def arctan2(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the angle of the point (x2, x1), in radians from -pi to pi."""

def atan2(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the angle of the point (x2, x1), in radians from -pi to pi."""

def arctanh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the number whose hyperbolic tangent is x; infinite at -1 and 1."""

def atanh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the number whose hyperbolic tangent is x; infinite at -1 and 1."""

def around(a: Any, decimals: int = 0, out: Any = None) -> ndarray:
    """Return elements rounded to a number of decimals, halves to even."""

def round(a: Any, decimals: int = 0, out: Any = None) -> ndarray:
    """Return elements rounded to a number of decimals, halves to even."""

def round_(a: Any, decimals: int = 0, out: Any = None) -> ndarray:
    """Return elements rounded to a number of decimals, halves to even."""

def astype(x: Any, dtype: Any, /, *, copy: Any = True, casting: str = 'unsafe', order: str = 'K') -> ndarray:
    """Return an array cast to another dtype."""

def bitwise_and(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the bits that x1 and x2 have in common, of integers or bools."""

def bitwise_or(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the bits that x1 or x2 has, of integers or bools."""

def bitwise_xor(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the bits that one of x1 and x2 has and the other does not, of integers or bools."""

def cbrt(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the cube root of each element, also of negative ones. Integers give float32."""

def ceil(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the smallest integer that is not below each element; integers stay as they are."""

def clip(a: Any, min: Any = None, max: Any = None, out: Any = None, *, a_min: Any = None, a_max: Any = None) -> ndarray:
    """Return elements limited to a range: those below `min` become `min`, those above `max` become `max`."""

def copysign(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the absolute values of x1 with the signs of x2."""

def cos(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the cosine of each element, an angle in radians. Integers give float32."""

def cosh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the hyperbolic cosine of each element."""

def degrees(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return angles in degrees of angles in radians."""

def rad2deg(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return angles in degrees of angles in radians."""

def divide(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the quotient x1 / x2 of each pair of elements."""

def true_divide(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the quotient x1 / x2 of each pair of elements."""

def divmod(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> tuple[ndarray, ndarray]:
    """Return `floor_divide(x1, x2)` and `mod(x1, x2)` as a tuple."""

def equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether x1 == x2 for each pair of elements, as bools."""

def exp(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return e to the power of each element. Integers give float32."""

def exp2(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return 2 to the power of each element. Integers give float32."""

def expm1(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return exp(x) - 1 for each element, exact for small x."""

def fabs(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the absolute value of each real number."""

def fix(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the integer part of each element: rounded towards 0."""

def floor(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the largest integer that is not above each element; integers stay as they are."""

def floor_divide(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the largest integer that is not above x1 / x2, in the dtype of the operands."""

def fmax(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the larger of each pair of elements; where one is NaN, the other one."""

def fmin(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the smaller of each pair of elements; where one is NaN, the other one."""

def fmod(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the remainder of x1 / x2 for each pair of elements, with the sign of x1, as C's `fmod`."""

def greater(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether x1 > x2 for each pair of elements, as bools."""

def greater_equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether x1 >= x2 for each pair of elements, as bools."""

def heaviside(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the step function: 0 where x1 < 0, x2 where x1 == 0, 1 where x1 > 0."""

def hypot(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return sqrt(x1**2 + x2**2), the hypotenuse of each pair of legs, without overflow on the way."""

def bitwise_invert(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return every bit of an integer turned over; of bools, whether they are false."""

def bitwise_not(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return every bit of an integer turned over; of bools, whether they are false."""

def invert(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return every bit of an integer turned over; of bools, whether they are false."""

def isfinite(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether each element is neither NaN nor infinite."""

def isinf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether each element is infinite, of either sign."""

def isnan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether each element is NaN."""

def isneginf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether each element is negative infinity."""

def isposinf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether each element is positive infinity."""

def ldexp(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return x1 * 2**x2, rounded once: the inverse of `frexp`."""

def bitwise_left_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return x1 * 2**x2 of integers: their bits moved to the left."""

def left_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return x1 * 2**x2 of integers: their bits moved to the left."""

def less(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether x1 < x2 for each pair of elements, as bools."""

def less_equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether x1 <= x2 for each pair of elements, as bools."""

def log(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the natural logarithm of each element: -inf of 0, NaN below. Integers give float32."""

def log10(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the logarithm of each element to base 10. Integers give float32."""

def log1p(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return log(1 + x) for each element, exact for small x."""

def log2(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the logarithm of each element to base 2. Integers give float32."""

def logaddexp(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return log(exp(x1) + exp(x2)) without overflow: the logarithm of a sum of probabilities."""

def logical_and(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether both elements are true (not zero)."""

def logical_not(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether each element is false (zero)."""

def logical_or(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether one element of each pair is true (not zero), or both."""

def logical_xor(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether exactly one element of each pair is true (not zero)."""

def maximum(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the larger of each pair of elements; NaN where either is NaN."""

def minimum(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the smaller of each pair of elements; NaN where either is NaN."""

def mod(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the remainder x1 - x2 * floor(x1 / x2) of each pair of elements, with the sign of x2."""

def remainder(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the remainder x1 - x2 * floor(x1 / x2) of each pair of elements, with the sign of x2."""

def multiply(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the product x1 * x2 of each pair of elements; of bools, whether both are true."""

def nan_to_num(x: Any, copy: Any = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> ndarray:
    """Replace NaN and infinities by finite numbers."""

def negative(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return -x for each element; bools are refused with `E205`."""

def not_equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether x1 != x2 for each pair of elements, as bools."""

def positive(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return a copy of x, as +x does."""

def pow(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return x1 to the power of x2 for each pair of elements."""

def power(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return x1 to the power of x2 for each pair of elements."""

def deg2rad(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return angles in radians of angles in degrees."""

def radians(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return angles in radians of angles in degrees."""

def reciprocal(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return 1 / x for each element."""

def bitwise_right_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return x1 // 2**x2 of integers: their bits moved to the right."""

def right_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return x1 // 2**x2 of integers: their bits moved to the right."""

def rint(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the nearest integer of each element, halves to even; integers stay as they are."""

def sign(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return -1, 0 or 1 for each element; NaN of NaN. The gradient is 0."""

def signbit(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return whether the sign of each element is negative; that of -0.0 is."""

def sin(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the sine of each element, an angle in radians. Integers give float32."""

def sinc(x: Any, /) -> ndarray:
    """Return sin(pi x) / (pi x) for each element, and 1 at 0."""

def sinh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the hyperbolic sine of each element."""

def sqrt(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the square root of each element; NaN below 0. Integers give float32."""

def square(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return x * x for each element."""

def subtract(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the difference x1 - x2 of each pair of elements."""

def tan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the tangent of each element, an angle in radians. Integers give float32."""

def tanh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the hyperbolic tangent of each element, from -1 to 1."""

def trunc(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the integer part of each element: rounded towards 0."""

@overload
def where(condition: Any, /) -> tuple[ndarray, ...]:
    """Choose elements from `x` where `condition` is true, and from `y` elsewhere; all three are broadcast."""
@overload
def where(condition: Any, x: Any, y: Any, /) -> ndarray: ...

def frombuffer(buffer: Any, dtype: Any = None, count: int = -1, offset: int = 0) -> ndarray:
    """Return an array over the bytes of a buffer, which cannot be written; float64 unless you pass a dtype."""

def fromfile(file: Any, dtype: Any = None, count: int = -1, sep: str = '', offset: int = 0) -> ndarray:
    """Read the elements that the bytes of a file are; float64 unless you pass a dtype."""

def fromstring(string: str, dtype: Any = None, count: int = -1, *, sep: str) -> ndarray:
    """Read numbers from a text, between separators; float32 unless you pass a dtype."""

def load(file: Any, mmap_mode: Any = None, allow_pickle: Any = False, *, max_header_size: int = 10000) -> Any:
    """Read what `save`, `savez` or NumPy has written. No file is a pickle."""

def loadtxt(fname: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> ndarray:
    """Read numbers from text; float32 unless you pass a dtype. Other arguments are those of `numpy.loadtxt`."""

def diag_indices(n: int, ndim: int = 2) -> tuple[ndarray, ...]:
    """Return the indices of the main diagonal of an array of `ndim` axes of size `n`, as int64."""

def diag_indices_from(arr: Any) -> tuple[ndarray, ...]:
    """Return the indices of the main diagonal of an array, whose axes have one size."""

def ix_(*args: Any) -> tuple[ndarray, ...]:
    """Return vectors of indices, each along an axis of its own: `x[np.ix_(rows, columns)]` is a part of the
    grid."""

def mask_indices(n: int, mask_func: Any, k: Any = 0) -> tuple[ndarray, ndarray]:
    """Return the indices of the elements of an n times n matrix that `mask_func(matrix, k)` leaves other than
    0."""

def tril_indices_from(arr: Any, k: int = 0) -> tuple[ndarray, ...]:
    """Return the indices of the elements on and below the diagonal `k` of a matrix."""

def triu_indices_from(arr: Any, k: int = 0) -> tuple[ndarray, ...]:
    """Return the indices of the elements on and above the diagonal `k` of a matrix."""

def angle(z: Any, deg: Any = False) -> ndarray:
    """Return the angle of complex numbers in the plane: 0 of positive real numbers, pi of negative ones."""

def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> ndarray:
    """Return `a` as an array, and refuse NaN and infinities."""

def asfortranarray(a: Any, dtype: Any = None) -> ndarray:
    """Return an array with its elements column by column in memory; a copy, unless they lie so already."""

def common_type(*arrays: Any) -> Any:
    """Return the class of floats that arrays compute in together; of integers float64, as in NumPy."""

def conj(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the complex conjugate of each element; of real numbers a copy."""

def conjugate(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> ndarray:
    """Return the complex conjugate of each element; of real numbers a copy."""

def imag(val: Any) -> ndarray:
    """Return the imaginary part of each element, as a view; of real numbers zeros."""

def iscomplex(x: Any) -> ndarray:
    """Return whether the imaginary part of each element is not 0."""

def isreal(x: Any) -> ndarray:
    """Return whether the imaginary part of each element is 0."""

def real(val: Any) -> ndarray:
    """Return the real part of each element, as a view; of real numbers the array itself."""

def real_if_close(a: Any, tol: float = 100) -> ndarray:
    """Return the real parts where all imaginary parts are nearly 0; otherwise the array itself."""

def require(a: Any, dtype: Any = None, requirements: Any = None) -> ndarray:
    """Return an array of a dtype that lies in memory as you require; a copy only where it does not."""

def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> ndarray:
    """Return the vector product of vectors of two or three components along an axis."""

def dot(a: Any, b: Any, out: Any = None) -> ndarray:
    """Return the dot product: the sum over the last axis of `a` and the axis before the last of `b`."""

def einsum(*operands: Any, out: Any = None, dtype: Any = None, order: str = 'K', casting: str = 'safe', optimize: Any = False) -> ndarray:
    """Return Einstein's sum: `ij,jk->ik` is the matrix product; letters that the result lacks are summed
    over."""

def inner(a: Any, b: Any) -> ndarray:
    """Return the sums of products over the last axes of both arrays."""

def kron(a: Any, b: Any) -> ndarray:
    """Return every element of `a` times all of `b`, in blocks."""

def matmul(x1: Any, x2: Any, /, out: Any = None) -> ndarray:
    """Return the matrix product over the last two axes; the axes before them are broadcast."""

def matvec(x1: Any, x2: Any, /, out: Any = None) -> ndarray:
    """Return the products of matrices [..., m, n] and vectors [..., n]; the axes before are broadcast."""

def outer(a: Any, b: Any) -> ndarray:
    """Return every element of `a` times every element of `b`, as a matrix; both are made flat first."""

def tensordot(a: Any, b: Any, axes: Any = 2) -> ndarray:
    """Return the sums of products over pairs of axes."""

def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> ndarray:
    """Return the sum of a diagonal of two axes."""

def vdot(a: Any, b: Any) -> ndarray:
    """Return the sum of products of all elements; those of `a` are conjugated."""

def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> ndarray:
    """Return the sums of products of vectors along an axis; those of `x1` are conjugated."""

def vecmat(x1: Any, x2: Any, /, out: Any = None) -> ndarray:
    """Return the products of vectors [..., n], conjugated, and matrices [..., n, m]; the axes before are
    broadcast."""

def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = False) -> ndarray:
    """Return the middle of the elements along an axis that are not NaN; arguments are those of `median`."""

def nanstd(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> ndarray:
    """Return the standard deviation of the elements that are not NaN; arguments are those of `var`."""

def nanvar(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> ndarray:
    """Return the variance of the elements that are not NaN; arguments are those of `var`."""

def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 6.283185307179586) -> ndarray:
    """Add multiples of `period` so that neighbours along an axis are less than half of it apart."""

def argpartition(a: Any, kth: Any, axis: int | None = -1, kind: str = 'introselect', order: Any = None) -> ndarray:
    """Return the indices that partition an array, as int64; they sort it, too."""

def lexsort(keys: Any, axis: int = -1) -> ndarray:
    """Return the indices that sort by several keys, as int64; the last key counts first."""

def partition(a: Any, kth: Any, axis: int | None = -1, kind: str = 'introselect', order: Any = None) -> ndarray:
    """Return an array with the elements at `kth` where sorting puts them, smaller ones before; it is sorted."""

def pad(array: Any, pad_width: Any, mode: Any = 'constant', *, constant_values: Any = 0, end_values: Any = 0, stat_length: Any = None) -> ndarray:
    """Return an array that is wider by `pad_width` elements at both ends of each axis."""

def choose(a: Any, choices: Any, out: Any = None, mode: str = 'raise') -> ndarray:
    """Return the element of `choices[a]` at each place."""

def compress(*args: Any, **kwargs: Any) -> ndarray:
    """Return the slices along an axis where a condition is true. Imperative only: data decide the size."""

def extract(*args: Any, **kwargs: Any) -> ndarray:
    """Return the elements where a condition is true. Imperative only: data decide the size."""

def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> ndarray:
    """Return at each place the value of the last function whose condition is true."""

def select(condlist: Any, choicelist: Any, default: Any = 0) -> ndarray:
    """Return at each place the element of the first array whose condition is true, otherwise `default`."""

def poly(seq_of_zeros: Any) -> ndarray:
    """Return the coefficients of the polynomial with given roots, the first one 1."""

def polyadd(a1: Any, a2: Any) -> ndarray:
    """Return the sum of two polynomials, whose coefficients begin with the highest power."""

def polyder(p: Any, m: int = 1) -> ndarray:
    """Return the `m`-th derivative of a polynomial, whose coefficients begin with the highest power."""

@overload
def polyfit(x: Any, y: Any, deg: int, rcond: float | None = None, *, w: Any = None) -> ndarray:
    """Return the polynomial of degree `deg` that comes closest to points, by least squares."""
@overload
def polyfit(x: Any, y: Any, deg: int, rcond: float | None = None, full: Any = False, w: Any = None, cov: Any = False) -> Any: ...

def polyint(p: Any, m: int = 1, k: Any = None) -> ndarray:
    """Return the `m`-th integral of a polynomial, whose coefficients begin with the highest power."""

def polymul(a1: Any, a2: Any) -> ndarray:
    """Return the product of two polynomials, whose coefficients begin with the highest power."""

def polysub(a1: Any, a2: Any) -> ndarray:
    """Return the difference of two polynomials, whose coefficients begin with the highest power."""

def polyval(p: Any, x: Any) -> ndarray:
    """Return the values of a polynomial at `x`, by Horner's rule; `p` begins with the highest power."""

def vander(x: Any, N: int | None = None, increasing: Any = False) -> ndarray:
    """Return the powers of each element of a vector as rows."""

def geterr() -> dict[str, Any]:
    """Return what happens where a result overflows or is no number, imperatively."""

def geterrcall() -> Any:
    """Return what `seterrcall` has set; None where it has set nothing."""

def seterr(all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None) -> dict[str, Any]:
    """Set what happens where a result overflows or is no number, imperatively; return what was set before."""

def seterrcall(func: Any) -> Any:
    """Set the function, or the object with `write`, that hears of results that overflow or are no numbers."""

def all(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> ndarray:
    """Return whether all elements over an axis are true (not zero), as bools."""

def any(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> ndarray:
    """Return whether any element over an axis is true (not zero), as bools."""

def argmax(a: Any, axis: int | None = None, out: Any = None, keepdims: Any = False) -> ndarray:
    """Return the index of the first largest element along an axis, or of the first NaN, as int64."""

def argmin(a: Any, axis: int | None = None, out: Any = None, keepdims: Any = False) -> ndarray:
    """Return the index of the first smallest element along an axis, or of the first NaN, as int64."""

def average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False) -> ndarray:
    """Return the weighted mean over an axis."""

def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> ndarray:
    """Count the elements over an axis that are not zero, as int64."""

def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> ndarray:
    """Return the products of all elements up to each along an axis; of the flat array, where `axis` is None."""

def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> ndarray:
    """Return the sums of all elements up to each along an axis; of the flat array, where `axis` is None."""

def cumulative_prod(x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: Any = False) -> ndarray:
    """Return the products of all elements up to each along an axis, which arrays of one axis need not name."""

def cumulative_sum(x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: Any = False) -> ndarray:
    """Return the sums of all elements up to each along an axis, which arrays of one axis need not name."""

def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> ndarray:
    """Return the differences of neighbours along an axis, `n` times."""

def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> ndarray:
    """Return the differences of neighbours in the flat array, between `to_begin` and `to_end` where you pass
    them."""

def amax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """Return the largest element over an axis; NaN if any is NaN."""

def max(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """Return the largest element over an axis; NaN if any is NaN."""

def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> ndarray:
    """Return the arithmetic mean over an axis; NaN of no elements."""

def amin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """Return the smallest element over an axis; NaN if any is NaN."""

def min(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """Return the smallest element over an axis; NaN if any is NaN."""

def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> ndarray:
    """Return the products of all elements up to each along an axis, where NaN counts as 1."""

def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> ndarray:
    """Return the sums of all elements up to each along an axis, where NaN counts as 0."""

def nanmax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """Return the largest element over an axis, without NaN; arguments are those of `max`."""

def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> ndarray:
    """Return the mean over an axis of the elements that are not NaN; arguments are those of `mean`."""

def nanmin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """Return the smallest element over an axis, without NaN; arguments are those of `min`."""

def nanprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """Return the product over an axis, where NaN counts as 1; arguments are those of `prod`."""

def nansum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """Return the sum over an axis, where NaN counts as 0; arguments are those of `sum`."""

def prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """Return the product of the elements over an axis; integers and bools are multiplied in 64 bits."""

def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> ndarray:
    """Return the largest element less the smallest one, over an axis."""

def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> ndarray:
    """Return the standard deviation over an axis: the square root of the variance; arguments are those of
    `var`."""

def sum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> ndarray:
    """Return the sum of the elements over an axis; integers and bools are summed in 64 bits."""

def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> ndarray:
    """Return the integral of samples along an axis by the trapezoidal rule."""

def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> ndarray:
    """Return the variance over an axis: the mean square distance from the mean."""

def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: Any = False) -> ndarray:
    """Return whether all elements of both arrays are equal within rtol * abs(b) + atol, as a bool array without
    axes."""

def argsort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = False) -> ndarray:
    """Return the indices that sort along an axis, as int64; see `sort`."""

def array_equal(a1: Any, a2: Any, equal_nan: Any = False) -> ndarray:
    """Return whether both have one shape and equal elements, as a bool array without axes."""

def array_equiv(a1: Any, a2: Any) -> ndarray:
    """Return whether both broadcast to one shape and have equal elements there, as a bool array without
    axes."""

def delete(arr: Any, obj: Any, axis: int | None = None) -> ndarray:
    """Return an array without the elements at some positions along an axis."""

def digitize(x: Any, bins: Any, right: Any = False) -> ndarray:
    """Return the number of the bin that each element falls into; `bins` ascend or descend."""

def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> ndarray:
    """Return an array with `values` put in before some positions along an axis."""

def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> ndarray:
    """Interpolate linearly through the points (xp, fp)."""

def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: Any = False) -> ndarray:
    """Return whether elements of both arrays are equal within rtol * abs(b) + atol."""

def isin(element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False, *, kind: str | None = None) -> ndarray:
    """Return whether each element is one of `test_elements`; with `invert`, whether it is none of them."""

def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = False) -> ndarray:
    """Return the middle element along an axis; the mean of two, where their number is even."""

def percentile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, method: str = 'linear', keepdims: Any = False, interpolation: Any = None) -> ndarray:
    """Return the value below which `q` percent of the elements lie, along an axis; see `quantile`."""

def quantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, method: str = 'linear', keepdims: Any = False, interpolation: Any = None) -> ndarray:
    """Return the value below which the share `q` of the elements lies, along an axis."""

def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = 'raise', order: str = 'C') -> ndarray:
    """Return flat indices of an index for each axis of `dims`."""

def searchsorted(a: Any, v: Any, side: str = 'left', sorter: Any = None) -> ndarray:
    """Return the positions at which `v` go into the ascending array `a`."""

def sort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = False) -> ndarray:
    """Return an array sorted along an axis, smallest elements first, NaN last; the order of equal elements
    stays."""

def take(a: Any, indices: Any, axis: int | None = None, mode: str = 'raise', out: Any = None) -> ndarray:
    """Return the elements at `indices` along an axis; of the flat array, where `axis` is None."""

def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> ndarray:
    """Return one element along an axis for each index; the other axes go together."""

def unravel_index(indices: Any, shape: Any, order: str = 'C') -> tuple[ndarray, ...]:
    """Return flat indices as an index for each axis of `shape`."""

def append(arr: Any, values: Any, axis: int | None = None) -> ndarray:
    """Return `values` after `arr`, along an axis; of flat arrays, where `axis` is None."""

def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """Cut an array along an axis into parts whose sizes differ by 1 at most; a list of views."""

@overload
def atleast_1d(ary: Any, /) -> ndarray:
    """Return arrays with at least one axis."""
@overload
def atleast_1d(*arys: Any) -> list[ndarray]: ...

@overload
def atleast_2d(ary: Any, /) -> ndarray:
    """Return arrays with at least two axes; a vector becomes a row."""
@overload
def atleast_2d(*arys: Any) -> list[ndarray]: ...

@overload
def atleast_3d(ary: Any, /) -> ndarray:
    """Return arrays with at least three axes: a vector becomes [1, n, 1], a matrix [m, n, 1]."""
@overload
def atleast_3d(*arys: Any) -> list[ndarray]: ...

def block(arrays: Any) -> ndarray:
    """Join nested lists of arrays: the innermost lists along the last axis, the next ones along the axis
    before."""

def broadcast_arrays(*args: Any) -> list[ndarray]:
    """Return all arrays stretched to their common shape, as read-only views."""

def broadcast_to(array: Any, shape: Any, subok: Any = False) -> ndarray:
    """Return an array stretched to a shape, as a read-only view. A size of -2 is that of the array, as in
    MXNet."""

def column_stack(tup: Any) -> ndarray:
    """Join vectors as the columns of a matrix."""

def concat(seq: Any, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Join arrays along an axis that exists; flat, where `axis` is None."""

def concatenate(seq: Any, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Join arrays along an axis that exists; flat, where `axis` is None."""

def dsplit(ary: Any, indices_or_sections: Any) -> list[ndarray]:
    """Cut an array along axis 2, as `split` does; a list of views."""

def dstack(arrays: Any) -> ndarray:
    """Join arrays along axis 2."""

def expand_dims(a: Any, axis: Any) -> ndarray:
    """Insert axes of size 1 at positions of the result; a view."""

def flip(m: Any, axis: Any = None) -> ndarray:
    """Return the elements in reverse order along an axis, or along all; a view."""

def fliplr(m: Any) -> ndarray:
    """Return the columns in reverse order; a view."""

def flipud(m: Any) -> ndarray:
    """Return the rows in reverse order; a view."""

def hsplit(ary: Any, indices_or_sections: Any) -> list[ndarray]:
    """Cut an array along axis 1, or along the only axis, as `split` does; a list of views."""

def hstack(arrays: Any, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Join arrays side by side: along axis 1, or along the only axis."""

def moveaxis(a: Any, source: Any, destination: Any) -> ndarray:
    """Move axes to other positions; the rest stay in their order; a view."""

def ravel(a: Any, order: str = 'C') -> ndarray:
    """Return all elements along one axis; a view where NumPy gives one."""

def repeat(a: Any, repeats: Any, axis: int | None = None) -> ndarray:
    """Repeat each element along an axis; of the flat array, where `axis` is None."""

def reshape(a: Any, newshape: Any = None, order: str = 'C', *, shape: Any = None, copy: Any = None) -> ndarray:
    """Return the same elements under another shape; one size may be -1. A view where NumPy gives one."""

def resize(a: Any, new_shape: Any) -> ndarray:
    """Return the elements under another shape, repeated as often as needed."""

def roll(a: Any, shift: Any, axis: Any = None) -> ndarray:
    """Move elements on by `shift` along an axis; what falls off one end comes back at the other."""

def rollaxis(a: Any, axis: int, start: int = 0) -> ndarray:
    """Move one axis before the position `start`; a view."""

def rot90(m: Any, k: int = 1, axes: tuple[int, int] = ...) -> ndarray:
    """Turn an array by 90 degrees, `k` times, in the plane of two axes; a view."""

def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    """Cut an array along an axis into equal parts, or at indices; a list of views."""

def squeeze(a: Any, axis: Any = None) -> ndarray:
    """Remove axes of size 1, those that you name or all; a view."""

def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Join arrays of one shape along a new axis."""

def swapaxes(a: Any, axis1: int, axis2: int) -> ndarray:
    """Exchange two axes; a view."""

def tile(A: Any, reps: Any) -> ndarray:
    """Repeat the whole array, `reps` times along each axis."""

def permute_dims(a: Any, axes: Any = None) -> ndarray:
    """Permute the axes; reverse them, where you pass none; a view."""

def transpose(a: Any, axes: Any = None) -> ndarray:
    """Permute the axes; reverse them, where you pass none; a view."""

def unstack(x: Any, /, *, axis: int = 0) -> tuple[ndarray, ...]:
    """Return the parts along an axis as a tuple of views without this axis."""

def vsplit(ary: Any, indices_or_sections: Any) -> list[ndarray]:
    """Cut an array along axis 0, as `split` does; a list of views."""

def row_stack(arrays: Any, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Join arrays one below another; a vector is a row."""

def vstack(arrays: Any, *, dtype: Any = None, casting: str = 'same_kind') -> ndarray:
    """Join arrays one below another; a vector is a row."""

def bartlett(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return the Bartlett window of `M` points: a triangle that is 0 at both ends."""

def blackman(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return the Blackman window of `M` points."""

def convolve(a: Any, v: Any, mode: str = 'full') -> ndarray:
    """Return the convolution of two vectors: the sums over m of a[m] v[n - m]."""

def correlate(a: Any, v: Any, mode: str = 'valid') -> ndarray:
    """Return the correlation of two vectors: the sums over n of a[n + k] conj(v[n]); `mode` as in
    `convolve`."""

def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return the slopes of samples along each axis: central differences, one-sided ones at the ends."""

def hamming(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return the Hamming window of `M` points."""

def hanning(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return the Hann window of `M` points."""

def i0(x: Any) -> ndarray:
    """Return the modified Bessel function of the first kind and order 0."""

def kaiser(M: int, beta: float, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return the Kaiser window of `M` points; the larger `beta`, the narrower the window."""

def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> ndarray:
    """Return the correlations of variables, from -1 to 1; arguments are those of `cov`."""

def cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: int | None = None, fweights: Any = None, aweights: Any = None, *, dtype: Any = None) -> ndarray:
    """Return the covariances of variables, which are rows unless `rowvar` is False."""

def histogram(*args: Any, **kwargs: Any) -> tuple[ndarray, ndarray]:
    """Count the elements between edges; return the counts, as int64, and the edges."""

def nanargmax(a: Any, axis: int | None = None, out: Any = None, keepdims: Any = False) -> ndarray:
    """Return the index of the first largest element along an axis that is not NaN, as int64."""

def nanargmin(a: Any, axis: int | None = None, out: Any = None, keepdims: Any = False) -> ndarray:
    """Return the index of the first smallest element along an axis that is not NaN, as int64."""

def nanpercentile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, method: str = 'linear', keepdims: Any = False, interpolation: Any = None) -> ndarray:
    """Return the value below which `q` percent of the elements lie that are not NaN; see `quantile`."""

def nanquantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, method: str = 'linear', keepdims: Any = False, interpolation: Any = None) -> ndarray:
    """Return the value below which the share `q` of the elements lies that are not NaN; see `quantile`."""

def matrix_transpose(x: Any, /) -> ndarray:
    """Exchange the last two axes; a view."""

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

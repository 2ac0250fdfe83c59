# Written by `docs/make.py` from the module's table of names.

from typing import Any

from hybridize.array.constants import bfloat16 as bfloat16
from hybridize.array.constants import boolean_dtypes as boolean_dtypes
from hybridize.array.constants import floating_dtypes as floating_dtypes
from hybridize.array.constants import integer_dtypes as integer_dtypes
from hybridize.array.constants import numeric_dtypes as numeric_dtypes
from hybridize.array import fft as fft
from hybridize.array.functions.applying import apply_along_axis as apply_along_axis
from hybridize.array.functions.applying import apply_over_axes as apply_over_axes
from hybridize.array.functions.applying import fromfunction as fromfunction
from hybridize.array.functions.applying import frompyfunc as frompyfunc
from hybridize.array.functions.applying import vectorize as vectorize
from hybridize.array.functions.bits import packbits as packbits
from hybridize.array.functions.bits import unpackbits as unpackbits
from hybridize.array.functions.creation import array as array
from hybridize.array.functions.creation import asarray as asanyarray
from hybridize.array.functions.creation import asarray as asarray
from hybridize.array.functions.creation import ascontiguousarray as ascontiguousarray
from hybridize.array.functions.creation import copy as copy
from hybridize.array.functions.creation import diag as diag
from hybridize.array.functions.creation import diagflat as diagflat
from hybridize.array.functions.creation import diagonal as diagonal
from hybridize.array.functions.creation import fill_diagonal as fill_diagonal
from hybridize.array.functions.creation import from_dlpack as from_dlpack
from hybridize.array.functions.creation import identity as identity
from hybridize.array.functions.creation import meshgrid as meshgrid
from hybridize.array.functions.creation import tril as tril
from hybridize.array.functions.creation import tril_indices as tril_indices
from hybridize.array.functions.creation import triu as triu
from hybridize.array.functions.creation import triu_indices as triu_indices
from hybridize.array.functions.data_sized import argwhere as argwhere
from hybridize.array.functions.data_sized import array2string as array2string
from hybridize.array.functions.data_sized import array_repr as array_repr
from hybridize.array.functions.data_sized import array_str as array_str
from hybridize.array.functions.data_sized import bincount as bincount
from hybridize.array.functions.data_sized import einsum_path as einsum_path
from hybridize.array.functions.data_sized import flatnonzero as flatnonzero
from hybridize.array.functions.data_sized import fromiter as fromiter
from hybridize.array.functions.data_sized import genfromtxt as genfromtxt
from hybridize.array.functions.data_sized import histogram2d as histogram2d
from hybridize.array.functions.data_sized import histogram_bin_edges as histogram_bin_edges
from hybridize.array.functions.data_sized import histogramdd as histogramdd
from hybridize.array.functions.data_sized import intersect1d as intersect1d
from hybridize.array.functions.data_sized import may_share_memory as may_share_memory
from hybridize.array.functions.data_sized import nonzero as nonzero
from hybridize.array.functions.data_sized import polydiv as polydiv
from hybridize.array.functions.data_sized import roots as roots
from hybridize.array.functions.data_sized import setdiff1d as setdiff1d
from hybridize.array.functions.data_sized import setxor1d as setxor1d
from hybridize.array.functions.data_sized import shares_memory as shares_memory
from hybridize.array.functions.data_sized import sort_complex as sort_complex
from hybridize.array.functions.data_sized import trim_zeros as trim_zeros
from hybridize.array.functions.data_sized import union1d as union1d
from hybridize.array.functions.data_sized import unique as unique
from hybridize.array.functions.data_sized import unique_all as unique_all
from hybridize.array.functions.data_sized import unique_counts as unique_counts
from hybridize.array.functions.data_sized import unique_inverse as unique_inverse
from hybridize.array.functions.data_sized import unique_values as unique_values
from hybridize.array.functions.elementwise import around as around
from hybridize.array.functions.elementwise import around as round
from hybridize.array.functions.elementwise import around as round_
from hybridize.array.functions.elementwise import astype as astype
from hybridize.array.functions.elementwise import can_cast as can_cast
from hybridize.array.functions.elementwise import clip as clip
from hybridize.array.functions.elementwise import nan_to_num as nan_to_num
from hybridize.array.functions.elementwise import promote_types as promote_types
from hybridize.array.functions.elementwise import result_type as result_type
from hybridize.array.functions.elementwise import sinc as sinc
from hybridize.array.functions.elementwise import where as where
from hybridize.array.functions.files import frombuffer as frombuffer
from hybridize.array.functions.files import fromfile as fromfile
from hybridize.array.functions.files import fromstring as fromstring
from hybridize.array.functions.files import load as load
from hybridize.array.functions.files import loadtxt as loadtxt
from hybridize.array.functions.files import save as save
from hybridize.array.functions.files import savetxt as savetxt
from hybridize.array.functions.files import savez as savez
from hybridize.array.functions.files import savez_compressed as savez_compressed
from hybridize.array.functions.grids import broadcast_shapes as broadcast_shapes
from hybridize.array.functions.grids import c_ as c_
from hybridize.array.functions.grids import diag_indices as diag_indices
from hybridize.array.functions.grids import diag_indices_from as diag_indices_from
from hybridize.array.functions.grids import index_exp as index_exp
from hybridize.array.functions.grids import ix_ as ix_
from hybridize.array.functions.grids import mask_indices as mask_indices
from hybridize.array.functions.grids import mgrid as mgrid
from hybridize.array.functions.grids import ndenumerate as ndenumerate
from hybridize.array.functions.grids import ndindex as ndindex
from hybridize.array.functions.grids import ogrid as ogrid
from hybridize.array.functions.grids import r_ as r_
from hybridize.array.functions.grids import s_ as s_
from hybridize.array.functions.grids import tril_indices_from as tril_indices_from
from hybridize.array.functions.grids import triu_indices_from as triu_indices_from
from hybridize.array.functions.kinds import angle as angle
from hybridize.array.functions.kinds import asarray_chkfinite as asarray_chkfinite
from hybridize.array.functions.kinds import asfortranarray as asfortranarray
from hybridize.array.functions.kinds import common_type as common_type
from hybridize.array.functions.kinds import imag as imag
from hybridize.array.functions.kinds import iscomplex as iscomplex
from hybridize.array.functions.kinds import iscomplexobj as iscomplexobj
from hybridize.array.functions.kinds import isdtype as isdtype
from hybridize.array.functions.kinds import isfortran as isfortran
from hybridize.array.functions.kinds import isreal as isreal
from hybridize.array.functions.kinds import isrealobj as isrealobj
from hybridize.array.functions.kinds import isscalar as isscalar
from hybridize.array.functions.kinds import issubdtype as issubdtype
from hybridize.array.functions.kinds import iterable as iterable
from hybridize.array.functions.kinds import min_scalar_type as min_scalar_type
from hybridize.array.functions.kinds import real as real
from hybridize.array.functions.kinds import real_if_close as real_if_close
from hybridize.array.functions.kinds import require as require
from hybridize.array.functions.linear import cross as cross
from hybridize.array.functions.linear import dot as dot
from hybridize.array.functions.linear import einsum as einsum
from hybridize.array.functions.linear import inner as inner
from hybridize.array.functions.linear import kron as kron
from hybridize.array.functions.linear import matmul as matmul
from hybridize.array.functions.linear import matvec as matvec
from hybridize.array.functions.linear import outer as outer
from hybridize.array.functions.linear import tensordot as tensordot
from hybridize.array.functions.linear import trace as trace
from hybridize.array.functions.linear import vdot as vdot
from hybridize.array.functions.linear import vecdot as vecdot
from hybridize.array.functions.linear import vecmat as vecmat
from hybridize.array.functions.numerics import nanmedian as nanmedian
from hybridize.array.functions.numerics import nanstd as nanstd
from hybridize.array.functions.numerics import nanvar as nanvar
from hybridize.array.functions.numerics import unwrap as unwrap
from hybridize.array.functions.ordering import argpartition as argpartition
from hybridize.array.functions.ordering import lexsort as lexsort
from hybridize.array.functions.ordering import partition as partition
from hybridize.array.functions.padding import pad as pad
from hybridize.array.functions.placing import choose as choose
from hybridize.array.functions.placing import compress as compress
from hybridize.array.functions.placing import copyto as copyto
from hybridize.array.functions.placing import extract as extract
from hybridize.array.functions.placing import piecewise as piecewise
from hybridize.array.functions.placing import place as place
from hybridize.array.functions.placing import put as put
from hybridize.array.functions.placing import put_along_axis as put_along_axis
from hybridize.array.functions.placing import putmask as putmask
from hybridize.array.functions.placing import select as select
from hybridize.array.functions.polynomials import poly as poly
from hybridize.array.functions.polynomials import polyadd as polyadd
from hybridize.array.functions.polynomials import polyder as polyder
from hybridize.array.functions.polynomials import polyfit as polyfit
from hybridize.array.functions.polynomials import polyint as polyint
from hybridize.array.functions.polynomials import polymul as polymul
from hybridize.array.functions.polynomials import polysub as polysub
from hybridize.array.functions.polynomials import polyval as polyval
from hybridize.array.functions.polynomials import vander as vander
from hybridize.array.functions.printing import errstate as errstate
from hybridize.array.functions.printing import format_float_positional as format_float_positional
from hybridize.array.functions.printing import format_float_scientific as format_float_scientific
from hybridize.array.functions.printing import geterr as geterr
from hybridize.array.functions.printing import geterrcall as geterrcall
from hybridize.array.functions.printing import seterr as seterr
from hybridize.array.functions.printing import seterrcall as seterrcall
from hybridize.array.functions.reductions import all as all
from hybridize.array.functions.reductions import any as any
from hybridize.array.functions.reductions import argmax as argmax
from hybridize.array.functions.reductions import argmin as argmin
from hybridize.array.functions.reductions import average as average
from hybridize.array.functions.reductions import count_nonzero as count_nonzero
from hybridize.array.functions.reductions import cumprod as cumprod
from hybridize.array.functions.reductions import cumsum as cumsum
from hybridize.array.functions.reductions import cumulative_prod as cumulative_prod
from hybridize.array.functions.reductions import cumulative_sum as cumulative_sum
from hybridize.array.functions.reductions import diff as diff
from hybridize.array.functions.reductions import ediff1d as ediff1d
from hybridize.array.functions.reductions import max as amax
from hybridize.array.functions.reductions import max as max
from hybridize.array.functions.reductions import mean as mean
from hybridize.array.functions.reductions import min as amin
from hybridize.array.functions.reductions import min as min
from hybridize.array.functions.reductions import nancumprod as nancumprod
from hybridize.array.functions.reductions import nancumsum as nancumsum
from hybridize.array.functions.reductions import nanmax as nanmax
from hybridize.array.functions.reductions import nanmean as nanmean
from hybridize.array.functions.reductions import nanmin as nanmin
from hybridize.array.functions.reductions import nanprod as nanprod
from hybridize.array.functions.reductions import nansum as nansum
from hybridize.array.functions.reductions import prod as prod
from hybridize.array.functions.reductions import ptp as ptp
from hybridize.array.functions.reductions import std as std
from hybridize.array.functions.reductions import sum as sum
from hybridize.array.functions.reductions import trapezoid as trapezoid
from hybridize.array.functions.reductions import var as var
from hybridize.array.functions.searching import allclose as allclose
from hybridize.array.functions.searching import argsort as argsort
from hybridize.array.functions.searching import array_equal as array_equal
from hybridize.array.functions.searching import array_equiv as array_equiv
from hybridize.array.functions.searching import delete as delete
from hybridize.array.functions.searching import digitize as digitize
from hybridize.array.functions.searching import insert as insert
from hybridize.array.functions.searching import interp as interp
from hybridize.array.functions.searching import isclose as isclose
from hybridize.array.functions.searching import isin as isin
from hybridize.array.functions.searching import median as median
from hybridize.array.functions.searching import percentile as percentile
from hybridize.array.functions.searching import quantile as quantile
from hybridize.array.functions.searching import ravel_multi_index as ravel_multi_index
from hybridize.array.functions.searching import searchsorted as searchsorted
from hybridize.array.functions.searching import sort as sort
from hybridize.array.functions.searching import take as take
from hybridize.array.functions.searching import take_along_axis as take_along_axis
from hybridize.array.functions.searching import unravel_index as unravel_index
from hybridize.array.functions.shapes import append as append
from hybridize.array.functions.shapes import array_split as array_split
from hybridize.array.functions.shapes import atleast_1d as atleast_1d
from hybridize.array.functions.shapes import atleast_2d as atleast_2d
from hybridize.array.functions.shapes import atleast_3d as atleast_3d
from hybridize.array.functions.shapes import block as block
from hybridize.array.functions.shapes import broadcast_arrays as broadcast_arrays
from hybridize.array.functions.shapes import broadcast_to as broadcast_to
from hybridize.array.functions.shapes import column_stack as column_stack
from hybridize.array.functions.shapes import concatenate as concat
from hybridize.array.functions.shapes import concatenate as concatenate
from hybridize.array.functions.shapes import dsplit as dsplit
from hybridize.array.functions.shapes import dstack as dstack
from hybridize.array.functions.shapes import expand_dims as expand_dims
from hybridize.array.functions.shapes import flip as flip
from hybridize.array.functions.shapes import fliplr as fliplr
from hybridize.array.functions.shapes import flipud as flipud
from hybridize.array.functions.shapes import hsplit as hsplit
from hybridize.array.functions.shapes import hstack as hstack
from hybridize.array.functions.shapes import moveaxis as moveaxis
from hybridize.array.functions.shapes import ndim as ndim
from hybridize.array.functions.shapes import ravel as ravel
from hybridize.array.functions.shapes import repeat as repeat
from hybridize.array.functions.shapes import reshape as reshape
from hybridize.array.functions.shapes import resize as resize
from hybridize.array.functions.shapes import roll as roll
from hybridize.array.functions.shapes import rollaxis as rollaxis
from hybridize.array.functions.shapes import rot90 as rot90
from hybridize.array.functions.shapes import shape as shape
from hybridize.array.functions.shapes import size as size
from hybridize.array.functions.shapes import split as split
from hybridize.array.functions.shapes import squeeze as squeeze
from hybridize.array.functions.shapes import stack as stack
from hybridize.array.functions.shapes import swapaxes as swapaxes
from hybridize.array.functions.shapes import tile as tile
from hybridize.array.functions.shapes import transpose as permute_dims
from hybridize.array.functions.shapes import transpose as transpose
from hybridize.array.functions.shapes import unstack as unstack
from hybridize.array.functions.shapes import vsplit as vsplit
from hybridize.array.functions.shapes import vstack as row_stack
from hybridize.array.functions.shapes import vstack as vstack
from hybridize.array.functions.signals import convolve as convolve
from hybridize.array.functions.signals import correlate as correlate
from hybridize.array.functions.signals import gradient as gradient
from hybridize.array.functions.signals import i0 as i0
from hybridize.array.functions.statistics import corrcoef as corrcoef
from hybridize.array.functions.statistics import cov as cov
from hybridize.array.functions.statistics import histogram as histogram
from hybridize.array.functions.statistics import nanargmax as nanargmax
from hybridize.array.functions.statistics import nanargmin as nanargmin
from hybridize.array.functions.statistics import nanpercentile as nanpercentile
from hybridize.array.functions.statistics import nanquantile as nanquantile
from hybridize.array import linalg as linalg
from hybridize.array.linalg import matrix_transpose as matrix_transpose
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

def bitwise_count(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the number of bits that are 1 in the absolute value of each integer, as uint8."""

def float_power(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return x1 to the power of x2 in float64; of complex numbers in complex128."""

def frexp(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Split each element into a mantissa from 0.5 to 1 and an exponent of 2, as int32."""

def logaddexp2(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return log2(2**x1 + 2**x2) without overflow."""

def modf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Split each element into its fraction and its integer part, both with its sign; return them as a tuple."""

def nextafter(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the float beside x1 in the direction of x2."""

def spacing(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the distance from each element to the next float away from 0, with its sign."""

def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return the numbers start, start + step, ... up to but without `stop`."""

def empty(shape: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Return an array of zeros of a shape; float32 unless you pass a dtype."""

def empty_like(a: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of zeros of the shape and dtype of `a`; `np.empty_like` is another name."""

def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return a matrix with ones on the diagonal `k` and zeros elsewhere; float32 unless you pass a dtype."""

def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Return an array of a shape that has `fill_value` everywhere."""

def full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of the shape and dtype of `a` that has `fill_value` everywhere; an array is broadcast."""

def geomspace(start: Any, stop: Any, num: int = 50, endpoint: Any = True, dtype: Any = None, axis: int = 0, ctx: Any = None, device: Any = None) -> Any:
    """Return `num` numbers from `start` to `stop` whose neighbours have one quotient."""

def indices(dimensions: Any, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Return the index of every element of a shape along each axis, stacked: [axes, *dimensions]; int64."""

def linspace(start: Any, stop: Any, num: int = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None, axis: int = 0, ctx: Any = None, device: Any = None) -> Any:
    """Return `num` numbers at even distances from `start` to `stop`; float32 unless you pass a dtype."""

def logspace(start: Any, stop: Any, num: int = 50, endpoint: Any = True, base: float = 10.0, dtype: Any = None, axis: int = 0, ctx: Any = None, device: Any = None) -> Any:
    """Return `base` to the power of `num` numbers at even distances from `start` to `stop`."""

def ones(shape: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Return an array of ones of a shape; float32 unless you pass a dtype."""

def ones_like(a: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of ones of the shape and dtype of `a`."""

def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Return a matrix with ones on and below the diagonal `k` and zeros above it."""

def zeros(shape: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Return an array of zeros of a shape; float32 unless you pass a dtype."""

def zeros_like(a: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of zeros of the shape and dtype of `a`; `np.empty_like` is another name."""

def gcd(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the greatest common divisor of |x1| and |x2|, of integers."""

def lcm(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the least common multiple of |x1| and |x2|, of integers."""

def abs(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the absolute value of each element; of complex numbers their distance from 0, as floats."""

def absolute(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the absolute value of each element; of complex numbers their distance from 0, as floats."""

def add(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the sum x1 + x2 of each pair of elements; of bools, whether one of both is true."""

def acos(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the angle whose cosine is x, from 0 to pi; NaN outside of -1 to 1."""

def arccos(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the angle whose cosine is x, from 0 to pi; NaN outside of -1 to 1."""

def acosh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the number whose hyperbolic cosine is x; NaN below 1."""

def arccosh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the number whose hyperbolic cosine is x; NaN below 1."""

def arcsin(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the angle whose sine is x, from -pi/2 to pi/2; NaN outside of -1 to 1."""

def asin(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the angle whose sine is x, from -pi/2 to pi/2; NaN outside of -1 to 1."""

def arcsinh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the number whose hyperbolic sine is x."""

def asinh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the number whose hyperbolic sine is x."""

def arctan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the angle whose tangent is x, from -pi/2 to pi/2."""

def atan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the angle whose tangent is x, from -pi/2 to pi/2."""

def arctan2(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the angle of the point (x2, x1), in radians from -pi to pi."""

def atan2(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the angle of the point (x2, x1), in radians from -pi to pi."""

def arctanh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the number whose hyperbolic tangent is x; infinite at -1 and 1."""

def atanh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the number whose hyperbolic tangent is x; infinite at -1 and 1."""

def bitwise_and(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the bits that x1 and x2 have in common, of integers or bools."""

def bitwise_or(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the bits that x1 or x2 has, of integers or bools."""

def bitwise_xor(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the bits that one of x1 and x2 has and the other does not, of integers or bools."""

def cbrt(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the cube root of each element, also of negative ones. Integers give float32."""

def ceil(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the smallest integer that is not below each element; integers stay as they are."""

def copysign(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the absolute values of x1 with the signs of x2."""

def cos(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the cosine of each element, an angle in radians. Integers give float32."""

def cosh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the hyperbolic cosine of each element."""

def degrees(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return angles in degrees of angles in radians."""

def rad2deg(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return angles in degrees of angles in radians."""

def divide(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the quotient x1 / x2 of each pair of elements."""

def true_divide(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the quotient x1 / x2 of each pair of elements."""

def divmod(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return `floor_divide(x1, x2)` and `mod(x1, x2)` as a tuple."""

def equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether x1 == x2 for each pair of elements, as bools."""

def exp(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return e to the power of each element. Integers give float32."""

def exp2(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return 2 to the power of each element. Integers give float32."""

def expm1(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return exp(x) - 1 for each element, exact for small x."""

def fabs(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the absolute value of each real number."""

def fix(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the integer part of each element: rounded towards 0."""

def floor(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the largest integer that is not above each element; integers stay as they are."""

def floor_divide(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the largest integer that is not above x1 / x2, in the dtype of the operands."""

def fmax(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the larger of each pair of elements; where one is NaN, the other one."""

def fmin(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the smaller of each pair of elements; where one is NaN, the other one."""

def fmod(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the remainder of x1 / x2 for each pair of elements, with the sign of x1, as C's `fmod`."""

def greater(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether x1 > x2 for each pair of elements, as bools."""

def greater_equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether x1 >= x2 for each pair of elements, as bools."""

def heaviside(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the step function: 0 where x1 < 0, x2 where x1 == 0, 1 where x1 > 0."""

def hypot(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return sqrt(x1**2 + x2**2), the hypotenuse of each pair of legs, without overflow on the way."""

def bitwise_invert(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return every bit of an integer turned over; of bools, whether they are false."""

def bitwise_not(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return every bit of an integer turned over; of bools, whether they are false."""

def invert(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return every bit of an integer turned over; of bools, whether they are false."""

def isfinite(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether each element is neither NaN nor infinite."""

def isinf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether each element is infinite, of either sign."""

def isnan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether each element is NaN."""

def isneginf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether each element is negative infinity."""

def isposinf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether each element is positive infinity."""

def ldexp(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return x1 * 2**x2, rounded once: the inverse of `frexp`."""

def bitwise_left_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return x1 * 2**x2 of integers: their bits moved to the left."""

def left_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return x1 * 2**x2 of integers: their bits moved to the left."""

def less(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether x1 < x2 for each pair of elements, as bools."""

def less_equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether x1 <= x2 for each pair of elements, as bools."""

def log(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the natural logarithm of each element: -inf of 0, NaN below. Integers give float32."""

def log10(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the logarithm of each element to base 10. Integers give float32."""

def log1p(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return log(1 + x) for each element, exact for small x."""

def log2(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the logarithm of each element to base 2. Integers give float32."""

def logaddexp(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return log(exp(x1) + exp(x2)) without overflow: the logarithm of a sum of probabilities."""

def logical_and(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether both elements are true (not zero)."""

def logical_not(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether each element is false (zero)."""

def logical_or(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether one element of each pair is true (not zero), or both."""

def logical_xor(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether exactly one element of each pair is true (not zero)."""

def maximum(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the larger of each pair of elements; NaN where either is NaN."""

def minimum(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the smaller of each pair of elements; NaN where either is NaN."""

def mod(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the remainder x1 - x2 * floor(x1 / x2) of each pair of elements, with the sign of x2."""

def remainder(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the remainder x1 - x2 * floor(x1 / x2) of each pair of elements, with the sign of x2."""

def multiply(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the product x1 * x2 of each pair of elements; of bools, whether both are true."""

def negative(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return -x for each element; bools are refused with `E205`."""

def not_equal(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether x1 != x2 for each pair of elements, as bools."""

def positive(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return a copy of x, as +x does."""

def pow(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return x1 to the power of x2 for each pair of elements."""

def power(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return x1 to the power of x2 for each pair of elements."""

def deg2rad(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return angles in radians of angles in degrees."""

def radians(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return angles in radians of angles in degrees."""

def reciprocal(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return 1 / x for each element."""

def bitwise_right_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return x1 // 2**x2 of integers: their bits moved to the right."""

def right_shift(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return x1 // 2**x2 of integers: their bits moved to the right."""

def rint(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the nearest integer of each element, halves to even; integers stay as they are."""

def sign(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return -1, 0 or 1 for each element; NaN of NaN. The gradient is 0."""

def signbit(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return whether the sign of each element is negative; that of -0.0 is."""

def sin(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the sine of each element, an angle in radians. Integers give float32."""

def sinh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the hyperbolic sine of each element."""

def sqrt(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the square root of each element; NaN below 0. Integers give float32."""

def square(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return x * x for each element."""

def subtract(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the difference x1 - x2 of each pair of elements."""

def tan(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the tangent of each element, an angle in radians. Integers give float32."""

def tanh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the hyperbolic tangent of each element, from -1 to 1."""

def trunc(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the integer part of each element: rounded towards 0."""

def conj(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the complex conjugate of each element; of real numbers a copy."""

def conjugate(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: Any = True) -> Any:
    """Return the complex conjugate of each element; of real numbers a copy."""

def bartlett(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Return the Bartlett window of `M` points: a triangle that is 0 at both ends."""

def blackman(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Return the Blackman window of `M` points."""

def hamming(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Return the Hamming window of `M` points."""

def hanning(M: int, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Return the Hann window of `M` points."""

def kaiser(M: int, beta: float, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Return the Kaiser window of `M` points; the larger `beta`, the narrower the window."""

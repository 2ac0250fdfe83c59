# Written by `docs/make.py` from the module's table of names.

from hybridize.array.constants import False_ as False_
from hybridize.array.constants import True_ as True_
from hybridize.array.constants import bfloat16 as bfloat16
from hybridize.array.constants import bool as bool
from hybridize.array.constants import bool_ as bool_
from hybridize.array.constants import boolean_dtypes as boolean_dtypes
from hybridize.array.constants import byte as byte
from hybridize.array.constants import complex128 as complex128
from hybridize.array.constants import complex64 as complex64
from hybridize.array.constants import double as double
from hybridize.array.constants import dtype as dtype
from hybridize.array.constants import e as e
from hybridize.array.constants import euler_gamma as euler_gamma
from hybridize.array.constants import finfo as finfo
from hybridize.array.constants import float16 as float16
from hybridize.array.constants import float32 as float32
from hybridize.array.constants import float64 as float64
from hybridize.array.constants import floating as floating
from hybridize.array.constants import floating_dtypes as floating_dtypes
from hybridize.array.constants import generic as generic
from hybridize.array.constants import half as half
from hybridize.array.constants import iinfo as iinfo
from hybridize.array.constants import inexact as inexact
from hybridize.array.constants import inf as inf
from hybridize.array.constants import int16 as int16
from hybridize.array.constants import int32 as int32
from hybridize.array.constants import int64 as int64
from hybridize.array.constants import int8 as int8
from hybridize.array.constants import int_ as int_
from hybridize.array.constants import intc as intc
from hybridize.array.constants import integer as integer
from hybridize.array.constants import integer_dtypes as integer_dtypes
from hybridize.array.constants import intp as intp
from hybridize.array.constants import long as long
from hybridize.array.constants import longlong as longlong
from hybridize.array.constants import mintypecode as mintypecode
from hybridize.array.constants import nan as nan
from hybridize.array.constants import newaxis as newaxis
from hybridize.array.constants import number as number
from hybridize.array.constants import numeric_dtypes as numeric_dtypes
from hybridize.array.constants import pi as pi
from hybridize.array.constants import short as short
from hybridize.array.constants import signedinteger as signedinteger
from hybridize.array.constants import single as single
from hybridize.array.constants import typename as typename
from hybridize.array.constants import ubyte as ubyte
from hybridize.array.constants import uint as uint
from hybridize.array.constants import uint16 as uint16
from hybridize.array.constants import uint32 as uint32
from hybridize.array.constants import uint64 as uint64
from hybridize.array.constants import uint8 as uint8
from hybridize.array.constants import uintc as uintc
from hybridize.array.constants import uintp as uintp
from hybridize.array.constants import ulong as ulong
from hybridize.array.constants import ulonglong as ulonglong
from hybridize.array.constants import unsignedinteger as unsignedinteger
from hybridize.array.constants import ushort as ushort
from hybridize.array import fft as fft
from hybridize.array.functions.applying import apply_along_axis as apply_along_axis
from hybridize.array.functions.applying import apply_over_axes as apply_over_axes
from hybridize.array.functions.applying import fromfunction as fromfunction
from hybridize.array.functions.applying import fromiter as fromiter
from hybridize.array.functions.applying import frompyfunc as frompyfunc
from hybridize.array.functions.applying import vectorize as vectorize
from hybridize.array.functions.bits import bitwise_count as bitwise_count
from hybridize.array.functions.bits import float_power as float_power
from hybridize.array.functions.bits import frexp as frexp
from hybridize.array.functions.bits import logaddexp2 as logaddexp2
from hybridize.array.functions.bits import modf as modf
from hybridize.array.functions.bits import nextafter as nextafter
from hybridize.array.functions.bits import packbits as packbits
from hybridize.array.functions.bits import spacing as spacing
from hybridize.array.functions.bits import unpackbits as unpackbits
from hybridize.array.functions.creation import arange as arange
from hybridize.array.functions.creation import array as array
from hybridize.array.functions.creation import asarray as asanyarray
from hybridize.array.functions.creation import asarray as asarray
from hybridize.array.functions.creation import ascontiguousarray as ascontiguousarray
from hybridize.array.functions.creation import blackman as blackman
from hybridize.array.functions.creation import copy as copy
from hybridize.array.functions.creation import diag as diag
from hybridize.array.functions.creation import diagflat as diagflat
from hybridize.array.functions.creation import diagonal as diagonal
from hybridize.array.functions.creation import empty as empty
from hybridize.array.functions.creation import empty_like as empty_like
from hybridize.array.functions.creation import eye as eye
from hybridize.array.functions.creation import fill_diagonal as fill_diagonal
from hybridize.array.functions.creation import from_dlpack as from_dlpack
from hybridize.array.functions.creation import full as full
from hybridize.array.functions.creation import full_like as full_like
from hybridize.array.functions.creation import geomspace as geomspace
from hybridize.array.functions.creation import hamming as hamming
from hybridize.array.functions.creation import hanning as hanning
from hybridize.array.functions.creation import identity as identity
from hybridize.array.functions.creation import indices as indices
from hybridize.array.functions.creation import linspace as linspace
from hybridize.array.functions.creation import logspace as logspace
from hybridize.array.functions.creation import meshgrid as meshgrid
from hybridize.array.functions.creation import ones as ones
from hybridize.array.functions.creation import ones_like as ones_like
from hybridize.array.functions.creation import tri as tri
from hybridize.array.functions.creation import tril as tril
from hybridize.array.functions.creation import tril_indices as tril_indices
from hybridize.array.functions.creation import triu as triu
from hybridize.array.functions.creation import triu_indices as triu_indices
from hybridize.array.functions.creation import zeros as zeros
from hybridize.array.functions.creation import zeros_like as zeros_like
from hybridize.array.functions.data_sized import argwhere as argwhere
from hybridize.array.functions.data_sized import bincount as bincount
from hybridize.array.functions.data_sized import einsum_path as einsum_path
from hybridize.array.functions.data_sized import flatnonzero as flatnonzero
from hybridize.array.functions.data_sized import genfromtxt as genfromtxt
from hybridize.array.functions.data_sized import intersect1d as intersect1d
from hybridize.array.functions.data_sized import nonzero as nonzero
from hybridize.array.functions.data_sized import setdiff1d as setdiff1d
from hybridize.array.functions.data_sized import setxor1d as setxor1d
from hybridize.array.functions.data_sized import sort_complex as sort_complex
from hybridize.array.functions.data_sized import trim_zeros as trim_zeros
from hybridize.array.functions.data_sized import union1d as union1d
from hybridize.array.functions.data_sized import unique as unique
from hybridize.array.functions.data_sized import unique_all as unique_all
from hybridize.array.functions.data_sized import unique_counts as unique_counts
from hybridize.array.functions.data_sized import unique_inverse as unique_inverse
from hybridize.array.functions.data_sized import unique_values as unique_values
from hybridize.array.functions.divisors import gcd as gcd
from hybridize.array.functions.divisors import lcm as lcm
from hybridize.array.functions.elementwise import absolute as abs
from hybridize.array.functions.elementwise import absolute as absolute
from hybridize.array.functions.elementwise import add as add
from hybridize.array.functions.elementwise import arccos as acos
from hybridize.array.functions.elementwise import arccos as arccos
from hybridize.array.functions.elementwise import arccosh as acosh
from hybridize.array.functions.elementwise import arccosh as arccosh
from hybridize.array.functions.elementwise import arcsin as arcsin
from hybridize.array.functions.elementwise import arcsin as asin
from hybridize.array.functions.elementwise import arcsinh as arcsinh
from hybridize.array.functions.elementwise import arcsinh as asinh
from hybridize.array.functions.elementwise import arctan as arctan
from hybridize.array.functions.elementwise import arctan as atan
from hybridize.array.functions.elementwise import arctan2 as arctan2
from hybridize.array.functions.elementwise import arctan2 as atan2
from hybridize.array.functions.elementwise import arctanh as arctanh
from hybridize.array.functions.elementwise import arctanh as atanh
from hybridize.array.functions.elementwise import around as around
from hybridize.array.functions.elementwise import around as round
from hybridize.array.functions.elementwise import around as round_
from hybridize.array.functions.elementwise import astype as astype
from hybridize.array.functions.elementwise import bitwise_and as bitwise_and
from hybridize.array.functions.elementwise import bitwise_or as bitwise_or
from hybridize.array.functions.elementwise import bitwise_xor as bitwise_xor
from hybridize.array.functions.elementwise import can_cast as can_cast
from hybridize.array.functions.elementwise import cbrt as cbrt
from hybridize.array.functions.elementwise import ceil as ceil
from hybridize.array.functions.elementwise import clip as clip
from hybridize.array.functions.elementwise import copysign as copysign
from hybridize.array.functions.elementwise import cos as cos
from hybridize.array.functions.elementwise import cosh as cosh
from hybridize.array.functions.elementwise import degrees as degrees
from hybridize.array.functions.elementwise import degrees as rad2deg
from hybridize.array.functions.elementwise import divide as divide
from hybridize.array.functions.elementwise import divide as true_divide
from hybridize.array.functions.elementwise import divmod as divmod
from hybridize.array.functions.elementwise import equal as equal
from hybridize.array.functions.elementwise import exp as exp
from hybridize.array.functions.elementwise import exp2 as exp2
from hybridize.array.functions.elementwise import expm1 as expm1
from hybridize.array.functions.elementwise import fabs as fabs
from hybridize.array.functions.elementwise import fix as fix
from hybridize.array.functions.elementwise import floor as floor
from hybridize.array.functions.elementwise import floor_divide as floor_divide
from hybridize.array.functions.elementwise import fmax as fmax
from hybridize.array.functions.elementwise import fmin as fmin
from hybridize.array.functions.elementwise import fmod as fmod
from hybridize.array.functions.elementwise import greater as greater
from hybridize.array.functions.elementwise import greater_equal as greater_equal
from hybridize.array.functions.elementwise import heaviside as heaviside
from hybridize.array.functions.elementwise import hypot as hypot
from hybridize.array.functions.elementwise import invert as bitwise_invert
from hybridize.array.functions.elementwise import invert as bitwise_not
from hybridize.array.functions.elementwise import invert as invert
from hybridize.array.functions.elementwise import isfinite as isfinite
from hybridize.array.functions.elementwise import isinf as isinf
from hybridize.array.functions.elementwise import isnan as isnan
from hybridize.array.functions.elementwise import isneginf as isneginf
from hybridize.array.functions.elementwise import isposinf as isposinf
from hybridize.array.functions.elementwise import ldexp as ldexp
from hybridize.array.functions.elementwise import left_shift as bitwise_left_shift
from hybridize.array.functions.elementwise import left_shift as left_shift
from hybridize.array.functions.elementwise import less as less
from hybridize.array.functions.elementwise import less_equal as less_equal
from hybridize.array.functions.elementwise import log as log
from hybridize.array.functions.elementwise import log10 as log10
from hybridize.array.functions.elementwise import log1p as log1p
from hybridize.array.functions.elementwise import log2 as log2
from hybridize.array.functions.elementwise import logaddexp as logaddexp
from hybridize.array.functions.elementwise import logical_and as logical_and
from hybridize.array.functions.elementwise import logical_not as logical_not
from hybridize.array.functions.elementwise import logical_or as logical_or
from hybridize.array.functions.elementwise import logical_xor as logical_xor
from hybridize.array.functions.elementwise import maximum as maximum
from hybridize.array.functions.elementwise import minimum as minimum
from hybridize.array.functions.elementwise import mod as mod
from hybridize.array.functions.elementwise import mod as remainder
from hybridize.array.functions.elementwise import multiply as multiply
from hybridize.array.functions.elementwise import nan_to_num as nan_to_num
from hybridize.array.functions.elementwise import negative as negative
from hybridize.array.functions.elementwise import not_equal as not_equal
from hybridize.array.functions.elementwise import positive as positive
from hybridize.array.functions.elementwise import power as pow
from hybridize.array.functions.elementwise import power as power
from hybridize.array.functions.elementwise import promote_types as promote_types
from hybridize.array.functions.elementwise import radians as deg2rad
from hybridize.array.functions.elementwise import radians as radians
from hybridize.array.functions.elementwise import reciprocal as reciprocal
from hybridize.array.functions.elementwise import result_type as result_type
from hybridize.array.functions.elementwise import right_shift as bitwise_right_shift
from hybridize.array.functions.elementwise import right_shift as right_shift
from hybridize.array.functions.elementwise import rint as rint
from hybridize.array.functions.elementwise import sign as sign
from hybridize.array.functions.elementwise import signbit as signbit
from hybridize.array.functions.elementwise import sin as sin
from hybridize.array.functions.elementwise import sinc as sinc
from hybridize.array.functions.elementwise import sinh as sinh
from hybridize.array.functions.elementwise import sqrt as sqrt
from hybridize.array.functions.elementwise import square as square
from hybridize.array.functions.elementwise import subtract as subtract
from hybridize.array.functions.elementwise import tan as tan
from hybridize.array.functions.elementwise import tanh as tanh
from hybridize.array.functions.elementwise import trunc as trunc
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
from hybridize.array.functions.kinds import conj as conj
from hybridize.array.functions.kinds import conj as conjugate
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
from hybridize.array.functions.kinds import may_share_memory as may_share_memory
from hybridize.array.functions.kinds import min_scalar_type as min_scalar_type
from hybridize.array.functions.kinds import real as real
from hybridize.array.functions.kinds import real_if_close as real_if_close
from hybridize.array.functions.kinds import require as require
from hybridize.array.functions.kinds import shares_memory as shares_memory
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
from hybridize.array.functions.polynomials import polydiv as polydiv
from hybridize.array.functions.polynomials import polyfit as polyfit
from hybridize.array.functions.polynomials import polyint as polyint
from hybridize.array.functions.polynomials import polymul as polymul
from hybridize.array.functions.polynomials import polysub as polysub
from hybridize.array.functions.polynomials import polyval as polyval
from hybridize.array.functions.polynomials import roots as roots
from hybridize.array.functions.polynomials import vander as vander
from hybridize.array.functions.printing import array2string as array2string
from hybridize.array.functions.printing import array_repr as array_repr
from hybridize.array.functions.printing import array_str as array_str
from hybridize.array.functions.printing import base_repr as base_repr
from hybridize.array.functions.printing import binary_repr as binary_repr
from hybridize.array.functions.printing import errstate as errstate
from hybridize.array.functions.printing import format_float_positional as format_float_positional
from hybridize.array.functions.printing import format_float_scientific as format_float_scientific
from hybridize.array.functions.printing import get_printoptions as get_printoptions
from hybridize.array.functions.printing import geterr as geterr
from hybridize.array.functions.printing import geterrcall as geterrcall
from hybridize.array.functions.printing import printoptions as printoptions
from hybridize.array.functions.printing import set_printoptions as set_printoptions
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
from hybridize.array.functions.signals import bartlett as bartlett
from hybridize.array.functions.signals import convolve as convolve
from hybridize.array.functions.signals import correlate as correlate
from hybridize.array.functions.signals import gradient as gradient
from hybridize.array.functions.signals import i0 as i0
from hybridize.array.functions.signals import kaiser as kaiser
from hybridize.array.functions.statistics import corrcoef as corrcoef
from hybridize.array.functions.statistics import cov as cov
from hybridize.array.functions.statistics import histogram as histogram
from hybridize.array.functions.statistics import histogram2d as histogram2d
from hybridize.array.functions.statistics import histogram_bin_edges as histogram_bin_edges
from hybridize.array.functions.statistics import histogramdd as histogramdd
from hybridize.array.functions.statistics import nanargmax as nanargmax
from hybridize.array.functions.statistics import nanargmin as nanargmin
from hybridize.array.functions.statistics import nancumprod as nancumprod
from hybridize.array.functions.statistics import nancumsum as nancumsum
from hybridize.array.functions.statistics import nanpercentile as nanpercentile
from hybridize.array.functions.statistics import nanquantile as nanquantile
from hybridize.array import linalg as linalg
from hybridize.array.linalg import matrix_transpose as matrix_transpose
from hybridize.array.ndarray import ndarray as ndarray
from hybridize.array import random as random

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

# Written by `docs/make.py` from the module's table of names.

from hybridize.ops.analysis import Arccos as Arccos
from hybridize.ops.analysis import Arccosh as Arccosh
from hybridize.ops.analysis import Arcsin as Arcsin
from hybridize.ops.analysis import Arcsinh as Arcsinh
from hybridize.ops.analysis import Arctan as Arctan
from hybridize.ops.analysis import Arctanh as Arctanh
from hybridize.ops.analysis import Cbrt as Cbrt
from hybridize.ops.analysis import Ceil as Ceil
from hybridize.ops.analysis import Cos as Cos
from hybridize.ops.analysis import Cosh as Cosh
from hybridize.ops.analysis import Erf as Erf
from hybridize.ops.analysis import Erfinv as Erfinv
from hybridize.ops.analysis import Exp as Exp
from hybridize.ops.analysis import Exp2 as Exp2
from hybridize.ops.analysis import Expm1 as Expm1
from hybridize.ops.analysis import Floor as Floor
from hybridize.ops.analysis import Gamma as Gamma
from hybridize.ops.analysis import Gammaln as Gammaln
from hybridize.ops.analysis import Isfinite as Isfinite
from hybridize.ops.analysis import Isinf as Isinf
from hybridize.ops.analysis import Isnan as Isnan
from hybridize.ops.analysis import Log as Log
from hybridize.ops.analysis import Log10 as Log10
from hybridize.ops.analysis import Log1p as Log1p
from hybridize.ops.analysis import Log2 as Log2
from hybridize.ops.analysis import Round as Round
from hybridize.ops.analysis import Rsqrt as Rsqrt
from hybridize.ops.analysis import Sigmoid as Sigmoid
from hybridize.ops.analysis import Sin as Sin
from hybridize.ops.analysis import Sinh as Sinh
from hybridize.ops.analysis import Sqrt as Sqrt
from hybridize.ops.analysis import Tan as Tan
from hybridize.ops.analysis import Tanh as Tanh
from hybridize.ops.analysis import Trunc as Trunc
from hybridize.ops.analysis import arccos as arccos
from hybridize.ops.analysis import arccosh as arccosh
from hybridize.ops.analysis import arcsin as arcsin
from hybridize.ops.analysis import arcsinh as arcsinh
from hybridize.ops.analysis import arctan as arctan
from hybridize.ops.analysis import arctanh as arctanh
from hybridize.ops.analysis import cbrt as cbrt
from hybridize.ops.analysis import ceil as ceil
from hybridize.ops.analysis import cos as cos
from hybridize.ops.analysis import cosh as cosh
from hybridize.ops.analysis import digamma as digamma
from hybridize.ops.analysis import erf as erf
from hybridize.ops.analysis import erfinv as erfinv
from hybridize.ops.analysis import exp as exp
from hybridize.ops.analysis import exp2 as exp2
from hybridize.ops.analysis import expm1 as expm1
from hybridize.ops.analysis import floor as floor
from hybridize.ops.analysis import gamma as gamma
from hybridize.ops.analysis import gammaln as gammaln
from hybridize.ops.analysis import isfinite as isfinite
from hybridize.ops.analysis import isinf as isinf
from hybridize.ops.analysis import isnan as isnan
from hybridize.ops.analysis import log as log
from hybridize.ops.analysis import log10 as log10
from hybridize.ops.analysis import log1p as log1p
from hybridize.ops.analysis import log2 as log2
from hybridize.ops.analysis import round as round
from hybridize.ops.analysis import rsqrt as rsqrt
from hybridize.ops.analysis import sigmoid as sigmoid
from hybridize.ops.analysis import sin as sin
from hybridize.ops.analysis import sinh as sinh
from hybridize.ops.analysis import sqrt as sqrt
from hybridize.ops.analysis import tan as tan
from hybridize.ops.analysis import tanh as tanh
from hybridize.ops.analysis import trunc as trunc
from hybridize.ops.arithmetic import Abs as Abs
from hybridize.ops.arithmetic import Add as Add
from hybridize.ops.arithmetic import BitAnd as BitAnd
from hybridize.ops.arithmetic import BitOr as BitOr
from hybridize.ops.arithmetic import BitXor as BitXor
from hybridize.ops.arithmetic import Div as Div
from hybridize.ops.arithmetic import Eq as Eq
from hybridize.ops.arithmetic import FMax as FMax
from hybridize.ops.arithmetic import FMin as FMin
from hybridize.ops.arithmetic import FloorDiv as FloorDiv
from hybridize.ops.arithmetic import Ge as Ge
from hybridize.ops.arithmetic import Gt as Gt
from hybridize.ops.arithmetic import Le as Le
from hybridize.ops.arithmetic import Lt as Lt
from hybridize.ops.arithmetic import Max as Max
from hybridize.ops.arithmetic import Min as Min
from hybridize.ops.arithmetic import Mod as Mod
from hybridize.ops.arithmetic import Mul as Mul
from hybridize.ops.arithmetic import Ne as Ne
from hybridize.ops.arithmetic import Neg as Neg
from hybridize.ops.arithmetic import Not as Not
from hybridize.ops.arithmetic import SharedMax as SharedMax
from hybridize.ops.arithmetic import SharedMin as SharedMin
from hybridize.ops.arithmetic import ShiftLeft as ShiftLeft
from hybridize.ops.arithmetic import ShiftRight as ShiftRight
from hybridize.ops.arithmetic import Sign as Sign
from hybridize.ops.arithmetic import Sub as Sub
from hybridize.ops.arithmetic import Where as Where
from hybridize.ops.arithmetic import abs as abs
from hybridize.ops.arithmetic import add as add
from hybridize.ops.arithmetic import bit_and as bit_and
from hybridize.ops.arithmetic import bit_not as bit_not
from hybridize.ops.arithmetic import bit_or as bit_or
from hybridize.ops.arithmetic import bit_xor as bit_xor
from hybridize.ops.arithmetic import div as div
from hybridize.ops.arithmetic import eq as eq
from hybridize.ops.arithmetic import floor_div as floor_div
from hybridize.ops.arithmetic import fmax as fmax
from hybridize.ops.arithmetic import fmin as fmin
from hybridize.ops.arithmetic import ge as ge
from hybridize.ops.arithmetic import gt as gt
from hybridize.ops.arithmetic import le as le
from hybridize.ops.arithmetic import lt as lt
from hybridize.ops.arithmetic import max as max
from hybridize.ops.arithmetic import min as min
from hybridize.ops.arithmetic import mod as mod
from hybridize.ops.arithmetic import mul as mul
from hybridize.ops.arithmetic import ne as ne
from hybridize.ops.arithmetic import neg as neg
from hybridize.ops.arithmetic import shared_max as shared_max
from hybridize.ops.arithmetic import shared_min as shared_min
from hybridize.ops.arithmetic import shift_left as shift_left
from hybridize.ops.arithmetic import shift_right as shift_right
from hybridize.ops.arithmetic import sign as sign
from hybridize.ops.arithmetic import sub as sub
from hybridize.ops.arithmetic import where as where
from hybridize.ops.bits import BitCount as BitCount
from hybridize.ops.bits import Bitcast as Bitcast
from hybridize.ops.bits import bit_count as bit_count
from hybridize.ops.bits import bitcast as bitcast
from hybridize.ops.composite import Composite as Composite
from hybridize.ops.composite import composite as composite
from hybridize.ops import composites as composites
from hybridize.ops.contract import Contract as Contract
from hybridize.ops.contract import FourfoldContract as FourfoldContract
from hybridize.ops.contract import PairedContract as PairedContract
from hybridize.ops.contract import WinogradContract as WinogradContract
from hybridize.ops.contract import by_winograd as by_winograd
from hybridize.ops.contract import contract as contract
from hybridize.ops.contract import sum_of_products as sum_of_products
from hybridize.ops.control import Cond as Cond
from hybridize.ops.control import Scan as Scan
from hybridize.ops.control import While as While
from hybridize.ops.convolution import convolution as convolution
from hybridize.ops.convolution import transposed_convolution as transposed_convolution
from hybridize.ops.custom import After as After
from hybridize.ops.custom import CustomGradient as CustomGradient
from hybridize.ops.descents import Descent as Descent
from hybridize.ops.descents import descent as descent
from hybridize.ops.dynamic_slices import SliceAt as SliceAt
from hybridize.ops.dynamic_slices import UpdateAt as UpdateAt
from hybridize.ops.dynamic_slices import slice_at as slice_at
from hybridize.ops.dynamic_slices import update_at as update_at
from hybridize.ops.elementwise import Elementwise as Elementwise
from hybridize.ops.evaluate import evaluate as evaluate
from hybridize.ops.gradient import pullback as pullback
from hybridize.ops.indexing import Gather as Gather
from hybridize.ops.indexing import GatherND as GatherND
from hybridize.ops.indexing import ScatterND as ScatterND
from hybridize.ops.indexing import TakeAlongAxis as TakeAlongAxis
from hybridize.ops.indexing import add_along_axis as add_along_axis
from hybridize.ops.indexing import gather as gather
from hybridize.ops.indexing import gather_nd as gather_nd
from hybridize.ops.indexing import scatter_nd as scatter_nd
from hybridize.ops.indexing import take_along_axis as take_along_axis
from hybridize.ops.matmul import Matmul as Matmul
from hybridize.ops.matmul import matmul as matmul
from hybridize.ops.op import Effect as Effect
from hybridize.ops.op import Interpreter as Interpreter
from hybridize.ops.op import OPS as OPS
from hybridize.ops.op import Op as Op
from hybridize.ops.op import Operand as Operand
from hybridize.ops.op import ReferenceInterpreter as ReferenceInterpreter
from hybridize.ops.op import bind as bind
from hybridize.ops.op import bind1 as bind1
from hybridize.ops.op import capturing as capturing
from hybridize.ops.op import constant as constant
from hybridize.ops.op import current as current
from hybridize.ops.op import effect_of as effect_of
from hybridize.ops.op import imperatively as imperatively
from hybridize.ops.op import interpreting as interpreting
from hybridize.ops.op import scalar as scalar
from hybridize.ops.op import snake as snake
from hybridize.ops.op import type_of as type_of
from hybridize.ops.powers import Arctan2 as Arctan2
from hybridize.ops.powers import Copysign as Copysign
from hybridize.ops.powers import Fmod as Fmod
from hybridize.ops.powers import Hypot as Hypot
from hybridize.ops.powers import LogAddExp as LogAddExp
from hybridize.ops.powers import Pow as Pow
from hybridize.ops.powers import arctan2 as arctan2
from hybridize.ops.powers import copysign as copysign
from hybridize.ops.powers import fmod as fmod
from hybridize.ops.powers import hypot as hypot
from hybridize.ops.powers import log_add_exp as log_add_exp
from hybridize.ops.powers import pow as pow
from hybridize.ops.prefixes import DotsUntil as DotsUntil
from hybridize.ops.prefixes import SumUntil as SumUntil
from hybridize.ops.prefixes import dots_until as dots_until
from hybridize.ops.prefixes import sum_until as sum_until
from hybridize.ops.randomness import RandomBits as RandomBits
from hybridize.ops.randomness import StandardGamma as StandardGamma
from hybridize.ops.randomness import random_bits as random_bits
from hybridize.ops.randomness import standard_gamma as standard_gamma
from hybridize.ops.randomness import uniform_numbers as uniform_numbers
from hybridize.ops.reductions import All as All
from hybridize.ops.reductions import Any as Any
from hybridize.ops.reductions import ArgMax as ArgMax
from hybridize.ops.reductions import ArgMin as ArgMin
from hybridize.ops.reductions import CumMax as CumMax
from hybridize.ops.reductions import CumProd as CumProd
from hybridize.ops.reductions import CumSum as CumSum
from hybridize.ops.reductions import Prod as Prod
from hybridize.ops.reductions import ReduceMax as ReduceMax
from hybridize.ops.reductions import ReduceMin as ReduceMin
from hybridize.ops.reductions import SharedReduceMax as SharedReduceMax
from hybridize.ops.reductions import SharedReduceMin as SharedReduceMin
from hybridize.ops.reductions import all as all
from hybridize.ops.reductions import any as any
from hybridize.ops.reductions import arg_max as arg_max
from hybridize.ops.reductions import arg_min as arg_min
from hybridize.ops.reductions import cum_max as cum_max
from hybridize.ops.reductions import cum_prod as cum_prod
from hybridize.ops.reductions import cum_sum as cum_sum
from hybridize.ops.reductions import prod as prod
from hybridize.ops.reductions import reduce_max as reduce_max
from hybridize.ops.reductions import reduce_min as reduce_min
from hybridize.ops.reductions import shared_reduce_max as shared_reduce_max
from hybridize.ops.reductions import shared_reduce_min as shared_reduce_min
from hybridize.ops.resampling import Resample as Resample
from hybridize.ops.sizes import SizeOf as SizeOf
from hybridize.ops.sizes import size_of as size_of
from hybridize.ops.slicing import Concat as Concat
from hybridize.ops.slicing import Iota as Iota
from hybridize.ops.slicing import Pad as Pad
from hybridize.ops.slicing import Slice as Slice
from hybridize.ops.slicing import UpdateSlice as UpdateSlice
from hybridize.ops.slicing import concat as concat
from hybridize.ops.slicing import flip as flip
from hybridize.ops.slicing import iota as iota
from hybridize.ops.slicing import pad as pad
from hybridize.ops.slicing import part as part
from hybridize.ops.slicing import slice as slice
from hybridize.ops.slicing import update_slice as update_slice
from hybridize.ops.sorting import ArgSort as ArgSort
from hybridize.ops.sorting import Sort as Sort
from hybridize.ops.sorting import arg_sort as arg_sort
from hybridize.ops.sorting import sort as sort
from hybridize.ops.tracing import GraphTracer as GraphTracer
from hybridize.ops.tracing import make_graph as make_graph
from hybridize.ops.views import Broadcast as Broadcast
from hybridize.ops.views import Cast as Cast
from hybridize.ops.views import Reshape as Reshape
from hybridize.ops.views import StopGradient as StopGradient
from hybridize.ops.views import Sum as Sum
from hybridize.ops.views import Transpose as Transpose
from hybridize.ops.views import broadcast as broadcast
from hybridize.ops.views import cast as cast
from hybridize.ops.views import full as full
from hybridize.ops.views import like as like
from hybridize.ops.views import reshape as reshape
from hybridize.ops.views import spread as spread
from hybridize.ops.views import stop_gradient as stop_gradient
from hybridize.ops.views import sum as sum
from hybridize.ops.views import transpose as transpose
from hybridize.ops.windows import WindowArgMax as WindowArgMax
from hybridize.ops.windows import WindowMax as WindowMax
from hybridize.ops.windows import WindowPut as WindowPut
from hybridize.ops.windows import WindowSpread as WindowSpread
from hybridize.ops.windows import WindowSum as WindowSum
from hybridize.ops.windows import WindowTake as WindowTake
from hybridize.ops.windows import window_arg_max as window_arg_max
from hybridize.ops.windows import window_max as window_max
from hybridize.ops.windows import window_put as window_put
from hybridize.ops.windows import window_spread as window_spread
from hybridize.ops.windows import window_sum as window_sum
from hybridize.ops.windows import window_take as window_take
from hybridize.ops.world import Assert as Assert
from hybridize.ops.world import Bounds as Bounds
from hybridize.ops.world import Permitted as Permitted
from hybridize.ops.world import Print as Print

PLACES: dict[str, str]
__all__ = [
    "Abs", "Add", "After", "All", "Any", "Arccos", "Arccosh", "Arcsin", "Arcsinh", "Arctan", "Arctan2", "Arctanh",
    "ArgMax", "ArgMin", "ArgSort", "Assert", "BitAnd", "BitCount", "BitOr", "BitXor", "Bitcast", "Bounds",
    "Broadcast", "Cast", "Cbrt", "Ceil", "Composite", "Concat", "Cond", "Contract", "Copysign", "Cos", "Cosh",
    "CumMax", "CumProd", "CumSum", "CustomGradient", "Descent", "Div", "DotsUntil", "Effect", "Elementwise", "Eq",
    "Erf", "Erfinv", "Exp", "Exp2", "Expm1", "FMax", "FMin", "Floor", "FloorDiv", "Fmod", "FourfoldContract", "Gamma",
    "Gammaln", "Gather", "GatherND", "Ge", "GraphTracer", "Gt", "Hypot", "Interpreter", "Iota", "Isfinite", "Isinf",
    "Isnan", "Le", "Log", "Log10", "Log1p", "Log2", "LogAddExp", "Lt", "Matmul", "Max", "Min", "Mod", "Mul", "Ne",
    "Neg", "Not", "OPS", "Op", "Operand", "Pad", "PairedContract", "Permitted", "Pow", "Print", "Prod", "RandomBits",
    "ReduceMax", "ReduceMin", "ReferenceInterpreter", "Resample", "Reshape", "Round", "Rsqrt", "Scan", "ScatterND",
    "SharedMax", "SharedMin", "SharedReduceMax", "SharedReduceMin", "ShiftLeft", "ShiftRight", "Sigmoid", "Sign",
    "Sin", "Sinh", "SizeOf", "Slice", "SliceAt", "Sort", "Sqrt", "StandardGamma", "StopGradient", "Sub", "Sum",
    "SumUntil", "TakeAlongAxis", "Tan", "Tanh", "Transpose", "Trunc", "UpdateAt", "UpdateSlice", "Where", "While",
    "WindowArgMax", "WindowMax", "WindowPut", "WindowSpread", "WindowSum", "WindowTake", "WinogradContract", "abs",
    "add", "add_along_axis", "all", "any", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "arg_max", "arg_min", "arg_sort", "bind", "bind1", "bit_and", "bit_count", "bit_not", "bit_or", "bit_xor",
    "bitcast", "broadcast", "by_winograd", "capturing", "cast", "cbrt", "ceil", "composite", "composites", "concat",
    "constant", "contract", "convolution", "copysign", "cos", "cosh", "cum_max", "cum_prod", "cum_sum", "current",
    "descent", "digamma", "div", "dots_until", "effect_of", "eq", "erf", "erfinv", "evaluate", "exp", "exp2", "expm1",
    "flip", "floor", "floor_div", "fmax", "fmin", "fmod", "full", "gamma", "gammaln", "gather", "gather_nd", "ge",
    "gt", "hypot", "imperatively", "interpreting", "iota", "isfinite", "isinf", "isnan", "le", "like", "log", "log10",
    "log1p", "log2", "log_add_exp", "lt", "make_graph", "matmul", "max", "min", "mod", "mul", "ne", "neg", "pad",
    "part", "pow", "prod", "pullback", "random_bits", "reduce_max", "reduce_min", "reshape", "round", "rsqrt",
    "scalar", "scatter_nd", "shared_max", "shared_min", "shared_reduce_max", "shared_reduce_min", "shift_left",
    "shift_right", "sigmoid", "sign", "sin", "sinh", "size_of", "slice", "slice_at", "snake", "sort", "spread",
    "sqrt", "standard_gamma", "stop_gradient", "sub", "sum", "sum_of_products", "sum_until", "take_along_axis", "tan",
    "tanh", "transpose", "transposed_convolution", "trunc", "type_of", "uniform_numbers", "update_at", "update_slice",
    "where", "window_arg_max", "window_max", "window_put", "window_spread", "window_sum", "window_take"
]

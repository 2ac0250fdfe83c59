# SPDX-License-Identifier: Apache-2.0
"""`hybridize.np`: NumPy's functions on our arrays, with MXNet's defaults (float32); imperative and compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy

from hybridize.array.names import NAMES
from hybridize.base.missing import by_numpy
from hybridize.base.names import late, loaded, places, with_texts
from hybridize.ops.analysis import ANALYSIS

_OF_NUMPY = (
    "False_ True_ base_repr binary_repr bool bool_ byte complex64 complex128 double dtype e euler_gamma finfo float16 "
    "float32 float64 floating generic get_printoptions half iinfo inexact inf int8 int16 int32 int64 int_ intc integer "
    "intp long longlong mintypecode nan newaxis number pi printoptions set_printoptions short signedinteger single "
    "typename ubyte uint uint8 uint16 uint32 uint64 uintc uintp ulong ulonglong unsignedinteger ushort"
)
"""Numbers, dtypes and functions that are NumPy's own."""

PLACES = places("hybridize.array.functions", NAMES)
PLACES |= {word: f"hybridize.array.functions.elementwise:{word}" for word in ANALYSIS if hasattr(numpy, word)}
PLACES |= places(
    "hybridize.array",
    {
        "constants": "bfloat16 boolean_dtypes floating_dtypes integer_dtypes numeric_dtypes",
        "functions.creation": "asanyarray=asarray copy",
        "functions.data_sized": (
            "argwhere array2string array_repr array_str bincount einsum_path flatnonzero fromiter genfromtxt "
            "histogram2d histogram_bin_edges histogramdd intersect1d may_share_memory nonzero polydiv roots setdiff1d "
            "setxor1d shares_memory sort_complex trim_zeros union1d unique unique_all unique_counts unique_inverse "
            "unique_values"
        ),
        "functions.elementwise": (
            "abs=absolute acos=arccos acosh=arccosh asin=arcsin asinh=arcsinh atan=arctan atan2=arctan2 atanh=arctanh "
            "bitwise_invert=invert bitwise_left_shift=left_shift bitwise_not=invert bitwise_right_shift=right_shift "
            "deg2rad=radians pow=power rad2deg=degrees remainder=mod round=around round_=around true_divide=divide"
        ),
        "functions.kinds": "conjugate=conj require",
        "functions.padding": "pad",
        "functions.reductions": "amax=max amin=min",
        "functions.shapes": "concat=concatenate permute_dims=transpose reshape row_stack=vstack",
        "linalg": "matrix_transpose",
        "ndarray": "ndarray",
    },
)
PLACES |= {name: f"hybridize.array.{name}" for name in ("fft", "linalg", "random")}
PLACES |= {name: f"numpy:{name}" for name in _OF_NUMPY.split()}
"""Places of the names."""

__all__ = sorted(PLACES)


_described = with_texts("hybridize.array.texts", "np")


def _prepared(name: str, function: Any) -> None:
    _described(name, function)
    if type(vars(numpy).get(name)) is numpy.ufunc:
        loaded("hybridize.array.functions.ufuncs").give_methods({name: function})


_OTHERS = {
    "tensor": "np.array(x)", "cat": "np.concatenate(arrays, axis)", "rand": "np.random.rand(2, 3)",
    "randn": "np.random.randn(2, 3)", "reduce_sum": "np.sum(x, axis)", "reduce_mean": "np.mean(x, axis)",
    "reduce_max": "np.max(x, axis)", "cast": "x.astype(dtype)", "no_grad": "autograd.pause()",
}  # fmt: skip
"""Names of PyTorch and TensorFlow, and what stands for them here."""


def _instead(name: str) -> Mapping[str, str]:
    return _OTHERS if name in _OTHERS else by_numpy("numpy")(name)


__getattr__, __dir__ = late(globals(), PLACES, _instead, _prepared)

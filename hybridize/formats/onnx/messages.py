# SPDX-License-Identifier: Apache-2.0
"""The messages of ONNX files, as tables of their fields, and its numbers for element types."""

from __future__ import annotations

from typing import Any, Final

import ml_dtypes
import numpy

from hybridize.formats.wire import schemas

SCHEMAS: Final = schemas("""
Model: 1 ir int, 2 producer text, 3 producer_version text, 4 domain text, 5 version int, 6 doc text, 7 graph Graph, 8 opsets Opset*, 14 metadata Pair*, 25 functions Function*
Opset: 1 domain text, 2 version int
Pair: 1 key text, 2 value text
Graph: 1 node Node*, 2 name text, 5 initializer Tensor*, 10 doc text, 11 input Info*, 12 output Info*, 13 info Info*, 15 sparse Sparse*
Node: 1 input text*, 2 output text*, 3 name text, 4 op text, 5 attr Attr*, 6 doc text, 7 domain text, 8 overload text
Attr: 1 name text, 2 f float, 3 i int, 4 s bytes, 5 t Tensor, 6 g Graph, 7 floats float*, 8 ints int*, 9 strings bytes*, 10 tensors Tensor*, 11 graphs Graph*, 14 tp Type, 20 type int, 21 ref text, 22 sparse Sparse
Tensor: 1 dims int*, 2 dtype int, 4 float float[], 5 int32 int[], 6 string bytes*, 7 int64 int[], 8 name text, 9 raw bytes, 10 double double[], 11 uint64 int[], 13 external Pair*, 14 location int
Sparse: 1 values Tensor, 2 indices Tensor, 3 dims int*
Info: 1 name text, 2 type Type, 3 doc text
Type: 1 tensor TensorType, 4 sequence Holds, 9 optional Holds
Holds: 1 elem Type
TensorType: 1 dtype int, 2 shape Shape
Shape: 1 dim Dim*
Dim: 1 size int, 2 name text
Function: 1 name text, 4 input text*, 5 output text*, 6 attribute text*, 7 node Node*, 8 doc text, 9 opsets Opset*, 10 domain text, 11 defaults Attr*, 12 info Info*, 13 overload text
""")  # noqa: E501
"""Every message that is read or written."""

FLOAT, UINT8, STRING, BFLOAT16 = 1, 2, 8, 16
DTYPES: Final[dict[int, numpy.dtype[Any]]] = {
    number: numpy.dtype(dtype)
    for number, dtype in {
        1: "f4", 2: "u1", 3: "i1", 4: "u2", 5: "i2", 6: "i4", 7: "i8", 9: "?", 10: "f2", 11: "f8", 12: "u4", 13: "u8",
        14: "c8", 15: "c16", 16: ml_dtypes.bfloat16,
    }.items()
}  # fmt: skip
"""Element types by their numbers; others (text, floats of 8 bits, integers of 4) are no dtypes of ours."""
NUMBERS: Final = {dtype: number for number, dtype in DTYPES.items()}
NAMES: Final = {8: "string", 17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz",
                21: "uint4", 22: "int4", 23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2"}  # fmt: skip
"""Names of the types that are none of ours."""
NARROW: Final[dict[int, tuple[Any, Any, int]]] = {
    17: (ml_dtypes.float8_e4m3fn, "f4", 8), 18: (ml_dtypes.float8_e4m3fnuz, "f4", 8),
    19: (ml_dtypes.float8_e5m2, "f4", 8), 20: (ml_dtypes.float8_e5m2fnuz, "f4", 8), 21: (ml_dtypes.uint4, "u1", 4),
    22: (ml_dtypes.int4, "i1", 4), 23: (ml_dtypes.float4_e2m1fn, "f4", 4), 24: (ml_dtypes.float8_e8m0fnu, "f4", 8),
    25: (ml_dtypes.uint2, "u1", 2), 26: (ml_dtypes.int2, "i1", 2),
}  # fmt: skip
"""Of these types, those whose numbers a wider dtype of ours has all: the dtype of one number, ours, and the bits."""
WIDENING: Final[dict[str, tuple[int, ...]]] = {"DequantizeLinear": (0, 2), "Cast": (0,), "CastLike": (0,)}
"""Operators that only need the numbers of an input, by its position, whatever type holds them."""
NEWEST_IR: Final = 14
NEWEST_OPSET: Final = 28

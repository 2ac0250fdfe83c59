# SPDX-License-Identifier: Apache-2.0
"""The tables of TFLite's schema (version 3) that the reader needs, by their slots; its operators and types by numbers.

Names of fields are ours; those of options are the attributes that rows ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hybridize.base.dtypes import (
    DType,
    bfloat16,
    bool_,
    complex64,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from hybridize.formats.wire import schemas

IDENTIFIER: Final = b"TFL3"
"""The bytes from the fourth on."""
VERSION: Final = 3

SCHEMAS: Final = schemas("""
    Model: 0 version u32, 1 codes Code*, 2 graphs Graph*, 3 description text, 4 buffers Buffer*, 6 metadata Metadata*, 7 signatures Signature*
    Code: 0 byte i8, 1 custom text, 2 version i32, 3 code i32
    Graph: 0 tensors Tensor*, 1 inputs i32*, 2 outputs i32*, 3 operators Operator*, 4 name text
    Tensor: 0 shape i32*, 1 type i8, 2 buffer u32, 3 name text, 4 quantization Quantization, 5 variable bool, 6 sparsity Sparsity, 7 signature i32*, 8 has_rank bool
    Quantization: 2 scales f32*, 3 zeros i64*, 4 details u8, 6 axis i32
    Sparsity: 0 order i32*, 1 blocks i32*, 2 axes Axis*
    Axis: 0 format i8, 1 size i32, 3 segments Indices?, 5 indices Indices?
    Indices: 1 ints Ints, 2 shorts Shorts, 3 bytes Bytes
    Ints: 0 values i32*
    Shorts: 0 values u16*
    Bytes: 0 values u8*
    Operator: 0 code u32, 1 inputs i32*, 2 outputs i32*, 4 options Options?, 5 custom u8*
    Buffer: 0 data u8*, 1 offset u64, 2 size u64
    Metadata: 0 name text, 1 buffer u32
    Signature: 0 inputs Entry*, 1 outputs Entry*, 2 key text, 4 graph u32
    Entry: 0 name text, 1 tensor u32
    Options: 1 conv Conv, 2 depthwise Depthwise, 5 pool Pool, 8 dense Dense, 9 softmax Softmax, 10 concatenation Concatenation, 11 add Fused, 12 norm Fused, 13 response Response, 15 bilinear Bilinear, 17 reshape Reshape, 19 blocks Blocks, 21 mul Fused, 23 gather Gather, 27 fold Fold, 28 sub Fused, 29 div Fused, 30 squeeze Squeeze, 32 strided StridedSlice, 35 split Split, 37 cast Cast, 40 largest Position, 49 transposed TransposeConv, 55 shape Shape, 57 smallest Position, 59 pack Pack, 61 one_hot OneHot, 64 unpack Unpack, 71 lstm Lstm, 74 nearest Nearest, 75 leaky LeakyRelu, 77 mirror MirrorPad, 79 parts Split, 87 sequence Sequence, 92 if If, 93 while While, 94 depth Blocks, 101 product Product, 102 running Running, 103 once CallOnce, 106 conv3d Conv3D, 111 handle Handle, 115 buckets Buckets, 116 gelu Gelu
    Conv: 0 padding i8, 1 stride_w i32, 2 stride_h i32, 3 activation i8, 4 dilation_w i32, 5 dilation_h i32, 6 bias_type i8
    Depthwise: 0 padding i8, 1 stride_w i32, 2 stride_h i32, 3 multiplier i32, 4 activation i8, 5 dilation_w i32, 6 dilation_h i32
    Pool: 0 padding i8, 1 stride_w i32, 2 stride_h i32, 3 filter_w i32, 4 filter_h i32, 5 activation i8
    TransposeConv: 0 padding i8, 1 stride_w i32, 2 stride_h i32, 3 activation i8, 4 bias_type i8
    Dense: 0 activation i8, 1 format i8, 2 keep_axes bool, 3 asymmetric bool, 4 bias_type i8
    Softmax: 0 beta f32
    Concatenation: 0 axis i32, 1 activation i8
    Fused: 0 activation i8, 1 powers_of_two bool
    Response: 0 radius i32, 1 bias f32, 2 alpha f32, 3 beta f32
    Bilinear: 2 corners bool, 3 half bool
    Nearest: 0 corners bool, 1 half bool
    Reshape: 0 shape i32*
    Blocks: 0 block i32
    Gather: 0 axis i32, 1 batch i32
    Fold: 0 keep bool
    Squeeze: 0 axes i32*
    StridedSlice: 0 begin_mask i32, 1 end_mask i32, 2 ellipsis_mask i32, 3 new_mask i32, 4 shrink_mask i32, 5 offset bool
    Split: 0 count i32
    Cast: 0 from i8, 1 to i8
    Position: 0 type i8
    Shape: 0 type i8
    Pack: 0 count i32, 1 axis i32
    OneHot: 0 axis i32
    Unpack: 0 count i32, 1 axis i32
    LeakyRelu: 0 alpha f32
    MirrorPad: 0 mode i8
    If: 0 then i32, 1 else i32
    While: 0 condition i32, 1 body i32
    Product: 0 adjoint_x bool, 1 adjoint_y bool, 2 asymmetric bool
    Running: 0 exclusive bool, 1 reverse bool
    CallOnce: 0 init i32
    Handle: 0 container text, 1 name text
    Gelu: 0 approximate bool
    Conv3D: 0 padding i8, 1 stride_d i32, 2 stride_w i32, 3 stride_h i32, 4 activation i8, 5 dilation_d i32, 6 dilation_w i32, 7 dilation_h i32
    Sequence: 0 time i32, 1 batch i32
    Buckets: 0 boundaries f32*
    Lstm: 0 activation i8, 1 cell_clip f32, 2 projection_clip f32, 3 time_major bool, 4 asymmetric bool
""")  # noqa: E501

_OPERATORS: Final = """
ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR
FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION
LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH
CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER
BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE
BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM
ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE TILE
EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR
ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE
RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND
COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE
NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL
PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS HASHTABLE
HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE
BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE RELU_0_TO_1
UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR
RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE
STABLEHLO_CLAMP STABLEHLO_CONCATENATE STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE
STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE STABLEHLO_EXPONENTIAL
STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_MINIMUM STABLEHLO_NEGATE STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER
STABLEHLO_RSQRT STABLEHLO_SELECT STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER STABLEHLO_COMPARE
STABLEHLO_CONVERT STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA
STABLEHLO_DOT_GENERAL STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE STABLEHLO_GATHER STABLEHLO_TRANSPOSE
DILATE STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT STABLEHLO_CBRT
STABLEHLO_CASE
"""
OPERATORS: Final = _OPERATORS.split()
"""The name of each operator, by its number."""
CUSTOM: Final = OPERATORS.index("CUSTOM")

TYPES: Final[Mapping[int, DType]] = {
    0: float32, 1: float16, 2: int32, 3: uint8, 4: int64, 6: bool_, 7: int16, 8: complex64, 9: int8, 10: float64,
    12: uint64, 15: uint32, 16: uint16, 17: int8, 18: bfloat16,
}  # fmt: skip
"""Our type of each number; integers of four bits are held in eight."""
NIBBLES: Final = 17
RESOURCE: Final = 13
OTHERS: Final = {5: "text", 11: "complex128", 14: "variants", 19: "integers of two bits", 20: "uint4"}
"""Types that are not read."""

# SPDX-License-Identifier: Apache-2.0
"""Dtypes that operators of ONNX, or ONNX Runtime's code for them, lack: what is computed in instead."""

from __future__ import annotations

from typing import Final

from hybridize.base.dtypes import DType, float32, float64, int32, int64

_SMALL = ("int8", "uint8", "int16", "uint16")
_WIDE = {**dict.fromkeys(_SMALL, int32), "uint32": int64, "uint64": int64}
_16 = {"int16": int32, "uint16": int32}
_ORDERED = {**_16, "uint32": int64, "bool": int32}
_TRUTHS = {"bool": int32}
_LARGER = {**_16, **_TRUTHS}
CARRIERS: Final[dict[str, dict[str, DType]]] = {
    **dict.fromkeys(("Max", "Min"), _LARGER),
    **dict.fromkeys(("ReduceSum", "ReduceProd", "MatMul", "CumSum", "Einsum"), _WIDE),
    **dict.fromkeys(("ReduceMax", "ReduceMin", "ArgMax", "ArgMin"), _ORDERED),
    **dict.fromkeys(("Less", "LessOrEqual", "Greater", "GreaterOrEqual"), _TRUTHS),
    "Where": {**_16, "bool": int32, "uint64": int64},
    "Pad": {**_16},
    "TopK": {"uint16": int32, "uint32": int64, "bool": int32},
    "MaxPool": {"int16": float64, "uint16": float64, "int32": float64, "uint32": float64},
    "ScatterND": {"float16": float32},
    "Range": {**_WIDE, "float16": float32, "bfloat16": float32},
    "Mod": {"float16": float32},
}  # fmt: skip
"""By operators of ONNX, dtypes that it or ONNX Runtime lacks, and what is computed in instead, with the same result."""

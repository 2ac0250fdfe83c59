# SPDX-License-Identifier: Apache-2.0
"""`TFLITE`: the vocabulary that the tables of rows fill.

The name of an operator on integers that stand for numbers ends in `[int8]`, whatever their width is: it is another
computation under the same name. What only moves elements is one for all, but for complex numbers: `[complex]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from numpy.typing import NDArray

from hybridize.base.frozen import frozen
from hybridize.formats.foreign.vocabulary import Vocabulary

_IDLE: Final = {
    "the reader writes them, for rows that need them": "types of to rounding",
    "inputs and outputs have their types themselves":
        "bias_type SHAPE.type CAST.from CAST.to ARG_MAX.type ARG_MIN.type",
    "the graph that it calls ran when the model was loaded": "CALL_ONCE.init",
    "as many as there are inputs, outputs or weights":
        "SPLIT.count SPLIT_V.count PACK.count UNPACK.count DEPTHWISE_CONV_2D.multiplier",
    "floats become integers with a zero of their own either way, as LiteRT has it where users run it": "asymmetric",
    "it is about integers of 16 bits, whose rows read it": "powers_of_two",
}  # fmt: skip
IDLE: Final[Mapping[str, str]] = {name: reason for reason, names in _IDLE.items() for name in names.split()}
"""Options that change nothing of what a call computes here, of all operators or of one, each with the reason."""


def _idle(op: str, name: str, value: Any) -> bool:
    return name in IDLE or f"{op.partition('[')[0]}.{name}" in IDLE or (name == "custom" and not len(value))


TFLITE: Final = Vocabulary("TFLite", "hybridize.formats.tflite.rows:TFLITE", idle=_idle)
QUANTIZED: Final = "[int8]"
SHORT: Final = "[int16]"
COMPLEX: Final = "[complex]"
_MOVING: Final = """
RESHAPE SQUEEZE EXPAND_DIMS TRANSPOSE SLICE STRIDED_SLICE SPLIT SPLIT_V PACK UNPACK GATHER GATHER_ND TILE
BROADCAST_TO DEPTH_TO_SPACE SPACE_TO_DEPTH REVERSE_V2 SHAPE RANK CAST BITCAST DENSIFY ARG_MAX ARG_MIN
BATCH_TO_SPACE_ND MIRROR_PAD PADV2 RESIZE_NEAREST_NEIGHBOR TOPK_V2 SELECT SELECT_V2 ONE_HOT SCATTER_ND REVERSE_SEQUENCE
DYNAMIC_UPDATE_SLICE MATRIX_DIAG MATRIX_SET_DIAG SPARSE_TO_DENSE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE CALL_ONCE IF
WHILE
"""
MOVING: Final = frozenset(_MOVING.split())
"""Operators that take elements for what they are, whatever they stand for."""


@frozen(eq=False)
class Quantization:
    """The scales and zeros of integers that stand for (q - zero) scale: one pair, or one for each place of an axis."""

    scales: NDArray[Any]
    """float32."""
    zeros: NDArray[Any]
    """int32, as many."""
    axis: int

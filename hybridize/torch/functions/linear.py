# SPDX-License-Identifier: Apache-2.0
"""Products of vectors and matrices."""

from __future__ import annotations

from hybridize.ops import Operand, type_of
from hybridize.torch.functions.rules import aten, common, kind
from hybridize.torch.functions.table import computes


@computes("F.linear")
def _linear(input: Operand, weight: Operand, bias: Operand | None = None) -> Operand:
    of, by = type_of(input), type_of(weight)
    if not of.ndim or of.shape[-1] != by.shape[-1]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied: {list(of.shape)} by the {list(by.shape)} of a weight"
        )
    result = kind(common(input, weight), (*of.shape[:-1], *by.shape[:-1]))
    return aten("linear.default", result, input, weight, bias)

# SPDX-License-Identifier: Apache-2.0
"""Attention, kept whole."""

from __future__ import annotations

from typing import Any

from hybridize.base.dims import broadcast
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.rules import aten, expect
from hybridize.torch.functions.table import computes


@computes("F.scaled_dot_product_attention")
def _attention(
    query: Operand,
    key: Operand,
    value: Operand,
    attn_mask: Operand | None = None,
    dropout_p: Any = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool = False,
) -> Operand:
    kinds = [type_of(x) for x in (query, key, value)]
    if any(kind.ndim < 2 for kind in kinds):
        shown = " and ".join(str(kind.ndim) for kind in kinds)
        raise RuntimeError(f"Expected query, key and value to all be at least 2 dimensional, but got {shown}")
    if any(kind.dtype != kinds[0].dtype for kind in kinds):
        shown = ", ".join(kind.dtype.name for kind in kinds)
        raise RuntimeError(f"Expected query, key, and value to have the same dtype, but got {shown}")
    expect(not is_causal or attn_mask is None)
    inner = 3 if enable_gqa else 2
    lead = broadcast(*(kind.shape[:-inner] for kind in kinds))
    expect(lead is not None)
    shape = (*lead, *kinds[0].shape[-inner:-1], kinds[2].shape[-1])
    return aten(
        "scaled_dot_product_attention.default",
        kinds[0].with_shape(shape),
        query,
        key,
        value,
        attn_mask,
        dropout_p,
        is_causal,
        scale=scale,
        enable_gqa=enable_gqa,
    )

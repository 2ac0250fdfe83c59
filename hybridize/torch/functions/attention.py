# SPDX-License-Identifier: Apache-2.0
"""Attention, kept whole."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.dtypes import bool_
from hybridize.ops import Operand, type_of
from hybridize.ops.library.attention import attention
from hybridize.torch import draws
from hybridize.torch.functions.rules import expect, fitting
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
    """Axes before the heads, or before time, are broadcast."""
    kinds = [type_of(x) for x in (query, key, value)]
    expect(all(kind.ndim >= 2 and kind.dtype == kinds[0].dtype for kind in kinds))
    expect(not is_causal or attn_mask is None)
    inner = 3 if enable_gqa else 2
    lead = fitting(*(kind.shape[:-inner] for kind in kinds))
    query, key, value = (
        ops.broadcast(x, (*lead, *kind.shape[-inner:])) for x, kind in zip((query, key, value), kinds, strict=True)
    )
    if attn_mask is not None and type_of(attn_mask).dtype != bool_:
        attn_mask = ops.cast(attn_mask, kinds[0].dtype)
    random = draws.key() if dropout_p > 0 else None
    return attention(query, key, value, attn_mask, None, random, is_causal, scale, dropout_p)

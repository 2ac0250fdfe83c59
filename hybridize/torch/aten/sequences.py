# SPDX-License-Identifier: Apache-2.0
"""ATen's attention, and what language models put around it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from hybridize import ops
from hybridize.base.dims import broadcast
from hybridize.base.dtypes import bool_
from hybridize.ops import Operand, type_of
from hybridize.ops.library import gates
from hybridize.ops.library.attention import attention
from hybridize.ops.views import wide
from hybridize.torch import draws
from hybridize.torch.aten.registry import Types, aten
from hybridize.torch.functions.operands import operand


@aten("scaled_dot_product_attention.default")
def _attention(
    types: Types,
    query: Operand,
    key: Operand,
    value: Operand,
    mask: Operand | None = None,
    dropout: float = 0.0,
    causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Operand:
    """Axes before the heads, or before time, are broadcast."""
    kinds = [type_of(x) for x in (query, key, value)]
    inner = 3 if enable_gqa else 2
    lead = broadcast(*(kind.shape[:-inner] for kind in kinds)) or ()
    query, key, value = (
        ops.broadcast(x, (*lead, *kind.shape[-inner:])) for x, kind in zip((query, key, value), kinds, strict=True)
    )
    if mask is not None and type_of(mask).dtype != bool_:
        mask = operand(mask, types[0].dtype, type_of(mask).shape)
    random = draws.key() if dropout > 0 else None
    found = attention(query, key, value, mask, None, random, causal, scale, dropout)
    return ops.reshape(found, types[0].shape)


@aten("glu.default")
def _glu(types: Types, x: Operand, axis: int = -1) -> Operand:
    return gates.glu(x, axis % types[0].ndim)


@aten("rms_norm.default")
def _rms_norm(
    types: Types, x: Operand, shape: Sequence[int], weight: Operand | None = None, eps: float | None = None
) -> Operand:
    kind = types[0]
    axes = tuple(range(kind.ndim - len(shape), kind.ndim))
    if weight is not None:
        weight = operand(weight, kind.dtype, type_of(weight).shape)
    least = float(numpy.finfo(wide(kind.dtype)).eps)
    return gates.rms_norm(x, weight, axes, least if eps is None else eps)

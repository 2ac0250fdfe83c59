# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX's operators of transformers: attention, rotations by places, gated units, caches of keys and values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import float64, int64, is_float
from hybridize.formats.foreign.arrays import elementwise, taken
from hybridize.formats.foreign.known import operand_of
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.messages import DTYPES
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops.library.attention import attention, attention_in_stages, capped
from hybridize.ops.library.positions import rotated
from hybridize.ops.library.sequences import written_from
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import wide

DOUBLE = 11


def heads_apart(x: Operand, heads: int) -> Operand:
    """[batch, time, heads size] as [batch, heads, time, size]."""
    batch, time, width = type_of(x).shape
    return ops.transpose(ops.reshape(x, (batch, time, heads, width // heads)), (0, 2, 1, 3))


def heads_together(x: Operand) -> Operand:
    """[batch, heads, time, size] as [batch, time, heads size]."""
    batch, heads, time, size = type_of(x).shape
    return ops.reshape(ops.transpose(x, (0, 2, 1, 3)), (batch, time, heads * size))


@ONNX("Attention")
def attend(
    n: Application, query: Operand, key: Operand, value: Operand, mask: Operand | None = None,
    past_key: Operand | None = None, past_value: Operand | None = None, lengths: Operand | None = None,
) -> tuple[Operand, ...]:  # fmt: skip
    """Means of values by the weights of their keys, those of steps before among them."""
    flat = type_of(query).ndim == 3
    heads, groups = n.integer("q_num_heads", 0), n.integer("kv_num_heads", 0)
    if flat and not (heads and groups):
        n.fail("arrays of three axes need the attributes q_num_heads and kv_num_heads")
    if flat:
        query = heads_apart(query, heads)
        key, value = (heads_apart(x, groups) for x in (key, value))
    past = 0
    if past_key is not None and past_value is not None:
        past = type_of(past_key).shape[2]
        key, value = ops.concat(past_key, key, axis=2), ops.concat(past_value, value, axis=2)
    lengths = None if lengths is None else ops.cast(lengths, int64)
    causal = n.flag("is_causal")
    moved = past_key is not None or lengths is not None
    seen = _seen(n, query, key, past, lengths, causal and moved)
    mask = joined_masks(seen, None if mask is None else _padded(mask, type_of(key).shape[2]))
    kind = type_of(query).dtype
    precise = float64 if n.integer("softmax_precision", 0) == DOUBLE else kind
    q, k, v = (ops.cast(x, precise) for x in (query, key, value))
    mask = ops.cast(mask, precise) if mask is not None and is_float(type_of(mask).dtype) else mask
    scale = n.number("scale") if n.has("scale") else None
    cap, stages, stage = n.number("softcap", 0.0), [], n.integer("qk_matmul_output_mode", 0)
    plain = causal and not moved
    if cap or (len(n.node.outputs) > 3 and n.node.outputs[3]):
        change = (lambda scores: capped(scores, cap)) if cap else (lambda scores: scores)
        y, *stages = attention_in_stages(q, k, v, mask, lengths, plain, scale, change)
        stages = [ops.cast(stages[stage], kind)]
    else:
        y = attention(q, k, v, mask, lengths, causal=plain, scale=scale)
    y = ops.cast(y, kind)
    return (heads_together(y) if flat else y, key, value, *stages)


def _seen(n: Application, query: Operand, key: Operand, past: Any, lengths: Operand | None, causal: bool) -> Any:
    """True where a query sees a key by its place: [batch or 1, 1, time, keys]; None where nothing is asked."""
    ends = n.integer("left_window_size", -1), n.integer("right_window_size", -1)
    ends = ends[0], 0 if causal else ends[1]
    if ends == (-1, -1):
        return None
    count = 1 if lengths is None else type_of(lengths).shape[0]
    time, keys = type_of(query).shape[2], type_of(key).shape[2]
    shape = (count, 1, time, keys)
    own = ops.iota(shape, 2, int64)
    if lengths is None:
        own = ops.add(own, ops.like(past, own))
    else:
        first = ops.sub(lengths, ops.like(time, lengths))
        own = ops.add(own, ops.broadcast(ops.reshape(first, (count, 1, 1, 1)), shape))
    return near(own, *ends)


def near(own: Operand, before: int, behind: int) -> Operand:
    """True where a key is at most so many places before a query, and behind it; -1: at any.

    Args:
        own: the places of queries, i64[batch, 1, time, keys].
        before: how many.
        behind: how many.
    """
    apart = ops.sub(ops.iota(type_of(own).shape, 3, int64), own)
    sides = [ops.ge(apart, ops.like(-before, apart))] if before >= 0 else []
    sides += [ops.le(apart, ops.like(behind, apart))] if behind >= 0 else []
    return sides[0] if len(sides) == 1 else ops.bit_and(*sides)


def _padded(mask: Operand, keys: Any) -> Operand:
    """A mask for all keys: those that it says nothing of are hidden."""
    kind = type_of(mask)
    lacking = keys - kind.shape[-1]
    if kind.shape[-1] == 1 or not lacking > 0:
        return mask
    hidden = ops.scalar(-math.inf if is_float(kind.dtype) else 0, kind.dtype)
    nothing = (0,) * kind.ndim
    return ops.pad(mask, hidden, nothing, (*nothing[1:], lacking))


def joined_masks(seen: Operand | None, mask: Operand | None) -> Operand | None:
    """Return a mask of bools and another one, which may be added to scores, as one mask."""
    if seen is None or mask is None:
        return mask if seen is None else seen
    if not is_float(type_of(mask).dtype):
        return elementwise(ops.bit_and)(seen, mask)
    return elementwise(lambda seen, mask: ops.where(seen, mask, ops.like(-math.inf, mask)))(
        seen, mask
    )  # fmt: skip


@ONNX("ai.onnx.preview::FlexAttention", folds=False)
def attend_by_graphs(n: Application, query: Operand, key: Operand, value: Operand) -> Operand:
    """Means of values by the weights of their keys; graphs may change the scores and the weights."""
    dtype = DTYPES.get(n.integer("softmax_precision", 0), wide(type_of(query).dtype))

    def changed(name: str) -> Callable[[Operand], Operand]:
        graph = n.attributes.get(name)

        def change(x: Operand) -> Operand:
            if graph is None:
                return ops.cast(x, dtype)
            (result,) = n.walk.graph(graph, {**n.around, graph.inputs[0].name: ops.cast(x, dtype)})
            return operand_of(result)

        return change

    scale = n.number("scale") if n.has("scale") else None
    return attention_in_stages(query, key, value, scale=scale, change=changed("score_mod"),
                               change_weights=changed("prob_mod"))[0]  # fmt: skip


@ONNX("RotaryEmbedding")
def rotary(n: Application, x: Operand, cosine: Operand, sine: Operand, places: Operand | None = None) -> Operand:
    """Pairs of components rotated by angles whose cosines and sines are given, by places or for each step."""
    heads = n.integer("num_heads", 0)
    flat = type_of(x).ndim == 3
    if flat and not heads:
        n.fail("an array of three axes needs the attribute num_heads")
    if places is not None:
        cosine, sine = taken(cosine, places, 0), taken(sine, places, 0)
    pairs = type_of(cosine).shape[-1]
    turned = n.integer("rotary_embedding_dim", 0) or type_of(x).shape[-1] // (heads if flat else 1)
    if turned != 2 * pairs:
        n.fail(f"{dims.text(turned)} components turn by {dims.text(pairs)} angles")
    return rotated_heads(x, cosine, sine, heads, n.flag("interleaved"))


def rotated_heads(x: Operand, cosine: Operand, sine: Operand, heads: Any, interleaved: bool) -> Operand:
    """Rotate pairs of components of each head.

    Args:
        x: [batch, heads, time, size], or [batch, time, heads size].
        cosine: [batch or 1, time, pairs].
        sine: likewise.
        heads: their number where they are not apart.
        interleaved: neighbours are pairs, else the halves.
    """
    kind = type_of(x)
    flat = kind.ndim == 3
    x = ops.reshape(x, (*kind.shape[:2], heads, kind.shape[2] // heads)) if flat else x
    batch, time, pairs = type_of(cosine).shape
    shape = (batch, time, 1, pairs) if flat else (batch, 1, time, pairs)
    y = rotated(x, ops.reshape(cosine, shape), ops.reshape(sine, shape), "neighbours" if interleaved else "halves")
    return ops.reshape(y, kind.shape)


@ONNX("SwiGLU")
def swiglu(n: Application, gate: Operand, x: Operand) -> Operand:
    """A gate a sigmoid(alpha a), times an array."""
    return ops.mul(ops.mul(gate, ops.sigmoid(ops.mul(ops.like(n.number("alpha", 1.0), gate), gate))), x)


@ONNX("TensorScatter")
def tensor_scatter(n: Application, cache: Operand, update: Operand, places: Operand | None = None) -> Operand:
    """A cache with new steps written into it, for each sequence from a place of its own."""
    circular = n.text("mode", "linear", ("linear", "circular")) == "circular"
    return written_from(cache, update, places, n.axis(cache, default=-2), circular)

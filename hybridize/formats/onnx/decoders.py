# SPDX-License-Identifier: Apache-2.0
"""Rows of com.microsoft that decoders of language are made of: weights of few bits, queries in groups, their caches."""

from __future__ import annotations

from typing import Any, Final

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import int64, is_float
from hybridize.base.types import TensorType
from hybridize.formats.foreign.arrays import taken
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.attention import heads_apart, heads_together, joined_masks, near, rotated_heads
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import composites
from hybridize.ops.library.attention import attention, attention_in_stages, capped
from hybridize.ops.library.quantized import unpacked
from hybridize.ops.library.sequences import written_from
from hybridize.ops.op import Operand, type_of

_DOMAIN: Final = "com.microsoft::"


@ONNX(f"{_DOMAIN}MatMulNBits")
def matmul_of_few_bits(
    n: Application, x: Operand, w: Operand, scale: Operand, zero: Operand | None = None,
    places: Operand | None = None, bias: Operand | None = None,
) -> Operand:  # fmt: skip
    """The product with a matrix of integers of a few bits, which blocks of a row have a scale and a zero for."""
    rows, inner, block = n.integer("N"), n.integer("K"), n.integer("block_size")
    bits, count = n.integer("bits", 4), -(-inner // block)
    if bits not in (2, 4, 8) or places is not None:
        n.fail(f"integers of {bits} bits, or blocks by an index, are not supported")
    kind, shape = type_of(x), (rows, count, block)
    q = ops.reshape(ops.cast(unpacked(w, bits), kind.dtype), shape)

    def of_blocks(numbers: Operand) -> Operand:
        return ops.spread(ops.cast(ops.reshape(numbers, (rows, count)), kind.dtype), shape, (2,))

    if zero is None:
        nought = ops.like(1 << bits - 1, q)
    elif is_float(type_of(zero).dtype):
        nought = of_blocks(zero)
    else:  # each row begins with a byte of its own
        packed = ops.reshape(zero, (rows, -(-count * bits // 8)))
        nought = of_blocks(ops.part(unpacked(packed, bits), 1, 0, count))
    weight = ops.reshape(ops.mul(ops.sub(q, nought), of_blocks(scale)), (rows, count * block))
    return composites.fully_connected(x, ops.part(weight, 1, 0, inner), bias, False)


@ONNX(f"{_DOMAIN}GroupQueryAttention", known=(6,))
def attention_in_groups(
    n: Application, query: Operand, key: Operand | None, value: Operand | None, past_key: Operand | None,
    past_value: Operand | None, last: Operand, total: Known, cosine: Operand | None = None,
    sine: Operand | None = None, places: Operand | None = None, added: Operand | None = None, *rest: Operand | None,
) -> tuple[Operand, ...]:  # fmt: skip
    """Causal attention with a cache of keys and values, each sequence of its own length; keys are rotated before.

    Sequences are as long as `last` says, the last steps being those of the call; of a first call they begin with them.
    """
    heads, groups = n.integer("num_heads"), n.integer("kv_num_heads")
    window, cap, scale = n.integer("local_window_size", -1), n.number("softcap", 0.0), n.number("scale", 0.0) or None
    turns, interleaved, smooth = n.flag("do_rotary"), n.flag("rotary_interleaved"), n.integer("smooth_softmax", 0)
    if smooth > 0 or any(one is not None for one in rest):
        n.fail("sinks of attention and caches of integers are not supported")
    if key is None or value is None:
        size = type_of(query).shape[2] // (heads + 2 * groups)
        ends = heads * size, (heads + groups) * size, (heads + 2 * groups) * size
        query, key, value = (ops.part(query, 2, *pair) for pair in ((0, ends[0]), ends[:2], ends[1:]))
    query, key, value = (heads_apart(x, count) for x, count in ((query, heads), (key, groups), (value, groups)))
    batch, _, time, _ = type_of(query).shape
    whole = total.item()
    if whole == time:
        before = ops.full(0, TensorType((batch,), int64))
    else:
        before = ops.reshape(ops.cast(last, int64), (batch,))
        before = ops.sub(before, ops.like(time - 1, before))
    if turns:
        if cosine is None or sine is None:
            n.fail("rotations need tables of cosines and sines")
        if places is None:
            places = ops.add(ops.spread(before, (batch, time), (1,)), ops.iota((batch, time), 1, int64))
        cosine, sine = (taken(table, places, 0) for table in (cosine, sine))
        query, key = (rotated_heads(x, cosine, sine, 0, interleaved) for x in (query, key))
    key, value = _cached(past_key, key, before, whole), _cached(past_value, value, before, whole)
    shape = (batch, 1, time, type_of(key).shape[2])
    own = ops.add(ops.broadcast(ops.reshape(before, (batch, 1, 1, 1)), shape), ops.iota(shape, 2, int64))
    mask = joined_masks(near(own, window - 1 if window > 0 else -1, 0), added)
    if cap:
        y = attention_in_stages(query, key, value, mask, scale=scale, change=lambda scores: capped(scores, cap))[0]
    else:
        y = attention(query, key, value, mask, scale=scale)
    return heads_together(y), key, value


def _cached(past: Operand | None, steps: Operand, before: Operand, whole: Any) -> Operand:
    """Steps [batch, groups, time, size] behind those of a cache, which grows where it is too short for all."""
    batch, groups, _, size = type_of(steps).shape
    if past is None:
        past = ops.full(0, type_of(steps).with_shape((batch, groups, 0, size)))
    length = type_of(past).shape[2]
    if not dims.same(length, whole) and whole > length:
        nothing = (0,) * 4
        past = ops.pad(past, ops.scalar(0, type_of(steps).dtype), nothing, (0, 0, whole - length, 0))
    return written_from(past, steps, before, 2)

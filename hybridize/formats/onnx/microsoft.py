# SPDX-License-Identifier: Apache-2.0
"""Rows of the operators that ONNX Runtime's optimizer and quantizer write, of the domain com.microsoft."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import float32, int32, int64
from hybridize.formats.foreign.arrays import aligned, elementwise, stretched, taken, with_axes
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.attention import heads_apart, heads_together, rotated_heads
from hybridize.formats.onnx.indexing import triangle
from hybridize.formats.onnx.linear import average_pool, convolution, gemm
from hybridize.formats.onnx.quantized import dequantize, integer_matmul, quantize
from hybridize.formats.onnx.recurrent import activation, layer
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import composites
from hybridize.ops.library.attention import attention_in_stages
from hybridize.ops.library.gates import rms_norm
from hybridize.ops.library.norms import differences, norm
from hybridize.ops.library.products import matrix_product
from hybridize.ops.library.quantized import along, dequantized, dynamic_product, integers, quantized, requantized
from hybridize.ops.op import Operand, type_of
from hybridize.ops.solutions import inverse

_DOMAIN: Final = "com.microsoft::"
ONNX.remedies["com.microsoft.nchwc::"] = (
    "it is laid out for one processor: save the model at ORT_ENABLE_EXTENDED, or load the one before optimization"
)


def _shifted(x: Operand, bias: Operand | None) -> Operand:
    return x if bias is None else ops.add(*stretched(x, bias))


# ------------------------------------------------------------------------------------------------------- activations


@ONNX(f"{_DOMAIN}Gelu", f"{_DOMAIN}BiasGelu")
def gelu(n: Application, x: Operand, bias: Operand | None = None) -> Operand:
    """X Phi(x), after a bias."""
    return composites.gelu(_shifted(x, bias), "erf")


@ONNX(f"{_DOMAIN}FastGelu")
def fast_gelu(n: Application, x: Operand, bias: Operand | None = None) -> Operand:
    """The same by a hyperbolic tangent."""
    return composites.gelu(_shifted(x, bias), "tanh")


@ONNX(f"{_DOMAIN}QuickGelu")
def quick_gelu(n: Application, x: Operand) -> Operand:
    """X sigmoid(alpha x)."""
    return ops.mul(x, ops.sigmoid(ops.mul(ops.like(n.number("alpha", 1.702), x), x)))


_TAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "Relu": (), "Tanh": (), "Sigmoid": (), "LeakyRelu": ("alpha",), "Clip": ("min", "max"),
    "HardSigmoid": ("alpha", "beta"),
}  # fmt: skip
"""Activations that follow a product, with the attributes that numbers are for."""


# ---------------------------------------------------------------------------------------------------------- products


@ONNX(f"{_DOMAIN}FusedConv")
def fused_convolution(
    n: Application, x: Operand, w: Operand, bias: Operand | None = None, other: Operand | None = None
) -> Operand:
    """A convolution, plus another array, and an activation."""
    y = _shifted(convolution(n, x, w, bias), other)
    name = n.text("activation", "", ("", *_TAKES))
    numbers = dict(zip(_TAKES.get(name, ()), n.numbers("activation_params", ()), strict=False))
    return activation(n, name, numbers)(y) if name else y


@ONNX(f"{_DOMAIN}FusedGemm")
def fused_gemm(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """A product of matrices, plus an array, and an activation."""
    name = n.text("activation", options=tuple(_TAKES))
    numbers = {word: n.number(f"activation_{word}") for word in _TAKES[name] if n.has(f"activation_{word}")}
    return activation(n, name, numbers)(gemm(n, x, w, bias))


@ONNX(f"{_DOMAIN}FusedMatMul")
def fused_matmul(n: Application, x: Operand, y: Operand) -> Operand:
    """The product of matrices, transposed or not, times a number."""
    if n.flag("transBatchA") or n.flag("transBatchB"):
        n.fail("transposed axes of the batch are not supported")
    x, y = (_transposed(one) if n.flag(name) else one for one, name in ((x, "transA"), (y, "transB")))
    z, alpha = matrix_product(x, y), n.number("alpha", 1.0)
    return z if alpha == 1 else ops.mul(z, ops.like(alpha, z))


def _transposed(x: Operand) -> Operand:
    rank = type_of(x).ndim
    return ops.transpose(x, (*range(rank - 2), rank - 1, rank - 2)) if rank > 1 else x


@ONNX(f"{_DOMAIN}CDist")
def distances(n: Application, x: Operand, y: Operand) -> Operand:
    """The distance of each row of one matrix from each of another, or its square."""
    squared = n.text("metric", "sqeuclidean", ("sqeuclidean", "euclidean")) == "sqeuclidean"
    apart = differences(x, y)
    return ops.sum(ops.mul(apart, apart), (2,)) if squared else norm(apart, 2, (2,))


@ONNX(f"{_DOMAIN}MatMulIntegerToFloat")
def integer_matmul_as_float(
    n: Application, x: Operand, y: Operand, scale_x: Operand, scale_y: Operand, zero_x: Operand | None = None,
    zero_y: Operand | None = None, bias: Operand | None = None,
) -> Operand:  # fmt: skip
    """The product of matrices that integers stand for, as floats."""
    sums = ops.cast(integer_matmul(n, x, y, zero_x, zero_y), float32)
    return _shifted(ops.mul(sums, aligned(ops.mul(*stretched(scale_x, scale_y)), type_of(sums).shape)), bias)


@ONNX(f"{_DOMAIN}QGemm")
def quantized_gemm(
    n: Application, x: Operand, scale_x: Operand, zero_x: Operand | None, y: Operand, scale_y: Operand,
    zero_y: Operand | None, bias: Operand | None = None, scale: Operand | None = None, zero: Operand | None = None,
) -> Operand:  # fmt: skip
    """The product of matrices that integers stand for, each transposed or not, plus integers: as integers or floats."""
    x, y = (_transposed(one) if n.flag(name) else one for one, name in ((x, "transA"), (y, "transB")))
    sums = integer_matmul(n, x, y, zero_x, zero_y)
    sums = _shifted(sums, bias)
    kind = type_of(sums)
    by = ops.mul(*stretched(scale_x, scale_y))
    by = aligned(ops.mul(ops.like(n.number("alpha", 1.0), by), by), kind.shape)
    if scale is None:
        return ops.mul(ops.cast(sums, float32), by)
    by = ops.div(by, aligned(scale, kind.shape))
    if zero is None:
        return requantized(sums, by, None, type_of(x).dtype)
    return requantized(sums, by, aligned(zero, kind.shape), type_of(zero).dtype)


@ONNX(f"{_DOMAIN}DynamicQuantizeMatMul")
def dynamic_matmul(
    n: Application, x: Operand, y: Operand, scale: Operand, zero: Operand | None = None, bias: Operand | None = None
) -> Operand:
    """The product of floats, made integers by a scale of their own, with a matrix of integers."""
    shape = type_of(x).shape
    flat = ops.reshape(x, (math.prod(shape[:-1]), shape[-1]))
    product = dynamic_product(flat, _of_columns(y, zero), scale)
    return _shifted(ops.reshape(product, (*shape[:-1], type_of(y).shape[1])), bias)


def _of_columns(y: Operand, zero: Operand | None) -> Operand:
    """A matrix of integers less their zeros, of all or of each column."""
    return integers(y, None if zero is None else along(zero, type_of(y).shape, 1))


@ONNX(f"{_DOMAIN}DynamicQuantizeLSTM")
def dynamic_lstm(
    n: Application, x: Operand, w: Operand, r: Operand, bias: Operand | None, lengths: Operand | None,
    state: Operand | None, cell: Operand | None, peephole: Operand | None,
    scale_w: Operand, zero_w: Operand, scale_r: Operand, zero_r: Operand,
) -> tuple[Operand, ...]:  # fmt: skip
    """An LSTM whose weights are integers: inputs and states become integers at each product."""
    weights = [(_weight(w, scale_w, zero_w, k), _weight(r, scale_r, zero_r, k))
               for k in range(int(type_of(w).shape[0]))]  # fmt: skip
    size = type_of(r).shape[1]
    return layer(n, "lstm", x, size, weights, bias, lengths, (state, cell), peephole, dynamic_product)


def _weight(w: Operand, scale: Operand, zero: Operand, k: int) -> tuple[Operand, ...]:
    """The matrix [k, n] of one direction, and its scale."""
    parts = [ops.reshape(ops.part(one, 0, k, k + 1), type_of(one).shape[1:]) for one in (w, scale, zero)]
    return _of_columns(parts[0], parts[2]), parts[1]


# --------------------------------------------------------------------------------------- functions of integers


def _real(q: Operand, scale: Operand, zero: Operand | None) -> Operand:
    shape = type_of(q).shape
    return dequantized(q, along(scale, shape, 0), None if zero is None else along(zero, shape, 0))


def _whole(n: Application, x: Operand, scale: Operand, zero: Operand | None, like: Operand) -> Operand:
    shape = type_of(x).shape
    nought = None if zero is None else along(zero, shape, 0)
    return quantized(x, along(scale, shape, 0), nought, type_of(like).dtype)


def _of_two(function: Callable[..., Operand]) -> Callable[..., Operand]:
    def row(
        n: Application, x: Operand, scale_x: Operand, zero_x: Operand | None, y: Operand, scale_y: Operand,
        zero_y: Operand | None, scale: Operand, zero: Operand | None = None,
    ) -> Operand:  # fmt: skip
        return _whole(n, elementwise(function)(_real(x, scale_x, zero_x), _real(y, scale_y, zero_y)), scale, zero, x)

    return row


def _of_one(function: Callable[[Application, Operand], Operand]) -> Callable[..., Operand]:
    def row(
        n: Application, x: Operand, scale_x: Operand, zero_x: Operand | None, scale: Operand,
        zero: Operand | None = None,
    ) -> Operand:  # fmt: skip
        return _whole(n, function(n, _real(x, scale_x, zero_x)), scale, zero, x)

    return row


def _mean_of_image(n: Application, x: Operand) -> Operand:
    if n.flag("channels_last"):
        n.fail("channels at the end are not supported")
    shape = type_of(x).shape
    return ops.reshape(composites.mean(x, tuple(range(2, len(shape)))), (*shape[:2], *(1,) * (len(shape) - 2)))


def _mean_of_windows(n: Application, x: Operand) -> Operand:
    if n.flag("channels_last"):
        n.fail("channels at the end are not supported")
    return average_pool(n, x)


def _softmax(n: Application, x: Operand) -> Any:
    """As the operator set says it that the attribute is the number of."""
    row = ONNX.find("Softmax", n.integer("opset"))
    if row is None:
        n.fail(f"there is no softmax in operator set {n.integer('opset')}")
    return row.function(n, x)


ONNX(f"{_DOMAIN}QLinearAdd")(_of_two(ops.add))
ONNX(f"{_DOMAIN}QLinearMul")(_of_two(ops.mul))
ONNX(f"{_DOMAIN}QLinearSigmoid")(_of_one(lambda n, x: ops.sigmoid(x)))
ONNX(f"{_DOMAIN}QLinearLeakyRelu")(_of_one(
    lambda n, x: composites.leaky_relu(x, act_type="leaky", slope=n.number("alpha", 0.01))))  # fmt: skip
ONNX(f"{_DOMAIN}QLinearGlobalAveragePool")(_of_one(_mean_of_image))


ONNX(f"{_DOMAIN}QLinearAveragePool")(_of_one(_mean_of_windows))
ONNX(f"{_DOMAIN}QLinearSoftmax")(_of_one(_softmax))
ONNX(f"{_DOMAIN}QuantizeLinear")(quantize)
ONNX(f"{_DOMAIN}DequantizeLinear")(dequantize)


@ONNX(f"{_DOMAIN}QLinearWhere")
def chosen(
    n: Application, condition: Operand, x: Operand, scale_x: Operand, zero_x: Operand | None, y: Operand,
    scale_y: Operand, zero_y: Operand | None, scale: Operand, zero: Operand | None = None,
) -> Operand:  # fmt: skip
    """An element of one array of integers or the other, on one scale."""
    real = elementwise(ops.where)(condition, _real(x, scale_x, zero_x), _real(y, scale_y, zero_y))
    return _whole(n, real, scale, zero, x)


@ONNX(f"{_DOMAIN}QLinearConcat")
def joined(n: Application, scale: Operand, zero: Operand, *parts: Operand) -> Operand:
    """Integers of several scales one after the other, on one scale."""
    real = [_real(*parts[k : k + 3]) for k in range(0, len(parts), 3)]
    return _whole(n, ops.concat(*real, axis=n.axis(real[0])), scale, zero, parts[0])


ONNX(f"{_DOMAIN}Trilu", known=(1,))(triangle)
ONNX.plain({f"{_DOMAIN}Inverse": inverse})


# ------------------------------------------------------------------------------------------------------ transformers


def _sum(n: Application, x: Operand, skip: Operand, bias: Operand | None) -> Operand:
    if any(n.node.outputs[1:3]):
        n.fail("the mean and the deviation are not supported as results")
    return _shifted(_shifted(x, skip), bias)


@ONNX(f"{_DOMAIN}SkipLayerNormalization")
def skip_layer_norm(
    n: Application, x: Operand, skip: Operand, gamma: Operand, beta: Operand | None = None, bias: Operand | None = None
) -> tuple[Operand | None, ...]:
    """The layer norm of a sum, and the sum."""
    total = _sum(n, x, skip, bias)
    beta = ops.like(0, gamma) if beta is None else beta
    y = composites.layer_norm(total, gamma, beta, type_of(total).ndim - 1, n.number("epsilon", 1e-12))
    return y, None, None, total


@ONNX(f"{_DOMAIN}SkipSimplifiedLayerNormalization")
def skip_rms_norm(
    n: Application, x: Operand, skip: Operand, gamma: Operand, bias: Operand | None = None
) -> tuple[Operand | None, ...]:
    """The root mean square norm of a sum, and the sum."""
    total = _sum(n, x, skip, bias)
    return rms_norm(total, gamma, (type_of(total).ndim - 1,), n.number("epsilon", 1e-12)), None, None, total


@ONNX(f"{_DOMAIN}EmbedLayerNormalization")
def embedded(
    n: Application, words: Operand, segments: Operand | None, of_words: Operand, of_places: Operand,
    of_segments: Operand | None, gamma: Operand, beta: Operand, mask: Operand | None = None,
    places: Operand | None = None,
) -> tuple[Operand, ...]:  # fmt: skip
    """The layer norm of embeddings of words, places and segments; how many words a mask leaves; and the embeddings."""
    shape = type_of(words).shape
    places = ops.iota(shape, 1, int64) if places is None else ops.broadcast(places, shape)
    total = ops.add(taken(of_words, words, 0), taken(of_places, places, 0))
    if segments is not None and of_segments is not None:
        total = ops.add(total, taken(of_segments, segments, 0))
    y = composites.layer_norm(total, gamma, beta, 2, n.number("epsilon", 1e-12))
    counts = (
        ops.full(0, type_of(words).with_shape(shape[:1]).with_dtype(int32)) if mask is None else ops.sum(mask, (1,))
    )
    return y, counts, total


@ONNX(f"{_DOMAIN}MultiHeadAttention")
def multi_head_attention(
    n: Application, query: Operand, key: Operand | None = None, value: Operand | None = None,
    bias: Operand | None = None, padding: Operand | None = None, added: Operand | None = None,
    past_key: Operand | None = None, past_value: Operand | None = None, *rest: Operand | None,
) -> tuple[Operand | None, ...]:  # fmt: skip
    """Means of values by the weights of their keys; masks add a large negative number."""
    if key is None or value is None or type_of(query).ndim != 3 or any(one is not None for one in rest):
        n.fail("packed keys and values, shared buffers and indirect caches are not supported")
    heads = n.integer("num_heads")
    if bias is not None:
        width, size = type_of(query).shape[-1], type_of(bias).shape[0]
        query = _shifted(query, ops.part(bias, 0, 0, width))
        if type_of(key).ndim == 3:
            key, value = _shifted(key, ops.part(bias, 0, width, 2 * width)), (
                _shifted(value, ops.part(bias, 0, 2 * width, size)))  # fmt: skip
    return _attention(n, heads, query, key, value, padding, added, past_key, past_value)


def _attention(
    n: Application, heads: int, query: Operand, key: Operand, value: Operand, padding: Operand | None,
    added: Operand | None, past_key: Operand | None, past_value: Operand | None,
) -> tuple[Operand, ...]:  # fmt: skip
    """The means, the keys and values with those of steps before, and the scores."""
    query = heads_apart(query, heads)
    key, value = (heads_apart(x, heads) if type_of(x).ndim == 3 else x for x in (key, value))
    if past_key is not None and past_value is not None:
        key, value = ops.concat(past_key, key, axis=2), ops.concat(past_value, value, axis=2)
    time, keys = type_of(query).shape[2], type_of(key).shape[2]
    masks, hidden = [] if added is None else [added], n.number("mask_filter_value", -10000.0)
    if padding is not None:
        masks.append(_filtered(padding, keys, hidden, type_of(query)))
    if n.flag("unidirectional"):
        shape = (1, 1, time, keys)
        own = ops.iota(shape, 2, int64)
        later = ops.gt(ops.iota(shape, 3, int64), ops.add(own, ops.like(keys - time, own)))
        none = ops.full(0, type_of(later).with_dtype(type_of(query).dtype))
        masks.append(ops.where(later, ops.like(-math.inf, none), none))
    mask = None
    for one in masks:
        mask = one if mask is None else elementwise(ops.add)(mask, one)
    y, scores, *_ = attention_in_stages(query, key, value, mask, scale=n.number("scale", 0.0) or None)
    return heads_together(y), key, value, scores


@ONNX(f"{_DOMAIN}Attention")
def attention_of_inputs(
    n: Application, x: Operand, weight: Operand, bias: Operand | None = None, padding: Operand | None = None,
    past: Operand | None = None, added: Operand | None = None, *rest: Operand | None,
) -> tuple[Operand | None, ...]:  # fmt: skip
    """The same of products of one array; keys and values are one array, too."""
    apart = n.flag("do_rotary"), n.flag("past_present_share_buffer"), n.integer("rotary_embedding_dim", 0)
    if any(apart) or any(one is not None for one in rest):
        n.fail("rotations and shared buffers are not supported")
    return _attention_of_one(n, _shifted(matrix_product(x, weight), bias), padding, past, added)


@ONNX(f"{_DOMAIN}QAttention")
def attention_of_integers(
    n: Application, x: Operand, weight: Operand, bias: Operand, scale_x: Operand, scale_w: Operand,
    padding: Operand | None = None, zero_x: Operand | None = None, zero_w: Operand | None = None,
    past: Operand | None = None,
) -> tuple[Operand | None, ...]:  # fmt: skip
    """The same of a product of integers."""
    apart = n.flag("do_rotary"), n.flag("past_present_share_buffer")
    if any(apart):
        n.fail("rotations and shared buffers are not supported")
    whole = integer_matmul_as_float(n, x, weight, scale_x, scale_w, zero_x, zero_w, bias)
    return _attention_of_one(n, whole, padding, past, None)


def _attention_of_one(
    n: Application, whole: Operand, padding: Operand | None, past: Operand | None, added: Operand | None
) -> tuple[Operand | None, ...]:
    """The attention of an array that queries, keys and values lie beside each other in."""
    width = type_of(whole).shape[-1]
    sizes = n.integers("qkv_hidden_sizes", ()) or (width // 3,) * 3
    ends = list(itertools.accumulate(sizes))
    query, key, value = (ops.part(whole, 2, start, end) for start, end in zip([0, *ends], ends, strict=False))
    before = [None, None] if past is None else [
        ops.reshape(ops.part(past, 0, k, k + 1), type_of(past).shape[1:]) for k in (0, 1)]  # fmt: skip
    y, key, value, _ = _attention(n, n.integer("num_heads"), query, key, value, padding, added, *before)
    if len(n.node.outputs) < 2 or not n.node.outputs[1]:
        return (y,)
    return y, ops.concat(*(with_axes(one, [0]) for one in (key, value)), axis=0)


@ONNX(f"{_DOMAIN}RotaryEmbedding")
def rotary(n: Application, x: Operand, places: Operand, cosine: Operand, sine: Operand) -> Operand:
    """Pairs of components rotated by angles of places: one for each step, or the first one."""
    packed, scale, heads = n.flag("is_packed_batching"), n.number("scale", 1.0), n.integer("num_heads", 0)
    if packed or scale != 1:
        n.fail("packed batches and scaled places are not supported")
    kind, pairs = type_of(x), type_of(cosine).shape[1]
    if (turned := n.integer("rotary_embedding_dim", 0)) and turned != 2 * pairs:
        n.fail(f"{turned} components turn by {dims.text(pairs)} angles")
    if kind.ndim == 3 and not heads:
        heads = kind.shape[2] // (2 * pairs)
    if type_of(places).ndim == 1:
        shape = (1, kind.shape[-2])
        places = ops.add(ops.iota(shape, 1, int64), ops.broadcast(ops.cast(with_axes(places, [1]), int64), shape))
    cosine, sine = (taken(table, places, 0) for table in (cosine, sine))
    return rotated_heads(x, cosine, sine, heads, n.flag("interleaved"))


def _filtered(padding: Operand, keys: Any, hidden: float, of: Any) -> Operand:
    """Numbers that are added to scores of keys which a mask of lengths [batch], or of 0 and 1, hides."""
    kind = type_of(padding)
    if kind.ndim == 1:
        shape = (kind.shape[0], keys)
        seen = ops.lt(ops.iota(shape, 1, kind.dtype), ops.broadcast(with_axes(padding, [1]), shape))
    else:
        seen = ops.ne(padding, ops.like(0, padding))
    seen = with_axes(seen, [1] if type_of(seen).ndim == 3 else [1, 2])
    none = ops.full(0, type_of(seen).with_dtype(of.dtype))
    return ops.where(seen, none, ops.like(hidden, none))

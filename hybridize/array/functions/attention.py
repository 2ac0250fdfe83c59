# SPDX-License-Identifier: Apache-2.0
"""Attention on arrays: PyTorch's function, and MXNet's."""

from __future__ import annotations

from typing import Any

from hybridize.array.draws import key as random_key
from hybridize.array.functions.bounds import check
from hybridize.array.operands import array, one_of, operand, public, result
from hybridize.array.operands import indices as index_operand
from hybridize.array.policies import together
from hybridize.base import dims
from hybridize.base.errors import ArgumentError, ShapeError, ValueArgumentError
from hybridize.base.modes import is_training
from hybridize.base.promotion import NUMBERS, floating
from hybridize.ops.library import attention as library
from hybridize.ops.library import interleaved
from hybridize.ops.op import type_of


@public
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool | None = None,
    *,
    valid_length: Any = None,
    layout: str = "BHTD",
    need_weights: bool = False,
) -> Any:
    """Return the means of values, weighted by the softmax of scaled products of their keys with queries.

    A query for which the masks leave no key has the result 0, and so have its gradients.

    Args:
        query: [..., heads, time, size], or [..., time, size].
        key: [..., groups, keys, size]: as many groups as heads, or a number that divides them, each of which serves as
            many heads (grouped queries).
        value: [..., groups, keys, size of a value].
        attn_mask: true where a query sees a key, or floats that are added to the scores; it broadcasts to
            [..., heads, time, keys].
        dropout_p: the part of the weights that is dropped while training.
        is_causal: a query sees the keys up to its own place.
        scale: of the scores; 1 / sqrt(size) unless given.
        enable_gqa: False: refuse keys of fewer heads than the query.
        valid_length: [n] or [n, time], n the first size: how many keys, from the first, each row of the batch or each
            query sees.
        layout: "BHTD" as above, or "BTHD": time before heads, in query, key, value and result.
        need_weights: give back the weights [..., heads, time, keys], too.

    Raises:
        ValueArgumentError E316: the probability is not from 0 to 1.
        DTypeError E241: integers, or a mask that is neither of bools nor of floats.
        OutOfBoundsError E110: a length is negative, or greater than the number of keys.
        ShapeError E190, E191, E192, E193: query, key and value do not fit together; nor does the mask; the heads of the
            keys do not divide those of the query; nor do the lengths fit.
        ValueArgumentError E345: no such layout.

    >>> x = np.ones((1, 1, 2, 4))
    >>> npx.scaled_dot_product_attention(x, x, x, is_causal=True).shape
    (1, 1, 2, 4)
    """
    name = "scaled_dot_product_attention"
    one_of(layout, library.LAYOUTS, name, "layout")
    if not 0 <= dropout_p <= 1:
        raise ValueArgumentError("E316", f"{name}: a probability must be from 0 to 1, got {dropout_p}")
    q, k, v = together((query, key, value), floating)
    if enable_gqa is False and q.ndim == k.ndim and q.ndim > 2:
        head = q.ndim - (3 if layout == "BHTD" else 2)
        if q.shape[head] != k.shape[head]:
            what = f"{name}: a query {q.type} and keys {k.type} have other numbers of heads"
            raise ShapeError("E192", what, help="pass enable_gqa=True to let several heads share keys")
    if scale is not None and not isinstance(scale, NUMBERS):
        q, scale = (q * scale).astype(q.dtype, copy=False), 1.0
    lengths = None
    if valid_length is not None:
        lengths = index_operand(valid_length)
        keys = k.shape[-2 if layout == "BHTD" else -3] if k.ndim > 2 else 0
        check(lengths, 0, keys + 1, f"{name} with keys {k.type}", f"lengths are from 0 to {dims.text(keys)}")
    drawn = random_key() if dropout_p and is_training() else None
    outputs = library.attention(
        operand(q),
        operand(k),
        operand(v),
        None if attn_mask is None else operand(array(attn_mask)),
        lengths,
        drawn,
        bool(is_causal),
        None if scale is None else float(scale),
        float(dropout_p) if drawn is not None else 0.0,
        layout,
        bool(need_weights),
    )
    return tuple(map(result, outputs)) if need_weights else result(outputs)


@public
def interleaved_matmul_selfatt_qk(queries_keys_values: Any, heads: int) -> Any:
    """Return the products of queries and keys by 1 / sqrt(size), of projections that lie beside each other.

    Args:
        queries_keys_values: [time, batch, heads x 3 x size]: a query, a key and a value for each head.
        heads: how many.

    Returns:
        [batch x heads, time, time].

    Raises:
        ShapeError E195: the last axis does not hold them.

    >>> npx.interleaved_matmul_selfatt_qk(np.ones((3, 1, 12)), heads=2).shape
    (2, 3, 3)
    """
    return result(interleaved.selfatt_qk(_floats(queries_keys_values)[0], _count(heads)))


@public
def interleaved_matmul_selfatt_valatt(queries_keys_values: Any, attention: Any, heads: int) -> Any:
    """Return the means of the values of projections that lie beside each other, weighted by `attention`.

    Args:
        queries_keys_values: [time, batch, heads x 3 x size]: a query, a key and a value for each head.
        attention: weights [batch x heads, time, time].
        heads: how many.

    Returns:
        [time, batch, heads x size].

    Raises:
        ShapeError E195: they do not fit together.

    >>> npx.interleaved_matmul_selfatt_valatt(np.ones((3, 1, 12)), np.ones((2, 3, 3)), heads=2).shape
    (3, 1, 4)
    """
    x, y = _floats(queries_keys_values, attention)
    return result(interleaved.selfatt_valatt(x, y, _count(heads)))


@public
def interleaved_matmul_encdec_qk(queries: Any, keys_values: Any, heads: int) -> Any:
    """Return the products of queries and keys by 1 / sqrt(size), where keys and values lie beside each other.

    Args:
        queries: [time, batch, heads x size].
        keys_values: [keys, batch, heads x 2 x size]: a key and a value for each head.
        heads: how many.

    Returns:
        [batch x heads, time, keys].

    Raises:
        ShapeError E195: they do not fit together.

    >>> npx.interleaved_matmul_encdec_qk(np.ones((2, 1, 4)), np.ones((3, 1, 8)), heads=2).shape
    (2, 2, 3)
    """
    x, y = _floats(queries, keys_values)
    return result(interleaved.encdec_qk(x, y, _count(heads)))


@public
def interleaved_matmul_encdec_valatt(keys_values: Any, attention: Any, heads: int) -> Any:
    """Return the means of values that lie beside their keys, weighted by `attention`.

    Args:
        keys_values: [keys, batch, heads x 2 x size]: a key and a value for each head.
        attention: weights [batch x heads, time, keys].
        heads: how many.

    Returns:
        [time, batch, heads x size].

    Raises:
        ShapeError E195: they do not fit together.

    >>> npx.interleaved_matmul_encdec_valatt(np.ones((3, 1, 8)), np.ones((2, 2, 3)), heads=2).shape
    (2, 1, 4)
    """
    x, y = _floats(keys_values, attention)
    return result(interleaved.encdec_valatt(x, y, _count(heads)))


@public
def sldwin_atten_score(query: Any, key: Any, dilation: Any, w: int, symmetric: bool = True) -> Any:
    """Return the products of queries with the keys of sliding windows: a query's own place, `w` places to the left.

    Args:
        query: [batch, time, heads, size].
        key: the same.
        dilation: [heads]: how far places of a window are apart, from 1 on.
        w: places to the left.
        symmetric: as many to the right.

    Returns:
        [batch, time, heads, window], a window of w + 1 places, or 2 w + 1; 0 where it leaves the keys.

    Raises:
        OutOfBoundsError E110: a dilation is below 1, or no number.
        ShapeError E196: they do not fit together.

    >>> x = np.ones((1, 4, 1, 2))
    >>> npx.sldwin_atten_score(x, x, np.ones(1), w=1).shape
    (1, 4, 1, 3)
    """
    (x, y), step = _floats(query, key), _dilation("sldwin_atten_score", dilation)
    return result(interleaved.sldwin_atten_score(x, y, step, _count(w), bool(symmetric)))


@public
def sldwin_atten_context(score: Any, value: Any, dilation: Any, w: int, symmetric: bool = True) -> Any:
    """Return the sums of the values of sliding windows, weighted by `score`; see `sldwin_atten_score`.

    Raises:
        OutOfBoundsError E110: a dilation is below 1, or no number.
        ShapeError E196: they do not fit together.

    >>> npx.sldwin_atten_context(np.ones((1, 4, 1, 3)), np.ones((1, 4, 1, 2)), np.ones(1), w=1).shape
    (1, 4, 1, 2)
    """
    (x, y), step = _floats(score, value), _dilation("sldwin_atten_context", dilation)
    return result(interleaved.sldwin_atten_context(x, y, step, _count(w), bool(symmetric)))


@public
def sldwin_atten_mask_like(score: Any, dilation: Any, valid_length: Any, w: int, symmetric: bool = True) -> Any:
    """Return 1 where a place of a window lies within its sequence, and 0 elsewhere; see `sldwin_atten_score`.

    Args:
        score: [batch, time, heads, window].
        dilation: [heads], from 1 on.
        valid_length: [batch].
        w: places to the left.
        symmetric: as many to the right.

    Raises:
        OutOfBoundsError E110: a length is negative, or greater than the number of places; a dilation is below 1.
        ShapeError E196: they do not fit together.

    >>> npx.sldwin_atten_mask_like(np.ones((1, 4, 1, 3)), np.ones(1), np.array([3]), w=1).shape
    (1, 4, 1, 3)
    """
    (x,) = _floats(score)
    lengths = index_operand(valid_length)
    time = type_of(x).shape[1] if type_of(x).ndim > 1 else 0
    check(lengths, 0, time + 1, f"sldwin_atten_mask_like of {type_of(x)}", f"lengths are from 0 to {dims.text(time)}")
    step = _dilation("sldwin_atten_mask_like", dilation)
    return result(interleaved.sldwin_atten_mask_like(x, step, lengths, _count(w), bool(symmetric)))


def _dilation(name: str, dilation: Any) -> Any:
    """The distances of places in windows, one for each head.

    Raises:
        OutOfBoundsError E110: one is below 1, or no number.
    """
    step = index_operand(dilation)
    check(step, 1, _FARTHEST, f"{name}, dilation", f"places of a window are from 1 to {_FARTHEST - 1} apart")
    return step


_FARTHEST = 1 << 31
"""MXNet's dilations are of 32 bits; times a window they are places that 64 bits hold."""


def _floats(*xs: Any) -> list[Any]:
    """Arguments as operands of one float dtype."""
    return [operand(x) for x in together(xs, floating)]


def _count(number: Any) -> int:
    """A number of heads or places.

    Raises:
        ArgumentError E308: it is no integer.
    """
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise ArgumentError("E308", f"numbers of heads and places must be integers, got {number!r}")
    return int(number)

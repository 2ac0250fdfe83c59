# SPDX-License-Identifier: Apache-2.0
"""MXNet's products of attention over projections that lie beside each other, and of windows that slide.

Interleaved: one array [time, batch, heads x parts x size] holds, for each head, a query, a key and a value (self
attention), or a key and a value. Weights are [batch x heads, time, keys].

Sliding windows: a query sees the keys at its own place and `w` to the left, to the right as well where the window is
symmetric, each `dilation` from the next; scores are [batch, time, heads, window].
"""

from __future__ import annotations

from hybridize.base import dims
from hybridize.base.dtypes import int64
from hybridize.base.errors import ShapeError
from hybridize.base.types import same_shape
from hybridize.ops.arithmetic import add, bit_and, floor_div, ge, gt, lt, max, min, mul, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.contract import contract
from hybridize.ops.indexing import gather_nd
from hybridize.ops.op import Operand, type_of
from hybridize.ops.slicing import concat, iota
from hybridize.ops.slicing import slice as sliced
from hybridize.ops.views import broadcast, cast, like, reshape, transpose

# ------------------------------------------------------------------------------------------------------ interleaved


def _part(name: str, x: Operand, heads: int, parts: int, number: int) -> Operand:
    """One of the parts of an interleaved array, [time, batch, heads, size].

    Raises:
        ShapeError E195: the last axis does not hold them.
    """
    kind = type_of(x)
    if kind.ndim != 3 or heads < 1 or kind.shape[2] % (heads * parts):
        help = f"it is [time, batch, {heads} heads x {f'{parts} x ' if parts > 1 else ''}size]"
        raise ShapeError("E195", f"{name} of {kind} in {heads} heads", help=help)
    time, batch, units = kind.shape
    size = units // (heads * parts)
    apart = reshape(x, (time, batch, heads, parts, size))
    one = sliced(apart, (0, 0, 0, number, 0), (time, batch, heads, number + 1, size), (1,) * 5)
    return reshape(one, (time, batch, heads, size))


def _scores(name: str, query: Operand, key: Operand) -> Operand:
    time, batch, heads, size = type_of(query).shape
    if not same_shape(type_of(key).shape[1:], (batch, heads, size)):
        raise ShapeError(
            "E195",
            f"{name} of queries {type_of(query)} and keys {type_of(key)}",
            help="queries and keys need the same batch, heads and sizes",
        )
    scores = contract("tbhd,sbhd->bhts", query, key, name=name)
    scaled = mul(scores, like(float(size) ** -0.5, scores))
    return reshape(scaled, (batch * heads, time, type_of(key).shape[0]))


def _means(name: str, value: Operand, weights: Operand) -> Operand:
    keys, batch, heads, size = type_of(value).shape
    kind = type_of(weights)
    shape = kind.shape
    if kind.ndim != 3 or not same_shape(shape[::2], (batch * heads, keys)):
        help = f"weights are [{dims.text(batch * heads)} of batch and heads, time, {dims.text(keys)} keys]"
        raise ShapeError("E195", f"{name} of values {type_of(value)} and weights {kind}", help=help)
    time = shape[1]
    apart = reshape(weights, (batch, heads, time, keys))
    return reshape(contract("bhts,sbhd->tbhd", apart, value, name=name), (time, batch, heads * size))


@composite("_contrib_interleaved_matmul_selfatt_qk")
def selfatt_qk(queries_keys_values: Operand, heads: int) -> Operand:
    """Scaled products of the queries and keys of [time, batch, heads x 3 x size]."""
    name, x = "interleaved_matmul_selfatt_qk", queries_keys_values
    return _scores(name, _part(name, x, heads, 3, 0), _part(name, x, heads, 3, 1))


@composite("_contrib_interleaved_matmul_selfatt_valatt")
def selfatt_valatt(queries_keys_values: Operand, attention: Operand, heads: int) -> Operand:
    """Means of the values of [time, batch, heads x 3 x size]: [time, batch, heads x size]."""
    name = "interleaved_matmul_selfatt_valatt"
    return _means(name, _part(name, queries_keys_values, heads, 3, 2), attention)


@composite("_contrib_interleaved_matmul_encdec_qk")
def encdec_qk(queries: Operand, keys_values: Operand, heads: int) -> Operand:
    """Scaled products of queries [time, batch, heads x size] and the keys of [keys, batch, heads x 2 x size]."""
    name = "interleaved_matmul_encdec_qk"
    return _scores(name, _part(name, queries, heads, 1, 0), _part(name, keys_values, heads, 2, 0))


@composite("_contrib_interleaved_matmul_encdec_valatt")
def encdec_valatt(keys_values: Operand, attention: Operand, heads: int) -> Operand:
    """Means of the values of [keys, batch, heads x 2 x size]: [time, batch, heads x size]."""
    name = "interleaved_matmul_encdec_valatt"
    return _means(name, _part(name, keys_values, heads, 2, 1), attention)


# --------------------------------------------------------------------------------------------------- sliding windows


def _window(w: int, symmetric: bool) -> int:
    return 2 * w + 1 if symmetric else w + 1


def _check_window(name: str, of: Operand, dilation: Operand, w: int) -> None:
    kind, step = type_of(of), type_of(dilation)
    if kind.ndim != 4 or w < 0 or not same_shape(step.shape, kind.shape[2:3]):
        help = "it is [batch, time, heads, size], the dilation [heads], and w from 0"
        raise ShapeError("E196", f"{name} of {kind} with dilation {step} and w={w}", help=help)


def _places(time: int, dilation: Operand, window: int, w: int) -> Operand:
    """Places [time, heads, window] of keys, some of them before the first or behind the last one."""
    shape = (time, type_of(dilation).shape[0], window)
    step = broadcast(reshape(dilation, (1, shape[1], 1)), shape)
    offset = sub(iota(shape, 2, int64), like(w, step))
    return add(iota(shape, 0, int64), mul(step, offset))


def _seen(x: Operand, places: Operand) -> Operand:
    """The vectors of `x` [batch, time, heads, size] at places, [time, heads, window, batch, size]; 0 beyond them."""
    batch, time, _, size = type_of(x).shape
    shape = type_of(places).shape
    inside = bit_and(ge(places, like(0, places)), lt(places, like(time, places)))
    near = max(min(places, like(time - 1, places)), like(0, places))
    points = concat(*(reshape(part, (*shape, 1)) for part in (near, iota(shape, 1, int64))), axis=3)
    rows = gather_nd(transpose(x, (1, 2, 0, 3)), points)
    whole = (*shape, batch, size)
    return where(broadcast(reshape(inside, (*shape, 1, 1)), whole), rows, like(0, rows))


@composite("_contrib_sldwin_atten_score")
def sldwin_atten_score(query: Operand, key: Operand, dilation: Operand, w: int, symmetric: bool) -> Operand:
    """Products of queries and keys [batch, time, heads, size] within windows; 0 where a window leaves the keys.

    Raises:
        ShapeError E196: they do not fit together.
    """
    name = "sldwin_atten_score"
    _check_window(name, query, dilation, w)
    _check_pair(name, query, key)
    places = _places(type_of(query).shape[1], dilation, _window(w, symmetric), w)
    return contract("bthd,thjbd->bthj", query, _seen(key, places), name=name)


@composite("_contrib_sldwin_atten_context")
def sldwin_atten_context(score: Operand, value: Operand, dilation: Operand, w: int, symmetric: bool) -> Operand:
    """Sums of values [batch, time, heads, size] within windows, weighted by `score` [batch, time, heads, window].

    Raises:
        ShapeError E196: they do not fit together.
    """
    name = "sldwin_atten_context"
    _check_window(name, value, dilation, w)
    window = _window(w, symmetric)
    if type_of(score).shape[3:] != (window,):
        raise ShapeError(
            "E196",
            f"{name} of scores {type_of(score)} with w={w}",
            help=f"the last axis of the scores must have {window} places, the size of a window",
        )
    _check_pair(name, score, value, 3)
    places = _places(type_of(value).shape[1], dilation, window, w)
    return contract("bthj,thjbd->bthd", score, _seen(value, places), name=name)


def _check_pair(name: str, x: Operand, y: Operand, axes: int = 4) -> None:
    if type_of(y).ndim != 4 or not same_shape(type_of(x).shape[:axes], type_of(y).shape[:axes]):
        raise ShapeError("E196", f"{name} of {type_of(x)} and {type_of(y)}", help="batch, time and heads must be equal")


@composite("_contrib_sldwin_atten_mask_like")
def sldwin_atten_mask_like(
    score: Operand, dilation: Operand, valid_length: Operand, w: int, symmetric: bool
) -> Operand:
    """1 where a place of a window [batch, time, heads, window] is seen, 0 where it lies beyond the sequence.

    Args:
        score: what the mask is for.
        dilation: i64 [heads].
        valid_length: i64 [batch].
        w: places to the left.
        symmetric: as many to the right.

    Raises:
        ShapeError E196: they do not fit together.
    """
    name, kind = "sldwin_atten_mask_like", type_of(score)
    _check_window(name, score, dilation, w)
    lengths = type_of(valid_length)
    if kind.shape[3] != _window(w, symmetric) or not same_shape(lengths.shape, kind.shape[:1]):
        help = f"a window has {_window(w, symmetric)} places, and there is a length for each element of the batch"
        raise ShapeError("E196", f"{name} of scores {kind} with lengths {lengths} and w={w}", help=help)
    shape = kind.shape
    time, place = iota(shape, 1, int64), iota(shape, 3, int64)
    step = broadcast(reshape(dilation, (1, 1, shape[2], 1)), shape)
    length = broadcast(reshape(valid_length, (shape[0], 1, 1, 1)), shape)
    width = like(w, place)
    seen = bit_and(ge(place, sub(width, floor_div(time, step))), gt(length, time))
    if symmetric:
        rest = floor_div(sub(sub(length, time), like(1, time)), step)
        seen = bit_and(seen, ge(sub(like(2 * w, place), place), sub(width, rest)))
    return cast(seen, kind.dtype)

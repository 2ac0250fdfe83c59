# SPDX-License-Identifier: Apache-2.0
"""Attention: means of values, weighted by how well their keys go with a query; softmaxes of what masks leave.

    scores = scale query key^T;  weights = softmax of those that the masks leave;  result = weights value

A row of scores of which the masks leave nothing has the weight 0 everywhere, so its result and its gradients are 0.
That is so of boolean masks, of lengths, and of additive masks that are -infinity throughout.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy

from hybridize.base import dims
from hybridize.base.dtypes import bool_, int64, is_float
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape, TensorType, same_shape
from hybridize.ops.analysis import exp, rsqrt, tanh
from hybridize.ops.arithmetic import add, bit_and, div, ge, gt, lt, max, mul, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.composites import dropout as dropped
from hybridize.ops.composites import log_softmax, slope_of_softmax, softmax, with_slope
from hybridize.ops.contract import contract
from hybridize.ops.op import Operand, type_of
from hybridize.ops.reductions import any as any_of
from hybridize.ops.reductions import reduce_max
from hybridize.ops.sizes import size_of
from hybridize.ops.slicing import iota
from hybridize.ops.views import broadcast, cast, like, reshape, spread, stop_gradient, sum, wide

LAYOUTS = ("BHTD", "BTHD")
"""Heads before time, as PyTorch's function has them, or after it, as a layer computes them."""
_LEADING = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Letters of the axes of the batch."""


def softmax_of_some(x: Operand, axis: int) -> Operand:
    """The softmax along an axis of scores of which some are -infinity; 0 throughout where all of them are."""
    if type_of(x).size == 0:
        return x
    return with_slope("softmax", _softmax_of_some, slope_of_softmax, x, axis)


def _softmax_of_some(x: Operand, axis: int) -> Operand:
    shape = type_of(x).shape
    top = stop_gradient(reduce_max(x, (axis,)))
    lowest = like(numpy.finfo(type_of(x).dtype).min, top)  # -infinity less itself would be no number
    powers = exp(sub(x, spread(max(top, lowest), shape, (axis,))))
    total = sum(powers, (axis,))
    total = where(gt(total, like(0, total)), total, like(1, total))
    return div(powers, spread(total, shape, (axis,)))


@composite("_contrib_div_sqrt_dim")
def div_sqrt_dim(x: Operand) -> Operand:
    """x / sqrt(n), n the size of the last axis."""
    y = cast(x, wide(type_of(x).dtype))
    return cast(mul(y, _scale(y, type_of(x).shape[-1], None)), type_of(x).dtype)


@composite("masked_softmax")
def masked_softmax(x: Operand, mask: Operand, axis: int, temperature: float = 1.0) -> Operand:
    """The softmax along an axis of the elements whose mask is true; 0 elsewhere.

    Args:
        x: scores.
        mask: of bools, which broadcasts to the scores.
        axis: that is summed over.
        temperature: that scores are divided by.

    Raises:
        ShapeError E191: the mask does not broadcast to the scores.
    """
    scores = cast(x, wide(type_of(x).dtype))
    if temperature != 1.0:
        scores = div(scores, like(temperature, scores))
    return cast(softmax_of_some(_only(_stretched("masked_softmax", mask, scores), scores), axis), type_of(x).dtype)


def masked_log_softmax(x: Operand, mask: Operand, axis: int) -> Operand:
    """The logarithm of the masked softmax; -infinity where the mask is false.

    Raises:
        ShapeError E191: the mask does not broadcast to the scores.
    """
    seen = _stretched("masked_log_softmax", mask, x)
    some = spread(any_of(seen, (axis,)), type_of(x).shape, (axis,))
    hidden = where(some, like(-math.inf, x), like(0, x))  # of a row with nothing to see the softmax would be NaN
    return _only(seen, log_softmax(where(seen, x, hidden), axis))


def _only(mask: Operand, scores: Operand) -> Operand:
    return where(mask, scores, like(-math.inf, scores))


def _stretched(name: str, mask: Operand, scores: Operand) -> Operand:
    """A mask as large as the scores."""
    kind, of = type_of(scores), type_of(mask)
    shape = dims.broadcast(of.shape, kind.shape)
    if shape is None or not same_shape(shape, kind.shape):
        raise ShapeError("E191", f"{name}: a mask {of} for scores {kind}", help="each of its sizes must be equal or 1")
    return broadcast(mask, kind.shape)


@frozen
class Heads:
    """The sizes of attention, and the specs of its two products."""

    scores: str
    """query, key -> scores"""
    values: str
    """weights, value -> result"""
    query: Shape
    """The shape of the query, whose heads are apart by those of the keys."""
    rows: Shape
    """The shape of the scores for masks: [..., heads, time, keys]"""
    apart: Shape
    """The same with heads apart."""
    result: Shape
    """[..., heads, time, size of a value], or in the other layout."""

    @classmethod
    def of(cls, name: str, query: TensorType, key: TensorType, value: TensorType, layout: str) -> Heads:
        """Check operands of attention.

        Raises:
            ShapeError E190: they do not fit together; E192: the heads of the keys do not divide those of the query.
        """
        count, late = query.ndim, layout == "BTHD"
        if not 2 + late <= count == key.ndim == value.ndim:
            least = 3 if late else 2
            raise _misfit(name, query, key, value, f"each has {least} axes at least, and as many as the others")
        lead = count - 3 if count > 3 else 0
        before, sizes = query.shape[:lead], query.shape[-1:]
        if not (
            same_shape((*before, *sizes), (*key.shape[:lead], *key.shape[-1:]))
            and same_shape(key.shape[:-1], value.shape[:-1])
        ):
            raise _misfit(name, query, key, value, "keys are as long as queries, and there are as many values as keys")
        time, head = (count - 3, count - 2) if late else (count - 2, count - 3)
        moment, keys = query.shape[time], key.shape[time]
        own, others = (query.shape[head : head + 1], key.shape[head : head + 1]) if count > 2 else ((), ())
        groups = () if same_shape(own, others) else (cls._groups(name, query, key, own[0], others[0], late),)
        letters = _LEADING[:lead]
        left = ("g" if own else "") + ("r" if groups else "")
        right = left[:1]
        first, second = (f"t{left}", f"s{right}") if late else (f"{left}t", f"{right}s")
        rows = f"{letters}{left}ts"
        heads = (*others, *groups)
        turn = (moment, *heads) if late else (*heads, moment)
        return cls(
            f"{letters}{first}d,{letters}{second}d->{rows}",
            f"{rows},{letters}{second}e->{letters}{first}e",
            (*before, *turn, *sizes),
            (*before, *own, moment, keys),
            (*before, *heads, moment, keys),
            (*query.shape[:-1], value.shape[-1]),
        )

    @staticmethod
    def _groups(name: str, query: TensorType, key: TensorType, own: int, others: int, late: bool) -> int:
        """Return how many heads of the query each of the keys serves; an axis of the batch alone serves one."""
        if others < 1 or own % others or (query.ndim == 3 and not late):
            raise ShapeError(
                "E192",
                f"{name}: {dims.text(own)} heads of the query {query} for {dims.text(others)} of the keys {key}",
                help="the number of query heads must be a multiple of the number of key heads",
            )
        return own // others


def _misfit(name: str, query: TensorType, key: TensorType, value: TensorType, rule: str) -> ShapeError:
    return ShapeError("E190", f"{name} of a query {query}, keys {key} and values {value}", help=rule)


@composite("scaled_dot_product_attention", lambda **_: {"weights": None})
def attention(
    query: Operand,
    key: Operand,
    value: Operand,
    mask: Operand | None = None,
    lengths: Operand | None = None,
    random: Operand | None = None,
    causal: bool = False,
    scale: float | None = None,
    dropout: float = 0.0,
    layout: str = "BHTD",
    weights: bool = False,
) -> Operand | tuple[Operand, Operand]:
    """Return the means of values by the weights of their keys; with these weights, before any is dropped, if asked.

    Args:
        query: [..., heads, time, size], [..., time, size], or in the other layout [..., time, heads, size].
        key: [..., groups, keys, size], as many groups as heads, or a number that divides them.
        value: [..., groups, keys, size of a value].
        mask: true where a query sees a key, or floats that are added to the scores; it broadcasts to them,
            [..., heads, time, keys].
        lengths: i64 [n] or [n, time], n the first size: how many keys, from the first, queries see.
        random: the key u64[2] of what is dropped, where `dropout` is not 0.
        causal: a query sees the keys up to its own place.
        scale: of the scores; None: 1 / sqrt(size).
        dropout: the part of weights that are dropped.
        layout: one of `LAYOUTS`.
        weights: give them back, too.

    Raises:
        DTypeError E241: integers, several dtypes, or a mask that is neither of bools nor of floats.
        ShapeError E190, E191, E192: they do not fit together; nor does the mask; nor do the heads; E193: nor lengths.
    """
    name = "scaled_dot_product_attention"
    kinds = type_of(query), type_of(key), type_of(value)
    dtype = kinds[0].dtype
    if not is_float(dtype) or any(kind.dtype != dtype for kind in kinds):
        shown = ", ".join(map(str, kinds))
        raise DTypeError("E241", f"{name} of {shown}", help="use floats of one dtype: x.astype(...)")
    heads = Heads.of(name, *kinds, layout)
    scores = _scores(heads, name, query, key, scale)
    shares = _weights(_masked(name, scores, mask, lengths, causal), mask is None and lengths is None)
    dropped_shares = shares if random is None else dropped(shares, random, dropout)
    result = _means(heads, name, dropped_shares, value)
    return (result, cast(shares, dtype)) if weights else result


def attention_in_stages(
    query: Operand,
    key: Operand,
    value: Operand,
    mask: Operand | None = None,
    lengths: Operand | None = None,
    causal: bool = False,
    scale: float | None = None,
    change: Callable[[Operand], Operand] = lambda scores: scores,
    change_weights: Callable[[Operand], Operand] = lambda weights: weights,
) -> tuple[Operand, ...]:
    """Return what attention goes through: its result, the scores, changed, with masks, and the weights of keys.

    Args:
        query: [..., heads, time, size], as the other operands of `attention`.
        key: [..., groups, keys, size].
        value: [..., groups, keys, size of a value].
        mask: true where a query sees a key, or floats that are added.
        lengths: how many keys queries see.
        causal: a query sees the keys up to its own place.
        scale: of the scores; None: 1 / sqrt(size).
        change: what becomes of the scores [..., heads, time, keys] before masks.
        change_weights: what becomes of the weights of the keys.
    """
    name, dtype = "scaled_dot_product_attention", type_of(query).dtype
    heads = Heads.of(name, type_of(query), type_of(key), type_of(value), LAYOUTS[0])
    scores = _scores(heads, name, query, key, scale)
    changed = change(scores)
    masked = _masked(name, changed, mask, lengths, causal)
    shares = change_weights(_weights(masked, mask is None and lengths is None))
    return (_means(heads, name, shares, value), *(cast(x, dtype) for x in (scores, changed, masked, shares)))


def capped(scores: Operand, cap: float) -> Operand:
    """Scores as cap tanh(scores / cap)."""
    return mul(tanh(div(scores, like(cap, scores))), like(cap, scores))


def _scores(heads: Heads, name: str, query: Operand, key: Operand, scale: float | None) -> Operand:
    """The products of queries and keys [..., heads, time, keys], in the dtype to compute in."""
    dtype = wide(type_of(query).dtype)
    scores = contract(heads.scores, reshape(cast(query, dtype), heads.query), cast(key, dtype), name=name)
    return reshape(mul(scores, _scale(scores, type_of(query).shape[-1], scale)), heads.rows)


def _means(heads: Heads, name: str, shares: Operand, value: Operand) -> Operand:
    dtype = type_of(value).dtype
    shares = cast(reshape(shares, heads.apart), wide(dtype))
    means = contract(heads.values, shares, cast(value, wide(dtype)), name=name)
    return cast(reshape(means, heads.result), dtype)


def _scale(scores: Operand, size: int, scale: float | None) -> Operand:
    if scale is None and dims.is_symbolic(size):
        return broadcast(rsqrt(cast(size_of(size), type_of(scores).dtype)), type_of(scores).shape)
    return like(1 / math.sqrt(size) if scale is None and size else scale or 0.0, scores)


def _weights(scores: Operand, every: bool) -> Operand:
    """The softmax of scores [..., time, keys]; `every`: of each row some are finite."""
    last = type_of(scores).ndim - 1
    return softmax(scores, last) if every else softmax_of_some(scores, last)


def _masked(name: str, scores: Operand, mask: Operand | None, lengths: Operand | None, causal: bool) -> Operand:
    """Scores [..., time, keys] with what masks add; -infinity where they hide a key."""
    shape, last = type_of(scores).shape, type_of(scores).ndim - 1
    added, seen = None, []
    if mask is not None and is_float(type_of(mask).dtype):
        added = _stretched(name, cast(mask, type_of(scores).dtype), scores)
    elif mask is not None and type_of(mask).dtype == bool_:
        seen.append(_stretched(name, mask, scores))
    elif mask is not None:
        raise DTypeError(
            "E241",
            f"{name}: a mask {type_of(mask)}",
            help="use bools, or floats that are added to the scores: mask.astype(bool)",
        )
    if causal:
        seen.append(ge(iota(shape, last - 1, int64), iota(shape, last, int64)))
    if lengths is not None:
        seen.append(_within(name, scores, lengths))
    for one in seen[1:]:
        seen[0] = bit_and(seen[0], one)
    if added is not None:
        scores = add(scores, added)
    return _only(seen[0], scores) if seen else scores


def _within(name: str, scores: Operand, lengths: Operand) -> Operand:
    """True where a key of the scores [n, ..., time, keys] comes before a length."""
    shape, lengths_shape = type_of(scores).shape, type_of(lengths).shape
    fits = len(shape) > 2 and lengths_shape == (shape[0],)
    if not fits and not (len(shape) > 2 and lengths_shape == (shape[0], shape[-2])):
        raise ShapeError(
            "E193",
            f"{name}: lengths {type_of(lengths)} for scores {type_of(scores)}",
            help="give one length for each element of the batch, [n], or for each query, [n, time]",
        )
    ones = (shape[0], *(1,) * (len(shape) - 3), lengths_shape[1] if len(lengths_shape) > 1 else 1, 1)
    return lt(iota(shape, len(shape) - 1, int64), broadcast(reshape(lengths, ones), shape))

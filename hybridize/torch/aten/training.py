# SPDX-License-Identifier: Apache-2.0
"""Operators of training: random numbers, dropout, normalization by the statistics of the batch."""

from __future__ import annotations

import math
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import bool_, float32, float64, is_float
from hybridize.base.types import TensorType
from hybridize.ops import Operand, composites, type_of
from hybridize.ops.views import wide
from hybridize.torch import draws
from hybridize.torch.aten.registry import Types, aten
from hybridize.torch.functions.operands import between, operand, required


@aten("dropout.default")
def _dropout(types: Types, x: Operand, p: float, train: bool) -> Operand:
    return _dropped(x, p)[0] if train and p > 0 else x


@aten("native_dropout.default")
def _native_dropout(types: Types, x: Operand, p: float, train: bool | None) -> tuple[Operand, Operand]:
    if train is not False and p > 0:
        return _dropped(x, p)
    return x, operand(True, bool_, types[0].shape)


def _dropped(x: Operand, p: float) -> tuple[Operand, Operand]:
    kind = type_of(x)
    if p >= 1:
        return operand(0, kind.dtype, kind.shape), operand(False, bool_, kind.shape)
    key = draws.key()
    kept = ops.ge(composites.uniform(key, kind.shape), operand(p, float32, kind.shape))
    return composites.dropout(x, key, p), kept


@aten("rand.default", "rand_like.default")
def _rand(types: Types, *_: Any, **__: Any) -> Operand:
    return draws.uniform(types[0].shape, types[0].dtype)


@aten("multinomial.default")
def _multinomial(types: Types, x: Operand, count: int, replacement: bool = False, **_: Any) -> Operand:
    """By the inverse of the sums: how many of them a uniform number has behind it.

    Without replacement by a race: whose exponential number is the smallest for its weight comes first.
    """
    kind, shape = types[0], type_of(x).shape
    dtype = type_of(x).dtype
    fine = ops.bit_and(ops.ge(x, ops.like(0, x)), ops.lt(x, ops.like(math.inf, x)))
    required(fine, "probability tensor contains either `inf`, `nan` or element < 0")
    some = ops.gt(ops.sum(x, (len(shape) - 1,)), ops.full(0, type_of(x).with_shape(shape[:-1])))
    required(some, "invalid multinomial distribution (sum of probabilities <= 0)")
    if count != 1 and not replacement:
        real = float64 if dtype == float64 else float32
        chances = ops.cast(ops.stop_gradient(x), real)
        times = ops.neg(ops.log(draws.open_uniform(shape, real)))
        order = ops.arg_sort(ops.div(chances, times), len(shape) - 1, True)
        first = ops.slice(order, (0,) * len(shape), kind.shape, (1,) * len(shape))
        return ops.cast(first, kind.dtype)
    sums = ops.cum_sum(ops.stop_gradient(x), len(shape) - 1)
    last = ops.slice(sums, (*(0,) * (len(shape) - 1), shape[-1] - 1), shape, (1,) * len(shape))
    at = ops.mul(draws.uniform(kind.shape, dtype), ops.broadcast(last, kind.shape))
    wide = (*kind.shape, shape[-1])
    behind = ops.ge(
        ops.broadcast(ops.reshape(at, (*kind.shape, 1)), wide),
        ops.broadcast(ops.reshape(sums, (*shape[:-1], 1, shape[-1])), wide),
    )
    number = ops.sum(ops.cast(behind, kind.dtype), (len(wide) - 1,))
    return ops.min(number, operand(shape[-1] - 1, kind.dtype, kind.shape))  # where a product was rounded up


@aten("randperm.default")
def _randperm(types: Types, count: int, **_: Any) -> Operand:
    return ops.cast(ops.arg_sort(draws.uniform(types[0].shape, float64), 0), types[0].dtype)


def _uniform(types: Types, x: Operand, low: float = 0.0, high: float = 1.0, **_: Any) -> Operand:
    kind = types[0]
    scaled = ops.mul(draws.uniform(kind.shape, kind.dtype), operand(high - low, kind.dtype, kind.shape))
    return ops.add(scaled, operand(low, kind.dtype, kind.shape))


@aten("rrelu_with_noise_functional.default")
def _rrelu(
    types: Types, x: Operand, noise: Operand, low: float = 0.125, high: float = 1 / 3, training: bool = False, *_: Any
) -> tuple[Operand, Operand]:
    kind = types[0]
    slope = operand((low + high) / 2, kind.dtype, kind.shape)
    if training:
        slope = _uniform(types, x, low, high)
    positive = ops.gt(x, operand(0, kind.dtype, kind.shape))
    factor = ops.where(positive, operand(1, kind.dtype, kind.shape), slope)
    return ops.mul(x, factor), factor


@aten("randn.default", "randn_like.default")
def _randn(types: Types, *_: Any, **__: Any) -> Operand:
    return draws.normal(types[0].shape, types[0].dtype)


@aten("bernoulli.default", "bernoulli.p")
def _bernoulli(types: Types, x: Operand, p: float | None = None, **_: Any) -> Operand:
    kind = types[0]
    wide = kind.dtype if is_float(kind.dtype) else float32
    chance = operand(x if p is None else p, wide, kind.shape)
    if p is None:
        between(chance, "bernoulli expects all probabilities to be between 0 and 1")
    return ops.cast(ops.lt(draws.uniform(kind.shape, wide), ops.stop_gradient(chance)), kind.dtype)


@aten("_native_batch_norm_legit_no_training.default")
def _batch_norm(
    types: Types, x: Operand, weight: Any, bias: Any, mean: Operand, var: Operand, momentum: float, eps: float
) -> tuple[Operand | None, ...]:
    return composites.normalized_by(x, mean, var, weight, bias, 1, eps), None, None


@aten("_native_batch_norm_legit.no_stats")
def _batch_norm_alone(
    types: Types, x: Operand, weight: Any, bias: Any, training: bool, momentum: float, eps: float
) -> tuple[Operand | None, ...]:
    mean, var = _statistics(x)
    return composites.normalized_by(x, mean, var, weight, bias, 1, eps), None, None


@aten("_native_batch_norm_legit_functional.default")
def _batch_norm_of_batch(
    types: Types,
    x: Operand,
    weight: Any,
    bias: Any,
    mean: Operand,
    var: Operand,
    training: bool,
    momentum: float | Operand,
    eps: float,
) -> tuple[Operand | None, ...]:
    if not training:
        return composites.normalized_by(x, mean, var, weight, bias, 1, eps), None, None, mean, var
    now, spread = _statistics(x)
    unbiased = composites.variance(_exact(x), _but_channels(x), 1)
    known = isinstance(momentum, (int, float))
    rest = 1 - momentum if known else ops.sub(ops.like(1, momentum), momentum)

    def moved(kind: TensorType, before: Operand, after: Operand) -> Operand:
        """In the precision of what PyTorch gives, which may be more than that of the buffer that it is written to."""
        kept = ops.mul(ops.cast(before, kind.dtype), operand(rest, kind.dtype, kind.shape))
        new = ops.cast(ops.stop_gradient(after), kind.dtype)
        return ops.add(kept, ops.mul(new, operand(momentum, kind.dtype, kind.shape)))

    y = composites.normalized_by(x, now, spread, weight, bias, 1, eps)
    return y, None, None, moved(types[3], mean, now), moved(types[4], var, unbiased)


def _but_channels(x: Operand) -> tuple[int, ...]:
    return 0, *range(2, type_of(x).ndim)


def _statistics(x: Operand) -> tuple[Operand, Operand]:
    """Mean and variance of each channel, of half the precision in single."""
    x = _exact(x)
    return composites.mean(x, _but_channels(x)), composites.variance(x, _but_channels(x))


def _exact(x: Operand) -> Operand:
    return ops.cast(x, wide(type_of(x).dtype))

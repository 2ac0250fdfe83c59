# SPDX-License-Identifier: Apache-2.0
"""Composites: what users call one op and is a composition of primitives, under MXNet's names and attributes.

Operands are floats of one dtype unless said otherwise; axes count from 0. Short floats are computed in float32 and
rounded once, so that a composition is as exact as a primitive would be.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hybridize.base.dtypes import DType, bfloat16, float16, float32, int64, is_float
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.types import TensorType
from hybridize.ops.analysis import erf, exp, expm1, log, log1p, rsqrt, sigmoid, tanh
from hybridize.ops.arithmetic import abs, add, div, eq, floor_div, ge, gt, max, mul, neg, shared_max, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.custom import After, CustomGradient
from hybridize.ops.indexing import gather
from hybridize.ops.matmul import matmul
from hybridize.ops.op import Operand, bind, capturing, type_of
from hybridize.ops.powers import fmod
from hybridize.ops.randomness import uniform_numbers
from hybridize.ops.reductions import reduce_max
from hybridize.ops.slicing import iota
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import broadcast, cast, full, like, reshape, spread, sum

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _widened(x: Operand) -> tuple[Operand, DType]:
    """`x` in the dtype to compute in, and the dtype to come back to."""
    dtype = type_of(x).dtype
    return cast(x, float32) if dtype in (float16, bfloat16) else x, dtype


def _along(x: Operand, like_: Operand, axis: int) -> Operand:
    """A vector [n] over the shape of `like_`, along `axis`."""
    shape = type_of(like_).shape
    return broadcast(reshape(x, tuple(size if k == axis else 1 for k, size in enumerate(shape))), shape)


def integer_quotient(x: Operand, y: Operand) -> Operand:
    """Quotients of integers, cut off towards 0, as C divides."""
    return floor_div(sub(x, fmod(x, y)), y)  # what fmod leaves is the part that is dropped


@composite(
    "FullyConnected", lambda weight, bias, **_: {"num_hidden": type_of(weight).shape[0], "no_bias": bias is None}
)
def fully_connected(x: Operand, weight: Operand, bias: Operand | None = None, flatten: bool = True) -> Operand:
    """x W^T + b

    Args:
        x: [n, ...], made [n, in] when `flatten`; or [..., in].
        weight: [out, in].
        bias: [out], or None.
        flatten: make all axes but the first one.

    Raises:
        ShapeError E102: `in` differs, or the bias is not [out].
    """
    kind, stored = type_of(x), type_of(weight)
    lead: tuple[int, ...] = kind.shape[:1] if flatten else kind.shape[:-1]
    inner = math.prod(kind.shape[len(lead) :])
    if kind.ndim < 1 or stored.ndim != 2 or stored.shape[1] != inner:
        raise ShapeError(
            "E102",
            f"FullyConnected needs [n, in] and weight [out, in], got {kind} and {stored}",
            help=f"each row has {inner} elements",
        )
    out = stored.shape[0]
    if bias is not None and type_of(bias).shape != (out,):
        raise ShapeError("E102", f"FullyConnected of weight {stored} needs a bias [{out}], got {type_of(bias)}")
    y = matmul(reshape(x, (math.prod(lead), inner)), weight, False, True)
    if bias is not None:
        y = add(y, broadcast(bias, type_of(y).shape))
    return reshape(y, (*lead, out))


@composite("relu")
def relu(x: Operand) -> Operand:
    """max(x, 0); NaN stays NaN. Its slope at 0 is 0."""
    return _relu(x)


def _relu(x: Operand) -> Operand:
    return max(x, like(0, x)) if not is_float(type_of(x).dtype) else where(ge(like(0, x), x), like(0, x), x)


def _softrelu(x: Operand) -> Operand:
    """log(1 + exp(x)), without overflow. Its slope at 0 is a half, which relu has not."""
    return add(shared_max(x, like(0, x)), log1p(exp(neg(abs(x)))))


def _silu(x: Operand) -> Operand:
    return mul(x, sigmoid(x))


def _gelu(x: Operand, approximation: str) -> Operand:
    half = like(0.5, x)
    if approximation == "tanh":
        cube = mul(mul(mul(x, x), x), like(0.044715, x))
        inner = tanh(mul(add(x, cube), like(math.sqrt(2 / math.pi), x)))
    else:
        inner = erf(mul(x, like(math.sqrt(0.5), x)))
    return mul(mul(x, half), add(inner, like(1, x)))


_ACTIVATIONS: dict[str, Callable[[Operand], Operand]] = {
    "relu": _relu,
    "sigmoid": sigmoid,
    "tanh": tanh,
    "softrelu": _softrelu,
    "softsign": lambda x: div(x, add(abs(x), like(1, x))),
    "log_sigmoid": lambda x: neg(_softrelu(neg(x))),
    "mish": lambda x: mul(x, tanh(_softrelu(x))),
    "silu": _silu,
    "swish": _silu,
    "gelu": lambda x: _gelu(x, "erf"),
}


@composite("Activation")
def activation(x: Operand, act_type: str) -> Operand:
    """One of relu, sigmoid, tanh, softrelu, softsign, log_sigmoid, mish, silu, gelu."""
    function = _ACTIVATIONS.get(act_type)
    if function is None:
        raise ArgumentError("E342", f"there is no activation {act_type!r}", help=f"one of {', '.join(_ACTIVATIONS)}")
    wide, dtype = _widened(x)
    return cast(function(wide), dtype)


def _is_tanh(approximation: str | bool) -> bool:
    return approximation in (True, "tanh")


@composite(
    "LeakyReLU",
    lambda approximation, **_: {"act_type": "gelu_tanh" if _is_tanh(approximation) else "gelu", "approximation": None},
)
def gelu(x: Operand, approximation: str | bool = "erf") -> Operand:
    """x times the probability that a normal number is below x; "tanh" (or True) is the usual approximation."""
    wide, dtype = _widened(x)
    return cast(_gelu(wide, "tanh" if _is_tanh(approximation) else "erf"), dtype)


@composite("LeakyReLU")
def leaky_relu(x: Operand, gamma: Operand | None = None, act_type: str = "leaky", slope: float = 0.25) -> Operand:
    """x where it is positive, else something small.

    Args:
        x: any float array.
        gamma: of prelu: [channels], along axis 1 of `x`, or of one element.
        act_type: leaky (slope x), prelu (gamma x), elu (slope (e^x - 1)), selu, gelu.
        slope: of leaky and elu.
    """
    wide, dtype = _widened(x)
    zero = like(0, wide)
    positive = gt(wide, zero)

    def below() -> Operand:
        return expm1(where(positive, zero, wide))  # which would overflow where it is not chosen

    match act_type:
        case "leaky":
            y = where(positive, wide, mul(wide, like(slope, wide)))
        case "prelu" if gamma is not None:
            axis, (count, shape) = min(type_of(x).ndim - 1, 1), (type_of(gamma).size, type_of(wide).shape)
            row = tuple(count if k == axis else 1 for k in range(len(shape)))
            factor = broadcast(reshape(cast(gamma, type_of(wide).dtype), row), shape)
            y = where(positive, wide, mul(wide, factor))
        case "elu":
            y = where(positive, wide, mul(below(), like(slope, wide)))
        case "selu":
            y = mul(where(positive, wide, mul(below(), like(_SELU_ALPHA, wide))), like(_SELU_SCALE, wide))
        case "gelu":
            y = _gelu(wide, "erf")
        case _:
            raise ArgumentError(
                "E343", f"LeakyReLU of act_type {act_type!r}", help="one of leaky, prelu (with gamma), elu, selu, gelu"
            )
    return cast(y, dtype)


@composite("softmax")
def softmax(x: Operand, axis: int) -> Operand:
    """exp(x - max) / sum(exp(x - max)) along `axis`."""
    wide, dtype = _widened(x)
    if type_of(x).size == 0:
        return x
    return cast(with_slope("softmax", _softmax, slope_of_softmax, wide, axis), dtype)


def _softmax(x: Operand, axis: int) -> Operand:
    powers = exp(_less_max(x, axis))
    return div(powers, spread(sum(powers, (axis,)), type_of(x).shape, (axis,)))


def slope_of_softmax(g: Operand, y: Operand, axis: int) -> Operand:
    """y (g - sum(g y)): the operations' own rules would go through the maximum, whose gradients cancel."""
    return mul(y, sub(g, spread(sum(mul(g, y), (axis,)), type_of(y).shape, (axis,))))


def slope_of_log_softmax(g: Operand, y: Operand, axis: int) -> Operand:
    """g - exp(y) sum(g)"""
    return sub(g, mul(exp(y), spread(sum(g, (axis,)), type_of(y).shape, (axis,))))


def with_slope(
    title: str,
    body: Callable[[Operand, int], Operand],
    slope: Callable[[Operand, Operand, int], Operand],
    x: Operand,
    axis: int,
) -> Operand:
    """A function along an axis, whose gradient is computed of that of the result and of the result."""
    if not capturing():
        return body(x, axis)
    kind = type_of(x)
    forward = make_graph(lambda x: [body(x, axis)], (kind,))
    backward = make_graph(lambda g, y: [slope(g, y, axis)], (kind, kind))
    return bind(CustomGradient(title, forward, backward, 1, (0, 1), (0,)), x)[0]


@composite("log_softmax")
def log_softmax(x: Operand, axis: int) -> Operand:
    """x - max - log(sum(exp(x - max))) along `axis`."""
    wide, dtype = _widened(x)
    if type_of(x).size == 0:
        return x
    return cast(with_slope("log_softmax", _log_softmax, slope_of_log_softmax, wide, axis), dtype)


def _log_softmax(x: Operand, axis: int) -> Operand:
    lower = _less_max(x, axis)
    return sub(lower, spread(log(sum(exp(lower), (axis,))), type_of(x).shape, (axis,)))


def _less_max(x: Operand, axis: int) -> Operand:
    return sub(x, spread(reduce_max(x, (axis,)), type_of(x).shape, (axis,)))


def mean(x: Operand, axes: tuple[int, ...]) -> Operand:
    """The mean over `axes`, which go away; NaN of nothing."""
    wide, dtype = _widened(x)
    total = sum(wide, axes)
    count = math.prod(type_of(x).shape[axis] for axis in axes)
    return cast(div(total, like(count, total)), dtype)


def variance(x: Operand, axes: tuple[int, ...], correction: float = 0.0) -> Operand:
    """The mean squared distance from the mean over `axes`; divided by n - `correction`."""
    wide, dtype = _widened(x)
    shape = type_of(x).shape
    apart = sub(wide, spread(mean(wide, axes), shape, axes))
    total = sum(mul(apart, apart), axes)
    count = math.prod(shape[axis] for axis in axes)
    if correction == int(correction):
        count -= int(correction)  # a size less an int is a size, also where only the program knows it
        return cast(div(total, like(count if count > 0 else 0, total)), dtype)
    left = sub(like(count, total), like(correction, total))
    return cast(div(total, max(left, like(0, total))), dtype)


@composite("LayerNorm")
def layer_norm(x: Operand, gamma: Operand, beta: Operand, axis: int, eps: float = 1e-5) -> Operand:
    """(x - mean) / sqrt(variance + eps) gamma + beta along `axis`, where gamma and beta are [n].

    Raises:
        ShapeError E164: gamma or beta is not as long as the axis.
    """
    kind = type_of(x)
    if not 0 <= axis < kind.ndim or any(type_of(part).shape != (kind.shape[axis],) for part in (gamma, beta)):
        raise ShapeError("E164", f"LayerNorm of {kind} along axis {axis} with {type_of(gamma)} and {type_of(beta)}")
    wide, dtype = _widened(x)
    normal = _standardised(wide, (axis,), eps)
    scale, shift = (_along(cast(part, type_of(wide).dtype), wide, axis) for part in (gamma, beta))
    return cast(add(mul(normal, scale), shift), dtype)


def _standardised(x: Operand, axes: tuple[int, ...], eps: float) -> Operand:
    """(x - mean) / sqrt(variance + eps) over `axes`."""
    shape = type_of(x).shape
    apart = sub(x, spread(mean(x, axes), shape, axes))
    square = mean(mul(apart, apart), axes)
    return mul(apart, spread(rsqrt(add(square, like(eps, square))), shape, axes))


@composite("BatchNorm")
def batch_norm(
    x: Operand,
    gamma: Operand,
    beta: Operand,
    mean: Operand,
    var: Operand,
    axis: int,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = False,
    use_global_stats: bool = False,
) -> Operand:
    """(x - mean) / sqrt(var + eps) gamma + beta, all four of them [n], along `axis`; gamma is 1 where `fix_gamma`.

    Momentum and `use_global_stats` say nothing here: they are for who reads a file and trains on.

    Raises:
        ShapeError E165: one of the four is not as long as the axis.
    """
    _check_channels("BatchNorm", x, axis, gamma, beta, mean, var)
    return normalized_by(x, mean, var, None if fix_gamma else gamma, beta, axis, eps)


def normalized_by(
    x: Operand, mean: Operand, var: Operand, gamma: Operand | None, beta: Operand | None, axis: int, eps: float
) -> Operand:
    """(x - mean) / sqrt(var + eps) gamma + beta, all four of them [n], along `axis`; without gamma or beta if None."""
    wide, dtype = _widened(x)
    centre, square = (cast(part, type_of(wide).dtype) for part in (mean, var))
    inverse = rsqrt(add(square, like(eps, square)))
    return cast(_scaled(sub(wide, _along(centre, wide, axis)), inverse, gamma, beta, axis), dtype)


@composite("BatchNorm", lambda **_: {"of_batch": True})
def batch_norm_of_batch(
    x: Operand, gamma: Operand, beta: Operand, axis: int, eps: float = 1e-3, fix_gamma: bool = False
) -> tuple[Operand, Operand, Operand]:
    """The same with mean and (biased) variance of `x` itself over all other axes; (y, mean, variance).

    Raises:
        ShapeError E165: gamma or beta is not as long as the axis.
    """
    _check_channels("BatchNorm", x, axis, gamma, beta)
    if not capturing():
        return _normalized_by_batch(x, gamma, beta, axis, eps, fix_gamma)
    kinds = tuple(map(type_of, (x, gamma, beta)))

    def body(x: Operand, gamma: Operand, beta: Operand) -> tuple[Operand, ...]:
        return _normalized_by_batch(x, gamma, beta, axis, eps, fix_gamma)

    def back(
        g: Operand,
        of_centre: Operand,
        of_square: Operand,
        centre: Operand,
        square: Operand,
        x: Operand,
        gamma: Operand,
    ) -> list[Operand]:
        of_x, of_gamma, of_beta = gradients_of_batch(
            g, (of_centre, of_square), (centre, square), x, gamma, axis, eps, fix_gamma
        )
        gradients = [of_x, of_beta] if fix_gamma else [of_x, of_gamma, of_beta]
        return [cast(one, kinds[number].dtype) for number, one in zip(wrt, gradients, strict=True)]

    wrt = (0, 2) if fix_gamma else (0, 1, 2)
    forward = make_graph(body, kinds)
    y, centre, square = (value.type for value in forward.outputs)
    backward = make_graph(back, (y, centre, square, centre, square, *kinds[:2]))
    # The pool that `reads` counts in: three cotangents, three results, three operands.
    return bind(CustomGradient("BatchNorm", forward, backward, 3, (0, 1, 2, 4, 5, 6, 7), wrt), x, gamma, beta)


def _normalized_by_batch(
    x: Operand, gamma: Operand, beta: Operand, axis: int, eps: float, fix_gamma: bool
) -> tuple[Operand, Operand, Operand]:
    """The normalized batch, its mean and its variance."""
    wide, dtype = _widened(x)
    axes = tuple(k for k in range(type_of(x).ndim) if k != axis)
    centre = mean(wide, axes)
    apart = sub(wide, _along(centre, wide, axis))
    square = mean(mul(apart, apart), axes)
    inverse = rsqrt(add(square, like(eps, square)))
    return cast(_scaled(apart, inverse, None if fix_gamma else gamma, beta, axis), dtype), centre, square


def gradients_of_batch(
    g: Operand,
    of_statistics: tuple[Operand, Operand] | None,
    statistics: tuple[Operand, Operand],
    x: Operand,
    gamma: Operand,
    axis: int,
    eps: float | None,
    fix_gamma: bool,
) -> tuple[Operand, Operand, Operand]:
    """Gradients by x, gamma and beta of the normalized batch, from those by the result, its mean and its variance.

    Those of mean and variance are 0 where None stands for them. Without `eps` the second of the statistics is not the
    variance but 1 / sqrt(variance + eps).

    The rules of the single operations would sum over the batch three times, one of them what is 0: the distances from
    the mean. Here it is gone over twice, once for both sums; and `x` is read again instead of its distances, which
    then need not be kept.
    """
    centre, square = statistics
    wide, _ = _widened(x if of_statistics is None else bind(After(), x, g)[0])
    axes = tuple(k for k in range(type_of(x).ndim) if k != axis)
    above, scale = cast(g, type_of(wide).dtype), cast(gamma, type_of(wide).dtype)
    apart = sub(wide, _along(centre, wide, axis))
    inverse = square if eps is None else rsqrt(add(square, like(eps, square)))
    factor = inverse if fix_gamma else mul(inverse, scale)
    total, product = sum(above, axes), sum(mul(above, apart), axes)
    count = like(math.prod(type_of(x).shape[k] for k in axes), total)
    of_centre, of_square = (None, None) if of_statistics is None else of_statistics
    twice = None if of_square is None else mul(of_square, like(2, of_square))
    slope = div(_less(twice, mul(mul(mul(product, inverse), inverse), factor)), count)
    offset = div(_less(of_centre, mul(factor, total)), count)
    direct = add(mul(above, _along(factor, wide, axis)), mul(apart, _along(slope, wide, axis)))
    return add(direct, _along(offset, wide, axis)), mul(product, inverse), total


def _less(x: Operand | None, y: Operand) -> Operand:
    return neg(y) if x is None else sub(x, y)


def _scaled(apart: Operand, inverse: Operand, gamma: Operand | None, beta: Operand | None, axis: int) -> Operand:
    """Multiply `x` without its mean by 1 / deviation and gamma, and add beta."""
    dtype = type_of(apart).dtype
    factor = inverse if gamma is None else mul(inverse, cast(gamma, dtype))
    y = mul(apart, _along(factor, apart, axis))
    return y if beta is None else add(y, _along(cast(beta, dtype), apart, axis))


@composite("GroupNorm")
def group_norm(x: Operand, gamma: Operand, beta: Operand, num_groups: int = 1, eps: float = 1e-5) -> Operand:
    """Standardised over groups of channels (axis 1) and all axes after; gamma and beta by channel.

    Raises:
        ShapeError E165: gamma or beta is not as long as the axis; E166: the channels are no groups.
    """
    _check_channels("GroupNorm", x, 1, gamma, beta)
    shape = type_of(x).shape
    if num_groups < 1 or shape[1] % num_groups:
        raise ShapeError("E166", f"GroupNorm of {type_of(x)} in {num_groups} groups", help="they divide the channels")
    wide, dtype = _widened(x)
    axes = tuple(range(2, len(shape)))
    grouped = (shape[0], num_groups, shape[1] // num_groups)
    count = math.prod(shape[1:]) // num_groups

    def mean_of(y: Operand) -> Operand:
        """Means over groups, by channel: sums of channels first, which are rows in any layout."""
        sums = sum(reshape(sum(y, axes), grouped), (2,))
        return reshape(spread(div(sums, like(count, sums)), grouped, (2,)), shape[:2])

    apart = sub(wide, spread(mean_of(wide), shape, axes))
    square = mean_of(mul(apart, apart))
    factor = mul(rsqrt(add(square, like(eps, square))), spread(cast(gamma, type_of(wide).dtype), shape[:2], (0,)))
    shift = _along(cast(beta, type_of(wide).dtype), wide, 1)
    return cast(add(mul(apart, spread(factor, shape, axes)), shift), dtype)


@composite("InstanceNorm")
def instance_norm(x: Operand, gamma: Operand, beta: Operand, eps: float = 1e-3) -> Operand:
    """Standardised over all axes after the channels (axis 1), of which there is at least one; the rest by channel.

    Raises:
        ShapeError E165: gamma or beta is not as long as the axis; E166: there is no axis after the channels.
    """
    _check_channels("InstanceNorm", x, 1, gamma, beta)
    if type_of(x).ndim < 3:
        raise ShapeError("E166", f"InstanceNorm of {type_of(x)}", help="it has axes after batch and channels")
    wide, dtype = _widened(x)
    normal = _standardised(wide, tuple(range(2, type_of(x).ndim)), eps)
    scale, shift = (_along(cast(part, type_of(wide).dtype), wide, 1) for part in (gamma, beta))
    return cast(add(mul(normal, scale), shift), dtype)


def _check_channels(name: str, x: Operand, axis: int, *parts: Operand) -> None:
    kind = type_of(x)
    if not 0 <= axis < kind.ndim or any(type_of(part).shape != (kind.shape[axis],) for part in parts):
        shown = ", ".join(str(type_of(part)) for part in parts)
        raise ShapeError("E165", f"{name} of {kind} along axis {axis} with {shown}")


def uniform(key: Operand, shape: tuple[int, ...], dtype: DType = float32) -> Operand:
    """Numbers in [0, 1), multiples of 2^-24, from a key u64[2]."""
    return cast(uniform_numbers(key, shape, float32), dtype)


@composite("Dropout")
def dropout(x: Operand, key: Operand, p: float) -> Operand:
    """Each element 0 with probability `p`, else divided by 1 - p; drawn from a key u64[2]."""
    return x if p <= 0 else dropped(x, uniform(key, type_of(x).shape), p)


def dropped(x: Operand, chance: Operand, p: float) -> Operand:
    """Each element 0 where its number in [0, 1) is below `p`, else divided by 1 - p."""
    stays = ge(chance, like(p, chance))
    return where(stays, mul(x, like(0.0 if p >= 1 else 1 / (1 - p), x)), like(0, x))


@composite("Embedding", lambda weight, **_: dict(zip(("input_dim", "output_dim"), type_of(weight).shape, strict=True)))
def embedding(indices: Operand, weight: Operand) -> Operand:
    """The rows of `weight` [n, width] at `indices` (i64, within bounds)."""
    return gather(weight, indices, 0)


@composite("one_hot")
def one_hot(
    indices: Operand, depth: int, on_value: float = 1.0, off_value: float = 0.0, dtype: DType = float32
) -> Operand:
    """`on_value` where the position along a new last axis of size `depth` is the index (i64), else `off_value`."""
    shape = (*type_of(indices).shape, depth)
    classes = iota(shape, len(shape) - 1, int64)
    same = eq(spread(indices, shape, (len(shape) - 1,)), classes)
    kind = TensorType(shape, dtype)
    return where(same, full(on_value, kind), full(off_value, kind))


@composite("Flatten")
def flatten(x: Operand) -> Operand:
    """All axes but the first one as one."""
    shape = type_of(x).shape
    return reshape(x, (shape[0], math.prod(shape[1:])))

# SPDX-License-Identifier: Apache-2.0
"""Normalization by statistics: of the batch, of a layer, of groups of channels, of an image."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.array.symbol import Symbol
from hybridize.base.dims import product, same
from hybridize.base.dtypes import bfloat16, float16, float32
from hybridize.base.types import TensorType
from hybridize.capture.trace.recording import active_trace
from hybridize.ops import Operand, composites, type_of
from hybridize.ops.library import gates
from hybridize.ops.library.norms import norm
from hybridize.ops.views import wide
from hybridize.torch.functions.calling import cut, is_detached
from hybridize.torch.functions.operands import operand
from hybridize.torch.functions.rules import expect
from hybridize.torch.functions.table import computes, views


def _symbol_operand(x: Symbol | None) -> Operand | None:
    """Return a symbol as an operand, cut off from gradients where torch records none."""
    trace = active_trace()
    return None if x is None else cut(x.operand()) if is_detached(trace) else x.operand()


@views("batch_norm")
def _batch_norm(
    input: Symbol,
    weight: Symbol | None,
    bias: Symbol | None,
    running_mean: Symbol | None,
    running_var: Symbol | None,
    training: bool,
    momentum: Any,
    eps: Any,
    cudnn_enabled: bool = False,
) -> Operand:
    """Statistics that are kept are written where they are moved."""
    x, gamma, beta = (_symbol_operand(one) for one in (input, weight, bias))
    of = input.type
    if of.ndim < 2 and same(product(of.shape), 0):
        return x
    expect(of.ndim >= 2)
    _check_channels(of, running_mean, running_var, weight, bias)
    statistics = [one.operand() for one in (running_mean, running_var) if one is not None]
    _check_dtypes(of, gamma, beta, *statistics)
    expect(training or len(statistics) == 2)
    if not training or (len(statistics) == 2 and same(product(of.shape), 0)):  # of nothing there are none
        mean, var = map(ops.stop_gradient, statistics)
        return composites.normalized_by(x, mean, var, gamma, beta, 1, eps)
    exact, axes = ops.cast(x, wide(of.dtype)), (0, *range(2, of.ndim))
    mean = composites.mean(exact, axes)
    if len(statistics) == 2:
        _move(((running_mean, mean), (running_var, composites.variance(exact, axes, 1))), momentum)
    return composites.normalized_by(x, mean, composites.variance(exact, axes), gamma, beta, 1, eps)


def _move(statistics: Iterable[tuple[Symbol | None, Operand]], momentum: Any) -> None:
    """Move what is kept towards what is now, which no gradient goes through."""
    momentum = momentum.operand() if isinstance(momentum, Symbol) else momentum
    rest = 1 - momentum if isinstance(momentum, (int, float)) else ops.sub(ops.like(1, momentum), momentum)
    for average, now in statistics:
        if average is None:
            continue
        new = ops.cast(ops.stop_gradient(now), average.dtype)
        moved = ops.mul(average.operand(), operand(rest, average.dtype, average.shape))
        average.write(ops.add(moved, ops.mul(new, operand(momentum, average.dtype, average.shape))))


def _check_channels(of: TensorType, *parts: Symbol | None) -> None:
    expect(all(part is None or part.shape[0] == of.shape[1] for part in parts))


@views("instance_norm")
def _instance_norm(
    input: Symbol,
    weight: Symbol | None,
    bias: Symbol | None,
    running_mean: Symbol | None,
    running_var: Symbol | None,
    use_input_stats: bool,
    momentum: Any,
    eps: Any,
    cudnn_enabled: bool = False,
) -> Operand:
    """Each image by itself; what is kept is moved by the means over images."""
    if not use_input_stats:
        return _batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps)
    x, gamma, beta = (_symbol_operand(one) for one in (input, weight, bias))
    of = input.type
    _check_channels(of, running_mean, running_var, weight, bias)
    exact, axes = ops.cast(x, wide(of.dtype)), tuple(range(2, of.ndim))
    now = composites.mean(exact, axes), composites.variance(exact, axes, 1)
    _move(zip((running_mean, running_var), (composites.mean(one, (0,)) for one in now), strict=True), momentum)
    return composites.instance_norm(x, *_factors(of, gamma, beta), eps)


def _factors(of: TensorType, gamma: Operand | None, beta: Operand | None) -> tuple[Operand, Operand]:
    """Return what normal numbers of each channel are multiplied by, and what is added to them."""
    channels = of.shape[1:2]
    scale, shift = 1 if gamma is None else gamma, 0 if beta is None else beta
    return operand(scale, of.dtype, channels), operand(shift, of.dtype, channels)


def _check_dtypes(of: TensorType, *parts: Operand | None) -> None:
    """Check that parameters have the dtype of the input, or all of them float32 where that is a short one."""
    dtypes = {type_of(part).dtype for part in parts if part is not None}
    expect(dtypes <= {of.dtype} or (dtypes == {float32} and of.dtype in (float16, bfloat16)))


def _check_normalized(of: TensorType, shape: Sequence[Any], *parts: Operand | None) -> None:
    """Check that the last axes are `shape`, and those of parts."""
    expect(shape)
    expect(all(part is None or type_of(part).shape == tuple(shape) for part in parts))
    expect(len(shape) <= of.ndim and of.shape[of.ndim - len(shape) :] == tuple(shape))


@computes("layer_norm", kinds="f")
def _layer_norm(
    input: Operand,
    normalized_shape: Sequence[Any],
    weight: Operand | None = None,
    bias: Operand | None = None,
    eps: Any = 1e-5,
    cudnn_enable: bool = True,
) -> Operand:
    of = type_of(input)
    _check_dtypes(of, weight, bias)
    _check_normalized(of, normalized_shape, weight, bias)
    size = product(normalized_shape)
    rows = (*of.shape[: of.ndim - len(normalized_shape)], size)
    gamma, beta = (
        operand(default if part is None else ops.reshape(part, (size,)), of.dtype, (size,))
        for part, default in ((weight, 1), (bias, 0))
    )
    return ops.reshape(composites.layer_norm(ops.reshape(input, rows), gamma, beta, len(rows) - 1, eps), of.shape)


@computes("rms_norm", kinds="f")
def _rms_norm(
    input: Operand, normalized_shape: Sequence[Any], weight: Operand | None = None, eps: Any = None
) -> Operand:
    of = type_of(input)
    _check_normalized(of, normalized_shape, weight)
    if weight is not None:
        weight = ops.cast(weight, of.dtype)
    axes = tuple(range(of.ndim - len(normalized_shape), of.ndim))
    return gates.rms_norm(input, weight, axes, float(numpy.finfo(wide(of.dtype)).eps) if eps is None else eps)


@computes("group_norm", kinds="f")
def _group_norm(
    input: Operand,
    num_groups: Any,
    weight: Operand | None = None,
    bias: Operand | None = None,
    eps: Any = 1e-5,
    cudnn_enabled: bool = True,
) -> Operand:
    of = type_of(input)
    expect(of.ndim >= 2)
    _check_dtypes(of, weight, bias)
    expect(num_groups > 0)
    expect(of.shape[1] % num_groups == 0)
    return composites.group_norm(input, *_factors(of, weight, bias), num_groups, eps)


@computes("_weight_norm")
def _weight_norm(v: Operand, g: Operand, dim: int = 0) -> Operand:
    kind_of = type_of(v)
    axes = tuple(axis for axis in range(kind_of.ndim) if dim < 0 or axis != dim % kind_of.ndim)
    length = ops.reshape(norm(v, 2.0, axes), type_of(g).shape)
    return ops.mul(v, operand(ops.div(g, length), kind_of.dtype, kind_of.shape))

# SPDX-License-Identifier: Apache-2.0
"""Normalization by statistics: of the batch, of a layer, of groups of channels, of an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.array.symbol import Symbol
from hybridize.base.dims import product, same
from hybridize.base.dtypes import bfloat16, float16, float32, is_float
from hybridize.base.types import TensorType
from hybridize.capture.trace.recording import current_trace
from hybridize.ops import Operand, composites, type_of
from hybridize.ops.library.norms import norm
from hybridize.ops.views import wide
from hybridize.torch.functions.calling import cut, is_detached
from hybridize.torch.functions.convolution import with_channels
from hybridize.torch.functions.operands import operand
from hybridize.torch.functions.rules import aten, dtype_name, expect
from hybridize.torch.functions.table import computes, views


def _symbol_operand(x: Symbol | None) -> Operand | None:
    """Return a symbol as an operand, cut off from gradients where torch records none."""
    trace = current_trace()
    assert trace is not None, "an entry is called while capturing"
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
    kept = [None if one is None else one.operand() for one in (running_mean, running_var)]
    _check_dtypes(of, gamma, beta, *kept)
    if not training:
        expect(kept[0] is not None and kept[1] is not None)
        mean, var = (ops.stop_gradient(one) for one in kept)
        return composites.normalized_by(x, mean, var, gamma, beta, 1, eps)
    if running_mean is None or running_var is None:
        y, *_ = aten("_native_batch_norm_legit.no_stats", of, x, gamma, beta, True, momentum, eps)
        return y
    if same(product(of.shape), 0):  # no statistics are there, and what is kept stays
        return aten("_native_batch_norm_legit_no_training.default", [of], x, gamma, beta, *kept, momentum, eps)[0]
    types = [of, of, of, *(one.type for one in (running_mean, running_var))]
    momentum = momentum.operand() if isinstance(momentum, Symbol) else momentum
    name = "_native_batch_norm_legit_functional.default"
    y, _, _, mean, var = aten(name, types, x, gamma, beta, *kept, True, momentum, eps)
    running_mean.write(mean)
    running_var.write(var)
    return y


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
    axes = tuple(range(2, of.ndim))
    exact = ops.cast(x, wide(of.dtype))
    shape = type_of(exact).shape
    mean, var = composites.mean(exact, axes), composites.variance(exact, axes)
    apart = ops.sub(exact, ops.spread(mean, shape, axes))
    inverse = ops.rsqrt(ops.add(var, ops.like(eps, var)))
    y = ops.cast(ops.mul(apart, ops.spread(inverse, shape, axes)), of.dtype)
    if gamma is not None:
        y = ops.mul(y, with_channels(gamma, y))
    if beta is not None:
        y = ops.add(y, with_channels(beta, y))
    unbiased = composites.variance(exact, axes, 1)
    for kept, now in ((running_mean, mean), (running_var, unbiased)):
        if kept is not None:
            new = operand(composites.mean(ops.stop_gradient(now), (0,)), kept.dtype, kept.shape)
            moved = ops.add(ops.mul(kept.operand(), _number(1 - momentum, kept)), ops.mul(new, _number(momentum, kept)))
            kept.write(moved)
    return y


def _number(x: Any, like: Symbol) -> Operand:
    return operand(x, like.dtype, like.shape)


def _check_dtypes(of: TensorType, *parts: Operand | None) -> None:
    """Check that parameters have the dtype of the input, or all of them float32 where that is a short one.

    Raises:
        RuntimeError: they have not; in torch's words.
    """
    dtypes = {type_of(part).dtype for part in parts if part is not None}
    if dtypes <= {of.dtype} or (dtypes == {float32} and of.dtype in (float16, bfloat16)):
        return
    other = next(dtype for dtype in dtypes if dtype != of.dtype)
    raise RuntimeError(f"expected scalar type {dtype_name(of.dtype)} but found {dtype_name(other)}")


def _check_normalized(name: str, of: TensorType, shape: Sequence[Any], *parts: Operand | None) -> None:
    """Raise a RuntimeError in torch's words where the last axes are not `shape`, or parts have other axes."""
    expect(shape)
    for part in parts:
        expect(part is None or type_of(part).shape == tuple(shape))
    if len(shape) > of.ndim or of.shape[of.ndim - len(shape) :] != tuple(shape):
        shown = ", ".join(str(size) for size in shape)
        raise RuntimeError(
            f"Given normalized_shape=[{shown}], expected input with shape [*, {shown}], but got input of "
            f"size{list(of.shape)}"
        )


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
    _check_normalized("layer_norm", of, normalized_shape, weight, bias)
    return aten("layer_norm.default", of, input, tuple(normalized_shape), weight, bias, eps)


@computes("rms_norm")
def _rms_norm(
    input: Operand, normalized_shape: Sequence[Any], weight: Operand | None = None, eps: Any = None
) -> Operand:
    of = type_of(input)
    expect(is_float(of.dtype))
    _check_normalized("rms_norm", of, normalized_shape, weight)
    return aten("rms_norm.default", of, input, tuple(normalized_shape), weight, eps)


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
    batch, channels, *sizes = of.shape
    expect(channels % num_groups == 0)
    types, size = [of, of, of], product(sizes)
    return aten("native_group_norm.default", types, input, weight, bias, batch, channels, size, num_groups, eps)[0]


@computes("_weight_norm")
def _weight_norm(v: Operand, g: Operand, dim: int = 0) -> Operand:
    kind_of = type_of(v)
    axes = tuple(axis for axis in range(kind_of.ndim) if dim < 0 or axis != dim % kind_of.ndim)
    length = ops.reshape(norm(v, 2.0, axes), type_of(g).shape)
    return ops.mul(v, operand(ops.div(g, length), kind_of.dtype, kind_of.shape))

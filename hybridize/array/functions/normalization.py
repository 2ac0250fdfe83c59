# SPDX-License-Identifier: Apache-2.0
"""Normalization by channels: over the batch, with running statistics that training keeps, over groups, over one image.

Running statistics are arrays of the caller's. While training `batch_norm` writes them, outside of what is recorded for
gradients: imperatively at once, in a program as state of it.
"""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array.device import is_away
from hybridize.array.functions.elementwise import add, multiply, stop_gradient
from hybridize.array.functions.shapes import repeat
from hybridize.array.ndarray import ndarray, store, taping, wrap
from hybridize.array.operands import array, axis_of, float_operand, operand, public, result
from hybridize.array.placing import short_tape
from hybridize.array.symbol import Symbol
from hybridize.base import modes
from hybridize.base.access import consistent
from hybridize.base.dtypes import float32, float64
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.ops import composites
from hybridize.ops.op import ACTIVE, capturing


@public
def batch_norm(
    x: Any,
    gamma: Any,
    beta: Any,
    running_mean: Any,
    running_var: Any,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: Any = None,
    max_calib_range: Any = None,
) -> Any:
    """Normalize each channel by its mean and variance: (x - mean) / sqrt(var + eps) * gamma + beta.

    While training the running statistics move: `running = momentum * running + (1 - momentum) * batch`, of the batch's
    biased variance. That is MXNet's meaning: `momentum` is the part that is kept, where PyTorch's is the part that is
    new, and PyTorch keeps the unbiased variance.

    Args:
        x: any float array.
        gamma: [channels].
        beta: [channels].
        running_mean: [channels]; written while training.
        running_var: [channels]; written while training.
        eps: added to the variance.
        momentum: the part of the running statistics that a batch leaves.
        fix_gamma: take 1 for gamma.
        use_global_stats: normalize by the running statistics while training too, and leave them as they are.
        output_mean_var: give back, beside the result, the mean and 1 / sqrt(var + eps) that it was computed with; no
            gradient passes through these two.
        axis: that of the channels.
        cudnn_off: accepted for MXNet.
        min_calib_range: accepted for MXNet.
        max_calib_range: accepted for MXNet.

    Raises:
        ShapeError E136: the others are not as long as the axis; or a batch without elements while training.
        ArgumentError E360: running statistics that cannot be written while training: they are no array of ours.

    >>> x, one, zero = np.array([[1.0], [3.0]]), np.ones(1), np.zeros(1)
    >>> npx.batch_norm(x, one, zero, running_mean=one, running_var=one, eps=0.0)
    array([[0.],
           [2.]])
    """
    data = array(x)
    axis_index = axis_of(axis, data.ndim, "batch_norm")
    parts = [array(part) for part in (gamma, beta, running_mean, running_var)]
    _check("batch_norm", data, axis_index, parts)
    if not modes.is_training() or use_global_stats:
        y = None if output_mean_var else _at_once(data, parts, axis_index, eps, fix_gamma)
        if y is None:
            numbers = axis_index, float(eps), float(momentum), bool(fix_gamma), bool(use_global_stats)
            scale, shift, centre, spread = map(operand, parts)
            y = result(composites.batch_norm(float_operand(data), scale, shift, centre, spread, *numbers))
        mean, var = parts[2:]
    else:
        if data.size == 0:
            raise ShapeError("E136", f"batch_norm of {data.type} while training: an empty batch has no mean")
        for state in (running_mean, running_var):
            if not isinstance(state, (ndarray, Symbol)):
                text = f"batch_norm writes its running statistics while training, got a {type(state).__name__}"
                raise ArgumentError("E360", text, help="pass arrays of np.array, the same objects at each call")
        settings = axis_index, float(eps), bool(fix_gamma)
        y, mean, var = _of_batch_at_once(data, parts, *settings) or map(
            result, composites.batch_norm_of_batch(float_operand(data), operand(parts[0]), operand(parts[1]), *settings)
        )
        keep(running_mean, mean, momentum)
        keep(running_var, var, momentum)
    return (y, stop_gradient(mean), stop_gradient((var + eps) ** -0.5)) if output_mean_var else y


@consistent
def _at_once(x: Any, parts: list[Any], axis: int, eps: float, fix_gamma: bool) -> ndarray | None:
    """The result by NumPy for float arrays of one dtype where nobody records or captures; None elsewhere."""
    if ACTIVE or not _plain(x, parts):
        return None
    data = x._data
    gamma, beta, mean, var = (part._data for part in parts)
    factor = 1 / numpy.sqrt(var + data.dtype.type(eps))
    if not fix_gamma:
        factor *= gamma
    along = (-1,) + (1,) * (data.ndim - 1 - axis)
    y = data - mean.reshape(along)
    y *= factor.reshape(along)
    y += beta.reshape(along)
    return wrap(y)


@consistent
def _of_batch_at_once(x: Any, parts: list[Any], axis: int, eps: float, fix_gamma: bool) -> tuple[Any, Any, Any] | None:
    """Result, mean and variance by NumPy for such arrays, as one step of the tape where one records; else None."""
    if (ACTIVE and short_tape() is None) or not _plain(x, parts):
        return None
    data, gamma, beta = x._data, parts[0]._data, parts[1]._data
    axes = tuple(k for k in range(data.ndim) if k != axis)
    along = (-1,) + (1,) * (data.ndim - 1 - axis)
    mean = data.mean(axes)
    y = data - mean.reshape(along)
    var = numpy.square(y).mean(axes)
    inverse = 1 / numpy.sqrt(var + data.dtype.type(eps))
    y *= (inverse if fix_gamma else inverse * gamma).reshape(along)
    y += beta.reshape(along)
    tape = taping() if ACTIVE else None  # which another thread may have filled since
    if tape is None:
        return wrap(y), wrap(mean), wrap(var)
    output = tape.made("BatchNorm", (x, parts[0], parts[1]), y, axis, eps, fix_gamma, mean, inverse)
    return output, wrap(mean), wrap(var)


def _plain(x: Any, parts: list[Any]) -> bool:
    """Tell whether all are buffers of one of the two dtypes that NumPy computes with as we do."""
    dtype = x.dtype
    return (dtype is float32 or dtype is float64) and all(
        type(one) is ndarray and one._memory.dtype is dtype for one in (x, *parts)
    )


def keep(running: Any, statistic: Any, momentum: float) -> None:
    """Move a running statistic towards what a batch has, outside of what is recorded for gradients."""
    if modes.THREAD.recomputing:
        return
    at_host = type(running) is ndarray and type(statistic) is ndarray and not is_away(running.device)
    if at_host and not (ACTIVE and capturing()):
        data = running._data
        now = statistic._data.astype(data.dtype, copy=False)
        store(running, ..., data * momentum + now * (1 - momentum))
        return
    with modes.mode(recording=False):
        running[...] = add(multiply(running, momentum), multiply(statistic.astype(running.dtype), 1 - momentum))


@public
def group_norm(data: Any, gamma: Any, beta: Any, num_groups: int = 1, eps: float = 1e-3) -> Any:
    """Normalize groups of channels (axis 1) over all axes behind; gamma and beta are by channel.

    `eps` is added to the variance; MXNet 2 has another one here than `nd.GroupNorm`, whose is 1e-5.

    >>> npx.group_norm(np.array([[1.0, 3.0]]), np.ones(2), np.zeros(2), eps=0.0)
    array([[-1.,  1.]])
    """
    data, parts = array(data), [array(gamma), array(beta)]
    if all(part.shape == (num_groups,) for part in parts) and data.ndim > 1 and data.shape[1] > num_groups:
        parts = [repeat(part, data.shape[1] // num_groups) for part in parts]
    x, scale, shift = _with_channels("group_norm", data, *parts)
    if num_groups < 1 or x.shape[1] % num_groups:
        help = f"num_groups divides the {x.shape[1]} channels"
        raise ShapeError("E136", f"group_norm of {x.type} in {num_groups} groups", help=help)
    return result(composites.group_norm(float_operand(x), scale, shift, int(num_groups), float(eps)))


@public
def instance_norm(data: Any, gamma: Any, beta: Any, eps: float = 1e-3) -> Any:
    """Normalize each channel (axis 1) of each sample over the axes behind.

    Args:
        data: an array [n, c, ...].
        gamma: by channel.
        beta: by channel.
        eps: is added to the variance.

    >>> npx.instance_norm(np.array([[[1.0, 3.0]]]), np.ones(1), np.zeros(1), eps=0.0)
    array([[[-1.,  1.]]])
    """
    x, scale, shift = _with_channels("instance_norm", data, gamma, beta)
    if x.ndim < 3:
        help = "it is given batch, channels and the axes over which it takes the mean"
        raise ShapeError("E136", f"instance_norm of {x.type}", help=help)
    return result(composites.instance_norm(float_operand(x), scale, shift, float(eps)))


def _with_channels(name: str, data: Any, *parts: Any) -> tuple[Any, ...]:
    """An array whose channels are along axis 1, and the operands that have a number for each of them."""
    x, arrays = array(data), [array(part) for part in parts]
    axis_of(1, x.ndim, name)
    _check(name, x, 1, arrays)
    return (x, *map(operand, arrays))


def _check(name: str, x: Any, axis: int, parts: list[Any]) -> None:
    """Raise unless gamma, beta and what else there is fit the channels."""
    for part in parts:
        if part.shape != (x.shape[axis],):
            types = ", ".join(str(one.type) for one in parts)
            raise ShapeError("E136", f"{name} of {x.type}, axis {axis}: {types}", help=f"all must be [{x.shape[axis]}]")

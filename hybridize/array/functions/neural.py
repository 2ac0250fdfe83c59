# SPDX-License-Identifier: Apache-2.0
"""Functions that layers call: each is one op to its users, a composite while capturing, direct NumPy otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import functions as np
from hybridize.array.device import begin_on
from hybridize.array.draws import key
from hybridize.array.functions.bounds import check
from hybridize.array.functions.searching import along, points_within
from hybridize.array.ndarray import ndarray, taping, wrap
from hybridize.array.operands import (
    array,
    axes_of,
    axis_of,
    cast,
    described,
    finished,
    float_operand,
    floats,
    one_of,
    operand,
    public,
    result,
    shape_of,
    strong,
    typed,
)
from hybridize.array.operands import indices as index_operand
from hybridize.array.placing import short_tape, unwatched
from hybridize.array.variates import uniform
from hybridize.base import dims
from hybridize.base.access import ACCESS, WRITER, consistent, consistently
from hybridize.base.dtypes import as_dtype, bool_, float32, float64, int64, is_float
from hybridize.base.errors import ArgumentError, DTypeError, HybridizeError, ShapeError, ValueArgumentError
from hybridize.base.modes import is_training
from hybridize.base.promotion import floating, promote
from hybridize.base.tracebacks import trim
from hybridize.base.types import same_shape
from hybridize.ops import composites
from hybridize.ops.library.attention import masked_log_softmax as library_masked_log_softmax
from hybridize.ops.library.attention import masked_softmax as library_masked_softmax
from hybridize.ops.library.positions import arange_like as library_arange_like
from hybridize.ops.op import ACTIVE, Operand, bind1

_ZERO = {float32: numpy.zeros((), float32), float64: numpy.zeros((), float64)}
_ZERO32 = _ZERO[float32]


def _plain(x: Any) -> Any:
    """The buffer of a float array when nobody captures or records; None otherwise."""
    if type(x) is ndarray and (not ACTIVE or unwatched()):
        data = x._data
        if data.dtype is float32 or data.dtype is float64:
            return data
    return None


def _taped_or_plain(x: Any) -> Any:
    """The same, also where a tape records: `_step` tells it."""
    if ACTIVE and short_tape() is not None:
        return x._data if type(x) is ndarray and x._data.dtype in (float32, float64) else None
    return _plain(x)


def _step(name: str, data: ndarray, y: Any, *parameters: Any) -> ndarray:
    """The array `y`, computed of `data` as one step of a tape where one records."""
    tape = taping() if ACTIVE else None  # which another thread may have filled since
    return wrap(y) if tape is None else tape.made(name, (data,), y, *parameters)


def relu(data: Any) -> Any:
    """Return max(x, 0) for each element; NaN stays NaN.

    >>> npx.relu(np.array([-1, 2]))
    array([0., 2.])
    """
    try:
        if type(data) is ndarray and (not ACTIVE or short_tape() is not None):
            x = data._data
            if x.dtype is float32 or x.dtype is float64:
                writes = ACCESS.writes
                y = numpy.maximum(x, _ZERO32)
                if WRITER or ACCESS.writes is not writes:
                    y = consistently(numpy.maximum, x, _ZERO32)
                return _step("relu", data, y if type(y) is numpy.ndarray else numpy.asarray(y))
        return _relu(data)
    except HybridizeError as error:
        trim(error)
        raise


@public
def _relu(data: Any) -> Any:
    return result(composites.relu(strong(data)))


def _exponential(composite: Callable[..., Operand]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a softmax of NumPy's arrays, or its logarithm, one of arrays: a step of a tape, or a composite."""

    def decorate(by_numpy: Callable[..., Any]) -> Callable[..., Any]:
        name = by_numpy.__name__

        def function(
            data: Any, axis: int = -1, length: Any = None, temperature: float | None = None,
            use_length: bool | None = None, dtype: Any = None,
        ) -> Any:  # fmt: skip
            length = used(length, use_length, name, "length")
            if temperature is not None:
                operand(temperature)  # says if it is no number
            if length is not None:
                valid = _valid(data, length, axis)
                return np.where(valid, function(_only(valid, data, axis), axis, None, temperature, dtype=dtype), 0.0)
            x = _taped_or_plain(data) if temperature is None or temperature == 1.0 else _plain(data)
            if x is not None and x.size and x.ndim:
                along = axis_of(axis, x.ndim, name)
                y = _step(name, data, by_numpy(x, along, temperature), along)
            else:
                y = result(composite(_scaled(data, temperature), axis_of(axis, array(data).ndim, name)))
            return y if dtype is None else y.astype(dtype)

        return described(function, name, str(by_numpy.__doc__))

    return decorate


@_exponential(composites.softmax)
@consistent
def softmax(x: Any, axis: int, temperature: float | None) -> Any:
    """Return exp(x / t) / sum(exp(x / t)) along an axis; t is `temperature`.

    `use_length` says whether `length` counts; it does where it is given, unless that is False.

    Raises:
        OutOfBoundsError E110: a length is negative, or greater than the axis.
        ShapeError E194: there is not one length for each row.

    >>> npx.softmax(np.array([0, 0]))
    array([0.5, 0.5])
    >>> npx.softmax(np.array([[0, 0, 9]]), length=np.array([2]), use_length=True)
    array([[0.5, 0.5, 0. ]])
    """
    y = _below_most(x, axis, temperature)
    numpy.exp(y, out=y)
    y /= y.sum(axis=axis, keepdims=True)
    return y


@_exponential(composites.log_softmax)
@consistent
def log_softmax(x: Any, axis: int, temperature: float | None) -> Any:
    """Return the logarithm of the softmax along an axis; `length` and `use_length` are those of `softmax`.

    Args:
        data: an array.
        axis: the axis.
        length: how many elements count, of each vector.
        temperature: divides the data first.
        use_length: False: `length` has no effect.
        dtype: of the result.

    >>> npx.log_softmax(np.array([0, 0])).round(4)
    array([-0.6931, -0.6931])
    """
    y = _below_most(x, axis, temperature)
    y -= numpy.log(numpy.exp(y).sum(axis=axis, keepdims=True))
    return y


@consistent
def _below_most(x: Any, axis: int, temperature: float | None) -> Any:
    """Subtract from each element of a NumPy array the greatest one along `axis`, and divide by the temperature."""
    y = x - x.max(axis=axis, keepdims=True)
    if temperature is not None and temperature != 1.0:
        y /= temperature
    return y


def _scaled(data: Any, temperature: float | None) -> Any:
    x = floats(data)
    return operand(x if temperature is None or temperature == 1.0 else np.divide(x, temperature))


def used(lengths: Any, use: bool | None, name: str, keyword: str) -> Any:
    """Lengths that count: those that are given, unless a switch of MXNet's is off.

    Raises:
        ArgumentError E302: the switch is on, and there are none.
    """
    if use and lengths is None:
        raise ArgumentError("E302", f"{name}: use_{keyword} without {keyword}", help=f"pass {keyword}=...")
    return lengths if use is not False else None


def _valid(data: Any, length: Any, axis: int) -> Any:
    """True where elements come before the length of their row."""
    x = array(data)
    axis_index = axis_of(axis, x.ndim, "softmax")
    steps = np.reshape(
        np.arange(x.shape[axis_index], dtype=int64), tuple(-1 if i == axis_index else 1 for i in range(x.ndim))
    )
    lengths, size = index_operand(length), x.shape[axis_index]
    rows = (*x.shape[:axis_index], *x.shape[axis_index + 1 :])
    if len(shape_of(lengths)) != len(rows) or not same_shape(dims.broadcast(shape_of(lengths), rows) or (), rows):
        help = f"one for each row: [{', '.join(map(dims.text, rows))}]"
        raise ShapeError("E194", f"softmax of {x.type} along axis {axis} with lengths {typed(lengths)}", help=help)
    check(lengths, 0, size + 1, f"softmax of {x.type}, length", f"lengths are from 0 to {dims.text(size)}")
    return np.less(steps, np.expand_dims(result(lengths), axis_index))


def _only(valid: Any, data: Any, axis: int) -> Any:
    """`data` where `valid`, else -infinity; 0 in rows without a valid element, which would be NaN throughout."""
    x = array(data)
    least = array(numpy.asarray(-math.inf, floating(x.dtype)))  # of the dtype of the data, which is that of the result
    return np.where(valid, x, np.where(np.any(valid, axis, keepdims=True), least, 0.0))


@public
def softmin(data: Any, axis: int = -1, temperature: float | None = None, dtype: Any = None) -> Any:
    """Return the softmax of -x along an axis.

    Args:
        data: an array.
        axis: the axis.
        temperature: divides the data first.
        dtype: of the result.

    >>> npx.softmin(np.array([0, 0]))
    array([0.5, 0.5])
    """
    return softmax(-array(data), axis, None, temperature, dtype=dtype)


@public
def masked_softmax(data: Any, mask: Any, axis: int = -1, temperature: Any = 1.0, normalize: bool | None = True) -> Any:
    """Return the softmax of the elements whose mask is true; 0 elsewhere, and throughout where no mask is true.

    Args:
        data: scores.
        mask: of bools or numbers; it broadcasts to the scores.
        axis: that is summed over.
        temperature: that scores are divided by.
        normalize: accepted for MXNet: the result is the same.

    Raises:
        ShapeError E191: the mask does not broadcast to the scores.

    >>> npx.masked_softmax(np.array([0, 0, 9]), np.array([1, 1, 0]) > 0)
    array([0.5, 0.5, 0. ])
    """
    x, chosen = array(data), operand(array(mask).astype(bool))
    axis_index, by = axis_of(axis, x.ndim, "masked_softmax"), 1.0 if temperature is None else temperature
    if not isinstance(by, (int, float, numpy.generic)):
        x, by = np.divide(x, by), 1.0
    return result(library_masked_softmax(cast(operand(x), floating(x.dtype)), chosen, axis_index, float(by)))


@public
def masked_log_softmax(
    data: Any, mask: Any, axis: int = -1, temperature: float | None = 1.0, normalize: bool | None = True
) -> Any:
    """Return the logarithm of the softmax of the elements whose mask is true; -inf elsewhere.

    Raises:
        ShapeError E191: the mask does not broadcast to the scores.

    >>> npx.masked_log_softmax(np.array([0, 0, 9]), np.array([1, 1, 0]) > 0).round(4)
    array([-0.6931, -0.6931,    -inf])
    """
    axis_index, chosen = axis_of(axis, array(data).ndim, "masked_log_softmax"), operand(array(mask).astype(bool))
    return result(library_masked_log_softmax(_scaled(data, temperature), chosen, axis_index))


_negative = consistent(numpy.negative)


@public
def sigmoid(data: Any) -> Any:
    """Return 1 / (1 + exp(-x)) for each element.

    >>> npx.sigmoid(np.array([0, 100])).round(4)
    array([0.5, 1. ])
    """
    x = _plain(data)
    if x is not None and x.ndim:
        y = _negative(x)
        numpy.exp(y, out=y)
        y += 1.0
        return wrap(numpy.reciprocal(y, out=y))
    return result(ops.sigmoid(float_operand(data)))


@public
def log_sigmoid(data: Any) -> Any:
    """Return log(sigmoid(x)), without overflow.

    >>> npx.log_sigmoid(np.array([0, -100])).round(4)
    array([  -0.6931, -100.    ])
    """
    return result(composites.activation(float_operand(data), "log_sigmoid"))


@public
def softrelu(data: Any) -> Any:
    """Return log(1 + exp(x)) for each element, without overflow.

    >>> npx.softrelu(np.array([0, 100])).round(4)
    array([  0.6931, 100.    ])
    """
    return result(composites.activation(float_operand(data), "softrelu"))


@public
def softsign(data: Any) -> Any:
    """Return x / (1 + abs(x)) for each element.

    >>> npx.softsign(np.array([-1, 3]))
    array([-0.5 ,  0.75])
    """
    x = result(float_operand(data))
    return np.divide(x, np.add(np.absolute(x), 1.0))


@public
def mish(data: Any) -> Any:
    """Return x tanh(log(1 + exp(x))).

    >>> npx.mish(np.array([-1, 0, 1])).round(4)
    array([-0.3034,  0.    ,  0.8651])
    """
    return np.multiply(data, np.tanh(softrelu(data)))


@public
def silu(data: Any) -> Any:
    """Return x sigmoid(x) for each element.

    >>> npx.silu(np.array([0, 1])).round(4)
    array([0.    , 0.7311])
    """
    return np.multiply(data, sigmoid(data))


@public
def hard_sigmoid(data: Any, alpha: float = 0.2, beta: float = 0.5) -> Any:
    """Return min(max(alpha x + beta, 0), 1); the gradient at both corners is 0, as in MXNet.

    >>> npx.hard_sigmoid(np.array([-9, 0, 1]))
    array([0. , 0.5, 0.7])
    """
    line = np.add(np.multiply(data, alpha), beta)
    return np.where(np.less_equal(line, 0.0), 0.0, np.where(np.greater_equal(line, 1.0), 1.0, line))


@public
def gelu(data: Any, approximation: str = "erf") -> Any:
    """Return x times the probability that a normal number is below x.

    Args:
        data: an array.
        approximation: `erf`, the exact one, or `tanh`.

    >>> npx.gelu(np.array([-1, 0, 1])).round(4)
    array([-0.1587,  0.    ,  0.8413])
    """
    one_of(approximation, ("erf", "tanh"), "gelu", "approximation")
    return result(composites.gelu(float_operand(data), approximation))


_ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "relu": relu, "sigmoid": sigmoid, "tanh": np.tanh, "softrelu": softrelu, "softsign": softsign,
    "log_sigmoid": log_sigmoid, "mish": mish, "gelu": gelu, "silu": silu, "swish": silu,
}  # fmt: skip


def activation(data: Any, act_type: str = "relu") -> Any:
    """Apply one of relu, sigmoid, tanh, softrelu, softsign, log_sigmoid, mish, gelu and silu to each element.

    >>> npx.activation(np.array([-1, 2]), "relu")
    array([0., 2.])
    """
    try:
        function = _ACTIVATIONS.get(act_type) if isinstance(act_type, str) else None
        if function is None:
            raise ArgumentError("E315", f"no activation {act_type!r}", help=f"one of {', '.join(_ACTIVATIONS)}")
        return function(data) if _is_direct(data) else _activation(data, act_type)
    except HybridizeError as error:
        trim(error)
        raise


def _is_direct(data: Any) -> bool:
    """Tell whether the function itself may look for a short way."""
    return (not ACTIVE or short_tape() is not None or unwatched()) and type(data) is ndarray and is_float(data.dtype)


@public
def _activation(data: Any, act_type: str) -> Any:
    if _is_direct(data):
        return _ACTIVATIONS[act_type](data)
    return result(composites.activation(float_operand(data), "silu" if act_type == "swish" else act_type))


@public
def leaky_relu(
    data: Any,
    gamma: Any = None,
    act_type: str = "leaky",
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
) -> Any:
    """Return x where it is positive, and something small elsewhere.

    Args:
        data: an array.
        gamma: slopes below 0, for `prelu`.
        act_type: `leaky`, `prelu`, `elu`, `selu`, `gelu` or `rrelu`.
        slope: the slope below 0, for `leaky`; the factor of `elu`.
        lower_bound: of the slope that `rrelu` draws.
        upper_bound: of the slope that `rrelu` draws.

    >>> npx.leaky_relu(np.array([-4, 2]))
    array([-1.,  2.])
    """
    one_of(act_type, ("leaky", "prelu", "elu", "selu", "gelu", "rrelu"), "leaky_relu", "act_type")
    x = array(data)
    if act_type == "rrelu":
        by = uniform(lower_bound, upper_bound, x.shape) if is_training() else (lower_bound + upper_bound) / 2
        return np.where(x > 0, x, np.multiply(x, by))
    g = array(gamma) if act_type == "prelu" else None
    if g is not None and g.ndim > 1 and g.size > 1:
        return np.where(x > 0, x, x * g)
    return result(composites.leaky_relu(float_operand(x), None if g is None else operand(g), act_type, float(slope)))


@consistent
def _layer_norm(a: Any, scale: Any, shift: Any, eps: float) -> Any:
    """Normalize the rows of NumPy arrays."""
    y = a - a.mean(axis=-1, keepdims=True)
    deviation = numpy.sqrt(numpy.square(y).mean(axis=-1, keepdims=True) + a.dtype.type(eps))
    y /= deviation
    y *= scale
    y += shift
    return y


@public
def layer_norm(
    data: Any, gamma: Any, beta: Any, axis: int = -1, eps: float = 1e-5, output_mean_var: bool = False
) -> Any:
    """Normalize along an axis: (x - mean) / sqrt(var + eps) * gamma + beta.

    Args:
        data: any float array.
        gamma: [n], n the size of the axis.
        beta: [n].
        axis: the axis over which mean and (biased) variance are taken.
        eps: added to the variance.
        output_mean_var: give back mean and standard deviation too.

    >>> npx.layer_norm(np.array([[1.0, 3.0]]), np.ones(2), np.zeros(2), eps=0.0)
    array([[-1.,  1.]])
    """
    x, g, b = array(data), array(gamma), array(beta)
    axis_index = axis_of(axis, x.ndim, "layer_norm")
    if g.shape != (x.shape[axis_index],) or b.shape != g.shape:
        raise ShapeError(
            "E136",
            f"layer_norm of {x.type} along axis {axis} with gamma {g.type} and beta {b.type}",
            help=f"both must have the size {x.shape[axis_index]}",
        )
    a, scale, shift = _plain(x), _plain(g), _plain(b)
    if (
        a is not None
        and scale is not None
        and shift is not None
        and axis_index == a.ndim - 1
        and a.size
        and not output_mean_var
    ):
        return wrap(_layer_norm(a, scale, shift, eps))
    dtype = floating(promote(x.dtype, g.dtype))
    values, by, plus = (cast(operand(one), dtype) for one in (x, g, b))
    normal = result(composites.layer_norm(values, by, plus, axis_index, eps))
    if not output_mean_var:
        return normal
    centre = np.mean(x, axis_index, keepdims=True)
    variance = np.mean(np.square(np.subtract(x, centre)), axis_index, keepdims=True)
    return normal, centre, (variance + eps) ** 0.5


@public
def l2_normalization(data: Any, eps: float = 1e-10, mode: str = "instance") -> Any:
    """Return x / sqrt(sum(x * x) + eps), summed over all axes but 0, or those that `mode` names.

    Args:
        data: an array.
        eps: is added to the sum.
        mode: sums over all axes but 0 (`instance`), over axis 1 (`channel`), or over the axes behind (`spatial`).

    >>> npx.l2_normalization(np.array([[3, 4]])).round(4)
    array([[0.6, 0.8]])
    """
    one_of(mode, ("instance", "channel", "spatial"), "l2_normalization", "mode")
    x = array(data)
    axes: dict[str, Any] = {"instance": tuple(range(1, x.ndim)), "channel": 1, "spatial": tuple(range(2, x.ndim))}
    return np.divide(x, (np.sum(np.square(x), axes[mode], keepdims=True) + eps) ** 0.5)


@public
def dropout(data: Any, p: float = 0.5, mode: str = "training", axes: Any = (), cudnn_off: bool = False) -> Any:
    """Set each element to 0 with probability `p` while training, and divide the others by 1 - p.

    Args:
        data: any float array.
        p: the probability.
        mode: `training`, or `always`.
        axes: axes along which all elements share their fate.

    >>> npx.dropout(np.ones(3))
    array([1., 1., 1.])
    >>> with autograd.record():
    ...     print(npx.dropout(np.ones(1000), p=0.25).max().round(3))
    1.333
    """
    if not 0 <= p <= 1:
        raise ValueArgumentError("E316", f"dropout: a probability must be from 0 to 1, got {p}")
    one_of(mode, ("training", "always"), "dropout", "mode")
    if p == 0 or not (is_training() or mode == "always"):
        return array(data)
    x = array(data)
    shared = axes_of(tuple(axes), x.ndim, "dropout") if axes else ()
    if not shared:
        return result(composites.dropout(float_operand(x), key(), float(p)))
    shape = tuple(1 if i in shared else n for i, n in enumerate(x.shape))
    mask = result(composites.dropout(float_operand(np.broadcast_to(array(1.0), shape)), key(), float(p)))
    return np.multiply(x, mask)


@public
def embedding(
    data: Any,
    weight: Any,
    input_dim: int | None = None,
    output_dim: int | None = None,
    dtype: Any = None,
    sparse_grad: bool = False,
) -> Any:
    """Return the rows of `weight` [n, d] at the indices `data`.

    Args:
        data: integers from 0 to n - 1, of any shape.
        weight: [n, d].
        input_dim: n; the weight says it already.
        output_dim: d; the weight says it already.
        dtype: of the weight, which says it already.
        sparse_grad: accepted for MXNet: gradients are dense.

    Raises:
        OutOfBoundsError E110: an index is out of bounds.
        ShapeError E134: `input_dim` or `output_dim` is another one than the weight's.

    >>> npx.embedding(np.array([2, 0]), np.array([[1, 1], [2, 2], [3, 3]]))
    array([[3., 3.],
           [1., 1.]])
    """
    w, numbers = array(weight), index_operand(data)
    for name, size, axis in (("input_dim", input_dim, 0), ("output_dim", output_dim, 1)):
        if w.ndim != 2 or (size is not None and size != w.shape[axis]):
            raise ShapeError("E134", f"embedding: a weight {w.type} for {name}={size}", help="expected [input, output]")
    if dtype is not None and as_dtype(dtype) != w.dtype:
        raise DTypeError("E206", f"embedding: a weight {w.type} for dtype={dtype!r}", help="cast: weight.astype(dtype)")
    check(numbers, 0, w.shape[0], f"embedding of {w.type}")
    return result(composites.embedding(numbers, operand(w)))


@public
def smooth_l1(data: Any, scalar: float = 1.0) -> Any:
    """Return (s x)**2 / 2 where abs(x) < 1 / s**2, and abs(x) - 1 / (2 s**2) elsewhere; s is `scalar`.

    >>> npx.smooth_l1(np.array([0.5, 3]))
    array([0.125, 2.5  ])
    """
    x = array(data)
    s = scalar * scalar
    near = np.less(np.absolute(x), 1.0 / s)
    return np.where(near, np.multiply(np.square(np.where(near, x, 0.0)), 0.5 * s), np.subtract(np.absolute(x), 0.5 / s))


@public
def batch_flatten(data: Any) -> Any:
    """Join all axes but the first: [n, a, b] becomes [n, a b].

    >>> npx.batch_flatten(np.ones((2, 3, 4))).shape
    (2, 12)
    """
    x = array(data)
    return np.reshape(x, (x.shape[0], math.prod(x.shape[1:])))


@public
def arange_like(
    data: Any, start: float = 0.0, step: float = 1.0, repeat: int = 1, axis: int | None = None, ctx: Any = None
) -> Any:
    """Return start, start + step, ... for each element of `data`, or along one axis of it.

    The numbers have the dtype of `data`, as in MXNet.

    >>> npx.arange_like(np.ones((2, 3)), axis=1)
    array([0., 1., 2.])
    """
    begin_on(ctx)
    x = array(data)
    axis_index = None if axis is None else axis_of(axis, x.ndim, "arange_like")
    if isinstance(repeat, bool) or not hasattr(repeat, "__index__") or repeat < 1:
        raise ArgumentError("E309", f"arange_like: repeat must be an integer from 1, got {repeat!r}")
    dtype = float32 if x.dtype == bool_ else x.dtype
    return result(library_arange_like(operand(x), float(start), float(step), int(repeat), axis_index, dtype))


@public
def index_add(a: Any, ind: Any, val: Any) -> Any:
    """Return a copy of `a` with `val` added at the points that `ind` [k, ...] lists by columns; points may repeat.

    An `ind` of one axis or none is of positions along the first axis.

    >>> npx.index_add(np.zeros(3), np.array([[0, 2, 2]], dtype="int64"), np.array([1, 1, 1]))
    array([1., 0., 2.])
    """
    return _scattered(a, _columns(ind), val, "add")


@public
def index_update(a: Any, ind: Any, val: Any) -> Any:
    """Return a copy of `a` with `val` at the points that `ind` [k, ...] lists by columns.

    An `ind` of one axis or none is of positions along the first axis.

    >>> npx.index_update(np.zeros(3), np.array([[0, 2]], dtype="int64"), np.array([7, 8]))
    array([7., 0., 8.])
    """
    return _scattered(a, _columns(ind), val, "set")


def _columns(ind: Any) -> Any:
    points = result(index_operand(ind))
    return points if points.ndim > 1 else np.reshape(points, (1, -1))


def _scattered(a: Any, ind: Any, val: Any, mode: str) -> Any:
    x = array(a)
    points = np.moveaxis(result(index_operand(ind)), 0, -1)
    if points.shape[-1] > x.ndim:
        raise ShapeError(
            "E134", f"index_{'add' if mode == 'add' else 'update'}: {points.shape[-1]} indices for {x.type}"
        )
    name = f"index_{'add to' if mode == 'add' else 'update of'} {x.type}"
    points = result(points_within(operand(points), x.shape[: points.shape[-1]], name))
    shape = (*points.shape[:-1], *x.shape[points.shape[-1] :])
    update = np.broadcast_to(array(val).astype(x.dtype), shape)
    return result(bind1(ops.ScatterND(mode), operand(x), operand(points), operand(update)))


@public
def scatter_nd(data: Any, indices: Any, shape: Any) -> Any:
    """Return zeros of a shape with `data` at the points that `indices` [k, ...] lists by columns.

    >>> npx.scatter_nd(np.array([7, 8]), np.array([[0, 2]]), (3,))
    array([7., 0., 8.])
    """
    return _scattered(np.broadcast_to(array(0).astype(array(data).dtype), shape), indices, data, "set")


@public
def add_n(*args: Any, out: Any = None) -> Any:
    """Return the sum of all arguments.

    >>> npx.add_n(np.array([1, 2]), np.array([10, 20]), np.array([100, 200]))
    array([111., 222.])
    """
    total = array(args[0])
    for x in args[1:]:
        total = np.add(total, x)
    return finished(total, out)


@public
def cast_to(data: Any, dtype: Any) -> Any:
    """Return an array cast to another dtype.

    >>> npx.cast(np.array([1.7, -2.7]), "int32")
    array([ 1, -2], dtype=int32)
    """
    return array(data).astype(as_dtype(dtype))


@public
def softmax_cross_entropy(data: Any, label: Any) -> Any:
    """Return the sum over the batch of -log softmax(x) at the label, as an array of one element.

    >>> nd.softmax_cross_entropy(nd.array([[0, 0]]), nd.array([1])).asnumpy().round(4)
    array([0.6931], dtype=float32)
    """
    x, labels = log_softmax(data), index_operand(label)
    check(labels, 0, x.shape[-1], f"softmax_cross_entropy of {x.type}, labels")
    return np.reshape(-np.sum(along(x, np.expand_dims(result(labels), 1), 1)), (1,))

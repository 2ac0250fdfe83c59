# SPDX-License-Identifier: Apache-2.0
"""MXNet 1's operator names and meanings, one table for both faces of `F`, `hybridize.ndarray` and `hybridize.symbol`.

What differs from `np`: comparisons give the dtype of their operands, indices come as float32, `dot` sums over the
first axis of its second operand, `take` and `concat` have other default axes, `reshape` knows codes. Every function
also takes `name=` (ignored: names are for pictures) and `out=`. Arrays print in the style of `np` here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from types import SimpleNamespace
from typing import Any

from hybridize.array import densities, legacy_linalg, legacy_outputs, legacy_random, np, npx
from hybridize.array.annotations import ArrayLike
from hybridize.array.functions import boxes, control, legacy_shapes, neural, regions, resizing, sampling
from hybridize.array.functions.bounds import check
from hybridize.array.functions.elementwise import root
from hybridize.array.legacy_rules import (
    divided,
    extremes,
    extremum,
    limit_in,
    of_dtype,
    of_equal_shapes,
    paired,
    reduction,
    same_dtype,
    with_axis,
)
from hybridize.array.methods import functions
from hybridize.array.operands import array, axis_of, finished, float_operand, floats, one_of, public, result, several
from hybridize.array.operands import indices as index_operand
from hybridize.base import modes
from hybridize.base.dtypes import bool_, float32
from hybridize.base.errors import ArgumentError, ShapeError, ValueArgumentError
from hybridize.base.missing import missing
from hybridize.ops.library.attention import div_sqrt_dim as library_div_sqrt_dim

_Function = Callable[..., Any]


def _face(name: str, function: _Function, first: Sequence[str] = (), shape: _Function = with_axis) -> _Function:
    """A function under a 1.x name, with `name=` and `out=`.

    Args:
        name: of the function.
        function: what it computes.
        first: MXNet's words for its first arguments.
        shape: makes the result of what the function gives and its arguments.
    """

    @wraps(function)
    def call(*args: Any, name: Any = None, out: Any = None, **kwargs: Any) -> Any:
        for word in first[len(args) :]:
            if word not in kwargs:
                break
            args = (*args, kwargs.pop(word))
        return finished(shape(function(*args, **kwargs), args), out)

    call.__name__ = call.__qualname__ = name
    return public(call)


def _index(function: _Function) -> _Function:
    """argmax or argmin, whose indices have the dtype of the array."""

    @wraps(function)
    def call(data: Any, axis: int | None = None, keepdims: bool = False) -> Any:
        return function(data, axis, keepdims=keepdims)

    return of_dtype(call)


def norm(data: Any, ord: int = 2, axis: Any = None, keepdims: bool = False, out_dtype: Any = None) -> Any:
    """The L1 or L2 norm over `axis`."""
    if ord not in (1, 2):
        raise ValueArgumentError("E345", f"norm: ord must be 1 or 2, got {ord!r}", help="np.linalg.norm has others")
    x = floats(data)
    norms = (
        root(np.sum(np.square(x), axis, keepdims=keepdims)) if ord == 2 else np.sum(np.abs(x), axis, keepdims=keepdims)
    )
    return norms if out_dtype is None else norms.astype(out_dtype)


def concat(*data: Any, dim: int = 1, num_args: int | None = None) -> Any:
    """Arrays one after another along `dim`."""
    return np.concatenate(_counted(data, num_args, "concat"), dim)


def stack(*data: Any, axis: int = 0, num_args: int | None = None) -> Any:
    """Arrays along a new axis."""
    return np.stack(_counted(data, num_args, "stack"), axis)


def _counted(data: tuple[Any, ...], num_args: int | None, name: str) -> list[Any]:
    """The arrays of a call, given one by one or as a list; as many as the call says that there are."""
    xs = list(data[0] if len(data) == 1 and isinstance(data[0], (list, tuple)) else data)
    if num_args not in (None, len(xs)):
        raise ArgumentError("E310", f"{name}: {len(xs)} arrays for num_args={num_args}")
    return xs


def _dense(forward_stype: Any, name: str) -> None:
    """Refuse a storage type that there is not."""
    one_of(forward_stype, (None, "default"), name, "forward_stype", "arrays are dense")


def split(data: Any, num_outputs: int, axis: int = 1, squeeze_axis: bool = False) -> Any:
    """Equal parts along `axis`; a list, or the array itself for one part."""
    parts = np.split(data, num_outputs, axis)
    if squeeze_axis:
        parts = [np.squeeze(part, axis) for part in parts]
    return parts if num_outputs > 1 else parts[0]


def split_v2(data: Any, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> Any:
    """Parts along `axis`, equal or cut at indices."""
    parts = np.split(data, indices_or_sections, axis)
    return [np.squeeze(part, axis) for part in parts] if squeeze_axis else parts


def dot(lhs: Any, rhs: Any, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Any = None) -> Any:
    """The sum over the last axis of `lhs` and the first of `rhs`; `transpose_a` and `_b` reverse axes first."""
    _dense(forward_stype, "dot")
    x, y = array(lhs), array(rhs)
    if transpose_a:
        x = np.transpose(x) if x.ndim < 3 else np.moveaxis(x, 0, -1)
    if transpose_b:
        y = np.transpose(y) if y.ndim < 3 else np.moveaxis(y, -1, 0)
    if x.ndim <= 2 and y.ndim <= 2:
        return np.dot(x, y)
    return np.tensordot(x, y, 1)


def batch_dot(
    lhs: Any, rhs: Any, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Any = None
) -> Any:
    """The matrix products of [b, m, k] and [b, k, n]."""
    _dense(forward_stype, "batch_dot")
    return npx.batch_dot(lhs, rhs, transpose_a, transpose_b)


def take(a: Any, indices: Any, axis: int = 0, mode: str = "clip") -> Any:
    """Elements at `indices` along `axis`."""
    return np.take(a, indices, axis, mode)


def batch_take(a: Any, indices: Any) -> Any:
    """One element of each row."""
    return npx.pick(a, indices, -1)


def argsort(data: Any, axis: int | None = -1, is_ascend: bool = True, dtype: Any = "float32") -> Any:
    """The indices that sort along `axis`; of equal elements the first one comes first."""
    return npx.topk(data, axis, 0, "indices", is_ascend, dtype)


def sort(data: Any, axis: int | None = -1, is_ascend: bool = True) -> Any:
    """Sorted along `axis`."""
    ascending = np.sort(data, axis)
    return ascending if is_ascend else np.flip(ascending, -1 if axis is None else axis)


def argmax_channel(data: Any) -> Any:
    """The index of the largest element along axis 1."""
    return np.argmax(data, 1)


def pooling(
    data: Any,
    kernel: Any = (),
    pool_type: str = "max",
    global_pool: bool = False,
    cudnn_off: bool = False,
    pooling_convention: str = "valid",
    stride: Any = (),
    pad: Any = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: str | None = None,
) -> Any:
    """One number for each window of an image: see `npx.pooling`, which has its arguments in another order.

    Raises:
        ArgumentError E398: there is no kernel, and windows are not whole images.
    """
    if not (global_pool or kernel):
        raise ArgumentError("E398", "Pooling without kernel", help="kernel=(2, 2), or global_pool=True")
    return npx.pooling(
        data,
        kernel,
        stride,
        pad,
        pool_type,
        pooling_convention,
        global_pool,
        cudnn_off,
        p_value,
        count_include_pad,
        layout,
    )


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: Any = None,
    dtype: Any = "float32",
) -> Any:
    """start, start + step, ... up to but without `stop`, each `repeat` times."""
    if infer_range:
        what = "arange with infer_range=True: how many numbers there are must be known from its own arguments"
        raise ArgumentError("E312", what, help="give stop, or use contrib.arange_like")
    line = np.arange(start, stop, step, dtype, ctx)
    return line if repeat == 1 else np.repeat(line, repeat)


def _placed(ctx: Any, dtype: Any, device: Any) -> tuple[Any, Any]:
    """A device and a dtype; a dtype in the place of the device, which is the second argument, is taken for one."""
    named = isinstance(ctx, str) and ctx.startswith(("cpu", "gpu"))
    if dtype is None and ctx is not None and not named and not hasattr(ctx, "device_type"):
        ctx, dtype = None, ctx
    return (device if ctx is None else ctx), dtype


def _creator(function: _Function) -> _Function:
    """zeros, ones or empty, whose second argument is the device."""

    @wraps(function)
    def call(shape: Any, ctx: Any = None, dtype: Any = None, stype: Any = None, device: Any = None) -> Any:
        ctx, dtype = _placed(ctx, dtype, device)
        dense = function(shape, float32 if dtype is None else dtype, ctx=ctx)
        return dense if stype in (None, "default") else functions.tostype(dense, stype)

    return call


def array_of_numbers(source_array: Any, ctx: Any = None, dtype: Any = None, *, device: Any = None) -> Any:
    """An array of numbers, lists or NumPy's arrays, float32 unless said; an array of ours keeps its dtype."""
    ctx, dtype = _placed(ctx, dtype, device)
    if dtype is None and not hasattr(source_array, "asnumpy"):
        dtype = float32
    return np.array(source_array, dtype, ctx=ctx)


def concatenate(arrays: Sequence[Any], axis: int = 0, always_copy: bool = True) -> Any:
    """Joined along `axis`; one array alone is itself unless `always_copy`."""
    return arrays[0] if len(arrays) == 1 and not always_copy else np.concatenate(arrays, axis)


def moments(data: Any, axes: Any = None, keepdims: bool = False) -> Any:
    """Mean and variance over `axes`, all when None."""
    x = array(data)
    return [np.mean(x, axes, keepdims=keepdims), np.var(x, axes, keepdims=keepdims)]


def boolean_mask(data: Any, index: Any, axis: int = 0) -> Any:
    """The parts along `axis` where `index` is not 0; refused in a program, where the size of the result must be known.

    Raises:
        CaptureError E403: in a compiled function.
    """
    return np.compress(array(index) != 0, data, axis)


def index_array(data: Any, axes: Any = None) -> Any:
    """The index of each element along all axes, or along some in their order, as int64 along a new last axis."""
    x = array(data)
    grid = np.indices(x.shape, dtype="int64")
    if axes is not None:
        numbers = several(axes)
        grid = np.stack([grid[axis_of(axis, x.ndim, "index_array")] for axis in numbers])
    return np.moveaxis(grid, 0, -1)


def unravel_index(data: Any, shape: Any) -> Any:
    """Indices along each axis of `shape` for numbers of elements: [axes, ...], of the dtype of `data`."""
    x = array(data)
    return np.stack(np.unravel_index(x.astype("int64"), shape)).astype(x.dtype)


def ravel_multi_index(data: Any, shape: Any) -> Any:
    """Numbers of elements for indices along each axis of `shape`, [axes, ...]; of the dtype of `data`."""
    x = array(data)
    index = x.astype("int64")
    return np.ravel_multi_index(tuple(index[axis] for axis in range(len(shape))), tuple(shape)).astype(x.dtype)


def full(shape: Any, val: ArrayLike, ctx: Any = None, dtype: Any = None) -> Any:
    """`val` everywhere; float32 unless said."""
    return np.full(shape, val, float32 if dtype is None else dtype, ctx=ctx)


def eye(N: int, M: int = 0, k: int = 0, ctx: Any = None, dtype: Any = None) -> Any:
    """Ones on the diagonal `k`."""
    return np.eye(N, M or None, k, dtype, ctx)


def round_away(data: Any) -> Any:
    """The nearest integer, halves away from zero."""
    x = array(data)
    whole = np.trunc(x)
    return whole + np.sign(x) * (np.abs(x - whole) >= 0.5).astype(x.dtype)


def rint(data: Any) -> Any:
    """The nearest integer, halves down."""
    x = array(data)
    low, high = np.floor(x), np.ceil(x)
    return np.where(x - low <= high - x, low, high)


def fully_connected(
    data: Any, weight: Any, bias: Any = None, num_hidden: int | None = None, no_bias: bool = False, flatten: bool = True
) -> Any:
    """x W^T + b."""
    return npx.fully_connected(data, weight, bias, num_hidden, no_bias, flatten)


def batch_norm(
    data: Any,
    gamma: Any,
    beta: Any,
    moving_mean: Any,
    moving_var: Any,
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
    """Normalized by the batch's mean and variance while training, which the moving ones then follow; else by those."""
    return npx.batch_norm(
        data, gamma, beta, moving_mean, moving_var, eps, momentum, fix_gamma, use_global_stats, output_mean_var, axis
    )


def group_norm(data: Any, gamma: Any, beta: Any, num_groups: int = 1, eps: float = 1e-5) -> Any:
    """Normalized over groups of channels (axis 1) and all axes after."""
    return npx.group_norm(data, gamma, beta, num_groups, eps)


def softmax_activation(data: Any, mode: str = "instance") -> Any:
    """The softmax over axis 1 (`channel`), or over all axes but the first (`instance`)."""
    one_of(mode, ("instance", "channel"), "SoftmaxActivation", "mode")
    x = array(data)
    if mode == "channel":
        return npx.softmax(x, 1)
    return np.reshape(npx.softmax(npx.batch_flatten(x), -1), x.shape)


_LABELS = "labels are numbers of classes, from 0 on; use_ignore=True leaves out those that are ignore_label"


def softmax_output(
    data: Any,
    label: Any = None,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: str = "null",
    out_grad: bool = False,
    smooth_alpha: float = 0.0,
) -> Any:
    """The softmax, whose gradient is that of the cross entropy with `label`: the result is a head by itself.

    Args:
        data: scores of classes, which lie along all axes but the first.
        label: classes, without those axes; None: the gradient is the softmax' own.
        grad_scale: times the gradient.
        ignore_label: a class that teaches nothing, if `use_ignore`.
        multi_output: the classes lie along axis 1.
        use_ignore: whether there is such a class.
        preserve_shape: the classes lie along the last axis.
        normalization: the gradient is divided by nothing (`null`), by the first size of the labels (`batch`), or by the
            number of labels that are not ignored (`valid`).
        out_grad: accepted for MXNet: the gradient that arrives counts, by its mean over the classes.
        smooth_alpha: the share of the label that all other classes have together.

    Raises:
        ArgumentError E315: no such `normalization`.
        OutOfBoundsError E110: while recording, a label that is no class.
    """
    if normalization not in ("null", "batch", "valid"):
        raise ArgumentError(
            "E315", f"SoftmaxOutput has no normalization {normalization!r}", help="it is null, batch or valid"
        )
    x, axis = array(data), 1 if multi_output else -1
    if x.ndim > 2 and not (multi_output or preserve_shape):
        flat = None if label is None or not modes.is_recording() else np.reshape(label, (x.shape[0],))
        rows = softmax_output(
            npx.batch_flatten(x), flat, grad_scale, ignore_label, use_ignore=use_ignore, normalization=normalization,
            smooth_alpha=smooth_alpha,
        )  # fmt: skip
        return np.reshape(rows, x.shape)
    y = npx.softmax(x, axis)
    if label is None or not modes.is_recording():
        return y
    classes = array(label)
    logarithms, known = npx.log_softmax(x, axis), x.shape[axis]
    taught = np.where(classes != ignore_label, classes, 0) if use_ignore else classes
    check(index_operand(taught), 0, known, f"SoftmaxOutput of {x.type}: labels", _LABELS)
    at_label = np.expand_dims(npx.pick(logarithms, taught, axis), axis)
    others = (np.sum(logarithms, axis, keepdims=True) - at_label) / (known - 1) if smooth_alpha else 0.0
    loss = at_label * (smooth_alpha - 1.0) - others * smooth_alpha
    scale: Any = grad_scale / classes.shape[0] if normalization == "batch" else grad_scale
    counted = np.expand_dims(classes != ignore_label, axis)
    if use_ignore:
        loss = np.where(counted, loss, 0.0)
    if normalization == "valid":
        scale = grad_scale / np.maximum(np.sum(counted), 1).astype(x.dtype) if use_ignore else grad_scale / classes.size
    share = loss * scale / known  # summed over the classes it is the loss
    return npx.stop_gradient(y) + (share - npx.stop_gradient(share))


def make_loss(data: Any, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: str = "null") -> Any:
    """The same values, a head by itself; its gradient is `grad_scale`.

    Args:
        data: a loss.
        grad_scale: times the gradient.
        valid_thresh: elements above it count as valid.
        normalization: the gradient is divided by nothing (`null`), by the first size (`batch`), or by the number of
            valid elements (`valid`).
    """
    one_of(normalization, ("null", "batch", "valid"), "make_loss", "normalization")
    x = array(data)
    if not modes.is_recording() or (grad_scale == 1.0 and normalization == "null"):
        return np.copy(x)
    scale: Any = grad_scale / x.shape[0] if normalization == "batch" else grad_scale
    if normalization == "valid":
        scale = grad_scale / np.maximum(np.sum(x > valid_thresh), 1).astype(x.dtype)
    scaled = x * npx.stop_gradient(scale) if normalization == "valid" else x * scale
    return npx.stop_gradient(x) + (scaled - npx.stop_gradient(scaled))


def identity(data: Any) -> Any:
    """A copy."""
    return np.copy(data)


def cast(data: Any, dtype: Any) -> Any:
    """The same as another dtype."""
    return array(data).astype(dtype)


def clip(data: ArrayLike, a_min: Any, a_max: Any) -> Any:
    """Elements below `a_min` or above `a_max` replaced by them."""
    x = array(data)
    return np.clip(x, *(None if end is None else limit_in(end, x.dtype) for end in (a_min, a_max)))


def embedding(
    data: Any, weight: Any, input_dim: Any = None, output_dim: Any = None, dtype: Any = None, sparse_grad: bool = False
) -> Any:
    """Rows of `weight` at the indices `data`; those outside are the first or the last."""
    rows = array(weight).shape[:1]
    index = np.clip(array(data).astype("int64"), 0, rows[0] - 1) if rows and rows[0] else data
    return npx.embedding(index, weight, input_dim, output_dim, dtype, sparse_grad)


def swapaxes(data: Any, dim1: int = 0, dim2: int = 0) -> Any:
    """Two axes exchanged."""
    return np.swapaxes(data, dim1, dim2)


def flip(data: Any, axis: Any) -> Any:
    """Elements in reverse order along `axis`."""
    return np.flip(data, axis)


def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike) -> Any:
    """x where `condition` is not 0, else y; a vector of conditions chooses rows."""
    c, values = array(condition), array(x)
    if c.ndim == 1 and values.ndim > 1:
        if c.shape[0] != values.shape[0]:
            raise ShapeError("E138", f"where: a condition {c.type} needs one element for each row of {values.type}")
        c = np.reshape(c, (-1,) + (1,) * (values.ndim - 1))
    return np.where(c, values, y)


def div_sqrt_dim(data: Any) -> Any:
    """x / sqrt(n), n the size of the last axis."""
    x = array(data)
    if not x.ndim:
        raise ShapeError("E134", f"div_sqrt_dim of {x.type}", help="the array needs at least one axis")
    return result(library_div_sqrt_dim(float_operand(x)))


def expand_dims(data: Any, axis: int) -> Any:
    """A new axis of size one."""
    return np.expand_dims(data, axis)


def squeeze(data: Any, axis: Any = None) -> Any:
    """Without axes of size one."""
    return np.squeeze(data, axis)


def transpose(data: Any, axes: Any = None) -> Any:
    """Axes permuted."""
    return np.transpose(data, axes if axes else None)


def tile(data: Any, reps: Any) -> Any:
    """Repeated as a whole."""
    return np.tile(data, reps)


def repeat(data: Any, repeats: int, axis: int | None = None) -> Any:
    """Each element repeated."""
    return np.repeat(data, repeats, axis)


def diag(data: Any, k: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonal, or the matrix that has a vector there."""
    x = array(data)
    return np.diag(x, k) if x.ndim == 1 else np.diagonal(x, k, axis1, axis2)


def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Cumulative sum."""
    x = array(a)
    default = float32 if x.dtype == bool_ else x.dtype
    return np.cumsum(x, axis, default if dtype is None else dtype)


def size_array(data: Any) -> Any:
    """The number of elements, as an int64 array of one."""
    return np.array([array(data).size], dtype="int64")


def _index_copied(old: Any, index: Any, new: Any) -> Any:
    """A copy of `old` whose rows `index` are those of `new`."""
    output = np.copy(old)
    output[index.astype("int64")] = new
    return output


class _Group(SimpleNamespace):
    """Functions that stand below a name of the face."""

    def __init__(self, group: str, functions: dict[str, _Function]) -> None:
        super().__init__(**{name: _face(name, function, _FIRST.get(name, ())) for name, function in functions.items()})
        self._group = group

    def changed(self, change: Callable[[str, _Function], _Function]) -> _Group:
        """Return a group of what a function makes of each name and function."""
        group = _Group(self._group, {})
        vars(group).update({name: change(name, one) for name, one in vars(self).items() if not name.startswith("_")})
        return group

    def __getattr__(self, name: str) -> Any:
        raise missing(f"nd.{self._group}", name, vars(self))


_MAXIMUM, _MINIMUM = extremum(np.maximum, np.greater_equal), extremum(np.minimum, np.less_equal)
_ARITHMETIC: dict[str, _Function] = {
    "add": np.add, "plus": np.add, "sub": np.subtract, "subtract": np.subtract, "minus": np.subtract,
    "mul": np.multiply, "multiply": np.multiply, "div": divided, "divide": divided, "true_divide": divided,
    "mod": np.mod, "modulo": np.mod, "power": np.power, "maximum": _MAXIMUM, "minimum": _MINIMUM, "hypot": np.hypot,
}  # fmt: skip
_COMPARISONS: dict[str, _Function] = {
    "equal": np.equal, "not_equal": np.not_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "lesser": np.less, "lesser_equal": np.less_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}  # fmt: skip
_IN_FLOAT32 = (
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "cos", "cosh", "degrees", "exp", "expm1",
    "log", "log10", "log1p", "log2", "radians", "reciprocal", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
_IN_FLOAT32_X = ("erf", "erfinv", "gamma", "gammaln", "rsqrt", "sigmoid", "smooth_l1", "softsign")
"""Functions that compute integers as float32, and give integers."""
_SAME = (
    "abs", "ceil", "fix", "floor", "linspace", "meshgrid", "moveaxis", "negative", "ones_like", "sign", "square",
    "trunc", "zeros_like", "histogram", "full_like",
)  # fmt: skip
_SAME_X = (
    "add_n", "batch_flatten", "gather_nd", "masked_softmax", "one_hot", "pick", "relu", "reshape_like", "scatter_nd",
    "log_softmax", "slice", "slice_axis", "slice_like", "softmax", "softmin", "stop_gradient", "shape_array", "topk",
    "broadcast_like", "log_sigmoid", "masked_log_softmax", "mish", "scaled_dot_product_attention", "glu", "rms_norm",
    "rotary_embedding", "sinusoidal_positions", "waitall",
)  # fmt: skip
_OURS: dict[str, _Function] = {
    "Activation": npx.activation, "BatchNorm": batch_norm, "BilinearSampler": sampling.bilinear_sampler,
    "BlockGrad": npx.stop_gradient,
    "CTCLoss": npx.ctc_loss, "Cast": cast, "Concat": concat, "Convolution": npx.convolution,
    "Correlation": regions.correlation,
    "Deconvolution": npx.deconvolution, "ctc_loss": npx.ctc_loss, "Dropout": npx.dropout,
    "ElementWiseSum": npx.add_n, "Embedding": embedding, "Flatten": npx.batch_flatten,
    "FullyConnected": fully_connected, "GridGenerator": sampling.grid_generator, "GroupNorm": group_norm,
    "InstanceNorm": npx.instance_norm, "L2Normalization": npx.l2_normalization, "LRN": sampling.local_response_norm,
    "LayerNorm": npx.layer_norm, "LeakyReLU": npx.leaky_relu,
    "LinearRegressionOutput": legacy_outputs.linear_regression_output,
    "LogisticRegressionOutput": legacy_outputs.logistic_regression_output,
    "MAERegressionOutput": legacy_outputs.mae_regression_output,
    "MakeLoss": make_loss, "Pad": npx.pad, "Pooling": pooling, "RNN": npx.rnn, "ROIPooling": regions.roi_pooling,
    "Reshape": legacy_shapes.reshape_legacy,
    "SequenceLast": npx.sequence_last,
    "SequenceMask": npx.sequence_mask, "SequenceReverse": npx.sequence_reverse, "SliceChannel": split,
    "SoftmaxActivation": softmax_activation, "SoftmaxOutput": softmax_output, "Softmax": softmax_output,
    "SpatialTransformer": sampling.spatial_transformer, "SwapAxis": swapaxes, "UpSampling": npx.upsampling,
    "arange": arange, "argmax_channel": of_dtype(argmax_channel),
    "argsort": argsort, "array": array_of_numbers,
    "batch_dot": batch_dot, "batch_take": batch_take, "broadcast_axes": legacy_shapes.broadcast_axis,
    "broadcast_axis": legacy_shapes.broadcast_axis, "broadcast_to": legacy_shapes.broadcast_to_legacy, "cast": cast,
    "choose_element_0index": npx.pick, "concatenate": concatenate, "moments": same_dtype(moments),
    "ravel_multi_index": ravel_multi_index, "unravel_index": unravel_index,
    "clip": clip, "col2im": sampling.col2im, "concat": concat, "cumsum": cumsum,
    "depth_to_space": resizing.depth_to_space, "diag": diag,
    "dot": dot, "empty": _creator(np.zeros), "ones": _creator(np.ones), "zeros": _creator(np.zeros),
    "expand_dims": expand_dims, "eye": eye, "flatten": npx.batch_flatten, "flip": flip, "full": full,
    "hard_sigmoid": npx.hard_sigmoid, "identity": identity, "im2col": sampling.im2col,
    "logical_not": lambda data: np.logical_not(data).astype(array(data).dtype), "make_loss": make_loss,
    "norm": same_dtype(norm),
    "pad": npx.pad, "rcbrt": same_dtype(lambda data: 1.0 / np.cbrt(data)), "repeat": repeat,
    "reshape": legacy_shapes.reshape_legacy,
    "reverse": flip, "rint": same_dtype(rint), "round": same_dtype(round_away), "shuffle": legacy_random.shuffle,
    "size_array": size_array,
    "softmax_cross_entropy": neural.softmax_cross_entropy, "sort": sort, "space_to_depth": resizing.space_to_depth,
    "split": split, "split_v2": split_v2,
    "squeeze": squeeze, "stack": stack, "swapaxes": swapaxes, "take": take, "tile": tile, "transpose": transpose,
    "where": where,
}  # fmt: skip
_REDUCTIONS = {
    "sum": np.sum, "sum_axis": np.sum, "mean": np.mean, "prod": np.prod, "max": extremes(np.max),
    "max_axis": extremes(np.max), "min": extremes(np.min), "min_axis": extremes(np.min), "nansum": np.nansum,
    "nanprod": np.nanprod,
}  # fmt: skip
_OF_LINALG = (
    "gemm", "gemm2", "syrk", "trmm", "trsm", "potri", "sumlogdiag", "extractdiag", "makediag", "extracttrian",
    "maketrian",
)  # fmt: skip
_LINALG: dict[str, _Function] = {
    **{name: getattr(legacy_linalg, name) for name in _OF_LINALG},
    "potrf": np.linalg.cholesky, "det": np.linalg.det, "slogdet": np.linalg.slogdet, "inverse": np.linalg.inv,
}  # fmt: skip
_UNARY = (
    *(name for name in _SAME if name not in ("linspace", "meshgrid", "moveaxis", "histogram")),
    *_IN_FLOAT32, *_IN_FLOAT32_X, "relu", "shape_array", "stop_gradient",
)  # fmt: skip
_FIRST: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_UNARY, ("data",)), "one_hot": ("indices",), "moveaxis": ("tensor",), "power": ("base", "exp"),
    **dict.fromkeys(("potrf", "det", "slogdet", "inverse"), ("A",)),
}  # fmt: skip
"""MXNet's words for the first arguments of functions that have other ones here."""
_OF_ATTENTION = (
    "interleaved_matmul_encdec_qk", "interleaved_matmul_encdec_valatt", "interleaved_matmul_selfatt_qk",
    "interleaved_matmul_selfatt_valatt", "sldwin_atten_context", "sldwin_atten_mask_like", "sldwin_atten_score",
)  # fmt: skip
_CONTRIB: dict[str, _Function] = {
    "AdaptiveAvgPooling2D": resizing.adaptive_avg_pooling_2d, "BilinearResize2D": resizing.bilinear_resize_2d,
    "DeformableConvolution": sampling.deformable_convolution, "MultiBoxPrior": regions.multibox_prior,
    "ModulatedDeformableConvolution": sampling.modulated_deformable_convolution, "ROIAlign": regions.roi_align,
    "MultiBoxDetection": boxes.multibox_detection, "box_iou": boxes.box_iou, "box_nms": boxes.box_nms,
    "boolean_mask": boolean_mask, "index_array": index_array,
    "arange_like": npx.arange_like, "cond": control.cond, "div_sqrt_dim": same_dtype(div_sqrt_dim),
    "foreach": control.foreach,
    "while_loop": control.while_loop, "index_copy": _index_copied,
    **{name: getattr(npx, name) for name in _OF_ATTENTION},
    **{name: of_dtype(getattr(np, name)) for name in ("isinf", "isnan", "isfinite")},
}  # fmt: skip


@cache
def _functions() -> Mapping[str, _Function]:
    """Return the functions by the names of the face."""
    by_name: dict[str, _Function] = {name: getattr(np, name) for name in _SAME}
    by_name |= {name: getattr(npx, name) for name in _SAME_X}
    by_name |= {name: same_dtype(getattr(np, name)) for name in _IN_FLOAT32} | {
        name: same_dtype(getattr(npx, name)) for name in _IN_FLOAT32_X
    }
    by_name |= {name: reduction(function) for name, function in _REDUCTIONS.items()}
    by_name |= {"argmax": _index(np.argmax), "argmin": _index(np.argmin)}
    for name, function in _ARITHMETIC.items():
        pair = paired(function)
        by_name |= {name: pair, f"broadcast_{name}": pair, f"elemwise_{name}": of_equal_shapes(pair)}
    for name, function in _COMPARISONS.items():
        by_name |= dict.fromkeys((name, f"broadcast_{name}"), paired(function))
    by_name |= _OURS
    by_name |= {f"linalg_{name}": function for name, function in _LINALG.items()}
    for name, function in legacy_random.FUNCTIONS.items():
        if name not in ("seed", "randn"):
            by_name |= {f"random_{name}": function, f"sample_{name}": function}
    by_name |= densities.FUNCTIONS | {"from_numpy": npx.from_numpy}
    by_name |= {
        name: legacy_random.FUNCTIONS[name] for name in ("uniform", "normal", "poisson", "exponential", "randn")
    }
    return by_name


@cache
def table() -> Mapping[str, Any]:
    """Every name of the face: functions by name, and the groups `random`, `linalg` and `contrib`.

    It is made at the first look at it, not with `import hybridize`.
    """
    by_name = _functions()
    first: dict[str, tuple[str, ...]] = {
        name: ("lhs", "rhs") for word in _ARITHMETIC for name in (word, f"broadcast_{word}", f"elemwise_{word}")
    }
    first |= _FIRST | {f"linalg_{name}": words for name, words in _FIRST.items() if name in _LINALG}
    faces: dict[str, Any] = {name: _face(name, function, first.get(name, ())) for name, function in by_name.items()}
    for group, members in (("random", legacy_random.FUNCTIONS), ("linalg", _LINALG), ("contrib", _CONTRIB)):
        faces[group] = _Group(group, members)
    return faces


@cache
def function(name: str) -> _Function:
    """Return the function of that name as a method of arrays, whose results may be without axes, as those of `np`."""
    return _face(name, _functions()[name], (), lambda y, args: y)

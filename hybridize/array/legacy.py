# SPDX-License-Identifier: Apache-2.0
"""MXNet 1's operator names and meanings, one table for both faces of `F`, `hybridize.ndarray` and `hybridize.symbol`.

What differs from `np`: comparisons give the dtype of their operands, indices come as float32, `dot` sums over the
first axis of its second operand, `take` and `concat` have other default axes, `reshape` knows codes. Every function
also takes `name=` (ignored: names are for pictures) and `out=`, and gives arrays of `nd` (`nd_array`).
"""

from __future__ import annotations

import re
import sys
from ast import literal_eval
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from types import SimpleNamespace
from typing import Any

from hybridize.array import densities, images, legacy_contrib, legacy_linalg, legacy_random, legacy_updates, np, npx
from hybridize.array import legacy_rules as rules
from hybridize.array.annotations import ArrayLike
from hybridize.array.functions import boxes, control, legacy_shapes, neural, regions, resizing, sampling
from hybridize.array.functions.bounds import check
from hybridize.array.functions.elementwise import root
from hybridize.array.legacy_texts import TEXTS
from hybridize.array.methods import functions
from hybridize.array.operands import (
    array,
    axis_of,
    completed,
    finished,
    float_operand,
    floats,
    one_of,
    public,
    result,
    several,
    unknown_sizes,
)  # fmt: skip
from hybridize.array.operands import indices as index_operand
from hybridize.base import modes
from hybridize.base.dtypes import as_dtype, float32
from hybridize.base.errors import ArgumentError, ShapeError, ValueArgumentError
from hybridize.base.missing import missing
from hybridize.ops.library.attention import div_sqrt_dim as library_div_sqrt_dim

_NAME = re.compile(r"(?<=^nd\.)(elemwise|broadcast)_(?!(to|axis|axes|like)$)|(?<=^nd.max|^nd.min|^nd.sum)_axis$")
"""Parts of names that functions with one docstring differ in."""
_Function = Callable[..., Any]
_Row = tuple[_Function, str]
"""A function, and MXNet's first parameters with their defaults: `data axis=-1`."""


def _face(name: str, row: _Row, shape: _Function = rules.of_nd, group: str = "") -> _Function:
    """A function under a 1.x name, with `name=` and `out=`.

    Args:
        name: of the function.
        row: what it computes, and MXNet's first parameters.
        shape: makes the result of what the function gives and its arguments.
        group: what stands before the name: `random.`.
    """
    function, text = row
    parsed = [word.partition("=") for word in text.split()]
    words = [word for word, _, _ in parsed]
    defaults = {word: literal_eval(default) for word, _, default in parsed if default}
    own = list(signature(function).parameters.values()) if words else []
    places = {one.name: place for place, one in enumerate(own)}
    ordered = next((place for place, word in enumerate(words) if places.get(word, place) != place), len(words))

    @wraps(function)
    def call(*args: Any, name: Any = None, out: Any = None, **kwargs: Any) -> Any:
        for word in words[len(args) :]:
            if word not in kwargs and word not in defaults:
                break
            args = (*args, kwargs.pop(word) if word in kwargs else defaults[word])
        if ordered == len(words):
            return finished(shape(function(*args, **kwargs), (*args, *kwargs.values())), out)
        named = dict(zip(words[ordered:], args[ordered:], strict=False))
        return finished(shape(function(*args[:ordered], *args[len(words) :], **named, **kwargs), args), out)

    call.__name__ = call.__qualname__ = name
    documented = _NAME.sub("", f"nd.{group}{name}")
    call.__doc__ = TEXTS.get(documented) or TEXTS.get(documented.lower()) or function.__doc__
    face: Any = public(call, of_np=False)
    if words:
        kind = Parameter.POSITIONAL_OR_KEYWORD
        first = [Parameter(word, kind, default=defaults.get(word, Parameter.empty)) for word in words]
        rest = [one for place, one in enumerate(own) if place >= ordered and one.name not in words]
        face.__signature__ = Signature([*first, *rest])
    return face  # type: ignore[no-any-return]


def norm(data: Any, ord: int = 2, axis: Any = None, out_dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the L1 or L2 norm over axes.

    Args:
        data: an array.
        ord: 1 or 2.
        axis: an axis, two axes, or None for all.
        out_dtype: of the result.
        keepdims: reduced axes stay with size 1.

    >>> nd.norm(nd.array([3, 4])).asnumpy()
    array([5.], dtype=float32)
    """
    if ord not in (1, 2):
        raise ValueArgumentError("E345", f"norm: ord must be 1 or 2, got {ord!r}", help="use np.linalg.norm")
    x = array(data)
    dtype, x = rules.number_dtype(x) if out_dtype is None else out_dtype, floats(x)
    norms = (
        root(np.sum(np.square(x), axis, keepdims=keepdims)) if ord == 2 else np.sum(np.abs(x), axis, keepdims=keepdims)
    )
    return rules.as_dtype_of(norms, as_dtype(dtype))


def concat(*data: Any, dim: int = 1, num_args: int | None = None) -> Any:
    """Join arrays along an axis, axis 1 unless you pass `dim`.

    Args:
        data: the arrays.
        dim: the axis.
        num_args: how many arrays there are.

    >>> nd.concat(nd.array([[1]]), nd.array([[2]]), dim=0).asnumpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    xs = _counted(data, num_args, "concat")
    shapes = [one.shape for one in xs if hasattr(one, "shape")]
    whole = next((shape for shape in shapes if not any(type(size) is int and size == 0 for size in shape)), None)
    if whole is not None and 0 < len(shapes) == len(xs) and -len(whole) <= dim < len(whole):
        axis = dim % len(whole)
        xs = [completed(one, (*whole[:axis], *one.shape[axis : axis + 1], *whole[axis + 1 :])) for one in xs]
    return np.concatenate(xs, dim)


def stack(*data: Any, axis: int = 0, num_args: int | None = None) -> Any:
    """Join arrays of one shape along a new axis.

    Args:
        data: the arrays.
        axis: the position of the new axis.
        num_args: how many arrays there are.

    >>> nd.stack(nd.array([1, 2]), nd.array([3, 4]), axis=1).asnumpy()
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """
    return np.stack(_counted(data, num_args, "stack"), axis)


def _counted(data: tuple[Any, ...], num_args: int | None, name: str) -> list[Any]:
    """The arrays of a call, given one by one or as a list; as many as the call says that there are."""
    xs = list(data[0] if len(data) == 1 and isinstance(data[0], (list, tuple)) else data)
    if num_args not in (None, len(xs)):
        raise ArgumentError("E310", f"{name}: {len(xs)} arrays for num_args={num_args}")
    return xs


def split(data: Any, num_outputs: int, axis: int = 1, squeeze_axis: bool = False) -> Any:
    """Cut an array along an axis into equal parts; a list, or the array itself for one part.

    Args:
        data: an array.
        num_outputs: how many parts.
        axis: the axis.
        squeeze_axis: remove the axis, which has size 1 then.

    >>> [part.asnumpy() for part in nd.split(nd.array([[1, 2]]), 2)]
    [array([[1.]], dtype=float32), array([[2.]], dtype=float32)]
    """
    parts = split_v2(data, num_outputs, axis, squeeze_axis)
    return parts if num_outputs > 1 else parts[0]


def split_v2(ary: Any, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> Any:
    """Cut an array along an axis into equal parts, or at indices.

    Args:
        ary: an array.
        indices_or_sections: how many parts, or where to cut.
        axis: the axis.
        squeeze_axis: remove the axis, which has size 1 then.

    >>> [part.asnumpy() for part in nd.split_v2(nd.array([1, 2, 3]), (1,))]
    [array([1.], dtype=float32), array([2., 3.], dtype=float32)]
    """
    parts = np.split(ary, indices_or_sections, axis)
    return [np.squeeze(part, axis) for part in parts] if squeeze_axis else parts


def dot(lhs: Any, rhs: Any, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Any = None) -> Any:
    """Return the sums over the last axis of `lhs` and the first axis of `rhs`, where NumPy takes the axis before the
    last.

    Args:
        lhs: an array.
        rhs: an array.
        transpose_a: reverse the axes of `lhs` first.
        transpose_b: reverse the axes of `rhs` first.
        forward_stype: has to be None or `default`: results are dense.

    >>> nd.dot(nd.array([[1, 2], [3, 4]]), nd.array([[1, 0], [0, 10]])).asnumpy()
    array([[ 1., 20.],
           [ 3., 40.]], dtype=float32)
    """
    one_of(forward_stype, (None, "default"), "dot", "forward_stype", "arrays are dense")
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
    """Return the matrix products of [b, m, k] and [b, k, n].

    Args:
        lhs: matrices.
        rhs: matrices.
        transpose_a: `lhs` is [b, k, m].
        transpose_b: `rhs` is [b, n, k].
        forward_stype: has to be None or `default`: results are dense.

    >>> nd.batch_dot(nd.ones((2, 1, 3)), nd.ones((2, 3, 1))).shape
    (2, 1, 1)
    """
    one_of(forward_stype, (None, "default"), "batch_dot", "forward_stype", "arrays are dense")
    return npx.batch_dot(lhs, rhs, transpose_a, transpose_b)


def argsort(data: Any, axis: int | None = -1, is_ascend: bool = True, dtype: Any = "float32") -> Any:
    """Return the indices that sort along an axis, as float32 unless you pass a dtype.

    Args:
        data: an array.
        axis: the axis; None: of the flat array.
        is_ascend: smallest elements first.
        dtype: of the indices.

    >>> nd.argsort(nd.array([3, 1, 2])).asnumpy()
    array([1., 2., 0.], dtype=float32)
    """
    return npx.topk(data, axis, 0, "indices", is_ascend, dtype)


def argmax_channel(data: Any) -> Any:
    """Return the index of the largest element along axis 1.

    >>> nd.argmax_channel(nd.array([[1, 5], [7, 2]])).asnumpy()
    array([1., 0.], dtype=float32)
    """
    return np.argmax(data, 1)


def sort(data: Any, axis: int | None = -1, is_ascend: bool = True) -> Any:
    """Return an array sorted along an axis.

    Args:
        data: an array.
        axis: the axis; None: of the flat array.
        is_ascend: smallest elements first.

    >>> nd.sort(nd.array([3, 1, 2]), is_ascend=False).asnumpy()
    array([3., 2., 1.], dtype=float32)
    """
    ascending = np.sort(data, axis)
    return ascending if is_ascend else np.flip(ascending, -1 if axis is None else axis)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: Any = None,
    dtype: Any = "float32",
) -> Any:
    """Return start, start + step, ... up to but without `stop`, each number `repeat` times.

    Args:
        start: the first number; with no `stop`, the end, and the numbers begin at 0.
        stop: the end, which is left out.
        step: the distance of neighbours.
        repeat: how often each number occurs.
        infer_range: has to be False: `stop` says how many numbers.
        ctx: the device.
        dtype: of the result.

    >>> nd.arange(0, 3, repeat=2).asnumpy()
    array([0., 0., 1., 1., 2., 2.], dtype=float32)
    """
    if infer_range:
        what = "arange with infer_range=True: how many numbers there are must be known from its own arguments"
        raise ArgumentError("E312", what, help="pass stop, or use contrib.arange_like")
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

    @rules.named_as(function)
    def call(shape: Any, ctx: Any = None, dtype: Any = None, stype: Any = None, device: Any = None) -> Any:
        ctx, dtype = _placed(ctx, dtype, device)
        dense = function(shape, float32 if dtype is None else dtype, ctx=ctx)
        unknown_sizes(dense, int(function is np.ones))
        return dense if stype in (None, "default") else functions.tostype(dense, stype)

    return call


def array_of_numbers(source_array: Any, ctx: Any = None, dtype: Any = None, *, device: Any = None) -> Any:
    """Return an array of numbers, of nested lists of them, or of another array; float32 unless you pass a dtype.

    Args:
        source_array: numbers, lists or an array.
        ctx: the device.
        dtype: of the result; an array of hybridize keeps its own.
        device: another name of `ctx`.

    >>> nd.array([[1, 2], [3, 4]]).asnumpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    ctx, dtype = _placed(ctx, dtype, device)
    if dtype is None and not hasattr(source_array, "asnumpy"):
        dtype = float32
    return np.array(source_array, dtype, ctx=ctx)


def concatenate(arrays: Sequence[Any], axis: int = 0, always_copy: bool = True) -> Any:
    """Join a list of arrays along an axis, axis 0 unless you pass `axis`.

    Args:
        arrays: the arrays.
        axis: the axis.
        always_copy: False: one array alone is returned itself.

    >>> nd.concatenate([nd.array([1]), nd.array([2])]).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return arrays[0] if len(arrays) == 1 and not always_copy else np.concatenate(arrays, axis)


def moments(data: Any, axes: Any = None, keepdims: bool = False) -> Any:
    """Return the mean and the variance over axes.

    Args:
        data: an array.
        axes: the axes; None: all.
        keepdims: reduced axes stay with size 1.

    >>> [x.asnumpy() for x in nd.moments(nd.array([1, 3]), axes=0)]
    [array([2.], dtype=float32), array([1.], dtype=float32)]
    """
    x = array(data)
    return [np.mean(x, axes, keepdims=keepdims), np.var(x, axes, keepdims=keepdims)]


def boolean_mask(data: Any, index: Any, axis: int = 0) -> Any:
    """Return the parts along an axis where `index` is not 0. Imperative only: data decide the size.

    Raises:
        CaptureError E403: in a compiled function.

    >>> nd.contrib.boolean_mask(nd.array([1, 2, 3]), nd.array([1, 0, 1])).asnumpy()
    array([1., 3.], dtype=float32)
    """
    return np.compress(array(index) != 0, data, axis)


def index_array(data: Any, axes: Any = None) -> Any:
    """Return the index of each element along all axes, or along some, as int64 along a new last axis.

    >>> nd.contrib.index_array(nd.ones((1, 2))).asnumpy()
    array([[[0, 0],
            [0, 1]]])
    """
    x = array(data)
    grid = np.indices(x.shape, dtype="int64")
    if axes is not None:
        numbers = several(axes)
        grid = np.stack([grid[axis_of(axis, x.ndim, "index_array")] for axis in numbers])
    return np.moveaxis(grid, 0, -1)


def unravel_index(data: Any, shape: Any) -> Any:
    """Return the indices along each axis of `shape` for the numbers of elements: [axes, ...].

    >>> nd.unravel_index(nd.array([6]), shape=(3, 4)).asnumpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    x = array(data)
    return np.stack(np.unravel_index(x.astype("int64"), shape)).astype(x.dtype)


def ravel_multi_index(data: Any, shape: Any) -> Any:
    """Return the numbers of elements for indices along each axis of `shape`, which are [axes, ...].

    >>> nd.ravel_multi_index(nd.array([[1], [2]]), shape=(3, 4)).asnumpy()
    array([6.], dtype=float32)
    """
    x = array(data)
    index = x.astype("int64")
    return np.ravel_multi_index(tuple(index[axis] for axis in range(len(shape))), tuple(shape)).astype(x.dtype)


def full(shape: Any, val: ArrayLike, ctx: Any = None, dtype: Any = None) -> Any:
    """Return an array of a shape that has `val` everywhere; float32 unless you pass a dtype.

    >>> nd.full((2,), 7).asnumpy()
    array([7., 7.], dtype=float32)
    """
    return unknown_sizes(np.full(shape, val, float32 if dtype is None else dtype, ctx=ctx), val)


def eye(N: int, M: int = 0, k: int = 0, ctx: Any = None, dtype: Any = None) -> Any:
    """Return a matrix with ones on the diagonal `k` and zeros elsewhere.

    Args:
        N: rows.
        M: columns; 0: as many as rows.
        k: the diagonal.
        ctx: the device.
        dtype: of the result, float32 unless you pass one.

    >>> nd.eye(2).asnumpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return np.eye(N, M or None, k, dtype, ctx)


def round_away(data: Any) -> Any:
    """Return the nearest integer of each element, halves away from 0.

    >>> nd.round(nd.array([0.5, 1.5, -1.7])).asnumpy()
    array([ 1.,  2., -2.], dtype=float32)
    """
    x = array(data)
    whole = np.trunc(x)
    return whole + np.sign(x) * (np.abs(x - whole) >= 0.5).astype(x.dtype)


def rcbrt(data: Any) -> Any:
    """Return 1 over the cube root of each element.

    >>> nd.rcbrt(nd.array([8])).asnumpy().round(4)
    array([0.5], dtype=float32)
    """
    return 1.0 / np.cbrt(data)


def logical_not(data: Any) -> Any:
    """Return 1 where an element is 0, and 0 elsewhere, in the dtype of the array.

    >>> nd.logical_not(nd.array([0, 2])).asnumpy()
    array([1., 0.], dtype=float32)
    """
    return np.logical_not(data).astype(array(data).dtype)


def rint(data: Any) -> Any:
    """Return the nearest integer of each element, halves down.

    >>> nd.rint(nd.array([0.5, 1.5, -1.7])).asnumpy()
    array([ 0.,  1., -2.], dtype=float32)
    """
    x = array(data)
    low, high = np.floor(x), np.ceil(x)
    return np.where(x - low <= high - x, low, high)


def histogram(a: Any, bins: Any = 10, range: Any = None) -> Any:
    """Count the elements between edges; return the counts and the edges.

    Args:
        a: an array.
        bins: how many bins, or their edges.
        range: the first and the last edge.

    >>> [x.asnumpy() for x in nd.histogram(nd.array([1, 2, 2, 4]), bins=3)]
    [array([1, 2, 1]), array([1., 2., 3., 4.], dtype=float32)]
    """
    return np.histogram(a, bins, range)


def expand_dims(data: Any, axis: int, inplace: bool = False) -> Any:
    """Insert an axis of size 1.

    Args:
        data: an array.
        axis: its position in the result.
        inplace: has no effect.

    >>> nd.expand_dims(nd.array([1, 2]), axis=0).shape
    (1, 2)
    """
    return np.expand_dims(data, axis)


def squeeze(data: Any, axis: Any = None, inplace: bool = False) -> Any:
    """Remove axes of size 1, those that you name or all.

    Args:
        data: an array.
        axis: one axis or several.
        inplace: has no effect.

    >>> nd.squeeze(nd.ones((1, 3))).shape
    (3,)
    """
    return np.squeeze(data, axis)


def softmax(
    data: Any,
    length: Any = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: Any = None,
    use_length: bool | None = None,
) -> Any:
    """Return exp(x / t) / sum(exp(x / t)) along an axis; an integer in the place of `length` is the axis.

    Args:
        data: an array.
        length: how many elements count, of each vector.
        axis: the axis.
        temperature: t, 1 unless you pass it.
        dtype: of the result.
        use_length: False: `length` has no effect.

    >>> nd.softmax(nd.array([0, 0])).asnumpy()
    array([0.5, 0.5], dtype=float32)
    """
    if isinstance(length, int):
        length, axis = None, length
    return npx.softmax(data, axis, length, temperature, use_length, dtype)


def softmax_activation(data: Any, mode: str = "instance") -> Any:
    """Return the softmax over axis 1 (`channel`), or over all axes but the first (`instance`).

    >>> nd.SoftmaxActivation(nd.array([[0, 0]])).asnumpy()
    array([[0.5, 0.5]], dtype=float32)
    """
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
    """Return the softmax of scores, a loss by itself: its gradient is that of the cross entropy with `label`.

    Args:
        data: the scores [n, classes].
        label: the classes [n].
        grad_scale: the factor of the gradient.
        ignore_label: the label without a gradient, with `use_ignore`.
        multi_output: classes lie along axis 1 of more than two.
        use_ignore: `ignore_label` counts.
        preserve_shape: the softmax is over the last axis.
        normalization: what the gradient is divided by: `null`, `batch` or `valid`.
        out_grad: multiply by the gradient that arrives.
        smooth_alpha: how much of each label goes to the other classes.

    Raises:
        ArgumentError E315: no such `normalization`.
        OutOfBoundsError E110: while recording, a label that is no class.

    >>> nd.Softmax(nd.array([[0, 0]]), nd.array([1])).asnumpy()
    array([[0.5, 0.5]], dtype=float32)
    """
    if normalization not in ("null", "batch", "valid"):
        raise ArgumentError("E315", f"SoftmaxOutput: normalization={normalization!r}", help="use null, batch or valid")
    whole, axis = array(data), 1 if multi_output else -1
    rows = whole.ndim > 2 and not (multi_output or preserve_shape)
    x = npx.batch_flatten(whole) if rows else whole
    y = npx.softmax(x, axis)
    if label is None or not modes.is_recording():
        return np.reshape(y, whole.shape) if rows else y
    classes = np.reshape(label, (x.shape[0],)) if rows else array(label)
    known = x.shape[axis]
    taught = np.where(classes != ignore_label, classes, 0) if use_ignore else classes
    check(index_operand(taught), 0, known, f"SoftmaxOutput of {x.type}: labels", _LABELS)
    others = smooth_alpha / (known - 1) if smooth_alpha else 0.0
    aim = np.moveaxis(npx.one_hot(taught, known, 1.0 - smooth_alpha, others, x.dtype), -1, axis)
    scale: Any = grad_scale / classes.shape[0] if normalization == "batch" else grad_scale
    counted = np.expand_dims(classes != ignore_label, axis)
    if normalization == "valid":
        scale = grad_scale / np.maximum(np.sum(counted), 1).astype(x.dtype) if use_ignore else grad_scale / classes.size
    slope = (y - aim) * scale
    if use_ignore:
        slope = np.where(counted, slope, 0.0)
    if rows:
        y, slope = np.reshape(y, whole.shape), np.reshape(slope, whole.shape)
    return rules.head(whole, y, slope, out_grad)


def make_loss(data: Any, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: str = "null") -> Any:
    """Return the same values as a loss, whose gradient is `grad_scale`.

    Args:
        data: a loss.
        grad_scale: times the gradient.
        valid_thresh: elements above it count as valid.
        normalization: the gradient is divided by nothing (`null`), by the first size (`batch`), or by the number of
            valid elements (`valid`).

    >>> nd.make_loss(nd.array([1, 2])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    one_of(normalization, ("null", "batch", "valid"), "make_loss", "normalization")
    x = array(data)
    if not modes.is_recording():
        return np.copy(x)
    scale: Any = grad_scale / x.shape[0] if normalization == "batch" else grad_scale
    if normalization == "valid":
        scale = grad_scale / np.maximum(np.sum(x > valid_thresh), 1).astype(x.dtype)
    return rules.head(x, x, np.ones_like(x) * scale)


def svm_output(
    data: Any, label: Any = None, margin: float = 1.0, regularization_coefficient: float = 1.0, use_linear: bool = False
) -> Any:
    """Return the scores [n, classes]; their gradient is that of the hinge loss with `label`, squared unless
    `use_linear`.

    Args:
        data: the scores.
        label: the classes.
        margin: by which the right score has to be the largest.
        regularization_coefficient: the factor of the gradient.
        use_linear: the loss is not squared.

    >>> nd.SVMOutput(nd.array([[1, 2]]), nd.array([1])).asnumpy()
    array([[1., 2.]], dtype=float32)
    """
    x = array(data)
    if label is None or not modes.is_recording():
        return np.copy(x)
    side = np.subtract(npx.one_hot(label, x.shape[1]) * 2.0, 1.0).astype(x.dtype)
    hinge = npx.relu(margin - x * side)
    slope = np.where(hinge > 0, side, 0.0) if use_linear else hinge * side * 2.0
    return rules.head(x, x, slope * -regularization_coefficient)


def linear_regression_output(data: Any, label: Any, grad_scale: float = 1.0) -> Any:
    """Return the data; their gradient is that of half the squared distance to `label`, by the numbers of a sample.

    Args:
        data: predictions.
        label: what they are compared with.
        grad_scale: the factor of the gradient.

    >>> x = nd.array([[3.0]])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.LinearRegressionOutput(x, nd.array([[1.0]]))
    >>> y.backward()
    >>> x.grad.asnumpy()
    array([[2.]], dtype=float32)
    """
    return _regression(array(data), label, grad_scale, lambda distance: distance)


def mae_regression_output(data: Any, label: Any, grad_scale: float = 1.0) -> Any:
    """Return the data; their gradient is that of the distance to `label`, by the numbers of a sample.

    Args:
        data: predictions.
        label: what they are compared with.
        grad_scale: the factor of the gradient.

    >>> nd.MAERegressionOutput(nd.array([[3.0]]), nd.array([[1.0]])).asnumpy()
    array([[3.]], dtype=float32)
    """
    return _regression(array(data), label, grad_scale, lambda distance: np.where(distance > 0, 1.0, -1.0))


def logistic_regression_output(data: Any, label: Any, grad_scale: float = 1.0) -> Any:
    """Return the sigmoid of the data; the gradient is that of the cross entropy with `label`, by the numbers of a
    sample.

    Args:
        data: scores.
        label: 0 or 1.
        grad_scale: the factor of the gradient.

    >>> nd.LogisticRegressionOutput(nd.array([[0.0]]), nd.array([[1.0]])).asnumpy()
    array([[0.5]], dtype=float32)
    """
    x = array(data)
    return _regression(npx.sigmoid(x), label, grad_scale, lambda distance: distance, of=x)


def _regression(y: Any, label: Any, grad_scale: float, slope: _Function, of: Any = None) -> Any:
    """A copy of y; the gradient of `of`, which is y unless said, is the slope of the distance to the label."""
    if not modes.is_recording():
        return np.copy(y)
    scale = grad_scale * y.shape[0] / y.size
    return rules.head(y if of is None else of, y, slope(y - np.reshape(label, y.shape)) * scale)


def clip(data: ArrayLike, a_min: Any, a_max: Any) -> Any:
    """Return elements limited to a range: those below `a_min` become `a_min`, those above `a_max` become `a_max`.

    >>> nd.clip(nd.array([-2, 0.5, 9]), 0, 1).asnumpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    x = array(data)
    return np.clip(x, *(None if end is None else rules.limit_in(end, x.dtype) for end in (a_min, a_max)))


def embedding(
    data: Any, weight: Any, input_dim: Any = None, output_dim: Any = None, dtype: Any = None, sparse_grad: bool = False
) -> Any:
    """Return the rows of `weight` at the indices `data`; indices outside mean the first or the last row.

    Args:
        data: indices.
        weight: an array [input_dim, output_dim].
        input_dim: rows of `weight`.
        output_dim: columns of `weight`.
        dtype: of the result.
        sparse_grad: as of `npx.embedding`.

    >>> nd.Embedding(nd.array([1, 0]), nd.array([[1, 1], [2, 2]])).asnumpy()
    array([[2., 2.],
           [1., 1.]], dtype=float32)
    """
    rows = array(weight).shape[:1]
    index = np.clip(array(data).astype("int64"), 0, rows[0] - 1) if rows and rows[0] else data
    return npx.embedding(index, weight, input_dim, output_dim, dtype, sparse_grad)


def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike) -> Any:
    """Choose elements from `x` where `condition` is not 0, and from `y` elsewhere; a vector chooses rows.

    >>> nd.where(nd.array([1, 0]), nd.array([1, 2]), nd.array([10, 20])).asnumpy()
    array([ 1., 20.], dtype=float32)
    """
    c, values = array(condition), array(x)
    if c.ndim == 1 and values.ndim > 1:
        if c.shape[0] != values.shape[0]:
            raise ShapeError("E138", f"where: a condition {c.type} needs one element for each row of {values.type}")
        c = np.reshape(c, (-1,) + (1,) * (values.ndim - 1))
    return np.where(c, values, y)


def div_sqrt_dim(data: Any) -> Any:
    """Return x / sqrt(n), where n is the size of the last axis.

    >>> nd.contrib.div_sqrt_dim(nd.ones((1, 4))).asnumpy()
    array([[0.5, 0.5, 0.5, 0.5]], dtype=float32)
    """
    x = array(data)
    if not x.ndim:
        raise ShapeError("E134", f"div_sqrt_dim of {x.type}", help="the array needs at least one axis")
    return result(library_div_sqrt_dim(float_operand(x)))


def transpose(data: Any, axes: Any = None) -> Any:
    """Permute the axes; reverse them, where you pass none; a copy.

    >>> nd.transpose(nd.array([[1, 2], [3, 4]])).asnumpy()
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """
    return np.transpose(data, axes if axes else None)


def diag(data: Any, k: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonal `k` of two axes, or the matrix that has a vector on this diagonal.

    Args:
        data: an array.
        k: the diagonal: 0 is the main one, positive numbers count to the right.
        axis1: the axis of rows.
        axis2: the axis of columns.

    >>> nd.diag(nd.array([1, 2])).asnumpy()
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    """
    x = array(data)
    return np.diag(x, k) if x.ndim == 1 else np.diagonal(x, k, axis1, axis2)


def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Return the sums of all elements up to each along an axis, in the dtype of the array.

    Args:
        a: an array.
        axis: the axis; None: of the flat array.
        dtype: of the result.

    >>> nd.cumsum(nd.array([1, 2, 3])).asnumpy()
    array([1., 3., 6.], dtype=float32)
    """
    x = array(a)
    return np.cumsum(x, axis, rules.number_dtype(x) if dtype is None else dtype)


def size_array(data: Any) -> Any:
    """Return the number of elements, as an int64 array of one element.

    >>> nd.size_array(nd.ones((2, 3))).asnumpy()
    array([6])
    """
    return np.array([array(data).size], dtype="int64")


def index_copy(old_tensor: Any, index_vector: Any, new_tensor: Any) -> Any:
    """Return a copy of `old_tensor` whose rows `index_vector` are those of `new_tensor`.

    >>> nd.contrib.index_copy(nd.zeros((2, 1)), nd.array([1]), nd.array([[7]])).asnumpy()
    array([[0.],
           [7.]], dtype=float32)
    """
    output = np.copy(old_tensor)
    output[index_vector.astype("int64")] = new_tensor
    return output


def fill_element_0index(lhs: Any, mhs: Any, rhs: Any) -> Any:
    """Return a copy of `lhs` whose elements at the columns `rhs` are `mhs`, one in each row.

    >>> nd.fill_element_0index(nd.zeros((2, 2)), nd.array([7, 8]), nd.array([1, 0])).asnumpy()
    array([[0., 7.],
           [8., 0.]], dtype=float32)
    """
    x = array(lhs)
    here = npx.one_hot(rhs, x.shape[1])
    return np.where(here > 0, np.expand_dims(mhs, 1), x)


def onehot_encode(indices: Any, out: Any) -> Any:
    """Write 1 to `out` at the indices, one in each row, and 0 elsewhere.

    >>> nd.onehot_encode(nd.array([1, 0]), nd.zeros((2, 2))).asnumpy()
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    return finished(npx.one_hot(indices, out.shape[1]), out)


def quadratic(data: Any, a: float = 0.0, b: float = 0.0, c: float = 0.0) -> Any:
    """Return a x**2 + b x + c for each element.

    Args:
        data: an array.
        a: the factor of the squares.
        b: the factor of the elements.
        c: what is added.

    >>> nd.contrib.quadratic(nd.array([2]), a=1.0, b=10.0, c=100.0).asnumpy()
    array([124.], dtype=float32)
    """
    x = array(data)
    return np.square(x) * a + x * b + c


def gradientmultiplier(data: Any, scalar: float = 1.0, is_int: bool = True) -> Any:
    """Return the same values, whose gradient is `scalar` times the gradient that arrives.

    Args:
        data: an array.
        scalar: the factor.
        is_int: has no effect.

    >>> nd.contrib.gradientmultiplier(nd.array([1, 2]), scalar=-1.0).asnumpy()
    array([1., 2.], dtype=float32)
    """
    x = array(data)
    return rules.with_gradient_of(x * scalar, x)


def round_ste(data: Any) -> Any:
    """Return the nearest integer of each element, halves away from 0; gradients go through unchanged.

    >>> nd.contrib.round_ste(nd.array([0.5, 1.4])).asnumpy()
    array([1., 1.], dtype=float32)
    """
    return rules.with_gradient_of(array(data), round_away(data))


def sign_ste(data: Any) -> Any:
    """Return the sign of each element; gradients go through unchanged.

    >>> nd.contrib.sign_ste(nd.array([-3, 2])).asnumpy()
    array([-1.,  1.], dtype=float32)
    """
    return rules.with_gradient_of(array(data), np.sign(data))


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = True) -> Any:
    """Return 1 if no element of `a` is further from that of `b` than atol + rtol |b|, and 0 otherwise.

    Args:
        a: an array.
        b: an array.
        rtol: the tolerance that grows with `b`.
        atol: the tolerance that does not.
        equal_nan: NaN equals NaN.

    >>> nd.contrib.allclose(nd.array([1]), nd.array([1])).asnumpy()
    array([1.], dtype=float32)
    """
    return np.allclose(a, b, rtol, atol, equal_nan) * np.ones((1,), "float32")


def amp_multicast(*data: Any, num_outputs: int | None = None, cast_narrow: bool = False) -> Any:
    """Return arrays of floats in the widest dtype among them, or in the narrowest with `cast_narrow`.

    Args:
        data: arrays of floats.
        num_outputs: how many there are.
        cast_narrow: take the narrowest dtype.

    >>> [x.dtype for x in nd.amp_multicast(nd.ones(1), nd.ones(1, dtype="float16"), num_outputs=2)]
    [dtype('float32'), dtype('float32')]
    """
    xs = _counted(data, num_outputs, "amp_multicast")
    dtypes = sorted((x.dtype for x in xs), key=lambda dtype: dtype.itemsize)
    return rules.as_dtype_of(xs, dtypes[0 if cast_narrow else -1])


class _Group(SimpleNamespace):
    """Functions that stand below a name of the face."""

    def __init__(self, group: str, rows: Mapping[str, _Row]) -> None:
        super().__init__(**{name: _face(name, row, group=f"{group}.") for name, row in rows.items()})
        self._group = group

    def changed(self, change: Callable[[str, _Function], _Function]) -> _Group:
        """Return a group of what a function makes of each name and function."""
        group = _Group(self._group, {})
        vars(group).update({name: change(name, one) for name, one in vars(self).items() if name != "_group"})
        return group

    def __getattr__(self, name: str) -> Any:
        raise missing(f"nd.{self._group}", name, vars(self))


_MAXIMUM, _MINIMUM = rules.extremum(np.maximum, np.greater_equal), rules.extremum(np.minimum, np.less_equal)
_Rows = tuple[Any, Callable[[_Function], _Function] | None, str, str]
"""A room, a rule of dtypes, MXNet's first parameters, and names of functions: `flip reverse=flip`.

A parameter that a function has elsewhere is that one; any other is the function's at its place.
"""
_ROWS: tuple[_Rows, ...] = (
    (np, None, "", "meshgrid"),
    (np, None, "start stop num=50 endpoint=True ctx=None dtype=None", "linspace"),
    (np, None, "a indices axis=0 mode='clip'", "take"),
    (np, None, "data", "abs ceil fix floor full_like identity=copy negative ones_like sign square trunc zeros_like"),
    (np, None, "data axis", "flip reverse=flip"),
    (np, None, "data dim1=0 dim2=0", "SwapAxis=swapaxes swapaxes"),
    (np, None, "data repeats axis=None", "repeat"),
    (np, None, "data reps", "tile"),
    (np, None, "tensor", "moveaxis"),
    (np, rules.of_dtype, "data", (
        "arccos arccosh arcsin arcsinh arctan arctanh cbrt cos cosh degrees exp expm1 log log10 log1p log2 radians "
        "reciprocal sin sinh sqrt tan tanh"
    )),
    (np, _creator, "", "empty=zeros ones zeros"),
    (np, rules.reduction, "", "max max_axis=max mean min min_axis=min nanprod nansum prod sum sum_axis=sum"),
    (np, rules.of_dtype, "data axis=None keepdims=False", "argmax argmin"),
    (npx, None, "", (
        "Activation=activation CTCLoss=ctc_loss Convolution=convolution Deconvolution=deconvolution Dropout=dropout "
        "ElementWiseSum=add_n Flatten=batch_flatten InstanceNorm=instance_norm L2Normalization=l2_normalization "
        "LayerNorm=layer_norm LeakyReLU=leaky_relu Pad=pad SequenceLast=sequence_last "
        "SequenceMask=sequence_mask SequenceReverse=sequence_reverse UpSampling=upsampling add_n batch_flatten "
        "broadcast_like choose_element_0index=pick crop=slice ctc_loss flatten=batch_flatten from_numpy gather_nd glu "
        "hard_sigmoid log_sigmoid masked_log_softmax masked_softmax mish pad pick reshape_like rms_norm "
        "rotary_embedding scaled_dot_product_attention scatter_nd sinusoidal_positions slice slice_axis slice_like "
        "softmin topk waitall"
    )),
    (npx, None, "a indices", "batch_take=pick"),
    (npx, None, (
        "data parameters state=None state_cell=None sequence_length=None state_size=None num_layers=None "
        "bidirectional=False mode=None p=0.0 state_outputs=False projection_size=None lstm_state_clip_min=None "
        "lstm_state_clip_max=None lstm_state_clip_nan=False use_sequence_length=None"
    ), "RNN=rnn"),
    (npx, None, "data axis=-1 temperature=None dtype=None use_length=None", "log_softmax"),
    (npx, None, "data", "relu shape_array"),
    (rules, None, "", "BlockGrad=stop_gradient stop_gradient"),
    (npx, None, "data dtype", "Cast=cast amp_cast=cast cast"),
    (npx, None, "data gamma beta moving_mean moving_var", "BatchNorm=batch_norm"),
    (npx, None, "data gamma beta num_groups=1 eps=1e-5", "GroupNorm=group_norm"),
    (npx, None, (
        "data kernel=() pool_type='max' global_pool=False cudnn_off=False pooling_convention='valid' stride=() pad=() "
        "p_value=None count_include_pad=None layout=None"
    ), "Pooling=pooling"),
    (npx, None, "data weight bias=None num_hidden=None no_bias=False", "FullyConnected=fully_connected"),
    (npx, None, "indices", "one_hot"),
    (npx, rules.of_dtype, "data", "erf erfinv gamma gammaln rsqrt sigmoid smooth_l1 softsign"),
    (legacy_shapes, None, "", (
        "Crop=crop_like Reshape=reshape_legacy broadcast_axes=broadcast_axis broadcast_axis "
        "broadcast_to=broadcast_to_legacy reshape=reshape_legacy"
    )),
    (neural, None, "", "softmax_cross_entropy"),
    (legacy_linalg, None, "", "khatri_rao"),
    (regions, None, "", "Correlation=correlation ROIPooling=roi_pooling"),
    (resizing, None, "", "depth_to_space space_to_depth"),
    (sampling, None, "", (
        "BilinearSampler=bilinear_sampler GridGenerator=grid_generator LRN=local_response_norm "
        "SpatialTransformer=spatial_transformer col2im im2col"
    )),
    (legacy_random, None, "", "exponential normal poisson randn shuffle uniform"),
    (sys.modules[__name__], None, "", (
        "Concat=concat Embedding=embedding LinearRegressionOutput=linear_regression_output "
        "LogisticRegressionOutput=logistic_regression_output MAERegressionOutput=mae_regression_output "
        "MakeLoss=make_loss SVMOutput=svm_output SliceChannel=split Softmax=softmax_output "
        "SoftmaxActivation=softmax_activation SoftmaxOutput=softmax_output amp_multicast arange argsort "
        "array=array_of_numbers batch_dot clip concat concatenate cumsum diag dot expand_dims eye "
        "fill_element_0index full histogram logical_not make_loss norm onehot_encode ravel_multi_index size_array "
        "softmax sort split split_v2 squeeze stack transpose unravel_index where"
    )),
    (sys.modules[__name__], rules.of_dtype, "", "argmax_channel moments rcbrt rint round=round_away"),
)  # fmt: skip
_ARITHMETIC: tuple[_Rows, ...] = (
    (np, rules.paired, "", (
        "add hypot minus=subtract mod modulo=mod mul=multiply multiply plus=add sub=subtract subtract"
    )),
    (rules, rules.paired, "", "div=divided divide=divided power true_divide=divided"),
    (sys.modules[__name__], rules.paired, "", "maximum=_MAXIMUM minimum=_MINIMUM"),
)  # fmt: skip
_COMPARISONS: tuple[_Rows, ...] = (
    (np, rules.paired, "", (
        "equal greater greater_equal lesser=less lesser_equal=less_equal logical_and logical_or logical_xor not_equal"
    )),
)  # fmt: skip
_DRAWS: tuple[_Rows, ...] = (
    (legacy_random, None, "mu=0.0 sigma=1.0", "sample_normal=normal"),
    (legacy_random, None, "", "random_exponential=exponential_by_rate sample_exponential=exponential_by_rate"),
    (legacy_random, None, "low high shape=(1,) ctx=None dtype=None", "random_randint=randint"),
)  # fmt: skip
"""Draws whose words below `nd.random` are others."""
_LINALG: tuple[_Rows, ...] = (
    (np.linalg, None, "A", "det inverse=inv potrf=cholesky slogdet"),
    (legacy_linalg, None, "A", "gelqf syevd"),
    (legacy_linalg, None, "", "extractdiag extracttrian gemm gemm2 makediag maketrian potri sumlogdiag syrk trmm trsm"),
)  # fmt: skip
_CONTRIB: tuple[_Rows, ...] = (
    (np, rules.of_dtype, "data", "isfinite isinf isnan"),
    (legacy_contrib, None, "data gamma beta moving_mean moving_var", "BatchNormWithReLU=batch_norm_with_relu"),
    (legacy_contrib, None, "", "SyncBatchNorm=sync_batch_norm"),
    (npx, None, "data start=0.0 step=1.0 repeat=1 ctx=None axis=None", "arange_like"),
    (npx, None, "", (
        "interleaved_matmul_encdec_qk interleaved_matmul_encdec_valatt interleaved_matmul_selfatt_qk "
        "interleaved_matmul_selfatt_valatt sldwin_atten_context sldwin_atten_mask_like sldwin_atten_score"
    )),
    (boxes, None, "", (
        "MultiBoxDetection=multibox_detection MultiBoxTarget=multibox_target bipartite_matching box_decode box_encode "
        "box_iou box_nms box_non_maximum_suppression=box_nms"
    )),
    (control, rules.of_bodies, "", "cond foreach while_loop"),
    (regions, None, "", "MultiBoxPrior=multibox_prior ROIAlign=roi_align"),
    (resizing, None, "", "AdaptiveAvgPooling2D=adaptive_avg_pooling_2d BilinearResize2D=bilinear_resize_2d"),
    (sampling, None, "", (
        "DeformableConvolution=deformable_convolution ModulatedDeformableConvolution=modulated_deformable_convolution"
    )),
    (legacy_random, None, "", "rand_zipfian"),
    (npx, None, "", "CTCLoss=ctc_loss ctc_loss"),
    (sys.modules[__name__], None, "", (
        "SparseEmbedding=embedding allclose boolean_mask gradientmultiplier index_array index_copy quadratic"
    )),
    (sys.modules[__name__], rules.of_dtype, "", "round_ste sign_ste"),
    (sys.modules[__name__], rules.of_dtype, "", "div_sqrt_dim"),
)  # fmt: skip

_IMAGE: tuple[_Rows, ...] = ((images, None, "", " ".join(images.__all__)),)


def _rows(table: tuple[_Rows, ...]) -> dict[str, _Row]:
    return {
        name: (function if rule is None else rule(function), parameters)
        for room, rule, parameters, names in table
        for name, _, own in (one.partition("=") for one in names.split())
        for function in [getattr(room, own or name)]
    }


def _plain(functions: Mapping[str, _Function]) -> dict[str, _Row]:
    """Functions whose parameters are MXNet's."""
    return {name: (function, "") for name, function in functions.items()}


@cache
def _functions() -> Mapping[str, _Row]:
    """Return the functions by the names of the face."""
    rows = _rows(_ROWS) | {f"linalg_{name}": row for name, row in _rows(_LINALG).items()}
    for name, row in _rows(_ARITHMETIC).items():
        rows[f"elemwise_{name}"] = rules.of_equal_shapes(row[0]), ""
    for name, (pair, words) in (_rows(_ARITHMETIC) | _rows(_COMPARISONS)).items():
        rows |= {name: (pair, words), f"broadcast_{name}": (rules.broadcast(pair, f"broadcast_{name}"), "")}
    for name, row in _plain(legacy_random.FUNCTIONS).items():
        if name not in ("seed", "randn"):
            rows |= {f"random_{name}": row, f"sample_{name}": row}
    rows |= _rows(_DRAWS)
    rows |= _plain(legacy_updates.FUNCTIONS)
    return rows | _plain(densities.FUNCTIONS) | {"power": (rows["power"][0], "base exp")}


def _reversed(pair: _Function) -> _Function:
    return lambda data, scalar: pair(scalar, data)


_INTERNAL = (
    "add div equal greater greater_equal hypot lesser lesser_equal logical_and logical_or logical_xor maximum minimum "
    "minus mod mul not_equal plus power sub"
)
_NOT_COMMUTING = ("div", "minus", "mod", "power")


def _operators() -> dict[str, _Row]:
    """Operations on two operands by the names that MXNet 1's cells call: `_plus`, `_plus_scalar`, `_rminus_scalar`."""
    pairs, rows = _rows(_ARITHMETIC) | _rows(_COMPARISONS), dict[str, _Row]()
    for name in _INTERNAL.split():
        pair = pairs[name][0]
        rows[f"_{name}"] = rules.of_equal_shapes(pair), ""
        if name not in ("add", "sub"):
            rows[f"_{name}_scalar"] = pair, "data scalar"
        if name in _NOT_COMMUTING:
            rows[f"_r{name}_scalar"] = _reversed(pair), ""
    return rows


@cache
def table() -> Mapping[str, Any]:
    """Every name of the face: functions by name, and the groups `random`, `linalg`, `contrib`, `image`, `_internal`.

    It is made at the first look at it, not with `import hybridize`.
    """
    faces: dict[str, Any] = {name: _face(name, row) for name, row in _functions().items()}
    groups = {
        "random": _plain(legacy_random.FUNCTIONS),
        "linalg": _rows(_LINALG),
        "contrib": _rows(_CONTRIB) | _plain(legacy_updates.CONTRIB),
        "image": _rows(_IMAGE),
        "_internal": _operators(),
    }
    return faces | {group: _Group(group, rows) for group, rows in groups.items()}


@cache
def shared() -> Mapping[str, str]:
    """Names of functions of `np` and `npx` that the face has as they are, with its own names of them."""
    same = [
        names for room, rule, parameters, names in _ROWS if room in (np, npx) and rule is None and "=" not in parameters
    ]
    pairs = [one.partition("=") for names in same for one in names.split()]
    return {own or name: name for name, _, own in reversed(pairs)}


@cache
def function(name: str) -> _Function:
    """Return the function of that name as a method of arrays, whose results may be without axes, as those of `np`."""
    return _face(name, _functions()[name], lambda y, args: y)

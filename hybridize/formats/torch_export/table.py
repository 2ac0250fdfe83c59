# SPDX-License-Identifier: Apache-2.0
"""ATen operators in terms of ours: the only place that names them.

Each entry is a function (types of the results, *arguments, **keywords) -> operand or tuple of operands; arguments
that were tensors are operands, the rest are Python values. Shapes and dtypes of results are PyTorch's own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dims import broadcast, known, maximum, product
from hybridize.base.dtypes import bool_, float64, int64, is_float
from hybridize.base.types import TensorType
from hybridize.formats.torch_export.refusals import required
from hybridize.formats.torch_export.registry import Translation, Types, aten, axes_of, common, operand
from hybridize.formats.torch_export.size_numbers import SizeNumber
from hybridize.ops import Operand, composites, type_of


def _unary(function: Callable[[Operand], Operand]) -> Translation:
    def translate(types: Types, x: Operand) -> Operand:
        return function(operand(x, types[0].dtype, types[0].shape))

    return translate


for _name, _function in {
    "relu.default": composites.relu,
    "tanh.default": ops.tanh,
    "sigmoid.default": ops.sigmoid,
    "exp.default": ops.exp,
    "log.default": ops.log,
    "log1p.default": ops.log1p,
    "log2.default": ops.log2,
    "expm1.default": ops.expm1,
    "sqrt.default": ops.sqrt,
    "rsqrt.default": ops.rsqrt,
    "abs.default": ops.abs,
    "neg.default": ops.neg,
    "sin.default": ops.sin,
    "cos.default": ops.cos,
    "tan.default": ops.tan,
    "asin.default": ops.arcsin,
    "acos.default": ops.arccos,
    "atan.default": ops.arctan,
    "sinh.default": ops.sinh,
    "cosh.default": ops.cosh,
    "erf.default": ops.erf,
    "floor.default": ops.floor,
    "ceil.default": ops.ceil,
    "round.default": ops.round,
    "trunc.default": ops.trunc,
    "bitwise_not.default": ops.bit_not,
    "asinh.default": ops.arcsinh,
    "acosh.default": ops.arccosh,
    "atanh.default": ops.arctanh,
    "exp2.default": ops.exp2,
    "log10.default": ops.log10,
    "erfinv.default": ops.erfinv,
    "lgamma.default": ops.gammaln,
    "digamma.default": ops.digamma,
}.items():
    aten(_name)(_unary(_function))


@aten("reciprocal.default")
def _reciprocal(types: Types, x: Operand) -> Operand:
    x = operand(x, types[0].dtype, types[0].shape)
    return ops.div(operand(1, types[0].dtype, types[0].shape), x)


@aten("logical_not.default")
def _logical_not(types: Types, x: Operand) -> Operand:
    return ops.bit_not(operand(x, bool_, types[0].shape))


@aten("isnan.default")
def _isnan(types: Types, x: Operand) -> Operand:
    return ops.isnan(x)


@aten("isinf.default")
def _isinf(types: Types, x: Operand) -> Operand:
    return ops.isinf(x)


@aten("isfinite.default")
def _isfinite(types: Types, x: Operand) -> Operand:
    return ops.isfinite(x)


@aten("erfc.default")
def _erfc(types: Types, x: Operand) -> Operand:
    x = operand(x, types[0].dtype, types[0].shape)
    return ops.sub(operand(1, types[0].dtype, types[0].shape), ops.erf(x))


def _binary(function: Callable[[Operand, Operand], Operand]) -> Translation:
    def translate(types: Types, x: Any, y: Any) -> Operand:
        kind = types[0]
        return function(operand(x, kind.dtype, kind.shape), operand(y, kind.dtype, kind.shape))

    return translate


def _of_larger(function: Callable[[Operand, Operand], Operand]) -> Callable[[Operand, Operand], Operand]:
    """Return the larger or smaller of two, whose gradient goes to both where one is NaN, as PyTorch has it."""

    def chosen(x: Operand, y: Operand) -> Operand:
        found = function(x, y)
        if not is_float(type_of(x).dtype):
            return found
        return ops.where(ops.bit_or(ops.isnan(x), ops.isnan(y)), ops.add(x, y), found)

    return chosen


for _names, _operation in {
    "mul.Tensor mul.Scalar": ops.mul,
    "div.Tensor div.Scalar": ops.div,
    "minimum.default": _of_larger(ops.min),
    "maximum.default": _of_larger(ops.max),
    "pow.Tensor_Tensor pow.Tensor_Scalar pow.Scalar": ops.pow,
    "atan2.default": ops.arctan2,
    "bitwise_and.Tensor bitwise_and.Scalar bitwise_and.Scalar_Tensor": ops.bit_and,
    "bitwise_or.Tensor bitwise_or.Scalar bitwise_or.Scalar_Tensor": ops.bit_or,
    "bitwise_xor.Tensor bitwise_xor.Scalar bitwise_xor.Scalar_Tensor": ops.bit_xor,
    "logical_and.default": ops.bit_and,
    "logical_or.default": ops.bit_or,
    "logical_xor.default": ops.bit_xor,
    "hypot.default": ops.hypot,
    "copysign.Tensor copysign.Scalar": ops.copysign,
    "fmax.default": ops.fmax,
    "fmin.default": ops.fmin,
}.items():
    aten(*_names.split())(_binary(_operation))


def _remainder(function: Callable[[Operand, Operand], Operand]) -> Translation:
    def translate(types: Types, x: Any, y: Any) -> Operand:
        kind = types[0]
        return function(operand(x, kind.dtype, kind.shape), _divisor(y, kind))

    return translate


aten("fmod.Tensor", "fmod.Scalar")(_remainder(ops.fmod))
aten("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")(_remainder(ops.mod))


def _divisor(y: Any, kind: TensorType) -> Operand:
    """Return a divisor; of whole numbers the program asserts that it is not 0, as PyTorch raises a RuntimeError."""
    right = operand(y, kind.dtype, kind.shape)
    if is_float(kind.dtype) or (type(y) is int and y):
        return right
    required(ops.ne(right, ops.like(0, right)), "ZeroDivisionError")
    return right


def _sum_of(function: Callable[[Operand, Operand], Operand]) -> Translation:
    def translate(types: Types, x: Any, y: Any, alpha: float = 1) -> Operand:
        kind = types[0]
        right = operand(y, kind.dtype, kind.shape)
        if alpha != 1:
            right = ops.mul(right, operand(alpha, kind.dtype, kind.shape))
        return function(operand(x, kind.dtype, kind.shape), right)

    return translate


aten("add.Tensor", "add.Scalar")(_sum_of(ops.add))
aten("sub.Tensor", "sub.Scalar")(_sum_of(ops.sub))


@aten("rsub.Scalar", "rsub.Tensor")
def _rsub(types: Types, x: Any, y: Any, alpha: float = 1) -> Operand:
    return _sum_of(ops.sub)(types, y, x, alpha=alpha)


@aten("div.Tensor_mode", "div.Scalar_mode")
def _div_mode(types: Types, x: Any, y: Any, *, rounding_mode: str | None) -> Operand:
    kind = types[0]
    left = operand(x, kind.dtype, kind.shape)
    right = operand(y, kind.dtype, kind.shape) if rounding_mode is None else _divisor(y, kind)
    if rounding_mode == "floor":
        return ops.floor_div(left, right)
    if not is_float(kind.dtype):  # what fmod leaves is the part that trunc drops
        return ops.floor_div(ops.sub(left, ops.fmod(left, right)), right)
    quotient = ops.div(left, right)
    return ops.trunc(quotient) if rounding_mode == "trunc" else quotient


def _comparison(function: Callable[[Operand, Operand], Operand]) -> Translation:
    def translate(types: Types, x: Any, y: Any) -> Operand:
        dtype = common(x, y)
        return function(operand(x, dtype, types[0].shape), operand(y, dtype, types[0].shape))

    return translate


for _name, _operation in {
    "eq": ops.eq,
    "ne": ops.ne,
    "lt": ops.lt,
    "le": ops.le,
    "gt": ops.gt,
    "ge": ops.ge,
}.items():
    aten(f"{_name}.Tensor", f"{_name}.Scalar")(_comparison(_operation))


@aten("where.self")
def _where(types: Types, condition: Operand, x: Any, y: Any) -> Operand:
    kind = types[0]
    return ops.where(
        operand(condition, bool_, kind.shape), operand(x, kind.dtype, kind.shape), operand(y, kind.dtype, kind.shape)
    )


@aten("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(types: Types, x: Operand, mask: Operand, value: Any) -> Operand:
    return _where(types, mask, value, x)


@aten("clamp.default", "clamp.Tensor")
def _clamp(types: Types, x: Operand, low: Any = None, high: Any = None, **keywords: Any) -> Operand:
    """The gradient is of `x` from bound to bound, of a bound for what is beyond; of NaN it is 0."""
    kind = types[0]
    bounds = keywords.get("min", low), keywords.get("max", high)
    x = operand(x, kind.dtype, kind.shape)
    low, high = (None if bound is None else operand(bound, kind.dtype, kind.shape) for bound in bounds)
    value = x if low is None else ops.max(x, low)
    value = value if high is None else ops.min(value, high)
    if not is_float(kind.dtype):
        return value
    value = ops.stop_gradient(value)
    if high is not None and not _is_plain(bounds[1]):
        above = ops.gt(x, high) if low is None else ops.bit_or(ops.gt(x, high), ops.lt(high, low))
        value = ops.where(above, ops.where(ops.isnan(value), ops.add(high, value), high), value)  # NaN is kept
    if low is not None and not _is_plain(bounds[0]):
        below = ops.lt(x, low) if high is None else ops.bit_and(ops.lt(x, low), ops.lt(low, high))
        value = ops.where(below, low, value)
    inside = [test(x, bound) for test, bound in ((ops.ge, low), (ops.le, high)) if bound is not None]
    return ops.where(functools.reduce(ops.bit_and, inside), x, value)


def _is_plain(x: Any) -> bool:
    """Tell whether an argument is a number, to which no gradient goes."""
    return isinstance(x, (int, float, SizeNumber))


@aten("clamp_min.default", "clamp_min.Tensor")
def _clamp_min(types: Types, x: Operand, low: Any) -> Operand:
    return _clamp(types, x, low)


@aten("clamp_max.default", "clamp_max.Tensor")
def _clamp_max(types: Types, x: Operand, high: Any) -> Operand:
    return _clamp(types, x, None, high)


@aten("linear.default")
def _linear(types: Types, x: Operand, weight: Operand, bias: Operand | None = None) -> Operand:
    return composites.fully_connected(x, weight, bias, False)


@aten("mm.default", "bmm.default")
def _mm(types: Types, x: Operand, y: Operand) -> Operand:
    return ops.matmul(x, y)


@aten("matmul.default")
def _matmul(types: Types, x: Operand, y: Operand) -> Operand:
    left, right = type_of(x).shape, type_of(y).shape
    if len(left) == 1:
        x = ops.reshape(x, (1, *left))
    if len(right) == 1:
        y = ops.reshape(y, (*right, 1))
    batch = broadcast(type_of(x).shape[:-2], type_of(y).shape[:-2]) or ()
    x = ops.broadcast(x, (*batch, *type_of(x).shape[-2:]))
    y = ops.broadcast(y, (*batch, *type_of(y).shape[-2:]))
    return ops.reshape(ops.matmul(x, y), types[0].shape)


@aten("addmm.default", "baddbmm.default")
def _addmm(types: Types, c: Operand, x: Operand, y: Operand, *, beta: float = 1, alpha: float = 1) -> Operand:
    kind = types[0]
    product = ops.matmul(x, y)
    if alpha != 1:
        product = ops.mul(product, operand(alpha, kind.dtype, kind.shape))
    if beta == 0:
        return product
    c = operand(c, kind.dtype, kind.shape)
    return ops.add(product, c if beta == 1 else ops.mul(c, operand(beta, kind.dtype, kind.shape)))


@aten("addmv.default")
def _addmv(types: Types, c: Operand, x: Operand, y: Operand, *, beta: float = 1, alpha: float = 1) -> Operand:
    product = ops.reshape(ops.matmul(x, ops.reshape(y, (*type_of(y).shape, 1))), types[0].shape)
    return _sum_of(ops.add)(types, _scaled(product, alpha), _scaled(operand(c, types[0].dtype, types[0].shape), beta))


def _scaled(x: Operand, factor: float) -> Operand:
    return x if factor == 1 else ops.mul(x, ops.like(factor, x))


@aten("_trilinear.default")
def _trilinear(
    types: Types,
    x: Operand,
    y: Operand,
    z: Operand,
    first: Sequence[int],
    second: Sequence[int],
    third: Sequence[int],
    axes: Sequence[int],
    *_: Any,
) -> Operand:
    """The product of three tensors, each with new axes, added up along `axes`."""
    parts = []
    for part, new in ((x, first), (y, second), (z, third)):
        shape = list(type_of(part).shape)
        for axis in sorted(new):
            shape.insert(axis, 1)
        parts.append(ops.reshape(part, tuple(shape)))
    shape = [max(sizes) for sizes in zip(*(type_of(part).shape for part in parts), strict=True)]
    wide = [ops.broadcast(part, tuple(shape)) for part in parts]
    return ops.reshape(ops.sum(ops.mul(ops.mul(wide[0], wide[1]), wide[2]), axes_of(axes, len(shape))), types[0].shape)


@aten("softmax.int", "_softmax.default")
def _softmax(types: Types, x: Operand, axis: int, dtype: Any = None) -> Operand:
    return composites.softmax(operand(x, types[0].dtype, types[0].shape), axis % types[0].ndim)


@aten("log_softmax.int", "_log_softmax.default")
def _log_softmax(types: Types, x: Operand, axis: int, dtype: Any = None) -> Operand:
    return composites.log_softmax(operand(x, types[0].dtype, types[0].shape), axis % types[0].ndim)


@aten("layer_norm.default")
def _layer_norm(
    types: Types,
    x: Operand,
    shape: Sequence[int],
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn: bool = False,
) -> Operand:
    return _normalize(types[0], x, shape, weight, bias, eps)


@aten("native_layer_norm.default")
def _native_layer_norm(
    types: Types, x: Operand, shape: Sequence[int], weight: Any, bias: Any, eps: float
) -> tuple[Operand | None, ...]:
    return _normalize(types[0], x, shape, weight, bias, eps), None, None


@aten("native_group_norm.default")
def _group_norm(
    types: Types, x: Operand, weight: Any, bias: Any, batch: int, channels: int, size: int, groups: int, eps: float
) -> tuple[Operand | None, ...]:
    gamma, beta = (
        operand(default if part is None else part, types[0].dtype, (channels,))
        for part, default in ((weight, 1.0), (bias, 0.0))
    )
    return composites.group_norm(x, gamma, beta, groups, eps), None, None


def _normalize(kind: TensorType, x: Operand, shape: Sequence[int], weight: Any, bias: Any, eps: float) -> Operand:
    """Layer norm over the trailing axes `shape`, as one row."""
    rows = (*kind.shape[: kind.ndim - len(shape)], product(shape))
    row = ops.reshape(x, rows) if len(shape) != 1 else x
    gamma = operand(1.0 if weight is None else ops.reshape(weight, rows[-1:]), kind.dtype, rows[-1:])
    beta = operand(0.0 if bias is None else ops.reshape(bias, rows[-1:]), kind.dtype, rows[-1:])
    return ops.reshape(composites.layer_norm(row, gamma, beta, len(rows) - 1, eps), kind.shape)


# Shapes.


@aten(
    "view.default",
    "_unsafe_view.default",
    "reshape.default",
    "unsqueeze.default",
    "squeeze.dims",
    "squeeze.dim",
    "squeeze.default",
    "flatten.using_ints",
    "unflatten.int",
)
def _reshape(types: Types, x: Operand, *_: Any) -> Operand:
    return ops.reshape(x, types[0].shape)


@aten("copy.default")
def _copy(types: Types, x: Operand, source: Any, *_: Any) -> Operand:
    return operand(source, types[0].dtype, types[0].shape)


@aten("clone.default", "alias.default", "contiguous.default", "lift_fresh_copy.default")
def _same(types: Types, x: Operand, **_: Any) -> Operand:
    return x


@aten("detach.default")
def _detach(types: Types, x: Operand) -> Operand:
    return ops.stop_gradient(x) if is_float(types[0].dtype) else x


@aten("_to_copy.default", "to.dtype")
def _to(types: Types, x: Operand, *_: Any, **__: Any) -> Operand:
    return operand(x, types[0].dtype, types[0].shape)


@aten("permute.default")
def _permute(types: Types, x: Operand, axes: Sequence[int]) -> Operand:
    return ops.transpose(x, tuple(axis % len(axes) for axis in axes))


@aten("t.default")
def _t(types: Types, x: Operand) -> Operand:
    return ops.transpose(x, (1, 0)) if types[0].ndim == 2 else x


@aten("transpose.int")
def _transpose(types: Types, x: Operand, first: int, second: int) -> Operand:
    axes = list(range(types[0].ndim))
    axes[first], axes[second] = axes[second], axes[first]
    return ops.transpose(x, tuple(axes))


@aten("expand.default")
def _expand(types: Types, x: Operand, *_: Any, **__: Any) -> Operand:
    return ops.broadcast(x, types[0].shape)


@aten("cat.default")
def _cat(types: Types, xs: Sequence[Operand], axis: int = 0) -> Operand:
    kind = types[0]
    parts = [operand(x, kind.dtype, type_of(x).shape) for x in xs if type_of(x).ndim == kind.ndim]
    return ops.concat(*parts, axis=axis % kind.ndim)


@aten("stack.default")
def _stack(types: Types, xs: Sequence[Operand], axis: int = 0) -> Operand:
    axis %= types[0].ndim
    parts = [ops.reshape(x, (*type_of(x).shape[:axis], 1, *type_of(x).shape[axis:])) for x in xs]
    return ops.concat(*parts, axis=axis)


def _sliced(x: Operand, axis: int, start: int, stop: int, step: int = 1) -> Operand:
    shape = type_of(x).shape
    starts, stops, steps = [0] * len(shape), list(shape), [1] * len(shape)
    starts[axis], stops[axis], steps[axis] = start, stop, step
    return ops.slice(x, tuple(starts), tuple(stops), tuple(steps))


@aten("slice.Tensor")
def _slice(
    types: Types, x: Operand, axis: int = 0, start: int | None = None, stop: int | None = None, step: int = 1
) -> Operand:
    axis %= type_of(x).ndim
    size = type_of(x).shape[axis]
    first, last = _bound(start, size, 0), _bound(stop, size, size)
    return _sliced(x, axis, first, maximum(first, last), step)


def _bound(at: int | None, size: int, default: int) -> int:
    """Return the start or stop of a slice within the axis; a negative one counts from the end."""
    if at is None:
        return default
    at = at + size if at < 0 else at
    return 0 if at < 0 else size if at > size else at


@aten("slice_scatter.default")
def _slice_scatter(
    types: Types,
    x: Operand,
    part: Operand,
    axis: int = 0,
    start: int | None = None,
    stop: int | None = None,
    step: int = 1,
) -> Operand:
    shape = types[0].shape
    axis %= len(shape)
    first = _bound(start, shape[axis], 0)
    starts = tuple(first if k == axis else 0 for k in range(len(shape)))
    last = maximum(first, _bound(stop, shape[axis], shape[axis]))
    stops = tuple(last if k == axis else size for k, size in enumerate(shape))
    steps = tuple(step if k == axis else 1 for k in range(len(shape)))
    return ops.update_slice(x, operand(part, types[0].dtype, type_of(part).shape), starts, stops, steps)


@aten("select_scatter.default")
def _select_scatter(types: Types, x: Operand, part: Operand, axis: int, index: int) -> Operand:
    shape = types[0].shape
    axis %= len(shape)
    index = index + shape[axis] if index < 0 else index
    starts = tuple(index if k == axis else 0 for k in range(len(shape)))
    stops = tuple(index + 1 if k == axis else size for k, size in enumerate(shape))
    wide = tuple(1 if k == axis else size for k, size in enumerate(shape))
    part = ops.reshape(operand(part, types[0].dtype, type_of(part).shape), wide)
    return ops.update_slice(x, part, starts, stops, (1,) * len(shape))


@aten("select.int")
def _select(types: Types, x: Operand, axis: int, index: int) -> Operand:
    axis %= type_of(x).ndim
    index = index + type_of(x).shape[axis] if index < 0 else index
    return ops.reshape(_sliced(x, axis, index, index + 1), types[0].shape)


@aten("split_with_sizes.default", "split.Tensor", "split.sizes", "chunk.default", "unbind.int")
def _split(types: Types, x: Operand, sizes: Any = None, axis: int = 0) -> tuple[Operand, ...]:
    unbind = len(types[0].shape) < type_of(x).ndim
    axis = (sizes or 0 if unbind else axis) % type_of(x).ndim
    parts, start = [], 0
    for kind in types:
        stop = start + (1 if unbind else kind.shape[axis])
        parts.append(ops.reshape(_sliced(x, axis, start, stop), kind.shape))
        start = stop
    return tuple(parts)


@aten("flip.default")
def _flip(types: Types, x: Operand, axes: Sequence[int]) -> Operand:
    shape = types[0].shape
    starts, stops, steps = [0] * len(shape), list(shape), [1] * len(shape)
    for axis in axes_of(axes, len(shape)):
        starts[axis], stops[axis], steps[axis] = shape[axis] - 1, -1, -1
    return ops.slice(x, tuple(starts), tuple(stops), tuple(steps))


@aten("constant_pad_nd.default")
def _pad(types: Types, x: Operand, pad: Sequence[int], value: float = 0) -> Operand:
    ndim = type_of(x).ndim
    low, high = [0] * ndim, [0] * ndim
    for i in range(len(pad) // 2):
        low[ndim - 1 - i], high[ndim - 1 - i] = pad[2 * i], pad[2 * i + 1]
    shape = type_of(x).shape
    if min(pad) < 0:
        starts = tuple(max(0, -p) for p in low)
        stops = tuple(n - max(0, -p) for n, p in zip(shape, high, strict=True))
        x = ops.slice(x, starts, stops, (1,) * ndim)
    padded = tuple(max(0, p) for p in low), tuple(max(0, p) for p in high)
    return ops.pad(x, operand(value, types[0].dtype), *padded)


@aten("repeat.default")
def _repeat(types: Types, x: Operand, repeats: Sequence[int]) -> Operand:
    shape = (*(1,) * (len(repeats) - type_of(x).ndim), *type_of(x).shape)
    apart = tuple(n for pair in zip((1,) * len(shape), shape, strict=True) for n in pair)
    wide = tuple(n for pair in zip(repeats, shape, strict=True) for n in pair)
    return ops.reshape(ops.broadcast(ops.reshape(x, apart), wide), types[0].shape)


# Creation.


@aten("full.default", "full_like.default", "scalar_tensor.default")
def _full(types: Types, *arguments: Any, **_: Any) -> Operand:
    return operand(arguments[-1], types[0].dtype, types[0].shape)


@aten("zeros.default", "zeros_like.default", "new_zeros.default")
def _zeros(types: Types, *_: Any, **__: Any) -> Operand:
    return operand(0, types[0].dtype, types[0].shape)


@aten("ones.default", "ones_like.default", "new_ones.default")
def _ones(types: Types, *_: Any, **__: Any) -> Operand:
    return operand(1, types[0].dtype, types[0].shape)


@aten("arange.start_step")
def _arange(types: Types, start: float, stop: float, step: float = 1, **_: Any) -> Operand:
    kind = types[0]
    if known((start, stop, step)):  # type: ignore[arg-type]
        return ops.constant(numpy.arange(start, stop, step).astype(kind.dtype))
    # In the widest numbers of its kind, as start and step may be fractions of what an index counts.
    wide = kind.with_dtype(float64 if is_float(kind.dtype) else int64)
    index = ops.mul(ops.iota(wide.shape, 0, wide.dtype), operand(step, wide.dtype, wide.shape))
    return ops.cast(ops.add(index, operand(start, wide.dtype, wide.shape)), kind.dtype)


@aten("_assert_tensor_metadata.default", "_assert_async.msg")
def _nothing(types: Types, *_: Any, **__: Any) -> None:
    return None

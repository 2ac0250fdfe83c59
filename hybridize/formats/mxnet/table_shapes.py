# SPDX-License-Identifier: Apache-2.0
"""MXNet's operators that move elements: shapes, slices, joins, look-ups, matrix products, constants."""

from __future__ import annotations

import math
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dtypes import FLOATS, float32, int64
from hybridize.base.types import Shape
from hybridize.formats.mxnet.attributes import Attributes
from hybridize.formats.mxnet.operands import (
    apply,
    axis_of,
    broadcast,
    cast,
    dtype_of,
    full,
    like,
    reshape,
    shape_of,
    sliced,
    transpose,
)
from hybridize.formats.mxnet.table import operator, with_axis
from hybridize.ops import composites
from hybridize.ops.op import Operand, bind1, constant, type_of

# ----------------------------------------------------------------------------------------------------------- shapes


@operator("Flatten")
def _flatten(a: Attributes, x: Operand) -> Operand:
    return composites.flatten(x)


@operator("Reshape")
def _reshape(a: Attributes, x: Operand) -> Operand:
    target = a.integers("shape", ()) or a.integers("target_shape", ())
    if not target:
        a.fail("the attribute shape is missing")
    shape = shape_of(x)
    if a.flag("reverse", False):
        if any(code in (-2, -3, -4) for code in target):
            a.fail(f"shape={target} with reverse is not supported")
        return reshape(x, _coded(a, shape[::-1], target[::-1], _LEGACY)[::-1])
    return reshape(x, _coded(a, shape, target, _LEGACY))


_LEGACY = {0: "kept", -1: "inferred", -2: "rest", -3: "joined", -4: "split"}
"""Codes of 1.x, by what becomes of the axes that follow."""
_NUMPY = {0: "size", -1: "inferred", -2: "kept", -3: "dropped", -4: "rest", -5: "joined", -6: "split"}
"""Those of `npx.reshape`."""


def _coded(a: Attributes, shape: Shape, target: tuple[int, ...], codes: dict[int, str]) -> Shape:
    """Return the shape that sizes and codes say of an array of `shape`, whose axes they take one after the other."""
    result: list[int] = []
    left, position = list(target), 0
    while left:
        code = left.pop(0)
        match "size" if code > 0 else codes.get(code):
            case "size" | "inferred":
                result.append(code)
                position += 1
            case "kept":
                result.append(_size(a, shape, position))
                position += 1
            case "dropped":
                if _size(a, shape, position) != 1:
                    a.fail(f"it drops axis {position} of shape {shape}, whose size is not 1")
                position += 1
            case "rest":
                result.extend(shape[position:])
                position = len(shape)
            case "joined":
                result.append(_size(a, shape, position) * _size(a, shape, position + 1))
                position += 2
            case "split" if len(left) >= 2:
                result.extend(_split(a, _size(a, shape, position), left.pop(0), left.pop(0)))
                position += 1
            case _:
                a.fail(f"the shape {target} has an unknown code {code}")
    return _inferred(a, shape, result)


def _size(a: Attributes, shape: Shape, position: int) -> int:
    if position >= len(shape):
        a.fail(f"it names axis {position} of an array of shape {shape}")
    return shape[position]


def _split(a: Attributes, size: int, first: int, second: int) -> tuple[int, int]:
    if first == -1 and second > 0:
        first = size // second
    elif second == -1 and first > 0:
        second = size // first
    if first * second != size or first < 0:
        a.fail(f"an axis of size {size} cannot be split into {first} and {second}")
    return first, second


def _inferred(a: Attributes, shape: Shape, result: list[int]) -> Shape:
    """`result` with its one -1 replaced."""
    known = math.prod(size for size in result if size != -1)
    if result.count(-1) == 1 and known > 0:
        result = [math.prod(shape) // known if size == -1 else size for size in result]
    if -1 in result or math.prod(result) != math.prod(shape):
        a.fail(f"an array of shape {shape} cannot become {tuple(result)}")
    return tuple(result)


@operator("_npx_reshape", "_npi_reshape", "_np_reshape")
def _np_reshape(a: Attributes, x: Operand) -> Operand:
    a.only(order="C", reverse=False)
    target, shape = a.integers("newshape"), shape_of(x)
    if a.op == "_npx_reshape":
        return reshape(x, _coded(a, shape, target, _NUMPY))
    return reshape(x, _inferred(a, shape, list(target)))


@operator("transpose", "_np_transpose", "_npi_transpose")
def _transpose(a: Attributes, x: Operand) -> Operand:
    count = len(shape_of(x))
    axes = a.axes("axes")
    order = tuple(reversed(range(count))) if axes is None else tuple(axis_of(axis, count) for axis in axes)
    if sorted(order) != list(range(count)):
        a.fail(f"axes={axes} is not an order of {count} axes")
    return transpose(x, order)


@operator("SwapAxis")
def _swap(a: Attributes, x: Operand) -> Operand:
    order = list(range(len(shape_of(x))))
    i, j = (axis_of(a.integer(key, 0), len(order)) for key in ("dim1", "dim2"))
    order[i], order[j] = order[j], order[i]
    return transpose(x, order)


@operator("expand_dims", "_npi_expand_dims")
def _expand_dims(a: Attributes, x: Operand) -> Operand:
    shape = list(shape_of(x))
    shape.insert(axis_of(a.integer("axis"), len(shape) + 1), 1)
    return reshape(x, tuple(shape))


@operator("squeeze", "_np_squeeze", "_npi_squeeze")
def _squeeze(a: Attributes, x: Operand) -> Operand:
    shape = shape_of(x)
    axes = a.axes("axis")
    chosen = (
        {k for k, size in enumerate(shape) if size == 1} if axes is None else {axis_of(k, len(shape)) for k in axes}
    )
    if any(shape[k] != 1 for k in chosen):
        a.fail(f"it squeezes axes {tuple(sorted(chosen))} of shape {shape}")
    return reshape(x, tuple(size for k, size in enumerate(shape) if k not in chosen))


@operator("broadcast_to", "_np_broadcast_to", "_npi_broadcast_to")
def _broadcast_to(a: Attributes, x: Operand) -> Operand:
    shape = shape_of(x)
    target = a.integers("shape")
    if a.op == "broadcast_to":
        target = tuple(_size(a, shape, k) if size == 0 else size for k, size in enumerate(target))
    return broadcast(x, target)


@operator("broadcast_axis")
def _broadcast_axis(a: Attributes, x: Operand) -> Operand:
    shape = list(shape_of(x))
    for axis, size in zip(a.integers("axis", ()), a.integers("size", ()), strict=True):
        shape[axis_of(axis, len(shape))] = size
    return broadcast(x, tuple(shape))


@operator("broadcast_like")
def _broadcast_like(a: Attributes, x: Operand, y: Operand) -> Operand:
    a.only(lhs_axes=None, rhs_axes=None)
    return broadcast(x, shape_of(y))


@operator("tile", "_npi_tile")
def _tile(a: Attributes, x: Operand) -> Operand:
    reps = a.integers("reps")
    count = max(len(reps), len(shape_of(x)))
    x = reshape(x, (1,) * (count - len(shape_of(x))) + shape_of(x))
    for axis, times in enumerate((1,) * (count - len(reps)) + reps):
        x = x if times == 1 else bind1(ops.Concat(axis), *[x] * times) if times else _none(x, axis)
    return x


def _none(x: Operand, axis: int) -> Operand:
    return sliced(x, [(None, None, None)] * axis + [(0, 0, None)])


# --------------------------------------------------------------------------------------------------- slices and joins


@operator("slice")
def _slice(a: Attributes, x: Operand) -> Operand:
    begin, end = a.positions("begin"), a.positions("end")
    step = a.positions("step") if a.values.get("step") else ()
    if len(begin) != len(end) or len(begin) > len(shape_of(x)):
        a.fail(f"begin and end are for {len(begin)} and {len(end)} of {len(shape_of(x))} axes")
    steps = [*step, *[None] * (len(begin) - len(step))]
    if 0 in steps:
        a.fail("a step is 0")
    return sliced(x, list(zip(begin, end, steps, strict=True)))


@operator("slice_axis")
def _slice_axis(a: Attributes, x: Operand) -> Operand:
    axis = axis_of(a.integer("axis"), len(shape_of(x)))
    bounds: list[tuple[int | None, int | None, int | None]] = [(None, None, None)] * axis
    return sliced(x, [*bounds, (a.integer("begin"), a.optional_integer("end"), None)])


@operator("slice_like")
def _slice_like(a: Attributes, x: Operand, y: Operand) -> Operand:
    chosen = a.axes("axes")
    axes = range(len(shape_of(x))) if chosen is None else [axis_of(k, len(shape_of(x))) for k in chosen]
    return sliced(x, [(0, shape_of(y)[k], None) if k in axes else (None, None, None) for k in range(len(shape_of(x)))])


@operator("SliceChannel", "_npi_split")
def _split_evenly(a: Attributes, x: Operand) -> tuple[Operand, ...]:
    shape = shape_of(x)
    axis, count = axis_of(a.integer("axis", 1), len(shape)), a.integer("num_outputs")
    if count < 1 or shape[axis] % count:
        a.fail(f"an axis of size {shape[axis]} cannot be split into {count}")
    return _pieces(x, axis, range(0, shape[axis], shape[axis] // count), a.flag("squeeze_axis", False))


@operator("_split_v2")
def _split_at(a: Attributes, x: Operand) -> tuple[Operand, ...]:
    shape = shape_of(x)
    axis, sections = axis_of(a.integer("axis", 1), len(shape)), a.integer("sections", 0)
    if sections > 0 and shape[axis] % sections:
        a.fail(f"an axis of size {shape[axis]} cannot be split into {sections}")
    starts = range(0, shape[axis], shape[axis] // sections) if sections > 0 else a.integers("indices")
    return _pieces(x, axis, starts, a.flag("squeeze_axis", False))


def _pieces(x: Operand, axis: int, starts: Any, squeeze: bool) -> tuple[Operand, ...]:
    """`x` cut along `axis` where the pieces start."""
    shape = shape_of(x)
    ends = [*starts[1:], shape[axis]]
    parts = [sliced(x, [(None, None, None)] * axis + [(b, e, None)]) for b, e in zip(starts, ends, strict=True)]
    if squeeze:
        parts = [reshape(part, shape[:axis] + shape[axis + 1 :]) for part in parts]
    return tuple(parts)


@operator("Concat", "_npi_concatenate")
def _concat(a: Attributes, *xs: Operand) -> Operand:
    xs = tuple(cast(x, dtype_of(xs[0])) for x in xs)
    return bind1(ops.Concat(axis_of(a.integer("dim", 1), len(shape_of(xs[0])))), *xs)


@operator("stack", "_npi_stack")
def _stack(a: Attributes, *xs: Operand) -> Operand:
    shape = list(shape_of(xs[0]))
    axis = axis_of(a.integer("axis", 0), len(shape) + 1)
    shape.insert(axis, 1)
    return bind1(ops.Concat(axis), *(reshape(x, tuple(shape)) for x in xs))


@operator("reverse")
def _reverse(a: Attributes, x: Operand) -> Operand:
    axes = {axis_of(axis, len(shape_of(x))) for axis in a.integers("axis")}
    return sliced(x, [(None, None, -1 if k in axes else None) for k in range(len(shape_of(x)))])


# ---------------------------------------------------------------------------------------------------------- look-ups


def _indices(a: Attributes, indices: Operand, size: int) -> Operand:
    """Indices as int64 within [0, size): MXNet keeps them in floats, and clips or wraps what lies outside."""
    mode = a.text("mode", "clip")
    indices = cast(indices, int64)
    last = like(size - 1, indices)
    if mode == "wrap":
        return bind1(ops.Mod(), indices, like(size, indices))
    if mode == "raise":
        a.fail("mode=raise is not supported, only clip and wrap")
    return bind1(ops.Min(), bind1(ops.Max(), indices, like(0, indices)), last)


@operator("take")
def _take(a: Attributes, x: Operand, indices: Operand) -> Operand:
    axis = axis_of(a.integer("axis", 0), len(shape_of(x)))
    return bind1(ops.Gather(axis), x, _indices(a, indices, shape_of(x)[axis]))


@operator("Embedding")
def _embedding(a: Attributes, indices: Operand, weight: Operand) -> Operand:
    return composites.embedding(_indices(a, indices, shape_of(weight)[0]), weight)


@operator("pick")
def _pick(a: Attributes, x: Operand, indices: Operand) -> Operand:
    shape = shape_of(x)
    axis = axis_of(a.integer("axis", -1), len(shape))
    column = (*shape[:axis], 1, *shape[axis + 1 :])
    found = bind1(ops.TakeAlongAxis(axis), x, reshape(_indices(a, indices, shape[axis]), column))
    return found if a.flag("keepdims", False) else reshape(found, shape[:axis] + shape[axis + 1 :])


@operator("one_hot")
def _one_hot(a: Attributes, indices: Operand) -> Operand:
    dtype = a.dtype("dtype", float32) or float32
    on, off = float(a.number("on_value", 1)), float(a.number("off_value", 0))
    return composites.one_hot(cast(indices, int64), a.integer("depth"), on, off, dtype)


# --------------------------------------------------------------------------------------------------- matrix products


def _matrices(a: Attributes, x: Operand, y: Operand) -> Operand:
    """[..., m, k] times [..., k, n], leading axes broadcast."""
    if dtype_of(x) not in FLOATS or len(shape_of(x)) < 2 or len(shape_of(y)) < 2:
        a.fail(f"no matrix product of {type_of(x)} and {type_of(y)}")
    batch = numpy.broadcast_shapes(shape_of(x)[:-2], shape_of(y)[:-2])
    x, y = (broadcast(value, batch + shape_of(value)[-2:]) for value in (x, cast(y, dtype_of(x))))
    return bind1(ops.Matmul(False, False), x, y)


def _turned(x: Operand, turn: bool) -> Operand:
    count = len(shape_of(x))
    return transpose(x, (*range(count - 2), count - 1, count - 2)) if turn else x


@operator("batch_dot", "_linalg_gemm2")
def _batch_dot(a: Attributes, x: Operand, y: Operand) -> Operand:
    x, y = _turned(x, a.flag("transpose_a", False)), _turned(y, a.flag("transpose_b", False))
    found = _matrices(a, x, y)
    a.only(axis=-2)
    alpha = a.number("alpha", 1.0)
    return found if alpha == 1 else bind1(ops.Mul(), found, like(alpha, found))


@operator("dot")
def _dot(a: Attributes, x: Operand, y: Operand) -> Operand:
    """1.x's `dot`: the last axis of `x` with the first of `y`."""
    if a.flag("transpose_a", False):
        x = transpose(x, (*range(1, len(shape_of(x))), 0))
    if a.flag("transpose_b", False):
        count = len(shape_of(y))
        y = transpose(y, (count - 1, *range(count - 1)))
    return _contracted(a, x, y, 0)


@operator("_npi_dot", "_np_dot")
def _np_dot(a: Attributes, x: Operand, y: Operand) -> Operand:
    if not shape_of(x) or not shape_of(y):
        return apply(ops.Mul(), x, y)
    return _contracted(a, x, y, max(len(shape_of(y)) - 2, 0))


def _contracted(a: Attributes, x: Operand, y: Operand, axis: int) -> Operand:
    """The last axis of `x` with `axis` of `y`."""
    left, right = shape_of(x), shape_of(y)
    order = (axis, *(k for k in range(len(right)) if k != axis))
    if left[-1] != right[axis]:
        a.fail(f"{type_of(x)} and {type_of(y)} cannot be multiplied")
    rows, inner = math.prod(left[:-1]), left[-1]
    flat = _matrices(
        a, reshape(x, (rows, inner)), reshape(transpose(y, order), (inner, math.prod(right) // max(inner, 1)))
    )
    shape = left[:-1] + tuple(right[k] for k in order[1:])
    return with_axis(a, reshape(flat, shape))


@operator("_npi_matmul")
def _matmul(a: Attributes, x: Operand, y: Operand) -> Operand:
    left, right = shape_of(x), shape_of(y)
    x = reshape(x, (1, *left)) if len(left) == 1 else x
    y = reshape(y, (*right, 1)) if len(right) == 1 else y
    found = _matrices(a, x, y)
    batch, rows, columns = shape_of(found)[:-2], shape_of(found)[-2:-1], shape_of(found)[-1:]
    return reshape(found, batch + (rows if len(left) > 1 else ()) + (columns if len(right) > 1 else ()))


# --------------------------------------------------------------------------------------------------------- constants

_MAX_RANGE = 1 << 28


@operator("zeros_like", "_npi_zeros_like")
def _zeros_like(a: Attributes, x: Operand) -> Operand:
    return full(0, shape_of(x), a.dtype("dtype", dtype_of(x)) or float32)


@operator("ones_like", "_npi_ones_like")
def _ones_like(a: Attributes, x: Operand) -> Operand:
    return full(1, shape_of(x), a.dtype("dtype", dtype_of(x)) or float32)


@operator("_npi_full_like")
def _full_like(a: Attributes, x: Operand) -> Operand:
    return full(a.number("fill_value"), shape_of(x), a.dtype("dtype", dtype_of(x)) or float32)


@operator("_zeros", "_ones", "_npi_zeros", "_npi_ones", "_full", "_npi_full")
def _constant(a: Attributes) -> Operand:
    value = a.number("value") if a.op.endswith("full") else 1 if a.op.endswith("ones") else 0
    shape = a.integers("shape", ())
    if any(size < 0 or (size == 0 and not a.np_shape) for size in shape):
        a.fail(f"shape={shape} has a size that is not known")
    return full(value, shape, a.dtype("dtype", float32) or float32)


@operator("_arange", "_npi_arange")
def _arange(a: Attributes) -> Operand:
    start, step = a.number("start", 0), a.number("step", 1)
    stop = a.number("stop") if a.values.get("stop") not in (None, "None") else None
    if stop is None:
        start, stop = 0, start
    a.only(infer_range=False)
    if not step or abs((stop - start) / step) > _MAX_RANGE:
        a.fail(f"a range from {start} to {stop} by {step}")
    values = numpy.repeat(numpy.arange(start, stop, step), a.integer("repeat", 1))
    return constant(values.astype(a.dtype("dtype", float32) or float32))

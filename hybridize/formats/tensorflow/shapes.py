# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow that move elements or say shapes: sizes, reshapes, slices, joins."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import DType, int32, int64
from hybridize.formats.foreign import slices
from hybridize.formats.foreign.arrays import (
    aligned,
    filled,
    from_batch,
    is_number,
    reshaped,
    tiled,
    to_batch,
    with_axes,
    without_axes,
)
from hybridize.formats.foreign.known import LARGEST, Known, Vector, operand_of, ranged
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops.library.padding import padded
from hybridize.ops.library.resizing import depth_to_space, space_to_depth
from hybridize.ops.op import Operand, type_of

# --------------------------------------------------------------------------------------------------------- known values


def dtype_of(n: Application, name: str, default: DType) -> DType:
    """Return an attribute that is an element type."""
    dtype = n.attributes.get(name, default)
    if not isinstance(dtype, numpy.dtype):
        n.fail(f"the attribute {name} is {dtype}, which is not supported")
    return dtype


def kind_of(x: Value) -> Any:
    """Return the type of a value that is an array."""
    return x.type if isinstance(x, Known) else type_of(operand_of(x))


@TENSORFLOW("Shape", values=True, by_types=True)
def shape(n: Application, x: Value) -> Known:
    """The sizes of an array."""
    return Known.of(list(kind_of(x).shape), dtype_of(n, "out_type", int32))


@TENSORFLOW("ShapeN", values=True, by_types=True)
def shapes(n: Application, *xs: Value) -> tuple[Known, ...]:
    """The sizes of arrays."""
    return tuple(shape(n, x) for x in xs)


@TENSORFLOW("Size", values=True, by_types=True)
def size(n: Application, x: Value) -> Known:
    """The number of elements."""
    return Known.of(math.prod(kind_of(x).shape), dtype_of(n, "out_type", int32))


@TENSORFLOW("Rank", values=True, by_types=True)
def rank(n: Application, x: Value) -> Known:
    """The number of axes."""
    return Known.of(kind_of(x).ndim, int32)


@TENSORFLOW("Empty", known=(0,))
def empty(n: Application, sizes: Known) -> Operand:
    """An array whose elements nobody has set: zeros, which `init` asks for."""
    n.flag("init")
    return filled(0, sizes.list(), dtype_of(n, "dtype", int32))


@TENSORFLOW("Fill", values=True)
def fill(n: Application, sizes: Value, value: Value) -> Value:
    """An array that is one number everywhere."""
    shape = n.known(sizes, 0).list()
    if isinstance(value, Known) and not value.symbolic:
        if dims.known(shape) and math.prod(shape) <= LARGEST:
            return Known(numpy.full(shape, value.item(), value.dtype), value.dtype)
        return filled(value.item(), shape, value.dtype)
    return aligned(operand_of(value), tuple(shape))


@TENSORFLOW("Range", values=True)
def arange(n: Application, start: Value, limit: Value, delta: Value) -> Value:
    """Numbers from one to before another."""
    return ranged(*(n.known(x, k) for k, x in enumerate((start, limit, delta))))


@TENSORFLOW("BroadcastArgs", known=(0, 1))
def stretched_sizes(n: Application, x: Known, y: Known) -> Known:
    """The shape to which two stretch."""
    shape = dims.broadcast(tuple(x.list()), tuple(y.list()))
    if shape is None:
        n.fail(f"{x.list()} and {y.list()} do not stretch to one shape")
    return Known.of(list(shape), x.dtype)


@TENSORFLOW("EnsureShape", values=True)
def ensure_shape(n: Application, x: Value) -> Value:
    """The array itself, which has the shape that is stated."""
    wanted, own = n.attributes["shape"].sizes, kind_of(x).shape
    if wanted is not None and (len(wanted) != len(own) or any(a is not None and b != a for a, b in zip(wanted, own))):  # noqa: B905
        n.fail(f"{kind_of(x)} is not of the shape {n.attributes['shape']}")
    return x


# ---------------------------------------------------------------------------------------------------------------- views


@TENSORFLOW("Reshape", known=(1,))
def reshape(n: Application, x: Operand, sizes: Known) -> Operand:
    """The same elements under another shape."""
    return reshaped(x, sizes.list())


@TENSORFLOW("Transpose", known=(1,))
def transpose(n: Application, x: Operand, order: Known) -> Operand:
    """The axes in another order."""
    return ops.transpose(x, n.axes_of(order.list(), type_of(x).ndim))


@TENSORFLOW("ExpandDims", known=(1,))
def expand_dims(n: Application, x: Operand, axis: Known) -> Operand:
    """A new axis of size 1."""
    return with_axes(x, n.axes_of(axis.list(), type_of(x).ndim + 1))


@TENSORFLOW("Squeeze")
def squeeze(n: Application, x: Operand) -> Operand:
    """Without axes of size 1: those that are named, or all."""
    shape = type_of(x).shape
    chosen = n.integers("squeeze_dims", ())
    axes = n.axes_of(chosen, len(shape)) if chosen else tuple(k for k, size in enumerate(shape) if size == 1)
    return without_axes(x, axes)


@TENSORFLOW("BroadcastTo", known=(1,))
def broadcast_to(n: Application, x: Operand, sizes: Known) -> Operand:
    """An array stretched to a shape."""
    return aligned(x, tuple(sizes.list()))


@TENSORFLOW("Bitcast")
def bitcast(n: Application, x: Operand) -> Operand:
    """The same bits as another type of the same size."""
    return ops.bitcast(x, dtype_of(n, "type", int32))


# ---------------------------------------------------------------------------------------------------------------- joins


@TENSORFLOW("Pack", values=True)
def pack(n: Application, *xs: Value) -> Value:
    """Arrays along a new axis."""
    scalars, place = all(kind_of(x).ndim == 0 for x in xs), n.integer("axis", 0)
    if scalars and all(isinstance(x, Known) for x in xs):
        return Known.of([x.item() for x in xs], xs[0].dtype)
    if scalars:
        return Vector(xs)
    axis = n.axis_of(place, kind_of(xs[0]).ndim + 1)
    if all(isinstance(x, Known) for x in xs) and sum(x.array.size for x in xs) <= LARGEST:
        return Known(numpy.stack([x.array for x in xs], axis), xs[0].dtype)
    return ops.concat(*(with_axes(operand_of(x), (axis,)) for x in xs), axis=axis)


@TENSORFLOW("Unpack", values=True)
def unpack(n: Application, x: Value) -> Sequence[Value]:
    """The parts of an axis, which goes away."""
    place, count = n.integer("axis", 0), n.integer("num")
    if isinstance(x, Vector):
        return x.parts
    if isinstance(x, Known) and x.array.ndim == 1:
        return tuple(Known.of(one, x.dtype) for one in x.list())
    x = operand_of(x)
    axis = n.axis_of(place, type_of(x).ndim)
    if type_of(x).shape[axis] != count:
        n.fail(f"{type_of(x)} has no {count} parts along axis {axis}")
    return tuple(without_axes(ops.part(x, axis, k, k + 1), (axis,)) for k in range(count))


@TENSORFLOW("ConcatV2", known=(-1,))
def concat(n: Application, *xs: Any) -> Operand:
    """Arrays one after the other."""
    *arrays, axis = xs
    return ops.concat(*arrays, axis=n.axis_of(axis.item(), type_of(arrays[0]).ndim))


@TENSORFLOW("Concat", known=(0,))
def concat_of_axis(n: Application, axis: Known, *xs: Operand) -> Operand:
    """Arrays one after the other."""
    return ops.concat(*xs, axis=n.axis_of(axis.item(), type_of(xs[0]).ndim))


@TENSORFLOW("Tile", known=(1,))
def tile(n: Application, x: Operand, times: Known) -> Operand:
    """An array repeated along its axes."""
    return tiled(x, times.list())


@TENSORFLOW("Roll", known=(1, 2))
def roll(n: Application, x: Operand, shift: Known, axes: Known) -> Operand:
    """Elements moved along axes, those that leave one end come in at the other."""
    kind = type_of(x)
    for by, axis in zip(shift.list(), n.axes_of(axes.list(), kind.ndim), strict=True):
        cut = -by % kind.shape[axis]
        x = ops.concat(ops.part(x, axis, cut, kind.shape[axis]), ops.part(x, axis, 0, cut), axis=axis)
    return x


@TENSORFLOW("Pad", "PadV2", known=(1,))
def pad(n: Application, x: Operand, widths: Known, value: Operand | None = None) -> Operand:
    """A number before and after each axis."""
    kind, numbers = type_of(x), widths.list()
    value = ops.scalar(0, kind.dtype) if value is None else value
    return ops.pad(x, value, tuple(numbers[::2]), tuple(numbers[1::2]))


@TENSORFLOW("MirrorPad", known=(1,))
def mirror_pad(n: Application, x: Operand, widths: Known) -> Operand:
    """The array's own elements, the other way round, before and after each axis."""
    return mirrored(n, x, widths)


def mirrored(n: Application, x: Operand, widths: Known) -> Operand:
    """Return an array padded with its own elements as an attribute says."""
    mode = n.text("mode", None, ("REFLECT", "SYMMETRIC")).lower()
    numbers = widths.list()
    for axis, (before, after) in enumerate(zip(numbers[::2], numbers[1::2], strict=True)):
        if not (is_number(before, 0) and is_number(after, 0)):
            x = padded(x, axis, before, after, mode)
    return x


@TENSORFLOW("ReverseV2", known=(1,))
def reverse(n: Application, x: Operand, axes: Known) -> Operand:
    """Axes the other way round."""
    for axis in n.axes_of(axes.list(), type_of(x).ndim):
        x = ops.flip(x, axis)
    return x


@TENSORFLOW("SpaceToBatchND", known=(1, 2))
def parts_to_batch(n: Application, x: Operand, blocks: Known, pads: Known) -> Operand:
    """Every b-th element of axes behind the first one as an array of its own, one after the other along the first."""
    return to_batch(x, blocks.list(), pads.list())


@TENSORFLOW("BatchToSpaceND", known=(1, 2))
def batch_to_parts(n: Application, x: Operand, blocks: Known, crops: Known) -> Operand:
    """Arrays of the first axis as every b-th element of the axes behind it, and without so many at their ends."""
    return from_batch(x, blocks.list(), crops.list())


@TENSORFLOW("DepthToSpace")
def channels_to_pixels(n: Application, x: Operand) -> Operand:
    """Channels as blocks of pixels."""
    return _of_blocks(n, x, depth_to_space)


@TENSORFLOW("SpaceToDepth")
def pixels_to_channels(n: Application, x: Operand) -> Operand:
    """Blocks of pixels as channels."""
    return _of_blocks(n, x, space_to_depth)


def _of_blocks(n: Application, x: Operand, function: Any) -> Operand:
    block = n.integer("block_size")
    if n.text("data_format", "NHWC", ("NHWC", "NCHW")) == "NCHW":
        return function(x, block)
    return ops.transpose(function(ops.transpose(x, (0, 3, 1, 2)), block), (0, 2, 3, 1))


# --------------------------------------------------------------------------------------------------------------- slices


@TENSORFLOW("StridedSlice", values=True)
def strided_slice(n: Application, x: Value, begin: Value, end: Value, strides: Value) -> Value:
    """The part that `x[...]` means in Python: ranges, numbers, new axes, an ellipsis; numbers may be data."""
    return strided(n, x, begin, end, strides)


@TENSORFLOW("TensorStridedSliceUpdate", values=True)
def slice_update(n: Application, x: Value, begin: Value, end: Value, strides: Value, new: Value) -> Operand:
    """An array whose part is replaced."""
    return with_part(n, operand_of(x), begin, end, strides, operand_of(new))


def with_part(n: Application, x: Operand, begin: Value, end: Value, strides: Value, new: Operand) -> Operand:
    """Return an array with other elements where the slice is: those are set whose numbers the slice of numbers has."""
    shape = type_of(x).shape
    count = math.prod(shape)
    places = strided(n, ops.reshape(ops.iota((count,), 0, int64), shape), begin, end, strides)
    at = type_of(places).shape
    flat = ops.scatter_nd(ops.reshape(x, (count,)), ops.reshape(places, (*at, 1)), aligned(new, at), "set")
    return ops.reshape(flat, shape)


def strided(n: Application, x: Value, begin: Value, end: Value, strides: Value) -> Value:
    """Return the elements that a slice of an array has."""
    masks = [n.integer(f"{name}_mask", 0) for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")]
    return slices.strided(n, x, begin, end, strides, masks)


@TENSORFLOW("Slice", values=True)
def some(n: Application, x: Value, begin: Value, sizes: Value) -> Value:
    """So many elements of each axis, from a number on that may be data; -1 is the rest."""
    lengths = n.known(sizes, 2).list()
    if isinstance(begin, Known) and isinstance(x, Known) and (not x.symbolic or x.array.ndim == 1):
        index = tuple(slice(a, None if b == -1 else a + b) for a, b in zip(begin.list(), lengths, strict=True))
        return Known(x.array[index], x.dtype)
    return slices.some(n, x, begin, sizes)


@TENSORFLOW("Split", known=(0,))
def split(n: Application, axis: Known, x: Operand) -> tuple[Operand, ...]:
    """Equal parts of an axis."""
    along, count = n.axis_of(axis.item(), type_of(x).ndim), n.integer("num_split")
    whole = type_of(x).shape[along]
    if whole % count:
        n.fail(f"{type_of(x)} has no {count} equal parts along axis {along}")
    each = whole // count
    return tuple(ops.part(x, along, k * each, (k + 1) * each) for k in range(count))


@TENSORFLOW("SplitV", known=(1, 2))
def split_sizes(n: Application, x: Operand, sizes: Known, axis: Known) -> tuple[Operand, ...]:
    """Parts of an axis, of given sizes; one may be -1: what is left."""
    along, parts = n.axis_of(axis.item(), type_of(x).ndim), sizes.list()
    rest = type_of(x).shape[along] - sum(part for part in parts if not is_number(part, -1))
    parts = [rest if is_number(part, -1) else part for part in parts]
    ends = list(itertools.accumulate(parts))
    return tuple(ops.part(x, along, end - part, end) for part, end in zip(parts, ends, strict=True))


@TENSORFLOW("Placeholder", values=True)
def placeholder(n: Application) -> Value:
    """An input that nobody feeds."""
    n.fail("it is an input of the graph that the signature does not name")

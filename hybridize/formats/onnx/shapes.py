# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX that move elements or say shapes: constants, sizes, reshapes, slices, gathers, joins."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import float32, int64
from hybridize.formats.foreign.arrays import (
    FAR,
    aligned,
    filled,
    part_of,
    reshaped,
    taken,
    tiled,
    with_axes,
    without_axes,
    wrapped,
)
from hybridize.formats.foreign.known import LARGEST, Known, ranged
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops.library.padding import padded
from hybridize.ops.op import Operand, type_of

# -------------------------------------------------------------------------------------------------------- known values


@ONNX("Constant", values=True)
def constant(n: Application) -> Known:
    """A number, some, or an array."""
    for name, dtype in (
        ("value_float", float32),
        ("value_floats", float32),
        ("value_int", int64),
        ("value_ints", int64),
    ):
        if n.has(name):
            return Known(numpy.asarray(n.attributes[name], dtype), dtype)
    array = n.array("sparse_value" if n.has("sparse_value") else "value")
    return Known(array, array.dtype)


@ONNX("Shape", values=True, by_types=True)
def shape(n: Application, x: Value) -> Known:
    """The sizes of an array, or some of them."""
    sizes = list(_type(x).shape)
    return Known.of(sizes[n.integer("start", 0) : n.integer("end", len(sizes))])


@ONNX("Size", values=True, by_types=True)
def size(n: Application, x: Value) -> Known:
    """The number of elements."""
    return Known.of(math.prod(_type(x).shape))


def _type(x: Value) -> Any:
    return x.type if isinstance(x, Known) else type_of(x)


@ONNX("ConstantOfShape", values=True, known=(0,))
def constant_of_shape(n: Application, sizes: Value) -> Value:
    """An array that is one number everywhere."""
    value = n.array("value") if n.has("value") else numpy.zeros(1, float32)
    shape = n.known(sizes, 0).list()
    if dims.known(shape) and math.prod(shape) <= LARGEST:
        return Known(numpy.full(shape, value.reshape(-1)[0]), value.dtype)
    return filled(value.reshape(-1)[0], shape, value.dtype)


@ONNX("Range", values=True, known=(0, 1, 2))
def arange(n: Application, start: Value, limit: Value, delta: Value) -> Value:
    """Numbers from one to before another."""
    return ranged(*(n.known(x, k) for k, x in enumerate((start, limit, delta))))


# --------------------------------------------------------------------------------------------------------------- views


@ONNX("Reshape", known=(1,))
def reshape(n: Application, x: Operand, sizes: Known) -> Operand:
    """The same elements under another shape."""
    return reshaped(x, sizes.list(), zero_copies=not n.flag("allowzero"))


@ONNX("Flatten")
def flatten(n: Application, x: Operand) -> Operand:
    """The axes before one, and those from it on, as two."""
    shape = type_of(x).shape
    axis = n.integer("axis", 1)
    axis += len(shape) if axis < 0 else 0
    return ops.reshape(x, (math.prod(shape[:axis]), math.prod(shape[axis:])))


@ONNX("Transpose")
def transpose(n: Application, x: Operand) -> Operand:
    """The axes in another order, reversed where none is given."""
    rank = type_of(x).ndim
    order = n.axes_of(n.integers("perm", tuple(range(rank))[::-1]), rank)
    if len(order) != rank:
        n.fail(f"perm is {list(order)} for {rank} axes")
    return ops.transpose(x, order)


@ONNX("Unsqueeze", known=(1,))
def unsqueeze(n: Application, x: Operand, axes: Known | None = None) -> Operand:
    """New axes of size 1."""
    chosen = n.integers("axes") if axes is None else axes.list()
    return with_axes(x, n.axes_of(chosen, type_of(x).ndim + len(chosen)))


@ONNX("Squeeze", known=(1,))
def squeeze(n: Application, x: Operand, axes: Known | None = None) -> Operand:
    """Without axes of size 1: those that are named, or all."""
    shape = type_of(x).shape
    chosen: Sequence[int] = n.integers("axes", ()) if axes is None else axes.list()
    if axes is None and not n.has("axes"):
        chosen = [axis for axis, size in enumerate(shape) if size == 1]
    return without_axes(x, n.axes_of(chosen, len(shape)))


@ONNX("Expand", known=(1,))
def expand(n: Application, x: Operand, sizes: Known) -> Operand:
    """Stretched together with a shape."""
    own = type_of(x).shape
    shape = dims.broadcast(own, tuple(sizes.list()))
    if shape is None:
        n.fail(f"{type_of(x)} does not stretch to {sizes.list()}")
    return aligned(x, shape)


# ------------------------------------------------------------------------------------------------------- some elements


@ONNX("Slice", until=9)
def slice_by_attributes(n: Application, x: Operand) -> Operand:
    """Ranges of some axes."""
    starts, ends = n.integers("starts"), n.integers("ends")
    axes = n.axes_of(n.integers("axes", range(len(starts))), type_of(x).ndim)
    return part_of(x, starts, ends, (1,) * len(starts), axes)


@ONNX("Slice", since=10, known=(1, 2, 3, 4))
def slice(
    n: Application, x: Operand, starts: Known, ends: Known, axes: Known | None = None, steps: Known | None = None
) -> Operand:
    """Ranges of some axes, with steps that may be negative."""
    begin = starts.list()
    along = n.axes_of(list(range(len(begin))) if axes is None else axes.list(), type_of(x).ndim)
    by = [1] * len(begin) if steps is None else [int(step) for step in steps.list()]
    for k, (axis, step) in enumerate(zip(along, by, strict=True)):
        if step < 0 and not dims.is_symbolic(begin[k]) and begin[k] < 0:  # before the first element is there
            begin[k] = 0 if begin[k] <= -FAR or begin[k] + type_of(x).shape[axis] < 0 else begin[k]
    return part_of(x, begin, ends.list(), by, along)


@ONNX("Split", known=(1,))
def split(n: Application, x: Operand, sizes: Known | None = None) -> tuple[Operand, ...]:
    """Parts of an axis: of given sizes, or as many as there are outputs."""
    axis, count = n.axis(x, default=0), len(n.node.outputs)
    whole = type_of(x).shape[axis]
    parts: list[Any] = list(n.integers("split", ())) if sizes is None else sizes.list()
    if not parts:
        count = n.integer("num_outputs", count)
        each = -(-whole // count)
        parts = [each] * (count - 1)
        parts.append(whole - each * (count - 1))
    ends = list(itertools.accumulate(parts))
    if len(parts) != len(n.node.outputs) or any(part < 0 for part in parts) or ends[-1] != whole:
        listed = ", ".join(map(dims.text, parts))
        n.fail(f"{dims.text(whole)} elements are no {len(n.node.outputs)} parts of {listed}")
    return tuple(ops.part(x, axis, end - part, end) for part, end in zip(parts, ends, strict=True))


@ONNX("Gather")
def gather(n: Application, x: Operand, indices: Operand) -> Operand:
    """The elements at indices along an axis; negative ones count from the end."""
    return taken(x, indices, n.axis(x, default=0))


@ONNX("GatherElements")
def gather_elements(n: Application, x: Operand, indices: Operand) -> Operand:
    """An element for each index, along an axis."""
    axis, shape = n.axis(x, default=0), type_of(indices).shape
    for k, size in enumerate(shape):
        if k != axis and not dims.same(size, type_of(x).shape[k]):
            x = ops.part(x, k, 0, size)
    return ops.take_along_axis(x, wrapped(indices, type_of(x).shape[axis]), axis)


@ONNX("Concat")
def concat(n: Application, *xs: Operand) -> Operand:
    """Arrays one after the other."""
    return ops.concat(*xs, axis=n.axis(xs[0]))


@ONNX("Tile", known=(1,))
def tile(n: Application, x: Operand, repeats: Known) -> Operand:
    """An array repeated along its axes."""
    return tiled(x, repeats.list())


@ONNX("Pad", known=(1, 2, 3))
def pad(
    n: Application, x: Operand, pads: Known | None = None, value: Known | None = None, axes: Known | None = None
) -> Operand:
    """Elements more before and after each axis, or fewer where a number is negative."""
    kind = type_of(x)
    numbers: list[Any] = list(n.integers("pads")) if pads is None else pads.list()
    along = range(kind.ndim) if axes is None else n.axes_of(axes.list(), kind.ndim)
    half, filler = len(numbers) // 2, n.number("value", 0.0) if value is None else value.item()
    mode = n.text("mode", "constant", ("constant", "reflect", "edge", "wrap"))
    for axis, before, after in zip(along, numbers[:half], numbers[half:], strict=True):
        size = type_of(x).shape[axis]
        if before < 0 or after < 0:
            if size + min(before, 0) + min(after, 0) < 0:
                n.fail(f"axis {axis} of {type_of(x)} has no {-min(before, 0) - min(after, 0)} elements to leave out")
            x = ops.part(x, axis, -min(before, 0), size + min(after, 0))
            before, after = max(before, 0), max(after, 0)
        if mode != "constant" and (before > 0 or after > 0):
            x = padded(x, axis, before, after, mode)
        elif before > 0 or after > 0:
            sides = [tuple(many if k == axis else 0 for k in range(kind.ndim)) for many in (before, after)]
            x = ops.pad(x, ops.scalar(filler, kind.dtype), *sides)
    return x

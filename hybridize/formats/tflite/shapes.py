# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite that move elements, say shapes, or fold axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import int64, is_float
from hybridize.formats.foreign import slices
from hybridize.formats.foreign.arrays import (
    aligned,
    from_batch,
    kept,
    reshaped,
    stretched,
    tiled,
    to_batch,
    with_axes,
    without_axes,
)
from hybridize.formats.foreign.known import Known, Vector, operand_of
from hybridize.formats.foreign.shared import running_row
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tflite.vocabulary import TFLITE
from hybridize.ops import composites
from hybridize.ops.library.bounds import check
from hybridize.ops.library.padding import padded
from hybridize.ops.library.resizing import depth_to_space, space_to_depth
from hybridize.ops.op import Operand, scalar, type_of

# ---------------------------------------------------------------------------------------------------------------- sizes


def _type(x: Value) -> Any:
    return x.type if isinstance(x, Known) else type_of(operand_of(x))


@TFLITE("SHAPE", values=True, by_types=True)
def shape(n: Application, x: Value) -> Known:
    """The sizes of an array."""
    return Known.of(list(_type(x).shape), n.attributes["types"][0])


@TFLITE("RANK", values=True, by_types=True)
def rank(n: Application, x: Value) -> Known:
    """The number of axes."""
    return Known.of(_type(x).ndim, n.attributes["types"][0])


@TFLITE("FILL", known=(0,))
def fill(n: Application, sizes: Known, value: Operand) -> Operand:
    """An array that is one number everywhere."""
    return aligned(ops.reshape(value, ()), tuple(sizes.list()))


@TFLITE("RANGE", known=(0, 1, 2))
def arange(n: Application, start: Known, limit: Known, delta: Known) -> Operand:
    """Numbers from one to before another."""
    first, stop, step = start.item(), limit.item(), delta.item()
    count = dims.maximum(-((first - stop) // step) if start.dtype.kind != "f" else math.ceil((stop - first) / step), 0)
    index = ops.iota((count,), 0, start.dtype)
    return ops.add(ops.mul(index, ops.like(step, index)), ops.like(first, index))


# ---------------------------------------------------------------------------------------------------------------- views


@TFLITE("RESHAPE", known=(1,))
def reshape(n: Application, x: Operand, sizes: Known | None = None) -> Operand:
    """The same elements under another shape."""
    shape = n.integers("shape", ())
    return reshaped(x, shape if sizes is None else sizes.list())


@TFLITE("SQUEEZE")
def squeeze(n: Application, x: Operand) -> Operand:
    """Without axes of size 1: those that are named, or all."""
    own = type_of(x).shape
    axes = n.integers("axes", ()) or [axis for axis, size in enumerate(own) if size == 1]
    return without_axes(x, n.axes_of(axes, len(own)))


@TFLITE("EXPAND_DIMS", known=(1,))
def expand_dims(n: Application, x: Operand, axis: Known) -> Operand:
    """A new axis of size 1."""
    return with_axes(x, n.axes_of(axis.list(), type_of(x).ndim + 1))


@TFLITE("TRANSPOSE", known=(1,))
def transpose(n: Application, x: Operand, order: Known) -> Operand:
    """The axes in another order."""
    return ops.transpose(x, n.axes_of(order.list(), type_of(x).ndim))


@TFLITE("BROADCAST_TO", known=(1,))
def broadcast_to(n: Application, x: Operand, sizes: Known) -> Operand:
    """Stretched to a shape."""
    return aligned(x, tuple(sizes.list()))


# -------------------------------------------------------------------------------------------------------------- padding


def filled_around(n: Application, x: Operand, pads: Known, value: Operand) -> Operand:
    """Return an array with one number around it."""
    ndim, pairs = type_of(x).ndim, pads.list()
    if len(pairs) != 2 * ndim:
        n.fail(f"there are {len(pairs)} numbers of padding for {ndim} axes")
    return ops.pad(x, value, tuple(pairs[::2]), tuple(pairs[1::2]))


@TFLITE("PAD", known=(1,))
def pad(n: Application, x: Operand, pads: Known) -> Operand:
    """Zeros around an array."""
    return filled_around(n, x, pads, scalar(0, type_of(x).dtype))


@TFLITE("PADV2", known=(1,))
def pad_with(n: Application, x: Operand, pads: Known, value: Operand) -> Operand:
    """A number around an array."""
    return filled_around(n, x, pads, ops.reshape(value, ()))


@TFLITE("MIRROR_PAD", known=(1,))
def mirror_pad(n: Application, x: Operand, pads: Known) -> Operand:
    """An array's own elements around it, mirrored: without its borders, or with them."""
    pairs, mode = pads.list(), "symmetric" if n.integer("mode", 0) else "reflect"
    for axis, (before, after) in enumerate(zip(pairs[::2], pairs[1::2], strict=True)):
        if before != 0 or after != 0:
            x = padded(x, axis, before, after, mode)
    return x


# -------------------------------------------------------------------------------------------------------- some elements


@TFLITE("SLICE", mixed=(1, 2))
def slice(n: Application, x: Value, begin: Value, sizes: Value) -> Value:
    """Ranges of all axes; a size of -1 is all that is left."""
    return slices.some(n, x, begin, sizes)


@TFLITE("STRIDED_SLICE", mixed=(1, 2, 3))
def strided_slice(n: Application, x: Value, begin: Value, end: Value, steps: Value) -> Value:
    """A part of an array, by five masks; a single place may be data."""
    if n.flag("offset"):
        pairs = zip(n.known(begin, 1).list(), n.known(end, 2).list(), strict=True)
        end = Known.of([start + length for start, length in pairs], end.dtype)
    masks = [n.integer(f"{name}_mask", 0) for name in ("begin", "end", "ellipsis", "new", "shrink")]
    return slices.strided(n, x, begin, end, steps, masks)


def _parts(x: Operand, axis: int, sizes: Sequence[Any]) -> tuple[Operand, ...]:
    ends = list(itertools.accumulate(sizes))
    return tuple(ops.part(x, axis, end - size, end) for size, end in zip(sizes, ends, strict=True))


@TFLITE("SPLIT", known=(0,))
def split(n: Application, axis: Known, x: Operand) -> tuple[Operand, ...]:
    """As many parts of an axis as there are outputs."""
    along, count = n.axis_of(int(axis.item()), type_of(x).ndim), len(n.node.outputs)
    size = type_of(x).shape[along]
    if size % count:
        n.fail(f"axis {along} of {type_of(x)} has no {count} equal parts")
    return _parts(x, along, [size // count] * count)


@TFLITE("SPLIT_V", known=(1, 2))
def split_by_sizes(n: Application, x: Operand, sizes: Known, axis: Known) -> tuple[Operand, ...]:
    """Parts of an axis, of given sizes; -1 is what is left."""
    along, parts = n.axis_of(int(axis.item()), type_of(x).ndim), sizes.list()
    rest = type_of(x).shape[along] - sum(size for size in parts if size != -1)
    return _parts(x, along, [rest if size == -1 else size for size in parts])


@TFLITE("UNPACK")
def unpack(n: Application, x: Operand) -> tuple[Operand, ...]:
    """The places of an axis, each an array without it."""
    axis = n.axis(x, default=0)
    return tuple(without_axes(one, (axis,)) for one in _parts(x, axis, [1] * int(type_of(x).shape[axis])))


@TFLITE("GATHER")
def gather(n: Application, x: Operand, indices: Operand) -> Operand:
    """The elements at indices along an axis, for each place of the first `batch` axes where there are some."""
    axis, batch = n.axis(x, default=0), n.integer("batch", 0)
    batch += type_of(indices).ndim if batch < 0 else 0
    indices = within(n, indices, type_of(x).shape[axis])
    if not batch:
        return ops.gather(x, indices, axis)
    own, other = type_of(x).shape, type_of(indices).shape
    # All places of the batch axes and of the axis as one: an index is moved to the part of its place.
    count = math.prod(own[:batch])
    order = (*range(batch), axis, *range(batch, axis), *range(axis + 1, len(own)))
    turned = ops.transpose(x, order)
    rows = ops.reshape(turned, (count * own[axis], *type_of(turned).shape[batch + 1 :]))
    flat = ops.reshape(indices, (count, math.prod(other[batch:])))
    number = ops.iota(type_of(flat).shape, 0, int64)
    every = ops.gather(rows, ops.add(flat, ops.mul(number, ops.like(own[axis], number))), 0)
    between, behind = own[batch:axis], own[axis + 1 :]
    y = ops.reshape(every, (*own[:batch], *other[batch:], *between, *behind))
    first, some, middle = batch, len(other) - batch, len(between)
    return ops.transpose(y, (*range(first), *range(first + some, first + some + middle), *range(first, first + some),
                             *range(first + some + middle, type_of(y).ndim)))  # fmt: skip


@TFLITE("GATHER_ND")
def gather_nd(n: Application, x: Operand, indices: Operand) -> Operand:
    """The parts of an array at places: the last axis of the indices goes along its first axes."""
    return ops.gather_nd(x, points_of(n, indices, type_of(x).shape))


def within(n: Application, indices: Operand, size: Any) -> Operand:
    """Return indices of an axis as int64; those that are out of bounds, negative ones among them, are refused."""
    indices = ops.cast(indices, int64)
    check(indices, 0, size, f"{n.place}, an axis of {dims.text(size)} elements")
    return indices


def points_of(n: Application, points: Operand, shape: Sequence[Any]) -> Operand:
    """Return points in an array of a shape as int64; those that are out of bounds are refused."""
    points, last = ops.cast(points, int64), type_of(points).ndim - 1
    for axis in range(int(type_of(points).shape[-1])):
        within(n, ops.part(points, last, axis, axis + 1), shape[axis])
    return points


# ------------------------------------------------------------------------------------------------------ joined elements


@TFLITE("CONCATENATION", mixed=())
def concatenation(n: Application, *xs: Value) -> Value:
    """Arrays one after the other."""
    if n.integer("activation", 0):
        n.fail("it has a fused activation, which LiteRT does not compute either")
    return slices.joined(n, xs, n.axis_of(n.integer("axis", 0), slices.rank(xs[0])))


@TFLITE("PACK", mixed=())
def pack(n: Application, *xs: Value) -> Value:
    """Arrays along a new axis."""
    ndim, known = slices.rank(xs[0]), [isinstance(x, Known) for x in xs]
    axis = n.axis_of(n.integer("axis", 0), ndim + 1)
    if not ndim and any(known) and not all(known):
        return Vector(xs)
    return ops.concat(*(with_axes(operand_of(x), (axis,)) for x in xs), axis=axis)


@TFLITE("TILE", known=(1,))
def tile(n: Application, x: Operand, repeats: Known) -> Operand:
    """An array repeated along its axes."""
    return tiled(x, repeats.list())


@TFLITE("REVERSE_V2", known=(1,))
def reverse(n: Application, x: Operand, axes: Known) -> Operand:
    """The elements of axes backwards."""
    for axis in n.axes_of(axes.list(), type_of(x).ndim):
        x = ops.flip(x, axis)
    return x


def planar(function: Callable[..., Operand]) -> Callable[..., Operand]:
    """Return a function of images [n, c, h, w] as one of images [n, h, w, c]."""

    def apply(x: Operand, *args: Any) -> Operand:
        return ops.transpose(function(ops.transpose(x, (0, 3, 1, 2)), *args), (0, 2, 3, 1))

    return apply


@TFLITE("DEPTH_TO_SPACE")
def channels_to_pixels(n: Application, x: Operand) -> Operand:
    """Channels as blocks of pixels."""
    return planar(depth_to_space)(x, n.integer("block", 0))


@TFLITE("SPACE_TO_DEPTH")
def pixels_to_channels(n: Application, x: Operand) -> Operand:
    """Blocks of pixels as channels."""
    return planar(space_to_depth)(x, n.integer("block", 0))


@TFLITE("SPACE_TO_BATCH_ND", known=(1, 2))
def space_to_batch(n: Application, x: Operand, blocks: Known, pads: Known) -> Operand:
    """Each place of blocks of the axes after the first one as an image of its own."""
    return to_batch(x, blocks.list(), pads.list())


@TFLITE("BATCH_TO_SPACE_ND", known=(1, 2))
def batch_to_space(n: Application, x: Operand, blocks: Known, crops: Known) -> Operand:
    """Images as the places of blocks of the axes after the first one."""
    return from_batch(x, blocks.list(), crops.list())


# ---------------------------------------------------------------------------------------------------------- folded axes


def _mean(x: Operand, axes: tuple[int, ...]) -> Operand:
    """The mean along axes; of integers, cut off towards 0."""
    if is_float(type_of(x).dtype):
        return composites.mean(x, axes)
    total = ops.sum(ops.cast(x, int64), axes)
    count = math.prod(type_of(x).shape[axis] for axis in axes)
    return ops.cast(composites.integer_quotient(total, ops.like(count, total)), type_of(x).dtype)


FOLDS: dict[str, Callable[[Operand, tuple[int, ...]], Operand]] = {
    "SUM": ops.sum, "MEAN": _mean, "REDUCE_MAX": ops.reduce_max, "REDUCE_MIN": ops.reduce_min,
    "REDUCE_PROD": ops.prod, "REDUCE_ANY": ops.any, "REDUCE_ALL": ops.all,
}  # fmt: skip


def axes_of(n: Application, x: Operand, axes: Known) -> tuple[int, ...]:
    """Return the axes that a reduction is along: those that are named, once each."""
    return tuple(sorted(set(n.axes_of(axes.list(), type_of(x).ndim))))


def reduction(fold: Callable[[Operand, tuple[int, ...]], Operand]) -> Callable[..., Operand]:
    """Return a fold of axes as a row that takes them as its second input."""

    def folded(n: Application, x: Operand, axes: Known) -> Operand:
        along, keeps = axes_of(n, x, axes), n.flag("keep")
        return kept(fold(x, along), type_of(x), along, keeps) if along else x

    return folded


for _name, _fold in FOLDS.items():
    TFLITE(_name, known=(1,))(reduction(_fold))


def extremes(suffix: str, check: Callable[[Application, int], object]) -> None:
    """Make the rows of the largest and smallest elements of integers of a kind, which keep their scale.

    Args:
        suffix: of the kind, in the vocabulary.
        check: refuses so many inputs whose scale or zero is not that of the result.
    """

    def of_two(function: Callable[[Operand, Operand], Operand]) -> Callable[..., Operand]:
        def row(n: Application, x: Operand, y: Operand) -> Operand:
            check(n, 2)
            return function(*stretched(x, y))

        return row

    def of_axes(fold: Callable[..., Operand]) -> Callable[..., Operand]:
        def row(n: Application, x: Operand, axes: Known) -> Operand:
            check(n, 1)
            return fold(n, x, axes)

        return row

    TFLITE("MAXIMUM" + suffix)(of_two(ops.max))
    TFLITE("MINIMUM" + suffix)(of_two(ops.min))
    for name in ("REDUCE_MAX", "REDUCE_MIN"):
        TFLITE(name + suffix, known=(1,))(of_axes(reduction(FOLDS[name])))


def _position(first: Callable[..., Operand]) -> Callable[..., Operand]:
    return lambda n, x, axis: ops.cast(first(x, n.axis_of(int(axis.item()), type_of(x).ndim)), n.attributes["types"][0])


TFLITE("ARG_MAX", known=(1,))(_position(ops.arg_max))
TFLITE("ARG_MIN", known=(1,))(_position(ops.arg_min))


TFLITE("CUMSUM", known=(1,))(running_row(ops.cum_sum, 0))


@TFLITE("ONE_HOT", known=(1,))
def one_hot(n: Application, indices: Operand, depth: Known, on: Operand, off: Operand) -> Operand:
    """A number at the place along a new axis that an index says, another one elsewhere."""
    ndim = type_of(indices).ndim
    axis = n.axis_of(n.integer("axis", 0), ndim + 1)
    own = type_of(indices).shape
    whole = (*own[:axis], depth.item(), *own[axis:])
    here = ops.eq(aligned(with_axes(ops.cast(indices, int64), (axis,)), whole), ops.iota(whole, axis, int64))
    return ops.where(here, aligned(ops.reshape(on, ()), whole), aligned(ops.reshape(off, ()), whole))

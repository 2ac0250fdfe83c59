# SPDX-License-Identifier: Apache-2.0
"""Sequences of several lengths in one array: what follows the end of each, its last step, its steps the other way,
steps that are written into it.

Steps lie along axis 0 and the batch along axis 1, or the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridize.base import dims
from hybridize.base.dtypes import int64
from hybridize.base.errors import ShapeError
from hybridize.base.types import same_shape
from hybridize.ops.arithmetic import bit_and, ge, lt, mod, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.indexing import gather_nd, take_along_axis
from hybridize.ops.op import Operand, type_of
from hybridize.ops.slicing import concat, flip, iota
from hybridize.ops.slicing import slice as sliced
from hybridize.ops.views import broadcast, cast, like, reshape


def _with_lengths(lengths: Operand | None, **_: Any) -> Mapping[str, object]:
    return {"use_sequence_length": lengths is not None}


@composite("SequenceMask", _with_lengths)
def sequence_mask(x: Operand, lengths: Operand, value: float = 0.0, axis: int = 0) -> Operand:
    """`value` after the end of each sequence.

    Args:
        x: [steps, batch, ...], or [batch, steps, ...] when `axis` is 1.
        lengths: i64 [batch].
        value: what stands after the end.
        axis: of the steps, 0 or 1.

    Raises:
        ShapeError E194: there are other lengths, or no such axis.
    """
    _check("SequenceMask", x, lengths, axis)
    return where(_before(x, lengths, axis), x, like(value, x))


def _before(x: Operand, lengths: Operand, axis: int) -> Operand:
    """True where a step comes before its sequence's end."""
    shape = type_of(x).shape
    ones = tuple(size if k == 1 - axis else 1 for k, size in enumerate(shape))
    return lt(iota(shape, axis, int64), broadcast(reshape(lengths, ones), shape))


def _check(name: str, x: Operand, lengths: Operand | None, axis: int) -> None:
    kind = type_of(x)
    if kind.ndim < 2 or axis not in (0, 1):
        raise ShapeError("E194", f"{name} of {kind} along axis {axis}", help="the axes of steps and batch are 0 and 1")
    if lengths is not None:
        shape = type_of(lengths).shape
        if not same_shape(shape, (kind.shape[1 - axis],)):
            help = f"one for each of the {dims.text(kind.shape[1 - axis])} sequences"
            raise ShapeError("E194", f"{name} of {kind} with lengths {type_of(lengths)}", help=help)


@composite("SequenceLast", _with_lengths)
def sequence_last(x: Operand, lengths: Operand | None = None, axis: int = 0) -> Operand:
    """The last step of each sequence, [batch, ...]; lengths are i64 [batch], from 1 to the number of steps.

    Raises:
        ShapeError E194: there are other lengths, or no such axis.
    """
    _check("SequenceLast", x, lengths, axis)
    shape = type_of(x).shape
    if lengths is None:
        starts = tuple(shape[axis] - 1 if k == axis else 0 for k in range(len(shape)))
        last = sliced(x, starts, shape, (1,) * len(shape))
        return reshape(last, tuple(size for k, size in enumerate(shape) if k != axis))
    steps = sub(lengths, like(1, lengths))
    return gather_nd(x, _points(steps, iota(type_of(steps).shape, 0, int64), axis))


@composite("SequenceReverse", _with_lengths)
def sequence_reverse(x: Operand, lengths: Operand | None = None, axis: int = 0) -> Operand:
    """The steps of each sequence in reverse order; what follows its end, by `lengths` i64 [batch], stays.

    Raises:
        ShapeError E194: there are other lengths, or no such axis.
    """
    _check("SequenceReverse", x, lengths, axis)
    if lengths is None:
        return flip(x, axis)
    shape = type_of(x).shape[:2]
    step, number = iota(shape, axis, int64), iota(shape, 1 - axis, int64)
    ends = broadcast(reshape(lengths, tuple(1 if k == axis else size for k, size in enumerate(shape))), shape)
    mirrored = sub(sub(ends, step), like(1, step))
    return gather_nd(x, _points(where(lt(step, ends), mirrored, step), number, axis))


def _points(steps: Operand, numbers: Operand, axis: int) -> Operand:
    """Places [..., 2] in the first two axes."""
    columns = [reshape(part, (*type_of(part).shape, 1)) for part in (steps, numbers)]
    return concat(*(columns if axis == 0 else columns[::-1]), axis=len(type_of(steps).shape))


def written_from(cache: Operand, update: Operand, starts: Operand | None, axis: int, circular: bool = False) -> Operand:
    """Return an array with others written into it along an axis, for each element of the batch from a place of its own.

    Args:
        cache: [batch, ...].
        update: of its shape but for the axis, which is no longer.
        starts: i64[batch]; None: the first place.
        axis: not the first one.
        circular: what would be written behind the end is written from the first place on.
    """
    shape, count = type_of(cache).shape, type_of(update).shape[axis]
    place = iota(shape, axis, int64)
    if starts is not None:
        first = reshape(cast(starts, int64), (shape[0], *(1,) * (len(shape) - 1)))
        place = sub(place, broadcast(first, shape))
    place = mod(place, like(shape[axis], place)) if circular else place
    zero, length = like(0, place), like(count, place)
    inside = bit_and(ge(place, zero), lt(place, length))
    return where(inside, take_along_axis(update, where(inside, place, zero), axis), cache)

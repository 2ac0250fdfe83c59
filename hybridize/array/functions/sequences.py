# SPDX-License-Identifier: Apache-2.0
"""Sequences of several lengths in one array, under MXNet's names."""

from __future__ import annotations

from typing import Any

from hybridize.array.functions.bounds import check
from hybridize.array.functions.elementwise import apart_from
from hybridize.array.functions.neural import used
from hybridize.array.operands import array, axis_of, operand, public, result
from hybridize.array.operands import indices as index_operand
from hybridize.base import dims
from hybridize.ops.library import sequences as library


@public
def sequence_mask(
    data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, value: float = 0.0, axis: int = 0
) -> Any:
    """Write `value` behind the end of each sequence; steps lie along axis 0 and sequences along axis 1.

    Args:
        data: [steps, batch, ...], or [batch, steps, ...] when `axis` is 1.
        sequence_length: [batch]; a length beyond the number of steps masks nothing.
        use_sequence_length: False: nothing is masked; by default what is given counts.
        value: what stands after the end.
        axis: the axis of steps, 0 or 1.

    Raises:
        OutOfBoundsError E110: a length is negative.
        ShapeError E194: there are other lengths, or no such axis.

    >>> npx.sequence_mask(np.ones((3, 2)), np.array([1, 2]), use_sequence_length=True)
    array([[1., 1.],
           [0., 1.],
           [0., 0.]])
    """
    x = array(data)
    sequence_length = used(sequence_length, use_sequence_length, "sequence_mask", "sequence_length")
    if sequence_length is None:
        return x
    lengths = index_operand(sequence_length)
    check(lengths, 0, dims.FAR, f"sequence_mask of {x.type}", "lengths are not negative")
    number = value if x.dtype.kind == "f" else type(x.dtype.type(0).item())(value)
    return result(library.sequence_mask(operand(x), lengths, number, _axis(x, axis, "sequence_mask")))


def _axis(x: Any, axis: Any, name: str) -> int:
    return axis_of(axis, x.ndim, name) if x.ndim else axis


@public
def sequence_last(
    data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, axis: int = 0
) -> Any:
    """Return the last step of each sequence; steps lie along axis 0 and sequences along axis 1.

    Raises:
        OutOfBoundsError E110: a length is not.
        ShapeError E194: there are other lengths, or no such axis.

    >>> npx.sequence_last(np.array([[1, 2], [3, 4]]), np.array([1, 2]), use_sequence_length=True)
    array([1., 4.])
    """
    last = _with_lengths("sequence_last", library.sequence_last, data, sequence_length, use_sequence_length, axis, 1)
    return apart_from(data, last)


@public
def sequence_reverse(
    data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, axis: int = 0
) -> Any:
    """Return the steps of each sequence in reverse order; what follows its end stays.

    Raises:
        OutOfBoundsError E110: a length is not.
        ShapeError E194: there are other lengths, or no such axis.

    >>> npx.sequence_reverse(np.array([[1], [2], [3]]), np.array([2]), use_sequence_length=True)
    array([[2.],
           [1.],
           [3.]])
    """
    return _with_lengths(
        "sequence_reverse", library.sequence_reverse, data, sequence_length, use_sequence_length, axis, 0
    )


def _with_lengths(
    name: str, function: Any, data: Any, sequence_length: Any, use: bool | None, axis: Any, least: int
) -> Any:
    x = array(data)
    axis_index = _axis(x, axis, name)
    sequence_length = used(sequence_length, use, name, "sequence_length")
    lengths = None
    if sequence_length is not None:
        lengths = index_operand(sequence_length)
        steps = x.shape[axis_index] if axis_index < x.ndim else 0
        check(lengths, least, steps + 1, f"{name} of {x.type}", f"lengths are from {least} to {dims.text(steps)}")
    return result(function(operand(x), lengths, axis_index))

# SPDX-License-Identifier: Apache-2.0
"""Orders that `sort` gives more of than is asked for: partitions, and orders by several keys."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array import functions as np
from hybridize.array.functions.searching import along, plainly
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array, array_and_axis, axis_of, public
from hybridize.base.errors import OutOfBoundsError, ShapeError, ValueArgumentError


def _partitioned(a: Any, kth: Any, axis: int | None, kind: Any, order: Any, name: str) -> tuple[Any, int]:
    """The array and the axis of a partition, whose arguments are right."""
    plainly(kind, order, name, ("introselect",))
    x, axis_index = array_and_axis(a, axis, name)
    length = x.shape[axis_index]
    plain = kth.asnumpy() if isinstance(kth, ndarray) else numpy.asarray(kth)
    for one in plain.reshape(-1).tolist():
        if not isinstance(one, int):
            raise ValueArgumentError("E345", f"{name}: kth must be integers, got {one!r}")
        if not -length <= one < length:
            raise OutOfBoundsError("E110", f"{name} of {x.type}: kth {one} is out of bounds for axis {axis_index}")
    return x, axis_index


@public
def partition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Any:
    """Return an array with the elements at `kth` where sorting puts them, smaller ones before; it is sorted.

    Raises:
        OutOfBoundsError E110: `kth` is no index of the axis.

    >>> np.partition(np.array([3, 1, 2]), 1)
    array([1., 2., 3.])
    """
    return np.sort(*_partitioned(a, kth, axis, kind, order, "partition"))


@public
def argpartition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Any:
    """Return the indices that partition an array, as int64; they sort it, too.

    >>> np.argpartition(np.array([3, 1, 2]), 1)
    array([1, 2, 0], dtype=int64)
    """
    return np.argsort(*_partitioned(a, kth, axis, kind, order, "argpartition"))


@public
def lexsort(keys: Any, axis: int = -1) -> Any:
    """Return the indices that sort by several keys, as int64; the last key counts first.

    Args:
        keys: arrays of one shape, or one array of them along its first axis.
        axis: an axis of a key.

    Raises:
        ShapeError E107: keys of several shapes, or none.

    >>> np.lexsort((np.array([1, 0, 2]), np.array([1, 1, 0])))
    array([2, 1, 0], dtype=int64)
    """
    parts = [array(key) for key in keys]
    if not parts or any(key.shape != parts[0].shape for key in parts):
        types = ", ".join(str(key.type) for key in parts) or "none"
        raise ShapeError("E107", f"lexsort needs keys of one shape, got {types}")
    if not parts[0].ndim:
        return np.argsort(parts[0].reshape(1)).reshape(())
    axis_index = axis_of(axis, parts[0].ndim, "lexsort")
    order = np.argsort(parts[0], axis_index)
    for key in parts[1:]:
        order = along(order, np.argsort(along(key, order, axis_index), axis_index), axis_index)
    return order

# SPDX-License-Identifier: Apache-2.0
"""MXNet's two sparse storage types: what a file holds of them, checked, and the dense arrays that they stand for."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base import dtypes
from hybridize.base.dtypes import DType
from hybridize.base.frozen import frozen
from hybridize.formats.cursor import MAX_AXES, checked_size

ROW_SPARSE: Final = "row_sparse"
CSR: Final = "csr"
MAX_DENSE_BYTES = 1 << 32
"""A sparse array may stand for a dense one far larger than its file; beyond this it is refused."""


@frozen(eq=False)
class SparseArray:
    """The parts of a sparse array, which fit each other."""

    storage: str
    """`row_sparse` or `csr`."""
    shape: tuple[int, ...]
    """Of the dense array that it stands for."""
    values: NDArray[Any]
    """row_sparse: the rows that are stored; csr: the elements that are, row by row."""
    indices: NDArray[Any]
    """int64: the number of each stored row; the column of each stored element."""
    starts: NDArray[Any] | None = None
    """csr, int64: where each row begins in `values`, and the last one ends."""

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.values.dtype

    @property
    def index_arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays of indices in the order of files."""
        return (self.indices,) if self.starts is None else (self.starts, self.indices)


def checked(storage: str, shape: tuple[int, ...], values: NDArray[Any], *indices: NDArray[Any]) -> SparseArray | str:
    """The sparse array of these parts, or what is wrong with them.

    Args:
        storage: `row_sparse`, with one array of indices, or `csr`, with two: the starts of the rows, and the columns.
        shape: of the dense array.
        values: what is stored.
        indices: vectors of integers.
    """
    if len(shape) > MAX_AXES or any(size < 0 for size in shape):
        return f"an array cannot have the shape {shape}"
    if any(array.ndim != 1 or array.dtype.kind not in "iu" for array in indices):
        return "an index array is not a vector of integers"
    whole = [array.astype(numpy.int64) for array in indices]
    if storage == ROW_SPARSE:
        (rows,) = whole
        if not shape or values.shape != (rows.size, *shape[1:]) or not _within(rows, shape[0]):
            return _unfit(values, shape)
        return "it stores a row twice" if _twice(rows) else SparseArray(storage, shape, values, rows)
    starts, columns = whole
    if len(shape) != 2 or values.shape != columns.shape:
        return _unfit(values, shape)
    if not starts.size and not values.size:  # as MXNet leaves one in which nothing was stored yet
        if shape[0] * 8 > MAX_DENSE_BYTES:
            return f"the shape {shape} is too large"
        starts = numpy.zeros(shape[0] + 1, numpy.int64)
    lengths = numpy.diff(starts)
    if starts.size != shape[0] + 1 or starts[0] != 0 or starts[-1] != values.size or (lengths < 0).any():
        return _unfit(values, shape)
    if not _within(columns, shape[1]):
        return _unfit(values, shape)
    if _twice(numpy.repeat(numpy.arange(shape[0]), lengths), columns):
        return "it stores an element twice"
    return SparseArray(storage, shape, values, columns, starts)


def dense(array: SparseArray) -> NDArray[Any] | str:
    """The dense array that it stands for, or why there is none."""
    size = checked_size(array.shape, array.dtype)
    if size is None or size * array.dtype.itemsize > MAX_DENSE_BYTES:
        return f"the shape {array.shape} is too large to be made dense"
    result = numpy.zeros(array.shape, array.dtype)
    if array.starts is None:
        result[array.indices] = array.values
    else:
        result[rows_of(array.starts), array.indices] = array.values
    return result


def rows_of(starts: NDArray[Any]) -> NDArray[Any]:
    """The row of each stored element of a csr array."""
    return numpy.repeat(numpy.arange(starts.size - 1), numpy.diff(starts))


def sparse(array: NDArray[Any], storage: str) -> SparseArray:
    """The sparse array of what is not zero in a dense one, with one axis or more, with two for csr."""
    if storage == ROW_SPARSE:
        width = math.prod(array.shape[1:])
        rows = numpy.flatnonzero((array != 0).reshape(array.shape[0], width).any(axis=1))
        return SparseArray(storage, array.shape, array[rows], rows.astype(dtypes.int64))
    rows, columns = numpy.nonzero(array)
    starts = numpy.zeros(array.shape[0] + 1, numpy.int64)
    numpy.cumsum(numpy.bincount(rows, minlength=array.shape[0]), out=starts[1:])
    return SparseArray(storage, array.shape, array[rows, columns], columns.astype(dtypes.int64), starts)


def _unfit(values: NDArray[Any], shape: tuple[int, ...]) -> str:
    return f"the indices do not fit {values.shape} values and the shape {shape}"


def _within(indices: NDArray[Any], bound: int) -> bool:
    return not indices.size or (int(indices.min()) >= 0 and int(indices.max()) < bound)


def _twice(*keys: NDArray[Any]) -> bool:
    """Tell whether two places are the same by all of the keys."""
    order = numpy.lexsort(keys)
    same = [key[order][1:] == key[order][:-1] for key in keys]
    return bool(numpy.logical_and.reduce(same).any())

# SPDX-License-Identifier: Apache-2.0
"""MXNet's two sparse storage types, read dense: hybridize computes with dense arrays only."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.formats.cursor import checked_size

MAX_DENSE_BYTES = 1 << 32
"""A sparse array may stand for a dense one far larger than its file; beyond this it is refused."""


def dense(shape: tuple[int, ...], values: NDArray[Any], *indices: NDArray[Any]) -> NDArray[Any] | str:
    """The dense array, or what is wrong.

    One index array holds the rows of `values` (row_sparse); two hold the starts of the rows and the columns (csr).
    """
    size = checked_size(shape, values.dtype)
    if size is None or size * values.dtype.itemsize > MAX_DENSE_BYTES:
        return f"the shape {shape} is too large to be made dense"
    if any(array.ndim != 1 or array.dtype.kind not in "iu" for array in indices):
        return "an index array is not a vector of integers"
    result = numpy.zeros(shape, values.dtype)
    whole = [array.astype(numpy.int64) for array in indices]
    fits = _fill_rows(result, values, *whole) if len(whole) == 1 else _fill_csr(result, values, *whole)
    return result if fits else f"the indices do not fit {values.shape} values and the shape {shape}"


def _fill_rows(result: NDArray[Any], values: NDArray[Any], rows: NDArray[Any]) -> bool:
    if not result.ndim or values.shape != (rows.size, *result.shape[1:]) or not _within(rows, result.shape[0]):
        return False
    result[rows] = values
    return True


def _fill_csr(result: NDArray[Any], values: NDArray[Any], starts: NDArray[Any], columns: NDArray[Any]) -> bool:
    if result.ndim != 2 or values.shape != columns.shape or starts.size != result.shape[0] + 1:
        return False
    lengths = numpy.diff(starts)
    if not _within(starts, values.size + 1) or starts[0] != 0 or starts[-1] != values.size or (lengths < 0).any():
        return False
    if not _within(columns, result.shape[1]):
        return False
    result[numpy.repeat(numpy.arange(result.shape[0]), lengths), columns] = values
    return True


def _within(indices: NDArray[Any], bound: int) -> bool:
    return not indices.size or (int(indices.min()) >= 0 and int(indices.max()) < bound)

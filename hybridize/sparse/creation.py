# SPDX-License-Identifier: Apache-2.0
"""Functions that make sparse arrays: of their parts, of dense arrays, of SciPy's matrices, of nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

import numpy
from numpy.typing import NDArray

from hybridize.array import np
from hybridize.array.device import as_device
from hybridize.array.ndarray import ndarray
from hybridize.base.dtypes import DType, as_dtype, float32
from hybridize.base.errors import ArgumentError, ValueArgumentError
from hybridize.base.tracebacks import leaves
from hybridize.formats.mxnet.sparse import CSR, MAX_DENSE_BYTES, ROW_SPARSE, SparseArray, checked, starts_of
from hybridize.sparse.arrays import CLASSES, BaseSparseNDArray, CSRNDArray, RowSparseNDArray, made_sparse

_Sparse = TypeVar("_Sparse", CSRNDArray, RowSparseNDArray)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _on_device(function: _Function) -> _Function:
    """Make of a function one whose `ctx` or `device` is the present device while it runs."""
    takes = signature(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        arguments = takes.bind(*args, **kwargs).arguments
        wanted = arguments.get("device") if arguments.get("ctx") is None else arguments["ctx"]
        if wanted is None:
            return function(*args, **kwargs)
        with as_device(wanted):
            return function(*args, **kwargs)

    return cast(_Function, call)


@_on_device
def csr_matrix(arg1: Any, shape: Any = None, ctx: Any = None, dtype: Any = None, *, device: Any = None) -> CSRNDArray:
    """Return a matrix of storage type csr.

    Args:
        arg1: a dense matrix; one of csr, ours or SciPy's; its parts `(data, indices, indptr)`; elements and their
            places `(data, (row, col))`; or `(M, N)`, its shape, for one in which nothing is stored. What is stored
            at one place several times is added up.
        shape: `(M, N)`; by default the smallest that holds the parts.
        ctx: the device; the present one when None.
        dtype: by default that of `arg1`, float32 for lists.
        device: the same as `ctx`.

    Raises:
        ValueArgumentError E345: the parts do not fit each other, or the shape.

    >>> from hybridize import sparse
    >>> sparse.csr_matrix(([7.0], [1], [0, 1, 1]), shape=(2, 2)).asnumpy()
    array([[0., 7.],
           [0., 0.]], dtype=float32)
    """
    if isinstance(arg1, tuple) and len(arg1) == 3:
        values, columns, starts = _array(arg1[0], dtype), _indices(arg1[1]), _indices(arg1[2])
        sizes = (starts.size - 1, _least(columns)) if shape is None else _sizes(shape)
        return CSRNDArray(_fitting(CSR, sizes, *_added_up(values, starts, columns)))
    if isinstance(arg1, tuple) and len(arg1) == 2 and isinstance(arg1[1], tuple):
        values, rows, columns = _array(arg1[0], dtype), *map(_indices, arg1[1])
        if not values.shape == rows.shape == columns.shape or values.ndim != 1:
            shapes = f"{values.shape}, {rows.shape} and {columns.shape}"
            raise ValueArgumentError("E345", f"csr_matrix: data, row and col must be vectors of one size, got {shapes}")
        sizes = (_least(rows), _least(columns)) if shape is None else _sizes(shape)
        if rows.size and (rows.min() < 0 or _least(rows) > sizes[0]):
            raise ValueArgumentError("E345", f"csr_matrix: a row is outside of the shape {sizes}")
        if sizes[0] * 8 > MAX_DENSE_BYTES:
            raise ValueArgumentError("E345", f"csr_matrix: the shape {sizes} has too many rows")
        order = numpy.lexsort((columns, rows))
        starts = starts_of(rows, sizes[0])
        return CSRNDArray(_fitting(CSR, sizes, *_added_up(values[order], starts, columns[order])))
    if isinstance(arg1, tuple) and len(arg1) == 2:
        none: CSRNDArray = zeros(CSR, arg1, dtype=dtype)
        return _same_shape(none, shape, "csr_matrix")
    if hasattr(arg1, "tocsr"):
        matrix = arg1.tocsr().copy()
        matrix.sum_duplicates()
        result = csr_matrix((matrix.data, matrix.indices, matrix.indptr), matrix.shape, dtype=dtype)
        return _same_shape(result, shape, "csr_matrix")
    of_dense: CSRNDArray = _of_dense(arg1, CSR, dtype)
    return _same_shape(of_dense, shape, "csr_matrix")


@_on_device
def row_sparse_array(
    arg1: Any, shape: Any = None, ctx: Any = None, dtype: Any = None, *, device: Any = None
) -> RowSparseNDArray:
    """Return an array of storage type row_sparse.

    Args:
        arg1: a dense array; one of row_sparse; its parts `(data, indices)`, the rows and their numbers; or its shape,
            for one in which nothing is stored.
        shape: by default the smallest that holds the parts.
        ctx: the device; the present one when None.
        dtype: by default that of `arg1`, float32 for lists.
        device: the same as `ctx`.

    Raises:
        ValueArgumentError E345: the parts do not fit each other, or the shape.

    >>> from hybridize import sparse
    >>> sparse.row_sparse_array(([[7.0, 8.0]], [1]), shape=(3, 2)).asnumpy()
    array([[0., 0.],
           [7., 8.],
           [0., 0.]], dtype=float32)
    """
    if isinstance(arg1, tuple) and len(arg1) < 2:
        raise ValueArgumentError("E345", f"row_sparse_array takes (data, indices) or a shape of two sizes, got {arg1}")
    if isinstance(arg1, tuple) and all(isinstance(size, (int, numpy.integer)) for size in arg1):
        none: RowSparseNDArray = zeros(ROW_SPARSE, arg1, dtype=dtype)
        return _same_shape(none, shape, "row_sparse_array")
    if isinstance(arg1, tuple):
        if len(arg1) != 2:
            raise ValueArgumentError("E345", f"row_sparse_array takes (data, indices), got a tuple of {len(arg1)}")
        values, rows = _array(arg1[0], dtype), _indices(arg1[1])
        sizes = (_least(rows), *values.shape[1:]) if shape is None else _sizes(shape)
        order = numpy.argsort(rows, kind="stable") if rows.ndim == 1 and values.shape[:1] == rows.shape else slice(None)
        return RowSparseNDArray(_fitting(ROW_SPARSE, sizes, values[order], rows[order]))
    of_dense: RowSparseNDArray = _of_dense(arg1, ROW_SPARSE, dtype)
    return _same_shape(of_dense, shape, "row_sparse_array")


@_on_device
def zeros(stype: str, shape: Any, ctx: Any = None, dtype: Any = None, *, device: Any = None) -> Any:
    """Return an array of a storage type in which nothing is stored; of type `default`, an array of zeros.

    Raises:
        ValueArgumentError E345: there is no such storage type, or no such one of that shape.

    >>> from hybridize import sparse
    >>> sparse.zeros("row_sparse", (2, 2)).stype
    'row_sparse'
    """
    sizes, kind = _sizes(shape), float32 if dtype is None else as_dtype(dtype)
    if stype == "default":
        return np.zeros(sizes, kind)
    if stype not in CLASSES:
        raise ValueArgumentError("E345", f"the storage type must be default, csr or row_sparse, got {stype!r}")
    none = numpy.zeros(0, numpy.int64)
    values = numpy.zeros((0, *sizes[1:]) if stype == ROW_SPARSE else 0, kind)
    return CLASSES[stype](_fitting(stype, sizes, values, *[none] * (1 if stype == ROW_SPARSE else 2)))


empty = zeros


@_on_device
def array(source_array: Any, ctx: Any = None, dtype: Any = None, *, device: Any = None) -> Any:
    """Return a sparse array of a sparse one of hybridize or SciPy.

    Raises:
        ArgumentError E307: it is not sparse.

    >>> from hybridize import sparse
    >>> sparse.array(sparse.zeros("csr", (2, 2))).stype
    'csr'
    """
    if hasattr(source_array, "tocsr"):
        return csr_matrix(source_array, dtype=dtype)
    if not isinstance(source_array, BaseSparseNDArray):
        text = f"sparse.array takes a sparse array, got {type(source_array).__name__}"
        raise ArgumentError("E307", text, help="x.tostype('csr') or x.tostype('row_sparse') converts a dense x")
    return source_array.copy() if dtype is None else source_array.astype(dtype)


@leaves
def cast_storage(data: Any, stype: str) -> Any:
    """Return a copy of the array in a storage type: `default`, `csr` or `row_sparse`.

    Raises:
        ValueArgumentError E345: there is no such storage type, or no such one of that shape.

    >>> nd.cast_storage(nd.array([[0, 7]]), "csr").stype, nd.array([[0, 7]]).tostype("row_sparse").stype
    ('csr', 'row_sparse')
    """
    if isinstance(data, BaseSparseNDArray):
        return data.tostype(stype)
    dense = np.asarray(data)
    return np.copy(data) if stype == "default" else made_sparse(dense.asnumpy(), stype, dense.device)


def dot(lhs: Any, rhs: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """Return the product of two matrices, which are made dense.

    Args:
        lhs: a matrix.
        rhs: a matrix.
        transpose_a: transpose `lhs` first.
        transpose_b: transpose `rhs` first.

    >>> from hybridize import sparse
    >>> sparse.dot(sparse.csr_matrix(np.array([[0, 7]])), nd.ones((2, 1))).asnumpy()
    array([[7.]], dtype=float32)
    """
    x, y = (one.tostype("default") if isinstance(one, BaseSparseNDArray) else one for one in (lhs, rhs))
    return np.dot(x.T if transpose_a else x, y.T if transpose_b else y)


def retain(data: RowSparseNDArray, indices: Any) -> RowSparseNDArray:
    """Return the rows of these numbers of a row_sparse array; all others become 0.

    >>> from hybridize import sparse
    >>> sparse.retain(sparse.row_sparse_array(np.array([[1], [2]])), nd.array([1])).asnumpy()
    array([[0.],
           [2.]], dtype=float32)
    """
    return data.retain(indices)


def _of_dense(source: Any, stype: str, dtype: Any) -> Any:
    if isinstance(source, BaseSparseNDArray):
        result = source.tostype(stype)
        return result if dtype is None else result.astype(dtype)
    return made_sparse(_array(source, dtype), stype)


def _same_shape(array: _Sparse, shape: Any, name: str) -> _Sparse:
    if shape is not None and array.shape != _sizes(shape):
        raise ValueArgumentError("E345", f"{name}: the array has shape {array.shape}, expected {_sizes(shape)}")
    return array


def _fitting(stype: str, shape: tuple[int, ...], values: NDArray[Any], *indices: NDArray[Any]) -> SparseArray:
    parts = checked(stype, shape, values, *indices)
    if isinstance(parts, str):
        raise ValueArgumentError("E345", f"these are not the parts of an array of storage type {stype}: {parts}")
    return parts


def _added_up(
    values: NDArray[Any], starts: NDArray[Any], columns: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Parts of a csr matrix with each place once; parts that do not fit each other as they are."""
    lengths = numpy.diff(starts)
    fit = starts.size and starts[0] == 0 and starts[-1] == values.size and (lengths >= 0).all()
    if not fit or values.shape != columns.shape or values.ndim != 1:
        return values, starts, columns
    rows = numpy.repeat(numpy.arange(lengths.size), lengths)
    order = numpy.lexsort((columns, rows))
    places = numpy.stack([rows, columns])[:, order]
    first = numpy.flatnonzero(numpy.append(True, (places[:, 1:] != places[:, :-1]).any(0))[: values.size])
    if first.size == values.size:
        return values, starts, columns
    rows, columns = places[:, first]
    return numpy.add.reduceat(values[order], first), starts_of(rows, lengths.size), columns


def _array(source: Any, dtype: Any) -> NDArray[Any]:
    """Return the numbers of an argument: an array's keep their dtype, a list's are float32."""
    if isinstance(source, ndarray):
        values = source.asnumpy()
    else:
        values = numpy.asarray(source)
        if not hasattr(source, "dtype"):
            values = values.astype(float32)
    kind: DType = as_dtype(values.dtype if dtype is None else dtype)
    return values.astype(kind)


def _indices(source: Any) -> NDArray[Any]:
    indices = source.asnumpy() if isinstance(source, ndarray) else numpy.asarray(source)
    if indices.dtype.kind == "f" and (indices == numpy.floor(indices)).all():
        indices = indices.astype(numpy.int64)  # MXNet's arrays of numbers are floats where nobody says otherwise
    if indices.dtype.kind not in "iu" and indices.size:
        raise ValueArgumentError("E345", f"indices of a sparse array must be integers, got {indices.dtype}")
    return indices.astype(numpy.int64)


def _sizes(shape: Any) -> tuple[int, ...]:
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if not all(isinstance(size, (int, numpy.integer)) and size >= 0 for size in sizes):
        raise ValueArgumentError("E345", f"a shape must be a tuple of sizes, got {shape!r}")
    return tuple(map(int, sizes))


def _least(indices: NDArray[Any]) -> int:
    """Return the least size that holds indices."""
    return int(indices.max()) + 1 if indices.size else 0

# SPDX-License-Identifier: Apache-2.0
"""The two sparse arrays: a matrix by its stored elements (`csr`), and an array by its stored rows (`row_sparse`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import host_view
from hybridize.array.device import Device, as_device, current_device
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operators import Operators
from hybridize.array.placing import place
from hybridize.base.advice import warn
from hybridize.base.dtypes import DType, as_dtype
from hybridize.base.errors import ArgumentError, KeyShapeError, OutOfBoundsError, ValueArgumentError
from hybridize.base.frozen import changed
from hybridize.base.loading import load_module
from hybridize.base.participation import ReadPolicy
from hybridize.formats.mxnet.sparse import CSR, ROW_SPARSE, SparseArray, dense, sparse

STORED = (
    "BlockGrad", "abs", "absolute", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "degrees", "expm1", "fix",
    "floor", "log1p", "make_loss", "negative", "radians", "relu", "rint", "round", "sign", "sin", "sinh", "slice",
    "sqrt", "square", "stop_gradient", "tan", "tanh", "trunc", "zeros_like",
)  # fmt: skip
"""Functions that give 0 of 0: the result has the storage type of their first argument."""
ALIKE = (
    "ElementWiseSum", "add", "add_n", "concatenate", "elemwise_add", "elemwise_mul", "elemwise_sub", "multiply",
    "subtract",
)  # fmt: skip
"""Functions whose result has the storage type of all their arguments."""


class BaseSparseNDArray(Operators):
    """Hold an array of which only a part is stored; the rest is 0. Values are replaced as a whole: `x[:] = y`.

    It has its parts, the conversions below, and functions whose result is sparse as well. What else is asked of it, in
    any function, is done with the dense array that it stands for, with a warning at the user's line.

    >>> from hybridize import sparse
    >>> isinstance(sparse.zeros("csr", (2, 2)), sparse.BaseSparseNDArray)
    True
    """

    __slots__ = ("__weakref__", "_device", "_parts")
    __hybridize_read__ = ReadPolicy.IDENTITY
    if not TYPE_CHECKING:
        __hash__ = object.__hash__

    def __init__(self, parts: SparseArray, device: Device | None = None) -> None:
        self._parts = parts
        self._device = device or current_device()

    def _become(self, array: ndarray) -> None:
        """Hold the values of a dense array from now on."""
        self._parts = sparse(array.asnumpy(), self.stype)

    def _of_stored(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The same places, and what a function gives of what is stored there."""
        values = function(wrap(self._parts.values), *args, **kwargs)
        return type(self)(changed(self._parts, values=host_view(values)), self._device)

    @property
    def device(self) -> Device:
        """The device that it is known to be on."""
        return self._device

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes of the dense array."""
        return self._parts.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._parts.dtype

    @property
    def stype(self) -> str:
        """The storage type: `csr` or `row_sparse`."""
        return self._parts.storage

    @property
    def data(self) -> ndarray:
        """A copy of what is stored: of a csr the elements row by row, of a row_sparse the rows."""
        return place(wrap(self._parts.values.copy()), self._device)

    @property
    def indices(self) -> ndarray:
        """A copy of the places of what is stored, int64: of a csr the columns, of a row_sparse the rows."""
        return place(wrap(self._parts.indices.copy()), self._device)

    def asnumpy(self) -> NDArray[Any]:
        """The dense array, as one of NumPy.

        Raises:
            ValueArgumentError E345: it would take more than 4 GiB.
        """
        array = dense(self._parts)
        if isinstance(array, str):
            raise ValueArgumentError("E345", f"{self._text()}: {array}", help="use x.data and x.indices")
        return array

    def tostype(self, stype: str) -> Any:
        """A copy of another storage type: `default` is dense, an array of ours.

        Raises:
            ValueArgumentError E345: there is no such storage type, or no such one for its shape.
        """
        if stype == self.stype:
            return self.copy()
        array = self.asnumpy()
        return place(wrap(array), self._device) if stype == "default" else made_sparse(array, stype, self._device)

    def copy(self, order: str = "C") -> Any:
        """Another array with its values."""
        return type(self)(self._parts, self._device)

    def copyto(self, other: Any) -> Any:
        """Write the elements to `other` and return it; to a device, a copy there."""
        if not isinstance(other, Operators):
            return type(self)(self._parts, as_device(other))
        other[:] = self if isinstance(other, BaseSparseNDArray) else wrap(self.asnumpy())
        return other

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Any:
        """As another dtype."""
        return type(self)(changed(self._parts, values=self._parts.values.astype(as_dtype(dtype))), self._device)

    def check_format(self, full_check: bool = True) -> None:
        """Nothing: the parts of a sparse array always fit each other."""

    def wait_to_read(self) -> None:
        """Nothing: it is there."""

    def _stays_sparse(self, name: str, args: tuple[Any, ...]) -> bool:
        """Tell whether a function's result has this storage type, as it has in MXNet."""
        if name in ALIKE:
            if name == "concatenate":
                args = tuple(args[0]) if self.stype == CSR and args[1:] in ((), (0,)) else ()
            return bool(args) and all(type(one) is type(self) for one in args)
        return bool(args) and args[0] is self and (name in STORED or (name == "clip" and args[1] <= 0 <= args[-1]))

    def _scaled(self, number: Any, by: Callable[..., Any]) -> Any:
        """The same places with the stored elements times a number, or divided by one; None where it is no number."""
        if not isinstance(number, (int, float)) or (by is numpy.divide and not number):
            return None
        return self._of_stored(lambda values: values * number if by is numpy.multiply else values / number)

    def __mul__(self, other: Any) -> Any:
        finite = isinstance(other, (int, float)) and other - other == 0  # 0 times it is 0
        product = self._scaled(other, numpy.multiply) if finite else None
        return super().__mul__(other) if product is None else product

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        quotient = self._scaled(other, numpy.divide)
        return super().__truediv__(other) if quotient is None else quotient

    def __neg__(self) -> Any:
        return self * -1

    def __hybridize_function__(
        self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call a public function with what is stored, or with the dense array."""
        if self._stays_sparse(name, args) and kwargs.get("out") is None:
            if name in ALIKE or name == "slice":
                whole = function(*_all_dense(args), **_all_dense(kwargs)).asnumpy()
                return made_sparse(whole, self.stype, self._device)
            return self._of_stored(function, *args[1:], **kwargs)
        warn(f"{name}: {self._text()} is made dense; x.tostype('default') does it without this warning")
        return function(*_all_dense(args), **_all_dense(kwargs))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        warn(f"{self._text()} is made dense; x.asnumpy() does it without this warning")
        array = self.asnumpy()
        return array if dtype is None else array.astype(dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        if key is not Ellipsis and not (isinstance(key, slice) and key == slice(None)):
            text = f"x[{key!r}] of {self._text()} cannot be written"
            raise ArgumentError("E306", text, help="x[:] = y can, and every index of x.tostype('default')")
        if isinstance(value, BaseSparseNDArray) and value.shape == self.shape:
            self._parts = value.tostype(self.stype).astype(self.dtype)._parts
        else:
            whole = wrap(numpy.empty(self.shape, self.dtype))
            whole[...] = wrap(value.asnumpy()) if isinstance(value, (ndarray, BaseSparseNDArray)) else value
            self._become(whole)

    def __bool__(self) -> bool:
        return bool(wrap(self.asnumpy()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._parts, self._device)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.copy()

    __copy__ = copy

    def _text(self) -> str:
        return f"<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self._device}>"

    def __repr__(self) -> str:
        return f"\n{self._text()}"

    __str__ = __repr__


class CSRNDArray(BaseSparseNDArray):
    """Hold a matrix of which only some elements are stored, row by row (compressed sparse rows).

    >>> from hybridize import sparse
    >>> x = sparse.csr_matrix(np.array([[0, 7], [0, 0]]))
    >>> isinstance(x, sparse.CSRNDArray), x.indices.asnumpy(), x.data.asnumpy()
    (True, array([1]), array([7.], dtype=float32))
    """

    __slots__ = ()

    @property
    def indptr(self) -> ndarray:
        """A copy of the places in `data` and `indices` where each row begins and the last one ends, int64."""
        starts = self._parts.starts
        assert starts is not None
        return place(wrap(starts.copy()), self._device)

    def asscipy(self) -> Any:
        """Return the matrix as one of SciPy, which has to be installed.

        >>> from hybridize import sparse
        >>> x = sparse.csr_matrix(np.array([[0, 7], [0, 0]]))
        >>> x.asscipy().nnz  # doctest: +SKIP
        1
        """
        parts = self._parts
        return load_module("scipy.sparse").csr_matrix(
            (parts.values, parts.indices, parts.starts), shape=parts.shape, dtype=parts.dtype
        )

    def __getitem__(self, key: Any) -> Any:
        """One row, as a matrix, or rows that follow each other; they are sparse, too."""
        if isinstance(key, (int, numpy.integer)) and not isinstance(key, bool):
            row = int(key) + (self.shape[0] if key < 0 else 0)
            if not 0 <= row < self.shape[0]:
                raise OutOfBoundsError("E110", f"x[{key}] of {self._text()}: the row is out of bounds")
            return self._rows(row, row + 1)
        if isinstance(key, slice) and key.step in (None, 1):
            rows = range(*key.indices(self.shape[0]))
            return self._rows(rows.start, max(rows.start, rows.stop))
        raise KeyShapeError(
            "E133", f"x[{key!r}] of {self._text()}: a sparse array takes one row or a range of consecutive rows",
            help="x.tostype('default') is a dense array, which supports every index",
        )  # fmt: skip

    def _rows(self, begin: int, end: int) -> CSRNDArray:
        parts = self._parts
        assert parts.starts is not None
        starts = parts.starts[begin : end + 1]
        stored = slice(starts[0], starts[-1])
        shape = (end - begin, *parts.shape[1:])
        rows = SparseArray(CSR, shape, parts.values[stored], parts.indices[stored], starts - starts[0])
        return CSRNDArray(rows, self._device)


class RowSparseNDArray(BaseSparseNDArray):
    """Hold an array of which only some rows, along its first axis, are stored.

    >>> from hybridize import sparse
    >>> x = sparse.row_sparse_array(([[7.0, 8.0]], [1]), shape=(3, 2))
    >>> isinstance(x, sparse.RowSparseNDArray), x.indices.asnumpy()
    (True, array([1]))
    """

    __slots__ = ()

    def retain(self, indices: Any) -> RowSparseNDArray:
        """Return the rows of these numbers; all others become 0.

        >>> from hybridize import sparse
        >>> sparse.row_sparse_array(np.array([[1], [2]])).retain(nd.array([1])).asnumpy()
        array([[0.],
               [2.]], dtype=float32)
        """
        wanted = numpy.asarray(indices.asnumpy() if isinstance(indices, ndarray) else indices)
        inside = numpy.isin(self._parts.indices, wanted)
        return RowSparseNDArray(
            changed(self._parts, values=self._parts.values[inside], indices=self._parts.indices[inside]), self._device
        )

    def __getitem__(self, key: Any) -> Any:
        """`x[:]` alone, which is the array."""
        if isinstance(key, slice) and key == slice(None):
            return self
        raise KeyShapeError(
            "E133", f"x[{key!r}] of {self._text()}: this sparse array supports only x[:]",
            help="use x.retain(rows), or x.tostype('default'), a dense array, which supports every index",
        )  # fmt: skip


CLASSES: dict[str, type[BaseSparseNDArray]] = {CSR: CSRNDArray, ROW_SPARSE: RowSparseNDArray}
"""By storage type."""


def made_sparse(array: NDArray[Any], stype: str, device: Device | None = None) -> Any:
    """The sparse array of what is not 0 in a dense one, on a device, the present one when None.

    Raises:
        ValueArgumentError E345: there is no such storage type, or the array has too few or too many axes for it.
    """
    if stype not in CLASSES:
        raise ValueArgumentError("E345", f"the storage type must be default, csr or row_sparse, got {stype!r}")
    if array.ndim != 2 if stype == CSR else not array.ndim:
        axes = "two axes" if stype == CSR else "an axis"
        raise ValueArgumentError("E345", f"an array of storage type {stype} has {axes}, got the shape {array.shape}")
    return CLASSES[stype](sparse(array, stype), device)


def _all_dense(value: Any) -> Any:
    if isinstance(value, BaseSparseNDArray):
        return place(wrap(value.asnumpy()), value.device)
    if type(value) in (tuple, list):
        return type(value)(map(_all_dense, value))
    if type(value) is dict:
        return {key: _all_dense(one) for key, one in value.items()}
    return value

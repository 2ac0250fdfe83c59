# SPDX-License-Identifier: Apache-2.0
"""The operators that `ndarray` and `Symbol` share; their other methods are in `methods`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy

from hybridize.array.annotations import ArrayLike
from hybridize.array.methods import Methods, or_legacy
from hybridize.array.methods import functions as functions
from hybridize.base.dtypes import DType
from hybridize.base.errors import ArgumentError, ShapeError, ValueArgumentError
from hybridize.base.types import TensorType
from hybridize.ops.op import ACTIVE


class Flat:
    """The elements of an array in row-major order: `x.flat[3]`, `x.flat[2:5] = 0`, `for v in x.flat`."""

    __slots__ = ("_at", "_of")

    def __init__(self, of: Any) -> None:
        self._of = of
        self._at = 0

    @property
    def base(self) -> Any:
        """The array."""
        return self._of

    def copy(self) -> Any:
        """The elements as a vector that shares nothing."""
        return functions.copy(functions.ravel(self._of))

    def __len__(self) -> int:
        return self._of.size

    def __iter__(self) -> Flat:
        return self

    def __next__(self) -> Any:
        if self._at >= self._of.size:
            raise StopIteration
        self._at += 1
        return self[self._at - 1]

    def __getitem__(self, key: Any) -> Any:
        return functions.copy(functions.getitem(functions.ravel(self._of), key))

    def __setitem__(self, key: Any, value: Any) -> None:
        elements = self.copy()
        functions.setitem(elements, key, value)
        self._of[...] = functions.reshape(elements, self._of.shape)


class Operators(Methods):
    """Arithmetic, comparison, indexing and methods; `ndarray` and `Symbol` add their data."""

    __slots__ = ()
    __array_priority__ = 1000.0
    __hash__ = object.__hash__

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        raise ArgumentError("E301", f"{type(self).__name__} has no shape")

    @property
    def dtype(self) -> DType:
        """Element type."""
        raise ArgumentError("E301", f"{type(self).__name__} has no dtype")

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        total = 1
        for length in self.shape:
            total *= length
        return total

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def T(self) -> Self:  # noqa: N802
        """The transpose: all axes reversed; a view."""
        return functions.transpose(self)

    @property
    def mT(self) -> Self:  # noqa: N802
        """The last two axes exchanged; a view."""
        return functions.swapaxes(self, -1, -2)

    @property
    def flat(self) -> Flat:
        """The elements, in row-major order, to go through, to index, and to write."""
        return Flat(self)

    @flat.setter
    def flat(self, values: Any) -> None:
        functions.put(self, functions.arange(self.size, dtype="int64"), values)

    @property
    def real(self) -> Self:
        """The real part, a view: of real numbers the array itself."""
        return functions.real(self)

    @property
    def imag(self) -> Self:
        """The imaginary part: zeros."""
        return functions.imag(self)

    @property
    def stype(self) -> str:
        """Storage type: always `default` (dense)."""
        return "default"

    @property
    def device(self) -> Any:
        """The device where the elements live."""
        return functions.device_of(self) or functions.current_device()

    @property
    def ctx(self) -> Any:
        """MXNet 1.x name of `device`."""
        return self.device

    @property
    def context(self) -> Any:
        """MXNet 1.x name of `device`."""
        return self.device

    def __len__(self) -> int:
        if not self.shape:
            raise ArgumentError("E302", "len() of an array without axes", help="its one element is x.item()")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise ArgumentError("E302", "iteration over an array without axes", help="its one element is x.item()")
        return (self[i] for i in range(self.shape[0]))

    def __contains__(self, value: Any) -> bool:
        return bool(functions.any(functions.equal(self, value)))

    def __getitem__(self, key: Any) -> Self:
        return functions.getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        functions.setitem(self, key, value)

    def __add__(self, other: Any) -> Self:
        return _binary("add", self, other, other)

    def __radd__(self, other: Any) -> Self:
        return _binary("add", other, self, other)

    def __iadd__(self, other: Any) -> Self:
        return functions.inplace("add", self, other)

    def __sub__(self, other: Any) -> Self:
        return _binary("subtract", self, other, other)

    def __rsub__(self, other: Any) -> Self:
        return _binary("subtract", other, self, other)

    def __isub__(self, other: Any) -> Self:
        return functions.inplace("subtract", self, other)

    def __mul__(self, other: Any) -> Self:
        return _binary("multiply", self, other, other)

    def __rmul__(self, other: Any) -> Self:
        return _binary("multiply", other, self, other)

    def __imul__(self, other: Any) -> Self:
        return functions.inplace("multiply", self, other)

    def __truediv__(self, other: Any) -> Self:
        return _binary("divide", self, other, other)

    def __rtruediv__(self, other: Any) -> Self:
        return _binary("divide", other, self, other)

    def __itruediv__(self, other: Any) -> Self:
        return functions.inplace("divide", self, other)

    def __floordiv__(self, other: Any) -> Self:
        return _binary("floor_divide", self, other, other)

    def __rfloordiv__(self, other: Any) -> Self:
        return _binary("floor_divide", other, self, other)

    def __ifloordiv__(self, other: Any) -> Self:
        return functions.inplace("floor_divide", self, other)

    def __mod__(self, other: Any) -> Self:
        return _binary("mod", self, other, other)

    def __rmod__(self, other: Any) -> Self:
        return _binary("mod", other, self, other)

    def __imod__(self, other: Any) -> Self:
        return functions.inplace("mod", self, other)

    def __pow__(self, other: Any) -> Self:
        return _binary("power", self, other, other)

    def __rpow__(self, other: Any) -> Self:
        return _binary("power", other, self, other)

    def __ipow__(self, other: Any) -> Self:
        return functions.inplace("power", self, other)

    def __matmul__(self, other: Any) -> Self:
        return _binary("matmul", self, other, other)

    def __rmatmul__(self, other: Any) -> Self:
        return _binary("matmul", other, self, other)

    def __imatmul__(self, other: Any) -> Self:
        return functions.inplace("matmul", self, other)

    def __and__(self, other: Any) -> Self:
        return _binary("bitwise_and", self, other, other)

    def __rand__(self, other: Any) -> Self:
        return _binary("bitwise_and", other, self, other)

    def __iand__(self, other: Any) -> Self:
        return functions.inplace("bitwise_and", self, other)

    def __or__(self, other: Any) -> Self:
        return _binary("bitwise_or", self, other, other)

    def __ror__(self, other: Any) -> Self:
        return _binary("bitwise_or", other, self, other)

    def __ior__(self, other: Any) -> Self:
        return functions.inplace("bitwise_or", self, other)

    def __xor__(self, other: Any) -> Self:
        return _binary("bitwise_xor", self, other, other)

    def __rxor__(self, other: Any) -> Self:
        return _binary("bitwise_xor", other, self, other)

    def __ixor__(self, other: Any) -> Self:
        return functions.inplace("bitwise_xor", self, other)

    def __lshift__(self, other: Any) -> Self:
        return _binary("left_shift", self, other, other)

    def __rlshift__(self, other: Any) -> Self:
        return _binary("left_shift", other, self, other)

    def __ilshift__(self, other: Any) -> Self:
        return functions.inplace("left_shift", self, other)

    def __rshift__(self, other: Any) -> Self:
        return _binary("right_shift", self, other, other)

    def __rrshift__(self, other: Any) -> Self:
        return _binary("right_shift", other, self, other)

    def __irshift__(self, other: Any) -> Self:
        return functions.inplace("right_shift", self, other)

    def __eq__(self, other: Any) -> Self:  # type: ignore[override]
        return _binary("equal", self, other, other)

    def __ne__(self, other: Any) -> Self:  # type: ignore[override]
        return _binary("not_equal", self, other, other)

    def __lt__(self, other: Any) -> Self:
        return _binary("less", self, other, other)

    def __le__(self, other: Any) -> Self:
        return _binary("less_equal", self, other, other)

    def __gt__(self, other: Any) -> Self:
        return _binary("greater", self, other, other)

    def __ge__(self, other: Any) -> Self:
        return _binary("greater_equal", self, other, other)

    def __divmod__(self, other: Any) -> Any:
        return _binary("divmod", self, other, other)

    def __rdivmod__(self, other: Any) -> Any:
        return _binary("divmod", other, self, other)

    def __neg__(self) -> Self:
        return functions.negative(self)

    def __pos__(self) -> Self:
        return functions.positive(self)

    def __abs__(self) -> Self:
        return functions.abs(self)

    def __invert__(self) -> Self:
        return functions.invert(self)

    def __round__(self, ndigits: int = 0) -> Self:
        return functions.round(self, ndigits)

    @or_legacy("is_ascend")
    def sort(
        self,
        axis: int = -1,
        kind: Any = None,
        order: Any = None,
        *,
        stable: bool | None = None,
        descending: bool = False,
    ) -> None:
        """Sort along `axis`, in place."""
        before = self.copy() if ACTIVE else self  # the gradient depends on what was there
        self[...] = functions.sort(before, axis=axis, kind=kind, order=order, stable=stable, descending=descending)

    def partition(self, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
        """Put the elements at `kth` where sorting puts them, in place."""
        before = self.copy() if ACTIVE else self
        self[...] = functions.partition(before, kth, axis=axis, kind=kind, order=order)

    def fill(self, value: ArrayLike) -> None:
        """Write `value` to every element."""
        self[...] = value

    def asscalar(self) -> Any:
        """The one element as a Python number."""
        return self.item()

    def item(self, *args: Any) -> Any:
        """The one element, or the one at an index, as a Python number."""
        raise ArgumentError("E301", f"{type(self).__name__} has no values")

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        if api_version not in (None, *_VERSIONS):
            what = f"there is no version {api_version!r} of the array API here"
            raise ValueArgumentError("E345", what, help=f"it is {', '.join(_VERSIONS)}")
        return functions.array_api

    def __array_ufunc__(self, ufunc: numpy.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return functions.array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return functions.array_function(function, args, kwargs)


_UNDERSTOOD = (Operators, bool, int, float, complex, numpy.generic, numpy.ndarray, list, tuple)


def _binary(name: str, x: Any, y: Any, other: Any) -> Any:
    """Apply a function of two arguments, or leave it to the other operand's own class."""
    if not isinstance(other, _UNDERSTOOD):
        return NotImplemented
    return getattr(functions, name)(x, y)


def not_one(what: str, kind: TensorType) -> ShapeError:
    """The error for the Python value of an array of several elements, or none."""
    text = f"{what} of an array needs one element, got {kind}"
    return ShapeError("E130", text, help="use .any() or .all(), or index")


def not_an_index(kind: TensorType) -> ArgumentError:
    """The error for an array that is no integer, where Python takes an index."""
    return ArgumentError("E304", f"an index must be one integer, got {kind}", help="int(x) makes one")


_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
"""Of the array API standard, whose latest one holds what the others ask for."""

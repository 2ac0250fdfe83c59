# SPDX-License-Identifier: Apache-2.0
"""The operators that `ndarray` and `Symbol` share; their other methods are in `methods`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy

from hybridize.array.annotations import ArrayLike
from hybridize.array.methods import Methods, or_legacy
from hybridize.array.methods import functions as functions
from hybridize.base.dtypes import DType
from hybridize.base.errors import ArgumentError, HybridizeError, ShapeError, ValueArgumentError
from hybridize.base.tracebacks import leaves, trim
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


_Array = TypeVar("_Array")


def _operator(name: str, *, reflected: bool = False) -> Callable[[_Array, Any], _Array]:
    """Return a function of two arguments as an operator, which leaves what it does not know to the other operand."""

    def operator(self: Any, other: Any) -> Any:
        if not isinstance(other, UNDERSTOOD):
            return NotImplemented
        function = getattr(functions, name)
        try:
            return function(other, self) if reflected else function(self, other)
        except HybridizeError as error:
            trim(error)
            raise

    return operator


def _in_place(name: str) -> Callable[[_Array, Any], _Array]:
    """Return the operator of a function that writes its result to its first operand."""

    @leaves
    def operator(self: Any, other: Any) -> Any:
        return functions.inplace(name, self, other)

    return operator


class Operators(Methods):
    """Arithmetic, comparison, indexing and methods; `ndarray` and `Symbol` add their data."""

    __slots__ = ()
    __array_priority__: ClassVar[float] = 1000.0

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
        return math.prod(self.shape)

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

    context = ctx

    @leaves
    def __len__(self) -> int:
        if not self.shape:
            raise ArgumentError("E302", "len() of an array without axes", help="x.item() is its only element")
        return self.shape[0]

    @leaves
    def __iter__(self) -> Iterator[Self]:
        if not self.shape:
            raise ArgumentError("E302", "iteration over an array without axes", help="x.item() is its only element")
        return (self[i] for i in range(self.shape[0]))

    @leaves
    def __contains__(self, value: Any) -> bool:
        return bool(functions.any(functions.equal(self, value)))

    @leaves
    def __getitem__(self, key: Any) -> Self:
        return functions.getitem(self, key)

    @leaves
    def __setitem__(self, key: Any, value: Any) -> None:
        functions.setitem(self, key, value)

    if TYPE_CHECKING:  # set below, of the tables

        def __hash__(self) -> int: ...
        def __add__(self, other: Any) -> Self: ...
        def __sub__(self, other: Any) -> Self: ...
        def __mul__(self, other: Any) -> Self: ...
        def __truediv__(self, other: Any) -> Self: ...
        def __floordiv__(self, other: Any) -> Self: ...
        def __mod__(self, other: Any) -> Self: ...
        def __pow__(self, other: Any) -> Self: ...
        def __matmul__(self, other: Any) -> Self: ...
        def __radd__(self, other: Any) -> Self: ...
        def __rsub__(self, other: Any) -> Self: ...
        def __rmul__(self, other: Any) -> Self: ...
        def __rtruediv__(self, other: Any) -> Self: ...
        def __rfloordiv__(self, other: Any) -> Self: ...
        def __rmod__(self, other: Any) -> Self: ...
        def __rpow__(self, other: Any) -> Self: ...
        def __rmatmul__(self, other: Any) -> Self: ...
        def __iadd__(self, other: Any) -> Self: ...
        def __isub__(self, other: Any) -> Self: ...
        def __imul__(self, other: Any) -> Self: ...
        def __itruediv__(self, other: Any) -> Self: ...
        def __ifloordiv__(self, other: Any) -> Self: ...
        def __imod__(self, other: Any) -> Self: ...
        def __ipow__(self, other: Any) -> Self: ...
        def __imatmul__(self, other: Any) -> Self: ...
        def __and__(self, other: Any) -> Self: ...
        def __or__(self, other: Any) -> Self: ...
        def __xor__(self, other: Any) -> Self: ...
        def __lshift__(self, other: Any) -> Self: ...
        def __rshift__(self, other: Any) -> Self: ...
        def __divmod__(self, other: Any) -> Self: ...
        def __lt__(self, other: Any) -> Self: ...
        def __le__(self, other: Any) -> Self: ...
        def __gt__(self, other: Any) -> Self: ...
        def __ge__(self, other: Any) -> Self: ...
        def __eq__(self, other: Any) -> Self: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> Self: ...  # type: ignore[override]

    else:
        __hash__ = object.__hash__

    @leaves
    def __neg__(self) -> Self:
        return functions.negative(self)

    @leaves
    def __pos__(self) -> Self:
        return functions.positive(self)

    @leaves
    def __abs__(self) -> Self:
        return functions.abs(self)

    @leaves
    def __invert__(self) -> Self:
        return functions.invert(self)

    @leaves
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
        """Sort along an axis, in place; arguments are those of `np.sort`.

        >>> x = np.array([3, 1, 2])
        >>> x.sort()
        >>> x
        array([1., 2., 3.])
        """
        before = self.copy() if ACTIVE else self  # the gradient depends on what was there
        self[...] = functions.sort(before, axis=axis, kind=kind, order=order, stable=stable, descending=descending)

    @leaves
    def partition(self, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
        """Put the elements at `kth` where sorting puts them, smaller elements before, in place.

        >>> x = np.array([3, 1, 2])
        >>> x.partition(1)
        >>> x
        array([1., 2., 3.])
        """
        before = self.copy() if ACTIVE else self
        self[...] = functions.partition(before, kth, axis=axis, kind=kind, order=order)

    @leaves
    def fill(self, value: ArrayLike) -> None:
        """Write a value to every element, in place.

        >>> x = np.zeros(2)
        >>> x.fill(7)
        >>> x
        array([7., 7.])
        """
        self[...] = value

    def asscalar(self) -> Any:
        """Return the one element of the array as a Python number, where MXNet gives a scalar of NumPy.

        >>> np.array([2.5]).asscalar()
        2.5
        """
        return self.item()

    def item(self, *args: Any) -> Any:
        """Return the one element, or the element at an index, as a Python number.

        >>> np.array([1, 2.5]).item(1)
        2.5
        """
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


_BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide", "mod": "mod",
    "pow": "power", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "left_shift", "rshift": "right_shift", "divmod": "divmod",
}  # fmt: skip
"""Functions of two arrays, by the operators that are called by their names; all but `divmod` write in place, too."""
COMPARISONS = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
}  # fmt: skip
"""Functions that compare two arrays, by operators."""

for _name, _function in (_BINARY | COMPARISONS).items():
    setattr(Operators, f"__{_name}__", _operator(_function))
for _name, _function in _BINARY.items():
    setattr(Operators, f"__r{_name}__", _operator(_function, reflected=True))
    if _name != "divmod":
        setattr(Operators, f"__i{_name}__", _in_place(_function))

UNDERSTOOD = (Operators, bool, int, float, complex, numpy.generic, numpy.ndarray, list, tuple)
"""Classes of what an operator takes; the rest is left to the other operand."""


def not_one(what: str, kind: TensorType) -> ShapeError:
    """The error for the Python value of an array of several elements, or none."""
    text = f"{what} of an array needs one element, got {kind}"
    return ShapeError(
        "E130", text, help="use .any() or .all() of bools, x.sum() or x.max() of numbers, or index one element: x[0]"
    )


def not_an_index(kind: TensorType) -> ArgumentError:
    """The error for an array that is no integer, where Python takes an index."""
    return ArgumentError("E304", f"an index must be one integer, got {kind}", help="int(x) converts one element")


_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
"""Of the array API standard, whose latest one holds what the others ask for."""

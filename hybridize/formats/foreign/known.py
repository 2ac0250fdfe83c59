# SPDX-License-Identifier: Apache-2.0
"""`Known`: values that a program is made of and not data for it: shapes, axes, counts, and what is computed of them.

    sizes = Known.of((batch, 3, height))     batch and height may be dims: what only calls know
    with interpreting(KnownInterpreter()):            ops of known values are computed while the graph is made
        half = floor_div(sizes, two)

Numbers that are computed of sizes stay sizes as far as integer arithmetic goes, so that the program stays one for all
of them; what needs the very number pins it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base import dims
from hybridize.base.dtypes import DType, bool_, int64
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.ops import Cast, Mod, SizeOf, add, concat, constant, iota, like, mul, reshape, size_of
from hybridize.ops import cast as cast_operand
from hybridize.ops.analysis import Ceil, Floor, Round, Trunc
from hybridize.ops.composite import Attributes
from hybridize.ops.op import Op, Operand
from hybridize.ops.powers import Fmod

LARGEST: Final = 4096
"""Elements of the largest array that is folded; a larger one is computed where it is needed."""
_WHOLE: Final = (Floor, Ceil, Round, Trunc)
"""Ops that leave whole numbers as they are."""


class _Cell:
    """A dim in an array of objects: NumPy asks a dim itself for its number, which pins it."""

    __slots__ = ("dim",)

    def __init__(self, dim: Any) -> None:
        self.dim = dim

    def __neg__(self) -> Any:
        return _cell(-self.dim)

    def __repr__(self) -> str:
        return dims.text(self.dim)


def _operator(name: str) -> Callable[[_Cell, Any], Any]:
    def apply(self: _Cell, other: Any) -> Any:
        return _cell(getattr(self.dim, name)(_size(other)))

    return apply


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    for _side in ("", "r"):
        setattr(_Cell, f"__{_side}{_name}__", _operator(f"__{_side}{_name}__"))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(_Cell, f"__{_name}__", _operator(f"__{_name}__"))


def _cell(size: Any) -> Any:
    return _Cell(size) if dims.is_symbolic(size) else size


def _size(cell: Any) -> Any:
    return cell.dim if isinstance(cell, _Cell) else cell.item() if isinstance(cell, numpy.generic) else cell


class TooLargeError(Exception):
    """A result of known values is too large to be known, or has a size that only calls know."""


class Known:
    """Numbers that are known while a program is made.

    Attributes:
        array: the numbers; of objects where some are dims, which `list` and `item` give.
        dtype: the type that the framework has for them.
    """

    __slots__ = ("array", "dtype")
    array: NDArray[Any]
    dtype: DType

    def __init__(self, array: NDArray[Any], dtype: DType) -> None:
        if array.dtype == object and not any(isinstance(one, _Cell) for one in array.flat):
            array = array.astype(dtype)
        self.array, self.dtype = array, dtype

    @classmethod
    def of(cls, values: Any, dtype: DType = int64) -> Known:
        """Return a number or a size, or a row of them, as a known value."""
        several = isinstance(values, (tuple, list))
        flat = values if several else (values,)
        if any(map(dims.is_symbolic, flat)):
            array = numpy.empty(len(flat), object)
            array[:] = [_cell(one) for one in flat]
            return cls(array if several else array.reshape(()), dtype)
        return cls(numpy.asarray(values, dtype), dtype)

    def __repr__(self) -> str:
        return f"Known({self.array.tolist()!r}, {self.dtype})"

    @property
    def type(self) -> TensorType:
        """The type that it has as an operand."""
        return TensorType(self.array.shape, self.dtype)

    @property
    def symbolic(self) -> bool:
        """True if some of the numbers are dims."""
        return self.array.dtype == object

    def list(self) -> list[Any]:
        """Return the numbers as Python's, row after row."""
        return [_size(one) for one in self.array.reshape(-1).tolist()]

    def item(self) -> Any:
        """Return the only number as Python's."""
        return self.list()[0]

    def operand(self) -> Operand:
        """Return it as an operand of the interpreter in charge."""
        if not self.symbolic:
            return constant(numpy.ascontiguousarray(self.array).reshape(self.array.shape))
        parts = [cast_operand(size_of(size), self.dtype) for size in self.list()]
        if len(parts) == 1:
            return reshape(parts[0], self.array.shape)
        return reshape(concat(*(reshape(part, (1,)) for part in parts), axis=0), self.array.shape)

    def pinned(self) -> NDArray[Any]:
        """Return the very numbers; the program then holds for these sizes only."""
        if not self.symbolic:
            return self.array
        numbers = [int(one) for one in self.list()]
        return numpy.array(numbers).astype(self.dtype).reshape(self.array.shape)


class KnownInterpreter:
    """The interpreter of known values: it computes at once, by the ops' references."""

    def bind(self, op: Op, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Compute the results of an op; sizes stay sizes where its reference can.

        Raises:
            TooLargeError: the results are not to be known.
        """
        if isinstance(op, SizeOf):
            return (Known.of(op.size),)
        types = op.infer(*(x.type for x in operands))
        if any(dims.is_symbolic(size) for kind in types for size in kind.shape):
            raise TooLargeError
        if any(kind.size > LARGEST for kind in types):
            raise TooLargeError
        if any(x.symbolic for x in operands):
            results = _of_sizes(op, operands, types)
            if results is not None:
                return results
        with numpy.errstate(all="ignore"):
            arrays = op.reference(*(x.pinned() for x in operands))
        return tuple(Known(numpy.asarray(array), kind.dtype) for array, kind in zip(arrays, types, strict=True))

    def type_of(self, operand: Operand) -> TensorType:
        """Type of a known value."""
        kind: TensorType = operand.type
        return kind

    def constant(self, array: NDArray[Any]) -> Operand:
        """The array as a known value."""
        if array.size > LARGEST:
            raise TooLargeError
        return Known(array, array.dtype)

    def composite(
        self,
        label: str,
        attributes: Attributes,
        function: Callable[..., Sequence[Operand]],
        operands: Sequence[Operand],
    ) -> tuple[Operand, ...]:
        """Run the function, op by op."""
        return tuple(function(*operands))


def _of_sizes(op: Op, operands: Sequence[Known], types: Sequence[TensorType]) -> tuple[Known, ...] | None:
    """The results of an op on sizes; None where it takes their very numbers."""
    if isinstance(op, (Cast, *_WHOLE)):
        return None if types[0].dtype == bool_ else (Known(operands[0].array, types[0].dtype),)
    arrays = [_whole(x) for x in operands]
    if any(array is None for array in arrays):
        return None
    reference = op.reference
    if isinstance(op, Fmod) and all(size >= 0 for x in operands for size in x.list()):
        reference = Mod().reference  # which sizes have; of what is not negative it is the same
    try:
        results = reference(*arrays)
    except (TypeError, ValueError, AttributeError):
        return None
    return tuple(_typed(numpy.asarray(array), kind) for array, kind in zip(results, types, strict=True))


def _whole(x: Known) -> NDArray[Any] | None:
    """The numbers of an operand beside sizes: floats as integers where they are whole; None where they are not."""
    if x.symbolic or x.dtype.kind not in "fV":
        return x.array
    rounded = numpy.rint(x.array.astype("f8"))
    if not numpy.isfinite(rounded).all() or (rounded != x.array.astype("f8")).any():
        return None
    numbers: NDArray[Any] = rounded.astype(int64)
    return numbers


def _typed(array: NDArray[Any], kind: TensorType) -> Known:
    if kind.dtype == bool_:
        array = array.astype(bool_)
    return Known(array if array.dtype == object else array.astype(kind.dtype), kind.dtype)


def ranged(start: Known, stop: Known, step: Known) -> Any:
    """Return numbers from one to before another: known, or an operand where their count is a size."""
    parts = [x.item() for x in (start, stop, step)]
    if not any(map(dims.is_symbolic, parts)) or any(not dims.is_symbolic(x) and x != int(x) for x in parts):
        numbers = [x.pinned().item() for x in (start, stop, step)]
        return Known(numpy.arange(*numbers, dtype=start.dtype), start.dtype)
    begin, end, by = (x if dims.is_symbolic(x) else int(x) for x in parts)
    index = iota((dims.maximum(-((begin - end) // by), 0),), 0, start.dtype)
    return add(mul(index, like(by, index)), like(begin, index))


class NoArray:
    """A value of a walk that is no array: a variable's handle, a list."""

    __slots__ = ()


@frozen
class Handle(NoArray):
    """A variable: the name under which `Walk.state` has what it holds at this place of the program."""

    name: str


class Assembled(ABC):
    """A value that becomes an operand where one is needed."""

    __slots__ = ()

    @abstractmethod
    def operand(self) -> Operand:
        """Return it as an operand of the interpreter in charge."""


class Vector(Assembled):
    """A vector put together of numbers of which some are known and others are data.

    Attributes:
        parts: `Known` values without axes, and operands without axes.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts: tuple[Any, ...] = tuple(parts)

    def operand(self) -> Operand:
        """Return it as an operand of the interpreter in charge."""
        return concat(*(reshape(operand_of(part), (1,)) for part in self.parts), axis=0)


def operand_of(value: Any) -> Operand:
    """Return a value of a walk as an operand."""
    return value.operand() if isinstance(value, (Known, Assembled)) else value

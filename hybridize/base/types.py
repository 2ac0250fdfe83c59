# SPDX-License-Identifier: Apache-2.0
"""`TensorType`: a shape and a dtype, printed `f32[2,3]`, the one notation for types in messages and text.

A size that is not known before the call is a `Dim`, and stands where an int stands: `f32[n0,3]`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cached_property

from hybridize.base.dims import Dim, SizeScope, is_symbolic, parse, same, scope_of, text
from hybridize.base.dtypes import BY_CODE, CODES, DType
from hybridize.base.errors import GraphError
from hybridize.base.frozen import frozen

Shape = tuple[int, ...]

_TEXT = re.compile(r"([a-z]+\d*)\[([^\]\n]*)\]")


_INT = frozenset({int})


def same_shape(x: Shape, y: Shape) -> bool:
    """Tell whether shapes are equal. To `==`, tuples of two lengths differ only after their first sizes were compared,
    which for sizes that are not known is a question too many.
    """
    return len(x) == len(y) and x == y


def surely_same(x: Shape, y: Shape) -> bool:
    """Tell whether shapes are known to be equal, of sizes that are not known too; no program comes to depend on it."""
    if x is y:
        return True
    if len(x) != len(y):
        return False
    if _INT.issuperset(map(type, x)) and _INT.issuperset(map(type, y)):  # nearly always, and asked of every size
        return x == y
    return all(map(same, x, y))


@frozen
class TensorType:
    """The type of a value: its shape, one int per axis, and its element dtype."""

    shape: Shape
    dtype: DType

    def __init__(self, shape: Shape, dtype: DType) -> None:
        # By hand, as every process makes many: `frozen` would write it when the first ones are there.
        self.__dict__["shape"] = shape
        self.__dict__["dtype"] = dtype

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not TensorType:
            return NotImplemented
        return self.dtype == other.dtype and same_shape(self.shape, other.shape)

    def __hash__(self) -> int:
        # Equal dtypes have equal numbers; their own hash takes ten times as long.
        return hash((self.shape, self.dtype.num))

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @cached_property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of a dense buffer of this type."""
        return self.size * self.dtype.itemsize

    @property
    def scope(self) -> SizeScope | None:
        """The scope that the symbols in the shape belong to; None if all sizes are known."""
        return scope_of(self.shape)

    def with_shape(self, shape: Shape) -> TensorType:
        """The same dtype over another shape."""
        return TensorType(shape, self.dtype)

    def with_dtype(self, dtype: DType) -> TensorType:
        """The same shape with another dtype."""
        return TensorType(self.shape, dtype)

    def __str__(self) -> str:
        return f"{CODES[self.dtype]}[{','.join(map(text, self.shape))}]"

    @classmethod
    def parse(cls, text: str, symbols: Mapping[str, Dim] | None = None) -> TensorType:
        """Read `f32[2,3]` back, or `f32[2*n0,3]` with symbols of these names."""
        match = _TEXT.fullmatch(text)
        if match is not None and match[1] in BY_CODE:
            sizes = [_size(size, symbols or {}) for size in (_split(match[2]) if match[2] else [])]
            if None not in sizes:
                return cls(tuple(size for size in sizes if size is not None), BY_CODE[match[1]])
        raise GraphError("E901", f"{text!r} is not a tensor type", help="a type reads like f32[2,3]")


def _size(written: str, symbols: Mapping[str, Dim]) -> int | None:
    """A number, or a size of these symbols; None where it is neither."""
    if written.isdecimal():
        return int(written)
    try:
        size = parse(written, symbols)
    except GraphError:
        return None
    return size if is_symbolic(size) else None


def _split(sizes: str) -> list[str]:
    """The sizes of a shape; those of atoms such as `div(n0,2)` stay together."""
    parts, depth = [""], 0
    for mark in sizes:
        depth += (mark == "(") - (mark == ")")
        if mark == "," and not depth:
            parts.append("")
        else:
            parts[-1] += mark
    return parts

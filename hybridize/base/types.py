# SPDX-License-Identifier: Apache-2.0
"""`TensorType`: a shape and a dtype, printed `f32[2,3]`, the one notation for types in messages and text."""

from __future__ import annotations

import math
import re

from hybridize.base.dtypes import BY_CODE, CODES, DType
from hybridize.base.errors import GraphError
from hybridize.base.frozen import frozen

Shape = tuple[int, ...]

_TEXT = re.compile(r"([a-z]+\d*)\[([\d,]*)\]")


@frozen
class TensorType:
    """The type of a value: its shape, one int per axis, and its element dtype."""

    shape: Shape
    dtype: DType

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of a dense buffer of this type."""
        return self.size * self.dtype.itemsize

    def with_shape(self, shape: Shape) -> TensorType:
        """The same dtype over another shape."""
        return TensorType(shape, self.dtype)

    def with_dtype(self, dtype: DType) -> TensorType:
        """The same shape with another dtype."""
        return TensorType(self.shape, dtype)

    def __str__(self) -> str:
        return f"{CODES[self.dtype]}[{','.join(map(str, self.shape))}]"

    @classmethod
    def parse(cls, text: str) -> TensorType:
        """Read `f32[2,3]` back."""
        match = _TEXT.fullmatch(text)
        if match is None or match[1] not in BY_CODE:
            raise GraphError("E901", f"{text!r} is no tensor type", help="a type reads like f32[2,3]")
        return cls(tuple(int(d) for d in match[2].split(",") if d), BY_CODE[match[1]])

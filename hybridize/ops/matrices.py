# SPDX-License-Identifier: Apache-2.0
"""Stacks of matrices [b..., m, n]: the base of the ops of linear algebra, and what their rules are made of.

Imperatively LAPACK computes them; machine code has routines of its own for a few factors, and makes all else of these.
Gradient rules are ops, so that they serve every order. They take what LAPACK knows, float32 and float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.base.dtypes import COMPLEXES, float32, float64, int64, part_of
from hybridize.base.errors import DTypeError, InternalError, MatrixShapeError
from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import div, eq, gt, mul, sub, where
from hybridize.ops.op import Op, Operand, bind, type_of
from hybridize.ops.slicing import iota
from hybridize.ops.slicing import slice as slice_
from hybridize.ops.views import cast, like, spread, sum, transpose


class Factor(Op, abstract=True):
    """Base of the ops of linear algebra."""

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        """Check the matrices, and return the types of `shapes` in their dtype."""
        first = inputs[0]
        for kind in inputs:
            if kind.dtype not in (float32, float64, *COMPLEXES) or kind.dtype != first.dtype:
                got = " and ".join(map(str, inputs))
                raise DTypeError("E221", f"{self.name} takes float32 or float64, got {got}", help="cast first")
            if kind.ndim < 2 or kind.shape[:-2] != first.shape[:-2]:
                raise MatrixShapeError("E169", f"{self.name} takes matrices in stacks of one shape, got {kind}")
        return self.types(*inputs)

    def types(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        """Types of the outputs: here one, of the shape of the square matrices."""
        self.square(inputs[0])
        return inputs[:1]

    def square(self, kind: TensorType) -> int:
        """The size of square matrices.

        Raises:
            MatrixShapeError E169: they are not square.
        """
        if kind.shape[-1] != kind.shape[-2]:
            raise MatrixShapeError("E169", f"{self.name} takes square matrices, got {kind}")
        return kind.shape[-1]

    def expansion(self, *kinds: TensorType) -> Callable[..., tuple[Operand, ...]] | None:
        """Return what computes float32 matrices in float64, as NumPy does; others by `expanded`, without a routine."""
        if kinds[0].dtype != float32:
            return None if self.has_routine else self.expanded

        def wide(*xs: Operand) -> tuple[Operand, ...]:
            results = bind(self, *(cast(x, float64) for x in xs))
            return tuple(cast(y, float32) if type_of(y).dtype == float64 else y for y in results)

        return wide

    @property
    def has_routine(self) -> bool:
        """True if float64 matrices are not computed by other ops."""
        return type(self).expanded is Factor.expanded

    def expanded(self, *inputs: Any, **_: Any) -> tuple[Operand, ...]:
        """Compute float64 matrices by other ops."""
        raise InternalError("E911", f"{self.name} has a routine")

    def lower(self, *inputs: Any, **_: Any) -> Any:
        """Its expansion stands for it before anything is lowered."""
        raise InternalError("E911", f"{self.name} was not expanded")


def magnitudes(kind: TensorType) -> TensorType:
    """The type of real numbers that belong to matrices: singular values, eigenvalues of Hermitian ones."""
    return kind.with_dtype(part_of(kind.dtype))


def turned(x: Operand) -> Operand:
    """The last two axes exchanged."""
    n = type_of(x).ndim
    return transpose(x, (*range(n - 2), n - 1, n - 2))


def columns(x: Operand, start: int, stop: int) -> Operand:
    """Some columns of matrices."""
    *rest, _ = type_of(x).shape
    return slice_(x, (0,) * len(rest) + (start,), (*rest, stop), (1,) * (len(rest) + 1))


def lower(x: Operand, diagonal: float = 1.0) -> Operand:
    """The lower triangles of square matrices, 0 elsewhere; the diagonal times a number."""
    rows, columns = _grid(x)
    below = where(gt(rows, columns), x, like(0, x))
    if not diagonal:
        return below
    return where(eq(rows, columns), x if diagonal == 1 else mul(x, like(diagonal, x)), below)


def on_diagonal(x: Operand) -> Operand:
    """True on the diagonal of square matrices like others, and false elsewhere."""
    return eq(*_grid(x))


def identity(x: Operand) -> Operand:
    """Square matrices like others, with ones on the diagonal and zeros elsewhere."""
    return where(on_diagonal(x), like(1, x), like(0, x))


def _grid(x: Operand) -> tuple[Operand, Operand]:
    """The row and the column of each element."""
    shape = type_of(x).shape
    return iota(shape, len(shape) - 2, int64), iota(shape, len(shape) - 1, int64)


def over(x: Operand, matrices: Operand) -> Operand:
    """Numbers [b...] as matrices like others, each of equal elements."""
    shape = type_of(matrices).shape
    return spread(x, shape, (len(shape) - 2, len(shape) - 1))


def by_column(x: Operand, matrices: Operand) -> Operand:
    """Vectors [b..., n] as the rows of matrices [b..., m, n], all equal."""
    shape = type_of(matrices).shape
    return spread(x, shape, (len(shape) - 2,))


def by_row(x: Operand, matrices: Operand) -> Operand:
    """Vectors [b..., m] as the columns of matrices [b..., m, n], all equal."""
    shape = type_of(matrices).shape
    return spread(x, shape, (len(shape) - 1,))


def diagonal(x: Operand) -> Operand:
    """Vectors [b..., n] as diagonal matrices."""
    *b, n = type_of(x).shape
    shape = (*b, n, n)
    matrices = spread(x, shape, (len(shape) - 2,))
    return where(on_diagonal(matrices), matrices, like(0, matrices))


def diagonal_of(x: Operand) -> Operand:
    """The diagonals of square matrices."""
    return sum(where(on_diagonal(x), x, like(0, x)), (type_of(x).ndim - 2,))


def inner(x: Operand, y: Operand) -> Operand:
    """The sum of products of the elements of matrices, as matrices."""
    n = type_of(x).ndim
    return over(sum(mul(x, y), (n - 2, n - 1)), x)


def skew(x: Operand) -> Operand:
    """x - x^T"""
    return sub(x, turned(x))


def differences(x: Operand) -> Operand:
    """x_j - x_i of vectors [b..., n], and 1 for i = j: [b..., n, n]."""
    *b, n = type_of(x).shape
    shape = (*b, n, n)
    apart = sub(spread(x, shape, (len(shape) - 2,)), spread(x, shape, (len(shape) - 1,)))
    return where(on_diagonal(apart), like(1, apart), apart)


def quotients(x: Operand, apart: Operand) -> Operand:
    """Elements divided by differences, 0 on the diagonal, and 0 / 0 is 0: nothing arrives where two are equal."""
    zero = like(0, x)
    divisor = where(eq(x, zero), where(eq(apart, zero), like(1, apart), apart), apart)
    return where(on_diagonal(x), zero, div(x, divisor))

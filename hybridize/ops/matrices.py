# SPDX-License-Identifier: Apache-2.0
"""Stacks of matrices [b..., m, n]: the base of the ops that LAPACK computes, and what their gradient rules are made of.

Those ops are imperative: they have no text form and no machine code, and whoever captures refuses them by name. Their
gradient rules are ops, so that they serve every order. They take what LAPACK knows, float32 and float64.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import bool_, float32, float64
from hybridize.base.errors import DTypeError, InternalError, ShapeError
from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import div, eq, mul, sub, where
from hybridize.ops.cases import sample_array
from hybridize.ops.op import Op, Operand, Sample, constant, type_of
from hybridize.ops.slicing import slice as slice_
from hybridize.ops.views import broadcast, like, spread, sum, transpose


class Factor(Op, abstract=True):
    """Base of the ops that LAPACK computes."""

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        """Check the matrices, and return the types of `shapes` in their dtype."""
        first = inputs[0]
        for kind in inputs:
            if kind.dtype not in (float32, float64) or kind.dtype != first.dtype:
                found = " and ".join(map(str, inputs))
                raise DTypeError("E221", f"{self.name} takes float32 or float64, got {found}", help="cast first")
            if kind.ndim < 2 or kind.shape[:-2] != first.shape[:-2]:
                raise ShapeError("E169", f"{self.name} takes matrices in stacks of one shape, got {kind}")
        return self.types(*inputs)

    @abstractmethod
    def types(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        """Types of the outputs."""

    def square(self, kind: TensorType) -> int:
        """The size of square matrices.

        Raises:
            ShapeError E169: they are not square.
        """
        if kind.shape[-1] != kind.shape[-2]:
            raise ShapeError("E169", f"{self.name} takes square matrices, got {kind}")
        return kind.shape[-1]

    def lower(self, *inputs: Any, **_: Any) -> Any:
        """It is refused before anything is lowered."""
        raise InternalError("E911", f"{self.name} was captured")


def turned(x: Operand) -> Operand:
    """The last two axes exchanged."""
    n = type_of(x).ndim
    return transpose(x, (*range(n - 2), n - 1, n - 2))


def columns(x: Operand, start: int, stop: int) -> Operand:
    """Some columns of matrices."""
    *rest, _ = type_of(x).shape
    return slice_(x, (0,) * len(rest) + (start,), (*rest, stop), (1,) * (len(rest) + 1))


def masked(x: Operand, mask: Callable[[int], NDArray[Any]]) -> Operand:
    """Square matrices times a matrix that is made for their size."""
    kind = type_of(x)
    return mul(x, broadcast(constant(numpy.asarray(mask(kind.shape[-1]), kind.dtype)), kind.shape))


def half(n: int) -> NDArray[Any]:
    """The lower triangle of ones, with a diagonal of 1/2."""
    return numpy.asarray(numpy.tri(n) - numpy.eye(n) / 2)


def _on_diagonal(x: Operand) -> Operand:
    shape = type_of(x).shape
    return broadcast(constant(numpy.eye(shape[-1], dtype=bool_)), shape)


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
    return masked(spread(x, shape, (len(shape) - 2,)), numpy.eye)


def diagonal_of(x: Operand) -> Operand:
    """The diagonals of square matrices."""
    return sum(masked(x, numpy.eye), (type_of(x).ndim - 2,))


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
    return where(_on_diagonal(apart), like(1, apart), apart)


def quotients(x: Operand, apart: Operand) -> Operand:
    """Elements divided by differences, 0 on the diagonal, and 0 / 0 is 0: nothing arrives where two are equal."""
    zero = like(0, x)
    divisor = where(eq(x, zero), where(eq(apart, zero), like(1, apart), apart), apart)
    return where(_on_diagonal(x), zero, div(x, divisor))


def well(shape: tuple[int, ...]) -> NDArray[Any]:
    """Matrices far from singular, whose singular values differ."""
    return numpy.asarray(
        sample_array(shape) + 3 * numpy.eye(shape[-2], shape[-1]) * numpy.arange(1, shape[-1] + 1), "f4"
    )


def of_any_sizes(op: Op) -> Iterator[Sample]:
    """Samples of an op on matrices that need not be square."""
    for shape in ((3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 1)):
        yield Sample((well(shape),), op)
    yield Sample((sample_array((3,)),), op, fails=ShapeError)


def positive(shape: tuple[int, ...]) -> NDArray[Any]:
    """Symmetric positive definite matrices, whose eigenvalues differ."""
    x = well(shape)
    return numpy.asarray(x @ numpy.swapaxes(x, -1, -2) / 4, "f4")


def singular() -> NDArray[Any]:
    """A matrix of rank 2."""
    return numpy.array([[1, 2, 3], [2, 4, 6], [1, 0, 1]], "f4")

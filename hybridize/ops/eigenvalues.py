# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues of square matrices, by LAPACK. Imperative only: they may be no real numbers.

Source: Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation, 2008.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import add, mul, sub
from hybridize.ops.matmul import matmul
from hybridize.ops.matrices import Factor, by_column, diagonal, diagonal_of, differences, quotients
from hybridize.ops.op import Operand, bind1
from hybridize.ops.solutions import Solve
from hybridize.ops.views import Gradient

Arrays = tuple[NDArray[Any], ...]


@frozen
class Eig(Factor):
    """The eigenvalues of square matrices, all real, and unit eigenvectors as columns."""

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        return x.with_shape(x.shape[:-1]), x

    def reference(self, x: NDArray[Any]) -> Arrays:
        return tuple(numpy.ascontiguousarray(part.real) for part in numpy.linalg.eig(x))

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        """Vectors keep their length: what would change it is taken away."""
        values, vectors = y
        moved = matmul(vectors, g[1], True)
        lengths = mul(matmul(vectors, vectors, True), by_column(diagonal_of(moved), x))
        inner = add(quotients(sub(moved, lengths), differences(values)), diagonal(g[0]))
        return (bind1(Solve(False, True), vectors, matmul(inner, vectors, False, True)),)

# SPDX-License-Identifier: Apache-2.0
"""The product of matrices, the one contraction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.precision import default_precision
from hybridize.base.types import TensorType
from hybridize.loops.contraction import Contraction, plain
from hybridize.loops.expr import Element
from hybridize.ops.elementwise import SIGNED_NUMBER, check_dtype
from hybridize.ops.op import OfComplex, Op, Operand, bind, bind1, type_of
from hybridize.ops.views import Gradient, broadcast, reshape, transpose, wide


@frozen
class Matmul(Op):
    """y[b..., m, n] = sum over k of x[b..., m, k] w[b..., k, n], with equal sizes b.

    `transpose_x`: x is stored [b..., k, m]. `transpose_w`: w is stored [b..., n, k], as weights of layers are.
    Short floats are summed in float32.
    """

    of_complex = OfComplex.HOLOMORPHIC
    transpose_x: bool = False
    transpose_w: bool = False

    sums = True
    shares = True

    def infer(self, x: TensorType, w: TensorType) -> tuple[TensorType, ...]:
        left = f"[{'k, m' if self.transpose_x else 'm, k'}]"
        right = f"[{'n, k' if self.transpose_w else 'k, n'}]"
        if x.ndim < 2 or x.ndim != w.ndim or x.shape[:-2] != w.shape[:-2]:
            raise ShapeError(
                "E102",
                f"matmul needs {left} and {right} with equal axes before them, got {x} and {w}",
                help="reshape or broadcast the operands first",
            )
        if x.dtype != w.dtype:
            raise DTypeError("E222", f"matmul takes operands of one dtype, got {x} and {w}", help="cast one of them")
        check_dtype(self.name, SIGNED_NUMBER, x)
        m, k = x.shape[-2:][::-1] if self.transpose_x else x.shape[-2:]
        inner, n = w.shape[-2:][::-1] if self.transpose_w else w.shape[-2:]
        if k != inner:
            raise ShapeError(
                "E102",
                f"matmul needs {left} and {right}, got {x} and {w}",
                help=f"the inner sizes {k} and {inner} must be equal",
            )
        return (TensorType((*x.shape[:-2], m, n), x.dtype),)

    def reference(self, x: NDArray[Any], w: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        x = x.swapaxes(-1, -2) if self.transpose_x else x
        w = w.swapaxes(-1, -2) if self.transpose_w else w
        accumulator = wide(x.dtype)
        y = numpy.matmul(x.astype(accumulator, copy=False), w.astype(accumulator, copy=False))
        return (y.astype(x.dtype, copy=False),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, w: Operand) -> tuple[Gradient, ...]:
        """dx = g w^T and dw = x^T g, each stored as its operand is."""
        return self.partial_vjp((True, True), g, y, x, w)

    def partial_vjp(self, wanted: Sequence[bool], *args: Any) -> tuple[Gradient, ...]:
        (g,), _, x, w = args
        by_x = by_w = None
        if wanted[0] and self.transpose_x:
            by_x = matmul(w, g, self.transpose_w, True)
        elif wanted[0]:
            by_x = matmul(g, w, False, not self.transpose_w)
        if wanted[1] and self.transpose_w:
            by_w = matmul(g, x, True, self.transpose_x)
        elif wanted[1]:
            by_w = matmul(x, g, not self.transpose_x, False)
        return by_x, by_w

    def mapped(self, length: int, along: Sequence[bool], x: Operand, w: Operand) -> tuple[Operand, ...]:
        """One product with the rows, or columns, of all positions where the other operand is one matrix."""
        left, right = type_of(x).shape, type_of(w).shape
        if not along[1] and len(right) == 2 and not self.transpose_x:
            rows = matmul(reshape(x, (length * left[1], left[2])), w, False, self.transpose_w)
            return (reshape(rows, (length, left[1], type_of(rows).shape[1])),)
        if not along[0] and len(left) == 2 and self.transpose_w:
            columns = matmul(reshape(w, (length * right[1], right[2])), x, False, not self.transpose_x)
            return (transpose(reshape(columns, (length, right[1], type_of(columns).shape[1])), (0, 2, 1)),)
        return bind(
            self, x if along[0] else broadcast(x, (length, *left)), w if along[1] else broadcast(w, (length, *right))
        )

    def lower(self, x: Element, w: Element, *, types: tuple[TensorType, ...]) -> Contraction:
        return self.contraction(*types)

    def contraction(self, x: TensorType, w: TensorType) -> Contraction:
        """The contraction of operands of these types."""
        (y,) = self.infer(x, w)
        m, n, k = y.ndim - 2, y.ndim - 1, y.ndim
        batch = tuple(map(plain, range(y.ndim - 2)))
        left, right = (plain(m), plain(k)), (plain(k), plain(n))
        return Contraction(
            (*y.shape, x.shape[-2 if self.transpose_x else -1]),
            y.ndim,
            (*batch, *(left[::-1] if self.transpose_x else left)),
            (*batch, *(right[::-1] if self.transpose_w else right)),
            default_precision(y.dtype),
        )


def matmul(x: Operand, w: Operand, transpose_x: bool = False, transpose_w: bool = False) -> Operand:
    """The product of the last two axes, either operand optionally stored transposed."""
    return bind1(Matmul(transpose_x, transpose_w), x, w)

# SPDX-License-Identifier: Apache-2.0
"""Products of arrays of any number of axes, by products of matrices."""

from __future__ import annotations

import math

from hybridize.base import dims
from hybridize.base.dtypes import DType
from hybridize.base.errors import ShapeError
from hybridize.ops.contract import LETTERS, contract
from hybridize.ops.matmul import matmul
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import broadcast, reshape


def matrix_product(x: Operand, y: Operand, result: DType | None = None) -> Operand:
    """The product over the last two axes; axes before them stretch to each other.

    Args:
        x: [..., m, k], or [k].
        y: [..., k, n], or [k].
        result: the dtype of the result; None: that of the operands.

    Raises:
        ShapeError E102: the sizes do not fit.
    """
    of, by = type_of(x), type_of(y)
    if not of.ndim or not by.ndim:
        raise ShapeError("E102", f"a product of matrices needs at least one axis each, got {of} and {by}")
    a = reshape(x, (1, *of.shape)) if of.ndim == 1 else x
    b = reshape(y, (*by.shape, 1)) if by.ndim == 1 else y
    left, right = type_of(a).shape, type_of(b).shape
    if len(right) == 2 and len(left) > 2:
        # One matrix for all: the batch is more rows, and the matrix is read once.
        rows = reshape(a, (math.prod(left[:-1]), left[-1]))
        product = reshape(_product(rows, b, result), (*left[:-1], right[-1]))
    else:
        batch = dims.broadcast(left[:-2], right[:-2])
        if batch is None:
            raise ShapeError("E102", f"a product of {of} and {by}: the axes before the last two do not stretch")
        a, b = (broadcast(reshape(z, (*(1,) * (len(batch) + 2 - len(s)), *s)), (*batch, *s[-2:]))
                for z, s in ((a, left), (b, right)))  # fmt: skip
        product = _product(a, b, result)
    shape = type_of(product).shape
    if of.ndim == 1:
        shape = (*shape[:-2], shape[-1])
    return reshape(product, shape[:-1] if by.ndim == 1 else shape)


def _product(x: Operand, y: Operand, result: DType | None) -> Operand:
    """The products of matrices of equal batches, as numbers of a dtype."""
    if result is None:
        return matmul(x, y)
    before = LETTERS[: type_of(x).ndim - 2]
    return contract(f"{before}XZ,{before}ZY->{before}XY", x, y, result=result)

# SPDX-License-Identifier: Apache-2.0
"""Functions of `np.linalg` whose arguments differ from those of `np`: the last two axes are the matrices."""

from __future__ import annotations

from typing import Any

from hybridize.array.functions import creation, lapack, linear
from hybridize.array.functions.creation import eye
from hybridize.array.functions.linear import matmul
from hybridize.array.functions.matrix_arguments import check_floats
from hybridize.array.functions.shapes import swapaxes
from hybridize.array.operands import array, axis_of, public
from hybridize.base.errors import MatrixShapeError, ShapeError


@public
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """Return the sums of a diagonal of the matrices in the last two axes.

    Args:
        x: matrices [..., m, n].
        offset: the diagonal: 0 is the main one, positive numbers count to the right.
        dtype: to sum in, and of the result.

    >>> np.linalg.trace(np.array([[1, 2], [3, 4]]))
    array(5.)
    """
    return linear.trace(x, offset, -2, -1, dtype)


@public
def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """Return a diagonal of the matrices in the last two axes, as the last axis; a copy.

    Args:
        x: matrices [..., m, n].
        offset: the diagonal: 0 is the main one, positive numbers count to the right.

    >>> np.linalg.diagonal(np.array([[1, 2], [3, 4]]))
    array([1., 4.])
    """
    return creation.diagonal(x, offset, -2, -1)


@public
def matrix_transpose(x: Any, /) -> Any:
    """Exchange the last two axes; a view.

    >>> np.matrix_transpose(np.array([[1, 2], [3, 4]]))
    array([[1., 3.],
           [2., 4.]])
    """
    return swapaxes(x, -1, -2)


@public
def outer(x1: Any, x2: Any, /) -> Any:
    """Return every element of a vector times every element of another, [m, n].

    Raises:
        ShapeError E118: an argument is no vector.

    >>> np.linalg.outer(np.array([1, 2]), np.array([1, 10]))
    array([[ 1., 10.],
           [ 2., 20.]])
    """
    for one in (x1, x2):
        if array(one).ndim != 1:
            raise ShapeError("E118", f"linalg.outer takes vectors, got {array(one).type}", help="np.outer flattens it")
    return linear.outer(x1, x2)


@public
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Return the vector product of vectors of three components along an axis.

    Raises:
        ShapeError E102: they have another number of components.

    >>> np.linalg.cross(np.array([1, 0, 0]), np.array([0, 1, 0]))
    array([0., 0., 1.])
    """
    for one in (x1, x2):
        x = array(one)
        if x.shape[axis_of(axis, x.ndim, "cross")] != 3:
            what = f"linalg.cross takes vectors of three components, got {x.type}"
            raise ShapeError("E102", what, help="np.cross also takes vectors of two components")
    return linear.cross(x1, x2, axis=axis)


@public
def matrix_power(a: Any, n: int) -> Any:
    """Return the product of `n` copies of square matrices; of their inverses, where `n` is negative.

    >>> np.linalg.matrix_power(np.array([[1, 1], [0, 1]]), 3)
    array([[1., 3.],
           [0., 1.]])
    """
    x = array(a)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise MatrixShapeError("E115", f"matrix_power takes square matrices, got {x.type}")
    if n < 0:
        check_floats("matrix_power", x)
        x, n = lapack.inv(x), -n
    product = None
    while n:
        if n & 1:
            product = x if product is None else matmul(product, x)
        x, n = matmul(x, x), n >> 1
    return product if product is not None else eye(x.shape[-1], dtype=x.dtype)

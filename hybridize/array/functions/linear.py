# SPDX-License-Identifier: Apache-2.0
"""Products: every one is a matrix product between transposes and reshapes."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import functions as np
from hybridize.array.methods import functions
from hybridize.array.ndarray import at_once, ndarray, taping
from hybridize.array.operands import (
    array,
    axis_of,
    broadcast,
    cast,
    finished,
    made_in_order,
    one_of,
    operand,
    public,
    result,
    several,
)
from hybridize.array.policies import promoted, together
from hybridize.base import dims
from hybridize.base.dtypes import CASTINGS, as_dtype, bool_, float32, float64, int32, is_inexact
from hybridize.base.errors import ArgumentError, MatrixShapeError, ShapeError
from hybridize.ops.library import einstein
from hybridize.ops.op import ACTIVE, bind1

_PRODUCT = ops.Matmul(False, False)


def _mismatch(name: str, x: Any, y: Any, rule: str, help: str = "") -> ShapeError:
    return ShapeError("E102", f"{name} needs {rule}, got {x.type} and {y.type}", help=help)


def _direct(product: Any, a: Any, b: Any) -> Any:
    """NumPy's own product of two float arrays of one dtype when nobody captures; None where that is not it."""
    if type(a) is ndarray and type(b) is ndarray and not ACTIVE:
        x, y = a._data, b._data
        dtype = x.dtype
        if dtype is y.dtype and (dtype is float32 or dtype is float64):
            return at_once(product, x, y)
    return None


def _matmul(x: Any, y: Any, transpose_x: bool = False, transpose_w: bool = False) -> Any:
    """The product of [b..., m, k] and [b..., k, n], of one dtype and equal batch axes, either one stored transposed."""
    dtype = x.dtype
    summed = int32 if dtype == bool_ else dtype  # of bools: whether any pair is true, counted
    product = bind1(ops.Matmul(transpose_x, transpose_w), cast(operand(x), summed), cast(operand(y), summed))
    return result(cast(product, dtype))


@public
def matmul(x1: Any, x2: Any, /, out: Any = None) -> Any:
    """Return the matrix product over the last two axes; the axes before them are broadcast.

    Args:
        x1: [..., m, k], or [k].
        x2: [..., k, n], or [k].
        out: where to write the result.

    Raises:
        ShapeError E102: the inner sizes differ, or an operand has no axes.

    >>> np.matmul(np.array([[1, 2], [3, 4]]), np.array([[1, 0], [0, 10]]))
    array([[ 1., 20.],
           [ 3., 40.]])
    """
    if out is None:
        direct = _direct(numpy.matmul, x1, x2)
        if direct is not None:
            return direct
        if ACTIVE and type(x1) is ndarray and type(x2) is ndarray and taping() is not None:
            a, b = x1._memory, x2._memory
            if a.ndim == b.ndim == 2 and a.dtype == b.dtype and a.dtype.kind == "f" and a.shape[1] == b.shape[0]:
                return result(bind1(_PRODUCT, operand(x1), operand(x2)))
    x, y = together((x1, x2))
    if not x.ndim or not y.ndim:
        raise _mismatch("matmul", x, y, "at least one axis each", "multiply by a number with *")
    a = np.expand_dims(x, 0) if x.ndim == 1 else x
    b = np.expand_dims(y, 1) if y.ndim == 1 else y
    if a.shape[-1] != b.shape[-2]:
        raise _mismatch("matmul", x, y, "[m, k] and [k, n]", f"the sizes {a.shape[-1]} and {b.shape[-2]} must be equal")
    product = _batched(a, b, x, y)
    if x.ndim == 1:
        product = np.reshape(product, product.shape[:-2] + product.shape[-1:])
    if y.ndim == 1:
        product = np.reshape(product, product.shape[:-1])
    return finished(product, out)


def _batched(a: Any, b: Any, x: Any, y: Any) -> Any:
    if b.ndim == 2 and a.ndim > 2:
        # One matrix for all: the batch is more rows, and the matrix is read once.
        flat = _matmul(
            np.reshape(a, (-1, a.shape[-1])) if a.size else np.reshape(a, (math.prod(a.shape[:-1]), a.shape[-1])), b
        )
        return np.reshape(flat, (*a.shape[:-1], b.shape[-1]))
    batch = dims.broadcast(a.shape[:-2], b.shape[:-2])
    if batch is None:
        raise _mismatch("matmul", x, y, "axes before the last two that broadcast")
    left, right = broadcast(operand(a), (*batch, *a.shape[-2:])), broadcast(operand(b), (*batch, *b.shape[-2:]))
    return _matmul(result(left), result(right))


@public
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Return the dot product: the sum over the last axis of `a` and the axis before the last of `b`.

    Raises:
        ShapeError E102: those sizes differ.

    >>> np.dot(np.array([1, 2]), np.array([3, 4]))
    array(11.)
    >>> np.dot(np.array([[1, 2], [3, 4]]), np.array([1, 1]))
    array([3., 7.])
    """
    if out is None:
        direct = _direct(numpy.dot, a, b)
        if direct is not None:
            return direct
    x, y = together((a, b))
    if not x.ndim or not y.ndim:
        return np.multiply(x, y, out=out)
    inner = y.shape[-1 if y.ndim == 1 else -2]
    if x.shape[-1] != inner:
        help = f"the inner sizes {x.shape[-1]} and {inner} must be equal"
        raise _mismatch("dot", x, y, "[..., k] and [..., k, n]", help)
    if y.ndim <= 2:
        return matmul(x, y, out=out)
    return finished(tensordot(x, y, ([x.ndim - 1], [y.ndim - 2])), out)


@promoted("a", "b")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Return the sums of products over pairs of axes.

    Args:
        a: an array.
        b: an array.
        axes: a number: the last axes of `a` with the first of `b`; or two lists of axes.

    >>> np.tensordot(np.ones((2, 3)), np.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    if isinstance(axes, int):
        left: tuple[int, ...] = tuple(range(a.ndim - axes, a.ndim))
        right: tuple[int, ...] = tuple(range(axes))
    else:
        left, right = (tuple(several(part)) for part in axes)
    left = tuple(axis_of(i, a.ndim, "tensordot") for i in left)
    right = tuple(axis_of(i, b.ndim, "tensordot") for i in right)
    if len(left) != len(right) or any(a.shape[i] != b.shape[j] for i, j in zip(left, right, strict=True)):
        raise _mismatch("tensordot", a, b, f"equal sizes along axes {axes}")
    rows = [i for i in range(a.ndim) if i not in left]
    columns = [j for j in range(b.ndim) if j not in right]
    inner = math.prod(a.shape[i] for i in left)
    p = np.reshape(np.transpose(a, (*rows, *left)), (math.prod(a.shape[i] for i in rows), inner))
    q = np.reshape(np.transpose(b, (*right, *columns)), (inner, math.prod(b.shape[j] for j in columns)))
    return np.reshape(_matmul(p, q), tuple(a.shape[i] for i in rows) + tuple(b.shape[j] for j in columns))


@promoted("a", "b")
def inner(a: Any, b: Any) -> Any:
    """Return the sums of products over the last axes of both arrays.

    >>> np.inner(np.array([[1, 2], [3, 4]]), np.array([1, 10]))
    array([21., 43.])
    """
    if not a.ndim or not b.ndim:
        return np.multiply(a, b)
    return tensordot(a, b, ([a.ndim - 1], [b.ndim - 1]))


@promoted("x1", "x2")
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Return the sums of products of vectors along an axis; those of `x1` are conjugated.

    Raises:
        ShapeError E102: the vectors are of different lengths.

    >>> np.vecdot(np.array([[1, 2], [3, 4]]), np.array([1, 10]))
    array([21., 43.])
    """
    x, y = (np.moveaxis(each, axis, -1) for each in (x1, x2))
    if not x.ndim or not y.ndim or x.shape[-1] != y.shape[-1]:
        raise _mismatch("vecdot", x, y, f"equal sizes along axis {axis}")
    return reshape_last(matmul(np.expand_dims(functions.conj(x), -2), np.expand_dims(y, -1)))


def reshape_last(x: Any) -> Any:
    """Without the last two axes, of size 1."""
    return np.reshape(x, x.shape[:-2])


@promoted("x1", "x2")
def matvec(x1: Any, x2: Any, /, out: Any = None) -> Any:
    """Return the products of matrices [..., m, n] and vectors [..., n]; the axes before are broadcast.

    Raises:
        ShapeError E102: the inner sizes differ, or there are too few axes.

    >>> np.matvec(np.array([[1, 2], [3, 4]]), np.array([1, 10]))
    array([21., 43.])
    """
    if x1.ndim < 2 or not x2.ndim or x1.shape[-1] != x2.shape[-1]:
        raise _mismatch("matvec", x1, x2, "[..., m, n] and [..., n]")
    product = matmul(x1, np.expand_dims(x2, -1))
    return finished(np.reshape(product, product.shape[:-1]), out)


@promoted("x1", "x2")
def vecmat(x1: Any, x2: Any, /, out: Any = None) -> Any:
    """Return the products of vectors [..., n], conjugated, and matrices [..., n, m]; the axes before are broadcast.

    Raises:
        ShapeError E102: the inner sizes differ, or there are too few axes.

    >>> np.vecmat(np.array([1, 10]), np.array([[1, 2], [3, 4]]))
    array([31., 42.])
    """
    if not x1.ndim or x2.ndim < 2 or x1.shape[-1] != x2.shape[-2]:
        raise _mismatch("vecmat", x1, x2, "[..., n] and [..., n, m]")
    product = matmul(np.expand_dims(functions.conj(x1), -2), x2)
    return finished(np.reshape(product, (*product.shape[:-2], product.shape[-1])), out)


@promoted("*arrays")
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """Return the product of several matrices, in the order that takes the fewest multiplications.

    The first one may be a vector, a row, and the last one a column.

    Raises:
        ShapeError E102: sizes differ, or there are fewer than two arrays.
        MatrixShapeError E169: an array is no matrix.

    >>> np.linalg.multi_dot([np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 1))])
    array([[12.],
           [12.]])
    """
    xs = list(arrays)
    if len(xs) < 2:
        raise ShapeError("E102", f"multi_dot needs at least two arrays, got {len(xs)}")
    kinds = ", ".join(str(x.type) for x in xs)
    ends = xs[0].ndim, xs[-1].ndim
    if any(x.ndim != 2 for x in xs[1:-1]) or any(n not in (1, 2) for n in ends):
        raise MatrixShapeError("E169", f"multi_dot takes matrices, and vectors at its ends, got {kinds}")
    xs[0] = np.expand_dims(xs[0], 0) if ends[0] == 1 else xs[0]
    xs[-1] = np.expand_dims(xs[-1], 1) if ends[1] == 1 else xs[-1]
    if any(x.shape[1] != y.shape[0] for x, y in pairwise(xs)):
        raise ShapeError("E102", f"multi_dot: the inner sizes differ: {kinds}")
    sizes = [dims.hint(x.shape[0]) for x in xs] + [dims.hint(xs[-1].shape[1])]
    product = _in_order(xs, _cuts_of_products(sizes), 0, len(xs) - 1)
    shape = product.shape[ends[0] == 1 : 2 - (ends[1] == 1)]
    return finished(np.reshape(product, shape), out)


def _cuts_of_products(sizes: list[int]) -> dict[tuple[int, int], int]:
    """For the matrices from i to j: the last one of the left part of the cheapest product."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    cuts = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            ways = [cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)]
            cost[i, j] = min(ways)
            cuts[i, j] = i + ways.index(cost[i, j])
    return cuts


def _in_order(xs: list[Any], cuts: dict[tuple[int, int], int], i: int, j: int) -> Any:
    if i == j:
        return xs[i]
    return matmul(_in_order(xs, cuts, i, cuts[i, j]), _in_order(xs, cuts, cuts[i, j] + 1, j))


@promoted("a", "b")
def vdot(a: Any, b: Any) -> Any:
    """Return the sum of products of all elements; those of `a` are conjugated.

    >>> np.vdot(np.array([1, 2]), np.array([3, 4]))
    array(11.)
    """
    return dot(functions.conj(np.ravel(a)), np.ravel(b))


@promoted("a", "b")
def outer(a: Any, b: Any) -> Any:
    """Return every element of `a` times every element of `b`, as a matrix; both are made flat first.

    >>> np.outer(np.array([1, 2]), np.array([1, 10, 100]))
    array([[  1.,  10., 100.],
           [  2.,  20., 200.]])
    """
    return np.multiply(np.reshape(a, (-1, 1)), np.reshape(b, (1, -1)))


@promoted("a", "b")
def kron(a: Any, b: Any) -> Any:
    """Return every element of `a` times all of `b`, in blocks.

    >>> np.kron(np.array([1, 10]), np.array([1, 2]))
    array([ 1.,  2., 10., 20.])
    """
    n = max(a.ndim, b.ndim)
    left, right = (1,) * (n - a.ndim) + a.shape, (1,) * (n - b.ndim) + b.shape
    blocks = np.multiply(
        np.reshape(a, tuple(part for length in left for part in (length, 1))),
        np.reshape(b, tuple(part for length in right for part in (1, length))),
    )
    return np.reshape(blocks, tuple(i * j for i, j in zip(left, right, strict=True)))


@promoted("a", "b")
def batch_dot(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """Return the matrix products of [b, m, k] and [b, k, n].

    Args:
        a: matrices.
        b: matrices.
        transpose_a: `a` is [b, k, m].
        transpose_b: `b` is [b, n, k].

    >>> npx.batch_dot(np.ones((2, 1, 3)), np.ones((2, 3, 1)))
    array([[[3.]],
    <BLANKLINE>
           [[3.]]])
    """
    k = a.shape[-2 if transpose_a else -1] if a.ndim > 1 else -1
    if a.ndim != b.ndim or a.ndim < 3 or a.shape[:-2] != b.shape[:-2] or k != b.shape[-1 if transpose_b else -2]:
        raise _mismatch("batch_dot", a, b, "[b, m, k] and [b, k, n]")
    if not ACTIVE:
        return matmul(np.swapaxes(a, -1, -2) if transpose_a else a, np.swapaxes(b, -1, -2) if transpose_b else b)
    return _matmul(a, b, transpose_a, transpose_b)


@public
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """Return the sum of a diagonal of two axes.

    Args:
        a: an array of two or more axes.
        offset: the diagonal: 0 is the main one, positive numbers count to the right.
        axis1: the axis of rows.
        axis2: the axis of columns.
        dtype: to sum in, and of the result.
        out: an array that the result is written to.

    >>> np.trace(np.array([[1, 2], [3, 4]]))
    array(5.)
    """
    return np.sum(np.diagonal(a, offset, axis1, axis2), -1, dtype, out)


def _of_three(x: Any) -> Any:
    """Vectors of two components with a third one of 0; those of three as they are."""
    if x.shape[-1] == 3:
        return x
    return result(bind1(ops.Pad((0,) * x.ndim, (0,) * (x.ndim - 1) + (1,)), operand(x), cast(0, x.dtype)))


@promoted("a", "b")
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """Return the vector product of vectors of two or three components along an axis.

    They have three components, or two, to which a third one of 0 is added; of two vectors of two components the result
    is that of the third axis alone.

    Args:
        a: an array.
        b: an array.
        axisa: an axis of `a`.
        axisb: an axis of `b`.
        axisc: where the vectors lie in the result.
        axis: all three of them.

    Raises:
        ShapeError E102: they have neither two nor three components.

    >>> np.cross(np.array([1, 0, 0]), np.array([0, 1, 0]))
    array([0., 0., 1.])
    """
    axisa, axisb, axis = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    x, y = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    if not x.ndim or not y.ndim or x.shape[-1] not in (2, 3) or y.shape[-1] not in (2, 3):
        raise _mismatch("cross", x, y, "two or three components")
    if x.shape[-1] == y.shape[-1] == 2:
        return np.subtract(x[..., 0] * y[..., 1], x[..., 1] * y[..., 0])
    x, y = _of_three(x), _of_three(y)
    parts = [np.subtract(x[..., i] * y[..., j], x[..., j] * y[..., i]) for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.moveaxis(np.stack(parts, -1), -1, axis)


@public
def einsum(
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: str = "K",
    casting: str = "safe",
    optimize: Any = False,
) -> Any:
    """Return Einstein's sum: `ij,jk->ik` is the matrix product; letters that the result lacks are summed over.

    Operands are taken from left to right, two at a time, each pair as one contraction. `...` stands for axes that
    are broadcast. `optimize`, NumPy's choice of another order, does not change the result.

    Args:
        operands: the subscripts, then the arrays; or each array with a list of numbers of its axes, and those of the
            result last: `einsum(x, [0, 1], y, [1, 2], [0, 2])`.
        out: where the result goes.
        dtype: what operands are cast to before; the result has it.
        order: of memory, which arrays of ours all have.
        casting: the casts to `dtype` that are allowed, as of `astype`.
        optimize: see above.

    Raises:
        ArgumentError E313, E397: the subscripts are of another number of operands, or cannot be read.
        ShapeError E114, E173: they do not fit the operands; the result is beyond 64 bits.
        DTypeError E207: `casting` does not allow a cast to `dtype`.
        ValueArgumentError E345: there is no such order or casting.

    >>> np.einsum("ij,j->i", np.array([[1, 2], [3, 4]]), np.array([1, 10]))
    array([21., 43.])
    """
    made_in_order(order, "einsum")
    one_of(casting, CASTINGS, "einsum", "casting")
    xs: Sequence[Any]
    if operands and isinstance(operands[0], str):
        text, xs = operands[0], operands[1:]
    else:
        text, xs = _of_lists(operands)
    wanted = None if dtype is None else as_dtype(dtype)
    if wanted is not None:
        xs = [np.astype(array(x, wanted if is_inexact(wanted) else None), wanted, casting=casting) for x in xs]
    values = [operand(x) for x in together(xs)] if xs else []
    return finished(result(einstein.einsum(text.replace(" ", ""), values)), out)


def _of_lists(operands: tuple[Any, ...]) -> tuple[str, Sequence[Any]]:
    """The subscripts of arrays that each have a list of numbers of axes behind them, and the arrays."""
    last = operands[-1:] if len(operands) % 2 else ()
    terms = [_of_list(numbers) for numbers in (*operands[1 : len(operands) - len(last) : 2], *last)]
    arrays = operands[: len(operands) - len(last) : 2]
    if not arrays:
        raise ArgumentError(
            "E313",
            "einsum takes subscripts and operands, or operands each with a list of axes",
            help='einsum("ij,jk->ik", x, y), or einsum(x, [0, 1], y, [1, 2], [0, 2])',
        )
    text = ",".join(terms[: len(arrays)])
    return f"{text}->{terms[-1]}" if last else text, arrays


def _of_list(numbers: Any) -> str:
    """A list of numbers of axes as letters; an ellipsis stays one."""
    letters = "" if isinstance(numbers, (list, tuple)) else None
    for number in numbers if letters is not None else ():
        letter = "..." if number is Ellipsis else _letter_of(number)
        letters = None if letter is None or letters is None else letters + letter
    if letters is None:
        raise ArgumentError(
            "E397",
            f"einsum cannot read {numbers!r:.60} as the axes of an operand",
            help=f"axes are whole numbers from 0 to {len(einstein.LETTERS) - 1} in a list, or an ellipsis; "
            f"subscripts as text come first",
        )
    return letters


def _letter_of(number: Any) -> str | None:
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        return None
    place = operator.index(number)
    return einstein.LETTERS[place] if 0 <= place < len(einstein.LETTERS) else None

# SPDX-License-Identifier: Apache-2.0
"""Norms of vectors and matrices: sums of powers, extremes of them, and singular values."""

from __future__ import annotations

import math
from typing import Any

from hybridize.array import functions as np
from hybridize.array.functions.elementwise import root
from hybridize.array.functions.matrix_arguments import check_floats
from hybridize.array.functions.reductions import shared_max, shared_min
from hybridize.array.functions.searching import merged
from hybridize.array.operands import array, axes_of, floats, public
from hybridize.base import modes
from hybridize.base.dtypes import is_complex, part_of
from hybridize.base.errors import ValueArgumentError


@public
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the norms of vectors over one axis, or of matrices over two.

    Args:
        x: any array.
        ord: None, 0, 1, 2, inf, -inf or any p of a vector norm; for matrices None, `fro`, 1, -1, inf, -inf,
            `nuc`, 2, -2, which are made of singular values. Infinities may be the words of MXNet, `inf` and `-inf`.
        axis: an axis, a pair of axes, or None: all elements when `ord` is None.
        keepdims: keep reduced axes with size 1.

    Raises:
        ValueArgumentError E345: an `ord` that is no norm of so many axes.

    >>> np.linalg.norm(np.array([3, 4]))
    array(5.)
    >>> np.linalg.norm(np.array([[3, 4], [6, 8]]), ord=1, axis=1)
    array([ 7., 14.])
    """
    a = floats(x)
    axes = axes_of(axis, a.ndim, "norm")
    ord = _INFINITIES.get(ord, ord) if isinstance(ord, str) else ord
    if ord is None or (len(axes) == 2 and ord in ("fro", "f")):
        return root(np.sum(_squares(a), axis, keepdims=keepdims))
    if len(axes) == 1 and not isinstance(ord, str):
        return _vector_norm(a, ord, axes[0], keepdims)
    if len(axes) == 2 and ord in (1, -1, math.inf, -math.inf):
        rows, columns = (axis if axis is not None else axes) if not isinstance(axis, int) else axes
        over, then = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = np.sum(np.absolute(a), over, keepdims=True)
        best = (shared_max if ord > 0 else shared_min)(sums, then, keepdims=True)
        return best if keepdims else np.reshape(best, tuple(n for i, n in enumerate(a.shape) if i not in axes))
    if len(axes) == 2 and ord in (2, -2, "nuc"):
        check_floats("norm", a)
        singular = np.linalg.svdvals(np.moveaxis(a, axes, (-2, -1)))
        norms = np.sum(singular, -1) if ord == "nuc" else singular[..., 0 if ord == 2 else -1]
        return np.expand_dims(np.expand_dims(norms, axes[0]), axes[1]) if keepdims else norms
    raise ValueArgumentError(
        "E345",
        f"norm of {a.type} over {len(axes)} axes has no ord={ord!r}",
        help="for a matrix use None, 'fro', 'nuc', 1, -1, 2, -2, inf or -inf; for a vector any number",
    )


def _squares(x: Any) -> Any:
    """Squares of magnitudes."""
    return np.square(np.absolute(x) if is_complex(x.dtype) else x)


def _vector_norm(x: Any, ord: Any, axis: int, keepdims: bool) -> Any:
    if ord == math.inf:
        return shared_max(np.absolute(x), axis, keepdims=keepdims)
    if ord == -math.inf:
        return shared_min(np.absolute(x), axis, keepdims=keepdims)
    if ord == 0:
        counts = np.sum(np.not_equal(x, 0), axis, keepdims=keepdims)
        return counts.astype(part_of(x.dtype) if is_complex(x.dtype) else x.dtype)
    if ord == 1:
        return np.sum(np.absolute(x), axis, keepdims=keepdims)
    if ord == 2:
        return root(np.sum(_squares(x), axis, keepdims=keepdims))
    total = np.sum(np.power(np.absolute(x), ord), axis, keepdims=keepdims)
    if not modes.is_recording():
        return np.power(total, 1.0 / ord)
    nothing = np.equal(total, 0)  # as in `root`
    return np.where(nothing, 0.0, np.power(np.where(nothing, 1.0, total), 1.0 / ord))


@public
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Return the p-norms of elements over an axis, over several together, or over all.

    Args:
        x: an array.
        axis: an axis, several in a tuple, or None for all.
        keepdims: reduced axes stay with size 1.
        ord: p: 2, 1, 0, another number, or plus or minus infinity.

    >>> np.linalg.vector_norm(np.array([[3, 4], [6, 8]]), axis=1)
    array([ 5., 10.])
    """
    a = array(x)
    ord = _INFINITIES.get(ord, ord) if isinstance(ord, str) else 2 if ord is None else ord
    if isinstance(ord, str):
        raise ValueArgumentError("E345", f"vector_norm: ord must be a number or infinity, got {ord!r}")
    if not a.ndim:
        return norm(np.reshape(a, (1,)), ord, 0)
    flat, axis_index, shape = merged(a, axis, "vector_norm")
    norms = norm(flat, ord, axis_index)
    return np.reshape(norms, shape) if keepdims else norms


@public
def matrix_norm(x: Any, /, ord: Any = "fro", axis: Any = (-2, -1), keepdims: bool = False) -> Any:
    """Return the norms of matrices, which lie in the last two axes or in the two of `axis`.

    Args:
        x: an array.
        ord: `fro`, `nuc`, 1, -1, 2, -2 or an infinity, which MXNet also writes `inf` and `-inf`; None is `fro`.
        axis: two axes.
        keepdims: leave them, of size 1.

    >>> np.linalg.matrix_norm(np.array([[3, 0], [0, 4]]))
    array(5.)
    """
    if not isinstance(axis, (tuple, list)) or len(axis) != 2:
        raise ValueArgumentError("E345", f"matrix_norm: axis must be two axes, got {axis!r}")
    return norm(x, "fro" if ord is None else _INFINITIES.get(ord, ord), tuple(axis), keepdims)


_INFINITIES = {"inf": math.inf, "-inf": -math.inf}

# SPDX-License-Identifier: Apache-2.0
"""Grids and places: ranges written as slices, open meshes, indices of parts of a matrix, walks over all indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy

from hybridize.array import functions as np
from hybridize.array.operands import array, public, sizes_from
from hybridize.array.policies import together
from hybridize.base import dims
from hybridize.base.dtypes import bool_, float32, int64, is_float
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.base.promotion import result_dtype


def _range(part: slice) -> Any:
    """The numbers of a slice: a step that is imaginary, 5j, says how many there are, both ends among them."""
    start, stop, step = part.start, part.stop, part.step
    start = 0 if start is None else start
    if stop is None:
        raise ArgumentError("E309", f"a grid from {start} needs a stop", help="write start:stop or start:stop:step")
    if isinstance(step, complex):
        return np.linspace(start, stop, int(abs(step)))
    step = 1 if step is None else step
    whole = all(isinstance(end, (int, numpy.integer)) for end in (start, stop, step))
    return np.arange(start, stop, step, dtype=int64 if whole else float32)


class RangeGrid:
    """`mgrid` and `ogrid`: `mgrid[0:3, 0:1:5j]` gives the coordinates along each axis, for every point of the grid.

    Integers give int64, all else float32; an open grid has each coordinate along its own axis only.
    """

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _range(key)
        lines = [_range(part) for part in key]
        dtype = result_dtype(line.dtype for line in lines)
        shape = tuple(line.shape[0] for line in lines)
        spread = [
            np.reshape(np.astype(line, dtype, copy=False), tuple(-1 if k == axis else 1 for k in range(len(lines))))
            for axis, line in enumerate(lines)
        ]
        if self.sparse:
            return tuple(spread)
        return np.stack([np.broadcast_to(one, shape) for one in spread])


class Concatenator:
    """`r_` and `c_`: arrays, numbers and ranges written as slices, one after another along an axis.

    A string first says how: `"1"` joins along axis 1, `"0,2"` makes all at least two axes, `"0,2,0"` says where the
    axes of shorter ones come to lie; "r" and "c", which make matrices, are refused.
    """

    def __init__(self, axis: int, ndim: int, where: int) -> None:
        self.axis = axis
        self.ndim = ndim
        self.where = where

    def __getitem__(self, key: Any) -> Any:
        parts = list(key) if isinstance(key, tuple) else [key]
        axis, ndim, where = self.axis, self.ndim, self.where
        if isinstance(parts[0], str):
            axis, ndim, where = self._directive(parts.pop(0))
        pieces = [_range(part) if isinstance(part, slice) else part for part in parts]
        arrays = [_shaped(np.atleast_1d(part), ndim, where) for part in together(pieces, weak=True)]
        return np.concatenate(arrays, axis)

    def _directive(self, text: str) -> tuple[int, int, int]:
        try:
            numbers = [int(part) for part in text.split(",")]
        except ValueError:
            help = "integers: the axis, the number of axes, where the first one lies"
            raise ArgumentError("E309", f"{text!r} does not describe how to join arrays", help=help) from None
        axis, ndim, where = (*numbers, *(self.axis, self.ndim, self.where)[len(numbers) :])
        return axis, ndim, where


def _shaped(x: Any, ndim: int, where: int) -> Any:
    """`x` with at least `ndim` axes, its own ones beginning at `where`; new ones are of size 1."""
    missing = ndim - x.ndim
    if missing <= 0:
        return x
    first = where if where >= 0 else missing + where + 1
    first = min(max(first, 0), missing)
    return np.reshape(x, (1,) * first + x.shape + (1,) * (missing - first))


class WrittenKey:
    """`s_` and `index_exp`: a key as it is written between brackets."""

    def __init__(self, always_tuple: bool) -> None:
        self.always_tuple = always_tuple

    def __getitem__(self, key: Any) -> Any:
        return (key,) if self.always_tuple and not isinstance(key, tuple) else key


ogrid: RangeGrid
mgrid: RangeGrid
mgrid, ogrid = RangeGrid(sparse=False), RangeGrid(sparse=True)
c_: Concatenator
r_: Concatenator
r_, c_ = Concatenator(0, 1, -1), Concatenator(-1, 2, 0)
index_exp: WrittenKey
s_: WrittenKey
s_, index_exp = WrittenKey(always_tuple=False), WrittenKey(always_tuple=True)


@public
def ix_(*args: Any) -> tuple[Any, ...]:
    """Return vectors of indices, each along an axis of its own: `x[np.ix_(rows, columns)]` is a part of the grid.

    A vector of bools stands for the places where it is true, which a program cannot know.

    >>> np.arange(6).reshape(2, 3)[np.ix_([0, 1], [0, 2])]
    array([[0., 2.],
           [3., 5.]])
    """
    vectors = []
    for axis, one in enumerate(args):
        x = array(one)
        if x.ndim != 1:
            raise ShapeError("E118", f"ix_ takes vectors, got {x.type}")
        if x.dtype == bool_:
            (x,) = np.nonzero(x)
        elif is_float(x.dtype):
            if x.shape[0]:
                raise DTypeError("E208", f"ix_ takes integers or bools, got {x.type}")
            x = np.astype(x, int64)
        vectors.append(np.reshape(x, tuple(-1 if k == axis else 1 for k in range(len(args)))))
    return tuple(vectors)


@public
def broadcast_shapes(*args: Any) -> tuple[int, ...]:
    """Return the shape that arrays of these shapes broadcast to.

    Raises:
        ShapeError E101: they do not.

    >>> np.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    shapes = [sizes_from(shape) for shape in args]
    common = dims.broadcast(*shapes) if shapes else ()
    if common is None:
        raise ShapeError("E101", f"broadcast_shapes: {', '.join(str(list(one)) for one in shapes)} do not broadcast")
    return tuple(common)


@public
def diag_indices(n: int, ndim: int = 2) -> tuple[Any, ...]:
    """Return the indices of the main diagonal of an array of `ndim` axes of size `n`, as int64.

    >>> np.diag_indices(2)
    (array([0, 1], dtype=int64), array([0, 1], dtype=int64))
    """
    return (np.arange(n, dtype=int64),) * ndim


@public
def diag_indices_from(arr: Any) -> tuple[Any, ...]:
    """Return the indices of the main diagonal of an array, whose axes have one size.

    >>> np.diag_indices_from(np.ones((2, 2)))
    (array([0, 1], dtype=int64), array([0, 1], dtype=int64))
    """
    x = array(arr)
    if x.ndim < 2 or any(length != x.shape[0] for length in x.shape):
        raise ShapeError("E113", f"diag_indices_from takes an array of two or more axes of the same size, got {x.type}")
    return diag_indices(x.shape[0], x.ndim)


def _matrix(arr: Any, name: str) -> Any:
    x = array(arr)
    if x.ndim != 2:
        raise ShapeError("E113", f"{name} takes a matrix, got {x.type}")
    return x


@public
def tril_indices_from(arr: Any, k: int = 0) -> tuple[Any, ...]:
    """Return the indices of the elements on and below the diagonal `k` of a matrix.

    >>> np.tril_indices_from(np.ones((2, 2)))
    (array([0, 1, 1], dtype=int64), array([0, 0, 1], dtype=int64))
    """
    x = _matrix(arr, "tril_indices_from")
    return np.tril_indices(x.shape[0], k, x.shape[1])


@public
def triu_indices_from(arr: Any, k: int = 0) -> tuple[Any, ...]:
    """Return the indices of the elements on and above the diagonal `k` of a matrix.

    >>> np.triu_indices_from(np.ones((2, 2)))
    (array([0, 0, 1], dtype=int64), array([0, 1, 1], dtype=int64))
    """
    x = _matrix(arr, "triu_indices_from")
    return np.triu_indices(x.shape[0], k, x.shape[1])


@public
def mask_indices(n: int, mask_func: Callable[..., Any], k: Any = 0) -> tuple[Any, ...]:
    """Return the indices of the elements of an n times n matrix that `mask_func(matrix, k)` leaves other than 0.

    >>> np.mask_indices(2, np.triu)
    (array([0, 0, 1], dtype=int64), array([0, 1, 1], dtype=int64))
    """
    indices: tuple[Any, ...] = np.nonzero(mask_func(np.arange(n * n, dtype=int64).reshape(n, n) * 0 + 1, k) != 0)
    return indices


class ndindex:  # noqa: N801 - the name NumPy gave it
    """Iterate over every index of a shape, the last axis first.

    >>> list(np.ndindex(2, 2))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    def __init__(self, *shape: Any) -> None:
        self._sizes = sizes_from(shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape)
        self._left = _walk(self._sizes)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return self

    def __next__(self) -> tuple[int, ...]:
        return next(self._left)


def _walk(sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not sizes:
        yield ()
        return
    for rest in _walk(sizes[:-1]):
        for k in range(sizes[-1]):
            yield (*rest, k)


class ndenumerate:  # noqa: N801 - the name NumPy gave it
    """Iterate over an array: every index with the element at it.

    >>> list(np.ndenumerate(np.array([[1, 2]])))
    [((0, 0), array(1.)), ((0, 1), array(2.))]
    """

    def __init__(self, arr: Any) -> None:
        x = array(arr)
        self._pairs = ((index, x[index]) for index in _walk(x.shape))

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], Any]]:
        return self

    def __next__(self) -> tuple[tuple[int, ...], Any]:
        return next(self._pairs)

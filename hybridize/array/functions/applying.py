# SPDX-License-Identifier: Apache-2.0
"""Functions of the user's, applied to parts of arrays or to their elements."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy

from hybridize.array import functions as np
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array, axis_of, count, public, several
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import as_dtype, float32
from hybridize.base.errors import ArgumentError, ShapeError


def _arrays_of(value: Any) -> Any:
    return value if isinstance(value, (ndarray, Symbol)) else array(value)


@public
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function with every vector along an axis; its results take the place of the axis.

    Raises:
        ShapeError E107: there are no vectors, or the results are of several shapes.

    >>> np.apply_along_axis(lambda v: v.max() - v.min(), 1, np.array([[1, 5], [2, 9]]))
    array([4., 7.])
    """
    x = array(arr)
    along = axis_of(axis, x.ndim, "apply_along_axis")
    rest = x.shape[:along] + x.shape[along + 1 :]
    if 0 in rest:
        raise ShapeError("E107", f"apply_along_axis of {x.type}: axis {along} has no vectors")
    rows = np.reshape(np.moveaxis(x, along, -1), (math.prod(rest), x.shape[along]))
    function = staging().convert(func1d)
    outputs = [_arrays_of(function(rows[k], *args, **kwargs)) for k in range(rows.shape[0])]
    together = np.stack(outputs)
    inner = together.shape[1:]
    together = np.reshape(together, rest + inner)
    if not inner:
        return together
    return np.moveaxis(together, list(range(len(rest), len(rest) + len(inner))), list(range(along, along + len(inner))))


@public
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """Call `func(a, axis)` for one axis after another; reduced axes stay with size 1.

    Raises:
        ShapeError E102: a result has another number of axes.

    >>> np.apply_over_axes(np.sum, np.ones((2, 3)), [0, 1])
    array([[6.]])
    """
    x = array(a)
    ndim = x.ndim
    function = staging().convert(func)
    for one in several(axes):
        along = axis_of(one, ndim, "apply_over_axes")
        output = _arrays_of(function(x, along))
        if output.ndim == ndim - 1:
            output = np.expand_dims(output, along)
        if output.ndim != ndim:
            raise ShapeError("E102", f"apply_over_axes: the function returned {output.type} for an input {x.type}")
        x = output
    return x


@public
def fromfunction(function: Callable[..., Any], shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    """Return what a function gives of the indices along each axis of a shape, which it takes as arrays.

    Args:
        function: of as many arrays as `shape` has sizes.
        shape: sizes of the axes.
        dtype: of the indices, float32 unless you pass one.
        kwargs: further arguments of the function.

    >>> np.fromfunction(lambda i, j: i * 10 + j, (2, 3))
    array([[ 0.,  1.,  2.],
           [10., 11., 12.]])
    """
    wanted = float32 if dtype is float else as_dtype(dtype)
    places = [place.astype(wanted) for place in np.indices(shape)]
    return staging().convert(function)(*places, **kwargs)


class vectorize:  # noqa: N801 - the name NumPy gave it
    """Make a function of numbers one of arrays, which are broadcast: it is called element by element.

    Called: an array, or a tuple of them. In a program every element is computed by steps of its own.

    Args:
        pyfunc: the function; it is given arrays of one element. Where it computes arrays of any shape, call it itself.
        otypes: dtypes of the results, one for each.
        doc: what it says of itself.
        excluded: numbers and names of arguments that are given as they are.
        cache: taken, without effect.
        signature: `(n),(n)->()`: axes of vectors that are given whole.

    Raises:
        ShapeError E107: arguments without elements, where no dtypes are given.

    >>> np.vectorize(lambda a, b: a if a > b else 0)(np.array([1, 5]), 3)
    array([0., 5.])
    """

    otypes: list[Any] | None
    excluded: frozenset[int | str]
    signature: tuple[list[int], list[int]] | None

    def __init__(
        self,
        pyfunc: Callable[..., Any],
        otypes: Any = None,
        doc: str | None = None,
        excluded: Any = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        self.pyfunc = pyfunc
        self.otypes = list(otypes) if isinstance(otypes, (str, list, tuple)) else None if otypes is None else [otypes]
        self.excluded = frozenset(excluded or ())
        self.signature = None if signature is None else _signature(signature)
        self.__doc__ = inspect.getdoc(pyfunc) if doc is None else doc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        names = [name for name in kwargs if name not in self.excluded]
        places = [k for k in range(len(args)) if k not in self.excluded]
        arrays = [array(args[k]) for k in places] + [array(kwargs[name]) for name in names]
        function = staging().convert(self.pyfunc)

        def call(*parts: Any) -> Any:
            full = list(args)
            for k, part in zip(places, parts, strict=False):
                full[k] = part
            return function(*full, **kwargs | dict(zip(names, parts[len(places) :], strict=True)))

        if not arrays:
            return function(*args, **kwargs)
        inner = [0] * len(arrays) if self.signature is None else self.signature[0]
        if len(inner) != len(arrays):
            raise ShapeError("E107", f"vectorize: the signature has {len(inner)} arguments, got {len(arrays)}")
        return self._applied(call, arrays, inner)

    def _applied(self, call: Callable[..., Any], arrays: list[Any], inner: list[int]) -> Any:
        """The results of all elements, or of all parts whose last axes are given whole."""
        if any(x.ndim < axes for x, axes in zip(arrays, inner, strict=True)):
            raise ShapeError("E107", "vectorize: an argument has fewer axes than the signature requires")
        outer = [x[(...,) + (0,) * axes] for x, axes in zip(arrays, inner, strict=True)]
        shape = np.broadcast_arrays(*outer)[0].shape if outer else ()
        count = math.prod(shape)
        rows = [_rows(x, axes, shape, count) for x, axes in zip(arrays, inner, strict=True)]
        outputs = [call(*(row[k] for row in rows)) for k in range(count)]
        several = isinstance(outputs[0], tuple) if outputs else self.otypes is not None and len(self.otypes) > 1
        if not outputs and self.otypes is None:
            raise ShapeError("E107", "vectorize of no elements", help="pass otypes=, the dtypes of the results")
        columns = list(zip(*outputs, strict=True)) if several and outputs else [outputs]
        if not outputs:
            columns = [[] for _ in self.otypes or [None]]
        results = [self._result(k, column, shape) for k, column in enumerate(columns)]
        return tuple(results) if several else results[0]

    def _result(self, number: int, column: Any, shape: tuple[int, ...]) -> Any:
        wanted = None if self.otypes is None else as_dtype(self.otypes[number])
        parts = [_arrays_of(one) for one in column]
        if not parts:
            return np.array(numpy.zeros(shape), wanted)
        together = np.stack(parts)
        together = np.reshape(together, shape + together.shape[1:])
        return together if wanted is None else together.astype(wanted, copy=False)


def _rows(x: Any, axes: int, shape: tuple[int, ...], count: int) -> Any:
    """The parts of an argument that calls are given, along a first axis."""
    own = x.shape[x.ndim - axes :]
    return np.reshape(np.broadcast_to(x, shape + own), (count, *own))


def _signature(text: str) -> tuple[list[int], list[int]]:
    """The numbers of axes of the arguments and of the results that a signature says."""
    sides = text.replace(" ", "").split("->")
    if len(sides) != 2:
        raise ArgumentError("E309", f"vectorize: no signature {text!r}", help="write it as in (n),(n)->()")
    counts = []
    for side in sides:
        parts = side.split("),(")
        if not side.startswith("(") or not side.endswith(")"):
            raise ArgumentError("E309", f"vectorize: no signature {text!r}", help="write it as in (n),(n)->()")
        counts.append([len([name for name in part.strip("()").split(",") if name]) for part in parts])
    return counts[0], counts[1]


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int) -> vectorize:
    """Make a function of numbers, with `nin` arguments and `nout` results, one of arrays; see `vectorize`.

    Raises:
        ArgumentError E344: it is no function.

    >>> np.frompyfunc(lambda a, b: max(a, b), 2, 1)(np.array([1, 5]), 3)
    array([3., 5.])
    """
    if not callable(func):
        raise ArgumentError("E344", f"frompyfunc takes a function, got {func!r:.60}")
    count(nin, "frompyfunc: nin")
    count(nout, "frompyfunc: nout")
    return vectorize(func)

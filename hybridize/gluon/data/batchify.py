# SPDX-License-Identifier: Apache-2.0
"""Batchify functions: a batch out of a list of samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy

from hybridize.array import np
from hybridize.array.buffer import content_of, is_away
from hybridize.array.nd_array import as_nd, holds_nd, like
from hybridize.array.ndarray import ndarray, wrap
from hybridize.base.dtypes import DType, as_dtype, float32
from hybridize.base.errors import ValueArgumentError
from hybridize.base.participation import ReadPolicy, WritePolicy
from hybridize.base.promotion import NUMBERS, promote

# MXNet's `use_shared_mem` is accepted everywhere and does nothing: workers choose by themselves.


class _Batchify:
    """The base of functions that make a batch of a list of samples."""

    __hybridize_read__ = ReadPolicy.CONTENT
    __hybridize_write__ = WritePolicy.IN_TURN


class Stack(_Batchify):
    """Stack all samples to one array, along a new first axis.

    Elements keep their dtype; Python floats become float32.

    Raises:
        ValueArgumentError E379: samples of different shapes, or that are no numbers.

    >>> from hybridize import np
    >>> from hybridize.gluon import data
    >>> data.batchify.Stack()([np.array([1, 2]), np.array([3, 4])]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    def __init__(self, use_shared_mem: bool = False) -> None:
        pass

    def __call__(self, data: Sequence[Any]) -> ndarray:
        return like(list(data), _stacked(data))  # type: ignore[no-any-return]


class Pad(_Batchify):
    """Make one array of all samples. Each is filled at the ends of its axes up to the greatest size among them.

    Args:
        val: what to fill with; 0 unless said.
        dtype: of the batch; one that all samples fit in unless said.
        round_to: make each size a multiple of this.

    Raises:
        ValueArgumentError E376: `val` is no number, or none of that dtype; `round_to` is no positive integer.
        ValueArgumentError E379: samples with other numbers of axes, or that are no numbers.

    >>> from hybridize import np
    >>> from hybridize.gluon import data
    >>> data.batchify.Pad(val=-1)([np.array([1, 2, 3]), np.array([4])]).tolist()
    [[1.0, 2.0, 3.0], [4.0, -1.0, -1.0]]
    """

    def __init__(
        self, val: float | None = None, dtype: Any = None, round_to: int | None = None, use_shared_mem: bool = False
    ) -> None:
        if round_to is not None and not (isinstance(round_to, (int, numpy.integer)) and round_to > 0):
            raise ValueArgumentError("E376", f"round_to must be an integer of 1 or more, got {round_to!r}")
        if val is not None and not isinstance(val, NUMBERS):
            raise ValueArgumentError("E376", f"val must be a number to fill with, got {val!r}")
        self._value = 0 if val is None else val
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._round_to = round_to or 1

    def __call__(self, data: Sequence[Any]) -> ndarray:
        arrays = _arrays(data)
        if len({array.ndim for array in arrays}) > 1:
            shapes = ", ".join(str(array.shape) for array in arrays[:4])
            raise ValueArgumentError("E379", f"samples to pad must have equal numbers of axes, got shapes {shapes}")
        sizes = (max(column) for column in zip(*(array.shape for array in arrays), strict=True))
        shape = [math.ceil(size / self._round_to) * self._round_to for size in sizes]
        dtype = self._dtype or _common(data, arrays)
        if not _holds(dtype, self._value):
            raise ValueArgumentError(
                "E376",
                f"val={self._value!r} to fill with is not a {dtype.name}, which the samples are",
                help='give Pad a dtype: dtype="float32"',
            )
        batch = _full((len(arrays), *shape), self._value, dtype, data)
        for row, (sample, array) in enumerate(zip(data, arrays, strict=True)):
            box: tuple[Any, ...] = (row, *map(slice, array.shape))
            batch[box] = sample if is_away(array) else array
        return like(list(data), batch if isinstance(batch, ndarray) else wrap(batch))  # type: ignore[no-any-return]


class Append(_Batchify):
    """Make a list with an array for each sample, for samples of different shapes.

    Args:
        expand: whether each array gets an axis of size 1 in addition.
        batch_axis: where that axis stands.

    >>> from hybridize import np
    >>> from hybridize.gluon import data
    >>> [array.shape for array in data.batchify.Append()([np.ones(2), np.ones(3)])]
    [(1, 2), (1, 3)]
    """

    def __init__(self, expand: bool = True, batch_axis: int = 0, use_shared_mem: bool = False) -> None:
        self._expand = expand
        self._axis = batch_axis

    def __call__(self, data: Sequence[Any]) -> list[ndarray]:
        pairs = zip(data, _arrays(data), strict=True)
        batch = [one.copy() if is_away(array) else wrap(array.copy()) for one, array in pairs]
        if self._expand:
            batch = [np.expand_dims(one, self._axis) for one in batch]
        return [like(sample, one) for sample, one in zip(data, batch, strict=True)]


class Group(_Batchify):
    """Apply a batchify function to each part of samples that are tuples: `Group(Pad(), Stack())`.

    Raises:
        ValueArgumentError E375: an argument is no function.
        ValueArgumentError E379: samples with another number of parts.

    >>> from hybridize.gluon import data
    >>> x, y = data.batchify.Group(data.batchify.Pad(), data.batchify.Stack())([([1, 2], 0), ([3], 1)])
    >>> x.tolist(), y.tolist()
    ([[1, 2], [3, 0]], [0, 1])
    """

    def __init__(self, fn: Any, *args: Callable[..., Any]) -> None:
        functions = (*fn, *args) if isinstance(fn, (list, tuple)) else (fn, *args)
        for function in functions:
            if not callable(function):
                raise ValueArgumentError("E375", f"Group takes functions, got {type(function).__name__}")
        self._functions = functions

    def __call__(self, data: Sequence[Any]) -> tuple[Any, ...]:
        for sample in data:
            parts = len(sample) if hasattr(sample, "__len__") else 1
            if parts != len(self._functions):
                raise ValueArgumentError(
                    "E379",
                    f"Group has {len(self._functions)} functions, but a sample has {parts} parts",
                    help="pass one function for each part",
                )
        return tuple(function([sample[i] for sample in data]) for i, function in enumerate(self._functions))


class AsList(_Batchify):
    """Return the list of samples as it is, for samples that are not numbers, such as text.

    >>> from hybridize.gluon import data
    >>> data.batchify.AsList()(["a", "b"])
    ['a', 'b']
    """

    def __call__(self, data: Sequence[Any]) -> list[Any]:
        return list(data)


def default_batchify_fn(data: Sequence[Any]) -> Any:
    """Stack samples, as a loader does by default. If samples are tuples, stack each part.

    Raises:
        ValueArgumentError E379: samples of different shapes or numbers of parts, or that are no numbers.

    >>> from hybridize import np
    >>> from hybridize.gluon import data
    >>> [part.shape for part in data.batchify.default_batchify_fn([(np.ones(2), 0), (np.ones(2), 1)])]
    [(2, 2), (2,)]
    """
    if len(data) and isinstance(data[0], tuple):
        lengths = {len(sample) if isinstance(sample, tuple) else 1 for sample in data}
        if len(lengths) > 1:
            raise ValueArgumentError("E379", f"samples must have equal numbers of parts, got {sorted(lengths)}")
        parts = [default_batchify_fn(part) for part in zip(*data, strict=True)]
        return as_nd(parts) if holds_nd(parts) else parts
    return like(data[0] if len(data) else None, _stacked(data))


def _arrays(data: Sequence[Any]) -> list[Any]:
    if not len(data):
        raise ValueArgumentError("E379", "the batch sampler returned an empty batch")
    return [_numbers(content_of(sample) if isinstance(sample, ndarray) else sample, sample) for sample in data]


def _full(shape: tuple[int, ...], number: float, dtype: DType, data: Sequence[Any]) -> Any:
    """An array of a number where the samples are: in the memory of a device, or NumPy's."""
    device = next((x.device for x in data if isinstance(x, ndarray) and is_away(content_of(x))), None)
    return numpy.full(shape, number, dtype) if device is None else np.full(shape, number, dtype, device=device)


def _common(data: Sequence[Any], arrays: list[Any]) -> DType:
    """The dtype that all samples fit in; an empty list, which could be of any, has no say."""
    having = [array.dtype for sample, array in zip(data, arrays, strict=True) if array.size or hasattr(sample, "dtype")]
    return reduce(promote, having) if having else arrays[0].dtype


def _holds(dtype: DType, value: Any) -> bool:
    """Tell whether a number is one of a dtype, but for rounding."""
    if dtype.kind == "b":
        return value in (0, 1)
    if dtype.kind not in "iu":
        return True
    limits = numpy.iinfo(dtype)
    return bool(limits.min <= value <= limits.max and value == int(value))


def _numbers(values: Any, sample: Any) -> Any:
    """The elements of a sample: NumPy's, or those of an array on a device, where they are."""
    if is_away(values):
        return values
    try:
        array = numpy.asarray(values)
    except ValueError:
        array = numpy.array(None)
    if array.dtype.kind in "OUSMm":
        raise ValueArgumentError(
            "E379",
            f"a batch must be made of arrays and numbers, got a sample of {type(sample).__name__}",
            help="batchify_fn=batchify.AsList() leaves samples as they are; Group takes a function for each part",
        )
    # As np.array does: only what says that it is float64 is.
    return array.astype(float32) if array.dtype.kind == "f" and not hasattr(values, "dtype") else array


def _stacked(data: Sequence[Any]) -> ndarray:
    # A list of plain numbers is converted at once, not number by number.
    if len(data) and (type(data[0]) is float or type(data[0]) is int) and set(map(type, data)) <= {int, float, bool}:
        return wrap(_numbers(list(data), data[0]))
    arrays = _arrays(data)
    dtype = arrays[0].dtype
    if any(array.dtype != dtype for array in arrays):
        dtype = _common(data, arrays)
    try:
        if any(map(is_away, arrays)):
            return np.stack(list(data))
        return wrap(numpy.stack(arrays, dtype=dtype, casting="unsafe"))  # to what holds them all
    except ValueError:
        pass
    shapes = list(dict.fromkeys(str(array.shape) for array in arrays))
    raise ValueArgumentError(
        "E379",
        f"the samples of a batch must have one shape, got {', '.join(shapes[:4])}",
        help="batchify_fn=batchify.Pad() pads them, batchify.Append() keeps them separate",
    )

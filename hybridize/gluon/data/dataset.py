# SPDX-License-Identifier: Apache-2.0
"""Data sets: samples by number, and data sets made of others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import content_of, host_copy
from hybridize.array.nd_array import holds_nd
from hybridize.array.ndarray import ndarray, wrap
from hybridize.base.errors import ArgumentError, UndefinedError, ValueArgumentError
from hybridize.base.loading import load_module
from hybridize.base.participation import ReadPolicy
from hybridize.base.tracebacks import leaves
from hybridize.gluon.data.sampler import FilterSampler, Sampler, SequentialSampler

if TYPE_CHECKING:
    import typing_extensions

    Sample = typing_extensions.TypeVar("Sample", default=Any, covariant=True)
else:
    Sample = TypeVar("Sample")

Columns = tuple[NDArray[Any], ...]


class Dataset(Generic[Sample]):
    """Return samples by number.

    A subclass defines `__getitem__(index)` and `__len__()`, and may define `read_many(indices)`.

    `filter`, `shard`, `take`, `sample` and `transform` return a data set of this one and copy no samples.

    >>> from hybridize.gluon import data
    >>> class Squares(data.Dataset):
    ...     def __len__(self):
    ...         return 4
    ...     def __getitem__(self, index):
    ...         return index**2
    >>> list(Squares().transform(lambda x: x + 1))
    [1, 2, 5, 10]
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __getitem__(self, index: Any) -> Sample:
        raise UndefinedError("E328", f"{type(self).__name__} gives no samples", help="define __getitem__(self, index)")

    def __len__(self) -> int:
        raise UndefinedError("E328", f"{type(self).__name__} does not define its length", help="define __len__(self)")

    def __iter__(self) -> Iterator[Sample]:
        return (self[index] for index in range(len(self)))

    def filter(self, fn: Callable[[Any], Any]) -> Dataset[Sample]:
        """Return the samples for which `fn(sample)` is true. It calls `fn` for all of them, now."""
        return SampledDataset(self, FilterSampler(fn, self))

    def shard(self, num_shards: int, index: int) -> Dataset[Sample]:
        """Return one of `num_shards` parts, each a run of samples. The first parts have a sample more if need be.

        Raises:
            ArgumentError E382: there is no such part.
        """
        if not (num_shards > 0 and 0 <= index < num_shards):
            raise ArgumentError("E382", f"there is no part {index} of {num_shards}", help="use 0 to num_shards - 1")
        length, rest = divmod(len(self), num_shards)
        start = length * index + min(index, rest)
        return SampledDataset(self, SequentialSampler(length + (index < rest), start))

    def take(self, count: int | None) -> Dataset[Sample]:
        """Return the first `count` samples, or all if there are fewer.

        Raises:
            ArgumentError E382: `count` is negative.
        """
        if count is not None and count < 0:
            raise ArgumentError("E382", f"a number of samples must be 0 or more, got {count}")
        return SampledDataset(self, SequentialSampler(len(self) if count is None else min(count, len(self))))

    def sample(self, sampler: Sampler) -> Dataset[Sample]:
        """Return the samples that `sampler` names, in its order. It reads `sampler` once, now.

        Raises:
            ArgumentError E382: `sampler` is no `Sampler`.
        """
        if not isinstance(sampler, Sampler):
            raise ArgumentError("E382", f"sample() takes a Sampler, got {type(sampler).__name__}")
        return SampledDataset(self, sampler)

    def transform(self, fn: Callable[..., Any], lazy: bool = True) -> Dataset:
        """Return a data set of `fn(*sample)` for each sample, or of `fn(sample)` for a sample that is not a tuple.

        Args:
            fn: the function.
            lazy: whether `fn` is called each time a sample is read; otherwise once for each sample, now.
        """
        lazily = TransformedDataset(self, fn)
        return lazily if lazy else SimpleDataset(list(lazily))

    @overload
    def transform_first(
        self: Dataset[tuple[Any, ...]], fn: Callable[[Any], Any], lazy: bool = True
    ) -> Dataset[tuple[Any, ...]]: ...
    @overload
    def transform_first(self, fn: Callable[[Any], Any], lazy: bool = True) -> Dataset: ...
    def transform_first(self, fn: Callable[[Any], Any], lazy: bool = True) -> Dataset[Any]:
        """Return a data set with `fn` of the first part of each sample only: the data, not the label."""
        return self.transform(_First(fn), lazy)

    of_nd: bool = False
    """True if batches of what `read_many` reads are NDArrays."""

    def read_many(self, indices: Any) -> Columns | None:
        """Return the parts of many samples, an array of each part, where that is faster than sample by sample.

        Args:
            indices: numbers of samples, as an array, a list, or a slice with a start and a stop.

        Returns:
            Arrays of NumPy's that nobody else holds, as many as a sample has parts; None where only single samples
            can be read. A loader without a batchify function asks for whole batches.
        """
        return None


class SimpleDataset(Dataset):
    """Return the entries of a list, or of any object with a length and numbered entries.

    >>> from hybridize.gluon import data
    >>> data.SimpleDataset(["a", "b"])[1]
    'b'
    """

    def __init__(self, data: Sequence[Any]) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, index: Any) -> Any:
        return self._data[index]


@leaves
class ArrayDataset(Dataset[Sample]):
    """Return samples that are tuples, with entry i of each argument: `ArrayDataset(x, y)[i]` is `(x[i], y[i])`.

    With one argument samples are its entries. A batch of arrays is read at once, not sample by sample.

    Raises:
        ArgumentError E377: no arguments, or arguments of different lengths.

    >>> from hybridize.gluon import data
    >>> dataset = data.ArrayDataset([1, 2, 3], ["a", "b", "c"])
    >>> dataset[1], len(dataset)
    ((2, 'b'), 3)
    """

    @overload
    def __init__(self: ArrayDataset[ndarray], data: ndarray, /) -> None: ...
    @overload
    def __init__(self: ArrayDataset[tuple[ndarray, ...]], x: ndarray, y: ndarray, /, *others: ndarray) -> None: ...
    @overload
    def __init__(self: ArrayDataset[Any], *args: Any) -> None: ...
    def __init__(self, *args: Any) -> None:
        if not args:
            raise ArgumentError("E377", "ArrayDataset needs at least one array")
        lengths = [len(arg) for arg in args]
        if len(set(lengths)) > 1:
            raise ArgumentError(
                "E377",
                f"the arrays of a data set must have equal lengths, got {', '.join(map(str, lengths))}",
                help="the first axis counts samples",
            )
        self.of_nd: bool = holds_nd(args)
        # A label is a number, not an array without axes.
        self._data = [host_copy(arg) if isinstance(arg, ndarray) and arg.ndim == 1 else arg for arg in args]
        self._length = lengths[0]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        if len(self._data) == 1:
            return self._data[0][index]
        return tuple(data[index] for data in self._data)

    def read_many(self, indices: Any) -> Columns | None:
        if type(self).__getitem__ is not ArrayDataset.__getitem__:
            return None  # a subclass of the user's has samples of its own
        if type(indices) is slice and indices.stop > self._length:
            return None  # reading them one by one says which is missing
        columns = []
        for data in self._data:
            values = content_of(data) if isinstance(data, ndarray) else data
            if type(values) is not numpy.ndarray or values.dtype.kind in "OUSMm":
                return None
            columns.append(values[indices].copy() if type(indices) is slice else values.take(indices, 0))
        return tuple(columns)


class SampledDataset(Dataset[Sample]):
    """Samples of another data set, by a list of numbers.

    Args:
        dataset: the other one.
        sampler: the numbers; asked once.
    """

    def __init__(self, dataset: Dataset[Sample], sampler: Sampler) -> None:
        self._dataset = dataset
        self.of_nd: bool = dataset.of_nd
        self._indices: Sequence[int] | NDArray[Any]
        if type(sampler) is SequentialSampler:
            self._indices = range(sampler.start, sampler.start + len(sampler))
        else:
            self._indices = numpy.array(list(sampler), numpy.int64)

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._dataset[int(i)] for i in self._indices[index]]
        return self._dataset[int(self._indices[index])]

    def read_many(self, indices: Any) -> Columns | None:
        if type(indices) is slice and indices.stop > len(self):
            return None  # as above
        if isinstance(self._indices, range):
            own = self._indices
            if type(indices) is slice:
                part = own[indices]
                return self._dataset.read_many(slice(part.start, part.stop))
            indices = numpy.asarray(indices)
            if indices.size and not (indices.min() >= 0 and indices.max() < len(own)):
                return None  # single samples say what is wrong
            return self._dataset.read_many(indices + own.start)
        return self._dataset.read_many(self._indices[indices])


class TransformedDataset(Dataset):
    """A function of each sample, called when the sample is read.

    Args:
        dataset: the samples.
        fn: of the parts of a sample that is a tuple, else of the sample.
    """

    def __init__(self, dataset: Dataset, fn: Callable[..., Any]) -> None:
        self._dataset = dataset
        self._fn = fn

    def __len__(self) -> int:
        return len(self._dataset)

    def __getitem__(self, index: Any) -> Any:
        sample = self._dataset[index]
        return self._fn(*sample) if isinstance(sample, tuple) else self._fn(sample)


class _First:
    """A class, not a closure, so that spawned workers can be sent it."""

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        self._fn = fn

    def __call__(self, first: Any, *rest: Any) -> Any:
        return (self._fn(first), *rest) if rest else self._fn(first)


class RecordFileDataset(Dataset):
    """Return the records of a RecordIO file. A sample is bytes.

    Args:
        filename: the file, beside which lies its index, of the same name with .idx.

    Raises:
        LoadError E600, E666: a file cannot be read, or is damaged.

    >>> from hybridize import recordio
    >>> from hybridize.gluon import data
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = f"{folder.name}/data"
    >>> with_index = recordio.MXIndexedRecordIO(path + ".idx", path + ".rec", "w")
    >>> with_index.write_idx(0, b"one")
    >>> with_index.close()
    >>> data.RecordFileDataset(path + ".rec")[0]
    b'one'
    >>> folder.cleanup()
    """

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.idx_file: str = os.path.splitext(filename)[0] + ".idx"
        self._record = load_module("hybridize.recordio").MXIndexedRecordIO(self.idx_file, filename, "r")

    def __len__(self) -> int:
        return len(self._record.keys)

    def __getitem__(self, idx: Any) -> Any:
        return self._record.read_idx(self._record.keys[idx])


def as_dataset(data: Any) -> Any:
    """Return data as a loader reads it: with a length and numbered entries; an array is a data set of its rows.

    Raises:
        ValueArgumentError E375: it is nothing of that kind.
    """
    if isinstance(data, (ndarray, numpy.ndarray)):
        return ArrayDataset(wrap(data) if isinstance(data, numpy.ndarray) else data)
    if hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        return data
    raise ValueArgumentError(
        "E375",
        f"a data set needs __len__ and __getitem__, got {type(data).__name__}",
        help="convert it with list(...), or write a class with __getitem__ and __len__",
    )

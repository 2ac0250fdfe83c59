# SPDX-License-Identifier: Apache-2.0
"""Samplers: in which order samples are read, and which of them make a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy

from hybridize.array.orders import drawn, order_of
from hybridize.base.errors import UndefinedError, ValueArgumentError
from hybridize.base.participation import ReadPolicy

LAST_BATCH = ("keep", "discard", "rollover")


class Sampler:
    """Return numbers of samples, anew for each iteration. A subclass defines `__iter__()` and `__len__()`.

    >>> from hybridize import np
    >>> from hybridize.gluon import data
    >>> class Backwards(data.Sampler):
    ...     def __iter__(self):
    ...         return iter(range(3, -1, -1))
    ...     def __len__(self):
    ...         return 4
    >>> next(iter(data.DataLoader(np.arange(4), batch_size=4, sampler=Backwards())))
    array([3., 2., 1., 0.])
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __iter__(self) -> Iterator[Any]:
        raise UndefinedError("E328", f"{type(self).__name__} does not define its order", help="define __iter__(self)")

    def __len__(self) -> int:
        raise UndefinedError("E328", f"{type(self).__name__} does not define its length", help="define __len__(self)")


class SequentialSampler(Sampler):
    """Return start, start + 1, ..., start + length - 1.

    >>> from hybridize.gluon import data
    >>> list(data.SequentialSampler(3))
    [0, 1, 2]
    """

    def __init__(self, length: int, start: int = 0) -> None:
        self._length = _count(length)
        self.start = start

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.start, self.start + self._length))

    def __len__(self) -> int:
        return self._length


class RandomSampler(Sampler):
    """Return 0, 1, ..., length - 1 in an order that each iteration draws from `hybridize.random`.

    >>> from hybridize.gluon import data
    >>> sorted(data.RandomSampler(3))
    [0, 1, 2]
    """

    def __init__(self, length: int) -> None:
        self._length = _count(length)

    def order(self) -> Any:
        """Return the order of one iteration, as an array."""
        return order_of(self._length, drawn())

    def __iter__(self) -> Iterator[int]:
        return iter(self.order().tolist())

    def __len__(self) -> int:
        return self._length


class FilterSampler(Sampler):
    """Return the numbers of the samples of `dataset` for which `fn(sample)` is true.

    It calls `fn` when you create it.

    >>> from hybridize.gluon import data
    >>> list(data.FilterSampler(lambda x: x > 1, data.SimpleDataset([1, 2, 3])))
    [1, 2]
    """

    def __init__(self, fn: Callable[[Any], Any], dataset: Any) -> None:
        self._indices = [index for index in range(len(dataset)) if fn(dataset[index])]

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class IntervalSampler(Sampler):
    """Return every `interval`-th number below `length`. With `rollover`, continue until all numbers are there.

    Args:
        length: how many samples there are.
        interval: from one to the next.
        rollover: whether the others follow.

    Raises:
        ValueArgumentError E376: `interval` is not from 1 to `length`.

    >>> from hybridize.gluon import data
    >>> list(data.IntervalSampler(7, 3))
    [0, 3, 6, 1, 4, 2, 5]
    >>> list(data.IntervalSampler(7, 3, rollover=False))
    [0, 3, 6]
    """

    def __init__(self, length: int, interval: int, rollover: bool = True) -> None:
        if not 0 < interval <= length:
            raise ValueArgumentError("E376", f"the interval must be from 1 to the length {length}, got {interval}")
        self._length = length
        self._interval = interval
        self._rollover = rollover

    def __iter__(self) -> Iterator[int]:
        for start in range(self._interval if self._rollover else 1):
            yield from range(start, self._length, self._interval)

    def __len__(self) -> int:
        return self._length if self._rollover else -(-self._length // self._interval)


class SplitSampler(Sampler):
    """Return the numbers of one of several parts of the samples, each of which another process reads. It is GluonNLP's.

    Args:
        length: how many samples there are.
        num_parts: how many parts, as `kv.num_workers`.
        part_index: the part, from 0 on, as `kv.rank`.
        even_size: let all parts be as long as the longest: shorter ones begin again. Processes that sum their
            gradients make the same number of steps.
        repeat: how often the numbers of the part are given.
        shuffle: give them in an order drawn from `hybridize.random`, each time anew.

    Raises:
        ValueArgumentError E376: a count is no positive integer, there are more parts than samples, or no such part.

    >>> from hybridize.gluon import data
    >>> list(data.SplitSampler(7, 2, 0, shuffle=False)), list(data.SplitSampler(7, 2, 1, shuffle=False))
    ([0, 1, 2, 3], [4, 5, 6, 4])
    """

    def __init__(
        self,
        length: int,
        num_parts: int = 1,
        part_index: int = 0,
        even_size: bool = True,
        repeat: int = 1,
        shuffle: bool = True,
    ) -> None:
        if not 0 < num_parts <= length or not 0 <= part_index < num_parts or repeat < 1:
            raise ValueArgumentError(
                "E376",
                f"part {part_index} of {num_parts} parts of {length} samples, {repeat} times",
                help="give each part a sample at least, and number the parts from 0",
            )
        longest = -(-length // num_parts)
        begin = part_index * (length // num_parts) + min(part_index, length % num_parts)
        count = length // num_parts + (part_index < length % num_parts)
        self._numbers = list(range(begin, begin + count))
        if even_size:
            self._numbers += self._numbers[: longest - count]
        self._repeat, self._is_shuffled = repeat, shuffle

    def __iter__(self) -> Iterator[int]:
        for _ in range(self._repeat):
            order = order_of(len(self._numbers), drawn()).tolist() if self._is_shuffled else range(len(self._numbers))
            for place in order:
                yield self._numbers[place]

    def __len__(self) -> int:
        return len(self._numbers) * self._repeat


class BatchSampler(Sampler):
    """Lists of `batch_size` numbers of another sampler.

    Args:
        sampler: the numbers.
        batch_size: how many make a batch.
        last_batch: what becomes of fewer than that at the end: "keep" gives them, "discard" drops them, "rollover"
            puts them before the first of the next iteration.

    Raises:
        ValueArgumentError E376: `batch_size` is no positive integer, or `last_batch` another word.

    >>> from hybridize.gluon import data
    >>> list(data.BatchSampler(data.SequentialSampler(7), 3))
    [[0, 1, 2], [3, 4, 5], [6]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, last_batch: str = "keep") -> None:
        if isinstance(batch_size, bool) or not isinstance(batch_size, (int, numpy.integer)) or batch_size < 1:
            raise ValueArgumentError("E376", f"batch_size must be 1 or more, got {batch_size!r}")
        if last_batch not in LAST_BATCH:
            raise ValueArgumentError(
                "E376",
                f"last_batch must be one of {', '.join(LAST_BATCH)}, got {last_batch!r}",
                help='the default is "keep"',
            )
        self._sampler = sampler
        self._batch_size = int(batch_size)
        self._last_batch = last_batch
        self._left: list[Any] = []

    def __iter__(self) -> Iterator[list[Any]]:
        batch, self._left = self._left, []
        for index in self._sampler:
            batch.append(index)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if batch and self._last_batch == "keep":
            yield batch
        elif self._last_batch == "rollover":
            self._left = batch

    def arrays(self) -> Iterator[Any]:
        """Yield the same batches, as arrays or slices where that is cheaper than lists."""
        kind = type(self._sampler)
        if self._left or (kind is not SequentialSampler and kind is not RandomSampler):
            yield from self
            return
        length, size = len(self), self._batch_size  # of whole batches but for the last one, where it is kept
        total: int = len(self._sampler)  # type: ignore[arg-type]
        order = self._sampler.order() if type(self._sampler) is RandomSampler else None
        start: int = getattr(self._sampler, "start", 0)
        for first in range(0, length * size, size):
            end = min(first + size, total)
            yield slice(start + first, start + end) if order is None else order[first:end]
        if self._last_batch == "rollover":
            first = length * size
            self._left = list(range(start + first, start + total)) if order is None else order[first:].tolist()

    def __len__(self) -> int:
        length: int = len(self._sampler)  # type: ignore[arg-type]
        if self._last_batch == "keep":
            return -(-length // self._batch_size)
        return (length + len(self._left)) // self._batch_size


def _count(length: Any) -> int:
    if isinstance(length, bool) or not isinstance(length, (int, numpy.integer)) or length < 0:
        raise ValueArgumentError("E376", f"a number of samples must be 0 or more, got {length!r}")
    return int(length)

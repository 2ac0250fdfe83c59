# SPDX-License-Identifier: Apache-2.0
"""`DataLoader`: batches of a data set, made here, by threads, or by processes."""

from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from hybridize.array.nd_array import classed
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.orders import STEP, drawn, mixed
from hybridize.base.errors import ValueArgumentError
from hybridize.base.loading import LOADING, load_module
from hybridize.base.names import late
from hybridize.base.participation import ReadPolicy
from hybridize.base.tracebacks import leaves
from hybridize.gluon.data.batchify import default_batchify_fn
from hybridize.gluon.data.dataset import Dataset, as_dataset
from hybridize.gluon.data.sampler import BatchSampler, RandomSampler, SequentialSampler

_LONGEST = 1e6
"""Seconds that the system can be asked to wait, and no program does."""


if TYPE_CHECKING:
    import typing_extensions

    Batch = typing_extensions.TypeVar("Batch", default=Any)
else:
    Batch = TypeVar("Batch")


class Maker:
    """Makes a batch of the numbers of its samples: at once where the data set can, sample by sample elsewhere."""

    __hybridize_read__ = ReadPolicy.OUTSIDE

    batchify: Callable[[list[Any]], Any]
    read_many: Callable[[Any], Any] | None

    def __init__(self, dataset: Any, batchify_fn: Callable[[list[Any]], Any] | None) -> None:
        self.dataset = dataset
        self.batchify = default_batchify_fn if batchify_fn is None else batchify_fn
        self.read_many = dataset.read_many if batchify_fn is None and isinstance(dataset, Dataset) else None

    def __call__(self, indices: Any, go_on: Callable[[], bool] | None = None) -> Any:
        """The batch, or None where `go_on` said no before it was complete."""
        if self.read_many is not None:
            columns = self.read_many(indices)
            if columns is not None:
                arrays = [classed(wrap(column), self.dataset.of_nd) for column in columns]
                return arrays if len(arrays) > 1 else arrays[0]
        samples = []
        for index in _numbers(indices):
            if go_on is not None and not go_on():
                return None
            try:
                samples.append(self.dataset[index])
            except Exception as error:
                error.add_note(f"reading sample {index} of the data set")
                raise
        return self.batchify(samples)


@leaves
class DataLoader(Generic[Batch]):
    """Iterate over batches of a data set. Each iteration is an epoch.

    Args:
        dataset: anything with a length and numbered samples; an array is a data set of its rows.
        batch_size: samples in a batch.
        shuffle: whether each epoch has an order of its own, drawn from `hybridize.random`.
        sampler: the order instead, as numbers of samples.
        last_batch: "keep" (the default), "discard" or "rollover"; see `BatchSampler`.
        batch_sampler: lists of numbers, one for each batch, instead of the four before.
        batchify_fn: makes a batch of a list of samples; the default stacks arrays, and each part of tuples.
        num_workers: processes, or threads, that make batches ahead; 0 makes each one when it is asked for.
        prefetch: batches under way at most, two for each worker unless said.
        thread_pool: whether workers are threads. They share the process's random numbers, so what the data set draws
            depends on their timing; in processes it depends on the seed alone, not even on the number of workers.
        timeout: seconds to wait for one batch of a worker.

    MXNet's `pin_memory`, `pin_device_id`, `try_nopython` and `auto_reload` are accepted and do nothing: all large
    arrays go to a GPU by pinned memory.

    Processes are forked (unless `multiprocessing.set_start_method` says otherwise) when they are first needed, see the
    data set as it is then, live as long as the loader, and use one thread each for compiled programs.

    Raises:
        ValueArgumentError E375: arguments that exclude each other, or a data set that is none.
        ValueArgumentError E376: a number or a name out of its range.

    >>> from hybridize import np
    >>> from hybridize.gluon import data
    >>> dataset = data.ArrayDataset(np.ones((5, 3)), np.arange(5))
    >>> for x, y in data.DataLoader(dataset, batch_size=2):
    ...     print(x.shape, y.tolist())
    (2, 3) [0.0, 1.0]
    (2, 3) [2.0, 3.0]
    (1, 3) [4.0]
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    @overload
    def __init__(
        self: DataLoader[ndarray], dataset: ndarray | Dataset[ndarray],
        batch_size: int | None = None, shuffle: bool = False, sampler: Any = None, last_batch: str | None = None,
        batch_sampler: Any = None, batchify_fn: None = None, num_workers: int = 0,
        pin_memory: bool = False, pin_device_id: int = 0, prefetch: int | None = None, thread_pool: bool = False,
        timeout: float = 120, try_nopython: bool | None = None, auto_reload: bool = False,
    ) -> None: ...  # fmt: skip
    @overload
    def __init__(
        self: DataLoader[list[ndarray]], dataset: Dataset[tuple[Any, ...]],
        batch_size: int | None = None, shuffle: bool = False, sampler: Any = None, last_batch: str | None = None,
        batch_sampler: Any = None, batchify_fn: None = None, num_workers: int = 0,
        pin_memory: bool = False, pin_device_id: int = 0, prefetch: int | None = None, thread_pool: bool = False,
        timeout: float = 120, try_nopython: bool | None = None, auto_reload: bool = False,
    ) -> None: ...  # fmt: skip
    @overload
    def __init__(
        self: DataLoader[Any], dataset: Any,
        batch_size: int | None = None, shuffle: bool = False, sampler: Any = None, last_batch: str | None = None,
        batch_sampler: Any = None, batchify_fn: Callable[[list[Any]], Any] | None = None, num_workers: int = 0,
        pin_memory: bool = False, pin_device_id: int = 0, prefetch: int | None = None, thread_pool: bool = False,
        timeout: float = 120, try_nopython: bool | None = None, auto_reload: bool = False,
    ) -> None: ...  # fmt: skip
    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Any = None,
        last_batch: str | None = None,
        batch_sampler: Any = None,
        batchify_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        prefetch: int | None = None,
        thread_pool: bool = False,
        timeout: float = 120,
        try_nopython: bool | None = None,
        auto_reload: bool = False,
    ) -> None:
        self._dataset = as_dataset(dataset)
        self._batch_sampler = _batches(self._dataset, batch_size, shuffle, sampler, last_batch, batch_sampler)
        if batchify_fn is not None and not callable(batchify_fn):
            raise ValueArgumentError("E375", f"batchify_fn must be a function, got {type(batchify_fn).__name__}")
        if isinstance(num_workers, bool) or not isinstance(num_workers, int) or num_workers < 0:
            raise ValueArgumentError("E376", f"num_workers must be 0 or more, got {num_workers!r}")
        if prefetch is not None and (isinstance(prefetch, bool) or not isinstance(prefetch, int) or prefetch < 0):
            raise ValueArgumentError("E376", f"prefetch must be 0 or more, got {prefetch!r}")
        if not hasattr(timeout, "__float__") or not timeout > 0:
            raise ValueArgumentError("E376", f"timeout must be a positive number of seconds, got {timeout!r}")
        self._maker = Maker(self._dataset, batchify_fn)
        self._num_workers = num_workers
        self._prefetch = max(1, 2 * num_workers if prefetch is None else prefetch)
        self._thread_pool = thread_pool
        self._timeout = min(float(timeout), _LONGEST)
        self._workers: Any = None
        self._pid = 0

    def __len__(self) -> int:
        """Batches of an epoch."""
        return len(self._batch_sampler)

    def __iter__(self) -> Iterator[Batch]:
        # Drawn whether or not anybody needs it, so that the next epoch's order is the same with and without workers.
        seed = drawn()
        batches = self._batch_sampler
        order = batches.arrays() if type(batches) is BatchSampler else iter(batches)
        if not self._num_workers:
            return (self._maker(indices) for indices in order)  # where StopIteration is an error, not the end
        if self._thread_pool:
            return self._from_threads(order)
        return self._from_processes(order, seed)

    def _from_threads(self, order: Iterator[Any]) -> Iterator[Any]:
        with LOADING:  # late: who has no threads loads no pools of them
            from concurrent.futures import ThreadPoolExecutor, wait

        def finished(future: Any, number: int) -> Any:
            if not wait([future], self._timeout).done:
                raise load_module("hybridize.gluon.data.workers").late(number, self._timeout)
            return future.result()

        if self._workers is None or self._pid != os.getpid():  # a forked process has none of its parent's threads
            self._workers, self._pid = ThreadPoolExecutor(self._num_workers, "DataLoader"), os.getpid()
            weakref.finalize(self, self._workers.shutdown, wait=False, cancel_futures=True)
        under_way: deque[Any] = deque()
        try:
            for number, indices in enumerate(order):
                under_way.append(self._workers.submit(self._maker, indices))
                if len(under_way) >= self._prefetch:
                    yield finished(under_way.popleft(), number + 1 - self._prefetch)
            done = number + 1 - len(under_way) if under_way else 0
            while under_way:
                yield finished(under_way.popleft(), done)
                done += 1
        finally:
            for future in under_way:
                future.cancel()

    def _from_processes(self, order: Iterator[Any], seed: int) -> Iterator[Any]:
        if self._workers is None or not self._workers.alive:
            self._workers = load_module("hybridize.gluon.data.workers").Workers(self._maker, self._num_workers)
            weakref.finalize(self, self._workers.shutdown)
        workers = self._workers
        iteration = workers.begin()
        head = tail = 0
        try:
            for indices in order:
                workers.ask(iteration, head, mixed(seed + head * STEP), indices)
                head += 1
                if head - tail >= self._prefetch:
                    yield workers.take(iteration, tail, self._timeout)
                    tail += 1
            while tail < head:
                yield workers.take(iteration, tail, self._timeout)
                tail += 1
        finally:
            workers.end(iteration)

    def __getstate__(self) -> dict[str, Any]:
        """Without the workers, which belong to this process."""
        return self.__dict__ | {"_workers": None}


def _batches(dataset: Any, batch_size: Any, shuffle: bool, sampler: Any, last_batch: Any, batch_sampler: Any) -> Any:
    """The batch sampler that the arguments of a loader say."""
    if batch_sampler is not None:
        if batch_size is not None or shuffle or sampler is not None or last_batch is not None:
            raise ValueArgumentError("E375", "batch_sampler excludes batch_size, shuffle, sampler and last_batch")
        return batch_sampler
    if batch_size is None:
        raise ValueArgumentError("E375", "DataLoader needs a batch_size", help="DataLoader(data, batch_size=64)")
    if sampler is None:
        sampler = (RandomSampler if shuffle else SequentialSampler)(len(dataset))
    elif shuffle:
        raise ValueArgumentError("E375", "sampler excludes shuffle", help="RandomSampler shuffles")
    return BatchSampler(sampler, batch_size, "keep" if last_batch is None else last_batch)


def _numbers(indices: Any) -> Any:
    """Numbers of samples as Python's integers, where they come as an array or a slice."""
    if type(indices) is slice:
        return range(indices.start, indices.stop)
    return indices.tolist() if hasattr(indices, "tolist") else indices


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), {})

# SPDX-License-Identifier: Apache-2.0
"""Iterators over the batches of others: so many in a round, or fetched ahead by threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridize.base.errors import ValueArgumentError
from hybridize.base.loading import LOADING
from hybridize.io.batches import DataBatch, DataDesc, DataIter


class ResizeIter(DataIter):
    """Return `size` batches of another iterator in a round. If the other ends before, it starts again.

    Args:
        data_iter: the other one.
        size: how many batches.
        reset_internal: start the other again at each `reset()`.

    >>> from hybridize import io, np
    >>> batches = io.ResizeIter(io.NDArrayIter(np.ones((4, 3)), batch_size=2), 3)
    >>> len(list(batches))
    3
    """

    provide_data: Any
    provide_label: Any

    def __init__(self, data_iter: Any, size: int, reset_internal: bool = True) -> None:
        super().__init__(data_iter.batch_size)
        self.data_iter = data_iter
        self.size = size
        self.reset_internal = reset_internal
        self.cur: int = 0
        """The number of batches of this round so far."""
        self.provide_data, self.provide_label = data_iter.provide_data, data_iter.provide_label
        if hasattr(data_iter, "default_bucket_key"):
            self.default_bucket_key: Any = data_iter.default_bucket_key

    def reset(self) -> None:
        """Start a round."""
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def iter_next(self) -> bool:
        """Go on to the next batch; False after `size` of them."""
        if self.cur == self.size:
            return False
        try:
            self.current_batch: Any = self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            self.current_batch = self.data_iter.next()
        self.cur += 1
        return True


class PrefetchingIter(DataIter):
    """Return batches of one iterator, or of several side by side. Threads fetch the next batch meanwhile.

    Args:
        iters: an iterator or a list of them, of equally many batches.
        rename_data: for each iterator a dict from names of its arrays to new ones.
        rename_label: the same for labels.

    Raises:
        ValueArgumentError E361: there are no iterators; later: one has ended before another.

    >>> from hybridize import io, np
    >>> len(list(io.PrefetchingIter(io.NDArrayIter(np.ones((4, 3)), batch_size=2))))
    2
    """

    rename_data: Sequence[Mapping[str, str]] | None
    rename_label: Sequence[Mapping[str, str]] | None

    def __init__(
        self,
        iters: Any,
        rename_data: Sequence[Mapping[str, str]] | None = None,
        rename_label: Sequence[Mapping[str, str]] | None = None,
    ) -> None:
        self.iters: list[Any] = list(iters) if isinstance(iters, (list, tuple)) else [iters]
        if not self.iters:
            raise ValueArgumentError("E361", "the list of iterators is empty", help="pass at least one")
        with LOADING:
            from concurrent.futures import ThreadPoolExecutor  # late: it costs milliseconds

        self.n_iter: int = len(self.iters)
        self.rename_data, self.rename_label = rename_data, rename_label
        super().__init__(self.provide_data[0].shape[0])
        self._threads = ThreadPoolExecutor(self.n_iter, "hybridize-io")
        self._fetch()

    def _fetch(self) -> None:
        self._coming: list[Any] = [self._threads.submit(_next_of, one) for one in self.iters]

    def __del__(self) -> None:
        threads = getattr(self, "_threads", None)
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)

    @property
    def provide_data(self) -> list[DataDesc]:
        """Descriptions of the arrays of all iterators, one after the other."""
        return _renamed([one.provide_data for one in self.iters], self.rename_data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """Descriptions of the labels of all iterators, one after the other."""
        return _renamed([one.provide_label for one in self.iters], self.rename_label)

    def reset(self) -> None:
        """Start all iterators again, once their threads have what they were fetching."""
        for future in self._coming:
            future.exception()
        for one in self.iters:
            one.reset()
        self._fetch()

    def iter_next(self) -> bool:
        """Go on to the next batch, and tell whether there is one. An error of an iterator is raised here."""
        batches = [future.result() for future in self._coming]
        if all(batch is None for batch in batches):
            return False
        if any(batch is None or batch.pad != batches[0].pad for batch in batches):
            what = "one iterator has ended before another" if None in batches else "iterators fill up differently"
            raise ValueArgumentError("E361", what, help="pass iterators with equally many examples")
        self._fetch()
        self.current_batch: Any = DataBatch(
            [array for batch in batches for array in batch.data],
            [array for batch in batches for array in batch.label or ()],
            batches[0].pad,
            batches[0].index,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )
        return True

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises:
            StopIteration: there is none before the next `reset()`.
        """
        if not self.iter_next():
            raise StopIteration
        batch: DataBatch = self.current_batch
        return batch


def _next_of(iterator: Any) -> Any:
    try:
        return iterator.next()
    except StopIteration:  # a future cannot have it for its outcome
        return None


def _renamed(described: list[Any], names: Sequence[Mapping[str, str]] | None) -> list[DataDesc]:
    groups = [[one if isinstance(one, DataDesc) else DataDesc(*one) for one in several] for several in described]
    if names is not None:
        groups = [
            [DataDesc(new[one.name], one.shape, one.dtype, one.layout) for one in several]
            for new, several in zip(names, groups, strict=True)
        ]
    return [one for several in groups for one in several]

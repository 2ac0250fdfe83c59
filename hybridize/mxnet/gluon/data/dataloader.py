# SPDX-License-Identifier: Apache-2.0
"""The loader whose batches are arrays of `nd`; all else is that of `hybridize.gluon.data.dataloader`."""

from collections.abc import Callable, Iterator
from typing import Any

from hybridize.array.nd_array import as_nd
from hybridize.base.modes import PROCESS
from hybridize.base.names import face
from hybridize.gluon.data import dataloader


class DataLoader(dataloader.DataLoader):
    """`hybridize.gluon.data.DataLoader`, whose batches are of `nd` whatever the data set holds.

    As in MXNet 1.9.1 they are of `np` after `npx.set_np()`; those of a `batchify_fn` are what it gives.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Any = None,
        last_batch: str | None = None,
        batch_sampler: Any = None,
        batchify_fn: Callable[[list[Any]], Any] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(dataset, batch_size, shuffle, sampler, last_batch, batch_sampler, batchify_fn, *args, **kwargs)
        self._stacks = batchify_fn is None

    def __iter__(self) -> Iterator[Any]:
        batches = super().__iter__()
        return map(as_nd, batches) if self._stacks and not PROCESS.np_arrays else batches


__getattr__, __dir__ = face(globals(), dataloader.__name__)

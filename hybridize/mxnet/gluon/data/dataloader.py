# SPDX-License-Identifier: Apache-2.0
"""The loader whose batches are arrays of `nd`; all else is that of `hybridize.gluon.data.dataloader`."""

from collections.abc import Callable, Iterator
from typing import Any

from hybridize.array.nd_array import as_nd
from hybridize.base.modes import PROCESS
from hybridize.base.names import face
from hybridize.gluon.data import dataloader
from hybridize.gluon.data.batchify import default_batchify_fn


class DataLoader(dataloader.DataLoader):
    """`hybridize.gluon.data.DataLoader`, whose batches are of `nd` whatever the data set holds.

    As in MXNet 1.9.1 they are of `np` after `npx.set_np()`; those of a `batchify_fn` of one's own are what it gives.
    """

    def __iter__(self) -> Iterator[Any]:
        batches, stacks = super().__iter__(), self._maker.batchify is default_batchify_fn
        return map(as_nd, batches) if stacks and not PROCESS.np_arrays else batches


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = face(globals(), dataloader.__name__)

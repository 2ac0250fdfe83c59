# SPDX-License-Identifier: Apache-2.0
"""MXNet's `io`: batches of data by `next()`, of arrays, of files, of other iterators.

In: arrays, or paths of local files. Out: `DataBatch` objects, lists of arrays with a count of what is filled up. An
iterator is asked once for each batch and goes back to its start by `reset()`. It must not know nets or training;
`gluon.data.DataLoader` is the newer way to the same batches.

    batches      DataDesc, DataBatch, and DataIter, the base of all iterators
    arrays       NDArrayIter
    combined     ResizeIter and PrefetchingIter, of other iterators
    files        CSVIter, LibSVMIter, MNISTIter

`ImageRecordIter` is in `image`, which decodes images.
"""

from typing import Any

from hybridize.base.loading import load_module
from hybridize.base.missing import missing
from hybridize.io.arrays import NDArrayIter as NDArrayIter
from hybridize.io.batches import DataBatch as DataBatch
from hybridize.io.batches import DataDesc as DataDesc
from hybridize.io.batches import DataIter as DataIter
from hybridize.io.combined import PrefetchingIter as PrefetchingIter
from hybridize.io.combined import ResizeIter as ResizeIter
from hybridize.io.files import CSVIter as CSVIter
from hybridize.io.files import LibSVMIter as LibSVMIter
from hybridize.io.files import MNISTIter as MNISTIter

_OF_IMAGES = ("ImageRecordIter", "ImageRecordIter_v1")
"""Iterators that decode images, loaded when they are asked for."""
_INSTEAD = {
    "ImageRecordUInt8Iter": "ImageRecordIter gives float32; batch.data[0].astype('uint8')",
    "ImageRecordInt8Iter": "ImageRecordIter gives float32; batch.data[0].astype('int8')",
    "ImageDetRecordIter": "a Dataset of your own that reads recordio.unpack_img, and a DataLoader",
    "MXDataIter": "derive from DataIter: iterators are Python's here",
}


def __getattr__(name: str) -> Any:
    if name in _OF_IMAGES:
        return load_module("hybridize.image.records").ImageRecordIter
    raise missing(__name__, name, {*globals(), *_OF_IMAGES}, _INSTEAD)


def __dir__() -> list[str]:
    return sorted({*globals(), *_OF_IMAGES})

# SPDX-License-Identifier: Apache-2.0
"""MXNet's `io`: batches of data by `next()`, of arrays, of files, of other iterators.

In: arrays, or paths of local files. Out: `DataBatch` objects, lists of arrays with a count of what is filled up. An
iterator is asked once for each batch and goes back to its start by `reset()`. It must not know nets or training;
`gluon.data.DataLoader` is the newer way to the same batches.

    batches      DataDesc, DataBatch, and DataIter, the base of all iterators
    arrays       NDArrayIter
    combined     ResizeIter and PrefetchingIter, of other iterators
    files        CSVIter, LibSVMIter, MNISTIter
"""

from hybridize.base.missing import refuses
from hybridize.io.arrays import NDArrayIter as NDArrayIter
from hybridize.io.batches import DataBatch as DataBatch
from hybridize.io.batches import DataDesc as DataDesc
from hybridize.io.batches import DataIter as DataIter
from hybridize.io.combined import PrefetchingIter as PrefetchingIter
from hybridize.io.combined import ResizeIter as ResizeIter
from hybridize.io.files import CSVIter as CSVIter
from hybridize.io.files import LibSVMIter as LibSVMIter
from hybridize.io.files import MNISTIter as MNISTIter

_IMAGES = (
    "image.ImageIter reads RecordIO files and folders of images, with the same path_imgrec, data_shape, batch_size"
)
__getattr__ = refuses(__name__, globals(), instead={
    "ImageRecordIter": _IMAGES, "ImageRecordIter_v1": _IMAGES, "ImageRecordUInt8Iter": _IMAGES,
    "ImageRecordInt8Iter": _IMAGES, "ImageDetRecordIter": _IMAGES,
    "MXDataIter": "derive from DataIter: iterators are Python's here",
})  # fmt: skip

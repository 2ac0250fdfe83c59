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

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.io",
    {
        "arrays": "NDArrayIter",
        "batches": "DataBatch DataDesc DataIter",
        "combined": "PrefetchingIter ResizeIter",
        "files": "CSVIter LibSVMIter MNISTIter",
    },
) | places("hybridize.image", {"records": "ImageRecordIter ImageRecordIter_v1=ImageRecordIter"})
"""Places of the iterators and their batches; those that decode images lie with these."""

__all__ = sorted(PLACES)

_INSTEAD = {
    "ImageRecordUInt8Iter": "ImageRecordIter gives float32; batch.data[0].astype('uint8')",
    "ImageRecordInt8Iter": "ImageRecordIter gives float32; batch.data[0].astype('int8')",
    "ImageDetRecordIter": "a Dataset of your own that reads recordio.unpack_img, and a DataLoader",
    "MXDataIter": "derive from DataIter: iterators are Python's here",
}
__getattr__, __dir__ = late(globals(), PLACES, _INSTEAD)

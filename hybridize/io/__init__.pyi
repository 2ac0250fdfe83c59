# Written by `docs/make.py` from the module's table of names.

from hybridize.image.records import ImageRecordIter as ImageRecordIter
from hybridize.image.records import ImageRecordIter as ImageRecordIter_v1
from hybridize.io.arrays import NDArrayIter as NDArrayIter
from hybridize.io.batches import DataBatch as DataBatch
from hybridize.io.batches import DataDesc as DataDesc
from hybridize.io.batches import DataIter as DataIter
from hybridize.io.combined import PrefetchingIter as PrefetchingIter
from hybridize.io.combined import ResizeIter as ResizeIter
from hybridize.io.files import CSVIter as CSVIter
from hybridize.io.files import LibSVMIter as LibSVMIter
from hybridize.io.files import MNISTIter as MNISTIter

PLACES: dict[str, str]
__all__ = [
    "CSVIter", "DataBatch", "DataDesc", "DataIter", "ImageRecordIter", "ImageRecordIter_v1", "LibSVMIter",
    "MNISTIter", "NDArrayIter", "PrefetchingIter", "ResizeIter"
]

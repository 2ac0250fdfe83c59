# SPDX-License-Identifier: Apache-2.0
"""Data: samples, their order, batches of them, and who makes those.

In: arrays, or any object with a length and numbered samples. Out: batches, as arrays. A `Dataset` knows samples, a
`Sampler` their order, a batchify function makes one batch of a list of samples, a `DataLoader` iterates over batches,
made in this process, by threads, or by processes. `sets` and `vision`, loaded when first used, are data that exists
and transforms of images. It must not know nets or training.
"""

from typing import Any

from hybridize.base.loading import load_module
from hybridize.base.missing import missing
from hybridize.gluon.data import batchify as batchify
from hybridize.gluon.data.dataloader import DataLoader as DataLoader
from hybridize.gluon.data.dataset import ArrayDataset as ArrayDataset
from hybridize.gluon.data.dataset import Dataset as Dataset
from hybridize.gluon.data.dataset import RecordFileDataset as RecordFileDataset
from hybridize.gluon.data.dataset import SimpleDataset as SimpleDataset
from hybridize.gluon.data.sampler import BatchSampler as BatchSampler
from hybridize.gluon.data.sampler import FilterSampler as FilterSampler
from hybridize.gluon.data.sampler import IntervalSampler as IntervalSampler
from hybridize.gluon.data.sampler import RandomSampler as RandomSampler
from hybridize.gluon.data.sampler import Sampler as Sampler
from hybridize.gluon.data.sampler import SequentialSampler as SequentialSampler


def __getattr__(name: str) -> Any:
    """Load what most programs do without, when it is asked for."""
    if name in ("sets", "vision"):
        return load_module(f"{__name__}.{name}")
    raise missing(__name__, name, globals(), {"ImageRecordDataset": "gluon.data.vision.ImageRecordDataset"})

# Written by `docs/make.py` from the module's table of names.

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
from hybridize.gluon.data.sampler import SplitSampler as SplitSampler
from hybridize.gluon.data import sets as sets
from hybridize.gluon.data import vision as vision

PLACES: dict[str, str]
__all__ = [
    "ArrayDataset", "BatchSampler", "DataLoader", "Dataset", "FilterSampler", "IntervalSampler", "RandomSampler",
    "RecordFileDataset", "Sampler", "SequentialSampler", "SimpleDataset", "SplitSampler", "batchify", "sets", "vision"
]

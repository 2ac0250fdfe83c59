# Written by `docs/make.py` from the module's table of names.

from hybridize.gluon.data.vision.datasets import CIFAR10 as CIFAR10
from hybridize.gluon.data.vision.datasets import CIFAR100 as CIFAR100
from hybridize.gluon.data.vision.datasets import FashionMNIST as FashionMNIST
from hybridize.gluon.data.vision.datasets import MNIST as MNIST
from hybridize.gluon.data.vision.images import ImageFolderDataset as ImageFolderDataset
from hybridize.gluon.data.vision.images import ImageListDataset as ImageListDataset
from hybridize.gluon.data.vision.images import ImageRecordDataset as ImageRecordDataset
from hybridize.gluon.data.vision import transforms as transforms

PLACES: dict[str, str]
__all__ = [
    "CIFAR10", "CIFAR100", "FashionMNIST", "ImageFolderDataset", "ImageListDataset", "ImageRecordDataset", "MNIST",
    "transforms"
]

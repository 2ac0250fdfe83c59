# SPDX-License-Identifier: Apache-2.0
"""Images: data sets in the files they are published in, and transforms of images as arrays.

In: local files; nothing is downloaded. Out: images as arrays (height, width, channels). Compressed images are decoded
by `hybridize.image`. It must not know loaders.
"""

from hybridize.gluon.data.vision import transforms as transforms
from hybridize.gluon.data.vision.datasets import CIFAR10 as CIFAR10
from hybridize.gluon.data.vision.datasets import CIFAR100 as CIFAR100
from hybridize.gluon.data.vision.datasets import MNIST as MNIST
from hybridize.gluon.data.vision.datasets import FashionMNIST as FashionMNIST
from hybridize.gluon.data.vision.images import ImageFolderDataset as ImageFolderDataset
from hybridize.gluon.data.vision.images import ImageListDataset as ImageListDataset
from hybridize.gluon.data.vision.images import ImageRecordDataset as ImageRecordDataset

# SPDX-License-Identifier: Apache-2.0
"""Images: data sets in the files they are published in, and transforms of images as arrays.

In: local files; nothing is downloaded and no compressed image is decoded. Out: images as arrays (height, width,
channels). It must not know loaders.
"""

from hybridize.gluon.data.vision import transforms as transforms
from hybridize.gluon.data.vision.datasets import CIFAR10 as CIFAR10
from hybridize.gluon.data.vision.datasets import CIFAR100 as CIFAR100
from hybridize.gluon.data.vision.datasets import MNIST as MNIST
from hybridize.gluon.data.vision.datasets import FashionMNIST as FashionMNIST
from hybridize.gluon.data.vision.datasets import ImageFolderDataset as ImageFolderDataset
from hybridize.gluon.data.vision.datasets import ImageRecordDataset as ImageRecordDataset

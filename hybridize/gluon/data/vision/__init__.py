# SPDX-License-Identifier: Apache-2.0
"""Images: data sets in the files they are published in, and transforms of images as arrays.

In: local files; nothing is downloaded. Out: images as arrays (height, width, channels). Compressed images are decoded
by `hybridize.image`. It must not know loaders.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.gluon.data.vision",
    {
        "datasets": "CIFAR10 CIFAR100 FashionMNIST MNIST",
        "images": "ImageFolderDataset ImageListDataset ImageRecordDataset",
    },
) | {"transforms": "hybridize.gluon.data.vision.transforms"}
"""Places of the data sets."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)

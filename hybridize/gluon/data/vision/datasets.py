# SPDX-License-Identifier: Apache-2.0
"""MNIST, FashionMNIST, CIFAR-10 and CIFAR-100 from the files they are published in."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.ndarray import wrap
from hybridize.base.errors import ArgumentError, LoadError
from hybridize.base.library import data_dir
from hybridize.base.names import late
from hybridize.base.tracebacks import leaves
from hybridize.formats.idx import not_as_published, read_bytes, read_idx
from hybridize.gluon.data.dataset import ArrayDataset, Columns, Dataset

Images = tuple[NDArray[Any], NDArray[Any]]


@leaves
class _Images(Dataset[tuple[Any, ...]]):
    """Images (uint8; height, width, channels) with labels (int32); `transform(image, label)` of them where given."""

    def __init__(self, images: NDArray[Any], labels: NDArray[Any], transform: Callable[..., Any] | None) -> None:
        self._arrays = ArrayDataset(wrap(images), labels.astype(numpy.int32))
        self._transform = transform

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, index: Any) -> Any:
        """A sample; of a slice, arrays of images and of labels."""
        image, label = self._arrays[index]
        sample = image, wrap(label) if isinstance(label, numpy.ndarray) else label
        return sample if self._transform is None else self._transform(*sample)

    def read_many(self, indices: Any) -> Columns | None:
        return self._arrays.read_many(indices) if self._transform is None else None


@leaves
class MNIST(_Images):
    r"""Read MNIST: 70,000 handwritten digits of 28 × 28 pixels.

    A sample is (image, label): a uint8 array of shape (28, 28, 1), and an int32 from 0 to 9. Unlike MXNet, hybridize
    does not download the files.

    Args:
        root: the folder that holds the four files, as they are published or unpacked: train-images-idx3-ubyte,
            train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte, each also with .gz. None:
            `datasets/mnist` in `$MXNET_HOME`, or in `~/.mxnet`; so for the other data sets, by their names.
        train: whether to read the images to train with, or those to test with.
        transform: called with image and label when a sample is read.

    Raises:
        ArgumentError E381: a file is not there.
        LoadError E664: a file is not what its name says.

    >>> import pathlib, struct, tempfile
    >>> from hybridize.gluon.data import vision
    >>> with tempfile.TemporaryDirectory() as root:  # files with one blank picture of the digit 7
    ...     image = struct.pack(">4i", 0x803, 1, 28, 28) + bytes(28 * 28)
    ...     size = pathlib.Path(root, "train-images-idx3-ubyte").write_bytes(image)
    ...     size = pathlib.Path(root, "train-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 0x801, 1) + b"\7")
    ...     data = vision.MNIST(root)
    >>> image, label = data[0]
    >>> image.shape, int(label)
    ((28, 28, 1), 7)
    """

    _name = "mnist"

    def __init__(
        self, root: str | None = None, train: bool = True, transform: Callable[..., Any] | None = None
    ) -> None:
        root = _folder(root, self._name)
        part = "train" if train else "t10k"
        images = read_idx(_first_file(root, [f"{part}-images-idx3-ubyte"], type(self).__name__), axes=3)
        path = _first_file(root, [f"{part}-labels-idx1-ubyte"], type(self).__name__)
        labels = read_idx(path, axes=1)
        if len(images) != len(labels):
            raise LoadError("E664", f"{path}: {len(labels)} labels for {len(images)} images")
        super().__init__(images[..., None], labels, transform)


class FashionMNIST(MNIST):
    r"""Read FashionMNIST: 70,000 pictures of clothes of 28 × 28 pixels in ten classes.

    The files have the names and the form of MNIST's, and so have samples.

    Args:
        root: the folder that holds the files; None: `datasets/fashion-mnist` in `$MXNET_HOME`, or in `~/.mxnet`.
        train: whether to read the images to train with, or those to test with.
        transform: called with image and label when a sample is read.

    Raises:
        ArgumentError E381: a file is not there.
        LoadError E664: a file is not what its name says.

    >>> import pathlib, struct, tempfile
    >>> from hybridize.gluon.data import vision
    >>> with tempfile.TemporaryDirectory() as root:  # files with one blank picture of class 9
    ...     image = struct.pack(">4i", 0x803, 1, 28, 28) + bytes(28 * 28)
    ...     size = pathlib.Path(root, "t10k-images-idx3-ubyte").write_bytes(image)
    ...     size = pathlib.Path(root, "t10k-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 0x801, 1) + b"\11")
    ...     data = vision.FashionMNIST(root, train=False)
    >>> len(data), int(data[0][1])
    (1, 9)
    """

    _name = "fashion-mnist"


class CIFAR10(_Images):
    r"""Read CIFAR-10: 60,000 pictures of 32 × 32 pixels in ten classes.

    A sample is (image, label): a uint8 array of shape (32, 32, 3), and an int32 from 0 to 9. Unlike MXNet, hybridize
    does not download the files.

    Args:
        root: the folder that holds data_batch_1.bin to data_batch_5.bin and test_batch.bin, or the folder
            cifar-10-batches-bin with them.
        train: whether to read the pictures to train with, or those to test with.
        transform: called with image and label when a sample is read.

    Raises:
        ArgumentError E381: a file is not there.
        LoadError E664: a file is not what its name says.

    >>> import pathlib, tempfile
    >>> from hybridize.gluon.data import vision
    >>> with tempfile.TemporaryDirectory() as root:  # a file with one black picture of class 3
    ...     size = pathlib.Path(root, "test_batch.bin").write_bytes(b"\3" + bytes(3 * 32 * 32))
    ...     data = vision.CIFAR10(root, train=False)
    >>> image, label = data[0]
    >>> image.shape, int(label)
    ((32, 32, 3), 3)
    """

    def __init__(
        self, root: str | None = None, train: bool = True, transform: Callable[..., Any] | None = None
    ) -> None:
        root = _folder(root, "cifar10")
        names = [f"data_batch_{number}.bin" for number in range(1, 6)] if train else ["test_batch.bin"]
        files = (_first_file(root, [name, os.path.join("cifar-10-batches-bin", name)], "CIFAR10") for name in names)
        parts = [_records(file, [10], 0) for file in files]
        images, labels = (numpy.concatenate(part) for part in zip(*parts, strict=True))
        super().__init__(images, labels, transform)


class CIFAR100(_Images):
    """Read CIFAR-100: 60,000 pictures of 32 × 32 pixels in a hundred classes, or in twenty coarse classes.

    A sample is (image, label): a uint8 array of shape (32, 32, 3), and an int32. Unlike MXNet, hybridize does not
    download the files.

    Args:
        root: the folder that holds train.bin and test.bin, or the folder cifar-100-binary with them.
        fine_label: whether labels are those of the hundred classes.
        train: whether to read the pictures to train with, or those to test with.
        transform: called with image and label when a sample is read.

    Raises:
        ArgumentError E381: a file is not there.
        LoadError E664: a file is not what its name says.

    >>> import pathlib, tempfile
    >>> from hybridize.gluon.data import vision
    >>> with tempfile.TemporaryDirectory() as root:  # a file with one picture: coarse class 2, fine class 50
    ...     size = pathlib.Path(root, "test.bin").write_bytes(bytes([2, 50]) + bytes(3 * 32 * 32))
    ...     coarse, fine = vision.CIFAR100(root, train=False), vision.CIFAR100(root, fine_label=True, train=False)
    >>> int(coarse[0][1]), int(fine[0][1])
    (2, 50)
    """

    def __init__(
        self,
        root: str | None = None,
        fine_label: bool = False,
        train: bool = True,
        transform: Callable[..., Any] | None = None,
    ) -> None:
        name = "train.bin" if train else "test.bin"
        path = _first_file(_folder(root, "cifar100"), [name, os.path.join("cifar-100-binary", name)], "CIFAR100")
        super().__init__(*_records(path, [20, 100], int(fine_label)), transform)


def _folder(root: str | None, name: str) -> str:
    """The folder of a data set's files: the one given, or `datasets/NAME` where MXNet has them."""
    return os.path.join(data_dir(), "datasets", name) if root is None else os.path.expanduser(root)


def _first_file(root: str, names: list[str], dataset: str) -> str:
    """The first of the files that is there, unpacked or as .gz."""
    for name in names:
        for path in (os.path.join(root, name), os.path.join(root, f"{name}.gz")):
            if os.path.isfile(path):
                return path
    raise ArgumentError(
        "E381",
        f"{dataset} needs {' or '.join(names)}, or the same with .gz, in {root}, but found none of them",
        help="nothing is downloaded: put the published files there, or pass another folder as root=",
    )


def _records(path: str, classes: list[int], chosen: int) -> Images:
    """Images and labels in CIFAR's form: a byte for each kind of label, then red, green and blue planes."""
    data = read_bytes(path)
    labels, size = len(classes), len(classes) + 3072
    if not data or len(data) % size:
        raise not_as_published(path, f"pictures take {size} bytes each, the file has {len(data)}")
    rows = numpy.frombuffer(data, numpy.uint8).reshape(-1, size)
    if (rows[:, :labels] >= classes).any():
        raise not_as_published(path, f"labels are below {' and '.join(map(str, classes))}, some are not")
    images = rows[:, labels:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return numpy.ascontiguousarray(images), rows[:, chosen].copy()


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), {})

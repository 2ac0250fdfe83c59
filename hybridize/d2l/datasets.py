# SPDX-License-Identifier: Apache-2.0
"""Data that is drawn, comes with scikit-learn, or lies in local files; nothing is downloaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy

import hybridize.gluon.data.sets as sets
import hybridize.gluon.data.vision as vision
from hybridize import gluon
from hybridize.array import np, random
from hybridize.array.orders import mixed
from hybridize.base.advice import warn
from hybridize.base.errors import ArgumentError
from hybridize.d2l.classes import DataModule
from hybridize.d2l.figures import show_images

if TYPE_CHECKING:
    from hybridize.array.ndarray import ndarray
    from hybridize.gluon.data.dataset import ArrayDataset


_CLOTHES = (
    "t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot",
)  # fmt: skip
_GLYPHS = (
    "0110 1001 1001 1001 0110", "0010 0110 0010 0010 0111", "1110 0001 0110 1000 1111", "1110 0001 0110 0001 1110",
    "1001 1001 1111 0001 0001", "1111 1000 1110 0001 1110", "0110 1000 1110 1001 0110", "1111 0001 0010 0100 0100",
    "0110 1001 0110 1001 0110", "0110 1001 0111 0001 0110",
)  # fmt: skip
"""The ten digits in five rows of four pixels."""


def synthetic_data(w: Any, b: float, num_examples: int) -> tuple[Any, Any]:
    """Draw examples of y = Xw + b with a little noise.

    Args:
        w: the weights, (features,).
        b: the bias.
        num_examples: how many.

    Returns:
        X (examples, features) and y (examples, 1), normal numbers of `hybridize.random`.

    >>> from hybridize import d2l, np
    >>> X, y = d2l.synthetic_data(np.array([2.0, -3.4]), 4.2, 10)
    >>> X.shape, y.shape
    ((10, 2), (10, 1))
    """
    X = random.normal(0, 1, (num_examples, len(w)))
    y = np.dot(X, w) + b
    y = y + random.normal(0, 0.01, y.shape)
    return X, y.reshape((-1, 1))


def load_array(data_arrays: Sequence[Any], batch_size: int, is_train: bool = True) -> gluon.data.DataLoader:
    """Return batches of the rows of arrays. For training, each round draws a new order.

    Args:
        data_arrays: arrays of equal length, such as features and labels.
        batch_size: how many rows in a batch.
        is_train: draw a new order in each round.

    >>> from hybridize import d2l, np
    >>> [x.shape for x, y in d2l.load_array((np.ones((4, 3)), np.ones(4)), 2)]
    [(2, 3), (2, 3)]
    """
    return gluon.data.DataLoader(gluon.data.ArrayDataset(*data_arrays), batch_size, shuffle=is_train)


def get_dataloader_workers() -> int:
    """Return the number of processes that make batches: 0, as these data sets are small.

    >>> from hybridize import d2l
    >>> d2l.get_dataloader_workers()
    0
    """
    return 0


class SyntheticRegressionData(DataModule):
    """Draw examples of y = Xw + b with noise, for training and validation.

    Args:
        w: the weights, (features,).
        b: the bias.
        noise: its standard deviation.
        num_train: how many examples to train with.
        num_val: how many to validate with.
        batch_size: how many in a batch.

    >>> from hybridize import d2l, np
    >>> data = d2l.SyntheticRegressionData(w=np.array([2.0, -3.4]), b=4.2, batch_size=8)
    >>> X, y = next(iter(data.train_dataloader()))
    >>> X.shape
    (8, 2)
    """

    w: Any
    b: float
    noise: float
    num_train: int
    num_val: int
    batch_size: int

    def __init__(
        self, w: Any, b: float, noise: float = 0.01, num_train: int = 1000, num_val: int = 1000, batch_size: int = 32
    ) -> None:
        super().__init__()
        self.w, self.b, self.noise = w, b, noise
        self.num_train, self.num_val, self.batch_size = num_train, num_val, batch_size
        count = num_train + num_val
        self.X = random.randn(count, len(w))
        self.y: ndarray = np.dot(self.X, w.reshape((-1, 1))) + b + random.randn(count, 1) * noise

    def get_dataloader(self, train: bool) -> Any:
        rows = slice(0, self.num_train) if train else slice(self.num_train, None)
        return self.get_tensorloader((self.X, self.y), train, rows)


def _digits(train: bool) -> tuple[Any, Any]:
    """Digits of 8 × 8 pixels from 0 to 1, channels first: scikit-learn's, or drawn where it is not installed."""
    try:
        dataset = sets.digits(train, images=True)
        images, labels = dataset[:]
        return np.array(numpy.asarray(images).transpose(0, 3, 1, 2)), np.array(labels)
    except ArgumentError:
        warn("scikit-learn is not installed: these are drawn digits, moved and dimmed, with noise")
    count, seed = (1440, 0) if train else (360, 1)
    words = mixed(numpy.arange(count * 68, dtype=numpy.uint64) + numpy.uint64(seed << 32)).reshape(count, 68)
    numbers = (words >> numpy.uint64(40)).astype(numpy.float32) / (1 << 24)
    labels = (numpy.arange(count) % 10).astype(numpy.int32)
    images = (numbers[:, :64] * 0.3).reshape(count, 8, 8)
    for image, label, (down, right, bright) in zip(images, labels, numbers[:, 64:67], strict=True):
        glyph = numpy.array([[int(pixel) for pixel in row] for row in _GLYPHS[label].split()])
        top, left = int(down * 4), int(right * 5)
        image[top : top + 5, left : left + 4] += glyph * (0.4 + 0.3 * bright)
    return np.array(images[:, None]), np.array(labels)


def load_data_digits(batch_size: int, resize: int | None = None) -> tuple[Any, Any]:
    """Load small handwritten digits in ten classes, in the place of Fashion-MNIST.

    The result is a pair: batches for training and for testing.

    Args:
        batch_size: how many images in a batch.
        resize: the height and width that they are enlarged to; None: 8, as they are.

    Returns:
        Two iterators over batches of images (batch, 1, height, width) from 0 to 1, and labels.

    >>> from hybridize import d2l
    >>> train, test = d2l.load_data_digits(batch_size=64)
    >>> next(iter(train))[0].shape
    (64, 1, 8, 8)
    """
    loaders = []
    for train in (True, False):
        images, labels = _digits(train)
        loaders.append(load_array((_enlarged(images, resize), labels), batch_size, train))
    return loaders[0], loaders[1]


def _enlarged(images: Any, size: int | None) -> Any:
    """Images of another size, by the pixels that lie nearest."""
    if size is None:
        return images
    nearest = numpy.arange(size) * images.shape[-1] // size
    return np.array(images.asnumpy()[:, :, nearest][:, :, :, nearest])


class Digits(DataModule):
    """Give batches of small handwritten digits in ten classes, in the place of Fashion-MNIST.

    Args:
        batch_size: how many images in a batch.
        resize: the height and width that they are enlarged to; None: 8, as they are.

    >>> from hybridize import d2l
    >>> images, labels = next(iter(d2l.Digits(batch_size=32).val_dataloader()))
    >>> images.shape, labels.shape
    ((32, 1, 8, 8), (32,))
    """

    resize: int | None
    train: ArrayDataset[Any]
    val: ArrayDataset[Any]
    batch_size: int

    def __init__(self, batch_size: int = 64, resize: int | None = None) -> None:
        super().__init__()
        self.batch_size, self.resize = batch_size, resize
        self.train, self.val = (_set_of(_digits(train), resize) for train in (True, False))

    def text_labels(self, indices: Iterable[Any]) -> list[str]:
        """Return the names of classes."""
        return [str(int(one)) for one in indices]

    def get_dataloader(self, train: bool) -> Any:
        return gluon.data.DataLoader(self.train if train else self.val, self.batch_size, shuffle=train)


def _set_of(arrays: tuple[Any, Any], resize: int | None) -> gluon.data.ArrayDataset:
    """A data set of images, enlarged, and their labels."""
    return gluon.data.ArrayDataset(_enlarged(arrays[0], resize), arrays[1])


def get_fashion_mnist_labels(labels: Iterable[Any]) -> list[str]:
    """Return the names of Fashion-MNIST's classes.

    Args:
        labels: numbers from 0 to 9.

    >>> from hybridize import d2l
    >>> d2l.get_fashion_mnist_labels([0, 9])
    ['t-shirt', 'ankle boot']
    """
    return [_CLOTHES[int(one)] for one in labels]


def _clothes(train: bool, resize: Any, root: str | None) -> Any:
    transforms = vision.transforms
    steps = [transforms.ToTensor()] if resize is None else [transforms.Resize(resize), transforms.ToTensor()]
    return vision.FashionMNIST(root, train).transform_first(transforms.Compose(steps))


def load_data_fashion_mnist(batch_size: int, resize: Any = None, root: str | None = None) -> tuple[Any, Any]:
    """Load Fashion-MNIST from local files: batches for training and for testing. Nothing is downloaded.

    Args:
        batch_size: how many images in a batch.
        resize: the size that they are enlarged to.
        root: the folder of the four files; None: MXNet's.

    Returns:
        Two iterators over batches of images (batch, 1, height, width) from 0 to 1, and labels.

    Raises:
        ArgumentError E381: the files are not there; `load_data_digits` needs none.

    >>> import os, tempfile
    >>> from hybridize import d2l
    >>> with tempfile.TemporaryDirectory() as root:
    ...     for part in ("train", "t10k"):  # two black images each
    ...         with open(os.path.join(root, f"{part}-images-idx3-ubyte"), "wb") as file:
    ...             _ = file.write(bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 28]) + bytes(2 * 28 * 28))
    ...         with open(os.path.join(root, f"{part}-labels-idx1-ubyte"), "wb") as file:
    ...             _ = file.write(bytes([0, 0, 8, 1, 0, 0, 0, 2, 9, 0]))
    ...     train, test = d2l.load_data_fashion_mnist(batch_size=2, root=root)
    >>> images, labels = next(iter(test))
    >>> images.shape, d2l.get_fashion_mnist_labels(labels)
    ((2, 1, 28, 28), ['ankle boot', 't-shirt'])
    """
    train, test = (_clothes(train, resize, root) for train in (True, False))
    return gluon.data.DataLoader(train, batch_size, shuffle=True), gluon.data.DataLoader(test, batch_size)


class FashionMNIST(DataModule):
    """Give batches of Fashion-MNIST from local files. Nothing is downloaded.

    Args:
        batch_size: how many images in a batch.
        resize: the size that they are enlarged to, (width, height).
        root: the folder of the four files; None: MXNet's.

    Raises:
        ArgumentError E381: the files are not there; `Digits` needs none.

    >>> import os, tempfile
    >>> from hybridize import d2l
    >>> with tempfile.TemporaryDirectory() as root:
    ...     for part in ("train", "t10k"):  # two black images each
    ...         with open(os.path.join(root, f"{part}-images-idx3-ubyte"), "wb") as file:
    ...             _ = file.write(bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 28]) + bytes(2 * 28 * 28))
    ...         with open(os.path.join(root, f"{part}-labels-idx1-ubyte"), "wb") as file:
    ...             _ = file.write(bytes([0, 0, 8, 1, 0, 0, 0, 2, 9, 0]))
    ...     data = d2l.FashionMNIST(batch_size=2, resize=(32, 32), root=root)
    >>> images, labels = next(iter(data.val_dataloader()))
    >>> images.shape, data.text_labels(labels)
    ((2, 1, 32, 32), ['ankle boot', 't-shirt'])
    """

    resize: Any
    train: Any
    val: Any
    batch_size: int

    def __init__(self, batch_size: int = 64, resize: Any = (28, 28), root: str | None = None) -> None:
        super().__init__()
        self.batch_size, self.resize = batch_size, resize
        self.train, self.val = (_clothes(train, resize, root) for train in (True, False))

    def text_labels(self, indices: Iterable[Any]) -> list[str]:
        """Return the names of classes."""
        return get_fashion_mnist_labels(indices)

    def get_dataloader(self, train: bool) -> Any:
        data = self.train if train else self.val
        return gluon.data.DataLoader(data, self.batch_size, shuffle=train, num_workers=self.num_workers)

    def visualize(self, batch: Sequence[Any], nrows: int = 1, ncols: int = 8, labels: Sequence[str] = ()) -> None:
        """Draw images of a batch below their classes.

        Raises:
            ArgumentError E380: matplotlib is not installed.
        """
        X, y = batch
        show_images(X.squeeze(1), nrows, ncols, titles=labels or self.text_labels(y))

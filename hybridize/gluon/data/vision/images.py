# SPDX-License-Identifier: Apache-2.0
"""Data sets of compressed images: a folder for each class, a list of files, a RecordIO file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.base.advice import warn
from hybridize.base.errors import ArgumentError
from hybridize.gluon.data.dataset import Dataset, RecordFileDataset
from hybridize.image.files import imdecode, imread
from hybridize.image.iterator import read_list
from hybridize.recordio import unpack

_ENDINGS = (".jpg", ".jpeg", ".png")


class ImageRecordDataset(RecordFileDataset):
    """Return images of a RecordIO file. A sample is (image, label).

    Args:
        filename: the file, beside which lies its index, of the same name with .idx.
        flag: 1 for three channels, 0 for brightness alone.
        transform: called with image and label when a sample is read.

    Raises:
        LoadError E600, E666, E667: a file cannot be read, is damaged, or holds no image.

    >>> from hybridize import image
    >>> import tempfile
    >>> import numpy
    >>> from hybridize import recordio
    >>> from hybridize.gluon.data import vision
    >>> picture = recordio.pack_img((0, 5.0, 0, 0), numpy.zeros((4, 4, 3), dtype="uint8"), img_fmt=".png")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     record = recordio.MXIndexedRecordIO(f"{folder}/data.idx", f"{folder}/data.rec", "w")
    ...     _ = record.write_idx(0, picture)
    ...     record.close()
    ...     image, label = vision.ImageRecordDataset(f"{folder}/data.rec")[0]
    >>> image.shape, label
    ((4, 4, 3), 5.0)
    """

    def __init__(self, filename: str, flag: int = 1, transform: Callable[..., Any] | None = None) -> None:
        super().__init__(filename)
        self._flag, self._transform = flag, transform

    def __getitem__(self, idx: Any) -> Any:
        header, data = unpack(super().__getitem__(idx))
        sample = imdecode(data, self._flag), header.label
        return sample if self._transform is None else self._transform(*sample)


class ImageFolderDataset(Dataset[tuple[Any, ...]]):
    """Return images of a folder that has a folder for each class. A sample is (image, number of the class).

    Args:
        root: the folder of these folders.
        flag: 1 for three channels, 0 for brightness alone.
        transform: called with image and label when a sample is read.

    Raises:
        ArgumentError E381: there is no such folder.
        LoadError E667: a file is no image; by reading its sample.

    >>> import os, tempfile
    >>> from PIL import Image
    >>> from hybridize.gluon.data import vision
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     os.mkdir(os.path.join(folder, "red"))
    ...     Image.new("RGB", (4, 3), "red").save(os.path.join(folder, "red", "0.png"))
    ...     dataset = vision.ImageFolderDataset(folder)
    ...     picture, label = dataset[0]
    >>> picture.shape, label, dataset.synsets
    ((3, 4, 3), 0, ['red'])
    """

    def __init__(self, root: str, flag: int = 1, transform: Callable[..., Any] | None = None) -> None:
        self._flag, self._transform = flag, transform
        self.synsets: list[str] = []
        """Names of the classes, by number."""
        self.items: list[tuple[str, int]] = []
        """Paths and classes."""
        root = os.path.expanduser(root)
        if not os.path.isdir(root):
            raise ArgumentError("E381", f"there is no folder {root}", help="root needs a folder of images per class")
        for name in sorted(os.listdir(root)):
            folder = os.path.join(root, name)
            if not os.path.isdir(folder):
                warn(f"Ignoring {folder}, which is not a directory.")
                continue
            self.synsets.append(name)
            for path in (os.path.join(folder, file) for file in sorted(os.listdir(folder))):
                if os.path.splitext(path)[1].lower() in _ENDINGS:
                    self.items.append((path, len(self.synsets) - 1))
                else:
                    warn(f"Ignoring {path}: images are {', '.join(_ENDINGS)}.")

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, idx: Any) -> Any:
        path, label = self.items[idx]
        sample = imread(path, self._flag), label
        return sample if self._transform is None else self._transform(*sample)


class ImageListDataset(Dataset[tuple[Any, ...]]):
    """Return images that a list names. A sample is (image, labels).

    Args:
        root: the folder that paths are of.
        imglist: a list of lists [label, ..., path], or the name of a file of lines: a number, labels and a path, with
            tabs between.
        flag: 1 for three channels, 0 for brightness alone.

    Raises:
        ArgumentError E3005: `imglist` is neither.
        LoadError E600, E666: the file cannot be read, or a line is not of that form.

    >>> import os, tempfile
    >>> from PIL import Image
    >>> from hybridize.gluon.data import vision
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("RGB", (4, 3), "red").save(os.path.join(folder, "0.png"))
    ...     picture, label = vision.ImageListDataset(folder, [[1, "0.png"]])[0]
    >>> picture.shape
    (3, 4, 3)
    """

    def __init__(self, root: str = ".", imglist: str | Sequence[Sequence[Any]] | None = None, flag: int = 1) -> None:
        root = os.path.expanduser(root)
        self._flag = flag
        if isinstance(imglist, str):
            pairs = list(read_list(os.path.join(root, imglist), numpy.float32).values())
        elif isinstance(imglist, (list, tuple)):
            pairs = [(numpy.asarray(one[:-1], numpy.float32).ravel(), str(one[-1])) for one in imglist]
        else:
            what = f"imglist is a list, or the name of a file, got {type(imglist).__name__}"
            raise ArgumentError("E3005", what, help='[[label, "path"], ...]')
        self.items: list[tuple[str, Any]] = [(os.path.join(root, name), ndarray(labels)) for labels, name in pairs]
        """Paths and labels."""

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, idx: Any) -> Any:
        path, labels = self.items[idx]
        return imread(path, self._flag), labels

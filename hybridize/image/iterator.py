# SPDX-License-Identifier: Apache-2.0
"""`ImageIter`: batches of images out of RecordIO files, or of files that a list names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy

from hybridize.array import np
from hybridize.array.nd_array import NDArray
from hybridize.array.ndarray import ndarray
from hybridize.array.orders import drawn, order_of
from hybridize.base.dtypes import as_dtype, float32
from hybridize.base.errors import ArgumentError, LoadError, ShapeError, ValueArgumentError
from hybridize.formats.cursor import bytes_of
from hybridize.image.augmenters import Augmenter, CreateAugmenter
from hybridize.image.files import imdecode
from hybridize.io import DataBatch, DataDesc, DataIter
from hybridize.recordio import MXIndexedRecordIO, MXRecordIO, unpack

_HANDLES = ("pad", "discard", "roll_over")
_DTYPES = ("int32", "float32", "int64", "float64")


class ImageIter(DataIter):
    """Iterate over batches of images with channels first, float32, and of labels.

    Args:
        batch_size: how many images a batch has.
        data_shape: (3, height, width) of an image as it comes out.
        label_width: how many numbers a label has.
        path_imgrec: a RecordIO file of images with labels.
        path_imglist: a file of lines: a number, labels and a path, with tabs between.
        path_root: the folder that paths of lists are relative to.
        path_imgidx: the second file of an indexed RecordIO file; `shuffle` and parts need it.
        shuffle: draw the order of each round, from `hybridize.random`.
        part_index: which part of the images to read.
        num_parts: the number of parts that the images are cut into.
        aug_list: changes of images; None: those of `CreateAugmenter` for `kwargs`.
        imglist: a list of lists [label, path], or [label, label, ..., path].
        data_name, label_name: names for `provide_data` and `provide_label`.
        dtype: of labels: int32, float32, int64 or float64.
        last_batch_handle: what happens to images that fill no batch. `pad`: images from the start fill it up, and its
            `pad` counts them. `discard`: they are left out. `roll_over`: they begin the next round.
        kwargs: arguments of `CreateAugmenter`.

    Raises:
        ArgumentError E3005: there is no source of images, or `shuffle` and parts of a file without `path_imgidx`.
        ShapeError E181: `data_shape` is not (3, height, width).
        LoadError E600, E666, E667: a file that cannot be read, is damaged, or is no image.

    >>> import os, tempfile
    >>> from PIL import Image
    >>> from hybridize import image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("RGB", (8, 6), "red").save(os.path.join(folder, "red.png"))
    ...     batches = image.ImageIter(1, (3, 4, 4), path_root=folder, imglist=[[2.0, "red.png"]])
    ...     batch = batches.next()
    >>> batch.data[0].shape, batch.label[0].tolist()
    ((1, 3, 4, 4), [2.0])
    """

    data_shape: tuple[int, ...]
    label_width: int
    path_root: str | None
    shuffle: bool

    def __init__(
        self,
        batch_size: int,
        data_shape: Sequence[int],
        label_width: int = 1,
        path_imgrec: str | None = None,
        path_imglist: str | None = None,
        path_root: str | None = None,
        path_imgidx: str | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: Sequence[Augmenter] | None = None,
        imglist: Sequence[Sequence[Any]] | None = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: Any = "float32",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__(batch_size)
        self.check_data_shape(data_shape)
        if last_batch_handle not in _HANDLES:
            raise ValueArgumentError("E361", f"last_batch_handle must be one of {_HANDLES}, got {last_batch_handle!r}")
        if as_dtype(dtype).name not in _DTYPES:
            raise ValueArgumentError("E361", f"the label dtype must be one of {', '.join(_DTYPES)}, got {dtype!r}")
        self.data_shape, self.label_width = tuple(data_shape), label_width
        self.path_root, self.shuffle, self.last_batch_handle = path_root, shuffle, last_batch_handle
        self._dtype = as_dtype(dtype)
        self.imgrec: MXRecordIO | None = None
        self.imglist: dict[Any, tuple[Any, str]] | None = None
        self.seq: list[Any] | None = None
        """The numbers of the images; None where a file is read from its start."""
        if path_imgrec is not None:
            if path_imgidx is not None:
                indexed = MXIndexedRecordIO(path_imgidx, path_imgrec, "r")
                self.imgrec, self.seq = indexed, list(indexed.keys)
            else:
                self.imgrec = self._record(path_imgrec)
                self.seq = list(self.imgrec.keys) if isinstance(self.imgrec, MXIndexedRecordIO) else None
        if path_imglist is not None:
            self.imglist = read_list(path_imglist, self._dtype)
        elif imglist is not None:
            self.imglist = {number: (list(one[:-1]), str(one[-1])) for number, one in enumerate(imglist, 1)}
        if self.imgrec is None:
            if self.imglist is None:
                raise ArgumentError("E3005", "there are no images", help="give path_imgrec, path_imglist or imglist")
            self.seq = list(self.imglist)
        if self.seq is None and (shuffle or num_parts > 1):
            raise ArgumentError(
                "E3005",
                "a record file without an index can only be read in order",
                help="pass path_imgidx=..., the path of the index file",
            )
        if self.seq is not None and num_parts > 1:
            if not 0 <= part_index < num_parts:
                raise ValueArgumentError("E361", f"there is no part {part_index!r} of {num_parts!r} parts")
            size = len(self.seq) // num_parts
            self.seq = self.seq[part_index * size : (part_index + 1) * size]
        self.num_image: int | None = None if self.seq is None else len(self.seq)
        self.auglist: list[Augmenter] = (
            list(aug_list) if aug_list is not None else CreateAugmenter(self.data_shape, **kwargs)
        )
        labels = (batch_size, label_width) if label_width > 1 else (batch_size,)
        self.provide_data: Any = [DataDesc(data_name, (batch_size, *self.data_shape))]
        self.provide_label: Any = [DataDesc(label_name, labels, self._dtype)]
        self._left: list[tuple[Any, Any]] = []
        self._ended = False
        self._source: Iterator[tuple[Any, bytes]] = iter(())
        self._place = ""
        self._restart()

    # ------------------------------------------------------------------------------------------------------ samples

    def _record(self, path: str) -> MXRecordIO:
        """Open a file of records that has no second file."""
        return MXRecordIO(path, "r")

    def _decoded(self, s: bytes) -> ndarray:
        """Decode an image."""
        return imdecode(s)

    def _restart(self) -> None:
        if self.seq is None:
            assert self.imgrec is not None
            self.imgrec.reset()
            self._source = self._in_turn(self.imgrec)
        else:
            order = order_of(len(self.seq), drawn()).tolist() if self.shuffle else range(len(self.seq))
            self._source = self._numbered([self.seq[number] for number in order])

    def _in_turn(self, record: MXRecordIO) -> Iterator[tuple[Any, bytes]]:
        number = 0
        while (data := record.read()) is not None:
            self._place = f"record {number} of {record.uri}"
            header, image = unpack(data)
            yield header.label, image
            number += 1

    def _numbered(self, numbers: Sequence[Any]) -> Iterator[tuple[Any, bytes]]:
        for number in numbers:
            if self.imgrec is None:
                assert self.imglist is not None
                label, name = self.imglist[number]
                self._place = name
                yield label, self.read_image(name)
            else:
                assert isinstance(self.imgrec, MXIndexedRecordIO)
                self._place = f"record {number} of {self.imgrec.uri}"
                header, image = unpack(self.imgrec.read_idx(number) or b"")
                yield (header.label if self.imglist is None else self.imglist[number][0]), image

    def next_sample(self) -> tuple[Any, bytes]:
        """Return the label and the bytes of the next image.

        Raises:
            StopIteration: there is none before the next `reset()`.
        """
        return next(self._source)

    def read_image(self, fname: str) -> bytes:
        """Return the bytes of a file below `path_root`.

        Raises:
            LoadError E600: it cannot be read.
        """
        return bytes(bytes_of(os.path.join(self.path_root or "", fname)))

    def imdecode(self, s: bytes) -> ndarray:
        """Return the image from the bytes of a file.

        Raises:
            LoadError E667: they are none; the message says which.
        """
        try:
            return self._decoded(s)
        except LoadError as error:
            raise LoadError("E667", f"{self._place}: {error.what}", help=error.help) from error

    def augmentation_transform(self, data: Any) -> Any:
        """Return the image after all changes."""
        for one in self.auglist:
            data = one(data)
        return data

    def postprocess_data(self, datum: Any) -> Any:
        """Return the image with channels first."""
        return np.transpose(datum, (2, 0, 1))

    def check_data_shape(self, data_shape: Sequence[int]) -> None:
        """Raise an error unless the shape is (3, height, width).

        Raises:
            ShapeError E181: it is not.
        """
        if len(data_shape) != 3 or data_shape[0] != 3:
            raise ShapeError("E181", f"data_shape must be (3, height, width), got {tuple(data_shape)}")

    def _sample(self, label: Any, data: bytes) -> tuple[Any, Any] | None:
        """The label and the image of a batch; None: it is left out."""
        return label, self.augmentation_transform(self.imdecode(data))

    def _more(self, samples: list[tuple[Any, Any]]) -> bool:
        """Add samples until there are enough for a batch; tell whether there are."""
        while len(samples) < self.batch_size:
            try:
                label, data = self.next_sample()
            except StopIteration:
                return False
            sample = self._sample(label, data)
            if sample is None:
                continue
            label, image = sample[0], numpy.asarray(self.postprocess_data(sample[1]))
            if image.shape != self.data_shape:
                what = f"{self._place}: the image comes out as {image.shape}, data_shape is {self.data_shape}"
                raise ShapeError("E181", what, help="CenterCropAug or ForceResizeAug gives images one size")
            samples.append((label, image))
        return True

    # ------------------------------------------------------------------------------------------------------ batches

    def reset(self) -> None:
        """Start again; with `roll_over`, with the images that were left over."""
        self._ended = False
        self._restart()

    def hard_reset(self) -> None:
        """Start again, also without the images that were left over."""
        self._left = []
        self.reset()

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises:
            StopIteration: there is none before the next `reset()`.
        """
        if self._ended:
            raise StopIteration
        samples, self._left = self._left, []
        pad = 0
        if not self._more(samples):
            self._ended = True
            if not samples or self.last_batch_handle == "discard":
                raise StopIteration
            if self.last_batch_handle == "roll_over":
                self._left = samples
                raise StopIteration
            pad = self.batch_size - len(samples)
            while not self._more(samples):
                self._restart()
        data = numpy.stack([image for _, image in samples]).astype(float32)
        labels = numpy.stack([self._label(label) for label, _ in samples])
        return DataBatch([NDArray(data)], [NDArray(labels)], pad=pad)

    def _label(self, label: Any) -> Any:
        numbers = numpy.asarray(label, self._dtype).ravel()
        if numbers.size != self.label_width:
            what = f"{self._place}: {numbers.size} labels, label_width is {self.label_width}"
            raise ShapeError("E181", what, help=f"pass label_width={numbers.size}")
        return numbers if self.label_width > 1 else numbers[0]


def read_list(path: str, dtype: Any) -> dict[Any, tuple[Any, str]]:
    """Labels and paths by the numbers of a file's lines."""
    lines = str(bytes_of(path), "utf-8").splitlines()
    entries: dict[Any, tuple[Any, str]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            key, *labels, name = line.strip().split("\t")
            entries[int(key)] = numpy.array([float(label) for label in labels]).astype(dtype), name
        except ValueError as error:
            text = f"{path}:{number}: {error}"
            raise LoadError("E666", text, help="a line is an index, labels and a path, separated by tabs") from None
    return entries

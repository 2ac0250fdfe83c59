# SPDX-License-Identifier: Apache-2.0
"""Iterators over local files, which are read whole: tables of numbers, pairs of index and number, MNIST's images."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.nd_array import ND
from hybridize.array.ndarray import ndarray
from hybridize.array.orders import mixed, order_of
from hybridize.base.dtypes import as_dtype, float32
from hybridize.base.errors import ArgumentError, LoadError, ReadError, ValueArgumentError
from hybridize.formats.cursor import bytes_of
from hybridize.formats.idx import read_idx
from hybridize.io.batches import DataBatch, DataDesc, DataIter


class _Rows(DataIter):
    """Batches of the rows of an array and of labels.

    With `round_batch` rows from the start fill up the last batch, and the next round goes on behind them, as MXNet's
    does; without, they fill it up as well, and each round begins at the first row. `pad` counts them either way.
    """

    def __init__(
        self, data: NDArray[Any], label: NDArray[Any], batch_size: int, round_batch: bool, names: tuple[str, str]
    ) -> None:
        super().__init__(batch_size)
        if not 1 <= batch_size <= max(len(data), 1):
            what = f"a batch of {batch_size!r} rows cannot be filled from {len(data)} rows"
            raise ValueArgumentError("E361", what, help="use a smaller batch_size, of 1 or more")
        self._data, self._label = data, label
        self._round = round_batch
        self._next = self._over = 0
        self._rows: NDArray[Any] = numpy.arange(0)
        self.provide_data: Any = [DataDesc(names[0], (batch_size, *data.shape[1:]), data.dtype)]
        self.provide_label: Any = [DataDesc(names[1], (batch_size, *label.shape[1:]), label.dtype)]

    def reset(self) -> None:
        """Start the next round."""
        self._next = self._over if self._round else 0
        self._over = 0

    def iter_next(self) -> bool:
        """Go on to the next batch, and tell whether there is one."""
        count = len(self._data)
        if self._over or self._next >= count:
            return False
        self._rows = numpy.arange(self._next, self._next + self.batch_size) % count
        self._next += self.batch_size
        self._over = max(self._next - count, 0)
        return True

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises:
            StopIteration: there is none before the next `reset()`.
        """
        if not self.iter_next():
            raise StopIteration
        return DataBatch([self.getdata()], [self.getlabel()], self.getpad(), self.getindex())

    def getdata(self) -> ndarray:
        """Return the array of the present batch: one, as all of MXNet's iterators over files do."""
        return ND(self._data[self._rows])

    def getlabel(self) -> ndarray:
        """Return the labels of the present batch."""
        return ND(self._label[self._rows])

    def getindex(self) -> NDArray[Any]:
        """Return the numbers of the rows of the present batch."""
        return self._rows.astype(numpy.uint64)

    def getpad(self) -> int:
        """Return the number of rows from the start that fill the present batch up."""
        return self._over


class CSVIter(_Rows):
    r"""Iterate over batches of the lines of a file with numbers and commas.

    Args:
        data_csv: a file, or a folder whose files are read in the order of their names.
        data_shape: the shape of one line.
        label_csv: the same for labels; None: they are 0.
        label_shape: the shape of one label.
        batch_size: how many lines a batch has.
        round_batch: the next round begins after the lines that filled up the last batch; False: at the first line.
            Lines from the start fill up the last batch either way, and `pad` counts them.
        dtype: `float32`, `int32` or `int64`.
        data_name: the name of the data.
        label_name: that of the labels.

    Raises:
        ReadError E600: a file cannot be read.
        LoadError E665: a line has another number of numbers, or there are fewer labels than lines.
        ValueArgumentError E361: another dtype; a batch of more lines than there are.

    >>> from hybridize import io
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "data.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("1,2\n3,4\n")
    ...     batch = next(io.CSVIter(data_csv=path, data_shape=(2,), batch_size=2))
    >>> batch.data[0].shape
    (2, 2)
    """

    def __init__(
        self,
        data_csv: str,
        data_shape: Any,
        label_csv: str | None = None,
        label_shape: Any = (1,),
        batch_size: int = 1,
        round_batch: bool = True,
        dtype: Any = "float32",
        data_name: str = "data",
        label_name: str = "softmax_label",
        **kwargs: Any,
    ) -> None:
        _check_settings(kwargs, "CSVIter")
        kind = as_dtype(dtype)
        if kind.name not in ("float32", "int32", "int64"):
            raise ValueArgumentError("E361", f"CSVIter reads float32, int32 or int64, got {dtype!r}")
        data = _table(data_csv, tuple(data_shape), kind)
        if label_csv is None or label_csv == "NULL":
            label = numpy.zeros((len(data), 1), kind)
        else:
            label = _table(label_csv, tuple(label_shape), kind)
            if len(label) < len(data):
                raise LoadError("E665", f"{label_csv} has {len(label)} labels for {len(data)} lines of {data_csv}")
        super().__init__(data, label, batch_size, bool(round_batch), (data_name, label_name))


def _check_settings(kwargs: dict[str, Any], kind: str) -> None:
    """Let pass what is about MXNet's threads, and refuse what is unknown."""
    unknown = [name for name in kwargs if name not in ("prefetch_buffer", "preprocess_threads", "ctx", "device_id")]
    if unknown:
        raise ArgumentError("E3006", f"{kind} has no {unknown[0]!r}")


def _lines(path: str) -> list[tuple[str, str]]:
    """The lines of a file, or of those of a folder, each with the place where it stands."""
    paths = [path]
    if os.path.isdir(path):
        paths = sorted(entry.path for entry in os.scandir(path) if entry.is_file())
    entries = []
    for one in paths:
        try:
            lines = str(bytes_of(one), "utf-8").splitlines()
        except UnicodeDecodeError as error:
            raise ReadError("E600", f"cannot read {one}: {error}") from error
        entries += [(f"{one}:{number}", line) for number, line in enumerate(lines, 1) if line.strip()]
    return entries


def _table(path: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    number: Any = float if dtype == float32 else int
    width, rows = math.prod(shape), []
    for place, line in _lines(path):
        try:
            row = [number(part) for part in line.split(",")]
        except ValueError as error:
            raise LoadError("E665", f"{place}: {error}", help="each line must be numbers separated by commas") from None
        if len(row) != width:
            raise LoadError("E665", f"{place}: got {len(row)} numbers, but the shape {shape} needs {width}")
        rows.append(row)
    try:
        return numpy.array(rows, dtype).reshape(len(rows), *shape)
    except OverflowError as error:
        raise LoadError("E665", f"{path}: {error}", help="dtype='int64' holds larger numbers") from None


class LibSVMIter(_Rows):
    r"""Return batches of the lines of a file `label index:number index:number ...`, as dense arrays.

    Other elements are zero.

    Args:
        data_libsvm: a file, or a folder whose files are read in the order of their names.
        data_shape: the shape of one line: its number of columns.
        label_libsvm: a file of the same form whose numbers are the labels; None: what each line of data begins with.
        label_shape: the shape of one label.
        batch_size: how many lines a batch has.
        round_batch: see `CSVIter`.
        num_parts: the number of parts that the lines are cut into.
        part_index: which of them is read.
        data_name: the name of the data.
        label_name: that of the labels.

    Raises:
        ReadError E600: a file cannot be read.
        LoadError E665: a line is not of that form, or an index is outside of the shape.
        ValueArgumentError E361: a batch of more lines than there are.

    >>> from hybridize import io
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "data.txt")
    ...     with open(path, "w") as file:
    ...         _ = file.write("1 0:5 2:6\n")
    ...     batch = next(io.LibSVMIter(data_libsvm=path, data_shape=(3,), batch_size=1))
    >>> batch.data[0].shape
    (1, 3)
    """

    def __init__(
        self,
        data_libsvm: str,
        data_shape: Any,
        label_libsvm: str | None = None,
        label_shape: Any = (1,),
        batch_size: int = 1,
        round_batch: bool = True,
        num_parts: int = 1,
        part_index: int = 0,
        data_name: str = "data",
        label_name: str = "label",
        **kwargs: Any,
    ) -> None:
        _check_settings(kwargs, "LibSVMIter")
        label, data = _pairs(data_libsvm, tuple(data_shape))
        if label_libsvm is not None and label_libsvm != "NULL":
            label = _pairs(label_libsvm, tuple(label_shape))[1]
            if len(label) < len(data):
                text = f"{label_libsvm} has {len(label)} labels for {len(data)} lines of {data_libsvm}"
                raise LoadError("E665", text)
        part = _part(len(data), num_parts, part_index)
        super().__init__(data[part], label[part], batch_size, bool(round_batch), (data_name, label_name))


def _pairs(path: str, shape: tuple[int, ...]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The numbers that lines begin with, and the arrays that their pairs say."""
    lines, width = _lines(path), math.prod(shape)
    first = numpy.zeros(len(lines), numpy.float32)
    data = numpy.zeros((len(lines), width), numpy.float32)
    for number, (place, line) in enumerate(lines):
        begin, *pairs = line.split()
        try:
            first[number] = float(begin)
            for pair in pairs:
                index, value = pair.split(":")
                if not 0 <= int(index) < width:
                    raise LoadError("E665", f"{place}: index {index} is outside of the shape {shape}")
                data[number, int(index)] = float(value)
        except ValueError as error:
            if isinstance(error, LoadError):
                raise
            text = f"{place}: {error}"
            raise LoadError("E665", text, help="each line must be a number followed by pairs index:number") from None
    return first, data.reshape(len(lines), *shape)


class MNISTIter(_Rows):
    """Iterate over batches of MNIST's images as float32 from 0 to below 1: the pixels divided by 256.

    The last whole batch ends the round.

    Args:
        image: the file of images, also with .gz.
        label: the file of labels.
        batch_size: how many images a batch has.
        shuffle: draw an order, once.
        flat: give rows of 784 numbers; else (1, 28, 28).
        seed: the seed of the order. MXNet has another order for the same seed.
        silent: accepted; nothing is printed.
        num_parts: the number of parts that the images are cut into.
        part_index: which of them is read.

    Raises:
        ArgumentError E381: a file is not there.
        LoadError E664: a file is not what its name says.

    >>> import os, tempfile
    >>> from hybridize import io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     images, labels = (os.path.join(folder, name) for name in ("images", "labels"))
    ...     with open(images, "wb") as one, open(labels, "wb") as other:
    ...         _ = one.write(bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 28]) + bytes(2 * 28 * 28))
    ...         _ = other.write(bytes([0, 0, 8, 1, 0, 0, 0, 2]) + bytes([7, 2]))
    ...     batch = io.MNISTIter(images, labels, batch_size=2, shuffle=False).next()
    >>> batch.data[0].shape, batch.label[0].tolist()
    ((2, 1, 28, 28), [7.0, 2.0])
    """

    def __init__(
        self,
        image: str = "./train-images-idx3-ubyte",
        label: str = "./train-labels-idx1-ubyte",
        batch_size: int = 128,
        shuffle: bool = True,
        flat: bool = False,
        seed: int = 0,
        silent: bool = False,
        num_parts: int = 1,
        part_index: int = 0,
        input_shape: Any = None,
        data_shape: Any = None,
        **kwargs: Any,
    ) -> None:
        _check_settings(kwargs, "MNISTIter")
        for path in (image, label):
            if not os.path.isfile(path):
                raise ArgumentError("E381", f"MNISTIter: there is no file {path}", help="nothing is downloaded")
        images, labels = read_idx(image, 3), read_idx(label, 1)
        if len(images) != len(labels):
            raise LoadError("E664", f"{label}: {len(labels)} labels for {len(images)} images")
        part = _part(len(images), num_parts, part_index)
        data = images[part].astype(numpy.float32) * numpy.float32(1 / 256)
        data = data.reshape(len(data), -1) if flat else data[:, None]
        label_of = labels[part].astype(numpy.float32)
        if shuffle:
            order = order_of(len(data), mixed(seed))
            data, label_of = data[order], label_of[order]
        whole = len(data) // batch_size * batch_size if batch_size > 0 else 0
        super().__init__(data[:whole], label_of[:whole], batch_size, False, ("data", "label"))


def _part(count: int, parts: int, index: int) -> slice:
    """The rows of one of several parts."""
    if not 0 <= index < parts:
        raise ValueArgumentError("E361", f"there is no part {index!r} of {parts!r} parts")
    return slice(int(count / parts * index), int(count / parts * (index + 1)))

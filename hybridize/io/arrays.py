# SPDX-License-Identifier: Apache-2.0
"""`NDArrayIter`: batches of arrays that are there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array import np
from hybridize.array.buffer import content_of, is_away
from hybridize.array.nd_array import as_nd
from hybridize.array.ndarray import ndarray
from hybridize.array.orders import drawn, order_of
from hybridize.base.dtypes import float32
from hybridize.base.errors import ArgumentError, ShapeError, ValueArgumentError
from hybridize.io.batches import DataBatch, DataDesc, DataIter

HANDLES = ("pad", "discard", "roll_over")
Named = list[tuple[str, ndarray]]


class NDArrayIter(DataIter):
    """Iterate over batches of the rows of arrays, in their order or, with `shuffle`, in a new order for each round.

        batches = NDArrayIter(data, label, batch_size=32, shuffle=True)
        for batch in batches:
            net(batch.data[0]), batch.label[0]
        batches.reset()

    Args:
        data: an array, a list of them, or a dict of names and arrays; NumPy's become float32, as in MXNet.
        label: the same; None: no labels.
        batch_size: how many rows a batch has.
        shuffle: draw the order of each round, from `hybridize.random`.
        last_batch_handle: what happens to rows that fill no batch. `pad`: rows from the start fill it up, and the
            batch's `pad` counts them; `discard`: they are left out; `roll_over`: they begin the next round.
        data_name: the name of data that come without one; several are numbered.
        label_name: the same of labels.

    Raises:
        ArgumentError E3006: `data` has another type, or is empty.
        ValueArgumentError E361: the batch size is no positive number, or `last_batch_handle` is unknown.
        ShapeError E180: the arrays are of different lengths.

    >>> from hybridize import io, np
    >>> for batch in io.NDArrayIter(np.ones((4, 3)), np.arange(4), batch_size=2):
    ...     print(batch.data[0].shape, batch.label[0].shape)
    (2, 3) (2,)
    (2, 3) (2,)
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        last_batch_handle: str = "pad",
        data_name: str = "data",
        label_name: str = "softmax_label",
    ) -> None:
        super().__init__(batch_size)
        if last_batch_handle not in HANDLES:
            what = f"last_batch_handle must be one of {', '.join(HANDLES)}, got {last_batch_handle!r}"
            raise ValueArgumentError("E361", what)
        if not isinstance(batch_size, (int, numpy.integer)) or batch_size < 1:
            raise ValueArgumentError("E361", f"batch_size must be 1 or more, got {batch_size!r}")
        self.data: Named = _by_name(data, data_name, "data")
        """Names and arrays, by names; the rows are where they were, and `idx` is their order."""
        self.label: Named = [] if label is None else _by_name(label, label_name, "label", may_be_empty=True)
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.data_list: list[ndarray] = [array for _, array in (*self.data, *self.label)]
        self.num_source: int = len(self.data_list)
        self.num_data: int = len(self.data_list[0])
        """The number of rows."""
        for name, array in (*self.data, *self.label):
            if len(array) != self.num_data:
                what = f"{name} has {len(array)} rows, {self.data[0][0]} has {self.num_data}"
                raise ShapeError("E180", what, help="each example is one row of every array: give equally many")
        self.idx: NDArray[Any] = numpy.arange(self.num_data)
        """The numbers of the rows, in the order of this round."""
        self.cursor: int = -batch_size
        """The position of the present batch in `idx`; below 0: it begins with rows of the round before."""
        self._left: NDArray[Any] = self.idx[:0]
        self._mix()

    def _mix(self) -> None:
        if self.shuffle:
            self.idx = order_of(self.num_data, drawn())

    @property
    def provide_data(self) -> list[DataDesc]:
        """Names, shapes and dtypes of the arrays of a batch."""
        return self._described(self.data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """Names, shapes and dtypes of the labels of a batch."""
        return self._described(self.label)

    def _described(self, arrays: Named) -> list[DataDesc]:
        return [DataDesc(name, (self.batch_size, *array.shape[1:]), array.dtype) for name, array in arrays]

    def hard_reset(self) -> None:
        """Start again, also without the rows that were left over."""
        self.cursor, self._left = -self.batch_size, self.idx[:0]
        self._mix()

    def reset(self) -> None:
        """Start again; with `roll_over`, after a whole round, with the rows that were left over."""
        if self.last_batch_handle == "roll_over" and self.num_data - self.batch_size < self.cursor < self.num_data:
            self._left = self.idx[self.cursor :]
            self.cursor -= self.num_data + self.batch_size
        else:
            self.cursor, self._left = -self.batch_size, self.idx[:0]
        self._mix()

    def iter_next(self) -> bool:
        """Go on to the next batch, and tell whether there is one."""
        if self.cursor < self.num_data:
            self.cursor += self.batch_size
        return self.cursor < self.num_data

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises:
            StopIteration: there is none before the next `reset()`.
        """
        if self._is_cut_off() or not self.iter_next() or self._is_cut_off():
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad())

    def _is_cut_off(self) -> bool:
        """Tell whether the rows of the present batch do not fill it, and nothing else may."""
        return self.last_batch_handle != "pad" and self._end > self.num_data

    @property
    def _end(self) -> int:
        return self.cursor + self.batch_size

    def _rows(self) -> Any:
        """The rows of the present batch: a slice where they lie beside each other, else their numbers."""
        cursor, end = self.cursor, self._end
        if cursor >= self.num_data:
            raise ArgumentError("E3006", "there are no more batches", help="call reset() to start again")
        if cursor < 0:
            return numpy.concatenate([self._left, self.idx[:end]])
        if end > self.num_data and self.last_batch_handle == "pad":
            return self.idx[numpy.arange(cursor, end) % self.num_data]
        return self.idx[cursor:end] if self.shuffle else slice(cursor, min(end, self.num_data))

    def _batch(self, arrays: Named) -> list[ndarray]:
        rows = self._rows()
        return [
            as_nd(
                array[rows]
                if isinstance(rows, slice) or is_away(content_of(array))
                else ndarray(content_of(array)[rows])
            )
            for _, array in arrays
        ]

    def getdata(self) -> list[ndarray]:
        """Return the arrays of the present batch."""
        return self._batch(self.data)

    def getlabel(self) -> list[ndarray]:
        """Return the labels of the present batch: an empty list if there are none."""
        return self._batch(self.label)

    def getpad(self) -> int:
        """Return the number of rows that fill the batch up.

        With `roll_over` it is the number of rows at its start that are from the last round.
        """
        if self.last_batch_handle == "pad":
            return max(self._end - self.num_data, 0)
        return max(-self.cursor, 0)


def _by_name(data: Any, name: str, what: str, *, may_be_empty: bool = False) -> Named:
    """Arrays by their names, in the order of these."""
    if isinstance(data, (list, tuple)):
        several = len(data) != 1
        data = {f"_{number}_{name}" if several else name: one for number, one in enumerate(data)}
    elif hasattr(data, "shape"):
        data = {name: data}
    if not isinstance(data, Mapping):
        text = f"{what} is an array, a list or a dict of arrays, got {type(data).__name__}"
        raise ArgumentError("E3006", text, help="np.array converts a list of numbers to an array")
    if not data and not may_be_empty:
        raise ArgumentError("E3006", f"there is no {what}", help="pass at least one array")
    return sorted((str(key), _array(one, key)) for key, one in data.items())


def _array(one: Any, name: str) -> ndarray:
    if hasattr(one, "toarray"):
        one = one.toarray()  # SciPy's sparse matrices
    array = one if isinstance(one, ndarray) else np.array(numpy.asarray(one), dtype=float32)
    if not array.ndim:
        raise ShapeError("E180", f"{name} has no axes, so no rows", help="each example is one row of every array")
    return array

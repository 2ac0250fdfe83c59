# SPDX-License-Identifier: Apache-2.0
"""`DataLoaderIter`: the batches of a `gluon.data.DataLoader` as an iterator of `io`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hybridize.array import np
from hybridize.base.errors import ArgumentError
from hybridize.base.names import refuses
from hybridize.io import DataDesc, DataIter


class DataLoaderIter(DataIter):
    """Iterate over a loader whose batches are pairs of data and labels.

    The last batch, where it is smaller, is filled up with zeros, which `getpad` counts.

    Args:
        loader: a `gluon.data.DataLoader`, or another iterable of pairs of arrays.
        data_name: the name of the data.
        label_name: the name of the labels.
        dtype: of both.

    Raises:
        ArgumentError E3006: a batch is no pair, or the loader has no batch.

    >>> from hybridize import gluon, np
    >>> from hybridize.contrib.io import DataLoaderIter
    >>> loader = gluon.data.DataLoader(gluon.data.ArrayDataset(np.ones((4, 3)), np.ones(4)), batch_size=2)
    >>> [batch.data[0].shape for batch in DataLoaderIter(loader)]
    [(2, 3), (2, 3)]
    """

    def __init__(
        self, loader: Any, data_name: str = "data", label_name: str = "softmax_label", dtype: Any = "float32"
    ) -> None:
        super().__init__()
        self._loader = loader
        self._dtype = dtype
        self._batches: Iterator[Any] = iter(loader)
        first = next(self._batches, None)
        if first is None:
            raise ArgumentError("E3006", "DataLoaderIter: the loader has no batches", help="give it a data set")
        data, label = _pair(first)
        self.batch_size: int = data.shape[0]
        self.provide_data: Any = [DataDesc(data_name, data.shape, dtype)]
        self.provide_label: Any = [DataDesc(label_name, label.shape, dtype)]
        self._current: tuple[Any, Any] | None = None
        self.reset()

    def reset(self) -> None:
        self._batches = iter(self._loader)

    def iter_next(self) -> bool:
        batch = next(self._batches, None)
        self._current = None if batch is None else _pair(batch)
        return self._current is not None

    def getdata(self) -> list[Any]:
        return [self._filled(0)]

    def getlabel(self) -> list[Any]:
        return [self._filled(1)]

    def getpad(self) -> int:
        size: int = self._part(0).shape[0]
        return self.batch_size - size

    def getindex(self) -> None:
        return None

    def _part(self, number: int) -> Any:
        assert self._current is not None, "after iter_next() has said that there is a batch"
        return self._current[number]

    def _filled(self, number: int) -> Any:
        part = self._part(number).astype(self._dtype)
        missing = self.batch_size - part.shape[0]
        return part if not missing else np.concatenate([part, np.zeros((missing, *part.shape[1:]), part.dtype)])


def _pair(batch: Any) -> tuple[Any, Any]:
    if not isinstance(batch, (list, tuple)) or len(batch) != 2:
        what = f"DataLoaderIter goes through pairs of data and labels, got {type(batch).__name__}"
        raise ArgumentError("E3006", what, help="make the data set return (data, label)")
    data, label = batch
    return np.asarray(data), np.asarray(label)


__getattr__: Callable[[str], Any] = refuses(__name__, globals())

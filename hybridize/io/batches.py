# SPDX-License-Identifier: Apache-2.0
"""A batch, what is known of its arrays, and the base of iterators over batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from hybridize.base.dtypes import float32
from hybridize.base.errors import ArgumentError, UndefinedError
from hybridize.base.participation import ReadPolicy


class _NamedShape(NamedTuple):
    name: str
    shape: Any


class DataDesc(_NamedShape):
    """Describe one array of each batch: name, shape, dtype and layout. It unpacks as a pair of name and shape.

    Args:
        name: what the net calls the array.
        shape: sizes, that of the batch among them.
        dtype: element type.
        layout: a letter for each axis; `N` is the axis of the examples.

    >>> from hybridize import io
    >>> name, shape = io.DataDesc("data", (2, 3))
    >>> name, shape
    ('data', (2, 3))
    """

    dtype: Any
    layout: str | None

    def __new__(cls, name: str, shape: Any, dtype: Any = float32, layout: str | None = "NCHW") -> DataDesc:
        self = super().__new__(cls, name, shape)
        self.dtype = dtype
        self.layout = layout
        return self

    def __repr__(self) -> str:
        return f"DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]"

    @staticmethod
    def get_batch_axis(layout: str | None) -> int:
        """Return the axis of the examples: 0 without a layout, -1 where the layout has none."""
        return 0 if layout is None else layout.find("N")

    @staticmethod
    def get_list(shapes: Sequence[Any], types: Sequence[Any] | None) -> list[DataDesc]:
        """Make descriptions of pairs (name, shape) and, where known, pairs (name, dtype)."""
        known = dict(types or ())
        return [DataDesc(*one[:2], *([known[one[0]]] if types is not None else [])) for one in shapes]


class DataBatch:
    """Hold one batch: lists of arrays of data and labels.

    Args:
        data: arrays, each with the examples along its first axis.
        label: the same for labels, or None.
        pad: how many examples at the end only fill the batch up, and do not count.
        index: the numbers of the examples, where they are known.
        bucket_key: which of several nets the batch is for.
        provide_data: a `DataDesc` for each of `data`.
        provide_label: a `DataDesc` for each of `label`.

    Raises:
        ArgumentError E3006: `data` or `label` is no list.

    >>> from hybridize import io, np
    >>> batch = io.DataBatch([np.ones((2, 3))], [np.ones(2)])
    >>> batch.data[0].shape, batch.pad
    ((2, 3), None)
    """

    __hybridize_read__ = ReadPolicy.CONTENT
    label: Any
    pad: int | None
    provide_data: Sequence[DataDesc] | None
    provide_label: Sequence[DataDesc] | None
    data: Any
    index: Any

    def __init__(
        self,
        data: Any,
        label: Any = None,
        pad: int | None = None,
        index: Any = None,
        bucket_key: Any = None,
        provide_data: Sequence[DataDesc] | None = None,
        provide_label: Sequence[DataDesc] | None = None,
    ) -> None:
        for name, arrays in (("data", data), ("label", label)):
            if arrays is not None and not isinstance(arrays, (list, tuple)):
                what = f"the {name} of a batch is a list of arrays, got {type(arrays).__name__}"
                raise ArgumentError("E3006", what, help=f"pass {name}=[array]")
        self.data, self.label = data, label
        self.pad, self.index = pad, index
        self.bucket_key = bucket_key
        self.provide_data, self.provide_label = provide_data, provide_label

    def __str__(self) -> str:
        data = [array.shape for array in self.data]
        label = [array.shape for array in self.label] if self.label else None
        return f"{type(self).__name__}: data shapes: {data} label shapes: {label}"


class DataIter:
    """Iterate over batches, and start again after `reset()`. A subclass defines `iter_next`, `getdata` and more.

    Args:
        batch_size: how many examples a batch has.

    >>> from hybridize import io, np
    >>> isinstance(io.NDArrayIter(np.ones((4, 3))), io.DataIter)
    True
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    provide_data: Any = None
    """A `DataDesc` for each array of a batch."""
    provide_label: Any = None
    """The same for labels."""
    current_batch: Any = None
    """The present batch, of iterators that have it whole."""

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    def __iter__(self) -> DataIter:
        return self

    def __next__(self) -> DataBatch:
        return self.next()

    def reset(self) -> None:
        """Start again from the first batch."""

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises:
            StopIteration: there is none before the next `reset()`.
        """
        if not self.iter_next():
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad(), self.getindex())

    def iter_next(self) -> bool:
        """Go on to the next batch, and tell whether there is one."""
        what = f"{type(self).__name__} does not say how to go on"
        raise UndefinedError("E328", what, help="define iter_next(self) or next(self)")

    def getdata(self) -> Any:
        """Return the arrays of the present batch, or None where a subclass does not define it."""
        return getattr(self.current_batch, "data", None)

    def getlabel(self) -> Any:
        """Return the labels of the present batch, or None where a subclass does not define it."""
        return getattr(self.current_batch, "label", None)

    def getindex(self) -> Any:
        """Return the numbers of the examples of the present batch, or None where they are not known."""
        return getattr(self.current_batch, "index", None)

    def getpad(self) -> int | None:
        """Return the number of examples at the end of the present batch that only fill it up."""
        return getattr(self.current_batch, "pad", None)

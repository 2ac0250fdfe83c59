# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow's lists of tensors, which `TensorArray` and all recurrent layers of Keras are made of.

A list is an array whose first axis counts the elements: their number is known, and they have one shape. In a loop of a
known number of rounds, a list that each round reads or writes at its own number is an `InTurn`, not an array.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import DType, int32, int64
from hybridize.formats.foreign.arrays import filled, is_number, without_axes
from hybridize.formats.foreign.known import Assembled, Known, NoArray, operand_of
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops.op import Operand, type_of


class TensorList(NoArray):
    """A list of tensors.

    Attributes:
        array: [count, element...], or None while the elements' shape is not known: none was written.
        count: the number of elements, a size.
        dtype: of the elements.
        seen: what a trial run of a loop learns of the elements: their shape, under `shape`.
    """

    __slots__ = ("array", "count", "dtype", "seen")
    array: Operand | None
    count: Any
    dtype: DType

    def __init__(self, array: Operand | None, count: Any, dtype: DType, seen: dict[str, Any] | None = None) -> None:
        self.array, self.count, self.dtype = array, count, dtype
        self.seen: dict[str, Any] = {} if seen is None else seen


class RoundNumber(Assembled):
    """A number that grows by one from round to round of a loop: the number of the round is its `key`."""

    __slots__ = ("key", "value")
    key: object
    value: Operand

    def __init__(self, key: object, value: Operand) -> None:
        self.key, self.value = key, value

    def operand(self) -> Operand:
        """The number itself."""
        return self.value


class InTurn(NoArray):
    """A list in a round of a loop: `element` is what it has at the round's number, or what is written there."""

    __slots__ = ("dtype", "element", "key")
    element: Any | Known | None
    key: object
    dtype: DType

    def __init__(self, key: object, element: Operand | Known | None, dtype: DType) -> None:
        self.key, self.element, self.dtype = key, element, dtype

    def is_at(self, index: Value) -> bool:
        """Tell whether an index is the number of the round."""
        return isinstance(index, RoundNumber) and index.key is self.key


class Repeated(NoArray):
    """A list whose elements are one known value: what a loop pushed of it in each round."""

    __slots__ = ("count", "dtype", "element")
    element: Known
    count: Any
    dtype: DType

    def __init__(self, element: Known, count: Any, dtype: DType) -> None:
        self.element, self.count, self.dtype = element, count, dtype


def of_list(n: Application, value: Value) -> TensorList:
    """Return a value that is a list."""
    if isinstance(value, Repeated):
        element = value.element.operand()
        rows = ops.broadcast(element, (value.count, *type_of(element).shape))
        return TensorList(rows, value.count, value.dtype)
    if not isinstance(value, TensorList):
        n.fail("its list of tensors is read or written in a way that is not supported",
               help="write and read TensorArrays by the loop's own number, or outside of loops")  # fmt: skip
    return value


def _dtype(n: Application) -> DType:
    dtype = n.attributes.get("element_dtype")
    if not isinstance(dtype, numpy.dtype):
        n.fail(f"a list of {dtype} is not supported")
    return dtype


def filled_list(shape: Any, items: TensorList) -> Operand:
    """Return the array of a list of elements of a shape, all 0."""
    return filled(0, (items.count, *shape), items.dtype)


@TENSORFLOW("TensorListReserve", values=True)
def reserve(n: Application, shape: Value, count: Value) -> TensorList:
    """A list of so many elements."""
    sizes = n.known(shape, 0).list()
    items = TensorList(None, n.known(count, 1).item(), _dtype(n))
    if n.known(shape, 0).array.ndim and all(dims.is_symbolic(size) or size >= 0 for size in sizes):
        items.array = filled_list(sizes, items)
    return items


@TENSORFLOW("EmptyTensorList", values=True)
def empty(n: Application, shape: Value, most: Value) -> TensorList:
    """A list without elements."""
    return reserve(n, shape, Known.of(0))


@TENSORFLOW("TensorListFromTensor", values=True)
def from_tensor(n: Application, x: Value, shape: Value) -> TensorList:
    """The rows of an array as a list."""
    x = operand_of(x)
    return TensorList(x, type_of(x).shape[0], _dtype(n))


@TENSORFLOW("TensorListGetItem", values=True)
def item(n: Application, items: Value, index: Value, shape: Value) -> Operand:
    """An element."""
    if (
        isinstance(items, InTurn)
        and isinstance(index, RoundNumber)
        and index.key is items.key
        and items.element is not None
    ):
        return items.element
    items = of_list(n, items)
    if items.array is None:
        sizes = n.known(shape, 2).list()
        if any(is_number(size, -1) for size in sizes):
            n.fail("an element is read before any was written, and its shape is not known")
        return filled(0, sizes, items.dtype)
    if isinstance(index, Known):
        at = index.item()
        return without_axes(ops.part(items.array, 0, at, at + 1), (0,))
    at = ops.cast(operand_of(index), int64)
    return without_axes(ops.slice_at(items.array, at, 0, 1), (0,))


@TENSORFLOW("TensorListSetItem", values=True)
def set_item(n: Application, items: Value, index: Value, element: Value) -> TensorList | InTurn:
    """The list with another element at an index; it grows where there is none yet."""
    element = operand_of(element)
    if (
        isinstance(items, InTurn)
        and isinstance(index, RoundNumber)
        and index.key is items.key
        and items.element is None
    ):
        return InTurn(items.key, element, items.dtype)
    items = of_list(n, items)
    shape = type_of(element).shape
    items.seen["shape"] = shape
    array = items.array if items.array is not None else filled_list(shape, items)
    count, row = items.count, ops.reshape(element, (1, *shape))
    if isinstance(index, Known):
        at = index.item()
        if not dims.is_symbolic(at) and not dims.is_symbolic(count) and at >= count:
            more = filled(0, (at + 1 - count, *shape), items.dtype)
            array, count = ops.concat(array, more, axis=0) if count else more, at + 1
        low, high = (at, *[0] * len(shape)), (at + 1, *shape)
        array = ops.update_slice(array, row, low, high, (1,) * (1 + len(shape)))
    elif is_number(count, 0):
        n.fail("a list grows in a loop whose number of rounds is data", help="give the TensorArray a size")
    else:
        array = ops.update_at(array, ops.cast(operand_of(index), int64), row, 0)
    return TensorList(array, count, items.dtype, items.seen)


@TENSORFLOW("TensorListPushBack", values=True)
def push(n: Application, items: Value, element: Value) -> TensorList | InTurn:
    """The list with one element more."""
    if isinstance(items, InTurn) and items.element is None:
        return InTurn(items.key, element if isinstance(element, Known) else operand_of(element), items.dtype)
    items, element = of_list(n, items), operand_of(element)
    row = ops.reshape(element, (1, *type_of(element).shape))
    whole = row if items.array is None else ops.concat(items.array, row, axis=0)
    return TensorList(whole, items.count + 1, items.dtype)


@TENSORFLOW("TensorListPopBack", values=True)
def pop(n: Application, items: Value, shape: Value) -> tuple[TensorList | InTurn, Operand]:
    """The list without its last element, and that one."""
    if isinstance(items, InTurn) and items.element is not None:
        return items, items.element
    items = of_list(n, items)
    if items.array is None:
        n.fail("the list is empty")
    last = items.count - 1
    rest = TensorList(ops.part(items.array, 0, 0, last), last, items.dtype)
    return rest, without_axes(ops.part(items.array, 0, last, items.count), (0,))


@TENSORFLOW("TensorListLength", values=True)
def length(n: Application, items: Value) -> Known:
    """The number of elements."""
    return Known.of(of_list(n, items).count, int32)


@TENSORFLOW("TensorListStack", values=True)
def stack(n: Application, items: Value, shape: Value) -> Operand:
    """The elements as an array."""
    items = of_list(n, items)
    if items.array is not None:
        return items.array
    sizes = n.known(shape, 1).list()
    if any(is_number(size, -1) for size in sizes):
        n.fail("a list is stacked to which nothing was written, and its elements' shape is not known")
    return filled_list(sizes, items)


@TENSORFLOW("TensorListGather", values=True)
def gather(n: Application, items: Value, indices: Value, shape: Value) -> Operand:
    """The elements at indices."""
    return ops.gather(stack(n, items, shape), ops.cast(operand_of(indices), int64), 0)


@TENSORFLOW("TensorListConcatV2", values=True)
def joined(n: Application, items: Value, shape: Value, lengths: Value) -> tuple[Operand, Known]:
    """The elements one after the other, and how long each is."""
    array = of_list(n, items).array
    if array is None or type_of(array).ndim < 2:
        n.fail("its list has no elements with an axis")
    count, each, *rest = type_of(array).shape
    return ops.reshape(array, (count * each, *rest)), Known.of([each] * int(count))


@TENSORFLOW("TensorListResize", values=True)
def resize(n: Application, items: Value, count: Value) -> TensorList:
    """The list with so many elements."""
    items, size = of_list(n, items), n.known(count, 1).item()
    if items.array is None:
        return TensorList(None, size, items.dtype, items.seen)
    if size > items.count:
        more = filled(0, (size - items.count, *type_of(items.array).shape[1:]), items.dtype)
        return TensorList(ops.concat(items.array, more, axis=0), size, items.dtype)
    return TensorList(ops.part(items.array, 0, 0, size), size, items.dtype)


@TENSORFLOW("TensorListElementShape", values=True)
def element_shape(n: Application, items: Value) -> Known:
    """The sizes of the elements; -1 alone where none was written."""
    of = items.element if isinstance(items, InTurn) else of_list(n, items).array
    if of is None:
        return Known.of(-1, int32)
    return Known.of(list(type_of(of).shape)[not isinstance(items, InTurn) :], int32)


@TENSORFLOW("ZerosLike", values=True)
def zeros_like(n: Application, x: Value) -> Value:
    """Zeros like an array, or like all elements of a list."""
    if isinstance(x, TensorList):
        return TensorList(None if x.array is None else ops.like(0, x.array), x.count, x.dtype, x.seen)
    if isinstance(x, Known):
        return Known(numpy.zeros(x.array.shape, x.dtype), x.dtype)
    return ops.like(0, operand_of(x))


@TENSORFLOW("AddN", values=True)
def total(n: Application, *several: Value) -> Value:
    """The sum of arrays, or of lists, element by element."""
    lists = [one for one in several if isinstance(one, TensorList)]
    if not lists:
        return functools.reduce(ops.add, map(operand_of, several))
    arrays = [one.array for one in lists if one.array is not None]
    array = functools.reduce(ops.add, arrays) if arrays else None
    return TensorList(array, lists[0].count, lists[0].dtype, lists[0].seen)

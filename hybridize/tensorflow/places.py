# SPDX-License-Identifier: Apache-2.0
"""Words in memory that tell whether a variable was written: each variable keeps the address of its value in one.

Who holds a tensor that was read from a variable holds its memory. TensorFlow writes into no memory that somebody holds:
each write gives the variable other memory, so that the word in the variable is another one, and the memory that is held
is not that of anything else. While the word is the same, the tensor is what the variable holds.

No public name tells where the word is. It is looked for in the memory behind some variables, which is read by the
system, so that no address is wrong; and it must do as said in all kinds of writes. Where that is not so there are no
such words, and variables are read by TensorFlow at each call.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Final

import numpy
import tensorflow as tf
from numpy.typing import NDArray

from hybridize import system
from hybridize.base.frozen import frozen
from hybridize.runtime.entry import Look, Watch
from hybridize.tensorflow.internals import EAGER, elements, values

_DATA: Final = 16
"""Offset in TensorFlow's buffers of the address of the elements: behind the class and the number of holders."""
_HANDLE: Final = range(16, 512, 8)
_BUFFER: Final = range(0, 640, 8)
_VARIABLE: Final = range(0, 320, 8)
_WORD: Final = range(0, 256, 8)
"""Offsets at which are looked for: in a tensor what it is in C++; in that the buffer of the tensor; in the resource of
a handle the variable; in the variable the word, its own buffer."""


class _Words:
    """Reads words of this process' memory; none where there is no memory."""

    def __init__(self) -> None:
        place, number = system.function_address("process_vm_readv"), ctypes.c_ulong
        kind = ctypes.CFUNCTYPE(
            ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, number, ctypes.c_void_p, number, number
        )
        self._function: Any = kind(place) if place else None
        self._words = (ctypes.c_uint64 * 128)()
        self._spans = (ctypes.c_uint64 * 2)(ctypes.addressof(self._words), 0), (ctypes.c_uint64 * 2)(0, 0)
        self._arguments = [*(one for span in self._spans for one in (span, ctypes.c_ulong(1))), ctypes.c_ulong(0)]

    def at(self, address: int, count: int = 1) -> list[int]:
        """Return so many words from an address on, or fewer."""
        if self._function is None or not 0 < address < 1 << 47 or address % 8:
            return []
        for span in self._spans:
            span[1] = 8 * count
        self._spans[1][0] = address
        size: int = self._function(os.getpid(), *self._arguments)
        return self._words[: max(size, 0) // 8]

    def along(self, address: int, *offsets: int) -> int:
        """Return the last of the words that lead one to the next, offset by offset; 0 where there is none."""
        for offset in offsets:
            address = next(iter(self.at(address + offset)), 0)
        return address


@frozen
class _Path:
    """The way from the handle of a variable to its word."""

    handle: int
    buffer: int
    variable: int
    word: int
    kind: int = 0
    """The first word of variables, their class."""

    def start(self, words: _Words, handle: Any) -> int:
        """The address of the variable."""
        return words.along(id(handle), self.handle, self.buffer, _DATA, self.variable)


def watches(handles: Sequence[Any], arrays: Sequence[NDArray[Any]]) -> list[Watch] | None:
    """List what is as it is while variables are what was read; None where that cannot be told.

    Args:
        handles: those of the variables.
        arrays: what was read from them, over the very memory; whoever has the list holds it.
    """
    path = _path()
    if path is None:
        return None
    words, looks = _Words(), []
    for handle, array in zip(handles, arrays, strict=True):
        if not array.size:
            continue
        start = path.start(words, handle)
        buffer = words.along(start, path.word)
        if words.along(start, 0) != path.kind or words.along(buffer, _DATA) != array.ctypes.data:
            return None
        looks.append(Watch(Look.PLACE, (handle, array), start + path.word, buffer))
    return looks


def hold(watched: Sequence[Watch]) -> bool:
    """Tell whether all of it is as it was."""
    return all(ctypes.c_int64.from_address(one.key).value == one.expected for one in watched)


def read(handles: Sequence[Any], dtypes: Sequence[Any]) -> list[NDArray[Any]]:
    """Return what variables hold, over their memory."""
    tensors = values(handles, dtypes)
    return [elements(one) if one.ndim else elements(tf.reshape(one, (1,))).reshape(()) for one in tensors]


@cache
def _path() -> _Path | None:
    """The way of all variables; None where it is not known, or where one of them does not do as said."""
    if sys.implementation.name != "cpython" or not hasattr(EAGER, "_id"):
        return None
    words = _Words()
    with tf.init_scope(), tf.device("cpu:0"):
        variables = [tf.Variable(one) for one in _SAMPLES]
    first, *others = variables
    paths = [
        path
        for path in _paths(words, first)
        if all(_address(one) == words.along(path.start(words, one.handle), path.word, _DATA) for one in others)
    ]
    if not paths or len({(path.variable, path.word) for path in paths}) > 1:
        return None
    path = _Path(paths[0].handle, paths[0].buffer, paths[0].variable, paths[0].word,
                 words.along(paths[0].start(words, first.handle), 0))  # fmt: skip
    return path if all(_does(words, path, one, write) for one in variables for write in _WRITES) else None


_SAMPLES: Final = numpy.ones((5, 7), numpy.float32), numpy.ones((300,), numpy.int32), numpy.ones((9,), numpy.float32)
_WRITES: Final[tuple[Callable[[Any], Any], ...]] = (
    lambda one: one.assign_add(one),
    lambda one: one.assign(one.read_value()),
    lambda one: one.assign(numpy.zeros(one.shape, one.dtype.as_numpy_dtype)),
    lambda one: tf.raw_ops.ResourceScatterUpdate(resource=one.handle, indices=[0], updates=one[1:2]),
)
"""The last one lets others read copies from then on: see `_does`."""


def _address(variable: Any) -> int:
    """The address of what a variable holds."""
    return int(read([variable.handle], [variable.dtype])[0].ctypes.data)


def _paths(words: _Words, variable: Any) -> Iterator[_Path]:
    """Yield the ways from the handle of a variable to words that lead to its elements."""
    data, handle = _address(variable), variable.handle
    numbers = tf.zeros(()), tf.ones(()), handle
    for at in _HANDLE:  # beside the tensor's number
        if any(words.along(id(one), at + 8) != one._id for one in numbers):
            continue
        for buffer, one in zip(_BUFFER, words.at(words.along(id(handle), at), len(_BUFFER)), strict=False):
            resource = words.along(one, _DATA)
            for place, start in zip(_VARIABLE, words.at(resource, len(_VARIABLE)), strict=False):
                for offset, word in zip(_WORD, words.at(start, len(_WORD)), strict=False):
                    if words.along(word, _DATA) == data:
                        yield _Path(at, buffer, place, offset)


def _does(words: _Words, path: _Path, variable: Any, write: Callable[[Any], Any]) -> bool:
    """Tell whether a write of a variable whose value is held changes the word, and not what is held; or is none."""
    arrays = read([variable.handle], [variable.dtype])
    start = path.start(words, variable.handle)
    before, copy = words.along(start, path.word), arrays[0].copy()
    if words.along(start, 0) != path.kind or words.along(before, _DATA) != arrays[0].ctypes.data:
        return False
    write(variable)
    after, now = words.along(start, path.word), read([variable.handle], [variable.dtype])[0]
    if not numpy.array_equal(arrays[0], copy):
        return False
    if after == before:
        return now.ctypes.data == arrays[0].ctypes.data
    return write is _WRITES[-1] or words.along(after, _DATA) == now.ctypes.data

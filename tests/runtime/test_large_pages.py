"""Weights in large pages of memory: arrays like any others, a few of which share a piece that goes with the last."""

import gc
import weakref

import numpy

from hybridize.runtime import buffers


def test_weights_are_zeros_of_their_own():
    kinds = [
        ((3,), "f4"),
        ((100, 200), "f4"),
        ((512, 512), "f8"),
        ((1 << 20,), "f4"),
        ((1 << 21,), "f4"),
        ((0, 7), "i8"),
    ]
    arrays = [buffers.weights(shape, numpy.dtype(dtype)) for shape, dtype in kinds * 3]
    for number, array in enumerate(arrays):
        assert not array.any() and array.flags.c_contiguous and array.flags.writeable
        assert array.ctypes.data % buffers.ALIGNMENT == 0 or not array.size
        array[...] = number + 1
    for number, array in enumerate(arrays):
        assert (array == number + 1).all()


def test_memory_goes_with_the_last_array():
    first = buffers.weights((1 << 19,), numpy.dtype("f8"))  # half a piece, so that the third begins another
    chunk = first
    while isinstance(chunk.base, numpy.ndarray):
        chunk = chunk.base
    gone = weakref.ref(chunk)
    del chunk
    others = [buffers.weights((1 << 19,), numpy.dtype("f8")) for _ in range(2)]
    del first
    gc.collect()
    assert gone() is None or any(numpy.may_share_memory(gone(), other) for other in others)
    del others
    buffers._chunk.clear()
    gc.collect()
    assert gone() is None

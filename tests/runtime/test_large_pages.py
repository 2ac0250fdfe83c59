"""Weights in large pages of memory: arrays like any others, a few of which share a piece that goes with the last."""

import gc
import mmap
import weakref

import numpy
import pytest

from hybridize.base.errors import CodegenError
from hybridize.base.frozen import changed
from hybridize.codegen.link import link
from hybridize.codegen.llvm.engine import compile_image, host_target
from hybridize.codegen.llvm.objects import emit_object
from hybridize.machine.target import named_target
from hybridize.runtime import buffers
from hybridize.runtime.image import Loaded
from tests.refusals import refusal


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


@pytest.mark.parametrize("name", ["aarch64-linux", "aarch64-macos"])
@pytest.mark.parametrize("page", [1 << 14, 1 << 16])
def test_images_of_arm_suit_every_size_of_pages(name, page, monkeypatch):
    """Linux has pages of 4, 16 or 64 KiB there. What is made for smaller pages than the kernel's is refused in words."""
    target = named_target(name)
    image = link(emit_object(VARIABLES, target), target.machine)
    assert image.data_offset
    assert image.data_offset % page == 0
    small = changed(image, data_offset=image.data_offset + 4096, machine=compile_image("", host_target()).machine)
    monkeypatch.setattr(mmap, "PAGESIZE", page)
    with refusal(CodegenError, f"E966: the image's pages are smaller than the {page} bytes of this machine's"):
        Loaded(small)


VARIABLES = """
@count = global i64 5
define i64 @next() {
  %before = load i64, ptr @count
  %after = add i64 %before, 1
  store i64 %after, ptr @count
  ret i64 %after
}
"""

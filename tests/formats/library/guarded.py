"""Arrays that end, or begin, at memory which nobody may touch: reading a byte too much stops the process."""

import ctypes
import mmap

import numpy

from tests.platforms.pages import forbid

_PAGE = mmap.PAGESIZE


class Guarded:
    """Room for arrays, given back by `close`."""

    def __init__(self, at_end):
        self.at_end = at_end
        self.pages = []

    def place(self, shape, dtype, content=None):
        """An array; its memory is its own, with a page around it that is none."""
        nbytes = int(numpy.prod(shape)) * dtype.itemsize
        room = -(-nbytes // _PAGE) * _PAGE
        pages = mmap.mmap(-1, room + 2 * _PAGE)
        self.pages.append(pages)
        base = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        for guard in (base, base + _PAGE + room):
            forbid(guard, _PAGE)
        start = base + _PAGE + (room - nbytes if self.at_end else 0)
        memory = (ctypes.c_uint8 * nbytes).from_address(start)
        array = (
            numpy.frombuffer(memory, numpy.uint8).view(dtype).reshape(shape) if nbytes else numpy.zeros(shape, dtype)
        )
        if nbytes:
            array[...] = 77 if content is None else content
        return array, start

    def close(self):
        for pages in self.pages:
            pages.close()
        self.pages.clear()

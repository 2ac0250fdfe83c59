"""Arrays that end, or begin, at memory which nobody may touch: reading a byte too much stops the process."""

import ctypes
import mmap

import numpy

_PAGE = mmap.PAGESIZE
_C = ctypes.CDLL(None, use_errno=True)
_C.mmap.restype = ctypes.c_void_p
_C.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_C.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_C.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class Guarded:
    """Room for arrays, given back by `close`."""

    def __init__(self, at_end):
        self.at_end = at_end
        self.pages = []

    def place(self, shape, dtype, content=None):
        """An array; its memory is its own, with a page around it that is none."""
        nbytes = int(numpy.prod(shape)) * dtype.itemsize
        room = -(-nbytes // _PAGE) * _PAGE
        base = _C.mmap(None, room + 2 * _PAGE, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        self.pages.append((base, room + 2 * _PAGE))
        for guard in (base, base + _PAGE + room):
            assert _C.mprotect(guard, _PAGE, 0) == 0
        start = base + _PAGE + (room - nbytes if self.at_end else 0)
        memory = (ctypes.c_uint8 * nbytes).from_address(start)
        array = (
            numpy.frombuffer(memory, numpy.uint8).view(dtype).reshape(shape) if nbytes else numpy.zeros(shape, dtype)
        )
        if nbytes:
            array[...] = 77 if content is None else content
        return array, start

    def close(self):
        for base, nbytes in self.pages:
            _C.munmap(base, nbytes)
        self.pages.clear()

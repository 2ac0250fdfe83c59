"""Kernels of PTX for the stand-in: the interpreter of `tests.device` runs them over the heap of the process.

What a launch may reach is what the blocks are that its arguments point to when it is asked for.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right

import numpy

from hybridize.runtime import devices
from tests.device.assembly import parse
from tests.device.compiled import program
from tests.device.fault import Fault
from tests.device.grid import Clock, Grid, Launch
from tests.device.memory import WRITTEN, Buffer, Heap, Span

ILLEGAL_ADDRESS = 700
_DESCRIBE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
_PREPARE = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_int, ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_uint)
)
_PERFORM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64)


class _Block(Buffer):
    """Bytes of the process at their own address; nobody knows which of them were written."""

    def __init__(self, address, nbytes):
        super().__init__(address, 0, f"the block at {address:#x}")
        self.nbytes = nbytes
        room = -(-nbytes // 16) * 16
        self.content = numpy.frombuffer((ctypes.c_uint8 * room).from_address(address), numpy.uint8)
        self.known = numpy.full(room, WRITTEN, numpy.uint8)


class _Memory(Heap):
    """The blocks that one launch may reach."""

    def __init__(self, blocks):
        super().__init__(0)
        blocks = sorted(blocks)
        self._addresses = [address for address, _ in blocks]
        self._buffers = [_Block(*block) for block in blocks]


class Kernels:
    """What the stand-in asks about kernels."""

    def __init__(self, library):
        self.faults, self.others, self.launched = [], {}, 0
        self._kernels, self._launches, self._contents, self._clock = [], [], [], Clock()
        self._functions = _DESCRIBE(self._describe), _PREPARE(self._prepare), _PERFORM(self._perform)
        library.standin_run_kernels(*self._functions)
        self._library = library

    def close(self):
        self._library.standin_run_kernels(None, None, None)

    def _describe(self, text, name):
        module = parse(text.decode())
        kernel = module.kernels[name.decode()]
        variables = {
            one.name: self._placed(one) for one in module.variables.values() if one.space in ("global", "const")
        }
        addresses = {word: span.address for word, span in variables.items()}
        self._kernels.append((program(kernel, addresses), variables))
        return len(kernel.params) << 16 | len(self._kernels)

    def _placed(self, variable):
        """Where a variable of a module is."""
        content = numpy.frombuffer(variable.content.ljust(variable.nbytes, b"\0"), numpy.uint8).copy()
        self._contents.append(content)
        self.others[content.ctypes.data] = variable.nbytes
        return Span(content.ctypes.data, variable.nbytes)

    def _prepare(self, number, arguments, sizes):
        code, variables = self._kernels[number - 1]
        params = code.kernel.params
        values = {name: arguments[k] for k, name in enumerate(params)}
        pointers = [*values.values(), *(span.address for span in variables.values())]
        blocks = {block for value in pointers if (block := self._block(value))}
        launch = Launch(code, sizes[0], sizes[3], sizes[6], values, variables)
        self._launches.append((launch, _Memory(blocks)))
        return len(self._launches) - 1

    def _block(self, address):
        """The block of a GPU's, or of another library's, that has an address."""
        blocks = dict(self.others)
        for device in devices._OPENED.values():
            for some in (device._blocks, device._arrivals):
                blocks |= {piece.start: piece.nbytes for piece in some._pieces.values()}
        starts = sorted(blocks)
        at = bisect_right(starts, address) - 1
        if at < 0 or address >= starts[at] + blocks[starts[at]]:
            return None
        return starts[at], blocks[starts[at]]

    def _perform(self, number):
        launch, memory = self._launches[number]
        self.launched += 1
        try:
            Grid(memory, self._clock, launch).run()
        except Fault as fault:
            self.faults.append(fault)
            return ILLEGAL_ADDRESS
        return 0

# SPDX-License-Identifier: Apache-2.0
"""A device with the face of a real one: buffers, copies, launches, graphs. What a driver would not notice is a `Fault`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache, wraps
from itertools import count as counted

import numpy as np

from hybridize.runtime.plan import ALIGNMENT
from tests.device.assembly import Module, parse
from tests.device.compiled import Program, program
from tests.device.fault import Fault
from tests.device.grid import Clock, Grid, Launch, keep_freed_memory
from tests.device.memory import WRITTEN, Heap, Span

STATIC_SHARED = 48 << 10
"""Bytes of shared memory that a kernel may declare; more has to be dynamic."""
SHARED = 163 << 10
"""Bytes of shared memory of a block of sm_80."""
THREADS = 1024

Argument = int | float | Span
_NUMBERS = counted()


def in_turn(method: Callable) -> Callable:
    """Let one thread of the host ask at a time."""

    @wraps(method)
    def alone(self: Emulated, *args: object, **names: object) -> object:
        with self.lock:
            return method(self, *args, **names)

    return alone


@lru_cache(maxsize=16)
def _read(text: str) -> Module:
    return parse(text)


@lru_cache(maxsize=16)
def _compiled(text: str, name: str, addresses: tuple[tuple[str, int], ...]) -> Program:
    """Compile a kernel of a module. Text that comes again, on other devices, is compiled once."""
    return program(_read(text).kernels[name], dict(addresses))


class Code:
    """A module that is loaded: functions by name."""

    def __init__(self, device: Emulated, text: str) -> None:
        self.device, self.text, self.module = device, text, _read(text)
        self.variables = self._variables(self.module)
        self._functions: dict[str, Function] = {}

    def _variables(self, module: Module) -> dict[str, Span]:
        """Give the variables of a module their memory."""
        result = {}
        for one in module.variables.values():
            if one.space not in ("global", "const"):
                continue
            at = self.device.alloc(one.nbytes, one.name)
            self.device.resident.add(at)
            self.device.copy_in(at, np.frombuffer(one.content.ljust(one.nbytes, b"\0"), np.uint8))
            result[one.name] = Span(at, one.nbytes)
        return result

    def __getitem__(self, name: str) -> Function:
        if name not in self._functions:
            if name not in self.module.kernels:
                raise Fault(f"there is no kernel {name}; there are {', '.join(self.module.kernels)}")
            addresses = tuple((word, span.address) for word, span in self.variables.items())
            self._functions[name] = Function(self, _compiled(self.text, name, addresses))
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.module.kernels)


@dataclass
class Function:
    """A kernel of a module."""

    code: Code
    program: Program
    name: str = ""


@dataclass(frozen=True)
class Event:
    """A place in the order of what a device was asked."""

    number: int


@dataclass
class Graph:
    """Work that was recorded, to be asked for again as one."""

    device: Emulated
    work: list[Callable[[], None]] = field(default_factory=list)
    name: str = "a graph"

    def launch(self) -> None:
        if self.device.recording is not None:
            raise Fault("a graph is launched while another one is recorded")
        for one in self.work:
            one()


class Emulated:
    """A GPU of NumPy. What is asked of it is done at once.

    Args:
        nbytes: How much memory it has.
        name: What it is called.
    """

    arch = "sm_80"

    def __init__(self, nbytes: int = 1 << 32, name: str = "emulated") -> None:
        keep_freed_memory()
        self.lasting: set[int] = set()
        self.name, self.lock = name, threading.RLock()
        self.heap, self.clock = Heap(nbytes, next(_NUMBERS)), Clock()
        self.recording: Graph | None = None
        self.starter: None = None
        self.when_scarce: list[Callable[[], object]] = []
        """Called where memory is short."""
        self.resident: set[int] = set()
        """Buffers of modules, which are not freed by themselves."""
        self.launches = 0
        self._events = counted()

    def __enter__(self) -> Emulated:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()

    def close(self) -> None:
        """End it; what was not freed is a fault."""
        left = [one for one in self.heap.living() if one.address not in self.resident]
        if left:
            raise Fault(f"not freed: {', '.join(f'{one.name} ({one.nbytes} bytes)' for one in left)}")

    # Memory

    def load(self, code: str) -> Code:
        """Load a module of PTX."""
        return Code(self, code)

    @in_turn
    def alloc(self, nbytes: int, name: str = "") -> int:
        """Return the address of bytes that nothing has written."""
        if self.heap.used + nbytes > self.heap.nbytes:
            for drop in self.when_scarce:
                drop()
        return self.heap.alloc(nbytes, name)

    @in_turn
    def free(self, address: int, users: Collection[int] = ()) -> None:
        self.heap.free(address)

    def send(self, array: np.ndarray) -> None:
        """Leave it to `alloc` and `copy_in`."""

    @in_turn
    def copy_in(self, address: int, array: np.ndarray) -> None:
        """Copy an array to the device."""
        self._not_recorded("copy_in")
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        buffer, at = self.heap.range(address, raw.size, "copy_in")
        buffer.content[at], buffer.known[at] = raw, WRITTEN

    @in_turn
    def copy_out(self, address: int, array: np.ndarray) -> np.ndarray:
        """Fill an array from the device, and return it."""
        self._not_recorded("copy_out")
        buffer, at = self.heap.range(address, array.nbytes, "copy_out")
        unknown = np.flatnonzero(buffer.known[at] == 0)
        if unknown.size:
            raise Fault(
                f"copy_out: {unknown.size} bytes of {buffer.name}, from byte {at.start + unknown[0]} on, were never written"
            )
        array[...] = buffer.content[at].view(array.dtype).reshape(array.shape)
        return array

    @in_turn
    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Copy bytes of the device, known and unknown ones."""
        if self.recording is not None:
            self.recording.work.append(lambda: self.copy(to, source, nbytes))
            return
        target, at = self.heap.range(to, nbytes, "copy")
        origin, start = self.heap.range(source, nbytes, "copy")
        if target is origin and at.start < start.stop and start.start < at.stop:
            raise Fault(f"copy: {nbytes} bytes at {source:#x} and at {to:#x} overlap")
        target.content[at], target.known[at] = origin.content[start], origin.known[start]

    def copy_from(self, other: Emulated, to: int, source: int, nbytes: int) -> None:
        """Copy bytes of another device."""
        self._not_recorded("copy_from")
        origin, start = other.heap.range(source, nbytes, "copy_from")
        target, at = self.heap.range(to, nbytes, "copy_from")
        target.content[at], target.known[at] = origin.content[start], origin.known[start]

    alignment = ALIGNMENT
    dlpack = 255
    """A kind of its own, which no other library takes: the addresses are nobody else's."""
    stream_number = None

    def precede(self, stream: int) -> None:
        """Let a stream of others wait: all is done."""

    def follow(self, stream: int) -> None:
        """Wait for a stream of others."""

    def give_back(self, owner: object, users: Collection[int] = ()) -> None:
        """Let go of the owner of memory: all is done."""

    def memory(self) -> tuple[int, int]:
        """Return the bytes that are free, and all bytes."""
        return self.heap.nbytes - self.heap.used, self.heap.nbytes

    # Work

    @in_turn
    def launch(
        self,
        function: Function,
        blocks: Sequence[int],
        threads: int,
        shared_bytes: int,
        arguments: Sequence[Argument],
    ) -> None:
        """Run a kernel with blocks of threads, both along one axis, and so many bytes of dynamic shared memory."""
        self._check(function, blocks, threads, shared_bytes, arguments)
        by_name = dict(zip(function.program.kernel.params, arguments, strict=True))
        launch = Launch(function.program, blocks[0], threads, shared_bytes, by_name, function.code.variables)
        if self.recording is not None:
            self.recording.work.append(lambda: self._start(launch))
            return
        self._start(launch)

    def _check(
        self, function: Function, blocks: Sequence[int], threads: int, shared_bytes: int, arguments: Sequence[Argument]
    ) -> None:
        program, kernel = function.program, function.program.kernel
        if function.code.device is not self:
            raise Fault(f"{kernel.name} is loaded on another device")
        if len(arguments) != len(kernel.params):
            raise Fault(f"{kernel.name} has {len(kernel.params)} parameters, not {len(arguments)}")
        if not 1 <= blocks[0] < 1 << 31 or tuple(blocks[1:]) != (1, 1) or threads < 1:
            raise Fault(f"{kernel.name}: {tuple(blocks)} blocks of {threads} threads")
        if threads > (kernel.threads or THREADS):
            raise Fault(f"{kernel.name}: {threads} threads, at most {kernel.threads or THREADS}")
        if program.shared_bytes > STATIC_SHARED:
            raise Fault(
                f"{kernel.name} declares {program.shared_bytes} bytes of shared memory; more than {STATIC_SHARED} are dynamic"
            )
        if program.shared_bytes + shared_bytes > SHARED:
            raise Fault(
                f"{kernel.name}: {program.shared_bytes + shared_bytes} bytes of shared memory, at most {SHARED}"
            )

    def _start(self, launch: Launch) -> None:
        grid = Grid(self.heap, self.clock, launch)
        try:
            grid.run()
        except Fault as fault:
            raise Fault(f"{launch.program.kernel.name}: {fault}") from fault
        self.launches += 1

    @contextmanager
    def capture(self, graph: Graph | None = None) -> Iterator[Graph]:
        """Record launches and copies, which do not run now, as a graph: a new one, or in place of what `graph` did."""
        self._not_recorded("capture")
        self.recording = graph = Graph(self) if graph is None else graph
        graph.work.clear()
        try:
            yield graph
        finally:
            self.recording = None

    def event(self) -> Event:
        """Return a place after all that was asked until now."""
        self._not_recorded("event")
        return Event(next(self._events))

    def wait(self, event: Event | None = None) -> None:
        """Wait for an event, or for everything: all of it is done."""
        self._not_recorded("wait")

    def empty_cache(self) -> None:
        """Give back what is kept for later: nothing is."""

    def _not_recorded(self, what: str) -> None:
        if self.recording is not None:
            raise Fault(f"{what} while a graph is recorded")


def count() -> int:
    """Return how many devices there are: two, for what programs do with several."""
    return 2


@cache
def opened(number: int) -> Emulated:
    """Return one of them, which a process keeps."""
    return Emulated(name=f"emulated:{number}")

# SPDX-License-Identifier: Apache-2.0
"""A GPU of NVIDIA's: memory, copies, kernels and graphs, in the order of its stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from ctypes import addressof, byref, c_int, c_size_t, c_uint64, c_void_p, create_string_buffer, sizeof
from typing import Any, Final

from numpy.typing import NDArray

from hybridize.base.errors import DeviceError, DeviceMemoryError
from hybridize.runtime.cuda.blocks import Blocks
from hybridize.runtime.cuda.context import CudaContext
from hybridize.runtime.cuda.counting import OLDEST, build
from hybridize.runtime.cuda.library import OUT_OF_MEMORY, Driver, driver, version
from hybridize.runtime.cuda.linking import module
from hybridize.runtime.cuda.staging import PinnedCopies
from hybridize.runtime.cuda.words import WRITER, WRITER_NAME
from hybridize.runtime.cuda.work import CudaEvent, CudaFunction, CudaGraph, CudaModule, CudaRecording
from hybridize.runtime.device_entry import NUMBERS
from hybridize.runtime.dlpack import CUDA, LEGACY
from hybridize.runtime.plan import ALIGNMENT

BESIDE: Final = 1 << 16
"""Bytes from which a copy from the host is worth two events."""
_MAJOR, _MINOR = 75, 76
"""Attributes of a GPU: the two numbers of its architecture."""
_ORDINAL: Final = 9
"""`CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL`."""
_NO_MORE_PEERS: Final = (217, 704, 711)
"""Results of `cuCtxEnablePeerAccess` where there is no way between two GPUs, where PyTorch has asked before, and where
a GPU has as many peers as it can."""


class Gpu(CudaContext):
    """A GPU of NVIDIA's, as an `Accelerator`.

    Args:
        number: of those that `CUDA_VISIBLE_DEVICES` shows.

    Raises:
        DeviceError E709: the driver is missing, too old, or does not start; or the GPU is too old.
    """

    alignment: int = ALIGNMENT
    """Bytes of which the address of each array that a program is given has to be a multiple."""
    dlpack: int = CUDA
    """DLPack's number of its kind."""

    def __init__(self, number: int) -> None:
        opened = driver()
        device = c_int()
        opened.begin("cuDeviceGet", byref(device), number)
        self.name: str = _name(opened, device.value)
        arch = 10 * _attribute(opened, device.value, _MAJOR) + _attribute(opened, device.value, _MINOR)
        self.arch: str = f"sm_{arch}"
        if arch < OLDEST:
            what = f"{self.name} ({self.arch}) cannot run kernels for sm_{OLDEST}, the oldest that there are"
            raise DeviceError("E709", what, help="choose another by CUDA_VISIBLE_DEVICES, or unset HYBRIDIZE_DEVICE")
        self.release: str = f"CUDA {version(opened)}, driver {build() or 'unknown'}"
        """The release of the driver, and with it of its compiler."""
        super().__init__(opened, device)
        self.when_scarce: list[Callable[[], object]] = []
        """Called where memory is short, to drop what can be made again."""
        self.lasting: set[int] = {LEGACY, self.stream_number}
        """Streams that are there for as long as the process: those of other libraries, and this one."""
        self._blocks = Blocks(self._reserve, self._release)
        self._freed: deque[int] = deque()
        """Blocks that were freed, and that nobody but this stream has used."""
        self._arrivals = Blocks(self._reserve, self._release)
        """Memory of arrays that came from the host on the stream for that."""
        self._left: deque[tuple[int, Collection[int]]] = deque()
        """Other blocks that were freed, and the streams of others that may still use them."""
        self._borrowed: deque[tuple[object, Collection[int]]] = deque()
        """Owners of memory that is not ours, when we are done with it, and such streams."""
        self._leaving: deque[tuple[CudaEvent, object]] = deque()
        """Such owners, and the events after the last work that may use the memory."""
        self._since: CudaEvent | None = None
        """Behind the last work that may use one of those that are free."""
        self._staging = PinnedCopies(self)
        self._recording: CudaRecording | None = None
        """The graph that is recorded, to which launches and copies go."""
        self._reached: set[int | None] = set()
        """The contexts whose memory this one reads by itself, or never will."""

    # ----------------------------------------------------------------------------------------------------- memory

    def alloc(self, nbytes: int) -> int:
        """Return the address of a block; where memory is short, what can be made again and unused chunks go first."""
        if not (self._left or self.driver.has_failed):
            with self._lock:
                self._take_back()
                address = self._blocks.known(nbytes)
            if address is not None:
                return address
        with self.entered():
            self._take_back()
            address = self._blocks.take(nbytes)
            if address is None:
                self._make_room()
                address = self._blocks.take(nbytes)
            if address is None:
                free, total = self._memory()
                what = f"{self.name} has no memory for {nbytes} bytes: {free} of {total} are free"
                raise DeviceMemoryError("E706", what, help="drop arrays, or use smaller batches")
            return address

    def free(self, address: int, users: Collection[int] = ()) -> None:
        """Let a block be used again by what is asked for next, which waits for the streams of its other users; any
        thread may say so, at any moment.
        """
        if users or address in self._arrivals:
            self._left.append((address, users))
            self.starter.set(untidy=1)
        else:
            self._freed.append(address)

    def give_back(self, owner: object, users: Collection[int] = ()) -> None:
        """Let go of the owner of memory once the GPU, and the streams of its other users, are done with it; any thread
        may say so, at any moment.
        """
        self._borrowed.append((owner, users))
        self.starter.set(untidy=1)

    def empty_cache(self) -> None:
        """Give memory back to the driver that nobody has."""
        with self.entered():
            self._make_room()

    def memory(self) -> tuple[int, int]:
        """Return the bytes that are free, those that this process could use again among them, and all bytes."""
        with self.entered():
            return self._memory()

    def _take_back(self) -> None:
        """Let blocks be used again that nobody has any more, and nobody else has used."""
        while self._freed:
            self._blocks.give_back(self._freed.popleft())

    @property
    def is_untidy(self) -> bool:
        """True if there is something to give back, or to take note of before more is asked for."""
        return super().is_untidy or bool(self._left or self._borrowed)

    def tidy(self) -> None:
        """Give back what nobody has any more, also to others, where the GPU is done with it."""
        super().tidy()
        if self._left:
            while self._left:
                address, users = self._left.popleft()
                self._follow_users(users)
                (self._arrivals if address in self._arrivals else self._blocks).give_back(address)
            self._since = self._placed(self.stream)
        while self._borrowed:
            owner, users = self._borrowed.popleft()
            self._follow_users(users)
            self._leaving.append((self._placed(self.stream), owner))
        while self._leaving and self.driver.result("cuEventQuery", self._leaving[0][0].handle) == 0:
            self._leaving.popleft()

    def _memory(self) -> tuple[int, int]:
        self._take_back()
        free, total = c_size_t(), c_size_t()
        self.call("cuMemGetInfo_v2", byref(free), byref(total))
        idle = sum(count() for count in self.starter.idle)
        return free.value + self._blocks.unused + self._arrivals.unused + idle, total.value

    def _make_room(self) -> None:
        """Give back what can be made again, and what nobody has."""
        for drop in self.when_scarce:
            drop()
        self.tidy()
        self._shrink()

    def _shrink(self) -> None:
        self._take_back()
        for stream in (self.arriving, self.stream):
            self.call("cuStreamSynchronize", stream)  # what uses the chunks is done
        self._blocks.shrink()
        self._arrivals.shrink()

    def _reserve(self, nbytes: int) -> int | None:
        address = c_uint64()
        result = self.driver.result("cuMemAlloc_v2", byref(address), nbytes)
        if result and result != OUT_OF_MEMORY:
            raise self.driver.error("cuMemAlloc_v2", result)
        return None if result else address.value

    def _release(self, address: int) -> None:
        self.call("cuMemFree_v2", address)

    # ----------------------------------------------------------------------------------------------------- copies

    def send(self, array: NDArray[Any]) -> int | None:
        """Return the address of memory with a copy of an array, which comes while kernels run; None for small arrays,
        and where there is no memory besides.

        What is asked for next waits for it. It waits itself for those who used its memory before, and for nobody else.
        """
        if array.nbytes < BESIDE:
            return None
        with self.entered() as call:
            address = self._arrivals.take(array.nbytes)
            if address is None:
                return None
            if self._since is not None:
                call("cuStreamWaitEvent", self.arriving, self._since.handle, 0)
        try:
            self._staging.copy_in(address, array, self.arriving)
            with self.entered():
                self._follow(self.arriving)
        except BaseException:
            self.free(address)
            raise
        return address

    def copy_in(self, address: int, array: NDArray[Any]) -> None:
        """Copy an array to the device."""
        self._staging.copy_in(address, array)

    def copy_out(self, address: int, array: NDArray[Any]) -> None:
        """Fill an array, which lies row by row, from the device."""
        self._staging.copy_out(address, array)

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Copy bytes of the device."""
        with self.entered() as call:
            if self._recording is not None:
                self._recording.copy(to, source, nbytes)
            else:
                call("cuMemcpyDtoDAsync_v2", to, source, nbytes, self.stream)

    def copy_from(self, other: Gpu, to: int, source: int, nbytes: int) -> None:
        """Copy bytes of another GPU, after what was asked of it; what it does next waits for the copy."""
        self.after(other.event())
        with self.entered() as call:
            self._reach(other)
            call("cuMemcpyPeerAsync", to, self.handle, source, other.handle, nbytes, self.stream)
        other.after(self.event())

    def _reach(self, other: Gpu) -> None:
        """Let this GPU read the memory of another one by itself, where it can: else the driver copies by the host."""
        if other.handle.value not in self._reached:
            result = self.driver.result("cuCtxEnablePeerAccess", other.handle, 0)
            if result not in (0, *_NO_MORE_PEERS):
                raise self.driver.error("cuCtxEnablePeerAccess", result)
            self._reached.add(other.handle.value)

    # ------------------------------------------------------------------------------------------------------- work

    def load(self, code: str) -> CudaModule:
        """Compile a text of PTX, unless that was done before."""
        return module(self, code, self.arch, self.release)

    def launch(
        self,
        function: CudaFunction,
        blocks: Sequence[int],
        threads: int | Sequence[int],
        shared_bytes: int,
        arguments: Sequence[int],
    ) -> None:
        """Run a kernel; each argument is read in the size that the kernel declares."""
        sizes = (threads, 1, 1) if isinstance(threads, int) else threads
        values = (c_uint64 * len(arguments))(*arguments)
        with self.entered() as call:
            function.allow(shared_bytes)
            if self._recording is not None:
                self._recording.launch(function, blocks, sizes, shared_bytes, _each(values))
                return
            self.starter.note(function.name)
            call("cuLaunchKernel", function.handle, *blocks, *sizes, shared_bytes, self.stream, _each(values), None)
            self.checked()

    def load_writer(self) -> None:
        """Have the kernel that writes words there, for machine code, too."""
        self._writer = self.load(WRITER)[WRITER_NAME]
        self.starter.set(numbers=self._writer.handle.value or 0)

    def write_words(self, address: int, words: Sequence[int]) -> None:
        """Write words of 64 bits, `NUMBERS` at most, and zeros behind them: they come with the launch, by no copy."""
        self.launch(self._writer, (1, 1, 1), 1, 0, [address, *words, *[0] * (NUMBERS - len(words))])

    @contextmanager
    def capture(self, graph: CudaGraph | None = None) -> Iterator[CudaGraph]:
        """Record launches and copies of the body of a `with` as a graph, its value.

        Args:
            graph: one that does this from now on in place of what it did; none: a new one.
        """
        graph = graph if graph is not None else CudaGraph(self)
        with self.entered(), self.starter.recording():
            recording = self._recording = CudaRecording(self)
            try:
                yield graph
                try:
                    graph.take(recording)
                except DeviceMemoryError:
                    self._make_room()
                    graph.take(recording)
            finally:
                self._recording = None
                recording.end()

    def failed_to_start(self, name: str, result: int) -> None:
        """Take note of the result of a function of the driver that machine code has called."""
        self.driver.error(name, result)

    @property
    def stream_number(self) -> int:
        """The address of the stream."""
        return self.stream.value or 0

    def after(self, event: CudaEvent) -> None:
        """Let what is asked for from now on begin after an event, which may be one of another GPU's."""
        with self.entered() as call:
            call("cuStreamWaitEvent", self.stream, event.handle, 0)

    def precede(self, stream: int) -> None:
        """Let what comes next on a stream wait for all that was asked for until now."""
        if stream != self.stream_number:
            event = self.event()
            with self.current() as call:
                call("cuStreamWaitEvent", stream, event.handle, 0)

    def follow(self, stream: int) -> None:
        """Let what is asked for next wait for all that is on a stream now."""
        with self.entered():
            self._follow(stream)

    def _follow(self, stream: int | c_void_p) -> None:
        """Do as `follow` does; the GPU is entered."""
        if stream != self.stream_number:
            event = self._placed(stream)
            self.call("cuStreamWaitEvent", self.stream, event.handle, 0)

    def _follow_users(self, streams: Collection[int]) -> None:
        """Let what is asked for next wait for streams of others, which may be there no more; the GPU is entered."""
        if self.lasting.issuperset(streams):
            for stream in streams:
                self._follow(stream)
        else:  # which streams there are still, and what they do, nobody says
            self.call("cuCtxSynchronize")

    def place_of(self, address: int) -> int:
        """Return the number of the GPU whose memory is at an address."""
        number = c_int()
        with self.current() as call:
            call("cuPointerGetAttribute", byref(number), _ORDINAL, address)
        return number.value

    def event(self) -> CudaEvent:
        """Return a place after all that was asked for until now."""
        with self.entered():
            return self._placed(self.stream)

    def _placed(self, stream: int | c_void_p) -> CudaEvent:
        """A place after all that a stream was asked for until now; the GPU is entered."""
        event = CudaEvent(self)
        self.call("cuEventRecord", event.handle, stream)
        return event

    def wait(self, event: CudaEvent | None = None) -> None:
        """Wait for an event, or for everything that was asked for until now; others may ask for more meanwhile."""
        event = event if event is not None else self.event()
        with self.current() as call:
            call("cuEventSynchronize", event.handle)


def _name(call: Driver, device: int) -> str:
    name = create_string_buffer(256)
    call("cuDeviceGetName", name, len(name), device)
    return name.value.decode(errors="replace")


def _attribute(call: Driver, device: int, number: int) -> int:
    value = c_int()
    call("cuDeviceGetAttribute", byref(value), number, device)
    return value.value


def _each(values: Any) -> Any:
    """The addresses of words, one for each, as the driver takes arguments."""
    return (c_void_p * len(values))(*range(addressof(values), addressof(values) + sizeof(values), 8))

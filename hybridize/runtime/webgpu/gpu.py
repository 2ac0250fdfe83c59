# SPDX-License-Identifier: Apache-2.0
"""A GPU by the package `wgpu`: buffers, copies, kernels and lists of launches, in the order of its queue.

An address is the number of a buffer and an offset in it. Launches are written into a list of commands, which the queue
gets when somebody waits, or when it is long. WebGPU has no graphs: what is captured is written again each time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy
import wgpu
from numpy.typing import NDArray

from hybridize.base.errors import CodegenError, DeviceError, DeviceMemoryError
from hybridize.base.forks import renewed
from hybridize.base.frozen import frozen
from hybridize.runtime.webgpu import name_of
from hybridize.runtime.webgpu.kernels import COPY, ROW, WgslKernel, read
from hybridize.system.interruptions import let_through

_SPACE: Final = 40
"""Bits of an address that are the offset."""
_OFFSET: Final = (1 << _SPACE) - 1
_REACH: Final = (1 << 31) - 4
"""Bytes of a buffer, at most: kernels count them in numbers of 32 bits with a sign."""
_SLOT: Final = 256
"""Bytes between the words of two launches, to which every device aligns them."""
_LAUNCHES: Final = 256
"""Launches of a list of commands, at most."""
_GROUPS: Final = 1024
"""Sets of buffers whose bindings are kept."""
_USAGE: Final = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
_LIMITS: Final = (
    "max-buffer-size", "max-storage-buffer-binding-size", "max-storage-buffers-per-shader-stage",
    "max-compute-workgroup-storage-size", "max-compute-invocations-per-workgroup", "max-compute-workgroup-size-x",
)  # fmt: skip
"""Features and limits that are asked for beyond those of every device."""


class WebGpuFunction:
    """A kernel of a module."""

    def __init__(self, module: WebGpuModule, kernel: WgslKernel) -> None:
        self.module = module
        self.kernel = kernel
        self.name: str = kernel.name
        """For errors."""


class WebGpuModule:
    """Kernels that a device has, by name; each is compiled when it is first launched, for the buffers that it gets."""

    def __init__(self, gpu: WebGpu, code: str) -> None:
        self._gpu = gpu
        self._kernels = read(code)
        self._pipelines: dict[tuple[str, tuple[int, ...]], _Pipeline] = {}

    def __getitem__(self, name: str) -> WebGpuFunction:
        return WebGpuFunction(self, self._kernels[name])

    def pipeline(self, kernel: WgslKernel, buffers: tuple[int, ...]) -> _Pipeline:
        """Return a kernel compiled for params in these buffers."""
        key = kernel.name, buffers
        pipeline = self._pipelines.get(key)
        if pipeline is None:
            pipeline = self._pipelines[key] = _Pipeline(self._gpu, kernel, buffers)
        return pipeline


class _Pipeline:
    """A kernel compiled for some bindings."""

    def __init__(self, gpu: WebGpu, kernel: WgslKernel, buffers: tuple[int, ...]) -> None:
        written = kernel.bindings(buffers)
        gpu.check_kernel(kernel, len(written))
        kinds = [wgpu.BufferBindingType.storage if one else wgpu.BufferBindingType.read_only_storage for one in written]
        layouts: list[Any] = [{"type": "uniform", "has_dynamic_offset": True}, *({"type": kind} for kind in kinds)]
        entries = [
            {"binding": number, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": one}
            for number, one in enumerate(layouts)
        ]
        device = gpu.device
        try:
            self.layout = device.create_bind_group_layout(entries=entries)
            layout = device.create_pipeline_layout(bind_group_layouts=[self.layout])
            shader = device.create_shader_module(code=kernel.text(buffers))
            self.pipeline = device.create_compute_pipeline(
                layout=layout, compute={"module": shader, "entry_point": "main"}
            )
        except wgpu.GPUError as error:
            raise CodegenError("E907", f"{gpu.name} does not take {kernel.name}: {error}") from None
        self.words_bytes = -(-kernel.words // 4) * 16
        self.groups: OrderedDict[tuple[int, ...], Any] = OrderedDict()


@frozen
class _Launch:
    """A launch that is ready to be written into a list of commands."""

    pipeline: _Pipeline
    numbers: tuple[int, ...]
    """Of the buffers."""
    words: NDArray[numpy.uint32]
    blocks: int


@frozen
class _Move:
    """A copy that is."""

    to: int
    source: int
    nbytes: int


class WebGpuGraph:
    """Launches and copies, to be written into lists of commands again."""

    def __init__(self, gpu: WebGpu) -> None:
        self._gpu = gpu
        self.name = "a list of launches"
        self.work: list[_Launch | _Move] = []

    def launch(self) -> None:
        """Do them again."""
        self._gpu.replay(self.work)


@frozen
class WebGpuEvent:
    """A place in the order of what was asked for."""

    submissions: int


class WebGpu:
    """A GPU as an `Accelerator`.

    Args:
        adapter: of wgpu.

    Raises:
        DeviceError E709: the driver does not give the device.
    """

    arch = "webgpu"
    alignment = 1  # shaders read single words
    dlpack = 255
    """A kind that no other library takes: addresses are numbers of our own."""
    stream_number = None

    def __init__(self, adapter: Any) -> None:
        self.name = name_of(adapter)
        limits = {name: adapter.limits[name] for name in _LIMITS}
        try:
            self.device = adapter.request_device_sync(label="hybridize", required_limits=limits)
        except Exception as error:
            let_through(error)
            raise DeviceError("E709", f"{self.name} does not start: {error}", help="update its driver") from error
        self._limits: Mapping[str, int] = limits
        self._lock = renewed(threading.RLock())
        self.lasting: set[int] = set()
        self.starter: None = None
        self.when_scarce: list[Callable[[], object]] = []
        """Called where memory is short, to drop what can be made again."""
        self._buffers: dict[int, Any] = {}
        self._spare: dict[int, list[int]] = {}
        """Buffers that nobody has, by their size."""
        self._freed: deque[int] = deque()
        self._last = 0
        self._used = 0
        self._encoder: Any = None
        self._pass: Any = None
        self._words = numpy.zeros(_SLOT * _LAUNCHES, numpy.uint8)
        self._ring = self.device.create_buffer(
            size=_SLOT * _LAUNCHES, usage=wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_DST
        )
        self._launches = self._submissions = 0
        self._recorded: WebGpuGraph | None = None
        self._copies = WebGpuModule(self, COPY)

    # ----------------------------------------------------------------------------------------------------- memory

    def alloc(self, nbytes: int) -> int:
        """Return the address of a buffer of its own; one that was freed, if there is one of its size."""
        size = _rounded(nbytes)
        most = min(self._limits["max-storage-buffer-binding-size"], self._limits["max-buffer-size"], _REACH)
        if size > most:
            what = f"{self.name} has no buffers of {nbytes} bytes, only of {most}"
            raise DeviceMemoryError("E706", what, help="use smaller batches, or cut the array into parts")
        with self._lock:
            self._take_back()
            spare = self._spare.get(size)
            if spare:
                return spare.pop() << _SPACE
            buffer = self._created(size)
            if buffer is None:
                for drop in self.when_scarce:
                    drop()
                self._shrink()
                buffer = self._created(size)
            if buffer is None:
                what = f"{self.name} has no memory for {nbytes} bytes; arrays have {self._used}"
                raise DeviceMemoryError("E706", what, help="drop arrays, or use smaller batches")
            self._last += 1
            self._buffers[self._last] = buffer
            self._used += size
            return self._last << _SPACE

    def free(self, address: int, users: Collection[int] = ()) -> None:
        """Let a buffer be used again by what is asked for next; any thread may say so, at any moment."""
        self._freed.append(address)

    def empty_cache(self) -> None:
        """Give buffers back that nobody has."""
        with self._lock:
            self._shrink()

    def memory(self) -> tuple[int, int]:
        """Return the bytes of the largest buffer less those of all arrays, and those of the largest: WebGPU tells no
        more.
        """
        with self._lock:
            self._take_back()
            total = self._limits["max-buffer-size"]
            spare = sum(size * len(numbers) for size, numbers in self._spare.items())
            return max(0, total - self._used + spare), total

    def _created(self, size: int) -> Any:
        try:
            return self.device.create_buffer(size=size, usage=_USAGE)
        except wgpu.GPUOutOfMemoryError:
            return None

    def _take_back(self) -> None:
        while self._freed:
            number = self._freed.popleft() >> _SPACE
            self._spare.setdefault(self._buffers[number].size, []).append(number)

    def _shrink(self) -> None:
        self._take_back()
        self._submit()
        for size, numbers in self._spare.items():
            for number in numbers:
                self._buffers.pop(number).destroy()
                self._used -= size
        self._spare.clear()

    # ----------------------------------------------------------------------------------------------------- copies

    def send(self, array: NDArray[Any]) -> None:
        """Leave it to `alloc` and `copy_in`."""

    def copy_in(self, address: int, array: NDArray[Any]) -> None:
        """Copy an array to the device."""
        content = numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8)
        if not content.size:
            return
        buffer, offset = self._buffer(address)
        first, end = offset & ~3, -(-(offset + content.size) // 4) * 4
        with self._lock:
            self._submit()
            if (first, end) != (offset, offset + content.size):
                around = numpy.zeros(end - first, numpy.uint8)
                self._read(buffer, first, around)
                around[offset - first :][: content.size] = content
                content = around
            self.device.queue.write_buffer(buffer, first, content)

    def copy_out(self, address: int, array: NDArray[Any]) -> NDArray[Any]:
        """Fill an array, which lies row by row, from the device."""
        if not array.nbytes:
            return array
        buffer, offset = self._buffer(address)
        first, end = offset & ~3, -(-(offset + array.nbytes) // 4) * 4
        with self._lock:
            self._submit()
            around = numpy.empty(end - first, numpy.uint8)
            self._read(buffer, first, around)
        array.reshape(-1).view(numpy.uint8)[...] = around[offset - first :][: array.nbytes]
        return array

    def _read(self, buffer: Any, offset: int, content: NDArray[numpy.uint8]) -> None:
        read_back = self.device.queue.read_buffer(buffer, offset, content.size)
        content[...] = numpy.frombuffer(read_back, numpy.uint8)

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Copy bytes of the device: by a kernel, where they lie in one buffer, or begin within words."""
        if not nbytes:
            return
        if to >> _SPACE == source >> _SPACE or (to | source | nbytes) & 3:
            blocks = -(-nbytes // 256)
            self.launch(self._copies["copy"], (blocks, 1, 1), 256, 0, (to, source, nbytes))
            return
        with self._lock:
            self._do(_Move(to, source, nbytes))

    def copy_from(self, other: WebGpu, to: int, source: int, nbytes: int) -> None:
        """Copy bytes of another device, by way of the host."""
        self.copy_in(to, other.copy_out(source, numpy.empty(nbytes, numpy.uint8)))

    # ------------------------------------------------------------------------------------------- with other libraries

    # None of them knows the memory; only arrays of our own come back by a capsule.

    def precede(self, stream: int) -> None:
        """Leave the streams of other libraries alone: they have nothing of ours."""

    def follow(self, stream: int) -> None:
        """Wait for nothing: no other library has asked for work on our memory."""

    def give_back(self, owner: object, users: Collection[int] = ()) -> None:
        """Let go of an owner of memory: what was asked for keeps its buffers by itself."""

    # ------------------------------------------------------------------------------------------------------- work

    def load(self, code: str) -> WebGpuModule:
        """Return the kernels of a text, see `runtime.webgpu.kernels`."""
        return WebGpuModule(self, code)

    def launch(
        self,
        function: WebGpuFunction,
        blocks: Sequence[int],
        threads: int | Sequence[int],
        shared_bytes: int,
        arguments: Sequence[int],
    ) -> None:
        """Run a kernel: addresses first, then sizes."""
        kernel = function.kernel
        count = blocks[0] * blocks[1] * blocks[2]
        if count * kernel.threads >= 1 << 31:
            raise DeviceError("E705", f"{kernel.name} has {count} blocks", help="use smaller batches")
        addresses, sizes = arguments[: len(kernel.params)], arguments[len(kernel.params) :]
        numbers: dict[int, int] = {}
        buffers = tuple(numbers.setdefault(addresses[one] >> _SPACE, len(numbers)) for one in kernel.used)
        words = [*(one & _OFFSET for one in addresses), *(one & 0xFFFFFFFF for one in sizes), count, 0]
        with self._lock:
            pipeline = function.module.pipeline(kernel, buffers)
            self._do(_Launch(pipeline, tuple(numbers), numpy.array(words, numpy.uint32), count))

    def check_kernel(self, kernel: WgslKernel, buffers: int) -> None:
        """Refuse a kernel that needs more than the device has.

        Raises:
            DeviceError E705: it does.
        """
        most = self._limits
        for count, name, what in (
            (buffers, "max-storage-buffers-per-shader-stage", "buffers"),
            (kernel.threads, "max-compute-invocations-per-workgroup", "threads in a block"),
            (kernel.shared_bytes, "max-compute-workgroup-storage-size", "bytes of shared memory"),
        ):
            if count > most[name]:
                text = f"{kernel.name} needs {count} {what}, and {self.name} has {most[name]}"
                raise DeviceError("E705", text, help="run this part of the program on the CPU")

    def _do(self, one: _Launch | _Move) -> None:
        if self._recorded is not None:
            self._recorded.work.append(one)
        else:
            self._write(one)

    def replay(self, work: Sequence[_Launch | _Move]) -> None:
        """Do recorded work again."""
        with self._lock:
            for one in work:
                self._write(one)

    def _write(self, one: _Launch | _Move) -> None:
        """Write a launch or a copy into the list of commands."""
        if self._launches == _LAUNCHES:
            self._submit()
        if self._encoder is None:
            self._encoder = self.device.create_command_encoder()
        if isinstance(one, _Move):
            self._end_pass()
            (to, at), (source, start) = self._buffer(one.to), self._buffer(one.source)
            self._encoder.copy_buffer_to_buffer(source, start, to, at, one.nbytes)
            return
        if self._pass is None:
            self._pass = self._encoder.begin_compute_pass()
        start = self._launches * _SLOT
        self._words[start : start + one.words.nbytes] = one.words.view(numpy.uint8)
        self._pass.set_pipeline(one.pipeline.pipeline)
        self._pass.set_bind_group(0, self._group(one), [start])
        self._pass.dispatch_workgroups(min(one.blocks, ROW), -(-one.blocks // ROW), 1)
        self._launches += 1

    def _group(self, one: _Launch) -> Any:
        """The bindings of a launch."""
        groups = one.pipeline.groups
        group = groups.get(one.numbers)
        if group is None:
            words = {"buffer": self._ring, "offset": 0, "size": one.pipeline.words_bytes}
            entries = [{"binding": 0, "resource": words}]
            for binding, number in enumerate(one.numbers, 1):
                buffer = self._buffers[number]
                entries.append(
                    {"binding": binding, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}
                )  # fmt: skip
            group = groups[one.numbers] = self.device.create_bind_group(layout=one.pipeline.layout, entries=entries)
            while len(groups) > _GROUPS:
                groups.popitem(last=False)
        return group

    def _end_pass(self) -> None:
        if self._pass is not None:
            self._pass.end()
            self._pass = None

    def _submit(self) -> None:
        """Give the list of commands to the queue."""
        if self._encoder is None:
            return
        self._end_pass()
        if self._launches:
            self.device.queue.write_buffer(self._ring, 0, self._words[: self._launches * _SLOT])
        self.device.queue.submit([self._encoder.finish()])
        self._encoder, self._launches = None, 0
        self._submissions += 1

    @contextmanager
    def capture(self, graph: WebGpuGraph | None = None) -> Iterator[WebGpuGraph]:
        """Record what the body of a `with` launches and copies, in place of what a graph did, or as a new one."""
        graph = WebGpuGraph(self) if graph is None else graph
        with self._lock:
            graph.work, self._recorded = [], graph
            try:
                yield graph
            finally:
                self._recorded = None

    def event(self) -> WebGpuEvent:
        """Return a place after all that was asked for until now."""
        with self._lock:
            self._submit()
            return WebGpuEvent(self._submissions)

    def wait(self, event: WebGpuEvent | None = None) -> None:
        """Wait for an event, or for everything."""
        with self._lock:
            self._submit()
            self.device.queue.on_submitted_work_done_sync()

    def _buffer(self, address: int) -> tuple[Any, int]:
        return self._buffers[address >> _SPACE], address & _OFFSET


def _rounded(nbytes: int) -> int:
    """The size of a buffer: one of few, so that it fits what comes later."""
    step = max(256, 1 << max(0, nbytes.bit_length() - 4))
    return -(-max(nbytes, 1) // step) * step

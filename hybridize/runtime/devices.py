# SPDX-License-Identifier: Apache-2.0
"""Devices with memory of their own: what one of them does, and which ones this process has.

    Accelerator     the face of a device: memory, copies, code, events; everything else asks by it alone
    count, opened   how many there are, and one of them by its number
    register        where the devices of a kind are

`HYBRIDIZE_DEVICE` says which kind this process uses: `cuda` (`runtime.cuda`) or `emulated`, which tests bring. Without
it there is none. A kind is a module with `count()` and `opened(number)`, loaded when somebody asks first, and a device
is opened when somebody uses it first.

All work of a device is done in the order in which it was asked for, by whichever thread. What has to be done at the
host waits: `copy_out`, and `wait`.

A forked process cannot use what was opened before: the driver's threads are not there. It is refused (E708).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol

from numpy.typing import NDArray

from hybridize.base.config import CONFIG
from hybridize.base.errors import DeviceError
from hybridize.base.forks import in_child, renewed
from hybridize.base.loading import load_module


class DeviceGraph(Protocol):
    """Launches and copies that were recorded, to be asked for again as one."""

    name: str
    """The program, for errors."""

    def launch(self) -> None:
        """Do them again."""


class Accelerator(Protocol):
    """A device with memory of its own. Addresses are numbers, which nobody reads at the host."""

    name: str
    """As people know it."""
    arch: str
    """The architecture that code has to be made for: `sm_90`."""
    alignment: int
    """Bytes of which the address of each array that a program is given has to be a multiple."""
    dlpack: int
    """DLPack's number of its kind."""
    stream_number: int | None
    """The stream of its work, as other libraries know it; None where all is done at once."""
    lasting: set[int]
    """Streams of other libraries that are there for as long as the process."""
    starter: Any
    """A `runtime.device_entry.Starter`, by which machine code starts graphs; None where it cannot."""
    when_scarce: list[Callable[[], object]]
    """Called where memory is short, to drop what can be made again."""

    def alloc(self, nbytes: int) -> int:
        """Return the address of memory for so many bytes, aligned to 256; nobody has written it.

        Raises:
            DeviceMemoryError E706: there is not so much.
        """

    def free(self, address: int, users: Collection[int] = (), /) -> None:
        """Give memory back, once what was asked for until now is done, here and on streams of other libraries that used
        it. Any thread may, at any time.
        """

    def send(self, array: NDArray[Any], /) -> int | None:
        """Return the address of memory with a copy of an array, which may be written at once; None where `alloc` and
        `copy_in` do it as well.
        """

    def copy_in(self, address: int, array: NDArray[Any], /) -> None:
        """Copy an array to the device; it may be written as soon as this returns."""

    def copy_out(self, address: int, array: NDArray[Any], /) -> object:
        """Fill an array, which lies row by row, from the device."""

    def copy(self, to: int, source: int, nbytes: int, /) -> None:
        """Copy bytes of the device that do not overlap."""

    def copy_from(self, other: Any, to: int, source: int, nbytes: int, /) -> None:
        """Copy bytes of another device of the same kind, in the order of both."""

    def load(self, code: str, /) -> Mapping[str, Any] | Any:
        """Return the kernels of a text of code, each by its name in brackets; their attribute `name` is for errors.

        Raises:
            CodegenError E907: the device does not take it.
        """

    def launch(
        self,
        function: Any,
        blocks: Sequence[int],
        threads: int | Sequence[int],
        shared_bytes: int,
        arguments: Sequence[Any],
        /,
    ) -> None:
        """Run a kernel on a grid of blocks of threads, with so many bytes of dynamic shared memory."""

    def capture(self, graph: Any = None, /) -> AbstractContextManager[Any]:
        """Record what the body of a `with` launches and copies as a `DeviceGraph`, its value; nothing is done now.

        `graph` is one that does this from now on, in place of what it did.
        """

    def precede(self, stream: int, /) -> None:
        """Let what comes next on a stream of another library wait for all that was asked for until now."""

    def follow(self, stream: int, /) -> None:
        """Let what is asked for next wait for all that is on a stream of another library now."""

    def give_back(self, owner: object, users: Collection[int] = (), /) -> None:
        """Let go of an owner of memory when `free` would give the memory back. Any thread may, at any time."""

    def place_of(self, address: int, /) -> int:
        """Return the number of the device whose memory is at an address."""

    def event(self) -> Any:
        """Return a place in the order of what was asked for: after all of it."""

    def wait(self, event: Any = None) -> None:
        """Wait until all is done that was asked for, or what was until an event.

        Raises:
            DeviceError E707: some of it has failed.
        """

    def memory(self) -> tuple[int, int]:
        """Return the bytes that are free, and all bytes."""

    def empty_cache(self) -> None:
        """Give memory back that nobody has."""


_PLACES: Final[dict[str, str]] = {"cuda": "hybridize.runtime.cuda", "webgpu": "hybridize.runtime.webgpu"}
_OPENED: Final[dict[int, Accelerator]] = {}
_OPENING: Final = renewed(threading.RLock())
_INHERITED: Final[list[Accelerator]] = []
"""In a forked child: those that the parent had opened. They are never closed: the driver would not stand it."""


def register(kind: str, module: str) -> None:
    """Say in which module the devices of a kind are."""
    _PLACES[kind] = module


def count() -> int:
    """Return the number of devices that this process may use."""
    if not CONFIG.device:
        return 0
    number: int = _kind().count()
    return number


def is_there(number: int) -> bool:
    """Tell whether there is a device of a number; nobody counts for one that is opened, as that takes milliseconds."""
    return (bool(CONFIG.device) and number in _OPENED) or 0 <= number < count()


def opened(number: int) -> Accelerator:
    """Return a device by its number, below `count()`.

    Raises:
        DeviceError E708: this process was forked from one that used devices.
        DeviceError E709: the driver is missing, or too old.
    """
    check_fork()
    device = _OPENED.get(number)
    if device is None:
        with _OPENING:
            device = _OPENED.get(number)
            if device is None:
                device = _OPENED[number] = _kind().opened(number)
    return device


def wait_all() -> None:
    """Wait until all is done that was asked of the devices that this process uses.

    Raises:
        DeviceError E707: one has failed.
    """
    for device in list(_OPENED.values()):
        device.wait()


def check_fork() -> None:
    """Refuse to use devices in a process that was forked from one that did.

    Raises:
        DeviceError E708: it was.
    """
    if _INHERITED:
        raise DeviceError(
            "E708",
            f"this process was forked after its parent had used {_INHERITED[0].name}; a driver does not survive a fork",
            help="start it by multiprocessing's 'spawn', or fork before the first use of a device",
        )


def is_inherited(device: Accelerator, inherited: Collection[Accelerator] = _INHERITED) -> bool:
    """Tell whether a device was opened by the process that this one was forked from: also where Python ends, and what
    modules had is gone.
    """
    return any(one is device for one in inherited)


def _kind() -> Any:
    place = _PLACES.get(CONFIG.device)
    if place is None:
        what = f"HYBRIDIZE_DEVICE={CONFIG.device}, of which this process has no devices"
        raise DeviceError("E709", what, help="leave HYBRIDIZE_DEVICE out, or set it to cuda or webgpu")
    return load_module(place)


def _in_child() -> None:
    _INHERITED.extend(_OPENED.values())
    _OPENED.clear()


in_child(_in_child)

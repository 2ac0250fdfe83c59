# SPDX-License-Identifier: Apache-2.0
"""Devices: names of places for arrays, and the present one of a thread.

All CPUs are one memory, and an array remembers by which name it is known. That costs nothing until a process uses
another device than `cpu(0)` for the first time (`use`): from then on `OTHERS` holds it, `ACTIVE` is never empty, so no
function takes a short way, and functions of arrays look where their arguments are (`array.placing`).

A GPU has a memory of its own (`runtime.devices`). There is one only where `HYBRIDIZE_DEVICE` says which kind. From the
first use of one on, `AWAY` is true, and who asks for the elements of an array learns that they are not at the host.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar

from hybridize.base.config import CONFIG
from hybridize.base.errors import ArgumentError, DeviceError
from hybridize.base.forks import in_child, renewed
from hybridize.base.frozen import frozen
from hybridize.base.loading import load_module
from hybridize.ops.op import ACTIVE


class _Present:
    """`Device.default_ctx`, as MXNet 1 calls the present device."""

    def __get__(self, device: Any, kind: type) -> Device:
        return current_device()


@frozen
class Device:
    """Name a device: `Device("cpu", 1)`, or a copy of another device.

    Two devices are equal if their kind and number are.

    In a `with` block, new arrays are made on it, and `current_device()` returns it. All CPU devices share one memory:
    `cpu(0)` and `cpu(1)` are two names of it. You can name and compare a GPU that is not there, but not use it
    (DeviceError E701).

    Args:
        device_type: `cpu`, `gpu`, `cpu_pinned`, `cpu_shared`, or a device.
        device_id: which of them.

    Raises:
        ArgumentError E300: another kind.

    >>> from hybridize import np
    >>> import hybridize
    >>> with hybridize.Device("cpu", 1):
    ...     np.ones(2).device
    cpu(1)
    """

    device_type: str = "cpu"
    device_id: int = 0

    devstr2type: ClassVar[dict[str, int]] = {"cpu": 1, "gpu": 2, "cpu_pinned": 3, "cpu_shared": 5}
    """MXNet's numbers of the kinds, as its files have them."""
    devtype2str: ClassVar[dict[int, str]] = {number: kind for kind, number in devstr2type.items()}
    """The kinds by MXNet's numbers."""
    if TYPE_CHECKING:
        default_ctx: ClassVar[Device]
    else:
        default_ctx = _Present()

    def __init__(self, device_type: str | Device = "cpu", device_id: int = 0) -> None:
        if isinstance(device_type, Device):
            kind, number = device_type.device_type, device_type.device_id
        else:
            kind, number = device_type, device_id
        if kind not in Device.devstr2type:
            kinds = ", ".join(Device.devstr2type)
            raise ArgumentError("E300", f"a device must be one of {kinds}, got {kind!r}", help="use cpu()")
        object.__setattr__(self, "device_type", kind)
        object.__setattr__(self, "device_id", number)

    @property
    def device_typeid(self) -> int:
        """MXNet's number of the kind."""
        return Device.devstr2type[self.device_type]

    def __enter__(self) -> Device:
        check_device(self)
        PRESENT.set((*PRESENT.get(), self))
        return self

    def __exit__(self, *error: object) -> None:
        PRESENT.set(PRESENT.get()[:-1])

    def __str__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    __repr__ = __str__

    def empty_cache(self) -> None:
        """Give unused memory of a GPU back to its driver. On the CPU, it does nothing."""
        if is_away(as_device(self)):
            accelerator(self).empty_cache()


Context = Device
_CPU = Device()
PRESENT: ContextVar[tuple[Device, ...]] = ContextVar("devices", default=(_CPU,))
"""The devices of the `with` blocks around, the last one innermost."""


def cpu(device_id: int = 0) -> Device:
    """Return the CPU as a device, under a number.

    >>> import hybridize
    >>> hybridize.cpu(), hybridize.cpu(1)
    (cpu(0), cpu(1))
    """
    return _CPU if device_id == 0 else Device("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Device:
    """Return the CPU under MXNet's name of pinned memory, by which all copies to a GPU go anyway.

    >>> import hybridize
    >>> hybridize.cpu_pinned()
    cpu_pinned(0)
    """
    return Device("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Device:
    """Return a GPU as a device, by its number. It has to be there when you use it: see `num_gpus()`.

    >>> import hybridize
    >>> hybridize.gpu(0)
    gpu(0)
    """
    return Device("gpu", device_id)


def num_gpus() -> int:
    """Return the number of GPUs that this process may use: 0 unless `HYBRIDIZE_DEVICE` is set.

    Raises:
        DeviceError E709: it is `webgpu`, and the package wgpu is missing.

    >>> import hybridize
    >>> hybridize.num_gpus()
    0
    """
    number: int = _devices().count() if CONFIG.device else 0
    return number


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """Return the number of free bytes and of all bytes of a GPU.

    Args:
        device_id: the number of the GPU.

    Raises:
        DeviceError E701: there is no such GPU.

    >>> from hybridize import context
    >>> context.gpu_memory_info()
    Traceback (most recent call last):
        ...
    hybridize.errors.DeviceError: DeviceError E701: ...
    """
    free, total = accelerator(as_device(gpu(device_id))).memory()
    return free, total


def current_device() -> Device:
    """Return the device of the innermost `with` block around the call, and `cpu(0)` outside of all.

    >>> import hybridize
    >>> with hybridize.cpu(1):
    ...     print(hybridize.current_device())
    cpu(1)
    """
    return PRESENT.get()[-1]


OTHERS: list[Device] = []
"""The devices other than `cpu(0)` that the process has used; while it is empty, every array is on `cpu(0)`."""
_WHEN_USED: list[Callable[[bool], None]] = []
_USING = renewed(threading.RLock())
_FIRST_USES = [0]
"""The number of times that `OTHERS` got its first device: once, but for tests."""
AWAY: list[bool] = []
"""Not empty once the process has used a device with a memory of its own."""
_WHEN_AWAY: list[Callable[[], object]] = []
_NAME = re.compile(r"(cpu|cpu_pinned|cpu_shared|gpu)(?:[(:](\d+)\)?)?")


def when_used(hear: Callable[[bool], None]) -> None:
    """Have a function called with True when the first device other than `cpu(0)` is used, or at once if one was: arrays
    have to be looked at then, and had not to before.
    """
    _WHEN_USED.append(hear)
    if OTHERS:
        hear(True)


def when_away(hear: Callable[[], object]) -> None:
    """Have a function called when `AWAY` changes."""
    _WHEN_AWAY.append(hear)


def is_away(device: Device | None) -> bool:
    """Tell whether the arrays of a device are in a memory of their own."""
    return device is not None and device.device_type == "gpu"


def accelerator(device: Device) -> Any:
    """Return the `runtime.devices.Accelerator` that is known by a name: `as_device` has looked whether it is there."""
    return _devices().opened(device.device_id)


def _devices() -> Any:
    return load_module("hybridize.runtime.devices")


class _Thread(threading.local):
    """The state of a thread: a function that it calls may have begun before another one used the first device."""

    uses = 0
    """The first use after which it has made an array on a device by name."""


_THREAD = _Thread()


class FirstUse(Exception):
    """Raised by `begin_on` where a function began before arrays had devices: it is called again."""


def as_device(device: Any) -> Device:
    """Return a device that is there, of a device or of text as `cpu`, `gpu(1)` or `gpu:1`; the present one for None.

    Raises:
        DeviceError E701: another device.
    """
    if device is None:
        return current_device()
    if not isinstance(device, Device):
        match = _NAME.fullmatch(device) if isinstance(device, str) else None
        if match is None:
            raise _not_there(device)
        device = Device(match[1], int(match[2] or 0))
    target: Device = device
    if is_away(target) and target not in OTHERS and not 0 <= target.device_id < num_gpus():
        raise _not_there(target)
    return target


def check_device(device: Any) -> None:
    """Refuse a device that is not there; any other than `cpu(0)` is used from now on.

    Raises:
        DeviceError E701: another device.
    """
    if device is not None:
        use(as_device(device))


def begin_on(device: Any) -> None:
    """Do what `check_device` does, first of all in a public function that makes an array on the device.

    Raises:
        FirstUse: this thread has not made one since there are others than `cpu(0)`; the function is called again, and
            what it makes has a device.
        DeviceError E701: another device.
    """
    if device is None:
        return
    use(as_device(device))
    if OTHERS and _THREAD.uses != _FIRST_USES[0]:
        _THREAD.uses = _FIRST_USES[0]
        raise FirstUse


def use(device: Device) -> None:
    """Hear that arrays are on a device from now on; who is told has been told then, whichever thread is the first."""
    if device == _CPU:
        return
    with _USING:
        if device in OTHERS:
            return
        if is_away(device) and not AWAY:
            load_module("hybridize.array.on_device")
            AWAY.append(True)
            _tell_away()
        OTHERS.append(device)
        if len(OTHERS) == 1:
            _FIRST_USES[0] += 1
            ACTIVE.append(OTHERS)
            for hear in _WHEN_USED:
                hear(True)


def forget() -> None:
    """Let a process be again as one that has used no device but `cpu(0)`; for tests, which leave no array elsewhere."""
    if OTHERS:
        OTHERS.clear()
        del ACTIVE[-1:]
        for hear in _WHEN_USED:
            hear(False)
        AWAY.clear()
        _tell_away()


def _tell_away() -> None:
    for hear in _WHEN_AWAY:
        hear()


def _in_child() -> None:
    """In a forked child: what `ops.op` has made of ACTIVE there lacks it."""
    if OTHERS and not any(one is OTHERS for one in ACTIVE):
        ACTIVE.append(OTHERS)


in_child(_in_child)


def _not_there(device: Any) -> DeviceError:
    if not isinstance(device, Device):
        what = f"there is no {device}: a device is cpu(0), gpu(0) or the like"
        return DeviceError("E701", what, help="use gpu(0) for the first GPU, or cpu()")
    if not CONFIG.device:
        what = f"there is no {device}: HYBRIDIZE_DEVICE is not set, so there is only the CPU"
        remedy = "use cpu(), or set HYBRIDIZE_DEVICE to cuda or webgpu before Python starts"
        return DeviceError("E701", what, help=remedy)
    count = num_gpus()
    remedy = "use a number below num_gpus(), or cpu()" if count else "run `hybridize doctor`, or use cpu()"
    shown = f"shows {count or 'no'} GPU{'s' * (count > 1)}"
    return DeviceError("E701", f"there is no {device}: HYBRIDIZE_DEVICE={CONFIG.device} {shown}", help=remedy)

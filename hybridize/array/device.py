# SPDX-License-Identifier: Apache-2.0
"""Devices: names of places for arrays, of which the CPU is the one that is there, and the present one of a thread."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, ClassVar

from hybridize.base.errors import ArgumentError, DeviceError
from hybridize.base.frozen import frozen


@frozen
class Device:
    """A device: `Device("cpu", 1)`, or of another device. Devices of one kind and number are equal.

    In a `with` block it is the present one, as `current_device()` says. There is one memory: `cpu(0)` and `cpu(1)` are
    two names of it. A GPU can be named and compared; using it is refused (DeviceError E701).

    Args:
        device_type: `cpu`, `gpu`, `cpu_pinned`, `cpu_shared`, or a device.
        device_id: which of them.

    Raises:
        ArgumentError E300: another kind.
    """

    device_type: str = "cpu"
    device_id: int = 0

    devstr2type: ClassVar[dict[str, int]] = {"cpu": 1, "gpu": 2, "cpu_pinned": 3, "cpu_shared": 5}
    """MXNet's numbers of the kinds, as its files have them."""
    devtype2str: ClassVar[dict[int, str]] = {number: kind for kind, number in devstr2type.items()}

    def __init__(self, device_type: str | Device = "cpu", device_id: int = 0) -> None:
        if isinstance(device_type, Device):
            kind, number = device_type.device_type, device_type.device_id
        else:
            kind, number = device_type, device_id
        if kind not in Device.devstr2type:
            kinds = ", ".join(Device.devstr2type)
            raise ArgumentError("E300", f"a device is one of {kinds}, got {kind!r}", help="use cpu()")
        object.__setattr__(self, "device_type", kind)
        object.__setattr__(self, "device_id", number)

    @property
    def device_typeid(self) -> int:
        """MXNet's number of the kind."""
        return Device.devstr2type[self.device_type]

    def __enter__(self) -> Device:
        check_device(self)
        _PRESENT.set((*_PRESENT.get(), self))
        return self

    def __exit__(self, *error: object) -> None:
        _PRESENT.set(_PRESENT.get()[:-1])

    def __str__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    __repr__ = __str__

    def empty_cache(self) -> None:
        """Nothing: freed memory goes back to the system."""


Context = Device
_CPU = Device()
_PRESENT: ContextVar[tuple[Device, ...]] = ContextVar("devices", default=(_CPU,))
"""The devices of the `with` blocks around, the last one innermost."""


def cpu(device_id: int = 0) -> Device:
    """The CPU, under a number."""
    return _CPU if device_id == 0 else Device("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Device:
    """The CPU, as MXNet calls memory that a GPU reads faster."""
    return Device("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Device:
    """The name of a GPU, to be compared and printed; there is none to use (`num_gpus()` is 0)."""
    return Device("gpu", device_id)


def num_gpus() -> int:
    """The number of GPUs that hybridize computes on: 0."""
    return 0


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """Refuse, as there is no GPU.

    Raises:
        DeviceError E701: always.
    """
    raise _not_there(gpu(device_id))


def current_device() -> Device:
    """The device of the innermost `with` block around, `cpu(0)` outside of all."""
    return _PRESENT.get()[-1]


def check_device(device: Any) -> None:
    """Refuse every device but the CPU.

    Raises:
        DeviceError E701: another device.
    """
    kind = device if isinstance(device, str) else getattr(device, "device_type", device)
    if kind is not None and not str(kind).startswith("cpu"):
        raise _not_there(device)


def _not_there(device: Any) -> DeviceError:
    return DeviceError(
        "E701", f"there is no {device}: hybridize compiles for the CPU", help="use cpu(); num_gpus() is 0"
    )

# SPDX-License-Identifier: Apache-2.0
"""Devices: the CPU, and an explanation where another one is asked for."""

from __future__ import annotations

from typing import Any, NoReturn

from hybridize.base.errors import DeviceError
from hybridize.base.frozen import frozen


@frozen
class Device:
    """A device. There is one kind, `cpu`, and all of its numbers are the same memory."""

    device_type: str = "cpu"
    device_id: int = 0

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __str__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    __repr__ = __str__

    def empty_cache(self) -> None:
        """Nothing: freed memory goes back to the system."""


Context = Device
_CPU = Device()


def cpu(device_id: int = 0) -> Device:
    """The CPU."""
    return _CPU if device_id == 0 else Device("cpu", device_id)


cpu_pinned = cpu


def gpu(device_id: int = 0) -> NoReturn:
    """Explain that there is none.

    Raises:
        DeviceError E701: always.
    """
    raise DeviceError(
        "E701", f"there is no gpu({device_id}): hybridize compiles for the CPU", help="use cpu(); num_gpus() is 0"
    )


def num_gpus() -> int:
    """The number of GPUs that hybridize computes on: 0."""
    return 0


def current_device() -> Device:
    """The device that arrays are made on."""
    return _CPU


def check_device(device: Any) -> None:
    """Refuse every device but the CPU.

    Raises:
        DeviceError E701: another device.
    """
    kind = device if isinstance(device, str) else getattr(device, "device_type", device)
    if kind is not None and not str(kind).startswith("cpu"):
        raise DeviceError("E701", f"there is no device {device}: hybridize compiles for the CPU", help="use cpu()")

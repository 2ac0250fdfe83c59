# SPDX-License-Identifier: Apache-2.0
"""Arrays on devices, handed to other libraries and taken from them, without a copy: DLPack and CUDA's interface.

`ndarray.__dlpack__`, `ndarray.__cuda_array_interface__` and `np.from_dlpack` load this for arrays that are on devices.
"""

from __future__ import annotations

from typing import Any

from hybridize.array.device import as_device, check_device, gpu
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.placing import moved
from hybridize.base.dtypes import as_dtype
from hybridize.base.errors import ArgumentError
from hybridize.runtime import dlpack


def exported(x: ndarray, stream: Any, max_version: Any, dl_device: Any, copy: bool | None) -> Any:
    """Return a capsule of DLPack over the memory of an array on a device, or over a copy at the host.

    Raises:
        ArgumentError E305: it is asked for elsewhere without a copy.
        ArgumentError E300: there is no such stream, or no such place for a copy.
    """
    options = {} if max_version is None else {"max_version": max_version}
    place = x.__dlpack_device__()
    if dl_device is not None and tuple(dl_device) != place:
        if tuple(dl_device) != dlpack.HOST:
            what = f"an array on {x.device} can be handed over there, or as a copy at the host, not on {dl_device}"
            raise ArgumentError("E300", what, help="leave dl_device out, or say (1, 0)")
        if copy is False:
            what = f"{x.type} on {x.device} cannot be handed over at the host without a copy"
            raise ArgumentError("E305", what, help="leave copy out")
        return x.asnumpy().__dlpack__(**options)
    buffer = x._away()
    if copy:
        return dlpack.exported(buffer.copy(), stream, options, is_copied=True)
    x.storage.exposed = True
    return dlpack.exported(buffer, stream, options)


def interface(x: ndarray) -> dict[str, Any]:
    """Return what `__cuda_array_interface__` says of an array on a GPU."""
    described = dlpack.interface(x._away())
    x.storage.exposed = True
    return described


def taken(x: Any, device: Any, copy: bool | None) -> ndarray:
    """Return an array over the memory of another library's array on a device.

    Raises:
        ArgumentError E307: `x` is no such array.
        DeviceError E702: it is on a device that this process does not use.
    """
    if hasattr(x, "__dlpack_device__"):
        place = x.__dlpack_device__()
        accelerator = dlpack.accelerator_of(place)
        check_device(gpu(place[1]))
        buffer = dlpack.taken(x, accelerator, place[1])
    elif hasattr(x, "__cuda_array_interface__"):
        buffer = dlpack.taken_by_interface(x)
        check_device(gpu(buffer.number))
    else:
        what = f"from_dlpack takes an array with __dlpack__, or __cuda_array_interface__, got {type(x).__name__}"
        raise ArgumentError("E307", what, help="np.array(x) makes an array of other things")
    as_dtype(buffer.dtype)
    memory: Any = buffer.copy() if copy else buffer
    y = wrap(memory)
    if not copy:
        y.storage.exposed = True
    return y if device is None else moved(y, as_device(device))

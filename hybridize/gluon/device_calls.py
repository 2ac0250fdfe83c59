# SPDX-License-Identifier: Apache-2.0
"""Calls of blocks where arrays have devices: a block runs where its arguments are, with its arrays of that device."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from hybridize.array.device import OTHERS, current_device, is_away
from hybridize.array.placing import arrays_in, check_hosts, device_of, one_device, settled, within


def beside(x: Any) -> AbstractContextManager[Any]:
    """Make the device of an array the present one, for a function outside of blocks that makes arrays beside it."""
    return (device_of(x) or current_device()) if OTHERS else nullcontext()


def run_there(block: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a block on the device of its arguments, which is the present one meanwhile.

    A layer of ours is as one function of arrays: its arguments are on one device, and so is what it gives.

    Raises:
        DeviceError E703: arguments of a layer are on different devices, or arrays of NumPy's are beside those of a GPU.
        DeviceError E704: a parameter of a layer is not there.
    """
    values = (*args, *kwargs.values())
    if not block._is_layer or block._children or hasattr(block, "_func"):
        with next((x.device for x in arrays_in(values)), current_device()):
            return run(*args, **kwargs)
    name, arrays = type(block).__name__, list(arrays_in(values))
    common = one_device(name, arrays)
    if is_away(common):
        check_hosts(name, values, arrays)
    with common or current_device() as device:
        for parameter in block._parameters.values():
            if parameter._array is not None or parameter.deferred:
                parameter._at(device)
        return settled(within(run, *args, **kwargs), device, [])

# SPDX-License-Identifier: Apache-2.0
"""Arrays of JAX as arrays of ours and back, over the same memory where that can be."""

from __future__ import annotations

from typing import Any

import jax
import numpy
from numpy.typing import NDArray

from hybridize.array.ndarray import ndarray
from hybridize.base.dtypes import CODES
from hybridize.base.errors import DeviceError, DTypeError
from hybridize.jax import internals
from hybridize.runtime.buffers import ALIGNMENT, aligned


def is_key(dtype: Any) -> bool:
    """Tell whether a dtype is that of keys of random numbers."""
    return bool(jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key))


def elements(array: jax.Array) -> NDArray[Any]:
    """Return the elements of an array, read-only and without a copy; of keys, their words.

    Raises:
        DeviceError E702: they are not in the computer's memory.
        DTypeError E201: it has a dtype that hybridize does not compute with.
    """
    if is_key(array.dtype):
        array = jax.random.key_data(array)
    if not array.is_fully_addressable or any(device.platform != "cpu" for device in array.devices()):
        where = ", ".join(map(str, array.devices()))
        raise DeviceError(
            "E702",
            f"an array on {where} cannot be read",
            help="move it first: jax.device_put(x, jax.devices('cpu')[0])",
        )
    data = numpy.asarray(array)
    if data.dtype not in CODES:
        raise DTypeError("E201", f"an array of {array.dtype} is of no dtype that hybridize computes with")
    return data


def of_result(array: ndarray, weak: bool = False, key: Any = None) -> jax.Array:
    """Return a result as an array of JAX.

    Args:
        array: of ours, that nobody writes any more.
        weak: its dtype yields to others.
        key: the dtype of keys that it is the words of; None for numbers.
    """
    data = array._data
    if not (data.flags.c_contiguous and data.flags.writeable and data.ctypes.data % ALIGNMENT == 0):
        copy = aligned(data.shape, data.dtype)
        copy[...] = data
        data = copy
    result = internals.over_memory(data)
    if key is not None:
        return jax.random.wrap_key_data(result, impl=str(key._impl.name) if hasattr(key, "_impl") else None)
    return internals.weak(result) if weak else result

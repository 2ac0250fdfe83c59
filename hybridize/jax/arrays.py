# SPDX-License-Identifier: Apache-2.0
"""Arrays of JAX as arrays of ours and back, over the same memory where that can be."""

from __future__ import annotations

from typing import Any

import jax
import jax.extend.backend
import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import host_view
from hybridize.array.ndarray import ndarray
from hybridize.base.dtypes import CODES
from hybridize.base.errors import DeviceError, DTypeError
from hybridize.jax import internals


def is_key(dtype: Any) -> bool:
    """Tell whether a dtype is that of keys of random numbers."""
    return bool(jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key))


ARRAY: type[jax.Array] = type(jax.numpy.zeros(()))
"""The class of JAX's arrays that hold numbers."""
_ALL_AT_HOME = set(jax.extend.backend.backends()) == {"cpu"} and jax.process_count() == 1
"""True if JAX has no other memory than the computer's."""


def is_at_home(array: jax.Array) -> bool:
    """Tell whether an array is whole and in the computer's memory."""
    if _ALL_AT_HOME:
        return True
    return array.is_fully_addressable and all(device.platform == "cpu" for device in array.devices())


def elements(array: jax.Array) -> NDArray[Any]:
    """Return the elements of an array, read-only and without a copy; of keys, their words.

    Raises:
        DeviceError E702: they are not in the computer's memory.
    """
    if is_key(array.dtype):
        array = jax.random.key_data(array)
    if not is_at_home(array):
        where = ", ".join(map(str, array.devices()))
        raise DeviceError(
            "E702",
            f"an array on {where} cannot be read",
            help="move it first: jax.device_put(x, jax.devices('cpu')[0])",
        )
    return numpy.asarray(array)


def check_dtype(dtype: Any) -> None:
    """See that hybridize computes with a dtype.

    Raises:
        DTypeError E201: it does not.
    """
    if not is_key(dtype) and dtype not in CODES:
        raise DTypeError("E201", f"an array of {dtype} is of no dtype that hybridize computes with")


def of_result(array: ndarray, weak: bool = False, key: Any = None) -> jax.Array:
    """Return a result as an array of JAX, over its memory where that begins on a cache line; JAX copies others.

    Args:
        array: of ours, that nobody writes any more.
        weak: its dtype yields to others.
        key: the dtype of keys that it is the words of; None for numbers.
    """
    data = host_view(array)
    flags = data.flags
    if not (flags.c_contiguous and flags.writeable):  # of an argument, or a part of a result
        data = numpy.array(data, order="C")
    result = internals.over_memory(data)
    if key is not None:
        return jax.random.wrap_key_data(result, impl=str(key._impl.name) if hasattr(key, "_impl") else None)
    return internals.weak(result) if weak else result

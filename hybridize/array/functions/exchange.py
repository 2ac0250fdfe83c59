# SPDX-License-Identifier: Apache-2.0
"""Arrays over the memory of NumPy's, and DLPack's capsules, under MXNet's names."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array.functions.creation import from_dlpack
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operands import checked
from hybridize.base.errors import ArgumentError, ValueArgumentError
from hybridize.base.loading import load_module
from hybridize.base.tracebacks import leaves


@leaves
def from_numpy(ndarray: Any, zero_copy: bool = True) -> Any:
    """Return an array of a NumPy array, over its memory unless `zero_copy` is False.

    Args:
        ndarray: NumPy's, row by row in memory unless it is copied.
        zero_copy: share its memory; only the new array can be written from then on.

    Raises:
        ValueArgumentError E345: it is laid out otherwise.

    >>> import numpy
    >>> npx.from_numpy(numpy.array([1, 2], "float32"))
    array([1., 2.])
    """
    if not isinstance(ndarray, numpy.ndarray):
        raise ArgumentError("E307", f"from_numpy takes a NumPy array, got {type(ndarray).__name__}")
    if not zero_copy:
        return wrap(checked(ndarray.copy()))
    if not ndarray.flags.c_contiguous:
        what = "from_numpy: the array is not laid out row by row"
        raise ValueArgumentError("E345", what, help="use numpy.ascontiguousarray(x), or zero_copy=False")
    x = wrap(checked(ndarray.view()))
    ndarray.flags.writeable = False
    x.storage.exposed = True
    return x


@leaves
def to_dlpack_for_read(data: ndarray) -> Any:
    """Return a DLPack capsule over the memory of an array, which another library may read.

    Raises:
        ArgumentError E307: it is no array of ours.

    >>> npx.from_dlpack(npx.to_dlpack_for_read(np.array([1, 2])))
    array([1., 2.])
    """
    if not hasattr(data, "__dlpack__"):
        raise ArgumentError("E307", f"to_dlpack_for_read takes an array, got {type(data).__name__}")
    return data.__dlpack__(max_version=(1, 0))


to_dlpack_for_write = to_dlpack_for_read


class _Capsule:
    """A capsule as an object that gives it."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        place: tuple[int, int] = load_module("hybridize.runtime.dlpack").place_of(self._capsule)
        return place


@leaves
def from_dlpack_or_capsule(dlpack: Any) -> Any:
    """Return an array over the memory of a DLPack capsule, or of an object that gives one.

    >>> npx.from_dlpack(npx.to_dlpack_for_read(np.array([1, 2])))
    array([1., 2.])
    """
    return from_dlpack(dlpack if hasattr(dlpack, "__dlpack__") else _Capsule(dlpack))

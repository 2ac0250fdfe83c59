# SPDX-License-Identifier: Apache-2.0
"""Copies between the host and a GPU by way of pinned memory, which it reads and writes by itself.

An array is copied piece by piece, through two places in turn: the GPU has one while the host fills or empties the
other. Copies to the device do not wait for the last pieces, so the array may be written at once.
"""

from __future__ import annotations

from collections import deque
from ctypes import byref, c_void_p, memmove
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.runtime.cuda.context import CudaContext
from hybridize.runtime.cuda.work import CudaEvent

PLACE: Final = 4 << 20
"""Bytes of a place."""
_PLACES: Final = 2


class _Place:
    """Pinned memory, and the event after the last copy that used it."""

    def __init__(self, gpu: CudaContext) -> None:
        address = c_void_p()
        gpu.call("cuMemHostAlloc", byref(address), PLACE, 0)
        self.address: int = address.value or 0
        self._event: CudaEvent = CudaEvent(gpu, timed=False)
        self._gpu = gpu
        self._is_used = False

    def use(self) -> None:
        """Take note that the last copy that was asked for uses it."""
        self._gpu.call("cuEventRecord", self._event.handle, self._gpu.stream)
        self._is_used = True

    def wait(self) -> int:
        """Return the address, once no copy uses it any more."""
        if self._is_used:
            self._gpu.call("cuEventSynchronize", self._event.handle)
            self._is_used = False
        return self.address


class PinnedCopies:
    """The places of a GPU, made when something is copied first. Who uses them has entered the GPU."""

    def __init__(self, gpu: CudaContext) -> None:
        self._gpu = gpu
        self._places: deque[_Place] = deque()

    def _next(self) -> _Place:
        if len(self._places) < _PLACES:
            self._places.append(_Place(self._gpu))
        else:
            self._places.rotate(-1)
        return self._places[-1]

    def copy_in(self, address: int, array: NDArray[Any]) -> None:
        """Copy an array to the device."""
        data = numpy.ascontiguousarray(array)
        source = data.ctypes.data
        for start in range(0, data.nbytes, PLACE):
            nbytes = min(PLACE, data.nbytes - start)
            place = self._next()
            memmove(place.wait(), source + start, nbytes)
            self._gpu.call("cuMemcpyHtoDAsync_v2", address + start, place.address, nbytes, self._gpu.stream)
            place.use()

    def copy_out(self, address: int, array: NDArray[Any]) -> None:
        """Fill an array, which lies row by row, from the device."""
        to = array.ctypes.data
        coming: deque[tuple[_Place, int, int]] = deque()

        def arrive() -> None:
            place, start, nbytes = coming.popleft()
            memmove(to + start, place.wait(), nbytes)

        for start in range(0, array.nbytes, PLACE):
            if len(coming) == _PLACES:
                arrive()
            nbytes = min(PLACE, array.nbytes - start)
            place = self._next()
            self._gpu.call("cuMemcpyDtoHAsync_v2", place.wait(), address + start, nbytes, self._gpu.stream)
            place.use()
            coming.append((place, start, nbytes))
        while coming:
            arrive()

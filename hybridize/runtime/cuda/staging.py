# SPDX-License-Identifier: Apache-2.0
"""Copies between the host and a GPU by way of pinned memory, which it reads and writes by itself.

An array is copied piece by piece, through two places in turn: the GPU has one while the host fills or empties the
other. Copies to the device do not wait for the last pieces, so the array may be written at once.

A thread that copies has two places for itself, so others may ask for work, and copy, while it waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
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
        self._event: CudaEvent = CudaEvent(gpu)
        self._gpu = gpu
        self._is_used = False

    def use(self, name: str, to: int, source: int, nbytes: int, stream: c_void_p) -> None:
        """Ask for a copy that uses the place, and take note that it does."""
        with self._gpu.entered() as call:
            call(name, to, source, nbytes, stream)
            call("cuEventRecord", self._event.handle, stream)
            self._is_used = True

    def wait(self) -> int:
        """Return the address, once no copy uses it any more."""
        if self._is_used:
            with self._gpu.current() as call:
                call("cuEventSynchronize", self._event.handle)
            self._is_used = False
        return self.address


class PinnedCopies:
    """The places of a GPU, made when something is copied first."""

    def __init__(self, gpu: CudaContext) -> None:
        self._gpu = gpu
        self._spare: deque[deque[_Place]] = deque()
        """Those that no thread has; as many pairs as threads have copied at once."""

    @contextmanager
    def _turns(self) -> Iterator[Iterator[_Place]]:
        """Two places for the body of a `with`, which come in turn."""
        try:
            places = self._spare.pop()
        except IndexError:
            places = deque()

        def turns() -> Iterator[_Place]:
            while True:
                if len(places) < _PLACES:
                    with self._gpu.entered():
                        places.append(_Place(self._gpu))
                else:
                    places.rotate(-1)
                yield places[-1]

        try:
            yield turns()
        finally:
            self._spare.append(places)

    def copy_in(self, address: int, array: NDArray[Any], stream: c_void_p | None = None) -> None:
        """Copy an array to the device, on a stream of it."""
        stream = stream if stream is not None else self._gpu.stream
        data = numpy.ascontiguousarray(array)
        source = data.ctypes.data
        with self._turns() as turns:
            for start in range(0, data.nbytes, PLACE):
                nbytes = min(PLACE, data.nbytes - start)
                place = next(turns)
                memmove(place.wait(), source + start, nbytes)
                place.use("cuMemcpyHtoDAsync_v2", address + start, place.address, nbytes, stream)

    def copy_out(self, address: int, array: NDArray[Any]) -> None:
        """Fill an array, which lies row by row, from the device."""
        to = array.ctypes.data
        coming: deque[tuple[_Place, int, int]] = deque()

        def arrive() -> None:
            place, start, nbytes = coming.popleft()
            memmove(to + start, place.wait(), nbytes)

        with self._turns() as turns:
            for start in range(0, array.nbytes, PLACE):
                if len(coming) == _PLACES:
                    arrive()
                nbytes = min(PLACE, array.nbytes - start)
                place = next(turns)
                place.use("cuMemcpyDtoHAsync_v2", place.wait(), address + start, nbytes, self._gpu.stream)
                coming.append((place, start, nbytes))
            while coming:
                arrive()

# SPDX-License-Identifier: Apache-2.0
"""`OverMPI`: ranks that mpirun has started. This module alone imports mpi4py."""

from __future__ import annotations

from typing import NoReturn

import numpy
from mpi4py import MPI

from hybridize.kvstore.carriers import Buffer, Request


class OverMPI:
    """MPI's ranks."""

    def __init__(self) -> None:
        self._comm = MPI.COMM_WORLD.Dup()  # messages of the user's own do not meet ours
        self.rank: int = self._comm.rank
        self.size: int = self._comm.size

    def gather(self, part: Buffer, whole: Buffer) -> Request:
        return self._comm.Iallgather(_bytes_of(part), _bytes_of(whole)).Test

    def broadcast(self, array: Buffer) -> Request:
        return self._comm.Ibcast(array, root=0).Test

    def add(self, own: Buffer, total: Buffer) -> Request:
        return self._comm.Iallreduce(own, total, MPI.SUM).Test

    def exchange(self, parts: Buffer, received: Buffer) -> Request:
        return self._comm.Ialltoall(parts, received).Test

    def end(self) -> NoReturn:
        self._comm.Abort(1)


def _bytes_of(array: Buffer) -> Buffer:
    """Return the memory of an array as bytes: MPI knows no bfloat16."""
    return array.reshape(-1).view(numpy.uint8)

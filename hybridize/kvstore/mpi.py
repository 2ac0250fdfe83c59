# SPDX-License-Identifier: Apache-2.0
"""`OverMPI`: ranks that mpirun has started. This module alone imports mpi4py."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy
from mpi4py import MPI

from hybridize.base.errors import ArgumentError
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

    def boxes(self) -> tuple[Mailbox, Mailbox]:
        """Return two boxes for messages from rank to rank, of which any thread may send and receive.

        Raises:
            ArgumentError E359: this library of MPI serves one thread.
        """
        if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
            raise ArgumentError(
                "E359",
                "the store 'dist_async' needs a library of MPI that serves several threads (MPI_THREAD_MULTIPLE)",
                help="use 'dist_sync', or a library that is built for it: pip install mpich",
            )
        return Mailbox(self._comm.Dup()), Mailbox(self._comm.Dup())


class Mailbox:
    """Messages of arrays, each with a number, from one rank to another."""

    def __init__(self, comm: Any) -> None:
        self._comm = comm

    def send(self, array: Buffer, rank: int, tag: int) -> Request:
        return self._comm.Isend(_bytes_of(array), rank, tag).Test  # type: ignore[no-any-return]

    def receive(self, array: Buffer, rank: int, tag: int) -> Request:
        return self._comm.Irecv(_bytes_of(array), rank, tag).Test  # type: ignore[no-any-return]

    def next(self) -> Letter | None:
        """Return the message that has come first; None where there is none."""
        status = MPI.Status()
        message = self._comm.Improbe(status=status)
        return None if message is None else Letter(message, status.source, status.tag)


class Letter:
    """A message that has come, of a rank, by a number."""

    rank: int
    tag: int

    def __init__(self, message: Any, rank: int, tag: int) -> None:
        self._message, self.rank, self.tag = message, rank, tag

    def take(self, array: Buffer) -> None:
        """Write it to an array."""
        self._message.Recv(_bytes_of(array))


def _bytes_of(array: Buffer) -> Buffer:
    """Return the memory of an array as bytes: MPI knows no bfloat16."""
    return array.reshape(-1).view(numpy.uint8)

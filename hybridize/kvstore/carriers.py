# SPDX-License-Identifier: Apache-2.0
"""`Carrier`: what brings arrays from rank to rank; and which one there is for this process.

A process that mpirun has started has MPI's, one of torchrun, or with a process group of PyTorch's own, has that one's.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from numpy.typing import NDArray

from hybridize.base.errors import ArgumentError
from hybridize.base.loading import load_module

Buffer = NDArray[Any]
Request = Callable[[], bool]
"""Tells whether what was begun is done. Raises ConnectionError where a rank cannot be reached any more."""

_OF_MPI = (("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
"""Variables by which MPICH's mpirun, and Open MPI's, number processes."""
_OF_TORCH = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"""Variables by which PyTorch's processes find each other."""
_OF_TORCHRUN = "TORCHELASTIC_RUN_ID"
INSTALL = (
    "pip install hybridize[mpi], and start the program with mpirun -n 4 python train.py; or pip install "
    "hybridize[torch], and start it with torchrun --nproc-per-node 4 train.py"
)


class Carrier(Protocol):
    """All ranks of a program, as one of them reaches the others.

    All ranks begin the same operations in the same order. Arrays are contiguous, and are let alone until the request
    says that it is done.
    """

    rank: int
    size: int

    def gather(self, part: Buffer, whole: Buffer) -> Request:
        """Write the equal parts of all ranks, one after the other, to `whole` of each."""

    def broadcast(self, array: Buffer) -> Request:
        """Write the array of rank 0 to that of each; of bytes."""

    def add(self, own: Buffer, total: Buffer) -> Request:
        """Write the sum of all ranks, the same bits on each, to `total`; of a dtype in `SUMMED`."""

    def exchange(self, parts: Buffer, received: Buffer) -> Request:
        """Send each rank its part of `parts`, which are equal, and write what the others send; of bytes."""

    def end(self) -> NoReturn:
        """End this process, and, as far as it can, all others."""


SUMMED = ("float32", "float64", "int32", "int64")
"""Dtypes that carriers add themselves."""


class Alone:
    """The carrier of a process that nobody has started with others."""

    rank = 0
    size = 1

    def gather(self, part: Buffer, whole: Buffer) -> Request:
        whole[...] = part
        return lambda: True

    def broadcast(self, array: Buffer) -> Request:
        return lambda: True

    def add(self, own: Buffer, total: Buffer) -> Request:
        total[...] = own
        return lambda: True

    def exchange(self, parts: Buffer, received: Buffer) -> Request:
        received[...] = parts
        return lambda: True

    def end(self) -> NoReturn:
        sys.exit(1)


def find_carrier() -> Carrier:
    """Return the carrier of the ranks that this process is one of.

    Raises:
        ArgumentError E359: its libraries are not installed, or two starters have numbered the process differently.
    """
    by_mpi, by_torch = _numbers_of_mpi(), _numbers_of_torch()
    if by_mpi and by_torch and _OF_TORCHRUN not in os.environ:
        if by_mpi != by_torch:
            raise ArgumentError(
                "E359",
                f"this process is rank {by_mpi[0]} of {by_mpi[1]} for mpirun, and rank {by_torch[0]} of {by_torch[1]} "
                "for torch.distributed",
                help="start the program by one of them: mpirun -n 4 python train.py, or torchrun --nproc-per-node 4 "
                "train.py",
            )
        if importlib.util.find_spec("mpi4py") is not None:
            by_torch = None
    if by_torch:
        return _of_torch()
    try:
        mpi: Carrier = load_module("hybridize.kvstore.mpi").OverMPI()
    except (ImportError, RuntimeError) as error:
        if not by_mpi and importlib.util.find_spec("torch") is not None:
            return Alone()
        what = "mpirun has started this process, which" if by_mpi else "a store of several machines"
        raise ArgumentError("E359", f"{what} needs mpi4py and a library of MPI: {error}", help=INSTALL) from None
    return mpi


def _of_torch() -> Carrier:
    try:
        carrier: Carrier = load_module("hybridize.kvstore.gloo").OverGloo()
    except ImportError as error:
        what = f"the variables {', '.join(_OF_TORCH)} ask for torch.distributed: {error}"
        raise ArgumentError("E359", what, help=INSTALL) from None
    return carrier


def _numbers_of_mpi() -> tuple[int, int] | None:
    """Rank and count as mpirun says them; None where it has not started the process."""
    for rank, size in _OF_MPI:
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return None


def _numbers_of_torch() -> tuple[int, int] | None:
    """Rank and count of PyTorch's process group, or as torchrun says them; None where there is neither."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    if all(name in os.environ for name in _OF_TORCH):
        return int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    return None

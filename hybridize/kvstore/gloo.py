# SPDX-License-Identifier: Apache-2.0
"""`OverGloo`: ranks that torchrun has started, or that a process group of PyTorch's knows; over its gloo.

With `hybridize.torch` this module alone imports torch.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from datetime import timedelta
from typing import Any, NoReturn

import torch
import torch.distributed as distributed

from hybridize.kvstore.carriers import Buffer, Request

_EVER = timedelta(days=3650)
"""As long as gloo itself may wait: how long a rank is waited for is the store's to say, and to change."""


class OverGloo:
    """The ranks of PyTorch's process group, which is initialised here if it was not yet."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._is_first = not distributed.is_initialized()
        if self._is_first:
            distributed.init_process_group("gloo")
        self.rank: int = distributed.get_rank()
        self.size: int = distributed.get_world_size()
        # Of its own: messages of the user's do not meet ours, and the user's may be of another backend.
        self._group: Any = distributed.new_group(backend="gloo", timeout=_EVER)
        # Before `Ranks` registers its last operation, which thus comes first.
        atexit.register(self._close)

    def gather(self, part: Buffer, whole: Buffer) -> Request:
        return self._begun(distributed.all_gather_single, _bytes_of(whole), _bytes_of(part))

    def broadcast(self, array: Buffer) -> Request:
        return self._begun(distributed.broadcast, torch.from_numpy(array), src=0)

    def add(self, own: Buffer, total: Buffer) -> Request:
        total[...] = own
        return self._begun(distributed.all_reduce, torch.from_numpy(total))

    def exchange(self, parts: Buffer, received: Buffer) -> Request:
        return self._begun(distributed.all_to_all_single, torch.from_numpy(received), torch.from_numpy(parts))

    def _begun(self, operation: Any, *tensors: torch.Tensor, **options: Any) -> Request:
        work: Any = None

        def is_done() -> bool:
            nonlocal work
            try:
                if work is None:
                    work = operation(*tensors, **options, group=self._group, async_op=True)
                return bool(work.is_completed() and work.wait())
            except RuntimeError as error:
                raise ConnectionError(str(error)) from None

        return is_done

    def _close(self) -> None:
        """End the threads of gloo.

        They release the arrays of the last operation some time after it is done; without the interpreter, which may
        have ended by then, they cannot, and abort the process.
        """
        if os.getpid() != self._pid:
            return
        group, self._group = self._group, None
        # The program may have destroyed all groups, and made others.
        with suppress(ValueError):
            if distributed.is_initialized():
                distributed.destroy_process_group(None if self._is_first else group)

    def end(self) -> NoReturn:
        """End this process: its connections close, and torchrun ends the others."""
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)


def _bytes_of(array: Buffer) -> torch.Tensor:
    """Return the memory of an array as bytes: not all of its dtypes are PyTorch's."""
    return torch.from_numpy(array.reshape(-1).view("uint8"))

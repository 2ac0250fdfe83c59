# SPDX-License-Identifier: Apache-2.0
"""`DistStore`: the store of several processes, each of which has all values."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array.buffer import host_copy
from hybridize.array.nd_array import like
from hybridize.array.ndarray import wrap
from hybridize.array.placing import place
from hybridize.base.participation import outside_only
from hybridize.kvstore.base import total_of
from hybridize.kvstore.local import KVStore
from hybridize.kvstore.ranks import Ranks, all_ranks

DIST = ("dist_sync", "dist_device_sync", "dist_sync_device")
"""Names of the store of several processes, which are one here."""


class DistStore(KVStore):
    """A store whose pushes sum over all ranks: `mpirun -n 4 python train.py`, `torchrun --nproc-per-node 4 train.py`.

        store = kvstore.create("dist_sync")
        store.init("w", np.zeros((2, 3)))                 # the value of rank 0
        store.push("w", np.ones((2, 3)))                  # each rank calls it
        store.pull("w", out=a)                            # a is 4 everywhere, with 4 ranks

    All ranks make the same calls in the same order. A process that is started alone is one rank.

    Raises:
        ArgumentError E359: neither mpi4py nor torch is installed.
        StateError E594: a rank does something else; E595: one has ended, or does not come in `timeout` seconds.
    """

    def __init__(self, kind: str = "dist_sync") -> None:
        super().__init__(kind)
        self._ranks = all_ranks()

    @property
    def ranks(self) -> Ranks:
        """All ranks."""
        return self._ranks

    @property
    def rank(self) -> int:  # type: ignore[override]
        """The number of this process, from 0."""
        return self._ranks.rank

    @property
    def num_workers(self) -> int:  # type: ignore[override]
        """The number of processes."""
        return self._ranks.size

    @property
    def timeout(self) -> float:
        """Seconds that a rank is waited for, 1800 unless set; of all stores of this process."""
        return self._ranks.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._ranks.timeout = float(seconds)

    @outside_only("waits for other processes")
    def barrier(self) -> None:
        """Return when all ranks have called it."""
        self._ranks.barrier()

    def _barrier(self) -> None:
        self.barrier()

    @outside_only("puts a value into a store")
    def init(self, key: Any, value: Any) -> None:
        """Put copies of rank 0's values under new keys."""
        pairs = list(self._pairs(key, value))
        super().init(key, value)
        for one, _ in pairs:
            present = self._values[one]
            first = self._ranks.broadcast(f"init of the key {one!r}", host_copy(present))
            self._values[one] = place(like(present, wrap(first)), present.device)

    def _total(self, key: Any, arrays: Any) -> Any:
        own = total_of(arrays)
        flat = numpy.ascontiguousarray(host_copy(own)).reshape(-1)
        title = f"push to the key {key!r}"
        total = self._ranks.total(title, str(list(own.shape)), [flat], deterministic=False)
        return place(like(own, wrap(total.reshape(own.shape))), own.device)

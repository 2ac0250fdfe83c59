# SPDX-License-Identifier: Apache-2.0
"""MXNet's `kvstore`: values under keys, to which parts are pushed, summed, and pulled from.

In: arrays, one for each part of a batch, on any devices. Out: their sums, or, with an optimizer, weights that were
updated by them. `local` and `device` are two names of the store of this process, `dist_sync` is that of all processes
that mpirun or torchrun has started; mpi4py, or torch, is imported for that one alone.
It must not know blocks or trainers; a class of one's own that is registered is made by `create` as well.

    base     KVStoreBase, whose subclasses `create` makes, and the smallest of them
    local    KVStore
    carriers what brings arrays from process to process, and which one there is
    mpi      the one of mpirun
    gloo     the one of torchrun
    ranks    what the processes agree on: sums over them, and errors that name who is gone
    dist     DistStore
    served   AsyncStore, whose ranks serve the weights
    creating create
"""

from collections.abc import Callable as _Callable
from typing import Any as _Any

from hybridize.base.names import refuses
from hybridize.kvstore.base import KVStoreBase as KVStoreBase
from hybridize.kvstore.base import TestStore as TestStore
from hybridize.kvstore.creating import create as create
from hybridize.kvstore.local import KVStore as KVStore

__getattr__: _Callable[[str], _Any] = refuses(__name__, globals(), instead={
    "Horovod": "use kvstore.create('dist_sync')", "BytePS": "use kvstore.create('dist_sync')",
})  # fmt: skip

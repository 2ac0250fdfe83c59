# SPDX-License-Identifier: Apache-2.0
"""`create`: stores by their names."""

from __future__ import annotations

from hybridize.base.errors import ArgumentError
from hybridize.base.loading import load_module
from hybridize.kvstore.base import KVStoreBase
from hybridize.kvstore.local import LOCAL, KVStore


def create(name: str = "local") -> KVStoreBase:
    """Return a store.

    Args:
        name: `local` or `device`, which are one here; `dist_sync` or `dist_device_sync`, of all processes that mpirun
            or torchrun has started; `dist_async`, of those of mpirun, where nobody waits for others; or the name of a
            registered class.

    Raises:
        ArgumentError E359: a store that is not supported, or whose libraries are not installed.
        ArgumentError E3003: there is none of that name.

    >>> from hybridize import kvstore
    >>> kvstore.create("local").type
    'local'
    """
    if not isinstance(name, str):
        raise ArgumentError("E3003", f"the name of a store is a string, got {name!r}")
    kind = name.lower()
    store: KVStoreBase
    if kind in KVStoreBase.kv_registry:
        return KVStoreBase.kv_registry[kind]()
    if kind in LOCAL:
        return KVStore(kind)
    if kind.startswith("dist"):
        dist = load_module("hybridize.kvstore.dist")
        if kind in dist.DIST:
            store = dist.DistStore(kind)
            return store
        served = load_module("hybridize.kvstore.served")
        if kind == served.ASYNC:
            store = served.AsyncStore()
            return store
    if "dist" in kind or kind in ("nccl", "horovod", "byteps", "p3"):
        raise ArgumentError(
            "E359", f"the store {name!r} is not supported", help="use 'dist_sync' for several processes, or 'local'"
        )
    raise ArgumentError("E3003", f"there is no store {name!r}", help=f"available: {', '.join(LOCAL)}")

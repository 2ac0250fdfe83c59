# SPDX-License-Identifier: Apache-2.0
"""MXNet's `kvstore`: values under keys, to which parts are pushed, summed, and pulled from.

In: arrays, one for each part of a batch, on any devices. Out: their sums, or, with an optimizer, weights that were
updated by them. It is of this process: `local` and `device` are two names of one store. Several machines are refused.
It must not know blocks or trainers; a class of one's own that is registered is made by `create` as well.

    base     KVStoreBase, whose subclasses `create` makes, and the smallest of them
    local    KVStore
"""

from hybridize.base.names import refuses
from hybridize.kvstore.base import KVStoreBase as KVStoreBase
from hybridize.kvstore.base import TestStore as TestStore
from hybridize.kvstore.local import KVStore as KVStore
from hybridize.kvstore.local import create as create

__getattr__ = refuses(__name__, globals(), instead={
    "Horovod": "training is on one machine", "BytePS": "training is on one machine",
})  # fmt: skip

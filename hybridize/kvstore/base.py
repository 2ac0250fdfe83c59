# SPDX-License-Identifier: Apache-2.0
"""`KVStoreBase`: what a store may do, and the classes that `create` knows by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn, TypeVar

from hybridize.array import np
from hybridize.array.nd_array import like
from hybridize.array.placing import moved
from hybridize.base.advice import warn
from hybridize.base.errors import ArgumentError, UndefinedError
from hybridize.base.nested import listed
from hybridize.base.participation import ReadPolicy, outside_only

_Class = TypeVar("_Class", bound=type[Any])


class KVStoreBase:
    """Declare the interface of stores. A subclass refuses the methods that it does not define.

    @kvstore.KVStoreBase.register
    class MyStore(kvstore.KVStoreBase):
        def broadcast(self, key, value, out, priority=0): ...
        def pushpull(self, key, value, out=None, priority=0): ...

    store = kvstore.create("mystore")

    >>> from hybridize import kvstore
    >>> store = kvstore.create("teststore")
    >>> isinstance(store, kvstore.KVStoreBase)
    True
    """

    __hybridize_read__ = ReadPolicy.IDENTITY

    OPTIMIZER: Final = "optimizer"
    """The capability to update weights by an optimizer."""
    is_served = False
    """True if some ranks have the weights, and update them by each gradient as it comes."""
    kv_registry: dict[str, type[KVStoreBase]] = {}
    """The classes that `create` makes, by their names in lower case."""

    @staticmethod
    def register(klass: _Class) -> _Class:
        """Make a class of stores known to `create` by its name in lower case. Use it as a decorator."""
        name = klass.__name__.lower()
        if name in KVStoreBase.kv_registry:
            warn(f"the store {klass.__qualname__} replaces {KVStoreBase.kv_registry[name].__qualname__}")
        KVStoreBase.kv_registry[name] = klass
        return klass

    def _refuse(self, what: str) -> NoReturn:
        text = f"{type(self).__name__} does not {what}"
        raise UndefinedError("E328", text, help="define it, or use kvstore.create('local')")

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Put a value under a new key, and write it to `out`."""
        self._refuse("broadcast")

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Sum parts, and write what comes of it to `out`, or to the parts."""
        self._refuse("pushpull")

    def set_optimizer(self, optimizer: Any) -> None:
        """Update values by an optimizer from now on."""
        self._refuse("update weights by an optimizer")

    def is_capable(self, capability: str) -> bool:
        """Tell whether it has a capability: `KVStoreBase.OPTIMIZER`."""
        self._refuse("say what it is capable of")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write what the optimizer remembers to a file."""
        self._refuse("write states of an optimizer")

    def load_optimizer_states(self, fname: str) -> None:
        """Continue from a file of states."""
        self._refuse("read states of an optimizer")

    @property
    def type(self) -> str:
        """The name that it was made by."""
        self._refuse("say its type")

    @property
    def rank(self) -> int:
        """The number of this worker among all."""
        self._refuse("say its rank")

    @property
    def num_workers(self) -> int:
        """The number of workers."""
        self._refuse("say how many workers there are")


def check_capability(capability: str) -> str:
    """Return a capability in lower case.

    Raises:
        ArgumentError E3003: there is none of that name.
    """
    if capability.lower() != KVStoreBase.OPTIMIZER:
        raise ArgumentError("E3003", f"there is no capability {capability!r}", help="KVStoreBase.OPTIMIZER is one")
    return capability.lower()


def total_of(arrays: Sequence[Any]) -> Any:
    """Return the sum of arrays, which may be on different devices, as a new one on the device of the first."""
    first, *others = map(as_dense, arrays)
    total = like(first, np.array(first))
    for other in others:
        total += moved(other, total.device)
    return total


def as_dense(array: Any) -> Any:
    """Return an array, a sparse one made dense."""
    return array if array.stype == "default" else array.tostype("default")


@KVStoreBase.register
class TestStore(KVStoreBase):
    """Sum the parts of one key and keep nothing. MXNet's smallest store, for tests.

    >>> from hybridize import kvstore
    >>> store = kvstore.TestStore()
    >>> out = np.empty(2)
    >>> store.pushpull("w", [np.ones(2), np.ones(2)], out=out)
    >>> out
    array([2., 2.])
    """

    __test__ = False  # no test of pytest's

    @outside_only("moves values between arrays")
    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        for one in listed(out):
            one[...] = value

    @outside_only("moves values between arrays")
    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        parts = listed(value)
        total = total_of(parts)
        for one in parts if out is None else listed(out):
            one[...] = total

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Return False: the store keeps no weights."""
        check_capability(capability)
        return False

    type = "teststore"
    rank = 0
    num_workers = 1

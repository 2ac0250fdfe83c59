# SPDX-License-Identifier: Apache-2.0
"""`KVStore`: the store of one process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy

from hybridize.array.buffer import host_copy
from hybridize.array.ndarray import ndarray
from hybridize.array.operators import Operators
from hybridize.array.placing import moved
from hybridize.base.errors import ArgumentError, StateError
from hybridize.base.nested import listed
from hybridize.base.participation import outside_only
from hybridize.formats.atomic import write_atomically
from hybridize.formats.cursor import bytes_of
from hybridize.kvstore.base import KVStoreBase, check_capability, total_of
from hybridize.optimizer import Optimizer, Updater, get_updater

LOCAL = (
    "local", "device", "local_update_cpu", "local_allreduce_cpu", "local_allreduce_device",
)  # fmt: skip
"""Names of the store of one process."""


class KVStore(KVStoreBase):
    """Hold arrays under keys, which are all ints or all strings, and sum what you push.

    A push sums its parts. Without an optimizer the sum takes the place of the value. With one, the sum is the gradient
    by which the value is updated. If you pass several keys as a list, pass as many values and outs.

    Values and parts may be on any devices. A value is on the device of the array that `init` got. The store moves sums
    to it, and what you pull to the device of `out`.

    Raises:
        ArgumentError E3001, E3002: a key of another kind than those before, one that is there (`init`) or is not,
            or lists of different lengths.

    >>> from hybridize import kvstore
    >>> store = kvstore.create("local")
    >>> isinstance(store, kvstore.KVStore)
    True
    >>> store.init("w", np.zeros(2))
    >>> store.push("w", [np.ones(2), np.ones(2)])
    >>> out = np.empty(2)
    >>> store.pull("w", out=out)
    >>> out
    array([2., 2.])
    """

    def __init__(self, kind: str = "local") -> None:
        self._kind = kind
        self._values: dict[int | str, ndarray] = {}
        self._updater: Callable[[Any, Any, Any], None] | None = None

    # ----------------------------------------------------------------------------------------------------- values

    @outside_only("puts a value into a store")
    def init(self, key: Any, value: Any) -> None:
        """Put copies of values under new keys."""
        for one, arrays in self._pairs(key, value):
            if one in self._values:
                raise ArgumentError("E3002", f"the key {one!r} has a value already", help="use push to change it")
            self._values[one] = total_of(arrays[:1])

    @outside_only("changes a value of a store")
    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Sum parts, and update the value by it or replace it.

        Args:
            key: a key, or a list of keys.
            value: an array or a list of them, one for each part; for several keys a list of these.
            priority: accepted; a push is done when it returns.
        """
        summed: dict[int | str, list[Any]] = {}
        for one, arrays in self._pairs(key, value):
            summed.setdefault(one, []).extend(arrays)
        for one, arrays in summed.items():
            present = self._present(one)
            total = moved(self._total(one, arrays), present.device)
            if total.shape != present.shape:
                what = f"the value of {one!r} is {present.type}, {total.type} was pushed"
                raise ArgumentError("E3001", what, help="the pushed arrays must have the shape of the value")
            if self._updater is None:
                self._values[one] = total.astype(present.dtype)
            else:
                self._updater(one, total, present)

    def _total(self, key: Any, arrays: Any) -> Any:
        """The sum of what was pushed to a key."""
        return total_of(arrays)

    @outside_only("reads a value of a store")
    def pull(self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True) -> None:
        """Write values to arrays.

        Args:
            key: a key, or a list of keys.
            out: an array or a list of them; for several keys a list of these.
            priority: accepted; a pull is done when it returns.
            ignore_sparse: leave sparse arrays of `out` as they are, as MXNet does.
        """
        for one, arrays in self._pairs(key, out):
            present = self._present(one)
            for array in arrays:
                if array.stype == "default" or not ignore_sparse:
                    _write(array, present)

    @outside_only("changes a value of a store")
    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Do `push`, and then `pull` to `out`, or to what was pushed."""
        self.push(key, value, priority)
        self.pull(key, value if out is None else out, priority)

    @outside_only("puts a value into a store")
    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Do `init`, and then `pull` to `out`."""
        self.init(key, value)
        self.pull(key, out, priority)

    @outside_only("reads a value of a store")
    def row_sparse_pull(self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None) -> None:
        """Write some rows of values to arrays, and zeros to their other rows.

        Args:
            key: a key, or a list of keys.
            out: as of `pull`.
            priority: accepted.
            row_ids: the numbers of the rows, in any order, some more than once; a list where `out` is one.
        """
        if row_ids is None:
            raise ArgumentError("E3001", "row_sparse_pull needs the rows", help="pass row_ids=array, or use pull")
        pairs = list(self._pairs(key, out))
        arrays = [array for _, several in pairs for array in several]
        rows = [array for one in listed(row_ids) for array in listed(one)]
        if len(rows) == 1:
            rows *= len(arrays)
        if len(rows) != len(arrays):
            what = f"row_ids is a list of {len(rows)} arrays for {len(arrays)} of out"
            raise ArgumentError("E3001", what, help="give one for all keys, or one for each")
        chosen = iter(rows)
        for one, several in pairs:
            present = self._present(one)
            for array in several:
                index = numpy.unique(numpy.asarray(next(chosen)).astype(numpy.int64))
                if index.size and not (index[0] >= 0 and index[-1] < len(present)):
                    raise ArgumentError("E3001", f"rows {index.tolist()} are outside of the {len(present)} of {one!r}")
                values = numpy.zeros(present.shape, present.dtype)
                values[index] = host_copy(present)[index]
                _write(array, ndarray(values))

    def _pairs(self, key: Any, value: Any) -> Iterator[tuple[int | str, list[Any]]]:
        """Keys and their arrays."""
        if not isinstance(key, (list, tuple)):
            keys, values = [key], [value]
        elif isinstance(value, (list, tuple)) and len(value) == len(key):
            keys, values = list(key), list(value)
        else:
            text = f"a list of {len(value)}" if isinstance(value, (list, tuple)) else type(value).__name__
            raise ArgumentError("E3001", f"{len(key)} keys need a list of as many values, got {text}")
        for one in keys:
            kind = str if isinstance(one, str) else int
            if not isinstance(one, (int, str)) or isinstance(one, bool):
                raise ArgumentError("E3001", f"a key is an int or a string, got {one!r}")
            if self._values and not isinstance(next(iter(self._values)), kind):
                raise ArgumentError("E3001", f"keys must be all ints or all strings, but {one!r} is unlike the others")
        for one, several in zip(keys, values, strict=True):
            arrays = listed(several)
            if not arrays or not all(isinstance(array, Operators) for array in arrays):
                raise ArgumentError("E3001", f"the key {one!r} needs an array or a list of arrays, got {several!r}")
            yield one, arrays

    def _present(self, key: int | str) -> ndarray:
        try:
            return self._values[key]
        except KeyError:
            raise ArgumentError("E3002", f"the key {key!r} has no value", help="call init first") from None

    # -------------------------------------------------------------------------------------------------- optimizers

    def set_optimizer(self, optimizer: Any) -> None:
        """Update values by an optimizer from now on: what is pushed is their gradient.

        Raises:
            ArgumentError E3003: it is none.
        """
        if not isinstance(optimizer, Optimizer):
            what = f"set_optimizer takes an optimizer, got {type(optimizer).__name__}"
            raise ArgumentError("E3003", what, help="optimizer.create(name, ...)")
        self._updater = get_updater(optimizer)

    def _set_updater(self, updater: Callable[[Any, Any, Any], None]) -> None:
        """Update values by `updater(key, pushed, value)` from now on, which changes `value` in place."""
        self._updater = updater

    def set_gradient_compression(self, compression_params: Mapping[str, Any]) -> None:
        """Raise an error: the store sends gradients as they are.

        Raises:
            ArgumentError E359: always.
        """
        raise ArgumentError(
            "E359",
            f"gradient compression is not supported, got {dict(compression_params)!r}",
            help="leave the argument out",
        )

    @outside_only("writes a file")
    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write what the optimizer remembers of each key to a file.

        Args:
            fname: the path.
            dump_optimizer: write its settings as well.

        Raises:
            StateError E577: there is no optimizer.
            WriteError E335: the file cannot be written.
        """
        write_atomically(fname, [self._states().get_states(dump_optimizer)])

    @outside_only("reads a file")
    def load_optimizer_states(self, fname: str) -> None:
        """Continue from the states that `save_optimizer_states` wrote.

        Raises:
            StateError E577: there is no optimizer.
            LoadError E600: the file cannot be read.
            LoadError E660 to E662: it is no such file, damaged, or of another optimizer.
        """
        self._states().set_states(bytes(bytes_of(fname)))

    def _states(self) -> Updater:
        if not isinstance(self._updater, Updater):
            raise StateError("E577", "the store has no optimizer", help="call set_optimizer first")
        return self._updater

    # ------------------------------------------------------------------------------------------------------ workers

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Return True: the store can update weights by an optimizer."""
        return check_capability(capability) == KVStoreBase.OPTIMIZER

    @property
    def type(self) -> str:
        """The name that it was made by."""
        return self._kind

    rank = 0
    num_workers = 1

    def _barrier(self) -> None:
        """Return at once: there is no other worker to wait for."""


def _write(array: Any, value: ndarray) -> None:
    if array.stype == "default":
        array[...] = value
    else:
        array._become(value)

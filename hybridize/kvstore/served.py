# SPDX-License-Identifier: Apache-2.0
"""`AsyncStore`: the store whose weights are served by ranks, each update at once, nobody waiting for others.

Each key is one rank's, by turns. A thread of that rank has its value, applies what is pushed in the order in which it
comes, and sends what is asked for. What a rank pushes arrives before what it asks for later.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any

import numpy

from hybridize.array.buffer import host_copy
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.placing import moved
from hybridize.base.errors import ArgumentError, StateError
from hybridize.base.nested import listed
from hybridize.base.participation import outside_only
from hybridize.kvstore.base import KVStoreBase, check_capability, total_of
from hybridize.kvstore.carriers import Buffer, Request
from hybridize.kvstore.ranks import Ranks, all_ranks
from hybridize.optimizer import Optimizer, Updater, get_updater

ASYNC = "dist_async"
_PUSH, _PULL = 0, 1
_SHORTEST, _LONGEST = 5e-5, 2e-3
"""Seconds that a server sleeps while nothing comes: longer and longer."""


class AsyncStore(KVStoreBase):
    """A store of all ranks of an MPI program, whose optimizer applies each gradient as it comes: `dist_async`.

        store = kvstore.create("dist_async")
        store.init("w", np.zeros((2, 3)))                          # the value of rank 0; all ranks make this call
        store.set_optimizer(optimizer.create("sgd"))               # and this one
        store.push("w", gradient)                                  # applied at once, whoever else is still busy
        store.pull("w", out=a)                                     # the value that there is

    Settings of the optimizer are those of the rank that serves a key. Ranks may make different numbers of steps; each
    serves until all have ended.

    Raises:
        ArgumentError E359: there is no MPI, or it does not serve threads.
        StateError E594: a rank puts in other keys, or has another optimizer; E595: one is gone, or does not answer.
    """

    type = ASYNC
    is_served = True

    def __init__(self) -> None:
        self._ranks: Ranks = all_ranks()
        self._requests, self._answers = self._ranks.boxes()
        self._keys: dict[int | str, int] = {}
        """The number of each key: that of its messages."""
        self._likes: list[Buffer] = []
        """Arrays of the shape and dtype of each key's messages."""
        self._values: dict[int, ndarray] = {}
        """The values that this rank serves."""
        self._updater: Updater | None = None
        self._ends = False
        self._thread = threading.Thread(target=self._serve, name="dist_async", daemon=True)
        self._thread.start()
        self._ranks.at_end.append(self._end)

    @property
    def ranks(self) -> Ranks:
        """All ranks."""
        return self._ranks

    @property
    def rank(self) -> int:
        """The number of this process, from 0."""
        return self._ranks.rank

    @property
    def num_workers(self) -> int:
        """The number of processes."""
        return self._ranks.size

    @property
    def timeout(self) -> float:
        """Seconds that a rank is waited for, 1800 unless set; of all stores of this process."""
        return self._ranks.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._ranks.timeout = float(seconds)

    @staticmethod
    def is_capable(capability: str) -> bool:
        """True: it updates weights by an optimizer."""
        return check_capability(capability) == KVStoreBase.OPTIMIZER

    # ---------------------------------------------------------------------------------------------- made by all ranks

    @outside_only("waits for other processes")
    def barrier(self) -> None:
        """Return when all ranks have called it."""
        self._ranks.barrier()

    @outside_only("puts a value into a store")
    def init(self, key: Any, value: Any) -> None:
        """Put copies of rank 0's values under new keys; all ranks call it."""
        for one, arrays in _pairs(key, value):
            if one in self._keys:
                raise ArgumentError("E3002", f"the key {one!r} has a value already", help="use push to change it")
            first = self._ranks.broadcast(f"init of the key {one!r}", host_copy(total_of(arrays[:1])))
            number = len(self._likes)
            self._likes.append(numpy.empty_like(first))
            if self._owner(number) == self.rank:
                self._values[number] = wrap(first)
            self._keys[one] = number
            self._ranks.barrier()  # nobody asks for it before its rank has it

    @outside_only("puts a value into a store")
    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Do `init`, and then `pull` to `out`."""
        self.init(key, value)
        self.pull(key, out)

    @outside_only("waits for other processes")
    def set_optimizer(self, optimizer: Any) -> None:
        """Update values by an optimizer from now on; all ranks call it, with the same.

        Raises:
            ArgumentError E3003: it is none.
        """
        if not isinstance(optimizer, Optimizer):
            what = f"set_optimizer takes an optimizer, got {type(optimizer).__name__}"
            raise ArgumentError("E3003", what, help="optimizer.create(name, ...)")
        self._updater = get_updater(optimizer)
        self._ranks.agree("set_optimizer", f"the optimizer {type(optimizer).__name__}")

    # ------------------------------------------------------------------------------------------ made by each for itself

    @outside_only("changes a value of a store")
    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Send the sum of this rank's parts, by which the value is updated when it arrives.

        Raises:
            StateError E577: there is no optimizer.
        """
        if self._updater is None:
            raise StateError("E577", "the store has no optimizer", help="call set_optimizer first")
        sent = []
        for one, arrays in _pairs(key, value):
            number = self._number(one)
            total, like = host_copy(total_of(arrays)), self._likes[number]
            if total.shape != like.shape:
                what = f"the value of {one!r} is {list(like.shape)}, {list(total.shape)} was pushed"
                raise ArgumentError("E3001", what, help="the pushed arrays must have the shape of the value")
            data = numpy.array(total, like.dtype, order="C")
            sent.append(self._requests.send(data, self._owner(number), 2 * number + _PUSH))
        for request in sent:
            self._ranks.wait("push", request)

    @outside_only("reads a value of a store")
    def pull(self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True) -> None:
        """Write the values that there are to arrays."""
        coming: list[tuple[Request, Buffer, list[Any]]] = []
        for one, arrays in _pairs(key, out):
            number = self._number(one)
            buffer, owner = numpy.empty_like(self._likes[number]), self._owner(number)
            arrives = self._answers.receive(buffer, owner, number)
            self._ranks.wait("pull", self._requests.send(buffer[:0].copy(), owner, 2 * number + _PULL))
            coming.append((arrives, buffer, arrays))
        for arrives, buffer, arrays in coming:
            self._ranks.wait("pull", arrives)
            for array in arrays:
                array[...] = moved(wrap(buffer), array.device)

    @outside_only("changes a value of a store")
    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Do `push`, and then `pull` to `out`, or to what was pushed."""
        self.push(key, value)
        self.pull(key, value if out is None else out)

    def _owner(self, number: int) -> int:
        return number % self._ranks.size

    def _number(self, key: Any) -> int:
        if key not in self._keys:
            raise ArgumentError("E3002", f"the key {key!r} has no value", help="call init first")
        return self._keys[key]

    # ---------------------------------------------------------------------------------------------------------- serving

    def _serve(self) -> None:
        """Do what ranks ask for, in a thread of its own; an error ends all ranks, as nobody waits for a push."""
        answers: list[Request] = []
        pause = _SHORTEST
        try:
            while not self._ends:
                message = self._requests.next()
                answers = [one for one in answers if not one()]
                if message is None:
                    time.sleep(pause)
                    pause = min(2 * pause, _LONGEST)
                    continue
                pause = _SHORTEST
                number, what = divmod(message.tag, 2)
                if what == _PULL:
                    message.take(numpy.empty(0, numpy.uint8))
                    answers.append(self._answers.send(host_copy(self._values[number]).copy(), message.rank, number))
                else:
                    gradient = numpy.empty_like(self._likes[number])
                    message.take(gradient)
                    assert self._updater is not None  # who pushes has agreed on one with all ranks
                    self._updater(number, wrap(gradient), self._values[number])
        except BaseException as error:
            traceback.print_exc()
            sys.stderr.flush()
            self._ranks.end(f"as its store has failed, by {type(error).__name__}")

    def _end(self) -> None:
        self._ends = True
        self._thread.join()


def _pairs(key: Any, value: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Keys and their arrays."""
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    values = list(value) if isinstance(key, (list, tuple)) else [value]
    if len(keys) != len(values):
        raise ArgumentError("E3001", f"{len(keys)} keys need a list of as many values, got {len(values)}")
    for one, several in zip(keys, values, strict=True):
        yield one, listed(several)

# SPDX-License-Identifier: Apache-2.0
"""`Ranks`: the processes of one training, as this one sees them, and what they agree on.

Each operation begins with a word that all ranks exchange: who does something else, or has ended, is named before any
data is waited for. Nobody waits for a process that is gone, or for longer than `timeout`. A rank that ends by an
exception ends the others with it.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from types import TracebackType
from typing import Any, NoReturn

import numpy

from hybridize import system
from hybridize.base.errors import ArgumentError, StateError
from hybridize.kvstore.carriers import SUMMED, Buffer, Carrier, Request, find_carrier

_LEAVES = -1
"""The word of a rank whose program has ended."""
_SPINS = 2000
"""Times that a request is asked for before the processor is left to others: some 200 us, a short message's time."""
_LOOKS = 0.2
"""Seconds from one look at the other processes to the next, while waiting."""
_DYING = 2.0
"""Seconds that a process whose connection is closed may need to be gone."""


class Ranks:
    """All ranks of the program, and the sums over them.

    Attributes:
        rank: the number of this process, from 0.
        size: how many there are; 1 where nobody has started it with others.
        timeout: seconds that a rank is waited for.
    """

    def __init__(self, carrier: Carrier) -> None:
        self._carrier = carrier
        self.rank: int = carrier.rank
        self.size: int = carrier.size
        self.timeout: float = 1800.0
        self._pid = os.getpid()
        self._is_broken = False
        self._is_left = False
        """True if an operation was begun that not all ranks have come to."""
        self._title = "the start"
        self._homes: list[tuple[str, str, int]] = [("", "", 0)] * self.size
        """Host, space of process numbers, and process of each rank."""
        self._homes = list(map(tuple, self._gathered([socket.gethostname(), system.process_space(), self._pid])))
        self.at_end: list[Callable[[], None]] = []
        """Functions that are called when all ranks have ended their programs."""
        atexit.register(self._leave)
        if self.size > 1:
            self._shown, sys.excepthook = sys.excepthook, self._fail

    # ---------------------------------------------------------------------------------------------------- operations

    def barrier(self) -> None:
        """Return when all ranks have called it."""
        self.agree("barrier", "")

    def boxes(self) -> Any:
        """Return boxes for messages from rank to rank.

        Raises:
            ArgumentError E359: the carrier has none.
        """
        if not hasattr(self._carrier, "boxes"):
            raise ArgumentError(
                "E359",
                "the store 'dist_async' needs MPI, whose ranks answer each other at any time",
                help="pip install hybridize[mpi], and start the program with mpirun -n 4 python train.py; or use "
                "'dist_sync'",
            )
        return self._carrier.boxes()

    def wait(self, title: str, is_done: Request) -> None:
        """Wait until a message has been sent or received.

        Raises:
            StateError E595: a process is gone, or a rank does not answer.
        """
        self._check_whole(title)
        self._title = title
        self._wait(is_done)

    def gathered(self, title: str, value: Any) -> list[Any]:
        """Return the value of each rank, by rank; as JSON brings it."""
        self.agree(title, "")
        return self._gathered(value)

    def broadcast(self, title: str, array: Buffer) -> Buffer:
        """Return the array of rank 0, of the same shape and dtype on all."""
        self.agree(title, f"{array.dtype}{list(array.shape)}")
        copy = numpy.array(array, order="C")
        self._wait(self._carrier.broadcast(copy.reshape(-1).view(numpy.uint8)))
        return copy

    def total(self, title: str, plan: str, leaves: Sequence[Buffer], deterministic: bool) -> Buffer:
        """Return the sum of flat buffers of all ranks, the same bits on each.

        Args:
            title: the operation, for errors.
            plan: the elements that the buffers hold, in words; the same on all ranks.
            leaves: one or more vectors of this rank, of one dtype and length.
            deterministic: add in the order of a tree whose leaves are the vectors of rank 0, then of rank 1, and so on:
                the sum does not depend on how many ranks share them. Else the carrier chooses the order.

        Raises:
            StateError E594: a rank has other gradients; E595: one has ended, or does not come.
        """
        own = _tree(leaves)
        if self.size == 1:
            return own
        self.agree(title, f"{plan}\n{own.dtype}[{len(own)}] x {len(leaves) if deterministic else ''} {deterministic}")
        if not deterministic and own.dtype.name in SUMMED:
            result = numpy.empty_like(own)
            self._wait(self._carrier.add(own, result))
            return result
        part = -(-len(own) // self.size)
        padded = numpy.zeros(part * self.size, own.dtype)
        padded[: len(own)] = own
        parts = numpy.empty_like(padded)
        self._wait(self._carrier.exchange(padded.view(numpy.uint8), parts.view(numpy.uint8)))
        mine = _tree(list(parts.reshape(self.size, part)))
        self._wait(self._carrier.gather(mine, padded))
        return padded[: len(own)]

    # ------------------------------------------------------------------------------------------------------- waiting

    def agree(self, title: str, plan: str) -> None:
        """Exchange what each rank is about to do.

        Raises:
            StateError E594: it is not the same; E595: a rank has ended.
        """
        self._check_whole(title)
        self._title = title
        words = numpy.empty(self.size, numpy.int64)
        word = numpy.array([zlib.crc32(f"{title}\n{plan}".encode())], numpy.int64)
        self._wait(self._carrier.gather(word, words))
        gone = [rank for rank, one in enumerate(words) if one == _LEAVES]
        if gone:
            self._is_broken = True
            raise StateError(
                "E595",
                f"{self._all_named(gone)} ended, while rank {self.rank} is at {title}",
                help="let all ranks make the same number of steps: give them as many batches each",
            )
        if (words != words[0]).any():
            lists = self._gathered([title, plan])
            self._is_broken = True
            rank = int(numpy.flatnonzero(words != words[0])[0])
            raise StateError(
                "E594",
                f"{self._named(rank)} {_difference(lists[rank], lists[0])}",
                help="run the same program with the same net on all ranks",
            )

    def _check_whole(self, title: str) -> None:
        if self._is_broken:
            raise StateError(
                "E595", f"{title} after an operation of all ranks has failed", help="start the program anew"
            )

    def _gathered(self, value: Any) -> list[Any]:
        text = numpy.frombuffer(json.dumps(value).encode(), numpy.uint8)
        sizes = numpy.empty(self.size, numpy.int64)
        self._wait(self._carrier.gather(numpy.array([len(text)], numpy.int64), sizes))
        padded = numpy.zeros(sizes.max(), numpy.uint8)
        padded[: len(text)] = text
        texts = numpy.empty((self.size, len(padded)), numpy.uint8)
        self._wait(self._carrier.gather(padded, texts))
        return [json.loads(one[:size].tobytes()) for one, size in zip(texts, sizes, strict=True)]

    def _wait(self, is_done: Request, timeout: float | None = None) -> None:
        """Wait until a request is done.

        Raises:
            StateError E595: a process is gone, or a rank has not come in time.
        """
        try:
            for _ in range(_SPINS):
                if is_done():
                    return
            begin = look = time.monotonic()
            limit = self.timeout if timeout is None else timeout
            while not is_done():
                system.give_way()
                now = time.monotonic()
                if now < look:
                    continue
                look = now + _LOOKS
                gone = self._gone()
                if gone and not is_done():
                    raise self._have_died(gone)
                if now - begin > limit:
                    self._is_broken = self._is_left = True
                    raise StateError(
                        "E595",
                        f"rank {self.rank} has waited {limit:g} s at {self._title}, and not all ranks have come",
                        help="let all ranks make the same steps, or set the store's timeout",
                    )
        except ConnectionError as error:
            raise self._lost(error) from None

    def _lost(self, error: ConnectionError) -> StateError:
        """Return what to say of a connection that is closed: who is gone, as soon as that can be seen."""
        limit = time.monotonic() + _DYING
        while not (gone := self._gone()) and time.monotonic() < limit:
            time.sleep(_LOOKS / 10)
        if gone:
            return self._have_died(gone)
        self._is_broken = True
        return StateError(
            "E595",
            f"rank {self.rank} has lost the connection to another rank at {self._title}: {error}",
            help="see what the other ranks say, and start the program anew: let it go on from its last checkpoint",
        )

    def _have_died(self, gone: Sequence[int]) -> StateError:
        self._is_broken = True
        return StateError(
            "E595",
            f"{self._all_named(gone)} died, while rank {self.rank} is at {self._title}",
            help="start the program anew: let it go on from its last checkpoint",
        )

    def _gone(self) -> list[int]:
        return [rank for rank in range(self.size) if self._is_gone(rank)]

    def _is_gone(self, rank: int) -> bool:
        """Tell whether the process of a rank on this machine has ended; of others MPI's own starter knows."""
        host, space, pid = self._homes[rank]
        if (host, space) != self._homes[self.rank][:2] or not space:
            return False
        return system.process_start(pid) == -1

    def _named(self, rank: int) -> str:
        host, _, pid = self._homes[rank]
        return f"rank {rank} of {self.size} (process {pid} on {host})"

    def _all_named(self, ranks: Sequence[int]) -> str:
        return f"{', '.join(map(self._named, ranks))} {'have' if len(ranks) > 1 else 'has'}"

    # -------------------------------------------------------------------------------------------------------- endings

    def _leave(self) -> None:
        """Say to the others that this rank makes no more steps; they may come to that later."""
        if os.getpid() != self._pid:
            return
        if self._is_left:  # who is in an operation for ever would wait for its end, too
            self.end("after an operation that not all ranks have come to")
        if not self._is_broken:
            self._await_all()
        for call in self.at_end:
            call()

    def _await_all(self) -> None:
        self._is_broken = True
        words = numpy.empty(self.size, numpy.int64)
        try:
            self._wait(self._carrier.gather(numpy.array([_LEAVES], numpy.int64), words), float("inf"))
        except (ConnectionError, StateError) as error:
            print(f"hybridize: {error}", file=sys.stderr, flush=True)
            self._carrier.end()

    def _fail(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Show an exception that nobody has caught, and end all ranks, which would wait for this one."""
        self._shown(kind, error, trace)
        if os.getpid() == self._pid:
            self.end(f"by {kind.__name__}")

    def end(self, why: str) -> NoReturn:
        """End all ranks, and say why."""
        print(f"hybridize: {self._named(self.rank)} ends all ranks, {why}", file=sys.stderr, flush=True)
        sys.stdout.flush()
        self._carrier.end()


@cache
def all_ranks() -> Ranks:
    """Return the ranks of this program.

    Raises:
        ArgumentError E359: there are none, for want of libraries.
    """
    return Ranks(find_carrier())


def _tree(leaves: Sequence[Buffer]) -> Buffer:
    """Return the sum of vectors, neighbours first, then the sums of neighbours, and so on."""
    level = list(leaves)
    while len(level) > 1:
        pairs = [level[k] + level[k + 1] for k in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) // 2 * 2 :]
    return level[0]


def _difference(theirs: Sequence[str], first: Sequence[str]) -> str:
    """Describe the first difference between what a rank is about to do and what rank 0 is."""
    if theirs[0] != first[0]:
        return f"is at {theirs[0]}, rank 0 at {first[0]}"
    lines, others = theirs[1].splitlines(), first[1].splitlines()
    for line, other in zip(lines, others, strict=False):
        if line != other:
            return f"has {line} where rank 0 has {other}, at {first[0]}"
    more, whose = (lines[len(others)], "it") if len(lines) > len(others) else (others[len(lines)], "rank 0")
    return f"has other parameters than rank 0: only {whose} has {more}, at {first[0]}"

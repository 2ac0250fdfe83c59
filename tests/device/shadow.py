# SPDX-License-Identifier: Apache-2.0
"""Who touched which bytes: races between threads of a block since its last barrier, and between blocks of a launch.

Accesses are noted, and looked at together when the threads meet at a barrier: then their order does not matter. Times
only grow, from one launch to the next, so nothing is ever cleared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tests.device.assembly import Instruction

NEVER = -1
LIMIT = 1 << 23
"""Accesses that are noted before some are looked at although no barrier came."""


class Moment(NamedTuple):
    """What time it is: stamps of threads from `epoch` on are of this epoch, numbers of blocks from `launch` on of this launch.

    A stamp is the epoch, and `codes` for each time that the thread's warp has met in it (`bar.warp.sync`), and a code:
    the thread, or several threads of a warp, or of several warps.
    """

    epoch: int
    lanes: int
    launch: int
    blocks: int
    first: int
    """The number of the block of the first lane."""
    row: int
    """How many lanes a block has."""

    @property
    def warps(self) -> int:
        return -(-self.lanes // 32)

    @property
    def codes(self) -> int:
        return self.lanes + self.warps + 1

    @property
    def several(self) -> int:
        """Return the stamp of threads of several warps."""
        return self.epoch + self.lanes + self.warps

    @property
    def many_blocks(self) -> int:
        """Return the number for several blocks, or for a read of what nobody may write, of this launch."""
        return self.launch + self.blocks

    def phase(self, stamps: np.ndarray) -> np.ndarray:
        """Return how often the warps of stamps have met."""
        return (stamps - self.epoch) // self.codes

    def warp(self, stamps: np.ndarray) -> np.ndarray:
        """Return the warps of stamps; that of several warps has none."""
        code = (stamps - self.epoch) % self.codes
        return np.where(code < self.lanes, code >> 5, code - self.lanes)

    def thread(self, stamp: int) -> str:
        """Name who has a stamp."""
        code = (stamp - self.epoch) % self.codes
        if code >= self.lanes + self.warps:
            return "other threads"
        lane = code if code < self.lanes else (code - self.lanes) * 32
        words = "thread" if code < self.lanes else "other threads of the warp of thread"
        return f"{words} {lane % self.row} of block {self.first + lane // self.row}"

    def several_of_warp(self, stamps: np.ndarray) -> np.ndarray:
        """Return the stamps of several threads of the warps of stamps, as often as those have met."""
        return self.epoch + self.phase(stamps) * self.codes + self.lanes + self.warp(stamps)

    def conflicts(self, other: np.ndarray, who: np.ndarray) -> np.ndarray:
        """Tell where threads meet others of this epoch, and neither are the same nor of a warp that met between."""
        bad = (other >= self.epoch) & (other != who)
        if bad.any():
            theirs, mine = (self.warp(x) for x in (other, who))
            same = (other - who) % self.codes == 0
            bad &= ~(same | ((theirs == mine) & (self.phase(other) != self.phase(who))))
        return bad


class Access(NamedTuple):
    """What some threads did at once: places in bytes, stamps of threads, numbers of blocks."""

    places: np.ndarray
    nbytes: int
    who: np.ndarray
    block: np.ndarray
    instruction: Instruction
    is_fixed: bool = False
    """Whether it is a read of what nobody may write in this launch."""


class Shadow:
    """The shadow of one memory."""

    def __init__(self, nbytes: int, has_blocks: bool) -> None:
        self.nbytes, self.unit, self.has_blocks = nbytes, 4, has_blocks
        self.reads: list[Access] = []
        self.writes: list[Access] = []
        self.compared: list[Access] = []
        """What is looked at now, or was last."""
        self.noted = 0
        self._arrays()

    def _arrays(self) -> None:
        words = -(-self.nbytes // self.unit)
        self.writer, self.reader = (np.full(words, NEVER, np.int64) for _ in range(2))
        self.writing_block, self.reading_block = (
            np.full(words if self.has_blocks else 0, NEVER, np.int64) for _ in range(2)
        )

    def note(self, reads: bool, one: Access, moment: Moment) -> None:
        """Note an access."""
        if one.nbytes < self.unit:
            self._refine(one.nbytes)
        (self.reads if reads else self.writes).append(one)
        self.noted += one.places.size
        if self.noted > LIMIT:
            self.settle(moment, ends=False)

    def _refine(self, unit: int) -> None:
        times, self.unit = self.unit // unit, unit
        for name in ("writer", "reader", "writing_block", "reading_block"):
            setattr(self, name, np.repeat(getattr(self, name), times))

    def settle(self, moment: Moment, ends: bool = True) -> None:
        """Look at what is noted: as an epoch ends, or before."""
        reads, writes = self.reads, self.writes
        self.compared = [*writes, *reads]
        self.reads, self.writes, self.noted = [], [], 0
        for one in writes:
            for words, who, block in self._words(one):
                self._write(one, words, who, block, moment)
        for one in reads:
            for words, who, block in self._words(one):
                self._read(one, words, who, block, moment, folds=not ends)

    def _words(self, one: Access) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Return the first word of each thread, then the second one, and so on, with who and which block it is."""
        first, who, block = np.broadcast_arrays(one.places // self.unit, one.who, one.block)
        for k in range(max(1, one.nbytes // self.unit)):
            yield (first + k if k else first), who, block

    def _write(self, one: Access, words: np.ndarray, who: np.ndarray, block: np.ndarray, moment: Moment) -> None:
        for other in (self.writer.take(words), self.reader.take(words)):
            bad = moment.conflicts(other, who)
            if bad.any():
                self._fault(one, moment, words, who, other, bad)
        self.writer[words] = who
        other = self.writer.take(words)
        if not np.array_equal(other, who):
            self._fault(one, moment, words, who, other, other != who)
        if self.has_blocks:
            for number in (self.writing_block.take(words), self.reading_block.take(words)):
                bad = (number >= moment.launch) & (number != block)
                if bad.any():
                    self._fault_of_blocks(one, moment, words, block, number, bad)
            self.writing_block[words] = block

    def _read(
        self, one: Access, words: np.ndarray, who: np.ndarray, block: np.ndarray, moment: Moment, folds: bool
    ) -> None:
        other = self.writer.take(words)
        bad = moment.conflicts(other, who)
        if bad.any():
            self._fault(one, moment, words, who, other, bad)
        if folds:
            self._keep_readers(words, who, moment)
        if self.has_blocks:
            number = self.writing_block.take(words)
            bad = (number >= moment.launch) & (one.is_fixed | (number != block))
            if bad.any():
                self._fault_of_blocks(one, moment, words, block, number, bad)
            before = self.reading_block.take(words)
            alone = (before < moment.launch) | (before == block)
            many = moment.many_blocks
            _fold(self.reading_block, words, np.where(alone & (not one.is_fixed), block, many), many)

    def _keep_readers(self, words: np.ndarray, who: np.ndarray, moment: Moment) -> None:
        """Keep who has read: a thread, several of a warp since it met last, or several warps."""

        def joined(before: np.ndarray, mine: np.ndarray) -> np.ndarray:
            is_new = (before < moment.epoch) | ((before - mine) % moment.codes == 0)
            same = moment.warp(before) == moment.warp(mine)
            later = moment.phase(before) < moment.phase(mine)
            return np.where(is_new | (same & later), mine, np.where(same, moment.several_of_warp(mine), moment.several))

        self.reader[words] = stamps = joined(self.reader.take(words), who)
        before = self.reader.take(words)
        differs = np.flatnonzero(before != stamps)  # several threads of one instruction
        if differs.size:
            self.reader[words[differs]] = joined(before[differs], stamps[differs])
            wide = np.flatnonzero(moment.warp(self.reader.take(words)) != moment.warp(who))
            self.reader[words[wide]] = moment.several

    def _fault(
        self, one: Access, moment: Moment, words: np.ndarray, who: np.ndarray, other: np.ndarray, bad: np.ndarray
    ) -> None:
        at = int(np.flatnonzero(bad)[0])
        place, mine, theirs = int(words[at]), int(who[at]), int(other[at])
        lines = [
            f"line {access.instruction.line}: {access.instruction.text}"
            for access in self.compared
            for w, stamp, _ in self._words(access)
            if ((w == place) & (stamp == theirs)).any()
        ]
        raise one.instruction.fault(
            f"race at byte {place * self.unit}: {moment.thread(mine)} and {moment.thread(theirs)} meet with no barrier between"
            f" (the other at {lines[0] if lines else 'an earlier line'})"
        )

    def _fault_of_blocks(
        self, one: Access, moment: Moment, words: np.ndarray, block: np.ndarray, other: np.ndarray, bad: np.ndarray
    ) -> None:
        at = int(np.flatnonzero(bad)[0])
        mine, theirs = int(block[at]) - moment.launch, int(other[at]) - moment.launch
        place = f"byte {int(words[at]) * self.unit}"
        if one.is_fixed or (mine == theirs):
            raise one.instruction.fault(f"{place} is read by ld.global.nc and written in the same launch")
        others = f"block {theirs}" if theirs < moment.blocks else "other blocks, or ld.global.nc,"
        raise one.instruction.fault(f"race at {place}: block {mine} and {others} meet here in one launch")


def _fold(target: np.ndarray, words: np.ndarray, values: np.ndarray, several: int) -> None:
    """Store values, and `several` where two differ."""
    target[words] = values
    differs = target.take(words) != values
    if differs.any():
        target[words[differs]] = several

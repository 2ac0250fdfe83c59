# SPDX-License-Identifier: Apache-2.0
"""The choice of steps that threads share, and the team that does so."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hybridize.schedule.memory import rounded
from hybridize.schedule.parallel import Split, worth
from hybridize.schedule.slots import Slots
from hybridize.schedule.steps import ThreadPoolHandle


class Sharing:
    """Decides for one program; with the first step that is shared, the thread pool's handle becomes a constant."""

    def __init__(self, threads: int, turns: int, slots: Slots) -> None:
        """`turns` are those of the loops that the program is in, all together."""
        self.threads = threads
        self._turns, self._slots = turns, slots
        self._team = -1

    def is_worth(self, nbytes: int, flops: int, possible: Callable[[], bool]) -> bool:
        """Tell whether threads share so much work, if that is possible."""
        return self.threads > 1 and worth(nbytes, flops, self._team >= 0, self._turns) and possible()

    def split(self, nbytes: int, flops: int, own: Sequence[int], possible: Callable[[], bool]) -> Split | None:
        """Split a step among threads, each with its own memory of these sizes; None if that is impossible or not worth
        it.
        """
        if not self.is_worth(nbytes, flops, possible):
            return None
        if self._team < 0:
            self._team = self._slots.add([ThreadPoolHandle()])[0]
        strides = tuple(rounded(size) for size in own)
        return Split(self.threads, nbytes, flops, self._team, strides, wakes=self._turns > 1)

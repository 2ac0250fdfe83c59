# SPDX-License-Identifier: Apache-2.0
"""A program that notes the time after each of its steps, to be run once for a report and thrown away.

Its way of being called is that of any program. The times go to an array whose address is in the code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from hybridize.codegen.llvm.pointers import Pointers
from hybridize.codegen.llvm.program import Emitter
from hybridize.codegen.llvm.safepoints import clock
from hybridize.codegen.llvm.text import Function, Module
from hybridize.machine.target import Target
from hybridize.schedule.steps import Band, RegionStep, ScheduleStep, SharedStep
from hybridize.schedule.tasks import TaskGroup

_NOTED_FIRST = 2
"""Times before the first step."""


class TimedEmitter(Emitter):
    """Writes ticks of the processor's clock: twice before the first step, which tells what noting costs, then after
    each step of the outermost program.
    """

    def __init__(self, module: Module, target: Target, prefix: str, address: int) -> None:
        """`address` is that of 64-bit words, two more than there are steps; the code must not outlive them."""
        super().__init__(module, target, prefix)
        self._address = address
        self._count = 0
        self.together: list[range] = []
        """Steps that run together: the first of each is given the time of all."""

    def step(self, f: Function, step: ScheduleStep, pointers: Pointers) -> str:
        if f.name != self.prefix:  # a body inside a step
            return super().step(f, step, pointers)
        self._begin(f)
        name = super().step(f, step, pointers)
        self._note(f)
        return name

    def group(self, f: Function, group: TaskGroup, steps: Sequence[ScheduleStep], pointers: Pointers) -> list[str]:
        return self._together(f, functools.partial(super().group, f, group, steps, pointers))

    def band(self, f: Function, band: Band, steps: Sequence[SharedStep], pointers: Pointers) -> list[str]:
        return self._together(f, functools.partial(super().band, f, band, steps, pointers))

    def scans(self, f: Function, steps: Sequence[RegionStep], pointers: Pointers) -> list[str]:
        return self._together(f, functools.partial(super().scans, f, steps, pointers))

    def _together(self, f: Function, write: Callable[[], list[str]]) -> list[str]:
        """Write steps that run together, and note the time of all at once; of those of a body inside a step none."""
        if f.name != self.prefix:
            return write()
        self._begin(f)
        names = write()
        first = self._count - _NOTED_FIRST
        self.together.append(range(first, first + len(names)))
        for _ in names:
            self._note(f)
        return names

    def _begin(self, f: Function) -> None:
        for _ in range(0 if self._count else _NOTED_FIRST):
            self._note(f)

    def _note(self, f: Function) -> None:
        f.do(f"store i64 {clock(f, self.target)}, ptr inttoptr (i64 {self._address + 8 * self._count} to ptr), align 8")
        self._count += 1

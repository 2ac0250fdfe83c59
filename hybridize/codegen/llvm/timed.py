# SPDX-License-Identifier: Apache-2.0
"""A program that notes the time after each of its steps, to be run once for a report and thrown away.

Its way of being called is that of any program. The times go to an array whose address is in the code.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.codegen.llvm.host import HostBlock, HostWriter
from hybridize.codegen.llvm.pointers import Pointers
from hybridize.codegen.llvm.safepoints import clock
from hybridize.codegen.llvm.table import FunctionTable
from hybridize.codegen.llvm.text import Function
from hybridize.machine.target import Target
from hybridize.runtime.plan import PlanAddress, PlanNode, PlanStep, steps_of


class TimedWriter(HostWriter):
    """Writes ticks of the processor's clock: twice before the first step, which tells what noting costs, then after
    each step of the outermost program.
    """

    def __init__(self, functions: FunctionTable, target: Target, address: int) -> None:
        """`address` is that of 64-bit words, two more than there are steps; the code must not outlive them."""
        super().__init__(functions, target)
        self._address = address
        self.count: int = 0
        """Times that are noted so far."""
        self.together: list[range] = []
        """Steps that run together: the first of each is given the time of all."""

    def block(self, f: Function, steps: Sequence[PlanStep], pointers: Pointers, team: PlanAddress | None) -> HostBlock:
        if f.name != self.functions.prefix:  # a body inside a step
            return super().block(f, steps, pointers, team)
        return _TimedBlock(self, f, steps, pointers, team)

    def note(self, f: Function) -> None:
        """Write down the time."""
        f.do(f"store i64 {clock(f, self.target)}, ptr inttoptr (i64 {self._address + 8 * self.count} to ptr), align 8")
        self.count += 1


class _TimedBlock(HostBlock):
    """The outermost program."""

    def __init__(
        self, host: TimedWriter, f: Function, steps: Sequence[PlanStep], pointers: Pointers, team: PlanAddress | None
    ) -> None:
        super().__init__(host, f, steps, pointers, team)
        self._timed = host

    def write(self, node: PlanNode) -> None:
        numbers = steps_of(node)
        if numbers and not self._timed.count:
            self._timed.note(self._f)
            self._timed.note(self._f)
        super().write(node)
        if not isinstance(node, int) and numbers:
            self._timed.together.append(numbers)
        for _ in numbers:
            self._timed.note(self._f)

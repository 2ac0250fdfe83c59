# SPDX-License-Identifier: Apache-2.0
"""Programs for calls that differ in sizes only."""

from __future__ import annotations

from collections import OrderedDict

from hybridize.programs import Program
from hybridize.programs.families import Family
from hybridize.torch.compiled import Compiled, Shapes


class CallFamily:
    """The programs of calls that differ in sizes only."""

    def __init__(self) -> None:
        self.sizes = Family()
        """The sizes that the calls come in."""
        self.exact: OrderedDict[Shapes, Compiled] = OrderedDict()
        """Programs for one size; the ones made first come first."""
        self.general: list[Compiled] = []
        """Programs for several sizes. Replaced, not changed: threads read it without the lock."""

    def programs(self) -> list[Compiled]:
        """All of them."""
        return [*self.exact.values(), *self.general]

    def find(self, shapes: Shapes) -> Compiled | None:
        """The program that is right for a call, as far as the module is what it was."""
        found = self.exact.get(shapes)
        if found is None:
            found = next((one for one in self.general if one.accepts(shapes)), None)
        return found

    def add(self, program: Compiled, shapes: Shapes) -> None:
        """Add a program that was made for a call of these shapes."""
        if program.graph.scope is None:
            self.exact[shapes] = program
        else:
            self.general = [program, *self.general]

    def drop(self) -> None:
        """Forget the oldest program; one for several sizes only where there is no other."""
        if self.exact:
            self.exact.popitem(last=False)
        else:
            self.general = self.general[:-1]

    def forget(self, program: Program) -> None:
        """Forget the one that runs this program."""
        for shapes, one in list(self.exact.items()):
            if one.runs(program):
                del self.exact[shapes]
        self.general = [one for one in self.general if not one.runs(program)]

    def replace(self, before: Compiled, after: Compiled) -> None:
        """Put a program in the place of another one."""
        self.exact.update({shapes: after for shapes, one in self.exact.items() if one is before})
        self.general = [after if one is before else one for one in self.general]

    def clear(self) -> None:
        """Forget all programs."""
        self.sizes = Family()
        self.exact.clear()
        self.general = []

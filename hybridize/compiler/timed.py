# SPDX-License-Identifier: Apache-2.0
"""A program compiled once more, as one that notes when each of its steps began and ended (`codegen.llvm.timed`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import int64
from hybridize.base.loading import LOADING
from hybridize.graph import Graph
from hybridize.machine.target import Target
from hybridize.runtime import effects
from hybridize.runtime.executable import Executable
from hybridize.runtime.image import Loaded


class Timed:
    """A program that notes times, and what stands where in its notes."""

    def __init__(self, graph: Graph, target: Target, executable: Executable, *, parts: bool = False) -> None:
        """Compile it: of the optimised `graph` that `executable` was made of; with `parts`, each thread notes its own.

        The code goes to no cache, and lives as long as this object.
        """
        with LOADING:
            from hybridize.codegen.llvm import timed  # late: see the package
            from hybridize.codegen.llvm.engine import compile_program
            from hybridize.codegen.llvm.program import build
            from hybridize.codegen.llvm.table import FunctionTable

        writers: list[Any] = []

        def host_of(functions: FunctionTable, target: Target) -> Any:
            writers.append(timed.TimedWriter(functions, target, len(graph.outputs), parts=parts))
            return writers[-1]

        plan = executable.plan
        built = build(
            graph,
            target,
            stable=sorted({number for deriver in executable.derivers for number in deriver.inputs}),
            slots=max(plan.threads, default=1),
            updates=executable.updates,
            host_of=host_of,
        )
        loaded = Loaded(compile_program(built.module, target))
        self.executable: Executable = Executable(
            loaded,
            loaded.address("program"),
            built.plan,
            built.constants,
            built.sources,
            name=executable.name,
            team=executable.constants[plan.teams[0]] if plan.teams else None,
        )
        self.effects: bool = effects.connect(loaded)
        """True if calls may leave an error behind."""
        self.nodes: list[range] = writers[0].nodes
        """The steps that run together, in order; most are alone."""
        self.part_words, self.first_part = len(timed.PART), timed.FIRST_PART
        """The words of a part, and the number of the first."""
        self._noted: int = writers[0].noted

    def stamps(self) -> NDArray[numpy.int64]:
        """Return memory for the times of a call, zeros: twice before the first step, then after each."""
        return numpy.zeros(self._noted, int64)

    def parts(self, room: int) -> NDArray[numpy.int64]:
        """Return memory for so many parts of a call."""
        words = numpy.zeros(self.first_part + self.part_words * room, int64)
        words[1] = room
        return words

    def parts_of(self, words: NDArray[numpy.int64]) -> tuple[Sequence[Sequence[int]], int]:
        """Return the parts of a call: step, thread, begin, end; and how many there was no room for."""
        count, room = (int(word) for word in words[:2])
        rows = words[self.first_part :].reshape(-1, self.part_words)[: min(count, room)]
        return rows.tolist(), max(0, count - room)

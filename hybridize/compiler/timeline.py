# SPDX-License-Identifier: Apache-2.0
"""Kernels on a timeline: a program is run as a variant of itself that notes times, and its kernels are told."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.forks import renewed
from hybridize.base.spans import COMPILATION, KERNEL, PART, KernelSpan
from hybridize.compiler import explain
from hybridize.compiler.compile import default_target
from hybridize.compiler.timed import Timed
from hybridize.runtime import effects
from hybridize.runtime.executable import Executable

ROOM: Final = 4096
"""Parts of kernels that one call has room for; there are four for each thread and kernel at most, more in bands."""
Hears = Callable[[Executable, Sequence[KernelSpan], int], object]
"""Hears of a call: the program, its kernels and their parts, and how many parts there was no room for."""


class Timeline:
    """The variants of programs that tell of their kernels, each made when its program is first run."""

    def __init__(self, hear: Hears, compiled: Callable[[str, str, int, int], object]) -> None:
        """`compiled` hears of the compilation of a variant, as listeners of `base.spans` do."""
        self._hear, self._compiled = hear, compiled
        self._variants: weakref.WeakKeyDictionary[Executable, TimedVariant] = weakref.WeakKeyDictionary()
        self._lock = renewed(threading.RLock())

    def variant(self, executable: Executable) -> Any:
        """Return what runs in place of a program: itself, where nobody knows what it was made of."""
        with self._lock:
            known = self._variants.get(executable)
            if known is None:
                graph = executable.optimized
                if graph is None:
                    return executable
                begin = time.perf_counter_ns()
                known = TimedVariant(Timed(graph, default_target(), executable, parts=True), executable, self._hear)
                self._compiled(COMPILATION, f"{executable.name} with clocks", begin, time.perf_counter_ns())
                self._variants[executable] = known
        return known


class TimedVariant:
    """A program that notes times, in place of another."""

    def __init__(self, timed: Timed, executable: Executable, hear: Hears) -> None:
        self._timed = timed
        self._of = weakref.ref(executable)
        self._hear = hear
        of, here = executable.derivers, timed.executable.derivers
        self._same_copies = [one.layout for one in of] == [one.layout for one in here]
        """True if what was derived for the program is what this one reads."""

    def run(
        self,
        inputs: Sequence[NDArray[Any]],
        derived: Sequence[NDArray[Any]] | None = None,
        donated: Mapping[int, NDArray[Any]] | None = None,
        behind: Sequence[NDArray[Any]] = (),
    ) -> list[NDArray[Any]]:
        """Run it as `Executable.run` does, and tell of its kernels."""
        outputs = self.run_unless(numpy.zeros(1, numpy.int64), inputs, derived, donated, behind)
        assert outputs is not None
        return outputs

    def run_unless(
        self,
        stale: NDArray[Any],
        inputs: Sequence[NDArray[Any]],
        derived: Sequence[NDArray[Any]] | None,
        donated: Mapping[int, NDArray[Any]] | None = None,
        behind: Sequence[NDArray[Any]] = (),
    ) -> list[NDArray[Any]] | None:
        """Run it as `Executable.run_unless` does, and tell of its kernels."""
        stamps, parts = self._timed.stamps(), self._timed.parts(ROOM)
        copies = derived if self._same_copies else None
        outputs = self._timed.executable.run_unless(stale, inputs, copies, donated, [stamps, parts])
        executable = self._of()
        if outputs is not None and executable is not None:
            spans = [*self._kernels(stamps.tolist())]
            rows, lost = self._timed.parts_of(parts)
            spans += self._parts(rows)
            self._hear(executable, spans, lost)
        if self._timed.effects:
            effects.raise_pending()
        return outputs

    @cached_property
    def _reports(self) -> list[dict[str, Any]]:
        """The details of each kernel for its events; its bytes and operations where they are those of every call."""
        executable = self._timed.executable
        reports = explain.kernels(executable, explain.plan_of(executable, None))
        return [
            {
                "kernel": number, "name": one.name, "ops": list(one.ops), "kind": one.manner, "lines": list(one.lines),
                **({} if executable.sizes.symbolic else {"size": one.size, "bytes": one.bytes, "flops": one.flops}),
            }
            for number, one in enumerate(reports)
        ]  # fmt: skip

    def _kernels(self, stamps: Sequence[int]) -> Sequence[KernelSpan]:
        """Those of a call, in order; of a program that an error ended, the first of them."""
        thread, first, spans = threading.get_native_id(), 1, []
        for node in self._timed.nodes:
            begin, end = stamps[first], stamps[first + 1]
            first += len(node)
            if end:
                spans.append(KernelSpan(KERNEL, *self._described(node), begin, end, thread))
        return spans

    def _described(self, node: range) -> tuple[str, dict[str, Any]]:
        """The name and the details of kernels that run together, or of one."""
        reports = [{**self._reports[step]} for step in node]
        names = [report.pop("name") for report in reports]
        if len(node) == 1:
            return names[0], reports[0]
        ops = [op for report in reports for op in report["ops"]]
        kind = "; ".join(report["kind"] for report in reports)
        return "; ".join(names), {"kernel": node[0], "ops": ops, "kind": kind, "kernels": reports}

    def _parts(self, rows: Sequence[Sequence[int]]) -> Sequence[KernelSpan]:
        spans = []
        several = {~node[0]: node for node in self._timed.nodes}
        for step, thread, begin, end in rows:
            name, _ = self._described(several.get(step) or range(step, step + 1))
            spans.append(KernelSpan(PART, name, {}, begin, end, thread))
        return spans

# SPDX-License-Identifier: Apache-2.0
"""A program, explained: what capture knows of it (why, valid while) beside what the compiler does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import host_copy
from hybridize.array.ndarray import ndarray
from hybridize.base import dims
from hybridize.base.frozen import changed
from hybridize.base.html import document
from hybridize.compiler import explain
from hybridize.compiler.compile import default_target
from hybridize.compiler.explanation import Explanation, KernelReport, MemoryReport
from hybridize.compiler.limits import limits
from hybridize.compiler.profile import RefusedError, random_input
from hybridize.contract import places
from hybridize.contract.captured import Captured
from hybridize.formats.atomic import write_atomically
from hybridize.graph import Value
from hybridize.graph.drawn import drawn
from hybridize.programs.backends import Backend, Machine
from hybridize.programs.failures import locate

SECONDS = 0.2
"""Seconds for which steps are timed for a profile."""


def explained(
    name: str, reason: str, captured: Captured, runs: Backend, *, arguments: Sequence[Any] | None, profile: bool
) -> Explanation:
    """The report on a program.

    Args:
        name: of the program.
        reason: why it was captured.
        captured: what was captured.
        runs: its backend.
        arguments: one array for each input of the graph, to measure with; None for random ones.
        profile: whether to measure.
    """
    graph = captured.graph
    executable = _executable(runs)
    inputs = list(zip(captured.sources, graph.inputs, strict=True))
    known = Explanation(
        name, runs.name, "" if executable is None else _target(runs),
        tuple(f"{value.name}: {value.type}" for source, value in inputs if source.array is None),
        tuple(str(value.type) for source, value in inputs if source.array is not None),
        tuple(str(value.type) for value in graph.outputs), reason, tuple(valid(captured)),
        () if executable is None else executable.sizes.scope.assumption_texts, (), (), MemoryReport(0, 0),
        fallbacks=runs.fallbacks,
        drawing=drawn(graph, {value for source, value in inputs if source.array is not None}),
    )  # fmt: skip
    if executable is None:
        return changed(known, kernels=_reference(captured), memory=MemoryReport(runs.memory.peak_bytes, 0))
    arrays = None if arguments is None else list(map(_data, arguments))
    plan = explain.plan_of(executable, arrays)
    kernels = explain.kernels(executable, plan)
    known = changed(
        known, passes=explain.passes(graph), kernels=kernels, stages=tuple(executable.timings.items()),
        memory=explain.memory(executable, plan, runs.memory.packed_bytes), layouts=plan.layouts,
        once=tuple(op for one in executable.plan.derivations for op in one.ops), bands=explain.bands(plan),
        groups=plan.groups, notes=(*explain.unused_permissions(graph, kernels), *explain.unused_disk()),
    )  # fmt: skip
    if not profile:
        return known
    if executable.machine:
        return changed(known, notes=(*known.notes, "not timed: the kernels run on a device"))
    core = limits()
    try:
        measured = explain.timed(kernels, graph, executable, arrays or _measured(captured), core, SECONDS)
    except RefusedError as refused:
        locate(refused.error, graph)
        if arrays is not None:
            raise refused.error from None
        why = f"random arguments are refused ({refused.error})".replace("\n", " ")
        return changed(known, notes=(*known.notes, f"not timed: {why}; give it the arguments of a call"))
    return changed(known, kernels=measured, limits=core)


def write_page(path: str | os.PathLike[str], report: Explanation) -> None:
    """Write a report as a page.

    Raises:
        ArgumentError E338: that is no path of a file.
        WriteError E335: it cannot be written there.
    """
    write_atomically(path, [document(report.name, report._repr_html_()).encode()])


def scheduled(captured: Captured, runs: Backend) -> str:
    """The schedule of a program as text."""
    executable = _executable(runs)
    if executable is None:
        return "no schedule: the NumPy backend runs the operations one by one"
    graph = runs.compiled_graph if isinstance(runs, Machine) else captured.graph
    return str(explain.schedule(graph, executable))


def valid(captured: Captured) -> list[str]:
    """List the guards and the other conditions under which the program is right, as lines of text."""
    lines = [f"{guard.place.described()} is {places.short(guard.expected)}  ({guard.loc})" for guard in captured.guards]
    lines += [f"argument {position} is {value!r}" for position, value in captured.numbers.items()]
    lines += [f"a condition on numbers is {one.expected}  ({one.loc})" for one in captured.conditions]
    decided = captured.decided
    return lines + ([f"data decides {list(decided.expected)!r:.80}  ({decided.loc})"] if decided is not None else [])


def _executable(runs: Backend) -> Any:
    """Return the executable that runs as machine code, a `CompiledProgram`; None where nothing does."""
    return runs.executable if isinstance(runs, Machine) else None


def _target(runs: Backend) -> str:
    """Name what the machine code is for."""
    return (runs.target_name if isinstance(runs, Machine) else "") or default_target().name


def _reference(captured: Captured) -> tuple[KernelReport, ...]:
    """The NumPy backend's steps: the nodes as captured."""
    return tuple(
        KernelReport(
            "reference", (node.op.name,), (str(node.loc),) if node.loc is not None else (), _size(node.outputs), (),
            sum(dims.hint(value.type.nbytes) for value in (*node.inputs, *node.outputs)), 0,
        )
        for node in captured.graph.nodes
    )  # fmt: skip


def _size(values: Sequence[Value]) -> str:
    return "×".join(map(dims.text, values[0].type.shape)) or "1" if values else ""


def _measured(captured: Captured) -> list[NDArray[Any]]:
    """Make the inputs to measure with: the arrays from outside as they are, random ones for the arguments."""
    return [
        random_input(value.type, number) if source.array is None else _data(source.array)
        for number, (source, value) in enumerate(zip(captured.sources, captured.graph.inputs, strict=True))
    ]


def _data(array: Any) -> NDArray[Any]:
    return host_copy(array) if isinstance(array, ndarray) else numpy.asarray(array)

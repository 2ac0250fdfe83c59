# SPDX-License-Identifier: Apache-2.0
"""Reports on what was compiled: the passes are run again under watch, the steps are timed where that is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from hybridize.base.frozen import changed
from hybridize.base.loading import LOADING
from hybridize.compiler import disk
from hybridize.compiler.compile import default_target
from hybridize.compiler.explanation import KernelReport, MemoryReport, PassReport
from hybridize.compiler.limits import Limits
from hybridize.compiler.profile import step_seconds
from hybridize.graph import Graph
from hybridize.machine.target import named_target
from hybridize.ops import WinogradContract
from hybridize.passes import PIPELINE
from hybridize.runtime.compiled import CompiledProgram
from hybridize.runtime.executable import Executable
from hybridize.runtime.plan import KernelLaunch, Plan, PlanStep, sized
from hybridize.schedule.steps import Schedule


def passes(graph: Graph) -> tuple[PassReport, ...]:
    """Run the pipeline on a graph as captured, and report what each pass did."""
    sizes: dict[str, list[int]] = {}
    changes: dict[str, Counter[str]] = {}

    def watch(name: str, before: Graph, after: Graph) -> None:
        size = sizes.setdefault(name, [0, 0])
        size[0] += len(before.nodes)
        size[1] += len(after.nodes)
        change = changes.setdefault(name, Counter())
        change.update(after.op_names())
        change.subtract(before.op_names())

    PIPELINE.run(graph, watch)
    return tuple(
        PassReport(
            name.replace("_", " "),
            before,
            after,
            tuple(sorted((op, -count) for op, count in changes[name].items() if count < 0)),
            tuple(sorted((op, count) for op, count in changes[name].items() if count > 0)),
        )
        for name, (before, after) in sizes.items()
    )


def kernels(executable: CompiledProgram, plan: Plan) -> tuple[KernelReport, ...]:
    """The steps of a program, not timed; `plan` is its own at the sizes of a call."""
    first = len(plan.inputs)
    packed = {("input", first + one.slot) for one in plan.derivations if not one.ops}
    derived = {("input", first + one.slot) for one in plan.derivations if one.ops}

    def updates(step: PlanStep) -> bool:
        """Tell whether it writes a new value where it reads the old one."""
        reads, writes = (
            {(address.kind, address.slot) for address in addresses} for addresses in (step.reads, step.writes)
        )
        return any(("output", output) in writes and ("input", number) in reads for output, number in plan.updates)

    def layout(step: PlanStep) -> tuple[str, ...]:
        read = {(address.kind, address.slot) for address in step.reads}
        words = [word for word, those in (("packed", packed), ("derived", derived)) if read & those]
        if (step.kind == "loops" and set(step.reads) & set(step.writes)) or updates(step):
            words.append("in place")
        words += [f"{launch.blocks}×{launch.threads}" for launch in step.launches if isinstance(launch, KernelLaunch)]
        return tuple(words)

    return tuple(
        KernelReport(
            step.kind,
            step.ops,
            step.lines,
            "×".join(map(str, general.shape)) or "1",
            layout(step),
            sized(step.bytes, {}),
            sized(step.flops, {}),
            threads,
        )
        for step, general, threads in zip(plan.steps, executable.plan.steps, plan.threads, strict=True)
    )


def bands(plan: Plan) -> tuple[tuple[int, int, int, int, int], ...]:
    """The bands of a plan at the sizes of a call."""
    return tuple(
        (first, last, block, sized(rows, {}), sized(batch, {})) for first, last, block, rows, batch in plan.bands
    )


def unused_permissions(graph: Graph, steps: Sequence[KernelReport]) -> tuple[str, ...]:
    """Say of what the user permits that no step makes use of it."""
    permitted = any(node.op.name == WinogradContract.word for node in graph.nodes)
    if permitted and not any(step.kind == "winograd" for step in steps):
        return ("winograd=True: every contraction is computed directly, which is faster at these sizes, or exact",)
    return ()


def unused_disk() -> tuple[str, ...]:
    """Say why other processes compile this program again, where they cannot find it on the disk."""
    problem = disk.problem()
    return (f"disk cache: {problem}; each process compiles this program anew",) if problem else ()


def schedule(graph: Graph, executable: CompiledProgram) -> Schedule:
    """The schedule of an executable that was made of a graph as captured, made again: it depends on nothing else."""
    if executable.machine:
        with LOADING:
            from hybridize.codegen.llvm.device.program import build_kernels  # late: see the package

        target = named_target(executable.machine)
        return build_kernels(PIPELINE.run(graph), target, executable.stable).schedule
    with LOADING:
        from hybridize.codegen.llvm.program import scheduled  # late: see the package

    return scheduled(
        PIPELINE.run(graph),
        default_target(),
        executable.stable,
        max(executable.plan.threads, default=1),
        executable.updates,
    )


def plan_of(executable: CompiledProgram, inputs: Sequence[NDArray[Any]] | None) -> Plan:
    """The plan at the sizes of a call with these inputs; without them, at those that it was compiled at."""
    if inputs is None:
        return executable.plan.as_compiled()
    sizes = executable.sizes.checked([array.shape for array in inputs])
    return executable.plan.at({symbol.name: size for symbol, size in sizes.items()})


def timed(
    reports: Sequence[KernelReport],
    graph: Graph,
    executable: Executable,
    inputs: Sequence[NDArray[Any]],
    limit: Limits,
    seconds: float,
) -> tuple[KernelReport, ...]:
    """The reports on an executable with its steps' times on `inputs`, each beside the least that this core can take.

    `graph` is what it was captured as. The least time is that of reading its bytes from the fastest level that holds
    them, or of its operations as multiply-adds: nothing is known of what lies in which cache when the step begins.
    """
    times = step_seconds(PIPELINE.run(graph), default_target(), executable, inputs, seconds=seconds)
    total = sum(times) or 1.0
    result = []
    for report, time in zip(reports, times, strict=True):
        bound, least = limit.least(report.bytes, report.flops)
        result.append(changed(report, seconds=time, share=time / total, bound=bound, least_s=least))
    return tuple(result)


def memory(executable: CompiledProgram, plan: Plan, packed_bytes: int = 0) -> MemoryReport:
    """Bytes of a call, and of what is kept for calls."""
    scratch = sized(plan.scratch_bytes, {})
    return MemoryReport(
        scratch, plan.peak_bytes - scratch, executable.constant_bytes, packed_bytes, executable.code_bytes
    )

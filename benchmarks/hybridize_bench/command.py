# SPDX-License-Identifier: Apache-2.0
"""The command `hybridize bench`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hybridize.base.progress import showing
from hybridize.tools.tables import Grid
from hybridize_bench import bench as benchmark
from hybridize_bench import deployment, machine, peak_memory, report, sequence_memory
from hybridize_bench.bench import BenchOptions, Measured
from hybridize_bench.workloads import CALLS, DEPLOYED, SCRIPTS, SEPARATE, STARTS, WORKLOADS


def allowed(cpu: int | None) -> int:
    """A CPU that this process may use; the first one for None."""
    cpus = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {cpu or 0}
    if cpu is not None and cpu not in cpus:
        raise typer.BadParameter(f"CPU {cpu} is not one of {', '.join(map(str, sorted(cpus)))}, which may be used here")
    return min(cpus) if cpu is None else cpu


def bench(
    context: typer.Context,
    workloads: Annotated[
        list[str] | None,
        typer.Argument(help=f"Of: {', '.join(WORKLOADS)}. All but the last {len(SEPARATE)} when none is named."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Interleaved rounds.")] = 5,
    seconds: Annotated[float, typer.Option(min=0.0, help="Of samples for each row in each round.")] = 0.3,
    cpu: Annotated[int | None, typer.Option(help="The CPU to run on; the first one allowed by default.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Rows whose name contains this; may be repeated.")] = None,
    calls: Annotated[int, typer.Option(min=1, help="Calls of the memory workload.")] = 1_000_000,
    shapes: Annotated[int, typer.Option(min=2, help="Shapes of the memory workload.")] = 10_000,
    steps: Annotated[int, typer.Option(min=1, help="Of a training, before it is timed.")] = benchmark.STEPS,
    markdown: Annotated[Path | None, typer.Option(help="Write the tables here, too, as Markdown.")] = None,
) -> None:
    """Compare hybridize with every runtime that this environment can import, in one interleaved run."""
    chosen = workloads or [name for name in WORKLOADS if name not in SEPARATE]
    unknown = set(chosen) - set(WORKLOADS)
    if unknown:
        raise typer.BadParameter(f"no workload {', '.join(sorted(unknown))}; there are: {', '.join(WORKLOADS)}")
    options = BenchOptions(rounds, seconds, allowed(cpu), tuple(only or ()), calls, shapes, steps=steps)
    console = Console()
    packages = machine.versions(benchmark.PACKAGES)
    written = [report.head(machine.describe(), packages, repeated(context), f"{date.today()}")]
    console.print(written[0], highlight=False, markup=False)
    by_workload: dict[str, Sequence[Measured]] = {}
    for number, workload in enumerate(chosen, 1):
        with showing(f"{workload}, workload {number} of {len(chosen)}") as shown:
            if workload in SCRIPTS:
                text, by_workload[workload] = benchmark.run_script(workload, options)
                grid = None
            else:
                grid = one(workload, options, by_workload, shown.say)
                text = grid.markdown()
        if grid is None:
            console.print(text, highlight=False, markup=False)
        else:
            grid.show(console)
        written.append(text)
    goals = report.goals(by_workload)
    if goals is not None:
        goals.show(console)
        written.append(goals.markdown())
    if markdown is not None:
        markdown.write_text("\n".join(written), encoding="utf-8")


def repeated(context: typer.Context) -> str:
    """The command line that repeats this run: what was said, in a fixed order."""
    words = context.command_path.split()
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if value is None or value == parameter.default or parameter.name == "markdown":
            continue
        values = [str(one) for one in value] if isinstance(value, list | tuple) else [str(value)]
        words += values if parameter.param_type_name == "argument" else []
        words += [word for one in values for word in (parameter.opts[0], one)] if parameter.opts[0][0] == "-" else []
    return shlex.join(words)


def one(workload: str, options: BenchOptions, by_workload: dict[str, Sequence[Measured]], tell: benchmark.Tell) -> Grid:
    """Run one workload and lay out its figures; they are also put into `by_workload`, for the goals."""
    if workload == "memory":
        return report.memory(benchmark.run_memory(options), options.calls, options.shapes)
    if workload == "train-memory":
        by_workload[workload] = peak_memory.run(options, tell)
        return report.amounts("train-memory: a warm step of training", by_workload[workload], [peak_memory.NOTE])
    if workload == "sequence-memory":
        by_workload[workload] = sequence_memory.run(options, tell)
        return report.amounts("sequence-memory", by_workload[workload], [sequence_memory.NOTE])
    if workload == "sizes":
        return report.sizes(benchmark.run_sizes(options), options.sizes)
    if workload in STARTS:
        runs = {"import": benchmark.run_imports, "first-call": benchmark.run_first_calls}
        by_workload[workload] = results = runs.get(workload, benchmark.run_compile)(options)
        return report.starts(f"{workload}: {STARTS[workload]}", results)
    if workload in DEPLOYED:
        by_workload[workload], notes = deployment.run(workload, options)
        return report.deployed(workload, by_workload[workload], notes)
    results = by_workload[workload] = benchmark.run_calls(workload, options, tell)
    return report.calls(f"{workload}: {CALLS[workload]}", results)

# SPDX-License-Identifier: Apache-2.0
"""The command `hybridize`: compile, run, inspect, explain, migrate, bench, cache, machine."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import Progress

import hybridize
from hybridize.base.errors import HybridizeError
from hybridize.base.locations import no_program
from hybridize.tools import bench as benchmark
from hybridize.tools import (
    compile_command,
    contents,
    deployment,
    disk_cache,
    explanation_tables,
    machine,
    machine_choices,
    peak_memory,
    report,
    saved_files,
    sequence_memory,
)
from hybridize.tools.bench import BenchOptions, Measured
from hybridize.tools.migrating import files as migrating
from hybridize.tools.workloads import CALLS, DEPLOYED, SCRIPTS, SEPARATE, STARTS, WORKLOADS

application = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def existing(path: Path) -> Path:
    """A file, or the name that was given to `export`, which wrote `NAME-symbol.json`."""
    if path.is_file() or contents.exported(path) is not None:
        return path
    what = "is a folder" if path.is_dir() else "does not exist"
    raise typer.BadParameter(f"{path} {what}, and there is no {path.name}-symbol.json")


File = Annotated[Path, typer.Argument(help="What save or export wrote: a file, or export's name.", callback=existing)]
Inputs = Annotated[
    list[Path] | None,
    typer.Option("--input", "-i", help="A .npy file; once for each argument, in order.", exists=True, dir_okay=False),
]


def allowed(cpu: int | None) -> int:
    """A CPU that this process may use; the first one for None."""
    cpus = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {cpu or 0}
    if cpu is not None and cpu not in cpus:
        raise typer.BadParameter(f"CPU {cpu} is not one of {', '.join(map(str, sorted(cpus)))}, which may be used here")
    return min(cpus) if cpu is None else cpu


def version(wanted: bool) -> None:
    """Print which hybridize this is, and end."""
    if wanted:
        typer.echo(f"hybridize {hybridize.__version__}")
        raise typer.Exit


@application.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=version, is_eager=True, help="Say which one.")] = False,
) -> None:
    """Write deep learning imperatively, run it as one compiled program."""


@application.command()
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
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("", total=len(chosen))
        part = progress.add_task("", visible=False)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(part, description=what, completed=done, total=total, visible=True)

        for workload in chosen:
            progress.update(task, description=workload)
            progress.update(part, visible=False)
            if workload in SCRIPTS:
                text, by_workload[workload] = benchmark.run_script(workload, options)
                console.print(text, highlight=False, markup=False)
                written.append(text)
            else:
                grid = one(workload, options, by_workload, tell)
                grid.show(console)
                written.append(grid.markdown())
            progress.advance(task)
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


def one(
    workload: str, options: BenchOptions, by_workload: dict[str, Sequence[Measured]], tell: benchmark.Tell
) -> report.Grid:
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


@application.command(name="compile")
def compile_(
    thing: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:NAME",
            help="A net, a function or a torch module in a Python module, as in train:net; or a saved file.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="What to call the files: folder and name.")],
    format: Annotated[
        str, typer.Option("--format", "-f", help="library, object, wasm, archive; of a net also mxnet.")
    ] = "archive",
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            "-i",
            help='What goes in, once for each argument: "f32\\[1,512]", "f32\\[n,512]" for any n, or a number.',
        ),
    ] = None,
    targets: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            "-t",
            help="Of library and object the machine, as in aarch64-linux; of archive the"
            " levels that code is for, as in avx2; may be repeated then.",
        ),
    ] = None,
    weights: Annotated[str | None, typer.Option(help="Of library and object: inside, or beside.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="That the host of a library may use at most.")] = None,
    linker: Annotated[str | None, typer.Option(help="Of a library: cc or zig.")] = None,
) -> None:
    """Compile an object of a Python module, and write it as files that run without Python."""
    options = {
        "weights": weights,
        "threads": threads,
        "linker": linker,
        "targets": compile_command.targets(format, targets),
    }
    console = Console()
    with console.status("") as status:
        made, told = compile_command.exported(
            thing,
            inputs or [],
            format,
            str(output),
            tell=lambda text: status.update(f"{text} ..."),
            options={name: value for name, value in options.items() if value is not None},
        )
    typer.echo(compile_command.text(made, told))


@application.command()
def inspect(
    file: File,
    full: Annotated[bool, typer.Option("--full", help="Every part, input and weight, not a page.")] = False,
) -> None:
    """Show what a saved file holds."""
    console = Console()
    for table in contents.tables(file, full=full):
        table.show(console)


@application.command()
def run(
    file: File,
    inputs: Inputs = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the first result here, as .npy; all, as .npz.")
    ] = None,
) -> None:
    """Run a saved file on arrays from .npy files."""
    results = saved_files.run(file, inputs or [])
    if output is None:
        for result in results:
            typer.echo(np.array2string(result, threshold=200))
    else:
        saved_files.write(output, results)


@application.command()
def explain(
    file: File,
    inputs: Inputs = None,
    profile: Annotated[bool, typer.Option(help="Measure each kernel, beside what this machine can do.")] = False,
) -> None:
    """Compile a saved file for the given inputs and say what became of it."""
    explanation_tables.show(saved_files.explain(file, inputs or [], profile=profile), Console())


@application.command()
def migrate(
    files: Annotated[
        list[Path], typer.Argument(help="Scripts (.py) and notebooks (.ipynb).", exists=True, dir_okay=False)
    ],
    diff: Annotated[bool, typer.Option("--diff", help="Show what changes, too.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Rewrite the files themselves.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this folder, or file, instead.")
    ] = None,
) -> None:
    """Rewrite scripts that use MXNet Gluon for hybridize, and report what needs a human. Nothing of them is run."""
    if write and output is not None:
        raise typer.BadParameter("--write and --output: one of them says where to write")
    console, failed = Console(), False
    for file, target in zip(files, migrating.targets(files, output), strict=True):
        done = migrating.read(file)
        if diff:
            console.print(done.difference(), highlight=False, markup=False, soft_wrap=True, end="")
        done.table().show(console)
        if write or output is not None:
            done.write(target)
        failed = failed or not done.done.readable
    if failed:
        raise typer.Exit(1)


@application.command()
def cache(clear: Annotated[bool, typer.Option("--clear", help="Remove all records.")] = False) -> None:
    """Show what machine code is kept on the disk for other processes, or remove it."""
    if clear:
        typer.echo(disk_cache.cleared())
    else:
        disk_cache.table().show(Console())


@application.command(name="machine")
def machine_(
    again: Annotated[bool, typer.Option("--again", help="Measure it anew, for all later processes.")] = False,
) -> None:
    """Show what code is made by on this machine, and where that comes from; measured once, in some 40 ms."""
    machine_choices.table(again=again).show(Console())


def main() -> None:
    """Start of the command; errors of hybridize are shown as their text, without a traceback."""
    try:
        with no_program():
            application()
    except HybridizeError as error:
        Console(stderr=True).print(str(error), style="red", highlight=False, markup=False, soft_wrap=True)
        raise SystemExit(1) from None

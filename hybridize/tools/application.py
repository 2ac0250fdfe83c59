# SPDX-License-Identifier: Apache-2.0
"""The command `hybridize`: compile, run, inspect, explain, explain-error, serve, migrate, cache, machine, doctor.

Installed packages add commands of their own: functions that they name as entry points of the group
`hybridize.commands`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Annotated, Final, cast

import numpy as np
import typer
from rich.console import Console
from rich.markdown import Markdown

import hybridize
from hybridize.base.errors import HybridizeError
from hybridize.base.progress import showing
from hybridize.tools import (
    compile_command,
    contents,
    disk_cache,
    doctor,
    error_pages,
    explanation_tables,
    machine_choices,
    saved_files,
    serve_command,
)
from hybridize.tools.migrating import command as migrating

application: Final = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="`hybridize bench` is a package of its own, in benchmarks/ of a checkout: `make bench` installs it.",
)


def existing(path: Path) -> Path:
    """A file, the folder of a model, or the name that was given to `export`, which wrote `NAME-symbol.json`."""
    if path.is_file() or contents.exported(path) is not None or (path / "saved_model.pb").is_file():
        return path
    what = "is a folder" if path.is_dir() else "does not exist"
    raise typer.BadParameter(f"{path} {what}, and there is no {path.name}-symbol.json")


File = Annotated[
    Path, typer.Argument(help="What save or export wrote, or a model: a file, or export's name.", callback=existing)
]
Inputs = Annotated[
    list[Path] | None,
    typer.Option("--input", "-i", help="A .npy file; once for each argument, in order.", exists=True, dir_okay=False),
]


def version(wanted: bool) -> None:
    """Print which hybridize this is, and end."""
    if wanted:
        typer.echo(f"hybridize {hybridize.__version__}")
        raise typer.Exit


@application.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Write deep learning imperatively, run it as one compiled program."""


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
        str,
        typer.Option(
            "--format",
            "-f",
            help="library, object, wheel, wasm, web, onnx, archive; of a net mxnet; ptx, wgsl: kernels, to look at.",
        ),
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
            help="Of library, object and wheel the machine, as in aarch64-linux; of archive the"
            " levels that code is for, as in avx2; of archive and wheel it may be repeated.",
        ),
    ] = None,
    weights: Annotated[str | None, typer.Option(help="Of library and object: inside, or beside.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="That the host of a library may use at most.")] = None,
    linker: Annotated[str | None, typer.Option(help="Of a library: cc or zig.")] = None,
    name: Annotated[str | None, typer.Option(help="Of a wheel: what pip calls it.")] = None,
    version: Annotated[str | None, typer.Option(help="Of a wheel or library, as in 1.0.0.")] = None,
    bindings: Annotated[
        list[str] | None,
        typer.Option("--binding", help="Of a library: cpp, fortran, rust, cmake, pkg-config; may be repeated."),
    ] = None,
    opset: Annotated[int | None, typer.Option(min=13, max=25, help="The operator set of onnx.")] = None,
) -> None:
    """Compile an object of a Python module, and write it as files that run without Python."""
    options = {
        "weights": weights,
        "threads": threads,
        "linker": linker,
        "opset": opset,
        "name": name,
        "version": version,
        "bindings": bindings or None,
        "targets": compile_command.targets(format, targets),
    }
    with showing(thing) as shown:
        export, notes = compile_command.exported(
            thing,
            inputs or [],
            format,
            str(output),
            tell=shown.say,
            options={name: value for name, value in options.items() if value is not None},
        )
    typer.echo(compile_command.text(export, notes))


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
    html: Annotated[Path | None, typer.Option(help="Write a page with the graph and the kernels here, too.")] = None,
) -> None:
    """Compile a saved file for the given inputs, and print the report of the program."""
    explanation_tables.show(saved_files.explain(file, inputs or [], profile=profile, html=html), Console())


@application.command(name="explain-error")
def explain_error(
    code: Annotated[str, typer.Argument(help="The code that the message names, as in E450.")],
    example: Annotated[bool, typer.Option("--example", help="Only the program that raises it.")] = False,
) -> None:
    """Say what an error means, show a program that raises it, and what to write instead."""
    page = error_pages.page(code)
    if page is None:
        raise typer.BadParameter(f"there is no error {code}; a code is written like E450")
    if example:
        typer.echo(page.example, nl=False)
        return
    console = Console()
    if console.is_terminal:
        console.print(Markdown(page.text))
    else:
        typer.echo(page.text, nl=False)


@application.command(add_help_option=False, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def migrate(context: typer.Context) -> None:
    """Rewrite scripts and packages that use MXNet Gluon for hybridize, and report what needs a human."""
    raise typer.Exit(migrating.main(context.args))


@application.command()
def cache(clear: Annotated[bool, typer.Option("--clear", help="Remove all records.")] = False) -> None:
    """Show the machine code in the disk cache, or remove it."""
    if clear:
        typer.echo(disk_cache.cleared())
    else:
        disk_cache.table().show(Console())


@application.command(name="machine")
def machine_(
    again: Annotated[bool, typer.Option("--again", help="Measure it anew, for all later processes.")] = False,
) -> None:
    """Show what the compiler chooses on this machine, and what of it was measured."""
    machine_choices.table(again=again).show(Console())


@application.command(name="doctor")
def doctor_() -> None:
    """Check this machine and its packages, name problems, and say what to do."""
    typer.echo(doctor.report())


application.command(name="serve")(serve_command.serve)


def extension(entry: metadata.EntryPoint) -> Callable[..., None]:
    """Load a command of another package; one that cannot be imported says so when it is called, and only then."""
    try:
        return cast(Callable[..., None], entry.load())
    except ImportError as error:
        reason = str(error)

    def unavailable() -> None:
        typer.echo(f"`hybridize {entry.name}` of {entry.value} cannot be imported: {reason}", err=True)
        typer.echo(f"  help: install its package in the version of hybridize, {hybridize.__version__}", err=True)
        raise typer.Exit(1)

    unavailable.__doc__ = f"Not available: {reason}."
    return unavailable


for _entry in metadata.entry_points(group="hybridize.commands"):
    application.command(_entry.name)(extension(_entry))

if "bench" not in metadata.entry_points(group="hybridize.commands").names:

    @application.command(hidden=True, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
    def bench() -> None:
        """Say how to install the benchmark, which is a package of its own."""
        raise typer.BadParameter("it is a package of its own: `make bench`, in the source folder, installs it")


def main() -> None:
    """Run the command; errors of hybridize are shown as their text, in red."""
    try:
        application()
    except HybridizeError as error:
        Console(stderr=True).print(str(error), style="red", highlight=False, markup=False, soft_wrap=True)
        raise SystemExit(1) from None

# SPDX-License-Identifier: Apache-2.0
"""The command `hybridize migrate`: no libraries but Python's, so that it runs beside packages with old pins."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

from hybridize.base.progress import watched
from hybridize.tools.migrating import files, report

_EPILOG = "Nothing of the scripts is run. The status is 1 if a file could not be read as Python."


def main(arguments: Sequence[str], program: str = "hybridize migrate") -> int:
    """Rewrite scripts, notebooks and source trees, print the report, and return the status.

    Raises:
        WriteError E335: there is no writing where the files are to go.
    """
    options = _options(arguments, program)
    width = shutil.get_terminal_size().columns
    own = files.packages(options.paths)
    sources = list(files.sources(options.paths))
    done = []
    for path, name in watched("reading files", sources):
        file = files.read(path, own)
        done.append(file)
        if options.diff:
            print(file.difference(), end="")
        if options.output is not None:
            file.write(_target(options, name))
        elif options.write and file.changed:
            file.write(path)
    if len(done) == 1 or options.full:
        for file in done:
            if len(done) == 1 or file.done.findings:
                print(report.places(file, width))
    if len(done) != 1:
        print(report.summary(done, width))
    return int(not all(file.done.readable for file in done))


def parser(program: str = "hybridize migrate") -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    parser = argparse.ArgumentParser(
        prog=program, epilog=_EPILOG, description="Rewrite code that uses MXNet Gluon, and report what needs a human."
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="scripts (.py), notebooks, folders of them")
    parser.add_argument("--diff", action="store_true", help="show what changes, too")
    parser.add_argument("--write", action="store_true", help="rewrite the files themselves")
    parser.add_argument("--full", action="store_true", help="list every place, not kinds of them")
    parser.add_argument("--output", "-o", type=Path, help="write to this folder, or file, instead")
    return parser


def _options(arguments: Sequence[str], program: str) -> argparse.Namespace:
    options = parser(program).parse_args(arguments)
    if options.write and options.output is not None:
        parser(program).error("--write and --output: one of them says where to write")
    for path in options.paths:
        if not path.exists():
            parser(program).error(f"{path} does not exist")
    return options


def _target(options: argparse.Namespace, name: Path) -> Path:
    """Return where a file is to be written: into a folder, or, of one script, under another name."""
    output: Path = options.output
    one = len(options.paths) == 1 and options.paths[0].is_file()
    return output if one and not output.is_dir() and output.suffix == name.suffix else output / name

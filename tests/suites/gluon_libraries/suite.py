# SPDX-License-Identifier: Apache-2.0
"""Migrates the libraries that were written for Gluon, imports every module of them, and prints what imports.

    make .gluon/.installed
    python tests/suites/gluon_libraries/suite.py

The libraries and their versions stand in `libraries.txt`; they are installed as the registry has them into
`.gluon/upstream`, copied and migrated into `.gluon/migrated`, and nothing in them is changed by hand. They run in
`.gluon/venv`, which has what they need beside MXNet; hybridize is that of this checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FOLDER = Path(os.environ.get("GLUON_LIBRARIES", ROOT / ".gluon"))
WHERE = "make .gluon/.installed"
WIDTH = 80


@dataclass(frozen=True)
class Library:
    """A line of `libraries.txt`."""

    name: str
    version: str
    package: str
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of a library's modules."""

    library: Library
    errors: dict[str, str]
    """By module; empty where it was imported."""

    @property
    def imported(self) -> int:
        """The number of modules that import."""
        return sum(not error for error in self.errors.values())

    @property
    def lacking(self) -> int:
        """The number of modules that need another package, which is not installed."""
        return sum(error.startswith("lacks ") for error in self.errors.values())

    @property
    def share(self) -> float:
        """The share of modules that import, of those that lack nothing."""
        counted = len(self.errors) - self.lacking
        return self.imported / counted if counted else 0.0

    @property
    def first(self) -> str:
        """The first error that is no missing package, or else the first."""
        found = [error for error in self.errors.values() if error]
        return next((error for error in found if not error.startswith("lacks ")), found[0] if found else "")


def libraries() -> list[Library]:
    """Return the lines of `libraries.txt`."""
    lines = (HERE / "libraries.txt").read_text().splitlines()
    found = []
    for requirement, package, *left_out in (line.split() for line in lines if line and not line.startswith("#")):
        name, _, version = requirement.partition("==")
        found.append(Library(name, version, package, tuple(left_out)))
    return found


def python() -> Path:
    """Return the interpreter that the libraries run in."""
    path = FOLDER / "venv" / "bin" / "python"
    if not path.exists() or not (FOLDER / "upstream").exists():
        raise SystemExit(f"there are no libraries in {FOLDER}; to get them: {WHERE}")
    return path


def environment() -> dict[str, str]:
    """Return the variables that a library's process has: this checkout's hybridize, and one thread of BLAS.

    MXNet runs without oneDNN, with which 1.9.1 refuses some grouped convolutions backward, and has wrong gradients.
    """
    variables = {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg", "MXNET_MKLDNN_ENABLED": "0"}
    return {**os.environ, **variables}


def migrated(library: Library) -> Path:
    """Copy a library and rewrite it as `hybridize migrate --write` does; return the folder that holds its package."""
    folder = FOLDER / "migrated" / library.name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(FOLDER / "upstream" / library.name, folder, ignore=shutil.ignore_patterns("__pycache__"))
    command = [python(), "-m", "hybridize", "migrate", "--write", folder / library.package]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    (folder / "migrate.txt").write_text(done.stdout + done.stderr)
    if "Traceback" in done.stderr:
        raise SystemExit(f"hybridize migrate {folder / library.package}\n{done.stderr}")
    return folder


def outcome(library: Library, folder: Path) -> Outcome:
    """Import every module of a migrated library, in a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "modules.jsonl"
        command = [python(), HERE / "imports.py", library.package, folder, out, *library.left_out]
        done = subprocess.run(command, env=environment(), cwd=scratch, capture_output=True, text=True)
        lines = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    errors = {line["module"]: line["error"] for line in lines}
    if done.returncode:
        errors["(the process)"] = f"ended by {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"
    return Outcome(library, errors)


def table(outcomes: Iterable[Outcome]) -> str:
    """Return the table: a row of counts for each library, and below it its first error, no line over 80 columns."""
    lines = [f"{'library':<16}{'version':<15}{'modules':>8}{'import':>8}{'lack':>6}   import of others"]
    for one in outcomes:
        name, version = one.library.name, one.library.version
        counts = f"{len(one.errors):>8}{one.imported:>8}{one.lacking:>6}"
        lines.append(f"{name:<16}{version:<15}{counts}   {100 * one.share:.1f} %")
        lines += textwrap.wrap(one.first, WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", nargs="*", help="only these")
    parser.add_argument("--as-they-are", action="store_true", help="do not migrate again: take .gluon/migrated")
    parser.add_argument("--errors", action="store_true", help="print the error of every module, too")
    options = parser.parse_args()
    python()  # or an error that says how the libraries are installed
    chosen = [one for one in libraries() if not options.libraries or one.name in options.libraries]
    outcomes = []
    for one in chosen:
        folder = FOLDER / "migrated" / one.name if options.as_they_are else migrated(one)
        outcomes.append(outcome(one, folder))
        if options.errors:
            for module, error in outcomes[-1].errors.items():
                print(f"{module}: {error}" if error else module)
    print(table(outcomes))


if __name__ == "__main__":
    main()

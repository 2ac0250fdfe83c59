# SPDX-License-Identifier: Apache-2.0
"""Runs the cells of the MXNet edition of "Dive into Deep Learning" on hybridize, and prints what passes.

    git clone --depth 1 https://github.com/d2l-ai/d2l-en CHECKOUT
    D2L_CHECKOUT=CHECKOUT python tests/suites/book/suite.py

The book is not copied. Each section is taken out of its source as a notebook (`sections.py`), rewritten by
`hybridize migrate`, as a user would, and run in a fresh process, cell by cell (`cells.py`). A folder or a tar file of
the checkout will do. What is left out, and what runs on small files of our own in the place of downloads
(`stand_ins.py`), stands in `downloads.txt`.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT)]
Section = importlib.import_module("sections").Section
COMMIT = "23d7a5aecceee57d1292c56e90cce307f183bb0a"
"""Of 2024-03-16; the book has not changed much since 2023."""
WHERE = f"git clone --depth 1 https://github.com/d2l-ai/d2l-en CHECKOUT (commit {COMMIT[:12]})"
GROUPS = {"plain": "no download", "stand-ins": "small files in the place of downloads"}


def checkout_of(given: str, scratch: Path) -> Path:
    """Return the folder of a checkout that is given as a folder or as a tar file."""
    path = Path(given)
    if path.is_file():
        with tarfile.open(path) as tar:
            tar.extractall(scratch, filter="data")
        path = scratch
    for folder in (path, *sorted(path.glob("*/"))):
        if (folder / "chapter_preliminaries" / "ndarray.md").exists():
            return folder.resolve()
    raise SystemExit(f"{given} holds no source of the book's; to get it: {WHERE}")


def reasons() -> list[tuple[str, str]]:
    """Return the lines of `downloads.txt`: patterns of sections' names, and what is said of each."""
    found = []
    for line in (HERE / "downloads.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, _, reason = line.partition("  # ")
            found.append((pattern.strip(), reason.strip()))
    return found


def group_of(name: str, listed: list[tuple[str, str]]) -> tuple[str, str]:
    """Return the group of a section (`plain`, `stand-ins`, `left out`) and what is said of it."""
    for pattern, reason in listed:
        if fnmatch.fnmatchcase(name, pattern):
            kind, _, what = reason.partition(": ")
            if kind == "needs":
                missing = [one for one in what.split(", ") if importlib.util.find_spec(one) is None]
                return ("left out", f"{missing} is not installed") if missing else ("plain", "")
            return ("stand-ins", what) if kind == "stand-in" else ("left out", reason)
    return "plain", ""


def migrated(path: Path) -> str:
    """Rewrite a notebook or a script in place, as `hybridize migrate --write` does, and return its report."""
    done = importlib.import_module("hybridize.tools.migrating.files").read(path)
    done.write(path)
    report: str = importlib.import_module("hybridize.tools.migrating.report").places(done, 80)
    return report


def run_section(section: Any, checkout: Path, out: Path, cell_s: float, section_s: float) -> None:
    """Run a section's cells in a process of their own; cells that it does not reach have failed."""
    outcomes = out / f"{section.name.replace('/', '--')}.jsonl"
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "chapter").mkdir()
        (home / "img").symlink_to(checkout / "img")
        importlib.import_module("stand_ins").write(home)
        notebook = home / "chapter" / "section.ipynb"
        notebook.write_text(section.notebook())
        report = migrated(notebook)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
            "MXNET_HOME": str(home / "data"),
            "MPLBACKEND": "agg",
            "IPYTHONDIR": str(home / "ipython"),
            "OPENBLAS_NUM_THREADS": "1",
        }  # fmt: skip - one thread: on a machine that is busy, two wait for each other in every small product
        command = [sys.executable, HERE / "cells.py", notebook, outcomes.resolve(), str(cell_s)]
        with outcomes.with_suffix(".log").open("w") as log:
            log.write(report)
            log.flush()
            try:
                run = subprocess.run(
                    command, cwd=home / "chapter", env=environment, stdout=log, stderr=log, timeout=section_s
                )
                ended = f"process ended by {run.returncode}"
            except subprocess.TimeoutExpired:
                ended = f"the section takes longer than {section_s:.0f} s"
    done = len(read(outcomes))
    with outcomes.open("a") as lines:
        for number in range(done + 1, len(section.cells) + 1):
            lines.write(json.dumps({"cell": number, "outcome": "failed", "error": ended}) + "\n")


def read(outcomes: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in outcomes.read_text().splitlines()] if outcomes.exists() else []


def gathered(files: Iterable[Path]) -> dict[str, list[dict[str, Any]]]:
    """Return the outcomes of cells, by section."""
    return {file.stem.replace("--", "/"): read(file) for file in files}


def share(passed: int, cells: int) -> str:
    return f"{100 * passed / cells:.1f} %" if cells else "–"


def report(found: dict[str, list[dict[str, Any]]], causes: int) -> None:
    """Print cells by section, and what failed grouped by the first line of the error."""
    listed = reasons()
    groups: dict[str, list[str]] = defaultdict(list)
    for name in found:
        groups[group_of(name, listed)[0]].append(name)
    print("| section | cells | passed | failed | passed of all |\n| --- | ---: | ---: | ---: | ---: |")
    for group, title in GROUPS.items():
        total: Counter[str] = Counter()
        for name in groups[group]:
            row = Counter(line["outcome"] for line in found[name])
            total += row
            counts = f"{row.total()} | {row['passed']} | {row['failed']} | {share(row['passed'], row.total())}"
            print(f"| {name} | {counts} |")
        counts = f"{total.total()} | {total['passed']} | {total['failed']} | {share(total['passed'], total.total())}"
        print(f"| **{title}** | {counts} |")
    kinds: dict[str, list[str]] = defaultdict(list)
    for name, lines in found.items():
        for line in lines:
            if line["outcome"] == "failed":
                kinds[cause(line["error"])].append(f"{name}:{line['cell']}")
    print()
    for text, cells in sorted(kinds.items(), key=lambda pair: -len(pair[1]))[:causes]:
        print(f"{len(cells):4d}  {text}\n      {', '.join(cells[:8])}")


def cause(error: str) -> str:
    """The error without its numbers and addresses, so that like falls to like."""
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", error)
    return re.sub(r"\b\d+(\.\d+)?(e-?\d+)?", "N", text)[:160]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", default=os.environ.get("D2L_CHECKOUT"), help="folder or tar file; D2L_CHECKOUT")
    parser.add_argument("--sections", nargs="*", default=["*"], help="patterns, such as 'preliminaries/*'")
    parser.add_argument("--plain", action="store_true", help="only sections that need no download")
    parser.add_argument("--seconds", type=float, default=200, help="of the processor, for a cell")
    parser.add_argument("--section-seconds", type=float, default=1200, help="on the clock, for a section")
    parser.add_argument("--out", type=Path, help="a folder for the outcomes: sections that stand there are not run")
    parser.add_argument("--report", action="store_true", help="run nothing: print what --out holds")
    parser.add_argument("--causes", type=int, default=40, help="how many causes of failures to print")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        out = options.out or Path(scratch) / "out"
        out.mkdir(parents=True, exist_ok=True)
        if not options.report:
            if not options.checkout:
                raise SystemExit(f"say where the book's source is, by --checkout or D2L_CHECKOUT; to get it: {WHERE}")
            checkout = checkout_of(options.checkout, Path(scratch))
            run_all(checkout, out, options)
        report(gathered(sorted(out.glob("*.jsonl"))), options.causes)


def run_all(checkout: Path, out: Path, options: argparse.Namespace) -> None:
    listed = reasons()
    for section in importlib.import_module("sections").sections(checkout):
        group, _ = group_of(section.name, listed)
        wanted = any(fnmatch.fnmatchcase(section.name, pattern) for pattern in options.sections)
        stands = (out / f"{section.name.replace('/', '--')}.jsonl").exists()
        if wanted and not stands and group != "left out" and not (options.plain and group != "plain"):
            run_section(section, checkout, out, options.seconds, options.section_seconds)


if __name__ == "__main__":
    main()

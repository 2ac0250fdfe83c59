# SPDX-License-Identifier: Apache-2.0
"""Runs programs of ours on the migrated libraries, and compares with the numbers of MXNet 1.9.1 that are stored.

    make .gluon/.installed
    python tests/suites/gluon_libraries/comparison.py                   # on hybridize
    python tests/suites/gluon_libraries/comparison.py --store           # on MXNet 1.9.1: writes numbers/

The programs are written for MXNet (`programs/`), and are migrated as the libraries are. Weights and inputs follow from
rules (`programs/rules.py`), so that both give the same numbers; some twenty numbers of each result are stored.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from suite import FOLDER, HERE, environment, libraries, python

NUMBERS = HERE / "numbers"
TOLERANCE = 1e-3
"""Of the largest number of a result."""
COUNT = 19
"""Numbers that stand for one array."""
OTHERS = ("exchange", "rules")
"""Of the files in `programs`, those that have no numbers."""
AS_OUTPUT = ("hybridized", "read back")
"""Stages that give what the first gave: their numbers are not stored again."""


def files() -> list[Path]:
    """Return the files of programs."""
    return sorted(one for one in (HERE / "programs").glob("*.py") if one.stem not in OTHERS)


def migrated(interpreter: Path, folder: Path) -> Path:
    """Return a folder with the programs as `hybridize migrate` rewrites them."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE / "programs", folder, ignore=shutil.ignore_patterns("__pycache__"))
    command = [interpreter, "-m", "hybridize", "migrate", "--write", folder]
    subprocess.run(command, env=environment(), capture_output=True, check=True)
    return folder


def run(interpreter: Path, file: Path, home: Path, pattern: str, seconds: int) -> dict[str, dict[str, Any]]:
    """Run a file's programs in one process, and return what each gave."""
    folders = [str(home / one.name) for one in libraries()]
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out.jsonl"
        out.touch()
        command = [interpreter, HERE / "run_programs.py", file, out, str(seconds), pattern, *folders]
        subprocess.run(command, env=environment(), cwd=scratch, capture_output=True)
        return {line["program"]: line for line in map(json.loads, out.read_text().splitlines())}


def difference(stored: dict[str, list[float]], now: dict[str, Any]) -> str:
    """Return what is wrong with a program's results; empty if they are MXNet's."""
    if "error" in now:
        return str(now["error"])
    again = {stage: stored["output"] for stage in AS_OUTPUT if "output" in stored and stage in now["numbers"]}
    for stage, numbers in (again | stored).items():
        ours = now["numbers"].get(stage, [])
        if not numbers:
            continue  # MXNet refuses this stage
        if len(ours) != len(numbers):
            return f"{stage}: {len(ours) // COUNT} arrays, MXNet {len(numbers) // COUNT}"
        for at in range(0, len(numbers), COUNT):
            theirs, own = numbers[at : at + COUNT], ours[at : at + COUNT]
            largest = max(abs(theirs[2]), 1e-30)
            apart = [abs(a - b) / largest for a, b in zip(theirs, own, strict=True)]
            if not all(one <= TOLERANCE for one in apart):  # NaN is none
                return f"{stage}: array {at // COUNT} differs by {max(apart):.2g} of its largest number"
    return ""


def compared(
    interpreter: Path, file: Path, home: Path, pattern: str = "*", seconds: int = 120
) -> Iterator[tuple[str, str]]:
    """Run migrated programs on hybridize, and give what is wrong with each that has stored numbers."""
    stored = json.loads((NUMBERS / f"{file.stem}.json").read_text())
    names = [name for name in stored if fnmatch.fnmatchcase(name, pattern)]
    now = run(interpreter, home / file.name, FOLDER / "migrated", "|".join(names), seconds)
    for name in names:
        yield name, difference(stored[name], now.get(name, {"error": "not reached"}))


def exchanged(interpreter: Path, home: Path, folder: Path, pattern: str = "*") -> dict[str, str]:
    """Let MXNet 1.9.1 write nets into a folder and hybridize read them; return what is wrong with each."""
    os.environ["FOLDER_OF_NETS"] = str(folder)
    file = HERE / "programs" / "exchange.py"
    theirs = run(FOLDER / "oracle/bin/python", file, FOLDER / "upstream", pattern, 120)
    ours = run(interpreter, home / file.name, FOLDER / "migrated", pattern, 120)
    return {
        name: difference(line.get("numbers", {}), ours.get(name, {"error": "not reached"}))
        if "numbers" in line
        else f"MXNet: {line['error']}"
        for name, line in theirs.items()
    }


def store(file: Path, pattern: str, seconds: int) -> None:
    """Run programs on MXNet 1.9.1, and store their numbers; what MXNet refuses has none."""
    path = NUMBERS / f"{file.stem}.json"
    stored = json.loads(path.read_text()) if path.exists() else {}
    for name, line in run(FOLDER / "oracle/bin/python", file, FOLDER / "upstream", pattern, seconds).items():
        stored.pop(name, None)
        print(f"{name}: {line.get('error', 'stored')}")
        if "numbers" in line and all(math.isfinite(one) for numbers in line["numbers"].values() for one in numbers):
            stored[name] = {
                stage: [float(f"{one:.7g}") for one in numbers]
                for stage, numbers in line["numbers"].items()
                if stage not in AS_OUTPUT
            }
    NUMBERS.mkdir(exist_ok=True)
    path.write_text(json.dumps(stored, indent=0, sort_keys=True).replace(",\n", ",") + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default="*", help="a pattern, such as 'gluoncv2 *'")
    parser.add_argument("--files", nargs="*", help="only these, such as zoo")
    parser.add_argument("--seconds", type=int, default=120, help="for one program")
    parser.add_argument("--store", action="store_true", help="run MXNet 1.9.1, and store its numbers")
    options = parser.parse_args()
    chosen = [file for file in files() if not options.files or file.stem in options.files]
    if options.store:
        for file in chosen:
            store(file, options.programs, options.seconds)
        return
    home, right, count = migrated(python(), FOLDER / "migrated" / "programs"), 0, 0
    for file in chosen:
        for name, wrong in compared(python(), file, home, options.programs, options.seconds):
            print(f"{name}: {wrong or 'right'}")
            right, count = right + (not wrong), count + 1
    print(f"{right} of {count} programs give MXNet's numbers")


if __name__ == "__main__":
    main()

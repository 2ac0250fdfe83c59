# SPDX-License-Identifier: Apache-2.0
"""Run tests in every Python with every NumPy that installs here, and print the table of docs/internals/platforms.md.

    python tests/platforms/pythons.py                       # Pythons on the path, or of pyenv
    python tests/platforms/pythons.py --python "chroot /srv/sid env -C $PWD python3.14" --numpy 2.4

Each cell is an environment of its own in `--folder`: a Python, a minor release of NumPy, and the newest releases of all
other packages. Beside them each Python has a cell with the lowest releases that `dependencies` takes and that this
Python has wheels of. It runs tests/chapter without what needs PyTorch, and the sample of `tests/platforms/sample.py`. `hybridize` is not installed:
PYTHONPATH names this checkout, which a root of `chroot` must have at the same path, as it must have the folder.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
MINORS = ("2.0", "2.1", "2.2", "2.3", "2.4", "2.5")
"""Releases of NumPy whose last patch is tried."""
LOWEST = "lowest"
"""The column of the lowest releases that `dependencies` takes, and that have wheels for the Python."""
NAMES = ("3.11", "3.12", "3.13", "3.13t", "3.14", "3.14t", "3.15")
WHEELS = ("--only-binary", ":all:")
TESTED = ("pytest", "hypothesis", "pillow")


@dataclass(frozen=True)
class Python:
    """An interpreter, and the words that run it."""

    words: tuple[str, ...]

    def run(self, *arguments: str, inside: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        """Run it, or the Python of an environment that it made, with arguments."""
        words = [*self.words[:-1], str(inside / "bin/python") if inside else self.words[-1], *arguments]
        env = {**os.environ, "HYBRIDIZE_CACHE": "0", "SYSTEM": "0", "PYTHONDONTWRITEBYTECODE": "1", **more}
        return subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=False)

    def version(self) -> str:
        """Return its version, with `t` where it runs without a GIL and `d` where it is a debug build."""
        code = "import sys; print(sys.version.split()[0] + getattr(sys, 'abiflags', ''))"
        done = self.run("-c", code)
        if done.returncode:
            raise SystemExit(f"{shlex.join(self.words)} does not run: {done.stderr.strip()}")
        return done.stdout.strip()


def pythons(wishes: Sequence[str]) -> Iterator[Python]:
    """Yield the Pythons to use: those that are wished for, or those that are here."""
    for wish in wishes:
        yield Python(tuple(shlex.split(wish)))
    for name in () if wishes else NAMES:
        pyenv = sorted(Path.home().glob(f".pyenv/versions/{name}.*/bin/python{name}"))
        path = shutil.which(f"python{name}") or (str(pyenv[-1]) if pyenv else "")
        if path:
            yield Python((path,))


def bounds() -> dict[str, str]:
    """Return the lowest release that `dependencies` takes of each package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = [re.match(r"([\w-]+)>=([\d.]+)[^;]*$", one) for one in project["dependencies"]]
    return {row[1]: row[2] for row in rows if row}


def numbers(release: str) -> list[int]:
    """Return a release as numbers, to compare by."""
    return [int(one) for one in release.split(".")]


def releases(name: str, bound: str, listed: str) -> list[str]:
    """Return the releases from `bound` on that `pip index versions` lists, as pip is asked for them, lowest first."""
    line = re.search(r"^Available versions: (.*)", listed, re.MULTILINE)
    every = [one for one in line[1].split(", ") if re.fullmatch(r"[\d.]+", one)] if line else []
    return [f"{name}=={one}" for one in sorted(every, key=numbers) if numbers(one) >= numbers(bound)]


def lowest(python: Python, folder: Path, name: str, bound: str) -> str:
    """Return what pip is asked for: the lowest release of a package that has a wheel for the Python of a folder."""
    listed = python.run("-m", "pip", "index", "versions", name, inside=folder).stdout
    dry = ("-m", "pip", "install", "--dry-run", "--no-deps", *WHEELS)
    fit = (one for one in releases(name, bound, listed) if not python.run(*dry, one, inside=folder).returncode)
    return next(fit, f"{name}>={bound}")


def requirements(python: Python, folder: Path, column: str) -> list[str]:
    """Return what the environment of a column has."""
    if column == LOWEST:
        return [*(lowest(python, folder, *one) for one in bounds().items()), *TESTED]
    return [*(f"numpy=={column}.*" if name == "numpy" else name for name in bounds()), *TESTED]


def made(python: Python, folder: Path, column: str) -> str:
    """Make an environment; return why there is none, in pip's words."""
    if (folder / ".made").exists():
        return ""
    shutil.rmtree(folder, ignore_errors=True)
    done = python.run("-m", "venv", str(folder))
    if not done.returncode:
        wanted = requirements(python, folder, column)
        done = python.run("-m", "pip", "install", "--quiet", *WHEELS, *wanted, inside=folder)
    if done.returncode:
        errors = [line for line in (done.stderr + done.stdout).splitlines() if line.startswith("ERROR")]
        return (errors or ["ERROR: no environment"])[-1].removeprefix("ERROR: ")
    (folder / ".made").touch()
    return ""


def counted(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """Return how many tests passed, failed, or had no result, as the last line of pytest says."""
    last = (done.stdout.strip().splitlines() or [""])[-1]
    return {kind: int(count) for count, kind in re.findall(r"(\d+) (passed|failed|errors?|skipped)", last)}


def cell(python: Python, folder: Path, column: str) -> str:
    """Return what the table says of an environment."""
    problem = made(python, folder, column)
    if problem:
        return f"pip: {problem}"
    path = {"PYTHONPATH": str(ROOT)}
    imported = python.run("-c", "import hybridize", inside=folder, **path)
    if imported.returncode:
        return imported.stderr.strip().splitlines()[-1]
    quiet = ("-q", "-p", "no:cacheprovider")
    chapter = ("tests/chapter", "--ignore", "tests/chapter/test_script.py")
    results = [
        python.run("-m", "pytest", *chapter, *quiet, inside=folder, **path),
        python.run("-m", "tests.platforms.sample", *quiet, inside=folder, **path),
    ]
    (folder / "log.txt").write_text("\n".join(one.stdout + one.stderr for one in results), encoding="utf-8")
    counts = [counted(one) for one in results]
    texts = []
    for count in counts:
        bad = {kind: number for kind, number in count.items() if kind != "passed"}
        texts.append(", ".join([str(count.get("passed", 0)), *(f"{number} {kind}" for kind, number in bad.items())]))
    return " + ".join(texts)


def main() -> None:
    """Make the environments, run the tests, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", default=[], help="a Python, with the words before it")
    parser.add_argument("--numpy", action="append", default=[], help=f"one of {', '.join(MINORS)}, {LOWEST}")
    parser.add_argument("--folder", type=Path, default=ROOT / ".pythons", help="where environments are made")
    options = parser.parse_args()
    columns = options.numpy or [LOWEST, *MINORS]
    print("| Python |", " | ".join(columns), "|\n| --- |", " | ".join("---" for _ in columns), "|")
    for python in pythons(options.python):
        version = python.version()
        print(f"| {version} |", end="", flush=True)
        for column in columns:
            print(f" {cell(python, options.folder.resolve() / f'{version}-{column}', column)} |", end="", flush=True)
        print(flush=True)


if __name__ == "__main__":
    sys.exit(main())

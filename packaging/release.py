"""Build the files of a release, check what is in them, and run them where nothing else is installed.

    python packaging/release.py [--folder dist] [--dirty]

It needs `build`, `twine` and `check-wheel-contents` (`make release` installs them in `.release`), and uploads nothing.
docs/internals/releasing.md says what comes before and after.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
OF_SOURCE = ("Makefile", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "pyproject.toml", "mkdocs.yml")
"""Files at the top of the source that its file of a release has: `make test` and `make site` run from it."""
FOLDERS = ("hybridize", "tests", "benchmarks", "docs", "examples", "packaging")


def version_problems(root: Path = ROOT) -> Iterator[str]:
    """Say where the version of the source differs: in `pyproject.toml`, the package, or the changelog."""
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    own = re.search(r'VERSION: Final = "(.*)"', (root / "hybridize/base/version.py").read_text(encoding="utf-8"))
    if own is None or own[1] != version:
        yield f"pyproject.toml says {version}, hybridize/base/version.py says {own and own[1]}"
    heading = re.search(r"^## (.*)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if heading is None or not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", heading[1]):
        yield f"CHANGELOG.md begins with {heading and heading[1]!r}, not with '{version} (YEAR-MONTH-DAY)'"


def wheel_problems(wheel: Path, root: Path = ROOT) -> Iterator[str]:
    """Say what a wheel has that is none of the package, or lacks of it."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    info = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"
    for name in sorted(names):
        if name.split("/")[0] not in ("hybridize", info):
            yield f"{wheel.name} has {name}"
    for name in (f"{info}/licenses/LICENSE", f"{info}/METADATA", f"{info}/entry_points.txt"):
        if name not in names:
            yield f"{wheel.name} lacks {name}"
    files = {str(path.relative_to(root)) for path in (root / "hybridize").rglob("*") if path.is_file()}
    files = {name for name in files if "__pycache__" not in name}
    packed = {name for name in names if name.startswith("hybridize/")}
    yield from (f"{wheel.name} lacks {name}" for name in sorted(files - packed))
    yield from (f"{wheel.name} has {name}, which is not in the source" for name in sorted(packed - files))


def source_problems(archive: Path) -> Iterator[str]:
    """Say what of the source is not in its file: whoever has it can test it and make the site of it."""
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    tops = {name.split("/")[0] for name in names}
    yield from (f"{archive.name} lacks {name}" for name in (*OF_SOURCE, *FOLDERS) if name not in tops)
    yield from (f"{archive.name} has {name}" for name in sorted(names) if "__pycache__" in name or name[:5] == ".venv")


def first_example(root: Path = ROOT) -> str:
    """Return the first program of the README."""
    return re.findall(r"```python\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.DOTALL)[0]


def run(*command: object, cwd: Path | None = None) -> None:
    """Run a command; where it fails, end with what it printed."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def try_out(file: Path, *requirements: str) -> None:
    """Install a file of the release in an empty environment, and run the README's first example and the command."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "environment", with_pip=True)
        binaries = place / "environment" / ("Scripts" if sys.platform == "win32" else "bin")
        run(binaries / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", file, *requirements)
        (place / "example.py").write_text(first_example(), encoding="utf-8")
        run(binaries / "python", "-I", place / "example.py", cwd=place)
        run(binaries / "hybridize", "inspect", "my_mlp", cwd=place)
        run(binaries / "hybridize", "doctor", cwd=place)


def build(folder: Path, root: Path = ROOT) -> tuple[Path, Path]:
    """Build the source's file, and of it the wheel."""
    run(sys.executable, "-m", "build", "--outdir", folder, root)
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return source, wheel


def main(arguments: list[str] | None = None) -> None:
    """Build, check, and try out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "dist", help="where the files go; it must be empty")
    parser.add_argument("--dirty", action="store_true", help="of a tree with changes, or without a version's heading")
    options = parser.parse_args(arguments)
    if options.folder.exists() and any(options.folder.iterdir()):
        raise SystemExit(f"{options.folder} is not empty")
    if not options.dirty:
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True)
        _end_with([f"not committed: {line}" for line in changed.stdout.splitlines()])
        _end_with(version_problems())
    source, wheel = build(options.folder)
    _end_with([*wheel_problems(wheel), *source_problems(source)])
    run(sys.executable, "-m", "twine", "check", "--strict", source, wheel)
    run(sys.executable, "-m", "check_wheel_contents", wheel)
    for file in (wheel, source):
        try_out(file)
        print(f"{file}: installs in an empty environment and runs the README's first example")


def _end_with(problems: Iterator[str] | list[str], tell: Callable[[str], object] = print) -> None:
    """End where there are problems, and list them."""
    listed = list(problems)
    for one in listed:
        tell(one)
    if listed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()

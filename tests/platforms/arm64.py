"""A Debian for arm64 in an emulator, and the tests in it.

python -m tests.platforms.arm64 make          a root in .arm64: 5 minutes, 5 GB; as root, with Debian's packages
                                              mmdebstrap and qemu-user-static
python -m tests.platforms.arm64 run ARGS      a program in it; the checkout is /src there
python -m tests.platforms.arm64 test [PATHS]  tests, of which .arm64/results keeps each outcome; what has one is not
                                              run again. SHARD=0/20 runs every twentieth; AGAIN=1 what did not pass
python -m tests.platforms.arm64 table         the outcomes, counted
"""

import os
import re
import sys
import tomllib
from pathlib import Path

from tests.platforms import debian
from tests.platforms.debian import CHECKOUT
from tests.platforms.recording import results, run_again, table

HOME = Path(os.environ.get("HYBRIDIZE_ARM64", CHECKOUT / ".arm64"))
ROOT, RESULTS, PACKAGES = HOME / "root", HOME / "results", "usr/local/lib/python3.13/dist-packages"
DEBIAN = "python3", "python3-venv", "gcc", "g++", "libc6-dev", "make"
SLOWER = 30
"""Times that QEMU takes as long as a processor, at most: see `pace`."""
APART = {"ruff", "mypy", "pyright", "torch"}
"""Tools that read source alone; torch comes without what its wheel asks for."""
HOLLOW = r"""
cd "/$PACKAGES/torch/lib"
names() { nm -D "$1" *.so* 2>/dev/null; }
needed=$(for file in *.so*; do readelf -d "$file"; done | sed -n 's/.*NEEDED.*\[\(lib\(cu\|nv\|nccl\)[^]]*\)\]/\1/p' | grep -v cudart | sort -u)
names --undefined-only | sed -n 's/.* U \(\(cu\|nccl\|nvrtc\|nvshmem\)[^@]*\).*/\1/p' | grep -v ^cuda | sort -u |
    sed 's/.*/.globl &\n&: mov x0, #0\nret/' > hollow.s
gcc -shared -nostdlib hollow.s -o libhollow.so
for name in $needed; do [ -e "$name" ] || ln -s libhollow.so "$name"; done
"""


def dependencies() -> dict[str, str]:
    """Return what the project and its tests need, by name, as pyproject.toml says."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]

    def expanded(names: list[str]) -> list[str]:
        own = [(name, re.fullmatch(r"hybridize\[(\w+)\]", name)) for name in names]
        extras = project["optional-dependencies"]
        return [one for name, extra in own for one in (expanded(extras[extra[1]]) if extra else [name])]

    wanted = expanded(project["dependencies"] + project["optional-dependencies"]["dev"])
    return {re.match(r"[\w-]+", one)[0]: one for one in wanted}


def make() -> None:
    """Make the root, with all that the tests need."""
    debian.make(ROOT, "arm64", DEBIAN)
    wanted = dependencies()
    install(*(one for name, one in wanted.items() if name not in APART))
    (ROOT / PACKAGES / "hybridize.pth").write_text("/src\n/src/benchmarks\n")
    install("--no-deps", re.search(r'^TRITON := "(.+)"', (CHECKOUT / "Makefile").read_text(), re.MULTILINE)[1])
    # Its wheel asks for gigabytes of CUDA's libraries: hollow ones have their names.
    install("--no-deps", wanted["torch"], "nvidia-cuda-runtime==13.0.*")
    install("filelock", "typing-extensions", "setuptools", "sympy", "networkx", "jinja2", "fsspec")
    debian.inside(ROOT, ["sh", "-ec", HOLLOW], {"PACKAGES": PACKAGES}, check=True)


def install(*packages: str) -> None:
    """Unpack wheels where Debian's Python looks for packages."""
    debian.pip("arm64", "install", "--no-compile", "--target", ROOT / PACKAGES, *packages)


def test(parts: list[list[str]]) -> int:
    """Run tests, part by part, until each has an outcome; a test that ends its process does not end the others."""
    HOME.mkdir(exist_ok=True)
    RESULTS.touch()
    if os.environ.get("AGAIN"):
        run_again(RESULTS)
    shown = ROOT / "results"
    shown.unlink(missing_ok=True)
    os.link(RESULTS, shown)
    own = {
        name: value for name, value in os.environ.items() if name.startswith("HYBRIDIZE_") and name != "HYBRIDIZE_ARM64"
    }
    shard = {"HYBRIDIZE_RESULTS": "/results", "HYBRIDIZE_SHARD": os.environ.get("SHARD", ""), "SYSTEM": "0"}
    shard["HYBRIDIZE_SLOWER"] = str(SLOWER)
    command = ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.platforms.recording"]
    command.append("--continue-on-collection-errors")
    statuses = [0]
    for paths in parts:
        while True:
            before = len(results(RESULTS))
            statuses.append(debian.inside(ROOT, [*command, *paths], own | shard).returncode)
            if statuses[-1] in (0, 1, 2, 5) or len(results(RESULTS)) == before:  # others: its process ended in a test
                break
    return next((status for status in statuses if status not in (0, 5)), 0)


def main(verb: str, *words: str) -> int:
    """Do what the command line says; return the exit status."""
    if verb in ("run", "test") and not (ROOT / PACKAGES).exists():
        raise SystemExit(f"there is no root in {HOME}; python -m tests.platforms.arm64 make makes it")
    if verb == "make":
        make()
    elif verb == "run":
        return debian.inside(ROOT, list(words)).returncode
    elif verb == "test":
        folders = sorted(str(one.relative_to(CHECKOUT)) for one in CHECKOUT.glob("tests/*/"))
        return test([list(words)] if words else [[folder] for folder in folders])
    elif verb == "table":
        print(table(results(RESULTS)))
    else:
        raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or ["help"])))

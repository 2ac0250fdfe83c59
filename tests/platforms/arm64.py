"""A Debian for arm64 in an emulator, and the tests in it.

    python -m tests.platforms.arm64 make          a root in .arm64: 5 minutes, 5 GB; as root, with Debian's packages
                                                  mmdebstrap and qemu-user-static
    python -m tests.platforms.arm64 run ARGS      a program in it; the checkout is /src there
    python -m tests.platforms.arm64 test [PATHS]  tests, of which .arm64/results keeps each outcome; what has one is not
                                                  run again. SHARD=0/20 runs every twentieth; AGAIN=1 what did not pass
    python -m tests.platforms.arm64 table         the outcomes, counted

Nothing of the machine is changed: the packages of the root are unpacked and never configured, so that no program of
arm64 runs while it is made, and `run` registers the emulator in a namespace of its own, which ends with it. Linux before
6.7 has no such namespaces; there the emulator must have been registered by Debian's package.

The processor is Neoverse N1, in the root's facts, too. With its default, `max`, NumPy's products are wrong: QEMU (7.2 to
11.1) does not run OpenBLAS's kernels for SVE as a processor would.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.platforms.recording import results, table

CHECKOUT = Path(__file__).resolve().parents[2]
HOME = Path(os.environ.get("HYBRIDIZE_ARM64", CHECKOUT / ".arm64"))
ROOT, RESULTS, PACKAGES = HOME / "root", HOME / "results", "usr/local/lib/python3.13/dist-packages"
EMULATOR = "/usr/bin/qemu-aarch64-static"
DEBIAN = "python3", "python3-venv", "gcc", "g++", "libc6-dev", "make"
APART = {"ruff", "mypy", "pyright", "torch"}
"""Tools that read source alone; torch comes without what its wheel asks for."""
PIP = [
    *(sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--only-binary=:all:"),
    *("--python-version", "3.13", "--implementation", "cp"),
    *(f"--platform=manylinux_2_{minor}_aarch64" for minor in (17, 24, 26, 27, 28, 31, 34)),
    "--platform=manylinux2014_aarch64",
]
REGISTRATION = (
    r":hybridize-arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:"
    r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:"
    f"{EMULATOR}:F"
)
ENTER = r"""
if mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null; then
    printf %s "$REGISTRATION" > /proc/sys/fs/binfmt_misc/register
fi
set -e
mount --rbind /dev "$ROOT/dev"
mount --rbind /proc "$ROOT/proc"
mount --bind "$ROOT/etc/cpuinfo" "$ROOT/proc/cpuinfo"
mount --bind "$CHECKOUT" "$ROOT/src"
exec chroot "$ROOT" /usr/bin/env -i "$@"
"""
CPUINFO = """processor\t: {number}
BogoMIPS\t: 50.00
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x4
CPU part\t: 0xd0c
CPU revision\t: 1

"""
CACHES = {"index0": (1, "Data", "64K"), "index1": (1, "Instruction", "64K"), "index2": (2, "Unified", "1024K")}
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
    """Make the root, and its facts about the processor."""
    if ROOT.exists():
        shutil.rmtree(ROOT)
    HOME.mkdir(exist_ok=True)
    source = ["--mode=root", "--variant=extract", "--architectures=arm64", "--include=?essential"]
    subprocess.run(
        ["mmdebstrap", *source, f"--include={','.join(DEBIAN)}", "trixie", ROOT, "http://deb.debian.org/debian"],
        check=True,
    )
    for name in ("bin", "lib", "sbin"):
        if not (ROOT / name).exists():
            (ROOT / name).symlink_to(f"usr/{name}")
    (ROOT / "usr/bin/cc").symlink_to("gcc")
    for name in ("src", "dev", "proc", PACKAGES):
        (ROOT / name).mkdir(parents=True, exist_ok=True)
    facts()
    wanted = dependencies()
    install(*(one for name, one in wanted.items() if name not in APART))
    (ROOT / PACKAGES / "hybridize.pth").write_text("/src\n")
    torch(wanted["torch"])


def facts() -> None:
    """Write what Linux would say of the processor: the emulator lets programs read this machine's own answers."""
    (ROOT / "etc/cpuinfo").write_text("".join(CPUINFO.format(number=number) for number in range(os.cpu_count() or 1)))
    cpus = ROOT / "sys/devices/system/cpu"
    for number in range(os.cpu_count() or 1):
        for index, (level, kind, size) in CACHES.items():
            folder = cpus / f"cpu{number}/cache/{index}"
            folder.mkdir(parents=True, exist_ok=True)
            for name, value in {"level": level, "type": kind, "size": size, "shared_cpu_list": number}.items():
                (folder / name).write_text(f"{value}\n")
        for name, value in {"regs/identification/midr_el1": "0x00000000414fd0c1", "topology/core_id": number}.items():
            (cpus / f"cpu{number}" / name).parent.mkdir(parents=True, exist_ok=True)
            (cpus / f"cpu{number}" / name).write_text(f"{value}\n")
    for name in ("possible", "present", "online"):
        (cpus / name).write_text(f"0-{(os.cpu_count() or 1) - 1}\n")


def install(*packages: str) -> None:
    """Unpack wheels for arm64 where Debian's Python looks for packages."""
    subprocess.run([*PIP, "--target", ROOT / PACKAGES, *packages], check=True)


def torch(release: str) -> None:
    """Install torch, without the gigabytes of CUDA's libraries that its wheel asks for: hollow ones have their names."""
    install("--no-deps", release, "nvidia-cuda-runtime==13.0.*")
    install("filelock", "typing-extensions", "setuptools", "sympy", "networkx", "jinja2", "fsspec")
    inside(["sh", "-ec", HOLLOW], {"PACKAGES": PACKAGES}, check=True)


def inside(command: list[str], environment: dict[str, str] | None = None, check: bool = False) -> int:
    """Run a program in the root, in the checkout's folder; return its exit status."""
    own = {
        name: value for name, value in os.environ.items() if name.startswith("HYBRIDIZE_") and name != "HYBRIDIZE_ARM64"
    }
    named = {
        "QEMU_CPU": os.environ.get("QEMU_CPU", "neoverse-n1"),
        "HOME": "/root",
        "PATH": "/usr/local/bin:/usr/bin",
        "LANG": "C.UTF-8",
        "PYTHONPYCACHEPREFIX": "/var/cache/python",
        "SYSTEM": "0",
        **own,
        **(environment or {}),
    }
    words = [f"{name}={value}" for name, value in named.items()]
    enter = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", ENTER, "sh", *words]
    host = {**os.environ, "ROOT": str(ROOT), "CHECKOUT": str(CHECKOUT), "REGISTRATION": REGISTRATION}
    done = subprocess.run([*enter, "sh", "-c", 'cd /src; exec "$@"', "sh", *command], env=host, check=check)
    return done.returncode


def test(paths: list[str]) -> int:
    """Run tests until each has an outcome; a test that ends its process does not end the others."""
    known = results(RESULTS)
    if os.environ.get("AGAIN"):
        kept = [
            line for line in RESULTS.read_text().splitlines() if known[line.split('"')[1]][0] in ("passed", "skipped")
        ]
        RESULTS.write_text("".join(f"{line}\n" for line in kept))
    HOME.mkdir(exist_ok=True)
    RESULTS.touch()
    shown = ROOT / "results"
    shown.touch()
    shown.unlink()
    os.link(RESULTS, shown)
    environment = {"HYBRIDIZE_RESULTS": "/results", "HYBRIDIZE_SHARD": os.environ.get("SHARD", "")}
    command = ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.platforms.recording", *paths]
    while True:
        before = len(results(RESULTS))
        status = inside(command, environment)
        if status in (0, 1, 2, 5) or len(results(RESULTS)) == before:  # others: its process ended in a test
            return status


def main(verb: str, *words: str) -> int:
    if verb in ("run", "test") and not (ROOT / PACKAGES).exists():
        raise SystemExit(f"there is no root in {HOME}; python -m tests.platforms.arm64 make makes it")
    if verb == "make":
        make()
    elif verb == "run":
        return inside(list(words))
    elif verb == "test":
        return test(list(words) or ["tests"])
    elif verb == "table":
        print(table(results(RESULTS)))
    else:
        raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or ["help"])))

"""Roots of Debian for a processor, unpacked and never configured, and programs in them.

Nothing of the machine is changed, and no program of another processor runs while a root is made. Those of AArch64 run
in QEMU, which `inside` registers in a namespace of its own, which ends with the program. Linux before 6.7 has no such
namespaces; there QEMU must have been registered by Debian's package.

QEMU is a Neoverse N1, in the root's facts, too. With its default, `max`, NumPy's products are wrong: QEMU (7.2 to 11.1)
does not run OpenBLAS's kernels for SVE as a processor would.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
EMULATOR = "/usr/bin/qemu-aarch64-static"
WHEELS = {"arm64": "aarch64", "amd64": "x86_64"}
"""The processors by Debian's names, and by those of wheels."""
REGISTRATION = (
    r":hybridize-arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:"
    r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:"
    f"{EMULATOR}:F"
)
ENTER = r"""
if mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null && [ -e "$EMULATOR" ]; then
    printf %s "$REGISTRATION" > /proc/sys/fs/binfmt_misc/register
fi
set -e
mount --rbind /dev "$ROOT/dev"
mount --rbind /proc "$ROOT/proc"
[ ! -e "$ROOT/etc/cpuinfo" ] || mount --bind "$ROOT/etc/cpuinfo" "$ROOT/proc/cpuinfo"
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


def make(root: Path, architecture: str, packages: tuple[str, ...]) -> None:
    """Make a root with Debian's essential packages and these, in place of one that is there."""
    if root.exists():
        shutil.rmtree(root)
    root.parent.mkdir(parents=True, exist_ok=True)
    source = ["--mode=root", "--variant=extract", f"--architectures={architecture}", "--include=?essential"]
    subprocess.run(
        [
            "mmdebstrap",
            "--quiet",
            *source,
            f"--include={','.join(packages)}",
            "trixie",
            root,
            "http://deb.debian.org/debian",
        ],
        check=True,
    )
    for name in ("bin", "lib", "sbin", "lib64"):
        if not (root / name).exists() and (root / "usr" / name).exists():
            (root / name).symlink_to(f"usr/{name}")
    if (root / "usr/bin/gcc").exists():
        (root / "usr/bin/cc").symlink_to("gcc")
    # As its package does when it is configured; pip does not start without.
    certificates = sorted((root / "usr/share/ca-certificates").rglob("*.crt"))
    (root / "etc/ssl/certs").mkdir(parents=True, exist_ok=True)
    (root / "etc/ssl/certs/ca-certificates.crt").write_text("".join(one.read_text() for one in certificates))
    for name in ("src", "dev", "proc", "tmp"):
        (root / name).mkdir(exist_ok=True)
    if architecture == "arm64":
        _facts(root)


def _facts(root: Path) -> None:
    """Write what Linux would say of the processor: QEMU lets programs read this machine's own answers."""
    numbers = range(os.cpu_count() or 1)
    cpus = root / "sys/devices/system/cpu"
    files = {root / "etc/cpuinfo": "".join(CPUINFO.format(number=number) for number in numbers)}
    files |= {cpus / name: f"0-{numbers[-1]}\n" for name in ("possible", "present", "online")}
    for number in numbers:
        own = cpus / f"cpu{number}"
        files |= {own / "regs/identification/midr_el1": "0x00000000414fd0c1\n", own / "topology/core_id": f"{number}\n"}
        for index, (level, kind, size) in CACHES.items():
            facts = {"level": level, "type": kind, "size": size, "shared_cpu_list": number}
            files |= {own / "cache" / index / name: f"{value}\n" for name, value in facts.items()}
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def pip(architecture: str, verb: str, *words: object) -> None:
    """Let pip `download` or `install` wheels for Python 3.13 on a processor."""
    minors = (17, 24, 26, 27, 28, 31, 34)
    platforms = [f"--platform=manylinux_2_{minor}_{WHEELS[architecture]}" for minor in minors]
    platforms += [f"--platform=manylinux2014_{WHEELS[architecture]}"]
    kind = ["--only-binary=:all:", "--python-version=3.13", "--implementation=cp"]
    command = [sys.executable, "-m", "pip", verb, "--disable-pip-version-check", "--quiet", *kind, *platforms, *words]
    subprocess.run(command, check=True)


def inside(
    root: Path, command: list[str], environment: dict[str, str] | None = None, **options: object
) -> subprocess.CompletedProcess:
    """Run a program in a root, in the folder of the checkout, which is /src there.

    Args:
        root: made by `make`.
        command: the program and its arguments.
        environment: variables; of this process's only QEMU_CPU.
        options: of `subprocess.run`.
    """
    named = {
        "QEMU_CPU": os.environ.get("QEMU_CPU", "neoverse-n1"),
        "HOME": "/root",
        "PATH": "/usr/local/bin:/usr/bin",
        "LANG": "C.UTF-8",
        "PYTHONPYCACHEPREFIX": "/var/cache/python",
        **(environment or {}),
    }
    words = [f"{name}={value}" for name, value in named.items()]
    enter = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", ENTER, "sh", *words]
    host = {
        **os.environ,
        "ROOT": str(root),
        "CHECKOUT": str(CHECKOUT),
        "EMULATOR": EMULATOR,
        "REGISTRATION": REGISTRATION,
    }
    return subprocess.run([*enter, "sh", "-c", 'cd /src; exec "$@"', "sh", *command], env=host, **options)

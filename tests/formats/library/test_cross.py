"""Libraries for other machines: linked by Zig, and run here where that can be had."""

import hashlib
import re
import shutil
import struct
import subprocess
import sys

import pytest

import hybridize
from hybridize import np, npx
from hybridize.base.errors import CodegenError, VerificationError
from hybridize.formats import library
from hybridize.formats.library import cross, linking, platforms, running
from hybridize.formats.library.reading import read_library
from hybridize.gluon import nn
from tests.platforms import compilers
from tests.refusals import refusal
from tests.samples import sampled

FUNCTIONS = ("create", "describe", "destroy", "error", "run", "sizes")


def get_net():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    net.initialize()
    net.hybridize()
    for rows in (1, 4, 9):
        net(np.random.normal(size=(rows, 512)))
    return net


def steps(x):
    count = 0
    while np.abs(x).max() > 0.1:
        x = np.tanh(x) * 0.5
        count = count + 1
    return x, count


CASES = {
    "mathematics": (
        lambda x: (np.exp(x) + np.sin(x) * np.log1p(np.abs(x)), np.arctan2(x, x + 1) ** 3, np.cbrt(x)),
        [np.linspace(-3, 3, 11)],
    ),
    "special": (lambda x: (npx.erf(x), npx.gamma(x + 4), np.hypot(x, 2 * x)), [np.linspace(-3, 3, 11)]),
    "doubles": (lambda x: np.exp(x).sum(axis=0), [np.ones((3, 4), dtype="float64")]),
    "integers": (lambda x, i: np.take(x, i, axis=0) // 3, [np.arange(12).reshape(4, 3).astype("int64"),
                                                           np.array([3, 0], dtype="int64")]),
    "narrow": (lambda x: (x * 2).astype("float16") + x.astype("float16"), [np.ones((5,))]),
    "sorted": (lambda x: np.sort(x), [np.array([3.0, 1.0, 2.0])]),
    "random": (lambda x: x + np.random.normal(size=(300,)), [np.zeros((300,))]),
    "rejection": (lambda x: x + np.random.gamma(x + 1.5, size=(300,)), [np.zeros((300,))]),
    "steps": (steps, [np.array([3.0, -9.0])]),
    "rows": (lambda x: npx.softmax(x @ x.T), [np.linspace(-1, 1, 2048).reshape(32, 64)]),
}  # fmt: skip


def export(case, path, **options):
    function, call = CASES[case]
    fast = hybridize.hybridize(function)
    fast(*call)
    return fast.export(path / "net", "library", **options)


def runs(system, machine):
    """Make sure that this machine runs code for the processor of another one, itself or in an emulator."""
    if sys.platform != "linux":
        pytest.skip("a loader of Linux runs it")
    system(*compilers.commands(machine.partition("-")[0]))


# ------------------------------------------------------------------------------------------------------------- Windows


def test_windows_code_runs_here(tmp_path, system):
    runs(system, "x86_64-windows")
    found = get_net().export(tmp_path / "net", format="library", targets="x86_64-windows")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net.dll", "net.h"]
    assert len(found.checks) >= 1
    for line in found.checks:
        assert "in a process of Linux: 4 calls as expected" in line or line.startswith("not run here: no avx")


def test_windows_weights_beside(tmp_path, system):
    runs(system, "x86_64-windows")
    found = get_net().export(tmp_path / "net", format="library", targets="x86_64-windows", weights="beside")
    assert "4 calls as expected" in found.checks[0]
    assert (tmp_path / "net.dll").stat().st_size < 100_000


@pytest.mark.parametrize("case", CASES)
def test_windows_functions(tmp_path, system, case):
    runs(system, "x86_64-windows")
    assert "1 call as expected" in export(case, tmp_path, targets="x86_64-windows").checks[0]


def test_windows_libraries_need_nothing_but_the_system(tmp_path):
    get_net().export(tmp_path / "net", format="library", targets="x86_64-windows")
    data = (tmp_path / "net.dll").read_bytes()
    assert read_library(tmp_path / "net.dll").platform.name == "x86_64-windows"
    assert imported(data) <= {"ucrtbase.dll", "KERNEL32.dll"}
    for name in FUNCTIONS:
        assert f"net_{name}\0".encode() in data
    flags = struct.unpack_from("<H", data, struct.unpack_from("<I", data, 60)[0] + 24 + 70)[0]
    assert flags & 0x0140 == 0x0140, "its place is chosen at random, and data is not run"


def imported(data):
    """Names of the libraries that a DLL needs."""
    start = struct.unpack_from("<I", data, 60)[0]
    count, optional = struct.unpack_from("<H", data, start + 6)[0], struct.unpack_from("<H", data, start + 20)[0]
    sections = [struct.unpack_from("<IIII", data, start + 24 + optional + 40 * k + 8) for k in range(count)]

    def place(address):
        for size, begin, _, raw in sections:
            if begin <= address < begin + size:
                return raw + address - begin
        raise AssertionError(hex(address))

    found, at = set(), struct.unpack_from("<I", data, start + 24 + 112 + 8)[0]
    while at and struct.unpack_from("<I", data, place(at) + 12)[0]:
        name = place(struct.unpack_from("<I", data, place(at) + 12)[0])
        found.add(data[name : data.index(b"\0", name)].decode())
        at += 20
    return found


def test_a_damaged_library_for_windows_is_refused(tmp_path, system, monkeypatch):
    runs(system, "x86_64-windows")
    net, write = get_net(), library.write_library
    weight = net[2].weight.data().asnumpy().tobytes()[:16]

    def damaged(*arguments, **options):
        files = write(*arguments, **options)
        with open(files[0], "r+b") as file:
            place = file.read().index(weight)
            file.seek(place + 3)
            file.write(b"\x7f")
        return files

    monkeypatch.setattr(library, "write_library", damaged)
    with pytest.raises(VerificationError, match="E810"):
        net.export(tmp_path / "net", format="library", targets="x86_64-windows")
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------------------------- AArch64


def test_aarch64_runs_under_qemu(tmp_path, system):
    system("qemu-aarch64", "aarch64-linux-gnu-gcc")
    found = get_net().export(tmp_path / "net", format="library", targets="aarch64-linux")
    assert "AArch64 under QEMU: 4 calls as expected" in found.checks[0]
    assert read_library(tmp_path / "libnet.so").platform.name == "aarch64-linux"


@pytest.mark.parametrize("case", CASES)
def test_aarch64_functions(tmp_path, system, case):
    system("qemu-aarch64", "aarch64-linux-gnu-gcc")
    assert "AArch64 under QEMU: 1 call as expected" in export(case, tmp_path, targets="aarch64-linux").checks[0]


def test_aarch64_weights_beside(tmp_path, system):
    system("qemu-aarch64", "aarch64-linux-gnu-gcc")
    found = get_net().export(tmp_path / "net", format="library", targets="aarch64-linux", weights="beside")
    assert "4 calls as expected" in found.checks[0]


def test_aarch64_objects_run_too(tmp_path, system):
    system("qemu-aarch64", "aarch64-linux-gnu-gcc")
    found = get_net().export(tmp_path / "net", format="object", targets="aarch64-linux")
    assert "net.o, AArch64 under QEMU: 4 calls as expected" in found.checks[0]


@pytest.mark.long
def test_aarch64_without_a_system_for_it(tmp_path, monkeypatch):
    """Zig builds all of the C library, once: a minute."""
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, *rest: None if "gcc" in name else which(name, *rest))
    found = get_net().export(tmp_path / "net", format="library", targets="aarch64-linux", weights="beside")
    assert "AArch64 under QEMU: 4 calls as expected" in found.checks[0]


def test_no_emulator_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(running.shutil, "which", lambda name: None)
    assert get_net().export(tmp_path / "net", format="object", targets="aarch64-linux").checks == (
        "not run here: no AArch64, and no qemu-aarch64",
    )


# --------------------------------------------------------------------------------------------------------------- macOS


def commands(data, wanted):
    """The libraries that load commands of this number name."""
    found, at = [], 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        number, size, name = struct.unpack_from("<III", data, at)
        if number == wanted:
            found.append(data[at + name : data.index(b"\0", at + name)].decode())
        at += size
    return found


MACS = [pytest.param("aarch64-macos", marks=pytest.mark.long), "x86_64-macos"]


@pytest.mark.parametrize("machine", MACS)
def test_code_for_macs_runs_here(tmp_path, system, machine):
    runs(system, machine)
    found = get_net().export(tmp_path / "net", format="library", targets=machine, version="1.2.3")
    for line in found.checks:
        assert re.search(r"in a process of Linux( under QEMU)?: 4 calls as expected", line)
    read = read_library(tmp_path / "libnet.dylib")
    assert (read.platform.name, read.name) == (machine, "net")
    data = (tmp_path / "libnet.1.dylib").read_bytes()
    assert commands(data, 0xD) == ["@rpath/libnet.1.dylib"]
    assert commands(data, 0xC) == ["/usr/lib/libSystem.B.dylib"], "it needs the system and nothing else"
    for name in FUNCTIONS:
        assert f"_net_{name}".encode() in data
    assert oldest_system(data) == 11, "as the tag of a wheel says"
    if machine == "aarch64-macos":
        assert_signed(data)


@pytest.mark.parametrize("machine", MACS)
@pytest.mark.parametrize("case", sampled(CASES, 10))
def test_functions_for_macs(tmp_path, system, case, machine):
    runs(system, machine)
    assert "1 call as expected" in export(case, tmp_path, targets=machine).checks[0]


@pytest.mark.long
@pytest.mark.parametrize("machine", ["aarch64-macos", "x86_64-macos"])
def test_weights_beside_for_macs(tmp_path, system, machine):
    runs(system, machine)
    found = get_net().export(tmp_path / "net", format="library", targets=machine, weights="beside")
    assert "4 calls as expected" in found.checks[0]


def oldest_system(data):
    """The number of the oldest macOS that a library says it runs on."""
    at = 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        number, size, platform, version = struct.unpack_from("<IIII", data, at)
        if number == 0x32:  # LC_BUILD_VERSION
            assert platform == 1, "macOS"
            return version >> 16
        at += size
    raise AssertionError("it does not say")


def assert_signed(data):
    """Check an ad-hoc signature: macOS on Apple silicon ends a process that maps a page of another hash."""
    at = 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        number, size, place, _ = struct.unpack_from("<IIII", data, at)
        if number == 0x1D:  # LC_CODE_SIGNATURE
            break
        at += size
    else:
        raise AssertionError("it is not signed")
    magic, _, _, kind, offset = struct.unpack_from(">5I", data, place)
    assert (magic, kind) == (0xFADE0CC0, 0)
    directory = place + offset
    magic, _, _, flags, hashes, _, _, slots, limit = struct.unpack_from(">9I", data, directory)
    length, hashing, _, page = struct.unpack_from("4B", data, directory + 36)
    assert (magic, flags & 2, length, hashing) == (0xFADE0C02, 2, 32, 2), "ad hoc, by SHA-256"
    assert (limit, slots) == (place, -(-place >> page))
    for slot in range(slots):
        begin = slot << page
        digest = hashlib.sha256(data[begin : min(begin + (1 << page), limit)]).digest()
        assert data[directory + hashes + 32 * slot :][:32] == digest


@pytest.mark.parametrize("kind", ["cut", pytest.param("weight", marks=pytest.mark.long)])
def test_a_damaged_library_for_a_mac_is_refused(tmp_path, system, monkeypatch, kind):
    runs(system, "x86_64-macos")
    net, write = get_net(), library.write_library
    weight = net[2].weight.data().asnumpy().tobytes()[:16]

    def damaged(*arguments, **options):
        files = write(*arguments, **options)
        with open(files[0], "r+b") as file:
            place = file.read().index(weight)
            if kind == "cut":
                file.truncate(place)
            else:
                file.seek(place + 3)
                file.write(b"\x7f")
        return files

    monkeypatch.setattr(library, "write_library", damaged)
    with refusal(VerificationError, "E812: .*cut short" if kind == "cut" else "E810"):
        net.export(tmp_path / "net", format="library", targets="x86_64-macos")
    assert list(tmp_path.iterdir()) == []


def test_no_process_for_another_system_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(running.shutil, "which", lambda name: None)
    net = get_net()
    for machine, words in (("aarch64-macos", "no macOS on aarch64"), ("x86_64-windows", "no Windows on x86_64")):
        assert net.export(tmp_path / "net", format="object", targets=machine).checks == (f"not run here: {words}",)


@pytest.mark.parametrize("machine", ["aarch64-macos", "x86_64-macos", "x86_64-windows"])
def test_objects_need_no_linker(tmp_path, monkeypatch, machine):
    monkeypatch.setattr(cross, "zig", lambda: None)
    found = get_net().export(tmp_path / "net", format="object", targets=machine)
    assert found.checks[0].startswith("not run here: ")
    head = {"macos": b"\xcf\xfa\xed\xfe", "windows": b"\x64\x86"}[machine.partition("-")[2]]
    assert (tmp_path / "net.o").read_bytes().startswith(head)


# ----------------------------------------------------------------------------------------------------------- this machine


@pytest.mark.long
def test_zig_links_for_this_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(linking.shutil, "which", lambda name: None)  # there is no cc
    found = get_net().export(tmp_path / "net", format="library")
    assert "4 calls as expected" in found.checks[0]
    needed = subprocess.run(["readelf", "-d", tmp_path / "libnet.so"], capture_output=True, text=True, check=True)
    libraries = {line.split("[")[1].rstrip("]") for line in needed.stdout.splitlines() if "(NEEDED)" in line}
    assert libraries <= {"libc.so.6", "libm.so.6"}
    versions = subprocess.run(["objdump", "-T", tmp_path / "libnet.so"], capture_output=True, text=True, check=True)
    assert "GLIBC_2.3" not in versions.stdout, "systems of 2012 and later run it"


def test_nothing_to_link_with(tmp_path, monkeypatch):
    monkeypatch.setattr(cross, "find_spec", lambda name: None)
    monkeypatch.setattr(cross.shutil, "which", lambda name: None)
    with pytest.raises(CodegenError, match=r"E973: nothing here links for x86_64-windows[\s\S]*hybridize\[export\]"):
        get_net().export(tmp_path / "net", format="library", targets="x86_64-windows")
    assert list(tmp_path.iterdir()) == []


def test_what_zig_says_is_in_the_error(tmp_path):
    (tmp_path / "net.o").write_bytes(b"no object")
    with pytest.raises(CodegenError, match="E973: linking for x86_64-windows failed: zig cc"):
        cross.link(
            str(tmp_path / "net.o"), str(tmp_path / "net.dll"), "net", platforms.named_platform("x86_64-windows")
        )
    assert not (tmp_path / "net.dll").exists()


def test_results_do_not_depend_on_the_machine(tmp_path, system):
    """The same model and the same numbers everywhere: of random ones every bit."""
    system("qemu-aarch64", "aarch64-linux-gnu-gcc")
    fast = hybridize.hybridize(lambda x: np.random.randint(0, 1000, size=(50,)) + x)
    fast(np.zeros((50,), dtype="int64"))
    for machine in ("x86_64-linux", "aarch64-linux", "x86_64-windows"):
        found = fast.export(tmp_path / "net", "library", targets=machine)
        assert "largest difference 0" in found.checks[0]

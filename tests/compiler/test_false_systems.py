"""Another operating system is planted: what is chosen for it, and that code of one is never loaded on another."""

import ctypes
import re

import numpy
import pytest

import hybridize
from hybridize import np, system
from hybridize.base import platforms
from hybridize.base.config import CONFIG
from hybridize.base.errors import CodegenError, ValueArgumentError
from hybridize.capture import Function
from hybridize.codegen import clang
from hybridize.codegen.llvm import engine
from hybridize.codegen.llvm.engine import check_runnable, compile_image
from hybridize.compiler import archived, disk, host
from hybridize.compiler.compile import default_target
from hybridize.formats import read_archive
from hybridize.formats.archive.writing import chosen
from hybridize.formats.library import linking
from hybridize.formats.library.platforms import PLATFORMS, named_platform
from hybridize.machine.target import labelled_target, named_target
from hybridize.runtime import image as image_module
from hybridize.runtime import pool
from hybridize.runtime.image import Image, Loaded
from hybridize.system import linux, macos, windows
from tests.refusals import refusal

TEXT = "define i64 @f(i64 %x) {\n  ret i64 %x\n}\n"
HERE = f"{'macOS' if system.NAME == 'macos' else system.NAME.capitalize()} on {system.PROCESSOR}"


@pytest.fixture
def planted(monkeypatch):
    """`planted(name, processor)`: this machine is said to be another one; nothing of it is run."""

    def plant(name, processor="x86_64"):
        monkeypatch.setattr(system, "NAME", name)
        monkeypatch.setattr(system, "PROCESSOR", processor)
        for one in (engine.host_target, host.this_host, archived.runnable):
            one.cache_clear()

    yield plant
    monkeypatch.undo()
    for one in (engine.host_target, host.this_host, archived.runnable):
        one.cache_clear()


@pytest.mark.parametrize(
    ("name", "processor", "machine", "library"),
    [
        ("linux", "x86_64", "x86_64", "libnet.so"),
        ("windows", "x86_64", "x86_64-windows", "net.dll"),
        ("macos", "x86_64", "x86_64-macos", "libnet.dylib"),
        ("macos", "aarch64", "aarch64-macos", "libnet.dylib"),
        ("linux", "aarch64", "aarch64", "libnet.so"),
    ],
)
def test_what_is_compiled_and_exported_is_for_this_system(planted, monkeypatch, name, processor, machine, library):
    level, compiled_here = "aarch64" if processor == "aarch64" else "baseline", processor == system.PROCESSOR
    planted(name, processor)
    monkeypatch.setattr(CONFIG, "cache", False)
    assert named_target(level).machine == machine
    if compiled_here:
        assert compile_image(TEXT, named_target(level)).machine == machine
        assert host.host_target().machine == machine
    assert named_platform(None).library("net") == library
    monkeypatch.setattr(CONFIG, "target", level)
    assert default_target().machine == machine
    assert archived.native() == ((level if name == "linux" else f"{level}-{name}"),)


def test_a_cc_of_windows_is_not_asked_to_link(planted, monkeypatch):
    """It may be MinGW's, Cygwin's or another one, with flags of its own."""
    planted("windows")
    linked = []
    monkeypatch.setattr(linking.shutil, "which", lambda name: f"C:\\msys64\\usr\\bin\\{name}.exe")
    monkeypatch.setattr(linking.cross, "link", lambda *words: linked.append(words[1]))
    linking.link_library("net.o", "net.dll", "net", named_platform(None))
    assert linked == ["net.dll"]
    with refusal(CodegenError, r"E973: the cc of this machine is not for x86_64-windows(.|\n)*help: .*zig"):
        linking.link_library("net.o", "net.dll", "net", named_platform(None), linker="cc")


@pytest.mark.parametrize("name", PLATFORMS)
def test_every_system_exports_the_same_for_a_platform(planted, name):
    """Also where a system has no code for a processor: Windows has none for AArch64."""
    platform, targets = PLATFORMS[name], []
    for system_name in ("linux", "windows", "macos"):
        planted(system_name)
        targets.append(platform.targets())
    assert targets[0] == targets[1] == targets[2]
    assert {one.triple for one in targets[0]} == {platform.triple}


@pytest.mark.parametrize("name", ["baseline-linux", "baseline-windows", "baseline-macos", "aarch64-macos"])
def test_an_image_of_another_system_is_not_loaded(name):
    image = compile_image(TEXT, named_target(name))
    if image.machine == platforms.here():
        Loaded(image)
        return
    title = platforms.machine_title(image.machine)
    with refusal(CodegenError, rf"E966: .* is for {title}, and cannot be loaded on {HERE}(.|\n)*help: .*here"):
        Loaded(image)


def test_a_target_of_another_system_does_not_run_here():
    other = next(name for name in ("avx2-macos", "avx2-windows") if named_target(name).system != system.NAME)
    if "avx2" not in engine.runnable():
        pytest.skip("this machine has no AVX2")
    with refusal(CodegenError, rf"E965: {other} does not run .* is for .*, and this is {HERE}(.|\n)*help: .*avx2"):
        check_runnable(named_target(other))


def test_a_system_without_code_is_refused_by_name(planted):
    with refusal(CodegenError, r"E960: .*Windows on aarch64(.|\n)*macOS on aarch64.*a Python for x64"):
        named_target("aarch64-windows")
    planted("freebsd14")
    with refusal(CodegenError, r"E960: .*freebsd14 on x86_64(.|\n)*help: there is for Linux"):
        named_target("avx2")


def drawn(*shape):
    return numpy.random.default_rng(len(shape)).normal(size=shape).astype("f4")


def test_a_file_brings_code_for_several_systems_and_each_takes_its_own(planted, tmp_path):
    weight = np.array(drawn(8, 8))
    fast = Function(lambda x: np.dot(x, weight))
    fast(np.array(drawn(4, 8)))
    labels = ["baseline-linux", "baseline-windows", "baseline-macos", "aarch64-macos"]
    fast.save(tmp_path / "net", targets=labels)
    program = read_archive(tmp_path / "net")
    codes, process = program.signatures[0].codes, program.process
    assert [code.target for code in codes] == ["baseline", *labels[1:]], "files from before say nothing of Linux"
    for name, processor, own in (
        ("linux", "x86_64", "baseline"),
        ("windows", "x86_64", "baseline-windows"),
        ("macos", "x86_64", "baseline-macos"),
        ("macos", "aarch64", "aarch64-macos"),
        ("linux", "aarch64", None),
    ):
        planted(name, processor)
        assert [code.target for code in codes if code.fits] == [own] * (own is not None)
        assert {code.target for code in process if code.fits} <= {own}
        best = archived.best(codes)
        assert (best and best.facts["machine"]) == (own and labelled_target(own).machine)


def test_code_that_lies_about_its_system_is_left_alone(tmp_path, monkeypatch):
    """The label says this system and the image another: it is compiled anew, as is what no label fits."""
    made = archived.program_code
    other = named_target("baseline-linux" if system.NAME == "windows" else "baseline-windows").label
    monkeypatch.setattr(archived, "program_code", lambda graph, target, *rest: made(graph, other, *rest))
    weight, x = np.array(drawn(8, 8)), np.array(drawn(4, 8))
    fast = Function(lambda x: np.dot(x, weight))
    expected = fast(x).asnumpy()
    fast.save(tmp_path / "net", targets="baseline")
    program = read_archive(tmp_path / "net")
    assert [code.fits for code in program.signatures[0].codes] == [False]
    again = hybridize.load(tmp_path / "net", images=True)
    numpy.testing.assert_allclose(again(x).asnumpy(), expected, rtol=1e-5)


def test_names_of_targets_for_files(planted):
    assert chosen(["avx2", "avx2-windows"]) == ("avx2", "avx2-windows")
    planted("windows")
    assert chosen(["avx2", "avx2-linux", "avx2-windows"]) == ("avx2-windows", "avx2")
    assert labelled_target("avx2").system == "linux"
    for wrong in ("wasm32", "aarch64-windows", "avx2-solaris", "-windows"):
        with refusal(ValueArgumentError, rf"E345: .*{wrong}.*(.|\n)*avx2-windows, aarch64-macos"):
            chosen([wrong])


def test_systems_that_share_a_folder_share_no_files(planted, tmp_path, monkeypatch):
    monkeypatch.setattr(CONFIG, "cache", True)
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path))
    names = set()
    for name in ("linux", "windows", "macos"):
        planted(name)
        target = named_target("baseline")
        names |= {host._name(), disk.name("entry", repr(target), "(24,)")}
    assert len(names - {None}) == 6


def test_an_image_says_what_it_is_for():
    fields = ("", b"", 0, b"", 0, (), (), ())
    assert Image("x86_64-windows", *fields[1:]).machine == "x86_64-windows"
    assert platforms.machine_title("x86_64-windows") == "Windows on x86_64"
    assert platforms.machine_title("sparc") == "Linux on sparc"


@pytest.mark.parametrize("end", [linux, macos, windows])
def test_a_process_that_may_not_run_its_own_code_is_told_what_allows_it(monkeypatch, end):
    """On macOS a hardened program is such a process: it is told the entitlement that it lacks."""

    class Pages:
        def new(self, nbytes):
            return system.pages().new(nbytes)

        def make_executable(self, address, nbytes):
            raise PermissionError(13, "Permission denied")

        def give_back(self, address, nbytes):
            system.pages().give_back(address, nbytes)

    monkeypatch.setattr(image_module, "_PAGES", Pages())
    monkeypatch.setattr(system, "HOW_TO_ALLOW_CODE", end.HOW_TO_ALLOW_CODE)
    word = {"linux": "SELinux", "macos": "com.apple.security.cs.allow-unsigned-executable-memory", "windows": "Guard"}
    with refusal(CodegenError, rf'E966: .*Permission denied(.|\n)*help: .*{word[end.NAME]}.*backend="numpy"'):
        Loaded(compile_image(TEXT, named_target("baseline")))


@pytest.mark.parametrize("end", [linux, macos, windows])
def test_the_words_of_threads_are_in_the_order_of_the_code(end):
    source = (clang.FOLDER / f"threads_{end.NAME}.h").read_text()
    (members,) = re.findall(r"^struct threads \{(.*?)^\};", source, re.MULTILINE | re.DOTALL)
    functions = re.findall(r"\(\*(\w+)\)\(", re.sub(r"\(\*start\)\(", "", members))
    assert [name.removeprefix("__") for name in end.THREADS] == functions


def test_threads_of_macos_are_there_or_not_at_all(monkeypatch):
    known = {name: 8 * number for number, name in enumerate(macos.THREADS, 1)}
    monkeypatch.setattr(macos, "function_address", lambda name: known.get(name, 0))
    assert macos.thread_words() == tuple(known.values())
    del known["__ulock_wake"]
    assert macos.thread_words() is None


def test_threads_of_windows_come_with_the_frequency_of_their_clock(monkeypatch):
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    rates = [10_000_000, 0]

    @kind
    def frequency(place):
        ctypes.c_int64.from_address(place).value = rate = rates.pop(0)
        return int(rate > 0)

    known = {name: 8 * number for number, name in enumerate(windows.THREADS, 1)}
    words = known | {"QueryPerformanceFrequency": ctypes.cast(frequency, ctypes.c_void_p).value}
    monkeypatch.setattr(windows, "function_address", lambda name: words.get(name, 0))
    monkeypatch.setattr(windows, "PROCESSOR", "x86_64")
    assert windows.thread_words() == (*known.values(), 10_000_000)
    assert windows.thread_words() is None, "where the system has no such counter"
    assert len(windows.THREADS) + 1 <= pool.WORD["ticket"], "they fit into a line"


@pytest.mark.parametrize("end", [linux, macos, windows])
def test_loaders_of_data_start_processes_as_the_system_allows(end):
    expected = "fork" if end is linux else "spawn"
    assert expected == end.START_METHOD

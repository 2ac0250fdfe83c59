"""Another operating system is planted: what is chosen for it, and that code of one is never loaded on another."""

import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.base import platforms
from hybridize.base.config import CONFIG
from hybridize.base.errors import CodegenError, ValueArgumentError
from hybridize.capture import Function
from hybridize.codegen.llvm import engine
from hybridize.codegen.llvm.engine import check_runnable, compile_image
from hybridize.compiler import archived, disk, host
from hybridize.compiler.compile import default_target
from hybridize.formats import read_archive
from hybridize.formats.archive.writing import chosen
from hybridize.formats.library.platforms import named_platform
from hybridize.machine.target import labelled_target, named_target
from hybridize.runtime.image import Image, Loaded
from tests.refusals import refusal

TEXT = "define i64 @f(i64 %x) {\n  ret i64 %x\n}\n"
HERE = f"{'macOS' if platforms.SYSTEM == 'macos' else platforms.SYSTEM.capitalize()} on {platforms.PROCESSOR}"


@pytest.fixture
def planted(monkeypatch):
    """`planted(system, processor)`: this machine is said to be another one; nothing of it is run."""

    def plant(system, processor="x86_64"):
        monkeypatch.setattr(platforms, "SYSTEM", system)
        monkeypatch.setattr(platforms, "PROCESSOR", processor)
        for one in (engine.host_target, host.this_host, archived.runnable):
            one.cache_clear()

    yield plant
    monkeypatch.undo()
    for one in (engine.host_target, host.this_host, archived.runnable):
        one.cache_clear()


@pytest.mark.parametrize(
    ("system", "processor", "machine", "library"),
    [
        ("linux", "x86_64", "x86_64", "libnet.so"),
        ("windows", "x86_64", "x86_64-windows", "net.dll"),
        ("macos", "x86_64", "x86_64-macos", "libnet.dylib"),
        ("macos", "aarch64", "aarch64-macos", "libnet.dylib"),
        ("linux", "aarch64", "aarch64", "libnet.so"),
    ],
)
def test_what_is_compiled_and_exported_is_for_this_system(planted, monkeypatch, system, processor, machine, library):
    level, compiled_here = "aarch64" if processor == "aarch64" else "baseline", processor == platforms.PROCESSOR
    planted(system, processor)
    monkeypatch.setattr(CONFIG, "cache", False)
    assert named_target(level).machine == machine
    if compiled_here:
        assert compile_image(TEXT, named_target(level)).machine == machine
        assert host.host_target().machine == machine
    assert named_platform(None).library("net") == library
    monkeypatch.setattr(CONFIG, "target", level)
    assert default_target().machine == machine
    assert archived.native() == ((level if system == "linux" else f"{level}-{system}"),)


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
    other = next(name for name in ("avx2-macos", "avx2-windows") if named_target(name).system != platforms.SYSTEM)
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
    for system, processor, own in (
        ("linux", "x86_64", "baseline"),
        ("windows", "x86_64", "baseline-windows"),
        ("macos", "x86_64", "baseline-macos"),
        ("macos", "aarch64", "aarch64-macos"),
        ("linux", "aarch64", None),
    ):
        planted(system, processor)
        assert [code.target for code in codes if code.fits] == [own] * (own is not None)
        assert {code.target for code in process if code.fits} <= {own}
        best = archived.best(codes)
        assert (best and best.facts["machine"]) == (own and labelled_target(own).machine)


def test_code_that_lies_about_its_system_is_left_alone(tmp_path, monkeypatch):
    """The label says Linux and the image Windows: it is compiled anew, as is what no label fits."""
    made = archived.program_code
    windows = named_target("baseline-windows").label
    monkeypatch.setattr(archived, "program_code", lambda graph, target, *rest: made(graph, windows, *rest))
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
    for system in ("linux", "windows", "macos"):
        planted(system)
        target = named_target("baseline")
        names |= {host._name(), disk.name("entry", repr(target), "(24,)")}
    assert len(names - {None}) == 6


def test_an_image_says_what_it_is_for():
    fields = ("", b"", 0, b"", 0, (), (), ())
    assert Image("x86_64-windows", *fields[1:]).machine == "x86_64-windows"
    assert platforms.machine_title("x86_64-windows") == "Windows on x86_64"
    assert platforms.machine_title("sparc") == "Linux on sparc"

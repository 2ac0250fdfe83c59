"""Machine code that the driver makes is kept, and is used by another process only where it is what that would make."""

from pathlib import Path

import numpy
import pytest

from hybridize.base.config import CONFIG
from hybridize.compiler import disk, identity
from hybridize.errors import DeviceError
from hybridize.runtime import devices
from hybridize.runtime.devices import opened
from tests.refusals import refusal
from tests.runtime.cuda.test_gpu import CODE, read

COMPILED, LOADED = "cuLinkComplete", "cuModuleLoadDataEx"


@pytest.fixture
def files(standin, tmp_path, monkeypatch):
    """Lists the files of a folder that is empty at first."""
    monkeypatch.setattr(CONFIG, "cache", True)
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path / "cache"))
    monkeypatch.setattr(identity, "compiler", lambda: "this one")  # even while somebody edits it
    return lambda: sorted(Path(tmp_path / "cache").glob("*.kernels"))


def anew(standin):
    """The first GPU, as another process would open it; what is called before is forgotten."""
    devices._OPENED.clear()
    device = opened(0)
    standin.calls()
    return device


def works(code):
    device = code.gpu
    at = device.alloc(16)
    device.launch(code["fill"], (1, 1, 1), 1, 0, [at, 7, 16])
    return (read(device, at, numpy.zeros(16, "uint8")) == 7).all()


def compiles(standin, device, text=CODE):
    """Whether the driver compiles a text when it is loaded."""
    standin.calls()
    assert works(device.load(text))
    return COMPILED in standin.calls()


def test_what_another_process_has_compiled_is_only_loaded(standin, files):
    assert compiles(standin, anew(standin))
    (file,) = files()
    assert not compiles(standin, anew(standin)) and files() == [file]
    assert compiles(standin, anew(standin), CODE + "// other\n") and len(files()) == 2


def test_code_is_of_one_release_of_the_driver_and_of_one_architecture(standin, files, monkeypatch):
    assert compiles(standin, anew(standin))
    standin.set("version", 12050)
    assert compiles(standin, anew(standin)) and len(files()) == 2
    assert not compiles(standin, anew(standin))
    device = anew(standin)
    monkeypatch.setattr(device, "arch", "sm_100")
    assert compiles(standin, device) and len(files()) == 3


@pytest.mark.parametrize("place", [0, 20, -1])
def test_a_damaged_file_is_made_anew(standin, files, place):
    assert compiles(standin, anew(standin))
    (file,) = files()
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)
    damaged = disk.info().damaged
    assert compiles(standin, anew(standin)) and disk.info().damaged == damaged + 1
    assert not compiles(standin, anew(standin))


def test_a_file_of_something_else_is_made_anew(standin, files):
    device = anew(standin)
    for text in (CODE, CODE + "// other\n"):
        device.load(text)
    one, other = files()
    one.write_bytes(other.read_bytes())
    assert [compiles(standin, anew(standin), text) for text in (CODE, CODE + "// other\n")].count(True) == 1
    assert one.read_bytes() != other.read_bytes()
    one.chmod(0o666)  # anybody could have written it
    assert [compiles(standin, anew(standin), text) for text in (CODE, CODE + "// other\n")].count(True) == 1


@pytest.mark.parametrize("content", [("no bytes",), b"", b"CUBIN99 of another driver"])
def test_code_that_the_driver_does_not_know_is_made_anew(standin, files, content):
    assert compiles(standin, anew(standin))
    (file,) = files()
    disk.keep(file.name.removesuffix(".kernels"), content, ".kernels")
    assert compiles(standin, anew(standin))
    assert not compiles(standin, anew(standin))


def test_nothing_is_kept_of_code_that_is_refused_nor_without_a_disk(standin, files, monkeypatch):
    device = anew(standin)
    with pytest.raises(Exception, match="E907"):
        device.load("// \nsyntax error")
    assert not files() and standin.calls()[-1] == "cuLinkDestroy"
    monkeypatch.setattr(CONFIG, "cache", False)
    assert compiles(standin, device) and compiles(standin, device) and not files()


def test_a_gpu_that_fails_while_it_loads_is_no_reason_to_compile_anew(standin, files):
    assert compiles(standin, anew(standin))
    device = anew(standin)
    standin.fail(LOADED, 700)
    with refusal(DeviceError, "E707: .*cuModuleLoadDataEx.*\nhelp: start the process again"):
        device.load(CODE)
    assert COMPILED not in standin.calls()

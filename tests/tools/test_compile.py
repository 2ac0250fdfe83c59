"""`hybridize compile`: from an object in a module to files."""

import re
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy
import pytest
from typer.testing import CliRunner

import hybridize
from hybridize.base.errors import ArgumentError
from hybridize.formats.library.platforms import named_platform
from hybridize.tools import compile_command, contents, exported_files, saved_files
from hybridize.tools.application import application
from tests.refusals import refusal, said

COMMAND = Path(sys.executable).with_name("hybridize")
LIBRARY = named_platform(None).library("out")
MODULE = """
import hybridize
from hybridize import np, npx, gluon
from hybridize.gluon import nn

class Net(nn.HybridSequential):
    pass

def get_net(cls=Net):
    np.random.seed(3)
    net = cls()
    net.add(nn.Dense(5, activation="relu"), nn.Dense(2))
    net.initialize()
    return net

net, python_only = get_net(), get_net(nn.Sequential)

class Box:
    inner = get_net()

def both(x, y):
    return {"sum": x + y, "norm": np.sqrt((x * x).sum())}

def scaled(x, factor):
    return x * factor

def pinned(x):
    return x + np.ones((x.shape[0],)) if x.shape[0] in (12, 20) else x

def total(x):
    return float(x.sum())

def eager(x):  # reads the values while Python runs, which `total` does not
    return x.asnumpy().sum()

def loud(x):
    npx.print(x)
    return x

def clumsy(x):
    return {}['no']

@hybridize.hybridize
def called(x):
    return x + 1

called(np.ones((3,)))
number = 5
"""
TORCH = """
import torch
torch.manual_seed(0)
module = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.GELU(), torch.nn.Linear(5, 3)).eval()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "trained.py").write_text(MODULE)
    (tmp_path / "broken.py").write_text("import nowhere_to_be_found\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    for name in ("trained", "broken", "torched"):
        sys.modules.pop(name, None)


def compile_(*arguments, code=0):
    done = CliRunner().invoke(application, ["compile", *map(str, arguments)])
    assert done.exit_code == code, (done.output, done.exception)
    return done


def trained(name):
    return getattr(sys.modules["trained"], name)


def ran(file, *inputs):
    """What `hybridize run` gives."""
    paths = []
    for number, array in enumerate(inputs):
        paths.append(Path(f"input{number}.npy"))
        numpy.save(paths[-1], array)
    return saved_files.run(Path(file), paths)


@pytest.mark.parametrize(
    ("format", "file"), [("archive", "out"), ("library", LIBRARY), ("wasm", "out.wasm"), ("mxnet", "out")]
)
def test_a_net_for_one_size(folder, format, file, system):
    if format == "wasm":
        system("node")
    shown = compile_("trained:net", "-f", format, "-o", "out", "-i", "f32[1,7]").output
    written = "out-symbol.json" if format == "mxnet" else file
    assert re.search(rf"^{re.escape(written)}  [\d,]+ bytes$", shown, re.MULTILINE)
    assert "as expected" in shown
    x = numpy.linspace(-1, 1, 7, dtype="f4").reshape(1, 7)
    expected = trained("net")(hybridize.np.array(x)).asnumpy()
    numpy.testing.assert_allclose(ran(file, x)[0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("format", "file"), [("archive", "out"), ("library", LIBRARY), ("wasm", "out.wasm")])
def test_a_net_for_any_size(folder, format, file, system):
    if format == "wasm":
        system("node")
    compile_("trained:net", "-f", format, "-o", "out", "-i", "f32[n, 7]")
    for rows in (1, 2, 3, 12, 33):
        x = numpy.random.default_rng(rows).standard_normal((rows, 7)).astype("f4")
        expected = trained("net")(hybridize.np.array(x)).asnumpy()
        numpy.testing.assert_allclose(ran(file, x)[0], expected, rtol=1e-5, atol=1e-6)


def test_sizes_that_must_be_equal_and_sizes_that_need_not(folder):
    compile_("trained:both", "-f", "library", "-o", "out", "-i", "f32[n,k]", "-i", "f32[n,k]")
    x = numpy.ones((3, 8), "f4")
    total, norm = ran(LIBRARY, x, 2 * x)
    numpy.testing.assert_allclose(total, 3 * x)
    numpy.testing.assert_allclose(norm, numpy.sqrt(24), rtol=1e-6)


def test_the_kernels_of_a_gpu_are_text_behind_their_schedule(folder):
    shown = compile_("trained:net", "-f", "ptx", "-o", "out", "-i", "f32[16,7]", "-t", "sm_90").output
    assert re.search(r"^out\.ptx  [\d,]+ bytes$", shown, re.MULTILINE)
    assert "nothing: no GPU has run these kernels" in shown
    text = Path("out.ptx").read_text()
    assert "// 2 steps" in text
    assert "block of 256 threads" in text
    assert ".target sm_90" in text
    assert text.count(".entry") >= 1


def test_kernels_of_webgpu_are_text_too(folder):
    shown = compile_("trained:net", "-f", "wgsl", "-o", "out", "-i", "f32[16,7]").output
    assert re.search(r"^out\.wgsl  [\d,]+ bytes$", shown, re.MULTILINE)
    text = Path("out.wgsl").read_text()
    assert "// 2 steps" in text
    assert text.count("@compute @workgroup_size(") == text.count("fn main(") >= 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-i", "f32[16,7]", "-t", "avx2"], "format ptx does not take the target 'avx2'"),
        (["-i", "f32[16,7]", "--opset", "17"], "format ptx does not take the option 'opset'"),
        ([], "has no inputs to be compiled for"),
    ],
    ids=["a processor", "an option of another format", "no inputs"],
)
def test_the_kernels_of_a_gpu_take_a_gpu(folder, arguments, words):
    done = CliRunner().invoke(application, ["compile", "trained:net", "-f", "ptx", "-o", "out", *arguments])
    assert done.exit_code != 0
    assert words in said(done.exception)
    assert not Path("out.ptx").exists()


def test_numbers_are_inputs(folder):
    compile_("trained:scaled", "-f", "library", "-o", "out", "-i", "f32[3]", "-i", "0.5")
    (found,) = ran(LIBRARY, numpy.ones(3, "f4"), numpy.float64(3))
    numpy.testing.assert_array_equal(found, [3, 3, 3])


def test_a_number_is_a_result(folder):
    compile_("trained:total", "-f", "library", "-o", "out", "-i", "f32[n,7]")
    x = numpy.random.default_rng(0).standard_normal((300, 7)).astype("f4")
    (found,) = ran(LIBRARY, x)
    assert (found.dtype, found.shape) == (numpy.float64, ())
    numpy.testing.assert_allclose(found, x.astype("f8").sum(), rtol=1e-4)


def test_a_torch_module(folder):
    import torch

    Path("torched.py").write_text(TORCH)
    compile_("torched:module", "-f", "library", "-o", "out", "-i", "f32[n,6]")
    for rows in (1, 4):
        x = torch.linspace(-1, 1, 6 * rows).reshape(rows, 6)
        with torch.no_grad():
            expected = sys.modules["torched"].module(x).numpy()
        numpy.testing.assert_allclose(ran(LIBRARY, x.numpy())[0], expected, rtol=1e-5, atol=1e-6)


def test_what_was_called_already_needs_no_inputs(folder):
    assert "1 call as expected" in compile_("trained:called", "-o", "out").output
    numpy.testing.assert_array_equal(ran("out", numpy.ones(3, "f4"))[0], [2, 2, 2])


def test_saved_files_are_compiled_further(folder):
    compile_("trained:called", "-o", "out")
    compile_("out", "-f", "library", "-o", "out2")
    numpy.testing.assert_array_equal(ran("libout2.so", numpy.ones(3, "f4"))[0], [2, 2, 2])


def test_options_reach_the_format(folder):
    compile_("trained:net", "-f", "library", "-o", "out", "-i", "f32[1,7]", "--weights", "beside", "--threads", "2")
    assert Path("out.safetensors").is_file()
    compile_("trained:net", "-f", "object", "-o", "arm", "-i", "f32[1,7]", "--target", "aarch64-linux")
    assert Path("arm.o").read_bytes()[18] == 183


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("trained", "-o", "x"), "E349: 'trained' is neither MODULE:NAME nor a saved file"),
        (("nothing:net", "-o", "x"), "E349: importing nothing raises ModuleNotFoundError"),
        (("broken:net", "-o", "x"), "E349: importing broken raises ModuleNotFoundError: No module named 'nowhere"),
        (("trained:nets", "-o", "x"), "E349: trained has no 'nets'"),
        (("trained:Net", "-o", "x"), "E349: trained:Net is a class"),
        (("trained:python_only", "-o", "x"), "E349: trained:python_only is a Sequential, which runs as Python only"),
        (("trained:number", "-o", "x"), "E301"),
        (("trained:net", "-o", "x", "-i", "f32(3)"), "E339: 'f32(3)' is neither a type nor a number"),
        (("trained:net", "-o", "x", "-i", "f31[3]"), "E339: 'f31[3]' is neither a type nor a number"),
        (("trained:net", "-o", "x", "-i", "f32[2,-1]"), "E339: 'f32[2,-1]': '-1' is not a size"),
        (("trained:pinned", "-o", "x", "-i", "f32[n]"), "E339: n cannot be left open"),
        (("trained:both", "-o", "x"), "E533: trained:both was not called yet"),
        (("trained:net", "-o", "x"), "E506: trained:net was not called yet"),
        (("trained:both", "-o", "x", "-i", "f32[3]"), "E349: calling it with f32[3] raises TypeError: "),
        (("trained:net", "-o", "x", "-f", "dll", "-i", "f32[1,7]"), "E336: format must be one of"),
        (("trained:net", "-o", "no/x", "-i", "f32[1,7]"), "E335: cannot write"),
    ],
)
def test_mistakes(folder, arguments, said):
    done = CliRunner().invoke(application, ["compile", *arguments])
    assert done.exit_code == 1
    assert said in str(done.exception)
    assert sorted(path.name for path in folder.iterdir() if path.name != "__pycache__") == ["broken.py", "trained.py"]


def test_several_machines_are_several_exports():
    with pytest.raises(ArgumentError, match="E337: a library is for one machine, got a, b"):
        compile_command.targets("library", ["a", "b"])
    assert compile_command.targets("archive", ["avx2", "baseline"]) == ("avx2", "baseline")


def test_the_command_as_a_whole(folder):
    done = subprocess.run(
        [COMMAND, "compile", "trained:Box.inner", "-f", "library", "-o", "out", "-i", "f32[2,7]"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert LIBRARY in done.stdout
    done = subprocess.run([COMMAND, "compile", "trained:x", "-o", "y"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1
    assert "E349" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("thing", "line"),
    [
        (
            "trained:eager",
            r"CaptureError E401: .*asnumpy.*\n  .*trained\.py:\d+ in eager:  return x\.asnumpy\(\)\.sum\(\)\n  help",
        ),
        ("trained:loud", r"CaptureError E455: out prints.*\n  .*trained\.py:\d+ in loud:  npx\.print\(x\)\n  help"),
        (
            "trained:clumsy",
            r"E349: calling it with .* raises KeyError: 'no'\n  .*trained\.py:\d+ in clumsy:  return \{\}\['no'\]",
        ),
        ("broken:f", r"E349: importing broken .*\n  .*broken\.py:1 in <module>:  import nowhere_to_be_found"),
        ("trained:number", r"E301: .*\n  help"),
    ],
)
def test_mistakes_in_the_module_are_shown_where_they_are(folder, thing, line):
    command = [COMMAND, "compile", thing, "-f", "library", "-o", "out", "-i", "f32[3]"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(line, done.stderr), done.stderr
    assert "Traceback" not in done.stderr


# ------------------------------------------------------------------------------------------------- run and inspect


@pytest.fixture
def files(folder):
    for format in ("library", "wasm"):
        compile_("trained:net", "-f", format, "-o", "out", "-i", "f32[n,7]")
    return folder


def test_inspect(files):
    arrays, sections = contents.tables(Path(LIBRARY), full=True)
    assert arrays.rows == [("input", "data", "float32", "[n0,7]"), ("output", "output", "float32", "[n0,2]")]
    assert "C library for x86_64-linux, with code for avx512, avx2, baseline" in arrays.notes[0]
    parts = {name: (kind, size) for name, kind, size in sections.rows}
    assert parts[".text"][0] == "code"
    assert parts[".rodata"][0] == "data"
    (arrays,) = contents.tables(Path("out.wasm"))
    assert arrays.rows[0] == ("input", "data", "float32", "[n0,7]")
    assert "of weights" in arrays.notes[0]


@pytest.mark.parametrize("file", [LIBRARY, "out.wasm"])
def test_arrays_that_it_does_not_take(files, file):
    x = numpy.ones((2, 7), "f4")
    with pytest.raises(ArgumentError, match=r"E310: out takes 1 arrays \(data float32\[n0,7\]\), got 2"):
        ran(file, x, x)
    with pytest.raises(ArgumentError, match=r"E310: data must be float32\[n0,7\], got float64\[2, 7\]"):
        ran(file, x.astype("f8"))
    with pytest.raises(hybridize.errors.ShapeError, match="E120"):
        ran(file, numpy.ones((2, 6), "f4"))


@pytest.mark.parametrize("file", [LIBRARY, "out.wasm"])
def test_the_remedy_is_of_what_is_wrong(files, file):
    with pytest.raises(ArgumentError, match=r"got float32\[7\]\n(.|\n)*reshape\(\.\.\.\)"):
        ran(file, numpy.ones(7, "f4"))
    with pytest.raises(ArgumentError, match=r"takes 1 arrays .*, got 0\n(.|\n)*--input once for each"):
        ran(file)


def test_halves_of_the_brain(folder):
    compile_("trained:both", "-f", "library", "-o", "out", "-i", "bf16[3]", "-i", "bf16[3]")
    x = numpy.arange(3).astype(ml_dtypes.bfloat16)  # NumPy's files have no name for these
    total, _ = ran(LIBRARY, x, x)
    assert total.dtype == ml_dtypes.bfloat16
    assert total.tolist() == [0, 2, 4]


def test_a_loader_that_is_missing(files):
    Path("out.mjs").unlink()
    with pytest.raises(hybridize.errors.LoadError, match=r"E643: .*needs out\.mjs, which is not beside it"):
        ran("out.wasm", numpy.ones((2, 7), "f4"))


def test_a_library_for_another_machine(files, monkeypatch):
    """It is not loaded, and both machines are named."""
    own = exported_files.host()
    monkeypatch.setattr(exported_files, "host", lambda: "aarch64-macos")
    monkeypatch.setattr(exported_files.checking, "run_library", None)
    with refusal(hybridize.errors.LoadError, rf"E643: .*is a library for {own}, but this machine is aarch64-macos"):
        ran(LIBRARY, numpy.ones((2, 7), "f4"))


@pytest.mark.parametrize("keep", [0.0, 0.001, 0.3, 0.9])
def test_libraries_cut_short(files, keep):
    data = Path(LIBRARY).read_bytes()
    Path("cut.so").write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(hybridize.errors.LoadError, match=r"E642|E608"):
        contents.tables(Path("cut.so"))


def test_somebody_elses_library(tmp_path, system):
    system("cc")
    (tmp_path / "a.c").write_text("int f(void) { return 1; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "liba.so", tmp_path / "a.c"], check=True)
    with pytest.raises(hybridize.errors.LoadError, match=r"E642: .*is not a hybridize library: it lacks what"):
        contents.tables(tmp_path / "liba.so")
    with pytest.raises(hybridize.errors.LoadError, match="E611"):
        hybridize.load(tmp_path / "liba.so")

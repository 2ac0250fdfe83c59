"""Models as wheels: installed where nothing else is, called with whatever has a buffer, and their sources."""

import base64
import copy
import csv
import gc
import hashlib
import importlib
import io
import os
import pickle
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import ml_dtypes
import numpy
import pytest
from packaging.metadata import Metadata
from packaging.tags import sys_tags
from packaging.utils import parse_sdist_filename, parse_wheel_filename

import hybridize
from hybridize import np, npx
from hybridize.base.errors import ArgumentError, CodegenError
from hybridize.formats.library import cross
from hybridize.formats.wheel.naming import check_package, glibc
from hybridize.gluon import nn
from tests.refusals import refusal

X = numpy.random.default_rng(3).standard_normal((2, 16)).astype("f4")
DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
    "float64",
]  # fmt: skip


def get_net():
    hybridize.random.seed(1)
    net = nn.HybridSequential()
    net.add(nn.Dense(64, activation="relu"), nn.Dense(3))
    net.initialize()
    net.hybridize()
    for rows in (1, 4):
        net(np.ones((rows, 16)))
    return net


class Made:
    """A wheel, and its package unpacked and imported."""

    def __init__(self, exported, folder):
        self.exported, self.folder = exported, folder
        self.wheel, self.sources = map(Path, exported.files)

    def unpacked(self):
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(self.folder)
        return self.folder

    def imported(self, module):
        sys.path.insert(0, str(self.unpacked()))
        try:
            return importlib.import_module(module)
        finally:
            sys.path.remove(str(self.folder))


@pytest.fixture(scope="module")
def net():
    return get_net()


@pytest.fixture(scope="module")
def made(net, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    exported = net.export(folder / "classifier", format="wheel", name="Wheel-Classifier.one", version="1.2rc3")
    return Made(exported, tmp_path_factory.mktemp("unpacked"))


@pytest.fixture(scope="module")
def package(made):
    return made.imported("Wheel_Classifier_one")


@pytest.fixture(scope="module")
def expected(net):
    return net(np.array(X)).asnumpy()


# ----------------------------------------------------------------------------------------------------------- the files


def test_names_and_tags_are_those_of_the_specification(made):
    name, version, _, tags = parse_wheel_filename(made.wheel.name)
    assert (name, str(version)) == ("wheel-classifier-one", "1.2rc3")
    assert parse_sdist_filename(made.sources.name) == (name, version)
    assert tags & set(sys_tags()), "pip takes it on the machine that wrote it"
    with zipfile.ZipFile(made.wheel) as archive:
        info = next(one.partition("/")[0] for one in archive.namelist() if ".dist-info/" in one)
        assert info == "wheel_classifier_one-1.2rc3.dist-info"
        metadata = Metadata.from_email(archive.read(f"{info}/METADATA"), validate=True)
        assert (metadata.name, metadata.version) == ("Wheel-Classifier.one", version)
        assert metadata.requires_dist is None
        listed = archive.read(f"{info}/WHEEL").decode()
        assert {line[5:] for line in listed.splitlines() if line.startswith("Tag: ")} == set(map(str, tags))


def test_the_record_has_every_file(made):
    with zipfile.ZipFile(made.wheel) as archive:
        names = archive.namelist()
        record = next(name for name in names if name.endswith("/RECORD"))
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(record).decode()))}
        assert sorted(rows) == sorted(names)
        folders = {part for name in names if ".dist-info/" not in name for part in name.split("/")[:-1]}
        assert all(map(str.isidentifier, folders)), "check-wheel-contents takes libraries for modules (W004)"
        assert rows.pop(record) == ["", ""]
        for name, (digest, nbytes) in rows.items():
            content = archive.read(name)
            assert int(nbytes) == len(content)
            encoded = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert digest == f"sha256={encoded}"


def test_an_empty_environment_installs_and_calls_it(made, expected, tmp_path):
    venv = pytest.importorskip("venv", reason="the embeddable Python for Windows has none")
    venv.EnvBuilder(with_pip=False, symlinks=True).create(tmp_path / "empty")
    python = str(tmp_path / "empty" / "bin" / "python")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def run(*command, code=0):
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    run(*pip, "install", "--quiet", "--no-index", str(made.wheel))
    assert "1.2rc3" in run(*pip, "show", "wheel-classifier.one")
    assert "all as expected" in run(python, "-m", "Wheel_Classifier_one")
    program = (
        "import Wheel_Classifier_one as m, sys; print(m.run({}).tolist(), *{{'numpy', 'json'}} & {{*sys.modules}})"
    )
    printed = run(python, "-c", program.format(X.tolist()))
    assert numpy.abs(numpy.array(eval(printed)) - expected).max() < 1e-6
    tight = run(python, "-c", "import Wheel_Classifier_one as m; m.run([[1.0] * 15])", code=1)
    assert "ValueError: input 0 `data`: axis 1 must be 16" in tight


def test_sources_build_the_same_wheel(made, tmp_path):
    with tarfile.open(made.sources) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    program = "import backend, sys; print(backend.build_wheel(sys.argv[1]), backend.build_sdist(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-S", "-c", program, tmp_path], cwd=folder, capture_output=True, text=True)
    assert done.stdout.split() == [made.wheel.name, made.sources.name], done.stderr
    assert (tmp_path / made.wheel.name).read_bytes() == made.wheel.read_bytes()
    assert (tmp_path / made.sources.name).read_bytes() == made.sources.read_bytes()


def test_the_same_model_gives_the_same_bytes(net, tmp_path):
    written = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        exported = net.export(tmp_path / name / "net", format="wheel", name="wheel_again")
        written.append([Path(file).read_bytes() for file in exported.files])
    assert written[0] == written[1]


def test_it_is_small(made):
    weights = 4 * (16 * 64 + 64 + 64 * 3 + 3)
    assert sum(file.stat().st_size for file in made.unpacked().rglob("*") if file.is_file()) < weights + (100 << 10)


# --------------------------------------------------------------------------------------------------------------- calls


def test_arguments_of_every_kind(package, expected):
    strided = numpy.zeros((2, 32), "f4")
    strided[:, ::2] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    shifted = numpy.frombuffer(bytes(1) + X.tobytes(), "u1")[1:].view("f4").reshape(2, 16)
    for argument in (X, strided[:, ::2], numpy.asfortranarray(X), frozen, shifted):
        result = package.run(argument)
        assert type(result) is numpy.ndarray and result.dtype == numpy.float32
        numpy.testing.assert_allclose(result, expected, atol=1e-6)
    flat = memoryview(X.tobytes()).cast("f", (2, 16))
    for argument in (flat, X.tolist(), tuple(map(tuple, X.tolist()))):
        result = package.run(argument)
        assert type(result) is memoryview and result.shape == (2, 3)
        numpy.testing.assert_allclose(numpy.asarray(result), expected, atol=1e-6)


def test_tensors_of_pytorch(package, expected):
    torch = pytest.importorskip("torch")
    for argument in (torch.tensor(X), torch.tensor(X.T).T, torch.tensor(X, requires_grad=True)):
        result = package.run(argument)
        assert type(result) is torch.Tensor and not result.requires_grad
        numpy.testing.assert_allclose(result.numpy(), expected, atol=1e-6)
    with refusal(TypeError, r"data must be float32\[n0,16\], got float64\[2, 16\]"):
        package.run(torch.tensor(X).double())


@pytest.mark.parametrize(
    ("argument", "kind", "text"),
    [
        (X.astype("f8"), TypeError, r"data must be float32\[n0,16\], got float64\[2, 16\]"),
        (X.astype(">f4"), TypeError, r"data must be float32\[n0,16\], got elements of format '>f'"),
        (X.astype("c8"), TypeError, r"data must be float32\[n0,16\], got complex64"),
        (X[0], ValueError, r"data must be float32\[n0,16\], got float32\[16\]"),
        (X[:, :5], ValueError, "input 0 `data`: axis 1 must be 16"),
        (X[:0], ValueError, "input 0 `data`: axis 0"),
        ([[1.0], [1.0, 2.0]], ValueError, "data is a list whose parts differ in length"),
        ([["a"] * 16], TypeError, "data must be an array of float32, or nested lists of such numbers"),
        (3.0, ValueError, r"data must be float32\[n0,16\], got float32\[\]"),
        (None, TypeError, "data must be an array of float32"),
        (b"1234", TypeError, r"data must be float32\[n0,16\], got uint8\[4\]"),
    ],
)  # fmt: skip
def test_arguments_that_it_does_not_take(package, argument, kind, text):
    with refusal(kind, text):
        package.run(argument)


def test_every_dtype(tmp_path):
    """Each goes in and comes out, with its own bits, as arrays and as buffers."""
    fast = hybridize.hybridize(lambda *arrays: [array.reshape(-1)[::-1] for array in arrays])
    draw = numpy.random.default_rng(5)
    named = {"bfloat16": numpy.dtype(ml_dtypes.bfloat16)}
    arrays = [draw.integers(0, 2, (2, 3)).astype(named.get(name, name)) for name in DTYPES]
    fast(*(np.array(array, dtype=array.dtype) for array in arrays))
    model = (
        Made(fast.export(tmp_path / "wheel_dtypes", format="wheel"), tmp_path / "unpacked")
        .imported("wheel_dtypes")
        .Model()
    )
    assert [dtype for _, dtype, _ in model.inputs] == DTYPES
    bits = [array.view("u2") if array.dtype.name.endswith("float16") else array for array in arrays]
    for results in (model(*arrays), model(*map(memoryview, bits))):
        for result, array in zip(results, bits, strict=True):
            assert numpy.asarray(result).tobytes() == array.reshape(-1)[::-1].tobytes()
    assert results._fields[0] == model.outputs[0][0]


def test_short_floats_are_numbers_in_lists_and_alone(tmp_path):
    named = numpy.dtype(ml_dtypes.bfloat16)
    fast = hybridize.hybridize(lambda x, y: (x * 2, y + y))
    fast(np.ones((5,), dtype="bfloat16"), np.ones((), dtype="bfloat16"))
    exported = fast.export(tmp_path / "wheel_short", format="wheel")
    model = Made(exported, tmp_path / "unpacked").imported("wheel_short").Model()
    numbers = [1.0, -3.14159, 1e-40, float("inf"), float("nan")]
    expected = numpy.array(numbers).astype(named) * named.type(2)
    for scalar in (1.5, numpy.array(1.5).astype(named), named.type(1.5)):
        results = model(numbers, scalar)
        assert numpy.asarray(results[0]).tobytes() == expected.tobytes()
        assert numpy.asarray(results[1]).tobytes() == named.type(3).tobytes()


def test_arrays_without_elements(tmp_path):
    """Also as nested lists and in the self-test, which has no NumPy: memoryviews are not cast to such shapes."""
    fast = hybridize.hybridize(lambda x: (x * 2, np.sum(x, axis=1)))
    fast(np.ones((2, 0, 3)))
    package = Made(fast.export(tmp_path / "wheel_empty", format="wheel"), tmp_path / "unpacked").imported("wheel_empty")
    results = package.run(numpy.ones((2, 0, 3), "f4"))
    assert results[0].shape == (2, 0, 3) and results[1].tolist() == [[0, 0, 0]] * 2
    with refusal(ValueError, r"x must be float32\[2,0,3\], got float32\[2, 0\]"):
        package.run([[], []])


def test_views_of_pytorch_that_negate_later(package, net):
    torch = pytest.importorskip("torch")
    values = torch.tensor(X)
    for argument in (torch._neg_view(values), torch.complex(values, values).conj().imag):
        numpy.testing.assert_allclose(package.run(argument).numpy(), net(np.array(-X)).asnumpy(), atol=1e-6)


def test_a_list_that_contains_itself_is_refused(package):
    endless = []
    endless.append(endless)
    with refusal(ValueError, "data is nested more than 64 levels deep"):
        package.run(endless)


def test_copies_of_a_model_are_models_of_their_own(package, expected):
    model = package.Model("baseline")
    others = [copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    del model
    gc.collect()
    for other in others:
        numpy.testing.assert_allclose(other(X), expected, atol=1e-6)
    assert pickle.loads(pickle.dumps(package.run)) is package.run


def test_random_numbers_begin_anew_from_a_seed(tmp_path):
    fast = hybridize.hybridize(lambda: np.random.normal(size=(4,)))
    fast()
    package = Made(fast.export(tmp_path / "wheel_noise", format="wheel"), tmp_path / "unpacked").imported("wheel_noise")
    model = package.Model()
    draws = []
    for _ in range(2):
        model.seed(7)
        draws.append([model().tolist(), model().tolist()])
    assert draws[0] == draws[1] and draws[0][0] != draws[0][1]


def test_names_that_python_uses_are_changed(tmp_path):
    def function(self, lambda_, run):
        return {"class": self + lambda_, "count": run * 2}

    fast = hybridize.hybridize(function)
    fast(*(np.ones((2,)) for _ in range(3)))
    package = Made(fast.export(tmp_path / "wheel_words", format="wheel"), tmp_path / "unpacked").imported("wheel_words")
    result = package.run([1.0, 2.0], [3.0, 4.0], run_=[5.0, 6.0])
    assert result.class_.tolist() == [4.0, 6.0] and result.count_.tolist() == [10.0, 12.0]


def test_an_assertion_says_its_text(tmp_path):
    def positive(x):
        npx.assert_(x.min() > 0, "all must be positive")  # noqa: PT009
        return np.log(x)

    fast = hybridize.hybridize(positive)
    fast(np.ones((2,)))
    package = Made(fast.export(tmp_path / "wheel_asserts", format="wheel"), tmp_path / "unpacked").imported(
        "wheel_asserts"
    )
    with refusal(AssertionError, "all must be positive"):
        package.run([-1.0, 1.0])


# ---------------------------------------------------------------------------------------------------------- what fails


def test_a_damaged_library_is_found(made, tmp_path):
    program = "import sys; sys.path.insert(0, sys.argv[1]); import Wheel_Classifier_one as m; m.Model()"
    again = Made(made.exported, tmp_path)
    library = next(again.unpacked().rglob("*.so"))
    content = library.read_bytes()
    library.write_bytes(content[:-200])
    done = subprocess.run([sys.executable, "-S", "-c", program, tmp_path], capture_output=True, text=True)
    size = len(content)
    assert f"ImportError: {library} has {size - 200} bytes and not {size}: install Wheel_Classifier_one" in done.stderr
    damaged = bytearray(content)
    damaged[-1] ^= 1
    library.write_bytes(damaged)
    done = subprocess.run(
        [sys.executable, "-S", "-m", "Wheel_Classifier_one"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 1 and "libWheel_Classifier_one.so is not the file that was written" in done.stdout


def test_a_processor_that_is_none(package):
    with refusal(ValueError, "options.processor is none of those"):
        package.Model("abacus")


def test_another_machine_is_named(package, monkeypatch):
    monkeypatch.setattr(package._binding, "_machine", lambda: "riscv64-linux")
    monkeypatch.setattr(package.Model, "_functions", None)
    with refusal(ImportError, "has code for x86_64-linux, and this machine is riscv64-linux"):
        package.Model()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"name": "my model"}, "name must be made of letters"),
        ({"name": "json"}, "name must not be one that Python has already, got 'json'"),
        ({"name": "class"}, "name must not be one that Python has already"),
        ({"version": "one"}, "version must be one in its normal form"),
        ({"version": "1.0-2"}, "version must be one in its normal form"),
        ({"summary": "two\nlines"}, "summary must be a text of one line"),
        ({"targets": "z80-cpm"}, "targets must be one of"),
        ({"targets": ["x86_64-linux", "x86_64-linux"]}, "or several different ones"),
        ({"targets": ["x86_64-linux", "z80-cpm"]}, "or several different ones"),
        ({"targets": []}, "or several different ones"),
        ({"version": 1.0}, "version must be a text of one line, got 1.0"),
        ({"opset": 21}, "format 'wheel' has no option 'opset'"),
    ],
)
def test_options_that_it_does_not_take(net, tmp_path, options, text):
    with refusal(ArgumentError, text):
        net.export(tmp_path / "net", format="wheel", **options)
    assert not list(tmp_path.iterdir())


def test_a_name_of_c_is_refused(net, tmp_path):
    with refusal(CodegenError, "a library cannot be called 'remove'"):
        net.export(tmp_path / "remove", format="wheel")


@pytest.mark.parametrize(("name", "module"), [("my-net", "my_net"), ("Net.2", "Net_2"), ("2nd", "_2nd")])
def test_names_as_python_imports_them(name, module):
    assert check_package(name, "1!2.0.post1.dev2+local.1") == module


# ------------------------------------------------------------------------------------------------- weights, machines


def test_weights_beside(net, tmp_path, expected):
    model = Made(net.export(tmp_path / "wheel_beside", format="wheel", weights="beside"), tmp_path / "unpacked")
    numpy.testing.assert_allclose(model.imported("wheel_beside").run(X), expected, atol=1e-6)
    weights = next(model.folder.rglob("wheel_beside.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-8])
    program = "import sys; sys.path.insert(0, sys.argv[1]); import wheel_beside; wheel_beside.Model()"
    done = subprocess.run([sys.executable, "-S", "-c", program, model.folder], capture_output=True, text=True)
    assert "OSError: the file of weights has another length" in done.stderr


@pytest.mark.long
@pytest.mark.skipif(cross.zig() is None, reason="Zig links for other machines")
def test_several_machines_in_one_file(net, tmp_path, expected):
    machines = ("x86_64-linux", "aarch64-linux", "x86_64-windows", "aarch64-macos", "x86_64-macos")
    model = Made(net.export(tmp_path / "wheel_all", format="wheel", targets=machines), tmp_path / "unpacked")
    _, _, _, tags = parse_wheel_filename(model.wheel.name)
    platforms = " ".join(sorted(tag.platform for tag in tags))
    for word in ("manylinux_2_17_aarch64", "x86_64", "win_amd64", "macosx_11_0_arm64", "macosx_11_0_x86_64"):
        assert word in platforms
    assert any("windows" in line or "AArch64" in line for line in model.exported.checks)
    numpy.testing.assert_allclose(model.imported("wheel_all").run(X), expected, atol=1e-6)


def test_the_tag_says_what_the_library_needs(tmp_path, system):
    """By functions of a known release: `exp` of glibc 2.29."""
    system("cc", "readelf")
    source = tmp_path / "one.c"
    source.write_text("double exp(double); double one(double x) { return exp(x); }")
    subprocess.run(["cc", "-shared", "-fPIC", "-O0", source, "-o", tmp_path / "one.so", "-lm"], check=True)
    needed = subprocess.run(["readelf", "-V", tmp_path / "one.so"], capture_output=True, text=True, check=True).stdout
    expected = max(int(word.split(".")[1]) for word in needed.split() if word.startswith("GLIBC_2."))
    assert glibc((tmp_path / "one.so").read_bytes()) == expected

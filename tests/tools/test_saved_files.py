"""`hybridize run` and `hybridize explain` on a saved function."""

import numpy
import pytest
from typer.testing import CliRunner

import hybridize
from hybridize.base.errors import LoadError
from hybridize.tools import command, saved_files
from hybridize.tools.application import application


@pytest.fixture
def files(tmp_path):
    """A saved function of two arrays, and its arguments as .npy files."""

    def function(x, y):
        return hybridize.np.tanh(x) + y, x * 2

    fast = hybridize.hybridize(function)
    x, y = hybridize.np.ones((2, 3)), hybridize.np.ones((3,))
    fast(x, y)
    fast.save(str(tmp_path / "function"))
    numpy.save(tmp_path / "x.npy", x.asnumpy())
    numpy.save(tmp_path / "y.npy", y.asnumpy())
    return tmp_path


def invoke(command, files, *more):
    arguments = [command, str(files / "function"), "-i", str(files / "x.npy"), "-i", str(files / "y.npy"), *more]
    done = CliRunner().invoke(application, arguments)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def test_run_prints(files):
    assert "2." in invoke("run", files)


def test_run_writes(files):
    invoke("run", files, "-o", str(files / "out.npy"))
    numpy.testing.assert_allclose(numpy.load(files / "out.npy"), numpy.full((2, 3), numpy.tanh(1) + 1), rtol=1e-6)


def test_explain_names_the_backend(files):
    assert "llvm" in invoke("explain", files).lower()


def test_explain_measures_kernels_on_the_given_inputs(files):
    text = invoke("explain", files, "--profile")
    assert "kernels, measured" in text
    assert "of the limit" in text


def test_inspect_shows_inputs(files):
    done = CliRunner().invoke(application, ["inspect", str(files / "function")])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "f32[2,3]" in done.output


@pytest.mark.parametrize("content", [b"", b"not numbers", b"\x93NUMPY\x01\x00"])
def test_input_that_is_no_array(tmp_path, content):
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    with pytest.raises(LoadError, match="E640"):
        saved_files.arrays([path])


def test_input_of_objects_is_refused(tmp_path):
    path = tmp_path / "x.npy"
    numpy.save(path, numpy.array([{}, {}], dtype=object), allow_pickle=True)
    with pytest.raises(LoadError, match="E640"):
        saved_files.arrays([path])


@pytest.fixture
def exported(tmp_path):
    """The pair that export writes, and an input."""
    net = hybridize.gluon.nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    x = hybridize.np.ones((1, 3))
    net(x)
    net.export(str(tmp_path / "net"))
    numpy.save(tmp_path / "x.npy", x.asnumpy())
    return tmp_path, net(x).asnumpy()


@pytest.mark.parametrize("name", ["net", "net-symbol.json"])
def test_exported_nets_go_by_either_name(exported, name):
    folder, expected = exported
    file, inputs = folder / name, [folder / "x.npy"]
    numpy.testing.assert_allclose(saved_files.run(file, inputs)[0], expected, rtol=1e-6)
    assert saved_files.explain(file, inputs).backend == "llvm"
    done = CliRunner().invoke(application, ["inspect", str(file)])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "FullyConnected" in done.output
    assert ("f32[2,3]" in done.output) == (name == "net")  # the parameters are shown too


def test_errors_of_the_command_name_no_line_of_a_library(files, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["hybridize", "run", str(files / "function"), "-i", str(files / "x.npy")])
    with pytest.raises(SystemExit):
        command.main()
    text = capsys.readouterr().err
    assert "Error E" in text
    assert "wrapper" not in text
    assert ".py:" not in text

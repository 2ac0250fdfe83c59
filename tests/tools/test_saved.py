"""`hybridize run` and `hybridize explain` on a saved function."""

import numpy
import pytest
from typer.testing import CliRunner

import hybridize
from hybridize.base.errors import LoadError
from hybridize.tools import saved
from hybridize.tools.command import application


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


def test_inspect_shows_inputs(files):
    done = CliRunner().invoke(application, ["inspect", str(files / "function")])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "f32[2,3]" in done.output


@pytest.mark.parametrize("content", [b"", b"not numbers", b"\x93NUMPY\x01\x00"])
def test_input_that_is_no_array(tmp_path, content):
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    with pytest.raises(LoadError, match="E640"):
        saved.arrays([path])


def test_input_of_objects_is_refused(tmp_path):
    path = tmp_path / "x.npy"
    numpy.save(path, numpy.array([{}, {}], dtype=object), allow_pickle=True)
    with pytest.raises(LoadError, match="E640"):
        saved.arrays([path])
